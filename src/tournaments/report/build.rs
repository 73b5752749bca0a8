//! Making a report of its sources, in a language.

use std::collections::BTreeMap;

use super::super::experiment::{Finding, Gate, of_record};
use super::super::quiz::Grade;
use super::super::verdict::{Verdict, elo};
use super::numbers::ReportNumbers;
use super::sentences::{self, measured};
use super::sources::{About, Errors, Fact, Sources};
use super::words::{choose, failure};
use super::{Blunder, Diagram, Draw, Report, ReportEffect, ReportFit, ReportRow, Tested, bracket, quiz, tables};
use crate::briefs::{Language, board};
use crate::games::{Table as Position, Viewer};
use crate::matches::{Fault, Replay};

impl Report {
    /// The report of what the store has, in a language; `draw` draws the boards.
    pub(crate) fn of(sources: &Sources, language: Language, draw: &Draw<'_>) -> Report {
        let findings = sources.findings();
        Report {
            title: sources.title.clone(),
            verdicts: match &sources.about {
                Some(about) => sentences::verdicts(&findings, about, language),
                None => champion(sources, language).into_iter().chain([leader(sources, language)]).collect(),
            },
            remarks: remarks(sources, &findings, language),
            effects: effects(&findings, language),
            findings: tables::findings(&findings, language),
            money: tables::money(sources, language),
            players: rows(sources),
            chances: sources.board.matrix.clone(),
            fit: (sources.board.players.len() > 1).then(|| ReportFit {
                quality: sources.board.quality.clone(),
                pairings: sources.board.pairings.clone(),
            }),
            bracket: match &sources.bracket {
                Some((bracket, names)) => bracket::rounds(bracket, names, language),
                None => Vec::new(),
            },
            pairs: tables::pairs(&findings, language),
            seats: tables::seats(&sources.seats, language),
            transcripts: sources.transcripts.clone(),
            tests: tests(sources, language),
            quiz: sources.quiz.as_ref().and_then(|found| quiz::quiz(found, language)),
            languages: sources.quiz.as_ref().and_then(|found| quiz::languages(found, language)),
            bank: sources.bank.as_ref().and_then(|found| tables::bank(found, language)),
            moves: sources.moves.as_ref().and_then(|moves| tables::moves(moves, language)),
            curves: sources.moves.as_ref().map(|moves| moves.curves.clone()).unwrap_or_default(),
            blunders: blunders(sources, language, draw),
            reproduce: reproduce(sources, language),
            numbers: ReportNumbers::of(sources),
            match_pages: sources.match_pages.clone(),
        }
    }
}

fn rows(sources: &Sources) -> Vec<ReportRow> {
    let row = |row: &super::super::leaderboard::LeaderboardRow| {
        #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
        let games = f64::from(row.rated.games) + row.noise_games as f64;
        let failures = row.summary.lapses.iter().map(|(fault, count)| (fault.name().to_owned(), *count));
        let refused = ("refused attempts".to_owned(), row.summary.refused);
        #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
        let tokens = (row.summary.input_tokens + row.summary.output_tokens) as f64;
        let reads = row.summary.calls > 0 && row.summary.turns > 0;
        let moves = sources.moves.as_ref().and_then(|moves| {
            let own = moves.players.iter().find(|it| it.player == row.name && it.total.decisions > 0)?;
            Some(own.total)
        });
        let quiz = sources
            .quiz
            .as_ref()
            .and_then(|found| quiz::total(found.rows.iter().filter(|it| it.who.player == row.name)).percent());
        ReportRow {
            name: row.name.clone(),
            rated: row.rated,
            rating_without_forfeits: row.rating_without_forfeits,
            failures: failures.chain((row.summary.refused > 0).then_some(refused)).collect(),
            refused: row.summary.examples.clone(),
            usd_a_game: (row.summary.usd > 0.0 && row.summary.unpriced == 0)
                .then_some(row.summary.usd / games.max(1.0)),
            tokens_a_move: reads.then(|| tokens / f64::from(row.summary.turns)),
            seconds_a_move: row.seconds_a_turn,
            moves,
            quiz,
        }
    };
    sources.board.players.iter().map(row).collect()
}

/// Who won a knockout, in a sentence.
fn champion(sources: &Sources, language: Language) -> Option<String> {
    let (bracket, names) = sources.bracket.as_ref()?;
    let name = names.get(bracket.champion()?.index())?;
    Some(match language {
        Language::En => format!("{name} wins the knockout."),
        Language::Zh => format!("{name} 赢得淘汰赛。"),
    })
}

