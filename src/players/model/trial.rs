//! Trying out what an endpoint takes of a profile.

use std::sync::Arc;

use super::check::{Advice, Check, CheckFinding, room, tools_form, words};
use super::conversation::{Form, Message};
use super::failure::Failure;
use super::reply::{Reply, ToolCall};
use super::{Model, body};
use crate::briefs::{AnswerBy, Language};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::players::profile::{Api, MaxTokensField, Mode, Profile, Thinking, ToolChoice};

/// A profile that is changed until the endpoint takes it.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    pub(super) model: &'a Model,
    pub(super) profile: Profile,
    /// What was changed.
    pub(super) advice: Vec<Advice>,
}

/// What may be wrong with a profile: what the endpoint then says, whether it can be that, and what to change.
struct Remedy {
    said: &'static str,
    fits: fn(&Profile) -> bool,
    change: fn(&mut Profile),
    line: &'static str,
}

/// Those with the longer words come first: what is said of `max_completion_tokens` has `max_tokens` in it.
const REMEDIES: [Remedy; 12] = [
    Remedy {
        said: "max_completion_tokens",
        fits: |profile| profile.api == Api::Chat && profile.max_tokens_field == MaxTokensField::MaxTokens,
        change: |profile| profile.max_tokens_field = MaxTokensField::MaxCompletionTokens,
        line: "max_tokens_field = \"max_completion_tokens\"",
    },
    Remedy {
        said: "max_completion_tokens",
        fits: |profile| profile.api == Api::Chat && profile.max_tokens_field == MaxTokensField::MaxCompletionTokens,
        change: |profile| profile.max_tokens_field = MaxTokensField::MaxTokens,
        line: "max_tokens_field = \"max_tokens\"",
    },
    Remedy {
        said: "encrypted",
        fits: |profile| profile.api == Api::Responses && profile.thinking != Some(Thinking::Off),
        change: |profile| profile.thinking = Some(Thinking::Off),
        line: "thinking = false",
    },
    Remedy {
        said: "tool_choice",
        fits: |profile| !matches!(profile.tool_choice, Some(ToolChoice::Auto | ToolChoice::None)),
        change: |profile| profile.tool_choice = Some(ToolChoice::Auto),
        line: "tool_choice = \"auto\"",
    },
    Remedy {
        said: "tool_choice",
        fits: |profile| profile.tool_choice == Some(ToolChoice::Auto),
        change: |profile| profile.tool_choice = Some(ToolChoice::None),
        line: "tool_choice = \"none\"",
    },
    Remedy {
        said: "stream",
        fits: |profile| profile.stream && profile.api != Api::Gemini,
        change: |profile| profile.stream = false,
        line: "stream = false",
    },
    Remedy {
        said: "temperature",
        fits: |profile| profile.temperature.is_some(),
        change: |profile| profile.temperature = None,
        line: "no temperature",
    },
    Remedy {
        said: "seed",
        fits: |profile| profile.seed.is_some(),
        change: |profile| profile.seed = None,
        line: "no seed",
    },
    Remedy {
        said: "adaptive",
        fits: |profile| profile.thinking == Some(Thinking::On),
        change: |profile| profile.thinking = Some(Thinking::Tokens(4096)),
        line: "thinking = 4096",
    },
    Remedy {
        said: "effort",
        fits: |profile| profile.reasoning_effort.is_some(),
        change: |profile| profile.reasoning_effort = None,
        line: "no reasoning_effort",
    },
    Remedy {
        said: "thinking",
        fits: |profile| profile.reasoning_effort.is_some() && profile.thinking.is_none(),
        change: |profile| profile.reasoning_effort = None,
        line: "no reasoning_effort",
    },
    Remedy {
        said: "thinking",
        fits: |profile| profile.thinking.is_some(),
        change: |profile| profile.thinking = None,
        line: "no thinking",
    },
];

