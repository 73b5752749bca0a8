//! The task that owns a live match. Whatever changes the match is a command to it: checked, written down, applied, answered,
//! in this order. No client can stop that half-way: whoever hangs up only never hears the answer.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::archive::{Archive, NoteChange};
use super::attended::AttendedPlayer;
use super::game::{self, Settled, StartedMatch};
use super::live::Live;
use super::orders::Taken;
use super::remote::{RemotePlayer, Saying};
use super::seats::Holder;
use super::ticks::Ticks;
use super::view::Stage;
use super::{ActError, ArenaError, HousePlayers, HouseSeat, Receipt};
use crate::games::seat::Seat;
use crate::games::table::{Accepted, Raw};
use crate::matches::{Log, Match};
use crate::players::Player;
use crate::store::{Change, StoreError, StoredAnswer};

/// So many commands are looked at together, and written together where they can be.
const BATCH: usize = 64;

/// Where an answer is waited for.
pub(super) type Answering<T, E = ActError> = oneshot::Sender<Result<T, E>>;

/// What the task of a match is told.
#[derive(Debug)]
pub(super) enum Command {
    /// A seat acts.
    Act(Box<ActCommand>),
    /// A seat says something beside its next action.
    Say {
        seat: Seat,
        /// The turn that the player saw.
        turn: Option<u32>,
        text: String,
        /// What keeps the answer, where it may be asked for again.
        kept: Option<StoredAnswer>,
        answer: Answering<()>,
    },
    /// A seat gives up.
    Resign { seat: Seat, answer: Answering<()> },
    /// Somebody takes an open seat.
    Join {
        wanted: Option<Seat>,
        holder: Holder,
        name: String,
        /// What is written with it.
        beside: Option<Change>,
        answer: Answering<Seat, ArenaError>,
    },
    /// Somebody wants a match that has stopped to go on.
    GoOn(Answering<(), ArenaError>),
    /// Somebody waits until what was asked before is done.
    CatchUp(Answering<(), ArenaError>),
    /// The referee of this number has settled something.
    Settled(u64, Settled),
    /// The referee of this number has left, with the reason where the match is not over.
    Left(u64, Option<String>),
}

/// An action on its way.
#[derive(Debug)]
pub(super) struct ActCommand {
    pub(super) seat: Seat,
    /// The turn that the player saw; the one at hand by default.
    pub(super) turn: Option<u32>,
    pub(super) action: SentAction,
    pub(super) reasoning: Option<String>,
    /// What is said beside it.
    pub(super) say: Option<String>,
    /// What keeps the answer, where it may be asked for again. The receipt is filled in.
    pub(super) kept: Option<StoredAnswer>,
    pub(super) answer: Answering<Receipt>,
}

/// An action as it came in.
#[derive(Clone, Debug)]
pub(super) enum SentAction {
    Text(String),
    Object(Map<String, Json>),
}

impl From<Raw<'_>> for SentAction {
    fn from(raw: Raw<'_>) -> SentAction {
        match raw {
            Raw::Text(text) => SentAction::Text(text.to_owned()),
            Raw::Object(object) => SentAction::Object(object),
        }
    }
}

impl SentAction {
    fn raw(self: &SentAction) -> Raw<'_> {
        match self {
            SentAction::Text(text) => Raw::Text(text),
            SentAction::Object(object) => Raw::Object(object.clone()),
        }
    }
}

/// What the tasks of all matches share.
#[derive(Clone)]
pub(super) struct TaskContext {
    pub(super) guests: Arc<dyn HousePlayers>,
    pub(super) archive: Option<Arc<Archive>>,
    pub(super) ticks: Arc<Ticks>,
}

/// The task that owns a match.
pub(super) struct MatchTask {
    live: Arc<Live>,
    context: TaskContext,
    /// How many lines of the record are written.
    written: u64,
    referee: Option<Referee>,
    /// How many referees there were.
    referees: u64,
}

/// A referee at the table.
struct Referee {
    number: u64,
    task: JoinHandle<()>,
    stop: CancellationToken,
}

