//! Turn by turn: what the referee keeps of each seat between them, and how a player is asked for one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::Clock;
use crate::games::ruleset::Policy;
use crate::games::seat::{BySeat, Seat};
use crate::games::table::{Event, Table};
use crate::games::view::Viewer;
use crate::matches::{Attempt, Call, Fault, Match, Record, Replay};
use crate::players::{Answer, Ask, Player, PlayerError, Time, TurnLog};

/// The turns of a match: asks for them, settles them, and keeps what carries over from one to the next.
pub(super) struct Turns {
    id: String,
    seats: BySeat<SeatNotes>,
}

/// What the referee keeps of one seat between its turns.
struct SeatNotes {
    /// Whether the clock of a turn runs for its player.
    has_turn_clock: bool,
    /// What happened since it was last asked.
    since: Vec<Arc<[Event]>>,
    /// What the others said in that time.
    said: Vec<(Seat, String)>,
    /// How long it thought so far.
    thought: Duration,
    /// How many of its answers were not taken so far.
    attempts: u32,
}

/// One seat's part of a turn: how asking its player went. No trace tells of it before the turn is played.
pub(super) struct SeatTurn {
    pub(super) seat: Seat,
    pub(super) end: TurnEnd,
    log: TurnLog,
    /// Whether the time that it took is worth knowing.
    timed: bool,
    span: tracing::Span,
}

/// What came of asking.
pub(super) enum TurnEnd {
    /// An action that the rules take.
    Action(Answer),
    /// No such action, by the player's fault.
    Lapse(Fault),
    /// The player's program failed, in these words.
    Crashed(String),
    Resigned,
    /// A person left.
    Left,
    /// No answer, by nobody's fault at the table.
    Backend(String),
    /// A budget is used up.
    Withheld(String),
}

impl Turns {
    /// The turns of a match of which these are played: the same as if the referee had been there all the time.
    pub(super) fn new(id: &str, game: &Match, past: Option<&Replay>, players: &BySeat<Box<dyn Player>>) -> Turns {
        let seats = players.map(|_, player| SeatNotes::new(player.has_turn_clock()));
        let mut turns = Turns { id: id.to_owned(), seats };
        let policy = game.table().ruleset().policy;
        for (before, step) in past.into_iter().flat_map(Replay::steps) {
            for seat in step.line.actions.keys() {
                let notes = &mut turns.seats[*seat];
                notes.since.clear();
                notes.said.clear();
                let calls = step.line.calls.get(seat).map_or(&[][..], Vec::as_slice);
                let too_slow = step.line.lapses.get(seat).is_some_and(|lapse| lapse.fault == Fault::TooSlow);
                let thought = match step.line.micros.get(seat) {
                    Some(micros) => Duration::from_micros(*micros),
                    // It had the time that was left for the turn, and used it up.
                    None if too_slow => notes.limits(policy).time.unwrap_or_default(),
                    None => answered(calls),
                };
                notes.thought += thought;
            }
            let seats = turns.seats.len();
            for refused in step.line.refused.iter().filter(|refused| refused.seat.index() < seats) {
                turns.seats[refused.seat].attempts += 1;
            }
            turns.hear(before, &step.table, &step.events, &step.line.said);
        }
        turns
    }

    /// The clocks of the turn at hand, which begins now.
    pub(super) fn clock(&self, game: &Match, due: Option<Instant>) -> Clock {
        let begun = Instant::now();
        let policy = game.table().ruleset().policy;
        let until = |seat: Seat| self.seats[seat].limits(policy).time.map(|time| begun + time);
        let total = (policy.total_seconds > 0).then(|| Duration::from_secs(policy.total_seconds.into()));
        Clock {
            turn: game.table().turn(),
            begun,
            due,
            until: game.awaiting().iter().map(|seat| (seat, until(seat))).collect(),
            left: total.map(|total| self.seats.map(|_, notes| total.saturating_sub(notes.thought))),
        }
    }

