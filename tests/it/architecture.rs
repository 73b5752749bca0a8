//! Who may import whom. The table is the one in the crate docs.

use std::fs;
use std::path::{Path, PathBuf};

/// A module and what it may use of ours.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("settings", &[]),
    ("games", &["settings"]),
    ("matches", &["games"]),
    ("briefs", &["settings", "games", "matches"]),
    ("bots", &["settings", "games"]),
    ("players", &["settings", "games", "bots", "briefs", "matches"]),
    ("store", &["games", "matches"]),
    ("referee", &["games", "matches", "players"]),
    ("tournaments", &["settings", "games", "bots", "matches", "briefs", "players", "referee", "store"]),
    ("arena", &["settings", "games", "matches", "briefs", "players", "store", "referee"]),
    ("mcp", &["settings", "games", "matches", "briefs", "arena"]),
    ("http", &["games", "matches", "briefs", "store", "tournaments", "arena", "mcp"]),
    ("config", &[]),
    (
        "cli",
        &[
            "settings",
            "games",
            "bots",
            "matches",
            "briefs",
            "players",
            "store",
            "referee",
            "tournaments",
            "arena",
            "mcp",
            "http",
            "config",
        ],
    ),
];

/// Outside crates that have one home; templates are of words for players and of reports.
const HOMES: &[(&str, &str)] = &[
    ("minijinja", "src/briefs/ src/tournaments/report/"),
    ("async_openai", "src/players/model/"),
    ("reqwest", "src/players/model/"),
    ("rustls", "src/players/model/"),
    ("sse_stream", "src/players/model/"),
    ("governor", "src/players/model/ src/http/"),
    ("shell_words", "src/players/process/"),
    ("csv", "src/cli/"),
    ("sqlx", "src/store/"),
    ("rmcp", "src/mcp/"),
    ("axum", "src/http/"),
    ("hyper", "src/http/"),
    ("rust_embed", "src/http/"),
    ("clap", "src/cli/"),
    ("crossterm", "src/cli/"),
    ("indicatif", "src/cli/"),
    ("tiktoken_rs", "src/cli/"),
    ("tracing_subscriber", "src/cli/"),
    ("opentelemetry", "src/cli/"),
    ("std::env", "src/config.rs"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    let name = |path: &Path| path.strip_prefix(root).expect("below the root").display().to_string().replace('\\', "/");
    found.iter().map(|path| (name(path), fs::read_to_string(path).expect("readable"))).collect()
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let mut wrong = Vec::new();
    for (name, text) in files() {
        let rest = name.strip_prefix("src/").expect("all are below it");
        let module = rest.split_once('/').map_or_else(|| rest.trim_end_matches(".rs"), |(module, _)| module);
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let (_, allowed) = MAY_IMPORT.iter().find(|(other, _)| *other == module).expect("every module is in the table");
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for (start, _) in code.match_indices("crate::") {
                let used: String = code[start + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                // Whoever is tested may need a ruleset from a file, and bots to play with.
                if name.contains("/tests") && ["settings", "bots"].contains(&used.as_str()) {
                    continue;
                }
                if used != module && !allowed.contains(&used.as_str()) && used.chars().all(char::is_lowercase) {
                    wrong.push(format!("{name}:{}: {module} uses {used}", number + 1));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn outside_crates_have_one_home() {
    let mut wrong = Vec::new();
    for (name, text) in files() {
        for (krate, home) in HOMES {
            let at_home =
                home.split(' ').any(|home| name.starts_with(home)) || name == "src/main.rs" || name.contains("/tests");
            if !at_home
                && text.lines().any(|line| line.split("//").next().unwrap_or("").contains(&format!("{krate}::")))
            {
                wrong.push(format!("{name} uses {krate}, whose home is {home}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_pure_modules_touch_nothing() {
    let mut wrong = Vec::new();
    for (name, text) in files() {
        let pure = ["src/games/", "src/matches/", "src/briefs/"].iter().any(|module| name.starts_with(module));
        if !pure || name.contains("/tests") {
            continue;
        }
        for touch in ["std::fs", "std::time", "std::net", "std::thread", "std::process", "Instant::", "SystemTime"] {
            if text.lines().any(|line| line.split("//").next().unwrap_or("").contains(touch)) {
                wrong.push(format!("{name} touches {touch}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_crate_docs_have_the_table() {
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("readable");
    for (module, allowed) in MAY_IMPORT {
        let row = docs
            .lines()
            .map(|line| line.replace("mod@", ""))
            .find(|line| line.starts_with(&format!("//! | [`{module}`]")))
            .expect("a row a module");
        for other in *allowed {
            assert!(row.contains(&format!("`{other}`")) || row.contains("everything"), "{module}: {other}");
        }
    }
}
