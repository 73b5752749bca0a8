//! What the tools do.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ProgressNotificationParam, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::answer::{self, ToolAnswer, Wish};
use super::app;
use super::args::{self, ActArgs, GetState, JoinArgs, NewMatchArgs, Speak, Whose, Words};
use super::over_http::McpCaller;
use super::person::{self, PersonReply};
use super::{Mine, Server};
use crate::arena::{
    ActError, ArenaError, IdempotencyKey, Joining, MatchRequest, MatchSettings, Payer, SeatChoice, SeatHandle, SeatKey,
    Stage,
};
use crate::briefs::{self, Hint, Language};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::games::{Ruleset, library};

/// How long a call waits for the others by default: shorter than the timeout of most hosts.
pub(super) const WAIT: Duration = Duration::from_secs(25);

/// No call waits longer, whatever it asks for.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(50);

/// Who plays against somebody who does not say whom they want.
const DEFAULT_BOT: &str = "search";

/// Whoever writes this plays alone.
pub(super) const NOBODY: &str = "none";

/// A key that takes or opens a seat is at least so long.
const SHORTEST_KEY: usize = 16;

/// How often a waiting call shows that it lives.
const PROGRESS: Duration = Duration::from_secs(5);

/// A call and what it came with.
pub(super) struct ToolRequest {
    pub(super) params: CallToolRequestParams,
    pub(super) context: RequestContext<RoleServer>,
}

/// Why there is no answer but words.
#[derive(Debug)]
pub(super) enum ToolRefusal {
    /// In the language of the match.
    Told(String),
    /// In a language that is still to be chosen.
    Words(Words),
}

impl ToolRefusal {
    pub(super) fn told(&self, language: Language) -> String {
        match self {
            ToolRefusal::Told(text) => text.clone(),
            ToolRefusal::Words(words) => words.told(language),
        }
    }
}

impl From<String> for ToolRefusal {
    fn from(text: String) -> ToolRefusal {
        ToolRefusal::Told(text)
    }
}

impl From<Words> for ToolRefusal {
    fn from(words: Words) -> ToolRefusal {
        ToolRefusal::Words(words)
    }
}

impl From<ArenaError> for ToolRefusal {
    fn from(error: ArenaError) -> ToolRefusal {
        let (name, context) = match &error {
            ArenaError::NoMatch(match_id) => ("no_match", json!({ "match_id": match_id })),
            ArenaError::NoSeat => ("no_seat", json!({})),
            ArenaError::Full(count) => ("full", json!({ "count": count })),
            ArenaError::Guest(why) => ("guest", json!({ "why": why })),
            ArenaError::Seat(why) => return refuse(act_words(why)),
            ArenaError::FullPurse(full) => return refuse(args::bad("too_many", json!({ "count": full.count }))),
            ArenaError::Elsewhere { match_id, process } => {
                ("elsewhere", json!({ "match_id": match_id, "address": process.address }))
            }
            ArenaError::BadKey => ("bad_key", json!({})),
            ArenaError::KeyReused => ("key_reused", json!({})),
            ArenaError::NoPlayer => ("no_player", json!({})),
            ArenaError::NotSeated => ("not_seated", json!({})),
            ArenaError::AlreadySeated(seat) => ("already_seated", json!({ "seat": seat })),
            ArenaError::NameTaken(name) => ("name_taken", json!({ "name": name })),
            ArenaError::TooMany(count) => ("too_many", json!({ "count": count })),
            ArenaError::NotInvited => ("not_invited", json!({})),
            ArenaError::NoMode(name) => {
                ("no_mode", json!({ "name": name, "known": library::rulesets().collect::<Vec<_>>() }))
            }
            ArenaError::NoStore => ("no_store", json!({})),
            other => ("failed", json!({ "why": other.to_string() })),
        };
        refuse(Words::new(format!("arena.{name}"), context))
    }
}

/// Why an action, a message or a seat was not taken, where the match itself has no words for it.
pub(super) fn act_words(why: &ActError) -> Words {
    let (name, context) = match why {
        ActError::Taken { seat, open } => ("taken", json!({ "seat": seat, "open": open })),
        ActError::Full => ("no_open_seat", json!({})),
        ActError::Over => ("over", json!({})),
        ActError::NotKept(why) => ("not_kept", json!({ "why": why.to_string() })),
        other => ("failed", json!({ "why": other.to_string() })),
    };
    Words::new(format!("arena.{name}"), context)
}

