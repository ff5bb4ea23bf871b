//! The limit of the processor time of a handler.
//!
//! A thread samples the processor time of the thread that applies a batch, and the number of events that have ended. While events are
//! applied one by one, a handler above the limit aborts the process, which counts as a death. Otherwise there is a warning.
//!
//! The processor time does not run while the process is paused or waits for a processor. Linux has it in `/proc`. On other systems,
//! nothing is measured.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};

use crate::base::notices;
use crate::base::position::Position;

/// The limit is compared this often while one handler runs for that long.
const N_SAMPLES: u32 = 8;
const MIN_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The duration of a clock tick in `/proc/<id>/stat`. All architectures of Linux have the same.
const TICK: Duration = Duration::from_millis(10);

/// Watches the handlers of an engine. If it is dropped, its thread ends.
pub(super) struct Watchdog {
    shared: Arc<WatchState>,
    /// The thread that has applied the last batch, and its files. `None` without processor times.
    applies: Option<(ThreadId, Arc<PathBuf>)>,
    thread: Option<JoinHandle<()>>,
}

struct WatchState {
    stream: String,
    max: Duration,
    watched: Mutex<Watched>,
    /// The watchdog is woken if it sleeps, because no batch was applied.
    wakes: Condvar,
    is_asleep: AtomicBool,
    /// Number of events of the batch that have ended.
    n_ended: AtomicU32,
}

/// The batch that is applied.
#[derive(Clone, Default)]
struct Watched {
    /// `None` between two batches.
    files: Option<Arc<PathBuf>>,
    batch: u64,
    is_one_by_one: bool,
    /// Whether the watchdog ends.
    is_over: bool,
}

/// The folder of this thread in `/proc`.
fn files_of_this_thread() -> Option<PathBuf> {
    let of = fs::read_link("/proc/thread-self").ok()?;
    let files = PathBuf::from("/proc").join(of);
    processor_time(&files).map(|_| files)
}

/// Returns the processor time that a thread has used. `None` if it has ended, or on another system than Linux.
fn processor_time(files: &std::path::Path) -> Option<Duration> {
    if let Ok(text) = fs::read_to_string(files.join("schedstat")) {
        let nanos = text.split(' ').next()?.parse().ok()?;
        return Some(Duration::from_nanos(nanos));
    }
    // A kernel may have no statistics of the scheduler. The name in parentheses may contain spaces.
    let text = fs::read_to_string(files.join("stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(str::parse::<u32>);
    let n_ticks = times.next()?.ok()?.checked_add(times.next()?.ok()?)?;
    TICK.checked_mul(n_ticks)
}

impl Watchdog {
    /// `stream`: its name in warnings.
    pub(super) fn new(stream: &str, max: Duration) -> Self {
        let shared = Arc::new(WatchState {
            stream: stream.to_string(),
            max,
            watched: Mutex::default(),
            wakes: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            n_ended: AtomicU32::new(0),
        });
        let watches = Arc::clone(&shared);
        let named = thread::Builder::new().name("schedule-watchdog".to_string());
        let thread = if cfg!(target_os = "linux") {
            // Without a thread, handlers have no limit.
            named.spawn(move || watches.watch()).ok()
        } else {
            None
        };
        Self {
            shared,
            applies: None,
            thread,
        }
    }

    /// This thread begins to apply a batch.
    pub(super) fn begin(&mut self, batch: u64, is_one_by_one: bool) {
        let this = thread::current().id();
        if self.applies.as_ref().is_none_or(|of| of.0 != this) {
            self.applies = files_of_this_thread().map(|files| (this, Arc::new(files)));
        }
        let Some((_, files)) = &self.applies else {
            return;
        };
        // Relaxed: the lock below orders it before the new batch.
        self.shared.n_ended.store(0, Ordering::Relaxed);
        self.shared.set(|watched| {
            *watched = Watched {
                files: Some(Arc::clone(files)),
                batch,
                is_one_by_one,
                is_over: false,
            };
        });
        // Relaxed: a wake-up that comes too early or too late only delays a warning. The lock orders it after the batch.
        if self.shared.is_asleep.load(Ordering::Relaxed) {
            self.shared.wakes.notify_one();
        }
    }

    /// An event of the batch has ended.
    #[inline]
    pub(super) fn note_end(&self) {
        // Relaxed: only the number counts.
        self.shared.n_ended.fetch_add(1, Ordering::Relaxed);
    }

    /// The batch is applied.
    pub(super) fn end(&self) {
        self.shared.set(|watched| watched.files = None);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.set(|watched| watched.is_over = true);
        self.shared.wakes.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl WatchState {
    fn set(&self, change: impl FnOnce(&mut Watched)) {
        let watched = self.watched.lock();
        change(&mut watched.unwrap_or_else(PoisonError::into_inner));
    }

    fn watch(&self) {
        let pause = (self.max / N_SAMPLES).clamp(MIN_PAUSE, MAX_PAUSE);
        // The event that was applied in the last sample, and the processor time in the first sample with this event.
        let mut last: Option<(Position, Duration)> = None;
        let mut warned = None;
        let locked = || self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut watched = locked();
            if watched.is_over {
                return;
            }
            if watched.files.is_none() && last.is_none() {
                self.is_asleep.store(true, Ordering::Relaxed);
                let woken = self.wakes.wait(watched);
                watched = woken.unwrap_or_else(PoisonError::into_inner);
                self.is_asleep.store(false, Ordering::Relaxed);
            } else {
                let woken = self.wakes.wait_timeout(watched, pause);
                watched = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
            let now = (*watched).clone();
            let n_ended = self.n_ended.load(Ordering::Relaxed);
            drop(watched);
            let used = now.files.as_ref().and_then(|files| processor_time(files));
            let Some(used) = used else {
                last = None;
                continue;
            };
            let position = Position::new(now.batch, n_ended);
            let since = match last {
                Some((same, since)) if same == position => since,
                _ => used,
            };
            last = Some((position, since));
            let took = used.saturating_sub(since);
            if took < self.max {
                continue;
            }
            if now.is_one_by_one && self.is_still(position) {
                let Self { stream, max, .. } = self;
                eprintln!(
                    "stream `{stream}`: the process is aborted, because the handler of the event at position {position} has used {took:?} \
                     of processor time, and the limit is {max:?}"
                );
                std::process::abort();
            }
            if warned.replace(position) != Some(position) {
                notices::long_handler(&self.stream, position, took);
            }
        }
    }

    /// Whether the event at a position has not ended since it was sampled.
    fn is_still(&self, position: Position) -> bool {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.files.is_some()
            && watched.batch == position.batch
            && self.n_ended.load(Ordering::Relaxed) == position.index
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog")
            .field("max", &self.shared.max)
            .finish_non_exhaustive()
    }
}
