use super::super::ratings::{Options, PlayedBlock, fit};
use super::super::score::{Entrant, Game};
use super::super::verdict::{Settings, Test};
use super::*;

fn report() -> Report {
    let names = ["greedy", "a <b> & \"c\" | with a name that is far too long", "random"];
    let game =
        |one, other, places: [u32; 2]| Game { seats: vec![Entrant(one), Entrant(other)], places: places.to_vec() };
    let blocks: Vec<PlayedBlock> = (0..12)
        .map(|number| {
            let (one, other) = [(0, 1), (1, 2), (0, 2)][number % 3];
            PlayedBlock {
                course: 0,
                games: vec![game(one, other, [1, 2]), game(other, one, [1, 1 + u32::from(number > 5)])],
            }
        })
        .collect();
    let fit = fit(3, &blocks, &Options::default());
    let chances = (0..3).map(|one| {
        let win = |other| fit.chances(Entrant(one), Entrant(other)).expect("both are there").win;
        (0..3).map(win).collect()
    });
    let mut test = Test::new(Settings::new(0.1, 0.05, 0.05).expect("sound"));
    let points = (0..80).map(|block| {
        test.push(if block % 3 == 0 { 0.5 } else { 1.0 });
        test.log_capital()
    });
    let points = points.collect();
    let row = |(at, name): (usize, &&str)| Row {
        name: (*name).to_owned(),
        rated: fit.players[at],
        failures: vec![("illegal".to_owned(), u32::try_from(at).expect("small"))],
        usd_a_game: (at != 2).then_some(0.01),
    };
    Report {
        title: "Round robin".to_owned(),
        verdict: "greedy is better: 62 %, 95 % interval 55 to 69 %.".to_owned(),
        players: names.iter().enumerate().map(row).collect(),
        chances: chances.collect(),
        tests: vec![Course { name: "b against a".to_owned(), verdict: test.verdict(), points, sure: 3.0, safe: 3.0 }],
        quiz: vec![("what a shield stops".to_owned(), vec![(Language::En, 94.0), (Language::Zh, 71.0)])],
        blunders: vec![Blunder { sentences: vec!["Turn 3.".to_owned()], board: "# . A\n. B <".to_owned() }],
        reproduce: vec![("seed".to_owned(), "7".to_owned())],
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
        assert!(!html.contains("NaN") && !html.contains("inf"), "a number is none");
    }
}

#[test]
fn every_tag_is_closed_and_every_name_is_escaped() {
    let html = report().html(Language::En);
    for tag in ["svg", "table", "tr", "td", "th", "section", "figure", "text", "main", "dl", "article", "pre"] {
        let [opened, closed] = [format!("<{tag}"), format!("</{tag}>")].map(|part| html.matches(&part).count());
        // `<th` also begins `<thead`, `<text` nothing else.
        let others = if tag == "th" { html.matches("<thead").count() } else { 0 };
        assert_eq!(opened - others, closed, "{tag}");
    }
    assert!(html.contains("a &lt;b&gt; &amp; &quot;c&quot;") && !html.contains("<b>"));
}

#[test]
fn the_verdict_comes_first_and_all_that_is_known_follows() {
    for (language, headings) in [
        (
            Language::En,
            ["Leaderboard", "Who beats whom", "How the tests went", "Failures", "Quiz by rule", "Worst moves"],
        ),
        (Language::Zh, ["排行榜", "两两对战", "检验过程", "失误统计", "规则问答", "最差的着法"]),
    ] {
        for text in [report().html(language), report().markdown(language)] {
            let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}"));
            let places: Vec<usize> = headings.iter().map(|heading| at(heading)).collect();
            assert!(at("greedy is better") < places[0]);
            assert!(places.is_sorted(), "{places:?}");
        }
    }
}

#[test]
fn an_empty_report_is_a_page_too() {
    let empty = Report {
        title: String::new(),
        verdict: "undecided".to_owned(),
        players: Vec::new(),
        chances: Vec::new(),
        tests: Vec::new(),
        quiz: Vec::new(),
        blunders: Vec::new(),
        reproduce: Vec::new(),
    };
    let html = empty.html(Language::En);
    assert!(html.contains("undecided") && !html.contains("<section"));
    assert!(!empty.markdown(Language::En).contains("##"));
}