pub(super) fn refuse(why: impl Into<ToolRefusal>) -> ToolRefusal {
    why.into()
}

/// What of a call tells in which language it is answered.
#[derive(Debug, Default)]
pub(super) struct CallNames {
    language: Option<Language>,
    match_id: Option<String>,
    seat_key: Option<String>,
}

impl CallNames {
    pub(super) fn of(params: &CallToolRequestParams) -> CallNames {
        let text = |name: &str| params.arguments.as_ref()?.get(name)?.as_str().map(|text| text.trim().to_owned());
        CallNames {
            language: text("language").and_then(|language| language.parse().ok()),
            match_id: text("match_id"),
            seat_key: text("seat_key"),
        }
    }
}

/// A refusal in the words that stand under this name.
fn bad(why: &str) -> ToolRefusal {
    refuse(args::bad(why, json!({})))
}

impl Server {
    /// What the record calls whoever is at the other end: what the client calls itself, if a guest may be called so.
    pub(super) async fn name_of(&self, context: &RequestContext<RoleServer>) -> String {
        let name = context.client_info().map(|info| info.name).unwrap_or_default();
        let name: String = name.chars().filter(|c| c.is_alphanumeric() || " -_.".contains(*c)).take(40).collect();
        self.shared.arena.guest_name(&name).await.unwrap_or_else(|_| "assistant".to_owned())
    }

    /// The language in which a refusal is read: the one that was asked for, else that of the match which is meant.
    pub(super) async fn language_of(&self, names: &CallNames) -> Language {
        if let Some(language) = names.language {
            return language;
        }
        let arena = &self.shared.arena;
        let key = names.seat_key.as_ref().map(|key| SeatKey::claimed(key));
        if let Some(key) = &key {
            let mine = self.mine().into_iter().find(|mine| mine.key == *key);
            let seated = match mine {
                Some(mine) => Some(mine.seated),
                None => arena.seat(key).await.ok(),
            };
            if let Some(seated) = seated {
                return seated.live().language();
            }
        }
        // A player's key ends in the name of its match.
        let of_player = names.seat_key.as_deref().and_then(|key| key.split_once('.')).map(|(_, match_id)| match_id);
        if let Some(match_id) = names.match_id.as_deref().or(of_player)
            && let Ok(live) = arena.watch(match_id).await
        {
            return live.language();
        }
        self.last_language()
    }

    /// The language of the session's last match.
    pub(super) fn last_language(&self) -> Language {
        self.mine().last().map_or(Language::En, |mine| mine.seated.live().language())
    }

    pub(super) async fn call(&self, tool: &Tool, mut call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let arguments = call.params.arguments.take();
        match &*call.params.name {
            "new_match" => self.new_match(args::read(tool, arguments).map_err(refuse)?, call).await,
            "join_match" => self.join_match(args::read(tool, arguments).map_err(refuse)?, call).await,
            "get_state" => self.get_state(args::read(tool, arguments).map_err(refuse)?, call).await,
            "act" => self.act(args::read(tool, arguments).map_err(refuse)?, call).await,
            "list_legal_actions" => {
                self.legal(&args::read::<Whose>(tool, arguments).map_err(refuse)?, &call).await.map(Into::into)
            }
            "speak" => self.speak(args::read(tool, arguments).map_err(refuse)?, call).await,
            "find_match" => self.find_match(args::read(tool, arguments).map_err(refuse)?, call).await,
            "list_matches" => {
                let wanted = args::read(tool, arguments).map_err(refuse)?;
                self.list_matches(&wanted).await.map(Into::into)
            }
            _ => self.resign(&args::read::<Whose>(tool, arguments).map_err(refuse)?, &call).await.map(Into::into),
        }
    }

