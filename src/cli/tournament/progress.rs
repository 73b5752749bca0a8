//! How a tournament is shown while it is played.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::cli::{bill, messages};
use crate::games::seat::Seat;
use crate::players::model::RunBudget;
use crate::tournaments::experiment::{Experiment, Finding};
use crate::tournaments::run::{Audience, RunEvent, Standings};
use crate::tournaments::schedule::Block;
use crate::tournaments::score::Entrant;

/// A bar is drawn no more often than this.
const REDRAWN: Duration = Duration::from_millis(200);

/// A line is printed no more often than this, where there is no terminal.
const RETOLD: Duration = Duration::from_secs(5);

/// The leaderboard under a bar has at most so many lines.
const LEADERS: usize = 8;

/// Shows a tournament on standard error, or as JSON lines on standard output.
pub(super) struct Progress<'a, W> {
    view: ProgressView,
    out: &'a mut W,
    names: Vec<String>,
    planned: u64,
    budget: Arc<RunBudget>,
    /// What is to be found out, where it is an experiment.
    experiment: Option<&'a mut Experiment>,
    /// What the games under way are for, by block.
    running: BTreeMap<u64, String>,
    begun: Instant,
    last: Option<Instant>,
    failed: Option<io::Error>,
}

enum ProgressView {
    Bar(ProgressBar),
    Lines,
    Json,
}

impl<'a, W: Write> Progress<'a, W> {
    pub(super) fn new(
        json: bool,
        names: Vec<String>,
        planned: u64,
        budget: Arc<RunBudget>,
        experiment: Option<&'a mut Experiment>,
        out: &'a mut W,
    ) -> Progress<'a, W> {
        let view = if json {
            ProgressView::Json
        } else if io::stderr().is_terminal() {
            let bar = ProgressBar::new(planned);
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}  {elapsed}\n{msg}");
            bar.set_style(style.expect("the template is sound"));
            ProgressView::Bar(bar)
        } else {
            ProgressView::Lines
        };
        let (running, begun) = (BTreeMap::new(), Instant::now());
        Progress { view, out, names, planned, budget, experiment, running, begun, last: None, failed: None }
    }

    /// Clears the bar. Gives the first error of writing, if there was one.
    pub(super) fn finish(self) -> io::Result<()> {
        if let ProgressView::Bar(bar) = &self.view {
            bar.finish_and_clear();
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn is_due(&self, every: Duration) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= every)
    }

    /// Rate, money, time left and failures, in a few words.
    #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
    fn figures(&self, standings: &Standings) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        let rate = (standings.games() - standings.earlier()) as f64 / seconds;
        let mut text = if rate >= 10.0 {
            format!("{rate:.0} games per second")
        } else {
            format!("{:.1} games per minute", 60.0 * rate)
        };
        if self.budget.calls() > 0 {
            let money = self.budget.spent_usd().map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd:.4}"));
            let _ = write!(text, ", {}, {money}", bill::calls(self.budget.calls()));
        }
        let left = self.planned.saturating_sub(standings.games());
        if rate > 0.0 && left > 0 {
            let _ = write!(text, ", {} left", time(left as f64 / rate));
        }
        if standings.faults() > 0 {
            let _ = write!(text, ", {} void", standings.faults());
        }
        let mut lapses = BTreeMap::new();
        for (_, standing) in standings.ranked() {
            for (fault, times) in &standing.summary.lapses {
                *lapses.entry(*fault).or_insert(0) += times;
            }
        }
        for (fault, times) in lapses {
            let _ = write!(text, ", {times} {}", fault.name());
        }
        text
    }

    fn leaders(&self, standings: &Standings) -> String {
        let mut text = String::new();
        if let Some(experiment) = &self.experiment {
            for finding in experiment.findings().iter().take(LEADERS) {
                let Finding { one, other, against, verdict, score, blocks, .. } = finding;
                let score = if *blocks > 0 { format!("{:.1} %", 100.0 * score) } else { "–".to_owned() };
                let by = against.as_ref().map(|bot| format!(" by {bot}")).unwrap_or_default();
                let _ = write!(text, "\n{score:>8}  {one} – {other}{by}: {verdict} (blocks: {blocks})");
            }
            return text + &self.purposes();
        }
        for (entrant, standing) in standings.ranked().into_iter().take(LEADERS) {
            let name = &self.names[entrant.index()];
            let _ = write!(text, "\n{:>6.1} %  {name} ({} games)", 100.0 * standing.score(), standing.games());
        }
        text
    }

    /// What the games under way are for, each question once.
    fn purposes(&self) -> String {
        let mut blocks: BTreeMap<&str, u64> = BTreeMap::new();
        for purpose in self.running.values() {
            *blocks.entry(purpose).or_default() += 1;
        }
        let mut text = String::new();
        for (purpose, blocks) in blocks {
            let _ = write!(text, "\n  blocks under way: {blocks} for: {purpose}");
        }
        text
    }

    fn tell(&mut self, line: &serde_json::Value) {
        if self.failed.is_none() {
            // Whoever reads it wants to know now.
            self.failed = writeln!(self.out, "{line}").and_then(|()| self.out.flush()).err();
        }
    }

    fn as_json(&mut self, event: &RunEvent, standings: &Standings) {
        match event {
            RunEvent::Game { match_id, block, game, players: entrants, places, turns, .. } => {
                let players: Vec<&str> = entrants.iter().map(|one| self.names[one.index()].as_str()).collect();
                let places: serde_json::Map<String, serde_json::Value> = Seat::first(places.len())
                    .zip(places)
                    .map(|(seat, place)| (seat.to_string(), json!(place)))
                    .collect();
                let purpose = self.experiment.as_ref().and_then(|experiment| experiment.purpose_among(entrants));
                let line = json!({
                    "type": "game", "match": match_id, "block": block, "game": game, "players": players, "for": purpose,
                    "places": places, "turns": turns, "games": standings.games(), "planned": self.planned,
                    "calls": self.budget.calls(), "usd": self.budget.spent_usd(),
                });
                self.tell(&line);
            }
            RunEvent::Fault { block, game, why, again } => {
                self.tell(&json!({ "type": "void", "block": block, "game": game, "why": why, "again": again }));
            }
            RunEvent::Idle { why } => self.tell(&json!({ "type": "idle", "why": why, "games": standings.games() })),
            RunEvent::Stopping => self.tell(&json!({ "type": "stopping", "games": standings.games() })),
        }
    }
}

