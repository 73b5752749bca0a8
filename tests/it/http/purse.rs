//! One caller against the machine: how much anybody gets, and what they are told.

#![expect(clippy::print_stderr, reason = "a campaign prints its figures")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use standoff::store::{Location, Store};

use super::client::{Client, answered, server};
use crate::serve::Server;

/// The problem of an answer that was too much of something.
fn limited(answer: super::client::Answer) -> Json {
    assert!(answer.header("retry-after").is_some(), "{}", answer.head);
    let problem = answer.expect(429);
    assert!(problem["limit"].is_string() && problem["value"].is_u64() && problem["retry_after"].is_u64(), "{problem}");
    problem
}

#[test]
fn bots_think_no_harder_than_the_server_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let strict = server(folder.path(), &["--max-playouts", "500"]);
    let anybody = Client::of(&strict);
    let open = |bot: &str| anybody.post("/matches", &json!({ "ruleset": "cowboy-duel", "seats": ["me", bot] }));
    for too_hard in ["search", "search:501", "search:100000000", "search:51ms", "search:10s"] {
        assert_eq!(open(too_hard).problem(422), "no_guest", "{too_hard}");
    }
    for fine in ["search:500", "search:50ms", "greedy"] {
        open(fine).expect(201);
    }
    assert!(anybody.raw("GET", "/metrics", "", "").text.contains("standoff_limit{limit=\"playouts\"} 500"));
    strict.end();
    let usual = server(folder.path(), &[]);
    let anybody = Client::of(&usual);
    let refused = anybody.post("/matches", &json!({ "ruleset": "cowboy-duel", "seats": ["me", "search:20001"] }));
    assert!(refused.text.contains("search:20000"), "{}", refused.text);
    usual.end();
}

#[test]
fn seat_keys_count_for_whoever_shows_them() {
    let folder = tempfile::tempdir().expect("a folder");
    // A rate that a busy machine exceeds too.
    let server = server(folder.path(), &["--rate", "2"]);
    let anybody = Client::of(&server);
    let mut keys = Vec::new();
    for _ in 0..3 {
        let seats = vec!["me"; 4];
        keys.extend(anybody.open(&json!({ "ruleset": "grid-royale", "seats": seats })).1);
    }
    let begun = Instant::now();
    let answers: Vec<_> = (0..20).flat_map(|_| keys.iter().map(|key| key.get("/rulesets"))).collect();
    let passed = answers.iter().filter(|answer| answer.status == 200).count();
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("one caller with 12 seat keys at --rate 2: {passed} of {} passed in {seconds:.1} s", answers.len());
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let passed = passed as f64;
    assert!(passed <= 2.0 * seconds + 5.0, "{passed} in {seconds}");
    let refused = answers.into_iter().find(|answer| answer.status == 429).expect("some are refused");
    assert_eq!(limited(refused)["limit"], "requests_per_second");
    server.end();
}

#[test]
fn behind_a_trusted_proxy_each_caller_has_a_purse_and_nobody_can_make_one_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |name: &str, arguments: &[&str]| {
        Server::start(&folder.path().join(name), &[&["--open", "--rate", "2"], arguments].concat(), None)
    };
    let asked = |server: &Server, told: &dyn Fn(usize) -> String| {
        let anybody = Client::of(server);
        let ask =
            |number| anybody.raw("GET", "/api/v1/rulesets", &format!("X-Forwarded-For: {}\r\n", told(number)), "");
        let answers: Vec<u16> = (0..30).map(|number| ask(number).status).collect();
        assert!(answers.iter().all(|status| [200, 429].contains(status)), "{answers:?}");
        answers.iter().filter(|status| **status == 200).count()
    };
    let trusting = open("trusting.db", &["--trusted-proxy", "192.0.2.7", "--trusted-proxy", "127.0.0.0/8"]);
    assert_eq!(asked(&trusting, &|number| format!("203.0.113.{number}")), 30, "thirty callers");
    assert!(asked(&trusting, &|_| "198.51.100.1".to_owned()) < 30, "one caller");
    // What the caller has written itself stands before what the proxy adds.
    assert!(asked(&trusting, &|number| format!("203.0.113.{number}, 198.51.100.2")) < 30, "one caller");
    trusting.end();
    for plain in [open("plain.db", &[]), open("other.db", &["--trusted-proxy", "192.0.2.7"])] {
        assert!(asked(&plain, &|number| format!("203.0.113.{number}")) < 30, "nobody has said that it is a proxy");
        plain.end();
    }
}

