//! The interface to other processes that run the batches of a durable stream.

use super::keys::EventResult;
use crate::base::position::BatchTime;
use crate::engine::single::EventEnd;
use crate::persist::journal::JournalHead;
use crate::program::event::Event;
use crate::store::limits::EventLimits;
use schedule::{BoxError, FailurePolicy};

/// An event that is added to a batch.
#[derive(Debug)]
pub struct AddedEvent<'e, E> {
    /// The index in the batch.
    pub index: u32,
    /// Maximum number of follow-up events that the handler may return. With more, it has failed.
    pub max_follow_ups: u32,
    /// The event.
    pub event: &'e E,
}

/// The reason why a batch was not finished.
#[derive(Debug)]
pub enum FinishError {
    /// The processes cannot run the events.
    Failed(BoxError),
    /// A process ends each time that it runs an event.
    EndsProcess {
        /// The index of the event in the oldest batch.
        index: u32,
        /// The number of processes that have ended while only this event ran.
        n_deaths: u32,
    },
}

impl From<BoxError> for FinishError {
    fn from(error: BoxError) -> Self {
        Self::Failed(error)
    }
}

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
        limits: EventLimits,
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

    /// Adds events to a batch. Does not wait for them. Batches, and the events of a batch, come in
    /// order. `is_last`: the batch has no more events.
    ///
    /// # Errors
    ///
    /// If the processes cannot run the events.
    fn add(
        &mut self,
        batch: u64,
        time: BatchTime,
        events: &mut dyn Iterator<Item = AddedEvent<'_, E>>,
        is_last: bool,
    ) -> Result<(), BoxError>;

    /// Waits for the oldest batch. Its last events were added. Calls `ended` once with the index and the end of each event,
    /// in any order.
    ///
    /// # Errors
    ///
    /// If the processes cannot run the events. After [`FinishError::EndsProcess`], `ended` was not called, and the batch can be finished
    /// again, without the event: see [`refuse`](Self::refuse).
    fn finish(&mut self, ended: &mut dyn FnMut(u32, EventEnd<E>)) -> Result<(), FinishError>;

    /// Takes an event out of a batch that is not finished. It has failed.
    ///
    /// # Errors
    ///
    /// If the batch has no such event.
    fn refuse(&mut self, batch: u64, index: u32) -> Result<(), BoxError>;

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
