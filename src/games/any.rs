//! The types of all games side by side, generated from the one list in [`super`].
//!
//! A function that works on any game is written once, generically over [`Member`]; `each!` finds out which game it
//! is.

use schemars::JsonSchema;
use serde::Serialize;

use super::game::{Game, Tell};
use super::judge::Judge;
use super::quiz::Quiz;
use super::refusal::{self, Code};
use super::scene::Scenic;
use super::seat::Seat;
use super::view::Seen;
use super::words::{Term, Words};

/// A game in the list: how its types are called among those of the others.
pub trait Member: Game + Judge + Quiz + Scenic + Words {
    /// The rules among those of all games.
    fn wrap_rules(rules: Self::Rules) -> Rules;
    /// The position among those of all games.
    fn wrap(self) -> Position;
    /// The position, if it is one of this game.
    fn of(position: &Position) -> Option<&Self>;
    /// What is seen among what is seen in all games.
    fn wrap_seen(seen: Seen<Self>) -> AnySeen;
    /// What is seen, if it is of this game.
    fn seen_of(seen: &AnySeen) -> Option<&Seen<Self>>;
    /// An action among those of all games.
    fn wrap_action(action: Self::Action) -> Action;
    /// The action, if it is one of this game.
    fn action_of(action: &Action) -> Option<&Self::Action>;
    /// A state among those of all games.
    fn wrap_state(state: Self::State) -> State;
    /// The state, if it is one of this game.
    fn state_of(state: &State) -> Option<&Self::State>;
    /// An event among those of all games.
    fn wrap_event(event: Self::Event) -> Event;
    /// The event, if it is one of this game.
    fn event_of(event: &Event) -> Option<&Self::Event>;
    /// A broken rule among those of all games.
    fn wrap_illegal(illegal: Self::Illegal) -> Illegal;
}