impl Trial<'_> {
    /// Asks, and asks again without what the endpoint does not take. Also says whether the answer came in pieces.
    pub(super) async fn ask(&mut self, form: &Form, question: &str) -> Result<(Reply, bool), Failure> {
        let mut messages = vec![Message::User(question.to_owned())];
        if *form == Form::Text {
            // As long a prompt as in a match: a short one is in no cache.
            let ruleset = Ruleset::named("cowboy").expect("it is built in");
            let system =
                self.model.inner.variant.system_prompt(&ruleset, 2, Seat::new(0), AnswerBy::Text, Language::En);
            messages.insert(0, Message::System(Arc::new(system)));
        }
        self.say(form, &messages).await
    }

    /// Goes on after a tool was called, as a turn does whose action is refused: what the model said goes back, with the
    /// results of its calls.
    pub(super) async fn ask_again(&mut self, reply: &Reply) -> Result<(), Failure> {
        let Reply { content, calls, received, .. } = reply.clone();
        let result = |call: &ToolCall| Message::Tool { id: call.id.clone(), text: words("again") };
        let results: Vec<Message> = calls.iter().map(result).collect();
        let said = Message::Assistant { content, calls, received: Some(received) };
        let messages: Vec<Message> = [Message::User(words("question")), said].into_iter().chain(results).collect();
        self.say(&tools_form(), &messages).await.map(drop)
    }

    async fn say(&mut self, form: &Form, messages: &[Message]) -> Result<(Reply, bool), Failure> {
        loop {
            let failure = match self.once(form, messages).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let said = failure.detail.to_lowercase();
            let tried = |remedy: &Remedy| self.advice.iter().any(|advice| advice.change == remedy.line);
            let helps = |remedy: &&Remedy| said.contains(remedy.said) && (remedy.fits)(&self.profile) && !tried(remedy);
            let remedy = REMEDIES.iter().find(helps).filter(|_| failure.is_unsupported());
            let Some(remedy) = remedy else {
                self.hint(&said);
                return Err(failure);
            };
            (remedy.change)(&mut self.profile);
            self.advice.push(Advice { change: remedy.line.to_owned(), why: failure.detail });
        }
    }

    async fn once(&self, form: &Form, messages: &[Message]) -> Result<(Reply, bool), Failure> {
        let text = body(&self.profile, messages, form, room(&self.profile));
        let received = self.model.inner.endpoint.post(text, self.profile.stream).await?;
        let reply = self.model.inner.format.read(&received.json)?;
        Ok((reply, received.first_token.is_some()))
    }

    /// What an endpoint says that wants another wire format.
    fn hint(&mut self, said: &str) {
        if self.profile.api == Api::Chat && (said.contains("/responses") || said.contains("responses api")) {
            let why = "the endpoint says that this model wants the Responses API".to_owned();
            self.advice.push(Advice { change: "api = \"responses\"".to_owned(), why });
        }
    }

    /// What else to change after all that was found.
    pub(super) fn advise(&mut self, check: &Check) {
        let mut say = |change: &str, why: &str| {
            self.advice.push(Advice { change: change.to_owned(), why: why.to_owned() });
        };
        let unable = match self.profile.mode {
            Mode::Tools => matches!(check.tools, CheckFinding::No(_)),
            Mode::Json => matches!(check.json_schema, CheckFinding::No(_)),
            Mode::Text | Mode::Auto => false,
        };
        if let Some(mode) = check.mode.filter(|_| unable) {
            say(&format!("mode = \"{mode}\""), "that works, and what the profile says does not");
        }
        let limit = self.profile.max_output_tokens;
        if check.thinking == CheckFinding::Yes && limit < 8192 {
            let why = format!("it thinks, and its thoughts count: {limit} may be used up before it acts");
            say("max_output_tokens = 16384", &why);
        }
        if check.caching == CheckFinding::Yes
            && self.profile.price.is_some_and(|price| price.cached_input >= price.input)
        {
            say("price = { …, cached_input = … }", "it reads from a cache, which usually costs less");
        }
        if check.cache_writes && self.profile.price.is_some_and(|price| price.cache_write <= price.input) {
            say(
                "price = { …, cache_write = … }",
                "it bills what it writes to its cache apart, which usually costs more",
            );
        }
    }
}