    async fn new_match(&self, wanted: NewMatchArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let language = args::language(wanted.language.as_deref()).map_err(refuse)?;
        let ruleset = ruleset(&wanted)?;
        let mut opponents =
            wanted.opponents.unwrap_or_else(|| vec![DEFAULT_BOT.to_owned(); ruleset.players.default.max(2) - 1]);
        opponents.retain(|name| !name.eq_ignore_ascii_case(NOBODY));
        let known = self.shared.arena.guests();
        let mut chairs: Vec<SeatChoice> = opponents.iter().map(|name| invited(name, &known)).collect();
        if chairs.contains(&SeatChoice::Person) && !person::can_be_asked(&call.context) {
            return Err(bad("no_form"));
        }
        let seat = match wanted.seat.as_deref() {
            None => Seat::new(0),
            Some(seat) => seat
                .parse()
                .ok()
                .filter(|seat: &Seat| seat.index() <= chairs.len())
                .ok_or_else(|| refuse(args::bad("seat_range", json!({ "last": Seat::new(chairs.len()) }))))?,
        };
        let caller = McpCaller::of(&call.context);
        let me = match caller.and_then(|caller| caller.player.clone()) {
            Some(player) => SeatChoice::Player(player),
            None => SeatChoice::Me(self.name_of(&call.context).await),
        };
        chairs.insert(seat.index(), me);
        let seed = match wanted.seed.as_deref() {
            None => None,
            Some(seed) => {
                let wrong = |_| refuse(args::bad("seed", json!({ "given": crate::settings::shorten(seed) })));
                Some(seed.parse().map_err(wrong)?)
            }
        };
        let settings = MatchSettings {
            language,
            withhold_legal: wanted.withhold_legal.unwrap_or(false),
            payer: caller.map(|caller| Payer::of(&caller.counted)),
            ..MatchSettings::default()
        };
        let request = MatchRequest { ruleset, chairs, seed, settings };
        let key = idempotency_key(wanted.idempotency_key.as_deref(), caller)?;
        let arena = &self.shared.arena;
        let reserved = match caller {
            // Whoever only asks again opens nothing.
            Some(caller) if !arena.was_opened(&request, key.as_ref()).await? => {
                Some(caller.purses.reserve().map_err(ArenaError::FullPurse)?)
            }
            _ => None,
        };
        let opened = arena.open_once(&request, key.as_ref()).await?;
        if let Some(reserved) = reserved {
            reserved.opened(&opened.live);
        }
        let (seated, key) = opened.mine.into_iter().next().expect("one seat was asked for by name");
        self.remember(&seated, &key);
        // Whoever leaves a seat open wants the match's name now, to pass it on; and a person is asked when the assistant
        // knows its key, so that no answer can get lost with it.
        if seated.view().stage != Stage::Gathering && seated.person().is_none() {
            self.wait(&seated, WAIT, &call).await?;
        }
        Ok(self.seat_told(&seated, &key, &call).into())
    }

    /// What somebody is told who has just taken a seat.
    pub(super) fn seat_told(&self, seated: &SeatHandle, key: &SeatKey, call: &ToolRequest) -> CallToolResult {
        let always = self.is_stateless(&call.context);
        let key_again = always.then(|| key.reveal().to_owned());
        let wish = Wish { key: key_again, full: true, drawn: app::can_draw(&call.context) };
        ToolAnswer::of(seated.live(), &seated.view(), &wish).with_seat(seated, key, always).done()
    }

    async fn join_match(&self, join: JoinArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let (seated, key) = if let Some(key) = &join.whose.seat_key {
            let key = SeatKey::claimed(key);
            (self.seat_by_key(&key, &call.context).await?, key)
        } else {
            let match_id = match &join.whose.match_id {
                Some(match_id) => match_id.clone(),
                None => self.only_open().await?,
            };
            let seat = match join.seat.as_deref() {
                None => None,
                Some(seat) => Some(seat.parse().map_err(|_| bad("seat_letter"))?),
            };
            let caller = McpCaller::of(&call.context);
            let who = match caller.and_then(|caller| caller.player.clone()) {
                Some(player) => Joining::Player(player),
                None => Joining::Named(self.name_of(&call.context).await),
            };
            let again = idempotency_key(join.idempotency_key.as_deref(), caller)?;
            self.shared.arena.join_once(&match_id, seat, &who, None, again.as_ref()).await?
        };
        self.remember(&seated, &key);
        Ok(self.seat_told(&seated, &key, &call).into())
    }

