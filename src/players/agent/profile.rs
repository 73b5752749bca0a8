//! What is known of an agent that plays: how it is started, and what it may use.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path};
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::briefs::Language;
use crate::players::profile::{check_name, is_variable, variables};
use crate::settings::fields::Reader;
use crate::settings::shorten;

/// The longest command line.
const LONGEST_COMMAND: usize = 2000;

/// An agent as a configuration describes it. Written down, its fields are called as in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentProfile {
    /// What people call it; records write `agent:` before it.
    pub name: String,
    /// Its command line, split as a shell would split it. In `mcp`, `{config}` and `{prompt}` stand for those.
    pub command: String,
    /// What is added to the command line, for the model above all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// How it is talked to.
    pub protocol: Protocol,
    /// Which one it is: how it is started by default, and where its settings go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The prompt variant: a built-in name or a path.
    pub prompt: String,
    /// The language it is addressed in; by default the match's.
    #[serde(rename = "lang")]
    pub language: Option<Language>,
    /// Its environment beside what every program needs. `${NAME}` in a value stands for a variable of ours.
    pub environment: BTreeMap<String, String>,
    /// Files of settings that are put into its folder, by name.
    pub files: BTreeMap<String, String>,
    /// How long it may take to start.
    #[serde(rename = "start_seconds", serialize_with = "seconds")]
    pub start_time: Duration,
    /// So many calls of the seat's tools it may make in a turn.
    pub max_tool_calls: u32,
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.as_secs())
}

/// How an agent is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The Agent Client Protocol: a session per match.
    Acp,
    /// A command per turn, with an MCP server in its configuration.
    Mcp,
}

/// An agent whose settings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Claude Code, `claude`.
    ClaudeCode,
    /// Codex CLI, started as `codex`.
    Codex,
    /// Gemini CLI, `gemini`.
    GeminiCli,
    /// opencode, started as `opencode`.
    Opencode,
}

impl Preset {
    /// All of them, as people write them.
    pub const NAMES: [(&str, Preset); 4] = [
        ("claude-code", Preset::ClaudeCode),
        ("codex", Preset::Codex),
        ("gemini-cli", Preset::GeminiCli),
        ("opencode", Preset::Opencode),
    ];

    /// The command line by default, where the agent speaks that protocol: the seat's tools are allowed, and no others as far
    /// as the agent lets one say so.
    pub fn command(self, protocol: Protocol) -> Option<&'static str> {
        Some(match (self, protocol) {
            (Preset::ClaudeCode, Protocol::Mcp) => {
                "claude -p {prompt} --mcp-config {config} --strict-mcp-config --tools '' --allowedTools mcp__standoff \
                 --setting-sources '' --no-session-persistence --output-format stream-json --verbose"
            }
            (Preset::Codex, Protocol::Mcp) => {
                "codex exec --skip-git-repo-check --ephemeral --json --sandbox read-only --disable shell_tool \
                 --disable multi_agent --disable goals --disable view_image -c web_search=disabled {prompt}"
            }
            (Preset::GeminiCli, Protocol::Mcp) => {
                "gemini --skip-trust --output-format stream-json --allowed-mcp-server-names standoff -p {prompt}"
            }
            (Preset::Opencode, Protocol::Mcp) => "opencode run --pure --format json {prompt}",
            (Preset::GeminiCli, Protocol::Acp) => "gemini --acp --skip-trust",
            (Preset::Opencode, Protocol::Acp) => "opencode acp --pure",
            (Preset::ClaudeCode | Preset::Codex, Protocol::Acp) => return None,
        })
    }

    /// What it needs in its environment: that it waits for its tools, shows them without a search, and trusts its folder.
    pub(super) fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Preset::ClaudeCode => {
                &[("MCP_CONNECTION_NONBLOCKING", "0"), ("MCP_TIMEOUT", "60000"), ("ENABLE_TOOL_SEARCH", "false")]
            }
            Preset::GeminiCli => &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
            Preset::Codex | Preset::Opencode => &[],
        }
    }
}

impl fmt::Display for AgentProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent:{}", self.name)
    }
}

impl AgentProfile {
    /// Reads the fields of one table `[agents.NAME]`.
    pub(in crate::players) fn read(reader: &mut Reader, name: String) -> AgentProfile {
        let place = reader.whole();
        if let Err(problem) = check_name(&name) {
            reader.problem(&place, problem);
        }
        let [command_place, preset_place] = ["command", "preset"].map(|key| reader.place(key));
        let protocols = [("acp", Protocol::Acp), ("mcp", Protocol::Mcp)];
        let protocol = reader.choice("protocol", &protocols);
        let preset = reader.optional("preset", |reader, key| reader.choice(key, &Preset::NAMES));
        let mut line = |key| reader.optional(key, |reader, key| reader.text_up_to(key, LONGEST_COMMAND));
        let (command, options) = (line("command"), line("options").unwrap_or_default());
        let usual = preset.and_then(|preset| preset.command(protocol));
        if preset.is_some() && usual.is_none() {
            reader.problem(&preset_place, "this agent does not speak ACP by itself: protocol = \"mcp\"");
        }
        let command = command.or_else(|| usual.map(str::to_owned)).unwrap_or_default();
        if command.is_empty() && preset.is_none() {
            reader.problem(&command_place, "`command` is missing: how the agent is started, like \"opencode acp\"");
        } else if protocol == Protocol::Mcp && !command.contains("{prompt}") {
            let message = "a command of protocol \"mcp\" says where its prompt goes: {prompt}, and {config} for the file \
                           with its MCP server";
            reader.problem(&command_place, message);
        }
        let mut environment = BTreeMap::new();
        for (name, value, place) in reader.texts_by_name("environment") {
            if name.is_empty() || name.contains(['=', '\0']) {
                reader.problem(&place, format!("`{}` is no name of an environment variable", shorten(&name)));
            } else if let Some(bad) = variables(&value).find(|name| !is_variable(name)) {
                let bad = shorten(bad);
                reader.problem(&place, format!("`${{{bad}}}` names no environment variable: those are in capitals"));
            }
            environment.insert(name, value);
        }
        let mut files = BTreeMap::new();
        for (name, text, place) in reader.texts_by_name("files") {
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            if name.is_empty() || !Path::new(&name).components().all(inside) {
                reader.problem(&place, format!("`{}` is no file inside the agent's folder", shorten(&name)));
            }
            files.insert(name, text);
        }
        AgentProfile {
            name,
            command,
            options,
            protocol,
            preset,
            prompt: reader.optional("prompt", Reader::text).unwrap_or_else(|| "standard".to_owned()),
            language: reader.optional("lang", |reader, key| reader.choice(key, &Language::NAMES)),
            environment,
            files,
            start_time: Duration::from_secs(
                reader.optional("start_seconds", |reader, key| reader.int(key, 1..=3600)).unwrap_or(60),
            ),
            max_tool_calls: reader.optional("max_tool_calls", |reader, key| reader.int(key, 1..=10_000)).unwrap_or(32),
        }
    }

    /// The variables of ours that its environment names.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.environment.values().flat_map(|value| variables(value))
    }
}
