//! The interface to other processes that run the batches of a durable stream.

use super::keys::EventResult;
use crate::event::Event;
use crate::journal::JournalHead;
use crate::limits::Limits;
use crate::position::BatchTime;
use crate::single::EventEnd;
use schedule::{BoxError, FailurePolicy};

/// Runs the batches of a durable stream in other processes. The stream numbers the events, and writes the journal.
///
/// After an error, the stream calls only [`restore`](Self::restore), or nothing.
pub trait BatchExecutor<E: Event>: Send {
    /// Prepares to run this program. Called once, before all other methods.
    ///
    /// # Errors
    ///
    /// If the program cannot run in other processes.
    fn prepare(
        &mut self,
        program: &JournalHead,
        limits: Limits,
        policy: FailurePolicy,
    ) -> Result<(), BoxError>;

    /// Replaces the state by one that [`save`](Self::save) has returned, or by that before the first batch.
    ///
    /// # Errors
    ///
    /// If the state cannot be restored, or if the processes cannot be started.
    fn restore(&mut self, saved: Option<&[u8]>) -> Result<(), BoxError>;

    /// Maximum number of batches that may have begun and are not finished.
    fn max_begun(&self) -> usize;

    /// Adds events to a batch, each with its index. Does not wait for them. Batches, and the events of a batch, come in
    /// order. `is_last`: the batch has no more events.
    ///
    /// # Errors
    ///
    /// If the processes cannot run the events.
    fn add(
        &mut self,
        batch: u64,
        time: BatchTime,
        events: &mut dyn Iterator<Item = (u32, &E)>,
        is_last: bool,
    ) -> Result<(), BoxError>;

    /// Waits for the oldest batch. Its last events were added. Calls `ended` once with the index and the end of each event,
    /// in any order.
    ///
    /// # Errors
    ///
    /// If the processes cannot run the events.
    fn finish(&mut self, ended: &mut dyn FnMut(u32, EventEnd<E>)) -> Result<(), BoxError>;

    /// Runs the handler of an event that writes nothing, after the last batch. All batches are finished.
    ///
    /// # Errors
    ///
    /// If the processes cannot run the event.
    fn query(&mut self, time: BatchTime, event: &E) -> Result<EventResult<E>, BoxError>;

    /// Saves the state after the last batch, which is finished. The returned bytes are stored when the batch is durable.
    ///
    /// # Errors
    ///
    /// If the state cannot be saved.
    fn save(&mut self, batch: u64) -> Result<Vec<u8>, BoxError>;
}
