//! The outcomes that a recovery reports again.

use super::{DurableEvent, OutcomesFrom};
use crate::base::position::Position;
use crate::program::outcome::Outcome;

/// The outcomes that are reported again.
pub(super) struct Released<E: DurableEvent> {
    pub(super) from: Option<OutcomesFrom<E>>,
    /// Outcomes after this position depend on a record that is not in the journal yet.
    first_held: Option<Position>,
    held: Vec<Outcome<E>>,
}

impl<E: DurableEvent> Released<E> {
    pub(super) fn new(from: Option<OutcomesFrom<E>>, first_held: Option<Position>) -> Self {
        Self {
            from,
            first_held,
            held: Vec::new(),
        }
    }

    /// Reports nothing.
    pub(super) fn nothing() -> Self {
        Self::new(None, None)
    }

    /// Reports outcomes, or holds them.
    pub(super) fn release(&mut self, outcomes: Vec<Outcome<E>>) {
        let Some(from) = &mut self.from else {
            return;
        };
        let is_wanted = |outcome: &Outcome<E>| outcome.position >= from.first;
        for outcome in outcomes.into_iter().filter(is_wanted) {
            if self.first_held.is_some_and(|held| outcome.position > held) {
                self.held.push(outcome)
            } else {
                (from.callback)(outcome)
            }
        }
    }

    /// Reports the outcomes that were held: the record is in the journal.
    pub(super) fn release_held(&mut self) {
        self.first_held = None;
        let held = core::mem::take(&mut self.held);
        self.release(held);
    }
}
