//! Swiss rounds: who has as many points meets, and nobody twice where it can be helped.

use std::collections::HashMap;

use super::super::score::Entrant;
use super::{Edition, Played, Setup};

/// So many tries to avoid a second meeting, then one is taken.
const MAX_TRIES: u32 = 20_000;

/// The groups of the next round. Those for whom no seat is left rest; nobody rests twice before all have rested.
pub(super) fn pair(setup: &Setup, played: &Played) -> Vec<Vec<Entrant>> {
    let mut table = SwissTable::of(setup, played);
    table.rest(setup.entrants % setup.seats);
    let mut order = table.order.clone();
    if played.is_empty() && setup.edition != Edition::First {
        // Nobody has points yet: neighbours in the file are no nearer to each other than others. The upper half meets
        // the lower, or each part of the file every other.
        let tables = order.len() / setup.seats;
        order = (0..tables)
            .flat_map(|table| order.iter().skip(table).step_by(tables).copied().collect::<Vec<_>>())
            .collect();
    }
    let groups = if setup.seats == 2 { table.duels(&order) } else { None };
    let groups = groups.unwrap_or_else(|| order.chunks(setup.seats).map(<[usize]>::to_vec).collect());
    groups.into_iter().map(|group| group.into_iter().map(Entrant::new).collect()).collect()
}

struct SwissTable {
    /// All players, the best first.
    order: Vec<usize>,
    /// How many blocks each has played.
    blocks: Vec<u32>,
    met: HashMap<(usize, usize), u32>,
}

impl SwissTable {
    fn of(setup: &Setup, played: &Played) -> SwissTable {
        let mut points = vec![0.0; setup.entrants];
        let mut blocks = vec![0; setup.entrants];
        let mut met = HashMap::new();
        for (group, scores) in played.values() {
            for (one, score) in group.iter().zip(scores) {
                points[one.index()] += score;
                blocks[one.index()] += 1;
                for other in group {
                    *met.entry((one.index(), other.index())).or_insert(0) += 1;
                }
            }
        }
        // Whoever rested has the points of a full round.
        let most = blocks.iter().copied().max().unwrap_or(0);
        let standing = |one: usize| points[one] + f64::from(most - blocks[one]);
        let mut order: Vec<usize> = (0..setup.entrants).collect();
        order.sort_by(|&one, &other| standing(other).total_cmp(&standing(one)).then(one.cmp(&other)));
        SwissTable { order, blocks, met }
    }

    /// Takes out those for whom there is no seat: from below, whoever has played most.
    fn rest(&mut self, how_many: usize) {
        for _ in 0..how_many {
            let most = self.order.iter().map(|&one| self.blocks[one]).max();
            if let Some(at) = self.order.iter().rposition(|&one| Some(self.blocks[one]) == most) {
                self.order.remove(at);
            }
        }
    }

    /// Pairs from the top; steps back where somebody is left whom all the others have met.
    fn duels(&self, order: &[usize]) -> Option<Vec<Vec<usize>>> {
        let mut free = vec![true; order.len()];
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for _ in 0..MAX_TRIES {
            let Some(top) = free.iter().position(|&is_free| is_free) else {
                return Some(chosen.iter().map(|&(one, other)| vec![order[one], order[other]]).collect());
            };
            let fresh = |&at: &usize| free[at] && !self.met.contains_key(&(order[top], order[at]));
            if let Some(other) = (from.max(top + 1)..order.len()).find(fresh) {
                (free[top], free[other]) = (false, false);
                chosen.push((top, other));
                from = 0;
            } else {
                let (one, other) = chosen.pop()?;
                (free[one], free[other]) = (true, true);
                from = other + 1;
            }
        }
        None
    }
}
