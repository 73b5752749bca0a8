//! A case: what the server does, and what the record must say of it.

use std::time::Duration;

use standoff::briefs::Language;
use standoff::players::{Api, Mode};

use super::reply::Reply;
use super::server::Script;

/// What is written of a second turn in which all is well.
const WELL: &str = "move east, 1 call";

/// One way to misbehave.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: &'static str,
    /// The wire format.
    pub(super) api: Api,
    pub(super) mode: Mode,
    pub(super) language: Language,
    pub(super) script: Script,
    /// What the record says of the first turn; or why the match is suspended.
    pub(super) verdict: &'static str,
    /// What the record says of the second.
    pub(super) then: &'static str,
    /// How many requests the server sees in the whole match.
    pub(super) requests: usize,
    /// The player's clock for a turn; 0 is none.
    pub(super) turn_seconds: u32,
    /// Whether answers are asked for piece by piece.
    pub(super) stream: bool,
    /// How long a request may take.
    pub(super) timeout: Duration,
    /// Whether there is a server at all.
    pub(super) served: bool,
    /// How long the player waits at least before its second request.
    pub(super) waits: Duration,
    /// How many connections the requests come over, where that matters.
    pub(super) connections: Option<usize>,
    /// What only the server understands, and must be in the second request as it came.
    pub(super) carries: Option<&'static str>,
}

impl Case {
    /// Some replies in the first turn and what comes of them. After the last reply the server is good.
    pub(super) fn new(
        name: &'static str,
        mode: Mode,
        replies: impl IntoIterator<Item = Reply>,
        verdict: &'static str,
    ) -> Case {
        let replies: Vec<Reply> = replies.into_iter().collect();
        let suspended = verdict.starts_with("suspended");
        let requests = if suspended { replies.len() } else { replies.len() + 1 };
        let script = Script { replies, forever: false };
        let (language, then) = (Language::En, if suspended { "" } else { WELL });
        Case {
            name,
            api: Api::Chat,
            mode,
            language,
            script,
            verdict,
            then,
            requests,
            turn_seconds: 0,
            stream: false,
            timeout: Duration::from_mins(2),
            served: true,
            waits: Duration::ZERO,
            connections: None,
            carries: None,
        }
    }

    pub(super) fn tools(name: &'static str, replies: impl IntoIterator<Item = Reply>, verdict: &'static str) -> Case {
        Case::new(name, Mode::Tools, replies, verdict)
    }

    /// The last reply comes again and again, to this many requests in all.
    pub(super) fn forever(mut self, requests: usize) -> Case {
        self.script.forever = true;
        self.requests = requests;
        self
    }

    /// Some of the replies belong to the second turn, of which the record says this.
    pub(super) fn then(mut self, verdict: &'static str) -> Case {
        self.then = verdict;
        self.requests -= 1;
        self
    }

    pub(super) fn streamed(mut self) -> Case {
        self.stream = true;
        self
    }

    pub(super) fn in_chinese(mut self) -> Case {
        self.language = Language::Zh;
        self
    }

    pub(super) fn within(mut self, turn_seconds: u32) -> Case {
        self.turn_seconds = turn_seconds;
        self
    }

    /// With so little time for a request that a stall is soon noticed.
    pub(super) fn hurried(mut self) -> Case {
        self.timeout = Duration::from_secs(8);
        self
    }

    pub(super) fn waits(mut self, seconds: u64) -> Case {
        self.waits = Duration::from_secs(seconds);
        self
    }

    pub(super) fn over(mut self, connections: usize) -> Case {
        self.connections = Some(connections);
        self
    }

    pub(super) fn over_api(mut self, api: Api) -> Case {
        self.api = api;
        self
    }

    pub(super) fn carries(mut self, thought: &'static str) -> Case {
        self.carries = Some(thought);
        self
    }

    pub(super) fn unserved(mut self) -> Case {
        self.served = false;
        self.requests = 0;
        self
    }

    /// The model's name, which tells the server what to do.
    pub(super) fn model(&self) -> String {
        format!("canary-{}", self.name)
    }
}
