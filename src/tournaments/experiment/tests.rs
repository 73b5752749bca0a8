use super::super::schedule::{Next, Schedule};
use super::*;
use crate::games::Seed;

const FILE: &str = "name = \"brief\"\nmodels = [\"m\"]\nvariants = [\"standard\", \"bare\"]\nanchors = [\"greedy\"]\n\
                    languages = [\"en\", \"zh\"]\ndelta = 0.1\nblocks = 2000\n";

/// Plays an experiment in which a bare prompt scores so much against all others; blocks end in any order.
fn play(bare: f64) -> (Vec<Finding>, u64) {
    let file = ExperimentFile::read("e.toml", FILE, None).expect("good");
    let matrix = file.matrix();
    let mut schedule = Schedule::new(file.setup(&matrix, 1)).expect("sound");
    let mut experiment = Experiment::new(matrix.clone(), file.settings, Hypothesis::IsBetter, file.noise);
    let is_bare = |one: Entrant| matches!(&matrix.players()[one.index()], Contender::Prompted { variant, .. } if variant == "bare");
    let mut dice = Seed(3).dice();
    let mut open: Vec<Block> = Vec::new();
    let mut blocks = 0;
    loop {
        match schedule.next() {
            Next::Play(block) if open.len() < 20 => {
                experiment.begun(&block);
                blocks += 1;
                open.push(block);
                continue;
            }
            Next::Play(block) => {
                experiment.begun(&block);
                blocks += 1;
                open.push(block);
            }
            Next::Wait => {}
            Next::Over => return (experiment.findings(), blocks),
        }
        let at = dice.below(u32::try_from(open.len()).expect("few")) as usize;
        let block = open.swap_remove(at);
        let mean = match (is_bare(block.group[0]), is_bare(block.group[1])) {
            (true, false) => bare,
            (false, true) => 1.0 - bare,
            _ => 0.5,
        };
        let score = if f64::from(dice.below(1000)) < 1000.0 * mean { 1.0 } else { 0.0 };
        schedule.finish(block.number, vec![score, 1.0 - score]);
        for group in experiment.settled(&block, &[score, 1.0 - score], &[]) {
            schedule.retire(&group);
        }
    }
}

#[test]
fn what_is_better_is_found_and_what_is_the_same_is_not() {
    let (findings, blocks) = play(0.75);
    for finding in &findings {
        let wanted = match (finding.is_noise, finding.one.contains("bare")) {
            // A small sample of noise decides nothing.
            (true, _) => [Verdict::Undecided; 2],
            (false, false) => [Verdict::NoDifference, Verdict::NotBetter],
            (false, true) => [Verdict::Better; 2],
        };
        assert!(wanted.contains(&finding.verdict), "{finding:?}");
        assert_eq!(finding.better_among_all, finding.verdict == Verdict::Better, "{finding:?}");
    }
    assert_eq!(findings.len(), 7);
    assert!(blocks < 6000, "what is decided costs nothing more: {blocks}");
}

#[test]
fn what_is_worse_is_never_called_better() {
    for finding in play(0.3).0.iter().filter(|finding| finding.one.contains("bare")) {
        assert!(matches!(finding.verdict, Verdict::Worse | Verdict::NotBetter), "{finding:?}");
    }
}

#[test]
fn every_problem_of_a_file_is_named_with_its_place() {
    let text = "name = \"brief\"\nmodels = [\"m\"]\nvariants = [\"standard\"]\nbaseline = \"bare\"\ndelta = 900\nplayers = 2\n";
    let said = ExperimentFile::read("e.toml", text, None).expect_err("no good").to_string();
    for line in [
        "e.toml:4:12: `baseline` must be one of the variants (standard), not \"bare\"",
        "e.toml:5:9: `delta` must be a number from 0.001 to 800, not 900",
        "e.toml:6:11: unknown key `players`",
    ] {
        assert!(said.contains(line), "{line}\nnot in\n{said}");
    }
}

const ONE_VARIANT: &str = "name = \"brief\"\nmodels = [\"m\"]\nvariants = [\"standard\", \"bare\"]\nblocks = 200\n";

