//! Wakes helpers shortly before the next run of a schedule that runs at a steady rate.
//!
//! After a pause, helpers sleep, and the first systems of a run end before a helper arrives. So a dedicated thread, the waker, sleeps until
//! shortly before the next run, and then asks the pool for helpers. They wait for the run, and leave if it does not begin in time. The
//! thread that runs the schedule makes no system call for this, unless a run was late and the waker sleeps.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rayon::ThreadPool;

use super::idle::HELPER_TIMEOUT;
use super::processors::use_all;
use crate::base::time::Instant;

/// How long a woken thread takes to arrive, plus the inaccuracy of timers of the operating system: at first, and at most. If helpers arrive
/// after the begin of a run, they are woken earlier from then on.
const WAKE: Duration = Duration::from_micros(100);
const MOST_WAKE: Duration = Duration::from_micros(500);

/// The time by which helpers are woken earlier after they arrived late.
const EARLIER: Duration = Duration::from_micros(50);

/// No run is awaited in a longer period.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// After this number of consecutive wake-ups for nothing, a learned period is given up.
const MOST_USELESS: u32 = 4;

/// The last run has the weight 1 / `MEMORY` in the mean deviation from the period.
const MEMORY: u32 = 8;

/// Whether a run is due, for helpers.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// Whether a run is due soon, so that helpers keep waiting. Relaxed: a helper that sees a change late leaves late, or is asked again.
    is_soon: AtomicBool,
    /// The number of helpers that wait.
    n_waiting: AtomicU32,
    /// Nanoseconds that helpers have waited for runs.
    waited_ns: AtomicU64,
}

impl Due {
    /// Whether a run is due soon, so that helpers keep waiting.
    #[inline]
    fn is_soon(&self) -> bool {
        self.is_soon.load(Ordering::Relaxed)
    }

    /// Whether a helper that has found nothing for `since` should leave. `soon`: the last value of `since` at which a run was due soon, at
    /// first 0. A helper that waited for a run does not leave at once when the run begins.
    #[inline]
    pub(super) fn is_timeout(&self, since: Duration, soon: &mut Duration) -> bool {
        if self.is_soon() {
            *soon = since;
        }
        since.saturating_sub(*soon) >= HELPER_TIMEOUT
    }

    /// Calls `wait`, and measures it if a run is due.
    pub(super) fn measure<R>(&self, wait: impl FnOnce() -> R) -> R {
        if !self.is_soon() {
            return wait();
        }
        let start = Instant::now();
        self.n_waiting.fetch_add(1, Ordering::Relaxed);
        let found = wait();
        self.n_waiting.fetch_sub(1, Ordering::Relaxed);
        let ns = start.elapsed().as_nanos() as u64;
        self.waited_ns.fetch_add(ns, Ordering::Relaxed);
        found
    }
}

/// A part of an executor that helpers can wait for.
pub(super) trait WakeEarly: Send + Sync {
    /// Asks a pool for helpers, at most `n_helpers`. `None`: the global pool.
    fn wake_early(self: Arc<Self>, pool: Option<&ThreadPool>, n_helpers: u32);
}

/// The helpers of the next run.
#[derive(Clone)]
pub(super) struct NextHelpers {
    pub(super) helped: Arc<dyn WakeEarly>,
    pub(super) n_helpers: u32,
    /// `None`: the global pool.
    pub(super) pool: Option<Arc<ThreadPool>>,
}

/// The period of a schedule, and the thread that wakes its helpers.
#[derive(Debug)]
pub(crate) struct Period {
    shared: Arc<Shared>,
    waker: Option<JoinHandle<()>>,
    is_learned: bool,
    /// The number of wake-ups in a row after which no run began in time.
    n_useless: u32,
    n_runs: u64,
    n_awaited: u64,
}

#[derive(Debug)]
struct Shared {
    due: Arc<Due>,
    state: Mutex<PeriodState>,
    changed: Condvar,
}

/// The state of the period, which the thread that runs the schedule and the waker share.
struct PeriodState {
    period: Duration,
    /// The begin of the last run.
    begin: Option<Instant>,
    is_running: bool,
    /// The mean difference of the time between two runs from the period.
    deviation: Duration,
    /// How long before the run helpers are woken, if the runs begin on time.
    lead: Duration,
    /// `None` if the next run needs no helpers.
    next: Option<NextHelpers>,
    /// Whether helpers were woken since the last run.
    has_woken: bool,
    /// Whether the waker sleeps until a run begins, without a timeout.
    is_dormant: bool,
    is_over: bool,
}

