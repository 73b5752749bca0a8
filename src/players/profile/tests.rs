use super::*;
use crate::settings::fields::BadFile;

fn one(fields: &str) -> Profile {
    let text = format!("[players.p]\nmodel = \"m\"\n{fields}");
    read("f", &text).unwrap_or_else(|bad| panic!("{bad}")).profiles.remove(0)
}

fn problems(text: &str) -> String {
    read("f", text).map_err(|bad: BadFile| bad.to_string()).expect_err(text)
}

/// The one problem of a profile with this third line.
fn problem(line: &str) -> String {
    let text = format!("[players.p]\nmodel = \"m\"\n{line}");
    problems(&text)
}

#[test]
fn what_nothing_is_said_of_is_as_for_a_model_by_its_name() {
    let openai = |model| Provider::named("OpenAI").expect("known").profile(model);
    assert_eq!(one(""), Profile { name: "p".to_owned(), ..openai("m") });
    for provider in PROVIDERS {
        let profile = Profile { name: "p".to_owned(), ..provider.profile("m") };
        assert_eq!(one(&format!("base_url = '{}'", provider.base_url)), profile);
    }
    for api in Api::ALL {
        let Profile { base_url, api_key_env, .. } = api.provider().profile("m");
        let profile = one(&format!("api = '{api}'"));
        assert_eq!((profile.api, profile.base_url, profile.api_key_env), (api, base_url, api_key_env));
    }
}

