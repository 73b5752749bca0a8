mod read;

use super::super::experiment::{Cause, Finding, Gate, WealthPath};
use super::super::ratings::{FitOptions, PlayedBlock, fit};
use super::super::schedule::{Bracket, Edition, Format, Next, Schedule, Setup};
use super::super::score::{Entrant, GameResult};
use super::super::verdict::{Effect, Test, TestSettings};
use super::sources::{About, Errors, GameNumbers};
use super::words::Word;
use super::*;
use crate::games::Seed;
use crate::players::model::Speaker;

fn bracket() -> Bracket {
    let (format, edition) = (Format::Knockout, Edition::Second);
    let setup = Setup { format, entrants: 5, seats: 2, courses: 1, blocks: 1, seed: Seed(1), edition };
    let mut schedule = Schedule::new(setup).expect("sound");
    for _ in 0..40 {
        match schedule.next() {
            Next::Play(block) => schedule.finish(block.number, vec![1.0, 0.0]),
            Next::Wait | Next::Over => break,
        }
    }
    schedule.bracket().expect("a knockout")
}

fn transcript() -> Transcript {
    let said = [
        (Speaker::System, "You play <Cowboy>."),
        (Speaker::Referee, "Your turn."),
        (Speaker::Model, "ACTION: dance"),
        (Speaker::Referee, "dance is no action."),
    ];
    Transcript {
        player: "random".to_owned(),
        kind: "illegal".to_owned(),
        gate: Gate::Games,
        place: "m1".to_owned(),
        turn: Some(3),
        said: said.map(|(who, text)| (who, text.to_owned())).to_vec(),
    }
}

fn curve() -> Curve {
    Curve {
        match_id: "m1".to_owned(),
        seats: vec![
            ("A greedy".to_owned(), vec![(1, 0.5), (3, 0.8)]),
            ("B <b>".to_owned(), vec![(2, 0.4), (4, 0.1)]),
            ("C nobody".to_owned(), Vec::new()),
        ],
    }
}

fn report() -> Report {
    report_in(Language::En)
}

fn report_in(language: Language) -> Report {
    let names = ["greedy", "a <b> & \"c\" | with a name that is far too long", "random"];
    let game = |one, other, places: [u32; 2]| GameResult {
        seats: vec![Entrant(one), Entrant(other)],
        places: places.to_vec(),
    };
    let blocks: Vec<PlayedBlock> = (0..12)
        .map(|number| {
            let (one, other) = [(0, 1), (1, 2), (0, 2)][number % 3];
            PlayedBlock {
                course: 0,
                games: vec![game(one, other, [1, 2]), game(other, one, [1, 1 + u32::from(number > 5)])],
                times: 1,
            }
        })
        .collect();
    let fit = fit(3, &blocks, &FitOptions::default());
    let chances = (0..3).map(|one| {
        let win = |other| fit.chances(Entrant(one), Entrant(other)).expect("both are there").win;
        (0..3).map(win).collect()
    });
    let mut test = Test::new(TestSettings::new(0.1, 0.05, 0.05).expect("sound"));
    let points = (0..80).map(|block| {
        test.push(if block % 3 == 0 { 0.5 } else { 1.0 });
        let ((one, two), (three, four)) = (test.log_capital(), test.mirrored_log_capital());
        [one, two, three, four]
    });
    let points = points.collect();
    let row = |(at, name): (usize, &&str)| ReportRow {
        name: (*name).to_owned(),
        rated: fit.players[at],
        rating_without_forfeits: Some(1000.0),
        failures: vec![("illegal".to_owned(), u32::try_from(at).expect("small"))],
        refused: Vec::new(),
        usd_a_game: (at != 2).then_some(0.01),
        tokens_a_move: Some(900.0),
        seconds_a_move: Some(0.5),
        moves: Some(MoveTotal { decisions: 40, accuracy: 81.0, mean_loss: 6.5, ..MoveTotal::default() }),
        quiz: Some(75.0),
    };
    let table = |word: &str| ReportTable {
        note: format!("about {word}"),
        head: vec!["what".to_owned(), word.to_owned()],
        rows: vec![vec!["<i>".to_owned(), "71 %".to_owned()]],
    };
    Report {
        title: "Round robin".to_owned(),
        verdicts: vec!["greedy is better: 62 %, 95 % interval 55 to 69 %.".to_owned()],
        remarks: vec!["The noise: nothing.".to_owned()],
        effects: vec![ReportEffect {
            name: "b <b> against a".to_owned(),
            effect: Effect { raw: 90.0, shrunk: 70.0, low: 10.0, high: 160.0, level: 0.9 },
            delta: Some(50.0),
        }],
        findings: Some(table("findings")),
        money: Some(table("money")),
        players: names.iter().enumerate().map(row).collect(),
        chances: chances.collect(),
        fit: Some(ReportFit { quality: fit.quality.clone(), pairings: fit.pairings.clone() }),
        bracket: bracket::rounds(&bracket(), &["one & only".to_owned()], language),
        pairs: Some(table("pairs")),
        seats: Some(table("seats")),
        transcripts: vec![transcript()],
        tests: vec![Tested {
            name: "b against a".to_owned(),
            verdict: test.verdict(),
            course: WealthPath { points, sure: 3.0, safe: 3.0 },
            decides: true,
        }],
        quiz: Some(table("quiz")),
        languages: Some(table("languages")),
        bank: Some(table("bank")),
        moves: Some(table("moves")),
        curves: vec![curve()],
        blunders: vec![
            Blunder {
                match_id: "m1".to_owned(),
                turn: 3,
                heading: "random gives away 30 points".to_owned(),
                sentences: vec!["Turn 3: `move up`.".to_owned()],
                board: "# . A\n. B <".to_owned(),
                drawing: String::new(),
            },
            Blunder {
                drawing: "<svg><style>text{fill:red}</style><text>x</text></svg>".to_owned(),
                ..Blunder::default()
            },
        ],
        reproduce: vec![
            ("seed".to_owned(), "7".to_owned()),
            ("file".to_owned(), "name = \"x\"\nseed = 7\n".to_owned()),
        ],
        ..Report::default()
    }
}

