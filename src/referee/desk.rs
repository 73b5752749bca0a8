//! What the referee keeps of each player, and how one is asked.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;
use tracing::field::Empty;

use super::Clock;
use crate::games::refusal::{Code, Refusal};
use crate::games::ruleset::Policy;
use crate::games::seat::{BySeat, Seat};
use crate::games::table::Event;
use crate::matches::{Call, Fault, Match, Record, Refused, Step};
use crate::players::{Answer, Ask, Attempt, Player, PlayerError, Problem};

/// The referee's notes on everybody at the table.
pub(super) struct Desk {
    id: String,
    files: BySeat<File>,
}

/// The referee's notes on one player.
#[derive(Default)]
struct File {
    /// What happened since it was last asked.
    since: Vec<Event>,
    /// What the others said in that time.
    said: Vec<(Seat, String)>,
    /// How long it thought so far.
    thought: Duration,
    /// How many of its answers were refused so far.
    refused: u32,
}

/// A player that was asked. What it did is told to no log before the turn is played.
pub(super) struct Asked {
    pub(super) seat: Seat,
    pub(super) turn: Turn,
    pub(super) span: tracing::Span,
}

/// How asking a player for a turn went.
pub(super) struct Turn {
    pub(super) end: End,
    attempts: Vec<Attempt>,
    calls: Vec<Call>,
    /// How long it took, where that is worth knowing.
    thought: Duration,
    timed: bool,
}

/// What came of asking.
pub(super) enum End {
    /// An action that the rules take.
    Action(Answer),
    /// No such action, by the player's fault.
    Lapse(Fault),
    Resigned,
    /// A person left.
    Left,
    /// No answer, by nobody's fault at the table.
    Backend(String),
}

impl Desk {
    /// A desk for a match of which these turns are played: the same as if it had been there all the time.
    pub(super) fn new(id: &str, game: &Match, past: &[Step]) -> Desk {
        let mut desk = Desk { id: id.to_owned(), files: BySeat::from_fn(game.table().seats(), |_| File::default()) };
        let policy = game.table().ruleset().policy;
        for step in past {
            for seat in step.line.actions.keys() {
                let file = &mut desk.files[*seat];
                file.since.clear();
                file.said.clear();
                let calls = step.line.calls.get(seat).map_or(&[][..], Vec::as_slice);
                let too_slow = step.line.lapses.get(seat).is_some_and(|lapse| lapse.fault == Fault::TooSlow);
                let thought = match step.line.micros.get(seat) {
                    Some(micros) => Duration::from_micros(*micros),
                    // It had the time that was left for the turn, and used it up.
                    None if too_slow => file.limits(policy).time.unwrap_or_default(),
                    None => answered(calls),
                };
                file.thought += thought;
            }
            let seats = desk.files.len();
            for refused in step.line.refused.iter().filter(|refused| refused.seat.index() < seats) {
                desk.files[refused.seat].refused += 1;
            }
            desk.hear(&step.events, &step.line.said);
        }
        desk
    }

    /// The clocks of the turn at hand, which begins now.
    pub(super) fn clock(&self, game: &Match, due: Option<Instant>) -> Clock {
        let begun = Instant::now();
        let policy = game.table().ruleset().policy;
        let until = |seat: Seat| self.files[seat].limits(policy).time.map(|time| begun + time);
        let total = (policy.total_seconds > 0).then(|| Duration::from_secs(policy.total_seconds.into()));
        Clock {
            turn: game.table().turn(),
            begun,
            due,
            until: game.awaiting().iter().map(|seat| (seat, until(seat))).collect(),
            left: total.map(|total| self.files.map(|_, file| total.saturating_sub(file.thought))),
        }
    }

    /// Asks everybody who is awaited, at once, and waits for all. In seat order, whoever was faster.
    pub(super) async fn ask(&mut self, game: &Match, players: &mut BySeat<Box<dyn Player>>) -> Vec<Asked> {
        let awaiting = game.awaiting();
        let policy = game.table().ruleset().policy;
        let mut asked: FuturesUnordered<_> = players
            .iter_mut()
            .zip(self.files.iter_mut())
            .filter(|((seat, _), _)| awaiting.contains(*seat))
            .map(|((seat, player), (_, file))| {
                let ask = Ask {
                    match_id: self.id.clone(),
                    table: game.table().clone(),
                    seat,
                    since: std::mem::take(&mut file.since),
                    said: std::mem::take(&mut file.said),
                    refused: Vec::new(),
                    time_left: None,
                };
                let limits = file.limits(policy);
                let span = tracing::info_span!(
                    "turn",
                    "otel.name" = format!("turn {seat}"),
                    "standoff.seat" = %seat,
                    "standoff.turn" = i64::from(ask.table.turn()) + 1,
                    "standoff.action" = Empty,
                    "standoff.refused" = Empty,
                    "error.type" = Empty,
                    "otel.status_code" = Empty,
                );
                async move {
                    let turn = turn(player.as_mut(), ask, limits).instrument(span.clone()).await;
                    Asked { seat, turn, span }
                }
            })
            .collect();
        let mut turns = Vec::new();
        while let Some(turn) = asked.next().await {
            turns.push(turn);
        }
        drop(asked);
        turns.sort_by_key(|asked: &Asked| asked.seat);
        turns
    }

