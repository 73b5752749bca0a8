//! `standoff leaderboard`: who is better, and how sure that is.

use std::io::{self, Write};

use clap::Args;

use super::error::Failure;
use super::messages;
use super::reporting::ReportArgs;
use super::storage::{self, StoreArgs};
use crate::settings::did_you_mean;
use crate::store::{GameInfo, Store, TournamentInfo};
use crate::tournaments::leaderboard::{Forfeits, Leaderboard};
use crate::tournaments::ratings::Quality;
use crate::tournaments::run::{self, SeatSummary};
use crate::tournaments::tally::Tally;

/// Rate everybody by the games that are kept, with 95 % intervals.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff leaderboard                             all games of the store
  standoff leaderboard --tournament bots-1f2e3d4c  one tournament
  standoff leaderboard --ruleset paint --json
  standoff leaderboard --report cup               a page to pass on, with charts
  standoff leaderboard --tournament bots-1f2e3d4c --report cup --analyze 20   with the worst moves, drawn")]
pub(crate) struct LeaderboardCommand {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    which: GameFilter,
    /// The player whose rating is 1000 (default: the tournament's anchor, or a bot that took part)
    #[arg(long, value_name = "PLAYER")]
    anchor: Option<String>,
    /// Leave games that ended by a forfeit out instead of counting them as losses
    #[arg(long)]
    without_forfeits: bool,
    /// As one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArgs,
}

/// The games that a leaderboard or an export is made of.
#[derive(Args, Debug, Clone)]
pub(crate) struct GameFilter {
    /// Only games of this tournament, by its name or its id
    #[arg(long, value_name = "NAME")]
    pub(crate) tournament: Option<String>,
    /// Only games of this ruleset
    #[arg(long, value_name = "NAME")]
    pub(crate) ruleset: Option<String>,
}

/// Games that belong together: a tournament's, or those of none.
#[derive(Debug)]
pub(crate) struct GameList {
    /// The tournament; none for games outside one.
    pub(crate) tournament: Option<TournamentInfo>,
    /// The games that count, in the order of the store.
    pub(crate) games: Vec<GameInfo>,
}

impl GameFilter {
    /// The finished games that are wanted.
    ///
    /// # Errors
    /// If there is no such tournament, or the store fails.
    pub(crate) async fn read(&self, store: &Store) -> Result<Vec<GameList>, Failure> {
        let known = self.tournaments(store).await?;
        let mut lists = Vec::new();
        for info in known {
            let games = run::games(store, Some(&info.id)).await.map_err(storage::failure)?;
            lists.push(GameList { tournament: Some(info), games });
        }
        if self.tournament.is_none() {
            lists.push(GameList { tournament: None, games: run::games(store, None).await.map_err(storage::failure)? });
        }
        if let Some(ruleset) = &self.ruleset {
            for list in &mut lists {
                list.games.retain(|game| game.ruleset == *ruleset || game.course == *ruleset);
            }
        }
        Ok(lists)
    }

    /// The same, counted, and the tournament if only one is wanted.
    ///
    /// # Errors
    /// If there is no such tournament, or the store fails.
    pub(crate) async fn count(&self, store: &Store) -> Result<(Tally, Option<TournamentInfo>), Failure> {
        let mut tournaments = if self.tournament.is_some() { self.tournaments(store).await? } else { Vec::new() };
        let only = if tournaments.len() == 1 { tournaments.pop() } else { None };
        let mut tally = match (&only, self.tournament.is_some()) {
            (Some(info), _) => Tally::read(store, Some(&info.id)).await.map_err(storage::failure)?,
            (None, false) => Tally::read(store, None).await.map_err(storage::failure)?,
            // Several of one name.
            (None, true) => {
                let mut tally = Tally::default();
                self.read(store).await?.iter().for_each(|list| tally.add(&list.games));
                tally
            }
        };
        if let Some(ruleset) = &self.ruleset {
            tally.retain_ruleset(ruleset);
        }
        Ok((tally, only))
    }