#[test]
fn a_page_needs_nothing_but_itself() {
    for language in Language::ALL {
        let html = report().html(language);
        for outside in ["http://", "https://", "<script", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("color-scheme: light dark") && html.contains("@media print"));
        assert!(!html.contains("NaN") && !html.contains(">inf"), "a number is none");
    }
}

#[test]
fn every_tag_is_closed_and_every_name_is_escaped() {
    let html = report().html(Language::En);
    for tag in ["svg", "table", "tr", "td", "th", "section", "figure", "text", "main", "dl", "article", "pre", "style"]
    {
        let [opened, closed] = [format!("<{tag}"), format!("</{tag}>")].map(|part| html.matches(&part).count());
        // `<th` also begins `<thead`, `<text` nothing else.
        let others = if tag == "th" { html.matches("<thead").count() } else { 0 };
        assert_eq!(opened - others, closed, "{tag}");
    }
    assert!(html.contains("a &lt;b&gt; &amp; &quot;c&quot;") && !html.contains("<b>") && !html.contains("<i>"));
    assert!(html.contains("<code>move up</code>"));
    assert!(html.contains(".board text{fill:red}") && !html.contains("<svg><style>"), "a drawing's style is its own");
}

#[test]
fn the_verdict_comes_first_and_all_that_is_known_follows() {
    let order = [
        Word::Findings,
        Word::Failures,
        Word::Transcripts,
        Word::Leaderboard,
        Word::Matrix,
        Word::Bracket,
        Word::Course,
        Word::Pairs,
        Word::Seats,
        Word::Quiz,
        Word::Languages,
        Word::Bank,
        Word::Moves,
        Word::Curve,
        Word::Blunders,
        Word::Reproduce,
    ];
    for language in Language::ALL {
        for (text, mark) in [(report().html(language), "<h2>"), (report().markdown(language), "\n## ")] {
            let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}"));
            let places: Vec<usize> = order.iter().map(|word| at(&format!("{mark}{}", word.text(language)))).collect();
            assert!(at("greedy is better") < places[0]);
            assert!(places.is_sorted(), "{places:?}");
        }
    }
}

#[test]
fn words_are_there_in_both_languages() {
    for word in Word::ALL {
        let [en, zh] = Language::ALL.map(|language| word.text(language));
        assert!(en != zh && !en.is_empty() && !zh.is_empty(), "{word:?}");
        assert!(!zh.contains([',', ';', '?', '(', ')']), "a half-width mark: {zh}");
    }
}

