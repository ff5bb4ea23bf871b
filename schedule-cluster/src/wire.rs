//! Messages between the supervisor and its worker processes, as frames on a TCP connection.
//!
//! A connection begins with the bytes of `arrivals.rs`, and frames follow. A frame has a length of 4 bytes, little-endian, and a
//! message. Some messages have content that follows them: see [`ToWorker`] and [`FromWorker`].

use std::hash::Hasher;
use std::io::{self, Read};

use schedule::internal::NameChanges;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};
use schedule_stream::journal::JournalHead;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::cost::HandlerCost;
use crate::executable::Executable;

/// The maximum length of a frame in bytes.
const MAX_FRAME_BYTES: usize = 1 << 30;

/// The maximum length of a frame for which memory is reserved before its bytes arrive.
const MAX_RESERVED_BYTES: usize = 1 << 20;

/// A message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToWorker {
    /// The addresses at which the workers wait for each other, by index.
    Start { addresses: Vec<String> },
    /// Restore the state from buckets of parts. `None`: the state before the first batch.
    Restore {
        batch: u64,
        saved: Option<RestoredState>,
    },
    /// Events of a batch. They follow: the index, the maximum number of follow-up events and the event, `n` times.
    Events(EventsHead),
    /// Write the buckets that have changed after the batch `since`, and `also` these, into a part. Without `since`, write all
    /// buckets. All batches are finished.
    Save {
        file: String,
        since: Option<u64>,
        also: Vec<u16>,
    },
    /// Send all buckets.
    Collect,
}

/// The state that a worker restores.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RestoredState {
    /// The names of the stores that were saved.
    pub(crate) stores: Vec<String>,
    /// The names that have changed since.
    pub(crate) changes: NameChanges,
    pub(crate) buckets: Vec<SavedBucket>,
}

/// Where a bucket is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedBucket {
    pub(crate) bucket: u16,
    /// The name of the part.
    pub(crate) file: String,
    pub(crate) chunks: Vec<ChunkPlace>,
}

/// The place of a chunk of a bucket in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChunkPlace {
    pub(crate) offset: u64,
    pub(crate) n_bytes: u64,
    pub(crate) checksum: u32,
}

impl ChunkPlace {
    /// The offset after the last byte, if there is such a number.
    pub(crate) fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.n_bytes)
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct EventsHead {
    pub(crate) batch: u64,
    pub(crate) time: u64,
    /// Whether the batch has no more events.
    pub(crate) is_last: bool,
    /// The handlers whose values are shipped to one process, as bits, by case. Later cases never ship.
    pub(crate) ships: u64,
    pub(crate) n: u32,
}

impl EventsHead {
    pub(crate) fn ships(&self, case: usize) -> bool {
        case < 64 && self.ships >> case & 1 != 0
    }
}

/// A message from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromWorker {
    /// The first message.
    Hello(Hello),
    /// The state is restored.
    Ready,
    /// Events have ended. They follow: the batch, the index and the end, `n` times. `costs`: of each handler, by case.
    Ends {
        n: u32,
        costs: Vec<HandlerCost>,
        checks: Vec<EndsCheck>,
    },
    /// All changed buckets are durable in the part.
    Saved {
        buckets: Vec<(u16, Vec<ChunkPlace>)>,
    },
    /// The part cannot be written. The worker continues.
    NotSaved(String),
    /// A chunk of a bucket. Its bytes follow.
    Chunk,
    /// The last chunk was sent.
    Collected,
    /// The worker cannot continue.
    Failed(String),
    /// The process is alive.
    Heartbeat,
}

/// A digest of ends of a batch that another process reports, because this one has run the handlers, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EndsCheck {
    pub(crate) batch: u64,
    pub(crate) n: u32,
    /// The sum of the digests of the ends.
    pub(crate) digest: u64,
}

/// Returns the digest of the end of an event, with its batch and index.
pub(crate) fn digest_of_end(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) program: Program,
    /// Its executable, or why it cannot be read.
    pub(crate) executable: Result<Executable, String>,
    /// Where this worker waits for others.
    pub(crate) address: String,
}

/// The program of a process. All processes must have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) version: u32,
    /// The names and versions of events and resources.
    pub(crate) types: Vec<(String, u32)>,
    /// The digest of constants and limits.
    pub(crate) constants: u64,
}

impl Program {
    pub(crate) fn of(head: &JournalHead) -> Self {
        Self {
            name: head.program.clone(),
            version: head.version,
            types: head.types.clone(),
            constants: head.constants,
        }
    }
}

/// A frame that is being written.
#[derive(Debug)]
pub(crate) struct Frame(Vec<u8>);

impl Frame {
    /// Begins a frame with a message.
    pub(crate) fn new(message: &impl Serialize) -> Result<Self, SnapshotError> {
        let mut frame = Encoder::new();
        frame.write(&[0_u8; 4])?;
        frame.write(message)?;
        Ok(Self(frame.into_bytes()))
    }

    /// Adds content.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Returns the bytes of the frame.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        let mut bytes = self.0;
        let n = bytes.len() - 4;
        if n > MAX_FRAME_BYTES {
            let text = format!("a message of {n} bytes is above the maximum of {MAX_FRAME_BYTES}");
            return Err(io::Error::other(text));
        }
        bytes[..4].copy_from_slice(&(n as u32).to_le_bytes());
        Ok(bytes)
    }
}

/// Returns the frame of a message without content.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    Frame::new(message).map_err(io::Error::other)?.finish()
}

/// Reads a frame, without its length.
pub(crate) fn read_frame(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = [0; 4];
    from.read_exact(&mut head)?;
    let n = u32::from_le_bytes(head) as usize;
    if n > MAX_FRAME_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the length of a message is wrong",
        ));
    }
    // No memory is reserved for bytes that never arrive.
    let mut bytes = Vec::with_capacity(n.min(MAX_RESERVED_BYTES));
    if from.take(n as u64).read_to_end(&mut bytes)? == n {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Reads the message of a frame that has no content.
pub(crate) fn read_message<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let message = decoder.read()?;
    decoder.finish()?;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_without_its_bytes_is_an_error_and_reserves_little_memory() {
        let mut bytes = 1_000_000_000_u32.to_le_bytes().to_vec();
        bytes.extend([7; 100]);
        let error = read_frame(&mut &bytes[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        for n in [MAX_FRAME_BYTES as u32 + 1, u32::MAX] {
            let error = read_frame(&mut &n.to_le_bytes()[..]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
        let whole = frame(&"hello").unwrap();
        let mut rest = &whole[..];
        assert_eq!(read_message(&read_frame(&mut rest).unwrap()), Ok("hello"));
        assert!(rest.is_empty());
    }

    #[test]
    fn random_messages_never_cause_a_panic() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..state % 60)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    // Half of them are small: kinds and lengths.
                    (state >> 56) as u8 >> (state >> 40 & 4)
                })
                .collect();
            state = state.wrapping_add(1);
            drop(read_message::<FromWorker>(&bytes));
            drop(read_message::<ToWorker>(&bytes));
        }
    }
}
