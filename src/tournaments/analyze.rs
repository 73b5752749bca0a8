//! Move quality: what each decision of a recorded match was worth. It explains; it does not decide who is better.

use serde::{Deserialize, Serialize};

use super::oracle::{Judgement, Oracle};
use super::score::count;
use crate::briefs::{Alternative, Language, Loss, Quality, loss_sentences};
use crate::games::Action;
use crate::games::Refusal;
use crate::games::table::Event;
use crate::games::table::order;
use crate::games::{Joint, Outcome, Seat, Seed, Table};
use crate::matches::Replay;

/// How fast accuracy falls with a point of loss: 82 % at 5 points, 67 % at 10, 45 % at 20.
const FALL: f64 = 0.04;

/// One decision of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// Counted from 1.
    pub turn: u32,
    /// The seat that decided.
    pub seat: Seat,
    /// What was played, in notation.
    pub played: String,
    /// What the oracle would have played.
    pub best: String,
    /// The score that the seat could expect before it, in [0, 1].
    pub value: f64,
    /// What it lost of that; nothing where the oracle does not know the action: talk, and what the referee did.
    pub loss: Option<f64>,
    /// Whether it no longer mattered.
    pub decided: bool,
    /// How many attempts were refused before.
    pub refused: u32,
    /// Whether the referee acted for the player.
    pub lapsed: bool,
}

impl Decision {
    /// How good it was, if it counts.
    pub fn quality(&self) -> Option<Quality> {
        self.counted().map(Quality::of)
    }

    /// The loss of a decision that counts towards the averages.
    pub(super) fn counted(&self) -> Option<f64> {
        self.loss.filter(|_| !self.decided && !self.lapsed)
    }
}

/// A match, decision by decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Review {
    /// The match's own name.
    pub id: String,
    /// Which oracle judged.
    pub oracle: String,
    /// By seat: what all its decisions amount to.
    pub players: Vec<Quantity>,
    /// In order of play.
    pub decisions: Vec<Decision>,
    /// How well the oracle foresaw the end; empty where the match is unfinished.
    pub calibration: Vec<Bin>,
}

/// Fewer decisions than this say little about who made them.
const FEW: usize = 30;

/// How good moves were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoveTotal {
    /// Decisions that count: the match was open.
    pub decisions: usize,
    /// The mean loss, in points of a hundred.
    pub mean_loss: f64,
    /// In percent: 100 for the best actions alone.
    pub accuracy: f64,
    /// How often what was played is what the oracle would have, in percent.
    pub agreement: f64,
    /// Losses of 5 points or more and less than 10.
    pub inaccuracies: usize,
    /// Of 10 or more and less than 20.
    pub mistakes: usize,
    /// Of 20 or more.
    pub blunders: usize,
    /// Attempts that were refused.
    pub refused: u32,
}

impl MoveTotal {
    /// Of these decisions.
    pub fn of<'d>(decisions: impl IntoIterator<Item = &'d Decision>) -> MoveTotal {
        let mut total = MoveTotal::default();
        let mut agreed = 0;
        for decision in decisions {
            total.refused += decision.refused;
            let Some(loss) = decision.counted() else { continue };
            total.decisions += 1;
            total.mean_loss += 100.0 * loss;
            total.accuracy += accuracy(loss);
            agreed += usize::from(decision.played == decision.best);
            match Quality::of(loss) {
                Quality::Good => {}
                Quality::Inaccuracy => total.inaccuracies += 1,
                Quality::Mistake => total.mistakes += 1,
                Quality::Blunder => total.blunders += 1,
            }
        }
        let all = count(total.decisions.max(1));
        total.mean_loss /= all;
        total.accuracy /= all;
        total.agreement = 100.0 * count(agreed) / all;
        total
    }

    /// Whether there are too few decisions to say much.
    pub fn is_few(&self) -> bool {
        self.decisions < FEW
    }
}

/// What the decisions of one player amount to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Quantity {
    /// The seat that it is about.
    pub seat: Seat,
    /// Who sat there.
    pub player: String,
    /// How good its moves were.
    #[serde(flatten)]
    pub total: MoveTotal,
    /// Turns in which the referee acted for it.
    pub lapses: usize,
    /// What it could expect, decision by decision.
    pub chances: Vec<f64>,
}

/// Decisions at which the oracle expected about the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// How many decisions fell into it.
    pub decisions: usize,
    /// The score that was expected, in the mean.
    pub expected: f64,
    /// The score that it was in the end, in the mean.
    pub actual: f64,
}

