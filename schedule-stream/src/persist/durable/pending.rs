//! The part of a snapshot that belongs to the stream itself.

use std::collections::VecDeque;

use super::DurableEvent;
use super::batch::check_variant;
use crate::base::position::{self, BatchTime, Position};
use crate::engine::batches::PendingEvent;
use schedule::internal::NameChanges;
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError, SnapshotReader};

/// The state of a stream, borrowed for saving.
#[derive(Debug)]
pub(super) struct PendingRef<'s, E> {
    /// Positions of failed events that were skipped.
    pub(super) skipped: &'s [Position],
    /// The time of the last batch.
    pub(super) time: BatchTime,
    /// The maximum number of pending follow-up events, if the journal has one.
    pub(super) max_pending: Option<u32>,
    /// The follow-up events that have not arrived, in order.
    pub(super) pending: &'s VecDeque<PendingEvent<E>>,
}

/// The state of a stream after restoring.
#[derive(Debug)]
pub(super) struct PendingOwned<E> {
    pub(super) skipped: Vec<Position>,
    pub(super) time: BatchTime,
    /// `None` if an earlier version of this crate has written the snapshot.
    pub(super) max_pending: Option<u32>,
    /// The version of the events in the snapshot.
    pub(super) version: u32,
    pub(super) pending: VecDeque<PendingEvent<E>>,
}

const NAME: &str = "schedule-stream.pending";
const VERSION: u32 = 2;

impl<E: DurableEvent> Snapshot for PendingRef<'_, E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&position::to_pairs(self.skipped))?;
        to.write(&self.time.as_nanos())?;
        to.write(&self.max_pending)?;
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

    fn schema() -> Schema {
        Schema::of_saved::<E>().repeated()
    }
}

impl<E: DurableEvent> Snapshot for PendingOwned<E> {
    const NAME: &'static str = NAME;
    const VERSION: u32 = VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let Self {
            skipped,
            time,
            max_pending,
            pending,
            ..
        } = self;
        let (time, max_pending) = (*time, *max_pending);
        let borrowed = PendingRef {
            skipped,
            time,
            max_pending,
            pending,
        };
        borrowed.save(to)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Self::read(from, true, None)
    }

    /// Unknown, because [`of_snapshot`](Self::of_snapshot) compares the variants of the events that wait.
    fn schema() -> Schema {
        Schema::unknown()
    }

    fn migrate(_: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Self::read(from, false, None)
    }
}

impl<E: DurableEvent> PendingOwned<E> {
    /// Reads the section of a snapshot. A variant of the events that has changed is an error only if an event that waits has it.
    pub(super) fn of_snapshot(
        reader: &SnapshotReader<'_>,
        changes: &NameChanges,
    ) -> Result<Self, SnapshotError> {
        let (section, mut from) = reader.unchecked::<Self>()?;
        let events = section
            .schema()?
            .and_then(|schema| schema.elements())
            .map(|schema| changes.now(&schema).into_owned());
        let read = match section.version {
            1 => Self::read(&mut from, false, None),
            VERSION => Self::read(&mut from, true, events.as_ref()),
            found => Err(from.unsupported::<Self>(found)),
        }?;
        from.finish()?;
        Ok(read)
    }

    /// `has_max_pending`: version 1 has no maximum. `events`: the schema of the events when they were saved.
    fn read(
        from: &mut Decoder<'_>,
        has_max_pending: bool,
        events: Option<&Schema>,
    ) -> Result<Self, SnapshotError> {
        let skipped = position::from_pairs(from.read()?);
        let time = BatchTime::from_nanos(from.read()?);
        let max_pending = if has_max_pending { from.read()? } else { None };
        let version = from.read()?;
        let n: u64 = from.read()?;
        let changed = match events {
            Some(schema) if n > 0 => schema.changed_variants::<E>(version)?,
            _ => Vec::new(),
        };
        let mut pending = VecDeque::new();
        for _ in 0..n {
            let (batch, index, depth) = from.read()?;
            check_variant(from, &changed)?;
            pending.push_back(PendingEvent {
                cause: Position::new(batch, index),
                depth,
                event: from.restore(version)?,
            });
        }
        Ok(Self {
            skipped,
            time,
            max_pending,
            version,
            pending,
        })
    }
}
