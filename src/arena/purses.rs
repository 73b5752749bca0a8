//! How many unfinished matches each caller has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::live::Live;
use super::view::Stage;

/// The unfinished matches of each caller, however they were opened.
#[derive(Clone, Debug, Default)]
pub struct Purses(Arc<Mutex<HashMap<String, Purse>>>);

/// What is counted under one name.
#[derive(Debug, Default)]
struct Purse {
    opened: Vec<Weak<Live>>,
    /// Matches that are being opened, or waited for in the queue.
    reserved: usize,
}

impl Purse {
    /// How many matches there are that are not over.
    fn count(&mut self) -> usize {
        self.opened.retain(|live| live.upgrade().is_some_and(|live| live.stage() != Stage::Over));
        self.opened.len() + self.reserved
    }
}

/// The purses that one caller's matches are counted in, each with the most that it holds.
#[derive(Clone, Debug)]
pub struct CallerPurses {
    purses: Purses,
    each: Vec<(String, usize)>,
}

/// A purse that is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{count} matches are not over, which is as many as one may have")]
pub struct FullPurse {
    /// Which one, in the order in which they were named.
    pub which: usize,
    /// How many matches are counted in it.
    pub count: usize,
    /// How many it holds.
    pub most: usize,
}

/// Leave for one more match. Dropped without one, it is given back.
#[derive(Debug)]
pub struct ReservedMatch {
    purses: Purses,
    names: Vec<String>,
}

impl Purses {
    fn locked(&self) -> MutexGuard<'_, HashMap<String, Purse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of a caller: their names, each with the most that it holds.
    pub fn of(&self, each: Vec<(String, usize)>) -> CallerPurses {
        CallerPurses { purses: self.clone(), each }
    }
}

impl CallerPurses {
    /// Sets one more match aside in each of them: looked at and counted in one go, however many ask at once.
    ///
    /// # Errors
    /// If one of them is full.
    pub fn reserve(&self) -> Result<ReservedMatch, FullPurse> {
        let mut purses = self.purses.locked();
        for (which, (name, most)) in self.each.iter().enumerate() {
            let count = purses.get_mut(name).map_or(0, Purse::count);
            if count >= *most {
                return Err(FullPurse { which, count, most: *most });
            }
        }
        for (name, _) in &self.each {
            purses.entry(name.clone()).or_default().reserved += 1;
        }
        let names = self.each.iter().map(|(name, _)| name.clone()).collect();
        Ok(ReservedMatch { purses: self.purses.clone(), names })
    }
}

impl ReservedMatch {
    /// The match that was opened; whoever is told of it again has opened one.
    pub fn opened(mut self, live: &Arc<Live>) {
        let names = std::mem::take(&mut self.names);
        let live = Arc::downgrade(live);
        let mut purses = self.purses.locked();
        for name in names {
            let purse = purses.entry(name).or_default();
            purse.reserved = purse.reserved.saturating_sub(1);
            if !purse.opened.iter().any(|other| other.ptr_eq(&live)) {
                purse.opened.push(live.clone());
            }
        }
    }
}

impl Drop for ReservedMatch {
    fn drop(&mut self) {
        let mut purses = self.purses.locked();
        for name in &self.names {
            if let Some(purse) = purses.get_mut(name) {
                purse.reserved = purse.reserved.saturating_sub(1);
                if purse.count() == 0 {
                    purses.remove(name);
                }
            }
        }
    }
}
