//! What was said where somebody failed, from what the store keeps: the system prompt, the question, the answer and why it
//! was refused.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::experiment::{BankFound, Gate, QuizFound};
use super::super::leaderboard::Leaderboard;
use super::super::run;
use crate::games::seat::Seat;
use crate::matches::{Fault, RefusedAttempt, Replay, TurnLine};
use crate::players::model::{Speaker, conversation};
use crate::store::{Filter, Store, StoreError, StoredCall};

/// So many of everybody are shown, no two of a player of one kind of failure.
const MOST: usize = 12;
/// So many games of a player are looked at for them.
const LOOKS: u32 = 8;

/// A failure with all that was said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transcript {
    /// Whose it is.
    pub player: String,
    /// The kind of failure, as records call it.
    pub kind: String,
    /// At which gate; games where there are no others.
    pub gate: Gate,
    /// The match, the position of the bank, or the question of the quiz.
    pub place: String,
    /// The turn, in a match.
    pub turn: Option<u32>,
    /// What was said, in order: the first words of the referee are the question, later ones refuse an answer.
    pub said: Vec<(Speaker, String)>,
}

/// One of every kind of failure of every player: first those of games, then those of positions, then an answer to the quiz
/// that was neither yes nor no.
pub(super) async fn read(
    store: &Store,
    id: &str,
    board: &Leaderboard,
    bank: Option<&BankFound>,
    quiz: Option<&QuizFound>,
) -> Result<Vec<Transcript>, StoreError> {
    let mut found: Vec<Transcript> = Vec::new();
    let mut shown: BTreeSet<(String, Fault)> = BTreeSet::new();
    for row in &board.players {
        let faults = row.summary.lapses.keys().copied().chain(row.summary.examples.iter().map(|it| it.fault));
        let mut wanted: BTreeSet<Fault> = faults.collect();
        if wanted.is_empty() || found.len() >= MOST {
            continue;
        }
        let filter = Filter {
            player: Some(row.name.clone()),
            tournament: Some(id.to_owned()),
            limit: Some(LOOKS),
            ..Filter::default()
        };
        for info in store.matches(&filter).await? {
            let at = info.seats.iter().position(|seat| seat.player == row.name);
            let Some(seat) = at.filter(|_| !wanted.is_empty()).map(Seat::new) else { continue };
            let Ok(record) = Replay::read(store.record(&info.id, 0).await?.as_slice()) else { continue };
            for line in record.turns.iter().map(|step| &step.line) {
                let failed = faults_of(line, seat);
                let Some(&fault) = failed.iter().find(|fault| wanted.contains(fault)) else { continue };
                let said = of_turn(&store.calls(&info.id).await?, line, seat);
                let (player, kind) = (row.name.clone(), fault.name().to_owned());
                let (gate, place) = (Gate::Games, info.id.clone());
                found.push(Transcript { player, kind, gate, place, turn: Some(line.turn), said });
                // One turn may show several kinds.
                wanted.retain(|fault| !failed.contains(fault));
                shown.extend(failed.into_iter().map(|fault| (row.name.clone(), fault)));
            }
        }
    }
    for row in bank.into_iter().flat_map(|bank| &bank.rows) {
        for answer in &row.answers {
            let (Some(fault), Some(asked)) = (answer.fault, &answer.asked) else { continue };
            if found.len() >= MOST || !shown.insert((row.who.player.clone(), fault)) {
                continue;
            }
            if let Some(said) = store.calls(asked).await?.last().map(said).filter(|said| !said.is_empty()) {
                let (player, kind, place) = (row.who.player.clone(), fault.name().to_owned(), answer.id.clone());
                found.push(Transcript { player, kind, gate: Gate::Bank, place, turn: None, said });
            }
        }
    }
    let mut mumbled: BTreeSet<&str> = BTreeSet::new();
    for row in quiz.into_iter().flat_map(|quiz| &quiz.rows) {
        let Some(answer) = row.unclear.first().filter(|_| found.len() < MOST) else { continue };
        if !mumbled.insert(&row.who.player) {
            continue;
        }
        if let Some(said) = store.calls(&answer.asked).await?.last().map(said).filter(|said| !said.is_empty()) {
            let (player, kind) = (row.who.player.clone(), Fault::Unreadable.name().to_owned());
            found.push(Transcript { player, kind, gate: Gate::Quiz, place: answer.id.clone(), turn: None, said });
        }
    }
    found.truncate(MOST);
    Ok(found)
}

/// How a seat failed in a turn.
fn faults_of(line: &TurnLine, seat: Seat) -> BTreeSet<Fault> {
    let refused = line.refused.iter().filter(|refused| refused.seat == seat).map(|refused| refused.fault);
    line.lapses.get(&seat).map(|lapse| lapse.fault).into_iter().chain(refused).collect()
}

fn said(call: &StoredCall) -> Vec<(Speaker, String)> {
    let request = call.request.text().ok();
    let request = request.as_deref().map(String::from_utf8_lossy);
    request.zip(run::recorded(call)).map(|(request, answer)| conversation(&request, &answer)).unwrap_or_default()
}

/// What was said to a seat in a turn, and what it said.
fn of_turn(calls: &[StoredCall], line: &TurnLine, seat: Seat) -> Vec<(Speaker, String)> {
    let own = calls.iter().filter(|call| call.seat == seat && call.turn + 1 == line.turn);
    let mut all = own.max_by_key(|call| call.ordinal).map(said).unwrap_or_default();
    let refused: Vec<&RefusedAttempt> = line.refused.iter().filter(|refused| refused.seat == seat).collect();
    if all.is_empty() {
        // Programs and agents are asked otherwise: what they answered is in the record.
        let both = |refused: &&RefusedAttempt| {
            [(Speaker::Model, refused.text.clone()), (Speaker::Referee, refused.message.clone())]
        };
        return refused.iter().flat_map(both).collect();
    }
    if let Some(last) = refused.last().filter(|_| line.lapses.contains_key(&seat)) {
        // What the last attempt was refused for it was never told.
        all.push((Speaker::Referee, last.message.clone()));
    }
    all
}
