//! A system with its state, behind a pointer.
//!
//! Invariant: the conditions of [`Fetch::fetch`] also apply here. The caller, an executor, guarantees them.
#![expect(unsafe_code, reason = "passes on the conditions of `Fetch::fetch`")]

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use super::blocks::RunBlocks;
use super::marked::Marked;
use crate::base::user_value::UserValue;
use crate::data::access::AccessSet;
use crate::data::output::{BoxError, Branches, IntoAnswer};
use crate::data::param::{Fetch, FetchFrom, Lookup, Settle};

/// A system with its own state, which can be put into a schedule, and its accesses and answers.
pub struct Instance {
    /// `None` if it was moved into a schedule.
    run: Option<Box<dyn Runnable>>,
    pub(crate) access: Arc<AccessSet>,
    /// The possible answers. `None` if the system returns no answer.
    pub(crate) branches: Option<Branches>,
}

impl Instance {
    /// Creates an instance that calls `call` with the items that `state` fetches.
    ///
    /// # Panics
    ///
    /// Panics if two parts of the state conflict, because they would be two invalid references to one resource. The
    /// macros report this at compile time.
    pub(crate) fn new<S, O, F>(state: S, into_answer: IntoAnswer<O>, mut call: F) -> Self
    where
        S: Fetch,
        O: 'static,
        F: FnMut(S::Item<'_>) -> O + Send + 'static,
    {
        let access = Self::access_of(&state);
        Self {
            run: Some(Box::new(Bound {
                state,
                user: PhantomData::<fn() -> F>,
                call: UserValue::new(move |items: S::Item<'_>, answer: &mut u32| {
                    into_answer.store(call(items), answer)
                }),
            })),
            access,
            branches: into_answer.branches,
        }
    }

    /// Returns the access of a state.
    ///
    /// # Panics
    ///
    /// Panics if two parts of the state conflict.
    pub(super) fn access_of(state: &impl Fetch) -> Arc<AccessSet> {
        let mut access = AccessSet::default();
        state.access(&mut access);
        assert!(
            !access.has_conflict(),
            "the parameters of a system conflict"
        );
        Arc::new(access)
    }

    /// Creates an instance from another [`Runnable`] with this access.
    pub(crate) fn of(
        run: Box<dyn Runnable>,
        access: Arc<AccessSet>,
        branches: Option<Branches>,
    ) -> Self {
        Self {
            run: Some(run),
            access,
            branches,
        }
    }

    /// Takes the system for a node of a schedule: the system in this instance, or else the system that `held` returns.
    pub(crate) fn take(&mut self, held: impl FnOnce() -> Box<dyn Runnable>) -> Self {
        Self {
            run: Some(self.run.take().unwrap_or_else(held)),
            access: Arc::clone(&self.access),
            branches: self.branches,
        }
    }

    /// Returns the system, and its access.
    pub(crate) fn into_parts(self) -> (Box<dyn Runnable>, Arc<AccessSet>) {
        (self.run.expect("it was not taken"), self.access)
    }
}

/// A clone has no system, which stays in the original.
impl Clone for Instance {
    fn clone(&self) -> Self {
        Self {
            run: None,
            access: Arc::clone(&self.access),
            branches: self.branches,
        }
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// The interface between an executor and a system.
pub(crate) trait Runnable: Send {
    /// See [`Fetch::prepare`].
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// Runs the system once, and stores the index of its answer. `answer` must be 1 before. It stays 1 for a system without an answer.
    ///
    /// The result is returned in registers, which a result with an answer would not be.
    ///
    /// # Safety
    ///
    /// The conditions of [`Fetch::fetch`] hold.
    unsafe fn run(&mut self, from: FetchFrom<'_>, answer: &mut u32) -> Result<(), BoxError>;

    /// See [`Fetch::settle`].
    fn settle(&mut self, settle: &mut Settle<'_>);

    /// Returns the system as one that runs in blocks, if it is a `for_each` system.
    fn blocks(&mut self) -> Option<&mut dyn RunBlocks> {
        None
    }

    /// Returns the wrapper that notes the writes and starts of the system, if it has one.
    fn marked(&mut self) -> Option<&mut Marked> {
        None
    }
}

/// A function with the state of its parameters.
struct Bound<S, U, F> {
    state: S,
    /// The type of the function of the user, which `call` calls.
    user: PhantomData<fn() -> U>,
    call: UserValue<F>,
}

impl<S, U, F> Runnable for Bound<S, U, F>
where
    S: Fetch,
    F: FnMut(S::Item<'_>, &mut u32) -> Result<(), BoxError> + Send,
{
    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.state.prepare(lookup);
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>, answer: &mut u32) -> Result<(), BoxError> {
        // SAFETY: `prepare` passes on to the same state, whose access is that of the system. So the guarantees of the
        // caller hold for it.
        (self.call)(unsafe { self.state.fetch(from) }, answer)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        note_captures(size_of::<U>(), settle);
        self.state.settle(settle);
    }
}

/// Notes that a function of this size has variables of its own, unless the size is 0.
pub(super) fn note_captures(size: usize, settle: &mut Settle<'_>) {
    #[cfg(feature = "snapshot")]
    if let Settle::SaveLocals(to) = settle {
        to.n_captures += usize::from(size > 0);
    }
    let _ = (size, settle);
}
