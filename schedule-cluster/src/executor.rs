//! The supervisor as the executor of a durable stream, shared with the thread that watches the workers and with handles.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schedule::{BoxError, FailurePolicy};
use schedule_stream::internal::{
    AddedEvent, BatchExecutor, EventEnd, EventResult, FinishError, SentEvent,
};
use schedule_stream::journal::JournalHead;
use schedule_stream::{BatchTime, EventLimits};

use crate::error::StartError;
use crate::supervisor::{DeadlyEvent, Status, Supervisor};

/// Maximum number of batches that have begun and are not finished.
const MAX_BEGUN: usize = 4;

/// See the module.
pub(crate) struct Shared<E: SentEvent> {
    pub(crate) supervisor: Arc<Mutex<Supervisor<E>>>,
    pub(crate) status: Arc<Mutex<Status>>,
}

impl<E: SentEvent> Clone for Shared<E> {
    fn clone(&self) -> Self {
        Self {
            supervisor: Arc::clone(&self.supervisor),
            status: Arc::clone(&self.status),
        }
    }
}

impl<E: SentEvent> Shared<E> {
    pub(crate) fn new(supervisor: Supervisor<E>) -> Self {
        Self {
            status: Arc::clone(&supervisor.status),
            supervisor: Arc::new(Mutex::new(supervisor)),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Supervisor<E>> {
        self.supervisor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: SentEvent> BatchExecutor<E> for Shared<E> {
    fn prepare(
        &mut self,
        program: &JournalHead,
        limits: EventLimits,
        policy: FailurePolicy,
    ) -> Result<(), BoxError> {
        if policy == FailurePolicy::Stop {
            return Err(Box::new(StartError::StopPolicy));
        }
        self.lock().set_program(program, limits);
        Ok(())
    }

    fn restore(&mut self, saved: Option<&[u8]>) -> Result<(), BoxError> {
        self.lock().restore(saved)
    }

    fn max_begun(&self) -> usize {
        if self.lock().wants_save() {
            // The batches end, so that the state can be saved.
            1
        } else {
            MAX_BEGUN
        }
    }

    fn add(
        &mut self,
        batch: u64,
        time: BatchTime,
        events: &mut dyn Iterator<Item = AddedEvent<'_, E>>,
        is_last: bool,
    ) -> Result<(), BoxError> {
        self.lock().add_events(batch, time, events, is_last)
    }

    fn finish(&mut self, ended: &mut dyn FnMut(u32, EventEnd<E>)) -> Result<(), FinishError> {
        let ends = self.lock().finish_batch().map_err(|error| {
            match error.downcast_ref::<DeadlyEvent>() {
                Some(&DeadlyEvent { position, n_deaths }) => FinishError::EndsProcess {
                    index: position.index,
                    n_deaths,
                },
                None => FinishError::Failed(error),
            }
        })?;
        ends.into_iter().for_each(|(index, end)| ended(index, end));
        Ok(())
    }

    fn refuse(&mut self, batch: u64, index: u32) -> Result<(), BoxError> {
        self.lock().refuse(batch, index)
    }

    fn query(&mut self, time: BatchTime, event: &E) -> Result<EventResult<E>, BoxError> {
        self.lock().run_query(time, event)
    }

    fn save(&mut self, batch: u64) -> Result<Vec<u8>, BoxError> {
        self.lock().publish(batch)
    }
}
