//! The part of a snapshot that belongs to the stream itself.

use std::collections::VecDeque;

use super::DurableEvent;
use crate::batches::PendingEvent;
use crate::position::Position;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// Follow-up events that have not arrived, in order. Borrowed for saving, owned after restoring.
#[derive(Debug)]
pub(super) struct Saving<'s, E>(pub(super) &'s VecDeque<PendingEvent<E>>);

/// See [`Saving`].
#[derive(Debug)]
pub(super) struct Restored<E> {
    /// The version of the events in the snapshot.
    pub(super) version: u32,
    pub(super) pending: VecDeque<PendingEvent<E>>,
}

const NAME: &str = "schedule-stream.pending";
const VERSION: u32 = 1;

impl<E: DurableEvent> Snapshot for Saving<'_, E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&<E as Snapshot>::VERSION)?;
        to.write(&(self.0.len() as u64))?;
        self.0.iter().try_for_each(|pending| {
            to.write(&(pending.cause.batch, pending.cause.index, pending.depth))?;
            to.save(&pending.event)
        })
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Err(from.error("restored as `Restored`"))
    }
}

impl<E: DurableEvent> Snapshot for Restored<E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        Saving(&self.pending).save(to)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let version = from.read()?;
        let n: u64 = from.read()?;
        let mut pending = VecDeque::new();
        for _ in 0..n {
            let (batch, index, depth) = from.read()?;
            pending.push_back(PendingEvent {
                cause: Position::new(batch, index),
                depth,
                event: from.restore(version)?,
            });
        }
        Ok(Self { version, pending })
    }
}
