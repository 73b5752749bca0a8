//! The oracle: the bot that searches, with a fixed number of playouts and a fixed seed, asked what it thinks of every
//! action.

use sha2::{Digest as _, Sha256};

use crate::bots::Budget;
use crate::bots::search::{Analysis, analyse};
use crate::games::{Seat, Seed, Table, Viewer};

/// Goes up when the search or how positions are judged changes: what an older one said is no longer comparable.
const VERSION: u32 = 2;

/// Actions with fewer looks than this part of the most looked at are too uncertain to be called best.
const MIN_SHARE: u32 = 50;

/// Somebody who judges positions, the same way every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oracle {
    /// Playouts a position.
    pub nodes: u32,
    /// The seed of its playouts.
    pub seed: Seed,
}

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle { nodes: 4000, seed: Seed(0) }
    }
}

/// What the oracle thinks of a position, from one seat's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Every legal action with the score that can be expected after it, in [0, 1]; between two, the chance to win.
    pub values: Vec<(String, f64)>,
    /// The best of them.
    pub best: usize,
}

impl Oracle {
    /// What it thinks, knowing no more than the seat sees; nothing for a seat that owes no action.
    pub fn judge(&self, table: &Table, seat: Seat) -> Option<Judgement> {
        let view = table.view(Viewer::Seat(seat));
        let Analysis { actions, value, .. } = analyse(&view, seat, Budget::Nodes(self.nodes), self.seed)?;
        let most = actions.iter().map(|considered| considered.visits).max()?;
        let mut best: Option<(usize, f64)> = None;
        let mut values = Vec::with_capacity(actions.len());
        for (index, considered) in actions.into_iter().enumerate() {
            let worth = f64::from(considered.value.unwrap_or(value));
            let is_sure = considered.visits.saturating_mul(MIN_SHARE) >= most;
            if is_sure && best.is_none_or(|(_, most)| worth > most) {
                best = Some((index, worth));
            }
            values.push((considered.action, worth));
        }
        Some(Judgement { values, best: best?.0 })
    }

    /// A fingerprint of all that its answers depend on.
    pub fn version(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"oracle");
        hash.update(VERSION.to_le_bytes());
        hash.update(self.nodes.to_le_bytes());
        hash.update(self.seed.0.to_le_bytes());
        let digest = hash.finalize();
        let first = digest[..8].try_into().expect("a digest has 32 bytes");
        format!("{:016x}", u64::from_be_bytes(first))
    }
}

impl Judgement {
    /// What the seat can expect if it plays its best.
    pub fn value(&self) -> f64 {
        self.values[self.best].1
    }

    /// The best action.
    pub fn best_action(&self) -> &str {
        &self.values[self.best].0
    }

    /// What an action loses against the best, in [0, 1]; nothing for what the oracle does not know.
    pub fn loss(&self, action: &str) -> Option<f64> {
        let (_, value) = self.values.iter().find(|(other, _)| other == action)?;
        Some((self.value() - value).max(0.0))
    }

    /// What the worst action loses.
    pub fn worst_loss(&self) -> f64 {
        self.values.iter().map(|(_, value)| self.value() - value).fold(0.0, f64::max)
    }

    /// How much of the way from the best to the worst action a random one loses in the mean, from 0 to 1: how well the
    /// position tells who looks for the best from who does not. Nothing where all are alike.
    pub fn sharpness(&self) -> f64 {
        let range = self.worst_loss();
        if range > 0.0 { self.gap() / range } else { 0.0 }
    }

    /// How much the best is better than the mean of all: how much hangs on the choice.
    pub fn gap(&self) -> f64 {
        let mean = self.values.iter().map(|(_, value)| value).sum::<f64>() / super::score::count(self.values.len());
        self.value() - mean
    }

    /// Whether it no longer matters what is played: the match is as good as won or lost, or all actions are alike.
    pub fn is_decided(&self) -> bool {
        !(0.03..=0.97).contains(&self.value()) || self.worst_loss() < 0.005
    }
}
