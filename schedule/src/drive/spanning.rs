//! Slow work beside fast runs: systems that span runs.
//!
//! A system with `#[system(spanning)]` is two systems of the schedule:
//!
//! - The system itself starts the work. It copies the resources in the signature, and the function runs on the copies, on a thread of
//!   its own. No run waits for the function.
//! - [`results`] hands over the results. In the first run after the function has returned, all written resources change at this place, at
//!   once.
//!
//! Both are verified as all systems are. The start reads all resources in the signature, and `results` writes those that the
//! signature takes by `&mut`. The start is always ordered after `results`.
//!
//! ```
//! use schedule::prelude::*;
//! use schedule::spanning::{Spanning, results};
//!
//! #[derive(Resource, Clone)]
//! struct Map(Vec<u32>);
//!
//! #[derive(Resource, Clone, Default)]
//! struct Path(Vec<u32>);
//!
//! #[derive(Resource, Default)]
//! struct Steps(usize);
//!
//! /// Takes longer than a run.
//! #[system(spanning)]
//! fn plan(map: &Map, path: &mut Path) {
//!     path.0 = map.0.clone();
//!     path.0.sort_unstable();
//! }
//!
//! #[system(after = results<plan>)]
//! fn follow(path: &Path, steps: &mut Steps) {
//!     steps.0 = path.0.len();
//! }
//!
//! let mut frame = Schedule::builder()
//!     .add::<plan>()
//!     .add::<results<plan>>()
//!     .add::<follow>()
//!     .build()?;
//! let mut resources = Resources::new();
//! resources.insert(Map(vec![3, 1, 2]));
//! resources.insert_default::<Path>();
//! resources.insert_default::<Steps>();
//! resources.insert(Spanning::<plan>::new());
//! while resources.get::<Steps>().unwrap().0 == 0 {
//!     frame.run(&mut resources)?;
//! }
//! assert_eq!(resources.get::<Path>().unwrap().0, [1, 2, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Copies
//!
//! The resources implement [`HandOver`]. All resources with `Clone` do. A start copies with `clone_from`, as a part of the run. A derived
//! `Clone` allocates for each copy. Implement `clone_from` by hand to reuse the memory of the copy before.
//!
//! The results are exchanged with the values of the resources (a double buffer). So a value that another system has written since
//! the start is replaced. With a [`Queue`], the results are added to the values instead.
//!
//! The function can take `&T`, `&mut T`, an `Option` of these, and [`Local`](crate::Local).
//!
//! # Starts while the work goes on
//!
//! Conditions and rates apply to the start. [`OverrunPolicy`] decides about a start that comes before the results of the last one have
//! appeared: it is skipped (default), queued, or replaces the work that goes on.
//!
//! # Groups
//!
//! Several systems can span runs together: a [`schedule!`](macro@crate::schedule) that runs on one set of copies. A signature says what
//! is copied and handed over. It has no body:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule::spanning::{Spanning, results};
//!
//! #[derive(Resource, Clone, Default)]
//! struct Map(Vec<u32>);
//!
//! #[derive(Resource, Clone, Default)]
//! struct Costs(Vec<u32>);
//!
//! #[derive(Resource, Clone, Default)]
//! struct Path(Vec<u32>);
//!
//! #[system]
//! fn weigh(map: &Map, costs: &mut Costs) {
//!     costs.0 = map.0.iter().map(|height| height * height).collect();
//! }
//!
//! #[system]
//! fn search(costs: &Costs, path: &mut Path) {
//!     path.0 = costs.0.clone();
//!     path.0.sort_unstable();
//! }
//!
//! schedule! {
//!     Planning { weigh, search: after weigh }
//! }
//!
//! #[system(spanning = Planning)]
//! fn plan(map: &Map, costs: &mut Costs, path: &mut Path);
//!
//! let mut frame = Schedule::builder().add::<plan>().add::<results<plan>>().build()?;
//! let mut resources = Resources::new();
//! resources.insert(Map(vec![3, 1, 2]));
//! resources.insert_default::<Costs>();
//! resources.insert_default::<Path>();
//! resources.insert(Spanning::<plan>::new());
//! frame.run(&mut resources)?;
//! resources.get_mut::<Spanning<plan>>().unwrap().wait();
//! frame.run(&mut resources)?;
//! assert_eq!(resources.get::<Path>().unwrap().0, [1, 4, 9]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The systems run one after the other. A schedule that takes more than the signature does not compile. A group that is cancelled
//! still runs all of its systems. Those that take long can take [`Cancellation`].
//!
//! # Errors
//!
//! If the function returns an error or panics, nothing is handed over, and `results` fails with the error. Then systems after `results`
//! are skipped in this run. Set [`FailurePolicy::CarryOn`](crate::FailurePolicy::CarryOn) for `results` if they can use the old values.
//!
//! # Repeatable runs
//!
//! The run in which results appear depends on timing. There are two ways to make it repeatable:
//!
//! - [`Spanning::appear_after`]: the results appear in a fixed run after the start, unless they are [late](SpanningCounts::late).
//! - [`Spanning::record`] notes where results have appeared, and [`Spanning::replay`] lets them appear there again. With the feature
//!   `snapshot`, a `Spanning` is a participant of the recordings in the module `replay`.
//!
//! A function that returns early because of [`Cancellation`] must not have changed its [`Local`](crate::Local)s by then. Otherwise later
//! results depend on timing.

