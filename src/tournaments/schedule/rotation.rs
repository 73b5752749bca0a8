//! Who sits where in the games of a block.

use super::super::score::Entrant;
use super::Edition;

/// A game each: everybody sits on every seat once.
///
/// Two change places. At larger tables the rows of a balanced Latin square are played (Williams, 1949), so that everybody
/// also follows everybody else equally often; an odd number of seats needs the square and its mirror image for that, which
/// take turns from fixture to fixture. In the first edition groups of up to four only rotated.
pub fn rotations(group: &[Entrant], fixture: u64, edition: Edition) -> Vec<Vec<Entrant>> {
    let seats = group.len();
    let mut first: Vec<usize> = (0..seats).collect();
    let only_rotate = if edition == Edition::First { 4 } else { 2 };
    if seats > only_rotate {
        // 0, 1, n − 1, 2, n − 2, …: all steps between neighbours differ.
        first =
            (0..seats).map(|seat| if seat % 2 == 1 { seat.div_ceil(2) } else { (seats - seat / 2) % seats }).collect();
        if seats % 2 == 1 && fixture % 2 == 1 {
            first.reverse();
        }
    }
    (0..seats).map(|game| first.iter().map(|&at| group[(at + game) % seats]).collect()).collect()
}
