//! Messages in snapshots.

use core::mem::take;
use core::sync::atomic::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::list::clear;
use super::queue::MessageBatch;
use super::{Message, Messages, Unread};
use crate::base::panics::FirstPanic;
use crate::base::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// The messages that a reader has not seen. Messages that other threads have sent since the last run are not saved.
///
/// In a new program, all of them are kept, up to the bound, until the saved readers have registered again. The positions of readers are
/// saved by [`Schedule::save_state`](crate::Schedule::save_state), so restore the states of the schedules, too. A reader whose position
/// is not restored sees all restored messages.
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

/// The saved part of a queue.
struct SavedQueue<T> {
    first: u64,
    end: u64,
    bound: u64,
    n_dropped: u64,
    /// The number of registered readers of systems.
    n_readers: u64,
    messages: Vec<T>,
}

impl<T> Messages<T> {
    /// The numbers of the queue, and the messages that a reader has not seen.
    fn saved(&self) -> (SavedQueue<()>, Unread<'_, T>) {
        let cursors = self.lock_cursors();
        let first = self.oldest(&cursors);
        let n_readers = cursors
            .iter()
            .filter(|cursor| cursor.is_of_system() && Arc::strong_count(cursor) > 1);
        let numbers = SavedQueue {
            n_readers: n_readers.count() as u64 + self.n_awaited.load(Ordering::Relaxed),
            first,
            end: self.end,
            bound: self.bound as u64,
            n_dropped: self.n_dropped,
            messages: Vec::new(),
        };
        let len = (self.end - first) as usize;
        (numbers, Unread::of_queue(&self.queue, first, len))
    }

    /// Replaces the messages. Readers, senders and receivers stay. A reader whose position is not restored sees all restored messages.
    fn replace(&mut self, saved: SavedQueue<T>) {
        let mut panics = FirstPanic::default();
        for mut batch in take(&mut self.queue) {
            clear(&mut batch.messages, &mut panics);
        }
        self.first = saved.first;
        self.end = saved.end;
        self.n_dropped = saved.n_dropped;
        self.set_bound((saved.bound as usize).max(1));
        if !saved.messages.is_empty() {
            self.queue.push_back(MessageBatch {
                start: saved.first,
                messages: saved.messages,
            });
        }
        let (first, end) = (self.first, self.end);
        let mut n_registered = 0;
        for cursor in self.live_cursors() {
            cursor.begin(first, 0);
            cursor.limit(end);
            n_registered += u64::from(cursor.is_of_system());
        }
        *self.n_awaited.get_mut() = saved.n_readers.saturating_sub(n_registered);
        panics.resume();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::identity::{Identity, Name, declared_at};

    struct Number(u64);

    impl Identity for Number {
        const ID: u128 = declared_at("tests", "saved number", 1, 1);
        const NAME: Name = Name::new("Number");
    }

    impl Message for Number {}

    #[test]
    fn a_restored_queue_keeps_its_readers() {
        let mut messages = Messages::new();
        let mut cursor = messages.cursor();
        let mut read = |messages: &Messages<Number>| -> Vec<u64> {
            cursor
                .read(messages)
                .iter()
                .map(|number| number.0)
                .collect()
        };
        for number in 0..5 {
            messages.send(Number(number)).unwrap();
        }
        assert_eq!(read(&messages).len(), 5);
        messages.send(Number(99)).unwrap();
        messages.replace(SavedQueue {
            first: 5,
            end: 8,
            bound: 10,
            n_dropped: 1,
            n_readers: 0,
            messages: (5..8).map(Number).collect(),
        });
        assert_eq!(read(&messages), [5, 6, 7]);
        assert_eq!((messages.bound(), messages.n_dropped()), (10, 1));
        messages.send(Number(8)).unwrap();
        assert_eq!(read(&messages), [8]);
    }
}
