//! What somebody does in a turn, as the rules look things up by it.

use smallvec::SmallVec;

use super::{Action, Direction};
use crate::games::dice::Dice;

/// What a seat does in a turn, small enough to look things up by: a direction to move, eight more to shoot, or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Intent(u8);

pub(super) type Intents = SmallVec<[Intent; 8]>;

impl Intent {
    pub(super) const STAY: Intent = Intent(16);

    /// What whoever can move these ways may do, in the order in which it is listed.
    pub(super) fn legal(ways: u8) -> &'static [Intent] {
        let (count, all) = &LEGAL[usize::from(ways)];
        &all[..*count as usize]
    }

    /// One of the legal actions of whoever can move these ways, each as likely as the others.
    #[inline]
    pub(super) fn random(ways: u8, dice: &mut Dice) -> Intent {
        let (count, all) = &LEGAL[usize::from(ways)];
        all[dice.below(*count) as usize & 15]
    }

    #[inline]
    pub(super) fn moves(self) -> bool {
        self.0 < 8
    }

    /// What each intent adds to the place, by what a step each way does.
    #[inline]
    pub(super) fn strides(steps: [u16; 8]) -> [u16; 32] {
        let mut strides = [0; 32];
        strides[..8].copy_from_slice(&steps);
        strides
    }

    /// What it adds to the place. Whether it moves cannot be foreseen: a table instead of branches.
    #[inline]
    pub(super) fn step(self, strides: &[u16; 32]) -> u16 {
        strides[usize::from(self.0 & 31)]
    }

    #[inline]
    pub(super) fn shoots(self) -> bool {
        self.0 >> 3 == 1
    }

    /// Where it moves or shoots, if it does.
    #[inline]
    pub(super) fn direction(self) -> Direction {
        Direction::ALL[usize::from(self.0 & 7)]
    }

    pub(super) fn action(self) -> Option<Action> {
        let direction = self.direction();
        match self.0 {
            0..8 => Some(Action::Move { direction }),
            8..16 => Some(Action::Shoot { direction }),
            _ => None,
        }
    }
}

impl From<Option<&Action>> for Intent {
    fn from(action: Option<&Action>) -> Intent {
        match action {
            Some(&Action::Move { direction }) => Intent(direction as u8),
            Some(&Action::Shoot { direction }) => Intent(8 + direction as u8),
            None => Intent::STAY,
        }
    }
}

/// The legal actions of whoever can move these ways, in the order in which they are listed, and how many they are.
/// Which is drawn cannot be foreseen: a table instead of branches.
static LEGAL: [(u32, [Intent; 16]); 256] = {
    let mut table = [(0, [Intent::STAY; 16]); 256];
    let mut ways = 0;
    while ways < 256 {
        let (mut count, mut action) = (0, 0);
        while action < 16 {
            if action >= 8 || ways >> action & 1 == 1 {
                table[ways].1[count as usize] = Intent(action);
                count += 1;
            }
            action += 1;
        }
        table[ways].0 = count;
        ways += 1;
    }
    table
};

/// So many of the same, quickly where they are few.
#[inline]
pub(super) fn filled<T: Copy>(value: T, count: usize) -> SmallVec<[T; 8]> {
    if count <= 8 { SmallVec::from_buf_and_len([value; 8], count) } else { SmallVec::from_elem(value, count) }
}
