//! `standoff export`: what is kept, for other tools.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::error::Failure;
use super::leaderboard::{self, GameFilter, GameList};
use super::storage::{self, StoreArgs};
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::store::{GameInfo, Store};
use crate::tournaments::leaderboard::Forfeits;
use crate::tournaments::run::GameSummary;
use crate::tournaments::score;

/// Write kept matches as records, CSV, JSON or Markdown.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff export MATCH > match.jsonl                        one record, byte for byte
  standoff export --tournament bots-1f2e3d4c --out records/  all its records, a file each
  standoff export --format csv > games.csv                   a row per player and game
  standoff export --format md --tournament bots-1f2e3d4c     leaderboard and games, to read")]
pub(crate) struct ExportCommand {
    /// Matches by their ids (default: all finished ones)
    matches: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    which: GameFilter,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Records)]
    format: ExportFormat,
    /// A file, or for several records a folder (default: standard output)
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The records, a JSON line per turn
    Records,
    /// A row per player and game
    Csv,
    /// One object with all games
    Json,
    /// The leaderboard and the games
    Md,
}

/// One player's part in one game.
#[derive(Debug, Serialize)]
struct PlayerRow<'a> {
    r#match: &'a str,
    tournament: &'a str,
    block: Option<u64>,
    game: Option<u64>,
    ruleset: &'a str,
    seed: Seed,
    seat: Seat,
    player: &'a str,
    place: u32,
    score: f64,
    turns: u32,
    reason: String,
    lapses: u32,
    calls: u64,
    input_tokens: u64,
    output_tokens: u64,
    usd: f64,
}

impl ExportCommand {
    /// Writes what was asked for.
    ///
    /// # Errors
    /// If there is no such match, or the file cannot be written.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        storage::block_on(async {
            let store = self.store.open_to_read().await?;
            let mut lists = self.which.read(&store).await?;
            let done = if self.format == ExportFormat::Records {
                self.records(&store, &lists, out).await
            } else {
                if !self.matches.is_empty() {
                    for list in &mut lists {
                        list.games.retain(|game| self.matches.contains(&game.match_id));
                    }
                }
                let mut text = Vec::new();
                match self.format {
                    ExportFormat::Csv => rows(&lists, &mut text).map_err(Failure::work)?,
                    ExportFormat::Md => markdown(&lists, &mut text)?,
                    ExportFormat::Json | ExportFormat::Records => {
                        let games: Vec<PlayerRow<'_>> = lists.iter().flat_map(parts).collect();
                        serde_json::to_writer(&mut text, &serde_json::json!({ "games": games }))
                            .map_err(Failure::work)?;
                        text.push(b'\n');
                    }
                }
                match &self.out {
                    Some(path) => write_file(path, &text),
                    None => Ok(out.write_all(&text)?),
                }
            };
            store.close().await;
            done
        })
    }

    async fn records(&self, store: &Store, lists: &[GameList], out: &mut impl Write) -> Result<(), Failure> {
        let all = || lists.iter().flat_map(|list| &list.games).map(|game| game.match_id.clone()).collect();
        let ids: Vec<String> = if self.matches.is_empty() { all() } else { self.matches.clone() };
        let single = self.matches.len() == 1;
        let folder = match (&self.out, ids.len()) {
            (_, 0) => return Err(Failure::work("no finished match to export")),
            (Some(path), _) if !single => {
                std::fs::create_dir_all(path)
                    .map_err(|error| Failure::work(format!("cannot make {}: {error}", path.display())))?;
                Some(path)
            }
            (None, _) if !single => {
                return Err(Failure::call(format!("{} records do not go into one file", ids.len()))
                    .hint("name a folder with --out DIR, one match, or another --format"));
            }
            _ => None,
        };
        for id in ids {
            let record = store.record(&id, 0).await.map_err(storage::failure)?;
            if record.is_empty() {
                return Err(Failure::call(format!("there is no match `{id}`")).hint("`standoff matches` lists them"));
            }
            match (folder, &self.out) {
                (Some(folder), _) => write_file(&folder.join(format!("{id}.jsonl")), &record)?,
                (None, Some(path)) => write_file(path, &record)?,
                (None, None) => out.write_all(&record)?,
            }
        }
        Ok(())
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))
}

