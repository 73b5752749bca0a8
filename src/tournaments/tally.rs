//! Results that are counted: what leaderboards are made of, however many games there are.
//!
//! Blocks that ended alike, with the same players on the same seats, are one line with a number. So a million games of a
//! few players are a few hundred lines, and nothing that is reckoned from them takes longer than from a thousand.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::experiment::twin_of;
use super::run::{self, GameSummary, SeatSummary};
use crate::games::outcome::Reason;
use crate::games::seat::Seat;
use crate::matches::Identity;
use crate::store::{BlockOutcome, GameCounts, GameInfo, OutcomeGame, Store, StoreError};

/// A game as it is counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CountedGame {
    /// Who sat where.
    pub players: Vec<Identity>,
    /// By seat; 1 is the best, and those who share a place have the same.
    pub places: Vec<u32>,
    /// Whether it ended by a forfeit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forfeit: bool,
}

/// A block as it is counted: the games of one seed in all seat rotations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountedBlock {
    /// The ruleset's name.
    pub ruleset: Arc<str>,
    /// The ruleset and the map.
    pub course: Arc<str>,
    /// How it ended, with players by their numbers in the [`Tally`]. Nothing for games that count for nobody's rating.
    pub outcome: BlockOutcome,
}

/// Somebody on a course.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerOnCourse {
    /// Who it is.
    pub who: Identity,
    /// The ruleset's name.
    pub ruleset: String,
    /// The ruleset and the map.
    pub course: String,
}

/// What is known of somebody on a course beside results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerTally {
    /// What it was last called.
    pub name: String,
    /// What it cost and how it failed.
    #[serde(flatten)]
    pub summary: SeatSummary,
}

/// Games that are counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How often each kind of block happened.
    pub blocks: BTreeMap<CountedBlock, u32>,
    /// What everybody is called, cost and how it failed.
    pub players: BTreeMap<PlayerOnCourse, PlayerTally>,
    identities: HashMap<u32, Identity>,
    numbers: HashMap<Identity, u32>,
}

impl CountedGame {
    /// What counts of a game.
    pub fn of(game: &GameInfo) -> CountedGame {
        CountedGame {
            players: game.identities.clone(),
            places: game.result.places.values().copied().collect(),
            is_forfeit: game.result.reason == Reason::Forfeit,
        }
    }
}

