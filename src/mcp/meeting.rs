//! Where assistants meet: the queue, the matches that one has, the leaderboard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::answer::{self, Wish};
use super::args::{self, FindArgs, ListArgs};
use super::calls::{LONGEST_WAIT, ToolRefusal, ToolRequest, WAIT, refuse};
use super::elsewhere::{self, Patience};
use super::over_http::McpCaller;
use super::{Mine, Server};
use crate::arena::{
    Arena, ArenaError, Gathering, Live, Pace, PlayerToken, QueueRequest, Queued, Registered, SeatHandle, SeatKey, Stage,
};
use crate::briefs::{self, Language};
use crate::games::library;

/// How often a call looks whether it has opponents.
const LOOK: Duration = Duration::from_millis(200);

/// Who does not ask for so long does not wait any more: nobody is to be brought together with somebody who has left.
const PATIENCE: Duration = Duration::from_secs(90);

/// Who is told sooner than that before its time is up that nobody has come has been told by a process that ends.
const SOON: Duration = Duration::from_secs(2);

/// A list is never longer.
const MOST_LISTED: usize = 50;

/// What stands between a player's token and a match's name where both together open a seat.
const AND: char = '.';

/// When each of those who wait last asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(Arc<Mutex<HashMap<Arc<str>, Instant>>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a player out of the queue unless it asks again in time.
    fn watch(&self, arena: &Arena, player: &Registered) {
        let asked = Instant::now();
        self.lock().insert(player.id.clone(), asked);
        let (waiting, arena, player) = (self.clone(), arena.clone(), player.clone());
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if waiting.lock().get(&player.id) != Some(&asked) {
                return;
            }
            waiting.lock().remove(&player.id);
            match arena.leave_queue(&player).await {
                // Whoever keeps the queue by now looks after those who wait there.
                Ok(_) | Err(ArenaError::QueueElsewhere(_)) => {}
                Err(error) => tracing::warn!(%error, "somebody who left stays in the queue"),
            }
        });
    }

    /// Leaves a player where it is.
    fn forget(&self, player: &Registered) {
        self.lock().remove(&player.id);
    }
}

/// A player who waits, and what it waits by.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    arena: Arena,
    player: Registered,
    /// None where each call shows who it is.
    token: Option<PlayerToken>,
}

impl Waiter {
    /// Waits no longer, wherever the queue is kept. A match that it has got stays.
    pub(super) async fn leave(self) {
        match (self.arena.leave_queue(&self.player).await, &self.token) {
            (Ok(_), _) => {}
            (Err(ArenaError::QueueElsewhere(process)), Some(token)) => elsewhere::leave_queue(&process, token).await,
            (Err(error), _) => tracing::warn!(%error, "somebody who left stays in the queue"),
        }
    }
}

/// How a player stands in the queue, and how it stood when it asked.
struct QueueSearch {
    before: Queued,
    now: Queued,
}

