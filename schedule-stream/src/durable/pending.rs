//! The part of a snapshot that belongs to the stream itself.

use std::collections::VecDeque;

use super::DurableEvent;
use crate::batches::PendingEvent;
use crate::position::{self, BatchTime, Position};
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// The state of a stream, borrowed for saving.
#[derive(Debug)]
pub(super) struct PendingRef<'s, E> {
    /// Positions of failed events that were skipped.
    pub(super) skipped: &'s [Position],
    /// The time of the last batch.
    pub(super) time: BatchTime,
    /// The follow-up events that have not arrived, in order.
    pub(super) pending: &'s VecDeque<PendingEvent<E>>,
}

/// The state of a stream after restoring.
#[derive(Debug)]
pub(super) struct PendingOwned<E> {
    pub(super) skipped: Vec<Position>,
    pub(super) time: BatchTime,
    /// The version of the events in the snapshot.
    pub(super) version: u32,
    pub(super) pending: VecDeque<PendingEvent<E>>,
}

const NAME: &str = "schedule-stream.pending";
const VERSION: u32 = 1;

impl<E: DurableEvent> Snapshot for PendingRef<'_, E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&position::to_pairs(self.skipped))?;
        to.write(&self.time.as_nanos())?;
        to.write(&<E as Snapshot>::VERSION)?;
        to.write(&(self.pending.len() as u64))?;
        self.pending.iter().try_for_each(|pending| {
            to.write(&(pending.cause.batch, pending.cause.index, pending.depth))?;
            to.save(&pending.event)
        })
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Err(from.error("restored as `PendingOwned`"))
    }
}

impl<E: DurableEvent> Snapshot for PendingOwned<E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let Self {
            skipped,
            time,
            pending,
            ..
        } = self;
        let time = *time;
        let borrowed = PendingRef {
            skipped,
            time,
            pending,
        };
        borrowed.save(to)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let skipped = position::from_pairs(from.read()?);
        let time = BatchTime::from_nanos(from.read()?);
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
        Ok(Self {
            skipped,
            time,
            version,
            pending,
        })
    }
}
