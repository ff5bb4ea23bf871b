//! Parameters that are structs of parameters: what `#[derive(Params)]` builds on.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` by the fetching of its parts"
)]

use core::fmt;

use super::{Fetch, FetchFrom, Lookup, Seed, Seeds};
use crate::access::{Access, AccessSet};
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
    /// How it begins: with what the fields touch, and how their states are made.
    pub const fn seed(access: &'static [Access], new: fn() -> Self) -> Seed<Self> {
        Seed::new(Access::Each(access), new)
    }

    /// Makes the state from the seeds of the fields.
    pub fn grow(parts: impl Seeds<State = A::Parts>) -> Self {
        Self(parts.grow())
    }
}

// SAFETY: fetches nothing but what its parts fetch, and tells of all of them.
unsafe impl<A: Assemble> Fetch for Assembled<A> {
    type Item<'r> = A::Item<'r>;

    fn access(&self, access: &mut AccessSet) {
        self.0.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r> {
        // SAFETY: the caller keeps the conditions of the parts.
        A::assemble(unsafe { self.0.fetch(from) })
    }

    fn settle(&mut self, resources: Option<&mut Resources>) {
        self.0.settle(resources);
    }
}

impl<A: Assemble> fmt::Debug for Assembled<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Assembled")
    }
}