impl<W: Write> Audience for Progress<'_, W> {
    fn retired(&self) -> Vec<Vec<Entrant>> {
        self.experiment.as_ref().map(|experiment| experiment.done()).unwrap_or_default()
    }

    fn begun(&mut self, block: &Block) {
        if let Some(experiment) = &mut self.experiment {
            experiment.begun(block);
            self.running.insert(block.number, experiment.purpose(&block.group).text());
        }
    }

    fn settled(&mut self, block: &Block, scores: &[f64], played: &[u64]) -> Vec<Vec<Entrant>> {
        self.running.remove(&block.number);
        self.experiment.as_mut().map(|experiment| experiment.settled(block, scores, played)).unwrap_or_default()
    }

    fn told(&mut self, event: &RunEvent, standings: &Standings) {
        let complaint = match event {
            RunEvent::Fault { why, again, .. } => {
                let next = if *again { "; it is played again" } else { "" };
                Some(format!("a game is void, nobody has lost: {why}{next}"))
            }
            RunEvent::Idle { why } => Some(why.clone()),
            RunEvent::Stopping => Some("no new game is begun; waiting for what is under way".to_owned()),
            RunEvent::Game { .. } => None,
        };
        match &self.view {
            ProgressView::Json => self.as_json(event, standings),
            ProgressView::Bar(bar) => {
                if let Some(complaint) = complaint {
                    bar.println(messages::told(&complaint));
                }
                if self.is_due(REDRAWN) {
                    bar.set_position(standings.games());
                    bar.set_message(messages::told(&(self.figures(standings) + &self.leaders(standings))));
                    self.last = Some(Instant::now());
                }
            }
            ProgressView::Lines => {
                if let Some(complaint) = complaint {
                    messages::tell(&complaint);
                }
                if self.is_due(RETOLD) {
                    let (games, planned) = (standings.games(), self.planned);
                    let (figures, purposes) = (self.figures(standings), self.purposes());
                    messages::tell(&format!("{games} of {planned} games, {figures}{purposes}"));
                    self.last = Some(Instant::now());
                }
            }
        }
    }
}

/// A time in words.
fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
