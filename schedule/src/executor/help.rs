//! How threads are asked to help.

use rayon::ThreadPool;

use super::placement::Placement;
use super::role::Role;

/// Lets a thread of a pool help, without waiting for it: of this one, else of the pool of this thread.
pub(crate) fn call_for_help(
    role: Role,
    pool: Option<&ThreadPool>,
    placement: &Placement,
    help: impl FnOnce() + Send + 'static,
) {
    if role == Role::Caller {
        placement.note();
    }
    match pool {
        Some(pool) => pool.spawn(help),
        None => rayon::spawn(help),
    }
    if role == Role::Caller {
        placement.give_way();
    }
}
