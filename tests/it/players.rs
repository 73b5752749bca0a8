//! `standoff players`: the configuration of models, as people and scripts meet it.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::program::{complaint, standoff, stdout};

const TWO: &str = "
[defaults]
timeout = 5
[players.local]
model = \"smollm2-135m\"
base_url = \"http://127.0.0.1:9/v1\"
[players.mini]
model = \"gpt-5-mini\"
api_key_env = \"STANDOFF_TEST_KEY\"
price = { input = 0.25, cached_input = 0.025, output = 2.0 }
";

/// The program in an empty folder of its own, with nothing of the user's.
fn program(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = standoff(args);
    command.current_dir(folder).env("HOME", folder.path());
    for name in ["STANDOFF_CONFIG", "XDG_CONFIG_HOME", "STANDOFF_TEST_KEY", "STANDOFF_TEST_OTHER", "OPENAI_API_KEY"] {
        command.env_remove(name);
    }
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

fn folder_with(file: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().expect("it has one")).expect("made");
    fs::write(path, text).expect("written");
    folder
}

fn names(output: &Output) -> Vec<String> {
    let list: Json = serde_json::from_str(&stdout(output)).expect("one JSON object");
    let players = list["players"].as_array().expect("a list");
    players.iter().map(|player| player["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn players_are_listed_with_where_they_are_and_whether_their_key_is_set() {
    let folder = folder_with("standoff.toml", TWO);
    let list = stdout(&run(&mut program(&folder, &["players"])));
    assert_eq!(
        list,
        "local       smollm2-135m at http://127.0.0.1:9/v1
            no key, api chat, mode tools, prompt standard
mini        gpt-5-mini at https://api.openai.com/v1
            key in STANDOFF_TEST_KEY (not set), api responses, mode tools, prompt standard, $0.25 in, $0.025 cached, $2 out per million tokens
"
    );
    let mut with_key = program(&folder, &["players", "--json"]);
    let text = stdout(&run(with_key.env("STANDOFF_TEST_KEY", "sk-secret")));
    assert!(!text.contains("secret"), "{text}");
    let list: Json = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!(list["file"], "standoff.toml");
    assert_eq!(list["players"][0]["key_set"], Json::Null);
    assert_eq!(list["players"][1]["key_set"], true);
    assert_eq!(list["players"][1]["timeout"], 5.0);
}

#[test]
fn the_flag_comes_before_the_environment_and_that_before_the_usual_places() {
    let file = |name: &str| format!("[players.{name}]\nmodel = 'm'\n");
    let folder = folder_with(".config/standoff/standoff.toml", &file("home"));
    let list = ["players", "--json"];
    assert_eq!(names(&run(&mut program(&folder, &list))), ["home"]);
    for name in ["standoff", "variable", "flag"] {
        fs::write(folder.path().join(format!("{name}.toml")), file(name)).expect("written");
    }
    assert_eq!(names(&run(&mut program(&folder, &list))), ["standoff"]);
    let variable = ("STANDOFF_CONFIG", "variable.toml");
    assert_eq!(names(&run(program(&folder, &list).env(variable.0, variable.1))), ["variable"]);
    let flag = ["players", "--json", "--config", "flag.toml"];
    assert_eq!(names(&run(program(&folder, &flag).env(variable.0, variable.1))), ["flag"]);
}

#[test]
fn without_a_configuration_the_list_is_empty_and_says_how_to_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(stdout(&run(&mut program(&folder, &["players"]))).contains("standoff players --init"));
    assert_eq!(names(&run(&mut program(&folder, &["players", "--json"]))), Vec::<String>::new());
    let said = complaint(&run(&mut program(&folder, &["players", "--config", "none.toml"])), 2);
    assert!(said.contains("cannot read the configuration none.toml"), "{said}");
}

#[test]
fn the_example_can_be_used_as_it_is_and_names_every_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let example = stdout(&run(&mut program(&folder, &["players", "--init"])));
    fs::write(folder.path().join("standoff.toml"), &example).expect("written");
    let list: Json = serde_json::from_str(&stdout(&run(&mut program(&folder, &["players", "--json"])))).expect("JSON");
    let fields = list["players"][1].as_object().expect("an object");
    for field in fields.keys().filter(|field| !["name", "key_set"].contains(&field.as_str())) {
        assert!(example.contains(&format!("{field} = ")), "{field}");
    }
    // What it says is the default is the default.
    let plain = folder_with("standoff.toml", "[defaults]\ntimeout = 60\n[players.mini]\nmodel = 'gpt-5-mini'");
    let plain: Json = serde_json::from_str(&stdout(&run(&mut program(&plain, &["players", "--json"])))).expect("JSON");
    for field in fields.keys().filter(|field| !["price", "max_usd"].contains(&field.as_str())) {
        assert_eq!(fields[field], plain["players"][0][field], "{field}");
    }
    // Every field is shown with a value.
    for field in fields.keys() {
        assert!((1..=2).any(|player| !list["players"][player][field].is_null()), "{field}");
    }
    // What is commented out is good, too.
    let all: Vec<&str> = example
        .lines()
        .map(|line| if line.contains(" = ") || line.contains('[') { line.trim_start_matches("# ") } else { line })
        .collect();
    fs::write(folder.path().join("standoff.toml"), all.join("\n")).expect("written");
    let list = stdout(&run(&mut program(&folder, &["players"])));
    assert!(list.contains("key in AZURE_OPENAI_API_KEY (not set), api chat"), "{list}");
}

