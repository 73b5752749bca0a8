//! What an experiment found, sentence by sentence: every comparison of record with its size and, where one is known, its
//! cause.

use super::super::experiment::{Cause, Finding, Gate, of_record};
use super::super::verdict::Verdict;
use super::sources::About;
use super::tables::{nothing_yet, span};
use super::words::{choose, failure};
use crate::briefs::Language;

/// Every comparison of record, those that say most first; never none.
pub(super) fn verdicts(findings: &[&Finding], about: &About, language: Language) -> Vec<String> {
    let all: Vec<Finding> = findings.iter().map(|finding| (*finding).clone()).collect();
    let mut told: Vec<&Finding> = of_record(&all).into_iter().filter(|finding| !finding.is_noise).collect();
    told.sort_by_key(|finding| (finding.against.is_some(), weight(finding.verdict, about.must_not_get_worse)));
    if told.is_empty() {
        return vec![choose(language, "Nothing was compared yet.", "还没有可比较的结果。").to_owned()];
    }
    let asked = |gate: Gate| findings.iter().filter(|other| other.gate == gate && !other.is_noise).count();
    told.into_iter().map(|finding| sentence(finding, asked(finding.gate), language)).collect()
}

fn weight(verdict: Verdict, must_not_get_worse: bool) -> u8 {
    match verdict {
        Verdict::Worse if must_not_get_worse => 0,
        Verdict::Better => 1,
        Verdict::Worse => 2,
        Verdict::NoDifference => 3,
        Verdict::NotBetter => 4,
        Verdict::NotWorse => 5,
        Verdict::Undecided => 6,
    }
}

/// A comparison, one of so many at its gate.
fn sentence(finding: &Finding, asked: usize, language: Language) -> String {
    let Finding { one, other, verdict, .. } = finding;
    let (by, delta) = (measured(finding, language), delta(finding, language));
    let against = match (&finding.against, language) {
        (None, _) => String::new(),
        (Some(bot), Language::En) => format!(" in games with {bot}"),
        (Some(bot), Language::Zh) => format!("（各自与 {bot} 对局）"),
    };
    let cause = finding.cause.as_ref().map(|cause| self::cause(cause, finding.gate, language)).unwrap_or_default();
    let among_all = match (finding.better_among_all && asked > 1, verdict) {
        (false, _) => String::new(),
        (true, Verdict::Better) => match language {
            Language::En => format!(" That holds also among all {asked} questions."),
            Language::Zh => format!("在全部 {asked} 个问题中同样成立。"),
        },
        // Holm's procedure may see more than an equal share of α does.
        (true, _) => match language {
            Language::En => format!(" Among all {asked} questions it is better."),
            Language::Zh => format!("放在全部 {asked} 个问题中看，它更强。"),
        },
    };
    let cause = among_all + &cause;
    match (language, verdict) {
        (Language::En, Verdict::Better) => format!("{one} is better than {other}{against}: {by}.{cause}"),
        (Language::En, Verdict::Worse) => format!("{one} is worse than {other}{against}: {by}.{cause}"),
        (Language::En, Verdict::NoDifference) => {
            format!("Between {one} and {other} there is no difference of {delta}{against}: {by}.{cause}")
        }
        (Language::En, Verdict::NotBetter) => {
            format!("{one} is not better than {other} by {delta}{against}: {by}.{cause}")
        }
        (Language::En, Verdict::NotWorse) => {
            format!("{one} is not worse than {other} by {delta}{against}: {by}.{cause}")
        }
        (Language::En, Verdict::Undecided) => {
            format!("Whether {one} is better than {other}{against} is undecided: {by}.{cause}")
        }
        (Language::Zh, Verdict::Better) => format!("{one} 强于 {other}{against}：{by}。{cause}"),
        (Language::Zh, Verdict::Worse) => format!("{one} 弱于 {other}{against}：{by}。{cause}"),
        (Language::Zh, Verdict::NoDifference) => {
            format!("{one} 与 {other} 之间没有 {delta} 的差别{against}：{by}。{cause}")
        }
        (Language::Zh, Verdict::NotBetter) => format!("{one} 并不比 {other} 强 {delta}{against}：{by}。{cause}"),
        (Language::Zh, Verdict::NotWorse) => format!("{one} 并不比 {other} 弱 {delta}{against}：{by}。{cause}"),
        (Language::Zh, Verdict::Undecided) => format!("{one} 是否强于 {other}{against} 尚无定论：{by}。{cause}"),
    }
}

/// Why it came out so, as a sentence after the verdict.
fn cause(cause: &Cause, gate: Gate, language: Language) -> String {
    let Cause { player, kind, times, of } = cause;
    let kind = failure(kind, language);
    let what = match gate {
        Gate::Games => choose(language, "games", "局"),
        Gate::Bank => choose(language, "positions", "个局面"),
        Gate::Quiz => choose(language, "questions", "道题"),
    };
    match language {
        Language::En => {
            format!(" The cause: {player} gave answers that do not count ({kind}: {times} in {of} {what}).")
        }
        Language::Zh => format!("原因：{player} 的回答无效（{kind}：{of} {what}中 {times} 次）。"),
    }
}

/// The difference that was asked for.
fn delta(finding: &Finding, language: Language) -> String {
    match finding.delta_elo {
        Some(elo) => format!("{elo:.0} Elo"),
        None => choose(language, "the size that was asked for", "设定幅度").to_owned(),
    }
}

/// The difference with its uncertainty: in Elo where that is known, otherwise as the score of this gate.
pub(super) fn measured(finding: &Finding, language: Language) -> String {
    let blocks = finding.blocks;
    let sample = match (finding.gate, language) {
        (Gate::Games, Language::En) => format!("{blocks} {} of games", if blocks == 1 { "pair" } else { "pairs" }),
        (Gate::Bank, Language::En) => format!("{blocks} positions"),
        (Gate::Quiz, Language::En) => format!("{blocks} questions"),
        (Gate::Games, Language::Zh) => format!("{blocks} 组配对对局"),
        (Gate::Bank, Language::Zh) => format!("{blocks} 个局面"),
        (Gate::Quiz, Language::Zh) => format!("{blocks} 道题"),
    };
    if finding.is_open() {
        let nothing = nothing_yet(language);
        return match language {
            Language::En => format!("{nothing} from {sample}"),
            Language::Zh => format!("{nothing}（{sample}）"),
        };
    }
    if let Some(effect) = finding.effect {
        let (level, span) = (100.0 * effect.level, span(&effect, language));
        return match language {
            Language::En => format!("{:+.0} Elo ({level:.0} % interval {span}) from {sample}", effect.shrunk),
            Language::Zh => format!("{:+.0} Elo（{level:.0}% 区间 {span}），依据 {sample}", effect.shrunk),
        };
    }
    let points = |score: f64| 200.0 * (score - 0.5);
    let [score, low, high] = [finding.score, finding.low, finding.high].map(points);
    match language {
        Language::En => format!("{score:+.1} points of score ({low:+.1} to {high:+.1}) from {sample}"),
        Language::Zh => format!("得分率相差 {score:+.1} 个百分点（{low:+.1} 到 {high:+.1}），依据 {sample}"),
    }
}