#[test]
fn a_server_with_a_trusted_proxy_is_open_to_others_and_wants_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--trusted-proxy", "127.0.0.1"]);
    let answer = Client::of(&server).raw("GET", "/api/v1/matches", "X-Forwarded-For: 203.0.113.1\r\n", "");
    assert_eq!(answer.status, 401, "{}", answer.text);
    assert!(server.end().contains("clients must send this token"));
}

#[test]
fn bodies_that_never_end_are_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let (address, head) = (server.address.clone(), |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n"
        )
    });
    // Some say nothing more, some say a little every second, to the API and to MCP; one does not end its head.
    let ended = std::thread::scope(|scope| {
        let slow = |start: String, drip: bool| {
            let address = address.clone();
            scope.spawn(move || {
                let begun = Instant::now();
                let mut stream = TcpStream::connect(&address).expect("it listens");
                stream.set_read_timeout(Some(Duration::from_secs(1))).expect("a limit");
                stream.write_all(start.as_bytes()).expect("it reads");
                let mut answer = Vec::new();
                loop {
                    let mut buffer = [0; 1024];
                    match stream.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(count) => answer.extend_from_slice(&buffer[..count]),
                        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
                        Err(_) => {}
                    }
                    if drip && answer.is_empty() {
                        let _ = stream.write_all(b" ");
                    }
                    assert!(begun.elapsed() < Duration::from_secs(100), "it is never ended");
                }
                (
                    begun.elapsed().as_secs_f64(),
                    String::from_utf8_lossy(&answer).lines().next().unwrap_or("").to_owned(),
                )
            })
        };
        let all = [
            slow(head("/api/v1/matches"), false),
            slow(head("/api/v1/matches"), true),
            slow(head("/mcp"), false),
            slow(head("/mcp"), true),
            slow("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n".to_owned(), false),
        ];
        all.map(|one| one.join().expect("it ends"))
    });
    for ((seconds, answer), what) in ended.iter().zip([
        "no body",
        "a body by the byte",
        "no body to MCP",
        "a body by the byte to MCP",
        "no end of head",
    ]) {
        eprintln!("{what}: ended after {seconds:.1} s with `{answer}`");
        assert!(*seconds < 45.0, "{what}: {seconds}");
    }
    assert!(ended[..4].iter().all(|(_, answer)| answer.contains("408")), "{ended:?}");
    server.end();
}

#[test]
fn sessions_have_an_end_and_one_caller_cannot_have_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--open"]);
    let anybody = Client::of(&server);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let accept = "Accept: application/json, text/event-stream\r\n";
    let mut ids = Vec::new();
    let refused = loop {
        let answer = anybody.raw("POST", "/mcp", accept, &hello.to_string());
        if answer.status != 200 {
            break answer;
        }
        ids.push(answer.header("mcp-session-id").expect("a session").to_owned());
        assert!(ids.len() <= 10, "there is no end");
    };
    let problem = limited(refused);
    assert_eq!((&problem["limit"], problem["value"].as_u64()), (&json!("sessions_per_caller"), Some(10)));
    assert_eq!(ids.len(), 10);
    assert!(anybody.raw("GET", "/metrics", "", "").text.contains("standoff_mcp_sessions 10"));
    let gone = anybody.raw("DELETE", "/mcp", &format!("Mcp-Session-Id: {}\r\n", ids[0]), "");
    assert!((200..300).contains(&gone.status), "{}", gone.head);
    assert_eq!(anybody.raw("POST", "/mcp", accept, &hello.to_string()).status, 200);
    server.end();
}

/// Asks so often at once, and gives all answers.
fn at_once(times: usize, ask: impl Fn(usize) -> super::client::Answer + Sync) -> Vec<super::client::Answer> {
    let ready = std::sync::Barrier::new(times);
    std::thread::scope(|scope| {
        let one = |number| {
            let (ready, ask) = (&ready, &ask);
            scope.spawn(move || {
                ready.wait();
                ask(number)
            })
        };
        let all: Vec<_> = (0..times).map(one).collect();
        all.into_iter().map(|one| one.join().expect("it is answered")).collect()
    })
}

