use std::collections::BTreeMap;

use super::*;

fn setup(format: Format, entrants: usize, seats: usize, blocks: u32) -> Setup {
    Setup { format, entrants, seats, courses: 1, blocks, seed: Seed(7), edition: Edition::Second }
}

/// Plays to the end; the entrant with the smaller index is stronger by as much as the strengths say.
fn play(setup: Setup, strength: impl Fn(Entrant) -> f64) -> (Vec<Block>, Schedule) {
    let mut schedule = Schedule::new(setup).expect("a sound set-up");
    let mut blocks = Vec::new();
    let mut under_way: Vec<Block> = Vec::new();
    for _ in 0..1_000_000 {
        match schedule.next() {
            Next::Play(block) => {
                blocks.push(block.clone());
                under_way.push(block);
            }
            Next::Wait => {
                // The last begun ends first: it must not matter.
                let block = under_way.pop().expect("somebody is playing");
                let whole: f64 = block.group.iter().map(|&one| strength(one)).sum();
                let scores = block.group.iter().map(|&one| strength(one) / whole).collect();
                schedule.finish(block.number, scores);
            }
            Next::Over => return (blocks, schedule),
        }
    }
    panic!("it never ends");
}

fn even(_: Entrant) -> f64 {
    1.0
}

fn times_served(blocks: &[Block], entrants: usize) -> Vec<usize> {
    (0..entrants).map(|one| blocks.iter().filter(|block| block.group.contains(&Entrant::new(one))).count()).collect()
}

#[test]
fn everybody_sits_everywhere_once_in_a_block() {
    for seats in 2..=8 {
        let group: Vec<Entrant> = (0..seats).map(Entrant::new).collect();
        let games = rotations(&group, 0, Edition::Second);
        assert_eq!(games.len(), seats);
        for seat in 0..seats {
            let mut sat: Vec<Entrant> = games.iter().map(|game| game[seat]).collect();
            sat.sort_unstable();
            assert_eq!(sat, group, "{seats} seats, seat {seat}");
        }
    }
}

#[test]
fn beyond_two_seats_everybody_follows_everybody_equally_often() {
    for (seats, fixtures) in [(3, 2), (4, 1), (5, 2), (6, 1), (7, 2), (8, 1)] {
        let group: Vec<Entrant> = (0..seats).map(Entrant::new).collect();
        let mut follows: BTreeMap<(Entrant, Entrant), u64> = BTreeMap::new();
        for game in (0..fixtures).flat_map(|fixture| rotations(&group, fixture, Edition::Second)) {
            for pair in game.windows(2) {
                *follows.entry((pair[0], pair[1])).or_default() += 1;
            }
        }
        assert_eq!(follows.len(), seats * (seats - 1), "{seats} seats");
        assert!(follows.values().all(|&times| times == fixtures), "{seats} seats: {follows:?}");
    }
}

#[test]
fn in_a_round_robin_every_pair_meets_as_often_as_asked() {
    for entrants in 2..=9 {
        let (blocks, schedule) = play(setup(Format::RoundRobin, entrants, 2, 3), even);
        let mut meetings: BTreeMap<Vec<Entrant>, u32> = BTreeMap::new();
        for block in &blocks {
            *meetings.entry(block.group.clone()).or_default() += 1;
        }
        assert_eq!(meetings.len(), entrants * (entrants - 1) / 2);
        assert!(meetings.values().all(|&times| times == 3));
        assert_eq!(blocks.len() as u64, schedule.planned());
    }
}

#[test]
fn an_early_stop_leaves_everybody_equally_served() {
    for (entrants, seats) in [(6, 2), (7, 2), (5, 3), (9, 4), (12, 4), (8, 8), (11, 6)] {
        let (blocks, schedule) = play(setup(Format::RoundRobin, entrants, seats, 2), even);
        assert_eq!(blocks.len() as u64, schedule.planned());
        for stop in 0..=blocks.len() {
            let served = times_served(&blocks[..stop], entrants);
            let [least, most] = [served.iter().min(), served.iter().max()].map(|times| *times.expect("somebody"));
            // Of an odd number somebody rests in every round of pairs.
            let slack = if seats == 2 { 1 + entrants % 2 } else { 1 };
            assert!(most - least <= slack, "{entrants} players, {seats} seats, after {stop}: {served:?}");
        }
        let served = times_served(&blocks, entrants);
        assert!(served.iter().all(|&times| times == served[0]), "{served:?}");
    }
}

#[test]
fn at_tables_of_many_everybody_meets_everybody_before_long() {
    for (entrants, seats) in [(5, 3), (9, 4), (12, 4), (8, 8), (11, 6)] {
        let (blocks, _) = play(setup(Format::RoundRobin, entrants, seats, 3), even);
        for one in 0..entrants {
            for other in 0..one {
                let met = |block: &&Block| [one, other].iter().all(|&who| block.group.contains(&Entrant::new(who)));
                assert!(blocks.iter().any(|block| met(&block)), "{one} and {other} of {entrants} at {seats}");
            }
        }
    }
}