#[test]
fn a_bad_file_is_refused_with_every_problem_at_its_place() {
    let folder = folder_with("standoff.toml", "[players.a]\nmodle = 'm'\n[players.b]\nmodel = 'm'\napi_key = 'sk-1'\n");
    for args in [&["players"][..], &["players", "check"]] {
        let said = complaint(&run(&mut program(&folder, args)), 2);
        for part in ["standoff.toml:1:10: ", "standoff.toml:2:9: ", "standoff.toml:5:11: ", "hint: "] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("sk-1"), "{said}");
    }
}

#[test]
fn a_check_says_what_does_not_work_and_why() {
    let folder = folder_with("standoff.toml", TWO);
    // Nothing listens at that port, and the other's key is not set.
    let output = run(&mut program(&folder, &["players", "check"]));
    let table = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "player      reachable  key        model      tools      schema     latency    mode");
    assert_eq!(lines[1], "local       no         ?          ?          ?          ?          ?          ?");
    assert!(lines[2].contains("reachable: cannot connect to http://127.0.0.1:9/v1"), "{table}");
    assert_eq!(lines[3], "mini        ?          no         ?          ?          ?          ?          ?");
    assert!(lines[4].contains("key: the environment variable STANDOFF_TEST_KEY is not set"), "{table}");
    assert_eq!(complaint(&output, 1), "error: 2 of 2 players cannot play\n");
    let output = run(&mut program(&folder, &["players", "check", "local", "--json"]));
    let line: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&line["name"], &line["ok"], &line["reachable"]), (&"local".into(), &false.into(), &false.into()));
    complaint(&output, 1);
}

#[test]
fn whom_to_check_is_named_by_player_file_or_model() {
    let folder = folder_with("other.toml", TWO);
    for (args, code, said) in [
        (&["other.toml", "mini"][..], 1, "1 of 1 players"),
        (&["openai:gpt-5-mini"], 1, "1 of 1 players"),
        (&[], 2, "there are no players to check"),
        (
            &["nobody", "--config", "other.toml"],
            2,
            "no player `nobody`; available: human, random, greedy, search, local, mini",
        ),
        (&["greedy"], 2, "`greedy` is not a language model"),
        (&["other.toml", "--config", "other.toml"], 2, "more than one configuration"),
    ] {
        let args: Vec<&str> = ["players", "check"].iter().chain(args).copied().collect();
        let complaint = complaint(&run(&mut program(&folder, &args)), code);
        assert!(complaint.contains(said), "{args:?}: {complaint}");
    }
}

#[test]
fn a_prompt_is_built_in_or_a_file_beside_the_configuration() {
    let file =
        |prompt: &str| format!("[players.a]\nmodel = 'm'\napi_key_env = 'STANDOFF_TEST_KEY'\nprompt = '{prompt}'");
    let folder = folder_with("my/prompt.toml", "base = 'bare'");
    for (prompt, code, said) in [
        ("bare", 1, "1 of 1 players"),
        ("prompt.toml", 1, "1 of 1 players"),
        ("bear", 2, "no prompt variant `bear` is built in"),
        ("other.toml", 2, "cannot read the prompt variant `other.toml`"),
    ] {
        fs::write(folder.path().join("my/standoff.toml"), file(prompt)).expect("written");
        let complaint = complaint(&run(&mut program(&folder, &["players", "check", "my/standoff.toml"])), code);
        assert!(complaint.contains(said), "{prompt}: {complaint}");
    }
}

/// Answers as a model does that keeps to tools and schemas, for whoever has the key.
fn able(request: &wiremock::Request) -> wiremock::ResponseTemplate {
    if request.headers.get("authorization").is_none_or(|key| key != "Bearer sk-secret") {
        return wiremock::ResponseTemplate::new(401);
    }
    let body: Json = request.body_json().expect("JSON");
    let number = "{\"number\":7}";
    let function = serde_json::json!({ "name": "answer", "arguments": number });
    let message = if body["tools"].is_array() {
        let call = serde_json::json!({ "id": "1", "type": "function", "function": function });
        serde_json::json!({ "role": "assistant", "content": null, "tool_calls": [call] })
    } else {
        serde_json::json!({ "role": "assistant", "content": number })
    };
    wiremock::ResponseTemplate::new(200).set_body_json(serde_json::json!({
        "id": "x", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
    }))
}

#[tokio::test]
async fn a_player_that_can_do_everything_passes_with_its_key_and_not_with_another() {
    let server = wiremock::MockServer::start().await;
    wiremock::Mock::given(wiremock::matchers::method("POST")).respond_with(able).mount(&server).await;
    let file =
        format!("[players.able]\nmodel = 'm'\napi_key_env = 'STANDOFF_TEST_KEY'\nbase_url = '{}/v1'", server.uri());
    let folder = folder_with("standoff.toml", &file);
    let check = |key: &str| run(program(&folder, &["players", "check", "--json"]).env("STANDOFF_TEST_KEY", key));
    let line: Json = serde_json::from_str(&stdout(&check("sk-secret"))).expect("one JSON object");
    for what in ["ok", "reachable", "key", "model_exists", "tools", "json_schema"] {
        assert_eq!(line[what], true, "{what}: {line}");
    }
    assert_eq!(line["mode"], "tools");
    let refused = check("sk-other");
    let line: Json = serde_json::from_slice(&refused.stdout).expect("one JSON object");
    assert_eq!((&line["reachable"], &line["key"]), (&true.into(), &false.into()), "{line}");
    assert!(!complaint(&refused, 1).contains("sk-"));
}
