//! The record of a run: the executions of each node. The thread that holds a node writes to its record, so no thread
//! waits.

use core::fmt;
use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use crate::base::thread::thread_number;
use crate::base::time::Instant;
use crate::data::stopwatch::Now;

/// The number of a recorded run, among all recorded runs of the program. So a schedule that replaces another one, or is changed, has no
/// records of the same number.
pub(crate) type RunNumber = NonZeroU64;

/// A recorded run: its number and its clock. All threads that take part share it.
#[derive(Debug)]
pub(crate) struct RecordedRun {
    pub(crate) number: RunNumber,
    /// The clock of a driver. `None` is that of the operating system.
    clock: Option<Arc<RecordClock>>,
    /// The number of moments so far.
    n_moments: AtomicU64,
}

impl RecordedRun {
    /// Creates a run with a new number. `clock`: that of a driver, if one records the run.
    pub(crate) fn new(clock: Option<Arc<RecordClock>>) -> Self {
        // A number is not 0.
        static N_RUNS: AtomicU64 = AtomicU64::new(1);
        // Relaxed: only uniqueness matters.
        let number = N_RUNS.fetch_add(1, Ordering::Relaxed);
        Self {
            number: RunNumber::new(number).expect("no more than 2^64 runs"),
            clock,
            n_moments: AtomicU64::new(0),
        }
    }

    /// Returns the present moment.
    fn now(&self) -> Moment {
        Moment {
            at: match &self.clock {
                Some(clock) => clock.now(),
                None => Instant::now(),
            },
            // Relaxed: if one moment happens before another, its number is less.
            nth: self.n_moments.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Whether the run may begin. `false` if its driver does not wait for it any more.
    pub(crate) fn is_awaited(&self) -> bool {
        let clock = self.clock.as_ref();
        clock.is_none_or(|clock| clock.awaited.load(Ordering::Relaxed) == self.number.get())
    }
}

/// A time, and its number among the moments of a run. In simulated time, many moments have the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) at: Instant,
    pub(crate) nth: u64,
}

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
}

/// The time of a driver, for recorded runs. Its times are converted to instants, so that all records have the same form.
pub(crate) struct RecordClock {
    now: Now,
    /// The instant that stands for time 0.
    zero: Instant,
    /// The number of the run that the driver waits for, or 0.
    awaited: AtomicU64,
}

/// Waits for a recorded run. A run that begins after this is dropped is not recorded.
pub(crate) struct AwaitedRun<'c>(&'c RecordClock);

impl Drop for AwaitedRun<'_> {
    fn drop(&mut self) {
        self.0.awaited.store(0, Ordering::Relaxed);
    }
}

impl RecordClock {
    pub(crate) fn new(now: Now) -> Self {
        Self {
            now,
            zero: Instant::now(),
            awaited: AtomicU64::new(0),
        }
    }

    /// Begins to wait for a run.
    pub(crate) fn wait_for(&self, run: RunNumber) -> AwaitedRun<'_> {
        // Relaxed: a driver runs its schedule on its own thread.
        self.awaited.store(run.get(), Ordering::Relaxed);
        AwaitedRun(self)
    }

    /// Converts a time of the driver. Times after 584 years are cut, because timelines count nanoseconds in 64 bits.
    pub(crate) fn at(&self, time: Duration) -> Instant {
        self.zero + time.min(Duration::from_nanos(u64::MAX))
    }

    fn now(&self) -> Instant {
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
    pub(crate) start: Moment,
    /// `None` while the node runs. Also `None` after a panic that is not recorded yet.
    pub(crate) end: Option<Moment>,
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
    start: Moment,
    end: Moment,
    thread: u32,
}

/// The begin of the time during which a thread runs chunks.
pub(crate) struct ChunkStart<'r> {
    run: &'r RecordedRun,
    start: Moment,
}

impl<'r> ChunkStart<'r> {
    pub(crate) fn now(run: &'r RecordedRun) -> Self {
        let start = run.now();
        Self { run, start }
    }

    /// Ends this time.
    pub(crate) fn end(self) -> ChunkTime {
        ChunkTime {
            start: self.start,
            end: self.run.now(),
            thread: thread_number(),
        }
    }
}

impl Record {
    /// Begins an execution. Allocates only if the node already ran in this run, and more often than in all earlier runs.
    pub(crate) fn begin(&mut self, run: &RecordedRun, is_repeat: bool) {
        self.push(
            run.number,
            RecordEntry {
                start: run.now(),
                end: None,
                thread: thread_number(),
                is_repeat,
                goes_on: false,
                members: 0,
                is_part: false,
            },
        );
    }

    /// Records an execution of a sweep, whose first member this is. `members`: as in [`RecordEntry`].
    pub(crate) fn note_sweep(&mut self, run: &RecordedRun, members: u64, times: &mut [ChunkTime]) {
        times.sort_unstable_by_key(|time| time.start);
        for (nth, time) in times.iter().enumerate() {
            self.push(
                run.number,
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

    /// Ends the current execution of this run, if there is one.
    pub(crate) fn end(&mut self, run: &RecordedRun) {
        if let Some(entry) = &mut self.last
            && entry.end.is_none()
            && self.run == Some(run.number)
        {
            entry.end = Some(run.now());
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