    async fn get_state(&self, wanted: GetState, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let at_most = Duration::from_secs(wanted.wait_seconds.unwrap_or(0)).min(LONGEST_WAIT);
        let full = wanted.full.unwrap_or(at_most.is_zero());
        let wish = Wish { key: wanted.whose.seat_key.clone(), full, drawn: app::can_draw(&call.context) };
        let seated = match self.seated(&wanted.whose, &call).await {
            Ok(seated) => seated,
            Err(Unseated::Watching(match_id)) => {
                let live = self.shared.arena.watch(&match_id).await?;
                if !at_most.is_zero() {
                    live.changed(live.glance(None).version, at_most).await;
                }
                return Ok(self.show(&live, None, wish).into());
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
        Ok(if idle && wanted.full != Some(true) {
            ToolAnswer::waiting(live, &seated.view(), &wish).done()
        } else {
            self.show(live, Some(seated.seat()), wish)
        }
        .into())
    }

    async fn act(&self, wanted: ActArgs, call: ToolRequest) -> Result<CallToolResponse, ToolRefusal> {
        let seated = self.seated(&wanted.whose, &call).await.map_err(Unseated::for_action)?;
        if args::says_placeholder(&wanted.action) {
            return Err(refuse(args::bad("placeholder", json!({})).told(seated.live().language())));
        }
        let turn = seen(wanted.turn);
        // A call that comes back with a person's answer has acted already.
        let again = wanted.idempotency_key.as_deref();
        if call.params.request_state.is_none() {
            seated
                .act_once(turn, (&wanted.action).into(), wanted.reasoning.as_deref(), None, again)
                .await
                .map_err(|why| refuse(answer::refusal(&seated, &wanted.action, &why)))?;
        }
        let at_most = wanted.wait_seconds.map_or(WAIT, Duration::from_secs).min(LONGEST_WAIT);
        if let Some(input) = self.wait(&seated, at_most, &call).await? {
            return Ok(input);
        }
        let view = seated.view();
        let waiting = !view.your_turn && view.stage == Stage::Playing;
        let live = seated.live();
        let (full, drawn) = (wanted.full.unwrap_or(false), app::can_draw(&call.context));
        let wish = Wish { key: wanted.whose.seat_key, full, drawn };
        let answer = if waiting && !wish.full {
            ToolAnswer::waiting(live, &view, &wish)
        } else {
            ToolAnswer::of(live, &view, &wish)
        };
        Ok(answer.done().into())
    }

    async fn legal(&self, whose: &Whose, call: &ToolRequest) -> Result<CallToolResult, ToolRefusal> {
        let seated = self.seated(whose, call).await.map_err(Unseated::for_action)?;
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
        let seated = self.seated(&wanted.whose, &call).await.map_err(Unseated::for_action)?;
        if args::is_placeholder(&wanted.text) {
            return Err(refuse(args::bad("placeholder", json!({})).told(seated.live().language())));
        }
        if seated.live().ruleset().speech == Speech::Turn {
            // Here speaking is the turn's action.
            let action = format!("speak {}", wanted.text);
            let whose = wanted.whose;
            let (wait_seconds, reasoning, full) = Default::default();
            let Speak { turn, idempotency_key, .. } = wanted;
            let act = ActArgs { whose, action, turn, wait_seconds, reasoning, full, idempotency_key };
            return self.act(act, call).await;
        }
        let said = seated.say_once(seen(wanted.turn), &wanted.text, wanted.idempotency_key.as_deref()).await;
        said.map_err(|why| refuse(answer::refusal(&seated, &wanted.text, &why)))?;
        let wish = Wish { key: wanted.whose.seat_key, ..Wish::default() };
        Ok(ToolAnswer::spoken(seated.live(), &seated.view(), &wish).done().into())
    }

    async fn resign(&self, whose: &Whose, call: &ToolRequest) -> Result<CallToolResult, ToolRefusal> {
        let seated = self.seated(whose, call).await.map_err(Unseated::for_action)?;
        let before = seated.glance();
        seated.resign().await.map_err(|why| refuse(answer::refusal(&seated, "", &why)))?;
        let live = seated.live();
        if before.your_turn {
            // It was awaited: the referee takes note at once, and with two players that ends the match.
            live.changed(before.version, PROGRESS).await;
        }
        let view = seated.view();
        Ok(if view.stage == Stage::Over {
            let wish = Wish { drawn: app::can_draw(&call.context), ..Wish::default() };
            ToolAnswer::of(live, &view, &wish).done()
        } else {
            ToolAnswer::resigned(live, &view).done()
        })
    }

    /// The seat that a call is for.
    async fn seated(&self, whose: &Whose, call: &ToolRequest) -> Result<SeatHandle, Unseated> {
        if let Some(key) = &whose.seat_key {
            let seated = self.seat_by_key(&SeatKey::claimed(key), &call.context).await;
            let seated = seated.map_err(|error| Unseated::Refused(error.into()))?;
            if whose.match_id.as_ref().is_some_and(|id| id != seated.live().id()) {
                return Err(Unseated::Refused(bad("other_match")));
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
            ([mine], _) => {
                self.seat_by_key(&mine.key, &call.context).await.map_err(|error| Unseated::Refused(error.into()))
            }
            ([], Some(id)) => Err(Unseated::Watching(id.clone())),
            ([], None) if self.is_stateless(&call.context) => Err(Unseated::Refused(bad("no_key"))),
            ([], None) => Err(Unseated::Refused(bad("no_match"))),
            (_, Some(_)) => Err(Unseated::Refused(bad("several_seats_in_match"))),
            (_, None) => Err(Unseated::Refused(bad("several_seats"))),
        }
    }

    /// The one match with an open seat, for those who do not say which.
    pub(super) async fn only_open(&self) -> Result<String, ToolRefusal> {
        let all = self.shared.arena.list();
        let elsewhere = self.shared.arena.gathering_elsewhere().await?;
        let here = all.iter().filter(|live| !live.view(None).open.is_empty()).map(|live| live.id());
        let open: Vec<&str> = here.chain(elsewhere.iter().map(|waiting| waiting.match_id.as_str())).collect();
        match open.as_slice() {
            [one] => Ok((*one).to_owned()),
            [] => Err(bad("none_open")),
            several => Err(refuse(args::bad("several_open", json!({ "matches": several })))),
        }
    }

    /// Waits for a seat's turn, asking the person beside it where it is that one's.
    pub(super) async fn wait(
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
                || seated.live().is_closed()
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
            Unseated::Watching(match_id) => refuse(args::bad("only_watching", json!({ "match_id": match_id }))),
            Unseated::Refused(refused) => refused,
        }
    }
}

/// The turn that a caller saw.
fn seen(turn: Option<u64>) -> Option<u32> {
    turn.map(|turn| u32::try_from(turn).unwrap_or(u32::MAX))
}

/// What lets a call be made again without anything happening twice. Whoever sends the same key gets the same seat: it must
/// be one that nobody else thinks of, and models like to write `1`.
fn idempotency_key(key: Option<&str>, caller: Option<&McpCaller>) -> Result<Option<IdempotencyKey>, ToolRefusal> {
    let Some(key) = key else { return Ok(None) };
    if key.len() < SHORTEST_KEY {
        return Err(bad("short_key"));
    }
    let whose = caller.map_or("mcp".to_owned(), |caller| format!("mcp {}", caller.counted));
    Ok(Some(IdempotencyKey::new(whose, key)?))
}

/// The rules that somebody wants.
fn ruleset(wanted: &NewMatchArgs) -> Result<std::sync::Arc<Ruleset>, ToolRefusal> {
    let name = wanted.ruleset.as_deref().unwrap_or(library::DEFAULT);
    if !library::rulesets().any(|known| known == name) {
        let known: Vec<&str> = library::rulesets().collect();
        return Err(refuse(args::bad("ruleset", json!({ "given": crate::settings::shorten(name), "known": known }))));
    }
    // An assistant thinks as long as it thinks: no clock runs unless somebody sets one.
    let mut fields = json!({ "base": name, "policy": { "turn_seconds": wanted.turn_seconds.unwrap_or(0) } });
    if let Some(map) = &wanted.map {
        fields["map"] = Json::String(map.clone());
    }
    if let Some(turns) = wanted.opening {
        fields["opening"] = json!(turns);
    }
    Ruleset::from_json(&fields)
        .map(std::sync::Arc::new)
        .map_err(|why| refuse(args::bad("rules", json!({ "why": why.to_string() }))))
}

/// Whom a name means, where players of the house have these.
fn invited(name: &str, known: &[String]) -> SeatChoice {
    let lower = name.to_ascii_lowercase();
    // "the greedy bot" is what people say for `greedy`.
    let plain = lower.strip_suffix(" bot").map(|name| name.strip_prefix("the ").unwrap_or(name).trim());
    let is_known = |plain: &&str| known.iter().any(|known| plain.split(':').next() == Some(known.as_str()));
    if let Some(plain) = plain.filter(is_known) {
        return SeatChoice::House(plain.to_owned());
    }
    match lower.as_str() {
        "open" => SeatChoice::Anybody,
        "human" => SeatChoice::Person,
        // What people call a bot without knowing one.
        "bot" | "ai" | "computer" | "cpu" => SeatChoice::House(DEFAULT_BOT.to_owned()),
        _ => SeatChoice::House(name.to_owned()),
    }
}
