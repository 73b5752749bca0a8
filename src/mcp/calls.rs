//! What the tools do.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ProgressNotificationParam, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::answer::{self, ToolAnswer};
use super::args::{self, ActArgs, GetState, JoinArgs, NewMatchArgs, Speak, Whose};
use super::person::{self, PersonReply};
use super::{Mine, Server};
use crate::arena::{ArenaError, MatchRequest, MatchSettings, SeatChoice, SeatHandle, SeatKey, Stage};
use crate::briefs::{self, Hint};
use crate::games::Ruleset;
use crate::games::seat::Seat;
use crate::games::speech::Speech;

/// How long a call waits for the others by default: shorter than the timeout of most hosts.
pub(super) const WAIT: Duration = Duration::from_secs(25);

/// No call waits longer, whatever it asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(50);

/// How often a waiting call shows that it lives.
const PROGRESS: Duration = Duration::from_secs(5);

/// A call and what it came with.
pub(super) struct ToolRequest {
    pub(super) params: CallToolRequestParams,
    pub(super) context: RequestContext<RoleServer>,
}

/// Why there is no answer but words.
#[derive(Debug)]
pub(super) struct ToolRefusal(pub(super) String);

impl From<ArenaError> for ToolRefusal {
    fn from(error: ArenaError) -> ToolRefusal {
        let way_out = match &error {
            ArenaError::NoMatch(_) => ". list_matches shows those that there are; new_match begins one",
            ArenaError::NoSeat => ". list_matches shows the matches; new_match begins one",
            _ => "",
        };
        ToolRefusal(format!("{error}{way_out}"))
    }
}

fn refuse(text: impl Into<String>) -> ToolRefusal {
    ToolRefusal(text.into())
}

impl Server {
    pub(super) async fn call(&self, tool: &Tool, mut call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let arguments = call.params.arguments.take();
        match &*call.params.name {
            "new_match" => self.new_match(args::read(tool, arguments).map_err(refuse)?, call).await,
            "join_match" => self.join_match(args::read(tool, arguments).map_err(refuse)?, call).await,
            "get_state" => self.get_state(args::read(tool, arguments).map_err(refuse)?, call).await,
            "act" => self.act(args::read(tool, arguments).map_err(refuse)?, call).await,
            "list_legal_actions" => {
                self.legal(&args::read::<Whose>(tool, arguments).map_err(refuse)?).await.map(Into::into)
            }
            "speak" => self.speak(args::read(tool, arguments).map_err(refuse)?, call).await,
            "list_matches" => Ok(self.list_matches().into()),
            _ => self.resign(&args::read::<Whose>(tool, arguments).map_err(refuse)?).await.map(Into::into),
        }
    }

    async fn new_match(&self, wanted: NewMatchArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let language = args::language(wanted.language.as_deref()).map_err(refuse)?;
        let ruleset = ruleset(&wanted).map_err(refuse)?;
        let opponents =
            wanted.opponents.unwrap_or_else(|| vec!["search".to_owned(); ruleset.players.default.max(2) - 1]);
        let name = client_name(&call.context);
        let mut chairs: Vec<SeatChoice> = opponents.iter().map(|name| invited(name)).collect();
        if chairs.contains(&SeatChoice::Person) && !person::can_be_asked(&call.context) {
            return Err(refuse(
                "Your client cannot ask its user by form. Leave the seat open instead (opponents: [\"open\"]) and let the person join from another client, or let them play in a terminal with `standoff play`.",
            ));
        }
        let seat = match wanted.seat.as_deref() {
            None => Seat::new(0),
            Some(seat) => seat
                .parse()
                .ok()
                .filter(|seat: &Seat| seat.index() <= chairs.len())
                .ok_or_else(|| refuse(format!("seat is one of A to {}", Seat::new(chairs.len()))))?,
        };
        chairs.insert(seat.index(), SeatChoice::Me(name));
        let seed = match wanted.seed.as_deref() {
            None => None,
            Some(seed) => Some(seed.parse().map_err(|error| refuse(format!("seed: {error}")))?),
        };
        let settings = MatchSettings {
            language,
            withhold_legal: wanted.withhold_legal.unwrap_or(false),
            ..MatchSettings::default()
        };
        let request = MatchRequest { ruleset, chairs, seed, settings };
        let opened = self.shared.arena.open(&request).await?;
        let (seated, key) = opened.mine.into_iter().next().expect("one seat was asked for by name");
        self.remember(&seated, &key);
        // Whoever leaves a seat open wants the match's name now, to pass it on; and a person is asked when the assistant
        // knows its key, so that no answer can get lost with it.
        if seated.view().stage != Stage::Gathering && seated.person().is_none() {
            self.wait(&seated, WAIT, &call).await?;
        }
        Ok(ToolAnswer::of(seated.live(), &seated.view()).with_seat(&seated, &key).done().into())
    }

