//! The tables of a report.

use super::super::experiment::{BankFound, Finding, Gate, QuizFound, QuizRow, RuleGrade};
use super::super::moves::Moves;
use super::super::score::count;
use super::words::{Word, choose, failure, verdict};
use super::{Report, ReportTable};
use crate::briefs::{Language, quoted, refused_reason, rule_name};

fn heads(words: &[Word], language: Language) -> Vec<String> {
    words.iter().map(|word| word.text(language).to_owned()).collect()
}

/// What a gate is called.
pub(super) fn gate(gate: Gate, language: Language) -> String {
    let (en, zh) = match gate {
        Gate::Quiz => ("quiz", "问答"),
        Gate::Bank => ("bank", "关键局面"),
        Gate::Games => ("games", "对局"),
    };
    choose(language, en, zh).to_owned()
}

/// Who was compared with whom, and by what.
pub(super) fn compared(finding: &Finding, language: Language) -> String {
    let Finding { one, other, .. } = finding;
    let mut text = match language {
        Language::En => format!("{one} against {other}"),
        Language::Zh => format!("{one} 对 {other}"),
    };
    if let Some(bot) = &finding.against {
        let by = match language {
            Language::En => format!(", by games with {bot}"),
            Language::Zh => format!("（各自与 {bot} 对局）"),
        };
        text.push_str(&by);
    }
    if finding.is_noise {
        text.push_str(choose(language, " (the same prompt twice)", "（同一提示词的自我对照）"));
    }
    text
}

pub(super) fn findings(findings: &[&Finding], language: Language) -> Option<ReportTable> {
    if findings.is_empty() {
        return None;
    }
    let words = [
        Word::Comparison,
        Word::Gate,
        Word::Verdict,
        Word::Difference,
        Word::Interval,
        Word::Items,
        Word::Evidence,
        Word::EvidenceWorse,
    ];
    // What decides comes first.
    let mut sorted = findings.to_vec();
    sorted.sort_by_key(|finding| (std::cmp::Reverse(finding.gate), finding.is_noise));
    let rows = sorted.into_iter().map(|finding| {
        let points = |score: f64| 200.0 * (score - 0.5);
        let (score, interval) = match finding.gate {
            Gate::Games => (
                format!("{:.1} % ({})", 100.0 * finding.score, finding.elo_text()),
                format!("{:.1} – {:.1} %", 100.0 * finding.low, 100.0 * finding.high),
            ),
            Gate::Quiz | Gate::Bank => (
                format!("{:+.1}", points(finding.score)),
                format!("{:+.1} – {:+.1}", points(finding.low), points(finding.high)),
            ),
        };
        vec![
            compared(finding, language),
            gate(finding.gate, language),
            verdict(finding.verdict, language),
            score,
            interval,
            finding.blocks.to_string(),
            evidence(finding.e_value),
            evidence(finding.e_value_worse),
        ]
    });
    let rows = rows.collect();
    Some(ReportTable { note: Word::FindingsNote.text(language).to_owned(), head: heads(&words, language), rows })
}

fn evidence(e_value: f64) -> String {
    if e_value < 1e6 { format!("{e_value:.1}") } else { format!("{e_value:.1e}") }
}