/// Commands that are written together.
#[derive(Default)]
struct Round {
    changes: Vec<Change>,
    effects: Vec<Effect>,
    settled: Vec<Settled>,
    /// The seats that it is about.
    seats: Vec<Seat>,
    /// Whether the match's note is among the changes.
    is_noted: bool,
    /// Whether it must be written alone: what it answers may have been answered before.
    is_alone: bool,
}

/// What a command does once it is written down.
enum Effect {
    Act(Accepted, Option<Saying>, Answering<Receipt>),
    Say(Seat, Saying, Answering<()>),
    Resign(Seat, Answering<()>),
    Join(Seat, Holder, String, Answering<Seat, ArenaError>),
}

impl Round {
    /// Whether a command can be written with those that are in it: none of them may change what it is checked against.
    fn takes(&self, command: &Command) -> bool {
        let is_free = |seat: &Seat| self.settled.is_empty() && !self.seats.contains(seat);
        if self.is_alone {
            return false;
        }
        match command {
            Command::Act(act) if act.kept.is_some() => self.effects.is_empty() && self.settled.is_empty(),
            Command::Act(act) => is_free(&act.seat),
            Command::Say { kept: Some(_), .. } => self.effects.is_empty() && self.settled.is_empty(),
            Command::Say { seat, .. } | Command::Resign { seat, .. } => is_free(seat) && !self.is_noted,
            Command::Join { beside, .. } => {
                self.settled.is_empty() && !self.is_noted && (beside.is_none() || self.effects.is_empty())
            }
            Command::GoOn(_) | Command::CatchUp(_) | Command::Left(..) => {
                self.effects.is_empty() && self.settled.is_empty()
            }
            Command::Settled(..) => true,
        }
    }
}

