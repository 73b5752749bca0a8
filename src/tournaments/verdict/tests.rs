//! The promises, by simulation with fixed seeds.

use super::super::chance::{block_score, unit};
use super::*;
use crate::games::{Dice, Seed};

const RUNS: u64 = 3000;
const BLOCKS: u64 = 300;

fn settings(elo: f64) -> TestSettings {
    TestSettings::new(expected_score(elo) - 0.5, 0.05, 0.05).expect("sound")
}

/// How often something is true of a test at any of its blocks.
fn ever(settings: TestSettings, mut draw: impl FnMut(u64, &mut Dice) -> f64, is_so: impl Fn(&Test) -> bool) -> f64 {
    let times = (0..RUNS).filter(|&run| {
        let mut dice = Seed(run).child("run", 0).dice();
        let mut test = Test::new(settings);
        (0..BLOCKS).any(|block| {
            test.push(draw(block, &mut dice));
            is_so(&test)
        })
    });
    super::super::score::count(times.count()) / super::super::score::count(usize::try_from(RUNS).expect("small"))
}

/// Two games with this chance to win the first and the second.
fn pair(first: f64, second: f64, dice: &mut Dice) -> f64 {
    let won = |chance: f64, dice: &mut Dice| if unit(dice) < chance { 0.5 } else { 0.0 };
    won(first, dice) + won(second, dice)
}

/// Ways to be equally good.
type Draw = fn(u64, &mut Dice) -> f64;
const NO_DIFFERENCE: [(&str, Draw); 8] = [
    ("fair games", |_, dice| pair(0.5, 0.5, dice)),
    ("nine draws of ten", |_, dice| if unit(dice) < 0.9 { 0.5 } else { pair(0.5, 0.5, dice) }),
    ("the first seat always wins", |_, dice| pair(1.0, 0.0, dice)),
    ("one player always wins both games", |_, dice| if unit(dice) < 0.5 { 1.0 } else { 0.0 }),
    ("pairs with correlation −0.33", |_, dice| block_score(0.0, 0.0838, dice)),
    ("pairs with correlation 0.33", |_, dice| block_score(0.0, 0.1663, dice)),
    ("a few great wins, many small losses", |_, dice| if unit(dice) < 0.25 { 1.0 } else { 1.0 / 3.0 }),
    ("quiet at first, then wild", |block, dice| {
        let whole = if block < 100 { 0.02 } else { 1.0 };
        0.5 + whole * (unit(dice) - 0.5)
    }),
];

#[test]
fn false_alarms_stay_below_alpha_at_any_moment() {
    for (name, draw) in NO_DIFFERENCE {
        for elo in [35.0, 150.0] {
            let (mut better, mut worse) = (0, 0);
            for run in 0..RUNS {
                let mut dice = Seed(run).child("run", 0).dice();
                let mut test = Test::new(settings(elo));
                (0..BLOCKS).for_each(|block| test.push(draw(block, &mut dice)));
                better += usize::from(test.e_value() >= 20.0);
                worse += usize::from(test.mirrored_e_value() >= 20.0);
            }
            let runs = super::super::score::count(usize::try_from(RUNS).expect("small"));
            let [better, worse] = [better, worse].map(|times| super::super::score::count(times) / runs);
            assert!(better <= 0.05 && worse <= 0.05, "{name}, {elo} Elo: better {better}, worse {worse}");
        }
    }
}

#[test]
fn what_is_better_by_delta_is_missed_less_often_than_beta() {
    for (elo, variance) in [(35.0, 0.0838), (70.0, 0.1663), (150.0, 0.0838)] {
        let settings = settings(elo);
        let missed = ever(
            settings,
            |_, dice| block_score(settings.delta(), variance, dice),
            |test| matches!(test.verdict(), Verdict::NotBetter | Verdict::NoDifference),
        );
        assert!(missed <= 0.05, "{elo} Elo: {missed}");
    }
}

