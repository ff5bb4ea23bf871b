//! Messages in snapshots.

use serde::{Deserialize, Serialize};

use super::queue::SavedQueue;
use super::{Message, Messages};
use crate::base::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// The messages that a reader has not seen. The positions of readers are saved by [`Schedule::save_state`](crate::Schedule::save_state). A reader whose
/// position is not restored sees all restored messages. Messages that other threads have sent since the last run are not saved.
impl<T: Message + Snapshot> Snapshot for Messages<T> {
    const NAME: &'static str =
        const { ComposedName::new("messages", <T as Snapshot>::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let (numbers, unread) = self.saved();
        to.write(&<T as Snapshot>::VERSION)?;
        to.write(&Positions {
            first: numbers.first,
            end: numbers.end,
            bound: numbers.bound,
            n_dropped: numbers.n_dropped,
            n_readers: numbers.n_readers,
        })?;
        unread.iter().try_for_each(|message| to.save(message))
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let mut messages = Self::new();
        messages.restore_into(from)?;
        Ok(messages)
    }

    fn schema() -> Schema {
        let parts = [
            ("positions", Schema::of::<Positions>()),
            ("messages", Schema::of_saved::<T>().repeated()),
        ];
        Schema::of_parts("Messages", parts)
    }

    fn restore_into(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        let version = from.read()?;
        let Positions {
            first,
            end,
            bound,
            n_dropped,
            n_readers,
        } = from.read()?;
        let n_kept = end
            .checked_sub(first)
            .ok_or_else(|| from.error("the messages end before they begin"))?;
        let is_bound_valid = (1..=usize::MAX as u64).contains(&bound);
        if !is_bound_valid {
            return Err(from.error("the bound of messages is 0 or too large"));
        }
        // A message can take no bytes, but then a number that damaged bytes contain must not take forever.
        if end > MAX_END || n_kept > MAX_KEPT {
            return Err(from.error("there are too many messages"));
        }
        // No memory is reserved for a number that damaged bytes may contain.
        let messages = (0..n_kept).map(|_| from.restore(version));
        let messages = messages.collect::<Result<_, _>>()?;
        self.replace(SavedQueue {
            first,
            end,
            bound,
            n_dropped,
            n_readers,
            messages,
        });
        Ok(())
    }
}

/// The maximum number of messages that were ever appended.
const MAX_END: u64 = u64::MAX / 2;

/// The maximum number of messages in a snapshot.
const MAX_KEPT: u64 = u32::MAX as u64;

/// The numbers of a queue.
#[derive(Serialize, Deserialize)]
struct Positions {
    first: u64,
    end: u64,
    bound: u64,
    n_dropped: u64,
    n_readers: u64,
}
