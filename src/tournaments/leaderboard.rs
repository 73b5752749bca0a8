//! The leaderboard of record, from games that are counted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::ratings::{Fit, FitOptions, Pairing, PlayedBlock, Quality, Rated, fit};
use super::run::SeatSummary;
use super::score::{Entrant, GameResult};
use super::tally::{PlayerTally, Tally};
use crate::bots::BotSpec;
use crate::matches::Identity;
use crate::store::{GameInfo, OutcomeGame};

/// Of more players than this, chances and pairings are those of the best.
const MOST_IN_MATRIX: usize = 100;

/// Everybody who played, the best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaderboard {
    /// The best first.
    pub players: Vec<LeaderboardRow>,
    /// How likely each is to beat each other in one game, seats being equal, in the order of the rows. Of more than a
    /// hundred players, the first hundred.
    pub matrix: Vec<Vec<f64>>,
    /// What happened between every two who met, beside what the fit expects; players are numbered in the order of the
    /// rows, from 0. Of more than a hundred players, the first hundred.
    pub pairings: Vec<Pairing>,
    /// Whether the model holds: where it does not, the ratings say less than they seem to.
    pub quality: Quality,
    /// What the seats are worth, in points, by course.
    pub seats: BTreeMap<String, Vec<f64>>,
    /// A fit of each ruleset by itself, where there are several. In the fit over all each counts the same.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rulesets: BTreeMap<String, RulesetBoard>,
    /// Who is rated 1000; the mean of all where nobody does.
    pub anchor: Option<String>,
    /// Games that count: those of tournaments, those that the operator played, and those that the queue made, if no
    /// guest has a seat in them. The live ladder counts the last of these.
    pub games: u64,
    /// Games that do not.
    pub uncounted: u64,
    /// Games that ended by a forfeit.
    pub forfeits: u64,
}

/// A player on the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaderboardRow {
    /// What it is called.
    pub name: String,
    /// Who it is.
    pub identity: Identity,
    /// Its rating and record.
    #[serde(flatten)]
    pub rated: Rated,
    /// Games against itself under the same prompt, which show the noise of an experiment and count for no rating. What it
    /// cost and how it failed in them is in the numbers that follow.
    #[serde(skip_serializing_if = "is_zero")]
    pub noise_games: u64,
    /// Its rating if games that ended by a forfeit are left out; none where there is no such game, or no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_without_forfeits: Option<f64>,
    /// What it cost and how it failed.
    #[serde(flatten)]
    pub summary: SeatSummary,
    /// Seconds a turn, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_a_turn: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The leaderboard of one ruleset among several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesetBoard {
    /// Whoever played it, the best first.
    pub players: Vec<RulesetRow>,
    /// Whether the model holds.
    pub quality: Quality,
    /// Games that count.
    pub games: u64,
}

/// A player on the leaderboard of one ruleset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesetRow {
    /// What it is called.
    pub name: String,
    /// Who it is.
    pub identity: Identity,
    /// Its rating and record.
    #[serde(flatten)]
    pub rated: Rated,
}

/// Whether games that ended by a forfeit count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeits {
    /// As losses of whoever gave up.
    Counted,
    /// Not at all.
    LeftOut,
}

impl Forfeits {
    fn keeps(self, game: &OutcomeGame) -> bool {
        self == Forfeits::Counted || !game.is_forfeit
    }
}

/// A fit with those whom it rates: nobody else has played.
struct NamedFit<'a> {
    players: Vec<&'a Identity>,
    courses: Vec<&'a str>,
    anchor: Option<usize>,
    fit: Fit,
    games: u64,
}

