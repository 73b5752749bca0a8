//! Puts the games into an assistant's configuration: by the assistant's own command, or into its file.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::Failure;
use super::host::{self, Reach, Snippet};
use super::mcp::Host;
use super::messages;
use crate::config::Environment;

/// Does what the snippet says, or only shows what that would be.
///
/// # Errors
/// If the assistant has neither a command nor a file of JSON, or its file cannot be read or written.
pub(super) fn install(host: Host, reach: &Reach, dry: bool, out: &mut impl Write) -> Result<(), Failure> {
    let by_hand = || {
        let hint = format!("paste what `standoff mcp --config {}` prints", name(host));
        Failure::call("this assistant's configuration can only be changed by hand").hint(hint)
    };
    let snippet = host::snippet(host, reach);
    if let Some(commands) = host::commands(host, reach) {
        return run(commands, dry, out);
    }
    match (&snippet, file(host)?) {
        (Snippet::Json { key, server }, Some(path)) => {
            let text = std::fs::read_to_string(&path).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok("{}".to_owned()),
                _ => Err(Failure::work(format!("cannot read {}: {error}", path.display()))),
            })?;
            let text = if text.trim().is_empty() { "{}" } else { text.as_str() };
            let merged = merged(text, key, &format!("{server:#}")).map_err(|error| {
                let hint = format!("add what `standoff mcp --config {}` prints by hand", name(host));
                Failure::work(format!("{} is not plain JSON: {error}", path.display())).hint(hint)
            })?;
            if dry {
                messages::tell(&format!("this would be written to {}", path.display()));
                out.write_all(merged.as_bytes())?;
                return Ok(());
            }
            write(&path, &merged)
                .map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))?;
            messages::tell(&format!("written to {}; restart the assistant", path.display()));
            Ok(())
        }
        _ => Err(by_hand()),
    }
}

/// Runs commands in their order. What the last one says is shown; those before it make room, and have nothing to do the
/// first time.
fn run(mut commands: Vec<Vec<String>>, dry: bool, out: &mut impl Write) -> Result<(), Failure> {
    if dry {
        messages::tell("this would be run");
        for words in commands {
            out.write_all(Snippet::Command(words).text().as_bytes())?;
        }
        return Ok(());
    }
    let last = commands.pop().unwrap_or_default();
    let missing = |program: &str, error: &std::io::Error| {
        Failure::work(format!("cannot run {program}: {error}")).hint("install the assistant's own command first")
    };
    let command = |words: &[String]| {
        let (program, arguments) = words.split_first().expect("a command has a name");
        let mut command = Command::new(program);
        command.args(arguments);
        (program.clone(), command)
    };
    for words in &commands {
        let (program, mut command) = command(words);
        command.output().map_err(|error| missing(&program, &error))?;
    }
    let (program, mut command) = command(&last);
    let status = command.status().map_err(|error| missing(&program, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::work(format!("{program} failed: {status}"))) }
}

/// The file of a user's configuration, where it is one of JSON.
fn file(host: Host) -> Result<Option<PathBuf>, Failure> {
    let environment = Environment::of_process();
    let home = environment.text("HOME").or_else(|| environment.text("USERPROFILE"));
    let home = PathBuf::from(home.ok_or_else(|| Failure::work("this system has no folder for a user"))?);
    let in_config = |path: &str| match environment.text("XDG_CONFIG_HOME") {
        Some(config) => PathBuf::from(config).join(path),
        None => home.join(".config").join(path),
    };
    Ok(match host {
        Host::ClaudeDesktop => Some(if cfg!(target_os = "macos") {
            home.join("Library/Application Support/Claude/claude_desktop_config.json")
        } else if let Some(roaming) = environment.text("APPDATA") {
            PathBuf::from(roaming).join("Claude/claude_desktop_config.json")
        } else {
            in_config("Claude/claude_desktop_config.json")
        }),
        Host::Cursor => Some(home.join(".cursor/mcp.json")),
        Host::GeminiCli => Some(home.join(".gemini/settings.json")),
        Host::QwenCode => Some(home.join(".qwen/settings.json")),
        Host::Opencode => Some(in_config("opencode/opencode.json")),
        // A workspace's file, a file of another kind, or a command.
        Host::Vscode | Host::Codex | Host::Goose | Host::ClaudeCode => None,
    })
}

fn name(host: Host) -> String {
    clap::ValueEnum::to_possible_value(&host).map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Replaces a file at once, so that nobody ever finds half of it. A link stays one. A new file is for its user alone: a token
/// may stand in it.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let path = &behind_links(path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("standoff-new");
    // One that was left behind may be open to others.
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&beside)?.write_all(text.as_bytes())?;
    if let Ok(before) = std::fs::metadata(path) {
        std::fs::set_permissions(&beside, before.permissions())?;
    }
    std::fs::rename(&beside, path)
}

/// The file that is meant by a link, also where it does not exist yet.
fn behind_links(path: &Path) -> PathBuf {
    /// As many links as systems follow.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    path
}

/// An object of JSON whose members stay as they were written, in their order.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Members {
    /// Puts a member in the place of one of the same name, or at the end.
    fn put(&mut self, name: &str, text: String) -> Result<(), serde_json::Error> {
        let value = RawValue::from_string(text)?;
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// As text, each member on a line of its own, so deep.
    fn text(&self, depth: usize) -> String {
        if self.0.is_empty() {
            return "{}".to_owned();
        }
        let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let members: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{inner}{}: {}", serde_json::Value::String(name.clone()), value.get()))
            .collect();
        format!("{{\n{}\n{outer}}}", members.join(",\n"))
    }
}

/// The text of a configuration with one more server under a key; everything else stays as it was written.
fn merged(text: &str, key: &str, server: &str) -> Result<String, serde_json::Error> {
    let mut whole: Members = serde_json::from_str(text)?;
    let mut servers: Members = match whole.get(key) {
        Some(servers) => serde_json::from_str(servers.get())?,
        None => Members(Vec::new()),
    };
    servers.put("standoff", server.replace('\n', "\n    "))?;
    whole.put(key, servers.text(1))?;
    Ok(format!("{}\n", whole.text(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stood_in_a_file_stays_as_it_was_written() {
        let before = r#"{"zebra": [1,  2], "mcpServers": {"other": {"command": "x"}, "standoff": {"command": "old"}}, "a": null}"#;
        let after = merged(before, "mcpServers", "{\n  \"command\": \"new\"\n}").expect("JSON");
        let read: serde_json::Value = serde_json::from_str(&after).expect("JSON");
        assert_eq!(read["mcpServers"]["standoff"]["command"], "new");
        assert_eq!(read["mcpServers"]["other"]["command"], "x");
        let at = |text: &str| after.find(text).unwrap_or_else(|| panic!("no {text} in {after}"));
        assert!(at("\"zebra\": [1,  2]") < at("mcpServers") && at("mcpServers") < at("\"a\": null"), "{after}");
        assert_eq!(merged(&after, "mcpServers", "{\n  \"command\": \"new\"\n}").expect("JSON"), after);
        assert!(merged("{} // note", "mcpServers", "{}").is_err(), "a file with comments is not touched");
        assert!(merged("{}", "mcp", "{}").expect("JSON").contains("\"standoff\": {}"));
    }
}
