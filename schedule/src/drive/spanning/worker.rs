//! The thread on which the function of a spanning system runs.
//!
//! A job is a set of resources. It goes to the thread and comes back through one slot. During a run, the side of the schedule never waits
//! for the lock of the slot, except in a replay.

use core::mem;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::time::Duration;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Cancellation;
use super::work::SpanningWork;
use crate::base::panics::drop_caught;
use crate::base::time::Instant;
use crate::base::user_value::UserValue;
use crate::data::output::BoxError;
use crate::data::resource::Resources;
use crate::declare::failure::Panic;

/// A flag that several threads share.
#[derive(Clone, Debug, Default)]
pub(super) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(super) fn get(&self) -> bool {
        // Relaxed: nothing else is read because of it.
        self.0.load(Relaxed)
    }

    pub(super) fn set(&self, value: bool) {
        self.0.store(value, Relaxed);
    }
}

/// The copies of the resources, and the outcome of the work on them.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) resources: UserValue<Resources>,
    pub(super) cancelled: Flag,
    result: UserValue<Result<(), BoxError>>,
    pub(super) duration: Duration,
}

impl Default for Job {
    fn default() -> Self {
        let cancelled = Flag::default();
        let mut resources = Resources::new();
        resources.insert(Cancellation(cancelled.clone()));
        Self {
            resources: UserValue::new(resources),
            cancelled,
            result: UserValue::new(Ok(())),
            duration: Duration::ZERO,
        }
    }
}

impl Job {
    pub(super) fn take_result(&mut self) -> Result<(), BoxError> {
        mem::replace(&mut *self.result, Ok(()))
    }

    fn run(&mut self, work: &mut SpanningWork) {
        let start = Instant::now();
        // A run catches panics, but values that it drops can panic, too.
        let result = catch_unwind(AssertUnwindSafe(|| work.run(&mut self.resources)));
        // `take_result` has left nothing that is dropped here.
        *self.result = result.unwrap_or_else(|payload| {
            let panic = Panic::new(payload);
            let text = format!("panicked: {}", panic.message());
            drop_caught(panic);
            Err(text.into())
        });
        self.duration = start.elapsed();
    }
}

/// The job between the schedule and the thread.
#[derive(Debug, Default)]
enum JobState {
    #[default]
    Empty,
    Sent(Box<Job>),
    Running,
    Done(Box<Job>),
    /// No job will be sent any more.
    Closed,
}

impl JobState {
    fn take_done(&mut self) -> Option<Box<Job>> {
        match mem::take(self) {
            Self::Done(job) => Some(job),
            other => {
                *self = other;
                None
            }
        }
    }
}

#[derive(Debug, Default)]
struct Exchange {
    slot: Mutex<JobState>,
    /// Notified after each change.
    changed: Condvar,
}

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, JobState> {
        // No user code runs while it is locked.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, slot: MutexGuard<'a, JobState>) -> MutexGuard<'a, JobState> {
        let waited = self.changed.wait(slot);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the jobs, until the slot is closed.
    fn serve(&self, mut work: SpanningWork) {
        let mut slot = self.lock();
        loop {
            match mem::replace(&mut *slot, JobState::Running) {
                JobState::Sent(mut job) => {
                    drop(slot);
                    job.run(&mut work);
                    slot = self.lock();
                    if matches!(*slot, JobState::Closed) {
                        // The copies are user values, so they are dropped without the lock.
                        drop(slot);
                        return;
                    }
                    *slot = JobState::Done(job);
                    self.changed.notify_all();
                }
                JobState::Closed => {
                    *slot = JobState::Closed;
                    return;
                }
                other => {
                    *slot = other;
                    slot = self.wait(slot);
                }
            }
        }
    }
}

/// The thread, or the work itself where there are no threads.
pub(super) struct Worker {
    exchange: Arc<Exchange>,
    /// `None` if the thread has it. In a mutex, because a schedule is not `Sync`.
    inline: Option<Mutex<SpanningWork>>,
}

impl Worker {
    /// `begin`: called on the thread before the first job.
    pub(super) fn new(
        name: &str,
        work: SpanningWork,
        begin: impl FnOnce() + Send + 'static,
    ) -> Self {
        let exchange = Arc::new(Exchange::default());
        // The work stays here until the thread has started.
        let sent = Arc::new(Mutex::new(Some(work)));
        let (of_thread, taken) = (Arc::clone(&exchange), Arc::clone(&sent));
        let spawned = thread::Builder::new().name(name.into()).spawn(move || {
            let work = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                begin();
                of_thread.serve(work);
            }
        });
        let inline = match spawned {
            Ok(_) => None,
            Err(error) => {
                assert!(
                    error.kind() == ErrorKind::Unsupported,
                    "cannot create the thread of spanning system `{name}`: {error}"
                );
                let work = sent.lock().unwrap_or_else(PoisonError::into_inner).take();
                work.map(Mutex::new)
            }
        };
        Self { exchange, inline }
    }

    /// Sends a job, which must be the only one. Returns it if the thread holds the lock.
    pub(super) fn send(&mut self, mut job: Box<Job>) -> Option<Box<Job>> {
        if let Some(work) = &mut self.inline {
            job.run(work.get_mut().unwrap_or_else(PoisonError::into_inner));
            *self.exchange.lock() = JobState::Done(job);
            return None;
        }
        let Ok(mut slot) = self.exchange.slot.try_lock() else {
            return Some(job);
        };
        *slot = JobState::Sent(job);
        drop(slot);
        self.exchange.changed.notify_all();
        None
    }

    /// Returns the job if it is done. Does not wait.
    pub(super) fn take_done(&self) -> Option<Box<Job>> {
        self.exchange.slot.try_lock().ok()?.take_done()
    }

    /// Returns the job if it is done. Waits for the lock.
    pub(super) fn take_done_waiting(&self) -> Option<Box<Job>> {
        self.exchange.lock().take_done()
    }

    /// Waits until the job is done. `unsent`: the job, if it was not sent.
    pub(super) fn wait(&mut self, unsent: Option<Box<Job>>) {
        let mut unsent = unsent;
        while let Some(job) = unsent.take() {
            unsent = self.send(job);
            drop(self.exchange.lock());
        }
        let mut slot = self.exchange.lock();
        while matches!(*slot, JobState::Sent(_) | JobState::Running) {
            slot = self.exchange.wait(slot);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut slot = self.exchange.lock();
        let last = mem::replace(&mut *slot, JobState::Closed);
        drop(slot);
        self.exchange.changed.notify_all();
        // A job that was sent or is done has user values, so it is dropped without the lock.
        drop(last);
    }
}
