//! `standoff bots`: who plays without a key, and how well.

mod ladder_page;

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use self::ladder_page::LadderRow;
use super::error::Failure;
use super::messages;
use crate::bots::{BOTS, Ladder};
use crate::briefs::{Language, bot_sentence};
use crate::games::dice::Seed;
use crate::games::library;

/// List the built-in bots, or play them against each other.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff bots
  standoff bots --ladder > docs/ladder.md               the page with every ruleset's figures
  standoff bots --ladder --json                         the same for a script, a line per pairing
  standoff bots --ladder greedy,random --ruleset paint  one pairing on one ruleset")]
pub(crate) struct BotsCommand {
    /// As JSON: one object, or with --ladder one per pairing
    #[arg(long)]
    json: bool,
    /// Play `FIRST,SECOND` against each other and print how well the rulesets tell them apart; without a pairing the
    /// whole ladder, as a page in Markdown
    #[arg(long, value_name = "FIRST,SECOND", num_args = 0..=1, default_missing_value = "")]
    ladder: Option<String>,
    /// Only this ruleset
    #[arg(long, value_name = "NAME|FILE", requires = "ladder")]
    ruleset: Option<String>,
    /// Games per pairing; each seed is played from every seat
    #[arg(long, value_name = "N", default_value_t = 200, requires = "ladder", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Random turns before each game; by default as many as tournaments play
    #[arg(long, value_name = "N", requires = "ladder", value_parser = clap::value_parser!(u32).range(..=64))]
    opening: Option<u32>,
    /// Players at the table: the first bot on one seat, the second on all others
    #[arg(long, value_name = "N", default_value_t = 2, requires = "ladder")]
    players: usize,
    /// The seed of all chance
    #[arg(long, value_name = "SEED", default_value = "1", requires = "ladder")]
    seed: Seed,
}

/// Each bot and the next better one, weakest first.
const LADDER: [(&str, &str); 3] = [("greedy", "random"), ("search:200", "greedy"), ("search:2000", "search:200")];

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
        let games = self.blocks().saturating_mul(self.seats());
        if games != self.games {
            messages::tell(&format!("note: {games} games per pairing: each seed is played from every seat"));
        }
        let names = self.ruleset.as_deref().map_or_else(|| library::rulesets().collect(), |name| vec![name]);
        let whole_page = pairing.is_empty() && !self.json;
        if whole_page {
            write!(out, "{}", ladder_page::intro(games))?;
        }
        for name in names {
            let mut rows = Vec::new();
            for (first, second) in &pairings {
                let row = self.play_pairing(name, first, second)?;
                if self.json {
                    writeln!(out, "{}", row.json())?;
                    out.flush()?;
                }
                rows.push(row);
            }
            if !self.json {
                write!(out, "{}", ladder_page::table(&rows))?;
                out.flush()?;
            }
            if whole_page {
                writeln!(out, "{}\n", ladder_page::advice(&rows))?;
            }
        }
        Ok(())
    }

    /// The seeds of a pairing, each of which is played from every seat.
    fn blocks(&self) -> u64 {
        self.games.div_ceil(self.seats())
    }

    fn seats(&self) -> u64 {
        u64::try_from(self.players.max(1)).unwrap_or(1)
    }

    fn play_pairing(&self, name: &str, first: &str, second: &str) -> Result<LadderRow, Failure> {
        let ruleset = Arc::new(super::args::ruleset(name)?.for_tournament(self.opening));
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let ladder = Ladder {
            ruleset: ruleset.clone(),
            seats: self.players,
            first: first.parse().map_err(Failure::call)?,
            second: second.parse().map_err(Failure::call)?,
            blocks: self.blocks(),
            seed: self.seed,
        };
        let tally = ladder.play(threads).map_err(Failure::call)?;
        Ok(LadderRow {
            ruleset: ruleset.name.clone(),
            opening: ruleset.opening,
            first: ladder.first,
            second: ladder.second,
            tally,
        })
    }
}
