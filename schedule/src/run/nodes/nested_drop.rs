//! Drops the nodes of schedules that own other schedules, with a bounded stack.
//!
//! A system can own a schedule, whose systems own others. Each drop of such a schedule runs on top of the last one. The first levels are
//! dropped in place, so their values are dropped in the order of Rust. Deeper ones are dropped when these have ended.

use core::cell::{Cell, RefCell};

use crate::base::panics::FirstPanic;
use crate::run::node::RunNode;

/// The number of levels that are dropped in place.
const MAX_LEVELS: u32 = 16;

thread_local! {
    /// The number of drops that run on this thread, one on top of the other.
    static N_LEVELS: Cell<u32> = const { Cell::new(0) };
    /// The nodes of schedules on deeper levels.
    static DEFERRED: RefCell<Vec<Vec<RunNode>>> = const { RefCell::new(Vec::new()) };
}

/// Drops the nodes of a schedule. If the drop of a value panics, all others are still dropped, and the first panic continues.
pub(super) fn drop_nodes(nodes: Vec<RunNode>) {
    // While the thread ends, its values are gone.
    let Ok(n_levels) = N_LEVELS.try_with(Cell::get) else {
        return drop(nodes);
    };
    if n_levels == MAX_LEVELS {
        return DEFERRED.with_borrow_mut(|deferred| deferred.push(nodes));
    }
    N_LEVELS.set(n_levels + 1);
    let mut panics = FirstPanic::default();
    panics.drop(nodes);
    if n_levels == 0 {
        while let Some(nodes) = DEFERRED.with_borrow_mut(Vec::pop) {
            panics.drop(nodes);
        }
    }
    N_LEVELS.set(n_levels);
    panics.resume_from_drop();
}
