//! Move quality over many games: who plays how accurately, and which moves gave away most.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::analyze::{Bin, Decision, MoveTotal, calibrate, explain, review};
use super::oracle::Oracle;
use super::score::count;
use crate::briefs::{Language, Quality};
use crate::games::Seat;
use crate::matches::Replay;

/// Where it is kept beside the games.
pub(crate) const TOPIC: &str = "moves";

/// The version of what is kept.
pub(crate) const MOVES_VERSION: u32 = 1;

/// So many of the worst moves are told, at most so many of one player.
const WORST: usize = 6;
const WORST_OF_ONE: usize = 2;

/// So many games have their course drawn.
const CURVES: usize = 2;

/// What the oracle says of many games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moves {
    /// [`MOVES_VERSION`]; 0 where a loss counted in every class that it reached.
    #[serde(default)]
    pub version: u32,
    /// Which oracle judged.
    pub oracle: String,
    /// Its playouts a position.
    pub nodes: u32,
    /// How many games.
    pub games: usize,
    /// Everybody who decided something.
    pub players: Vec<PlayerMoves>,
    /// How well the oracle foresaw the end.
    pub calibration: Vec<Bin>,
    /// The moves that gave away most, the worst first.
    pub worst: Vec<Worst>,
    /// How the chance to win went, in a few games.
    pub curves: Vec<Curve>,
}

/// How well somebody plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerMoves {
    /// The player, as records call it.
    pub player: String,
    /// How good its moves were.
    #[serde(flatten)]
    pub total: MoveTotal,
}

/// A move that gave away much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// In which match.
    pub match_id: String,
    /// Counted from 1.
    pub turn: u32,
    /// The seat that made the move.
    pub seat: Seat,
    /// Who sat there.
    pub player: String,
    /// What it lost, in [0, 1].
    pub loss: f64,
    /// What there is to say, in English and in Chinese.
    pub en: Vec<String>,
    /// The same sentences in Chinese.
    pub zh: Vec<String>,
}

/// How the chance to win went in a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The match that it is about.
    pub match_id: String,
    /// By seat: who, and what it could expect before each of its turns.
    pub seats: Vec<(String, Vec<(u32, f64)>)>,
}

impl Moves {
    /// What is kept, whichever version wrote it; nothing where this one cannot read it.
    pub fn read(body: &str) -> Option<Moves> {
        let mut moves: Moves = serde_json::from_str(body).ok()?;
        if moves.version < MOVES_VERSION {
            for MoveTotal { inaccuracies, mistakes, blunders, .. } in moves.players.iter_mut().map(|it| &mut it.total) {
                *inaccuracies = inaccuracies.saturating_sub(*mistakes);
                *mistakes = mistakes.saturating_sub(*blunders);
            }
        }
        Some(moves)
    }
}