#[test]
fn every_field_is_read() {
    let profile = one("
        api = 'chat'
        base_url = 'https://example.org/v1/?api-version=2'
        api_key_env = 'EXAMPLE_KEY'
        headers = { X-Title = 'Standoff', api-key = '${AZURE_KEY}' }
        lang = 'zh'
        prompt = 'my/prompt.toml'
        mode = 'json'
        temperature = 0.5
        max_output_tokens = 4096
        reasoning_effort = 'low'
        thinking = 2048
        tool_choice = 'auto'
        max_tokens_field = 'max_completion_tokens'
        seed = -7
        stream = false
        extra_body = { top_p = 0.9, provider = { order = ['a', 'b'] }, n = 1 }
        timeout = 1.5
        price = { input = 1, output = 2.5 }
        requests_per_minute = 3
        tokens_per_minute = 4
        concurrency = 5
        max_usd = 0.25");
    let wanted = Profile {
        name: "p".to_owned(),
        api: Api::Chat,
        model: "m".to_owned(),
        base_url: "https://example.org/v1/?api-version=2".to_owned(),
        api_key_env: Some("EXAMPLE_KEY".to_owned()),
        headers: [("x-title", "Standoff"), ("api-key", "${AZURE_KEY}")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        language: Some(Language::Zh),
        prompt: "my/prompt.toml".to_owned(),
        mode: Mode::Json,
        temperature: Some(0.5),
        max_output_tokens: 4096,
        reasoning_effort: Some("low".to_owned()),
        thinking: Some(Thinking::Tokens(2048)),
        tool_choice: Some(ToolChoice::Auto),
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        seed: Some(-7),
        stream: false,
        extra_body: serde_json::json!({ "top_p": 0.9, "provider": { "order": ["a", "b"] }, "n": 1 })
            .as_object()
            .expect("a table")
            .clone(),
        timeout: Duration::from_millis(1500),
        // What is cached costs as much as what is not by default.
        price: Some(Price { input: 1.0, cached_input: 1.0, cache_write: 1.0, output: 2.5 }),
        limits: EndpointLimits { requests_per_minute: Some(3), tokens_per_minute: Some(4), concurrency: 5 },
        max_usd_match: Some(0.25),
    };
    assert_eq!(profile.variables().collect::<Vec<_>>(), ["EXAMPLE_KEY", "AZURE_KEY"]);
    assert_eq!(profile, wanted);
    let price = one("price = { input = 4, cached_input = 0.4, cache_write = 5, output = 20 }").price;
    assert_eq!(price, Some(Price { input: 4.0, cached_input: 0.4, cache_write: 5.0, output: 20.0 }));
    assert_eq!(one("thinking = true").thinking, Some(Thinking::On));
    assert_eq!(one("thinking = false").thinking, Some(Thinking::Off));
}

#[test]
fn a_profile_is_written_with_the_names_of_the_file() {
    let written =
        serde_json::to_string(&one("temperature = 0.2\nlang = 'en'\nmax_usd = 1\nprice = {input = 1, output = 2}"));
    let wanted = "{\"name\":\"p\",\"api\":\"responses\",\"model\":\"m\",\"base_url\":\"https://api.openai.com/v1\",\
        \"api_key_env\":\"OPENAI_API_KEY\",\"headers\":{},\"lang\":\"en\",\"prompt\":\"standard\",\"mode\":\"tools\",\
        \"temperature\":0.2,\"max_output_tokens\":16384,\"reasoning_effort\":null,\"thinking\":null,\"tool_choice\":null,\
        \"max_tokens_field\":\"max_completion_tokens\",\"seed\":null,\"stream\":true,\"extra_body\":{},\"timeout\":120.0,\
        \"price\":{\"input\":1.0,\"cached_input\":1.0,\"cache_write\":1.0,\"output\":2.0},\"requests_per_minute\":null,\
        \"tokens_per_minute\":null,\"concurrency\":8,\"max_usd\":1.0}";
    assert_eq!(written.expect("it is plain data"), wanted);
}

#[test]
fn defaults_hold_for_all_and_each_may_say_otherwise() {
    let text = "
        [players.second]
        model = 'b'
        timeout = 5
        [players.first]
        [defaults]
        model = 'a'
        timeout = 60";
    let read: Vec<_> = read("f", text)
        .expect("all is well")
        .profiles
        .into_iter()
        .map(|profile| (profile.name, profile.model, profile.timeout.as_secs()))
        .collect();
    let wanted = [("second", "b", 5), ("first", "a", 60)];
    assert_eq!(read, wanted.map(|(name, model, timeout)| (name.to_owned(), model.to_owned(), timeout)));
}

#[test]
fn an_endpoint_of_ones_own_gets_no_key_unless_one_is_named() {
    let url = "base_url = 'http://127.0.0.1:8080/v1'";
    assert_eq!(one(url).api_key_env, None);
    assert_eq!(one(&format!("{url}\napi_key_env = 'MINE'")).api_key_env, Some("MINE".to_owned()));
}

#[test]
fn what_is_impossible_is_said_where_it_stands() {
    for (line, said) in [
        ("modle = 'x'", "f:3:9: unknown key `players.p.modle`; allowed here: "),
        ("timeout = 0", "f:3:11: `players.p.timeout` must be a number from 0.1 to 3600, not 0"),
        ("timeout = nan", "f:3:11: `players.p.timeout` must be a number from 0.1 to 3600, not NaN"),
        ("timeout = '60'", "f:3:11: `players.p.timeout` must be a number from 0.1 to 3600, not a text"),
        ("temperature = 2.1", "f:3:15: `players.p.temperature` must be a number from 0 to 2, not 2.1"),
        ("seed = 1.5", "f:3:8: `players.p.seed` must be a whole number"),
        ("mode = 'magic'", "f:3:8: `players.p.mode` must be \"tools\", \"json\", \"text\" or \"auto\", not \"magic\""),
        ("lang = 'fr'", "f:3:8: `players.p.lang` must be \"en\" or \"zh\", not \"fr\""),
        ("concurrency = 0", "f:3:15: `players.p.concurrency` must be a whole number from 1 to 10000, not 0"),
        ("price = { input = 1 }", "f:3:1: `players.p.price.output` is missing"),
        ("price = { input = -1, output = 1 }", "f:3:19: `players.p.price.input` must be a number from 0"),
        ("price = 3", "f:3:9: `players.p.price` must be a table, not a whole number"),
        ("max_usd = 1", "f:3:11: money can only be counted where the price is known"),
        ("base_url = 'nowhere'", "f:3:12: no address: "),
        ("base_url = 'ftp://example.org'", "f:3:12: an endpoint is at http:// or https://"),
        ("base_url = 'https://example.org/v1#x'", "f:3:12: an address ends before `#`"),
        (
            "api = 'soap'",
            "f:3:7: `players.p.api` must be \"chat\", \"responses\", \"anthropic\" or \"gemini\", not \"soap\"",
        ),
        ("thinking = 'hard'", "f:3:12: `players.p.thinking` must be true, false or a whole number from 1 to 1000000"),
        ("thinking = 99", "f:3:12: api \"responses\" counts no tokens of thinking"),
        ("seed = 7", "f:3:8: api \"responses\" takes no seed"),
        ("max_tokens_field = 'max_tokens'", "f:3:20: only api = \"chat\" has a choice of it"),
        (
            "tool_choice = 'any'",
            "f:3:15: `players.p.tool_choice` must be \"required\", \"auto\" or \"none\", not \"any\"",
        ),
        ("headers = { X-Title = 3 }", "f:3:23: `players.p.headers.X-Title` must be a text, not a whole number"),
        ("headers = { 'X Title' = 'x' }", "f:3:25: `x title` is no name of a header"),
        ("headers = { Host = 'x' }", "f:3:20: `host` is set by the program itself"),
        ("headers = { X-Title = '去' }", "f:3:23: the header `x-title` must be of plain ASCII"),
        ("headers = { X-Title = '${sk-x}' }", "f:3:23: `${sk-x}` names no environment variable"),
        ("extra_body = 3", "f:3:14: `players.p.extra_body` must be a table"),
        (
            "extra_body = { a = { b = [nan] } }",
            "f:3:27: `players.p.extra_body.a.b` must be something that JSON can say",
        ),
    ] {
        let problem = problem(line);
        assert!(problem.starts_with(said), "{line}: {problem}");
    }
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    for line in [
        "api_key = 'sk-secret'",
        "token = 'secret'",
        "api_key_env = 'sk-secret'",
        "api_key_env = 'gsk_secret'",
        "base_url = 'https://me:secret@example.org/v1'",
        "base_url = 'https://example.org/v1?key=secret'",
        "headers = { Authorization = 'Bearer secret' }",
        "headers = { x-goog-api-key = 'secret' }",
    ] {
        let problem = problem(line);
        assert!(problem.contains("environment variable") && !problem.contains("secret"), "{line}: {problem}");
    }
}

#[test]
fn a_key_does_not_go_over_the_network_in_the_open() {
    let with = |url: &str| format!("base_url = '{url}'\napi_key_env = 'MINE'");
    for url in ["http://localhost:8080/v1", "http://127.0.0.2/v1", "http://[::1]:80/v1", "https://example.org/v1"] {
        assert_eq!(one(&with(url)).base_url, url);
    }
    for url in
        ["http://example.org/v1", "http://192.168.1.5:8000/v1", "http://localhost.example.org", "http://128.0.0.1"]
    {
        let problem = problem(&with(url));
        assert!(problem.starts_with("f:3:12: the key would go over the network in the open"), "{url}: {problem}");
    }
}

#[test]
fn names_are_such_that_a_list_of_players_can_hold_them() {
    for name in ["gpt-5.1_mini", "小红"] {
        assert_eq!(read("f", &format!("[players.\"{name}\"]\nmodel = 'm'")).expect(name).profiles[0].name, name);
    }
    for name in ["a,b", "openai:x", "a/b", "", "human", "Greedy", "search", "my.toml", &"x".repeat(65)] {
        let problem = problems(&format!("[players.\"{name}\"]\nmodel = 'm'"));
        assert!(problem.starts_with("f:1:10: `"), "{name}: {problem}");
    }
}

#[test]
fn all_problems_are_told_at_once_each_once_and_in_order() {
    let text = "\
[defaults]
timeout = 'long'
color = true
[players.a]
lang = 'fr'
[players.b]
model = 7
[elsewhere]
x = 1";
    let problems = problems(text);
    let places: Vec<_> = problems.lines().map(|line| line.split(": ").next().expect("a place")).collect();
    assert_eq!(places, ["f:2:11", "f:3:9", "f:4:10", "f:5:8", "f:7:9", "f:8:2"], "{problems}");
}

#[test]
fn a_file_may_be_empty_but_not_broken() {
    assert_eq!(read("f", "# nobody yet\n"), Ok(Contestants::default()));
    assert!(problems("[players.a\nmodel = 'm'").starts_with("f:1:"));
    assert!(problems("players = 3").starts_with("f:1:11: `players` must be a table"));
    assert!(problems("[players]\na = 3").starts_with("f:2:5: `players.a` must be a table"));
}

#[test]
fn models_of_openai_that_do_not_think_are_not_asked_for_thoughts() {
    let openai = |model: &str| Provider::named("openai").expect("known").profile(model);
    for model in
        ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "chatgpt-4o-latest", "gpt-5-chat-latest", "ft:gpt-4o-mini:us::x"]
    {
        let profile = openai(model);
        assert_eq!((profile.thinking, profile.max_output_tokens), (Some(Thinking::Off), 4096), "{model}");
        let text = |more: &str| format!("[players.p]\nmodel = '{model}'\n{more}");
        let read = |more: &str| read("f", &text(more)).expect("a profile").profiles.remove(0);
        assert_eq!(read(""), Profile { name: "p".to_owned(), ..openai(model) });
        assert_eq!(read("thinking = true").thinking, Some(Thinking::On));
        // In chat completions nothing is asked for.
        assert_eq!(read("api = 'chat'").thinking, None);
        assert_eq!(read("api = 'responses'\nbase_url = 'https://example.org/v1'").thinking, None);
    }
    for model in ["gpt-5-mini", "o3", "gpt-5.1", "gpt-6"] {
        assert_eq!((openai(model).thinking, openai(model).max_output_tokens), (None, 16_384), "{model}");
    }
}

#[test]
fn what_anthropic_writes_to_its_cache_costs_a_quarter_more_than_it_reads() {
    let written = |fields: &str| one(fields).price.expect("a price").cache_write;
    for (fields, cost) in [
        ("api = 'anthropic'\nprice = { input = 4, output = 20 }", 5.0),
        ("base_url = 'https://api.anthropic.com/v1'\nprice = { input = 4, output = 20 }", 5.0),
        ("api = 'anthropic'\nprice = { input = 4, cache_write = 8, output = 20 }", 8.0),
        ("api = 'chat'\nprice = { input = 4, output = 20 }", 4.0),
        ("price = { input = 4, output = 20 }", 4.0),
    ] {
        assert!((written(fields) - cost).abs() < 1e-9, "{fields}");
    }
}

#[test]
fn thinking_has_room_or_the_file_is_refused() {
    assert_eq!(Provider::named("openrouter").expect("known").profile("m").max_output_tokens, 16_384);
    assert_eq!(one("base_url = 'https://openrouter.ai/api/v1'").max_output_tokens, 16_384);
    let off = "base_url = 'https://openrouter.ai/api/v1'\nthinking = false";
    assert_eq!(one(off).max_output_tokens, 4096);
    let tight = |limit: u32| format!("api = 'anthropic'\nthinking = 4096\nmax_output_tokens = {limit}");
    assert_eq!(one(&tight(4097)).max_output_tokens, 4097);
    for limit in [4096, 100] {
        let problem = problem(&tight(limit));
        let said = format!("f:4:12: thinking = 4096 leaves no room for an answer in max_output_tokens = {limit}");
        assert!(problem.starts_with(&said), "{problem}");
    }
    let problem = problem("api = 'anthropic'\nmax_output_tokens = 4096\nthinking = 4096");
    assert!(problem.starts_with("f:5:12: "), "{problem}");
}
