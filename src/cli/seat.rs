//! Who is to sit on a seat, as `--players` names them.
//!
//! `--players` is a list with commas: `--players human,search`. Given more than once, each names one player and its
//! commas are its own: `--players 'process:./bot --depths 1,2' --players search`.

use std::fmt;
use std::path::PathBuf;

use crate::bots::{BOTS, BotSpec, ParseBotError};
use crate::players::agent::AgentProfile;
use crate::players::profile::{Contestants, PROVIDERS, Profile, Provider};
use crate::settings::{did_you_mean, shorten};

/// Who sits on a seat.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerSpec {
    /// A person at this terminal.
    Human,
    /// A built-in bot.
    Bot(BotSpec),
    /// A language model.
    Model(Box<Profile>),
    /// A program that speaks JSON lines, by its command line.
    Process(String),
    /// What a file says, answer by answer.
    Scripted(PathBuf),
    /// An agent of the configuration.
    Agent(Box<AgentProfile>),
}

/// A text that names no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatError {
    /// Nobody is called that.
    #[error("no player `{}`; available: {}{}", shorten(text), KnownPlayers(profiles), meant(text, profiles))]
    Unknown {
        /// What was written.
        text: String,
        /// The profiles that there are.
        profiles: Vec<String>,
    },
    /// A list where `--players` is repeated.
    #[error("`{}` is a list: write --players once with all of them, or once for each player", shorten(.0))]
    List(String),
    /// Nothing stands behind the colon.
    #[error("`{kind}:` names nobody: write {kind}:{wanted}")]
    Nothing {
        /// What stands before the colon.
        kind: &'static str,
        /// What belongs behind it.
        wanted: String,
    },
    /// A bot that is asked for what it cannot do.
    #[error(transparent)]
    Bot(ParseBotError),
}

/// Whom somebody may have meant.
fn meant(text: &str, profiles: &[String]) -> String {
    did_you_mean(text, std::iter::once("human").chain(BOTS).chain(profiles.iter().map(String::as_str)))
}

/// Everybody there is, for messages.
struct KnownPlayers<'a>(&'a [String]);

impl fmt::Display for KnownPlayers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots = BOTS.into_iter();
        let known: Vec<&str> = std::iter::once("human").chain(bots).chain(self.0.iter().map(String::as_str)).collect();
        let models = PROVIDERS.map(|provider| format!("{}:MODEL", provider.word)).join(", ");
        write!(f, "{}, {models}, agent:NAME, process:COMMAND and scripted:FILE", known.join(", "))
    }
}

impl PlayerSpec {
    /// Everybody whom the values of `--players` name, in seat order.
    ///
    /// # Errors
    /// With the first that names nobody.
    pub fn list(values: &[String], known: &Contestants) -> Result<Vec<PlayerSpec>, SeatError> {
        match values {
            [list] => list.split(',').map(|item| PlayerSpec::parse(item, known)).collect(),
            _ => values.iter().map(|item| PlayerSpec::parse_whole(item, known)).collect(),
        }
    }

    /// The player that one item of `--players` names.
    ///
    /// # Errors
    /// If it names nobody.
    pub fn parse(item: &str, known: &Contestants) -> Result<PlayerSpec, SeatError> {
        let item = item.trim();
        if item.eq_ignore_ascii_case("human") {
            return Ok(PlayerSpec::Human);
        }
        if let Some(profile) = known.profiles.iter().find(|profile| profile.name == item) {
            return Ok(PlayerSpec::Model(Box::new(profile.clone())));
        }
        let (kind, rest) = item.split_once(':').unwrap_or((item, ""));
        let rest = rest.trim();
        let some = |kind, wanted: &str| match rest {
            "" => Err(SeatError::Nothing { kind, wanted: wanted.to_owned() }),
            rest => Ok(rest),
        };
        let kind = kind.trim_end();
        if let Some(provider) = Provider::named(kind) {
            let wanted = format!("MODEL, like {}:{}", provider.word, provider.example);
            return some(provider.word, &wanted).map(|model| PlayerSpec::Model(Box::new(provider.profile(model))));
        }
        match kind.to_ascii_lowercase().as_str() {
            "process" => some("process", "COMMAND, like 'process:python3 bot.py'")
                .map(|command| PlayerSpec::Process(command.to_owned())),
            "scripted" => some("scripted", "FILE, like scripted:answers.txt")
                .map(|file| PlayerSpec::Scripted(PathBuf::from(file))),
            "agent" => {
                let name = some("agent", "NAME, one of [agents.NAME] in the configuration")?;
                let found = known.agents.iter().find(|agent| agent.name == name);
                let unknown = || SeatError::Unknown { text: item.to_owned(), profiles: names(known) };
                found.map(|agent| PlayerSpec::Agent(Box::new(agent.clone()))).ok_or_else(unknown)
            }
            _ => item.parse().map(PlayerSpec::Bot).map_err(|error| match error {
                ParseBotError::Unknown(text) => SeatError::Unknown { text, profiles: names(known) },
                error => SeatError::Bot(error),
            }),
        }
    }

