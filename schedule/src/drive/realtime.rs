//! Threads with a priority and processors, for real-time programs.
//!
//! [`ThreadOptions`] makes pools for [`Schedule::set_pool`](crate::Schedule::set_pool), and sets the same options for the thread that runs
//! the schedule. The chapter "Real time" of the user guide describes when they help.

mod error;
mod processors;

use core::fmt;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};
#[cfg(unix)]
use thread_priority::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

pub use self::error::RealtimeError;

/// The priority and the processors of threads.
///
/// ```no_run
/// use schedule::prelude::*;
/// use schedule::realtime::{Priority, ThreadOptions};
///
/// #[system]
/// fn control() {}
///
/// let mut frame = Schedule::builder().add::<control>().build()?;
/// // Two helpers on the processors 2 and 3. The thread that runs the schedule has the processor 1.
/// let helpers = ThreadOptions::new().priority(Priority::Fifo(40)).processors([2, 3]);
/// frame.set_pool(helpers.pool(2)?);
/// ThreadOptions::new().priority(Priority::Fifo(41)).processors([1]).apply()?;
/// frame.run(&mut Resources::new())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadOptions {
    priority: Option<Priority>,
    processors: Option<Vec<usize>>,
}

/// The priority of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Priority {
    /// `SCHED_FIFO` with this priority, on Unix. On Linux, 1 to 99, and greater is more urgent. The thread runs until it waits, or until
    /// a thread of greater priority is ready.
    Fifo(u8),
    /// `SCHED_RR` with this priority, on Unix: as `Fifo`, but threads of the same priority take turns.
    RoundRobin(u8),
    /// A priority in the normal scheduler, on all platforms: 0 to 99, and greater is more urgent. On Linux, 0 is nice 19,
    /// 99 is nice -20, and 46 to 48 are nice 0. Values above 48 usually need a permission.
    Normal(u8),
}

impl ThreadOptions {
    /// Creates options that change nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the priority. By default, a thread has the priority of the thread that starts it.
    ///
    /// On Linux, a real-time priority needs the capability `CAP_SYS_NICE`, or a limit `RLIMIT_RTPRIO` of at least this priority.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the processors that the thread may use, on Linux. By default, a thread has those of the thread that starts it. The
    /// thread of a [`Spanning`](crate::spanning::Spanning) also has those of the main thread, with the feature `placement`.
    ///
    /// All threads of a pool may use all of these processors.
    pub fn processors(mut self, processors: impl IntoIterator<Item = usize>) -> Self {
        self.processors = Some(processors.into_iter().collect());
        self
    }

    /// Makes a pool that gives a run up to this number of helpers, each with these options.
    ///
    /// The pool has one thread more than helpers, because the thread that calls `run` counts as one.
    ///
    /// A helper that finds no work polls for up to 1 ms before it sleeps. With a real-time priority, it then keeps a processor from other
    /// programs. Leave a processor for them, and another one for the thread that calls `run`.
    ///
    /// # Errors
    ///
    /// Fails if an option cannot be set, or if threads cannot be created. The error explains what is missing.
    pub fn pool(&self, n_helpers: usize) -> Result<Arc<ThreadPool>, RealtimeError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(n_helpers + 1)
            .thread_name(|nth| format!("schedule helper {nth}"))
            .build()
            .map_err(RealtimeError::Pool)?;
        let results = pool.broadcast(|_| self.apply());
        results.into_iter().collect::<Result<(), _>>()?;
        Ok(Arc::new(pool))
    }

    /// Sets these options for the calling thread.
    ///
    /// # Errors
    ///
    /// Fails if an option cannot be set. The error explains what is missing. The processors are set first. They stay set if the priority
    /// then cannot be set.
    pub fn apply(&self) -> Result<(), RealtimeError> {
        if let Some(processors) = &self.processors {
            processors::set(processors)?;
        }
        match self.priority {
            Some(priority) => priority.apply(),
            None => Ok(()),
        }
    }
}

impl Priority {
    fn value(self) -> u8 {
        match self {
            Self::Fifo(value) | Self::RoundRobin(value) | Self::Normal(value) => value,
        }
    }

    fn apply(self) -> Result<(), RealtimeError> {
        let value = ThreadPriorityValue::try_from(self.value())
            .map_err(|text| RealtimeError::priority(self, text))?;
        self.set(ThreadPriority::Crossplatform(value))
    }

    #[cfg(unix)]
    fn set(self, value: ThreadPriority) -> Result<(), RealtimeError> {
        let policy = match self {
            Self::Fifo(_) => ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
            Self::RoundRobin(_) => {
                ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::RoundRobin)
            }
            Self::Normal(_) => ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other),
        };
        let result = set_thread_priority_and_policy(thread_native_id(), value, policy);
        result.map_err(|error| RealtimeError::of_system(self, &error))
    }

    #[cfg(not(unix))]
    fn set(self, value: ThreadPriority) -> Result<(), RealtimeError> {
        match self {
            Self::Fifo(_) | Self::RoundRobin(_) => {
                let text = "only Unix has it: use `Priority::Normal`";
                Err(RealtimeError::priority(self, text))
            }
            Self::Normal(_) => {
                let result = thread_priority::set_current_thread_priority(value);
                result.map_err(|error| RealtimeError::of_system(self, &error))
            }
        }
    }
}

/// Prints for example `Fifo(40)`.
impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(all(test, not(any(loom, miri))))]
mod tests;
