//! The page of the ladder: what each ruleset can tell apart, with figures.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::bots::{BotSpec, Budget, Tally};

/// A ruleset that scores its stronger search lower than this is exhausted by the weaker one.
const CLEAR_SCORE: f64 = 0.55;

/// How one pairing came out in one ruleset.
pub(super) struct LadderRow {
    pub(super) ruleset: String,
    pub(super) first: BotSpec,
    pub(super) second: BotSpec,
    pub(super) opening: u32,
    pub(super) tally: Tally,
}

impl LadderRow {
    pub(super) fn json(&self) -> Json {
        let tally = &self.tally;
        json!({
            "ruleset": self.ruleset, "opening": self.opening,
            "first": full_name(self.first), "second": full_name(self.second),
            "games": tally.games(), "wins": tally.wins, "draws": tally.draws, "losses": tally.losses,
            "score": tally.score(), "draw_rate": tally.draw_rate(), "distinct_games": tally.distinct,
            "calls": tally.decisions, "signal_per_block": tally.signal_per_block(),
            "signal_per_1000_calls": tally.signal_per_thousand_calls(),
        })
    }
}

/// A bot with the budget that it plays with, also where it is the usual one.
fn full_name(bot: BotSpec) -> String {
    match bot {
        BotSpec::Search(Budget::Nodes(nodes)) => format!("search:{nodes}"),
        bot => bot.to_string(),
    }
}

/// What the page is, and how to read it.
pub(super) fn intro(games: u64) -> String {
    format!(
        "# The ladder: which ruleset tells players apart

Each bot plays {games} games against the next weaker one, from the opening that tournaments use. Every seed is played from
all seats: a block. This page is the output of `standoff bots --ladder`; the same command gives the same page on every
machine.

- **Score**: points per game of the stronger bot; 50 % means that the ruleset cannot tell the two apart.
- **Drawn**, **distinct games**: a game that repeats another one action for action tells nothing new.
- **Signal per block**: the mean lead in a block divided by its standard deviation. About (2.5 / signal)² blocks tell the
  two apart with some certainty.
- **Signal per 1,000 calls**: the same for what a thousand decisions buy. Where every decision is a paid call to a model,
  this is the figure to look at.

"
    )
}

/// The figures of one ruleset.
pub(super) fn table(rows: &[LadderRow]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut text = format!("## {}\n\nOpening of {} turns.\n\n", first.ruleset, first.opening);
    text.push_str("| stronger | weaker | won–drawn–lost | score | drawn | distinct games | calls per game | signal per block | per 1,000 calls |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for LadderRow { first, second, tally, .. } in rows {
        let Tally { wins, draws, losses, distinct, .. } = tally;
        let (first, second) = (full_name(*first), full_name(*second));
        let calls = tally.decisions / u64::from(tally.games().max(1));
        let _ = writeln!(
            text,
            "| `{first}` | `{second}` | {wins}–{draws}–{losses} | {:.1} % | {:.0} % | {distinct} of {} | {calls} | {:.2} | {:.2} |",
            100.0 * tally.score(),
            100.0 * tally.draw_rate(),
            tally.games(),
            tally.signal_per_block(),
            tally.signal_per_thousand_calls(),
        );
    }
    text.push('\n');
    text
}

/// What to use a ruleset for, judged by its figures.
pub(super) fn advice(rows: &[LadderRow]) -> String {
    let exhausted = |row: &LadderRow| row.tally.score() < CLEAR_SCORE;
    match rows.iter().rev().find(|row| !exhausted(row)) {
        None => "**Use**: for play. It tells none of these bots apart.".to_owned(),
        Some(top) if rows.last().is_some_and(exhausted) => format!(
            "**Use**: for telling weak players from sound ones. Above `{}` it is exhausted: players of that strength draw, \
             whoever searches deeper.",
            full_name(top.first)
        ),
        Some(top) => format!(
            "**Use**: for comparing strong players as well as weak ones; depth still pays at `{}` ({:.2} per 1,000 calls).",
            full_name(top.first),
            top.tally.signal_per_thousand_calls()
        ),
    }
}
