//! `--report DIR`: what was found as pages to pass on, in both languages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::error::Failure;
use super::messages;
use super::storage;
use crate::briefs::Language;
use crate::games::Seed;
use crate::http::Reporting;
use crate::matches::Replay;
use crate::pictures::{Show, render_svg};
use crate::store::{Change, FoundInfo, Store};
use crate::tournaments::leaderboard::Leaderboard;
use crate::tournaments::moves;
use crate::tournaments::oracle::Oracle;
use crate::tournaments::report::{Diagram, Report, Sources};

/// How a server makes the pages of reports.
pub(crate) fn reports() -> Reporting {
    Arc::new(|sources, language| Report::of(sources, language, &drawn).html(language))
}

/// Where a report goes.
#[derive(Args, Debug, Clone)]
pub(crate) struct ReportArgs {
    /// Write a report into this folder: report.html, report.md and report.json in English, report.zh.html and the like in Chinese
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Have the moves of this many games judged for the report: accuracy, the worst moves with their boards. It takes a
    /// while, and what was judged is kept
    #[arg(long, value_name = "GAMES", requires = "report", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    analyze: Option<u32>,
    /// Playouts per position for --analyze
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "analyze",
          value_parser = clap::value_parser!(u32).range(50..=10_000_000))]
    nodes: u32,
}

impl ReportArgs {
    /// Tries whether a report can be written where one was asked for, before anything is played or asked for it.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn try_folder(&self) -> Result<(), Failure> {
        let Some(folder) = &self.report else { return Ok(()) };
        let trial = folder.join(".report");
        let tried = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&trial, ""))
            .and_then(|()| std::fs::remove_file(&trial));
        tried.map_err(|error| {
            Failure::call(format!("no report can be written to {}: {error}", folder.display()))
                .hint("name a folder that can be written with --report DIR")
        })
    }

    /// Whether games are to be judged, which is kept in the store.
    pub(crate) fn writes_to_store(&self) -> bool {
        self.analyze.is_some()
    }

    /// Writes the report of games that are no one tournament's, where one was asked for.
    pub(crate) fn write(&self, board: &Leaderboard, title: &str, again: &str) -> Result<(), Failure> {
        if self.analyze.is_some() {
            return Err(Failure::call("--analyze judges the games of one tournament").hint("name it with --tournament"));
        }
        self.pages(&Sources::of(title, board.clone(), again))
    }

    /// Writes the report of a tournament or an experiment, where one was asked for.
    pub(crate) async fn write_of(&self, store: &Store, id: &str) -> Result<(), Failure> {
        if self.report.is_none() {
            return Ok(());
        }
        if let Some(games) = self.analyze {
            self.judge(store, id, games).await?;
        }
        let sources = Sources::read(store, id).await.map_err(storage::failure)?;
        sources.map_or(Ok(()), |sources| self.pages(&sources))
    }

    fn pages(&self, sources: &Sources) -> Result<(), Failure> {
        let Some(folder) = &self.report else { return Ok(()) };
        let cannot = |path: &Path, error| Failure::work(format!("cannot write the report {}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
        for (language, mark) in [(Language::En, ""), (Language::Zh, ".zh")] {
            let report = Report::of(sources, language, &drawn);
            let forms = [("html", report.html(language)), ("md", report.markdown(language)), ("json", report.json())];
            for (ending, text) in forms {
                let path = folder.join(format!("report{mark}.{ending}"));
                std::fs::write(&path, text).map_err(|error| cannot(&path, error))?;
            }
        }
        Ok(())
    }

    /// Judges so many games, from the first to the last at equal distances, and keeps what comes of it.
    async fn judge(&self, store: &Store, id: &str, wanted: u32) -> Result<(), Failure> {
        let matches = store.games_at_equal_distances(id, wanted).await.map_err(storage::failure)?;
        let wanted = matches.len();
        let mut records = Vec::with_capacity(wanted);
        for match_id in matches {
            let bytes = store.record(&match_id, 0).await.map_err(storage::failure)?;
            let record = Replay::read(bytes.as_slice());
            records.push(record.map_err(|error| Failure::work(format!("{match_id}: {error}")))?);
        }
        let oracle = Oracle { nodes: self.nodes, seed: Seed(0) };
        let moves = moves::judge(&records, &oracle, |done| {
            if done % 10 == 0 {
                messages::tell(&format!("{done} of {wanted} games judged"));
            }
        });
        let body = serde_json::to_string(&moves).map_err(Failure::work)?;
        let found = FoundInfo { tournament: id.to_owned(), topic: moves::TOPIC.to_owned(), body };
        store.write(vec![Change::Found(found)]).await.map_err(storage::failure)
    }
}

/// A position as a drawing.
pub(crate) fn drawn(scene: &Diagram<'_>, language: Language) -> String {
    let show = Show { ruleset: scene.ruleset.clone(), names: scene.names.clone(), language };
    render_svg(&show.picture(&scene.state, scene.events))
}
