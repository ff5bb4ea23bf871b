//! A store that a parameter keeps to itself.
//!
//! Invariant: a [`StoreRef`] comes from the resources of a run. Only parameters that read no more than they declare take the reference out.
#![expect(unsafe_code, reason = "keeps a reference from the code of users")]

use core::fmt;

use super::EntityStore;
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};
use crate::data::param::state::Read;
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed};

/// A shared reference to a store, as a part of a parameter. The system does not get it, so the store is not on
/// [loan](crate::data::resource::loans).
#[doc(hidden)]
pub struct StoreRef<'r, S>(&'r S);

impl<'r, S> StoreRef<'r, S> {
    /// Returns the store.
    ///
    /// # Safety
    ///
    /// No other code gets the reference.
    #[inline]
    pub unsafe fn get(self) -> &'r S {
        self.0
    }
}

impl<S> fmt::Debug for StoreRef<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreRef")
    }
}

/// The state of [`StoreRef`].
#[derive(Debug)]
pub struct KeptStore<S>(Read<S>);

// SAFETY: `fetch` reads only the store, and `access` declares that.
unsafe impl<S: EntityStore> Fetch for KeptStore<S> {
    type Item<'r> = StoreRef<'r, S>;

    fn access(&self, access: &mut AccessSet) {
        access.push(&ResourceType::of::<S>(), AccessKind::Read, false);
        if let Some(read) = access.uses.last_mut() {
            read.n_kept = 1;
        }
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> StoreRef<'r, S> {
        // SAFETY: `prepare` passes on to the same state, and the access is the same. So the guarantees of the caller hold for it.
        StoreRef(unsafe { self.0.fetch(from) })
    }
}

impl<S: EntityStore> Param for StoreRef<'_, S> {
    type State = KeptStore<S>;
    const SEED: Seed<Self::State> = Seed::new(Access::Read(ResourceType::of::<S>()), || {
        KeptStore(Read::new())
    });
}
