//! What to put into an assistant's configuration.

use serde_json::json;

use super::error::Failure;
use super::mcp::Host;
use crate::config::Environment;

/// The path of this program.
pub(super) fn program() -> Result<String, Failure> {
    let path = Environment::of_process()
        .program()
        .map_err(|error| Failure::work(format!("cannot find out where this program is: {error}")))?;
    Ok(path.display().to_string())
}

/// The snippet for an assistant, with where it goes.
pub(super) fn snippet(host: Host, program: &str) -> String {
    let json = |value: serde_json::Value| format!("{value:#}\n");
    let servers = |key: &str, server: serde_json::Value| json(json!({ key: { "standoff": server } }));
    let plain = json!({ "command": program, "args": ["mcp"] });
    match host {
        Host::ClaudeDesktop => format!(
            "# Claude Desktop: Settings, Developer, Edit Config (claude_desktop_config.json), then restart it\n{}",
            servers("mcpServers", plain)
        ),
        Host::ClaudeCode => format!("# Claude Code: run this\nclaude mcp add standoff -- {} mcp\n", quoted(program)),
        Host::Vscode => {
            let server = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
            format!("# VS Code: .vscode/mcp.json in the workspace\n{}", servers("servers", server))
        }
        Host::Cursor => format!(
            "# Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in the project\n{}",
            servers("mcpServers", plain)
        ),
        Host::Codex => format!(
            "# Codex: ~/.codex/config.toml\n[mcp_servers.standoff]\ncommand = {}\nargs = [\"mcp\"]\n",
            json!(program)
        ),
        Host::Goose => format!(
            "# Goose: ~/.config/goose/config.yaml\nextensions:\n  standoff:\n    enabled: true\n    type: stdio\n    name: standoff\n    cmd: {}\n    args: [mcp]\n    timeout: 300\n",
            json!(program)
        ),
        Host::Opencode => {
            let server = json!({ "type": "local", "command": [program, "mcp"], "enabled": true });
            format!(
                "# opencode: opencode.json in the project, or ~/.config/opencode/opencode.json\n{}",
                servers("mcp", server)
            )
        }
        Host::GeminiCli => format!("# Gemini CLI: ~/.gemini/settings.json\n{}", servers("mcpServers", plain)),
    }
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+:\\".contains(c));
    if plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