mod group;
mod handed;
mod parameter;
mod queue;
#[cfg(feature = "snapshot")]
mod recorded;
mod settings;
mod work;
mod worker;

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;
use std::collections::VecDeque;
use std::mem;
#[cfg(feature = "realtime")]
use std::sync::mpsc;

#[doc(hidden)]
pub use self::group::check_group;
pub use self::handed::results;
pub use self::parameter::{HandOver, SpanningParam};
pub use self::queue::Queue;
pub use self::settings::{Cancellation, OverrunPolicy, SpanningCounts};
#[doc(hidden)]
pub use self::work::{SpanningSystem, SpanningWork, check_output};
use self::worker::{Job, Worker};
use crate::base::identity::{Argument, Identity, Name, declared_here, mix};
use crate::data::output::BoxError;
use crate::data::resource::{Resource, Resources};
#[cfg(feature = "realtime")]
use crate::drive::realtime::{RealtimeError, ThreadOptions};
use crate::run::executor::processors::use_all;

/// The work of a spanning system. Insert it before the first run.
///
/// It has the thread on which the function runs. See the [module](self).
pub struct Spanning<S> {
    worker: Worker,
    overrun: OverrunPolicy,
    /// The number of visits of `results` from a start to the appearance of its results. 0: the first one after the work has ended.
    n_visits: u64,
    /// The number of visits of `results` so far.
    visit: u64,
    current: Option<Current>,
    /// Starts whose work has not begun.
    waiting: VecDeque<Waiting>,
    /// Copies that are not in use.
    #[expect(clippy::vec_box, reason = "a job goes to the thread in its box")]
    unused: Vec<Box<Job>>,
    counts: SpanningCounts,
    last_duration: Duration,
    max_duration: Duration,
    /// The visits in which results have appeared, if they are recorded.
    recorded: Option<Vec<u64>>,
    /// The visits in the current run, if it is recorded or replayed.
    #[cfg(feature = "snapshot")]
    of_run: recorded::RunVisits,
    /// The visits in which results appear, if they are replayed.
    replayed: Option<VecDeque<u64>>,
    system: PhantomData<fn() -> S>,
}

/// The start whose work goes on, or is done.
#[derive(Debug)]
struct Current {
    /// The number of visits before the start.
    started: u64,
    is_replaced: bool,
    cancelled: worker::Flag,
    /// The worker could not take it yet.
    unsent: Option<Box<Job>>,
}

#[derive(Debug)]
struct Waiting {
    started: u64,
    job: Box<Job>,
}

impl<S: Identity> Identity for Spanning<S> {
    const ID: u128 = mix(declared_here(module_path!(), "Spanning"), S::ID);
    const NAME: Name = Name::generic("Spanning", &[Argument::Type(S::NAME)]);
}

#[diagnostic::do_not_recommend]
impl<S: Identity + 'static> Resource for Spanning<S> {}

impl<S: SpanningSystem> Spanning<S> {
    /// Creates it, and starts its thread.
    ///
    /// The thread inherits the priority of this one on most platforms, so create it before you raise that. If this thread is pinned,
    /// the new one is not, on Linux with the feature `placement`. Without threads (`wasm32-unknown-unknown`), the function runs within the
    /// start, or within [`results`] if the start was queued.
    ///
    /// # Panics
    ///
    /// Panics if the operating system cannot create the thread.
    pub fn new() -> Self {
        Self::begin_with(use_all)
    }

