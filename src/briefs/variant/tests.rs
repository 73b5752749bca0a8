use super::*;

fn read(text: &str) -> Result<Variant, String> {
    Variant::read("try/mine.toml", text).map_err(|error| error.to_string())
}

/// The files of both languages, one of them with another text.
fn with(changed: Option<(Language, &str)>) -> Vec<(Language, &'static str, String)> {
    let texts = Language::ALL.into_iter().flat_map(|language| files(language).map(move |file| (language, file)));
    let change = |(language, (name, text)): (Language, (&'static str, &'static str))| {
        let more = if changed == Some((language, name)) { "." } else { "" };
        (language, name, format!("{text}{more}"))
    };
    texts.map(change).collect()
}

fn hash(variant: &Variant, changed: Option<(Language, &str)>) -> String {
    let texts = with(changed);
    variant.content.hash(texts.iter().map(|(language, name, text)| (*language, *name, text.as_str())))
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
        ("base = \"fancy\"", "try/mine.toml:1:8: `base` must be a built-in variant, not \"fancy\"; there are standard"),
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
fn the_hash_changes_with_every_field() {
    let fields = [
        "",
        "language = \"en\"",
        "system = [\"rules\", \"extra\"]",
        "system = [\"extra\", \"rules\"]",
        "turn = [\"board\", \"ask\"]",
        "turn = [\"ask\", \"board\"]",
        "board = \"list\"",
        "turn = [\"history\", \"ask\"]\nhistory = 1",
        "turn = [\"history\", \"ask\"]\nhistory = 2",
        "[extra]\nen = \"Win.\"\nzh = \"赢。\"",
        "[extra]\nen = \"Win.\"\nzh = \"要赢。\"",
        "[extra]\nen = \"Win!\"\nzh = \"赢。\"",
    ];
    let hashes: std::collections::BTreeSet<String> =
        fields.iter().map(|field| read(&format!("base = \"standard\"\n{field}")).expect(field).hash()).collect();
    assert_eq!(hashes.len(), fields.len());
}

#[test]
fn the_hash_changes_with_every_text_that_is_used_and_with_no_other() {
    let standard = Variant::default();
    let english = read("base = \"standard\"\nlanguage = \"en\"\nsystem = [\"role\"]").expect("a variant");
    for (language, name, _) in with(None) {
        let changed = Some((language, name));
        assert_ne!(hash(&standard, None), hash(&standard, changed), "{language}/{name}");
        let used = !name.starts_with("brief") && name != "answer.md";
        assert_eq!(hash(&english, None) != hash(&english, changed), used, "{language}/{name}");
    }
    assert_eq!(standard.hash(), hash(&standard, None));
}

#[test]
fn the_hash_does_not_change_with_what_is_not_sent() {
    let text = variant_file("standard").expect("it is built in");
    let renamed = Variant::read("other.toml", &format!("# My own.\n\n{text}")).expect("a variant");
    assert_eq!(renamed.hash(), Variant::default().hash());
    assert_eq!(renamed.hash().len(), 32);
}

#[test]
fn a_variant_of_one_language_does_not_hang_on_the_words_of_the_other() {
    let english = read("base = \"standard\"\nlanguage = \"en\"").expect("a variant");
    let texts = with(Some((Language::Zh, "turn.md")));
    let of_english = texts.iter().filter(|(language, ..)| *language == Language::En);
    assert_eq!(
        english.hash(),
        english.content.hash(of_english.map(|(language, name, text)| (*language, *name, text.as_str())))
    );
    assert_eq!(english.language(Language::Zh), Language::En);
    assert_eq!(Variant::default().language(Language::Zh), Language::Zh);
}