#[test]
fn a_bracket_shows_who_went_on() {
    let html = report_in(Language::Zh).html(Language::Zh);
    assert!(html.contains("决赛") && html.contains("半决赛") && html.contains("8 强"), "the rounds have names");
    assert!(html.contains("<li class=\"won\">") && html.contains("one &amp; only"));
}

#[test]
fn an_empty_report_is_a_page_too() {
    let empty = Report { verdicts: vec!["undecided".to_owned()], ..Report::default() };
    let html = empty.html(Language::En);
    assert!(html.contains("undecided") && !html.contains("<section"));
    assert!(!empty.markdown(Language::En).contains("##"));
}

fn finding(verdict: Verdict, cause: Option<Cause>) -> Finding {
    Finding {
        gate: Gate::Games,
        one: "bare".to_owned(),
        other: "standard".to_owned(),
        against: None,
        is_noise: false,
        verdict,
        better_among_all: false,
        blocks: 18,
        repeats: 0,
        score: 0.4,
        low: 0.3,
        high: 0.5,
        elo: -70.0,
        effect: Some(Effect { raw: -70.0, shrunk: -58.0, low: -140.0, high: -5.0, level: 0.9 }),
        delta_elo: Some(70.0),
        alpha: Some(0.05),
        cause,
        pairs: None,
        e_value: 0.1,
        e_value_worse: 25.0,
    }
}

#[test]
fn every_comparison_has_its_sentence_in_elo_and_names_its_cause() {
    let cause = Cause { player: "bare".to_owned(), kind: "illegal".to_owned(), times: 90, of: 18 };
    let lost = finding(Verdict::Worse, Some(cause));
    let undecided = Finding { one: "short".to_owned(), ..finding(Verdict::Undecided, None) };
    let about = About::default();
    let english = sentences::verdicts(&[&undecided, &lost], &about, Language::En);
    assert_eq!(
        english,
        [
            "bare is worse than standard: -58 Elo (90 % interval -140 to -5) from 18 pairs of games. The cause: bare gave \
             answers that do not count (illegal: 90 in 18 games).",
            "Whether short is better than standard is undecided: -58 Elo (90 % interval -140 to -5) from 18 pairs of games.",
        ]
    );
    let chinese = sentences::verdicts(&[&lost], &about, Language::Zh);
    assert_eq!(
        chinese,
        [
            "bare 弱于 standard：-58 Elo（90% 区间 -140 到 -5），依据 18 组配对对局。原因：bare 的回答无效（违规：18 局中 90 次）。"
        ]
    );
}

#[test]
fn programs_get_every_number_of_the_page() {
    let json: serde_json::Value = serde_json::from_str(&report().json()).expect("JSON");
    assert_eq!(json["effects"][0]["effect"]["shrunk"], 70.0);
    let texts = ["findings", "money", "pairs", "seats", "quiz", "languages", "bank", "moves"];
    assert!(texts.iter().all(|table| json[table].get("rows").is_none()), "what people read is no number");
    assert_eq!(json["players"].as_array().map(Vec::len), Some(report().players.len()));
}

#[test]
fn a_failure_is_shown_with_all_that_was_said() {
    for (language, parts) in [
        (Language::En, ["random: illegal (m1, turn 3)", "System prompt", "Question", "Answer", "Refused"]),
        (Language::Zh, ["random：违规（m1，第 3 回合）", "系统提示词", "问题", "回答", "驳回"]),
    ] {
        for text in [report().html(language), report().markdown(language)] {
            let places: Vec<usize> = parts
                .iter()
                .scan(0, |from, part| {
                    *from += text[*from..].find(part).unwrap_or_else(|| panic!("no {part}")) + part.len();
                    Some(*from)
                })
                .collect();
            assert!(places.is_sorted(), "{places:?}");
        }
        assert!(report().html(language).contains("</summary><pre>You play &lt;Cowboy&gt;.</pre>"));
    }
    let json: serde_json::Value = serde_json::from_str(&report().json()).expect("JSON");
    assert_eq!(json["transcripts"][0]["said"][3][1], "dance is no action.");
    assert_eq!(json["bracket"][0]["ties"][0]["decision"], "games");
    assert!(json["fit"]["quality"]["deviance"].is_number() && json["fit"]["pairings"][0]["fitted"]["win"].is_number());
}
