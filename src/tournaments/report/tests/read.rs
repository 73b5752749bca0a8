//! Reports of made-up sources: what is drawn, counted and said of them.

use std::sync::LazyLock;

use super::super::super::experiment::{
    AnswerCost, ContenderInfo, ErrorBudget, GateFindings, QuizFound, QuizGate, QuizRow, RuleGrade,
};
use super::super::super::leaderboard::{Forfeits, Leaderboard};
use super::super::super::moves::{Moves, PlayerMoves, Worst};
use super::super::super::quiz::Grade;
use super::super::super::tally::{CountedGame, Tally};
use super::*;
use crate::bots::BotSpec;
use crate::briefs::board;
use crate::games::{Seat, Viewer};
use crate::matches::{Fault, Identity, Log, Match, Replay};

const PLAYERS: [&str; 2] = ["still/bare/en", "still/standard/en"];

/// Six blocks of two games each of the two, all won by the second.
static BOARD: LazyLock<Leaderboard> = LazyLock::new(|| {
    let who = PLAYERS.map(|name| Identity::configured(name, true));
    let game = |seats: [usize; 2]| CountedGame {
        players: seats.map(|seat| who[seat].clone()).to_vec(),
        places: seats.map(|seat| [2, 1][seat]).to_vec(),
        is_forfeit: false,
    };
    let mut tally = Tally::default();
    tally.count("cowboy", "cowboy", &[game([0, 1]), game([1, 0])], 6);
    Leaderboard::of_tally(&tally, None, Forfeits::Counted)
});

/// These games; where the first lost turns, all of them ended by its forfeit.
fn sources(lapses: &[(Fault, u32)]) -> Sources {
    let mut board = BOARD.clone();
    if !lapses.is_empty() {
        board.forfeits = board.games;
        let row = board.players.iter_mut().find(|row| row.name == PLAYERS[0]).expect("it played");
        row.summary.lapses = lapses.iter().copied().collect();
    }
    Sources::of("title", board, "standoff leaderboard")
}

fn told(sources: &Sources, language: Language) -> Report {
    Report::of(sources, language, &|_, _| String::new())
}

/// A game of two bots.
fn record(ruleset: &str) -> String {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("built in"));
    let names = vec!["greedy".to_owned(), "random".to_owned()];
    let (mut game, header) = Match::open("m1", ruleset, Seed(3), names).expect("two");
    let mut bots = ["greedy", "random"].map(|name| name.parse::<BotSpec>().expect("a bot").seat(Seed(3)));
    let mut log = Log::new(Vec::new());
    log.write(&header).expect("memory");
    while game.table().outcome().is_none() && game.table().turn() < 6 {
        for seat in game.awaiting().iter().collect::<Vec<_>>() {
            let view = game.table().view(Viewer::Seat(seat));
            let action = bots[seat.index()].choose(&view, seat).expect("it is to act");
            for line in game.submit(seat, &action.to_string()).expect("bots play by the rules") {
                log.write(&line).expect("memory");
            }
        }
    }
    String::from_utf8(log.into_inner()).expect("JSON is UTF-8")
}

#[test]
fn the_worst_move_of_a_game_in_fog_is_shown_with_all_that_was_there() {
    let record = || Replay::read(record("grid-royale-fog").as_bytes()).expect("it was just written");
    let worst = Worst {
        match_id: "m1".to_owned(),
        turn: 4,
        seat: Seat::new(0),
        player: "greedy".to_owned(),
        loss: 0.3,
        en: vec!["A sentence.".to_owned()],
        zh: vec!["一句话。".to_owned()],
    };
    let table = &record().turns[2].table;
    for language in Language::ALL {
        let expected = board(&table.view(Viewer::After), language);
        assert_ne!(expected, board(&table.view(Viewer::Public), language), "fog hides something");
        let moves = Moves { worst: vec![worst.clone()], ..Moves::default() };
        let sources = Sources { moves: Some(moves), records: vec![record()], ..sources(&[]) };
        assert_eq!(told(&sources, language).blunders[0].board, expected);
    }
}

#[test]
fn that_games_were_forfeited_is_said_at_the_top_with_what_went_wrong() {
    let lost = sources(&[(Fault::Illegal, 30), (Fault::TooSlow, 6)]);
    let english = told(&lost, Language::En).remarks;
    let expected = "12 of 12 games ended by forfeit (turns lost: 30 illegal, 6 too slow).";
    assert!(english.iter().any(|remark| remark == expected), "{english:?}");
    let chinese = told(&lost, Language::Zh).remarks;
    let expected = "12 局中有 12 局以判负告终（失误回合：违规 30、超时 6）。";
    assert!(chinese.iter().any(|remark| remark == expected), "{chinese:?}");
    let remarks = told(&sources(&[]), Language::En).remarks;
    assert!(!remarks.iter().any(|remark| remark.contains("forfeit")), "{remarks:?}");
}

