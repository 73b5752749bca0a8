//! The position bank: critical positions, frozen, that players answer instead of whole games.
//!
//! A position is critical where the best action is much better than the mean of all, and a search ten times as deep as
//! the one that found it confirms it. Both sides of an experiment answer the same positions. An answer scores where its
//! action lies between the worst (0) and the best (1) of the position. Positions come from games of bots, or from records
//! of all sides alike: never from one side's failures, which would fake a gain.
//!
//! A [`Calibration`] frozen with the bank says what a difference in score is worth in Elo of games. Every built-in ruleset
//! has a bank that comes with the program: [`Bank::built_in`].

mod build;
mod built_in;
mod calibrate;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::score::{count, versus};
use super::verdict::Scale;
use crate::briefs::{Alternative, Language, Loss, loss_sentences};
use crate::games::{Accepted, Refusal, Ruleset, Seat, Seed, Table};
use crate::settings::fields::BadRuleset;

pub use self::build::{BankSpec, CONFIRMED_BY, Harvest, HarvestReport, harvest, harvest_bots};
pub use self::built_in::PACKED;
pub use self::calibrate::{Calibration, CalibrationSpec, GRADED_NODES, Rung};

/// The version of the file's form. Version 1 had no calibration and is read without one.
pub const BANK_VERSION: u32 = 2;

/// How far two answers to the same position lie apart where nobody has measured it: the mean of (score − ½)².
const UNMEASURED_MOMENT: f64 = 0.07;

/// A frozen bank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bank {
    /// [`BANK_VERSION`].
    pub version: u32,
    /// The ruleset with every field.
    pub ruleset: Json,
    /// The fingerprint of the oracle that judged.
    pub oracle: String,
    /// Its playouts per position; 0 where the file does not say.
    #[serde(default)]
    pub nodes: u32,
    /// The positions, in the order of their names.
    pub positions: Vec<Critical>,
    /// What a difference in score is worth in Elo, where that was measured.
    #[serde(default)]
    pub calibration: Option<Calibration>,
}

/// A position where much hangs on the choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Critical {
    /// Its own name: the same position has the same name in every bank.
    pub id: String,
    /// Who is asked.
    pub seat: Seat,
    /// The position, as the contract writes it.
    pub state: Json,
    /// Every legal action with the score that can be expected after it, in [0, 1].
    pub values: BTreeMap<String, f64>,
    /// The best action.
    pub best: String,
    /// How much better the best is than the mean.
    pub gap: f64,
}

/// A bank that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadBank {
    /// It cannot be read.
    #[error("not a position bank: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It cannot be unpacked.
    #[error("the bank cannot be unpacked: {0}")]
    Packed(#[from] std::io::Error),
    /// From a later version of the program.
    #[error("the bank has version {0}, this program reads versions 1 to {BANK_VERSION}; use a newer one")]
    Version(u32),
    /// Its ruleset is none.
    #[error("the bank's ruleset is no good: {0}")]
    Ruleset(BadRuleset),
    /// It cannot be calibrated.
    #[error("the bank cannot be calibrated: {0}")]
    Calibration(String),
    /// A position is none.
    #[error("position {id}: {why}")]
    Position {
        /// The position that is no good.
        id: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A position as it is put to a player.
#[derive(Clone, Debug)]
pub struct Exercise<'a> {
    /// What it is about.
    pub critical: &'a Critical,
    /// The position, ready to be put to a player.
    pub table: Table,
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// What it loses of the chance to win, in [0, 1].
    pub loss: f64,
    /// Where it lies between the worst action (0) and the best (1).
    #[serde(default)]
    pub score: f64,
    /// Whether it was an action at all; if not, it loses as much as the worst.
    pub legal: bool,
    /// Whether it was the best.
    pub best: bool,
}

/// What all answers of a player are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// How many positions were answered.
    pub positions: usize,
    /// The mean score, in [0, 1].
    #[serde(default)]
    pub score: f64,
    /// The mean loss in points of a hundred, failures included.
    pub mean_loss: f64,
    /// The same of the legal answers alone.
    pub mean_loss_legal: f64,
    /// The mean accuracy of the legal answers, in percent.
    pub accuracy: f64,
    /// How often the best was found, in percent.
    pub best: f64,
    /// Answers that were no legal action.
    pub failures: usize,
}

