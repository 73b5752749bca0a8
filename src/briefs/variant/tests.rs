use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::briefs::book::files;
use crate::games::{Ruleset, Seed, Table, Viewer};

fn read(text: &str) -> Result<Variant, String> {
    Variant::read("try/mine.toml", text).map_err(|error| error.to_string())
}

/// Files that exist only in a test.
struct Memory(BTreeMap<String, String>);

impl Files for Memory {
    fn read(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "no such file".to_owned())
    }

    fn below(&self, folder: &str) -> Result<Vec<String>, String> {
        let files = self.0.keys().filter_map(|path| path.strip_prefix(&format!("{folder}/")));
        Ok(files.map(ToOwned::to_owned).collect())
    }
}

/// The standard variant with a folder of prompt files.
fn with(files: &[(&str, &str)]) -> Result<Variant, String> {
    let variant = ("try/mine.toml".to_owned(), "base = \"standard\"\nprompts = \"own/\"\n".to_owned());
    let files = files.iter().map(|(path, text)| (format!("try/own/{path}"), (*text).to_owned()));
    Variant::load("try/mine.toml", &Memory(files.chain([variant]).collect())).map_err(|error| error.to_string())
}

/// The text of a built-in prompt file.
fn built_in(path: &str) -> &'static str {
    files().find(|(other, _)| *other == path).expect("it is built in").1
}

fn hash(variant: &Variant) -> String {
    variant.hash(&AnswerBy::ALL, Language::En)
}

#[test]
fn a_variant_stands_on_another_and_is_called_after_its_file() {
    let variant = read("base = \"bare\"\nboard = \"list\"\n").expect("a variant");
    assert_eq!(variant.name(), "mine");
    assert_eq!((variant.style(), variant.shows_legal()), (Style::List, false));
}

#[test]
fn everything_that_is_wrong_with_a_variant_is_named_with_its_place() {
    for (text, problem) in [
        (
            "base = \"fancy\"",
            "try/mine.toml:1:8: `base` must be a built-in variant, not \"fancy\"; available: standard",
        ),
        ("base = \"standard\"\nboards = 1", "try/mine.toml:2:10: unknown key `boards`; allowed here: language, system"),
        ("base = \"standard\"\n[extra]\nfr = \"\"", "try/mine.toml:3:6: unknown key `extra.fr`; allowed here: en, zh"),
        ("base = \"standard\"\nturn = [\n\"sky\"]", "try/mine.toml:3:1: `turn` must be a list, each item \"seat\""),
        ("base = \"standard\"\nturn = [\"ask\", \"ask\"]", "try/mine.toml:2:16: `turn` has \"ask\" twice"),
        ("base = \"standard\"\nturn = []", "try/mine.toml:2:8: `turn` must have a section"),
        ("base = \"standard\"\nsystem = []", "try/mine.toml:2:10: `system` must have a section"),
        (
            "base = \"standard\"\nhistory = 51",
            "try/mine.toml:2:11: `history` must be a whole number from 0 to 50, not 51",
        ),
        ("base = \"standard\"\nhistory = 1", "try/mine.toml:2:11: `history` must be 0, or `turn` must have"),
        ("base = \"scratchpad\"\nhistory = 0", "try/mine.toml:2:11: `history` must be 1 or more"),
        (
            "base = \"standard\"\nlanguage = \"fr\"",
            "try/mine.toml:2:12: `language` must be \"match\", \"en\" or \"zh\"",
        ),
        ("base = \"standard\"\n[extra]\nen = 1", "try/mine.toml:3:6: `extra.en` must be a text of at most 8000"),
        ("base = \"standard\"\n[extra]\nen = \"Go\"", "try/mine.toml:3:6: `extra` must have words in both languages"),
        (
            "base = \"standard\"\nsystem = [\"rules\"]\n[extra]\nen = \"Go\"\nzh = \"走\"",
            "try/mine.toml:4:6: there are words in `extra`, but `system` has no section \"extra\"",
        ),
        ("board = \"grid\"", "try/mine.toml: `language` is missing"),
        ("base = ", "try/mine.toml:1:"),
    ] {
        let said = read(text).expect_err(text);
        assert!(said.contains(problem), "{text}\n{said}");
    }
}

