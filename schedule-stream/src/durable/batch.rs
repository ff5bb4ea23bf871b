//! The body of a record in the journal: the events of a batch.

use super::DurableEvent;
use super::error::DurableError;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};

/// The events of the input of a batch.
#[derive(Debug)]
pub(super) struct Batch<E> {
    /// The digest of the outcomes of the previous batch, if they are known.
    pub(super) previous: Option<u32>,
    pub(super) events: Vec<E>,
}

/// Encodes the body of a batch.
///
/// # Errors
///
/// Fails if an event cannot be saved, or is larger than `max_bytes`.
pub(super) fn encode<E: DurableEvent>(
    previous: Option<u32>,
    events: &[E],
    max_bytes: usize,
) -> Result<Vec<u8>, DurableError> {
    let mut encoder = Encoder::new();
    encoder.write(&previous)?;
    encoder.write(&(events.len() as u32))?;
    for (index, event) in events.iter().enumerate() {
        let before = encoder.as_bytes().len();
        encoder.save(event)?;
        let n_bytes = encoder.as_bytes().len() - before;
        if n_bytes > max_bytes {
            return Err(DurableError::EventTooLarge {
                index,
                n_bytes,
                max_bytes,
            });
        }
    }
    Ok(encoder.into_bytes())
}

/// Decodes the body of a batch whose events have this version.
pub(super) fn decode<E: DurableEvent>(
    body: &[u8],
    version: u32,
) -> Result<Batch<E>, SnapshotError> {
    let mut decoder = Decoder::new(body);
    let previous = decoder.read()?;
    let n: u32 = decoder.read()?;
    let events = (0..n).map(|_| decoder.restore(version));
    let events = events.collect::<Result<_, _>>()?;
    decoder.finish()?;
    Ok(Batch { previous, events })
}
