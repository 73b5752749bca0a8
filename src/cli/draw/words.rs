//! The few words on a picture, in English and Chinese.

pub use crate::briefs::Language;
use crate::games::outcome::{Outcome, Reason};
use crate::games::seat::Seat;

impl Language {
    /// One of two texts.
    pub(in crate::cli) fn pick(self, en: &'static str, zh: &'static str) -> &'static str {
        match self {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// `round 3/100`, `第 3/100 轮`.
    pub(super) fn round(self, now: u32, of: Option<u32>) -> String {
        self.counted(("round", "第", "轮"), now, of)
    }

    /// `turn 7/100`, `第 7/100 手`.
    pub(super) fn turn(self, now: u32, of: Option<u32>) -> String {
        self.counted(("turn", "第", "手"), now, of)
    }

    /// `tick 7/100`, `第 7/100 拍`.
    pub(super) fn tick(self, now: u32, of: Option<u32>) -> String {
        self.counted(("tick", "第", "拍"), now, of)
    }

    /// `shrinks in 3`, `3 拍后缩小`.
    pub(super) fn shrinks_in(self, ticks: u32) -> String {
        match self {
            Language::En => format!("shrinks in {ticks}"),
            Language::Zh => format!("{ticks} 拍后缩小"),
        }
    }

    fn counted(self, (en, zh, zh_after): (&str, &str, &str), now: u32, of: Option<u32>) -> String {
        let count = of.map_or_else(|| now.to_string(), |of| format!("{now}/{of}"));
        match self {
            Language::En => format!("{en} {count}"),
            Language::Zh => format!("{zh} {count} {zh_after}"),
        }
    }

    /// `2 kills`, `击倒 2`.
    pub(super) fn kills(self, kills: u32) -> String {
        match self {
            Language::En => format!("{kills} kill{}", if kills == 1 { "" } else { "s" }),
            Language::Zh => format!("击倒 {kills}"),
        }
    }

    /// `place 2`, `第 2 名`.
    pub(super) fn place(self, place: u32) -> String {
        match self {
            Language::En => format!("place {place}"),
            Language::Zh => format!("第 {place} 名"),
        }
    }

    /// How many more lines there would be.
    pub(super) fn more(self, count: usize) -> String {
        match self {
            Language::En => format!("… {count} more"),
            Language::Zh => format!("…… 另有 {count} 行"),
        }
    }

    /// Who won and why it is over.
    pub(super) fn result(self, outcome: &Outcome, name: impl Fn(Seat) -> String) -> String {
        let why = match outcome.reason {
            Reason::LastAlive => self.pick("last one standing", "唯一幸存"),
            Reason::RoundLimit => self.pick("the rounds are over", "轮数用完"),
            Reason::TurnLimit => self.pick("the turns are over", "手数用完"),
            Reason::AllDead => self.pick("nobody is left", "无人幸存"),
            Reason::Forfeit => self.pick("by forfeit", "对手弃权"),
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
