//! Requests for help to the threads of a pool, and the decision which threads may help.
//!
//! All requests are jobs of one type, which start in one function. So their depth on the stack shows whether they are
//! nested (`nesting.rs`). A thread helps only at its top level. A nested job withdraws the request. If help is still
//! needed then, it invites all threads of the pool, so that an idle one comes.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use rayon::ThreadPool;

use super::nesting::{StackAddress, address, is_broadcast_nested, is_nested};
use super::occupation::is_occupied;
use super::placement::Placement;
use super::role::Role;

/// A run or a stream that threads help with.
pub trait Help: Send + Sync {
    /// Helps as helper number `nth`.
    fn help(self: Arc<Self>, nth: u32);

    /// Withdraws the request with this number, since the thread that got it cannot help. Returns whether help is
    /// needed.
    fn withdraw(&self, nth: u32) -> bool;

    /// Helps, if help is needed and the maximum number of helpers is not reached.
    fn help_if_needed(self: Arc<Self>);
}

/// A job for one thread of a pool.
pub(super) enum PoolJob {
    /// Helps, as helper of this number.
    Help(Arc<dyn Help>, u32),
    /// Sends the address where this job starts, and then the address where a job on top of it starts.
    MeasureBoth(Sender<StackAddress>),
    Measure(Sender<StackAddress>),
}

/// A job for all threads of a pool.
pub(super) enum BroadcastJob {
    /// Lets each thread learn its top level.
    Learn,
    /// Helps, if needed.
    Invite(Arc<dyn Help>),
    Measure(Sender<StackAddress>),
}

/// Requests a helper from `pool`, or from the pool of this thread if `pool` is `None`. Does not wait for it.
pub fn call_for_help(
    role: Role,
    pool: Option<&ThreadPool>,
    placement: &Placement,
    helped: Arc<dyn Help>,
    nth: u32,
) {
    if role == Role::Caller {
        placement.note();
    }
    spawn(pool, PoolJob::Help(helped, nth));
    if role == Role::Caller {
        placement.yield_once();
    }
}

/// Not generic, so that all requests are jobs of one type, whose depths on the stack can be compared.
pub(super) fn spawn(pool: Option<&ThreadPool>, request: PoolJob) {
    let job = move || start(request);
    match pool {
        Some(pool) => pool.spawn(job),
        None => rayon::spawn(job),
    }
}

/// Like [`spawn`], on each thread of the pool.
pub(super) fn call_all(pool: Option<&ThreadPool>, call: BroadcastJob) {
    let job = move |_: rayon::BroadcastContext<'_>| look(&call);
    match pool {
        Some(pool) => pool.spawn_broadcast(job),
        None => rayon::spawn_broadcast(job),
    }
}

/// Each [`PoolJob`] starts in this function.
#[inline(never)]
fn start(request: PoolJob) {
    let here = address();
    match request {
        PoolJob::Help(helped, nth) => {
            // An occupied thread runs a system, or waits inside of another run. That must not wait for this run.
            if !is_occupied() && !is_nested(here) {
                helped.help(nth);
            } else if helped.withdraw(nth) {
                call_all(None, BroadcastJob::Invite(helped));
            }
        }
        PoolJob::MeasureBoth(sender) => {
            let _ = sender.send(here);
            spawn(None, PoolJob::Measure(sender));
            rayon::yield_now();
        }
        PoolJob::Measure(sender) => {
            let _ = sender.send(here);
        }
    }
}

/// Each [`BroadcastJob`] starts in this function.
#[inline(never)]
fn look(call: &BroadcastJob) {
    let here = address();
    match call {
        BroadcastJob::Learn => {
            is_broadcast_nested(here);
        }
        BroadcastJob::Invite(helped) => {
            if !is_broadcast_nested(here) && !is_occupied() {
                Arc::clone(helped).help_if_needed();
            }
        }
        BroadcastJob::Measure(sender) => {
            let _ = sender.send(here);
        }
    }
}