pub(super) fn leaderboard(report: &Report, language: Language) -> ReportTable {
    let mut words = vec![
        Word::Player,
        Word::Rating,
        Word::Interval,
        Word::Ranks,
        Word::Best,
        Word::Games,
        Word::Blocks,
        Word::Wins,
        Word::Draws,
        Word::Losses,
        Word::DrawShare,
        Word::Score,
    ];
    let players = &report.players;
    let optional = [
        (Word::WithoutForfeits, players.iter().any(|row| row.rating_without_forfeits.is_some())),
        (Word::Accuracy, players.iter().any(|row| row.quality.is_some())),
        (Word::MeanLoss, players.iter().any(|row| row.quality.is_some())),
        (Word::QuizShare, players.iter().any(|row| row.quiz.is_some())),
        (Word::UsdAGame, players.iter().any(|row| row.usd_a_game.is_some())),
        (Word::Tokens, players.iter().any(|row| row.tokens_a_move.is_some())),
        (Word::Seconds, players.iter().any(|row| row.seconds_a_move.is_some())),
    ];
    let shown: Vec<Word> = optional.into_iter().filter(|(_, shown)| *shown).map(|(word, _)| word).collect();
    words.extend(&shown);
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let it = &row.rated;
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let draws = 100.0 * f64::from(it.draws) / f64::from(it.games.max(1));
        let mut cells = vec![
            row.name.clone(),
            format!("{:.0}", it.rating),
            format!("{:.0} – {:.0}", it.low, it.high),
            format!("{} – {}", it.rank_low, it.rank_high),
            format!("{:.0} %", 100.0 * it.best),
            it.games.to_string(),
            it.blocks.to_string(),
            it.wins.to_string(),
            it.draws.to_string(),
            it.losses.to_string(),
            format!("{draws:.0} %"),
            format!("{:.1} %", 100.0 * it.score),
        ];
        cells.extend(shown.iter().map(|word| match word {
            Word::WithoutForfeits => or_none(row.rating_without_forfeits.map(|rating| format!("{rating:.0}"))),
            Word::Accuracy => or_none(row.quality.map(|(accuracy, _)| format!("{accuracy:.1} %"))),
            Word::MeanLoss => or_none(row.quality.map(|(_, loss)| format!("{loss:.1}"))),
            Word::QuizShare => or_none(row.quiz.map(|percent| format!("{percent:.0} %"))),
            Word::UsdAGame => or_none(row.usd_a_game.map(|usd| format!("{usd:.4}"))),
            Word::Tokens => or_none(row.tokens_a_move.map(|tokens| format!("{tokens:.0}"))),
            _ => or_none(row.seconds_a_move.map(|seconds| format!("{seconds:.2}"))),
        }));
        cells
    });
    let rows = rows.collect();
    ReportTable { note: Word::LeaderboardNote.text(language).to_owned(), head: heads(&words, language), rows }
}

pub(super) fn failures(report: &Report, language: Language) -> Option<ReportTable> {
    let mut kinds: Vec<&str> =
        report.players.iter().flat_map(|row| row.failures.iter().map(|(kind, _)| kind.as_str())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return None;
    }
    let mut head = vec![Word::Player.text(language).to_owned()];
    head.extend(kinds.iter().map(|&kind| failure(kind, language)));
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let times =
            |kind: &str| row.failures.iter().filter(|(other, _)| other == kind).map(|(_, times)| times).sum::<u32>();
        std::iter::once(row.name.clone()).chain(kinds.iter().map(|kind| times(kind).to_string())).collect()
    });
    Some(ReportTable { note: Word::FailuresNote.text(language).to_owned(), head, rows: rows.collect() })
}

/// Some of the answers that were refused, with the reason.
pub(super) fn refused(report: &Report, language: Language) -> Option<ReportTable> {
    let rows: Vec<Vec<String>> = report
        .ranked()
        .into_iter()
        .flat_map(|(_, row)| row.refused.iter().map(|refused| (row.name.clone(), refused)))
        .map(|(name, refused)| vec![name, quoted(&refused.text, language), refused_reason(refused, language)])
        .collect();
    let words = [Word::Player, Word::Answer, Word::Reason];
    let note = Word::RefusedNote.text(language).to_owned();
    (!rows.is_empty()).then(|| ReportTable { note, head: heads(&words, language), rows })
}

fn prompt(row: &QuizRow) -> String {
    let again = if row.who.twin { " again" } else { "" };
    let (model, variant) = (row.who.model.as_deref().unwrap_or(""), row.who.variant.as_deref().unwrap_or(""));
    format!("{model}/{variant}{again}")
}

/// The rulesets that were asked about, in order.
fn courses(found: &QuizFound) -> Vec<&str> {
    let mut courses: Vec<&str> = Vec::new();
    for row in &found.rows {
        if !courses.contains(&row.course.as_str()) {
            courses.push(&row.course);
        }
    }
    courses
}

/// A rule with its number, and the ruleset where there are several.
fn rule(number: usize, rule: &str, course: Option<&str>, language: Language) -> String {
    let name = rule_name(rule, language);
    let course = course.map(|course| format!("{course}: ")).unwrap_or_default();
    format!("{course}{}. {name}", number + 1)
}

