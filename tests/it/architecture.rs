//! Who may import whom. The table is the one in the crate docs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A module and what it may use of ours.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("settings", &[]),
    ("games", &["settings"]),
    ("matches", &["games"]),
    ("briefs", &["settings", "games", "matches"]),
    ("pictures", &["games", "matches", "briefs"]),
    ("bots", &["settings", "games"]),
    ("players", &["settings", "games", "bots", "briefs", "matches"]),
    ("store", &["games", "matches"]),
    ("referee", &["games", "matches", "players"]),
    ("tournaments", &["settings", "games", "bots", "matches", "briefs", "players", "referee", "store"]),
    ("arena", &["settings", "games", "matches", "briefs", "players", "store", "referee"]),
    ("mcp", &["settings", "games", "matches", "briefs", "arena"]),
    ("http", &["games", "matches", "briefs", "pictures", "store", "tournaments", "arena", "mcp"]),
    ("config", &[]),
    (
        "cli",
        &[
            "settings",
            "games",
            "bots",
            "matches",
            "briefs",
            "pictures",
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
    ("reqwest", "src/players/model/ src/http/oauth.rs src/arena/elsewhere.rs src/mcp/elsewhere.rs"),
    ("rustls", "src/players/model/ src/arena/elsewhere.rs"),
    ("sse_stream", "src/players/model/"),
    ("governor", "src/players/model/ src/http/"),
    ("shell_words", "src/players/process/"),
    ("resvg", "src/pictures/"),
    ("gif", "src/pictures/"),
    ("csv", "src/cli/"),
    ("sqlx", "src/store/"),
    ("rmcp", "src/mcp/ src/players/agent/"),
    ("axum", "src/http/ src/mcp/over_http.rs"),
    ("hyper", "src/http/"),
    ("rust_embed", "src/http/ src/tournaments/bank/"),
    ("clap", "src/cli/"),
    ("crossterm", "src/cli/"),
    ("indicatif", "src/cli/"),
    ("tiktoken_rs", "src/cli/"),
    ("tracing_subscriber", "src/cli/"),
    ("opentelemetry", "src/cli/"),
    ("std::env", "src/config.rs"),
];

fn files_of(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files_of(&path, endings, found);
        } else if path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending)) {
            found.push(path);
        }
    }
}

fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files_of(&root.join("src"), &["rs"], &mut found);
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

/// So many files beside a game's folder may name the game: the list of games and two more.
const MAX_NAMING: usize = 3;

/// The games: the folders of `src/games` that are modules.
fn games() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    let entries = fs::read_dir(folder).expect("the games are there").map(|entry| entry.expect("readable").path());
    let games: Vec<String> = entries
        .filter(|path| path.join("mod.rs").exists())
        .map(|path| path.file_name().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    assert!(games.len() >= 3, "{games:?}");
    games
}

/// A source text without what may name a game: comments, help texts and the tests at the end of a file.
fn without_prose(name: &str, text: &str) -> String {
    let is_rust = Path::new(name).extension().is_some_and(|extension| extension == "rs");
    let text = if is_rust { text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text) } else { text };
    let mut kept = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let comment =
            [("//", "\n"), ("/*", "*/"), ("<!--", "-->")].into_iter().find(|(open, _)| rest.starts_with(open));
        let length = if let Some((_, close)) = comment {
            let length = rest.find(close).map_or(rest.len(), |at| at + close.len());
            kept.push('\n');
            length
        } else if let Some(length) = literal(rest, is_rust) {
            let is_help = ["after_help = ", "long_about = ", "about = "].iter().any(|key| kept.ends_with(key));
            kept.push_str(if is_help { "\"\"" } else { &rest[..length] });
            length
        } else {
            kept.push(first);
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    kept
}

