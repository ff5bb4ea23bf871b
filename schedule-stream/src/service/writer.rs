//! The thread that writes the journal, and releases answers after their batch is synced.
//!
//! It takes all messages that wait, appends their records as one group, and syncs once. Meanwhile, the worker processes the next
//! batches. A failed sync ends the thread. Answers that were not released are dropped, so their clients get `Unknown`.

use std::sync::mpsc::{Receiver, Sender};

use super::message::{Answered, Message, Saved};
use super::reports::ServiceReports;
use super::settings::OutcomeListener;
use crate::durable::{DurableError, DurableEvent};
use crate::journal::Journal;
use schedule::internal::Instant;

pub(super) struct Writer<E: DurableEvent> {
    journal: Box<dyn Journal>,
    messages: Receiver<Message<E>>,
    snapshots: Sender<Saved>,
    outcomes: Option<OutcomeListener<E>>,
    reports: ServiceReports,
}

impl<E: DurableEvent> Writer<E> {
    pub(super) fn new(
        journal: Box<dyn Journal>,
        messages: Receiver<Message<E>>,
        snapshots: Sender<Saved>,
        outcomes: Option<OutcomeListener<E>>,
        reports: ServiceReports,
    ) -> Self {
        Self {
            journal,
            messages,
            snapshots,
            outcomes,
            reports,
        }
    }

    /// Serves messages until the end. Returns the journal. Reports the error that ends it.
    pub(super) fn run(self) -> Result<Box<dyn Journal>, DurableError> {
        let reports = self.reports.clone();
        let ended = self.serve();
        match &ended {
            // The worker has ended first.
            Ok(_) | Err(DurableError::Closed) => {}
            Err(error) => reports.journal_failed(error),
        }
        ended
    }

    fn serve(mut self) -> Result<Box<dyn Journal>, DurableError> {
        let mut records = Vec::new();
        let mut waiting = Vec::new();
        while let Ok(first) = self.messages.recv() {
            let others = self.messages.try_iter();
            for message in core::iter::once(first).chain(others) {
                match message {
                    Message::Record(record) => records.push(record),
                    other => waiting.push(other),
                }
            }
            if !records.is_empty() {
                let start = Instant::now();
                self.journal.append(&records)?;
                self.journal.sync()?;
                self.reports.meter.note_sync(start);
                records.clear();
            }
            // All records before these messages are synced.
            for message in waiting.drain(..) {
                match message {
                    Message::Record(_) => unreachable!("records are in the other list"),
                    Message::Outcomes(all) => self.release(all),
                    Message::Answer(answer) => answer(),
                    // If the thread has ended, the answer is dropped.
                    Message::Snapshot(saved) => drop(self.snapshots.send(saved)),
                    Message::Truncate(before) => self.journal.truncate(before)?,
                    Message::End => return Ok(self.journal),
                }
            }
        }
        // The worker has ended without a last message, because it panicked.
        Err(DurableError::Closed)
    }

    fn release(&mut self, outcomes: Vec<Answered<E>>) {
        self.reports.meter.note_released(outcomes.len());
        for (outcome, reply) in outcomes {
            if let Some(listener) = &mut self.outcomes {
                listener(&outcome);
            }
            if let Some(reply) = reply {
                // The client may have gone away.
                drop(reply.send(Ok(outcome)));
            }
        }
    }
}