fn percent(right: u32, asked: u32) -> String {
    if asked == 0 { "–".to_owned() } else { format!("{:.0} %", 100.0 * f64::from(right) / f64::from(asked)) }
}

/// Right answers: a rule a row, a prompt in a language a column.
pub(super) fn quiz(found: &QuizFound, language: Language) -> Option<ReportTable> {
    let courses = courses(found);
    let mut columns: Vec<String> = Vec::new();
    for row in &found.rows {
        if !columns.contains(&row.who.player) {
            columns.push(row.who.player.clone());
        }
    }
    if columns.is_empty() {
        return None;
    }
    let mut head = vec![Word::Rule.text(language).to_owned()];
    head.extend(columns.iter().cloned());
    let mut rows = Vec::new();
    let mut sums = vec![(0, 0); columns.len()];
    for course in &courses {
        let own: Vec<&QuizRow> = found.rows.iter().filter(|row| row.course == *course).collect();
        let rules = own.first().map_or(0, |row| row.rules.len());
        for number in 0..rules {
            let Some(name) = own.first().map(|row| row.rules[number].rule.as_str()) else { continue };
            let mut cells = vec![rule(number, name, (courses.len() > 1).then_some(*course), language)];
            for (column, sum) in columns.iter().zip(&mut sums) {
                let grade = own.iter().find(|row| row.who.player == *column).and_then(|row| row.rules.get(number));
                let (right, asked) = grade.map_or((0, 0), |it| (it.grade.right, it.grade.asked));
                *sum = (sum.0 + right, sum.1 + asked);
                cells.push(percent(right, asked));
            }
            rows.push(cells);
        }
    }
    let all = Word::AllRules.text(language).to_owned();
    rows.push(std::iter::once(all).chain(sums.iter().map(|&(right, asked)| percent(right, asked))).collect());
    Some(ReportTable { note: Word::QuizNote.text(language).to_owned(), head, rows })
}

/// Questions of which both, only the first, only the second, or none was right.
fn pairs(one: &RuleGrade, other: &RuleGrade) -> [usize; 4] {
    let mut counts = [0; 4];
    for (one, other) in one.items.chars().zip(other.items.chars()) {
        counts[usize::from(one != '1') * 2 + usize::from(other != '1')] += 1;
    }
    counts
}

/// Chinese minus English in points, with a 95 % interval for pairs (Agresti and Min, 2005: half a pair more in each
/// cell).
fn difference([both, only_en, only_zh, none]: [usize; 4]) -> (f64, f64, f64) {
    let whole = count(both + only_en + only_zh + none) + 2.0;
    let (en, zh) = (count(only_en) + 0.5, count(only_zh) + 0.5);
    let mean = (zh - en) / whole;
    let error = 1.96 * (((en + zh) - (zh - en).powi(2) / whole).max(0.0)).sqrt() / whole;
    let raw = (count(only_zh) - count(only_en)) / (whole - 2.0).max(1.0);
    (100.0 * raw, 100.0 * (mean - error).max(-1.0), 100.0 * (mean + error).min(1.0))
}

/// English against Chinese on the same questions, rule by rule.
pub(super) fn languages(found: &QuizFound, language: Language) -> Option<ReportTable> {
    let words = [Word::Prompt, Word::Rule, Word::OnlyEnglish, Word::OnlyChinese, Word::Difference, Word::Interval];
    let mut head = heads(&words, language);
    head.splice(2..2, ["en".to_owned(), "zh".to_owned()]);
    let courses = courses(found);
    let mut rows = Vec::new();
    for english in found.rows.iter().filter(|row| row.who.language == Some(Language::En)) {
        let same = |row: &&QuizRow| {
            row.who.language == Some(Language::Zh) && row.course == english.course && prompt(row) == prompt(english)
        };
        let Some(chinese) = found.rows.iter().find(same) else { continue };
        let mut sum = [0; 4];
        let mut line = |name: String, counts: [usize; 4]| {
            let [both, only_en, only_zh, none] = counts;
            let asked = u32::try_from(both + only_en + only_zh + none).unwrap_or(u32::MAX);
            let right = |own: usize| percent(u32::try_from(both + own).unwrap_or(u32::MAX), asked);
            let (mean, low, high) = difference(counts);
            rows.push(vec![
                prompt(english),
                name,
                right(only_en),
                right(only_zh),
                only_en.to_string(),
                only_zh.to_string(),
                format!("{mean:+.0}"),
                format!("{low:+.0} – {high:+.0}"),
            ]);
        };
        for (number, (one, other)) in english.rules.iter().zip(&chinese.rules).enumerate() {
            let counts = pairs(one, other);
            sum.iter_mut().zip(counts).for_each(|(sum, more)| *sum += more);
            line(rule(number, &one.rule, (courses.len() > 1).then_some(english.course.as_str()), language), counts);
        }
        line(Word::AllRules.text(language).to_owned(), sum);
    }
    (!rows.is_empty()).then(|| ReportTable { note: Word::LanguagesNote.text(language).to_owned(), head, rows })
}