    fn parse_whole(item: &str, known: &Contestants) -> Result<PlayerSpec, SeatError> {
        PlayerSpec::parse(item, known).map_err(|error| match error {
            SeatError::Unknown { text, .. } if text.contains(',') => SeatError::List(text),
            error => error,
        })
    }
}

/// Everybody whom the configuration names.
fn names(known: &Contestants) -> Vec<String> {
    let models = known.profiles.iter().map(|profile| profile.name.clone());
    models.chain(known.agents.iter().map(ToString::to_string)).collect()
}

/// The name that records give the player.
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Human => f.pad("human"),
            PlayerSpec::Bot(spec) => spec.fmt(f),
            PlayerSpec::Model(profile) => f.pad(&profile.name),
            PlayerSpec::Process(command) => write!(f, "process:{command}"),
            PlayerSpec::Scripted(file) => write!(f, "scripted:{}", file.display()),
            PlayerSpec::Agent(agent) => agent.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Api;

    fn profiles() -> Vec<Profile> {
        vec![Profile { name: "local".to_owned(), ..Profile::at("http://127.0.0.1:8080/v1", "smollm2") }]
    }

    fn list(values: &[&str]) -> Result<Vec<PlayerSpec>, SeatError> {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        PlayerSpec::list(&values, &profiles().into())
    }

    #[test]
    fn each_player_goes_into_records_by_the_name_it_was_asked_for() {
        let all = "human,greedy,search:500ms,openai:gpt-5-mini,local,process:python3 bot.py,scripted:a/b.txt";
        let seated = list(&[all]).expect("all of them are there");
        let names: Vec<String> = seated.iter().map(ToString::to_string).collect();
        assert_eq!(names.join(","), all);
    }

    #[test]
    fn spaces_and_capitals_do_not_matter() {
        let names = |text| list(&[text]).expect("known").iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(" Human , OpenAI: gpt-5 , RANDOM"), ["human", "openai:gpt-5", "random"]);
    }

    #[test]
    fn a_model_by_its_name_alone_has_all_defaults() {
        for (word, api, base_url, key) in [
            ("openai", Api::Responses, "https://api.openai.com/v1", "OPENAI_API_KEY"),
            ("anthropic", Api::Anthropic, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
            ("gemini", Api::Gemini, "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
            ("openrouter", Api::Chat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ] {
            let seated = list(&[&format!("{word}:a/b:c")]).expect("it is one");
            let name = format!("{word}:a/b:c");
            let wanted = Profile { name, api, api_key_env: Some(key.to_owned()), ..Profile::at(base_url, "a/b:c") };
            let PlayerSpec::Model(profile) = &seated[0] else { panic!("{seated:?}") };
            let Profile { max_output_tokens, max_tokens_field, .. } = **profile;
            assert_eq!(**profile, Profile { max_output_tokens, max_tokens_field, ..wanted });
        }
    }

    #[test]
    fn a_command_keeps_its_commas_where_the_flag_is_repeated() {
        let seated = list(&["process:./bot --depths 1,2", "local"]).expect("two players");
        assert_eq!(seated[0], PlayerSpec::Process("./bot --depths 1,2".to_owned()));
        assert_eq!(seated.len(), 2);
        assert_eq!(list(&["greedy,random", "local"]), Err(SeatError::List("greedy,random".to_owned())));
    }

    #[test]
    fn whoever_is_not_there_is_told_who_is() {
        for (text, said) in [
            (
                "lokal",
                "no player `lokal`; available: human, random, greedy, search, local, openai:MODEL, anthropic:MODEL, gemini:MODEL, openrouter:MODEL, agent:NAME, process:COMMAND and scripted:FILE; did you mean `local`?",
            ),
            ("openai:", "`openai:` names nobody: write openai:MODEL, like openai:gpt-5-mini"),
            ("Gemini", "`gemini:` names nobody: write gemini:MODEL, like gemini:gemini-2.5-flash"),
            ("process", "`process:` names nobody: write process:COMMAND, like 'process:python3 bot.py'"),
            (
                "",
                "no player ``; available: human, random, greedy, search, local, openai:MODEL, anthropic:MODEL, gemini:MODEL, openrouter:MODEL, agent:NAME, process:COMMAND and scripted:FILE",
            ),
            ("greedy:5", "`greedy` takes no budget: write `greedy` alone, or `search:5`"),
        ] {
            assert_eq!(list(&[text]).expect_err(text).to_string(), said);
        }
    }
}