    async fn join_match(&self, join: JoinArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let (seated, key) = if let Some(key) = &join.whose.seat_key {
            let key = SeatKey::claimed(key);
            (self.shared.arena.seat(&key).await?, key)
        } else {
            let match_id = match &join.whose.match_id {
                Some(match_id) => match_id.clone(),
                None => self.only_open()?,
            };
            let seat = match join.seat.as_deref() {
                None => None,
                Some(seat) => Some(seat.parse().map_err(|_| refuse("seat is a letter, like B"))?),
            };
            self.shared.arena.join(&match_id, seat, &client_name(&call.context)).await?
        };
        self.remember(&seated, &key);
        Ok(ToolAnswer::of(seated.live(), &seated.view()).with_seat(&seated, &key).done().into())
    }

    async fn get_state(&self, wanted: GetState, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let at_most = Duration::from_secs(wanted.wait_seconds.unwrap_or(0)).min(LONGEST_WAIT);
        let seated = match self.seated(&wanted.whose).await {
            Ok(seated) => seated,
            Err(Unseated::Watching(match_id)) => {
                let live = self.shared.arena.watch(&match_id).await?;
                if !at_most.is_zero() {
                    live.changed(live.glance(None).version, at_most).await;
                }
                return Ok(self.show(&live, None).into());
            }
            Err(Unseated::Refused(refused)) => return Err(refused),
        };
        let before = seated.glance();
        if let Some(input) = self.wait(&seated, at_most, &call).await? {
            return Ok(input);
        }
        let live = seated.live();
        let now = seated.glance();
        // Who waited in vain has seen the board.
        let idle = !at_most.is_zero() && !now.your_turn && now == before && now.stage == Stage::Playing;
        Ok(if idle { ToolAnswer::waiting(live, &seated.view()).done() } else { self.show(live, Some(seated.seat())) }
            .into())
    }

    async fn act(&self, wanted: ActArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let seated = self.seated(&wanted.whose).await.map_err(Unseated::for_action)?;
        let turn = wanted.turn.map(|turn| u32::try_from(turn).unwrap_or(u32::MAX));
        // A call that comes back with a person's answer has acted already.
        if call.params.request_state.is_none() {
            seated
                .act(turn, &wanted.action, wanted.reasoning.as_deref())
                .await
                .map_err(|why| ToolRefusal(answer::refusal(&seated, &wanted.action, &why)))?;
        }
        let at_most = wanted.wait_seconds.map_or(WAIT, Duration::from_secs).min(LONGEST_WAIT);
        if let Some(input) = self.wait(&seated, at_most, &call).await? {
            return Ok(input);
        }
        let view = seated.view();
        let waiting = !view.your_turn && view.stage == Stage::Playing;
        let live = seated.live();
        Ok(if waiting { ToolAnswer::waiting(live, &view) } else { ToolAnswer::of(live, &view) }.done().into())
    }

    async fn legal(&self, whose: &Whose) -> Result<CallToolResult, ToolRefusal> {
        let seated = self.seated(whose).await.map_err(Unseated::for_action)?;
        let (live, view) = (seated.live(), seated.view());
        let language = live.language();
        if !live.legal_shown() {
            let data = json!({ "match_id": live.id() });
            return Ok(answer::finish(briefs::hint(&Hint::Withheld {}, language), data));
        }
        let seen = &view.seen;
        let (legal, effects) = if view.your_turn {
            (seen.legal(seated.seat()), briefs::what_ifs(seen, seated.seat(), language))
        } else {
            (Vec::new(), Vec::new())
        };
        let text = briefs::what_ifs_text(seen, seated.seat(), &effects, language);
        Ok(answer::finish(text, json!({ "match_id": live.id(), "legal_actions": legal, "effects": effects })))
    }

