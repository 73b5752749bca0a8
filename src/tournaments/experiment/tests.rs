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
    let mut experiment = Experiment::new(matrix.clone(), file.settings, Hypothesis::IsBetter);
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
        for group in experiment.settled(&block, &[score, 1.0 - score]) {
            schedule.retire(&group);
        }
    }
}

#[test]
fn what_is_better_is_found_and_what_is_the_same_is_not() {
    let (findings, blocks) = play(0.75);
    for finding in &findings {
        let wanted = match (finding.is_noise, finding.one.contains("bare")) {
            (true, _) | (false, false) => [Verdict::NoDifference, Verdict::NotBetter],
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
    let text = "name = \"brief\"\nmodels = [\"m\"]\nvariants = [\"standard\"]\nbaseline = \"bare\"\ndelta = 0.7\nplayers = 2\n";
    let said = ExperimentFile::read("e.toml", text, None).expect_err("no good").to_string();
    for line in [
        "e.toml:4:12: `baseline` must be one of the variants, not \"bare\"",
        "e.toml:5:9: `delta` must be a number from 0.001 to 0.49, not 0.7",
        "e.toml:6:11: unknown key `players`",
    ] {
        assert!(said.contains(line), "{line}\nnot in\n{said}");
    }
}
