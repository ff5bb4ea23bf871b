//! State that one system keeps for itself.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` and `Send` for what touches nothing outside itself"
)]

use core::ops::{Deref, DerefMut};

use super::{Fetch, FetchFrom, Lookup, Param, Seed};
use crate::access::{Access, AccessSet};
use crate::user_value::UserValue;

/// State of one system in one schedule, kept from run to run; starts as `T::default()`.
///
/// A function that stands in a schedule twice has two. Locals never conflict.
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
/// // In a unit test, any variable will do.
/// let mut seven = 7;
/// count(Local::new(&mut seven), resources.get_mut().unwrap());
/// assert_eq!(seven, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Local<'r, T>(&'r mut T);

impl<'r, T> Local<'r, T> {
    /// State kept by somebody else, to call a system as the function that it is.
    pub fn new(state: &'r mut T) -> Self {
        Self(state)
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

/// The state of `Local<T>`; `None` before the first run.
#[derive(Debug)]
pub struct Kept<T> {
    value: UserValue<Option<T>>,
    new: fn() -> T,
}

// SAFETY: `Param::SEED` makes it, for values that are `Send`, and nothing else does. Without a bound here, a type that
// is not is told of once.
unsafe impl<T> Send for Kept<T> {}

// SAFETY: touches nothing but itself.
unsafe impl<T: 'static> Fetch for Kept<T> {
    type Item<'r> = Local<'r, T>;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Local<'r, T> {
        Local(self.value.get_or_insert_with(self.new))
    }
}

impl<T: Default + Send + 'static> Param for Local<'_, T> {
    type State = Kept<T>;
    const SEED: Seed<Kept<T>> = Seed::new(Access::Each(&[]), || Kept {
        value: UserValue::new(None),
        new: T::default,
    });
}
