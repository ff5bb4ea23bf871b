//! The ends of events, as they are sent to the supervisor.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::internal::panic_of;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};
use schedule_stream::internal::{EventEnd, SentEvent, read_end, write_end};
use schedule_stream::{EventError, Position};

use super::Outbox;
use crate::wire::{EndsCheck, digest_of_end};

/// Adds the end of an event to those that are sent. If its result cannot be serialized or read back, the event has an error instead.
pub(super) fn report<E: SentEvent>(
    out: &mut Outbox,
    position: Position,
    case: usize,
    end: &EventEnd<E>,
) -> Result<(), SnapshotError> {
    out.n_ends += 1;
    write(&mut out.ends, position, case, end)
}

/// Adds the end of an event to the digests that the supervisor compares with the end that another process reports.
pub(super) fn check<E: SentEvent>(
    out: &mut Outbox,
    position: Position,
    case: usize,
    end: &EventEnd<E>,
) -> Result<(), SnapshotError> {
    let Outbox {
        checks, end_bytes, ..
    } = out;
    end_bytes.clear();
    write(end_bytes, position, case, end)?;
    let digest = digest_of_end(end_bytes.as_bytes());
    let batch = position.batch;
    match checks.iter_mut().find(|check| check.batch == batch) {
        Some(check) => {
            check.n += 1;
            check.digest = check.digest.wrapping_add(digest);
        }
        None => checks.push(EndsCheck {
            batch,
            n: 1,
            digest,
        }),
    }
    Ok(())
}

fn write<E: SentEvent>(
    to: &mut Encoder,
    position: Position,
    case: usize,
    end: &EventEnd<E>,
) -> Result<(), SnapshotError> {
    to.write(&(position.batch, position.index))?;
    let n_before = to.as_bytes().len();
    // The code that serializes an answer is user code, and may panic. Bytes that cannot be read back would also hide the ends after them.
    let written = catch_unwind(AssertUnwindSafe(|| {
        write_end(case, end, to)?;
        let mut written = Decoder::new(&to.as_bytes()[n_before..]);
        read_end::<E>(case, &mut written)?;
        written.finish()
    }));
    let error = match written {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => panic_of(panic).message().to_string(),
    };
    to.truncate(n_before);
    let text = format!("the result cannot be sent to the supervisor: {error}");
    let end = EventEnd {
        result: Err(EventError::Panicked(Box::new(panic_of(Box::new(text))))),
        follow_ups: Vec::new(),
    };
    write_end::<E>(case, &end, to)
}

/// The end of an event whose keys cannot be serialized.
pub(crate) fn refused_end<E: SentEvent>(error: &SnapshotError) -> EventEnd<E> {
    let text = format!("a key of the event cannot be serialized: {error}");
    EventEnd {
        result: Err(EventError::PanickedBeforeCall(Box::new(panic_of(
            Box::new(text),
        )))),
        follow_ups: Vec::new(),
    }
}
