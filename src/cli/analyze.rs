//! `standoff analyze`: how good the moves of a recorded match were.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use crate::briefs::Language;
use crate::games::Seed;
use crate::matches::Replay;
use crate::tournaments::analyze::{Review, explain, review, sparkline};
use crate::tournaments::oracle::Oracle;

/// Judge every move of recorded matches by a search, and explain each loss with the better action.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff analyze match.jsonl                    a table, a line of chances, every loss in words
  standoff analyze match.jsonl --nodes 20000      look deeper
  standoff analyze *.jsonl --json | jq .players   one object per match
  standoff analyze match.jsonl --lang zh

A loss is what a move gives away of the chance to win, in points of a hundred: an inaccuracy is 5 to 10, a mistake 10 to
20, a blunder 20 or more. Positions that were decided already do not count.")]
pub(crate) struct AnalyzeCommand {
    /// Records; `-` is standard input
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Playouts per position
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(50..=10_000_000))]
    nodes: u32,
    /// The seed of the search
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,
    /// Leave the explanations out
    #[arg(long)]
    brief: bool,
    /// One JSON object per record
    #[arg(long)]
    json: bool,
    /// English or Chinese
    #[arg(long, default_value_t = super::help::usual_language(), value_name = "en|zh")]
    lang: Language,
}

impl AnalyzeCommand {
    /// Judges and prints.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let oracle = Oracle { nodes: self.nodes, seed: self.seed };
        for path in &self.records {
            let record = Replay::read(super::replay::open(path)?)
                .map_err(|error| Failure::work(format!("{}: {error}", path.display())))?;
            let review = review(&record, &oracle);
            let told = if self.brief { Vec::new() } else { explain(&record, &review.decisions, &oracle, self.lang) };
            if self.json {
                let mut line = json!(review);
                line["record"] = json!(path);
                line["losses"] = json!(told);
                writeln!(out, "{line}")?;
            } else {
                if self.records.len() > 1 {
                    writeln!(out, "{}", path.display())?;
                }
                table(&review, out)?;
                for sentences in told {
                    writeln!(out)?;
                    for sentence in sentences {
                        writeln!(out, "{sentence}")?;
                    }
                }
            }
            out.flush()?;
        }
        Ok(())
    }
}

fn table(review: &Review, out: &mut impl Write) -> Result<(), Failure> {
    let width = review.players.iter().map(|it| it.player.chars().count()).max().unwrap_or(0).max(6);
    writeln!(
        out,
        "     {:<width$}  moves  accuracy  mean loss  agrees  inaccuracies  mistakes  blunders  refused  lapses",
        "player"
    )?;
    for it in &review.players {
        writeln!(
            out,
            "{:>3}  {:<width$}  {:>5}  {:>7.1}%  {:>9.1}  {:>5.0}%  {:>12}  {:>8}  {:>8}  {:>7}  {:>6}",
            it.seat.to_string(),
            it.player,
            it.total.decisions,
            it.total.accuracy,
            it.total.mean_loss,
            it.total.agreement,
            it.total.inaccuracies,
            it.total.mistakes,
            it.total.blunders,
            it.total.refused,
            it.lapses,
        )?;
    }
    for it in &review.players {
        writeln!(out, "{:>3}  {}", it.seat.to_string(), sparkline(&it.chances))?;
    }
    let bins: Vec<String> = review
        .calibration
        .iter()
        .map(|bin| format!("{:.0}% → {:.0}% ({})", 100.0 * bin.expected, 100.0 * bin.actual, bin.decisions))
        .collect();
    if !bins.is_empty() {
        writeln!(out, "expected → actual score (decisions): {}", bins.join("  "))?;
    }
    writeln!(out, "oracle {}", review.oracle)?;
    Ok(())
}
