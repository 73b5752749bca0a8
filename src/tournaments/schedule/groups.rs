//! Who meets whom where everybody meets everybody.

use super::super::score::Entrant;
use super::BadSetup;
use crate::games::Seed;

/// How many groups [`everybody`] makes.
pub(super) fn count(entrants: usize, seats: usize) -> usize {
    entrants * shifts(entrants, seats) / seats
}

/// How often everybody plays: enough to meet all others, and such that all tables are full.
fn shifts(entrants: usize, seats: usize) -> usize {
    let enough = (entrants - 1).div_ceil(seats - 1);
    (enough..enough + seats).find(|shifts| (entrants * shifts).is_multiple_of(seats)).unwrap_or(enough)
}

/// Groups in which everybody meets everybody, in an order that serves all equally at any moment. At tables of many they
/// differ from repetition to repetition, and whoever did not meet in one will in another.
pub(super) fn everybody(entrants: usize, seats: usize, seed: Seed, repetition: u32) -> Vec<Vec<Entrant>> {
    if seats == 2 {
        return pairs(entrants);
    }
    // Ties are settled by lot. Some draws leave two who never meet: the best of a few draws is taken.
    let seed = seed.child("groups", repetition.into());
    let draws = 1 + 100_000 / (entrants * entrants) as u64;
    let mut best: Option<(usize, Vec<Vec<Entrant>>)> = None;
    for draw in 0..draws.min(64) {
        let (strangers, groups) = tables(entrants, seats, seed.child("draw", draw));
        if best.as_ref().is_none_or(|(fewest, _)| strangers < *fewest) {
            best = Some((strangers, groups));
        }
        if strangers == 0 {
            break;
        }
    }
    best.map_or_else(Vec::new, |(_, groups)| groups)
}

/// Every pair once, round by round (the circle method).
fn pairs(entrants: usize) -> Vec<Vec<Entrant>> {
    let even = entrants + entrants % 2;
    let mut found = Vec::new();
    for round in 0..even - 1 {
        for table in 0..even / 2 {
            let on_circle = |at: usize| (at + round) % (even - 1);
            let one = if table == 0 { even - 1 } else { on_circle(even - 1 - table) };
            let other = on_circle(table);
            // With an odd number the last place is empty, and whoever is drawn against it rests.
            if one < entrants && other < entrants {
                found.push(vec![Entrant::new(one.min(other)), Entrant::new(one.max(other))]);
            }
        }
    }
    found
}

/// Tables of more than two: who played least sits down first, beside those whom it met least. Also how many pairs
/// never meet.
fn tables(entrants: usize, seats: usize, seed: Seed) -> (usize, Vec<Vec<Entrant>>) {
    let mut dice = seed.dice();
    let lots: Vec<u64> = (0..entrants).map(|_| dice.bits()).collect();
    let mut played = vec![0_usize; entrants];
    let mut met = vec![0_usize; entrants * entrants];
    let mut found = Vec::with_capacity(count(entrants, seats));
    for _ in 0..count(entrants, seats) {
        let mut group: Vec<usize> = Vec::with_capacity(seats);
        while group.len() < seats {
            let meetings = |one: usize| group.iter().map(|&other| met[one * entrants + other]).sum::<usize>();
            let next = (0..entrants)
                .filter(|one| !group.contains(one))
                .min_by_key(|&one| (played[one], meetings(one), lots[one]))
                .expect("there are at least as many players as seats");
            group.push(next);
        }
        for &one in &group {
            played[one] += 1;
            for &other in &group {
                met[one * entrants + other] += 1;
            }
        }
        found.push(group.into_iter().map(Entrant::new).collect());
    }
    let strangers = met.iter().filter(|&&times| times == 0).count() / 2;
    (strangers, found)
}

/// Whether each group can sit down.
pub(super) fn check(groups: &[Vec<Entrant>], seats: usize, entrants: usize) -> Result<(), BadSetup> {
    if groups.is_empty() {
        return Err(BadSetup::Nothing("group"));
    }
    for (index, group) in groups.iter().enumerate() {
        let twice = group.iter().enumerate().any(|(at, one)| group[..at].contains(one));
        if group.len() != seats || twice || group.iter().any(|one| one.index() >= entrants) {
            return Err(BadSetup::Group { number: index + 1, seats });
        }
    }
    Ok(())
}
