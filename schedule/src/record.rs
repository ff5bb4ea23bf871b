//! The record of a run: the executions of each node. The thread that holds a node writes to its record, so no thread
//! waits.

use core::fmt;
use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::Arc;

use crate::stopwatch::Now;
use crate::time::Instant;

/// The number of a recorded run, among the recorded runs of one schedule.
pub(crate) type RunNumber = NonZeroU64;

/// The executions of one node in one run, in order.
///
/// The first execution in a run discards the records of an earlier run. Discarding all of them before the run would
/// fetch them from the threads that wrote them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    run: Option<RunNumber>,
    last: Option<RecordEntry>,
    /// Earlier executions in the same run: in a loop a node may have several.
    earlier: Vec<RecordEntry>,
    /// The clock of recorded runs, if a driver has set one.
    clock: Option<Arc<RecordClock>>,
}

/// The time of a driver, for recorded runs. Its times are converted to instants, so that all records have the same form.
pub(crate) struct RecordClock {
    now: Now,
    /// The instant that stands for time 0.
    zero: Instant,
}

impl RecordClock {
    pub(crate) fn new(now: Now) -> Self {
        let zero = Instant::now();
        Self { now, zero }
    }

    /// Converts a time of the driver. Times after 584 years are cut, because timelines count nanoseconds in 64 bits.
    pub(crate) fn at(&self, time: Duration) -> Instant {
        self.zero + time.min(Duration::from_nanos(u64::MAX))
    }

    pub(crate) fn now(&self) -> Instant {
        self.at((self.now)())
    }
}

impl fmt::Debug for RecordClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordClock").finish_non_exhaustive()
    }
}

/// One execution: thread, start and end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordEntry {
    pub(crate) start: Instant,
    /// `None` while the node runs. Also `None` after a panic that is not recorded yet.
    pub(crate) end: Option<Instant>,
    pub(crate) thread: u32,
    /// Whether this is an evaluation of a loop condition after an iteration.
    pub(crate) is_repeat: bool,
    /// For a loop condition: whether the body runs next.
    pub(crate) goes_on: bool,
    /// Bit i is set if member i of the sweep ran with it, among the members that run together. 0 if it was not part
    /// of a sweep.
    pub(crate) members: u64,
    /// Whether this is the part of another thread in the previous execution of a sweep.
    pub(crate) is_part: bool,
}

/// The time during which a thread ran chunks of a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkTime {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    pub(crate) thread: u32,
}

impl Record {
    /// Sets the clock of recorded runs. `None` is that of the operating system.
    pub(crate) fn set_clock(&mut self, clock: Option<Arc<RecordClock>>) {
        self.clock = clock;
    }

    /// The clock of recorded runs, if a driver has set one.
    pub(crate) fn clock(&self) -> Option<&Arc<RecordClock>> {
        self.clock.as_ref()
    }

    /// Begins an execution. `start`: by the clock of the operating system. Allocates only if the node already ran in this run,
    /// and more often than in all earlier runs.
    pub(crate) fn begin(&mut self, run: RunNumber, start: Instant, is_repeat: bool) {
        let start = self.clock.as_ref().map_or(start, |clock| clock.now());
        self.push(
            run,
            RecordEntry {
                start,
                end: None,
                thread: thread(),
                is_repeat,
                goes_on: false,
                members: 0,
                is_part: false,
            },
        );
    }

    /// Records an execution of a sweep, whose first member this is. `members`: as in [`RecordEntry`].
    pub(crate) fn note_sweep(&mut self, run: RunNumber, members: u64, times: &mut [ChunkTime]) {
        times.sort_unstable_by_key(|time| time.start);
        for (nth, time) in times.iter().enumerate() {
            self.push(
                run,
                RecordEntry {
                    start: time.start,
                    end: Some(time.end),
                    thread: time.thread,
                    is_repeat: false,
                    goes_on: false,
                    members,
                    is_part: nth > 0,
                },
            );
        }
    }

    fn push(&mut self, run: RunNumber, entry: RecordEntry) {
        if self.run == Some(run) {
            self.earlier.extend(self.last);
        } else {
            self.run = Some(run);
            self.earlier.clear();
        }
        self.last = Some(entry);
    }

    /// Ends the current execution, if there is one. `end`: the time by the clock of the operating system.
    #[inline]
    pub(crate) fn end(&mut self, end: impl FnOnce() -> Instant) {
        if let Some(entry) = &mut self.last
            && entry.end.is_none()
        {
            entry.end = Some(self.clock.as_ref().map_or_else(end, |clock| clock.now()));
        }
    }

    /// Records that the body runs after this evaluation of a loop condition.
    pub(crate) fn go_on(&mut self) {
        if let Some(entry) = &mut self.last {
            entry.goes_on = true;
        }
    }

    /// The executions in this run.
    pub(crate) fn of(&self, run: RunNumber) -> impl Iterator<Item = RecordEntry> {
        let is_there = self.run == Some(run);
        let all = is_there.then(|| self.earlier.iter().chain(&self.last));
        all.into_iter().flatten().copied()
    }
}

/// A unique number for the current thread.
pub(crate) fn thread() -> u32 {
    static N_THREADS: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        // Relaxed: only uniqueness matters.
        static THREAD: u32 = N_THREADS.fetch_add(1, Ordering::Relaxed);
    }
    THREAD.with(|&thread| thread)
}
