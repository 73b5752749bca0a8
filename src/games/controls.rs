//! The choices that make up an action, as data: whoever offers [`Controls`] to a person knows no game.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::any::{Member, State, each_rules};
use super::grid::Direction;
use super::scene::{Label, Point};
use super::seat::Seat;
use super::speech::Speech;
use super::view::View;

/// Groups of choices: one choice of each group makes the action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Controls {
    /// What is to be chosen, in the order of the notation.
    pub groups: Vec<Group>,
    /// What stands between the pieces of notation; an empty piece is left out.
    pub separator: &'static str,
}

/// Choices of which one is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// What the group is called among the others.
    pub id: &'static str,
    /// What is chosen here, in words.
    pub label: Label,
    /// The letter of the keyboard that goes to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// The choice that is taken unless another is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<&'static str>,
    /// What there is to choose from.
    pub choices: Vec<Choice>,
}

/// One thing that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    /// What the choice is called in its group.
    pub id: Cow<'static, str>,
    /// The choice in words.
    pub label: Label,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Label>,
    /// Its piece of notation.
    pub notation: Cow<'static, str>,
    /// The letter of the keyboard that takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// Which way it points on the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toward: Option<Direction>,
    /// The squares that stand for it, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Point>,
    /// A text that is to be written: it follows the notation after a space, and the two are the whole action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
}

/// A text that is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Input {
    /// How many characters it may have.
    pub most: usize,
}

impl Controls {
    /// A verb and the direction that it takes: `move up`. Each verb has its id, its term and its key; the first is taken
    /// unless another is.
    pub(super) fn verb_and_direction(
        verbs: &[(&'static str, &'static str, char)],
        directions: Vec<Choice>,
    ) -> Controls {
        let verb = Group {
            id: "verb",
            label: Label::new("label.command"),
            key: None,
            default: verbs.first().map(|(verb, ..)| *verb),
            choices: verbs.iter().map(|&(verb, term, key)| Choice::new(verb, term).key(key)).collect(),
        };
        let direction = Group {
            id: "direction",
            label: Label::new("label.direction"),
            key: None,
            default: None,
            choices: directions,
        };
        Controls { groups: vec![verb, direction], separator: " " }
    }
}

impl Choice {
    /// A choice with its piece of notation and the term that names it.
    pub fn new(notation: impl Into<Cow<'static, str>>, term: impl Into<Cow<'static, str>>) -> Choice {
        let notation = notation.into();
        Choice { id: notation.clone(), label: Label::new(term), notation, ..Choice::default() }
    }

    /// The same with a letter of the keyboard.
    #[must_use]
    pub fn key(self, key: char) -> Choice {
        Choice { key: Some(key), ..self }
    }

    /// The same pointing somewhere.
    #[must_use]
    pub fn toward(self, toward: impl Into<Direction>, cells: Vec<Point>) -> Choice {
        Choice { toward: Some(toward.into()), cells, ..self }
    }
}

impl Controls {
    /// Every action that can be made of the choices, in notation; what must be written is left out.
    pub fn actions(&self) -> Vec<String> {
        let mut actions = vec![String::new()];
        for group in &self.groups {
            let pieces = group.choices.iter().filter(|choice| choice.input.is_none()).map(|choice| &*choice.notation);
            let pieces: Vec<&str> = pieces.collect();
            let join = |action: &String, piece: &str| match (action.is_empty(), piece.is_empty()) {
                (false, false) => format!("{action}{}{piece}", self.separator),
                (true, _) => piece.to_owned(),
                (false, true) => action.clone(),
            };
            actions = actions.iter().flat_map(|action| pieces.iter().map(move |piece| join(action, piece))).collect();
        }
        actions
    }

    /// All words in it, to be put into a language.
    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        self.groups.iter_mut().flat_map(|group| {
            let choices = group.choices.iter_mut();
            let labels = choices.flat_map(|choice| std::iter::once(&mut choice.label).chain(&mut choice.hint));
            std::iter::once(&mut group.label).chain(labels)
        })
    }
}

impl View {
    /// The choices that make up an action of a seat. Those of a game's own may include what is not allowed now; where a
    /// game has none, they are its legal actions.
    pub fn controls(&self, seat: Seat) -> Controls {
        fn own<G: Member>(rules: &G::Rules, state: &State, seat: Seat) -> Option<Controls> {
            G::controls(rules, G::state_of(state)?, seat)
        }
        let state = self.state();
        let own = each_rules!(&self.ruleset().rules, rules, G => own::<G>(rules, &state, seat));
        let mut controls = own.unwrap_or_else(|| listed(self, seat));
        if self.ruleset().speech == Speech::Turn
            && let Some(first) = controls.groups.first_mut()
        {
            let input = Some(Input { most: super::speech::MAX_MESSAGE });
            first.choices.push(Choice { input, ..Choice::new("speak", "action.speak") });
        }
        controls
    }
}

/// One group with every legal action.
fn listed(view: &View, seat: Seat) -> Controls {
    let legal = view.legal(seat).into_iter().filter(|action| action != "speak <text>");
    let choice = |action: String| Choice { label: Label::verbatim(&action), ..Choice::new(action, "") };
    let choices = legal.map(choice).collect();
    let group = Group { id: "action", label: Label::new("label.action"), key: None, default: None, choices };
    Controls { groups: vec![group], separator: " " }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Ruleset, Seed, Table, Viewer, library};

    #[test]
    fn a_game_without_controls_lists_its_legal_actions() {
        for name in library::rulesets() {
            let ruleset = Arc::new(Ruleset::named(name).expect("built in"));
            let seats = ruleset.players.default;
            let seat = Seat::new(0);
            let view = Table::open(ruleset, seats, Seed(1)).expect("so many can play").view(Viewer::Seat(seat));
            let mut legal = view.legal(seat);
            legal.retain(|action| !action.starts_with("speak"));
            assert_eq!(listed(&view, seat).actions(), legal);
        }
    }

    #[test]
    fn an_empty_piece_leaves_no_separator_behind() {
        let group = |id, pieces: [&'static str; 2]| {
            let choices = pieces.map(|piece| Choice::new(piece, "")).into();
            Group { id, label: Label::default(), key: None, default: None, choices }
        };
        let groups = vec![group("one", ["stay", ""]), group("other", ["", "shoot up"])];
        let controls = Controls { groups, separator: ", " };
        assert_eq!(controls.actions(), ["stay", "stay, shoot up", "", "shoot up"]);
    }
}