impl Period {
    /// Starts the waker. `due`: that of the executors. `begin`: the begin of the last run, for a period that was learned.
    pub(super) fn new(period: Duration, due: Arc<Due>, begin: Option<Instant>) -> Self {
        let shared = Arc::new(Shared {
            due,
            state: Mutex::new(PeriodState {
                period,
                begin,
                is_running: false,
                deviation: Duration::ZERO,
                lead: WAKE,
                next: None,
                has_woken: false,
                is_dormant: false,
                is_over: false,
            }),
            changed: Condvar::new(),
        });
        let of_waker = Arc::clone(&shared);
        let waker = thread::Builder::new().name("schedule period".to_string());
        Self {
            shared,
            // Without the thread, helpers are woken in the run, as without a period.
            waker: waker.spawn(move || of_waker.wake_for_each_run()).ok(),
            is_learned: begin.is_some(),
            n_useless: 0,
            n_runs: 0,
            n_awaited: 0,
        }
    }

    /// Whether the period was learned from runs.
    pub(super) fn is_learned(&self) -> bool {
        self.is_learned
    }

    /// Whether helpers were woken several times for nothing.
    pub(super) fn is_useless(&self) -> bool {
        self.n_useless >= MOST_USELESS
    }

    /// Changes the period.
    pub(super) fn adjust(&self, period: Duration) {
        self.shared.lock().period = period;
    }

    /// A run begins. Returns whether a helper waits for it.
    pub(super) fn begin_run(&mut self) -> bool {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let is_late = state.is_late(now);
        if let Some(before) = state.begin.replace(now) {
            let off = now
                .duration_since(before)
                .abs_diff(state.period)
                .min(state.period / 4);
            state.deviation += off / MEMORY;
            let forgotten = state.deviation / MEMORY;
            state.deviation -= forgotten;
        }
        let has_asked = state.has_woken && state.next.is_some();
        (state.is_running, state.has_woken) = (true, false);
        let is_awaited = self.shared.due.n_waiting.load(Ordering::Relaxed) > 0;
        self.shared.due.is_soon.store(false, Ordering::Relaxed);
        if state.is_dormant {
            self.shared.changed.notify_one();
        }
        if is_awaited {
            state.lead = (state.lead - state.lead / 64).max(WAKE);
        } else if has_asked && !is_late {
            state.lead = (state.lead + EARLIER).min(MOST_WAKE);
        }
        drop(state);
        self.n_runs += 1;
        self.n_awaited += u64::from(is_awaited);
        if has_asked {
            self.n_useless = if is_late { self.n_useless + 1 } else { 0 };
        }
        is_awaited
    }

    /// Counts a run that needs no helpers.
    pub(super) fn count_run(&mut self) {
        self.n_runs += 1;
    }

    /// A run ends. `next`: the helpers of the next run, if it needs any.
    pub(super) fn end_run(&mut self, next: Option<NextHelpers>) {
        let mut state = self.shared.lock();
        state.is_running = false;
        let before = core::mem::replace(&mut state.next, next);
        drop(state);
        drop(before);
    }

    /// Reports the period.
    pub(crate) fn report(&self) -> PeriodReport {
        PeriodReport {
            period: self.shared.lock().period,
            is_learned: self.is_learned,
            n_runs: self.n_runs,
            n_awaited: self.n_awaited,
            waited: Duration::from_nanos(self.shared.due.waited_ns.load(Ordering::Relaxed)),
        }
    }
}

impl Drop for Period {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.due.is_soon.store(false, Ordering::Relaxed);
        self.shared.changed.notify_one();
        if let Some(waker) = self.waker.take() {
            // The waker does not panic, and ends at once.
            let _ = waker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, PeriodState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of the waker.
    fn wake_for_each_run(&self) {
        // Not only that of the thread that runs the schedule.
        use_all();
        let mut state = self.lock();
        while !state.is_over {
            let now = Instant::now();
            match state.step(now) {
                WakerStep::WaitUntil(until) => {
                    let timeout = until.saturating_duration_since(now);
                    let waited = self.changed.wait_timeout(state, timeout);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                WakerStep::WaitForRun => {
                    self.due.is_soon.store(false, Ordering::Relaxed);
                    state.is_dormant = true;
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                    state.is_dormant = false;
                }
                WakerStep::Wake => {
                    state.has_woken = true;
                    let Some(next) = state.next.clone() else {
                        continue;
                    };
                    self.due.is_soon.store(true, Ordering::Relaxed);
                    // The begin of a run does not wait for the waker.
                    drop(state);
                    next.helped.wake_early(next.pool.as_deref(), next.n_helpers);
                    drop(next.pool);
                    state = self.lock();
                }
            }
        }
    }
}

/// What the waker does next.
enum WakerStep {
    WaitUntil(Instant),
    /// Sleep until the next run begins.
    WaitForRun,
    Wake,
}

impl PeriodState {
    /// How long before the next run helpers are woken, and how long after it they still wait.
    fn tolerance(&self) -> Duration {
        (self.lead + 2 * self.deviation).min(self.period / 4)
    }

    /// Whether a run that begins now is so late that helpers no longer wait for it.
    fn is_late(&self, now: Instant) -> bool {
        let give_up = |begin| begin + self.period + self.tolerance();
        let begin = self.begin.filter(|_| self.period <= LONGEST);
        begin.is_some_and(|begin| now >= give_up(begin))
    }

    fn step(&self, now: Instant) -> WakerStep {
        let Some(begin) = self.begin.filter(|_| self.period <= LONGEST) else {
            return WakerStep::WaitForRun;
        };
        let due = begin + self.period;
        let tolerance = self.tolerance();
        let (wake, give_up) = (due - tolerance, due + tolerance);
        if now < wake {
            WakerStep::WaitUntil(wake)
        } else if self.is_running {
            // The run takes longer than the period.
            WakerStep::WaitUntil(now + self.period.max(WAKE))
        } else if !self.has_woken {
            WakerStep::Wake
        } else if now < give_up {
            WakerStep::WaitUntil(give_up)
        } else {
            WakerStep::WaitForRun
        }
    }
}

impl fmt::Debug for PeriodState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodState")
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}

/// The use of a period. See [`Schedule::set_period`](crate::Schedule::set_period).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeriodReport {
    /// The time from the begin of a run to the begin of the next one.
    pub period: Duration,
    /// Whether the executor has learned the period from the runs. Otherwise, it was set.
    pub is_learned: bool,
    /// The number of runs since the period was set or learned.
    pub n_runs: u64,
    /// The number of runs for which a helper was waiting when they began.
    pub n_awaited: u64,
    /// The processor time for which helpers have waited for runs, of all helpers together.
    pub waited: Duration,
}