/// Who leads, and how sure that is, in a sentence.
fn leader(sources: &Sources, language: Language) -> String {
    let Some(first) = sources.board.players.first() else {
        return choose(language, "No finished games yet.", "还没有下完的对局。").to_owned();
    };
    let (name, rated) = (&first.name, &first.rated);
    let best = 100.0 * rated.best;
    match language {
        Language::En => format!(
            "{name} leads with a rating of {:.0} (95 % interval {:.0} to {:.0}); the chance that nobody is better is {best:.0} %.",
            rated.rating, rated.low, rated.high
        ),
        Language::Zh => format!(
            "{name} 领先，等级分 {:.0}（95% 区间 {:.0} 到 {:.0}）；没有人比它更强的概率为 {best:.0}%。",
            rated.rating, rated.low, rated.high
        ),
    }
}

fn remarks(sources: &Sources, findings: &[&Finding], language: Language) -> Vec<String> {
    let mut remarks = Vec::new();
    if sources.board.players.len() > 1 && !sources.board.quality.holds {
        let words = choose(
            language,
            "Careful: the ratings do not fit what happened; read them as a rough order.",
            "注意：等级分与实际战绩不相符，只能当作大致的名次。",
        );
        remarks.push(words.to_owned());
    }
    remarks.extend(forfeits(sources, language));
    if let Some(found) = &sources.quiz {
        let Grade { asked, unclear, .. } = quiz::total(&found.rows);
        let words = match language {
            Language::En => format!("{unclear} of {asked} quiz answers could not be read."),
            Language::Zh => format!("{asked} 个测验回答中有 {unclear} 个无法识别。"),
        };
        remarks.extend((unclear > 0).then_some(words));
    }
    let Some(about) = &sources.about else { return remarks };
    let noise: Vec<&&Finding> = findings.iter().filter(|finding| finding.is_noise).collect();
    if let Some(alarm) = noise.iter().find(|finding| finding.verdict.claims_difference()) {
        remarks.push(match language {
            Language::En => format!(
                "Careful: {} and {} are the same prompt, and yet the test calls one {}. Trust nothing here before you know why.",
                alarm.one, alarm.other, alarm.verdict
            ),
            Language::Zh => format!(
                "注意：{} 与 {} 的提示词完全相同，检验却判为“{}”。查明原因之前，请勿采信本报告。",
                alarm.one,
                alarm.other,
                super::words::verdict(alarm.verdict, language)
            ),
        });
    } else if let Some(floor) = noise.iter().rfind(|finding| finding.gate == Gate::Games).or(noise.last()) {
        let by = measured(floor, language);
        remarks.push(match language {
            Language::En => format!("The noise, of the same prompt twice ({}): {by}.", floor.verdict),
            Language::Zh => {
                format!("噪声（同一提示词的自我对照，{}）：{by}。", super::words::verdict(floor.verdict, language))
            }
        });
    }
    remarks.extend(weak_at_the_rules(sources, language));
    let all: Vec<Finding> = findings.iter().map(|finding| (*finding).clone()).collect();
    let last = about.gates.last().copied().unwrap_or(Gate::Games);
    for finding in
        of_record(&all).into_iter().filter(|it| it.gate != last && it.verdict == Verdict::Worse && !it.is_noise)
    {
        if finding.gate == Gate::Quiz && sources.quiz.as_ref().is_some_and(|found| !found.made.eliminates) {
            continue;
        }
        let gate = tables::gate(finding.gate, language);
        remarks.push(match language {
            Language::En => format!("{} went no further than the {gate}, which found it worse.", finding.one),
            Language::Zh => format!("{} 在“{gate}”一关即被判为更弱，未进入后面的关卡。", finding.one),
        });
    }
    remarks
}

/// Whom the quiz finds worse, where it only warns.
fn weak_at_the_rules(sources: &Sources, language: Language) -> Vec<String> {
    let Some(found) = sources.quiz.as_ref().filter(|found| !found.made.eliminates) else { return Vec::new() };
    let worse = found.told.findings.iter().filter(|it| it.verdict == Verdict::Worse && !it.is_noise);
    let warning = |finding: &Finding| {
        let (Finding { one, other, .. }, by) = (finding, measured(finding, language));
        match language {
            Language::En => {
                format!(
                    "Careful: in the quiz {one} knows the rules worse than {other} ({by}); it went on all the same."
                )
            }
            Language::Zh => format!("注意：规则测验中，{one} 对规则的掌握不如 {other}（{by}）；仍进入了后面的关卡。"),
        }
    };
    worse.map(warning).collect()
}