impl<'a> NamedFit<'a> {
    /// Fits the games of a tally, or of one of its rulesets, that count.
    fn of(tally: &'a Tally, ruleset: Option<&str>, anchor: Option<&str>, forfeits: Forfeits, replicates: u32) -> Self {
        let is_wanted = |of: &str| ruleset.is_none_or(|ruleset| of == ruleset);
        let wanted = || tally.blocks.iter().filter(|(block, _)| is_wanted(&block.ruleset) && !block.outcome.is_empty());
        let counts = |game: &OutcomeGame| forfeits.keeps(game);
        let played = wanted().flat_map(|(block, _)| block.outcome.games()).filter(counts);
        let played: HashSet<u32> = played.flat_map(|game| game.players).collect();
        // Numbers must not depend on the order of the games: ties between ratings would.
        let mut players: Vec<(u32, &Identity)> =
            played.into_iter().filter_map(|number| Some((number, tally.identity(number)?))).collect();
        players.sort_unstable_by_key(|(_, who)| (who.key(), *who));
        let numbers: HashMap<u32, Entrant> =
            players.iter().enumerate().map(|(at, &(number, _))| (number, Entrant::new(at))).collect();
        let players: Vec<&Identity> = players.into_iter().map(|(_, who)| who).collect();
        let courses: BTreeSet<(&str, &str)> = wanted().map(|(block, _)| (&*block.course, &*block.ruleset)).collect();
        let courses: Vec<(&str, &str)> = courses.into_iter().collect();
        let rulesets: BTreeSet<&str> = courses.iter().map(|(_, ruleset)| *ruleset).collect();
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let result = |game: OutcomeGame| GameResult {
            seats: game.players.iter().map(|number| numbers[number]).collect(),
            places: game.places,
        };
        let blocks: Vec<PlayedBlock> = wanted()
            .map(|(block, &times)| PlayedBlock {
                course: index(courses.partition_point(|course| *course < (&*block.course, &*block.ruleset))),
                games: block.outcome.games().filter(counts).map(result).collect(),
                times,
            })
            .collect();
        let games = blocks.iter().map(|block| u64::from(block.times) * block.games.len() as u64).sum();
        let of_course =
            |(_, ruleset): &(&str, &str)| index(rulesets.iter().take_while(|other| *other < ruleset).count());
        let anchor = anchor_of(&players, anchor);
        let options = FitOptions {
            anchor,
            rulesets: courses.iter().map(of_course).collect(),
            replicates,
            ..FitOptions::default()
        };
        let fit = fit(players.len(), &blocks, &options);
        let courses = courses.into_iter().map(|(course, _)| course).collect();
        NamedFit { courses, players, anchor: anchor.map(Entrant::index), fit, games }
    }

    /// Everybody by its number, the best first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        let rating = |one: usize| self.fit.players[one].rating;
        order.sort_by(|&one, &other| rating(other).total_cmp(&rating(one)));
        order
    }

    fn board(&self, totals: &HashMap<&Identity, PlayerTally>) -> RulesetBoard {
        let row = |one: usize| {
            let identity = self.players[one];
            RulesetRow { name: called(totals, identity), identity: identity.clone(), rated: self.fit.players[one] }
        };
        RulesetBoard {
            players: self.order().into_iter().map(row).collect(),
            quality: self.fit.quality.clone(),
            games: self.games,
        }
    }

    /// What happened between the first rows, which are numbered anew.
    fn pairings(&self, order: &[usize]) -> Vec<Pairing> {
        let rows: HashMap<usize, u32> = order.iter().copied().zip(0..).collect();
        let renumbered = |pairing: &Pairing| {
            let [one, other] = [pairing.one, pairing.other].map(|one| rows.get(&(one as usize)).copied());
            Some(pairing.numbered(one?, other?))
        };
        let mut pairings: Vec<Pairing> = self.fit.pairings.iter().filter_map(renumbered).collect();
        pairings.sort_by_key(|pairing| (pairing.one, pairing.other));
        pairings
    }
}

