//! What all games check alike of a position that somebody set up.

use std::ops::RangeInclusive;

use super::game::MAX_TURN;
use super::map::MAX_SIDE;
use super::outcome::Outcome;
use super::seat::{Seat, Seats};

/// What a state says of a seat in every game.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeatEntry {
    pub(super) seat: Seat,
    pub(super) alive: bool,
    pub(super) place: Option<u32>,
}

/// No counter is beyond what a match can come to.
pub(super) fn check_counters(counters: &[(&str, u32)], problems: &mut Vec<String>) {
    for (name, _) in counters.iter().filter(|(_, count)| *count > MAX_TURN) {
        problems.push(format!("`{name}` must be at most {MAX_TURN}"));
    }
}

/// Whether a grid is a board at all, with so many rows and columns at the least.
pub(super) fn check_grid<T>(grid: &[Vec<T>], least: usize, problems: &mut Vec<String>) -> bool {
    let before = problems.len();
    let (rows, cols) = (grid.len(), grid.first().map_or(0, Vec::len));
    let sides = least..=MAX_SIDE;
    if !sides.contains(&rows) || !sides.contains(&cols) {
        problems.push(format!("`grid` must have {least} to {MAX_SIDE} rows and columns"));
    }
    if let Some(row) = grid.iter().position(|row| row.len() != cols) {
        problems.push(format!("row {row} of `grid` has {} cells, row 0 has {cols}", grid[row].len()));
    }
    problems.len() == before
}

/// Whether a list, called so in the state, has every seat of a table once.
pub(super) fn check_seats(
    list: &str,
    seats: impl ExactSizeIterator<Item = Seat>,
    allowed: RangeInclusive<usize>,
    problems: &mut Vec<String>,
) -> bool {
    let before = problems.len();
    let count = seats.len();
    if !allowed.contains(&count) {
        let (least, most) = (allowed.start(), allowed.end());
        problems.push(format!("`{list}` has {count} entries; it must have {least} to {most}"));
        return false;
    }
    let mut found = Seats::none();
    for (index, seat) in seats.enumerate() {
        if seat.index() >= count || found.contains(seat) {
            problems.push(format!("`{list}` must have each of the first {count} seats once, not {seat} at {index}"));
        }
        found.insert(seat);
    }
    problems.len() == before
}

/// Every place is one of the table's.
pub(super) fn check_places(entries: &[SeatEntry], problems: &mut Vec<String>) {
    let count = entries.len();
    for SeatEntry { seat, place, .. } in entries {
        if place.is_some_and(|place| place == 0 || usize::try_from(place).is_ok_and(|place| place > count)) {
            problems.push(format!("the place of {seat} must be from 1 to {count}"));
        }
    }
}

/// Where everybody plays alone: who plays has no place yet, and who is out ranks below all who play.
pub(super) fn check_ranks(entries: &[SeatEntry], outcome: Option<&Outcome>, problems: &mut Vec<String>) {
    let living = entries.iter().filter(|entry| entry.alive).count();
    for &SeatEntry { seat, alive, place } in entries {
        let Some(place) = place else { continue };
        if alive && outcome.is_none() {
            problems.push(format!("{seat} has a place and still plays"));
        } else if !alive && usize::try_from(place).is_ok_and(|place| (1..=living).contains(&place)) {
            problems.push(format!("{seat} is out on place {place}, but the {living} who still play rank above it"));
        }
    }
}

/// When it is over nobody must act, and everybody in a list has its place in the outcome.
pub(super) fn check_over(
    outcome: &Outcome,
    to_act: &Seats,
    list: &str,
    entries: &[SeatEntry],
    problems: &mut Vec<String>,
) {
    if !to_act.is_empty() {
        problems.push("`to_act` must be empty when there is an outcome".to_owned());
    }
    let settled = |entry: &SeatEntry| entry.place.is_some() && entry.place == outcome.places.get(&entry.seat).copied();
    if outcome.places.len() != entries.len() || !entries.iter().all(settled) {
        problems.push(format!("when there is an outcome everybody in `{list}` has the place that it says"));
    }
}