    /// Asks everybody who is awaited, at once, and waits for all. In seat order, whoever was faster.
    pub(super) async fn ask(&mut self, game: &Match, players: &mut BySeat<Box<dyn Player>>) -> Vec<SeatTurn> {
        let (awaiting, views) = (game.awaiting(), game.table().views());
        let policy = game.table().ruleset().policy;
        let mut asked: FuturesUnordered<_> = players
            .iter_mut()
            .zip(self.seats.iter_mut())
            .filter(|((seat, _), _)| awaiting.contains(*seat))
            .map(|((seat, player), (_, notes))| {
                let ask = Ask {
                    match_id: self.id.clone(),
                    view: views.of(Viewer::Seat(seat)),
                    seat,
                    since: std::mem::take(&mut notes.since),
                    said: std::mem::take(&mut notes.said),
                };
                let TurnLimits { attempts, time } = notes.limits(policy);
                let span = tracing::info_span!(
                    "turn",
                    "otel.name" = format!("turn {seat}"),
                    "session.id" = ask.match_id,
                    "standoff.seat" = %seat,
                    "standoff.turn" = i64::from(ask.view.turn()) + 1,
                    "standoff.action" = Empty,
                    "standoff.refused" = Empty,
                    "error.type" = Empty,
                    "otel.status_code" = Empty,
                );
                async move {
                    let log = TurnLog::new(time);
                    let end = turn(player.as_mut(), &ask, &log, attempts).instrument(span.clone()).await;
                    log.close();
                    SeatTurn { seat, end, log, timed: player.is_timed(), span }
                }
            })
            .collect();
        let mut done = Vec::new();
        while let Some(asked) = asked.next().await {
            done.push(asked);
        }
        drop(asked);
        done.sort_by_key(|asked: &SeatTurn| asked.seat);
        done
    }

    /// Brings a player's turn to the match and gives the lines of the record that it settled.
    pub(super) fn settle(&mut self, game: &mut Match, asked: SeatTurn) -> Vec<Record> {
        let SeatTurn { seat, end, log, timed, .. } = asked;
        let notes = &mut self.seats[seat];
        let (thought, calls, attempts) = (log.spent(Time::Thinking), log.calls(), log.attempts());
        // Where answers come from a journal no time goes by: what counts is the time that they took at first.
        notes.thought += thought.max(answered(&calls));
        notes.attempts = notes.attempts.saturating_add(u32::try_from(attempts.len()).unwrap_or(u32::MAX));
        for attempt in &attempts {
            game.refuse(seat, attempt);
        }
        game.charge(seat, calls);
        if timed {
            game.clock(seat, micros(thought));
        }
        game.delay(seat, micros(log.spent(Time::Waiting)), micros(log.spent(Time::Backend)));
        let before = game.table().hides().then(|| game.table().clone());
        let records = match end {
            TurnEnd::Action(answer) => {
                if let Some(text) = &answer.say
                    && let Err(refusal) = game.say(seat, text)
                {
                    notes.attempts = notes.attempts.saturating_add(1);
                    game.refuse(seat, &Attempt::refused(text, refusal));
                }
                game.seal(answer.action)
            }
            TurnEnd::Lapse(fault) => game.lapse(seat, fault),
            TurnEnd::Crashed(why) => {
                game.explain(seat, &why);
                game.lapse(seat, Fault::Crashed)
            }
            TurnEnd::Resigned => game.forfeit(seat, Fault::Resigned),
            TurnEnd::Left | TurnEnd::Backend(_) | TurnEnd::Withheld(_) => Vec::new(),
        };
        for record in &records {
            if let Record::Turn(turn) = record {
                self.hear(before.as_ref().unwrap_or(game.table()), game.table(), &turn.events, &turn.said);
            }
        }
        records
    }

