//! The list of the dead letters of a stream, and the comparison of events with them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::DeadLetter;
use crate::base::position::Position;
use crate::persist::durable::keys;
use schedule::internal::drop_caught;
use schedule::snapshot::{Encoder, Snapshot};

/// The dead letters of a stream. Clones are the same list.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadLetterList(Arc<Mutex<Listed>>);

#[derive(Debug, Default)]
struct Listed {
    /// In the order of the decisions.
    all: Vec<DeadLetter>,
    /// Those whose position has another event now. [`take_replaced`](DeadLetterList::take_replaced) removes them.
    replaced: Vec<DeadLetter>,
}

impl DeadLetterList {
    fn lock(&self) -> MutexGuard<'_, Listed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<DeadLetter> {
        self.lock().all.clone()
    }

    pub(in super::super) fn push(&self, letter: DeadLetter) {
        self.lock().all.push(letter);
    }

    /// Returns the dead letters at positions of a batch.
    pub(in super::super) fn in_batch(&self, batch: u64) -> BatchLetters<'_> {
        let mut letters = Vec::new();
        let all = self.lock();
        letters.extend(
            all.all
                .iter()
                .filter(|of| of.position.batch == batch)
                .cloned(),
        );
        BatchLetters {
            list: self,
            letters,
        }
    }

    /// Takes the dead letters that were replaced since the last call.
    pub(in super::super) fn take_replaced(&self) -> Vec<DeadLetter> {
        core::mem::take(&mut self.lock().replaced)
    }
}

/// The dead letters at positions of one batch.
#[derive(Debug)]
pub(in super::super) struct BatchLetters<'l> {
    list: &'l DeadLetterList,
    letters: Vec<DeadLetter>,
}

impl BatchLetters<'_> {
    /// Their positions.
    pub(in super::super) fn positions(&self) -> impl Iterator<Item = Position> {
        self.letters.iter().map(|letter| letter.position)
    }

    /// Returns whether an event that is applied next is a dead letter. If it is not, the dead letters at its position become replaced ones.
    pub(in super::super) fn refuse<E: Snapshot>(
        &self,
        position: Position,
        event: &E,
        is_follow_up: bool,
    ) -> bool {
        if !self.positions().any(|of| of == position) {
            return false;
        }
        let is_dead = self.contains(position, event, is_follow_up);
        if !is_dead {
            let letters = self.letters.iter();
            let replaced = letters.filter(|of| of.position == position).cloned();
            self.list.lock().replaced.extend(replaced);
        }
        is_dead
    }

    /// Returns whether an event is a dead letter.
    ///
    /// An event of the input is in the journal, so its position is exact. A follow-up event also must have the digest of the dead letter:
    /// if an earlier batch has other outcomes now, another event may be at the position.
    pub(in super::super) fn contains<E: Snapshot>(
        &self,
        position: Position,
        event: &E,
        is_follow_up: bool,
    ) -> bool {
        let mut letters = self
            .letters
            .iter()
            .filter(|of| of.position == position)
            .peekable();
        if !is_follow_up || letters.peek().is_none() {
            return letters.peek().is_some();
        }
        let digest = digest_of(event, is_follow_up);
        letters.any(|of| of.digest.is_none() || of.digest == digest)
    }
}

/// Returns the digest of an encoded follow-up event. `None` for an event of the input, or if the event cannot be encoded.
pub(in super::super) fn digest_of<E: Snapshot>(event: &E, is_follow_up: bool) -> Option<[u8; 16]> {
    if !is_follow_up {
        return None;
    }
    // The code that saves an event is user code, and may panic.
    let saved = catch_unwind(AssertUnwindSafe(|| {
        let mut to = Encoder::new();
        to.save(event)
            .map(|()| keys::digest(to.as_bytes()).to_le_bytes())
    }));
    match saved {
        Ok(digest) => digest.ok(),
        Err(panic) => {
            drop_caught(panic);
            None
        }
    }
}
