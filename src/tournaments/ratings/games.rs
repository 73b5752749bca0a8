//! Games in canonical form: sorted, and identical ones counted.

use super::super::score::{block_scores, count};
use super::{Entrant, GameResult, PlayedBlock, Rated};

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
            if one.index() >= players || game.seats[..seat].contains(one) {
                return None;
            }
            outcome.players[seat] = one.0;
            outcome.tiers[seat] = u8::try_from(places.partition_point(|other| other < place)).ok()?;
        }
        Some(outcome)
    }

    /// How many share the largest shared place.
    pub(super) fn largest_tie(&self) -> usize {
        let tiers = &self.tiers[..self.seats.into()];
        tiers.iter().map(|&tier| shares(tiers, tier)).max().unwrap_or(1)
    }

    fn game(&self) -> GameResult {
        let seats = usize::from(self.seats);
        GameResult {
            seats: self.players[..seats].iter().map(|&one| Entrant(one)).collect(),
            places: self.tiers[..seats].iter().map(|&tier| u32::from(tier) + 1).collect(),
        }
    }
}

/// All that happened.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// Sorted, each once.
    pub(super) distinct: Vec<RatedGame>,
    /// How often each of them happened.
    pub(super) counts: Vec<f64>,
    /// Each block by its outcomes' indices, in sorted order.
    pub(super) blocks: Vec<Vec<u32>>,
    /// Games that are none.
    pub(super) unusable: usize,
}

impl Outcomes {
    pub(super) fn of(players: usize, blocks: &[PlayedBlock]) -> Outcomes {
        let read = |block: &PlayedBlock| -> Vec<RatedGame> {
            block.games.iter().filter_map(|game| RatedGame::of(block.course, players, game)).collect()
        };
        let games: Vec<Vec<RatedGame>> = blocks.iter().map(read).collect();
        let mut distinct: Vec<RatedGame> = games.iter().flatten().copied().collect();
        let unusable = blocks.iter().map(|block| block.games.len()).sum::<usize>() - distinct.len();
        distinct.sort_unstable();
        distinct.dedup();
        let mut counts = vec![0.0; distinct.len()];
        let mut numbered: Vec<Vec<u32>> = Vec::with_capacity(games.len());
        for block in games.into_iter().filter(|block| !block.is_empty()) {
            let mut numbers: Vec<u32> = Vec::with_capacity(block.len());
            for outcome in block {
                let at = distinct.binary_search(&outcome).expect("all are in the list");
                counts[at] += 1.0;
                numbers.push(u32::try_from(at).expect("fewer than 2^32 games"));
            }
            numbers.sort_unstable();
            numbered.push(numbers);
        }
        numbered.sort_unstable();
        Outcomes { distinct, counts, blocks: numbered, unusable }
    }

    /// In how many blocks each player took part.
    pub(super) fn blocks_played(&self, players: usize) -> Vec<u32> {
        let mut played = vec![0; players];
        let mut last = vec![usize::MAX; players];
        for (number, block) in self.blocks.iter().enumerate() {
            for &at in block {
                let outcome = &self.distinct[at as usize];
                for &one in &outcome.players[..outcome.seats.into()] {
                    if last[one as usize] != number {
                        last[one as usize] = number;
                        played[one as usize] += 1;
                    }
                }
            }
        }
        played
    }

    /// The plain counts of the leaderboard.
    pub(super) fn tallies(&self, players: usize) -> Vec<Rated> {
        let blank = Rated {
            rating: super::ANCHOR,
            low: super::ANCHOR,
            high: super::ANCHOR,
            rank: 1,
            rank_low: 1,
            rank_high: 1,
            best: 0.0,
            blocks: 0,
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            score: 0.5,
        };
        let mut table = vec![blank; players];
        let mut sums = vec![0.0; players];
        for (rated, blocks) in table.iter_mut().zip(self.blocks_played(players)) {
            rated.blocks = blocks;
        }
        for (outcome, &times) in self.distinct.iter().zip(&self.counts) {
            let tiers = &outcome.tiers[..outcome.seats.into()];
            let first = shares(tiers, 0);
            for ((one, score), tier) in block_scores([&outcome.game()]).into_iter().zip(sorted_tiers(outcome)) {
                let rated = &mut table[one.index()];
                sums[one.index()] += times * score;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, and below 2^32")]
                let times = times as u32;
                rated.games += times;
                match (tier, first) {
                    (0, 1) => rated.wins += times,
                    (0, _) => rated.draws += times,
                    _ => rated.losses += times,
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

/// How many share a tier.
fn shares(tiers: &[u8], tier: u8) -> usize {
    tiers.iter().map(|&other| usize::from(other == tier)).sum()
}

/// The tiers in the order of the players' numbers.
fn sorted_tiers(outcome: &RatedGame) -> Vec<u8> {
    let seats = usize::from(outcome.seats);
    let mut by_player: Vec<(u32, u8)> = outcome.players[..seats].iter().copied().zip(outcome.tiers).collect();
    by_player.sort_unstable();
    by_player.into_iter().map(|(_, tier)| tier).collect()
}
