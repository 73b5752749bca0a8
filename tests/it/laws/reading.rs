//! What every table does with a text, whatever its game.

use standoff::games::{Code, Seat, Table};

/// Texts that are too much to read, rules that only those who are to act can break.
pub(super) fn laws(table: &Table) {
    for huge in ["x".repeat(65_537), " ".repeat(65_537), format!("{{\"reasoning\":\"{}\"}}", "x".repeat(65_537))] {
        let refused = table.read(&huge).expect_err("too long to be read");
        assert_eq!(refused.code, Code::UnreadableAction);
        assert!(refused.message.contains("64 KiB") && refused.message.len() < 200, "{refused}");
    }
    let to_act = table.to_act();
    for seat in Seat::first(table.seats()).take(9) {
        for text in super::notations().iter().step_by(7).map(String::as_str).chain(["", "dance", "{}", "pass"]) {
            // What is said to be against the rules is what is refused for that, under the same code.
            let refusal = table.accept(seat, text).err();
            let illegal = refusal.as_ref().and_then(|refusal| refusal.broken.clone());
            let refused = refusal.map(|refusal| refusal.code);
            if !to_act.contains(seat) {
                assert_eq!(illegal, None, "{seat} is not to act: {text}");
                assert_eq!(refused, Some(if to_act.is_empty() { Code::MatchOver } else { Code::NotToAct }));
            } else if table.read(text).is_err() {
                assert_eq!((illegal, refused), (None, Some(Code::UnreadableAction)), "{text}");
            } else {
                assert_eq!(illegal.is_some(), refused.is_some(), "{text} of {seat}");
            }
        }
    }
}