impl Bank {
    /// Reads a bank and sets every position up.
    ///
    /// # Errors
    /// If something of it is no good.
    pub fn read(text: &str) -> Result<Bank, BadBank> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        // The version is looked at before anything that a later one may have changed.
        let Version { version } = serde_json::from_str(text)?;
        if !(1..=BANK_VERSION).contains(&version) {
            return Err(BadBank::Version(version));
        }
        let mut bank: Bank = serde_json::from_str(text)?;
        // Where all actions are worth the same, no answer tells anything.
        bank.positions.retain(|critical| !critical.values.contains_key(&critical.best) || critical.range() > 0.0);
        bank.exercises()?;
        Ok(bank)
    }

    /// The bank as the text of its file.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// What a difference in answers is worth, as far as it was measured.
    pub fn scale(&self) -> Scale {
        match &self.calibration {
            Some(it) => Scale::answers(it.score_per_elo, it.least_score_per_elo, it.moment),
            None => Scale::unknown(UNMEASURED_MOMENT),
        }
    }

    /// Whether its positions can come up in matches of this ruleset, whatever their openings and clocks are.
    pub fn is_of(&self, ruleset: &Ruleset) -> bool {
        Ruleset::from_json(&self.ruleset).is_ok_and(|own| own.has_positions_of(ruleset))
    }

    /// The positions, set up.
    ///
    /// # Errors
    /// If one of them cannot be.
    pub fn exercises(&self) -> Result<Vec<Exercise<'_>>, BadBank> {
        let ruleset = Arc::new(Ruleset::from_json(&self.ruleset).map_err(BadBank::Ruleset)?);
        let set_up = |critical| exercise(critical, &ruleset);
        self.positions.iter().map(set_up).collect()
    }
}

fn exercise<'a>(critical: &'a Critical, ruleset: &Arc<Ruleset>) -> Result<Exercise<'a>, BadBank> {
    let bad = |why: String| BadBank::Position { id: critical.id.clone(), why };
    let table = Table::from_state(ruleset.clone(), &critical.state).map_err(|refusal: Refusal| bad(refusal.message))?;
    if !table.to_act().contains(critical.seat) {
        return Err(bad(format!("{} has nothing to do in it", critical.seat)));
    }
    if !critical.values.contains_key(&critical.best) || critical.values.values().any(|value| !value.is_finite()) {
        return Err(bad("its values are incomplete".to_owned()));
    }
    Ok(Exercise { critical, table })
}

impl Exercise<'_> {
    /// What an answer is worth; nothing was answered where there is none.
    pub fn mark(&self, answer: Option<&Accepted>) -> Mark {
        let Critical { values, best, .. } = self.critical;
        let range = self.critical.range();
        let lost = |value: f64| (values[best] - value).max(0.0);
        // Talk is legal where it costs the turn and is worth no more than the worst.
        let value = answer.and_then(|answer| values.get(answer.notation()).copied());
        let loss = value.map_or(range, lost);
        let score = if range > 0.0 { 1.0 - loss / range } else { 0.0 };
        Mark { loss, score, legal: answer.is_some(), best: answer.is_some_and(|it| it.notation() == *best) }
    }

    /// What every legal action scores.
    pub fn scores(&self) -> impl Iterator<Item = f64> {
        let Critical { values, best, .. } = self.critical;
        let range = self.critical.range();
        values.values().map(move |value| 1.0 - (values[best] - value).max(0.0) / range)
    }

    /// What an action loses here, in words, and what would have been better; nothing where it is the best.
    pub fn words(&self, action: &str, language: Language) -> String {
        let Critical { values, best, seat, .. } = self.critical;
        if action == *best {
            return String::new();
        }
        let loss = values.get(action).map_or_else(|| self.critical.range(), |value| (values[best] - value).max(0.0));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
        let points = (loss * 100.0).round() as u32;
        // What happens hangs on the others, too, where several act at once.
        let is_alone = self.table.to_act().len() == 1;
        let events = |action: &str| {
            let played = super::analyze::play(&self.table, std::iter::once((*seat, action)), Seed(0));
            played.filter(|_| is_alone).map(|(_, events)| events)
        };
        let (did, better) = (events(action), events(best));
        let told = loss_sentences(
            &Loss {
                turn: self.table.turn() + 1,
                points,
                played: Alternative { seat: *seat, action, events: did.as_deref().unwrap_or_default() },
                best: Alternative { seat: *seat, action: best, events: better.as_deref().unwrap_or_default() },
                reply: None,
            },
            language,
        );
        let sentences = if did.is_some() && better.is_some() { told.len() } else { 1 };
        told[..sentences].join(" ")
    }
}

impl Critical {
    /// How much lies between the best action and the worst.
    pub fn range(&self) -> f64 {
        self.values.values().map(|value| self.values[&self.best] - value).fold(0.0, f64::max)
    }
}

impl Marks {
    /// What these are worth together.
    pub fn of(marks: &[Mark]) -> Marks {
        let legal: Vec<&Mark> = marks.iter().filter(|mark| mark.legal).collect();
        let mean = |sum: f64, of: usize| if of == 0 { 0.0 } else { sum / count(of) };
        Marks {
            positions: marks.len(),
            score: mean(marks.iter().map(|mark| mark.score).sum(), marks.len()),
            mean_loss: mean(marks.iter().map(|mark| 100.0 * mark.loss).sum(), marks.len()),
            mean_loss_legal: mean(legal.iter().map(|mark| 100.0 * mark.loss).sum(), legal.len()),
            accuracy: mean(legal.iter().map(|mark| super::analyze::accuracy(mark.loss)).sum(), legal.len()),
            best: mean(count(marks.iter().filter(|mark| mark.best).count()) * 100.0, marks.len()),
            failures: marks.len() - legal.len(),
        }
    }
}

/// How one side did against the other on the same position, in [0, 1] as a block score: ½ is no difference.
pub fn against(one: &Mark, other: &Mark) -> f64 {
    versus(one.score, other.score)
}
