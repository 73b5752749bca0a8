//! The tables of a report.

use std::collections::BTreeMap;

use super::super::experiment::{BankFound, Finding, Gate, PairCounts, Purpose};
use super::super::moves::Moves;
use super::super::ratings::Quality;
use super::super::verdict::SeatBias;
use super::words::{Word, choose, failure, verdict};
use super::{Report, ReportRow, ReportTable, Sources};
use crate::briefs::{Language, quoted, refused_reason};
use crate::games::seat::Seat;

pub(super) fn heads(words: &[Word], language: Language) -> Vec<String> {
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
        Word::EloDifference,
        Word::EloInterval,
        Word::ScoreDifference,
        Word::Items,
        Word::Evidence,
        Word::EvidenceWorse,
    ];
    // What decides comes first.
    let mut sorted = findings.to_vec();
    sorted.sort_by_key(|finding| (std::cmp::Reverse(finding.gate), finding.is_noise));
    let rows = sorted.into_iter().map(|finding| {
        let none = || "–".to_owned();
        let score = match finding.gate {
            Gate::Games => format!("{:.1} %", 100.0 * finding.score),
            Gate::Quiz | Gate::Bank => format!("{:+.1} %", 200.0 * (finding.score - 0.5)),
        };
        vec![
            compared(finding, language),
            gate(finding.gate, language),
            verdict(finding.verdict, language),
            finding.effect.map_or_else(none, |effect| format!("{:+.0}", effect.shrunk)),
            finding.effect.map_or_else(none, |effect| {
                format!("{:+.0} – {:+.0} ({:.0} %)", effect.low, effect.high, 100.0 * effect.level)
            }),
            score,
            finding.blocks.to_string(),
            evidence(finding.e_value),
            evidence(finding.e_value_worse),
        ]
    });
    let rows = rows.collect();
    Some(ReportTable { note: Word::FindingsNote.text(language).to_owned(), head: heads(&words, language), rows })
}

/// What was spent, gate by gate and question by question.
pub(super) fn money(sources: &Sources, language: Language) -> Option<ReportTable> {
    let told = [
        sources.quiz.as_ref().map(|found| &found.told),
        sources.bank.as_ref().map(|found| &found.told),
        sources.games.as_ref(),
    ];
    let words = [Word::Purpose, Word::Gate, Word::Items, Word::Calls, Word::TokensIn, Word::TokensOut, Word::Usd];
    let rows: Vec<Vec<String>> = told
        .into_iter()
        .flatten()
        .flat_map(|told| &told.spent)
        .map(|spent| {
            vec![
                purpose(&spent.purpose, language),
                gate(spent.gate, language),
                spent.items.to_string(),
                spent.cost.calls.to_string(),
                spent.cost.input_tokens.to_string(),
                spent.cost.output_tokens.to_string(),
                format!("{:.4}", spent.cost.usd),
            ]
        })
        .collect();
    let note = Word::MoneyNote.text(language).to_owned();
    (!rows.is_empty()).then(|| ReportTable { note, head: heads(&words, language), rows })
}

fn purpose(purpose: &Purpose, language: Language) -> String {
    match (purpose, language) {
        (_, Language::En) => purpose.text(),
        (Purpose::Question { one, other }, Language::Zh) => format!("{one} 是否强于 {other}？"),
        (Purpose::Baseline { player }, Language::Zh) => format!("各个问题都需要的 {player}"),
        (Purpose::Noise { player }, Language::Zh) => format!("{player} 的噪声"),
    }
}

/// Pairs of games as testers of chess engines count them.
pub(super) fn pairs(findings: &[&Finding], language: Language) -> Option<ReportTable> {
    let mut head = heads(&[Word::Comparison, Word::Llr], language);
    head.splice(1..1, ["0", "¼", "½", "¾", "1"].map(str::to_owned));
    let row = |finding: &&Finding| {
        let PairCounts { counts, llr } = finding.pairs?;
        let counts = counts.into_iter().map(|times| times.to_string());
        Some([compared(finding, language)].into_iter().chain(counts).chain([format!("{llr:+.2}")]).collect())
    };
    let rows: Vec<Vec<String>> = findings.iter().filter_map(row).collect();
    let note = Word::PairsNote.text(language).to_owned();
    (!rows.is_empty()).then_some(ReportTable { note, head, rows })
}