impl Leaderboard {
    /// The leaderboard of these games: each list is a tournament's, or of games that are part of none. Whoever is named
    /// as the anchor is rated 1000; else a bot, the plainest that took part.
    pub fn of<'a>(
        lists: impl IntoIterator<Item = &'a [GameInfo]>,
        anchor: Option<&str>,
        forfeits: Forfeits,
    ) -> Leaderboard {
        let mut tally = Tally::default();
        lists.into_iter().for_each(|games| tally.add(games));
        Leaderboard::of_tally(&tally, anchor, forfeits)
    }

    /// The leaderboard of games that are counted.
    pub fn of_tally(tally: &Tally, anchor: Option<&str>, forfeits: Forfeits) -> Leaderboard {
        const REPLICATES: u32 = 1000;
        let (tally, noise_games) = tally.without_twins();
        let tally = tally.as_ref();
        let fitted = NamedFit::of(tally, None, anchor, forfeits, REPLICATES);
        let forfeited = tally.games(|game| game.is_forfeit);
        // Only the ratings are wanted: drawing blocks anew would tell nothing more.
        let without = (forfeited > 0).then(|| NamedFit::of(tally, None, anchor, Forfeits::LeftOut, 0));
        let order = fitted.order();
        let totals = tally.totals();
        let row = |&one: &usize| {
            let identity = fitted.players[one];
            let summary = totals.get(identity).map(|total| total.summary.clone()).unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "no game takes 2^52 microseconds")]
            let seconds = (summary.turns > 0).then(|| summary.micros as f64 / 1e6 / f64::from(summary.turns));
            let without = without.as_ref().and_then(|without| {
                let at = without.players.iter().position(|who| *who == identity)?;
                Some(without.fit.players[at].rating)
            });
            LeaderboardRow {
                name: called(&totals, identity),
                identity: identity.clone(),
                rated: fitted.fit.players[one],
                noise_games: noise_games.get(identity).copied().unwrap_or(0),
                rating_without_forfeits: without,
                summary,
                seconds_a_turn: seconds,
            }
        };
        let first = &order[..order.len().min(MOST_IN_MATRIX)];
        let chance = |one: usize, other: usize| {
            fitted.fit.chances(Entrant::new(one), Entrant::new(other)).map_or(0.5, |chances| chances.win)
        };
        Leaderboard {
            players: order.iter().map(row).collect(),
            matrix: first.iter().map(|&one| first.iter().map(|&other| chance(one, other)).collect()).collect(),
            pairings: fitted.pairings(first),
            quality: fitted.fit.quality.clone(),
            seats: fitted.courses.iter().map(|&name| name.to_owned()).zip(fitted.fit.seats.iter().cloned()).collect(),
            rulesets: rulesets(tally, &totals, anchor, forfeits, REPLICATES),
            anchor: fitted.anchor.map(|one| called(&totals, fitted.players[one])),
            games: fitted.games,
            uncounted: tally.uncounted(),
            forfeits: forfeited,
        }
    }
}

/// A fit of each ruleset by itself, where there are several.
fn rulesets(
    tally: &Tally,
    totals: &HashMap<&Identity, PlayerTally>,
    anchor: Option<&str>,
    forfeits: Forfeits,
    replicates: u32,
) -> BTreeMap<String, RulesetBoard> {
    let mut names: Vec<&str> = tally.blocks.keys().map(|block| &*block.ruleset).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < 2 {
        return BTreeMap::new();
    }
    let board = |name: &str| {
        let own = NamedFit::of(tally, Some(name), anchor, forfeits, replicates);
        (own.games > 0).then(|| (name.to_owned(), own.board(totals)))
    };
    names.into_iter().filter_map(board).collect()
}

/// What somebody is called.
fn called(totals: &HashMap<&Identity, PlayerTally>, who: &Identity) -> String {
    let name = totals.get(who).map(|total| total.name.clone()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| who.key().to_owned())
}