/// How many games ended by a forfeit, and by which failures turns were lost.
fn forfeits(sources: &Sources, language: Language) -> Option<String> {
    let (forfeits, games) = (sources.counts.forfeits, sources.counts.games);
    let mut kinds: BTreeMap<Fault, u32> = BTreeMap::new();
    for (&fault, times) in sources.board.players.iter().flat_map(|row| &row.summary.lapses) {
        *kinds.entry(fault).or_default() += times;
    }
    let mut kinds: Vec<(Fault, u32)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let kinds = kinds.iter().map(|(fault, times)| {
        let kind = failure(fault.name(), language);
        if language == Language::Zh { format!("{kind} {times}") } else { format!("{times} {kind}") }
    });
    let kinds: Vec<String> = kinds.collect();
    let kinds = match language {
        _ if kinds.is_empty() => String::new(),
        Language::En => format!(" (turns lost: {})", kinds.join(", ")),
        Language::Zh => format!("（失误回合：{}）", kinds.join("、")),
    };
    (forfeits > 0).then(|| match language {
        Language::En => format!("{forfeits} of {games} games ended by forfeit{kinds}."),
        Language::Zh => format!("{games} 局中有 {forfeits} 局以判负告终{kinds}。"),
    })
}

/// The differences that are known in Elo, those of the gate that decides first.
fn effects(findings: &[&Finding], language: Language) -> Vec<ReportEffect> {
    // What nobody answered has no place on a scale.
    let is_known = |finding: &&&Finding| finding.effect.is_some() && finding.blocks > 0;
    let mut known: Vec<&&Finding> = findings.iter().filter(is_known).collect();
    known.sort_by_key(|finding| (std::cmp::Reverse(finding.gate), finding.is_noise));
    let row = |finding: &Finding| {
        let effect = finding.effect?;
        let name = format!("{} · {}", tables::compared(finding, language), tables::gate(finding.gate, language));
        Some(ReportEffect { name, effect, delta: finding.delta_elo })
    };
    known.into_iter().filter_map(|finding| row(finding)).collect()
}

fn tests(sources: &Sources, language: Language) -> Vec<Tested> {
    let told = [
        sources.quiz.as_ref().map(|found| &found.told),
        sources.bank.as_ref().map(|found| &found.told),
        sources.games.as_ref(),
    ];
    let all = told.into_iter().flatten().flat_map(|told| told.findings.iter().zip(&told.courses));
    // What decides comes first, and what nobody answered has no course.
    let mut tests: Vec<(Gate, Tested)> = all
        .filter(|(_, course)| !course.points.is_empty())
        .map(|(finding, course)| {
            let colon = choose(language, ": ", "：");
            let gate = tables::gate(finding.gate, language);
            let name = format!("{gate}{colon}{}", tables::compared(finding, language));
            let tested = Tested { name, verdict: finding.verdict, course: course.clone(), decides: false };
            (finding.gate, tested)
        })
        .collect();
    tests.sort_by_key(|(gate, _)| std::cmp::Reverse(*gate));
    let last = tests.first().map(|(gate, _)| *gate);
    tests.into_iter().map(|(gate, tested)| Tested { decides: Some(gate) == last, ..tested }).collect()
}

fn blunders(sources: &Sources, language: Language, draw: &Draw<'_>) -> Vec<Blunder> {
    let Some(moves) = &sources.moves else { return Vec::new() };
    let told = moves.worst.iter().map(|worst| {
        let record = sources.records.iter().find(|record| record.id == worst.match_id);
        let before = record.and_then(|record| before(record, worst.turn));
        let names = |record: &Replay| record.seats.iter().map(|info| info.player.clone()).collect();
        let drawing = record.zip(before).map_or_else(String::new, |(record, table)| {
            let scene = Diagram { ruleset: &record.ruleset, names: names(record), state: table.state(), events: &[] };
            draw(&scene, language)
        });
        let points = 100.0 * worst.loss;
        Blunder {
            match_id: worst.match_id.clone(),
            turn: worst.turn,
            heading: match language {
                Language::En => format!("{} gives away {points:.0} points ({})", worst.player, worst.match_id),
                Language::Zh => format!("{} 放弃了 {points:.0} 个百分点（{}）", worst.player, worst.match_id),
            },
            sentences: match language {
                Language::En => worst.en.clone(),
                Language::Zh => worst.zh.clone(),
            },
            board: before.map_or_else(String::new, |table| board(&table.view(Viewer::After), language)),
            drawing,
        }
    });
    told.collect()
}

