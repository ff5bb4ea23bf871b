//! The accumulators of threads: records that threads keep from block to block, because the order of their values does not matter.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::base::panics::drop_caught;
use crate::base::user_value::UserValue;

/// The accumulators that no thread uses, in records `B` of a block. A thread takes some for each chunk, and returns them after the
/// chunk. So there are never more than threads that took part at the same time.
pub(super) struct ThreadAccumulators<B> {
    free: Mutex<Vec<Accumulator<B>>>,
}

struct Accumulator<B> {
    records: UserValue<B>,
    /// The last thread that used it. Its memory is probably still in the cache of the processor of this thread.
    thread: ThreadId,
    /// Whether it was used in this execution, or in one that did not end, because it failed. Otherwise it is empty.
    is_used: bool,
}

impl<B> ThreadAccumulators<B> {
    pub(super) fn new() -> Self {
        Self {
            free: Mutex::new(Vec::new()),
        }
    }

    /// Begins an execution. Drops the accumulators of an execution that did not end.
    pub(super) fn begin(&mut self) {
        let free = self.get_mut();
        if free.iter().any(|one| one.is_used) {
            free.drain(..).for_each(drop_caught);
        }
    }

    /// Returns the accumulators that this thread used last, or else others. `None` if other threads use all of them.
    pub(super) fn take(&self) -> Option<UserValue<B>> {
        let this = thread::current().id();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let own = free.iter().position(|one| one.thread == this);
        let idx = own.or(free.len().checked_sub(1))?;
        Some(free.swap_remove(idx).records)
    }

    /// Takes the accumulators of this thread back.
    pub(super) fn put(&self, records: UserValue<B>) {
        let accumulator = Accumulator {
            records,
            thread: thread::current().id(),
            is_used: true,
        };
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(accumulator);
    }

    /// Ends an execution. Joins all accumulators into those of one thread, which `end` empties. Keeps the memory of the others. Does
    /// nothing if no thread has used any.
    pub(super) fn end(&mut self, join: impl Fn(&mut B, &mut B), end: impl FnOnce(&mut B)) {
        let mut used = self.get_mut().iter_mut().filter(|one| one.is_used);
        let Some(joined) = used.next() else { return };
        for other in used {
            join(&mut joined.records, &mut other.records);
            other.is_used = false;
        }
        end(&mut joined.records);
        joined.is_used = false;
    }

    fn get_mut(&mut self) -> &mut Vec<Accumulator<B>> {
        self.free.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use core::mem::take;

    use super::*;

    fn add(total: &mut u32, other: &mut u32) {
        *total += take(other);
    }

    fn add_one(accumulators: &ThreadAccumulators<u32>) {
        let mut partial = accumulators.take().unwrap_or(UserValue::new(0));
        *partial += 1;
        accumulators.put(partial);
    }

    fn end(accumulators: &mut ThreadAccumulators<u32>) -> Option<u32> {
        let mut joined = None;
        accumulators.end(add, |total| joined = Some(take(total)));
        joined
    }

    #[test]
    fn there_are_at_most_as_many_accumulators_as_threads() {
        const N_THREADS: usize = 4;
        let n_chunks = if cfg!(miri) { 5 } else { 1000 };
        let mut accumulators = ThreadAccumulators::new();
        for _ in 0..3 {
            accumulators.begin();
            thread::scope(|scope| {
                for _ in 0..N_THREADS {
                    scope.spawn(|| (0..n_chunks).for_each(|_| add_one(&accumulators)));
                }
            });
            let n_accumulators = accumulators.get_mut().len();
            assert!((1..=N_THREADS).contains(&n_accumulators));
            assert_eq!(end(&mut accumulators), Some(N_THREADS as u32 * n_chunks));
            assert_eq!(end(&mut accumulators), None, "nothing was used again");
            assert_eq!(accumulators.get_mut().len(), n_accumulators);
        }
        assert_eq!(end(&mut ThreadAccumulators::new()), None);
    }

    /// Two threads use accumulators at the same time.
    #[test]
    fn accumulators_are_joined_to_one() {
        let mut accumulators = ThreadAccumulators::new();
        for _ in 0..2 {
            accumulators.begin();
            let taken = [accumulators.take(), accumulators.take()];
            for (nth, accumulator) in (1..).zip(taken) {
                let mut accumulator = accumulator.unwrap_or(UserValue::new(0));
                assert_eq!(*accumulator, 0, "the last execution has emptied it");
                *accumulator += nth;
                accumulators.put(accumulator);
            }
            assert_eq!(end(&mut accumulators), Some(1 + 2));
            assert_eq!(accumulators.get_mut().len(), 2);
        }
    }

    #[test]
    fn thread_gets_the_accumulator_that_it_had() {
        let accumulators = ThreadAccumulators::new();
        accumulators.put(UserValue::new(1));
        thread::scope(|scope| {
            scope.spawn(|| accumulators.put(UserValue::new(2)));
        });
        let taken =
            [accumulators.take(), accumulators.take()].map(|one| one.map(UserValue::into_inner));
        assert_eq!(taken, [Some(1), Some(2)]);
        assert!(accumulators.take().is_none());
    }

    #[test]
    fn accumulators_of_an_execution_that_did_not_end_are_dropped() {
        let mut accumulators = ThreadAccumulators::new();
        accumulators.begin();
        add_one(&accumulators);
        accumulators.begin();
        assert_eq!(end(&mut accumulators), None);
        accumulators.begin();
        add_one(&accumulators);
        assert_eq!(end(&mut accumulators), Some(1));
    }
}