/// Who is rated 1000.
fn anchor_of(players: &[&Identity], named: Option<&str>) -> Option<Entrant> {
    // A name stands for whom the operator could have meant by it: a bot or somebody configured.
    let by_name = |name: &str| [Identity::configured(name, false), Identity::Profile(name.to_owned())];
    let number = |who: &Identity| players.iter().position(|other| *other == who).map(Entrant::new);
    if let Some(number) = named.and_then(|name| by_name(name).iter().find_map(number)) {
        return Some(number);
    }
    let plainness = |who: &Identity| match who {
        Identity::House(bot) => match bot.parse() {
            Ok(BotSpec::Random) => Some(0),
            Ok(BotSpec::Greedy) => Some(1),
            Ok(BotSpec::Search(_)) => Some(2),
            Err(_) => None,
        },
        Identity::Profile(_) | Identity::Registered(_) | Identity::Guest => None,
    };
    let bots = players.iter().enumerate().filter_map(|(at, who)| Some((plainness(who)?, Entrant::new(at))));
    bots.min().map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournaments::tally::CountedGame;

    /// So many blocks of two games each that end so.
    fn tally(games: &[(&str, [&str; 2], [u32; 2], u32)]) -> Tally {
        let mut tally = Tally::default();
        for &(ruleset, players, places, times) in games {
            let is_forfeit = places == [1, 3];
            let game = |seats: [usize; 2]| CountedGame {
                players: seats.map(|seat| Identity::configured(players[seat], false)).to_vec(),
                places: seats.map(|seat| places[seat]).to_vec(),
                is_forfeit,
            };
            let games = vec![game([0, 1]), game([1, 0])];
            tally.count(ruleset, ruleset, &games, times);
        }
        tally
    }

    #[test]
    fn without_forfeits_nobody_is_rated_who_has_no_games() {
        // `lost` gave up every game that it played.
        let tally = tally(&[
            ("cowboy", ["greedy", "random"], [1, 2], 5),
            ("cowboy", ["random", "greedy"], [1, 2], 3),
            ("cowboy", ["random", "lost"], [1, 3], 4),
        ]);
        let board = Leaderboard::of_tally(&tally, None, Forfeits::LeftOut);
        let names: Vec<&str> = board.players.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["greedy", "random"]);
        assert_eq!((board.games, board.forfeits), (16, 8));
        let board = Leaderboard::of_tally(&tally, None, Forfeits::Counted);
        let lost = board.players.iter().find(|row| row.name == "lost").expect("it played");
        assert_eq!((lost.rated.games, lost.rating_without_forfeits), (8, None));
        assert!(board.players.iter().all(|row| row.name == "lost" || row.rating_without_forfeits.is_some()));
    }

    #[test]
    fn every_ruleset_counts_the_same_and_has_its_own_board() {
        // Even in the one that was played a hundred times as often.
        let tally = tally(&[
            ("cowboy", ["greedy", "random"], [1, 2], 3000),
            ("cowboy", ["random", "greedy"], [1, 2], 3000),
            ("paint", ["greedy", "random"], [1, 2], 54),
            ("paint", ["random", "greedy"], [1, 2], 6),
        ]);
        let board = Leaderboard::of_tally(&tally, None, Forfeits::Counted);
        assert_eq!(board.anchor.as_deref(), Some("random"));
        // Half of 50 % and 90 % is 70 %: 147 points.
        let lead = board.players[0].rated.rating - 1000.0;
        assert!((120.0..170.0).contains(&lead), "{lead}");
        let alone = |name: &str| board.rulesets[name].players.iter().map(|row| row.rated.rating - 1000.0).sum::<f64>();
        assert!(alone("cowboy").abs() < 10.0 && alone("paint") > 250.0, "{:?}", board.rulesets);
        assert_eq!((board.rulesets["paint"].games, board.games), (120, 12_120));
    }

    #[test]
    fn the_baseline_once_more_shows_the_noise_and_is_rated_nowhere() {
        let (baseline, twin, other) = ("still/standard/en", "still/standard/en again", "still/bare/en");
        let tally = tally(&[
            ("cowboy", [other, baseline], [1, 2], 5),
            ("cowboy", [baseline, other], [1, 2], 3),
            ("cowboy", [twin, baseline], [1, 2], 8),
            ("paint", [twin, baseline], [1, 2], 1),
            // A name that only sounds like it.
            ("cowboy", ["here we go again", baseline], [1, 2], 2),
        ]);
        let board = Leaderboard::of_tally(&tally, None, Forfeits::Counted);
        let mut names: Vec<&str> = board.players.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["here we go again", other, baseline]);
        assert_eq!((board.matrix.len(), board.games), (3, 20));
        let row = board.players.iter().find(|row| row.name == baseline).expect("it played");
        assert_eq!((row.rated.games, row.noise_games), (20, 18), "what they cost is spread over all of them");
        assert!(board.rulesets.is_empty(), "nobody is rated in paint: {:?}", board.rulesets);
    }

    #[test]
    fn the_pairs_are_numbered_as_the_rows_are() {
        let tally = tally(&[
            ("cowboy", ["b", "a"], [1, 2], 30),
            ("cowboy", ["a", "c"], [1, 2], 20),
            ("cowboy", ["c", "a"], [1, 1], 10),
        ]);
        let board = Leaderboard::of_tally(&tally, None, Forfeits::Counted);
        let names: Vec<&str> = board.players.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let of = |one, other| board.pairings.iter().find(|pairing| (pairing.one, pairing.other) == (one, other));
        assert!((of(0, 1).expect("they met").observed.win - 1.0).abs() < 1e-9);
        let second = of(1, 2).expect("they met");
        assert!((second.observed.win - 2.0 / 3.0).abs() < 1e-9 && (second.observed.draw - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(of(0, 2), None);
    }
}
