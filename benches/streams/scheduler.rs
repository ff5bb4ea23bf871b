//! The interface of event schedulers.

use crate::entry::Entry;

/// Finds the events that are ready.
pub(crate) trait Scheduler {
    /// Adds an event. Events are added in order.
    fn insert(&mut self, position: u32, entry: &Entry);

    /// Returns a ready event, each once. `None` if no event is ready.
    fn pop(&mut self) -> Option<u32>;

    /// Completes an event that [`Scheduler::pop`] returned.
    fn finish(&mut self, position: u32);

    /// Whether more events may be added before all are completed.
    fn has_room(&self) -> bool {
        true
    }

    /// Called when all added events are completed.
    fn rest(&mut self) {}
}
