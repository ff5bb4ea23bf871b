//! The thread that writes snapshots, so that events do not wait for them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender};

use super::comparing::Comparing;
use super::error::ServiceError;
use super::message::{Message, Saved};
use super::reports::ServiceReports;
use super::retries::SnapshotRetries;
use crate::persist::durable::{DurableError, DurableEvent};
use crate::persist::journal::{JournalError, Snapshots, keep_two};
use schedule::internal::Instant;

/// Writes snapshots until the writer of the journal ends. After each, permits the next one after a wait. Returns the snapshots.
pub(super) fn run<E: DurableEvent>(
    mut snapshots: Box<dyn Snapshots>,
    saved: &Receiver<Saved>,
    writer: &SyncSender<Message<E>>,
    permit: &Sender<SnapshotRetries>,
    mut reports: ServiceReports,
    mut comparing: Option<Comparing>,
) -> Box<dyn Snapshots> {
    while let Ok(Saved {
        batch,
        bytes,
        reply,
        retries,
    }) = saved.recv()
    {
        let start = Instant::now();
        let written = write(&mut *snapshots, batch, &bytes);
        let after = retries.after(written.is_ok(), reply.is_some());
        // The worker may have ended.
        let _: Result<(), SendError<SnapshotRetries>> = permit.send(after);
        let answer = match written {
            Ok(before) => {
                reports.meter.note_written(start);
                reports.snapshot_written(batch, retries.n_failed());
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
                reports.snapshot_failed(batch, &error, (retries, after));
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