#[test]
fn what_comes_at_once_is_counted_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--open", "--rate", "0"]);
    let anybody = Client::of(&server);
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"], "ticks": false });
    let opened = at_once(60, |_| anybody.post("/matches", &wish));
    let count = opened.iter().filter(|answer| answer.status == 201).count();
    eprintln!("60 matches at once at a limit of 5: {count} were opened");
    assert_eq!(count, 5);
    let refused = opened.into_iter().find(|answer| answer.status != 201).expect("the others");
    assert_eq!(limited(refused)["limit"], "matches_per_caller");
    // Whoever is refused for another reason has used nothing of it.
    let ann = anybody.register("Ann");
    let bad = json!({ "ruleset": "paint", "seats": ["me", "nobody-here"] });
    for _ in 0..20 {
        assert_eq!(ann.post("/matches", &bad).problem(422), "no_guest");
    }
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let accept = "Accept: application/json, text/event-stream\r\n";
    let begun = at_once(60, |_| anybody.raw("POST", "/mcp", accept, &hello.to_string()));
    let count = begun.iter().filter(|answer| answer.status == 200).count();
    eprintln!("60 sessions at once at a limit of 10: {count} were begun");
    assert_eq!(count, 10);
    // By a tool as by the API.
    let call = |id: usize| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "new_match", "arguments": { "ruleset": "paint", "opponents": ["open"] } } })
    };
    let session = |token: &Client| {
        let begun = token.raw("POST", "/mcp", accept, &hello.to_string());
        let id = begun.header("mcp-session-id").expect("a session").to_owned();
        let head = format!("{accept}Mcp-Session-Id: {id}\r\n");
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        token.raw("POST", "/mcp", &head, &ready.to_string());
        head
    };
    let heads: Vec<String> = (0..10).map(|_| session(&ann)).collect();
    // Each with an id of its own: an answer is found by it.
    let asked = |number: usize| ann.raw("POST", "/mcp", &heads[number % heads.len()], &call(2 + number).to_string());
    let answers = at_once(30, asked);
    let count = answers.iter().filter(|answer| answer.text.contains("seat_key")).count();
    assert_eq!(count, 5, "Ann has five of her own");
    server.end();
}

/// Whoever can be anybody at will is counted for where they come from, too.
#[test]
fn many_tokens_are_not_many_purses() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = server(folder.path(), &["--open", "--rate", "0"]);
    let anybody = Client::of(&first);
    let players: Vec<Client> = (0..10).map(|number| anybody.register(&format!("Player No {number}"))).collect();
    first.end();
    let strict = server(folder.path(), &["--open", "--rate", "1"]);
    let anybody = Client::of(&strict);
    for player in &players {
        // A token that is not known yet counts for where it comes from.
        let until = Instant::now() + Duration::from_mins(1);
        while player.at(&anybody).get("/rulesets").status != 200 {
            assert!(Instant::now() < until, "it never passes");
        }
    }
    let begun = Instant::now();
    let answers = at_once(10, |number| {
        let player = players[number].at(&anybody);
        let mut all: Vec<_> = (0..10).map(|_| player.get("/rulesets")).collect();
        let told = all.iter().position(|answer| answer.text.contains("requests_per_address")).unwrap_or(0);
        let passed = all.iter().filter(|answer| answer.status == 200).count();
        let mut told = all.swap_remove(told);
        told.head = [&told.head, "\r\nPassed: ", &passed.to_string()].concat();
        told
    });
    let seconds = begun.elapsed().as_secs_f64();
    let passed: usize =
        answers.iter().map(|one| one.header("passed").expect("put there").parse::<usize>().expect("a number")).sum();
    eprintln!("10 tokens of one address at --rate 1: {passed} of 100 passed in {seconds:.2} s");
    #[expect(clippy::cast_precision_loss, reason = "a hundred")]
    let passed = passed as f64;
    assert!(passed <= 5.0 * seconds + 11.0, "{passed} in {seconds}");
    let refused = answers.into_iter().find(|answer| answer.text.contains("requests_per_address"));
    // On a busy machine nobody may be too fast.
    if let Some(refused) = refused {
        assert_eq!(limited(refused)["value"], 5);
    }
    strict.end();

    let server = server(folder.path(), &["--open", "--rate", "0"]);
    let anybody = Client::of(&server);
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"], "ticks": false });
    let mut opened = 0;
    let problem = 'full: {
        for player in &players {
            let player = player.at(&anybody);
            for _ in 0..5 {
                match player.post("/matches", &wish) {
                    answer if answer.status == 201 => opened += 1,
                    refused => break 'full limited(refused),
                }
            }
        }
        panic!("{opened} matches of one address, and no end");
    };
    assert_eq!((&problem["limit"], &problem["value"], opened), (&json!("matches_per_address"), &json!(25), 25));
    let mut registered = 0;
    let problem = loop {
        match anybody.post("/players", &json!({ "name": format!("Another {registered}") })) {
            answer if answer.status == 201 => registered += 1,
            refused => break limited(refused),
        }
        assert!(registered < 100, "there is no end");
    };
    assert_eq!((&problem["limit"], problem["value"].as_u64()), (&json!("registrations_per_address"), Some(registered)));
    // Waiting for a match over MCP registers somebody for the session.
    let find = json!({ "name": "find_match", "arguments": { "ruleset": "paint", "wait_seconds": 0 } });
    let told = super::secrets::over_mcp(&anybody, "tools/call", &find);
    assert!(told.contains("\"isError\":true") && told.contains("regist"), "{told}");
    let metrics = anybody.raw("GET", "/metrics", "", "").text;
    for limit in ["requests_per_address", "matches_per_address", "registrations_per_address", "analyses"] {
        assert!(metrics.contains(&format!("standoff_limit{{limit=\"{limit}\"}}")), "{limit}: {metrics}");
    }
    server.end();
}

