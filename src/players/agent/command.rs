//! Agents that are a command line: given a configuration file and a prompt, they play one turn and leave.

use serde_json::json;

use super::output::Output;
use super::profile::Preset;
use super::session::{AgentEvent, SessionError, Surroundings};
use crate::matches::Call;
use crate::players::process::{Program, Relay};

/// The longest line of its output.
const MAX_LINE: usize = 16 << 20;

/// The file with the seat's server, in the agent's folder.
const CONFIG: &str = "standoff-mcp.json";

/// An agent that is started for every prompt.
pub(super) struct CommandSession {
    preset: Option<Preset>,
    surroundings: Surroundings,
    running: Option<Program>,
    output: Output,
}

impl CommandSession {
    pub(super) fn new(preset: Option<Preset>, surroundings: Surroundings) -> CommandSession {
        CommandSession { preset, surroundings, running: None, output: Output::default() }
    }

    pub(super) fn is_prompted(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn used(&mut self) -> Option<Call> {
        self.output.used.take()
    }

    /// Kills what is under way.
    pub(super) fn end(&mut self) {
        self.running = None;
    }

    pub(super) fn prompt(&mut self, text: &str) -> Result<(), SessionError> {
        let around = &self.surroundings;
        let cannot = |error: std::io::Error| SessionError::Ended(format!("its settings cannot be written: {error}"));
        let servers = json!({ "mcpServers": { "standoff": around.server() } });
        around.write(CONFIG, &servers.to_string()).map_err(cannot)?;
        let config = around.folder.path().join(CONFIG).display().to_string();
        let fill = |word: &String| word.replace("{config}", &config).replace("{prompt}", text);
        let mut words: Vec<String> = around.words.iter().map(fill).collect();
        if self.preset == Some(Preset::Codex) {
            words.splice(1..1, codex_overrides(around));
        }
        let relay = Relay::new(around.seat.to_string(), Box::new(std::io::stderr()));
        let mut program = Program::start(around.command(&words), relay, MAX_LINE).map_err(|why| {
            let program = words[0].clone();
            SessionError::Start(crate::players::ProcessError::NotStarted { program, why }.into())
        })?;
        // Some wait for more on their input.
        program.hang_up();
        self.output = Output::default();
        self.running = Some(program);
        Ok(())
    }

    pub(super) async fn next(&mut self) -> Result<AgentEvent, SessionError> {
        let Some(program) = &mut self.running else { return std::future::pending().await };
        match program.line().await {
            Ok(line) => Ok(self.output.hear(&String::from_utf8_lossy(&line))),
            Err(ended) => {
                self.running = None;
                if let Some(why) = self.output.failed.take() {
                    return Ok(AgentEvent::Failed(why));
                }
                if ended.is_success() { Ok(AgentEvent::Ended) } else { Err(SessionError::Ended(ended.to_string())) }
            }
        }
    }
}

/// Codex takes its servers from settings that may stand on the command line.
fn codex_overrides(around: &Surroundings) -> Vec<String> {
    let environment = around.relay_environment.iter().map(|(name, value)| format!("{name} = {}", json!(value)));
    let environment = environment.collect::<Vec<_>>().join(", ");
    let set = |name: &str, value: String| ["-c".to_owned(), format!("mcp_servers.standoff.{name}={value}")];
    [
        set("command", json!(around.relay[0]).to_string()),
        set("args", json!(around.relay[1..]).to_string()),
        set("env", format!("{{ {environment} }}")),
        set("startup_timeout_sec", "60".to_owned()),
        // It asks before it calls a tool, and nobody is there to say yes.
        set("default_tools_approval_mode", json!("approve").to_string()),
    ]
    .concat()
}