/// What the two answered about one rule: an item each.
fn quiz(answers: [&str; 2]) -> QuizFound {
    let row = |(name, items): (&str, &str)| {
        let times = |mark: char| u32::try_from(items.chars().filter(|&it| it == mark).count()).expect("few");
        let (right, unclear) = (times('1'), times('?'));
        let grade = Grade { asked: times('0') + right + unclear, right, unclear, ..Grade::default() };
        QuizRow {
            who: ContenderInfo {
                player: name.to_owned(),
                model: Some("still".to_owned()),
                variant: name.split('/').nth(1).map(str::to_owned),
                language: Some(Language::En),
                twin: false,
            },
            course: "cowboy".to_owned(),
            rules: vec![RuleGrade { rule: "hp".to_owned(), grade, items: items.to_owned() }],
            unclear: Vec::new(),
            bill: AnswerCost::default(),
        }
    };
    QuizFound {
        version: 1,
        made: QuizGate { per_rule: 4, seed: Seed(1), eliminates: false },
        rows: PLAYERS.into_iter().zip(answers).map(row).collect(),
        told: GateFindings::default(),
        not_asked: Vec::new(),
    }
}

#[test]
fn answers_to_the_quiz_that_cannot_be_read_are_not_wrong_and_are_counted() {
    let asked = Sources { quiz: Some(quiz(["11??-", "1100-"])), ..sources(&[]) };
    let report = told(&asked, Language::En);
    let share = |name: &str| report.players.iter().find(|row| row.name == name).and_then(|row| row.quiz);
    assert_eq!((share(PLAYERS[0]), share(PLAYERS[1])), (Some(100.0), Some(50.0)));
    let rows = report.quiz.as_ref().expect("a table").rows.clone();
    assert_eq!(rows[0][1..], ["100 %".to_owned(), "50 %".to_owned()]);
    assert_eq!(rows[1][1..], ["100 %".to_owned(), "50 %".to_owned()], "all rules");
    assert_eq!(rows[2], ["unreadable".to_owned(), "2 of 4".to_owned(), "0 of 4".to_owned()]);
    assert!(report.remarks.contains(&"2 of 8 quiz answers could not be read.".to_owned()), "{:?}", report.remarks);
    let chinese = told(&asked, Language::Zh).remarks;
    assert!(chinese.contains(&"8 个测验回答中有 2 个无法识别。".to_owned()), "{chinese:?}");
    let mumbled = Sources { quiz: Some(quiz(["????", "1100"])), ..sources(&[]) };
    let report = told(&mumbled, Language::En);
    assert_eq!(report.quiz.expect("a table").rows[0][1], "–", "nobody knows");
    assert_eq!(report.players.iter().find(|row| row.name == PLAYERS[0]).and_then(|row| row.quiz), None);
}

/// An experiment of whose games so much is known.
fn experiment(findings: Vec<Finding>) -> Sources {
    let questions = findings.len() as u64;
    let errors = ErrorBudget { alpha: 0.05, beta: 0.1, questions, over_all: 0.05 };
    let games = GateFindings { findings, errors: Some(errors), ..GateFindings::default() };
    let settings = Errors { delta: 0.099_396_7, alpha: 0.05, beta: 0.1 };
    let about = About { settings, gates: vec![Gate::Games], ..About::default() };
    Sources { about: Some(about), games: Some(games), ..sources(&[]) }
}

#[test]
fn repeats_and_distinct_games_are_shown_and_every_number_is_one_for_programs() {
    let repeated = Finding { blocks: 23, repeats: 2, ..finding(Verdict::Undecided, None) };
    let counts = GameNumbers { games: 50, told_apart: 50, distinct: 46, ..GameNumbers::default() };
    let kept = Sources {
        counts,
        quiz: Some(quiz(["11??", "1100"])),
        moves: Some(Moves {
            players: vec![PlayerMoves {
                player: PLAYERS[0].to_owned(),
                total: MoveTotal { decisions: 12, mistakes: 3, ..MoveTotal::default() },
            }],
            ..Moves::default()
        }),
        ..experiment(vec![repeated])
    };
    for (language, items, few) in
        [(Language::En, "23 (2 repeats)", "(few decisions)"), (Language::Zh, "23（另有 2 组重复）", "（决策太少）")]
    {
        let report = told(&kept, language);
        let table = report.findings.as_ref().expect("a table");
        assert!(table.rows[0].iter().any(|cell| cell == items), "{:?}", table.rows);
        let moves = &report.moves.as_ref().expect("a table").rows[0];
        assert!(moves[0].contains(few), "{moves:?}");
        let details = tables::details(&report, language).expect("a table");
        assert!(details.rows.iter().any(|row| row.contains(&"12".to_owned()) && row.contains(&"3".to_owned())));
        let json: serde_json::Value = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(json["games"]["distinct"], 46);
        assert_eq!((&json["findings"][0]["repeats"], &json["findings"][0]["score"]), (&2.into(), &0.4.into()));
        assert_eq!(json["quiz"][0]["percent"], 100.0);
        assert_eq!((&json["quiz"][0]["unclear"], &json["moves"]["players"][0]["few"]), (&2.into(), &true.into()));
        assert_eq!(json["errors"]["games"]["questions"], 1);
        assert!((json["asked"]["delta_elo"].as_f64().expect("a number") - 70.0).abs() < 0.1);
    }
}

