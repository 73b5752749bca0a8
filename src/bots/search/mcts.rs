//! Monte-Carlo tree search for any game.
//!
//! Where one seat must act this is plain UCT. Where several must, each keeps its own statistics at the node and chooses
//! by them alone (decoupled UCT); the tree goes on by what they chose together. With three and more players every seat
//! looks after its own score (max-n). New positions are judged at once: playing on from them by quick rules, however
//! sensible, was measured and only made the search weaker. Chance is drawn from the dice that are handed in, never from
//! the match's.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use super::super::bot::Budget;
use crate::games::judge::{Judge, Tuning};
use crate::games::{Dice, Joint, Order, Seat};

/// Beyond about so many bytes the tree grows no more; the search goes on in what there is.
const MAX_BYTES: usize = 256 << 20;

/// Where the position is not known, so many that are possible are thought about, as far as there are so many playouts for
/// each.
const SAMPLES: u32 = 64;
const LEAST_NODES: u32 = 10;

/// What a search thinks of a position, from one seat's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<A> {
    /// Every legal action of the seat, in the order of the rules.
    pub actions: Vec<Considered<A>>,
    /// The score that the seat can expect, in [0, 1].
    pub value: f32,
    /// The action to play, as an index into `actions`.
    pub best: usize,
}

/// What a search thinks of one action.
#[derive(Clone, Debug, PartialEq)]
pub struct Considered<A> {
    /// The action that was tried.
    pub action: A,
    /// How often the search looked at it.
    pub visits: u32,
    /// The score that the seat can expect after it, in [0, 1]: between two, how likely it wins. Nothing where the
    /// search never looked.
    pub value: Option<f32>,
}

impl<A> Considered<A> {
    /// The same about another form of the action.
    pub(super) fn map<B>(self, turn: impl FnOnce(A) -> B) -> Considered<B> {
        Considered { action: turn(self.action), visits: self.visits, value: self.value }
    }
}

/// A search and its memory, which it uses again from move to move.
#[derive(Debug)]
pub struct Search<G: Judge> {
    budget: Budget,
    tuning: Tuning,
    /// The seat that the search plays for.
    seat: Seat,
    max_nodes: usize,
    nodes: Vec<Node<G>>,
    children: HashMap<(u32, u64), u32>,
    choosers: Vec<Chooser>,
    actions: Vec<G::Action>,
    stats: Vec<Stat>,
    // What one look needs.
    path: Vec<PathStep>,
    values: Vec<f32>,
    joint: Joint<G::Action>,
    promise: Vec<f32>,
}

#[derive(Debug)]
struct Node<G> {
    game: G,
    /// Into `choosers`; nothing until the node is looked at a second time, and where the match is over.
    choosers: Option<Range<u32>>,
}

/// A seat that must act at a node.
#[derive(Clone, Copy, Debug)]
struct Chooser {
    seat: Seat,
    /// Its actions in `actions` and `stats`.
    first: u32,
    count: u32,
    /// Of all its actions together.
    visits: u32,
    sum: f64,
}

#[derive(Clone, Copy, Debug)]
struct Stat {
    visits: u32,
    /// Of the scores, which a long search would lose bits of in fewer.
    sum: f64,
    /// What they come to a visit, kept because it is asked for far more often than it changes.
    mean: f32,
    promise: f32,
    /// Whether nothing is better by the rules of thumb.
    habitual: bool,
}

/// A choice on the way from the root to a leaf.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    chooser: u32,
    stat: u32,
}

impl<G: Judge> Search<G> {
    /// A search that thinks so long about a move.
    pub fn new(budget: Budget) -> Search<G> {
        Search::tuned(budget, G::TUNING)
    }

    /// A search with its own setting.
    fn tuned(budget: Budget, tuning: Tuning) -> Search<G> {
        Search {
            budget,
            tuning,
            seat: Seat::new(0),
            max_nodes: 0,
            nodes: Vec::new(),
            children: HashMap::new(),
            choosers: Vec::new(),
            actions: Vec::new(),
            stats: Vec::new(),
            path: Vec::new(),
            values: Vec::new(),
            joint: Joint::new(),
            promise: Vec::new(),
        }
    }