pub(super) fn bank(found: &BankFound, language: Language) -> Option<ReportTable> {
    let words = [Word::Player, Word::Positions, Word::MeanLoss, Word::Accuracy, Word::BestFound, Word::NoAction];
    let several = found.rows.iter().any(|row| row.course != found.rows[0].course);
    let rows = found.rows.iter().map(|row| {
        let it = &row.marks;
        let course = if several { format!(" ({})", row.course) } else { String::new() };
        vec![
            format!("{}{course}", row.who.player),
            it.positions.to_string(),
            format!("{:.1}", it.mean_loss),
            format!("{:.1} %", it.accuracy),
            format!("{:.0} %", it.best),
            it.failures.to_string(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let note = Word::BankNote.text(language).to_owned();
    (!rows.is_empty()).then(|| ReportTable { note, head: heads(&words, language), rows })
}

pub(super) fn moves(moves: &Moves, language: Language) -> Option<ReportTable> {
    let words = [
        Word::Player,
        Word::Decisions,
        Word::Accuracy,
        Word::MeanLoss,
        Word::Agreement,
        Word::Inaccuracies,
        Word::Mistakes,
        Word::BlunderCount,
    ];
    let rows = moves.players.iter().map(|it| {
        vec![
            it.player.clone(),
            it.decisions.to_string(),
            format!("{:.1} %", it.accuracy),
            format!("{:.1}", it.mean_loss),
            format!("{:.0} %", it.agreement),
            it.inaccuracies.to_string(),
            it.mistakes.to_string(),
            it.blunders.to_string(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let bins: Vec<String> = moves
        .calibration
        .iter()
        .map(|bin| format!("{:.0}% → {:.0}% ({})", 100.0 * bin.expected, 100.0 * bin.actual, bin.decisions))
        .collect();
    let games = match language {
        Language::En => format!("{} games.", moves.games),
        Language::Zh => format!("共 {} 局。", moves.games),
    };
    let space = choose(language, " ", "");
    let stop = choose(language, ".", "。");
    let colon = choose(language, ": ", "：");
    let note = format!(
        "{}{space}{games}{space}{}{colon}{}{stop}",
        Word::MovesNote.text(language),
        Word::Calibration.text(language),
        bins.join(choose(language, ", ", "，"))
    );
    (!rows.is_empty()).then(|| ReportTable { note, head: heads(&words, language), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grade(items: &str) -> RuleGrade {
        RuleGrade { rule: "hp".to_owned(), grade: crate::tournaments::quiz::Grade::default(), items: items.to_owned() }
    }

    #[test]
    fn answers_in_two_languages_are_compared_item_by_item() {
        assert_eq!(pairs(&grade("1100?1"), &grade("10101?")), [1, 2, 2, 1]);
        let (mean, low, high) = difference([40, 30, 10, 20]);
        assert!((mean + 20.0).abs() < 1e-9 && low < mean && mean < high && high < 0.0, "{low} {mean} {high}");
        let (mean, low, high) = difference([8, 0, 0, 0]);
        assert!(mean.abs() < 1e-9 && low < 0.0 && high > 0.0, "nothing differs, and little is known: {low} {high}");
        assert!(difference([0; 4]).1 >= -100.0);
    }
}