/// Generates the types over all games. `$d` is a dollar sign, for the macros that are generated too.
macro_rules! generate {
    ($d:tt $( $(#[doc = $doc:literal])+ $Name:ident = $module:ident ),+ $(,)?) => {
        /// Which game it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum GameId { $( $(#[doc = $doc])+ $Name ),+ }

        impl GameId {
            /// Every game with the name that rulesets, states and records have for it.
            pub const NAMES: &[(&'static str, GameId)] =
                &[ $( (<super::$module::Position as Game>::NAME, GameId::$Name) ),+ ];
        }

        /// The rules of any game.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Rules { $( $(#[doc = $doc])+ $Name(super::$module::Rules) ),+ }

        impl Rules {
            /// The game that it is of.
            pub fn game(&self) -> GameId {
                match self { $( Rules::$Name(_) => GameId::$Name ),+ }
            }
        }

        /// A position of any game.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Position { $( $(#[doc = $doc])+ $Name(super::$module::Position) ),+ }

        /// What somebody sees of a position of any game.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum AnySeen { $( $(#[doc = $doc])+ $Name(Seen<super::$module::Position>) ),+ }

        /// An action of any game.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Action { $( $(#[doc = $doc])+ $Name(<super::$module::Position as Game>::Action) ),+ }

        /// A position of any game as the contract writes it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum State { $( $(#[doc = $doc])+ $Name(<super::$module::Position as Game>::State) ),+ }

        impl State {
            /// Of which game it is.
            pub fn game(&self) -> GameId {
                match self { $( State::$Name(_) => GameId::$Name ),+ }
            }
        }

        /// An event of any game.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(untagged)]
        pub enum Event { $( $(#[doc = $doc])+ $Name(<super::$module::Position as Game>::Event) ),+ }

        impl Event {
            /// Of which game it is.
            pub fn game(&self) -> GameId {
                match self { $( Event::$Name(_) => GameId::$Name ),+ }
            }

            /// Whether it is this seat's doing, whatever chance and the others do.
            pub fn is_own_doing(&self, seat: Seat) -> bool {
                match self {
                    $( Event::$Name(event) => <super::$module::Position as Words>::is_own_doing(event, seat) ),+
                }
            }
        }

        /// A broken rule of any game.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Illegal { $( $(#[doc = $doc])+ $Name(<super::$module::Position as Game>::Illegal) ),+ }

        impl Illegal {
            /// Which game's rule is broken, and the term that tells of it.
            pub fn term(&self) -> (GameId, Term) {
                match self {
                    $( Illegal::$Name(illegal) => {
                        (GameId::$Name, <super::$module::Position as Words>::broken(illegal))
                    } ),+
                }
            }
        }

        $(
            impl Member for super::$module::Position {
                fn wrap_rules(rules: Self::Rules) -> Rules {
                    Rules::$Name(rules)
                }

                fn wrap(self) -> Position {
                    Position::$Name(self)
                }

                fn of(position: &Position) -> Option<&Self> {
                    if let Position::$Name(position) = position { Some(position) } else { None }
                }

                fn wrap_seen(seen: Seen<Self>) -> AnySeen {
                    AnySeen::$Name(seen)
                }

                fn seen_of(seen: &AnySeen) -> Option<&Seen<Self>> {
                    if let AnySeen::$Name(seen) = seen { Some(seen) } else { None }
                }

                fn wrap_action(action: Self::Action) -> Action {
                    Action::$Name(action)
                }

                fn action_of(action: &Action) -> Option<&Self::Action> {
                    if let Action::$Name(action) = action { Some(action) } else { None }
                }

                fn wrap_state(state: Self::State) -> State {
                    State::$Name(state)
                }

                fn state_of(state: &State) -> Option<&Self::State> {
                    if let State::$Name(state) = state { Some(state) } else { None }
                }

                fn wrap_event(event: Self::Event) -> Event {
                    Event::$Name(event)
                }

                fn event_of(event: &Event) -> Option<&Self::Event> {
                    if let Event::$Name(event) = event { Some(event) } else { None }
                }

                fn wrap_illegal(illegal: Self::Illegal) -> Illegal {
                    Illegal::$Name(illegal)
                }
            }

            impl Tell<<super::$module::Position as Game>::Event> for Vec<Event> {
                fn tell(&mut self, event: impl FnOnce() -> <super::$module::Position as Game>::Event) {
                    self.push(Event::$Name(event()));
                }
            }
        )+

        /// Runs the same expression on the inner value of one of the enums over games: `each!(Position: &it, game => …)`.
        macro_rules! each {
            ($d kind:ident : $d value:expr, $d it:ident => $d body:expr) => {
                match $d value {
                    $( $crate::games::any::$d kind::$Name($d it) => $d body ),+
                }
            };
        }

        /// Runs the same expression with the type of a game's positions: `each_type!(GameId::Paint, G => …)`.
        macro_rules! each_type {
            ($d game:expr, $d G:ident => $d body:expr) => {
                match $d game {
                    $( $crate::games::any::GameId::$Name => {
                        type $d G = $crate::games::$module::Position;
                        $d body
                    } ),+
                }
            };
        }

        /// Runs the same expression with a ruleset's typed rules and the type of its positions.
        macro_rules! each_rules {
            ($d value:expr, $d rules:ident, $d G:ident => $d body:expr) => {
                match $d value {
                    $( $crate::games::any::Rules::$Name($d rules) => {
                        type $d G = $crate::games::$module::Position;
                        $d body
                    } ),+
                }
            };
        }

        pub(crate) use {each, each_rules, each_type};
    };
}

super::list!(generate $);

impl GameId {
    /// What rulesets, states and records call it.
    pub fn name(self) -> &'static str {
        each_type!(self, G => <G as Game>::NAME)
    }
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        each!(Action: self, action => action.fmt(f))
    }
}

impl std::fmt::Display for Illegal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        each!(Illegal: self, illegal => illegal.fmt(f))
    }
}

impl std::error::Error for Illegal {}

impl refusal::Illegal for Illegal {
    fn code(&self) -> Code {
        each!(Illegal: self, illegal => refusal::Illegal::code(illegal))
    }
}
