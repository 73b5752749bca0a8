//! The leaderboard of record, from games that are kept.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::ratings::{Fit, FitOptions, PlayedBlock, Rated, fit};
use super::run::{GameSummary, SeatSummary};
use super::score::{Entrant, GameResult};
use crate::bots::BotSpec;
use crate::games::outcome::Reason;
use crate::games::seat::Seat;
use crate::store::GameInfo;

/// Everybody who played, the best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaderboard {
    /// The best first.
    pub players: Vec<LeaderboardRow>,
    /// How likely each is to beat each other in one game, seats being equal, in the order of the rows.
    pub matrix: Vec<Vec<f64>>,
    /// What the seats are worth, in points, by course.
    pub seats: BTreeMap<String, Vec<f64>>,
    /// Who stands at 1000; the mean of all where nobody does.
    pub anchor: Option<String>,
    /// Games that count.
    pub games: u64,
    /// Games that ended by a forfeit.
    pub forfeits: u64,
}

/// A player on the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaderboardRow {
    /// What it is called.
    pub name: String,
    /// Its rating and record.
    #[serde(flatten)]
    pub rated: Rated,
    /// Its rating if games that ended by a forfeit are left out; none where there is no such game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_without_forfeits: Option<f64>,
    /// What it cost and how it failed.
    #[serde(flatten)]
    pub summary: SeatSummary,
    /// Seconds a turn, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_a_turn: Option<f64>,
}

/// Whether games that ended by a forfeit count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeits {
    /// As losses of whoever gave up.
    Counted,
    /// Not at all.
    LeftOut,
}

/// What everybody played, under numbers instead of names.
#[derive(Default)]
struct Field {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    courses: Vec<String>,
}

impl Field {
    fn entrant(&mut self, name: &str) -> Entrant {
        let number = *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        Entrant::new(number)
    }

    fn course(&mut self, name: &str) -> u32 {
        let known = self.courses.iter().position(|other| other == name);
        let number = known.unwrap_or_else(|| {
            self.courses.push(name.to_owned());
            self.courses.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }
}

impl Leaderboard {
    /// The leaderboard of these games: each list is a tournament's, or of games that are part of none. Whoever is named
    /// as the anchor stands at 1000; else a bot, the plainest that took part.
    pub fn of<'a>(
        lists: impl IntoIterator<Item = &'a [GameInfo]>,
        anchor: Option<&str>,
        forfeits: Forfeits,
    ) -> Leaderboard {
        let lists: Vec<&[GameInfo]> = lists.into_iter().collect();
        let mut field = Field::default();
        // Numbers must not depend on the order of the games: ties between ratings would.
        let mut names: Vec<&str> =
            lists.iter().flat_map(|list| list.iter()).flat_map(|game| &game.players).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            field.entrant(name);
        }
        let is_forfeit = |game: &GameInfo| game.result.reason == Reason::Forfeit;
        let count = |keep: &dyn Fn(&GameInfo) -> bool| {
            lists.iter().flat_map(|list| list.iter()).filter(|game| keep(game)).count() as u64
        };
        let forfeited = count(&is_forfeit);
        let all = blocks(&lists, &mut field, &|_| true);
        let anchor = anchor_of(&field, anchor);
        let options = FitOptions { anchor: anchor.map(Entrant::new), ..FitOptions::default() };
        let players = field.names.len();
        let played = |game: &GameInfo| !is_forfeit(game);
        let without = (forfeited > 0).then(|| {
            // Only the ratings are wanted: drawing blocks anew would tell nothing more.
            let few = if forfeits == Forfeits::LeftOut { options } else { FitOptions { replicates: 0, ..options } };
            fit(players, &blocks(&lists, &mut field, &played), &few)
        });
        let fitted = match (&without, forfeits) {
            (Some(without), Forfeits::LeftOut) => without.clone(),
            _ => fit(players, &all, &options),
        };
        let summaries = summaries(&lists, &field);
        let games = if forfeits == Forfeits::LeftOut { count(&played) } else { count(&|_| true) };
        Leaderboard::assemble(&field, &fitted, without.as_ref(), &summaries, anchor, games, forfeited)
    }