    /// A search that judges and does not play: it takes everybody to do what is best for them, and a draw for half.
    pub fn oracle(budget: Budget) -> Search<G> {
        Search::tuned(budget, Tuning { habit: 0.0, contempt: 0.0, ..G::TUNING })
    }

    /// The best action that the search finds; none for a seat that owes no action.
    pub fn choose(&mut self, game: &G, seat: Seat, dice: &mut Dice) -> Option<G::Action> {
        let mut analysis = self.analyse(game, seat, dice)?;
        Some(analysis.actions.swap_remove(analysis.best).action)
    }

    /// The best action where the position is not known: `draw` gives one of those that are possible.
    pub(super) fn choose_unsure(
        &mut self,
        draw: impl FnMut(&mut Dice) -> G,
        seat: Seat,
        dice: &mut Dice,
    ) -> Option<G::Action> {
        let mut analysis = self.analyse_unsure(draw, seat, dice)?;
        Some(analysis.actions.swap_remove(analysis.best).action)
    }

    /// What the search thinks of every legal action where the position is not known. Many possible positions are thought
    /// about, each in a tree of its own, and what is learnt about the seat's own actions adds up.
    pub(super) fn analyse_unsure(
        &mut self,
        mut draw: impl FnMut(&mut Dice) -> G,
        seat: Seat,
        dice: &mut Dice,
    ) -> Option<Analysis<G::Action>> {
        let whole = self.budget;
        let (samples, share) = whole.shared();
        let mut learnt: Option<(Chooser, Vec<Stat>)> = None;
        self.budget = share;
        for _ in 0..samples {
            let Some(root) = self.plant(draw(dice), seat) else { break };
            let chooser = &mut self.choosers[root];
            // What is allowed does not hang on what is hidden: the list is the same each time.
            if let Some((before, stats)) = &learnt {
                (chooser.visits, chooser.sum) = (before.visits, before.sum);
                for (stat, before) in self.stats[chooser.range()].iter_mut().zip(stats) {
                    (stat.visits, stat.sum, stat.mean) = (before.visits, before.sum, before.mean);
                }
            }
            self.think(dice);
            let chooser = self.choosers[root];
            learnt = Some((chooser, self.stats[chooser.range()].to_vec()));
        }
        self.budget = whole;
        Some(self.conclude(learnt?.0))
    }

    /// What the search thinks of every legal action; nothing for a seat that owes no action.
    pub fn analyse(&mut self, game: &G, seat: Seat, dice: &mut Dice) -> Option<Analysis<G::Action>> {
        let root = self.plant(game.clone(), seat)?;
        if self.choosers[root].count > 1 {
            self.think(dice);
        }
        Some(self.conclude(self.choosers[root]))
    }

    /// Begins a tree, and says which of its choosers the seat is at the root; none if it owes no action.
    fn plant(&mut self, game: G, seat: Seat) -> Option<usize> {
        self.forget();
        self.seat = seat;
        self.nodes.push(Node { game, choosers: None });
        self.expand(0);
        self.max_nodes = MAX_BYTES / self.node_bytes();
        self.choosers.iter().position(|chooser| chooser.seat == seat)
    }

    /// What the search has found out about a seat's actions at the root.
    fn conclude(&self, chooser: Chooser) -> Analysis<G::Action> {
        let range = chooser.range();
        let stats = &self.stats[range.clone()];
        // The most looked at; between equals the better one.
        let rank = |stat: &Stat| (stat.visits, stat.mean().unwrap_or(0.0));
        let mut best = 0;
        for (index, stat) in stats.iter().enumerate() {
            if rank(stat) > rank(&stats[best]) {
                best = index;
            }
        }
        let considered = self.actions[range].iter().zip(stats).map(|(action, stat)| Considered {
            action: action.clone(),
            visits: stat.visits,
            value: stat.mean(),
        });
        Analysis { actions: considered.collect(), value: stats[best].mean().unwrap_or(0.5), best }
    }

