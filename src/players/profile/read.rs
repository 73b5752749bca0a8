//! Profiles from the text of a `standoff.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use url::{Host, Url};

use super::{
    Api, Contestants, EndpointLimits, MaxTokensField, Mode, PROVIDERS, Price, Profile, Provider, Thinking, ToolChoice,
    variables,
};
use crate::bots::BotSpec;
use crate::briefs::Language;
use crate::players::agent::AgentProfile;
use crate::settings::fields::{BadFile, Fields, FlagOrInt, Reader};

const NO_KEYS: &str = "a key does not belong in a file; put it into an environment variable and name that one, like \
                       api_key_env = \"OPENAI_API_KEY\"";

/// The profiles of a configuration, in its order. `source` is what problems call the text: its path.
///
/// # Errors
/// With every problem: what is not TOML, unknown keys, wrong types, impossible values, keys in the file.
pub fn read(source: &str, text: &str) -> Result<Contestants, BadFile> {
    let mut file = Reader::new(Fields::from_toml(source, text)?);
    let defaults = file.section("defaults");
    // They are read for themselves, so that a problem is named once and where it is, also where no profile follows.
    let mut alone = Reader::within("defaults.".to_owned(), defaults.clone());
    alone.optional("model", Reader::text);
    fields(&mut alone, String::new(), String::new());
    file.close(alone);
    let mut profiles = Vec::new();
    for (name, over) in file.tables("players") {
        let mut layers = defaults.clone();
        layers.overlay(over);
        profiles.push(profile(&mut file, name, layers));
    }
    let mut agents = Vec::new();
    for (name, fields) in file.tables("agents") {
        let mut reader = Reader::within(format!("agents.{name}."), fields);
        agents.push(AgentProfile::read(&mut reader, name));
        file.close(reader);
    }
    file.finish().map(|()| Contestants { profiles, agents }).map_err(|mut bad| {
        bad.problems.sort_by_key(|problem| problem.place.at);
        bad
    })
}

fn profile(file: &mut Reader, name: String, layers: Fields) -> Profile {
    let mut reader = Reader::within(format!("players.{name}."), layers);
    let place = reader.whole();
    if let Err(problem) = check_name(&name) {
        reader.problem(&place, problem);
    }
    let [url_place, budget_place, seed_place, thinking_place, field_place] =
        ["base_url", "max_usd", "seed", "thinking", "max_tokens_field"].map(|key| reader.place(key));
    let has_field = reader.has("max_tokens_field");
    let model = reader.text("model");
    let profile = fields(&mut reader, name, model);
    if profile.variables().next().is_some() && is_open(&profile.base_url) {
        let message = "the key would go over the network in the open; write https://, or leave out api_key_env where \
                       the endpoint wants none";
        reader.problem(&url_place, message);
    }
    if profile.max_usd_match.is_some() && profile.price.is_none() {
        let message = "money can only be counted where the price is known; add one, like \
                       price = { input = 0.25, cached_input = 0.025, output = 2.0 }";
        reader.problem(&budget_place, message);
    }
    // What a wire format has no place for would be left out without a word.
    let api = profile.api;
    if profile.seed.is_some() && matches!(api, Api::Responses | Api::Anthropic) {
        reader.problem(&seed_place, format!("api \"{api}\" takes no seed; leave it out"));
    }
    if matches!((api, profile.thinking), (Api::Responses, Some(Thinking::Tokens(_)))) {
        let message = "api \"responses\" counts no tokens of thinking; write reasoning_effort = \"low\", say";
        reader.problem(&thinking_place, message);
    }
    if let Some(Thinking::Tokens(tokens)) = profile.thinking.filter(|_| api != Api::Responses)
        && tokens >= profile.max_output_tokens
    {
        let message = format!(
            "thinking = {tokens} leaves no room for an answer in max_output_tokens = {}; write max_output_tokens = {}, say",
            profile.max_output_tokens,
            tokens.saturating_add(4096)
        );
        reader.problem(&thinking_place, message);
    }
    if has_field && api != Api::Chat {
        reader.problem(&field_place, format!("only api = \"chat\" has a choice of it, and this is \"{api}\""));
    }
    file.close_layered(reader);
    profile
}

