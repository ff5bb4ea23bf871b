//! The versions of watched resources, and how readers compare them with what they have seen.
//!
//! A resource is watched from the first preparation of a node that asks for its changes. No version is kept before that, because the first
//! look counts everything as changed.
//!
//! All orderings are Relaxed. The version of a resource is written under an access that writes the resource, and read under one that
//! reads it, and executors synchronise these. The memory of a condition is read when it is evaluated, and written by the nodes that it
//! guards, which are ordered in the same way.

use core::any::TypeId;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::type_map::TypeMap;

/// A history that no resource has: the reader has never looked.
const NEVER: u64 = 0;

/// The history of a restored memory. It continues the history of the resource at the next look.
#[cfg(feature = "snapshot")]
const RESTORED: u64 = 1;

/// Returns a number that no other history has.
fn new_history() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(2);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The versions of a resource that is watched. It survives the removal of the value.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Versions of different histories cannot be compared. A restore begins a new one.
    history: AtomicU64,
    /// The number of writes.
    version: AtomicU64,
    /// The version with which the value was last added. 0 if it was there from the begin.
    added: AtomicU64,
    /// The version with which the value was last removed. 0 if it never was.
    removed: AtomicU64,
}

/// The versions of a resource, as they are saved.
#[cfg(feature = "snapshot")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedVersions {
    pub(crate) version: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

/// What a reader finds when it looks at a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) is_changed: bool,
    /// Not for a value that is missing.
    pub(crate) is_added: bool,
    pub(crate) is_removed: bool,
}

/// The version that a reader has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    history: u64,
    version: u64,
}

impl Seen {
    /// For a reader that has never looked.
    pub(crate) const NEVER: Self = Self {
        history: NEVER,
        version: 0,
    };

    /// The version, if the reader has looked.
    #[cfg(feature = "snapshot")]
    pub(crate) fn saved(self) -> Option<u64> {
        (self.history != NEVER).then_some(self.version)
    }

    /// The opposite of [`saved`](Self::saved).
    #[cfg(feature = "snapshot")]
    pub(crate) fn restored(saved: Option<u64>) -> Self {
        match saved {
            None => Self::NEVER,
            Some(version) => Self {
                history: RESTORED,
                version,
            },
        }
    }

    /// The version, if it can be compared with those of a resource that is now at `now`.
    fn comparable(self, now: Self) -> Option<u64> {
        #[cfg(feature = "snapshot")]
        let is_known = self.history == now.history || self.history == RESTORED;
        #[cfg(not(feature = "snapshot"))]
        let is_known = self.history == now.history;
        (is_known && self.version <= now.version).then_some(self.version)
    }
}

#[cfg(feature = "snapshot")]
impl SavedVersions {
    /// Those of a resource that was not watched.
    pub(crate) const FIRST: Self = Self {
        version: 0,
        added: 0,
        removed: 0,
    };
}

impl Watched {
    fn new() -> Self {
        Self {
            history: AtomicU64::new(new_history()),
            version: AtomicU64::new(0),
            added: AtomicU64::new(0),
            removed: AtomicU64::new(0),
        }
    }

    /// The current version, to be remembered.
    pub(crate) fn now(&self) -> Seen {
        Seen {
            history: self.history.load(Ordering::Relaxed),
            version: self.version.load(Ordering::Relaxed),
        }
    }

    /// Compares the versions with what a reader has seen. A first look counts everything as changed and added, and nothing as removed.
    pub(crate) fn look(&self, seen: Seen) -> Look {
        let now = self.now();
        match seen.comparable(now) {
            None => Look {
                is_changed: true,
                is_added: true,
                is_removed: false,
            },
            Some(seen) => Look {
                is_changed: seen < now.version,
                is_added: seen < self.added.load(Ordering::Relaxed),
                is_removed: seen < self.removed.load(Ordering::Relaxed),
            },
        }
    }

    /// Whether a reader that has seen this version looks for the first time.
    pub(crate) fn is_first(&self, seen: Seen) -> bool {
        seen.comparable(self.now()).is_none()
    }

    /// The version after the next write.
    pub(crate) fn next(&self) -> u64 {
        self.version.load(Ordering::Relaxed) + 1
    }

    /// The memory of the version.
    pub(crate) fn version(&self) -> &AtomicU64 {
        &self.version
    }

    /// Counts a write.
    #[inline]
    pub(crate) fn note_write(&self) {
        // Not `fetch_add`: no other thread has the resource.
        self.version.store(self.next(), Ordering::Relaxed);
    }