fn experiment(text: &str) -> (Experiment, Schedule) {
    let file = ExperimentFile::read("e.toml", text, None).expect("good");
    let matrix = file.matrix();
    let schedule = Schedule::new(file.setup(&matrix, 1)).expect("sound");
    (Experiment::new(matrix, file.settings, Hypothesis::IsBetter, file.noise), schedule)
}

/// Plays everything that is asked for, all blocks drawn, and gives how many blocks each group had.
fn blocks(experiment: &mut Experiment, schedule: &mut Schedule, played: impl Fn(u64) -> Vec<u64>) -> Vec<usize> {
    let mut blocks = vec![0; experiment.matrix().groups().len()];
    for group in experiment.done() {
        schedule.retire(&group);
    }
    while let Next::Play(block) = schedule.next() {
        experiment.begun(&block);
        let group = experiment.matrix().groups().iter().position(|group| *group == block.group);
        blocks[group.expect("a group")] += 1;
        schedule.finish(block.number, vec![0.5, 0.5]);
        for group in experiment.settled(&block, &[0.5, 0.5], &played(block.number)) {
            schedule.retire(&group);
        }
    }
    blocks
}

#[test]
fn the_noise_is_a_small_sample_and_never_a_reason_to_go_on() {
    let distinct = |number: u64| vec![number, number + 1_000_000];
    let (mut one, mut schedule) = experiment(ONE_VARIANT);
    let counts = blocks(&mut one, &mut schedule, distinct);
    assert_eq!(counts[0], 8, "the baseline against itself: {counts:?}");
    assert!(counts[1] > 20, "{counts:?}");
    // Off by a switch.
    let (mut none, mut schedule) = experiment(&format!("{ONE_VARIANT}noise = 0\n"));
    assert_eq!(blocks(&mut none, &mut schedule, distinct).len(), 1);
    // Where the only variant is out, nothing is left to find out.
    let (mut out, mut schedule) = experiment(ONE_VARIANT);
    let variant = out.matrix().comparisons().iter().find(|it| !it.is_noise).expect("a question").one;
    out.leave_out([variant]);
    assert!(out.is_answered());
    assert_eq!(blocks(&mut out, &mut schedule, distinct), [0, 0]);
}

#[test]
fn games_with_bots_that_are_needed_anyway_show_the_noise() {
    let (mut one, mut schedule) = experiment(&format!("{ONE_VARIANT}anchors = [\"greedy\"]\n"));
    assert!(one.matrix().players().iter().all(|it| !matches!(it, Contender::Prompted { twin: true, .. })));
    blocks(&mut one, &mut schedule, |number| vec![number]);
    let findings = one.findings();
    let noise = findings.iter().find(|finding| finding.is_noise).expect("it is shown");
    assert_eq!((noise.blocks, noise.against.as_deref()), (8, Some("greedy")));
}

#[test]
fn a_block_that_repeats_an_earlier_one_is_no_new_sample() {
    let (mut same, mut schedule) = experiment(&format!("{ONE_VARIANT}noise = 0\n"));
    let counts = blocks(&mut same, &mut schedule, |number| vec![number % 3]);
    let finding = &same.findings()[0];
    assert_eq!((finding.blocks, finding.repeats), (3, 197), "{counts:?}");
    assert_eq!(finding.verdict, Verdict::Undecided);
}

#[test]
fn who_loses_by_answers_that_do_not_count_is_told_so() {
    let (mut one, mut schedule) = experiment(&format!("{ONE_VARIANT}noise = 0\n"));
    while let Next::Play(block) = schedule.next() {
        one.begun(&block);
        schedule.finish(block.number, vec![0.0, 1.0]);
        for group in one.settled(&block, &[0.0, 1.0], &[]) {
            schedule.retire(&group);
        }
    }
    let mut told = one.told();
    assert_eq!(told.findings[0].verdict, Verdict::NotBetter);
    let failures = |name: &str| {
        let times = if name.contains("bare") { 90 } else { 0 };
        Some(Failures { kind: "illegal".to_owned(), times, of: 18 })
    };
    told.explain(failures);
    let cause = told.findings[0].cause.as_ref().expect("it is plain");
    assert_eq!((cause.player.as_str(), cause.times, cause.of), ("m/bare/en", 90, 18));
    let read: GateFindings = serde_json::from_str(&serde_json::to_string(&told).expect("plain data")).expect("ours");
    assert_eq!(read.findings, told.findings);
}
