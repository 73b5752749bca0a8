//! What a bot can do in a tick, and how it is written.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::games::game;
use crate::games::grid::{four_ways, read_word};
use crate::games::notation::{Word, words};
use crate::games::refusal::Unreadable;

/// One of the four ways. (0, 0) is the bottom left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Direction {
    /// y + 1.
    North,
    /// y − 1.
    South,
    /// x + 1.
    East,
    /// x − 1.
    West,
}

impl Direction {
    /// All four, in the order in which actions are listed.
    pub const ALL: [Direction; 4] = [Direction::North, Direction::South, Direction::East, Direction::West];

    /// What a step this way adds to x and y.
    pub(super) const fn delta(self) -> (i8, i8) {
        [(0, 1), (0, -1), (1, 0), (-1, 0)][self as usize]
    }
}

four_ways!(Direction { North = "north", South = "south", East = "east", West = "west" });

/// Where a bot goes in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Step {
    /// One tile, y + 1.
    North,
    /// One tile, y − 1.
    South,
    /// One tile, x + 1.
    East,
    /// One tile, x − 1.
    West,
    /// Nowhere.
    Stay,
}

impl Step {
    /// All five, in the order in which actions are listed.
    pub const ALL: [Step; 5] = [Step::North, Step::South, Step::East, Step::West, Step::Stay];

    /// What it adds to x and y.
    #[inline]
    pub(super) fn delta(self) -> (i8, i8) {
        static DELTAS: [(i8, i8); 5] = [(0, 1), (0, -1), (1, 0), (-1, 0), (0, 0)];
        DELTAS[self as usize]
    }

    /// Which way, if any.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Step::North => Some(Direction::North),
            Step::South => Some(Direction::South),
            Step::East => Some(Direction::East),
            Step::West => Some(Direction::West),
            Step::Stay => None,
        }
    }
}

impl From<Direction> for Step {
    fn from(direction: Direction) -> Step {
        match direction {
            Direction::North => Step::North,
            Direction::South => Step::South,
            Direction::East => Step::East,
            Direction::West => Step::West,
        }
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Step, D::Error> {
        let step =
            |word| if word == Word::Stay { Some(Step::Stay) } else { Direction::from_word(word).map(Step::from) };
        read_word(deserializer, step, "a move is one of north, south, east, west, stay")
    }
}

/// What a bot does in a tick: it goes, or stays, and then shoots, or not. Every combination is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Action {
    /// Where to go first. Off the grid and into a wall is a stay.
    #[serde(rename = "move")]
    pub step: Step,
    /// Where to shoot from the new tile; null for no shot.
    pub shoot: Option<Direction>,
}

impl Action {
    /// How many there are.
    pub const COUNT: u32 = 25;

    /// All of them, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Action> {
        (0..Action::COUNT).map(Action::nth)
    }

    /// The one with this number below [`Action::COUNT`].
    #[inline]
    pub(super) fn nth(number: u32) -> Action {
        ALL[number as usize].0
    }
}

/// Every action with its notation, in the order in which they are listed.
static ALL: [(Action, &str); Action::COUNT as usize] = {
    macro_rules! with_shots {
        ($($step:ident = $name:literal),+) => {
            [$(
                (Action { step: Step::$step, shoot: None }, $name),
                (Action { step: Step::$step, shoot: Some(Direction::North) }, concat!($name, ", shoot north")),
                (Action { step: Step::$step, shoot: Some(Direction::South) }, concat!($name, ", shoot south")),
                (Action { step: Step::$step, shoot: Some(Direction::East) }, concat!($name, ", shoot east")),
                (Action { step: Step::$step, shoot: Some(Direction::West) }, concat!($name, ", shoot west")),
            )+]
        };
    }
    with_shots!(North = "move north", South = "move south", East = "move east", West = "move west", Stay = "stay")
};

impl game::Action for Action {}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = 5 * self.step as usize + self.shoot.map_or(0, |direction| 1 + direction as usize);
        f.write_str(ALL[number].1)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            #[serde(rename = "move", default)]
            step: Option<Step>,
            #[serde(default, deserialize_with = "Shot::given")]
            shoot: Shot,
        }
        let Raw { step, shoot } = Raw::deserialize(deserializer)?;
        match (step, shoot) {
            (None, Shot::Missing) => Err(D::Error::custom("an action has `move`, `shoot` or both")),
            (step, shoot) => Ok(Action { step: step.unwrap_or(Step::Stay), shoot: shoot.direction() }),
        }
    }
}

/// The key `shoot`: null is no shot, and still says something.
#[derive(Default)]
enum Shot {
    #[default]
    Missing,
    Given(Option<Direction>),
}

impl Shot {
    fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shot, D::Error> {
        Option::deserialize(deserializer).map(Shot::Given)
    }

    fn direction(self) -> Option<Direction> {
        match self {
            Shot::Missing => None,
            Shot::Given(direction) => direction,
        }
    }
}

/// Half of an action, as people write it.
enum Part {
    Step(Step),
    Shot(Direction),
}

impl FromStr for Action {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Action, Unreadable> {
        if let Some((action, _)) = ALL.iter().find(|(_, notation)| *notation == text) {
            return Ok(*action);
        }
        // A comma, where there is one, says where one half ends; without it the words must tell.
        let halves = text.split_once([',', '，', '、', ';', '；']).and_then(|(one, other)| {
            let (one, other) = (words(one)?, words(other)?);
            both(part(&one)?, part(&other)?)
        });
        halves.or_else(|| whole(&words(text)?)).ok_or_else(|| Unreadable {
            text: text.to_owned(),
            expected: "write a move, a shot or both, like `move north`, `stay, shoot west` or `move north, shoot east`; \
                       the directions are north, south, east and west",
        })
    }
}

fn whole(words: &[Word]) -> Option<Action> {
    match part(words) {
        Some(Part::Step(step)) => Some(Action { step, shoot: None }),
        Some(Part::Shot(direction)) => Some(Action { step: Step::Stay, shoot: Some(direction) }),
        // Two directions in a row are one that there is not: `shoot north-east` goes nowhere.
        None if words.windows(2).any(|pair| pair.iter().all(|word| Direction::from_word(*word).is_some())) => None,
        // The shortest first half wins: `north shoot east` goes north.
        None => (1..words.len()).find_map(|at| both(part(&words[..at])?, part(&words[at..])?)),
    }
}

/// Chinese often has the direction before the verb: 向东射击. A direction alone is a move.
fn part(words: &[Word]) -> Option<Part> {
    let way = |word: &Word| Direction::from_word(*word);
    match words {
        [Word::Stay] => Some(Part::Step(Step::Stay)),
        [word] | [Word::Move, word] | [word, Word::Move] => way(word).map(|direction| Part::Step(direction.into())),
        [Word::Shoot, word] | [word, Word::Shoot] => way(word).map(Part::Shot),
        _ => None,
    }
}

/// A move and a shot, in either order; not two of a kind.
fn both(one: Part, other: Part) -> Option<Action> {
    match (one, other) {
        (Part::Step(step), Part::Shot(direction)) | (Part::Shot(direction), Part::Step(step)) => {
            Some(Action { step, shoot: Some(direction) })
        }
        _ => None,
    }
}