    fn assemble(
        field: &Field,
        fitted: &Fit,
        without: Option<&Fit>,
        summaries: &[SeatSummary],
        anchor: Option<usize>,
        games: u64,
        forfeits: u64,
    ) -> Leaderboard {
        let mut order: Vec<usize> = (0..field.names.len()).collect();
        order.sort_by(|&one, &other| fitted.players[other].rating.total_cmp(&fitted.players[one].rating));
        let row = |&one: &usize| {
            let summary = summaries[one].clone();
            #[expect(clippy::cast_precision_loss, reason = "no game takes 2^52 microseconds")]
            let seconds = (summary.turns > 0).then(|| summary.micros as f64 / 1e6 / f64::from(summary.turns));
            LeaderboardRow {
                name: field.names[one].clone(),
                rated: fitted.players[one],
                rating_without_forfeits: without.map(|without| without.players[one].rating),
                summary,
                seconds_a_turn: seconds,
            }
        };
        let chance = |one: usize, other: usize| {
            fitted.chances(Entrant::new(one), Entrant::new(other)).map_or(0.5, |chances| chances.win)
        };
        Leaderboard {
            players: order.iter().map(row).collect(),
            matrix: order.iter().map(|&one| order.iter().map(|&other| chance(one, other)).collect()).collect(),
            seats: field.courses.iter().cloned().zip(fitted.seats.iter().cloned()).collect(),
            anchor: anchor.map(|one| field.names[one].clone()),
            games,
            forfeits,
        }
    }
}

/// The blocks of all lists. A game that is part of no tournament is a block of its own.
fn blocks(lists: &[&[GameInfo]], field: &mut Field, keep: &dyn Fn(&GameInfo) -> bool) -> Vec<PlayedBlock> {
    let mut blocks = Vec::new();
    for list in lists {
        let mut before = None;
        for game in list.iter().filter(|game| keep(game)) {
            let course = field.course(&game.course);
            let played = GameResult {
                seats: game.players.iter().map(|name| field.entrant(name)).collect(),
                places: game.result.places.values().copied().collect(),
            };
            let block = game.place.map(|(block, _)| block);
            match blocks.last_mut() {
                // Games of a tournament come block by block.
                Some(PlayedBlock { games, .. }) if block.is_some() && block == before => games.push(played),
                _ => blocks.push(PlayedBlock { course, games: vec![played] }),
            }
            before = block;
        }
    }
    blocks
}

fn summaries(lists: &[&[GameInfo]], field: &Field) -> Vec<SeatSummary> {
    let mut summaries = vec![SeatSummary::default(); field.names.len()];
    for game in lists.iter().flat_map(|list| list.iter()) {
        let summary = GameSummary::read(game.note.as_deref());
        for (seat, name) in Seat::first(game.players.len()).zip(&game.players) {
            if let (Some(of_seat), Some(&number)) = (summary.seats.get(&seat), field.numbers.get(name)) {
                summaries[number].join(of_seat);
            }
        }
    }
    summaries
}

/// Who stands at 1000.
fn anchor_of(field: &Field, named: Option<&str>) -> Option<usize> {
    if let Some(number) = named.and_then(|name| field.numbers.get(name)) {
        return Some(*number);
    }
    let plainness = |name: &str| match name.parse() {
        Ok(BotSpec::Random) => Some(0),
        Ok(BotSpec::Greedy) => Some(1),
        Ok(BotSpec::Search(_)) => Some(2),
        Err(_) => None,
    };
    let bots = field.names.iter().enumerate().filter_map(|(at, name)| Some((plainness(name)?, at)));
    bots.min().map(|(_, at)| at)
}
