//! Who plays in an experiment, and what is compared with what.

use super::super::score::Entrant;
use super::file::ExperimentFile;
use super::trial::Purpose;
use crate::briefs::Language;

/// Somebody who plays in an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contender {
    /// A model under a prompt variant.
    Prompted {
        /// The model, as the file names it.
        model: String,
        /// The prompt variant.
        variant: String,
        /// The language it is addressed in.
        language: Language,
        /// Whether it is the baseline once more: what differs between the two is noise.
        twin: bool,
    },
    /// A bot that everybody is measured by.
    Anchor(String),
}

/// What is said of a baseline that plays once more, behind its name.
const AGAIN: &str = " again";

/// Who it is that plays once more under this name: the baseline of an experiment, called `model/variant/en`.
pub fn twin_of(name: &str) -> Option<&str> {
    let original = name.strip_suffix(AGAIN)?;
    let (prompt, language) = original.rsplit_once('/')?;
    (prompt.contains('/') && Language::ALL.iter().any(|known| known.to_string() == language)).then_some(original)
}

impl Contender {
    /// What records call it.
    pub fn name(&self) -> String {
        match self {
            Contender::Prompted { model, variant, language, twin } => {
                let again = if *twin { AGAIN } else { "" };
                format!("{model}/{variant}/{language}{again}")
            }
            Contender::Anchor(name) => name.clone(),
        }
    }
}

/// What is compared, by the numbers of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The games of the two with each other.
    Direct(usize),
    /// The games of each with the same bot on the same seeds.
    Anchored(usize, usize),
    /// The games of one with a bot that are needed anyway, one block beside the next: a player against itself.
    Halves(usize),
}

/// A question of an experiment: is the one better than the other?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Who may be better.
    pub one: Entrant,
    /// Who it is compared with.
    pub other: Entrant,
    /// Which games tell.
    pub basis: Basis,
    /// Whether the two are the same, so that any difference is noise.
    pub is_noise: bool,
}

/// Who plays, in which groups, and what is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    players: Vec<Contender>,
    groups: Vec<Vec<Entrant>>,
    comparisons: Vec<Comparison>,
}

impl Matrix {
    pub(super) fn of(file: &ExperimentFile) -> Matrix {
        let mut matrix = Matrix::default();
        let anchors: Vec<Entrant> =
            file.anchors.iter().map(|(name, _)| matrix.player(Contender::Anchor(name.clone()))).collect();
        for (model, _) in &file.models {
            let mut first: Option<Entrant> = None;
            for &language in &file.languages {
                let prompted = |variant: &str, twin| {
                    let (model, variant) = (model.clone(), variant.to_owned());
                    Contender::Prompted { model, variant, language, twin }
                };
                let baseline = matrix.player(prompted(&file.baseline, false));
                let lanes: Vec<usize> = anchors.iter().map(|&anchor| matrix.group(baseline, anchor)).collect();
                match lanes.first() {
                    _ if file.noise == 0 => {}
                    // Games with a bot are needed anyway and show the noise for nothing.
                    Some(&lane) => {
                        let basis = Basis::Halves(lane);
                        matrix.comparisons.push(Comparison { one: baseline, other: baseline, basis, is_noise: true });
                    }
                    None => {
                        let twin = matrix.player(prompted(&file.baseline, true));
                        matrix.direct(twin, baseline, true);
                    }
                }
                for (variant, _) in file.variants.iter().filter(|(variant, _)| *variant != file.baseline) {
                    let one = matrix.player(prompted(variant, false));
                    matrix.direct(one, baseline, false);
                    for (&anchor, &lane) in anchors.iter().zip(&lanes) {
                        let own = matrix.group(one, anchor);
                        let basis = Basis::Anchored(own, lane);
                        matrix.comparisons.push(Comparison { one, other: baseline, basis, is_noise: false });
                    }
                }
                match first {
                    // Language is a factor like any other.
                    Some(first) => matrix.direct(baseline, first, false),
                    None => first = Some(baseline),
                }
            }
        }
        matrix
    }

    fn player(&mut self, player: Contender) -> Entrant {
        self.players.push(player);
        Entrant::new(self.players.len() - 1)
    }

    fn group(&mut self, one: Entrant, other: Entrant) -> usize {
        self.groups.push(vec![one, other]);
        self.groups.len() - 1
    }

    fn direct(&mut self, one: Entrant, other: Entrant, is_noise: bool) {
        let basis = Basis::Direct(self.group(one, other));
        self.comparisons.push(Comparison { one, other, basis, is_noise });
    }

    /// Everybody who plays.
    pub fn players(&self) -> &[Contender] {
        &self.players
    }

    /// Who meets whom.
    pub fn groups(&self) -> &[Vec<Entrant>] {
        &self.groups
    }

    /// Those who may be left out where they are worse: a variant that is compared with the baseline in its own language.
    pub fn is_variant(&self, comparison: &Comparison) -> bool {
        let language = |one: Entrant| match &self.players[one.index()] {
            Contender::Prompted { language, .. } => Some(*language),
            Contender::Anchor(_) => None,
        };
        !comparison.is_noise && language(comparison.one) == language(comparison.other)
    }

    /// What the games of a group are for.
    pub fn purpose(&self, group: &[Entrant]) -> Purpose {
        let name = |one: Entrant| self.players[one.index()].name();
        let at = self.groups.iter().position(|other| other == group);
        let used = |basis: Basis| match basis {
            Basis::Direct(own) | Basis::Halves(own) | Basis::Anchored(own, _) => Some(own) == at,
        };
        let player = group.first().map(|&one| name(one)).unwrap_or_default();
        let Some(found) = self.comparisons.iter().find(|it| used(it.basis)) else {
            return Purpose::Baseline { player };
        };
        match (found.basis, found.is_noise) {
            (Basis::Halves(_), _) => Purpose::Baseline { player },
            (_, true) => Purpose::Noise { player: name(found.other) },
            (_, false) => Purpose::Question { one: name(found.one), other: name(found.other) },
        }
    }

    /// What is compared.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }
}