    async fn speak(&self, wanted: Speak, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let seated = self.seated(&wanted.whose).await.map_err(Unseated::for_action)?;
        if seated.live().ruleset().speech == Speech::Turn {
            // Here speaking is the turn's action.
            let action = format!("speak {}", wanted.text);
            let act = ActArgs { whose: wanted.whose, action, turn: None, wait_seconds: None, reasoning: None };
            return self.act(act, call).await;
        }
        seated.say(&wanted.text).await.map_err(|why| ToolRefusal(answer::refusal(&seated, &wanted.text, &why)))?;
        let live = seated.live();
        let view = seated.view();
        let text = briefs::hint(&Hint::Said {}, live.language());
        let data = json!({ "match_id": live.id(), "seat": seated.seat(), "your_turn": view.your_turn });
        Ok(answer::finish(text, data).into())
    }

    async fn resign(&self, whose: &Whose) -> Result<CallToolResult, ToolRefusal> {
        let seated = self.seated(whose).await.map_err(Unseated::for_action)?;
        seated.resign().await.map_err(|why| ToolRefusal(answer::refusal(&seated, "", &why)))?;
        let live = seated.live();
        let mut answer = ToolAnswer::of(live, &seated.view());
        answer.hint(&Hint::Resigned {}, live.language());
        Ok(answer.done())
    }

    fn list_matches(&self) -> CallToolResult {
        let mine = self.mine();
        let mut lines = Vec::new();
        let mut data = Vec::new();
        for live in self.shared.arena.list() {
            let seat = mine.iter().find(|mine| mine.match_id() == live.id()).map(|mine| mine.seated.seat());
            let view = live.view(None);
            if seat.is_none() && view.open.is_empty() {
                continue;
            }
            let names: Vec<String> = view
                .seats
                .iter()
                .map(|sitting| &sitting.info)
                .map(|info| format!("{} {}", info.seat, briefs::quoted(&info.player, live.language())))
                .collect();
            let stage = match &view.stage {
                Stage::Gathering => "open",
                Stage::Playing => "playing",
                Stage::Suspended(_) => "suspended",
                Stage::Over => "over",
            };
            let yours = seat.map(|seat| format!(", you are {seat}")).unwrap_or_default();
            let ruleset = &view.seen.ruleset().name;
            lines.push(format!(
                "- {} {ruleset}, turn {}, {stage}{yours}: {}",
                live.id(),
                view.seen.turn(),
                names.join(", ")
            ));
            data.push(json!({
                "match_id": live.id(), "ruleset": ruleset, "turn": view.seen.turn(), "status": stage, "seat": seat,
                "players": view.seats.iter().map(|sitting| &sitting.info.player).collect::<Vec<_>>(), "open_seats": view.open,
            }));
            if data.len() == 50 {
                break;
            }
        }
        if lines.is_empty() {
            lines.push("No match of yours is in play and no seat is open. new_match begins one.".to_owned());
        }
        answer::finish(lines.join("\n"), json!({ "matches": data }))
    }

    /// The seat that a call is for.
    async fn seated(&self, whose: &Whose) -> Result<SeatHandle, Unseated> {
        if let Some(key) = &whose.seat_key {
            let seated = self
                .shared
                .arena
                .seat(&SeatKey::claimed(key))
                .await
                .map_err(|error| Unseated::Refused(error.into()))?;
            if whose.match_id.as_ref().is_some_and(|id| id != seated.live().id()) {
                return Err(Unseated::Refused(refuse(
                    "That seat key is of another match than match_id: leave match_id out.",
                )));
            }
            return Ok(seated);
        }
        let mine = self.mine();
        let mine: Vec<&Mine> = if let Some(id) = &whose.match_id {
            mine.iter().filter(|mine| mine.match_id() == *id).collect()
        } else {
            let mut live: Vec<&Mine> = mine.iter().filter(|mine| !mine.is_over()).collect();
            if live.is_empty() {
                live.extend(mine.last());
            }
            live
        };
        match (mine.as_slice(), &whose.match_id) {
            // PersonReply for anew: a match that was put away or has stopped goes on when somebody wants it.
            ([mine], _) => self.shared.arena.seat(&mine.key).await.map_err(|error| Unseated::Refused(error.into())),
            ([], Some(id)) => Err(Unseated::Watching(id.clone())),
            ([], None) => Err(Unseated::Refused(refuse(
                "You have no match here yet. new_match begins one; from another session, pass the seat_key that you were given.",
            ))),
            _ => Err(Unseated::Refused(refuse(
                "You have several seats: say which with seat_key (or match_id, where you have one seat in it).",
            ))),
        }
    }

