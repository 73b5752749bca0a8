//! `standoff bots`: who plays without a key, and how well.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use crate::bots::{BOTS, BotSpec, Ladder, Tally};
use crate::briefs::{Language, bot_sentence};
use crate::games::dice::Seed;
use crate::games::library;

/// List the built-in bots, or play them against each other.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff bots
  standoff bots --ladder --games 200                    the table in the README, on every ruleset
  standoff bots --ladder greedy,random --ruleset paint  one pairing on one ruleset")]
pub(crate) struct BotsCommand {
    /// As JSON: one object, or with --ladder one a pairing
    #[arg(long)]
    json: bool,
    /// Play pairings and print their scores: `FIRST,SECOND`, or the whole ladder where none is named
    #[arg(long, value_name = "FIRST,SECOND", num_args = 0..=1, default_missing_value = "")]
    ladder: Option<String>,
    /// Only this ruleset
    #[arg(long, value_name = "NAME|FILE", requires = "ladder")]
    ruleset: Option<String>,
    /// Games a pairing; each seed is played from every seat
    #[arg(long, value_name = "N", default_value_t = 200, requires = "ladder")]
    games: u64,
    /// Players at the table: the first bot on one seat, the second on all others
    #[arg(long, value_name = "N", default_value_t = 2, requires = "ladder")]
    players: usize,
    /// Where all chance comes from
    #[arg(long, value_name = "SEED", default_value = "1", requires = "ladder")]
    seed: Seed,
}

/// Each bot and the next better one.
const LADDER: [(&str, &str); 3] = [("greedy", "random"), ("search:2000", "greedy"), ("search:20000", "search:2000")];

impl BotsCommand {
    /// Prints the list or the ladder.
    ///
    /// # Errors
    /// If a bot, a ruleset or a number is no good.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(pairing) = &self.ladder {
            return self.run_ladder(pairing, out);
        }
        if self.json {
            let bots = BOTS.map(|name| {
                let [en, zh] = Language::ALL.map(|language| bot_sentence(name, language));
                json!({ "name": name, "en": en, "zh": zh })
            });
            writeln!(out, "{}", json!({ "bots": bots }))?;
            return Ok(());
        }
        for name in BOTS {
            let [en, zh] = Language::ALL.map(|language| bot_sentence(name, language));
            writeln!(out, "{name:<10}{en}\n{:<10}{zh}", "")?;
        }
        Ok(())
    }

    fn run_ladder(&self, pairing: &str, out: &mut impl Write) -> Result<(), Failure> {
        let pairings = if pairing.is_empty() {
            LADDER.to_vec()
        } else {
            vec![pairing.split_once(',').ok_or_else(|| {
                Failure::call(format!("`{pairing}` is not two bots"))
                    .hint("write --ladder FIRST,SECOND, like greedy,random")
            })?]
        };
        let names = self.ruleset.as_deref().map_or_else(|| library::rulesets().collect(), |name| vec![name]);
        let blocks = self.games.div_ceil(u64::try_from(self.players.max(1)).unwrap_or(1));
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for name in names {
            let ruleset = Arc::new(super::args::ruleset(name)?);
            for (first, second) in &pairings {
                let [first, second] = [first, second].map(|name| name.parse::<BotSpec>());
                let ladder = Ladder {
                    ruleset: ruleset.clone(),
                    seats: self.players,
                    first: first.map_err(Failure::call)?,
                    second: second.map_err(Failure::call)?,
                    blocks,
                    seed: self.seed,
                };
                let tally = ladder.play(threads).map_err(Failure::call)?;
                self.report(name, &ladder, tally, out)?;
            }
        }
        Ok(())
    }

    fn report(&self, name: &str, ladder: &Ladder, tally: Tally, out: &mut impl Write) -> io::Result<()> {
        let Tally { wins, draws, losses, .. } = tally;
        let (first, second) = (ladder.first.to_string(), ladder.second.to_string());
        if self.json {
            let line = json!({
                "ruleset": name, "first": first, "second": second, "games": tally.games(),
                "wins": wins, "draws": draws, "losses": losses, "score": tally.score(),
            });
            writeln!(out, "{line}")?;
        } else {
            let score = 100.0 * tally.score();
            writeln!(out, "| {name} | {first} | {second} | {wins} | {draws} | {losses} | {score:.1} % |")?;
        }
        out.flush()
    }
}
