//! Every text that people and models read keeps to the terms of `prompts/glossary.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
struct Glossary {
    term: Vec<Term>,
}

#[derive(Deserialize)]
struct Term {
    en: String,
    zh: String,
    #[serde(default)]
    instead_of: Vec<String>,
}

/// Where texts stand: folders with the endings of files that hold them.
const TEXTS: &[(&str, &[&str])] = &[
    ("prompts/en", &["md", "toml"]),
    ("prompts/zh", &["md", "toml"]),
    ("prompts/variants", &["toml"]),
    ("rulesets", &["toml"]),
    ("docs", &["md"]),
    ("src/cli", &["rs", "toml"]),
    ("src/http", &["rs", "js", "html"]),
    ("src/mcp", &["rs", "html"]),
    ("src/tournaments/report", &["rs", "html", "md"]),
];

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
}

#[test]
fn texts_keep_to_the_terms_of_the_glossary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let glossary = fs::read_to_string(root.join("prompts/glossary.toml")).expect("readable");
    let glossary: Glossary = toml::from_str(&glossary).expect("a glossary");
    let mut found = vec![root.join("README.md")];
    for (folder, endings) in TEXTS {
        files(&root.join(folder), endings, &mut found);
    }
    assert!(found.len() > 100, "{}", found.len());
    let mut wrong = Vec::new();
    for path in found {
        let text = fs::read_to_string(&path).expect("text");
        for (number, line) in text.lines().enumerate() {
            for Term { en, zh, instead_of } in &glossary.term {
                for word in instead_of.iter().filter(|word| line.contains(word.as_str())) {
                    let path = path.strip_prefix(root).expect("below").display();
                    wrong.push(format!("{path}:{}: `{word}`; the term is `{en}`, `{zh}`", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