fn parts(list: &GameList) -> impl Iterator<Item = PlayerRow<'_>> {
    let tournament = list.tournament.as_ref().map_or("", |info| info.id.as_str());
    list.games.iter().flat_map(move |game| parts_of(tournament, game))
}

fn parts_of<'a>(tournament: &'a str, game: &'a GameInfo) -> Vec<PlayerRow<'a>> {
    let places: Vec<u32> = game.result.places.values().copied().collect();
    let summary = GameSummary::read(game.note.as_deref());
    let seats = Seat::first(game.players.len()).zip(&game.players).zip(places.iter().zip(score::scores(&places)));
    let part = |((seat, player), (&place, score)): ((Seat, &'a String), (&u32, f64))| {
        let own = summary.seats.get(&seat).cloned().unwrap_or_default();
        PlayerRow {
            r#match: &game.match_id,
            tournament,
            block: game.place.map(|(block, _)| block),
            game: game.place.map(|(_, game)| game),
            ruleset: &game.course,
            seed: game.seed,
            seat,
            player,
            place,
            score,
            turns: game.result.turns,
            reason: game.result.reason.to_string(),
            lapses: own.lapses.values().sum(),
            calls: own.calls,
            input_tokens: own.input_tokens,
            output_tokens: own.output_tokens,
            // A billionth of a dollar is nothing but the sums of a computer.
            usd: (own.usd * 1e9).round() / 1e9,
        }
    };
    seats.map(part).collect()
}

/// The columns of a row per player and game.
const COLUMNS: [&str; 17] = [
    "match",
    "tournament",
    "block",
    "game",
    "ruleset",
    "seed",
    "seat",
    "player",
    "place",
    "score",
    "turns",
    "reason",
    "lapses",
    "calls",
    "input_tokens",
    "output_tokens",
    "usd",
];

fn rows(lists: &[GameList], out: &mut impl Write) -> csv::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(COLUMNS)?;
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    for part in lists.iter().flat_map(parts) {
        out.write_record([
            &*harmless(part.r#match),
            &*harmless(part.tournament),
            &number(part.block),
            &number(part.game),
            &*harmless(part.ruleset),
            &part.seed.to_string(),
            &part.seat.to_string(),
            &*harmless(part.player),
            &part.place.to_string(),
            &part.score.to_string(),
            &part.turns.to_string(),
            &part.reason,
            &part.lapses.to_string(),
            &part.calls.to_string(),
            &part.input_tokens.to_string(),
            &part.output_tokens.to_string(),
            &part.usd.to_string(),
        ])?;
    }
    Ok(out.flush()?)
}

/// A text that no spreadsheet runs as a formula.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}").into() } else { text.into() }
}

fn markdown(lists: &[GameList], out: &mut impl Write) -> io::Result<()> {
    let board = leaderboard::board(lists, None, Forfeits::Counted);
    writeln!(out, "| rank | player | rating | 95 % interval | games | won | drawn | lost | score |")?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
    for row in &board.players {
        let rated = &row.rated;
        writeln!(
            out,
            "| {} | {} | {:.0} | {:.0} to {:.0} | {} | {} | {} | {} | {:.3} |",
            rated.rank,
            cell(&row.name),
            rated.rating,
            rated.low,
            rated.high,
            rated.games,
            rated.wins,
            rated.draws,
            rated.losses,
            rated.score
        )?;
    }
    writeln!(out, "\n| match | ruleset | players and places | turns |\n|---|---|---|---|")?;
    for game in lists.iter().flat_map(|list| &list.games) {
        let placed = game.players.iter().zip(game.result.places.values());
        let placed: Vec<String> = placed.map(|(name, place)| format!("{} {place}", cell(name))).collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            game.match_id,
            cell(&game.course),
            placed.join(", "),
            game.result.turns
        )?;
    }
    Ok(())
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula() {
        for (text, written) in [("greedy", "greedy"), ("=1+1", "'=1+1"), ("@sum", "'@sum"), ("a=1", "a=1")] {
            assert_eq!(harmless(text), written);
        }
    }
}
