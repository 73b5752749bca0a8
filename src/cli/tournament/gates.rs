//! How the cheaper gates of an experiment are shown while they are passed.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::cli::{bill, messages};
use crate::players::model::RunBudget;
use crate::tournaments::experiment::{Gate, GateFindings, News};

/// A line is printed no more often than this, where there is no terminal.
const RETOLD: Duration = Duration::from_secs(5);

/// Shows answers coming in, on standard error, and what a gate says once it is passed; as JSON on standard output.
pub(super) struct GateView<'a, W> {
    json: bool,
    bar: Option<ProgressBar>,
    out: &'a mut W,
    budget: Arc<RunBudget>,
    last: Instant,
}

impl<'a, W: Write> GateView<'a, W> {
    pub(super) fn new(json: bool, budget: Arc<RunBudget>, out: &'a mut W) -> GateView<'a, W> {
        let bar = (!json && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}  {elapsed}");
            bar.set_style(style.expect("the template is sound"));
            bar
        });
        GateView { json, bar, out, budget, last: Instant::now() }
    }

    /// What it cost so far, in a few words.
    fn figures(&self) -> String {
        let mut text = String::new();
        if self.budget.calls() > 0 {
            let money = self.budget.spent_usd().map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd:.4}"));
            let _ = write!(text, ", {}, {money}", bill::calls(self.budget.calls()));
        }
        text
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(messages::told(text)),
            None => messages::tell(text),
        }
    }

    pub(super) fn told(&mut self, news: News<'_>) {
        match news {
            News::Making if !self.json => self.say("bank: positions are sought in games of bots and judged"),
            News::Making => {}
            News::Answered { gate, done, of, asked } => self.answered(gate, done, of, asked),
            News::Quiz(found) => {
                let silent = found.not_asked.len();
                if silent > 0 && !self.json {
                    self.say(&format!("quiz: {silent} of the players read no questions and were not asked"));
                }
                self.passed(Gate::Quiz, &found.told);
            }
            News::Bank(found) => self.passed(Gate::Bank, &found.told),
        }
    }

    fn answered(&mut self, gate: Gate, done: usize, of: usize, asked: &[String]) {
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(messages::told(&format!("{gate}{}", self.figures())));
        } else if !self.json && self.last.elapsed() >= RETOLD {
            self.last = Instant::now();
            self.say(&format!("{gate}: {done} of {of}{}; still asked: {}", self.figures(), asked.join(", ")));
        }
    }

    /// The verdict of a gate, as soon as there is one.
    fn passed(&mut self, gate: Gate, told: &GateFindings) {
        if self.json {
            let line = json!({
                "type": "gate", "gate": gate, "findings": told.findings,
                "calls": self.budget.calls(), "usd": self.budget.spent_usd(),
            });
            // Whoever has gone is noticed when the findings are written.
            let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
            return;
        }
        for finding in &told.findings {
            let noise = if finding.is_noise { " (the same twice: noise)" } else { "" };
            self.say(&format!("{gate}: {} – {}: {}{noise}", finding.one, finding.other, finding.verdict));
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
