//! Games in canonical form: sorted, and identical ones counted.

use std::collections::BTreeMap;

use super::super::score::{count, scores};
use super::{GameResult, PlayedBlock, Rated};

/// The most who can sit at a table.
pub(super) const MAX_SEATS: usize = 8;

/// Who sat where on which course, and how it ended. Unused seats are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RatedGame {
    pub(super) course: u32,
    pub(super) seats: u8,
    pub(super) players: [u32; MAX_SEATS],
    /// 0 for the best, 1 for the next, without gaps.
    pub(super) tiers: [u8; MAX_SEATS],
}

impl RatedGame {
    fn of(course: u32, players: usize, game: &GameResult) -> Option<RatedGame> {
        let seats = game.seats.len();
        if !(2..=MAX_SEATS).contains(&seats) || game.places.len() != seats {
            return None;
        }
        let mut places = game.places.clone();
        places.sort_unstable();
        places.dedup();
        let mut outcome =
            RatedGame { course, seats: u8::try_from(seats).ok()?, players: [0; MAX_SEATS], tiers: [0; MAX_SEATS] };
        for (seat, (one, place)) in game.seats.iter().zip(&game.places).enumerate() {
            if one.index() >= players {
                return None;
            }
            outcome.players[seat] = one.0;
            outcome.tiers[seat] = u8::try_from(places.partition_point(|other| other < place)).ok()?;
        }
        Some(outcome)
    }

    /// Who sits where.
    pub(super) fn seated(&self) -> &[u32] {
        &self.players[..self.seats.into()]
    }

    /// Who came where.
    pub(super) fn ranked(&self) -> &[u8] {
        &self.tiers[..self.seats.into()]
    }

    /// How many share the largest shared place.
    pub(super) fn largest_tie(&self) -> usize {
        let tiers = self.ranked();
        tiers
            .iter()
            .map(|&tier| tiers.iter().map(|&other| usize::from(other == tier)).sum::<usize>())
            .max()
            .unwrap_or(1)
    }

    /// What each of its players has of it: the mean over its seats, and whether the first place is its alone (a win),
    /// shared with somebody else (a draw), or another's. Whoever sits everywhere has drawn with itself.
    fn shares(&self) -> BTreeMap<u32, (f64, Share)> {
        let places: Vec<u32> = self.ranked().iter().map(|&tier| tier.into()).collect();
        let mut found: BTreeMap<u32, (f64, f64, bool)> = BTreeMap::new();
        for ((&one, &tier), score) in self.seated().iter().zip(self.ranked()).zip(scores(&places)) {
            let (sum, seats, is_first) = found.entry(one).or_default();
            (*sum, *seats, *is_first) = (*sum + score, *seats + 1.0, *is_first || tier == 0);
        }
        let firsts = found.values().filter(|(_, _, is_first)| *is_first).count();
        let alone = found.len() == 1;
        let share = |(sum, seats, is_first): (f64, f64, bool)| {
            let share = match (is_first, firsts) {
                (true, 1) if !alone => Share::Won,
                (true, _) => Share::Drawn,
                (false, _) => Share::Lost,
            };
            (sum / seats, share)
        };
        found.into_iter().map(|(one, seen)| (one, share(seen))).collect()
    }
}

#[derive(Clone, Copy)]
enum Share {
    Won,
    Drawn,
    Lost,
}

/// All that happened.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// Sorted, each once.
    pub(super) distinct: Vec<RatedGame>,
    /// How often each of them happened.
    pub(super) counts: Vec<f64>,
    /// How much a game of each course counts.
    weights: Vec<f64>,
    /// Each kind of block by its outcomes' indices, in sorted order, and how often it happened.
    pub(super) blocks: Vec<(Vec<u32>, f64)>,
    /// Games that are none.
    pub(super) unusable: u64,
}

