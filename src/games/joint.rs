//! What the seats of one turn do together.

use super::seat::Seat;

/// What one seat does in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order<A> {
    /// The player's own action.
    Play(A),
    /// An action that the referee drew for a player who gave none in time, where the ruleset's policy says so.
    StandIn(A),
    /// The referee's: the turn is used up and nothing is done.
    Pass,
    /// The referee's: the player is taken out.
    Forfeit,
}

impl<A> Order<A> {
    /// The action, the player's own or drawn for it.
    pub fn action(&self) -> Option<&A> {
        match self {
            Order::Play(action) | Order::StandIn(action) => Some(action),
            Order::Pass | Order::Forfeit => None,
        }
    }

    /// The same order with its action turned into another type.
    pub(super) fn try_map<B, E>(&self, turn: impl FnOnce(&A) -> Result<B, E>) -> Result<Order<B>, E> {
        Ok(match self {
            Order::Play(action) => Order::Play(turn(action)?),
            Order::StandIn(action) => Order::StandIn(turn(action)?),
            Order::Pass => Order::Pass,
            Order::Forfeit => Order::Forfeit,
        })
    }
}

/// The orders of one turn, by seat and in seat order. Meant to be cleared and filled again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint<A>(Vec<(Seat, Order<A>)>);

impl<A> Joint<A> {
    /// No order yet.
    pub const fn new() -> Joint<A> {
        Joint(Vec::new())
    }

    /// One seat's order.
    pub fn one(seat: Seat, order: Order<A>) -> Joint<A> {
        Joint(vec![(seat, order)])
    }

    /// Forgets all orders and keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets a seat's order, in place of any that it had.
    pub fn set(&mut self, seat: Seat, order: Order<A>) {
        match self.0.last() {
            Some(&(last, _)) if last >= seat => match self.0.binary_search_by_key(&seat, |&(seat, _)| seat) {
                Ok(at) => self.0[at].1 = order,
                Err(at) => self.0.insert(at, (seat, order)),
            },
            _ => self.0.push((seat, order)),
        }
    }

    /// A seat's order.
    pub fn get(&self, seat: Seat) -> Option<&Order<A>> {
        if let [(only, order)] = self.0.as_slice() {
            return (*only == seat).then_some(order);
        }
        self.0.binary_search_by_key(&seat, |&(seat, _)| seat).ok().map(|at| &self.0[at].1)
    }

    /// The orders in seat order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Seat, &Order<A>)> {
        self.0.iter().map(|(seat, order)| (*seat, order))
    }

    /// How many seats have an order.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no seat has an order.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<A> IntoIterator for Joint<A> {
    type Item = (Seat, Order<A>);
    type IntoIter = std::vec::IntoIter<(Seat, Order<A>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<A> Default for Joint<A> {
    fn default() -> Joint<A> {
        Joint::new()
    }
}

impl<A> FromIterator<(Seat, Order<A>)> for Joint<A> {
    fn from_iter<I: IntoIterator<Item = (Seat, Order<A>)>>(iter: I) -> Joint<A> {
        let mut joint = Joint::new();
        for (seat, order) in iter {
            joint.set(seat, order);
        }
        joint
    }
}
