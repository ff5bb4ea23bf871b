//! How threads of a pool are asked to help, and which of them may.
//!
//! All requests are jobs of one type, which start in one function: their depth on the stack tells whether they are nested
//! (`nesting.rs`). A thread helps only at its top level. If a nested job gets the request, it is withdrawn; if help is still
//! needed then, all threads of the pool are invited, so that an idle one comes.

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

    /// The thread that was asked for by this number cannot help. Returns whether help is needed.
    fn withdraw(&self, nth: u32) -> bool;

    /// Helps, if help is needed and there may be one more helper.
    fn help_if_needed(self: Arc<Self>);
}

/// A job for one thread of a pool.
pub(super) enum PoolJob {
    /// To help, as the thread of this number.
    Help(Arc<dyn Help>, u32),
    /// To send where a job starts, and then where a job on top of it starts.
    MeasureBoth(Sender<StackAddress>),
    Measure(Sender<StackAddress>),
}

/// A job for all threads of a pool.
pub(super) enum BroadcastJob {
    /// To learn their top levels.
    Learn,
    /// To help, if needed.
    Invite(Arc<dyn Help>),
    Measure(Sender<StackAddress>),
}

/// Lets a thread of a pool help, without waiting for it: of this one, else of the pool of this thread.
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
        placement.give_way();
    }
}

/// Not generic, so that there is one type of job, whose depth on the stack can be compared.
pub(super) fn spawn(pool: Option<&ThreadPool>, request: PoolJob) {
    let job = move || start(request);
    match pool {
        Some(pool) => pool.spawn(job),
        None => rayon::spawn(job),
    }
}

/// As [`spawn`], on each thread of the pool.
pub(super) fn call_all(pool: Option<&ThreadPool>, call: BroadcastJob) {
    let job = move |_: rayon::BroadcastContext<'_>| look(&call);
    match pool {
        Some(pool) => pool.spawn_broadcast(job),
        None => rayon::spawn_broadcast(job),
    }
}

/// Where each [`PoolJob`] starts.
#[inline(never)]
fn start(request: PoolJob) {
    let here = address();
    match request {
        PoolJob::Help(helped, nth) => {
            // An occupied thread waits in a system or in a run of its own, and that must not wait for this one.
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

/// Where each [`BroadcastJob`] starts.
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