/// However a match was opened, it is one of its caller's; whoever asks for the answer again opens none.
#[test]
fn matches_are_counted_once_at_every_door() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--open"]);
    let anybody = Client::of(&server);
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"], "ticks": false }).to_string();
    let open = |key: &str| {
        anybody.raw("POST", "/api/v1/matches", &format!("Idempotency-Key: {key}{}\r\n", "-".repeat(16)), &wish)
    };
    let first: Vec<Json> = ["a", "b", "c"].map(|key| open(key).expect(201)).into();
    let new_match = json!({ "name": "new_match", "arguments": {
        "ruleset": "paint", "opponents": ["open"], "idempotency_key": "0c7b4f8e9d2a4b6f8a1c3e5d7f90",
    } });
    let over_mcp = |client: &Client| super::secrets::over_mcp(client, "tools/call", &new_match);
    assert!(over_mcp(&anybody).contains("seat_key"));
    let fifth = open("e").expect(201);
    let problem = limited(open("f"));
    assert_eq!((&problem["limit"], problem["value"].as_u64()), (&json!("matches_per_caller"), Some(5)));
    for (key, before) in ["a", "b", "c", "e"].iter().zip(first.iter().chain([&fifth])) {
        let again = open(key).expect(201);
        assert_eq!((&again["match_id"], &again["mine"]), (&before["match_id"], &before["mine"]), "{key}");
    }
    assert!(over_mcp(&anybody).contains("seat_key"), "the same one again");
    let other = json!({ "name": "new_match", "arguments": { "ruleset": "paint", "opponents": ["greedy"] } });
    assert!(super::secrets::over_mcp(&anybody, "tools/call", &other).contains("\"isError\":true"), "it is the sixth");
    // Somebody else's key is another key, whatever it is.
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let key_of = |answer: &str| {
        let rest = answer.split("\"seat_key\":\"").nth(1).unwrap_or_else(|| panic!("no key: {answer}"));
        rest.split('"').next().map(str::to_owned)
    };
    assert_ne!(key_of(&over_mcp(&ann)), key_of(&over_mcp(&bob)));
    assert_eq!(key_of(&over_mcp(&ann)), key_of(&over_mcp(&ann)));
    server.end();
}

/// Whoever waits in the queue has a match to come, and then has it: both count, until it is over or nobody waits.
#[test]
fn matches_of_the_queue_are_counted_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--open"]);
    let anybody = Client::of(&server);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"], "ticks": false });
    let queueing = json!({ "mode": "paint", "bots": false });
    let open = |player: &Client, count: usize| {
        for _ in 0..count {
            // Seats of nobody registered: what a player has a seat in is limited by itself.
            player.post("/matches", &wish).expect(201);
        }
    };
    let full = |answer: super::client::Answer| {
        let problem = limited(answer);
        assert_eq!(
            (&problem["limit"], problem["value"].as_u64()),
            (&json!("matches_per_caller"), Some(5)),
            "{problem}"
        );
    };
    assert_eq!(ann.post("/matches/queue", &queueing).expect(200)["status"], "waiting");
    open(&ann, 4);
    full(ann.post("/matches", &wish));
    // Whoever asks again has one ticket, with or without room for another.
    assert_eq!(ann.post("/matches/queue", &queueing).expect(200)["status"], "waiting");
    ann.delete("/matches/queue").expect(200);
    open(&ann, 1);
    full(ann.post("/matches/queue", &queueing));
    let find = json!({ "name": "find_match", "arguments": { "ruleset": "paint", "bots": false, "wait_seconds": 0 } });
    let told = super::secrets::over_mcp(&ann, "tools/call", &find);
    assert!(told.contains("\"isError\":true") && told.contains("5 matches"), "{told}");
    // Two who are brought together have a match each, which ends.
    let eve = anybody.register("Eve");
    for player in [&bob, &eve] {
        player.post("/matches/queue", &queueing).expect(200);
    }
    let matched = bob.get("/matches/queue/status").expect(200);
    assert_eq!(matched["status"], "matched", "{matched}");
    open(&bob, 4);
    full(bob.post("/matches", &wish));
    assert_eq!(bob.post("/matches/queue", &queueing).expect(200), matched);
    let id = matched["match_id"].as_str().expect("a name");
    for player in [&bob, &eve] {
        player.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    }
    bob.after(id, 1000);
    open(&bob, 1);
    full(bob.post("/matches", &wish));
    server.end();
}