impl Server {
    /// Waits in the queue for opponents, and sits down with them. Where another process keeps the queue, that one is asked.
    pub(super) async fn find_match(
        &self,
        wanted: FindArgs,
        call: ToolRequest,
    ) -> Result<CallToolResponse, ToolRefusal> {
        let arena = &self.shared.arena;
        let waiter = self.waiter(wanted.ticket.as_deref(), &call.context).await?;
        let at_most = wanted.wait_seconds.map_or(WAIT, Duration::from_secs).min(LONGEST_WAIT);
        let until = Instant::now() + at_most;
        let mut patience = Patience::new();
        let QueueSearch { before, now } = loop {
            let process = match self.wait_in_queue(&waiter, &wanted, until, &call).await {
                Err(ArenaError::QueueElsewhere(process)) => process,
                standing => break standing?,
            };
            let left = until.saturating_duration_since(Instant::now());
            let arguments = wanted.passed_on(waiter.token.as_ref(), left);
            let found = elsewhere::find_match(self, &process, arguments, &call.context);
            let found = tokio::select! {
                found = found => found,
                () = call.context.ct.cancelled() => return Err(ArenaError::QueueElsewhere(process).into()),
                () = self.shared.closing.cancelled() => return Err(ArenaError::QueueElsewhere(process).into()),
            };
            match found {
                Ok(found) => match told_there(&found) {
                    None => return Ok(found.into()),
                    // It ends, and somebody else keeps the queue from now on.
                    Some(_) if until.saturating_duration_since(Instant::now()) > SOON => tokio::time::sleep(LOOK).await,
                    Some(waiting) => return Ok(self.still_waiting(&waiter, &waiting, &call).into()),
                },
                Err(why) if patience.wait(&why).await.is_some() => {}
                Err(_) => return Err(ArenaError::QueueElsewhere(process).into()),
            }
        };
        let Queued::Matched { match_id, mode } = now else {
            self.shared.waiting.watch(arena, &waiter.player);
            return Ok(self.still_waiting(&waiter, &now, &call).into());
        };
        self.shared.waiting.forget(&waiter.player);
        // Whoever looks for another match is told that it has this one.
        let is_other = wanted.ruleset.as_ref().is_some_and(|ruleset| *ruleset != mode);
        let had = matches!(&before, Queued::Matched { match_id: had, .. } if *had == match_id);
        let notice = (had && (is_other || self.has_seat_in(&match_id)))
            .then(|| args::bad("seated_already", json!({ "match_id": match_id, "ruleset": mode })))
            .map(|words| words.told(self.last_language()));
        let token = waiter.token.as_ref().map_or("", |token| token.reveal());
        let key = SeatKey::claimed(&format!("{token}{AND}{match_id}"));
        let seated = match arena.seat_of_player(&match_id, &waiter.player).await {
            Err(ArenaError::Elsewhere { .. }) => {
                // A third process plays it.
                let arguments = [("seat_key".to_owned(), json!(key.reveal()))].into_iter().collect();
                let back = CallToolRequestParams::new("join_match").with_arguments(arguments);
                let told = elsewhere::call(self, &back, &call.context).await;
                return told.map(|told| noticed(told, notice).into()).ok_or_else(|| ArenaError::NotSeated.into());
            }
            seated => seated?,
        };
        self.remember(&seated, &key);
        self.wait(&seated, until.saturating_duration_since(Instant::now()), &call).await?;
        Ok(noticed(self.seat_told(&seated, &key, &call), notice).into())
    }

    /// Waits in the queue that this process keeps, for what is wanted: what was not said again stays as it was.
    async fn wait_in_queue(
        &self,
        waiter: &Waiter,
        wanted: &FindArgs,
        until: Instant,
        call: &ToolRequest,
    ) -> Result<QueueSearch, ArenaError> {
        let (arena, player) = (&self.shared.arena, &waiter.player);
        let before = arena.queue_status(player).await?;
        let waited = match &before {
            Queued::Waiting { mode, pace, bots, .. } => Some((mode.clone(), *pace, *bots)),
            Queued::Idle | Queued::Matched { .. } => None,
        };
        let (mode, pace, bots) = waited.unwrap_or_else(|| (library::DEFAULT.to_owned(), Pace::OwnPace, true));
        let mode = wanted.ruleset.clone().unwrap_or(mode);
        let (pace, bots) = (wanted.pace.unwrap_or(pace), wanted.bots.unwrap_or(bots));
        let request = QueueRequest { mode, players: None, bots, pace };
        let purses = McpCaller::of(&call.context).map(|caller| &caller.purses);
        let mut now = arena.queue_anew(player, &request, purses).await?;
        while !matches!(now, Queued::Matched { .. }) && Instant::now() < until && !self.is_left(call) {
            tokio::time::sleep(LOOK).await;
            now = arena.queue_status(player).await?;
            if now == Queued::Idle && !self.is_left(call) {
                // The queue has changed hands in between, and knows it no more.
                now = arena.queue_anew(player, &request, purses).await?;
            }
        }
        Ok(QueueSearch { before, now })
    }

    /// Waits no longer for opponents as whom the session itself has waited.
    pub(super) async fn leave_queue(&self) {
        let waiter = self.session().waiter.take();
        if let Some(waiter) = waiter {
            waiter.leave().await;
        }
    }

    fn is_left(&self, call: &ToolRequest) -> bool {
        call.context.ct.is_cancelled() || self.shared.closing.is_cancelled()
    }

    /// Who waits: the player whose token came with the call, the one whose ticket it is, the session's own, or a new one.
    async fn waiter(&self, ticket: Option<&str>, context: &RequestContext<RoleServer>) -> Result<Waiter, ToolRefusal> {
        let arena = &self.shared.arena;
        if let Some(player) = McpCaller::of(context).and_then(|caller| caller.player.clone()) {
            return Ok(Waiter { arena: arena.clone(), player, token: None });
        }
        if let Some(ticket) = ticket {
            let token = claimed(ticket)?;
            let player = arena.player(&token).await?;
            return Ok(Waiter { arena: arena.clone(), player, token: Some(token) });
        }
        let own = self.session().waiter.clone();
        if let Some(waiter) = own {
            return Ok(waiter);
        }
        if let Some(caller) = McpCaller::of(context) {
            (caller.registrar.0)().map_err(refuse)?;
        }
        let mut digits = [0; 3];
        getrandom::fill(&mut digits).map_err(|error| refuse(error.to_string()))?;
        let [a, b, c] = digits;
        let name: String = self.name_of(context).await.chars().take(30).collect();
        let (player, token) = arena.register_assistant(&format!("{name} {a:02x}{b:02x}{c:02x}")).await?;
        let waiter = Waiter { arena: arena.clone(), player, token: Some(token) };
        // A session of one call ends with it, and must not take its ticket along.
        if !self.is_stateless(context) {
            self.session().waiter = Some(waiter.clone());
        }
        Ok(waiter)
    }

