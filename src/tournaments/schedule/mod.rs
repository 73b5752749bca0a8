//! What to play next. Pure: the same set-up and the same results give the same blocks.
//!
//! A [`Schedule`] hands out blocks and is told how they ended. It goes on in waves; what a wave is made of depends on
//! the results of the waves before it and on nothing else, so neither the order in which blocks end nor a restart
//! changes what is played.

mod groups;
mod knockout;
mod ladder;
mod rotation;
mod swiss;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::score::Entrant;
use crate::games::Seed;

pub use self::knockout::{Bracket, Decision, Tie, TieLine};
pub use self::ladder::{BAND, Rung};
pub use self::rotation::rotations;

/// How players meet.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// So many rounds; who has as many points meets in each, and nobody twice where it can be helped.
    Swiss {
        /// How many rounds are played.
        rounds: u32,
    },
    /// Who loses is out. The order of the players is their seeding, the best first.
    Knockout,
    /// Everybody else against graded bots, as near to an even match as there is one.
    Ladder {
        /// The bots with their ratings.
        rungs: Vec<Rung>,
    },
    /// These groups and no others. Blocks of the same number share their seed, so that groups can be compared.
    Arms {
        /// Who meets whom.
        groups: Vec<Vec<Entrant>>,
    },
}

/// By which rules a schedule is made. A tournament is played to its end by those that it was begun by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// Whoever stands first in the file goes on where a knockout stays even; Swiss rounds begin with neighbours; up to
    /// four seats only rotate.
    First,
    /// A lot is drawn where a knockout stays even; Swiss rounds begin with the upper half against the lower; at tables
    /// of more than two everybody follows everybody else equally often.
    #[default]
    Second,
}

/// What a tournament is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// How players meet.
    pub format: Format,
    /// How many players take part.
    pub entrants: usize,
    /// How many sit at a table.
    pub seats: usize,
    /// How many courses there are: rulesets and maps that every group plays on in turn.
    pub courses: usize,
    /// How many blocks a group plays on each course; on a ladder, a climber.
    pub blocks: u32,
    /// Where chance begins.
    pub seed: Seed,
    /// By which rules the schedule is made.
    pub edition: Edition,
}

/// One seed, played in all seat rotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its place in the order of play, from 0.
    pub number: u64,
    /// Who plays it.
    pub group: Vec<Entrant>,
    /// Which ruleset and map, counted from 0.
    pub course: usize,
    /// The seed of all its games.
    pub seed: Seed,
    /// A game each: who sits where.
    pub games: Vec<Vec<Entrant>>,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A block that can be played now.
    Play(Block),
    /// Blocks under way must end first.
    Wait,
    /// All is played.
    Over,
}

/// A tournament that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetup {
    /// Nobody to play against.
    #[error("{entrants} players cannot fill {seats} seats")]
    TooFew {
        /// How many there are.
        entrants: usize,
        /// How many are needed.
        seats: usize,
    },
    /// A table for one, or too large.
    #[error("a table has 2 to 8 seats, not {0}")]
    Seats(usize),
    /// Nothing to play.
    #[error("at least one {0} is needed")]
    Nothing(&'static str),
    /// A format for two at a table.
    #[error("a {format} needs 2 seats at a table, not {seats}")]
    Duels {
        /// The format that needs two per game.
        format: &'static str,
        /// How many seats were asked for.
        seats: usize,
    },
    /// A ladder of no use.
    #[error("a ladder needs at least one bot with a rating, and at least one player to climb it")]
    Ladder,
    /// A group that cannot sit down: too many or too few, somebody twice, or somebody who does not take part.
    #[error("group {number} must name {seats} different players")]
    Group {
        /// Counted from 1.
        number: usize,
        /// How many seats a table has.
        seats: usize,
    },
}

/// What is left to play.
#[derive(Clone, Debug)]
pub struct Schedule {
    setup: Setup,
    ready: VecDeque<Block>,
    open: BTreeMap<u64, Block>,
    played: Played,
    /// Groups that need no more blocks.
    retired: Vec<Vec<Entrant>>,
    wave: u32,
    next: u64,
    over: bool,
}

/// Finished blocks by number, so that sums do not depend on the order in which they ended.
pub(super) type Played = BTreeMap<u64, (Vec<Entrant>, Vec<f64>)>;

/// A group and how often it is to play on which courses in one wave.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meeting {
    group: Vec<Entrant>,
    /// Numbers of its blocks: what they are played on.
    repetitions: std::ops::Range<u32>,
}

impl Schedule {
    /// The schedule from the beginning.
    ///
    /// # Errors
    /// If the set-up cannot be played.
    pub fn new(setup: Setup) -> Result<Schedule, BadSetup> {
        setup.check()?;
        Ok(Schedule {
            setup,
            ready: VecDeque::new(),
            open: BTreeMap::new(),
            played: Played::new(),
            retired: Vec::new(),
            wave: 0,
            next: 0,
            over: false,
        })
    }

    /// What to do now. A block is handed out once; the caller plays it, or has it played already.
    #[expect(clippy::should_implement_trait, reason = "waiting is no end: this is no iterator")]
    pub fn next(&mut self) -> Next {
        loop {
            while let Some(block) = self.ready.pop_front() {
                if !self.retired.contains(&block.group) {
                    self.open.insert(block.number, block.clone());
                    return Next::Play(block);
                }
            }
            let needs_results = !matches!(self.setup.format, Format::RoundRobin | Format::Arms { .. });
            if needs_results && !self.open.is_empty() {
                return Next::Wait;
            }
            if self.over {
                return if self.open.is_empty() { Next::Over } else { Next::Wait };
            }
            self.make_wave();
        }
    }

