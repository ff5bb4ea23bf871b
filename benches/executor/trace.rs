//! Checks that contenders run the systems in a valid order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use benches::orders::Orders;
use benches::temperature::Temperature;
use benches::work::{Call, Work};
use benches::workload::Workload;

use crate::contenders;
use crate::pools::Pools;

/// Runs every contender a few times, and checks the order of the systems.
///
/// # Panics
///
/// If a system did not run exactly once in a run, or started before a predecessor had ended.
pub(crate) fn check(workload: &Workload, works: &[Work], pools: &Pools) {
    let trace = Arc::new(Trace::new(workload.orders.n_systems()));
    let calls = trace.calls(works);
    for mut contender in contenders::all(workload, &calls, pools) {
        for _ in 0..3 {
            // A single run after a jump, without other runs around it.
            contender.sample(Temperature::Cold { idle_ms: 0 }, 1);
            if let Err(mistake) = trace.take(&workload.orders) {
                panic!("{} on {}: {mistake}", contender.name(), workload.name);
            }
        }
    }
}

/// The events of a run.
struct Trace {
    /// The number of begins and ends so far.
    clock: AtomicUsize,
    seen: Vec<Seen>,
}

/// The record of a system.
#[derive(Default)]
struct Seen {
    n_runs: AtomicUsize,
    begun_at: AtomicUsize,
    ended_at: AtomicUsize,
}

impl Trace {
    fn new(n_systems: usize) -> Self {
        Self {
            clock: AtomicUsize::new(0),
            seen: (0..n_systems).map(|_| Seen::default()).collect(),
        }
    }

    /// Systems that do their work, and record it.
    fn calls(self: &Arc<Self>, works: &[Work]) -> Vec<Call> {
        let call_of = |(system_idx, &work): (usize, &Work)| {
            let trace = Arc::clone(self);
            Arc::new(move || trace.run(system_idx, work)) as Call
        };
        works.iter().enumerate().map(call_of).collect()
    }

    // All accesses are sequentially consistent, because the test checks the synchronisation of the contender.
    fn run(&self, system_idx: usize, work: Work) {
        let seen = &self.seen[system_idx];
        seen.begun_at.store(self.now(), Ordering::SeqCst);
        work.run();
        seen.n_runs.fetch_add(1, Ordering::SeqCst);
        seen.ended_at.store(self.now(), Ordering::SeqCst);
    }

    fn now(&self) -> usize {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Checks a run, and resets the trace.
    fn take(&self, orders: &Orders) -> Result<(), String> {
        for (system_idx, seen) in self.seen.iter().enumerate() {
            let n_runs = seen.n_runs.swap(0, Ordering::SeqCst);
            if n_runs != 1 {
                return Err(format!("system {system_idx} ran {n_runs} times"));
            }
        }
        for (first, then) in orders.pairs() {
            let ended_at = self.seen[first].ended_at.load(Ordering::SeqCst);
            let begun_at = self.seen[then].begun_at.load(Ordering::SeqCst);
            if begun_at < ended_at {
                return Err(format!("system {then} began before {first} had ended"));
            }
        }
        Ok(())
    }
}
