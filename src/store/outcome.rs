//! How a block ended, as it is counted: blocks that ended alike have the same words.

use std::fmt;

/// A game of a block: who sat where, and who came where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeGame {
    /// Who sat where, by their numbers.
    pub players: Vec<u32>,
    /// By seat; 1 is the best, and those who share a place have the same.
    pub places: Vec<u32>,
    /// Whether it ended by a forfeit.
    pub is_forfeit: bool,
}

/// How a block ended, in a canonical form: `1,2:1,2;2,1:1,1!` are two games of players 1 and 2, the second of which was
/// drawn by a forfeit. Games that count for nobody's rating are a block each with no games in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockOutcome(pub(super) Box<str>);

impl BlockOutcome {
    /// The outcome of these games, in whatever order they were played.
    pub fn of(games: &[OutcomeGame]) -> BlockOutcome {
        let mut written: Vec<String> = games.iter().map(ToString::to_string).collect();
        written.sort_unstable();
        BlockOutcome(written.join(";").into())
    }

    /// The games that it was made of.
    pub fn games(&self) -> impl Iterator<Item = OutcomeGame> + '_ {
        self.0.split(';').filter(|game| !game.is_empty()).map(OutcomeGame::read)
    }

    /// Whether it counts for nobody's rating.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl OutcomeGame {
    fn read(text: &str) -> OutcomeGame {
        let (text, is_forfeit) = text.strip_suffix('!').map_or((text, false), |text| (text, true));
        let (players, places) = text.split_once(':').unwrap_or((text, ""));
        let numbers = |list: &str| list.split(',').filter_map(|number| number.parse().ok()).collect();
        OutcomeGame { players: numbers(players), places: numbers(places), is_forfeit }
    }
}

impl fmt::Display for OutcomeGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, numbers: &[u32]| {
            numbers.iter().enumerate().try_for_each(|(at, number)| {
                if at > 0 {
                    f.write_str(",")?;
                }
                write!(f, "{number}")
            })
        };
        list(f, &self.players)?;
        f.write_str(":")?;
        list(f, &self.places)?;
        f.write_str(if self.is_forfeit { "!" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_games_makes_no_difference_and_they_come_back() {
        let one = OutcomeGame { players: vec![3, 11], places: vec![1, 2], is_forfeit: false };
        let other = OutcomeGame { players: vec![11, 3], places: vec![1, 1], is_forfeit: true };
        let outcome = BlockOutcome::of(&[one.clone(), other.clone()]);
        assert_eq!(outcome, BlockOutcome::of(&[other.clone(), one.clone()]));
        assert_eq!(&*outcome.0, "11,3:1,1!;3,11:1,2");
        assert_eq!(outcome.games().collect::<Vec<_>>(), [other, one]);
        assert!(BlockOutcome::of(&[]).is_empty() && BlockOutcome::default().games().next().is_none());
    }
}