    /// Takes in how a block ended: what it was worth to each player of its group, in the group's order. Blocks that
    /// were not handed out, or not by this schedule, are ignored.
    pub fn finish(&mut self, number: u64, scores: Vec<f64>) {
        if let Some(block) = self.open.remove(&number) {
            self.played.insert(number, (block.group, scores));
        }
    }

    /// Plays no more blocks of a group, whatever was planned: what was to be found out is known.
    pub fn retire(&mut self, group: &[Entrant]) {
        if !self.retired.iter().any(|other| other == group) {
            self.retired.push(group.to_vec());
        }
    }

    /// How many blocks there will be, as long as nobody ties in a knockout.
    pub fn planned(&self) -> u64 {
        let setup = &self.setup;
        let (entrants, repetitions) = (setup.entrants as u64, u64::from(setup.repetitions()));
        repetitions
            * match &setup.format {
                Format::RoundRobin => groups::count(setup.entrants, setup.seats) as u64,
                Format::Swiss { rounds } => u64::from(*rounds) * (entrants / setup.seats as u64),
                Format::Knockout => entrants - 1,
                Format::Ladder { rungs } => entrants - rungs.len() as u64,
                Format::Arms { groups } => groups.len() as u64,
            }
    }

    /// How many games a block has.
    pub fn games_a_block(&self) -> usize {
        self.setup.seats
    }

    /// What the schedule was made from.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The bracket of a knockout as it stands; nothing for other formats.
    pub fn bracket(&self) -> Option<Bracket> {
        let finished: Played = self.played.clone();
        (self.setup.format == Format::Knockout).then(|| Bracket::of(self.setup.entrants, &finished, &self.setup))
    }

    fn make_wave(&mut self) {
        let meetings = self.setup.wave(self.wave, &self.played);
        self.over = meetings.is_empty();
        self.wave += 1;
        let rounds = meetings.iter().map(|meeting| meeting.repetitions.len()).max().unwrap_or(0);
        // Everybody's first block before anybody's second.
        for round in 0..rounds {
            for meeting in &meetings {
                let Some(repetition) = meeting.repetitions.clone().nth(round) else { continue };
                let number = self.next;
                self.next += 1;
                // Arms play the same seeds, so that they can be compared.
                let fixture = if let Format::Arms { .. } = self.setup.format { repetition.into() } else { number };
                self.ready.push_back(Block {
                    number,
                    group: meeting.group.clone(),
                    course: repetition as usize % self.setup.courses,
                    seed: self.setup.seed.child("fixture", fixture),
                    games: rotations(&meeting.group, fixture, self.setup.edition),
                });
            }
        }
    }
}

impl Setup {
    fn check(&self) -> Result<(), BadSetup> {
        let duels = |format| if self.seats == 2 { Ok(()) } else { Err(BadSetup::Duels { format, seats: self.seats }) };
        if !(2..=8).contains(&self.seats) {
            return Err(BadSetup::Seats(self.seats));
        }
        if self.entrants < self.seats {
            return Err(BadSetup::TooFew { entrants: self.entrants, seats: self.seats });
        }
        for (amount, name) in [(self.blocks as usize, "block"), (self.courses, "ruleset")] {
            if amount == 0 {
                return Err(BadSetup::Nothing(name));
            }
        }
        match &self.format {
            Format::RoundRobin => Ok(()),
            Format::Swiss { rounds } => {
                if *rounds == 0 {
                    Err(BadSetup::Nothing("round"))
                } else {
                    Ok(())
                }
            }
            Format::Knockout => duels("knockout"),
            Format::Ladder { rungs } => {
                duels("ladder")?;
                ladder::check(rungs, self.entrants)
            }
            Format::Arms { groups } => groups::check(groups, self.seats, self.entrants),
        }
    }

    /// How many blocks a group plays.
    fn repetitions(&self) -> u32 {
        self.blocks.saturating_mul(u32::try_from(self.courses).unwrap_or(u32::MAX))
    }

    /// The meetings of a wave, given the results of all before it; none when all is played.
    fn wave(&self, wave: u32, played: &Played) -> Vec<Meeting> {
        let all = 0..self.repetitions();
        let meet = |groups: Vec<Vec<Entrant>>, repetitions: std::ops::Range<u32>| -> Vec<Meeting> {
            groups.into_iter().map(|group| Meeting { group, repetitions: repetitions.clone() }).collect()
        };
        match &self.format {
            Format::RoundRobin if all.contains(&wave) => {
                meet(groups::everybody(self.entrants, self.seats, self.seed, wave), wave..wave + 1)
            }
            Format::Arms { groups } if all.contains(&wave) => meet(groups.clone(), wave..wave + 1),
            Format::Swiss { rounds } if wave < *rounds => meet(swiss::pair(self, played), all),
            Format::Knockout => Bracket::of(self.entrants, played, self).open(self),
            Format::Ladder { rungs } if all.contains(&wave) => {
                meet(ladder::opponents(rungs, self.entrants, played), wave..wave + 1)
            }
            // All is played.
            Format::RoundRobin | Format::Arms { .. } | Format::Swiss { .. } | Format::Ladder { .. } => Vec::new(),
        }
    }
}