    /// Creates it, and starts its thread with this priority and these processors.
    ///
    /// # Errors
    ///
    /// Fails if an option cannot be set. The error explains what is missing.
    ///
    /// # Panics
    ///
    /// Panics if the operating system cannot create the thread.
    #[cfg(feature = "realtime")]
    pub fn with_options(options: ThreadOptions) -> Result<Self, RealtimeError> {
        let (answer, answered) = mpsc::channel();
        let spanning = Self::begin_with(move || {
            use_all();
            // The receiver waits for the answer.
            let _ = answer.send(options.apply());
        });
        // A target without threads sends no answer.
        answered.recv().unwrap_or(Ok(()))?;
        Ok(spanning)
    }

    /// `begin`: called on the thread before the first start.
    fn begin_with(begin: impl FnOnce() + Send + 'static) -> Self {
        Self {
            worker: Worker::new(&S::NAME.to_string(), S::work(), begin),
            overrun: OverrunPolicy::Skip,
            n_visits: 0,
            visit: 0,
            current: None,
            waiting: VecDeque::new(),
            unused: Vec::new(),
            counts: SpanningCounts::default(),
            last_duration: Duration::ZERO,
            max_duration: Duration::ZERO,
            recorded: None,
            #[cfg(feature = "snapshot")]
            of_run: recorded::RunVisits::default(),
            replayed: None,
            system: PhantomData,
        }
    }
}

impl<S: SpanningSystem> Default for Spanning<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Spanning<S> {
    /// Sets what happens to a start before the results of the last one have appeared.
    #[must_use]
    pub fn overrun(mut self, overrun: OverrunPolicy) -> Self {
        self.overrun = overrun;
        self
    }

    /// Lets the results appear in a fixed run: the `n_runs`-th run of [`results`] after the start (logical execution time). If the
    /// function has not returned by then, they appear in the first run after that, and count as late. In the rare case that its thread
    /// holds the lock at that moment, they are late, too.
    ///
    /// Results that are never late depend only on the inputs. The default is 0: as soon as the function has returned.
    ///
    /// The thread begins no other work before the results have appeared. Runs in which [`results`] is skipped or disabled do not count. If
    /// it is in a loop, its iterations count, not the runs of the schedule.
    #[must_use]
    pub fn appear_after(mut self, n_runs: u64) -> Self {
        self.n_visits = n_runs;
        self
    }

    /// Whether there is a start whose results will appear later.
    pub fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// Returns the number of starts by their outcome.
    pub fn counts(&self) -> SpanningCounts {
        self.counts
    }

    /// Returns the time that the function took the last time its results appeared or it failed. Zero at first.
    pub fn last_duration(&self) -> Duration {
        self.last_duration
    }

    /// Returns the largest of these times.
    pub fn max_duration(&self) -> Duration {
        self.max_duration
    }

    /// Begins to record in which visits results appear. A visit is a run of [`results`]: a run of the schedule, unless it is in a
    /// loop or has a condition. The first visit is 0.
    ///
    /// Visits in which `results` has failed, or has dropped the results of replaced work, are recorded, too.
    /// [`take_recorded`](Self::take_recorded) returns the record.
    pub fn record(&mut self) {
        self.recorded.get_or_insert_default();
    }

