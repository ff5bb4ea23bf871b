//! The queue of a key.

use std::collections::VecDeque;

/// The events that name a key, in order.
#[derive(Default)]
pub(super) struct Queue {
    entries: VecDeque<QueueEntry>,
    /// Number of entries that have the key: one writer, or any number of readers.
    n_granted: usize,
}

#[derive(Clone, Copy)]
pub(super) struct QueueEntry {
    pub(super) task: usize,
    pub(super) is_write: bool,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether the next entry has the key immediately.
    pub(super) fn is_free_for(&self, is_write: bool) -> bool {
        let is_shared = !is_write && self.entries.front().is_none_or(|first| !first.is_write);
        self.entries.is_empty() || self.n_granted == self.entries.len() && is_shared
    }

    /// Adds an entry. Returns whether it has the key.
    pub(super) fn push(&mut self, entry: QueueEntry) -> bool {
        let is_granted = self.is_free_for(entry.is_write);
        self.entries.push_back(entry);
        self.n_granted += usize::from(is_granted);
        is_granted
    }

    /// Removes an entry that has the key. Adds the tasks that have the key now.
    pub(super) fn release(&mut self, task: usize, granted: &mut Vec<usize>) {
        let mut first = self.entries.iter().take(self.n_granted);
        let nth = first.position(|entry| entry.task == task);
        self.entries.remove(nth.expect("the task has the key"));
        self.n_granted -= 1;
        while let Some(&next) = self.entries.get(self.n_granted) {
            let is_shared = !next.is_write && !self.entries[0].is_write;
            if self.n_granted > 0 && !is_shared {
                break;
            }
            self.n_granted += 1;
            granted.push(next.task);
        }
    }
}
