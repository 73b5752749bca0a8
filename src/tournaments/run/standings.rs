//! How everybody stands while a tournament is under way.

use crate::games::seat::Seat;
use crate::matches::{GameSummary, SeatSummary};
use crate::tournaments::score::{Entrant, GameResult};

/// How one player stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerStanding {
    /// First places, shared with nobody.
    pub wins: u64,
    /// Shared first places.
    pub draws: u64,
    /// All other places.
    pub losses: u64,
    /// The sum of its scores.
    pub points: f64,
    /// What it cost and how it failed.
    pub summary: SeatSummary,
}

impl PlayerStanding {
    /// How many games were played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points a game; ½ before the first.
    #[expect(clippy::cast_precision_loss, reason = "nobody plays 2^52 games")]
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points / self.games() as f64 }
    }

    /// Takes in a place among these, and what it was worth.
    pub fn add(&mut self, place: u32, places: &[u32], score: f64) {
        self.add_times(place, places, score, 1);
    }

    /// The same of so many games that ended alike.
    pub fn add_times(&mut self, place: u32, places: &[u32], score: f64, times: u32) {
        let best = places.iter().min().copied().unwrap_or(1);
        let first = places.iter().filter(|&&other| other == best).count();
        match (place == best, first) {
            (true, 1) => self.wins += u64::from(times),
            (true, _) => self.draws += u64::from(times),
            (false, _) => self.losses += u64::from(times),
        }
        self.points += f64::from(times) * score;
    }
}

/// How everybody stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    players: Vec<PlayerStanding>,
    games: u64,
    earlier: u64,
    faults: u64,
}

impl Standings {
    /// Nobody has played.
    pub fn new(entrants: usize) -> Standings {
        Standings { players: vec![PlayerStanding::default(); entrants], games: 0, earlier: 0, faults: 0 }
    }

    /// Takes in a game, of this run or of an earlier one.
    pub(super) fn add(&mut self, game: &GameResult, summary: &GameSummary, earlier: bool) {
        self.games += 1;
        self.earlier += u64::from(earlier);
        let seats = Seat::first(game.seats.len()).zip(game.scores()).zip(&game.places);
        for ((seat, (entrant, score)), &place) in seats {
            let standing = &mut self.players[entrant.index()];
            standing.add(place, &game.places, score);
            if let Some(summary) = summary.seats.get(&seat) {
                standing.summary.join(summary);
            }
        }
    }

    pub(super) fn fault(&mut self) {
        self.faults += 1;
    }

    /// Games that are over.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Of those, how many were over before this run.
    pub fn earlier(&self) -> u64 {
        self.earlier
    }

    /// Games of this run that were void.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// How a player stands.
    pub fn of(&self, entrant: Entrant) -> &PlayerStanding {
        &self.players[entrant.index()]
    }

    /// Everybody, the best score first.
    pub fn ranked(&self) -> Vec<(Entrant, &PlayerStanding)> {
        let mut ranked: Vec<_> = self.players.iter().enumerate().map(|(at, one)| (Entrant::new(at), one)).collect();
        ranked.sort_by(|(_, one), (_, other)| other.score().total_cmp(&one.score()));
        ranked
    }

    /// The money that was spent, in US dollars.
    pub fn usd(&self) -> f64 {
        self.players.iter().map(|one| one.summary.usd).sum()
    }
}
