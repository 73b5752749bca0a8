//! Knockout: who loses is out.

use std::fmt;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::score::Entrant;
use super::{Edition, Meeting, Played, Setup};

/// So many more blocks, each with another opening, for two who stand even; then a lot is drawn.
const EXTRA_BLOCKS: u32 = 4;

/// Who meets whom, and who went on.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// The first round first; the last has one tie.
    pub rounds: Vec<Vec<Tie>>,
}

/// A meeting of two, one of whom goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Tie {
    /// The upper one; nobody where it is not known yet.
    pub upper: Option<Entrant>,
    /// The lower one; nobody where it is not known yet, and where the upper one goes on without play.
    pub lower: Option<Entrant>,
    /// What the blocks so far were worth to the upper one.
    pub points: f64,
    /// How many were played.
    pub blocks: u32,
    /// Who goes on.
    pub winner: Option<Entrant>,
    /// What the one who goes on owes it to.
    pub decision: Decision,
}

/// A meeting of two as programs get it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TieLine {
    upper: Option<String>,
    lower: Option<String>,
    /// What the blocks so far were worth to the upper one.
    points: f64,
    blocks: u32,
    winner: Option<String>,
    /// What decided it: the games, further blocks, or a lot.
    decision: Decision,
}

/// What decided a tie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The games, or nothing yet.
    #[default]
    Games,
    /// Further blocks, after as many as were planned had left both even.
    FurtherBlocks,
    /// A lot, after further blocks had left both even as well.
    Lot,
    /// The order of the file: so it was in the first edition.
    Seeding,
}

impl Bracket {
    /// The bracket after these results.
    pub(super) fn of(entrants: usize, played: &Played, setup: &Setup) -> Bracket {
        let size = entrants.next_power_of_two().max(2);
        let seat = |seed: usize| (seed < entrants).then(|| Entrant::new(seed));
        let order = seeding(size);
        let mut rounds: Vec<Vec<Tie>> = Vec::new();
        let first = order.chunks(2).map(|pair| Tie::of(seat(pair[0]), seat(pair[1]), true, played, setup));
        rounds.push(first.collect());
        while let Some(last) = rounds.last().filter(|last| last.len() > 1) {
            let next = last.chunks(2).map(|pair| Tie::of(pair[0].winner, pair[1].winner, false, played, setup));
            let next = next.collect();
            rounds.push(next);
        }
        Bracket { rounds }
    }

    /// Who won it all.
    pub fn champion(&self) -> Option<Entrant> {
        self.rounds.last()?.first()?.winner
    }

    /// The meetings to play now.
    pub(super) fn open(&self, setup: &Setup) -> Vec<Meeting> {
        let undecided = self.rounds.iter().flatten().filter(|tie| tie.winner.is_none());
        let meetings = undecided.filter_map(|tie| {
            let group = vec![tie.upper?, tie.lower?];
            let enough = setup.repetitions();
            let until = if tie.blocks < enough { enough } else { tie.blocks + 1 };
            Some(Meeting { group, repetitions: tie.blocks..until })
        });
        meetings.collect()
    }

    /// The rounds with the names of the players, for programs.
    pub fn lines(&self, names: &[String]) -> Vec<Vec<TieLine>> {
        let name = |one: Option<Entrant>| names.get(one?.index()).cloned();
        let tie = |tie: &Tie| TieLine {
            upper: name(tie.upper),
            lower: name(tie.lower),
            points: tie.points,
            blocks: tie.blocks,
            winner: name(tie.winner),
            decision: tie.decision,
        };
        self.rounds.iter().map(|round| round.iter().map(tie).collect()).collect()
    }

    /// The bracket as text, one tie a line, rounds indented.
    pub fn draw(&self, name: impl Fn(Entrant) -> String) -> String {
        let mut text = String::new();
        for (number, round) in self.rounds.iter().enumerate() {
            let left = self.rounds.len() - number;
            let title = match left {
                1 => "Final".to_owned(),
                2 => "Semi-finals".to_owned(),
                _ => format!("Round of {}", 1_u64 << left),
            };
            let _ = writeln!(text, "{title}");
            for tie in round {
                let _ = writeln!(text, "  {}", tie.line(&name));
            }
        }
        text
    }
}

impl Tie {
    fn of(upper: Option<Entrant>, lower: Option<Entrant>, opening: bool, played: &Played, setup: &Setup) -> Tie {
        let mut tie = Tie { upper, lower, points: 0.0, blocks: 0, winner: None, decision: Decision::Games };
        let (Some(one), Some(other)) = (upper, lower) else {
            // In the first round an empty place is a free pass; later it is somebody not yet known.
            tie.winner = upper.filter(|_| opening);
            return tie;
        };
        for (group, scores) in played.values() {
            if group[..] == [one, other] {
                tie.points += scores.first().copied().unwrap_or(0.5);
                tie.blocks += 1;
            }
        }
        let lead = 2.0 * tie.points - f64::from(tie.blocks);
        let enough = setup.repetitions();
        if tie.blocks >= enough {
            let decided = lead.abs() > 1e-9;
            let exhausted = tie.blocks >= enough.saturating_add(EXTRA_BLOCKS);
            if decided {
                tie.winner = Some(if lead > 0.0 { one } else { other });
                if tie.blocks > enough {
                    tie.decision = Decision::FurtherBlocks;
                }
            } else if exhausted && setup.edition == Edition::First {
                (tie.winner, tie.decision) = (Some(one.min(other)), Decision::Seeding);
            } else if exhausted {
                // From the seed of the tournament and the numbers of the two in its file: whoever plays it again draws the
                // same.
                let pair = u64::from(one.min(other).0) << 32 | u64::from(one.max(other).0);
                let falls = setup.seed.child("lot", pair).dice().below(2) == 0;
                (tie.winner, tie.decision) = (Some(if falls { one } else { other }), Decision::Lot);
            }
        }
        tie
    }

    fn line(&self, name: &impl Fn(Entrant) -> String) -> String {
        let called = |one: Option<Entrant>| one.map_or_else(|| "…".to_owned(), name);
        if self.lower.is_none() && self.winner.is_some() {
            return format!("{} goes on without play", called(self.winner));
        }
        let mut line = format!("{} – {}", called(self.upper), called(self.lower));
        if self.blocks > 0 {
            let _ = write!(line, "  {} : {}", self.points, f64::from(self.blocks) - self.points);
        }
        if self.winner.is_some() {
            let _ = write!(line, "  → {}", called(self.winner));
            line.push_str(match self.decision {
                Decision::Games => "",
                Decision::FurtherBlocks => " (after further blocks)",
                Decision::Lot => " (by lot)",
                Decision::Seeding => " (stands first in the file)",
            });
        }
        line
    }
}

impl fmt::Display for Bracket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.draw(|one| one.to_string()))
    }
}

/// Seeds in the order of the bracket: the two best can only meet in the final.
fn seeding(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let whole = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, whole - seed]).collect();
    }
    order
}