/// Judges games, on all cores. `progress` is told after each.
pub(crate) fn judge(records: &[Replay], oracle: &Oracle, progress: impl Fn(usize) + Sync) -> Moves {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let judged: Mutex<BTreeMap<usize, Vec<Decision>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(records.len()) {
            scope.spawn(|| {
                while let Some((at, record)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, records.get(at)?)))
                {
                    let decisions = review(record, oracle).decisions;
                    judged.lock().unwrap_or_else(PoisonError::into_inner).insert(at, decisions);
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let judged = judged.into_inner().unwrap_or_else(PoisonError::into_inner);
    let decided: Vec<(&Replay, &Vec<Decision>)> = judged.iter().map(|(&at, it)| (&records[at], it)).collect();
    Moves {
        version: MOVES_VERSION,
        oracle: oracle.version(),
        nodes: oracle.nodes,
        games: records.len(),
        players: players(&decided),
        calibration: calibration(&decided),
        worst: worst(&decided, oracle),
        curves: liveliest(&decided),
    }
}

fn name(record: &Replay, seat: Seat) -> String {
    record.seats.get(seat.index()).map_or_else(|| seat.to_string(), |info| info.player.clone())
}

fn players(decided: &[(&Replay, &Vec<Decision>)]) -> Vec<PlayerMoves> {
    let mut by: BTreeMap<String, Vec<&Decision>> = BTreeMap::new();
    for (record, decisions) in decided {
        for decision in *decisions {
            by.entry(name(record, decision.seat)).or_default().push(decision);
        }
    }
    let total = |(player, own): (String, Vec<&Decision>)| PlayerMoves { player, total: MoveTotal::of(own) };
    let mut players: Vec<PlayerMoves> = by.into_iter().map(total).collect();
    // Of whom little is known says nothing about those above or below.
    players.sort_by(|one, other| {
        let (one, other) = (&one.total, &other.total);
        one.is_few().cmp(&other.is_few()).then(other.accuracy.total_cmp(&one.accuracy))
    });
    players
}

/// The bins of all games together.
fn calibration(decided: &[(&Replay, &Vec<Decision>)]) -> Vec<Bin> {
    let mut bins: Vec<Bin> = Vec::new();
    for (record, decisions) in decided {
        let end = record.turns.last().map_or(&record.start, |step| &step.table);
        let Some(outcome) = end.outcome() else { continue };
        for bin in calibrate(decisions, &outcome) {
            let fifth = |bin: &Bin| (bin.expected * 5.0).floor().min(4.0);
            let same = |other: &&mut Bin| (fifth(other) - fifth(&bin)).abs() < 0.5;
            match bins.iter_mut().find(same) {
                Some(known) => {
                    let (before, more) = (count(known.decisions), count(bin.decisions));
                    let mean = |one: f64, other: f64| (one * before + other * more) / (before + more);
                    known.expected = mean(known.expected, bin.expected);
                    known.actual = mean(known.actual, bin.actual);
                    known.decisions += bin.decisions;
                }
                None => bins.push(bin),
            }
        }
    }
    bins.sort_by(|one, other| one.expected.total_cmp(&other.expected));
    bins
}

fn worst(decided: &[(&Replay, &Vec<Decision>)], oracle: &Oracle) -> Vec<Worst> {
    let mut all: Vec<(f64, &Replay, &Decision)> = Vec::new();
    for (record, decisions) in decided {
        all.extend(decisions.iter().filter_map(|it| Some((it.counted()?, *record, it))));
    }
    all.retain(|(loss, _, _)| Quality::of(*loss) >= Quality::Inaccuracy);
    all.sort_by(|(one, _, _), (other, _, _)| other.total_cmp(one));
    let mut of_one: BTreeMap<String, usize> = BTreeMap::new();
    let mut worst = Vec::new();
    for (loss, record, decision) in all {
        let player = name(record, decision.seat);
        let told = of_one.entry(player.clone()).or_default();
        if *told >= WORST_OF_ONE || worst.len() >= WORST {
            continue;
        }
        *told += 1;
        let sentences = |language| explain(record, std::slice::from_ref(decision), oracle, language).concat();
        worst.push(Worst {
            match_id: record.id.clone(),
            turn: decision.turn,
            seat: decision.seat,
            player,
            loss,
            en: sentences(Language::En),
            zh: sentences(Language::Zh),
        });
    }
    worst
}

/// The games in which the chance to win changed most.
fn liveliest(decided: &[(&Replay, &Vec<Decision>)]) -> Vec<Curve> {
    let swing = |decisions: &[Decision]| {
        let steps = decisions.windows(3).map(|some| (some[2].value - some[0].value).abs());
        steps.sum::<f64>() / count(decisions.len().max(1))
    };
    let mut order: Vec<usize> = (0..decided.len()).collect();
    order.sort_by(|&one, &other| swing(decided[other].1).total_cmp(&swing(decided[one].1)).then(one.cmp(&other)));
    order.into_iter().take(CURVES).map(|at| curve(decided[at].0, decided[at].1)).collect()
}

fn curve(record: &Replay, decisions: &[Decision]) -> Curve {
    let seats = record.seats.iter().map(|info| {
        let own = decisions.iter().filter(|it| it.seat == info.seat).map(|it| (it.turn, it.value));
        (format!("{} {}", info.seat, info.player), own.collect())
    });
    Curve { match_id: record.id.clone(), seats: seats.collect() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bots::BotSpec;
    use crate::games::Viewer;
    use crate::games::{Ruleset, Seed};
    use crate::matches::{Log, Match};

    fn record(number: u64, players: [&str; 2]) -> Replay {
        let ruleset = serde_json::json!({ "base": "cowboy", "hp": 2 });
        let ruleset = Arc::new(Ruleset::from_json(&ruleset).expect("a ruleset"));
        let names = players.iter().map(|&name| name.to_owned()).collect();
        let (mut game, header) = Match::open(format!("m{number}"), ruleset, Seed(number), names).expect("two");
        let mut bots = players.map(|name| name.parse::<BotSpec>().expect("a bot").seat(Seed(number)));
        let mut lines = Vec::new();
        let mut log = Log::new(&mut lines);
        log.write(&header).expect("memory");
        while game.table().outcome().is_none() && game.table().turn() < 40 {
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
    fn who_plays_anything_is_less_accurate_and_has_the_worst_moves_in_both_languages() {
        let records: Vec<Replay> = (0..3)
            .map(|number| record(number, if number == 1 { ["random", "search:200"] } else { ["search:200", "random"] }))
            .collect();
        let oracle = Oracle { nodes: 200, seed: Seed(1) };
        let moves = judge(&records, &oracle, |_| {});
        let of = |name: &str| moves.players.iter().find(|it| it.player == name).expect("it played");
        assert!(of("search:200").total.accuracy > of("random").total.accuracy, "{:?}", moves.players);
        assert_eq!(moves.worst[0].player, "random", "{:?}", moves.worst);
        assert!(moves.worst.windows(2).all(|pair| pair[0].loss >= pair[1].loss));
        for worst in &moves.worst {
            assert!(!worst.en.is_empty() && !worst.zh.is_empty() && worst.en != worst.zh);
        }
        assert_eq!((moves.games, moves.curves.len()), (3, 2));
        assert_eq!(judge(&records, &oracle, |_| {}), moves, "threads change nothing");
        let read = Moves::read(&serde_json::to_string(&moves).expect("plain data")).expect("ours");
        assert_eq!(read.players.len(), moves.players.len());
    }

    #[test]
    fn what_an_earlier_version_judged_is_read_with_every_loss_in_one_class() {
        let kept = r#"{"oracle":"o","nodes":1,"games":1,"calibration":[],"worst":[],"curves":[],"players":[{"player":"a",
            "decisions":40,"mean_loss":1.0,"accuracy":80.0,"agreement":50.0,"inaccuracies":9,"mistakes":5,"blunders":2,"refused":0}]}"#;
        let total = Moves::read(kept).expect("ours").players[0].total;
        assert_eq!((total.inaccuracies, total.mistakes, total.blunders), (4, 3, 2));
        let kept = kept.replacen('{', r#"{"version":1,"#, 1);
        let total = Moves::read(&kept).expect("ours").players[0].total;
        assert_eq!((total.inaccuracies, total.mistakes, total.blunders), (9, 5, 2));
    }

    #[test]
    fn whoever_decided_little_comes_last() {
        let record = record(0, ["search:200", "random"]);
        let decision = |seat: &str, loss| Decision {
            turn: 1,
            seat: seat.parse().expect("a seat"),
            played: String::new(),
            best: String::new(),
            value: 0.5,
            loss: Some(loss),
            decided: false,
            refused: 0,
            lapsed: false,
        };
        let few = std::iter::repeat_n(decision("A", 0.0), 29);
        let enough = std::iter::repeat_n(decision("B", 0.3), 30);
        let ranked = players(&[(&record, &few.chain(enough).collect())]);
        assert_eq!(
            ranked.iter().map(|it| (it.player.as_str(), it.total.is_few())).collect::<Vec<_>>(),
            [("random", false), ("search:200", true)]
        );
    }
}
