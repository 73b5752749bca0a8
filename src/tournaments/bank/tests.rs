use super::super::oracle::Oracle;
use super::*;
use crate::bots::BotSpec;
use crate::games::Seed;
use crate::games::Viewer;
use serde_json::json;

fn bank(ruleset: &str, seats: usize) -> Bank {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("it is built in"));
    let oracle = Oracle { nodes: 60, seed: Seed(0) };
    let wanted = BankSpec { positions: 12, share: 0.05, oracle, seed: Seed(3) };
    harvest_bots(&ruleset, seats, &wanted, |_, _| {}).expect("it seats them").0
}

#[test]
fn a_bank_has_as_many_positions_as_were_asked_for_and_says_what_became_of_the_others() {
    let ruleset = Arc::new(Ruleset::named("cowboy").expect("it is built in"));
    // A share so large that one look is not enough.
    let oracle = Oracle { nodes: 50, seed: Seed(0) };
    let wanted = BankSpec { positions: 16, share: 1.0, oracle, seed: Seed(1) };
    let (bank, report) = harvest_bots(&ruleset, 2, &wanted, |_, _| {}).expect("it seats two");
    assert_eq!((bank.positions.len(), report.kept), (16, 16), "{report:?}");
    assert!(report.judged > 16 && report.indifferent + report.unconfirmed > 0, "{report:?}");
    assert!(report.judged >= report.kept + report.indifferent + report.unconfirmed, "{report:?}");
    let ids: std::collections::BTreeSet<&String> = bank.positions.iter().map(|critical| &critical.id).collect();
    assert_eq!(ids.len(), 16, "no position comes twice");
    // Of a handful of positions there are no more than there are.
    let (none, report) = harvest(&ruleset, &Harvest::default(), &wanted, |_, _| {});
    assert_eq!((none.positions.len(), report), (0, HarvestReport::default()));
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
        assert!(strong.score > weak.score + 0.2, "{ruleset}: {strong:?} {weak:?}");
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
    assert_eq!(best, Mark { loss: 0.0, score: 1.0, legal: true, best: true });
    for failed in [exercise.mark(None), mark("dance"), mark("forfeit")] {
        assert!(!failed.legal && failed.loss > 0.0 && failed.score.abs() < 1e-9, "{failed:?}");
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

#[test]
fn a_bank_of_the_first_version_is_read_and_what_has_no_range_is_dropped() {
    let good = bank("cowboy", 2);
    let mut old = json!(good);
    let fields = old.as_object_mut().expect("an object");
    fields.insert("version".to_owned(), json!(1));
    fields.remove("calibration");
    fields.remove("nodes");
    let values = fields["positions"][0]["values"].as_object_mut().expect("an object");
    values.values_mut().for_each(|value| *value = json!(0.5));
    let read = Bank::read(&old.to_string()).expect("version 1 is read");
    assert_eq!(read.positions.len(), good.positions.len() - 1);
    assert!(read.calibration.is_none() && !read.scale().is_known());
}

#[test]
fn what_a_seat_does_not_see_does_not_change_what_its_actions_are_worth() {
    let ruleset = Arc::new(Ruleset::named("grid-royale-fog").expect("built in"));
    let table = Table::open(ruleset, 2, Seed(5)).expect("it seats two");
    let seat = Seat::new(0);
    let mut state = json!(table.state());
    let oracle = Oracle { nodes: 200, seed: Seed(0) };
    let before = oracle.judge(&table, seat).expect("it is to act");
    assert!(table.view(Viewer::Seat(seat)).position().is_none(), "something is hidden");
    // The other is somewhere else, as unseen as before.
    let there = state["bots"][1]["position"].clone();
    state["bots"][1]["position"]["x"] = json!(there["x"].as_i64().expect("a number") - 1);
    let moved = Table::from_state(table.ruleset().clone(), &state).expect("a position");
    assert_eq!(moved.view(Viewer::Seat(seat)).state(), table.view(Viewer::Seat(seat)).state());
    assert_eq!(oracle.judge(&moved, seat).expect("it is to act"), before);
}

#[test]
fn every_built_in_ruleset_has_a_bank_with_a_thousand_positions_and_a_calibration() {
    for name in crate::games::library::rulesets() {
        let ruleset = Ruleset::named(name).expect("built in");
        let bank = Bank::built_in(&ruleset).expect("it can be read").unwrap_or_else(|| panic!("{name} has no bank"));
        assert!(bank.positions.len() >= 1000, "{name}: {}", bank.positions.len());
        assert!(bank.positions.iter().all(|critical| critical.range() > 0.0), "{name}");
        let calibration = bank.calibration.as_ref().unwrap_or_else(|| panic!("{name} is not calibrated"));
        assert!(calibration.least_score_per_elo > 0.0, "{name}: {calibration:?}");
        assert!(bank.scale().is_known(), "{name}");
    }
}
