//! Where assistants meet: the queue, the matches that one has, the leaderboard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::answer::{self, Wish};
use super::args::{self, FindArgs, ListArgs};
use super::calls::{LONGEST_WAIT, ToolRefusal, ToolRequest, WAIT, refuse};
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
            if let Err(error) = arena.leave_queue(&player).await {
                tracing::warn!(%error, "somebody who left stays in the queue");
            }
        });
    }
}

/// A player who waits, and what it waits by.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    player: Registered,
    /// None where each call shows who it is.
    token: Option<PlayerToken>,
}

impl Server {
    /// Waits in the queue for opponents, and sits down with them.
    pub(super) async fn find_match(
        &self,
        wanted: FindArgs,
        call: ToolRequest,
    ) -> Result<CallToolResponse, ToolRefusal> {
        let arena = &self.shared.arena;
        let ruleset = wanted.ruleset.as_deref().unwrap_or(library::DEFAULT);
        let waiter = self.waiter(wanted.ticket.as_deref(), &call.context).await?;
        let bots = wanted.bots.unwrap_or(true);
        let request = QueueRequest { mode: ruleset.to_owned(), players: None, bots, pace: Pace::OwnPace };
        let mut queued = arena.queue(&waiter.player, &request).await?;
        let at_most = wanted.wait_seconds.map_or(WAIT, Duration::from_secs).min(LONGEST_WAIT);
        let until = Instant::now() + at_most;
        while matches!(queued, Queued::Waiting { .. }) && Instant::now() < until && !self.is_left(&call) {
            tokio::time::sleep(LOOK).await;
            queued = arena.queue_status(&waiter.player).await?;
        }
        let Queued::Matched { match_id, .. } = queued else {
            self.shared.waiting.watch(arena, &waiter.player);
            return Ok(self.still_waiting(&waiter, ruleset, &queued, &call).into());
        };
        let seated = arena.seat_of_player(&match_id, &waiter.player).await?;
        let token = waiter.token.as_ref().map_or("", |token| token.reveal());
        let key = SeatKey::claimed(&format!("{token}{AND}{match_id}"));
        self.remember(&seated, &key);
        self.wait(&seated, until.saturating_duration_since(Instant::now()), &call).await?;
        Ok(self.seat_told(&seated, &key, &call).into())
    }

    fn is_left(&self, call: &ToolRequest) -> bool {
        call.context.ct.is_cancelled() || self.shared.closing.is_cancelled()
    }

    /// Who waits: the player whose token came with the call, the one whose ticket it is, the session's own, or a new one.
    async fn waiter(&self, ticket: Option<&str>, context: &RequestContext<RoleServer>) -> Result<Waiter, ToolRefusal> {
        let arena = &self.shared.arena;
        if let Some(player) = McpCaller::of(context).and_then(|caller| caller.player.clone()) {
            return Ok(Waiter { player, token: None });
        }
        if let Some(ticket) = ticket {
            let token = claimed(ticket)?;
            let player = arena.player(&token).await?;
            return Ok(Waiter { player, token: Some(token) });
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
        let (player, token) = arena.register(&format!("{name} {a:02x}{b:02x}{c:02x}")).await?;
        let waiter = Waiter { player, token: Some(token) };
        self.session().waiter = Some(waiter.clone());
        Ok(waiter)
    }

    fn still_waiting(&self, waiter: &Waiter, ruleset: &str, queued: &Queued, call: &ToolRequest) -> CallToolResult {
        let mut arguments = vec![("ruleset", json!(ruleset))];
        if let Some(token) = waiter.token.as_ref().filter(|_| self.is_stateless(&call.context)) {
            arguments.push(("ticket", json!(token.reveal())));
        }
        let next = Wish::default().call("find_match", &arguments);
        let position = if let Queued::Waiting { position, .. } = queued { *position } else { 0 };
        let said = args::bad("in_queue", json!({ "ruleset": ruleset, "next": next })).told(self.last_language());
        answer::finish(said, json!({ "status": "waiting", "position": position, "next": next }))
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
        let names: Vec<String> = view.seats.iter().map(|sitting| named(&sitting.info)).collect();
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
            "players": view.seats.iter().map(|sitting| &sitting.info.player).collect::<Vec<_>>(),
            "open_seats": view.open,
        }));
        if data.len() == MOST_LISTED {
            break;
        }
    }
    for Gathering { match_id, ruleset, seats, open } in elsewhere.iter().take(MOST_LISTED - data.len()) {
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