    /// Everybody learns of a turn once it is played, as much as is theirs to know.
    fn hear(&mut self, before: &Table, after: &Table, events: &[Event], said: &BTreeMap<Seat, String>) {
        let events: Arc<[Event]> = events.into();
        for (seat, notes) in self.seats.iter_mut() {
            notes.since.push(after.told(before, &events, Viewer::Seat(seat)));
            notes
                .said
                .extend(said.iter().filter(|(other, _)| **other != seat).map(|(&other, text)| (other, text.clone())));
        }
    }
}

impl SeatTurn {
    /// Tells whoever listens how the turn went.
    pub(super) fn trace(&self) {
        let span = &self.span;
        span.record("standoff.refused", i64::try_from(self.log.attempts().len()).unwrap_or(i64::MAX));
        let error = match &self.end {
            TurnEnd::Action(answer) => {
                span.record("standoff.action", answer.action.notation());
                return;
            }
            TurnEnd::Lapse(fault) => fault.name(),
            TurnEnd::Crashed(_) => Fault::Crashed.name(),
            TurnEnd::Resigned => Fault::Resigned.name(),
            TurnEnd::Left => "left",
            TurnEnd::Backend(_) => "backend",
            TurnEnd::Withheld(_) => "budget",
        };
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// How long a model took for these answers.
fn answered(calls: &[Call]) -> Duration {
    Duration::from_millis(calls.iter().map(|call| call.millis).fold(0, u64::saturating_add))
}

/// What a player may still do in a turn.
struct TurnLimits {
    attempts: u32,
    time: Option<Duration>,
}

impl SeatNotes {
    fn new(has_turn_clock: bool) -> SeatNotes {
        let (since, said, thought, attempts) = Default::default();
        SeatNotes { has_turn_clock, since, said, thought, attempts }
    }

    fn limits(&self, policy: Policy) -> TurnLimits {
        let seconds = |limit: u32| (limit > 0).then(|| Duration::from_secs(limit.into()));
        let total = seconds(policy.total_seconds).map(|total| total.saturating_sub(self.thought));
        let turn = seconds(policy.turn_seconds).filter(|_| self.has_turn_clock);
        let time = turn.into_iter().chain(total).min();
        let spent = policy.patience > 0 && self.attempts >= policy.patience;
        TurnLimits { attempts: if spent { 1 } else { policy.attempts }, time }
    }
}

/// Asks one player until it gives an action that the rules take, may not be asked again, or is out of time.
async fn turn(player: &mut dyn Player, ask: &Ask, log: &TurnLog, attempts: u32) -> TurnEnd {
    loop {
        // What was acknowledged before the time was up counts. It is closed before the player's future is dropped.
        let cut_off = async {
            log.out_of_time().await;
            log.cut_off().unwrap_or(Err(PlayerError::TooSlow))
        };
        let answer = tokio::select! {
            biased;
            answer = player.act(ask, log) => answer,
            answer = cut_off => answer,
        };
        let attempt = match answer {
            Ok(answer) if (answer.action.seat(), answer.action.turn()) == (ask.seat, ask.view.turn()) => {
                return TurnEnd::Action(answer);
            }
            Err(PlayerError::NoAction(attempt)) => attempt,
            Err(PlayerError::TooSlow) => return TurnEnd::Lapse(Fault::TooSlow),
            // What was accepted at another table comes from somebody who does not know what it is asked.
            Ok(_) => return TurnEnd::Crashed("it answered another question".to_owned()),
            Err(PlayerError::Crashed(why)) => return TurnEnd::Crashed(why),
            Err(PlayerError::Resigned) => return TurnEnd::Resigned,
            Err(PlayerError::Left) => return TurnEnd::Left,
            Err(PlayerError::Backend(why)) => return TurnEnd::Backend(why),
            Err(PlayerError::Withheld(why)) => return TurnEnd::Withheld(why),
        };
        let fault = attempt.problem.fault();
        log.attempt(attempt);
        if log.attempts().len() >= attempts as usize {
            return TurnEnd::Lapse(fault);
        }
    }
}