#[test]
fn looking_at_p_values_instead_would_cry_wolf() {
    // The same coins, looked at after every game with a fixed-size test: the reason for all this.
    let mut alarms = 0;
    for run in 0..RUNS {
        let mut dice = Seed(run).child("run", 0).dice();
        let (mut games, mut sum) = (0.0_f64, 0.0_f64);
        let alarm = (0..100).any(|_| {
            games += 1.0;
            sum += if unit(&mut dice) < 0.5 { 0.5 } else { -0.5 };
            games >= 10.0 && sum.abs() > 1.96 * 0.5 * games.sqrt()
        });
        alarms += u64::from(alarm);
    }
    assert!(alarms > RUNS / 5, "{alarms} of {RUNS}");
}

#[test]
fn tests_take_as_long_as_the_method_says() {
    for (elo, games) in [(35.0, 384.0), (70.0, 109.0), (150.0, 31.0)] {
        let settings = settings(elo);
        let needed = 2.0 * super::super::plan::blocks_to_verdict(settings, 0.0838).expected;
        assert!((needed / games - 1.0).abs() < 0.15, "{elo} Elo: {needed} games, not {games}");
    }
}

#[test]
fn identical_arms_show_no_difference() {
    let settings = settings(70.0);
    let told = |wanted: Verdict| {
        ever(
            settings,
            |_, dice| block_score(0.0, 0.0838, dice),
            move |test| test.verdict().is_final() && test.verdict() == wanted,
        )
    };
    let none = told(Verdict::NoDifference);
    assert!(none > 0.9, "{none}");
}

#[test]
fn every_verdict_is_reached_by_what_deserves_it() {
    for (name, scores, expected) in [
        ("always wins", &[1.0][..], Verdict::Better),
        ("always loses", &[0.0], Verdict::Worse),
        ("always draws", &[0.5], Verdict::NoDifference),
        ("wins and loses in turn", &[1.0, 0.0], Verdict::NoDifference),
        ("a little better, not by δ", &[0.51], Verdict::NoDifference),
    ] {
        let mut test = Test::new(settings(100.0));
        let mut scores = scores.iter().cycle();
        while !test.verdict().is_final() {
            assert!(test.blocks() < 2000, "{name} hangs at {}", test.verdict());
            test.push(*scores.next().expect("a cycle"));
        }
        assert_eq!(test.verdict(), expected, "{name}");
    }
}

#[test]
fn exit_codes_are_what_is_documented() {
    let codes = [
        (Verdict::Better, 0),
        (Verdict::NotBetter, 10),
        (Verdict::NoDifference, 10),
        (Verdict::Worse, 11),
        (Verdict::NotWorse, 12),
        (Verdict::Undecided, 12),
    ];
    for (verdict, code) in codes {
        assert_eq!(verdict.exit_code(), code, "{verdict}");
    }
}

#[test]
fn no_score_makes_nonsense_of_a_test() {
    let mut test = Test::new(settings(35.0));
    for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0, 7.0, 0.5].into_iter().cycle().take(6000) {
        test.push(score);
    }
    let (low, high) = test.bounds();
    let numbers = [test.log_capital().0, test.log_capital().1, test.mean(), test.e_value(), low, high];
    assert!(numbers.iter().all(|number| !number.is_nan()), "{numbers:?}");
    assert_eq!(test.blocks(), 5000);
    for _ in 0..100_000 {
        test.push(1.0);
    }
    assert!(test.e_value().is_finite());
}

#[test]
fn bad_settings_are_refused() {
    for delta in [0.0, -0.1, 0.5, f64::NAN] {
        assert!(matches!(TestSettings::new(delta, 0.05, 0.05), Err(BadSettings::Delta(_))));
    }
    for chance in [0.0, 0.6, f64::NAN] {
        assert!(matches!(TestSettings::new(0.1, chance, 0.05), Err(BadSettings::Chance(_))));
        assert!(matches!(TestSettings::new(0.1, 0.05, chance), Err(BadSettings::Chance(_))));
    }
}