#[test]
fn what_was_asked_is_said_in_elo_with_the_budget_of_errors() {
    let better = Finding { better_among_all: true, ..finding(Verdict::Better, None) };
    let other = Finding { one: "short".to_owned(), ..finding(Verdict::Undecided, None) };
    let kept = experiment(vec![better.clone(), other]);
    let asked = |language| {
        told(&kept, language).reproduce.into_iter().find(|(_, value)| value.starts_with("δ")).expect("a fact").1
    };
    assert_eq!(
        asked(Language::En),
        "δ = 70 Elo (0.099 in score of games); α = 0.05 a side and gate, shared equally by the questions of the gate \
         (questions: 2 of the games); a false “better” over all: 0.05 at the most; β = 0.1 a question and side"
    );
    assert!(asked(Language::Zh).starts_with("δ = 70 Elo（对局得分率 0.099）；每关每侧 α = 0.05"));
    let verdict = |kept: &Sources, language| told(kept, language).verdicts[0].clone();
    assert!(verdict(&kept, Language::En).ends_with(" That holds also among all 2 questions."));
    assert!(verdict(&kept, Language::Zh).ends_with("在全部 2 个问题中同样成立。"));
    assert!(!verdict(&experiment(vec![better]), Language::En).contains("among all"), "there is but one");
}

#[test]
fn of_what_nobody_answered_nothing_is_said_and_nothing_drawn() {
    let effect = Effect { raw: 0.0, shrunk: 0.0, low: -1200.0, high: 1200.0, level: 0.9 };
    let silent = Finding { blocks: 0, effect: Some(effect), ..finding(Verdict::Undecided, None) };
    let open = Finding { one: "short".to_owned(), blocks: 2, ..silent.clone() };
    let kept = experiment(vec![silent, open]);
    let report = told(&kept, Language::En);
    assert_eq!(report.effects.len(), 1);
    assert_eq!(
        report.verdicts,
        [
            "Whether bare is better than standard is undecided: nothing can be said yet from 0 pairs of games.",
            "Whether short is better than standard is undecided: nothing can be said yet from 2 pairs of games."
        ]
    );
    for text in [report.html(Language::En), report.markdown(Language::En), told(&kept, Language::Zh).html(Language::Zh)]
    {
        assert!(!text.contains("1200"), "an open end is no figure");
    }
}

#[test]
fn whom_the_quiz_finds_worse_without_leaving_it_out_is_warned_of() {
    let worse = Finding { gate: Gate::Quiz, ..finding(Verdict::Worse, None) };
    let told_so = GateFindings { findings: vec![worse], ..GateFindings::default() };
    let asked = QuizFound { told: told_so, ..quiz(["1100", "1111"]) };
    let about = Some(About { gates: vec![Gate::Quiz, Gate::Games], ..About::default() });
    let kept = Sources { about, quiz: Some(asked.clone()), ..sources(&[]) };
    let remarks = |kept: &Sources, language| told(kept, language).remarks.join("\n");
    let said = remarks(&kept, Language::En);
    assert!(said.contains("Careful: in the quiz bare knows the rules worse than standard (-58 Elo"), "{said}");
    assert!(!said.contains("went no further"), "{said}");
    assert!(remarks(&kept, Language::Zh).contains("注意：规则测验中，bare 对规则的掌握不如 standard"));
    let strict = QuizFound { made: QuizGate { eliminates: true, ..asked.made }, ..asked };
    let said = remarks(&Sources { quiz: Some(strict), ..kept }, Language::En);
    assert!(said.contains("went no further than the quiz") && !said.contains("Careful"), "{said}");
}

#[test]
fn ratings_that_nothing_could_contradict_are_not_said_to_fit() {
    let quality = sources(&[]).board.quality;
    assert_eq!(quality.degrees, 0, "{quality:?}");
    let said = tables::fit(&quality, Language::En);
    assert!(
        said.starts_with("Whether the ratings fit what happened cannot be told") && !said.contains("-0.0"),
        "{said}"
    );
    assert!(tables::fit(&quality, Language::Zh).starts_with("这些对局不足以判断"));
}

#[test]
fn a_report_that_is_served_leads_to_the_matches_and_to_its_own_sections() {
    let plain = report().html(Language::En);
    assert!(!plain.contains("href=\"../"), "a file has no page beside it");
    for language in Language::ALL {
        let html = Report { match_pages: Some("../m/".to_owned()), ..report() }.html(language);
        for link in ["../m/m1/turn/3\"", "../m/m1\""] {
            assert!(html.contains(link), "{link}");
        }
        let (contents, _) = html.split_once("</nav>").expect("a line of contents");
        let links: Vec<&str> = contents.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.len() > 10 && links.contains(&"findings") && links.contains(&"blunders"), "{links:?}");
        assert!(links.iter().all(|id| html.matches(&format!("<section id=\"{id}\">")).count() == 1), "{links:?}");
    }
}