/// All fields but the model, which defaults need not have.
fn fields(reader: &mut Reader, name: String, model: String) -> Profile {
    for key in ["api_key", "api-key", "apikey", "key", "token"] {
        reader.refuse(key, NO_KEYS);
    }
    let api = reader.optional("api", |reader, key| reader.choice(key, &Api::ALL.map(|api| (api.name(), api))));
    let base_url = reader.optional("base_url", base_url);
    // Whoever is known at an address wants this format and that key. Where no address is given, the format says who it is.
    let known = match &base_url {
        Some(base_url) => Provider::at(base_url),
        None => Some(api.map_or(&PROVIDERS[0], Api::provider)),
    };
    let base_url = base_url.unwrap_or_else(|| known.map_or("", |known| known.base_url).to_owned());
    let default = known.map_or_else(|| Profile::at(&base_url, ""), |known| known.profile(""));
    let api = api.unwrap_or(default.api);
    let reasoning_effort = reader.optional("reasoning_effort", Reader::text);
    let thinking = reader.optional("thinking", thinking);
    let thinking = thinking.or_else(|| known.and_then(|known| known.thinking(api, &model)));
    Profile {
        name,
        api,
        model,
        api_key_env: reader.optional("api_key_env", key_name).or(default.api_key_env),
        headers: headers(reader, "headers"),
        language: reader.optional("lang", |reader, key| reader.choice(key, &Language::NAMES)),
        prompt: reader.optional("prompt", Reader::text).unwrap_or(default.prompt),
        mode: reader
            .optional("mode", |reader, key| reader.choice(key, &Mode::ALL.map(|mode| (mode.name(), mode))))
            .unwrap_or(default.mode),
        #[expect(clippy::cast_possible_truncation, reason = "endpoints tell no finer temperatures apart")]
        temperature: reader.optional("temperature", |reader, key| reader.decimal(key, 0.0..=2.0) as f32),
        max_output_tokens: reader
            .optional("max_output_tokens", |reader, key| reader.int(key, 1..=1_000_000))
            .unwrap_or_else(|| Profile::default_output(api, known, reasoning_effort.as_deref(), thinking)),
        reasoning_effort,
        thinking,
        tool_choice: reader.optional("tool_choice", |reader, key| reader.choice(key, &ToolChoice::NAMES)),
        max_tokens_field: reader
            .optional("max_tokens_field", |reader, key| reader.choice(key, &MaxTokensField::NAMES))
            .unwrap_or(default.max_tokens_field),
        seed: reader.optional("seed", |reader, key| reader.int(key, i64::MIN..=i64::MAX)),
        stream: reader.optional("stream", Reader::flag).unwrap_or(default.stream),
        extra_body: reader.optional("extra_body", Reader::json).unwrap_or_default(),
        timeout: reader
            .optional("timeout", |reader, key| Duration::from_secs_f64(reader.decimal(key, 0.1..=3600.0)))
            .unwrap_or(default.timeout),
        price: reader.optional("price", |reader, key| price(reader, key, api)),
        limits: EndpointLimits {
            requests_per_minute: reader.optional("requests_per_minute", |reader, key| reader.int(key, 1..=1_000_000)),
            tokens_per_minute: reader.optional("tokens_per_minute", |reader, key| reader.int(key, 1..=1_000_000_000)),
            concurrency: reader
                .optional("concurrency", |reader, key| reader.int(key, 1..=10_000))
                .unwrap_or(default.limits.concurrency),
        },
        max_usd_match: reader.optional("max_usd", |reader, key| reader.decimal(key, 0.0..=1_000_000.0)),
        base_url,
    }
}

fn price(reader: &mut Reader, key: &'static str, api: Api) -> Price {
    let problems = reader.problems.len();
    let mut table = reader.table(key);
    if reader.problems.len() > problems {
        return Price { input: 0.0, cached_input: 0.0, cache_write: 0.0, output: 0.0 };
    }
    let dollars = |table: &mut Reader, key| table.decimal(key, 0.0..=100_000.0);
    let input = dollars(&mut table, "input");
    let cached_input = table.optional("cached_input", dollars).unwrap_or(input);
    // Anthropic has always billed what it writes to its cache at a quarter more.
    let usual = if api == Api::Anthropic { input * 1.25 } else { input };
    let cache_write = table.optional("cache_write", dollars).unwrap_or(usual);
    let output = dollars(&mut table, "output");
    reader.close(table);
    Price { input, cached_input, cache_write, output }
}

