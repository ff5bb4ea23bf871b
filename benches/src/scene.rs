//! The current scene. With it, the costs of all systems change at once, as when a game loads another scene.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of scenes, for workloads whose costs change.
pub const N_SCENES: usize = 2;

/// The current scene. Every call of such a workload reads it. It is written between runs.
static CURRENT: AtomicUsize = AtomicUsize::new(0);

/// Sets the current scene.
pub fn set(scene: usize) {
    // Relaxed: the next run begins after this store, and its start makes earlier stores visible to helpers.
    CURRENT.store(scene, Ordering::Relaxed);
}

/// The current scene.
pub fn current() -> usize {
    // Relaxed: as above.
    CURRENT.load(Ordering::Relaxed)
}