#[test]
fn a_block_is_one_seed_and_no_two_blocks_share_theirs() {
    let (blocks, _) = play(setup(Format::RoundRobin, 4, 2, 5), even);
    for (number, block) in blocks.iter().enumerate() {
        assert_eq!(block.seed, Seed(7).child("fixture", number as u64));
        assert_eq!(block.games.len(), 2);
    }
}

#[test]
fn arms_play_the_same_seeds_and_stop_when_they_are_told() {
    let groups = vec![vec![Entrant(0), Entrant(2)], vec![Entrant(1), Entrant(2)]];
    let mut schedule = Schedule::new(setup(Format::Arms { groups: groups.clone() }, 3, 2, 10)).expect("sound");
    let mut seeds: BTreeMap<Vec<Entrant>, Vec<Seed>> = BTreeMap::new();
    while let Next::Play(block) = schedule.next() {
        schedule.finish(block.number, vec![0.5, 0.5]);
        if block.number == 9 {
            schedule.retire(&groups[0]);
        }
        seeds.entry(block.group).or_default().push(block.seed);
    }
    assert_eq!(seeds[&groups[0]], seeds[&groups[1]][..5]);
    assert_eq!(seeds[&groups[1]].len(), 10);
}

#[test]
fn courses_take_turns() {
    let (blocks, _) = play(Setup { courses: 3, ..setup(Format::RoundRobin, 2, 2, 2) }, even);
    assert_eq!(blocks.iter().map(|block| block.course).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
}

#[test]
fn in_swiss_rounds_nobody_meets_twice_and_the_best_meet_the_best() {
    for entrants in [8, 9, 16] {
        let strength = |one: Entrant| f64::from(100 - one.0);
        let (blocks, schedule) = play(setup(Format::Swiss { rounds: 4 }, entrants, 2, 1), strength);
        assert_eq!(blocks.len() as u64, schedule.planned());
        let mut groups: Vec<_> = blocks.iter().map(|block| block.group.clone()).collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort();
        let all = groups.len();
        groups.dedup();
        assert_eq!(groups.len(), all, "{entrants} players");
        let served = times_served(&blocks, entrants);
        assert!(served.iter().all(|&times| times >= 3), "{served:?}");
    }
}

#[test]
fn swiss_rounds_go_on_when_all_have_met() {
    let (blocks, _) = play(setup(Format::Swiss { rounds: 7 }, 3, 2, 1), even);
    assert_eq!(times_served(&blocks, 3).iter().sum::<usize>(), 14);
    let (blocks, _) = play(setup(Format::Swiss { rounds: 5 }, 10, 4, 1), even);
    assert_eq!(times_served(&blocks, 10), [4; 10]);
}

#[test]
fn a_knockout_is_won_by_the_strongest() {
    for entrants in 2..=9 {
        for champion in 0..entrants {
            let strength = |one: Entrant| if one.index() == champion { 9.0 } else { 1.0 };
            let (_, schedule) = play(setup(Format::Knockout, entrants, 2, 2), strength);
            let bracket = schedule.bracket().expect("it is a knockout");
            assert_eq!(bracket.champion(), Some(Entrant::new(champion)), "{bracket}");
        }
    }
}

#[test]
fn a_bracket_is_drawn() {
    let strength = |one: Entrant| f64::from(one.0 + 1);
    let (_, schedule) = play(setup(Format::Knockout, 3, 2, 1), strength);
    let drawn = schedule.bracket().expect("it is a knockout").draw(|one| ["ann", "bo", "cy"][one.index()].to_owned());
    assert_eq!(
        drawn,
        "Semi-finals\n  ann goes on without play\n  bo – cy  0.4 : 0.6  → cy\nFinal\n  ann – cy  0.25 : 0.75  → cy\n"
    );
}

#[test]
fn two_who_stand_even_play_on_and_then_a_lot_is_drawn_that_the_bracket_shows() {
    let mut won = [0, 0];
    for seed in 0..40 {
        let (blocks, schedule) = play(Setup { seed: Seed(seed), ..setup(Format::Knockout, 2, 2, 2) }, even);
        assert_eq!(blocks.len(), 6);
        let mut seeds: Vec<Seed> = blocks.iter().map(|block| block.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 6, "each has its own opening");
        let bracket = schedule.bracket().expect("it is a knockout");
        assert_eq!(bracket.rounds[0][0].decision, Decision::Lot);
        assert!(bracket.to_string().contains("(by lot)"), "{bracket}");
        let lines = serde_json::to_value(bracket.lines(&["ann".to_owned(), "bo".to_owned()])).expect("plain data");
        assert_eq!((&lines[0][0]["decision"], &lines[0][0]["upper"]), (&"lot".into(), &"ann".into()));
        won[bracket.champion().expect("somebody won").index()] += 1;
    }
    assert!(won[0] >= 8 && won[1] >= 8, "{won:?}");
}

#[test]
fn a_tie_that_further_blocks_decide_says_so() {
    let mut schedule = Schedule::new(setup(Format::Knockout, 2, 2, 1)).expect("sound");
    for score in [0.5, 0.5, 0.25] {
        let Next::Play(block) = schedule.next() else { panic!("there is a block to play") };
        schedule.finish(block.number, vec![score, 1.0 - score]);
    }
    assert_eq!(schedule.next(), Next::Over);
    let bracket = schedule.bracket().expect("it is a knockout");
    assert_eq!((bracket.champion(), bracket.rounds[0][0].decision), (Some(Entrant(1)), Decision::FurtherBlocks));
}

#[test]
fn what_was_begun_in_the_first_edition_goes_on_in_it() {
    let (_, schedule) = play(Setup { edition: Edition::First, ..setup(Format::Knockout, 2, 2, 2) }, even);
    let bracket = schedule.bracket().expect("it is a knockout");
    assert_eq!((bracket.champion(), bracket.rounds[0][0].decision), (Some(Entrant(0)), Decision::Seeding));
    let (blocks, _) = play(Setup { edition: Edition::First, ..setup(Format::Swiss { rounds: 1 }, 8, 2, 1) }, even);
    assert_eq!(blocks[0].group, [Entrant(0), Entrant(1)]);
    let group: Vec<Entrant> = (0..4).map(Entrant::new).collect();
    let games = rotations(&group, 0, Edition::First);
    assert_eq!(games[1], [1, 2, 3, 0].map(Entrant));
}

#[test]
fn swiss_rounds_begin_with_the_upper_half_against_the_lower() {
    let (blocks, _) = play(setup(Format::Swiss { rounds: 1 }, 8, 2, 1), even);
    let groups: Vec<[usize; 2]> = blocks.iter().map(|block| [block.group[0].index(), block.group[1].index()]).collect();
    assert_eq!(groups, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    let (blocks, _) = play(setup(Format::Swiss { rounds: 1 }, 9, 2, 1), even);
    assert_eq!(blocks[0].group, [Entrant(0), Entrant(4)]);
    let (blocks, _) = play(setup(Format::Swiss { rounds: 1 }, 8, 4, 1), even);
    assert_eq!(blocks[1].group, [1, 3, 5, 7].map(Entrant));
}

#[test]
fn a_ladder_finds_opponents_in_the_band() {
    let rungs: Vec<Rung> =
        (0..7_u32).map(|at| Rung { entrant: Entrant(at), rating: 400.0 + 200.0 * f64::from(at) }).collect();
    let rating = |one: Entrant| if one.0 < 7 { 400.0 + 200.0 * f64::from(one.0) } else { 1450.0 };
    let strength = |one: Entrant| 10_f64.powf(rating(one) / 400.0);
    let (blocks, schedule) = play(setup(Format::Ladder { rungs }, 8, 2, 40), strength);
    assert_eq!(blocks.len() as u64, schedule.planned());
    for block in &blocks[10..] {
        let [one, other] = [block.group[0], block.group[1]].map(strength);
        assert!((0.3..0.7).contains(&(one / (one + other))), "block {}: {:?}", block.number, block.group);
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let ladder = |rungs| Format::Ladder { rungs };
    let rung = |at, rating| Rung { entrant: Entrant(at), rating };
    for (setup, expected) in [
        (setup(Format::RoundRobin, 1, 2, 1), BadSetup::TooFew { entrants: 1, seats: 2 }),
        (setup(Format::RoundRobin, 3, 4, 1), BadSetup::TooFew { entrants: 3, seats: 4 }),
        (setup(Format::RoundRobin, 9, 9, 1), BadSetup::Seats(9)),
        (setup(Format::RoundRobin, 9, 1, 1), BadSetup::Seats(1)),
        (setup(Format::RoundRobin, 9, 2, 0), BadSetup::Nothing("block")),
        (setup(Format::Swiss { rounds: 0 }, 9, 2, 1), BadSetup::Nothing("round")),
        (setup(Format::Knockout, 9, 4, 1), BadSetup::Duels { format: "knockout", seats: 4 }),
        (setup(ladder(vec![]), 9, 2, 1), BadSetup::Ladder),
        (setup(ladder(vec![rung(0, f64::NAN)]), 9, 2, 1), BadSetup::Ladder),
        (setup(ladder(vec![rung(0, 1.0), rung(0, 2.0)]), 9, 2, 1), BadSetup::Ladder),
        (setup(ladder(vec![rung(0, 1.0), rung(1, 2.0)]), 2, 2, 1), BadSetup::Ladder),
        (setup(Format::Arms { groups: vec![] }, 2, 2, 1), BadSetup::Nothing("group")),
        (
            setup(Format::Arms { groups: vec![vec![Entrant(1), Entrant(1)]] }, 2, 2, 1),
            BadSetup::Group { number: 1, seats: 2 },
        ),
    ] {
        assert_eq!(Schedule::new(setup).expect_err("it cannot be played"), expected);
    }
}