impl Tally {
    /// The finished games of a tournament, or of the whole store, as the store has counted them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn read(store: &Store, tournament: Option<&str>) -> Result<Tally, StoreError> {
        if let Some(counts) = store.counts(tournament).await? {
            return Ok(Tally::of(counts));
        }
        // A store of an earlier version that is only read: game by game.
        let mut tally = Tally::default();
        if tournament.is_some() {
            tally.add(&run::games(store, tournament).await?);
            return Ok(tally);
        }
        for info in store.tournaments().await?.iter().rev() {
            tally.add(&run::games(store, Some(&info.id)).await?);
        }
        tally.add(&run::games(store, None).await?);
        Ok(tally)
    }

    /// What a store has counted.
    pub fn of(counts: GameCounts) -> Tally {
        let GameCounts { identities, blocks, players } = counts;
        let mut tally = Tally::default();
        for block in blocks {
            let key = CountedBlock { ruleset: block.ruleset, course: block.course, outcome: block.outcome };
            *tally.blocks.entry(key).or_default() += u32::try_from(block.times).unwrap_or(u32::MAX);
        }
        for player in players {
            let Some(who) = identities.get(&player.who).cloned() else { continue };
            let (ruleset, course) = (player.ruleset.to_string(), player.course.to_string());
            let own = tally.players.entry(PlayerOnCourse { who, ruleset, course }).or_default();
            own.join(&PlayerTally { name: player.name, summary: player.summary });
        }
        tally.numbers = identities.iter().map(|(number, who)| (who.clone(), *number)).collect();
        tally.identities = identities;
        tally
    }

    /// Counts so many blocks with these games in them.
    pub fn count(&mut self, ruleset: &str, course: &str, games: &[CountedGame], times: u32) {
        let games: Vec<OutcomeGame> = games.iter().map(|game| self.numbered(game)).collect();
        let outcome = BlockOutcome::of(&games);
        let block = CountedBlock { ruleset: ruleset.into(), course: course.into(), outcome };
        *self.blocks.entry(block).or_default() += times;
    }

    fn numbered(&mut self, game: &CountedGame) -> OutcomeGame {
        let mut number = |who: &Identity| {
            let next = u32::try_from(self.numbers.len()).expect("there are fewer than 2^32 players");
            *self.numbers.entry(who.clone()).or_insert_with(|| {
                self.identities.insert(next, who.clone());
                next
            })
        };
        let players = game.players.iter().map(&mut number).collect();
        OutcomeGame { players, places: game.places.clone(), is_forfeit: game.is_forfeit }
    }

    /// Who has this number in the outcomes of blocks.
    pub fn identity(&self, number: u32) -> Option<&Identity> {
        self.identities.get(&number)
    }

    /// Counts the games of a list: a tournament's, in the order of its blocks, or such that are part of none.
    pub fn add(&mut self, games: &[GameInfo]) {
        for block in games.chunk_by(|one, other| {
            // A game that is part of no tournament is a block of its own.
            one.place.is_some() && one.place.map(|(block, _)| block) == other.place.map(|(block, _)| block)
        }) {
            let Some(first) = block.first() else { continue };
            let counted: Vec<CountedGame> = block.iter().filter(|game| game.counts).map(CountedGame::of).collect();
            let uncounted = u32::try_from(block.len() - counted.len()).unwrap_or(u32::MAX);
            if uncounted > 0 {
                self.count(&first.ruleset, &first.course, &[], uncounted);
            }
            if !counted.is_empty() {
                self.count(&first.ruleset, &first.course, &counted, 1);
            }
            block.iter().filter(|game| game.counts).for_each(|game| self.note(game));
        }
    }

    /// Takes in whom a game names, and what it cost.
    fn note(&mut self, game: &GameInfo) {
        let summary = GameSummary::read(game.note.as_deref());
        for ((seat, name), who) in Seat::first(game.players.len()).zip(&game.players).zip(&game.identities) {
            let (ruleset, course) = (game.ruleset.clone(), game.course.clone());
            let own = self.players.entry(PlayerOnCourse { who: who.clone(), ruleset, course }).or_default();
            if own.name != *name {
                name.clone_into(&mut own.name);
            }
            if let Some(of_seat) = summary.seats.get(&seat) {
                own.summary.join(of_seat);
            }
        }
    }

    /// Leaves only the games of a ruleset, by its name or with its map's.
    pub fn retain_ruleset(&mut self, wanted: &str) {
        self.blocks.retain(|block, _| *block.ruleset == *wanted || *block.course == *wanted);
        self.players.retain(|player, _| player.ruleset == wanted || player.course == wanted);
    }

    /// The same without whoever is a baseline once more, which shows the noise of an experiment and is nobody of its own:
    /// without its games, and how many of them each of the others played.
    pub fn without_twins(&self) -> (Cow<'_, Tally>, HashMap<Identity, u64>) {
        let is_twin = |who: &Identity| match who {
            Identity::Profile(name) => twin_of(name).is_some_and(|name| {
                let original = Identity::Profile(name.to_owned());
                self.numbers.contains_key(&original)
            }),
            Identity::House(_) | Identity::Registered(_) | Identity::Guest => false,
        };
        let twins: HashSet<u32> = self.numbers.iter().filter(|(who, _)| is_twin(who)).map(|(_, at)| *at).collect();
        let mut games: HashMap<Identity, u64> = HashMap::new();
        if twins.is_empty() {
            return (Cow::Borrowed(self), games);
        }
        let mut rest = self.clone();
        rest.blocks.retain(|block, times| {
            let has_twin = |game: &OutcomeGame| game.players.iter().any(|player| twins.contains(player));
            if !block.outcome.games().any(|game| has_twin(&game)) {
                return true;
            }
            for player in block.outcome.games().flat_map(|game| game.players) {
                if let Some(who) = self.identities.get(&player).filter(|_| !twins.contains(&player)) {
                    *games.entry(who.clone()).or_default() += u64::from(*times);
                }
            }
            false
        });
        rest.players.retain(|player, _| !self.numbers.get(&player.who).is_some_and(|number| twins.contains(number)));
        (Cow::Owned(rest), games)
    }

    /// The rulesets and maps that were played.
    pub fn courses(&self) -> BTreeSet<&str> {
        self.blocks.keys().map(|block| &*block.course).collect()
    }

    /// How many games there are of those that are wanted.
    pub fn games(&self, is_wanted: impl Fn(&OutcomeGame) -> bool) -> u64 {
        let games = |(block, &times): (&CountedBlock, &u32)| {
            u64::from(times) * block.outcome.games().filter(|game| is_wanted(game)).count() as u64
        };
        self.blocks.iter().map(games).sum()
    }

    /// How many games count for nobody's rating.
    pub fn uncounted(&self) -> u64 {
        self.blocks.iter().filter(|(block, _)| block.outcome.is_empty()).map(|(_, &times)| u64::from(times)).sum()
    }

    /// What everybody is called, cost and how it failed, on all courses together.
    pub fn totals(&self) -> HashMap<&Identity, PlayerTally> {
        let mut totals: HashMap<&Identity, PlayerTally> = HashMap::new();
        for (player, tally) in &self.players {
            totals.entry(&player.who).or_default().join(tally);
        }
        totals
    }
}

impl PlayerTally {
    /// Takes in what is known of the same player from later games.
    pub fn join(&mut self, later: &PlayerTally) {
        if !later.name.is_empty() {
            later.name.clone_into(&mut self.name);
        }
        self.summary.join(&later.summary);
    }
}
