//! Exclusive access to a resource as a parameter that notes writes.
//!
//! Invariant: that of [`fetch`](super::fetch). The version of a watched resource is accessed only under an access to the resource. So
//! nothing else uses it while a [`Mut`] can write it.
#![expect(
    unsafe_code,
    reason = "turns addresses into the references that a signature asks for"
)]

use std::sync::Arc;

use super::state::{OptionWrite, Write};
use super::{Fetch, FetchFrom, Lookup, Mut, Param, Seed, Settle};
use crate::data::access::{Access, AccessSet, ResourceId, ResourceType};
use crate::data::resource::Resource;
use crate::data::resource::watched::Watched;

/// The resource that a parameter writes, with its versions if it is watched.
#[derive(Debug)]
struct WriteNotes {
    resource: &'static ResourceType,
    watched: Option<Arc<Watched>>,
}

impl WriteNotes {
    fn new<T: Resource>() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            watched: None,
        }
    }

    fn declare(&self, access: &mut AccessSet) {
        access
            .notes_changes
            .get_or_insert_default()
            .push(ResourceId::of_type(self.resource));
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        if let Settle::NoteWatched(resources) = settle {
            self.watched = resources.watched(self.resource.type_id);
        }
    }

    /// Borrows the value. A write stores the next version.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the resource during `'r`.
    #[inline]
    unsafe fn noting<'r, T>(&'r self, value: &'r mut T) -> Mut<'r, T> {
        let Some(watched) = &self.watched else {
            return Mut::new(value);
        };
        let next = watched.next();
        // SAFETY: by the invariant, the version is used only with the resource, which the caller guarantees for `'r`. The versions live
        // as long as `self`.
        let mark = unsafe { &mut *watched.version().as_ptr() };
        Mut::marked(value, mark, next)
    }
}

/// The state of `Mut<T>`.
#[derive(Debug)]
pub struct MutWrite<T> {
    write: Write<T>,
    notes: WriteNotes,
}

impl<T: Resource> MutWrite<T> {
    fn new() -> Self {
        Self {
            write: Write::new(),
            notes: WriteNotes::new::<T>(),
        }
    }
}

// SAFETY: `fetch` writes only the resource that `access` declares as written. Its version is written under the same access.
unsafe impl<T: 'static> Fetch for MutWrite<T> {
    type Item<'r> = Mut<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        self.write.access(access);
        self.notes.declare(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.write.prepare(lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Mut<'r, T> {
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let value = unsafe { self.write.fetch(from) };
        // SAFETY: `access` declares a write, so the caller guarantees that nothing else accesses the resource.
        unsafe { self.notes.noting(value) }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.notes.settle(settle);
    }
}

impl<T: Resource> Param for Mut<'_, T> {
    type State = MutWrite<T>;
    const SEED: Seed<MutWrite<T>> =
        Seed::new(Access::Write(ResourceType::of::<T>()), MutWrite::new);
}

/// The state of `Option<Mut<T>>`.
#[derive(Debug)]
pub struct OptionMutWrite<T> {
    write: OptionWrite<T>,
    notes: WriteNotes,
}

impl<T: Resource> OptionMutWrite<T> {
    fn new() -> Self {
        Self {
            write: OptionWrite::new(),
            notes: WriteNotes::new::<T>(),
        }
    }
}

// SAFETY: `fetch` writes only the resource that `access` declares as written. Its version is written under the same access.
unsafe impl<T: 'static> Fetch for OptionMutWrite<T> {
    type Item<'r> = Option<Mut<'r, T>>;

    fn access(&self, access: &mut AccessSet) {
        self.write.access(access);
        self.notes.declare(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.write.prepare(lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Option<Mut<'r, T>> {
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let value = unsafe { self.write.fetch(from) }?;
        // SAFETY: `access` declares a write, so the caller guarantees that nothing else accesses the resource.
        Some(unsafe { self.notes.noting(value) })
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.notes.settle(settle);
    }
}

impl<T: Resource> Param for Option<Mut<'_, T>> {
    type State = OptionMutWrite<T>;
    const SEED: Seed<OptionMutWrite<T>> = Seed::new(
        Access::Optional(&Access::Write(ResourceType::of::<T>())),
        OptionMutWrite::new,
    );
}