#[test]
fn money_needs_a_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let profiles = folder.path().join("standoff.toml");
    let text = "[players.costly]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nprice = { input = 1.0, output = 2.0 }\n";
    std::fs::write(&profiles, text).expect("written");
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_standoff"));
        command.args(["serve", "--port", "0", "--store"]).arg(folder.path().join("s.db"));
        command.arg("--profiles").arg(&profiles);
        command
    };
    let refused = start().output().expect("it runs");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("costly") && told.contains("--max-usd"), "{told}");
    let text = profiles.to_str().expect("UTF-8").to_owned();
    let server = server(folder.path(), &["--profiles", &text, "--max-usd", "1"]);
    let metrics = Client::of(&server).raw("GET", "/metrics", "", "").text;
    for line in ["standoff_limit{limit=\"usd\"} 1", "standoff_limit{limit=\"usd_per_caller\"} 0.1"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    server.end();
}

/// What a suspended match says is the matter.
fn why(anybody: &Client, id: &str) -> String {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        // Whoever looks at the match itself has it go on.
        let list = anybody.get("/matches?status=suspended").expect(200);
        let all = list["matches"].as_array().expect("a list");
        if let Some(one) = all.iter().find(|one| one["match_id"] == id) {
            return one["why"].as_str().expect("a reason").to_owned();
        }
        assert!(Instant::now() < until, "{list}");
    }
}

/// Money that was spent is spent, whoever starts the server again.
#[test]
fn a_restart_gives_nobody_new_money() {
    let folder = tempfile::tempdir().expect("a folder");
    let profiles = folder.path().join("standoff.toml");
    let text = "[players.costly]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nprice = { input = 1.0, output = 2.0 }\n";
    std::fs::write(&profiles, text).expect("written");
    let profiles = profiles.to_str().expect("UTF-8").to_owned();
    let path = folder.path().join("s.db");
    let wish = json!({ "ruleset": "cowboy-duel", "seats": ["costly", "me"], "ticks": false });
    let first = server(folder.path(), &["--profiles", &profiles, "--max-usd", "1", "--max-usd-each", "1"]);
    let anybody = Client::of(&first);
    let (id, mine) = anybody.open(&json!({ "ruleset": "cowboy-duel", "seats": ["me", "random"] }));
    mine[0].post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    mine[0].after(&id, 1000);
    first.end();
    // A match that is over has cost 99 cents and a bit; one of a tournament of a name like it, much more.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open(&Location::File(path)).await.expect("a store");
        store
            .write(vec![
                answered("1", &id, 999_999_900_000, true),
                answered("2", "monday.0.1", 50_000_000_000_000, true),
            ])
            .await
            .expect("written");
        store.close().await;
    });
    for (most, each, named) in
        [("1", "1", "--max-usd"), ("2", "1", "--max-usd-each"), ("2", "0.0000001", "--max-usd-each")]
    {
        let server = server(folder.path(), &["--profiles", &profiles, "--max-usd", most, "--max-usd-each", each]);
        let anybody = Client::of(&server);
        let (id, _) = anybody.open(&wish);
        let why = why(&anybody, &id);
        assert!(why.contains(&format!("{named} ")) || why.contains(&format!("{named},")), "{most} {each}: {why}");
        assert_eq!(why.contains("share"), named == "--max-usd-each", "{why}");
        server.end();
    }
}