impl Outcomes {
    /// The games of these blocks. Every ruleset counts the same, however many games it has: `rulesets` has the one of
    /// each course; where it is empty every game counts the same.
    pub(super) fn of(players: usize, blocks: &[PlayedBlock], rulesets: &[u32]) -> Outcomes {
        let read = |block: &PlayedBlock| -> Vec<RatedGame> {
            block.games.iter().filter_map(|game| RatedGame::of(block.course, players, game)).collect()
        };
        let games: Vec<(Vec<RatedGame>, f64)> =
            blocks.iter().map(|block| (read(block), f64::from(block.times))).collect();
        let mut distinct: Vec<RatedGame> = games.iter().flat_map(|(block, _)| block).copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut counts = vec![0.0; distinct.len()];
        let mut unusable = 0;
        let mut numbered: Vec<(Vec<u32>, f64)> = Vec::with_capacity(games.len());
        for (original, (block, times)) in blocks.iter().zip(games) {
            unusable += (original.games.len() - block.len()) as u64 * u64::from(original.times);
            if block.is_empty() || original.times == 0 {
                continue;
            }
            let mut numbers: Vec<u32> = Vec::with_capacity(block.len());
            for outcome in block {
                let at = distinct.binary_search(&outcome).expect("all are in the list");
                counts[at] += times;
                numbers.push(u32::try_from(at).expect("fewer than 2^32 games"));
            }
            numbers.sort_unstable();
            numbered.push((numbers, times));
        }
        numbered.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        numbered.dedup_by(|(one, times), (other, sum)| {
            let same = one == other;
            if same {
                *sum += *times;
            }
            same
        });
        let weights = weights(&distinct, &counts, rulesets);
        Outcomes { distinct, counts, weights, blocks: numbered, unusable }
    }

    /// How much a game counts that ended so.
    pub(super) fn weight(&self, outcome: &RatedGame) -> f64 {
        self.weights.get(outcome.course as usize).copied().unwrap_or(1.0)
    }

    /// How many blocks there are.
    pub(super) fn all_blocks(&self) -> f64 {
        self.blocks.iter().map(|(_, times)| times).sum()
    }

    /// In how many blocks each player took part.
    pub(super) fn blocks_played(&self, players: usize) -> Vec<f64> {
        let mut played = vec![0.0; players];
        let mut last = vec![usize::MAX; players];
        for (number, (block, times)) in self.blocks.iter().enumerate() {
            for &one in block.iter().flat_map(|&at| self.distinct[at as usize].seated()) {
                if last[one as usize] != number {
                    last[one as usize] = number;
                    played[one as usize] += times;
                }
            }
        }
        played
    }

    /// The plain counts of the leaderboard.
    pub(super) fn tallies(&self, players: usize) -> Vec<Rated> {
        let mut table = vec![Rated::BLANK; players];
        let mut sums = vec![0.0; players];
        for (rated, blocks) in table.iter_mut().zip(self.blocks_played(players)) {
            rated.blocks = whole(blocks);
        }
        for (outcome, &times) in self.distinct.iter().zip(&self.counts) {
            for (one, (score, share)) in outcome.shares() {
                let rated = &mut table[one as usize];
                sums[one as usize] += times * score;
                let times = whole(times);
                rated.games += times;
                match share {
                    Share::Won => rated.wins += times,
                    Share::Drawn => rated.draws += times,
                    Share::Lost => rated.losses += times,
                }
            }
        }
        for (rated, sum) in table.iter_mut().zip(sums) {
            if rated.games > 0 {
                rated.score = sum / count(rated.games as usize);
            }
        }
        table
    }
}

/// How much a game of each course counts, so that rulesets count the same: each as if it had been played as often as
/// the harmonic mean says, which is what they tell together.
fn weights(distinct: &[RatedGame], counts: &[f64], rulesets: &[u32]) -> Vec<f64> {
    let mut games: BTreeMap<u32, f64> = BTreeMap::new();
    let ruleset = |course: u32| rulesets.get(course as usize).copied();
    for (outcome, times) in distinct.iter().zip(counts) {
        if let Some(ruleset) = ruleset(outcome.course) {
            *games.entry(ruleset).or_default() += times;
        }
    }
    if games.len() < 2 {
        return Vec::new();
    }
    let usual = count(games.len()) / games.values().map(|games| 1.0 / games).sum::<f64>();
    rulesets.iter().map(|ruleset| games.get(ruleset).map_or(1.0, |games| usual / games)).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, and below 2^32")]
fn whole(times: f64) -> u32 {
    times as u32
}
