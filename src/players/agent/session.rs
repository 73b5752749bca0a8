//! A running agent, whichever protocol it speaks.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

use super::AgentError;
use super::acp::AcpSession;
use super::command::CommandSession;
use super::door::{KEY_VARIABLE, SEAT_VARIABLE};
use super::profile::{AgentProfile, Preset, Protocol};
use super::server::Listening;
use crate::games::seat::Seat;
use crate::matches::Call;
use crate::players::process::words;

/// What is heard of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AgentEvent {
    /// A piece of what it writes.
    Said(String),
    /// A tool of its own that it used, or wanted to.
    Used(String),
    /// It has come to the end of a prompt.
    Ended,
    /// What stands behind it failed, in its own words.
    Failed(String),
    /// Nothing of interest.
    Nothing,
}

/// Why nothing more is heard of an agent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Start(#[from] AgentError),
    #[error("{0}")]
    Ended(String),
    #[error("it broke the protocol: {0}")]
    Protocol(String),
}

/// Where an agent is run: a folder that was empty, an environment that has what its profile says, and the seat's tools.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) words: Vec<String>,
    pub(super) folder: TempDir,
    pub(super) environment: Vec<(String, String)>,
    /// The command of the seat's MCP server, and its environment.
    pub(super) relay: Vec<String>,
    pub(super) relay_environment: [(&'static str, String); 2],
    pub(super) seat: Seat,
}

impl Surroundings {
    fn new(
        profile: &AgentProfile,
        relay: &[String],
        listening: &Listening,
        environment: &[(String, String)],
        seat: Seat,
    ) -> Result<Surroundings, AgentError> {
        let folder = tempfile::Builder::new().prefix("standoff-agent-").tempdir()?;
        for (name, text) in &profile.files {
            write(folder.path(), name, text)?;
        }
        let mut words = words(&profile.command)?;
        if !profile.options.is_empty() {
            words.extend(super::super::process::words(&profile.options)?);
        }
        // What the profile says goes before what the preset wants.
        let preset = profile.preset.map(Preset::environment).unwrap_or_default().iter();
        let wanted = preset.map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let around = Surroundings {
            words,
            folder,
            environment: wanted.chain(environment.iter().cloned()).collect(),
            relay: relay.to_vec(),
            relay_environment: [
                (SEAT_VARIABLE, listening.address().to_string()),
                (KEY_VARIABLE, listening.key().to_owned()),
            ],
            seat,
        };
        if let Some((name, settings)) = profile.preset.and_then(|preset| settings(preset, profile.protocol, &around)) {
            around.write(name, &settings.to_string())?;
        }
        Ok(around)
    }

    /// A command in these surroundings.
    pub(super) fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.folder.path()).env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Writes a file of an agent's settings into its folder.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        write(self.folder.path(), name, text)
    }

    /// The seat's server as most hosts write it.
    pub(super) fn server(&self) -> Json {
        let environment: serde_json::Map<String, Json> =
            self.relay_environment.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "command": self.relay[0], "args": self.relay[1..], "env": environment })
    }
}

/// The tools of Gemini CLI's own.
const GEMINI_TOOLS: [&str; 23] = [
    "activate_skill",
    "ask_user",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "invoke_agent",
    "list_background_processes",
    "list_directory",
    "list_mcp_resources",
    "read_background_output",
    "read_file",
    "read_many_files",
    "read_mcp_resource",
    "replace",
    "run_shell_command",
    "save_memory",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
];

/// The files that an agent reads its settings from, in its folder. What the profile put there stays, for the model above all.
fn settings(preset: Preset, protocol: Protocol, around: &Surroundings) -> Option<(&'static str, Json)> {
    let server = around.server();
    let (name, mut ours, servers, entry) = match preset {
        Preset::ClaudeCode | Preset::Codex => return None,
        Preset::GeminiCli => {
            let mut entry = server;
            entry["trust"] = json!(true);
            // A list of what is allowed would also forbid the tools of a server that comes with a session.
            let tools = match protocol {
                Protocol::Mcp => json!({ "core": ["mcp_standoff_*"] }),
                Protocol::Acp => json!({ "exclude": GEMINI_TOOLS }),
            };
            (".gemini/settings.json", json!({ "tools": tools }), "mcpServers", entry)
        }
        Preset::Opencode => {
            let entry = json!({
                "type": "local", "command": around.relay, "environment": server["env"], "enabled": true, "timeout": 60_000,
            });
            ("opencode.json", json!({ "permission": { "*": "deny", "standoff_*": "allow" } }), "mcp", entry)
        }
    };
    // Over ACP the server comes with the session.
    if protocol == Protocol::Mcp {
        ours[servers] = json!({ "standoff": entry });
    }
    let own = std::fs::read_to_string(around.folder.path().join(name)).ok();
    let mut settings = own.and_then(|text| serde_json::from_str::<Json>(&text).ok()).unwrap_or_else(|| json!({}));
    for (name, value) in ours.as_object().into_iter().flatten() {
        settings[name] = value.clone();
    }
    Some((name, settings))
}

fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}

/// A running agent. Dropped, it is killed with all that it started, and its folder removed.
pub(super) enum Session {
    Acp(Box<AcpSession>),
    Command(Box<CommandSession>),
}

impl Session {
    /// Starts an agent.
    ///
    /// # Errors
    /// If it cannot be started, or does not begin as its protocol says.
    pub(super) async fn begin(
        profile: &AgentProfile,
        relay: &[String],
        listening: &Listening,
        environment: &[(String, String)],
        seat: Seat,
    ) -> Result<Session, SessionError> {
        let surroundings = Surroundings::new(profile, relay, listening, environment, seat)?;
        match profile.protocol {
            Protocol::Acp => Ok(Session::Acp(Box::new(AcpSession::begin(surroundings, listening.door()).await?))),
            Protocol::Mcp => Ok(Session::Command(Box::new(CommandSession::new(profile.preset, surroundings)))),
        }
    }

    /// Whether it was never prompted.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Session::Acp(session) => session.is_new(),
            Session::Command(_) => true,
        }
    }

    /// Whether a prompt is under way.
    pub(super) fn is_prompted(&self) -> bool {
        match self {
            Session::Acp(session) => session.is_prompted(),
            Session::Command(session) => session.is_prompted(),
        }
    }

    /// Begins a prompt. It goes out while [`Session::next`] is awaited.
    pub(super) fn prompt(&mut self, text: &str) -> Result<(), SessionError> {
        match self {
            Session::Acp(session) => {
                session.prompt(text);
                Ok(())
            }
            Session::Command(session) => session.prompt(text),
        }
    }

    /// The next thing that is heard of it. Nothing is lost if this is not awaited to its end.
    pub(super) async fn next(&mut self) -> Result<AgentEvent, SessionError> {
        match self {
            Session::Acp(session) => session.next().await,
            Session::Command(session) => session.next().await,
        }
    }

    /// Has a prompt that is under way cancelled. Whether it came to its end in time.
    pub(super) async fn silence(&mut self, patience: Duration) -> bool {
        if !self.is_prompted() {
            return true;
        }
        match self {
            Session::Acp(session) => session.cancel(),
            Session::Command(session) => {
                session.end();
                return true;
            }
        }
        let end = async {
            while self.is_prompted() {
                if self.next().await.is_err() {
                    return false;
                }
            }
            true
        };
        timeout(patience, end).await.unwrap_or(false)
    }

    /// What it said that it has used since this was last asked.
    pub(super) fn used(&mut self) -> Option<Call> {
        match self {
            Session::Acp(session) => session.used(),
            Session::Command(session) => session.used(),
        }
    }
}
