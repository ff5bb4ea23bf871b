//! The ends of events, as they are sent to the supervisor.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::internal::panic_of;
use schedule::snapshot::SnapshotError;
use schedule_stream::internal::{EventEnd, SentEvent, write_end};
use schedule_stream::{EventError, Position};

use super::Outbox;

/// Adds the end of an event to those that are sent. If its result cannot be serialized, the event has an error instead.
pub(super) fn report<E: SentEvent>(
    out: &mut Outbox,
    position: Position,
    case: usize,
    end: &EventEnd<E>,
) -> Result<(), SnapshotError> {
    out.n_ends += 1;
    out.ends.write(&(position.batch, position.index))?;
    let n_before = out.ends.as_bytes().len();
    // The code that serializes an answer is user code, and may panic.
    let written = catch_unwind(AssertUnwindSafe(|| write_end(case, end, &mut out.ends)));
    let error = match written {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => panic_of(panic).message().to_string(),
    };
    out.ends.truncate(n_before);
    let text = format!("the result cannot be sent to the supervisor: {error}");
    let end = EventEnd {
        result: Err(EventError::Panicked(Box::new(panic_of(Box::new(text))))),
        follow_ups: Vec::new(),
    };
    write_end::<E>(case, &end, &mut out.ends)
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
