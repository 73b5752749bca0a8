//! What a difference in Elo is in the scores at hand.

use super::{elo, expected_score};

/// The scatter that is taken for granted before the first block: the mean of (score − ½)².
const MOMENT_OF_GAMES: f64 = 0.09;

/// Where nobody has measured what a difference is worth, bets are made as if a point of Elo were so much of a score.
const ASSUMED: f64 = 0.0005;

/// Scores stay so far from 0 and 1, where no bet against them is possible.
const MARGIN: f64 = 1e-3;

/// What a difference in Elo is in the scores that are bet on, of which ½ is no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    kind: ScaleKind,
    moment: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ScaleKind {
    Games,
    Answers { per_elo: f64, least: f64 },
    Unknown,
}

impl Scale {
    /// Block scores of games, by Elo's own curve.
    pub fn games() -> Scale {
        Scale { kind: ScaleKind::Games, moment: MOMENT_OF_GAMES }
    }

    /// Answers to the same questions: ½ and half the difference in score, with so much of a score a point of Elo, and
    /// where that is least. `moment` is the expected mean of (score − ½)². Nothing can be said in Elo where the slope is
    /// not above 0.
    pub fn answers(per_elo: f64, least: f64, moment: f64) -> Scale {
        let moment = if moment > 0.0 { moment.clamp(1e-4, 0.25) } else { MOMENT_OF_GAMES };
        let is_known = per_elo > 0.0 && least > 0.0 && per_elo.is_finite();
        let kind =
            if is_known { ScaleKind::Answers { per_elo, least: least.min(per_elo) } } else { ScaleKind::Unknown };
        Scale { kind, moment }
    }

    /// Answers of which nobody has measured what they are worth in Elo: "better" and "worse" can be said, and nothing
    /// else.
    pub fn unknown(moment: f64) -> Scale {
        Scale::answers(0.0, 0.0, moment)
    }

    /// Whether something can be said in Elo.
    pub fn is_known(&self) -> bool {
        self.kind != ScaleKind::Unknown
    }

    /// The mean score that such a difference makes.
    pub fn mean(&self, elo: f64) -> f64 {
        let mean = match self.kind {
            ScaleKind::Games => expected_score(elo),
            ScaleKind::Answers { per_elo, .. } => 0.5 + elo * per_elo / 2.0,
            ScaleKind::Unknown => 0.5 + elo * ASSUMED / 2.0,
        };
        mean.clamp(MARGIN, 1.0 - MARGIN)
    }

    /// The same where a difference shows least.
    pub(super) fn least_mean(&self, elo: f64) -> f64 {
        match self.kind {
            ScaleKind::Answers { least, .. } => (0.5 + elo * least / 2.0).clamp(MARGIN, 1.0 - MARGIN),
            ScaleKind::Games | ScaleKind::Unknown => self.mean(elo),
        }
    }

    /// The difference in Elo that such a mean score stands for.
    pub fn elo(&self, mean: f64) -> f64 {
        match self.kind {
            ScaleKind::Games => elo(mean),
            ScaleKind::Answers { per_elo, .. } => 2.0 * (mean - 0.5) / per_elo,
            ScaleKind::Unknown => 2.0 * (mean - 0.5) / ASSUMED,
        }
    }

    /// How far a score usually lies from ½ before anything is known.
    pub(in crate::tournaments) fn spread(&self) -> f64 {
        self.moment.sqrt()
    }

    pub(super) fn moment(&self) -> f64 {
        self.moment
    }
}