/// So many seats have a column.
const MOST_SEATS: usize = 8;

/// What each seat had of the games.
pub(super) fn seats(biases: &BTreeMap<String, SeatBias>, language: Language) -> Option<ReportTable> {
    let seats = biases.values().map(|bias| bias.seats.len()).max()?.min(MOST_SEATS);
    let mut head = heads(&[Word::Ruleset], language);
    head.extend((0..seats).map(|seat| Seat::new(seat).to_string()));
    head.push(Word::Correlation.text(language).to_owned());
    let none = || "–".to_owned();
    let row = |(course, bias): (&String, &SeatBias)| {
        let score = |seat: usize| bias.seats.get(seat).map_or_else(none, |score| format!("{:.1} %", 100.0 * score));
        let correlation = bias.correlation.map_or_else(none, |it| format!("{it:+.2}"));
        [course.clone()].into_iter().chain((0..seats).map(score)).chain([correlation]).collect()
    };
    let rows = biases.iter().map(row).collect();
    Some(ReportTable { note: Word::SeatsNote.text(language).to_owned(), head, rows })
}

/// Whether the ratings fit, in a sentence with its figures.
pub(super) fn fit(quality: &Quality, language: Language) -> String {
    let Quality { deviance, degrees, largest_z, holds } = quality;
    let holds = if *holds { Word::FitHolds } else { Word::FitFails }.text(language);
    let [name, free, z] = [Word::Deviance, Word::Degrees, Word::LargestZ].map(|word| word.text(language));
    match language {
        Language::En => format!("{holds}: {name} {deviance:.1} on {degrees} {free}, {z} {largest_z:.1}."),
        Language::Zh => format!("{holds}：{name} {deviance:.1}（{free} {degrees}），{z} 为 {largest_z:.1}。"),
    }
}

fn evidence(e_value: f64) -> String {
    if e_value < 1e6 { format!("{e_value:.1}") } else { format!("{e_value:.1e}") }
}

/// The ratings, the best first.
pub(super) fn leaderboard(report: &Report, language: Language) -> ReportTable {
    let words = [
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
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let it = &row.rated;
        let draws = 100.0 * f64::from(it.draws) / f64::from(it.games.max(1));
        vec![
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
        ]
    });
    let note = Word::LeaderboardNote.text(language).to_owned();
    let note = match &report.fit {
        Some(fit) => format!("{note}{}{}", choose(language, " ", ""), self::fit(&fit.quality, language)),
        None => note,
    };
    ReportTable { note, head: heads(&words, language), rows: rows.collect() }
}

/// What there is to say of players beside their ratings; nothing where that is nothing.
pub(super) fn details(report: &Report, language: Language) -> Option<ReportTable> {
    type Cell = fn(&ReportRow) -> Option<String>;
    let columns: [(Word, Cell); 7] = [
        (Word::WithoutForfeits, |row| row.rating_without_forfeits.map(|rating| format!("{rating:.0}"))),
        (Word::Accuracy, |row| row.quality.map(|(accuracy, _)| format!("{accuracy:.1} %"))),
        (Word::MeanLoss, |row| row.quality.map(|(_, loss)| format!("{loss:.1}"))),
        (Word::QuizShare, |row| row.quiz.map(|percent| format!("{percent:.0} %"))),
        (Word::UsdAGame, |row| row.usd_a_game.map(|usd| format!("{usd:.4}"))),
        (Word::Tokens, |row| row.tokens_a_move.map(|tokens| format!("{tokens:.0}"))),
        (Word::Seconds, |row| row.seconds_a_move.map(|seconds| format!("{seconds:.2}"))),
    ];
    let shown: Vec<(Word, Cell)> =
        columns.into_iter().filter(|(_, cell)| report.players.iter().any(|row| cell(row).is_some())).collect();
    let mut head = heads(&[Word::Player], language);
    head.extend(shown.iter().map(|(word, _)| word.text(language).to_owned()));
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let cells = shown.iter().map(|(_, cell)| cell(row).unwrap_or_else(|| "–".to_owned()));
        [row.name.clone()].into_iter().chain(cells).collect()
    });
    (!shown.is_empty()).then(|| ReportTable { note: String::new(), head, rows: rows.collect() })
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