    /// The one match with an open seat, for those who do not say which.
    fn only_open(&self) -> Result<String, ToolRefusal> {
        let all = self.shared.arena.list();
        let open: Vec<&str> =
            all.iter().filter(|live| !live.view(None).open.is_empty()).map(|live| live.id()).collect();
        match open.as_slice() {
            [one] => Ok((*one).to_owned()),
            [] => Err(refuse(
                "No match has an open seat. new_match with opponents [\"open\"] begins one that others can join.",
            )),
            several => {
                Err(refuse(format!("Several matches have open seats, say which with match_id: {}", several.join(", "))))
            }
        }
    }

    /// Waits for a seat's turn, asking the person beside it where it is that one's.
    async fn wait(
        &self,
        seated: &SeatHandle,
        at_most: Duration,
        call: &ToolRequest,
    ) -> Result<Option<CallToolResponse>, ToolRefusal> {
        let until = Instant::now() + at_most;
        let mut reply = person::reply(self, seated, call)?;
        let mut ticks = 0.0;
        loop {
            if let Some(person) = seated.person().filter(|person| person.view().your_turn) {
                match person::ask(self, &person, call, reply.take()).await? {
                    PersonReply::Acted => continue,
                    PersonReply::Input(input) => return Ok(Some((*input).into())),
                    PersonReply::Silent => {
                        let hint = briefs::hint(&Hint::PersonSilent { seat: person.seat() }, seated.live().language());
                        return Err(refuse(hint));
                    }
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            let now = seated.glance();
            let nothing_to_wait_for = now.your_turn || matches!(now.stage, Stage::Over | Stage::Suspended(_));
            if left.is_zero()
                || nothing_to_wait_for
                || call.context.ct.is_cancelled()
                || self.shared.closing.is_cancelled()
            {
                return Ok(None);
            }
            tokio::select! {
                () = seated.live().changed(now.version, left.min(PROGRESS)) => {}
                () = call.context.ct.cancelled() => {}
                () = self.shared.closing.cancelled() => {}
            }
            if let Some(token) = call.context.meta.get_progress_token()
                && seated.glance().version == now.version
            {
                ticks += 1.0;
                let to_act = seated.view().to_act();
                let message = briefs::hint(&Hint::Waiting { to_act }, seated.live().language());
                let progress = ProgressNotificationParam::new(token, ticks).with_message(message);
                let _ = call.context.peer.notify_progress(progress).await;
            }
        }
    }
}

/// Why a call has no seat.
enum Unseated {
    /// It names a match of which this session holds no seat: it may look on.
    Watching(String),
    Refused(ToolRefusal),
}

impl Unseated {
    fn for_action(self) -> ToolRefusal {
        match self {
            Unseated::Watching(match_id) => refuse(format!(
                "You hold no seat in {match_id} here: match_id alone only watches. Pass your seat_key, or take an open seat with join_match."
            )),
            Unseated::Refused(refused) => refused,
        }
    }
}

/// The rules that somebody wants.
fn ruleset(wanted: &NewMatchArgs) -> Result<std::sync::Arc<Ruleset>, String> {
    let name = wanted.ruleset.as_deref().unwrap_or(crate::games::library::DEFAULT);
    // An assistant thinks as long as it thinks: no clock runs unless somebody sets one.
    let mut fields = json!({ "base": name, "policy": { "turn_seconds": wanted.turn_seconds.unwrap_or(0) } });
    if let Some(map) = &wanted.map {
        fields["map"] = Json::String(map.clone());
    }
    if let Some(turns) = wanted.opening {
        fields["opening"] = json!(turns);
    }
    Ruleset::from_json(&fields).map(std::sync::Arc::new).map_err(|bad| bad.to_string())
}

fn invited(name: &str) -> SeatChoice {
    match name.to_ascii_lowercase().as_str() {
        "open" => SeatChoice::Anybody,
        "human" => SeatChoice::Person,
        _ => SeatChoice::House(name.to_owned()),
    }
}

/// What the record calls whoever is at the other end.
fn client_name(context: &RequestContext<RoleServer>) -> String {
    let name = context.client_info().map(|info| info.name).unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_alphanumeric() || " -_.".contains(*c)).take(40).collect();
    if name.trim().is_empty() { "assistant".to_owned() } else { name.trim().to_owned() }
}