/// How long the string literal is that a text begins with.
fn literal(text: &str, is_rust: bool) -> Option<usize> {
    let raw = text.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len());
    if let Some(hashes) = raw.filter(|hashes| is_rust && text[1 + hashes..].starts_with('"')) {
        let close = format!("\"{}", "#".repeat(hashes));
        let from = hashes + 2;
        return text[from..].find(&close).map(|at| from + at + close.len());
    }
    let quotes: &[char] = if is_rust { &['"'] } else { &['"', '\'', '`'] };
    // A quotation mark alone is a character of Rust, not the beginning of a text.
    if is_rust && text.starts_with("'\"'") {
        return Some(3);
    }
    let quote = text.chars().next().filter(|first| quotes.contains(first))?;
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let is_end = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    });
    end.map(|(at, _)| at + 1)
}

/// The words of a text in small letters; `snake_case`, `camelCase` and `kebab-case` are several.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|run| {
        let mut words: Vec<String> = vec![String::new()];
        let mut before = 'A';
        for c in run.chars() {
            if c.is_ascii_uppercase() && !before.is_ascii_uppercase() {
                words.push(String::new());
            }
            words.last_mut().expect("it has one").push(c.to_ascii_lowercase());
            before = c;
        }
        words
    })
}

fn names_a_game(name: &str, text: &str, games: &[String]) -> bool {
    words(&without_prose(name, text)).any(|word| games.contains(&word))
}

#[test]
fn what_names_a_game_is_told_from_what_does_not() {
    let games = ["cowboy".to_owned(), "paint".to_owned()];
    for text in [
        "use crate::games::cowboy;",
        "Position::Paint(game)",
        "let cowboy_hp = 1;",
        "let name = \"grid//cowboy-duel\";",
        "r#\"the \"paint\" of it\"#",
        "let quote = '\"'; let game = cowboy; // \"",
    ] {
        assert!(names_a_game("a.rs", text, &games), "{text}");
    }
    for text in [
        "// cowboy",
        "let x = 1; /* paint\n paint */",
        "//! [`cowboy`]",
        "let painted = paints; // paint",
        "#[command(after_help = \"standoff play \\\"cowboy\\\"\n  --ruleset paint\")]",
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use cowboy;\n}",
        "let url = \"https://\"; // cowboy",
    ] {
        assert!(!names_a_game("a.rs", text, &games), "{text}");
    }
    assert!(names_a_game("a.js", "const url = 'http://'; play('cowboy')", &games));
    assert!(names_a_game("a.css", ".paint-letter { opacity: 1 }", &games));
    assert!(!names_a_game("a.html", "<p>It's a board<!-- cowboy --></p>", &games));
}

#[test]
fn games_are_named_in_their_folders() {
    let games = games();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "src/http/page", "src/mcp/app"] {
        let endings: &[&str] = if folder == "src" { &["rs"] } else { &["js", "html", "css"] };
        files_of(&root.join(folder), endings, &mut found);
    }
    let mut naming = Vec::new();
    for path in found {
        let name = path.strip_prefix(root).expect("below the root").display().to_string().replace('\\', "/");
        let at_home = games.iter().any(|game| name.starts_with(&format!("src/games/{game}/")));
        let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
        if !at_home && !is_test && names_a_game(&name, &fs::read_to_string(&path).expect("readable"), &games) {
            naming.push(name);
        }
    }
    naming.sort();
    assert!(naming.contains(&"src/games/mod.rs".to_owned()), "the list of games names them");
    assert!(naming.len() <= MAX_NAMING, "{} files name a single game:\n{}", naming.len(), naming.join("\n"));
}

/// Words so vague that each may name one type at most. What a game calls its own (`cowboy::State`, `paint::State`) is
/// one thing: its form of what [`standoff::games::State`] is for all games.
const VAGUE: &[&str] = &[
    "Answer", "Answered", "Asked", "Chair", "Check", "Count", "Deed", "Drawn", "Entry", "Estimate", "Export",
    "Finding", "Found", "Guest", "Heard", "Job", "Kind", "Known", "Limits", "Line", "Manner", "Mark", "Message",
    "Mine", "Named", "Note", "Nothing", "Options", "Outcome", "Page", "Place", "Placed", "Plan", "Played", "Problem",
    "Reply", "Report", "Request", "Row", "Said", "Seated", "Seen", "Settings", "Spot", "Standing", "Started", "State",
    "Status", "Step", "Summary", "Verdict", "Wanted", "Which", "Who", "Wish",
];