    /// Counts an insertion of a value that was not there.
    pub(crate) fn note_added(&self) {
        self.note_write();
        self.added
            .store(self.version.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Counts a removal.
    pub(crate) fn note_removed(&self) {
        self.note_write();
        self.removed
            .store(self.version.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    #[cfg(feature = "snapshot")]
    pub(crate) fn save(&self) -> SavedVersions {
        SavedVersions {
            version: self.version.load(Ordering::Relaxed),
            added: self.added.load(Ordering::Relaxed),
            removed: self.removed.load(Ordering::Relaxed),
        }
    }

    /// Continues a saved history. A memory that is not restored cannot be compared with it.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restore(&self, saved: SavedVersions) {
        self.history.store(new_history(), Ordering::Relaxed);
        self.version.store(saved.version, Ordering::Relaxed);
        self.added.store(saved.added, Ordering::Relaxed);
        self.removed.store(saved.removed, Ordering::Relaxed);
    }
}

/// The watched resources.
#[derive(Default)]
pub(super) struct Watchlist(Mutex<TypeMap<Arc<Watched>>>);

impl Watchlist {
    fn lock(&self) -> MutexGuard<'_, TypeMap<Arc<Watched>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, type_id: TypeId) -> Option<Arc<Watched>> {
        self.lock().get(&type_id).cloned()
    }

    /// Like [`get`](Self::get), but without a lock.
    pub(super) fn get_mut(&mut self, type_id: TypeId) -> Option<Arc<Watched>> {
        let list = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        list.get(&type_id).cloned()
    }

    /// Returns the versions of a resource, and whether they are new.
    pub(super) fn get_or_add(&self, type_id: TypeId) -> (Arc<Watched>, bool) {
        let mut is_new = false;
        let mut list = self.lock();
        let watched = list.entry(type_id).or_insert_with(|| {
            is_new = true;
            Arc::new(Watched::new())
        });
        (Arc::clone(watched), is_new)
    }

    #[cfg(feature = "snapshot")]
    pub(super) fn all(&self) -> Vec<(TypeId, Arc<Watched>)> {
        let list = self.lock();
        list.iter()
            .map(|(type_id, watched)| (*type_id, Arc::clone(watched)))
            .collect()
    }

    /// The number of watched resources. They only become more.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }
}

/// A [`Seen`] that several nodes share.
#[derive(Debug)]
struct SharedSeen {
    history: AtomicU64,
    version: AtomicU64,
}

impl SharedSeen {
    const fn never() -> Self {
        Self {
            history: AtomicU64::new(NEVER),
            version: AtomicU64::new(0),
        }
    }

    fn get(&self) -> Seen {
        Seen {
            history: self.history.load(Ordering::Relaxed),
            version: self.version.load(Ordering::Relaxed),
        }
    }

    fn set(&self, seen: Seen) {
        self.history.store(seen.history, Ordering::Relaxed);
        self.version.store(seen.version, Ordering::Relaxed);
    }
}

/// The memory of a condition about changes. It belongs to the node of the condition. The nodes that the condition guards share it.
#[derive(Debug)]
pub struct ConditionMemory {
    /// The version at the last look before a guarded node has started.
    started: SharedSeen,
    /// The version at the first look: nothing that was removed before counts.
    first: SharedSeen,
    /// The version at the last look.
    looked: SharedSeen,
}

impl ConditionMemory {
    pub(crate) const fn new() -> Self {
        Self {
            started: SharedSeen::never(),
            first: SharedSeen::never(),
            looked: SharedSeen::never(),
        }
    }

    /// Looks at a resource. `is_present`: whether its value exists.
    pub(crate) fn look(&self, watched: &Watched, is_present: bool) -> Look {
        let started = self.started.get();
        self.looked.set(watched.now());
        let mut look = watched.look(started);
        if watched.is_first(started) {
            if watched.is_first(self.first.get()) {
                self.first.set(watched.now());
            }
            look.is_removed = watched.look(self.first.get()).is_removed;
        }
        look.is_changed &= is_present;
        look.is_added &= is_present;
        look
    }

    /// Notes that a guarded node starts. Several nodes that start at the same time store the same version.
    #[inline]
    pub(crate) fn start(&self) {
        self.started.set(self.looked.get());
    }

    /// The versions that are saved: those at the last start and at the first look.
    #[cfg(feature = "snapshot")]
    pub(crate) fn saved(&self) -> [Seen; 2] {
        [self.started.get(), self.first.get()]
    }

    /// Forgets everything: the next look is a first one.
    pub(crate) fn reset(&self) {
        self.set([Seen::NEVER; 2]);
    }

    /// Replaces the versions by those that were saved.
    pub(crate) fn set(&self, [started, first]: [Seen; 2]) {
        self.started.set(started);
        self.first.set(first);
        self.looked.set(started);
    }
}
