//! The few words on a picture, in English and Chinese.

use crate::briefs::Language;
use crate::games::outcome::{Outcome, Reason};
use crate::games::seat::Seat;

impl Language {
    /// One of two texts.
    pub(crate) fn pick(self, en: &'static str, zh: &'static str) -> &'static str {
        match self {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// How many more lines there would be.
    pub(crate) fn more(self, count: usize) -> String {
        match self {
            Language::En => format!("… {count} more"),
            Language::Zh => format!("…… 另有 {count} 行"),
        }
    }

    /// Who won and why it is over.
    pub(crate) fn result(self, outcome: &Outcome, name: impl Fn(Seat) -> String) -> String {
        let why = match outcome.reason {
            Reason::LastAlive => self.pick("last one standing", "唯一幸存"),
            Reason::RoundLimit => self.pick("the rounds are over", "轮数用完"),
            Reason::TurnLimit => self.pick("the turns are over", "回合用完"),
            Reason::AllDead => self.pick("nobody is left", "无人幸存"),
            Reason::Forfeit => self.pick("by forfeit", "对手判负"),
        };
        let first: Vec<String> =
            outcome.places.iter().filter(|&(_, &place)| place == 1).map(|(&seat, _)| name(seat)).collect();
        match (self, outcome.winner()) {
            (Language::En, Some(seat)) => format!("{} wins: {why}", name(seat)),
            (Language::En, None) => format!("draw of {}: {why}", first.join(", ")),
            (Language::Zh, Some(seat)) => format!("{} 获胜：{why}", name(seat)),
            (Language::Zh, None) => format!("{} 平局：{why}", first.join("、")),
        }
    }
}
