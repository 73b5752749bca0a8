//! Speaking, where it is the turn's action and where it is none.

use super::{Action, Event, Game, Joint, Order, STRAIGHT, Seat, Seed, TEE, check, order, rules, set_up, words};

/// A says this where speaking costs the turn; what comes of it.
#[track_caller]
fn check_said(text: &str, expected: &str) {
    let (mut position, _) = set_up(&rules(TEE), "A . B   A: pass");
    let said = Joint::one(Seat::new(0), order(&format!("speak {text}")));
    let told = match position.play(&said, &mut Seed(0).dice()) {
        Ok(events) => events.iter().map(words).collect::<Vec<_>>().join("; "),
        Err(refused) => refused.code().to_string(),
    };
    assert_eq!(told, expected);
}

#[test]
fn speaking_is_the_turns_action() {
    check(TEE, "A . B   A: speak draw!   B: move left", "A says draw!; B goes to (0, 1)");
}

#[test]
fn a_message_has_1_to_140_characters_after_trimming() {
    let longest = "牛".repeat(140);
    check_said(&longest, &format!("A says {longest}"));
    check_said(&format!("   {longest} \t"), &format!("A says {longest}"));
    check_said(&"牛".repeat(141), "speak_too_long");
    check_said("a", "A says a");
    check_said("", "speak_empty");
    check_said(" \u{3000}\t ", "speak_empty");
}

#[test]
fn what_is_said_is_told_without_the_white_space_around_it() {
    let (mut position, _) = set_up(&rules(TEE), "A . B   A: pass");
    let said = Joint::one(Seat::new(0), Order::Play(Action::Speak { text: "  howdy, B \t".to_owned() }));
    let events = position.play(&said, &mut Seed(0).dice()).expect("it can be said");
    assert_eq!(events, [Event::Spoke { seat: Seat::new(0), text: "howdy, B".to_owned() }]);
}

#[test]
fn a_message_has_no_control_characters() {
    for text in ["a\nb", "a\tb", "a\u{0}b", "a\u{7f}b", "a\u{85}b"] {
        check_said(text, "unreadable_action");
    }
}

#[test]
fn where_speech_is_free_it_is_no_action() {
    check(STRAIGHT, "A . B   A: speak hello", "unreadable_action");
}
