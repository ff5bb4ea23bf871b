//! The end of an event as bytes, for the processes of a cluster.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::DurableEvent;
use super::keys::EventResult;
use crate::engine::single::EventEnd;
use crate::program::event::Event;
use crate::program::handler::ArgumentDeclaration;
use crate::program::outcome::EventError;
use schedule::internal::panic_of;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// An event whose outcome can be sent to another process. Implemented for all events with these traits.
#[diagnostic::on_unimplemented(
    message = "events `{Self}` cannot be processed by several processes",
    label = "the error of these events cannot be sent",
    note = "choose an error, `#[event(error = …)]`, that derives `serde::Serialize` and `serde::Deserialize`"
)]
pub trait SentEvent: DurableEvent<Error: Serialize + DeserializeOwned> {}

#[diagnostic::do_not_recommend]
impl<E> SentEvent for E where E: DurableEvent<Error: Serialize + DeserializeOwned> {}

/// Writes the end of an event whose handler has this index in [`Event::HANDLERS`].
///
/// # Errors
///
/// Fails if the answer, the error or a follow-up event cannot be serialized.
pub fn write_end<E: SentEvent>(
    case: usize,
    end: &EventEnd<E>,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    write_result::<E>(case, &end.result, to)?;
    to.write(&(end.follow_ups.len() as u32))?;
    end.follow_ups.iter().try_for_each(|event| to.save(event))
}

/// The inverse of [`write_end`].
///
/// # Errors
///
/// Fails if the bytes are not the end of an event of this handler.
pub fn read_end<E: SentEvent>(
    case: usize,
    from: &mut Decoder<'_>,
) -> Result<EventEnd<E>, SnapshotError> {
    let result = read_result::<E>(case, from)?;
    let n: u32 = from.read()?;
    let follow_ups = (0..n).map(|_| from.restore(<E as Snapshot>::VERSION));
    Ok(EventEnd {
        result,
        follow_ups: follow_ups.collect::<Result<_, _>>()?,
    })
}

fn parameter_index<E: Event>(case: usize, parameter: &str) -> u16 {
    let mut all = E::HANDLERS[case].arguments.all.iter();
    let index = all.position(|argument| argument.name == parameter);
    index.expect("the handler has this parameter") as u16
}

fn write_result<E: SentEvent>(
    case: usize,
    result: &EventResult<E>,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    let index = |parameter: &str| parameter_index::<E>(case, parameter);
    match result {
        Ok(answer) => {
            to.write(&0_u8)?;
            to.write(answer)
        }
        Err(EventError::Failed(error)) => {
            to.write(&1_u8)?;
            to.write(error)
        }
        Err(EventError::Panicked(panic)) => to.write(&(2_u8, panic.message())),
        Err(EventError::PanickedBeforeCall(panic)) => to.write(&(3_u8, panic.message())),
        Err(EventError::Missing { parameter, .. }) => to.write(&(4_u8, index(parameter))),
        Err(EventError::IdTooLarge { parameter, .. }) => to.write(&(5_u8, index(parameter))),
        Err(EventError::SetTooLarge { parameter, max, .. }) => {
            to.write(&(6_u8, index(parameter), max))
        }
        Err(EventError::Alias { first, second, .. }) => {
            to.write(&(7_u8, index(first), index(second)))
        }
        Err(EventError::Skipped) => to.write(&8_u8),
        Err(EventError::TooDeep { max }) => to.write(&(9_u8, max)),
        Err(EventError::OverBudget { max }) => to.write(&(10_u8, max)),
        Err(EventError::TooManyFollowUps { max }) => to.write(&(11_u8, max)),
        Err(EventError::FollowUpsTooDeep { max }) => to.write(&(12_u8, max)),
        Err(EventError::DeadLetter) => to.write(&13_u8),
        Err(EventError::Stopped) => Err(to.error("no process of a cluster stops a stream")),
    }
}

fn read_result<E: SentEvent>(
    case: usize,
    from: &mut Decoder<'_>,
) -> Result<EventResult<E>, SnapshotError> {
    let kind: u8 = from.read()?;
    let error = match kind {
        0 => return Ok(Ok(from.read()?)),
        1 => EventError::Failed(from.read()?),
        2 | 3 => {
            let panic = Box::new(panic_of(Box::new(from.read::<String>()?)));
            match kind {
                2 => EventError::Panicked(panic),
                _ => EventError::PanickedBeforeCall(panic),
            }
        }
        4 => {
            let argument = read_argument::<E>(case, from)?;
            EventError::Missing {
                parameter: argument.name,
                of: argument.of,
            }
        }
        5 => {
            let argument = read_argument::<E>(case, from)?;
            EventError::IdTooLarge {
                parameter: argument.name,
                of: argument.of,
                max_id: argument.max_id,
            }
        }
        6 => {
            let argument = read_argument::<E>(case, from)?;
            EventError::SetTooLarge {
                parameter: argument.name,
                of: argument.of,
                max: from.read()?,
            }
        }
        7 => {
            let first = read_argument::<E>(case, from)?;
            let second = read_argument::<E>(case, from)?;
            EventError::Alias {
                first: first.name,
                second: second.name,
                of: first.of,
            }
        }
        8 => EventError::Skipped,
        9 => EventError::TooDeep { max: from.read()? },
        10 => EventError::OverBudget { max: from.read()? },
        11 => EventError::TooManyFollowUps { max: from.read()? },
        12 => EventError::FollowUpsTooDeep { max: from.read()? },
        13 => EventError::DeadLetter,
        other => return Err(from.error(format_args!("the kind of the result is {other}"))),
    };
    Ok(Err(error))
}

fn read_argument<E: Event>(
    case: usize,
    from: &mut Decoder<'_>,
) -> Result<&'static ArgumentDeclaration, SnapshotError> {
    let index: u16 = from.read()?;
    let argument = E::HANDLERS[case].arguments.all.get(usize::from(index));
    argument.ok_or_else(|| from.error(format_args!("the handler has no parameter {index}")))
}
