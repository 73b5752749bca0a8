//! `standoff mcp` as a program.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The program, spoken to line by line.
pub(crate) struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Program {
    pub(crate) fn start(store: &std::path::Path) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_standoff"));
        command.args(["mcp", "--store"]).arg(store);
        Program::of(command)
    }

    /// The same as a command of one's own starts it.
    pub(crate) fn of(mut command: Command) -> Program {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut program = Program { child, input, output, requests: 0 };
        // A known host begins so; it must not end the session.
        program.send("");
        program.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        program.ask("initialize", &hello);
        program.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        program
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open"), "{line}").expect("it listens");
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("it answers"), 0, "it ended");
            let answer: Value = serde_json::from_str(&line).expect("nothing but the protocol on standard output");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))["result"].take()
    }
}

impl Program {
    /// The data of an answer.
    pub(crate) fn data(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut answer = self.call(tool, arguments);
        assert_ne!(answer["isError"], true, "{answer}");
        answer["structuredContent"].take()
    }
}

impl Program {
    /// Ends its input, as a host does that leaves, and waits until it has ended.
    pub(super) fn leave(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Why a tool does not do as asked.
    pub(super) fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["isError"], true, "{answer}");
        answer["content"][0]["text"].as_str().expect("words").to_owned()
    }

    /// The words of an answer.
    pub(super) fn words(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        assert_ne!(answer["isError"], true, "{answer}");
        let texts = answer["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn garbage_does_not_end_it_and_the_end_of_input_does_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Program::start(&folder.path().join("m.db"));
    for line in [
        "",
        "{",
        "null",
        "[]",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"no/such\"}",
        "\u{0}\u{1}",
    ] {
        program.send(line);
    }
    let big = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":98,\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\"}}}}",
        "x".repeat(1 << 20)
    );
    program.send(&big);
    let view = program.call("new_match", &json!({ "opponents": ["open"] , "seat": "A" }));
    assert_eq!(view["structuredContent"]["open_seats"], json!(["B"]), "{view}");
    program.send(&json!({ "jsonrpc": "2.0", "id": 97, "method": "tools/call", "params": { "name": "get_state", "arguments": { "wait_seconds": 50 } } }).to_string());
    let begun = std::time::Instant::now();
    drop(program.input.take());
    assert!(program.child.wait().expect("it ends").success());
    assert!(begun.elapsed() < std::time::Duration::from_secs(40), "a wait must not hold up the end");
}

#[test]
fn a_killed_program_comes_back_with_every_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("m.db");
    let mut program = Program::start(&store);
    let view = program.call("new_match", &json!({ "ruleset": "paint", "opponents": ["greedy"], "seed": "5" }));
    let key = view["structuredContent"]["seat_key"].clone();
    let mut view = view["structuredContent"].clone();
    for _ in 0..5 {
        let act = json!({ "action": view["legal_actions"][0], "full": true });
        view = program.call("act", &act)["structuredContent"].clone();
    }
    program.child.kill().expect("killed");
    program.child.wait().expect("gone");
    let mut program = Program::start(&store);
    let back = program.call("get_state", &json!({ "seat_key": key }));
    assert_eq!(back["structuredContent"]["state"], view["state"], "{back}");
    let on = program.call("act", &json!({ "seat_key": key, "action": view["legal_actions"][0] }));
    assert_eq!(on["structuredContent"]["turn"], 6, "{on}");
}

const HOSTS: [&str; 9] =
    ["claude-desktop", "claude-code", "vscode", "cursor", "codex", "goose", "opencode", "gemini-cli", "qwen-code"];