#[test]
fn the_hash_changes_with_every_field_that_changes_what_is_sent() {
    let fields = [
        "",
        "system = [\"rules\", \"extra\"]",
        "system = [\"rules\", \"role\"]",
        "system = [\"role\", \"rules\"]",
        "turn = [\"board\", \"ask\"]",
        "turn = [\"ask\", \"board\"]",
        "board = \"list\"",
        "turn = [\"history\", \"ask\"]\nhistory = 1",
        "turn = [\"history\", \"ask\"]\nhistory = 2",
        "[extra]\nen = \"Win.\"\nzh = \"赢。\"",
        "[extra]\nen = \"Win!\"\nzh = \"赢。\"",
    ];
    let hashes: BTreeSet<String> =
        fields.iter().map(|field| hash(&read(&format!("base = \"standard\"\n{field}")).expect(field))).collect();
    assert_eq!(hashes.len(), fields.len());
}

#[test]
fn the_hash_does_not_change_with_what_is_not_sent() {
    let text = variant_file("standard").expect("it is built in");
    let renamed = Variant::read("other.toml", &format!("# My own.\n\n{text}")).expect("a variant");
    assert_eq!(hash(&renamed), hash(&Variant::default()));
    assert_eq!(hash(&renamed).len(), 32);
    let english = read("base = \"standard\"\nlanguage = \"en\"").expect("a variant");
    assert_eq!(hash(&english), hash(&Variant::default()), "both speak English here");
    let chinese = read("base = \"standard\"\n[extra]\nen = \"Go.\"\nzh = \"赢。\"").expect("a variant");
    let other = read("base = \"standard\"\n[extra]\nen = \"Go.\"\nzh = \"要赢。\"").expect("a variant");
    assert_eq!(hash(&chinese), hash(&other));
    assert_ne!(chinese.hash(&AnswerBy::ALL, Language::Zh), other.hash(&AnswerBy::ALL, Language::Zh));
    let same = with(&[("en/turn.md", built_in("en/turn.md")), ("en/terms.toml", built_in("en/terms.toml"))]);
    assert_eq!(hash(&same.expect("a variant")), hash(&Variant::default()), "the same files in another folder");
    let comment = format!("{{# Mine. #}}{}", built_in("en/role.md"));
    assert_eq!(hash(&with(&[("en/role.md", &comment)]).expect("a variant")), hash(&Variant::default()));
    for file in ["zh/turn.md", "zh/terms.toml", "en/quiz.toml", "en/bots.toml"] {
        let text = built_in(file).replace("。", "！").replace("Plays", "Loves");
        assert_eq!(hash(&with(&[(file, &text)]).expect(file)), hash(&Variant::default()), "{file}");
    }
}

#[test]
fn the_hash_tells_ways_of_asking_and_languages_apart() {
    let standard = Variant::default();
    let hashes: BTreeSet<String> = Language::ALL
        .into_iter()
        .flat_map(|language| AnswerBy::ALL.map(|by| standard.hash(&[by], language)))
        .chain([hash(&standard)])
        .collect();
    assert_eq!(hashes.len(), 7);
}

