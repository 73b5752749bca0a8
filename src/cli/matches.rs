//! `standoff matches`: what is kept.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use super::leaderboard::padded;
use super::storage::{self, StoreArgs};
use crate::games::seat::Seat;
use crate::store::{Filter, MatchInfo, MatchStatus};

/// List the matches that are kept, the newest first.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff matches                                  the last twenty
  standoff matches --player greedy --limit 100
  standoff matches --status suspended --json
  standoff matches --tournaments                    tournaments instead of matches")]
pub(crate) struct MatchesCommand {
    #[command(flatten)]
    store: StoreArgs,
    /// Only those that are `live`, `finished`, `suspended` or `void`
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<MatchStatus>,
    /// Only of this ruleset
    #[arg(long, value_name = "NAME")]
    ruleset: Option<String>,
    /// Only with this player
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only of this tournament, by its id
    #[arg(long, value_name = "ID")]
    tournament: Option<String>,
    /// The most matches to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// List tournaments instead
    #[arg(long, conflicts_with_all = ["status", "ruleset", "player", "tournament", "limit"])]
    tournaments: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

fn status(text: &str) -> Result<MatchStatus, String> {
    MatchStatus::named(text).ok_or_else(|| "one of live, finished, suspended, void".to_owned())
}

impl MatchesCommand {
    /// Prints the list.
    ///
    /// # Errors
    /// If there is no store.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        storage::block_on(async {
            let store = self.store.open_to_read().await?;
            if self.tournaments {
                let totals = store.totals().await.map_err(storage::failure)?;
                let tournaments = store.tournaments().await.map_err(storage::failure)?;
                if tournaments.is_empty() && !self.json {
                    writeln!(out, "no tournaments yet; `standoff tournament --init > cup.toml` writes a first one")?;
                }
                for info in tournaments {
                    let games = match &totals {
                        Some(totals) => totals.get(&info.id).map_or(0, |total| total.games),
                        // Of before games were counted.
                        None => store.games(Some(&info.id)).await.map_err(storage::failure)?.len() as u64,
                    };
                    if self.json {
                        let line = json!({
                            "id": info.id, "name": info.name, "finished": info.finished, "games": games,
                            "created": time(info.created),
                        });
                        writeln!(out, "{line}")?;
                    } else {
                        let state = if info.finished { "finished" } else { "not over" };
                        writeln!(out, "{}  {}  {state:<8}  {games} games", time(info.created), padded(&info.id, 24))?;
                    }
                }
                store.close().await;
                return Ok(());
            }
            let filter = Filter {
                identity: None,
                status: self.status,
                ruleset: self.ruleset,
                player: self.player,
                tournament: self.tournament,
                before: None,
                limit: Some(self.limit),
            };
            let matches = store.matches(&filter).await.map_err(storage::failure)?;
            if matches.is_empty() && !self.json {
                writeln!(out, "no such matches are kept; tournaments and `standoff serve` keep theirs")?;
            }
            for info in matches {
                if self.json {
                    writeln!(out, "{}", as_json(&info))?;
                } else {
                    let id = padded(&info.id, 36);
                    writeln!(
                        out,
                        "{}  {id}  {:<9}  {:<12}  {}",
                        time(info.updated),
                        info.status,
                        info.ruleset,
                        told(&info)
                    )?;
                }
            }
            store.close().await;
            Ok(())
        })
    }
}

/// Who plays, or how it ended.
fn told(info: &MatchInfo) -> String {
    let names = info.seats.iter().map(|seat| seat.player.as_str());
    let Some(result) = &info.result else {
        let names: Vec<&str> = names.collect();
        let why = info.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        return format!("{}, {} lines{why}", names.join(" – "), info.lines);
    };
    let place = |seat: Seat| result.places.get(&seat).copied().unwrap_or(0);
    let mut placed: Vec<(u32, &str)> = Seat::first(info.seats.len()).map(place).zip(names).collect();
    placed.sort_unstable();
    let placed: Vec<String> = placed.into_iter().map(|(place, name)| format!("{place}. {name}")).collect();
    format!("{}, {} turns", placed.join("  "), result.turns)
}

fn as_json(info: &MatchInfo) -> serde_json::Value {
    json!({
        "id": info.id, "ruleset": info.ruleset, "seed": info.seed, "seats": info.seats,
        "status": info.status.name(), "created": time(info.created), "updated": time(info.updated),
        "lines": info.lines, "result": info.result, "reason": info.reason,
    })
}

/// Milliseconds since 1970 as a date and a time of day, in UTC.
pub(crate) fn time(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March here, so that the leap day comes last (Howard Hinnant, "chrono-compatible low-level date
    // algorithms").
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + late;
    format!("{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (millis, said) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_772_323_200_000, "2026-03-01T00:00:00Z"),
            (-1000, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(time(millis), said);
        }
    }
}
