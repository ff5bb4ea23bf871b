//! A system behind a pointer.
//!
//! Invariant: as [`Fetch::fetch`]; this passes the conditions on to its caller, the executor.
#![expect(unsafe_code, reason = "passes on the conditions of `Fetch::fetch`")]

use crate::access::ResourceType;
use crate::output::BoxError;
use crate::param::{Fetch, FetchFrom};
use crate::resource::Resources;

/// What an executor does with a system.
pub(crate) trait Run: Send {
    /// See [`Fetch::prepare`].
    fn prepare(&mut self, resources: &Resources) -> Result<(), ResourceType>;

    /// Runs the system once; `Ok` holds its answer, `true` where it has none.
    ///
    /// # Safety
    ///
    /// As [`Fetch::fetch`].
    unsafe fn run(&mut self, from: FetchFrom<'_>) -> Result<bool, BoxError>;

    /// See [`Fetch::apply`].
    fn apply(&mut self, resources: &mut Resources);

    /// See [`Fetch::discard`].
    fn discard(&mut self);
}

impl<S, F> Run for Bound<S, F>
where
    S: Fetch,
    F: FnMut(S::Item<'_>) -> Result<bool, BoxError> + Send,
{
    fn prepare(&mut self, resources: &Resources) -> Result<(), ResourceType> {
        self.state.prepare(resources)
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>) -> Result<bool, BoxError> {
        // SAFETY: the caller keeps the conditions of the state.
        (self.call)(unsafe { self.state.fetch(from) })
    }

    fn apply(&mut self, resources: &mut Resources) {
        self.state.apply(resources);
    }

    fn discard(&mut self) {
        self.state.discard();
    }
}

/// A function with the state of its parameters.
pub(super) struct Bound<S, F> {
    pub(super) state: S,
    pub(super) call: F,
}
