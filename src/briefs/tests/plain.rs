//! A game that says nothing of itself is described all the same.

use serde_json::{Value as Json, json};

use crate::briefs::Language;
use crate::briefs::book::Book;
use crate::briefs::refusal::tell_broken;
use crate::briefs::turn::{describe_seen, tell};
use crate::games::cowboy;
use crate::games::dice::{Dice, Seed};
use crate::games::game::{Game, Tell};
use crate::games::joint::Joint;
use crate::games::outcome::Outcome;
use crate::games::refusal::BadState;
use crate::games::seat::{Seat, Seats};
use crate::games::view::{NothingHidden, Seen};
use crate::games::words::Words;
use crate::games::{Ruleset, any};

/// A game of which nobody has told anything.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plain(cowboy::Position);

impl Words for Plain {}

impl Game for Plain {
    const NAME: &'static str = "plain";
    type Rules = cowboy::Rules;
    type Partial = NothingHidden;
    type Action = cowboy::Action;
    type Illegal = cowboy::Illegal;
    type Event = cowboy::Event;
    type State = cowboy::State;

    fn open(rules: &Self::Rules, seats: usize, dice: &mut Dice) -> Result<Plain, BadState> {
        cowboy::Position::open(rules, seats, dice).map(Plain)
    }

    fn from_state(rules: &Self::Rules, state: &Self::State) -> Result<Plain, BadState> {
        cowboy::Position::from_state(rules, state).map(Plain)
    }

    fn state(&self, ruleset: &str) -> Self::State {
        self.0.state(ruleset)
    }

    fn seats(&self) -> usize {
        self.0.seats()
    }

    fn turn(&self) -> u32 {
        self.0.turn()
    }

    fn to_act(&self) -> Seats {
        self.0.to_act()
    }

    fn legal_into(&self, seat: Seat, actions: &mut Vec<Self::Action>) {
        self.0.legal_into(seat, actions);
    }

    fn check(&self, seat: Seat, action: &Self::Action) -> Result<(), Self::Illegal> {
        self.0.check(seat, action)
    }

    fn resolve(&mut self, joint: &Joint<Self::Action>, dice: &mut Dice, events: &mut impl Tell<Self::Event>) {
        self.0.resolve(joint, dice, events);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.0.encode(bytes);
    }

    fn set_up_like(&mut self, drawn: &Plain) {
        self.0.set_up_like(&drawn.0);
    }
}

fn opening() -> Seen<Plain> {
    let any::Rules::Cowboy(rules) = Ruleset::named("cowboy-duel").expect("built in").rules else {
        panic!("a ruleset of cowboy")
    };
    Seen::All(Plain::open(&rules, 2, &mut Seed(0).set_up()).expect("two can play"))
}

#[test]
fn its_position_is_drawn_and_its_players_are_listed_by_their_fields() {
    let seen = opening();
    let drawn = Plain::sketch(&seen);
    let Seen::All(Plain(position)) = &seen else { panic!("nothing is hidden") };
    assert_eq!(drawn, cowboy::Position::sketch(&Seen::All(position.clone())));
    for (language, status, player) in [
        (Language::En, "Turn 0.", "A (you): alive true, col "),
        (Language::Zh, "第 0 回合。", "A（你）：alive true，col "),
    ] {
        let told = describe_seen(&seen, Some(Seat::new(0)), Book::of(language));
        assert_eq!(told.status, status);
        assert_eq!(told.players.len(), 2);
        assert!(told.players[0].starts_with(player) && told.players[0].contains("hp "), "{}", told.players[0]);
    }
}

#[test]
fn its_events_and_broken_rules_are_told_plainly() {
    let event = json!({ "type": "crossed", "seat": "A", "at": [1, 2] });
    assert_eq!(tell("plain", event.clone(), Book::of(Language::En)), "crossed: at [1,2], seat A.");
    assert_eq!(tell("plain", event, Book::of(Language::Zh)), "crossed：at [1,2]，seat A。");
    let direction = cowboy::Direction::Left;
    let illegal = cowboy::Illegal::ShootOwnShield { direction };
    let term = Plain::broken(&illegal);
    assert_eq!(term.name, "illegal.shoot_own_shield");
    assert_eq!(tell_broken("plain", &term, &illegal, Book::of(Language::Zh)), illegal.to_string());
}

#[test]
fn its_brief_has_the_numbers_of_the_ruleset() {
    let start: Json = json!({ "board": "A .", "fence": "text", "players": ["A"] });
    let context = json!({
        "name": "trial", "game": "plain", "opening": 0, "summary": "A trial.", "seats": ["A", "B"], "start": start,
        "facts": ["hp 3"], "examples": ["left", "right"], "show": { "rules": true, "answer": true },
        "by": "text", "legal": true, "notes": false, "speech": "off", "max_notes": 1, "max_message": 1,
        "max_reasoning": 1, "max_output": 1,
        "policy": {
            "attempts": 3, "turn_seconds": 0, "total_seconds": 0, "patience": 0, "on_lapse": "random",
            "forfeit_after": 0, "tick_seconds": 0,
        },
    });
    for (language, action) in [(Language::En, "a random action for you."), (Language::Zh, "随机抽一个动作。")] {
        let text = Book::of(language).render("brief.md", context.clone());
        assert!(text.contains("- hp 3\n") && text.contains("`left`") && text.contains(action), "{text}");
    }
}
