//! The parameter of the conditions about changes.
//!
//! Invariant: that of [`fetch`](super::fetch).
#![expect(unsafe_code, reason = "implements `Fetch` by that of `Option<&T>`")]

use core::marker::PhantomData;
use std::sync::Arc;

use super::state::OptionRead;
#[cfg(feature = "snapshot")]
use super::state::RestoreStep;
use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::data::access::{Access, AccessSet, ResourceType};
use crate::data::resource::Resource;
#[cfg(feature = "snapshot")]
use crate::data::resource::watched::Seen;
use crate::data::resource::watched::{ConditionMemory, Look, Watched};

/// What a condition finds when it looks at a resource. Its memory advances only when a node that the condition guards starts.
#[doc(hidden)]
#[derive(Debug)]
pub struct ResourceChanges<'r, T> {
    look: Look,
    resource: PhantomData<&'r T>,
}

impl<T> ResourceChanges<'_, T> {
    pub(crate) fn is_changed(&self) -> bool {
        self.look.is_changed
    }

    pub(crate) fn is_added(&self) -> bool {
        self.look.is_added
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.look.is_removed
    }
}

/// The state of [`ResourceChanges`].
#[derive(Debug)]
pub struct ChangesRead<T> {
    read: OptionRead<T>,
    resource: &'static ResourceType,
    /// `None` before the first preparation.
    watched: Option<Arc<Watched>>,
    memory: Arc<ConditionMemory>,
    /// Restored versions, until all values of the schedule are restored.
    #[cfg(feature = "snapshot")]
    restored: Option<[Seen; 2]>,
}

impl<T: Resource> ChangesRead<T> {
    fn new() -> Self {
        Self {
            read: OptionRead::new(),
            resource: const { &ResourceType::of::<T>() },
            watched: None,
            memory: Arc::new(ConditionMemory::new()),
            #[cfg(feature = "snapshot")]
            restored: None,
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read. Its versions are read under the same access.
unsafe impl<T: 'static> Fetch for ChangesRead<T> {
    type Item<'r> = ResourceChanges<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        self.read.access(access);
        access.has_change_memory = true;
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.read.prepare(lookup);
        self.watched = Some(lookup.watch(self.resource));
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> ResourceChanges<'r, T> {
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let value = unsafe { self.read.fetch(from) };
        let look = match &self.watched {
            Some(watched) => self.memory.look(watched, value.is_some()),
            None => Look::default(),
        };
        ResourceChanges {
            look,
            resource: PhantomData,
        }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::FindMemories(to) => to.push(Arc::clone(&self.memory)),
            Settle::ResetLocals(_) => self.memory.reset(),
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => to.save_seen(self.memory.saved()),
            #[cfg(feature = "snapshot")]
            Settle::RestoreLocals(from) => match from.step {
                RestoreStep::Decode => self.restored = from.decode_seen(),
                RestoreStep::Accept => {
                    if let Some(restored) = self.restored.take() {
                        self.memory.set(restored);
                    }
                }
                RestoreStep::Reject => self.restored = None,
            },
            _ => {}
        }
    }
}

impl<T: Resource> Param for ResourceChanges<'_, T> {
    type State = ChangesRead<T>;
    const SEED: Seed<ChangesRead<T>> = Seed::new(
        Access::Optional(&Access::Read(ResourceType::of::<T>())),
        ChangesRead::new,
    );
}
