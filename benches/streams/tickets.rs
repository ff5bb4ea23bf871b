//! Polled tickets: each event holds the sum of the tickets of its keys.
//!
//! Each key has a counter of completed events. A ticket is taken at arrival, and is the value of the counter at which the event
//! may run. A counter cannot exceed the ticket of an event that has not run. So an event may run when the sum of its counters
//! equals the sum of its tickets. There are no notifications: workers scan the pending events. A read counts as a write,
//! because there is one counter.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::ThreadPool;

use crate::batch::{Batch, Result};
use crate::cells::Shared;
use crate::contender::Contender;
use crate::pools::Pools;

/// The maximum number of pending events.
const N_PENDING: usize = 64;

pub(crate) struct Tickets<'b> {
    batch: &'b Batch,
    pool: &'b ThreadPool,
    shared: Shared,
    /// The number of completed events, by cell.
    n_done: Vec<AtomicU64>,
    pending: Vec<Pending>,
    arrivals: Mutex<Arrivals>,
    n_left: AtomicUsize,
}

struct Arrivals {
    n_arrived: usize,
    /// The next ticket, by cell.
    next: Vec<u64>,
}

/// A slot for a pending event.
#[derive(Default)]
#[repr(align(64))]
struct Pending {
    /// 0 if the slot is free. Otherwise twice the position plus 2, or plus 3 once a worker has taken the event.
    state: AtomicU64,
    /// The sum of its tickets. Written before `state`.
    sum: AtomicU64,
}

impl<'b> Tickets<'b> {
    pub(crate) fn new(batch: &'b Batch, pools: &'b Pools) -> Self {
        let n_cells = batch.opening.len();
        Self {
            batch,
            pool: &pools.ours,
            shared: Shared::new(batch),
            n_done: (0..n_cells).map(|_| AtomicU64::new(0)).collect(),
            pending: (0..N_PENDING).map(|_| Pending::default()).collect(),
            arrivals: Mutex::new(Arrivals {
                n_arrived: 0,
                next: vec![0; n_cells],
            }),
            n_left: AtomicUsize::new(0),
        }
    }

    fn work(&self) {
        // Relaxed: a worker that reads 0 stops, and the scope waits for the other workers.
        while self.n_left.load(Ordering::Relaxed) > 0 {
            let mut is_idle = true;
            let mut is_any_free = false;
            for pending in &self.pending {
                // Acquire: pairs with the Release in `admit`, for the sum.
                match pending.state.load(Ordering::Acquire) {
                    0 => is_any_free = true,
                    state if state % 2 == 0 && self.try_run(pending, state) => is_idle = false,
                    _ => {}
                }
            }
            if is_any_free {
                is_idle &= !self.admit();
            }
            if is_idle {
                core::hint::spin_loop();
            }
        }
    }

    fn try_run(&self, pending: &Pending, state: u64) -> bool {
        let position = (state / 2 - 1) as usize;
        let keys = self.batch.entries[position].keys();
        // Acquire: pairs with the Release below, of the previous events with these keys.
        let counters = keys.iter().map(|key| &self.n_done[key.cell() as usize]);
        let sum: u64 = counters.map(|n_done| n_done.load(Ordering::Acquire)).sum();
        // Relaxed: if the slot contains another event by now, the exchange fails. Positions are unique.
        if sum != pending.sum.load(Ordering::Relaxed)
            || pending
                .state
                .compare_exchange(state, state + 1, Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
        {
            return false;
        }
        self.shared.settle(self.batch, position);
        for key in keys.iter() {
            let n_done = &self.n_done[key.cell() as usize];
            // Relaxed: no other event may increment the counter before this one.
            let n = n_done.load(Ordering::Relaxed);
            // Release: pairs with the Acquire above.
            n_done.store(n + 1, Ordering::Release);
        }
        // Release: the next event uses the slot after this one is completed.
        pending.state.store(0, Ordering::Release);
        self.n_left.fetch_sub(1, Ordering::Relaxed);
        true
    }

    /// Fills the free slots, unless another thread does. Returns whether any event arrived.
    fn admit(&self) -> bool {
        let Ok(mut arrivals) = self.arrivals.try_lock() else {
            return false;
        };
        let Arrivals { n_arrived, next } = &mut *arrivals;
        let before = *n_arrived;
        for pending in &self.pending {
            let Some(entry) = self.batch.entries.get(*n_arrived) else {
                break;
            };
            if pending.state.load(Ordering::Acquire) != 0 {
                continue;
            }
            let mut sum = 0;
            for key in entry.keys().iter() {
                let ticket = &mut next[key.cell() as usize];
                sum += *ticket;
                *ticket += 1;
            }
            pending.sum.store(sum, Ordering::Relaxed);
            *n_arrived += 1;
            // Release: pairs with the Acquire in `work`.
            pending
                .state
                .store(2 * *n_arrived as u64, Ordering::Release);
        }
        *n_arrived > before
    }
}

impl Contender for Tickets<'_> {
    fn name(&self) -> &'static str {
        "tickets, polled"
    }

    fn reset(&mut self) {
        self.shared.reset(self.batch);
        for n_done in &mut self.n_done {
            *n_done.get_mut() = 0;
        }
        let arrivals = self.arrivals.get_mut().expect("no thread panicked");
        arrivals.n_arrived = 0;
        arrivals.next.fill(0);
        *self.n_left.get_mut() = self.batch.entries.len();
    }

    fn run(&mut self) {
        let this = &*self;
        this.pool.in_place_scope(|scope| {
            scope.spawn(|_| this.work());
            this.work();
        });
    }

    fn result(&self) -> Result {
        self.shared.result()
    }
}
