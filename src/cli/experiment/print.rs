//! What an experiment found, for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::briefs::{Language, rule_name};
use crate::cli::tournament::start::Contest;
use crate::tournaments::experiment::{BankFound, Cause, Finding, Gate, QuizFound, of_record};
use crate::tournaments::verdict::{Effect, Verdict};

/// Everything, the cheapest gate first; what decides comes last.
pub(super) fn results(contest: &Contest, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    let examined = &contest.examined;
    if let Some(found) = examined.quiz.as_ref().filter(|found| !found.rows.is_empty()) {
        quiz(found, out)?;
    }
    if let Some(found) = &examined.bank {
        bank(found, out)?;
    }
    let of_record = of_record(findings);
    let last = contest.gates.list.last().copied().unwrap_or(Gate::Games);
    for gate in Gate::ALL {
        let own: Vec<&Finding> = findings.iter().filter(|finding| finding.gate == gate).collect();
        if own.is_empty() {
            continue;
        }
        let decides = if gate == last { " (the result of record)" } else { "" };
        writeln!(out, "By the {gate}{decides}:")?;
        for finding in own {
            say(finding, out)?;
            let left_out = gate != last && of_record.iter().any(|other| std::ptr::eq(*other, finding));
            if left_out && finding.verdict == Verdict::Worse {
                writeln!(out, "    it went no further")?;
            }
        }
    }
    Ok(())
}

fn say(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let by = finding.against.as_ref().map(|bot| format!(" by games with {bot}")).unwrap_or_default();
    let noise = if finding.is_noise { " (the same prompt twice: the noise)" } else { "" };
    writeln!(out, "  {} is {} than {}{by}{noise}", finding.one, said(finding.verdict), finding.other)?;
    let among_all = if finding.better_among_all { ", also among all questions asked" } else { "" };
    let Finding { blocks, repeats, .. } = finding;
    let evidence = if finding.score < 0.5 {
        format!("evidence {:.1} for worse", finding.e_value_worse)
    } else {
        format!("evidence {:.1} for better{among_all}", finding.e_value)
    };
    let items = match finding.gate {
        Gate::Quiz => "questions",
        Gate::Bank => "positions",
        Gate::Games => "blocks",
    };
    let repeats = if *repeats > 0 { format!(", {repeats} repeats not counted") } else { String::new() };
    let size = match &finding.effect {
        _ if finding.is_open() => "nothing can be said yet of how large the difference is".to_owned(),
        Some(effect) => {
            let Effect { shrunk, level, .. } = effect;
            let (level, interval) = (100.0 * level, effect.interval_text());
            format!("{shrunk:+.0} Elo, shrunk for stopping when sure ({level:.0} % interval {interval})")
        }
        None => {
            let points = |score: f64| 200.0 * (score - 0.5);
            let [mean, low, high] = [finding.score, finding.low, finding.high].map(points);
            format!("{mean:+.1} points ({low:+.1} to {high:+.1})")
        }
    };
    writeln!(out, "    {size}, {blocks} {items}{repeats}, {evidence}")?;
    if let Some(Cause { player, kind, times, of }) = &finding.cause {
        let of_what = if finding.gate == Gate::Games { "games" } else { items };
        writeln!(out, "    because of answers that do not count: {player} had {times} {kind} in {of} {of_what}")?;
    }
    Ok(())
}

/// A verdict that goes before "than".
fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NoDifference => "no better and no worse",
        Verdict::NotBetter => "not better",
        Verdict::NotWorse => "not worse",
        Verdict::Undecided => "not yet known to be better",
    }
}

/// Right answers by rule, a player each; languages of the same prompt stand side by side.
fn quiz(found: &QuizFound, out: &mut impl Write) -> io::Result<()> {
    let mut prompts: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, row) in found.rows.iter().enumerate() {
        let again = if row.who.twin { " again" } else { "" };
        let (model, variant) = (row.who.model.as_deref().unwrap_or(""), row.who.variant.as_deref().unwrap_or(""));
        prompts.entry((row.course.clone(), format!("{model}/{variant}{again}"))).or_default().push(at);
    }
    for ((course, prompt), rows) in prompts {
        writeln!(out, "Quiz, {course}, {prompt} (guessing has 50 %):")?;
        let Some(first) = rows.first().map(|&at| &found.rows[at]) else { continue };
        for (number, rule) in first.rules.iter().enumerate() {
            let by: Vec<String> = rows
                .iter()
                .filter_map(|&at| Some((found.rows[at].who.language?, found.rows[at].rules.get(number)?)))
                .map(|(language, rule)| format!("{language} {}", rule.grade.in_words()))
                .collect();
            writeln!(out, "  rule {}, {}: {}", number + 1, rule_name(&rule.rule, Language::En), by.join(", "))?;
        }
        for row in rows.iter().map(|&at| &found.rows[at]).filter(|row| !row.unclear.is_empty()) {
            let asked: u32 = row.rules.iter().map(|rule| rule.grade.asked).sum();
            writeln!(out, "  {}: {} of {asked} answers could not be read", row.who.player, row.unclear.len())?;
        }
    }
    Ok(())
}

fn bank(found: &BankFound, out: &mut impl Write) -> io::Result<()> {
    let width = found.rows.iter().map(|row| row.who.player.chars().count()).max().unwrap_or(0).max(6);
    writeln!(out, "Bank:\n  {:<width$}  positions  mean loss  accuracy  best found  failures", "player")?;
    for row in &found.rows {
        let it = &row.marks;
        writeln!(
            out,
            "  {:<width$}  {:>9}  {:>9.1}  {:>7.1}%  {:>9.0}%  {:>8}",
            row.who.player, it.positions, it.mean_loss, it.accuracy, it.best, it.failures
        )?;
    }
    Ok(())
}
