//! Where several act at once, nothing that one of them may see depends on what another has sealed.

use std::sync::Arc;

use standoff::briefs::{Language, Section, TurnContext, turn};
use standoff::games::{Code, Dice, Ruleset, Seat, Seed, Viewer};
use standoff::matches::{Fault, Match, Record};

use super::{some, worth_a_look};

/// Plays one random match and seals other actions on the way, to see whether anybody could tell.
pub(super) fn laws(ruleset: &Arc<Ruleset>, seats: usize, seed: Seed) {
    let names = vec!["tester".to_owned(); seats];
    let (mut game, _) = Match::open("m", ruleset.clone(), seed, names).expect("so many can play");
    let mut dice = seed.child("choices", 2).dice();
    while !game.table().to_act().is_empty() {
        if game.table().to_act().len() > 1 && worth_a_look(game.table().turn()) {
            what_is_sealed_is_seen_by_nobody(&game, &mut dice);
        }
        let turn = game.table().turn();
        while game.table().turn() == turn && game.table().outcome().is_none() {
            let seat = game.awaiting().iter().next().expect("somebody is awaited until the turn is played");
            let action = game.table().random_legal(seat, &mut dice).to_string();
            game.submit(seat, &action).expect("a legal action is taken");
        }
    }
}

/// All that a seat could see of a match, as a text.
fn seen(game: &Match, seat: Seat) -> String {
    let table = game.table();
    let view = table.view(Viewer::Seat(seat));
    let context = TurnContext { view: &view, seat, since: &[], said: &[], history: &[], notes: None };
    let told = turn(&context, &Section::USUAL, Language::En);
    let refused = game.clone().submit(seat, "dance").expect_err("no action");
    format!("{told} {:?} {} {:?} {refused:?}", table.state(), table.hash(), table.legal(seat))
}

fn what_is_sealed_is_seen_by_nobody(game: &Match, dice: &mut Dice) {
    let sealers = game.table().to_act();
    for sealer in some(&sealers).take(2) {
        let others: Vec<Seat> = some(&sealers).filter(|other| *other != sealer).take(2).collect();
        let before: Vec<String> = others.iter().map(|other| seen(game, *other)).collect();
        let drawn = (0..2).map(|_| game.table().random_legal(sealer, dice).to_string());
        let sealed = drawn.collect::<Vec<_>>().into_iter().map(Some).chain([None]);
        for action in sealed {
            let mut game = game.clone();
            let records: Vec<Record> = match &action {
                Some(action) => game.submit(sealer, action).expect("a legal action is taken"),
                None => game.lapse(sealer, Fault::TooSlow),
            };
            assert!(records.is_empty(), "nothing is played before all have acted: {records:?}");
            let again = game.submit(sealer, action.as_deref().unwrap_or("stay")).expect_err("sealed is sealed");
            assert_eq!(again.code, Code::NotToAct);
            let mut awaited = sealers.clone();
            awaited.remove(sealer);
            assert_eq!(game.awaiting(), awaited);
            let after: Vec<String> = others.iter().map(|other| seen(&game, *other)).collect();
            assert_eq!(after, before, "{sealer} has sealed {action:?}");
        }
    }
}
