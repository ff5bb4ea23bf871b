//! The entities that lost a component, in the order of the losses, until all readers have read them.

use core::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The least number of entities at which a log looks for those that all readers have read.
const LEAST_CHECKED: usize = 64;

/// The entities that lost a component. The log notes nothing until it has a reader.
///
/// Entities are added only through an exclusive reference, so readers that share the log find the same entities at any time.
#[doc(hidden)]
pub struct RemovedLog<E> {
    kept: OnceLock<Box<KeptLog<E>>>,
}

struct KeptLog<E> {
    /// Differs between all logs of the process. Not 0.
    id: u64,
    /// The last entities, which some reader has not read.
    entities: Vec<E>,
    /// The number of entities before `entities`.
    n_before: usize,
    /// The number of `entities` at which the next push looks for those that all readers have read.
    checked_at: usize,
    /// `readers[i]`: the number of entities that a reader has read. No strong reference is left if the reader is gone.
    readers: Mutex<Vec<Weak<AtomicUsize>>>,
}

/// What a reader of a log remembers.
#[derive(Debug, Default)]
pub(super) struct LogReader {
    /// The log that it has read. 0: none.
    log: u64,
    /// The number of entities that it has read, of all that the log ever had.
    n_read: Arc<AtomicUsize>,
}

impl LogReader {
    /// Returns the entities that were added since the last call. None at the first call for a log.
    pub(super) fn read<'l, E>(&mut self, log: &'l RemovedLog<E>) -> &'l [E] {
        let log = log.kept.get_or_init(Box::default);
        let n_all = log.n_before + log.entities.len();
        if self.log != log.id {
            *self = Self {
                log: log.id,
                n_read: Arc::new(AtomicUsize::new(n_all)),
            };
            let mut readers = log.readers.lock().unwrap_or_else(PoisonError::into_inner);
            readers.push(Arc::downgrade(&self.n_read));
        }
        // Relaxed: the log is changed only through an exclusive reference, which other synchronization orders.
        let n_read = self.n_read.swap(n_all, Ordering::Relaxed);
        &log.entities[n_read - log.n_before..]
    }
}

impl<E> RemovedLog<E> {
    /// Creates a log without readers.
    pub const fn new() -> Self {
        Self {
            kept: OnceLock::new(),
        }
    }

    /// Whether a reader has read the log. If not, nothing is noted.
    #[inline]
    pub fn has_readers(&self) -> bool {
        self.kept.get().is_some()
    }

    /// Adds an entity, if there are readers. Amortized O(1).
    #[inline]
    pub fn push(&mut self, entity: E) {
        if let Some(log) = self.kept.get_mut() {
            log.push(entity);
        }
    }

    /// The number of entities that are kept.
    #[cfg(test)]
    fn n_kept(&self) -> usize {
        self.kept.get().map_or(0, |log| log.entities.len())
    }
}

impl<E> KeptLog<E> {
    fn push(&mut self, entity: E) {
        if self.entities.len() >= self.checked_at {
            self.forget_read();
        }
        self.entities.push(entity);
    }

    /// Removes the entities that all readers have read. O(kept entities + readers).
    fn forget_read(&mut self) {
        let n_all = self.n_before + self.entities.len();
        let mut least = n_all;
        let readers = self.readers.get_mut();
        let readers = readers.unwrap_or_else(PoisonError::into_inner);
        readers.retain(|reader| {
            let reader = reader.upgrade();
            // Relaxed: as in `read`.
            let n_read = reader.as_ref().map(|reader| reader.load(Ordering::Relaxed));
            least = least.min(n_read.unwrap_or(n_all));
            reader.is_some()
        });
        self.entities.drain(..least - self.n_before);
        self.n_before = least;
        self.checked_at = LEAST_CHECKED.max(2 * self.entities.len());
    }
}

impl<E> Default for KeptLog<E> {
    fn default() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            // Relaxed: only the number itself must be unique.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            entities: Vec::new(),
            n_before: 0,
            checked_at: LEAST_CHECKED,
            readers: Mutex::default(),
        }
    }
}

impl<E> Default for RemovedLog<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> fmt::Debug for RemovedLog<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.kept.get().map_or(0, |log| log.entities.len());
        write!(f, "RemovedLog({n} entities)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_finds_each_entity_once_and_nothing_from_before_its_first_look() {
        let mut log = RemovedLog::new();
        log.push(0);
        let (mut early, mut late) = (LogReader::default(), LogReader::default());
        assert!(early.read(&log).is_empty());
        (1..4).for_each(|entity| log.push(entity));
        assert!(late.read(&log).is_empty());
        assert_eq!(early.read(&log), [1, 2, 3]);
        assert!(early.read(&log).is_empty());
        (4..400).for_each(|entity| log.push(entity));
        let expected: Vec<_> = (4..400).collect();
        assert_eq!(late.read(&log), expected);
        (400..500).for_each(|entity| log.push(entity));
        let expected: Vec<_> = (4..500).collect();
        assert_eq!(early.read(&log), expected);
    }

    #[test]
    fn entities_that_all_readers_have_read_are_forgotten() {
        let mut log = RemovedLog::new();
        let (mut reader, mut dropped) = (LogReader::default(), LogReader::default());
        reader.read(&log);
        dropped.read(&log);
        drop(dropped);
        for entity in 0..100_000 {
            log.push(entity);
            if entity % 10 == 0 {
                reader.read(&log);
            }
            assert!(log.n_kept() <= LEAST_CHECKED, "after {entity}");
        }
        drop(reader);
        (0..1_000).for_each(|entity| log.push(entity));
        assert!(log.n_kept() <= LEAST_CHECKED);
    }

    #[test]
    fn a_reader_of_another_log_begins_again() {
        let (mut log, mut other) = (RemovedLog::new(), RemovedLog::new());
        let mut reader = LogReader::default();
        reader.read(&log);
        log.push(1);
        assert!(reader.read(&other).is_empty());
        other.push(2);
        assert_eq!(reader.read(&other), [2]);
    }
}
