use super::super::oracle::Oracle;
use super::*;
use crate::bots::BotSpec;
use crate::games::Seed;
use crate::games::Viewer;

fn bank(ruleset: &str, seats: usize) -> Bank {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("it is built in"));
    let oracle = Oracle { nodes: 300, seed: Seed(0) };
    let wanted = BankSpec { positions: 12, share: 0.25, oracle, seed: Seed(3) };
    let found = harvest_bots(&ruleset, seats, &wanted).expect("it seats them");
    harvest(&ruleset, &found, &wanted, |_, _| {})
}

fn marks(bank: &Bank, player: &str) -> Vec<Mark> {
    let mut bot = player.parse::<BotSpec>().expect("a bot").seat(Seed(9));
    let exercises = bank.exercises().expect("a sound bank");
    exercises
        .iter()
        .map(|it| {
            let seat = it.critical.seat;
            let action = bot.choose(&it.table.view(Viewer::Seat(seat)), seat).expect("it is to act");
            it.mark(it.table.accept_action(seat, action).ok().as_ref())
        })
        .collect()
}

#[test]
fn a_bank_tells_the_strong_from_the_weak() {
    for (ruleset, seats) in [("cowboy", 2), ("paint", 2)] {
        let bank = bank(ruleset, seats);
        assert_eq!(bank.positions.len(), 12, "{ruleset}");
        let [strong, weak] = ["search:300", "random"].map(|player| Marks::of(&marks(&bank, player)));
        assert!(strong.mean_loss < weak.mean_loss, "{ruleset}: {strong:?} {weak:?}");
        assert!(strong.accuracy > weak.accuracy && strong.failures == 0);
    }
}

#[test]
fn a_bank_reads_back_and_is_built_the_same_every_time() {
    let first = bank("cowboy", 2);
    assert_eq!(Bank::read(&first.write()).expect("it was just written"), first);
    assert_eq!(bank("cowboy", 2), first);
}

#[test]
fn answers_are_marked_by_what_they_lose() {
    let bank = bank("cowboy", 2);
    let exercises = bank.exercises().expect("a sound bank");
    let exercise = &exercises[0];
    let mark = |raw: &str| exercise.mark(exercise.table.accept(exercise.critical.seat, raw).ok().as_ref());
    let best = mark(&exercise.critical.best);
    assert_eq!(best, Mark { loss: 0.0, legal: true, best: true });
    for failed in [exercise.mark(None), mark("dance"), mark("forfeit")] {
        assert!(!failed.legal && failed.loss > 0.0, "{failed:?}");
        assert!(against(&best, &failed) > 0.5);
    }
    assert_eq!(mark(&exercise.critical.best.to_uppercase()), best);
    assert!(mark("speak hello").legal);
    assert_eq!(Marks::of(&[]).positions, 0);
}

#[test]
fn what_is_no_bank_is_refused() {
    let good = bank("cowboy", 2);
    let mut newer = good.clone();
    newer.version = 99;
    assert!(matches!(Bank::read(&newer.write()), Err(BadBank::Version(99))));
    let mut broken = good.clone();
    broken.positions[0].state["grid"] = Json::Null;
    assert!(matches!(Bank::read(&broken.write()), Err(BadBank::Position { .. })));
    let mut empty = good.clone();
    empty.positions[0].best = "nothing".to_owned();
    assert!(matches!(Bank::read(&empty.write()), Err(BadBank::Position { .. })));
    let mut lost = good;
    lost.ruleset = Json::Null;
    assert!(matches!(Bank::read(&lost.write()), Err(BadBank::Ruleset(_))));
    assert!(matches!(Bank::read("{}"), Err(BadBank::Malformed(_))));
}
