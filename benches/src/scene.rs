//! Which costs hold: those of all systems change at once, as they do when a game loads another scene.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many sets of costs there are, for the workloads in which they change.
pub const N_SCENES: usize = 2;

/// Read by every call of such a workload, written between runs.
static CURRENT: AtomicUsize = AtomicUsize::new(0);

/// From now on these costs hold.
pub fn set(scene: usize) {
    // Relaxed: the next run begins after this store, and its start makes earlier stores visible to helpers.
    CURRENT.store(scene, Ordering::Relaxed);
}

/// Those that hold.
pub fn current() -> usize {
    // Relaxed: as above.
    CURRENT.load(Ordering::Relaxed)
}
