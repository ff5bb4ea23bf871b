//! State that belongs to one system of one schedule.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` and `Send` for state that belongs to one node"
)]

use core::ops::{Deref, DerefMut};

#[cfg(feature = "snapshot")]
use super::state::RestoreStep;
use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::base::user_value::UserValue;
use crate::data::access::{Access, AccessSet};

/// State of one system in one schedule. It persists between runs, and starts as `T::default()`.
///
/// [`Schedule::reset_locals`](crate::Schedule::reset_locals) resets it. `SavedLocal` is saved with the schedule.
///
/// A function that is added to a schedule twice has two such states. Locals never conflict.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Runs(u32);
///
/// #[system]
/// fn count(mut n_runs: Local<u32>, runs: &mut Runs) {
///     *n_runs += 1;
///     runs.0 = *n_runs;
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Runs(0));
/// let mut schedule = Schedule::builder().add::<count>().build()?;
/// schedule.run(&mut resources)?;
/// schedule.run(&mut resources)?;
/// assert_eq!(resources.get::<Runs>().unwrap().0, 2);
///
/// // A unit test can pass any variable.
/// let mut seven = 7;
/// count(Local::new(&mut seven), resources.get_mut().unwrap());
/// assert_eq!(seven, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Local<'r, T>(&'r mut T);

impl<'r, T> Local<'r, T> {
    /// Borrows state from a variable, to call a system as a plain function.
    pub fn new(state: &'r mut T) -> Self {
        Self(state)
    }

    /// Returns the state with the lifetime of the run.
    ///
    /// This is an associated function, so that it does not hide a method of the state.
    pub fn into_mut(local: Self) -> &'r mut T {
        local.0
    }
}

impl<T> Deref for Local<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for Local<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

/// The state of `Local<T>`. `None` before the first run.
#[derive(Debug)]
pub struct Kept<T> {
    value: UserValue<Option<T>>,
    new: fn() -> T,
}

// SAFETY: only `Param::SEED` makes a `Kept<T>`, and `Local<T>` implements `Param` only if `T` is `Send`. The bound is
// not repeated here, so that the compiler reports a type that is not `Send` once.
unsafe impl<T> Send for Kept<T> {}

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<T: 'static> Fetch for Kept<T> {
    type Item<'r> = Local<'r, T>;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Local<'r, T> {
        Local(self.value.get_or_insert_with(self.new))
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::ResetLocals(panics) => panics.drop(self.value.take()),
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => to.n_other += 1,
            #[cfg(feature = "snapshot")]
            Settle::RestoreLocals(from) if from.step == RestoreStep::Accept => {
                from.panics.drop(self.value.take());
            }
            _ => {}
        }
    }
}

impl<T: Default + Send + 'static> Param for Local<'_, T> {
    type State = Kept<T>;
    const SEED: Seed<Kept<T>> = Seed::new(Access::Each(&[]), || Kept {
        value: UserValue::new(None),
        new: T::default,
    });
}