impl MatchTask {
    /// Takes a match over, unless another task has it, and lets it begin if it can.
    pub(super) fn start(live: Arc<Live>, context: TaskContext) -> Option<impl Future<Output = ()> + Send + 'static> {
        let inbox = live.inbox()?;
        let mut task = MatchTask { live, context, written: 0, referee: None, referees: 0 };
        task.begin_if_full();
        Some(task.run(inbox))
    }

    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Command>) {
        let stop = self.live.stopping().clone();
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                _ = inbox.recv_many(&mut batch, BATCH) => {}
            }
            self.handle(std::mem::take(&mut batch)).await;
        }
        // The referee goes first: what it has settled is written with what was asked for before the end.
        if let Some(referee) = &mut self.referee {
            referee.stop.cancel();
            let _ = (&mut referee.task).await;
        }
        inbox.close();
        while inbox.recv_many(&mut batch, BATCH).await > 0 {
            self.handle(std::mem::take(&mut batch)).await;
        }
    }

    async fn handle(&mut self, batch: Vec<Command>) {
        let mut rest = VecDeque::from(batch);
        while !rest.is_empty() {
            let mut round = Round::default();
            while let Some(command) = rest.pop_front_if(|command| round.takes(command)) {
                self.prepare(command, &mut round);
            }
            self.finish(round).await;
        }
    }

    /// Checks a command. What can be answered at once is.
    fn prepare(&mut self, command: Command, round: &mut Round) {
        match command {
            Command::Act(act) => self.prepare_act(*act, round),
            Command::Say { seat, turn, text, kept, answer } => match self.live.saying_once(seat, turn, &text) {
                Err(error) => tell(answer, Err(error)),
                Ok(None) => tell(answer, Ok(())),
                Ok(Some(saying)) => {
                    if self.context.archive.is_some() {
                        round.is_alone = kept.is_some();
                        round.changes.extend(kept.map(Change::Answer));
                    }
                    self.note(round, &NoteChange::Say(seat, saying.clone()));
                    round.seats.push(seat);
                    round.effects.push(Effect::Say(seat, saying, answer));
                }
            },
            Command::Resign { answer, .. } if self.live.is_over() => tell(answer, Err(ActError::Over)),
            Command::Resign { seat, answer } => {
                self.note(round, &NoteChange::Resign(seat));
                round.seats.push(seat);
                round.effects.push(Effect::Resign(seat, answer));
            }
            Command::Join { wanted, holder, name, beside, answer } => match self.live.open_seat(wanted) {
                Err(error) => tell(answer, Err(error.into())),
                Ok(seat) => {
                    self.note(round, &NoteChange::Seat(seat, holder.clone(), name.clone()));
                    round.is_alone = beside.is_some();
                    round.changes.extend(beside);
                    round.effects.push(Effect::Join(seat, holder, name, answer));
                }
            },
            Command::GoOn(answer) => tell(answer, self.go_on()),
            Command::CatchUp(answer) => tell(answer, Ok(())),
            Command::Settled(number, settled) => {
                if self.referee.as_ref().is_some_and(|referee| referee.number == number) {
                    round.settled.push(settled);
                }
            }
            Command::Left(number, why) => {
                if self.referee.take_if(|referee| referee.number == number).is_some()
                    && let Some(why) = why
                {
                    self.suspend(why);
                }
            }
        }
    }

    fn prepare_act(&self, act: ActCommand, round: &mut Round) {
        let ActCommand { seat, turn, action, reasoning, say, kept, answer } = act;
        let accepted = match self.live.seal(seat, turn, action.raw(), reasoning.as_deref()) {
            Ok(Taken::Now(accepted)) => accepted,
            Ok(Taken::Before(turn, action)) => return tell(answer, Ok(Receipt { turn, action, repeated: true })),
            Err(error) => return tell(answer, Err(error)),
        };
        let saying = match say.map(|text| self.live.saying(seat, &text)).transpose() {
            Ok(saying) => saying,
            Err(error) => return tell(answer, Err(error)),
        };
        if self.context.archive.is_some() {
            round.changes.push(Archive::seal(&self.live, &accepted, saying.as_ref()));
            if let Some(kept) = kept {
                let receipt = Receipt { repeated: true, ..receipt(&accepted) };
                let answer = serde_json::to_string(&receipt).expect("plain fields");
                round.changes.push(Change::Answer(StoredAnswer { answer, ..kept }));
                round.is_alone = true;
            }
        }
        round.seats.push(seat);
        round.effects.push(Effect::Act(accepted, saying, answer));
    }

    /// Lets the match's note be written as it is after a change.
    fn note(&self, round: &mut Round, change: &NoteChange) {
        round.is_noted = true;
        if self.context.archive.is_some() {
            round.changes.extend(Archive::update(&self.live, change));
        }
    }

    /// Writes a round down, then applies and answers it.
    async fn finish(&mut self, mut round: Round) {
        if let Some(archive) = &self.context.archive {
            if let Some(last) = round.settled.last() {
                let lines = round.settled.iter().map(|settled| settled.line.to_string()).collect();
                let append = Change::Append { match_id: self.live.id().to_owned(), first_line: self.written, lines };
                round.changes.push(append);
                // The result and what it changes on the ladder are written together: neither is there without the other.
                if last.turn.is_none() {
                    round.changes.extend(self.live.rating(&last.table));
                }
            }
            if !round.changes.is_empty() {
                round.changes.insert(0, self.live.fence());
                if let Err(error) = archive.store().write(round.changes).await {
                    return self.fail(round.effects, &round.settled, &error);
                }
            }
        }
        for effect in round.effects {
            self.apply(effect);
        }
        let is_empty = round.settled.is_empty();
        self.written += round.settled.len() as u64;
        for Settled { table, turn, line, due } in round.settled {
            self.live.publish(&table, turn, line);
            if let Some(due) = due {
                self.context.ticks.shown(due);
            }
        }
        if self.live.is_over()
            && !is_empty
            && let Some(archive) = &self.context.archive
        {
            // Nobody waits for it, and what is not packed is read as well.
            let pack = Change::Pack { match_id: self.live.id().to_owned() };
            let _ = archive.store().write_later(vec![pack], |_| {});
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Act(accepted, saying, answer) => {
                let receipt = receipt(&accepted);
                tell(answer, self.live.deliver(accepted, saying).map(|()| receipt));
            }
            Effect::Say(seat, saying, answer) => {
                self.live.say(seat, saying);
                tell(answer, Ok(()));
            }
            Effect::Resign(seat, answer) => {
                self.live.resign(seat);
                tell(answer, Ok(()));
            }
            Effect::Join(seat, holder, name, answer) => {
                self.live.take_seat(seat, holder, &name);
                self.begin_if_full();
                tell(answer, Ok(seat));
            }
        }
    }

    /// Nothing of a round could be written: nothing of it has happened.
    fn fail(&mut self, effects: Vec<Effect>, settled: &[Settled], error: &StoreError) {
        let not_kept = || ActError::NotKept(error.clone());
        for effect in effects {
            match effect {
                Effect::Act(_, _, answer) => tell(answer, Err(not_kept())),
                Effect::Say(_, _, answer) | Effect::Resign(_, answer) => tell(answer, Err(not_kept())),
                Effect::Join(_, _, _, answer) => tell(answer, Err(error.clone().into())),
            }
        }
        if matches!(error, StoreError::Fenced(_)) {
            tracing::info!(match_id = self.live.id(), "another process plays this match now");
            self.live.close();
            return;
        }
        if !settled.is_empty() {
            // What the referee has settled since is not to be written either; the next one plays it again.
            if let Some(referee) = self.referee.take() {
                referee.stop.cancel();
            }
            self.suspend(format!("the record cannot be kept: {error}"));
        }
    }

    fn suspend(&self, why: String) {
        tracing::warn!(match_id = self.live.id(), why, "a match stopped");
        self.live.enter(Stage::Suspended(why));
    }

    fn go_on(&mut self) -> Result<(), ArenaError> {
        let is_needed = self.referee.is_none() && !self.live.is_over() && self.live.is_full();
        if is_needed && !self.live.stopping().is_cancelled() { self.begin() } else { Ok(()) }
    }

    fn begin_if_full(&mut self) {
        if let Err(error) = self.go_on() {
            self.suspend(error.to_string());
        }
    }

    /// Seats everybody and sends a referee.
    fn begin(&mut self) -> Result<(), ArenaError> {
        let live = &self.live;
        let chairs = live.chairs();
        let ruleset = live.ruleset();
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for (info, holder) in &chairs {
            players.push(match holder {
                Holder::House => {
                    let place = HouseSeat {
                        seat: info.seat,
                        seats: chairs.len(),
                        ruleset: ruleset.clone(),
                        seed: live.seed(),
                        language: live.language(),
                        payer: live.settings().payer,
                    };
                    let guest = self.context.guests.invite(&info.player, &place).map_err(ArenaError::Guest)?;
                    match guest.info.model {
                        // What costs money is asked only while somebody is there.
                        Some(_) => Box::new(AttendedPlayer { live: live.clone(), player: guest.player }),
                        None => guest.player,
                    }
                }
                Holder::Key(..) | Holder::With(_) | Holder::Open => {
                    Box::new(RemotePlayer { live: live.clone(), seat: info.seat })
                }
            });
        }
        let damaged = |why: String| ArenaError::Damaged { match_id: live.id().to_owned(), why };
        let started = match live.replay().map_err(|error| damaged(error.to_string()))? {
            None => {
                self.written = 0;
                let seats = chairs.into_iter().map(|(info, _)| info).collect();
                let opened = Match::open_seated(live.id(), ruleset, live.seed(), seats);
                let (game, header) = opened.map_err(ArenaError::Refused)?;
                StartedMatch { game, past: None, log: Log::new(Vec::new()), header: Some(header) }
            }
            Some(replay) => {
                self.written = 1 + replay.turns.len() as u64 + u64::from(replay.result.is_some());
                let log = Log::after(Vec::new(), replay.chain);
                let game = replay.resume().map_err(|error| damaged(error.to_string()))?;
                StartedMatch { game, past: Some(replay), log, header: None }
            }
        };
        live.enter(Stage::Playing);
        self.referees += 1;
        let (number, stop) = (self.referees, live.stopping().child_token());
        let players = players.into_iter().collect();
        let task = tokio::spawn(game::referee(live.clone(), number, started, players, stop.clone()));
        self.referee = Some(Referee { number, task, stop });
        Ok(())
    }
}

fn receipt(accepted: &Accepted) -> Receipt {
    Receipt { turn: accepted.turn(), action: accepted.notation().to_owned(), repeated: false }
}

/// Gives an answer, if anybody still waits for it.
fn tell<T, E>(answer: Answering<T, E>, told: Result<T, E>) {
    let _ = answer.send(told);
}