/// Words of our own where the field has one: no type is called so.
const OURS: &[&str] = &[
    "Crew", "Desk", "Errand", "Hall", "Kept", "Office", "Shelf", "Sitting", "Stirs", "Together", "Told", "Tray",
    "Unsent",
];

/// The types that a source text declares.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter_map(|line| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let is_keyword = |word: &str| ["struct", "enum", "trait", "type"].contains(&word);
        // An associated type is the trait's word for it, and stands indented in the trait and whoever implements it.
        let is_item = !line.trim_start().starts_with("type ") || !line.starts_with(' ');
        words.find(|&word| is_keyword(word)).and_then(|_| words.next()).filter(|_| is_item)
    })
}

#[test]
fn declarations_are_found() {
    let text = "/// A struct Kind.\npub(super) struct Kind<T> {\n    type Err = ();\n}\ntype State = u8;\nenum Line {";
    assert_eq!(declared(text).collect::<Vec<_>>(), ["Kind", "State", "Line"]);
}

#[test]
fn a_vague_word_names_one_type() {
    let games = games();
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in files() {
        let is_of_a_game = games.iter().any(|game| name.starts_with(&format!("src/games/{game}/")));
        for word in declared(&text).filter(|word| OURS.contains(word) || VAGUE.contains(word) && !is_of_a_game) {
            homes.entry(word.to_owned()).or_default().push(name.clone());
        }
    }
    homes.retain(|word, homes| homes.len() > 1 || OURS.contains(&word.as_str()));
    assert_eq!(homes, BTreeMap::new(), "call each by what it is");
}

/// No more docs than this have one or two words. Those that are left name what they stand for, or are part of a
/// schema that models are sent.
const MAX_SHORT_DOCS: usize = 30;

/// The docs of a source text, each as one line, headings and what follows them aside.
fn docs(text: &str) -> Vec<String> {
    let mut docs = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let doc = docs.last_mut().expect("one at the least");
        match line.strip_prefix("///").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            Some(prose) => *doc = format!("{doc}{prose}"),
            None if doc.is_empty() => {}
            None => docs.push(String::new()),
        }
    }
    let first = |doc: &String| doc.split(" # ").next().unwrap_or_default().trim().to_owned();
    docs.iter().filter(|doc| !doc.is_empty()).map(first).collect()
}

#[test]
fn docs_say_more_than_a_word_or_two() {
    let text = "/// One two\n/// three.\n///\n/// # Errors\n/// Never.\nfn f() {}\n    /// Which.\n";
    assert_eq!(docs(text), ["One two three.", "Which."]);
    let all = files().into_iter().flat_map(|(name, text)| docs(&text).into_iter().map(move |doc| (name.clone(), doc)));
    let short: Vec<_> = all.filter(|(_, doc)| doc.split_whitespace().count() < 3).collect();
    assert!(short.len() <= MAX_SHORT_DOCS, "{} docs say too little: {short:#?}", short.len());
}

#[test]
fn the_glossary_has_words_that_are_used() {
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("readable");
    let (_, glossary) = docs.split_once("//! # Glossary").expect("there is one");
    let (glossary, _) = glossary.split_once("//! # ").expect("more follows");
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").next()).skip(1);
    let code: Vec<String> =
        files().into_iter().filter(|(name, _)| name != "src/lib.rs").map(|(_, text)| text.to_lowercase()).collect();
    let unused: Vec<&str> =
        rows.filter(|word| !code.iter().any(|text| text.contains(&word.replace('-', "_")))).collect();
    assert_eq!(unused, Vec::<&str>::new());
}