    /// The tournaments that are wanted, the oldest first.
    async fn tournaments(&self, store: &Store) -> Result<Vec<TournamentInfo>, Failure> {
        let mut known = store.tournaments().await.map_err(storage::failure)?;
        // The oldest first, as they were played.
        known.reverse();
        if let Some(name) = &self.tournament {
            let all: Vec<String> = known.iter().map(|info| info.id.clone()).collect();
            known.retain(|info| info.id == *name || info.name == *name);
            if known.is_empty() {
                let hint = if all.is_empty() {
                    "there is none yet".to_owned()
                } else {
                    format!("there are {}", all.join(", "))
                };
                return Err(Failure::call(format!(
                    "no tournament `{name}`{}",
                    did_you_mean(name, all.iter().map(String::as_str))
                ))
                .hint(hint));
            }
        }
        Ok(known)
    }
}

/// The leaderboard of these games.
pub(crate) fn board(lists: &[GameList], anchor: Option<&str>, forfeits: Forfeits) -> Leaderboard {
    let own = match lists {
        [GameList { tournament: Some(info), .. }] => anchor_of(info),
        _ => None,
    };
    Leaderboard::of(lists.iter().map(|list| list.games.as_slice()), anchor.or(own.as_deref()), forfeits)
}

/// The leaderboard of games that are counted, of one tournament where it is named.
pub(crate) fn counted_board(
    tally: &Tally,
    tournament: Option<&TournamentInfo>,
    anchor: Option<&str>,
    forfeits: Forfeits,
) -> Leaderboard {
    let own = tournament.and_then(anchor_of);
    Leaderboard::of_tally(tally, anchor.or(own.as_deref()), forfeits)
}

/// The anchor that a tournament's plan names.
fn anchor_of(info: &TournamentInfo) -> Option<String> {
    let plan: serde_json::Value = serde_json::from_str(&info.plan).ok()?;
    Some(plan.get("anchor")?.as_str()?.to_owned())
}

impl LeaderboardCommand {
    /// Prints the leaderboard.
    ///
    /// # Errors
    /// If there is no such store or tournament.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.report.try_folder()?;
        storage::block_on(async {
            let store = if self.report.writes_to_store() {
                self.store.open().await?
            } else {
                self.store.open_to_read().await?
            };
            let (tally, tournament) = self.which.count(&store).await?;
            let forfeits = if self.without_forfeits { Forfeits::LeftOut } else { Forfeits::Counted };
            let board = counted_board(&tally, tournament.as_ref(), self.anchor.as_deref(), forfeits);
            if let Some(anchor) = &self.anchor
                && board.anchor.as_ref() != Some(anchor)
            {
                return Err(Failure::call(format!("`{anchor}` did not play in these games")));
            }
            if let Some(info) = &tournament {
                self.report.write_of(&store, &info.id).await?;
            } else {
                let title = self.which.tournament.clone().unwrap_or_else(|| "Standoff".to_owned());
                self.report.write(&board, &title, &format!("standoff leaderboard{}", self.store.flag()))?;
            }
            if self.json {
                writeln!(out, "{}", serde_json::to_string(&board).map_err(Failure::work)?)?;
            } else {
                print(&board, out)?;
            }
            store.close().await;
            Ok(())
        })
    }
}

/// The leaderboard as a table for people.
pub(crate) fn print(board: &Leaderboard, out: &mut impl Write) -> io::Result<()> {
    if board.players.is_empty() {
        return writeln!(out, "no finished games yet; `standoff tournament --init` begins a tournament of bots");
    }
    let width = board.players.iter().map(|row| unicode_width::UnicodeWidthStr::width(row.name.as_str())).max();
    let width = width.unwrap_or(0).max(6);
    writeln!(out, "rank  {:<width$}  rating   95 % interval   best   games    won  drawn   lost  score", "player")?;
    for row in &board.players {
        let rated = &row.rated;
        let rank = if rated.rank_low == rated.rank_high {
            rated.rank.to_string()
        } else {
            format!("{}–{}", rated.rank_low, rated.rank_high)
        };
        let name = padded(&row.name, width);
        let interval = format!("{:.0} {} {:.0}", rated.low, messages::language().pick("to", "到"), rated.high);
        // A Chinese character is two columns wide.
        let space = 14_usize.saturating_sub(unicode_width::UnicodeWidthStr::width(interval.as_str()));
        let interval = format!("{:space$}{interval}", "");
        write!(out, "{rank:<4}  {name}  {:>6.0}  {interval}  {:>4.0} %", rated.rating, 100.0 * rated.best)?;
        writeln!(
            out,
            "  {:>6} {:>6} {:>6} {:>6}  {:.3}",
            rated.games, rated.wins, rated.draws, rated.losses, rated.score
        )?;
    }
    for row in &board.players {
        if let Some(used) = used(&row.summary) {
            writeln!(out, "      {}  {used}", padded(&row.name, width))?;
        }
    }
    pairs(board, width, out)?;
    let anchor = board.anchor.as_ref().map_or_else(|| "the mean of all".to_owned(), Clone::clone);
    writeln!(out, "{} games; {anchor} is rated 1000; the interval holds the rating 95 times in 100", board.games)?;
    if board.forfeits > 0 {
        writeln!(out, "{} of all games ended by a forfeit", board.forfeits)?;
    }
    quality(board, out)
}