    /// About how much memory a node takes, judged by the root.
    fn node_bytes(&self) -> usize {
        let mut position = Vec::new();
        self.nodes[0].game.encode(&mut position);
        size_of::<Node<G>>() + 2 * position.len() + self.actions.len() * (size_of::<G::Action>() + size_of::<Stat>())
    }

    fn forget(&mut self) {
        self.nodes.clear();
        self.children.clear();
        self.choosers.clear();
        self.actions.clear();
        self.stats.clear();
    }

    fn think(&mut self, dice: &mut Dice) {
        match self.budget {
            Budget::Nodes(nodes) => {
                for _ in 0..nodes {
                    self.look(dice);
                }
            }
            Budget::Time(time) => {
                let start = Instant::now();
                self.look(dice);
                while start.elapsed() < time {
                    self.look(dice);
                }
            }
        }
    }

    /// One way down the tree, a new position at its end, and what that one is worth carried back up.
    fn look(&mut self, dice: &mut Dice) {
        self.path.clear();
        let mut at = 0;
        loop {
            let Some(choosers) = self.open(at) else {
                judge(&self.nodes[at].game, self.tuning, &mut self.values);
                break;
            };
            let joint = self.select(at, choosers, dice);
            let key = (narrow(at), joint);
            if let Some(&child) = self.children.get(&key) {
                at = child as usize;
                continue;
            }
            let mut game = self.nodes[at].game.clone();
            game.resolve(&self.joint, dice, &mut ());
            judge(&game, self.tuning, &mut self.values);
            if self.nodes.len() < self.max_nodes {
                self.children.insert(key, narrow(self.nodes.len()));
                self.nodes.push(Node { game, choosers: None });
            }
            break;
        }
        self.carry_back();
    }

    /// The seats that choose at a node, unless the match is over there.
    fn open(&mut self, at: usize) -> Option<Range<usize>> {
        if self.nodes[at].choosers.is_none() {
            self.expand(at);
        }
        let range = self.nodes[at].choosers.clone()?;
        (!range.is_empty()).then_some(range.start as usize..range.end as usize)
    }

    /// Lists who chooses at a node, and what.
    fn expand(&mut self, at: usize) {
        let game = &self.nodes[at].game;
        let start = narrow(self.choosers.len());
        for seat in game.to_act().iter() {
            let first = self.actions.len();
            game.legal_into(seat, &mut self.actions);
            let count = self.actions.len() - first;
            self.promise.clear();
            self.promise.resize(count, 1.0);
            if self.tuning.sharpness > 0.0 {
                game.merits(seat, &self.actions[first..], &mut self.promise);
                let best = self.promise.iter().copied().fold(f32::MIN, f32::max);
                for promise in &mut self.promise {
                    *promise = ((*promise - best) * self.tuning.sharpness).exp();
                }
            }
            let whole: f32 = self.promise.iter().sum();
            self.stats.extend(self.promise.iter().map(|part| Stat {
                visits: 0,
                sum: 0.0,
                mean: 0.0,
                promise: part / whole,
                habitual: *part >= 1.0,
            }));
            self.choosers.push(Chooser { seat, first: narrow(first), count: narrow(count), visits: 0, sum: 0.0 });
        }
        self.nodes[at].choosers = Some(start..narrow(self.choosers.len()));
    }

