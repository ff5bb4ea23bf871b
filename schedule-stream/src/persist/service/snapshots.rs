//! The thread that writes snapshots, so that events do not wait for them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender};

use super::comparing::Comparing;
use super::error::ServiceError;
use super::message::{Message, Saved};
use super::reports::ServiceReports;
use crate::persist::durable::{DurableError, DurableEvent};
use crate::persist::journal::{JournalError, Snapshots, keep_two};
use schedule::internal::Instant;

/// Writes snapshots until the writer of the journal ends. Permits the next one after each. Returns the snapshots.
pub(super) fn run<E: DurableEvent>(
    mut snapshots: Box<dyn Snapshots>,
    saved: &Receiver<Saved>,
    writer: &SyncSender<Message<E>>,
    permit: &Sender<()>,
    mut reports: ServiceReports,
    mut comparing: Option<Comparing>,
) -> Box<dyn Snapshots> {
    while let Ok(Saved {
        batch,
        bytes,
        reply,
    }) = saved.recv()
    {
        let start = Instant::now();
        let written = write(&mut *snapshots, batch, &bytes);
        // The worker may have ended.
        let _: Result<(), SendError<()>> = permit.send(());
        let answer = match written {
            Ok(before) => {
                reports.meter.note_written(start);
                if let Some(comparing) = &mut comparing {
                    comparing.note_snapshot();
                }
                if let Some(before) = before {
                    // If the writer has ended, the next snapshot truncates the journal.
                    drop(writer.send(Message::Truncate(before)));
                }
                Ok(batch)
            }
            Err(error) => {
                let error = DurableError::from(error);
                reports.snapshot_failed(batch, &error, reply.is_some());
                Err(ServiceError::Refused(Arc::new(error)))
            }
        };
        if let Some(reply) = reply {
            drop(reply.send(answer));
        }
    }
    snapshots
}

fn write(
    snapshots: &mut dyn Snapshots,
    batch: u64,
    bytes: &[u8],
) -> Result<Option<u64>, JournalError> {
    snapshots.write(batch, bytes)?;
    keep_two(snapshots)
}