    fn still_waiting(&self, waiter: &Waiter, queued: &Queued, call: &ToolRequest) -> CallToolResult {
        let Queued::Waiting { mode, pace, bots, position, .. } = queued else {
            // The session ends: nobody reads it.
            return answer::finish(String::new(), json!({ "status": "idle", "next": "" }));
        };
        let mut arguments = vec![("ruleset", json!(mode)), ("bots", json!(bots))];
        if *pace != Pace::OwnPace {
            arguments.push(("pace", json!(pace)));
        }
        if let Some(token) = waiter.token.as_ref().filter(|_| self.is_stateless(&call.context)) {
            arguments.push(("ticket", json!(token.reveal())));
        }
        let next = Wish::default().call("find_match", &arguments);
        let said = args::bad("in_queue", json!({ "ruleset": mode, "next": next })).told(self.last_language());
        let data = json!({
            "status": "waiting", "ruleset": mode, "bots": bots, "pace": pace, "position": position, "next": next,
        });
        answer::finish(said, data)
    }

    /// The seat that a key opens: a seat's own, or a player's token with the name of its match.
    ///
    /// # Errors
    /// If it opens none.
    pub(super) async fn seat_by_key(
        &self,
        key: &SeatKey,
        context: &RequestContext<RoleServer>,
    ) -> Result<SeatHandle, ArenaError> {
        let arena = &self.shared.arena;
        let Some((token, match_id)) = key.reveal().split_once(AND) else { return arena.seat(key).await };
        let shown = McpCaller::of(context).and_then(|caller| caller.player.clone());
        let player = match shown.filter(|_| token.is_empty()) {
            Some(player) => player,
            None => arena.player(&claimed(token)?).await?,
        };
        arena.seat_of_player(match_id, &player).await
    }

    pub(super) async fn list_matches(&self, wanted: &ListArgs) -> Result<CallToolResult, ToolRefusal> {
        let mine = self.mine();
        match wanted.show.as_deref().unwrap_or("matches") {
            "leaderboard" => self.leaderboard().await,
            "mine" => {
                let lives = mine.iter().map(|mine| mine.seated.live().clone());
                Ok(listed(lives, &[], &mine, true, self.last_language()))
            }
            "matches" => {
                let elsewhere = self.shared.arena.gathering_elsewhere().await?;
                Ok(listed(self.shared.arena.list().into_iter(), &elsewhere, &mine, false, self.last_language()))
            }
            other => Err(refuse(args::bad("show", json!({ "given": crate::settings::shorten(other) })))),
        }
    }