/// Of more players than this the pairs are not shown: nobody would read them.
const MOST_IN_PAIRS: usize = 12;

/// What happened between every two, beside what the fit expects: scores of the row against the column in per cent.
fn pairs(board: &Leaderboard, width: usize, out: &mut impl Write) -> io::Result<()> {
    let players = board.players.len();
    if !(3..=MOST_IN_PAIRS).contains(&players) {
        return Ok(());
    }
    writeln!(
        out,
        "      score against, observed/fitted in per cent; ! where they are 2 standard errors apart, !! where 4"
    )?;
    for (at, row) in (0..).zip(&board.players) {
        write!(out, "      {}", padded(&row.name, width))?;
        for other in 0..players {
            let other = u32::try_from(other).unwrap_or(u32::MAX);
            let (one, other) = (other.min(at), other.max(at));
            let met = board.pairings.iter().find(|pair| (pair.one, pair.other) == (one, other));
            let cell = met.map_or_else(String::new, |pair| {
                let own = |score: f64| 100.0 * if one == at { score } else { 1.0 - score };
                let mark = if pair.z.abs() > 4.0 {
                    "!!"
                } else if pair.z.abs() > 2.0 {
                    "!"
                } else {
                    ""
                };
                format!("{:.0}/{:.0}{mark}", own(pair.observed.score()), own(pair.fitted.score()))
            });
            write!(out, " {:>9}", if at == other && one == at { "–".to_owned() } else { cell })?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// How well the ratings fit, and a warning where they do not.
fn quality(board: &Leaderboard, out: &mut impl Write) -> io::Result<()> {
    let told = |quality: &Quality| {
        format!(
            "deviance {:.1} (degrees of freedom: {}), no pair off by more than {:.1} standard errors",
            quality.deviance, quality.degrees, quality.largest_z
        )
    };
    writeln!(out, "fit: {}", told(&board.quality))?;
    if !board.quality.holds {
        writeln!(
            out,
            "warning: one number per player does not explain these games; read the pairs and not the ratings alone"
        )?;
    }
    for (ruleset, own) in &board.rulesets {
        let best = own.players.iter().take(3).map(|row| format!("{} {:.0}", row.name, row.rated.rating));
        let best = best.collect::<Vec<_>>().join(", ");
        let warning = if own.quality.holds { "" } else { " (warning: the model does not hold)" };
        writeln!(out, "{ruleset} alone, {} games: {best}; {}{warning}", own.games, told(&own.quality))?;
    }
    if !board.rulesets.is_empty() {
        writeln!(out, "all {} rulesets count the same in the ratings above", board.rulesets.len())?;
    }
    Ok(())
}

/// What somebody cost, and the turns that it lost by kind; nothing to say of most bots.
fn used(summary: &SeatSummary) -> Option<String> {
    let mut parts = Vec::new();
    if summary.calls > 0 || summary.requests > 0 {
        parts.push(format!("{}, {}", super::bill::calls(summary.calls.max(summary.requests)), summary.money()));
    }
    let kinds = summary.lapses.iter().map(|(fault, times)| format!("{times} {}", fault.name()));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    if !kinds.is_empty() {
        parts.push(format!("turns lost: {kinds}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A name, filled up with spaces to a width on the screen.
pub(crate) fn padded(name: &str, width: usize) -> String {
    let own = unicode_width::UnicodeWidthStr::width(name);
    format!("{name}{}", " ".repeat(width.saturating_sub(own)))
}
