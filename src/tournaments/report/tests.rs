use super::super::experiment::WealthPath;
use super::super::ratings::{FitOptions, PlayedBlock, fit};
use super::super::schedule::{Format, Next, Schedule, Setup};
use super::super::score::{Entrant, GameResult};
use super::super::verdict::{Test, TestSettings};
use super::words::Word;
use super::*;
use crate::games::Seed;

fn bracket() -> Bracket {
    let setup = Setup { format: Format::Knockout, entrants: 5, seats: 2, courses: 1, blocks: 1, seed: Seed(1) };
    let mut schedule = Schedule::new(setup).expect("sound");
    for _ in 0..40 {
        match schedule.next() {
            Next::Play(block) => schedule.finish(block.number, vec![1.0, 0.0]),
            Next::Wait | Next::Over => break,
        }
    }
    schedule.bracket().expect("a knockout")
}

fn report() -> Report {
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
        quality: Some((81.0, 6.5)),
        quiz: Some(75.0),
    };
    let table = |word: &str| ReportTable {
        note: format!("about {word}"),
        head: vec!["what".to_owned(), word.to_owned()],
        rows: vec![vec!["<i>".to_owned(), "71 %".to_owned()]],
    };
    let curve = Curve {
        match_id: "m1".to_owned(),
        seats: vec![
            ("A greedy".to_owned(), vec![(1, 0.5), (3, 0.8)]),
            ("B <b>".to_owned(), vec![(2, 0.4), (4, 0.1)]),
            ("C nobody".to_owned(), Vec::new()),
        ],
    };
    Report {
        title: "Round robin".to_owned(),
        verdict: "greedy is better: 62 %, 95 % interval 55 to 69 %.".to_owned(),
        remarks: vec!["The noise: nothing.".to_owned()],
        findings: Some(table("findings")),
        players: names.iter().enumerate().map(row).collect(),
        chances: chances.collect(),
        bracket: Some((bracket(), vec!["one & only".to_owned()])),
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
        curves: vec![curve],
        blunders: vec![
            Blunder {
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
    }
}

#[test]
fn a_page_needs_nothing_but_itself() {
    for language in Language::ALL {
        let html = report().html(language);
        for outside in ["http://", "https://", "<script", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("prefers-color-scheme: dark") && html.contains("@media print"));
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
        Word::Leaderboard,
        Word::Matrix,
        Word::Bracket,
        Word::Course,
        Word::Failures,
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
    let html = report().html(Language::Zh);
    assert!(html.contains("决赛") && html.contains("半决赛") && html.contains("8 强"), "the rounds have names");
    assert!(html.contains("label won\"") && html.contains("one &amp; only"));
}

#[test]
fn an_empty_report_is_a_page_too() {
    let empty = Report { verdict: "undecided".to_owned(), ..Report::default() };
    let html = empty.html(Language::En);
    assert!(html.contains("undecided") && !html.contains("<section"));
    assert!(!empty.markdown(Language::En).contains("##"));
}