/// Reviews a record.
pub(crate) fn review(record: &Replay, oracle: &Oracle) -> Review {
    let mut decisions = Vec::new();
    let mut table = &record.start;
    for step in &record.turns {
        for (&seat, played) in &step.line.actions {
            let Some(judgement) = oracle.judge(table, seat) else { continue };
            let refused = step.line.refused.iter().filter(|attempt| attempt.seat == seat).count();
            decisions.push(Decision {
                turn: step.line.turn,
                seat,
                played: played.clone(),
                best: judgement.best_action().to_owned(),
                value: judgement.value(),
                loss: judgement.loss(played),
                decided: judgement.is_decided(),
                refused: u32::try_from(refused).unwrap_or(u32::MAX),
                lapsed: step.line.lapses.contains_key(&seat),
            });
        }
        table = &step.table;
    }
    let players = record.seats.iter().map(|info| amount(info.seat, &info.player, &decisions)).collect();
    let calibration = table.outcome().map_or_else(Vec::new, |outcome| calibrate(&decisions, &outcome));
    Review { id: record.id.clone(), oracle: oracle.version(), players, decisions, calibration }
}

fn amount(seat: Seat, player: &str, decisions: &[Decision]) -> Quantity {
    let own: Vec<&Decision> = decisions.iter().filter(|decision| decision.seat == seat).collect();
    Quantity {
        seat,
        player: player.to_owned(),
        total: MoveTotal::of(own.iter().copied()),
        lapses: own.iter().filter(|decision| decision.lapsed).count(),
        chances: own.iter().map(|decision| decision.value).collect(),
    }
}

/// In percent, of a loss in [0, 1].
pub(crate) fn accuracy(loss: f64) -> f64 {
    100.0 * (-FALL * 100.0 * loss.max(0.0)).exp()
}

/// Five bins of what was expected, those without decisions left out.
pub(super) fn calibrate(decisions: &[Decision], outcome: &Outcome) -> Vec<Bin> {
    let scores = outcome.scores();
    let bin = |number: usize| {
        let (low, high) = (count(number) / 5.0, count(number + 1) / 5.0);
        let within = decisions.iter().filter(|it| it.value >= low && (it.value < high || number == 4));
        let pairs: Vec<(f64, f64)> = within.filter_map(|it| Some((it.value, *scores.get(&it.seat)?))).collect();
        let mean = |sum: f64| sum / count(pairs.len());
        (!pairs.is_empty()).then(|| Bin {
            decisions: pairs.len(),
            expected: mean(pairs.iter().map(|(expected, _)| expected).sum()),
            actual: mean(pairs.iter().map(|(_, actual)| actual).sum()),
        })
    };
    (0..5).filter_map(bin).collect()
}

/// Every loss of at least an inaccuracy in words, with the better action, in order of play.
pub(crate) fn explain(
    record: &Replay,
    decisions: &[Decision],
    oracle: &Oracle,
    language: Language,
) -> Vec<Vec<String>> {
    let mut told = Vec::new();
    let mut table = &record.start;
    for step in &record.turns {
        for decision in decisions.iter().filter(|decision| decision.turn == step.line.turn) {
            let Some(loss) = decision.counted().filter(|&loss| Quality::of(loss) > Quality::Good) else { continue };
            let actions = || step.line.actions.iter().map(|(&seat, action)| (seat, action.as_str()));
            let instead = actions()
                .map(|(seat, action)| (seat, if seat == decision.seat { decision.best.as_str() } else { action }));
            let Some((_, better)) = play(table, instead, record.seed) else { continue };
            let reply = answer(&step.table, decision.seat, oracle, record.seed);
            let told_reply = reply.as_ref().map(|(seat, action, events)| Alternative { seat: *seat, action, events });
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
            let points = (loss * 100.0).round() as u32;
            let loss = Loss {
                turn: decision.turn,
                points,
                played: Alternative { seat: decision.seat, action: &decision.played, events: &step.events },
                best: Alternative { seat: decision.seat, action: &decision.best, events: &better },
                reply: told_reply,
            };
            told.push(loss_sentences(&loss, language));
        }
        table = &step.table;
    }
    told
}

/// The position after a turn, and what happened in it.
pub(super) fn play<'a>(
    table: &Table,
    actions: impl Iterator<Item = (Seat, &'a str)>,
    seed: Seed,
) -> Option<(Table, Vec<Event>)> {
    let mut after = table.clone();
    let orders = actions.map(|(seat, action)| Ok((seat, order(table, action)?)));
    let joint = orders.collect::<Result<Joint<Action>, Refusal>>().ok()?;
    let mut dice = seed.turn(table.turn().into());
    let events = after.play(&joint, &mut dice).ok()?;
    Some((after, events))
}

/// What the next one can do about it, where one alone is to act.
fn answer(table: &Table, after: Seat, oracle: &Oracle, seed: Seed) -> Option<(Seat, String, Vec<Event>)> {
    let to_act = table.to_act();
    let next = to_act.iter().next().filter(|&seat| to_act.len() == 1 && seat != after)?;
    let judgement: Judgement = oracle.judge(table, next)?;
    let action = judgement.best_action().to_owned();
    let (_, events) = play(table, std::iter::once((next, action.as_str())), seed)?;
    Some((next, action, events))
}

