//! What to put into an assistant's configuration.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::error::Failure;
use super::mcp::Host;
use crate::config::Environment;

/// How an assistant reaches the games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// By running this program with these arguments.
    Program { path: String, args: Vec<String> },
    /// At an address, with these headers.
    Address { url: String, headers: Vec<(String, String)> },
}

/// What an assistant wants to be told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Snippet {
    /// A member of a JSON file, under this key.
    Json { key: &'static str, server: Json },
    /// Lines of another kind of file.
    Lines(String),
    /// A command that does it.
    Command(Vec<String>),
}

/// The path of this program.
pub(super) fn program() -> Result<String, Failure> {
    let path = Environment::of_process()
        .program()
        .map_err(|error| Failure::work(format!("cannot find out where this program is: {error}")))?;
    Ok(path.display().to_string())
}

impl Snippet {
    /// As it is pasted.
    pub(super) fn text(&self) -> String {
        match self {
            Snippet::Json { key, server } => format!("{:#}\n", json!({ *key: { "standoff": server } })),
            Snippet::Lines(lines) => lines.clone(),
            Snippet::Command(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                format!("{}\n", words.join(" "))
            }
        }
    }
}

/// The snippet for an assistant.
pub(super) fn snippet(host: Host, reach: &Reach) -> Snippet {
    let json = |key, server| Snippet::Json { key, server };
    match (host, reach) {
        (Host::Codex, Reach::Program { path, args }) => {
            Snippet::Lines(format!("[mcp_servers.standoff]\ncommand = {}\nargs = {}\n", json!(path), json!(args)))
        }
        (Host::ClaudeCode, Reach::Program { path, args }) => {
            let add = ["claude", "mcp", "add", "--scope", "user", "standoff", "--", path];
            command(&add.into_iter().chain(args.iter().map(String::as_str)).collect::<Vec<_>>())
        }
        (Host::ClaudeCode, Reach::Address { url, headers }) => {
            let mut words = vec!["claude", "mcp", "add", "--scope", "user", "--transport", "http", "standoff", url];
            let headers = lines(headers);
            for header in &headers {
                words.extend(["--header", header]);
            }
            command(&words)
        }
        (Host::Codex, Reach::Address { url, headers }) => {
            let mut text = format!("[mcp_servers.standoff]\nurl = {}\n", json!(url));
            if !headers.is_empty() {
                let headers: Vec<String> =
                    headers.iter().map(|(name, value)| format!("{} = {}", json!(name), json!(value))).collect();
                let _ = writeln!(text, "http_headers = {{ {} }}", headers.join(", "));
            }
            Snippet::Lines(text)
        }
        (Host::Goose, reach) => Snippet::Lines(goose(reach)),
        (Host::Vscode, Reach::Program { path, args }) => {
            json("servers", json!({ "type": "stdio", "command": path, "args": args }))
        }
        (Host::Vscode, Reach::Address { url, headers }) => json("servers", address("http", "url", url, headers)),
        (Host::Opencode, Reach::Program { path, args }) => {
            let command: Vec<&String> = std::iter::once(path).chain(args).collect();
            json("mcp", json!({ "type": "local", "command": command, "enabled": true }))
        }
        (Host::Opencode, Reach::Address { url, headers }) => {
            let mut server = address("remote", "url", url, headers);
            server["enabled"] = json!(true);
            json("mcp", server)
        }
        (Host::ClaudeDesktop | Host::Cursor | Host::GeminiCli | Host::QwenCode, Reach::Program { path, args }) => {
            json("mcpServers", json!({ "command": path, "args": args }))
        }
        // Its file knows programs only; this one brings an address to it.
        (Host::ClaudeDesktop, Reach::Address { url, headers }) => {
            let mut args = vec!["-y".to_owned(), "mcp-remote".to_owned(), url.clone()];
            for header in lines(headers) {
                args.extend(["--header".to_owned(), header]);
            }
            json("mcpServers", json!({ "command": "npx", "args": args }))
        }
        (Host::Cursor, Reach::Address { url, headers }) => json("mcpServers", address("", "url", url, headers)),
        (Host::GeminiCli | Host::QwenCode, Reach::Address { url, headers }) => {
            json("mcpServers", address("", "httpUrl", url, headers))
        }
    }
}

/// The commands by which an assistant's own program adds the games, in their order. Those before the last take away what was
/// added before, and fail where that is nothing. None where there is no such program, or it cannot say all.
pub(super) fn commands(host: Host, reach: &Reach) -> Option<Vec<Vec<String>>> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    match (host, reach) {
        (Host::ClaudeCode, _) => {
            let Snippet::Command(add) = snippet(host, reach) else { return None };
            Some(vec![words(&["claude", "mcp", "remove", "--scope", "user", "standoff"]), add])
        }
        (Host::Codex, Reach::Program { path, args }) => {
            let mut add = words(&["codex", "mcp", "add", "standoff", "--", path]);
            add.extend(args.iter().cloned());
            Some(vec![add])
        }
        (Host::Codex, Reach::Address { url, headers }) if headers.is_empty() => {
            Some(vec![words(&["codex", "mcp", "add", "standoff", "--url", url])])
        }
        _ => None,
    }
}

/// Where the snippet goes, for people.
pub(super) fn place(host: Host) -> &'static str {
    match host {
        Host::ClaudeDesktop => {
            "Claude Desktop: Settings, Developer, Edit Config (claude_desktop_config.json), then restart it"
        }
        Host::ClaudeCode => "Claude Code: run this",
        Host::Vscode => "VS Code: .vscode/mcp.json in the workspace",
        Host::Cursor => "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in the project",
        Host::Codex => "Codex: ~/.codex/config.toml",
        Host::Goose => "Goose: ~/.config/goose/config.yaml",
        Host::Opencode => "opencode: opencode.json in the project, or ~/.config/opencode/opencode.json",
        Host::GeminiCli => "Gemini CLI: ~/.gemini/settings.json",
        Host::QwenCode => "Qwen Code: ~/.qwen/settings.json",
    }
}

fn command(words: &[&str]) -> Snippet {
    Snippet::Command(words.iter().map(|&word| word.to_owned()).collect())
}

fn lines(headers: &[(String, String)]) -> Vec<String> {
    headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

fn address(kind: &str, field: &str, url: &str, headers: &[(String, String)]) -> Json {
    let mut server = json!({ field: url });
    if !kind.is_empty() {
        server["type"] = json!(kind);
    }
    if !headers.is_empty() {
        server["headers"] = headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    }
    server
}

fn goose(reach: &Reach) -> String {
    let head = "extensions:\n  standoff:\n    enabled: true\n    name: standoff\n    timeout: 300\n";
    match reach {
        Reach::Program { path, args } => {
            format!("{head}    type: stdio\n    cmd: {}\n    args: {}\n", json!(path), json!(args))
        }
        Reach::Address { url, headers } => {
            let mut text = format!("{head}    type: streamable_http\n    uri: {}\n", json!(url));
            if !headers.is_empty() {
                text.push_str("    headers:\n");
                for (name, value) in headers {
                    let _ = writeln!(text, "      {}: {}", json!(name), json!(value));
                }
            }
            text
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+:\\=".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
