//! Dead letters as entries of a journal.

use core::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{EntryKind, JournalRecord};

/// The decision that an event has failed, because the process has ended each time that it was applied. Its handler is not called again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterEntry {
    /// The batch of the event.
    pub batch: u64,
    /// The index of the event in its batch.
    pub index: u32,
    /// The number of processes that have ended while they applied only this event.
    pub n_deaths: u32,
    /// The name of the type of events.
    pub event: String,
    /// The name of the handler.
    pub handler: String,
    /// The digest of the encoded event, if it is a follow-up event: SipHash-2-4 of 128 bits, with the key 0. If another event is at the
    /// position, it is not a dead letter. `None` for an event of the input, whose position is enough, and if encoding has failed.
    pub digest: Option<[u8; 16]>,
}

impl DeadLetterEntry {
    /// Returns the entry. `next`: the number of the next batch.
    pub fn to_record(&self, next: u64, time: u64) -> JournalRecord {
        JournalRecord {
            batch: next,
            kind: EntryKind::DEAD_LETTER,
            time,
            body: postcard::to_allocvec(self).expect("numbers and strings can be serialized"),
        }
    }

    /// Returns the content of an entry of this kind, or `None` if it is unreadable.
    pub fn of_record(record: &JournalRecord) -> Option<Self> {
        match record.kind {
            EntryKind::DEAD_LETTER => postcard::from_bytes(&record.body).ok(),
            _ => None,
        }
    }
}

impl Display for DeadLetterEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            batch,
            index,
            n_deaths,
            event,
            handler,
            digest: _,
        } = self;
        write!(
            f,
            "position {batch}:{index}, event `{event}`, handler `{handler}`: it has ended {n_deaths} processes"
        )
    }
}
