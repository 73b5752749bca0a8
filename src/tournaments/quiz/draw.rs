//! Drawing positions with a question about them, and the smallest changes that turn the answer.

use serde_json::{Value as Json, json};

use crate::games::quiz::{Question, Quiz, QuizRule, Solvable};
use crate::games::{Dice, Game, Joint, Order, Seed};

/// So many changes of a position are tried.
const MAX_EDITS: u32 = 60;

/// What a quiz is drawn from: the rules of a game, their name, and how many play.
pub(super) struct QuizSource<'a, G: Game> {
    pub(super) rules: &'a G::Rules,
    pub(super) ruleset: &'a str,
    pub(super) seats: usize,
}

/// A question about a position, with the right answer.
pub(super) struct DrawnQuestion<G> {
    position: G,
    asked: Solvable<G>,
    pub(super) answer: bool,
}

impl<G: Game> DrawnQuestion<G> {
    /// Whether yes is right in another position.
    #[cfg(test)]
    pub(super) fn solve(&self, position: &G) -> Option<bool> {
        self.asked.solve(position)
    }

    /// The question as it is put.
    pub(super) fn question(&self) -> Question {
        self.asked.question.clone()
    }
}

impl<G: Quiz> QuizSource<'_, G> {
    /// A question about a rule; nothing where the position that was drawn does not lend itself to one.
    pub(super) fn draw(&self, rule: &QuizRule<G>, dice: &mut Dice) -> Option<DrawnQuestion<G>> {
        let position = self.position(dice)?;
        let asked = (rule.ask)(&position, dice)?;
        let answer = asked.solve(&position)?;
        Some(DrawnQuestion { position, asked, answer })
    }

    /// The same question about a position with one thing changed, so that the other answer is right.
    pub(super) fn twin(&self, drawn: &DrawnQuestion<G>, dice: &mut Dice) -> Option<G> {
        let DrawnQuestion { position, asked, answer } = drawn;
        let state = position.state(self.ruleset);
        (0..MAX_EDITS).find_map(|_| {
            let mut state = state.clone();
            position.vary(&mut state, dice);
            let changed = G::from_state(self.rules, &state).ok()?;
            (asked.solve(&changed) == Some(!answer)).then_some(changed)
        })
    }

    /// The position of a question, as the contract writes it.
    pub(super) fn state(&self, drawn: &DrawnQuestion<G>) -> Json {
        self.written(&drawn.position)
    }

    /// A position, as the contract writes it.
    pub(super) fn written(&self, position: &G) -> Json {
        json!(position.state(self.ruleset))
    }

    /// A position in which something can happen: some turns of play, then everybody is brought together.
    fn position(&self, dice: &mut Dice) -> Option<G> {
        let seed = Seed(dice.bits());
        let mut position = G::open(self.rules, self.seats, &mut seed.set_up()).ok()?;
        for _ in 0..dice.below(12) {
            let mut joint = Joint::new();
            for seat in position.to_act().iter() {
                joint.set(seat, Order::Play(position.random_legal(seat, dice)));
            }
            position.play(&joint, &mut seed.turn(position.turn().into())).ok()?;
            if position.outcome().is_some() {
                return None;
            }
        }
        let mut state = position.state(self.ruleset);
        position.gather(&mut state, dice);
        G::from_state(self.rules, &state).ok().filter(|position| position.outcome().is_none())
    }
}