/// True, false, or a number of tokens.
fn thinking(reader: &mut Reader, key: &'static str) -> Thinking {
    match reader.flag_or_int(key, 1..=1_000_000) {
        FlagOrInt::Flag(true) => Thinking::On,
        FlagOrInt::Flag(false) => Thinking::Off,
        FlagOrInt::Int(tokens) => Thinking::Tokens(tokens),
    }
}

/// Headers by their names, in small letters. One that is secret by its name is not written into the file.
fn headers(reader: &mut Reader, key: &'static str) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    for (name, value, place) in reader.texts_by_name(key) {
        let name = name.to_ascii_lowercase();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_secret = ["auth", "key", "token", "secret", "cookie"].iter().any(|part| name.contains(part));
        if name.is_empty() || !name.chars().all(is_name) {
            reader.problem(&place, format!("`{}` is no name of a header", crate::settings::shorten(&name)));
        } else if ["host", "content-type", "content-length", "transfer-encoding"].contains(&name.as_str()) {
            reader.problem(&place, format!("`{name}` is set by the program itself"));
        } else if !value.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
            reader.problem(&place, format!("the header `{name}` must be of plain ASCII characters"));
        } else if let Some(bad) = variables(&value).find(|name| !is_variable(name)) {
            let bad = crate::settings::shorten(bad);
            reader.problem(&place, format!("`${{{bad}}}` names no environment variable: those are in capitals"));
        } else if is_secret && variables(&value).next().is_none() {
            let message = format!(
                "the header `{name}` holds a key, which does not belong in a file; put it into an environment variable \
                 and write {name} = \"${{NAME}}\""
            );
            reader.problem(&place, message);
        }
        headers.insert(name, value);
    }
    headers
}

/// Whether it can be the name of an environment variable. Keys have small letters or a `-` in them: capitals alone tell
/// the two apart.
pub(in crate::players) fn is_variable(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Where the endpoint is, without a slash at its end.
fn base_url(reader: &mut Reader, key: &'static str) -> String {
    let place = reader.place(key);
    let text = reader.text(key);
    // What is wrong with it is said without it: it may hold a password.
    let problem = match Url::parse(&text) {
        Err(_) if text.is_empty() => None,
        Err(error) => Some(format!("no address: {error}; write one like {}", PROVIDERS[0].base_url)),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Some("an endpoint is at http:// or https://".to_owned())
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => Some(NO_KEYS.to_owned()),
        Ok(url) if url.fragment().is_some() => Some("an address ends before `#`".to_owned()),
        Ok(url) if url.query_pairs().any(|(name, _)| ["key", "api_key", "api-key", "token"].contains(&&*name)) => {
            Some(NO_KEYS.to_owned())
        }
        Ok(_) => None,
    };
    if let Some(problem) = problem {
        reader.problem(&place, problem);
        return String::new();
    }
    text.trim_end_matches('/').to_owned()
}

/// Whether what is sent there can be read on its way: not encrypted, and to another machine.
fn is_open(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !is_here
}

/// The name of an environment variable.
fn key_name(reader: &mut Reader, key: &'static str) -> String {
    let place = reader.place(key);
    let name = reader.text(key);
    if !name.is_empty() && !is_variable(&name) {
        let message = format!("`{key}` is the name of an environment variable, in capitals; {NO_KEYS}");
        reader.problem(&place, message);
    }
    name
}

/// What a player may be called: nothing that `--players` could read otherwise.
pub(in crate::players) fn check_name(name: &str) -> Result<(), String> {
    let shown = crate::settings::shorten(name);
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.chars().count() > 64 || !name.chars().all(fits) {
        return Err(format!("`{shown}` is no name for a player: up to 64 letters, digits, `-`, `_` and `.`"));
    }
    if name.eq_ignore_ascii_case("human") || name.parse::<BotSpec>().is_ok() {
        return Err(format!("`{shown}` is the name of a player that is built in; choose another"));
    }
    if Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return Err(format!("`{shown}` looks like a file; choose another name"));
    }
    Ok(())
}