impl PeriodReport {
    /// The average number of processors that waiting helpers use. 0 if there was no run.
    pub fn processor_use(&self) -> f64 {
        let total = self.period.as_secs_f64() * self.n_runs as f64;
        if total > 0.0 {
            self.waited.as_secs_f64() / total
        } else {
            0.0
        }
    }
}

/// Prints the report in one line.
impl fmt::Display for PeriodReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}period {:?}: a helper waited for {} of {} runs, and used {:.1} % of a processor",
            if self.is_learned { "learned " } else { "" },
            self.period,
            self.n_awaited,
            self.n_runs,
            100.0 * self.processor_use()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoHelpers;

    impl WakeEarly for NoHelpers {
        fn wake_early(self: Arc<Self>, _: Option<&ThreadPool>, _: u32) {}
    }

    const PERIOD: Duration = Duration::from_secs(100);

    /// Begins and ends a run. `is_late`: whether it is late. `has_woken`, `is_awaited`: whether helpers were woken, and arrived.
    fn run(period: &mut Period, is_late: bool, has_woken: bool, is_awaited: bool) {
        let n_waiting = &period.shared.due.n_waiting;
        n_waiting.store(u32::from(is_awaited), Ordering::Relaxed);
        let mut state = period.shared.lock();
        let since = if is_late { 2 * PERIOD } else { PERIOD };
        (state.begin, state.has_woken) = (Instant::now().checked_sub(since), has_woken);
        // So a run is on time if it begins up to a quarter of the period late, also on a busy machine.
        state.deviation = PERIOD;
        drop(state);
        assert_eq!(period.begin_run(), is_awaited);
        period.end_run(Some(NextHelpers {
            helped: Arc::new(NoHelpers),
            n_helpers: 1,
            pool: None,
        }));
    }

    /// The waker sleeps for longer than a test takes.
    fn period() -> Period {
        Period::new(PERIOD, Arc::default(), Some(Instant::now()))
    }

    #[test]
    fn a_period_is_useless_after_several_wake_ups_for_nothing() {
        let mut period = period();
        if Instant::now().checked_sub(2 * PERIOD).is_none() {
            // The clock has no earlier times.
            return;
        }
        let mut is_useless = |is_late, has_woken| {
            run(&mut period, is_late, has_woken, false);
            period.is_useless()
        };
        assert!(!is_useless(true, true), "the first run has no helpers");
        // Runs in a burst do not count.
        let runs = [true, true, false, true].map(|has_woken| is_useless(true, has_woken));
        assert_eq!(runs, [false; 4]);
        assert!(!is_useless(false, true));
        let runs = [true, true, true, false, true].map(|has_woken| is_useless(true, has_woken));
        assert_eq!(runs, [false, false, false, false, true]);
    }

    #[test]
    fn helpers_that_arrive_late_are_woken_earlier() {
        let mut period = period();
        let mut lead = |is_awaited| {
            run(&mut period, false, true, is_awaited);
            period.shared.lock().lead
        };
        assert_eq!(lead(false), WAKE, "the first run has no helpers");
        assert_eq!(lead(false), WAKE + EARLIER);
        assert_eq!((0..20).map(|_| lead(false)).max(), Some(MOST_WAKE));
        assert!(lead(true) < MOST_WAKE);
        assert_eq!((0..1_000).map(|_| lead(true)).last(), Some(WAKE));
        assert_eq!(period.report().n_awaited, 1_001);
    }
}