/// The memory that a process has, in kilobytes.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// One caller does its worst for a while, and somebody else asks whether the server answers. Short here; for long:
/// `STANDOFF_SECONDS=600 cargo test --release --test it http::purse::one_caller_against_the_machine -- --nocapture`.
#[test]
fn one_caller_against_the_machine() {
    let seconds = std::env::var("STANDOFF_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--rate", "200", "--max-playouts", "500"]);
    let anybody = Client::of(&server);
    let player = anybody.register("Ann");
    let until = Instant::now() + Duration::from_secs(seconds);
    let before = memory(server.child.id());
    let (asked, refused, mut waits) = std::thread::scope(|scope| {
        // Bodies and heads that do not end.
        let slow = scope.spawn(|| {
            let mut open = Vec::new();
            while Instant::now() < until && open.len() < 300 {
                let mut stream = TcpStream::connect(&server.address).expect("it listens");
                let head = "POST /api/v1/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
                let _ = stream.write_all(head.as_bytes());
                open.push(stream);
            }
            while Instant::now() < until {
                for stream in &mut open {
                    let _ = stream.write_all(b" ");
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // Streams that nobody reads.
        let idle = scope.spawn(|| {
            let open: Vec<TcpStream> = (0..100).map(|_| player.send("GET", "/api/v1/events", "", "")).collect();
            while Instant::now() < until {
                std::thread::sleep(Duration::from_millis(100));
            }
            open.len()
        });
        // Matches with bots that think hard, and whatever else there is to read.
        let greedy = scope.spawn(|| {
            let (mut asked, mut refused) = (0_u64, 0_u64);
            while Instant::now() < until {
                let open = json!({ "ruleset": "grid-royale", "seats": vec!["search:500"; 4], "ticks": false });
                for answer in [
                    anybody.post("/matches", &open),
                    anybody.get("/leaderboard"),
                    anybody.get("/matches?boards=1&limit=200"),
                ] {
                    asked += 1;
                    refused += u64::from(answer.status == 429);
                }
            }
            (asked, refused)
        });
        let mut waits = Vec::new();
        while Instant::now() < until {
            let begun = Instant::now();
            player.get("/players/me").expect(200);
            waits.push(begun.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        slow.join().expect("it ends");
        idle.join().expect("it ends");
        let (asked, refused) = greedy.join().expect("it ends");
        (asked, refused, waits)
    });
    waits.sort_unstable();
    let p99 = waits[waits.len() * 99 / 100];
    let after = memory(server.child.id());
    eprintln!(
        "{seconds} s: one caller asked {asked} times, {refused} refused; another one waited {p99:?} at p99 ({} times); memory {before} to {after} kB",
        waits.len()
    );
    assert!(p99 < Duration::from_secs(5), "{p99:?}");
    assert!(after < before + 600_000, "{before} to {after} kB");
    server.end();
}

/// A disk that is small and can be filled, where this machine lets us have one.
pub(super) struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    pub(super) fn new() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=32m", "tmpfs"]).arg(folder.path()).status();
        mounted.is_ok_and(|status| status.success()).then_some(SmallDisk(folder))
    }

    pub(super) fn path(&self) -> &std::path::Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_server_on_a_full_disk_is_not_ready_and_is_again_when_there_is_room() {
    let Some(disk) = SmallDisk::new() else {
        eprintln!("NOT TRIED: no small disk can be mounted here");
        return;
    };
    let server = server(disk.0.path(), &[]);
    let anybody = Client::of(&server);
    anybody.raw("GET", "/readyz", "", "").expect(200);
    let filler = disk.0.path().join("filler");
    let mut file = std::fs::File::create(&filler).expect("there is room");
    let mut written = 0;
    while let Ok(count @ 1..) = file.write(&[0; 4096]) {
        written += count;
    }
    let status = |wanted: u16| {
        let begun = Instant::now();
        loop {
            let answer = anybody.raw("GET", "/readyz", "", "");
            if answer.status == wanted {
                return (begun.elapsed(), answer);
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{} {}", answer.head, answer.text);
        }
    };
    let (took, answer) = status(503);
    eprintln!("full after {written} bytes; not ready {:.1} s later: {}", took.as_secs_f64(), answer.text);
    assert_eq!(answer.problem(503), "store_full");
    anybody.raw("GET", "/healthz", "", "").expect(200);
    std::fs::remove_file(&filler).expect("it is there");
    drop(file);
    let (took, _) = status(200);
    eprintln!("ready again {:.1} s after there was room", took.as_secs_f64());
    server.end();
}