#[test]
fn the_interval_holds_the_difference_at_every_moment() {
    for (elo, variance) in [(0.0, 0.0838), (70.0, 0.0838), (300.0, 0.05), (0.0, 0.25)] {
        let runs = 40;
        let missed = (0..runs).filter(|&run| {
            let mut dice = Seed(run).child("interval", 0).dice();
            let mut test = Test::new(settings(70.0));
            (0..120).any(|block| {
                test.push(block_score(expected_score(elo) - 0.5, variance, &mut dice));
                // Looked at now and then: every look takes in all blocks.
                let looked = (block % 40 == 39).then(|| test.effect().expect("games have a scale"));
                looked.is_some_and(|effect| elo < effect.low || elo > effect.high)
            })
        });
        let missed = missed.count();
        assert!(missed <= 4, "{elo} Elo, variance {variance}: {missed} of {runs}");
    }
}

#[test]
fn verdict_and_interval_never_contradict_each_other() {
    for (elo, runs) in [(70.0, 20), (200.0, 20), (0.0, 20)] {
        let mut told = 0;
        for run in 0..runs {
            let mut dice = Seed(run).child("agree", 0).dice();
            let mut test = Test::new(settings(70.0));
            while !test.verdict().is_final() && test.blocks() < 400 {
                test.push(block_score(expected_score(elo) - 0.5, 0.0838, &mut dice));
            }
            let effect = test.effect().expect("games have a scale");
            assert!((effect.level - 0.9).abs() < 1e-9);
            match test.verdict() {
                Verdict::Better => assert!(effect.low >= 0.0 && effect.shrunk > 0.0, "{effect:?}"),
                Verdict::Worse => assert!(effect.high <= 0.0 && effect.shrunk < 0.0, "{effect:?}"),
                Verdict::NoDifference => assert!(effect.low >= -70.0 && effect.high <= 70.0, "{effect:?}"),
                _ => continue,
            }
            told += 1;
        }
        assert!(told >= runs * 9 / 10, "{elo} Elo: {told} verdicts in {runs} runs");
    }
}

#[test]
fn the_effect_is_shrunk_to_what_it_is() {
    for (elo, off) in [(70.0, 12.0), (200.0, 30.0)] {
        let (mut raw, mut shrunk, mut runs) = (0.0, 0.0, 0.0);
        for run in 0..400 {
            let mut dice = Seed(run).child("shrink", 0).dice();
            let mut test = Test::new(settings(70.0));
            while !test.verdict().settles_better() && test.blocks() < 1000 {
                test.push(block_score(expected_score(elo) - 0.5, 0.0838, &mut dice));
            }
            if test.verdict() == Verdict::Better {
                raw += test.estimate(0.0);
                shrunk += test.estimate(1.0);
                runs += 1.0;
            }
        }
        let (raw, shrunk) = (raw / runs, shrunk / runs);
        assert!((shrunk - elo).abs() < off, "{elo} Elo: shown {shrunk}, raw {raw}");
        assert!(raw > elo + off / 2.0, "{elo} Elo: the raw effect is inflated: {raw}");
    }
}

#[test]
fn the_interval_narrows() {
    let mut dice = Seed(3).dice();
    let mut test = Test::new(settings(70.0));
    assert_eq!(test.bounds(), (0.0, 1.0));
    for _ in 0..1000 {
        test.push(block_score(0.1, 0.0838, &mut dice));
    }
    let (low, high) = test.bounds();
    assert!(0.54 < low && low < 0.6 && 0.6 < high && high < 0.65, "{low} to {high}");
}

/// Answers on a bank whose points are worth so much: +200 Elo is a difference in score of 0.1.
fn answers(run: u64, elo: f64, positions: usize) -> Test {
    let mut dice = Seed(run).child("answers", 0).dice();
    let scale = Scale::answers(0.0005, 0.0005, 0.04);
    let mut test = Test::of_answers(settings(70.0), &[scale]);
    let share = elo * 0.0005;
    for _ in 0..positions {
        if test.verdict().is_final() {
            break;
        }
        // Alike: the answers differ only where the one knows better.
        test.push(if unit(&mut dice) < share { 1.0 } else { 0.5 });
    }
    test
}

