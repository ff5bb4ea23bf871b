//! The thread that writes the journal, and releases answers after their batch is synced.
//!
//! It takes all messages that wait, appends their records as one group, and syncs once. Meanwhile, the worker processes the next
//! batches. A failed sync ends the thread. Answers that were not released are dropped, so their clients get `Unknown`.

use std::sync::mpsc::{Receiver, Sender};

use super::request::Reply;
use super::settings::OutcomeListener;
use super::snapshots::Saved;
use crate::durable::{DurableError, DurableEvent};
use crate::journal::{Journal, JournalRecord};
use crate::outcome::Outcome;

/// An outcome, and the client that waits for it. A follow-up event has no client.
type Answered<E> = (Outcome<E>, Option<Reply<Outcome<E>>>);

/// A message to the writer.
pub(super) enum Message<E: DurableEvent> {
    /// The record of the next batch.
    Record(JournalRecord),
    /// The outcomes of a batch whose record was sent before, each with its client.
    Outcomes(Vec<Answered<E>>),
    /// Answers that may be released after all earlier messages.
    Answer(Box<dyn FnOnce() + Send>),
    /// A snapshot of the state after all batches that were sent before.
    Snapshot(Saved),
    /// Remove the journal before this batch.
    Truncate(u64),
    End,
}

pub(super) struct Writer<E: DurableEvent> {
    journal: Box<dyn Journal>,
    messages: Receiver<Message<E>>,
    snapshots: Sender<Saved>,
    outcomes: Option<OutcomeListener<E>>,
}

impl<E: DurableEvent> Writer<E> {
    pub(super) fn new(
        journal: Box<dyn Journal>,
        messages: Receiver<Message<E>>,
        snapshots: Sender<Saved>,
        outcomes: Option<OutcomeListener<E>>,
    ) -> Self {
        Self {
            journal,
            messages,
            snapshots,
            outcomes,
        }
    }

    /// Serves messages until the end. Returns the journal.
    pub(super) fn run(mut self) -> Result<Box<dyn Journal>, DurableError> {
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
                self.journal.append(&records)?;
                self.journal.sync()?;
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