    /// Lets every seat choose, and gives a number to what they chose together.
    fn select(&mut self, at: usize, choosers: Range<usize>, dice: &mut Dice) -> u64 {
        self.joint.clear();
        let mut key = 0_u64;
        for index in choosers {
            let chooser = self.choosers[index];
            let choice = if chooser.seat != self.seat && self.tuning.habit > 0.0 && unit(dice) < self.tuning.habit {
                self.follow_habit(chooser, dice)
            } else {
                self.prefer(chooser, at, dice)
            };
            let stat = chooser.first + choice;
            self.joint.set(chooser.seat, Order::Play(self.actions[stat as usize].clone()));
            self.path.push(PathStep { chooser: narrow(index), stat });
            // Exact for a few seats; where two choices of many seats fall together, they share a node.
            key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(choice) + 1);
        }
        key
    }

    /// An action as the rules of thumb would choose it.
    fn follow_habit(&self, chooser: Chooser, dice: &mut Dice) -> u32 {
        let stats = &self.stats[chooser.range()];
        let (mut choice, mut equals) = (0, 0);
        for (index, _) in stats.iter().enumerate().filter(|(_, stat)| stat.habitual) {
            equals += 1;
            if dice.below(equals) == 0 {
                choice = narrow(index);
            }
        }
        choice
    }

    /// The action with the highest upper bound of its score.
    #[expect(clippy::cast_precision_loss, reason = "a bound need not be exact")]
    fn prefer(&self, chooser: Chooser, at: usize, dice: &mut Dice) -> u32 {
        let stats = &self.stats[chooser.range()];
        let explore = self.tuning.exploration * (1.0 + chooser.visits as f32).sqrt();
        let mut unseen = mean(chooser.sum, chooser.visits).unwrap_or(0.5);
        if at == 0 {
            // At the root every action is looked at once, so that there is something to say about each.
            unseen += 1000.0;
        }
        // Begins anywhere, so that equals are tried in no particular order.
        let offset = dice.below(chooser.count) as usize;
        let mut best = offset;
        let mut best_bound = f32::MIN;
        for index in (offset..stats.len()).chain(0..offset) {
            let stat = &stats[index];
            let mean = if stat.visits == 0 { unseen } else { stat.mean };
            let bound = mean + explore * stat.promise / (1.0 + stat.visits as f32);
            if bound > best_bound {
                best = index;
                best_bound = bound;
            }
        }
        narrow(best)
    }

    fn carry_back(&mut self) {
        for step in &self.path {
            let chooser = &mut self.choosers[step.chooser as usize];
            let stat = &mut self.stats[step.stat as usize];
            let value = f64::from(self.values[chooser.seat.index()]);
            chooser.visits += 1;
            chooser.sum += value;
            stat.visits += 1;
            stat.sum += value;
            stat.mean = mean(stat.sum, stat.visits).expect("visited");
        }
    }
}

impl Budget {
    /// The same shared out among positions that look alike: how many, and what there is for each.
    fn shared(self) -> (u32, Budget) {
        match self {
            Budget::Nodes(nodes) => {
                let samples = (nodes / LEAST_NODES).clamp(1, SAMPLES);
                (samples, Budget::Nodes(nodes / samples))
            }
            Budget::Time(time) => (SAMPLES, Budget::Time(time / SAMPLES)),
        }
    }
}

/// What each seat gets out of a position.
fn judge<G: Judge>(game: &G, tuning: Tuning, values: &mut Vec<f32>) {
    values.clear();
    values.resize(game.seats(), 0.5);
    let Some(outcome) = game.outcome() else { return game.judge(values) };
    let drawn = outcome.places.values().all(|&place| place == 1) && values.len() > 1;
    for (seat, score) in outcome.scores() {
        #[expect(clippy::cast_possible_truncation, reason = "a score is a small fraction")]
        let score = score as f32;
        values[seat.index()] = if drawn { score - tuning.contempt } else { score };
    }
}

impl Chooser {
    fn range(self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Stat {
    fn mean(&self) -> Option<f32> {
        (self.visits > 0).then_some(self.mean)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the mean of small fractions is one")]
fn mean(sum: f64, visits: u32) -> Option<f32> {
    (visits > 0).then(|| (sum / f64::from(visits)) as f32)
}

/// A fraction from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "24 bits are exact")]
fn unit(dice: &mut Dice) -> f32 {
    (dice.bits() >> 40) as f32 / (1 << 24) as f32
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("a tree within its bytes has fewer than 2^32 of anything")
}