    /// The leaderboard of tournaments, and the ladder of matches from the queue.
    async fn leaderboard(&self) -> Result<CallToolResult, ToolRefusal> {
        let board = (self.shared.leaderboard)().await.map_err(refuse)?;
        let board: Json = serde_json::from_str(&board).unwrap_or_default();
        let players = board["players"].as_array().into_iter().flatten().take(MOST_LISTED);
        let players: Vec<Json> = players.map(told_of).collect();
        let mut lines: Vec<String> = players
            .iter()
            .enumerate()
            .map(|(index, player)| {
                let rating = player["rating"].as_f64().unwrap_or_default();
                format!("{}. {} {rating:.0} ({})", index + 1, plain(&player["name"]), player["games"])
            })
            .collect();
        let ladder = match self.shared.arena.ladder(None).await {
            Ok(ladder) => ladder,
            // Who keeps nothing has no ladder.
            Err(ArenaError::NoStore) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let mut places = Vec::new();
        for place in ladder.into_iter().take(MOST_LISTED) {
            let name = briefs::quoted(&place.name, Language::En);
            lines.push(format!("- {}: {name} {:.0} ({})", place.ruleset, place.elo, place.games));
            places.push(json!({
                "ruleset": place.ruleset, "name": place.name, "elo": place.elo.round(), "games": place.games,
            }));
        }
        let language = self.last_language();
        let text = if lines.is_empty() {
            args::bad("no_ratings", json!({})).told(language)
        } else {
            format!("{}\n{}", args::bad("leaderboard", json!({})).told(language), lines.join("\n"))
        };
        Ok(answer::finish(text, json!({ "matches": [], "leaderboard": players, "ladder": places })))
    }
}

/// How somebody waits in the queue of another process, by what that one has answered. None where it says something else.
fn told_there(answer: &CallToolResult) -> Option<Queued> {
    let data = answer.structured_content.as_ref().filter(|data| data["status"] == "waiting")?;
    Some(Queued::Waiting {
        mode: data["ruleset"].as_str()?.to_owned(),
        pace: serde_json::from_value(data["pace"].clone()).ok()?,
        bots: data["bots"].as_bool()?,
        since: 0,
        position: usize::try_from(data["position"].as_u64()?).ok()?,
    })
}

/// An answer with something to say before it.
fn noticed(mut answer: CallToolResult, notice: Option<String>) -> CallToolResult {
    if let Some(notice) = notice {
        answer.content.insert(0, ContentBlock::text(notice.clone()));
        if let Some(data) = answer.structured_content.as_mut() {
            data["notice"] = json!(notice);
        }
    }
    answer
}

/// The token of a player of this arena, which is all that a caller can write down.
fn claimed(text: &str) -> Result<PlayerToken, ArenaError> {
    if text.trim().starts_with('p') { Ok(PlayerToken::claimed(text)) } else { Err(ArenaError::NoPlayer) }
}

/// What of a player on the leaderboard is for models.
fn told_of(player: &Json) -> Json {
    let told = ["rank", "name", "rating", "games", "wins", "draws", "losses"];
    let told = told.into_iter().filter_map(|name| Some((name.to_owned(), player.get(name)?.clone())));
    Json::Object(told.collect())
}

fn plain(name: &Json) -> String {
    briefs::quoted(name.as_str().unwrap_or_default(), Language::En)
}

/// Matches as a list: those in which the session has a seat or could take one.
fn listed(
    lives: impl Iterator<Item = Arc<Live>>,
    elsewhere: &[Gathering],
    mine: &[Mine],
    over: bool,
    language: Language,
) -> CallToolResult {
    let mut lines = Vec::new();
    let mut data = Vec::new();
    for live in lives {
        let seat = mine.iter().find(|mine| mine.match_id() == live.id()).map(|mine| mine.seated.seat());
        let view = live.view(None);
        if (seat.is_none() && view.open.is_empty()) || (!over && view.stage == Stage::Over && seat.is_none()) {
            continue;
        }
        let named = |info: &crate::matches::SeatInfo| {
            format!("{} {}", info.seat, briefs::quoted(&info.player, live.language()))
        };
        let names: Vec<String> = view.seats.iter().map(|seat| named(&seat.info)).collect();
        let stage = match &view.stage {
            Stage::Gathering => "open",
            Stage::Playing => "playing",
            Stage::Suspended(_) => "suspended",
            Stage::Over => "over",
        };
        let yours = seat.map(|seat| format!(", you are {seat}")).unwrap_or_default();
        let (id, turn, ruleset) = (live.id(), view.seen.turn(), &view.seen.ruleset().name);
        lines.push(format!("- {id} {ruleset}, turn {turn}, {stage}{yours}: {}", names.join(", ")));
        data.push(json!({
            "match_id": id, "ruleset": ruleset, "turn": turn, "status": stage, "seat": seat,
            "players": view.seats.iter().map(|seat| &seat.info.player).collect::<Vec<_>>(),
            "open_seats": view.open,
        }));
        if data.len() == MOST_LISTED {
            break;
        }
    }
    for Gathering { match_id, ruleset, seats, open, .. } in elsewhere.iter().take(MOST_LISTED - data.len()) {
        let named =
            |info: &crate::matches::SeatInfo| format!("{} {}", info.seat, briefs::quoted(&info.player, Language::En));
        let names: Vec<String> = seats.iter().map(named).collect();
        lines.push(format!("- {match_id} {ruleset}, turn 0, open: {}", names.join(", ")));
        data.push(json!({
            "match_id": match_id, "ruleset": ruleset, "turn": 0, "status": "open", "seat": null,
            "players": seats.iter().map(|info| &info.player).collect::<Vec<_>>(), "open_seats": open,
        }));
    }
    if lines.is_empty() {
        lines.push(args::bad("no_matches", json!({})).told(language));
    }
    answer::finish(lines.join("\n"), json!({ "matches": data }))
}
