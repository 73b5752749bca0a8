//! Links between the project's own documents.

use std::fs;
use std::path::{Path, PathBuf};

use standoff::games::library;

/// Where the links of a Markdown text lead, without their anchors.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter_map(|link| link.split('#').next())
}

#[test]
fn links_lead_to_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let markdown = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
    };
    let pages = [markdown(root), markdown(&root.join("docs"))].concat();
    let mut links = 0;
    let mut dead = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).expect("text");
        for target in targets(&text).filter(|target| !target.is_empty() && !target.contains(':')) {
            links += 1;
            if !page.with_file_name(target).exists() {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(links > 20, "{links} links in {} pages", pages.len());
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn the_ladder_has_a_section_for_every_ruleset() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ladder.md")).expect("text");
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    for name in library::rulesets() {
        assert!(
            sections.contains(&name),
            "docs/ladder.md has nothing of {name}: standoff bots --ladder > docs/ladder.md"
        );
    }
}
