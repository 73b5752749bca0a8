//! Games in play, for whoever watches them: their lines go to the store as they come, apart from what the run relies on.

use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use super::pool::GameJob;
use crate::store::{Change, LinesInPlay, Store};

/// What comes within this time is written together. Games that are over sooner are not shown at all: there would be
/// nothing to watch.
const GATHERED: Duration = Duration::from_millis(200);

/// Shows one game, from its first line until it is over or broken off.
#[derive(Debug)]
pub(super) struct Publisher {
    lines: UnboundedSender<String>,
    writing: JoinHandle<()>,
    match_id: String,
}

impl Publisher {
    pub(super) fn new(job: &GameJob, store: &Store) -> Publisher {
        let (lines, told) = mpsc::unbounded_channel();
        let game = LinesInPlay {
            match_id: job.match_id.clone(),
            tournament: job.tournament.clone(),
            first_line: 0,
            lines: Vec::new(),
        };
        Publisher { lines, match_id: job.match_id.clone(), writing: tokio::spawn(publish(game, told, store.clone())) }
    }

    /// Shows lines of the record, each with its end.
    pub(super) fn show(&self, lines: &[u8]) {
        for line in String::from_utf8_lossy(lines).lines() {
            // Nobody takes them any more where the store is closed, and the run learns of that by itself.
            let _ = self.lines.send(line.to_owned());
        }
    }

    /// Ends it: what is to be written when the game is.
    pub(super) async fn leave(self) -> Change {
        self.writing.abort();
        let _ = self.writing.await;
        Change::LeavePlay { match_id: self.match_id }
    }
}

async fn publish(mut game: LinesInPlay, mut told: UnboundedReceiver<String>, store: Store) {
    while let Some(line) = told.recv().await {
        game.lines.push(line);
        tokio::time::sleep(GATHERED).await;
        while let Ok(line) = told.try_recv() {
            game.lines.push(line);
        }
        let next = game.first_line + game.lines.len() as u64;
        let lines = LinesInPlay { lines: std::mem::take(&mut game.lines), ..game.clone() };
        // A game that cannot be watched is played all the same.
        if let Err(error) = store.write(vec![Change::InPlay(lines)]).await {
            tracing::debug!(%error, match_id = game.match_id, "a game in play cannot be shown");
            return;
        }
        game.first_line = next;
    }
}
