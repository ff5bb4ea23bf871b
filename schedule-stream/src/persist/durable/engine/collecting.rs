//! The outcomes of a batch that runs here.

use super::super::DurableEvent;
use super::super::digest::Digest;
use super::super::error::DurableError;
use super::super::mark::Marking;
use super::super::watchdog::Watchdog;
use crate::base::position::Position;
use crate::engine::ends::Reporter;
use crate::program::outcome::{EventError, Outcome};

/// A reporter that collects outcomes and their digest.
pub(super) struct Collecting<'o, E: DurableEvent> {
    pub(super) stops: bool,
    /// Positions of events that do not stop the stream.
    pub(super) skipped: Vec<Position>,
    /// Those of them that have failed.
    pub(super) passed: &'o mut Vec<Position>,
    pub(super) outcomes: &'o mut Vec<Outcome<E>>,
    pub(super) digest: Digest,
    pub(super) stopped: Option<Position>,
    /// Whether the mark names one event at a time.
    pub(super) is_one_by_one: bool,
    /// The mark, if there is one.
    pub(super) marking: Option<Marking>,
    pub(super) watchdog: Option<&'o Watchdog>,
    /// Number of events that are not reported.
    pub(super) n_left: usize,
    /// Why the mark was not written.
    pub(super) unmarked: Option<DurableError>,
}

impl<E: DurableEvent> Collecting<'_, E> {
    /// Notes that an event has ended. If the mark names one event at a time, marks the event after the one with this index, which has ended.
    fn mark_after(&mut self, index: u32) {
        self.n_left = self.n_left.saturating_sub(1);
        if let Some(watchdog) = self.watchdog {
            watchdog.note_end();
        }
        if let Some(marking) = &mut self.marking
            && self.is_one_by_one
            && self.n_left > 0
            && let Err(error) = marking.begin_event(index + 1)
        {
            self.unmarked.get_or_insert(error);
        }
    }
}

impl<E: DurableEvent> Reporter<E> for Collecting<'_, E> {
    fn report(&mut self, outcome: Outcome<E>) {
        self.mark_after(outcome.position.index);
        if self.stopped.is_some() {
            return;
        }
        if self.stops && outcome.result.as_ref().is_err_and(EventError::is_failure) {
            if self.skipped.contains(&outcome.position) {
                self.passed.push(outcome.position)
            } else {
                self.stopped = Some(outcome.position)
            }
        }
        self.digest.add(&outcome);
        self.outcomes.push(outcome);
    }
}