#[test]
fn the_hash_changes_with_every_file_that_is_sent() {
    let mut hashes: BTreeSet<String> = [hash(&Variant::default())].into();
    let changes: [(&str, &str, &str); 9] = [
        ("en/role.md", "You are player", "You play"),
        ("en/turn.md", "It is your turn.", "Your turn."),
        ("en/refused.md", "Refused:", "No:"),
        ("en/answer.md", "Nothing changes", "Nothing moves"),
        ("en/cowboy.md", "Be the last one alive.", "Stay alive."),
        ("en/cowboy.toml", "does nothing: the turn passes", "waits"),
        ("en/grid-royale.toml", "is shot down", "falls"),
        ("en/terms.toml", "be shorter", "be brief"),
        ("en/tools.toml", "Does your action.", "Acts."),
    ];
    for (file, from, to) in changes {
        assert!(built_in(file).contains(from), "{file}");
        let text = built_in(file).replace(from, to);
        assert!(hashes.insert(hash(&with(&[(file, &text)]).expect(file))), "{file}");
    }
}

#[test]
fn a_variant_speaks_with_its_own_files_and_the_rest_stays() {
    let variant = with(&[
        ("en/role.md", "Hear me, {{ seat }}."),
        ("en/cowboy.toml", "[board]\nstatus = \"Bout {{ round }}.\"\n"),
        ("en/tools.toml", "[tools.play]\nact = \"Go!\"\n[tools.note]\nsaid = \"Heard.\"\n"),
    ]);
    let variant = variant.expect("a variant");
    let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
    let (seat, language) = (Seat::new(0), Language::En);
    let system = variant.system(&ruleset, 2, seat, AnswerBy::Tools, language);
    assert!(system.ends_with("Hear me, A.\n") && system.starts_with("# The rules of cowboy\n"), "{system}");
    let view = Table::open(ruleset, 2, Seed(1)).expect("two can play").view(Viewer::Seat(seat));
    let context = TurnContext { view: &view, seat, since: &[], said: &[], history: &[], notes: None };
    assert!(variant.turn(&context, language).starts_with("You are A. Bout 1.\n"));
    assert!(variant.turn(&context, Language::Zh).contains("第 1 轮"));
    let tools = variant.tools(Offer { legal: false, talk: false, notes: false }, language);
    assert_eq!(tools[1].description, "Go!");
    assert_eq!(variant.tool_note(ToolNote::Said, language), "Heard.");
    assert_ne!(variant, Variant::default());
}

#[test]
fn what_is_wrong_with_a_prompt_file_is_said_before_anybody_plays() {
    for (file, text, problem) in [
        ("en/trun.md", "", "try/mine.toml:2:11: `prompts`: try/own/en/trun.md: replaces no prompt file; there are en/"),
        ("turn.md", "", "try/own/turn.md: replaces no prompt file"),
        ("en/turn.md", "{% if %}", "try/own/en/turn.md: line 1: "),
        ("en/turn.md", "{{ weather }}", "en: `turn.md`: there is no `weather` here"),
        ("en/turn.md", "{{ seat | shout }}", "en: `turn.md`: line 1: unknown filter"),
        ("en/turn.md", "{{ board.wind.speed }}", "en: `turn.md`: line 1: undefined value"),
        ("zh/terms.toml", "said = 1", "try/own/zh/terms.toml: `said` must be a text"),
        ("zh/terms.toml", "sayd = \"\"", "try/own/zh/terms.toml: unknown term `sayd`"),
        ("zh/terms.toml", "[board.standing]", "try/own/zh/terms.toml: `board.standing` must be a text"),
        ("zh/terms.toml", "said =", "try/own/zh/terms.toml: "),
        (
            "en/cowboy.toml",
            "[illegal]\nmove_into_block = \"{{ at.x.y }}\"",
            "en: `cowboy.illegal.move_into_block`: line 1",
        ),
        ("en/paint.toml", "[events]\nbumped = \"{{ seat | s }}\"", "en: `paint.events.bumped`: line 1"),
        ("en/tools.toml", "[tools.note]\nunknown = \"{{ name | s }}\"", "en: `tools.note.unknown`: line 1"),
    ] {
        let said = with(&[(file, text)]).expect_err(file);
        assert!(said.contains(problem), "{file}: {text}\n{said}");
    }
    assert!(read("base = \"standard\"\nprompts = \"own/\"").is_err());
}
