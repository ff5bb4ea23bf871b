//! The parameter `Failures`: which systems have failed before this one.
#![expect(
    unsafe_code,
    reason = "implements `Fetch`, which touches nothing outside itself"
)]

use core::fmt;
use std::sync::Arc;

use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::base::place::SystemPlace;
use crate::data::access::{Access, AccessSet};

/// The systems that have failed or were skipped in this run, before this system.
///
/// A system takes it to react to failures. It is usually one that runs [`always`](crate::Builder::always), because others are
/// skipped after most failures.
///
/// It contains the failures of the systems before this one, by the orders that skip systems after a failure: declared and
/// weak orders, conditions, and orders of writers first. Orders that only
/// [`Policy::InsertionOrder`](crate::Policy::InsertionOrder) or [`Policy::Optimize`](crate::Policy::Optimize) adds do not
/// count. So on all executors a system sees the same failures, whatever other systems have failed at the same time. Under
/// [`FailurePolicy::Stop`](crate::FailurePolicy::Stop), the skipped systems can vary. A failed condition of a loop, and the
/// failures in its body, are before everything that comes after the loop.
///
/// If a command panicked, its system is included if the command was applied before this system. If joining a fold
/// panicked, its system is included for the systems that read the folded resource.
///
/// Without a failure in a run, it costs nothing but the check for one. It has no access, so it conflicts with nothing.
///
/// ```
/// use schedule::error::SystemPlace;
/// use schedule::param::{Failures, PastFailure};
/// use schedule::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct Alarm(Vec<String>);
///
/// #[system]
/// fn read_sensor() -> Result<(), BoxError> {
///     Err("no answer".into())
/// }
///
/// #[system(after = read_sensor)]
/// fn control() {}
///
/// #[system(always, after = control)]
/// fn watch(failures: Failures, alarm: &mut Alarm) {
///     for failure in failures.iter() {
///         alarm.0.push(format!("{}: {}", failure.system.name, failure.cause));
///     }
///     for system in failures.skipped() {
///         alarm.0.push(format!("{} was skipped", system.name));
///     }
/// }
///
/// let mut flight = Schedule::builder().add::<read_sensor>().add::<control>().add::<watch>().build()?;
/// let mut resources = Resources::new();
/// resources.insert_default::<Alarm>();
/// assert!(flight.run(&mut resources).is_err());
/// let alarm = resources.get_mut::<Alarm>().unwrap();
/// assert_eq!(alarm.0, ["read_sensor: no answer", "control was skipped"]);
///
/// // A unit test passes lists.
/// alarm.0.clear();
/// let failed = [PastFailure::new(SystemPlace::new("control"), "no fuel")];
/// watch(Failures::new(&failed, &[]), alarm);
/// assert_eq!(alarm.0, ["control: no fuel"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Failures<'r> {
    failed: &'r [PastFailure],
    skipped: &'r [Arc<SystemPlace>],
}

/// A failure of a system that ran before. See [`Failures`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PastFailure {
    /// The system.
    pub system: Arc<SystemPlace>,
    /// The text of the [`Cause`](crate::error::Cause).
    pub cause: Arc<String>,
}

impl<'r> Failures<'r> {
    /// No failures, to call a system as a plain function.
    pub const NONE: Failures<'static> = Failures::new(&[], &[]);

    /// Borrows lists, to call a system as a plain function.
    pub const fn new(failed: &'r [PastFailure], skipped: &'r [Arc<SystemPlace>]) -> Self {
        Self { failed, skipped }
    }

    /// Whether no system before this one has failed or was skipped.
    pub fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.skipped.is_empty()
    }

    /// The failures, in schedule order.
    pub fn iter(&self) -> core::slice::Iter<'r, PastFailure> {
        self.failed.iter()
    }

    /// The systems that were skipped because another system failed, in schedule order.
    pub fn skipped(&self) -> &'r [Arc<SystemPlace>] {
        self.skipped
    }
}

impl<'r> IntoIterator for Failures<'r> {
    type Item = &'r PastFailure;
    type IntoIter = core::slice::Iter<'r, PastFailure>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'r> IntoIterator for &Failures<'r> {
    type Item = &'r PastFailure;
    type IntoIter = core::slice::Iter<'r, PastFailure>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PastFailure {
    /// Creates a failure, to call a system as a plain function.
    pub fn new(system: SystemPlace, cause: impl Into<String>) -> Self {
        Self {
            system: Arc::new(system),
            cause: Arc::new(cause.into()),
        }
    }
}

impl fmt::Display for PastFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.system, self.cause)
    }
}

/// The state of `Failures`: the lists of the current execution, which an executor fills before it.
#[derive(Debug, Default)]
pub struct FailureLists {
    pub(crate) failed: Vec<PastFailure>,
    pub(crate) skipped: Vec<Arc<SystemPlace>>,
}

impl FailureLists {
    /// Creates empty lists with memory for this number of items.
    pub(crate) fn of_most(n: usize) -> Self {
        Self {
            failed: Vec::with_capacity(n),
            skipped: Vec::with_capacity(n),
        }
    }

    /// Copies the items, and takes as much memory.
    fn copy(&mut self, from: &Self) {
        self.clear();
        self.failed.reserve(from.failed.capacity());
        self.skipped.reserve(from.skipped.capacity());
        self.failed.extend_from_slice(&from.failed);
        self.skipped.extend_from_slice(&from.skipped);
    }

    /// Removes all items, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.failed.clear();
        self.skipped.clear();
    }
}

// SAFETY: `fetch` accesses only the lists in the state itself, which belongs to one node.
unsafe impl Fetch for FailureLists {
    type Item<'r> = Failures<'r>;

    fn access(&self, access: &mut AccessSet) {
        access.reads_failures = true;
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Failures<'r> {
        Failures::new(&self.failed, &self.skipped)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        if let Settle::NoteFailures(lists) = settle {
            self.copy(lists);
        }
    }
}

impl Param for Failures<'_> {
    type State = FailureLists;
    const SEED: Seed<FailureLists> = Seed::new(Access::Each(&[]), FailureLists::default);
}