/// What the command prints on standard output, with this folder as the user's.
fn printed(home: &std::path::Path, arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_standoff"))
        .arg("mcp")
        .args(arguments)
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn each_host_gets_a_snippet_and_nothing_else_on_standard_output() {
    let home = tempfile::tempdir().expect("a folder");
    for host in HOSTS {
        let address = ["--url", "https://games.example.org/mcp", "--header", "Authorization: Bearer secret"];
        for (more, wanted) in [
            (&[][..], vec![env!("CARGO_BIN_EXE_standoff")]),
            (&address[..], vec!["https://games.example.org/mcp", "secret"]),
        ] {
            let arguments: Vec<&str> = ["--config", host].into_iter().chain(more.iter().copied()).collect();
            let (done, out, told) = printed(home.path(), &arguments);
            assert!(done && wanted.iter().all(|wanted| out.contains(wanted)), "{host}: {out}{told}");
            assert!(!told.is_empty() && !out.contains('#'), "{host}: where it goes is said beside: {out}");
            if !matches!(host, "claude-code" | "codex" | "goose") {
                let json: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{host}: {error}: {out}"));
                assert_eq!(json.as_object().map(serde_json::Map::len), Some(1));
            }
        }
    }
    let (done, _, told) = printed(home.path(), &["--config", "cursor", "--url", "ftp://games.example.org"]);
    assert!(!done && told.contains("https://"), "{told}");
}

#[test]
fn what_is_written_runs_with_the_same_store_and_players_from_any_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let own = ["--store", "own.db", "--profiles", "own.toml"];
    for host in HOSTS {
        let arguments: Vec<&str> = ["--config", host].into_iter().chain(own).collect();
        let (done, out, told) = printed(home.path(), &arguments);
        assert!(done, "{told}");
        for (flag, file) in [("--store", "own.db"), ("--profiles", "own.toml")] {
            let file = std::path::absolute(file).expect("a folder").display().to_string();
            assert!(out.contains(flag) && out.contains(&file), "{host}: {out}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_linked_file_stays_a_link_and_a_new_one_is_for_its_user_alone() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = tempfile::tempdir().expect("a folder");
    let (kept, link) = (home.path().join("dotfiles.json"), home.path().join(".cursor/mcp.json"));
    std::fs::create_dir(home.path().join(".cursor")).expect("a folder");
    symlink("../dotfiles.json", &link).expect("a link");
    let secret = ["--url", "https://games.example.org/mcp", "--header", "Authorization: Bearer secret"];
    let install: Vec<&str> = ["--install", "cursor"].into_iter().chain(secret).collect();
    let mode = || std::fs::metadata(&kept).expect("there").permissions().mode() & 0o777;
    // Twice: where it leads nowhere yet, and where there is a file with rights of its own.
    for rights in [0o600, 0o640] {
        assert!(printed(home.path(), &install).0);
        assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
        assert!(std::fs::read_to_string(&kept).expect("there").contains("secret"));
        assert_eq!(mode(), rights);
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o640)).expect("set");
    }
}

#[cfg(unix)]
#[test]
fn an_assistants_own_command_is_asked_twice_with_success() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().expect("a folder");
    let claude = home.path().join("claude");
    // Like the real one it refuses to add what is there, and to remove what is not.
    let script = "#!/bin/sh\nentry=\"$HOME/$4-$5-entry\"\ncase $2 in\nadd) test ! -e \"$entry\" && touch \"$entry\" ;;\n\
                  remove) rm \"$entry\" ;;\nesac\n";
    std::fs::write(&claude, script).expect("written");
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o755)).expect("set");
    for _ in 0..2 {
        let output = Command::new(env!("CARGO_BIN_EXE_standoff"))
            .args(["mcp", "--install", "claude-code"])
            .env("HOME", home.path())
            .env("PATH", format!("{}:/usr/bin:/bin", home.path().display()))
            .output()
            .expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn an_assistants_file_gets_the_games_and_keeps_the_rest() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join(".cursor/mcp.json");
    let (done, shown, told) = printed(home.path(), &["--install", "cursor", "--dry-run"]);
    assert!(done && told.contains("mcp.json") && !file.exists(), "{shown}{told}");
    std::fs::create_dir(home.path().join(".cursor")).expect("a folder");
    std::fs::write(&file, r#"{"mcpServers": {"other": {"command": "x"}}, "mine": 1}"#).expect("written");
    for _ in 0..2 {
        assert!(printed(home.path(), &["--install", "cursor"]).0);
    }
    let json: Value = serde_json::from_slice(&std::fs::read(&file).expect("there")).expect("JSON");
    assert_eq!(json["mcpServers"]["standoff"]["args"], json!(["mcp"]));
    assert_eq!((&json["mcpServers"]["other"]["command"], &json["mine"]), (&json!("x"), &json!(1)));
    std::fs::write(&file, "{ // mine\n}").expect("written");
    let (done, _, told) = printed(home.path(), &["--install", "cursor"]);
    assert!(!done && told.contains("not plain JSON"), "{told}");
    assert_eq!(std::fs::read_to_string(&file).expect("there"), "{ // mine\n}");
    let (done, shown, _) = printed(home.path(), &["--install", "claude-code", "--dry-run"]);
    let wanted = "claude mcp remove --scope user standoff\nclaude mcp add --scope user standoff -- ";
    assert!(done && shown.starts_with(wanted), "{shown}");
    let (done, shown, _) = printed(home.path(), &["--install", "codex", "--dry-run"]);
    assert!(done && shown.starts_with("codex mcp add standoff -- "), "{shown}");
    let address = ["--install", "codex", "--dry-run", "--url", "https://games.example.org/mcp"];
    let (done, shown, _) = printed(home.path(), &address);
    assert!(done && shown == "codex mcp add standoff --url https://games.example.org/mcp\n", "{shown}");
    let (done, _, told) = printed(home.path(), &["--install", "goose"]);
    assert!(!done && told.contains("--config goose"), "{told}");
}
