//! Parameters that are structs of parameters: what `#[derive(Params)]` builds on.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` by the fetching of its parts"
)]

use core::fmt;

use super::{Fetch, FetchFrom};
use crate::access::{Access, ResourceType};
use crate::resource::Resources;

/// How fetched parts become a struct. Implemented by `#[derive(Params)]`.
pub trait Assemble: 'static {
    /// The states of the fields, as a tuple of tuples.
    type Parts: Fetch;
    /// The struct.
    type Item<'r>;

    /// Puts the fields in place.
    fn assemble<'r>(parts: <Self::Parts as Fetch>::Item<'r>) -> Self::Item<'r>;
}

/// The state of a struct with `#[derive(Params)]`.
pub struct Assembled<A: Assemble>(A::Parts);

impl<A: Assemble> Assembled<A> {
    /// With the states of the fields.
    pub const fn new(parts: A::Parts) -> Self {
        Self(parts)
    }
}

// SAFETY: fetches nothing but what its parts fetch, and their access is its own.
unsafe impl<A: Assemble> Fetch for Assembled<A> {
    const ACCESS: Access = A::Parts::ACCESS;
    type Item<'r> = A::Item<'r>;

    fn prepare(&mut self, resources: &Resources) -> Result<(), ResourceType> {
        self.0.prepare(resources)
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r> {
        // SAFETY: the caller keeps the conditions of the parts.
        A::assemble(unsafe { self.0.fetch(from) })
    }

    fn apply(&mut self, resources: &mut Resources) {
        self.0.apply(resources);
    }

    fn discard(&mut self) {
        self.0.discard();
    }
}

impl<A: Assemble> fmt::Debug for Assembled<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Assembled")
    }
}
