//! Shared access to a resource that also tells whether it has changed.
//!
//! Invariant: that of [`fetch`](super::fetch).
#![expect(
    unsafe_code,
    reason = "turns addresses into the references that a signature asks for"
)]

use core::mem::swap;
use core::ops::Deref;
use std::sync::Arc;

use super::state::Read;
#[cfg(feature = "snapshot")]
use super::state::RestoreStep;
use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::data::access::{Access, AccessSet, ResourceType};
use crate::data::resource::Resource;
use crate::data::resource::watched::{Look, Seen, Watched};

/// Reads a resource, and tells whether it has changed since the last execution of the system.
///
/// The resource has changed if a system with `&mut T` has run, if one with [`Mut<T>`](super::Mut) has written through it, or if it was
/// written by a [`Fold`](super::Fold), by a command, by another schedule or by the program between two runs. In the first execution of
/// the system, everything counts as changed and added.
///
/// Each system has a memory of its own. It advances with each execution, also if the system fails.
///
/// ```
/// use schedule::param::Ref;
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Speed(f32);
///
/// #[derive(Resource)]
/// struct Redraws(u32);
///
/// #[system]
/// fn draw(speed: Ref<Speed>, redraws: &mut Redraws) {
///     if speed.is_changed() {
///         redraws.0 += 1;
///     }
/// }
///
/// let mut frame = Schedule::builder().add::<draw>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Speed(1.0));
/// resources.insert(Redraws(0));
/// frame.run(&mut resources)?;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Redraws>().unwrap().0, 1);
/// resources.get_mut::<Speed>().unwrap().0 = 2.0;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Redraws>().unwrap().0, 2);
///
/// // A unit test can pass any value.
/// let mut redraws = Redraws(0);
/// draw(Ref::new(&Speed(3.0), false, false), &mut redraws);
/// assert_eq!(redraws.0, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ref<'r, T> {
    value: &'r T,
    is_changed: bool,
    is_added: bool,
}

// Not derived, because the value need not be `Clone`.
impl<T> Clone for Ref<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ref<'_, T> {}

impl<'r, T> Ref<'r, T> {
    /// Borrows a value, to call a system as a plain function.
    pub fn new(value: &'r T, is_changed: bool, is_added: bool) -> Self {
        Self {
            value,
            is_changed,
            is_added,
        }
    }

    /// Whether the resource was written since the last execution of the system.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Whether the resource was inserted since the last execution of the system, and was missing before. A value that replaces another
    /// one is a change only.
    pub fn is_added(&self) -> bool {
        self.is_added
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

/// The versions of a resource, and what a system has seen of them.
#[derive(Debug, Default)]
struct ReaderMemory {
    /// `None` before the first preparation.
    watched: Option<Arc<Watched>>,
    seen: Seen,
    /// What it had seen before the last execution. If the look was undone, what it would have seen.
    before: Seen,
    is_undone: bool,
    /// A restored version, until all values of the schedule are restored.
    #[cfg(feature = "snapshot")]
    restored: Option<Seen>,
}

impl ReaderMemory {
    fn prepare(&mut self, resource: &ResourceType, lookup: &Lookup<'_>) {
        self.watched = Some(lookup.watch(resource));
    }

    /// Compares the versions with what was seen, and remembers them.
    #[inline]
    fn look(&mut self) -> Look {
        let Some(watched) = &self.watched else {
            return Look::default();
        };
        let look = watched.look(self.seen);
        self.before = self.seen;
        self.seen = watched.now();
        self.is_undone = false;
        look
    }

    fn swap_if(&mut self, is_undone: bool) {
        if self.is_undone != is_undone {
            swap(&mut self.seen, &mut self.before);
            self.is_undone = is_undone;
        }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::UndoLook => self.swap_if(true),
            // The system has failed, so it was not skipped.
            Settle::DropFolds => self.swap_if(false),
            Settle::ResetLocals(_) => self.seen = Seen::NEVER,
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => to.save_seen([self.seen, Seen::NEVER]),
            #[cfg(feature = "snapshot")]
            Settle::RestoreLocals(from) => match from.step {
                RestoreStep::Decode => self.restored = from.decode_seen().map(|[seen, _]| seen),
                RestoreStep::Accept => self.seen = self.restored.take().unwrap_or(self.seen),
                RestoreStep::Reject => self.restored = None,
            },
            _ => {}
        }
    }
}

/// The state of `Ref<T>`.
#[derive(Debug)]
pub struct RefRead<T> {
    read: Read<T>,
    resource: &'static ResourceType,
    memory: ReaderMemory,
}

impl<T: Resource> RefRead<T> {
    fn new() -> Self {
        Self {
            read: Read::new(),
            resource: const { &ResourceType::of::<T>() },
            memory: ReaderMemory::default(),
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read. Its versions are read under the same access.
unsafe impl<T: 'static> Fetch for RefRead<T> {
    type Item<'r> = Ref<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        self.read.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.read.prepare(lookup);
        self.memory.prepare(self.resource, lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Ref<'r, T> {
        let look = self.memory.look();
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let value = unsafe { self.read.fetch(from) };
        Ref::new(value, look.is_changed, look.is_added)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.memory.settle(settle);
    }
}

impl<T: Resource> Param for Ref<'_, T> {
    type State = RefRead<T>;
    const SEED: Seed<RefRead<T>> = Seed::new(Access::Read(ResourceType::of::<T>()), RefRead::new);
}

/// The state of `Option<Ref<T>>`.
#[derive(Debug)]
pub struct OptionRefRead<T> {
    read: super::state::OptionRead<T>,
    resource: &'static ResourceType,
    memory: ReaderMemory,
}

impl<T: Resource> OptionRefRead<T> {
    fn new() -> Self {
        Self {
            read: super::state::OptionRead::new(),
            resource: const { &ResourceType::of::<T>() },
            memory: ReaderMemory::default(),
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read. Its versions are read under the same access.
unsafe impl<T: 'static> Fetch for OptionRefRead<T> {
    type Item<'r> = Option<Ref<'r, T>>;

    fn access(&self, access: &mut AccessSet) {
        self.read.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.read.prepare(lookup);
        self.memory.prepare(self.resource, lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Option<Ref<'r, T>> {
        let look = self.memory.look();
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let value = unsafe { self.read.fetch(from) };
        value.map(|value| Ref::new(value, look.is_changed, look.is_added))
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.memory.settle(settle);
    }
}

impl<T: Resource> Param for Option<Ref<'_, T>> {
    type State = OptionRefRead<T>;
    const SEED: Seed<OptionRefRead<T>> = Seed::new(
        Access::Optional(&Access::Read(ResourceType::of::<T>())),
        OptionRefRead::new,
    );
}
