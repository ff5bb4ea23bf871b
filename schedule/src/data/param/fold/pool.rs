//! The accumulators of threads in a `for_each` system, of a fold with an exact commutative join.

use core::fmt;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::base::user_value::UserValue;

/// The accumulators that no thread uses. A thread takes one for each chunk, and returns it after the chunk. So there are never more
/// accumulators than threads that took part at the same time.
pub struct AccumulatorPool<P> {
    free: Mutex<Vec<Accumulator<P>>>,
    /// Whether the accumulators can have values of an execution that was not joined.
    is_used: bool,
}

struct Accumulator<P> {
    partial: UserValue<P>,
    /// The last thread that used it. Its memory is probably still in the cache of the processor of this thread.
    thread: ThreadId,
}

impl<P> AccumulatorPool<P> {
    pub(super) fn new() -> Self {
        Self {
            free: Mutex::new(Vec::new()),
            is_used: false,
        }
    }

    /// Begins an execution. If the last one was not joined, because it failed, drops its accumulators.
    pub(super) fn begin(&mut self) {
        if self.is_used {
            self.get_mut().clear();
        }
        self.is_used = true;
    }

    /// Returns the accumulator that this thread used last, or else another one. `None` if threads use all of them.
    pub(crate) fn take(&self) -> Option<UserValue<P>> {
        let this = thread::current().id();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let own = free.iter().position(|one| one.thread == this);
        let idx = own.or(free.len().checked_sub(1))?;
        Some(free.swap_remove(idx).partial)
    }

    /// Takes an accumulator back.
    pub(crate) fn put(&self, partial: UserValue<P>) {
        let accumulator = Accumulator {
            partial,
            thread: thread::current().id(),
        };
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(accumulator);
    }

    /// Ends an execution. Joins all accumulators into one by `absorb`, and returns it. Keeps the memory of the others. `None` if no thread
    /// has used one.
    pub(super) fn join(&mut self, absorb: fn(&mut P, &mut P)) -> Option<UserValue<P>> {
        self.is_used = false;
        let free = self.get_mut();
        let mut joined = free.pop()?.partial;
        for other in free {
            absorb(&mut joined, &mut other.partial);
        }
        Some(joined)
    }

    fn get_mut(&mut self) -> &mut Vec<Accumulator<P>> {
        self.free.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P> fmt::Debug for AccumulatorPool<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccumulatorPool").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use core::mem::take;

    use super::*;

    fn add(total: &mut u32, other: &mut u32) {
        *total += take(other);
    }

    fn add_one(pool: &AccumulatorPool<u32>) {
        let mut partial = pool.take().unwrap_or(UserValue::new(0));
        *partial += 1;
        pool.put(partial);
    }

    fn join(pool: &mut AccumulatorPool<u32>) -> Option<u32> {
        pool.join(add).map(UserValue::into_inner)
    }

    #[test]
    fn there_are_at_most_as_many_accumulators_as_threads() {
        const N_THREADS: usize = 4;
        let n_chunks = if cfg!(miri) { 5 } else { 1000 };
        let mut pool = AccumulatorPool::new();
        for _ in 0..3 {
            pool.begin();
            thread::scope(|scope| {
                for _ in 0..N_THREADS {
                    scope.spawn(|| (0..n_chunks).for_each(|_| add_one(&pool)));
                }
            });
            let n_accumulators = pool.get_mut().len();
            assert!((1..=N_THREADS).contains(&n_accumulators));
            assert_eq!(join(&mut pool), Some(N_THREADS as u32 * n_chunks));
            assert_eq!(pool.get_mut().len(), n_accumulators - 1);
        }
        assert_eq!(
            AccumulatorPool::new().join(add).map(UserValue::into_inner),
            None
        );
    }

    #[test]
    fn thread_gets_the_accumulator_that_it_had() {
        let pool = AccumulatorPool::new();
        pool.put(UserValue::new(1));
        thread::scope(|scope| {
            scope.spawn(|| pool.put(UserValue::new(2)));
        });
        let taken = [pool.take(), pool.take()].map(|one| one.map(UserValue::into_inner));
        assert_eq!(taken, [Some(1), Some(2)]);
        assert!(pool.take().is_none());
    }

    #[test]
    fn accumulators_of_an_execution_that_was_not_joined_are_dropped() {
        let mut pool = AccumulatorPool::new();
        pool.begin();
        add_one(&pool);
        pool.begin();
        assert_eq!(join(&mut pool), None);
        pool.begin();
        add_one(&pool);
        assert_eq!(join(&mut pool), Some(1));
    }
}
