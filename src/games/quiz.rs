//! What a game contributes to the quiz: yes-or-no questions about its rules, which the game itself answers.

use std::fmt;

use serde::Serialize;
use serde_json::{Map as JsonMap, Value as Json, json};

use super::dice::{Dice, Seed};
use super::game::Game;
use super::joint::{Joint, Order};
use super::seat::Seat;

/// What can be asked about a game. A game that says nothing here has an empty quiz.
pub trait Quiz: Game {
    /// The rules that can be asked about, in the order of the quiz.
    const ASKED: &'static [QuizRule<Self>] = &[];

    /// Whether a rule is there to be asked about, by these numbers.
    fn asks(_rules: &Self::Rules, _rule: &str) -> bool {
        true
    }

    /// Makes a position worth asking about: brings the players together, so that something can happen.
    fn gather(&self, _state: &mut Self::State, _dice: &mut Dice) {}

    /// Makes one small change: a wall, a shield, a square or a step aside. It need not lead to a position.
    fn vary(&self, _state: &mut Self::State, _dice: &mut Dice) {}
}

/// A rule that can be asked about.
#[derive(Debug)]
pub struct QuizRule<G> {
    /// What items of the quiz and the prompts call it.
    pub rule: &'static str,
    /// Draws a question about it; nothing where the position does not lend itself to one.
    pub ask: fn(&G, &mut Dice) -> Option<Solvable<G>>,
}

/// A question about a position, as it is put into words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// Which template of the prompts it is: `quiz.KIND`.
    pub kind: &'static str,
    /// What fills the template in.
    #[serde(flatten)]
    pub terms: JsonMap<String, Json>,
}

/// A question together with what answers it.
pub struct Solvable<G> {
    /// The question, to be put into words.
    pub question: Question,
    answer: SolveFn<G>,
}

/// Whether yes is right in a position; nothing where the question makes no sense in it.
type SolveFn<G> = Box<dyn Fn(&G) -> Option<bool>>;

impl<G> fmt::Debug for Solvable<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solvable").field("question", &self.question).finish_non_exhaustive()
    }
}

impl<G: Game> Solvable<G> {
    /// Whether yes is right in a position; nothing where the question makes no sense in it.
    pub fn solve(&self, position: &G) -> Option<bool> {
        (self.answer)(position)
    }

    /// Is this action of a seat legal?
    pub(super) fn legal(seat: Seat, action: G::Action) -> Solvable<G> {
        let terms = [("seat", json!(seat)), ("action", json!(action.to_string()))];
        let answer =
            move |position: &G| position.to_act().contains(seat).then(|| position.check(seat, &action).is_ok());
        Solvable { question: Question::new("legal", terms), answer: Box::new(answer) }
    }

    /// A question about what comes of a turn.
    pub(super) fn after<const N: usize>(
        joint: Joint<G::Action>,
        kind: &'static str,
        terms: [(&'static str, Json); N],
        answer: impl Fn(&PlayedTurn<G>) -> Option<bool> + 'static,
    ) -> Solvable<G> {
        let mut question = Question::new(kind, terms);
        question.terms.insert("actions".to_owned(), told(&joint));
        Solvable { question, answer: Box::new(move |position: &G| answer(&PlayedTurn::from(position, &joint)?)) }
    }
}

impl Question {
    fn new<const N: usize>(kind: &'static str, terms: [(&'static str, Json); N]) -> Question {
        Question { kind, terms: terms.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
    }
}

/// What came of a turn that a question is about.
pub(super) struct PlayedTurn<G: Game> {
    pub(super) position: G,
    pub(super) events: Vec<G::Event>,
}

impl<G: Game> PlayedTurn<G> {
    /// Plays a turn; nothing where an order is illegal.
    pub(super) fn from(before: &G, joint: &Joint<G::Action>) -> Option<PlayedTurn<G>> {
        let mut position = before.clone();
        // No rule that is asked about has chance in it.
        let events = position.play(joint, &mut Seed(0).turn(before.turn().into())).ok()?;
        Some(PlayedTurn { position, events })
    }
}

/// What is played in a question, in notation.
fn told<A: fmt::Display>(joint: &Joint<A>) -> Json {
    let orders = joint.iter().filter_map(|(seat, order)| Some((seat, order.action()?)));
    orders.map(|(seat, action)| json!({ "seat": seat, "action": action.to_string() })).collect()
}

/// An action for every seat to act: one that lends itself to the question, or any where there is none.
pub(super) fn draw_orders<G: Game>(position: &G, wanted: fn(&G::Action) -> bool, dice: &mut Dice) -> Joint<G::Action> {
    let to_act = position.to_act();
    let orders = to_act.iter().map(|seat| {
        let fitting: Vec<G::Action> = position.legal(seat).into_iter().filter(wanted).collect();
        let action = dice.pick(&fitting).cloned();
        (seat, Order::Play(action.unwrap_or_else(|| position.random_legal(seat, dice))))
    });
    orders.collect()
}

/// Somebody who is to act.
pub(super) fn draw_actor<G: Game>(position: &G, dice: &mut Dice) -> Option<Seat> {
    let seats: Vec<Seat> = position.to_act().iter().collect();
    dice.pick(&seats).copied()
}

/// Somebody else at the table.
pub(super) fn draw_other<G: Game>(position: &G, seat: Seat, dice: &mut Dice) -> Option<Seat> {
    let others: Vec<Seat> = Seat::first(position.seats()).filter(|&other| other != seat).collect();
    dice.pick(&others).copied()
}

/// One of a board's numbers, like that of a row.
pub(super) fn draw_below(side: u8, dice: &mut Dice) -> u8 {
    u8::try_from(dice.below(u32::from(side))).expect("less than a number of eight bits")
}

/// One further or one back.
pub(super) fn step_aside(number: &mut u8, dice: &mut Dice) {
    *number = if dice.below(2) == 0 { number.saturating_add(1) } else { number.saturating_sub(1) };
}

/// A corner of a board where players are brought together.
pub(super) struct Corner {
    from: (u8, u8),
    size: (u8, u8),
}

impl Corner {
    const SIDE: u8 = 5;

    /// Somewhere on a board of this size.
    pub(super) fn draw(size: (u8, u8), dice: &mut Dice) -> Corner {
        let mut from = |side: u8| draw_below(side.saturating_sub(Corner::SIDE).max(1), dice);
        Corner { from: (from(size.0), from(size.1)), size }
    }

    /// A place in it.
    pub(super) fn place(&self, dice: &mut Dice) -> (u8, u8) {
        let mut near = |from: u8, side: u8| (from + draw_below(Corner::SIDE, dice)).min(side - 1);
        (near(self.from.0, self.size.0), near(self.from.1, self.size.1))
    }
}
