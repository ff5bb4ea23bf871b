//! What is kept of a run that is recorded: by node, so that whoever holds a node writes there, and nobody waits for it.

use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::time::Instant;

/// The number of a run that is recorded, among those of one schedule.
pub(crate) type RunNumber = NonZeroU64;

/// Turns of one node in one run, as they came.
///
/// What is there of an earlier run is forgotten by the first turn of the next: to forget it before the run would fetch
/// all of them from the threads that wrote them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    run: Option<RunNumber>,
    last: Option<RecordEntry>,
    /// Of a loop, and of its body.
    earlier: Vec<RecordEntry>,
}

/// One turn, as the clock had it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordEntry {
    pub(crate) start: Instant,
    /// None as long as it runs, or if it panicked and nobody has noted that yet.
    pub(crate) end: Option<Instant>,
    pub(crate) thread: u32,
    /// A loop asks once more, at its end.
    pub(crate) is_repeat: bool,
    /// Of a loop: its body runs next.
    pub(crate) goes_on: bool,
}

impl Record {
    /// A turn begins in this run. It allocates nothing, unless it is not the first one, and there were never so many.
    pub(crate) fn begin(&mut self, run: RunNumber, start: Instant, is_repeat: bool) {
        if self.run == Some(run) {
            self.earlier.extend(self.last);
        } else {
            self.run = Some(run);
            self.earlier.clear();
        }
        self.last = Some(RecordEntry {
            start,
            end: None,
            thread: thread(),
            is_repeat,
            goes_on: false,
        });
    }

    /// Ends the turn that has begun, if there is one.
    #[inline]
    pub(crate) fn end(&mut self, end: impl FnOnce() -> Instant) {
        if let Some(entry) = &mut self.last
            && entry.end.is_none()
        {
            entry.end = Some(end());
        }
    }

    /// The body of the loop that has asked runs next.
    pub(crate) fn go_on(&mut self) {
        if let Some(entry) = &mut self.last {
            entry.goes_on = true;
        }
    }

    /// Those of this run.
    pub(crate) fn of(&self, run: RunNumber) -> impl Iterator<Item = RecordEntry> {
        let is_there = self.run == Some(run);
        let all = is_there.then(|| self.earlier.iter().chain(&self.last));
        all.into_iter().flatten().copied()
    }
}

/// A number of this thread alone.
pub(crate) fn thread() -> u32 {
    static N_THREADS: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        // Relaxed: only that no two are the same matters.
        static THREAD: u32 = N_THREADS.fetch_add(1, Ordering::Relaxed);
    }
    THREAD.with(|&thread| thread)
}
