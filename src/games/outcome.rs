//! How a match ended.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::seat::{BySeat, Seat};

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Reason {
    /// One player, or one team, is left.
    LastAlive,
    /// The last round is played.
    RoundLimit,
    /// The last turn is played.
    TurnLimit,
    /// Nobody is left.
    AllDead,
    /// The last one to go gave up or was taken out by the referee.
    Forfeit,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::LastAlive => "last_alive",
            Reason::RoundLimit => "round_limit",
            Reason::TurnLimit => "turn_limit",
            Reason::AllDead => "all_dead",
            Reason::Forfeit => "forfeit",
        })
    }
}

/// The places of all seats, 1 the best, and why the match ended. Seats that the rules cannot tell apart share a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Outcome {
    /// A place for every seat.
    pub places: BTreeMap<Seat, u32>,
    /// Why it is over.
    pub reason: Reason,
}

impl Outcome {
    /// The seat on the first place, if it shares it with nobody.
    pub fn winner(&self) -> Option<Seat> {
        let mut first = self.places.iter().filter(|&(_, &place)| place == 1).map(|(&seat, _)| seat);
        first.next().filter(|_| first.next().is_none())
    }

    /// Each seat's score in [0, 1]: `(n − place) / (n − 1)`, shared places averaged.
    pub fn scores(&self) -> BTreeMap<Seat, f64> {
        let count = self.places.len();
        let share = |place: u32| self.places.values().filter(|&&other| other == place).count();
        self.places
            .iter()
            .map(|(&seat, &place)| {
                // Three that share place 2 hold places 2, 3 and 4: each has the middle of them.
                let middle = f64::from(place) + (as_f64(share(place)) - 1.0) / 2.0;
                (seat, if count < 2 { 1.0 } else { (as_f64(count) - middle) / (as_f64(count) - 1.0) })
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of seats are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Places by a merit, the largest first; equal merits share a place, and the next place is as far on (1, 1, 3).
pub(super) fn places_by<M: Ord>(merits: &BySeat<M>) -> BySeat<u32> {
    let mut best_first: Vec<&M> = merits.iter().map(|(_, merit)| merit).collect();
    best_first.sort_unstable_by(|one, other| other.cmp(one));
    merits.map(|_, merit| {
        let better = best_first.partition_point(|other| *other > merit);
        1 + u32::try_from(better).expect("a table has at most 4096 seats")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(places: &[u32]) -> Outcome {
        Outcome {
            places: places.iter().enumerate().map(|(at, &place)| (Seat::new(at), place)).collect(),
            reason: Reason::LastAlive,
        }
    }

    #[test]
    fn equal_merits_share_a_place() {
        let merits: BySeat<i32> = [5, 9, 5, 1].into_iter().collect();
        assert_eq!(places_by(&merits), [2, 1, 2, 4].into_iter().collect());
    }

    #[test]
    fn scores_average_shared_places() {
        let scores: Vec<f64> = outcome(&[1, 2, 2, 4]).scores().into_values().collect();
        assert_eq!(scores, [1.0, 0.5, 0.5, 0.0]);
        assert_eq!(outcome(&[1, 1]).scores().into_values().collect::<Vec<_>>(), [0.5, 0.5]);
        assert_eq!(outcome(&[1]).scores().into_values().collect::<Vec<_>>(), [1.0]);
    }

    #[test]
    fn a_shared_first_place_has_no_winner() {
        assert_eq!(outcome(&[1, 2]).winner(), Some(Seat::new(0)));
        assert_eq!(outcome(&[1, 1]).winner(), None);
    }
}