    /// Brings a player's turn to the match and gives the lines of the record that it settled.
    pub(super) fn settle(&mut self, game: &mut Match, seat: Seat, turn: Turn) -> Vec<Record> {
        let file = &mut self.files[seat];
        // Where answers come from a journal no time goes by: what counts is the time that they took at first.
        file.thought += turn.thought.max(answered(&turn.calls));
        file.refused = file.refused.saturating_add(u32::try_from(turn.attempts.len()).unwrap_or(u32::MAX));
        for attempt in &turn.attempts {
            game.refuse(Refused::new(seat, &attempt.text, fault(&attempt.problem), &refusal(&attempt.problem)));
        }
        game.charge(seat, turn.calls);
        if turn.timed {
            game.clock(seat, u64::try_from(turn.thought.as_micros()).unwrap_or(u64::MAX));
        }
        let records = match turn.end {
            End::Action(answer) => {
                if let Some(text) = &answer.say
                    && let Err(refusal) = game.say(seat, text)
                {
                    file.refused = file.refused.saturating_add(1);
                    game.refuse(Refused::new(seat, text, Fault::of(&refusal), &refusal));
                }
                if let Some(reasoning) = answer.reasoning {
                    game.explain(seat, &reasoning);
                }
                game.submit(seat, &answer.action).expect("it was accepted when it was asked for")
            }
            End::Lapse(fault) => game.lapse(seat, fault),
            End::Resigned => game.forfeit(seat, Fault::Resigned),
            End::Left | End::Backend(_) => Vec::new(),
        };
        for record in &records {
            if let Record::Turn(turn) = record {
                self.hear(&turn.events, &turn.said);
            }
        }
        records
    }

    /// Everybody learns of a turn once it is played.
    fn hear(&mut self, events: &[Event], said: &BTreeMap<Seat, String>) {
        for (seat, file) in self.files.iter_mut() {
            file.since.extend(events.iter().cloned());
            file.said
                .extend(said.iter().filter(|(other, _)| **other != seat).map(|(&other, text)| (other, text.clone())));
        }
    }
}

impl Turn {
    /// Tells whoever listens how the turn went.
    pub(super) fn trace(&self, span: &tracing::Span) {
        span.record("standoff.refused", i64::try_from(self.attempts.len()).unwrap_or(i64::MAX));
        let error = match &self.end {
            End::Action(answer) => {
                span.record("standoff.action", &answer.action);
                return;
            }
            End::Lapse(fault) => fault.name(),
            End::Resigned => Fault::Resigned.name(),
            End::Left => "left",
            End::Backend(_) => "backend",
        };
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

/// How long a model took for these answers.
fn answered(calls: &[Call]) -> Duration {
    Duration::from_millis(calls.iter().map(|call| call.millis).fold(0, u64::saturating_add))
}

/// What a player may still do in a turn.
struct Limits {
    attempts: u32,
    time: Option<Duration>,
}

impl File {
    fn limits(&self, policy: Policy) -> Limits {
        let seconds = |limit: u32| (limit > 0).then(|| Duration::from_secs(limit.into()));
        let total = seconds(policy.total_seconds).map(|total| total.saturating_sub(self.thought));
        let time = seconds(policy.turn_seconds).into_iter().chain(total).min();
        let spent = policy.patience > 0 && self.refused >= policy.patience;
        Limits { attempts: if spent { 1 } else { policy.attempts }, time }
    }
}

/// Asks one player until it gives an action that the rules take, or may not be asked again.
async fn turn(player: &mut dyn Player, mut ask: Ask, limits: Limits) -> Turn {
    let begun = Instant::now();
    let deadline = limits.time.map(|time| begun + time);
    let mut calls = Vec::new();
    let end = loop {
        ask.time_left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let answer = match deadline {
            Some(deadline) => timeout_at(deadline, player.act(ask.clone())).await,
            None => Ok(player.act(ask.clone()).await),
        };
        let (text, problem) = match answer {
            Err(_) => match player.time_is_up() {
                Some(answer) if ask.table.accept(ask.seat, &answer.action).is_ok() => break End::Action(answer),
                _ => {
                    calls.append(&mut player.unfinished());
                    break End::Lapse(Fault::TooSlow);
                }
            },
            Ok(Err(PlayerError::TooSlow)) => {
                calls.append(&mut player.unfinished());
                break End::Lapse(Fault::TooSlow);
            }
            Ok(Ok(mut answer)) => {
                calls.append(&mut answer.calls);
                match ask.table.accept(ask.seat, &answer.action) {
                    Ok(_) => break End::Action(answer),
                    Err(refusal) => (answer.action, Problem::Refused(refusal)),
                }
            }
            Ok(Err(PlayerError::NoAction { text, problem, calls: mut spent })) => {
                calls.append(&mut spent);
                (text, problem)
            }
            Ok(Err(PlayerError::Crashed(_))) => break End::Lapse(Fault::Crashed),
            Ok(Err(PlayerError::Resigned)) => break End::Resigned,
            Ok(Err(PlayerError::Left)) => break End::Left,
            Ok(Err(PlayerError::Backend(why))) => break End::Backend(why),
        };
        let fault = fault(&problem);
        ask.refused.push(Attempt { text, problem });
        if ask.refused.len() >= limits.attempts as usize {
            break End::Lapse(fault);
        }
    };
    let mut attempts = player.attempts();
    attempts.append(&mut ask.refused);
    Turn { end, attempts, calls, thought: begun.elapsed(), timed: player.is_timed() }
}

fn fault(problem: &Problem) -> Fault {
    match problem {
        Problem::Refused(refusal) => Fault::of(refusal),
        Problem::Truncated => Fault::Truncated,
        Problem::Declined => Fault::Refused,
        Problem::Nothing => Fault::Unreadable,
    }
}

/// What the record says of a problem.
fn refusal(problem: &Problem) -> Refusal {
    match problem {
        Problem::Refused(refusal) => refusal.clone(),
        other => Refusal::new(Code::UnreadableAction, other.to_string()),
    }
}
