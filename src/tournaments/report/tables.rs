//! The tables of a report.

use std::collections::BTreeMap;

use super::super::experiment::{BankFound, Finding, Gate, PairCounts, Purpose};
use super::super::moves::{Moves, PlayerMoves};
use super::super::ratings::Quality;
use super::super::verdict::{Effect, SeatBias};
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
        Gate::Quiz => ("quiz", "测验"),
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
        let known = finding.effect.filter(|effect| finding.blocks > 0 && !effect.is_open());
        let score = match finding.gate {
            _ if finding.blocks == 0 => none(),
            Gate::Games => format!("{:.1} %", 100.0 * finding.score),
            // Not a share but a difference of two.
            Gate::Quiz | Gate::Bank => {
                format!("{:+.1} {}", 200.0 * (finding.score - 0.5), Word::PercentagePoints.text(language))
            }
        };
        vec![
            compared(finding, language),
            gate(finding.gate, language),
            verdict(finding.verdict, language),
            known.map_or_else(none, |effect| format!("{:+.0}", effect.shrunk)),
            known.map_or_else(none, |effect| format!("{} ({:.0} %)", span(&effect, language), 100.0 * effect.level)),
            score,
            items(finding, language),
            evidence(finding.e_value),
            evidence(finding.e_value_worse),
        ]
    });
    let rows = rows.collect();
    Some(ReportTable { note: Word::FindingsNote.text(language).to_owned(), head: heads(&words, language), rows })
}

/// How many blocks or items told something, and how many were no new samples.
fn items(finding: &Finding, language: Language) -> String {
    let Finding { blocks, repeats, .. } = finding;
    match (repeats, language) {
        (0, _) => blocks.to_string(),
        (1, Language::En) => format!("{blocks} (1 repeat)"),
        (_, Language::En) => format!("{blocks} ({repeats} repeats)"),
        (_, Language::Zh) => format!("{blocks}（另有 {repeats} 组重复）"),
    }
}

/// From where to where a difference may be, in Elo.
pub(super) fn span(effect: &Effect, language: Language) -> String {
    let Effect { low, high, .. } = effect;
    match (effect.is_open_below(), effect.is_open_above(), language) {
        (_, _, Language::En) => effect.interval_text(),
        (false, false, Language::Zh) => format!("{low:+.0} 到 {high:+.0}"),
        (true, false, Language::Zh) => format!("至多 {high:+.0}"),
        (false, true, Language::Zh) => format!("至少 {low:+.0}"),
        (true, true, Language::Zh) => nothing_yet(language).to_owned(),
    }
}

/// Where nothing is ruled out.
pub(super) fn nothing_yet(language: Language) -> &'static str {
    choose(language, "nothing can be said yet", "尚无法判断")
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
        (Purpose::Yardstick { player }, Language::Zh) => format!("{player} 的回答，作为参照"),
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
    let holds = match (*holds, *degrees) {
        (false, _) => Word::FitFails,
        // A model with as many parameters as there is to see fits whatever happened.
        (true, 0) => Word::FitUnknown,
        (true, _) => Word::FitHolds,
    };
    let holds = holds.text(language);
    let [name, free, z] = [Word::Deviance, Word::Degrees, Word::LargestZ].map(|word| word.text(language));
    match language {
        Language::En => format!("{holds}: {name} {deviance:.1} ({free}: {degrees}), {z} {largest_z:.1}."),
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
    let columns: [(Word, Cell); 11] = [
        (Word::WithoutForfeits, |row| row.rating_without_forfeits.map(|rating| format!("{rating:.0}"))),
        (Word::Decisions, |row| row.moves.map(|it| it.decisions.to_string())),
        (Word::Accuracy, |row| row.moves.map(|it| format!("{:.1} %", it.accuracy))),
        (Word::MeanLoss, |row| row.moves.map(|it| format!("{:.1}", it.mean_loss))),
        (Word::Inaccuracies, |row| row.moves.map(|it| it.inaccuracies.to_string())),
        (Word::Mistakes, |row| row.moves.map(|it| it.mistakes.to_string())),
        (Word::BlunderCount, |row| row.moves.map(|it| it.blunders.to_string())),
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
    let rows = moves.players.iter().map(|PlayerMoves { player, total: it }| {
        let few = if it.is_few() { choose(language, " (few decisions)", "（决策太少）") } else { "" };
        vec![
            format!("{player}{few}"),
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
