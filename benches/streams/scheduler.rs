//! What a scheduler of events has to know.

use crate::entry::Entry;

/// Finds out what is ready.
pub(crate) trait Scheduler {
    /// Events arrive one after the other.
    fn insert(&mut self, position: u32, entry: &Entry);

    /// Something that is ready, if anything is. Once each.
    fn pop(&mut self) -> Option<u32>;

    /// What had been ready is done.
    fn finish(&mut self, position: u32);

    /// Whether more may be inserted before everything is done.
    fn has_room(&self) -> bool {
        true
    }

    /// Everything that was inserted is done.
    fn rest(&mut self) {}
}