/// A row of bars for numbers from 0 to 1.
pub(crate) fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |value: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 8")]
        let height = (value.clamp(0.0, 1.0) * 8.0) as usize;
        BARS[height.min(7)]
    };
    values.iter().map(|&value| bar(value)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bots::BotSpec;
    use crate::games::Ruleset;
    use crate::games::Viewer;
    use crate::matches::{Log, Match};

    fn record(ruleset: impl Serialize, players: &[&str], turns: u32) -> Replay {
        let ruleset = Arc::new(Ruleset::from_json(&serde_json::json!(ruleset)).expect("a ruleset"));
        let names = players.iter().map(|&name| name.to_owned()).collect();
        let seed = Seed(5);
        let (mut game, header) = Match::open("test", ruleset, seed, names).expect("it seats them");
        let mut bots: Vec<_> = (0..)
            .zip(players)
            .map(|(at, name)| name.parse::<BotSpec>().expect("a bot").seat(seed.child("bot", at)))
            .collect();
        let mut lines = Vec::new();
        let mut log = Log::new(&mut lines);
        log.write(&header).expect("memory");
        while game.table().outcome().is_none() && game.table().turn() < turns {
            for seat in game.awaiting().iter().collect::<Vec<_>>() {
                let action =
                    bots[seat.index()].choose(&game.table().view(Viewer::Seat(seat)), seat).expect("it is to act");
                for line in game.submit(seat, &action.to_string()).expect("bots play by the rules") {
                    log.write(&line).expect("memory");
                }
            }
        }
        Replay::read(lines.as_slice()).expect("it was just written")
    }

    #[test]
    fn who_searches_plays_more_accurately_than_who_plays_anything() {
        for ruleset in ["cowboy", "paint"] {
            let record = record(ruleset, &["search:300", "random"], 30);
            let review = review(&record, &Oracle { nodes: 400, seed: Seed(1) });
            let [search, random] = &review.players[..] else { panic!("two players") };
            let (one, other) = (search.total, random.total);
            assert!(one.accuracy > other.accuracy && one.mean_loss < other.mean_loss, "{ruleset}: {one:?} {other:?}");
            assert_eq!(
                search.chances.len(),
                search.chances.iter().filter(|chance| (0.0..=1.0).contains(*chance)).count()
            );
        }
    }

    #[test]
    fn every_loss_is_told_with_the_better_action_in_both_languages() {
        let record = record(serde_json::json!({ "base": "cowboy", "hp": 2 }), &["random", "search:300"], 60);
        let oracle = Oracle { nodes: 400, seed: Seed(1) };
        let review = review(&record, &oracle);
        let lost: Vec<&Decision> =
            review.decisions.iter().filter(|it| it.quality().is_some_and(|quality| quality > Quality::Good)).collect();
        assert!(!lost.is_empty());
        for language in Language::ALL {
            let told = explain(&record, &review.decisions, &oracle, language);
            assert_eq!(told.len(), lost.len());
            for (sentences, decision) in told.iter().zip(&lost) {
                assert!(sentences[0].contains(&decision.best) && sentences[0].contains(&decision.played));
            }
        }
    }

    #[test]
    fn the_same_record_is_judged_the_same_every_time() {
        let record = record("grid-royale", &["greedy", "random", "greedy", "random"], 6);
        let oracle = Oracle { nodes: 100, seed: Seed(1) };
        assert_eq!(review(&record, &oracle), review(&record, &oracle));
    }

    #[test]
    fn every_move_is_in_one_class() {
        let decision = |loss: f64| Decision {
            turn: 1,
            seat: Seat::new(0),
            played: "pass".to_owned(),
            best: if loss > 0.0 { "move up" } else { "pass" }.to_owned(),
            value: 0.5,
            loss: Some(loss),
            decided: false,
            refused: 1,
            lapsed: false,
        };
        let lapsed = Decision { lapsed: true, ..decision(0.5) };
        let losses = [0.0, 0.04, 0.05, 0.09, 0.1, 0.15, 0.19, 0.2, 0.6];
        let decisions: Vec<Decision> = losses.into_iter().map(decision).chain([lapsed]).collect();
        let total = MoveTotal::of(&decisions);
        assert_eq!((total.decisions, total.refused), (9, 10));
        assert_eq!((total.inaccuracies, total.mistakes, total.blunders), (2, 3, 2));
        assert!((total.agreement - 100.0 / 9.0).abs() < 1e-9 && (total.mean_loss - 142.0 / 9.0).abs() < 1e-9);
        assert_eq!(MoveTotal::of(&[]), MoveTotal::default());
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        for (loss, expected) in [(0.0, 100.0), (0.05, 81.9), (0.1, 67.0), (0.2, 44.9), (-0.1, 100.0)] {
            assert!((accuracy(loss) - expected).abs() < 0.1, "{loss}: {}", accuracy(loss));
        }
    }

    #[test]
    fn a_sparkline_shows_highs_and_lows() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0, 2.0, -1.0, f64::NAN]), "▁▅██▁▁");
    }
}