    /// Returns the visits that were recorded since the last call. Empty without [`record`](Self::record).
    pub fn take_recorded(&mut self) -> Vec<u64> {
        self.recorded.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Lets results appear in these visits, after those of earlier calls, and in no others. In these visits, [`results`] waits until the
    /// function has returned.
    ///
    /// The systems, their inputs and the settings must be those of the recording. The recording and the replay must both begin with
    /// a new `Spanning`. If nothing can appear in such a visit, or it has passed, `results` fails.
    pub fn replay(&mut self, visits: impl IntoIterator<Item = u64>) {
        self.replayed.get_or_insert_default().extend(visits);
    }

    /// Ends a replay: from now on, results appear as without [`replay`](Self::replay).
    pub fn end_replay(&mut self) {
        self.replayed = None;
    }

    /// Waits until the running function has returned. Its results do not appear before a run of [`results`].
    pub fn wait(&mut self) {
        if let Some(current) = &mut self.current {
            self.worker.wait(current.unsent.take());
        }
    }

    /// Starts the work. `copy`: copies the resources.
    #[doc(hidden)]
    pub fn start(&mut self, copy: impl FnOnce(&mut Resources)) {
        if self.current.is_none() {
            let job = self.copied(copy);
            self.begin(self.visit, job);
            return;
        }
        let waits = match self.overrun {
            OverrunPolicy::Skip => false,
            OverrunPolicy::Queue(n) => self.waiting.len() < n,
            OverrunPolicy::Restart => true,
        };
        if !waits {
            self.counts.skipped += 1;
            return;
        }
        // It can panic, so it is first.
        let job = self.copied(copy);
        if self.overrun == OverrunPolicy::Restart {
            if let Some(waiting) = self.waiting.pop_front() {
                self.counts.replaced += 1;
                self.unused.push(waiting.job);
            }
            if let Some(current) = &mut self.current {
                current.is_replaced = true;
                current.cancelled.set(true);
            }
        }
        let started = self.visit;
        self.waiting.push_back(Waiting { started, job });
    }

    /// Hands over the results, if they appear in this visit. `hand_over`: exchanges the values of the resources.
    ///
    /// # Errors
    ///
    /// The error of the function, or a replay that differs.
    #[doc(hidden)]
    pub fn visit(&mut self, hand_over: impl FnOnce(&mut Resources)) -> Result<(), BoxError> {
        let visit = self.visit;
        self.visit += 1;
        self.send();
        let Some(mut job) = self.done(visit)? else {
            return Ok(());
        };
        let current = self.current.take().expect("its job is done");
        self.begin_waiting();
        self.recorded.iter_mut().for_each(|all| all.push(visit));
        #[cfg(feature = "snapshot")]
        self.of_run.note(visit);
        if current.is_replaced {
            self.counts.replaced += 1;
            self.unused.push(job);
            return Ok(());
        }
        if self.n_visits > 0 && visit > self.last_on_time(&current) {
            self.counts.late += 1;
        }
        self.last_duration = job.duration;
        self.max_duration = self.max_duration.max(job.duration);
        let result = job.take_result();
        // Until the end of `hand_over`, which can panic.
        self.counts.failed += 1;
        if result.is_ok() {
            hand_over(&mut job.resources);
            self.counts.failed -= 1;
            self.counts.appeared += 1;
        }
        self.unused.push(job);
        result
    }

    /// Returns the job whose results appear in this visit.
    fn done(&mut self, visit: u64) -> Result<Option<Box<Job>>, BoxError> {
        if let Some(replayed) = &mut self.replayed {
            let Some(next) = replayed.pop_front_if(|next| *next <= visit) else {
                return Ok(None);
            };
            if next < visit {
                let text = format!(
                    "results were recorded in visit {next}, which is before this visit {visit}"
                );
                return Err(text.into());
            }
            if self.current.is_none() {
                let text =
                    format!("results were recorded in this visit {visit}, but no work was started");
                return Err(text.into());
            }
            self.wait();
            return Ok(self.worker.take_done_waiting());
        }
        let appears =
            |current: &Current| current.is_replaced || visit >= self.last_on_time(current);
        if self.current.as_ref().is_some_and(appears) {
            Ok(self.worker.take_done())
        } else {
            Ok(None)
        }
    }

    /// Returns the last visit in which the results of a start are not late.
    fn last_on_time(&self, current: &Current) -> u64 {
        current
            .started
            .saturating_add(self.n_visits.saturating_sub(1))
    }

    /// Returns a job with copies of the resources.
    fn copied(&mut self, copy: impl FnOnce(&mut Resources)) -> Box<Job> {
        let mut job = self.unused.pop().unwrap_or_default();
        job.cancelled.set(false);
        copy(&mut job.resources);
        job
    }

    fn begin_waiting(&mut self) {
        if let Some(Waiting { started, job }) = self.waiting.pop_front() {
            self.begin(started, job);
        }
    }

    fn begin(&mut self, started: u64, job: Box<Job>) {
        self.current = Some(Current {
            started,
            is_replaced: false,
            cancelled: job.cancelled.clone(),
            unsent: Some(job),
        });
        self.send();
    }

    /// Sends the current job to the worker, unless it was sent. If the worker holds the lock, the next visit tries again.
    fn send(&mut self) {
        if let Some(current) = &mut self.current
            && let Some(job) = current.unsent.take()
        {
            current.unsent = self.worker.send(job);
        }
    }
}

/// Running work is cancelled, and ends later on its thread, which also drops the copies. Work that has not begun is dropped.
impl<S> Drop for Spanning<S> {
    fn drop(&mut self) {
        if let Some(current) = &self.current {
            current.cancelled.set(true);
        }
    }
}

impl<S> fmt::Debug for Spanning<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spanning")
            .field("overrun", &self.overrun)
            .field("visit", &self.visit)
            .field("is_running", &self.is_running())
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}