/// The position before a turn, counted from 1.
fn before(record: &Replay, turn: u32) -> Option<&Position> {
    let at = record.turns.iter().position(|step| step.line.turn == turn)?;
    Some(at.checked_sub(1).map_or(&record.start, |at| &record.turns[at].table))
}

fn reproduce(sources: &Sources, language: Language) -> Vec<(String, String)> {
    let label = |fact: Fact| {
        let (en, zh) = match fact {
            Fact::Program => ("program", "程序"),
            Fact::Command => ("command", "命令"),
            Fact::Id => ("name in the store", "存储中的名称"),
            Fact::Fingerprint => ("fingerprint of the file and all it stands for", "文件及其全部含义的指纹"),
            Fact::Seed => ("seed", "随机种子"),
            Fact::Games => ("games", "对局数"),
            Fact::Distinct => {
                ("distinct games, of those with somebody who is no bot", "互不相同的对局（只计有非机器人参加的）")
            }
            Fact::Forfeits => ("games that ended by a forfeit", "以判负告终的对局"),
            Fact::Void => ("games void by nobody's fault, played again", "非玩家原因作废并重赛的对局"),
            Fact::Anchor => ("rated 1000", "定为 1000 分"),
            Fact::BankOracle => ("oracle of the critical positions", "关键局面的评估搜索（指纹）"),
            Fact::MovesOracle => ("oracle of the move quality, and its nodes", "着法质量的评估搜索（指纹与节点数）"),
            Fact::Errors => ("what was asked", "检验设定"),
            Fact::Rulesets => ("rulesets", "规则集"),
            Fact::Prompt => ("model and prompt", "模型与提示词"),
            Fact::Money => ("calls and money", "调用次数与花费"),
            Fact::File => ("file", "描述文件"),
        };
        choose(language, en, zh).to_owned()
    };
    let mut facts: Vec<(String, String)> = sources
        .facts
        .iter()
        .map(|(fact, value)| {
            let mean = *fact == Fact::Anchor && value.is_empty();
            let value =
                if mean { choose(language, "the mean of all", "全体平均").to_owned() } else { value.clone() };
            (label(*fact), value)
        })
        .collect();
    if let Some(about) = &sources.about {
        facts.insert(2.min(facts.len()), (label(Fact::Errors), asked(sources, about, language)));
    }
    facts
}

/// What was to be found out, and how the chances of being wrong are shared out.
fn asked(sources: &Sources, about: &About, language: Language) -> String {
    let Errors { delta, alpha, beta } = about.settings;
    let delta_elo = elo(0.5 + delta);
    let budgets = sources.budgets();
    let shares: Vec<String> = budgets
        .iter()
        .map(|(gate, budget)| {
            let (gate, questions) = (tables::gate(*gate, language), budget.questions);
            match language {
                Language::En => format!("{questions} of the {gate}"),
                Language::Zh => format!("{gate} {questions} 个"),
            }
        })
        .collect();
    let over_all = budgets.last().map_or(alpha, |(_, budget)| budget.over_all);
    match language {
        Language::En => {
            let shared = if shares.is_empty() { String::new() } else { format!(" (questions: {})", shares.join(", ")) };
            format!(
                "δ = {delta_elo:.0} Elo ({delta:.3} in score of games); α = {alpha} a side and gate, shared equally by \
                 the questions of the gate{shared}; a false “better” over all: {over_all} at the most; β = {beta} a \
                 question and side"
            )
        }
        Language::Zh => {
            let shared =
                if shares.is_empty() { String::new() } else { format!("（问题数：{}）", shares.join("、")) };
            format!(
                "δ = {delta_elo:.0} Elo（对局得分率 {delta:.3}）；每关每侧 α = {alpha}，由该关各个问题均分{shared}；\
                 整个实验误判“更强”的概率至多 {over_all}；每个问题每侧 β = {beta}"
            )
        }
    }
}
