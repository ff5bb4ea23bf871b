//! The thread that writes the journal, and releases answers after their batch is synced.
//!
//! It takes all messages that wait, appends their records as one group, and syncs once. Meanwhile, the worker processes the next
//! batches. A failed sync ends the thread. Answers that were not released are dropped, so their clients get `Unknown`.

use std::sync::mpsc::{Receiver, Sender};

use super::message::{Answered, Message, Saved};
use super::reports::ServiceReports;
use super::settings::OutcomeListener;
use crate::persist::durable::digested_journal::DigestedJournal;
use crate::persist::durable::{DurableError, DurableEvent};
use schedule::internal::{FirstPanic, Instant, drop_caught};

pub(super) struct Writer<E: DurableEvent> {
    journal: DigestedJournal,
    messages: Receiver<Message<E>>,
    snapshots: Sender<Saved>,
    outcomes: Option<OutcomeListener<E>>,
    reports: ServiceReports,
}

impl<E: DurableEvent> Writer<E> {
    pub(super) fn new(
        journal: DigestedJournal,
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
    pub(super) fn run(self) -> Result<DigestedJournal, DurableError> {
        let reports = self.reports.clone();
        let ended = self.serve();
        match &ended {
            // The worker has ended first.
            Ok(_) | Err(DurableError::Closed) => {}
            Err(error) => reports.journal_failed(error),
        }
        ended
    }

    fn serve(mut self) -> Result<DigestedJournal, DurableError> {
        let mut records = Vec::new();
        let mut waiting = Vec::new();
        while let Ok(first) = self.messages.recv() {
            let others = self.messages.try_iter();
            for message in core::iter::once(first).chain(others) {
                match message {
                    Message::Record(digests, record) => {
                        records.extend(digests);
                        records.push(record);
                    }
                    other => waiting.push(other),
                }
            }
            if !records.is_empty() {
                let start = Instant::now();
                self.journal.append(&mut records)?;
                self.journal.journal().sync()?;
                self.reports.meter.note_sync(start);
                records.clear();
            }
            // All records before these messages are synced.
            let (mut truncates, mut is_over) = (None, false);
            for message in waiting.drain(..) {
                match message {
                    Message::Record(..) => unreachable!("records are in the other list"),
                    Message::Outcomes(all) => self.release(all),
                    Message::Answer(answer) => answer(),
                    // If the thread has ended, the answer is dropped.
                    Message::Snapshot(saved) => drop(self.snapshots.send(saved)),
                    Message::Truncate(before) => truncates = Some(before),
                    Message::End => is_over = true,
                }
            }
            // An error must not keep clients from their answers.
            if let Some(before) = truncates {
                self.journal.journal().truncate(before)?;
            }
            if is_over {
                return Ok(self.journal);
            }
        }
        // The worker has ended without a last message, because it panicked.
        Err(DurableError::Closed)
    }

    fn release(&mut self, outcomes: Vec<Answered<E>>) {
        self.reports.meter.note_released(outcomes.len());
        let mut outcomes = outcomes.into_iter();
        let mut panics = FirstPanic::default();
        panics.call(|| {
            for (outcome, reply) in outcomes.by_ref() {
                if let Some(listener) = &mut self.outcomes {
                    listener(&outcome);
                }
                // An event or an answer may panic when it is dropped, also if the client has gone away.
                match reply {
                    Some(reply) => drop_caught(reply.send(Ok(outcome))),
                    None => drop_caught(outcome),
                }
            }
        });
        // After a panic of the outcome callback.
        panics.drop_each(outcomes);
        panics.resume();
    }
}