#[test]
fn a_bank_sees_two_hundred_elo_and_calls_it_no_difference_never() {
    let verdicts: Vec<Verdict> = (0..200).map(|run| answers(run, 200.0, 1000).verdict()).collect();
    let told = |wanted: Verdict| verdicts.iter().filter(|&&it| it == wanted).count();
    assert!(told(Verdict::Better) >= 180, "{verdicts:?}");
    assert_eq!(told(Verdict::NoDifference), 0);
    // What is as large as δ is called no difference no oftener than β.
    let missed = (0..200).filter(|&run| answers(run, 70.0, 1000).verdict() == Verdict::NoDifference).count();
    assert!(missed <= 10, "{missed} of 200");
}

#[test]
fn without_a_calibration_there_is_no_word_of_no_difference() {
    let mut test = Test::of_answers(settings(70.0), &[Scale::unknown(0.04)]);
    for _ in 0..2000 {
        test.push(0.5);
    }
    assert_eq!((test.verdict(), test.effect()), (Verdict::Undecided, None));
    for _ in 0..200 {
        test.push(1.0);
    }
    assert_eq!(test.verdict(), Verdict::Better);
}

/// Numbers recomputed with scipy (`brentq` for θ, sums of p̂ log p₁/p₀) for these counts.
#[test]
fn the_pentanomial_ratio_agrees_with_an_independent_computation() {
    for (counts, zero, one, expected) in PENTANOMIAL {
        let found = Pentanomial(counts).llr(expected_score(zero), expected_score(one));
        assert!((found - expected).abs() < 1e-6, "{counts:?}: {found}, not {expected}");
    }
    assert!(Pentanomial::default().llr(0.5, 0.6).abs() < f64::EPSILON);
    assert!(Pentanomial([0, 0, 0, 0, 9]).llr(0.5, 0.6).is_finite());
}

const PENTANOMIAL: [([u64; 5], f64, f64, f64); 3] = [
    ([20, 100, 300, 150, 30], 0.0, 35.0, 2.572_481_963_839),
    ([3, 10, 40, 22, 5], 0.0, 70.0, -0.059_866_684_435),
    ([0, 5, 90, 5, 0], 0.0, 10.0, -1.492_414_535_248),
];

#[test]
fn elo_and_scores_are_inverse() {
    for points in [-300.0, 0.0, 35.0, 200.0] {
        assert!((elo(expected_score(points)) - points).abs() < 1e-9);
    }
    // Elo's own table: 200 points are 76 %.
    assert!((expected_score(200.0) - 0.7597).abs() < 1e-4);
}

#[test]
fn a_seat_that_decides_shows_in_pairs() {
    let row = |first: f64, second: f64| SeatRow { games: vec![(0, first), (1, second)], times: 1.0 };
    let decided = seat_bias(&[row(1.0, 0.0), row(1.0, 0.0)]);
    assert_eq!(decided, SeatBias { seats: vec![1.0, 0.0], correlation: Some(-1.0) });
    let player = seat_bias(&[row(1.0, 1.0), row(0.0, 0.0)]);
    assert_eq!(player, SeatBias { seats: vec![0.5, 0.5], correlation: Some(1.0) });
    let chance = seat_bias(&[row(1.0, 1.0), row(0.0, 0.0), row(1.0, 0.0), row(0.0, 1.0)]);
    assert_eq!(chance.correlation, Some(0.0));
    let counted = seat_bias(&[SeatRow { times: 2.0, ..row(1.0, 0.0) }]);
    assert_eq!(counted, decided, "blocks that are counted are blocks that are listed");
    assert_eq!(seat_bias(&[]).correlation, None);
    assert_eq!(seat_bias(&[row(0.5, 0.5), row(0.5, 0.5)]).correlation, None);
}

#[test]
fn who_loses_everything_is_not_taken_at_its_word_either() {
    let mut test = Test::new(TestSettings::of_elo(70.0, 0.05, 0.05).expect("sound"));
    (0..8).for_each(|_| test.push(0.0));
    let effect = test.effect().expect("games are in Elo");
    assert!(effect.raw <= -1200.0 && (-600.0..-100.0).contains(&effect.shrunk), "{effect:?}");
}
