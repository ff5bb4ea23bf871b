//! A manual solution with rayon: systems count their pending predecessors and spawn the successors that they release.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use rayon::{Scope, ThreadPool};

use crate::contender::Contender;
use crate::pools::Pools;

/// The thread that starts a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    /// A thread outside of the pool, which sleeps meanwhile.
    Outside,
    /// A worker: the whole program runs in the pool.
    Inside,
}

pub(crate) struct ByHand {
    from: From,
    pool: Arc<ThreadPool>,
    graph: Graph,
}

impl ByHand {
    pub(crate) fn new(workload: &Workload, calls: &[Call], pools: &Pools, from: From) -> Self {
        Self {
            from,
            pool: Arc::clone(&pools.peers),
            graph: Graph::new(workload, calls),
        }
    }
}

impl Contender for ByHand {
    fn name(&self) -> &'static str {
        match self.from {
            From::Outside => "rayon from outside",
            From::Inside => "rayon from inside",
        }
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        let Self { from, pool, graph } = self;
        match from {
            From::Outside => temperature.sample(n_runs, || pool.scope(|scope| graph.run(scope))),
            From::Inside => pool
                .install(|| temperature.sample(n_runs, || rayon::scope(|scope| graph.run(scope)))),
        }
    }
}

struct Graph {
    systems: Vec<System>,
    roots: Vec<usize>,
}

struct System {
    call: Call,
    n_predecessors: usize,
    /// The predecessors that this run has not completed yet.
    n_pending: AtomicUsize,
    successors: Vec<usize>,
}

impl Graph {
    fn new(workload: &Workload, calls: &[Call]) -> Self {
        let n_predecessors = workload.orders.n_predecessors();
        let systems = calls.iter().zip(&n_predecessors).enumerate().map(
            |(system_idx, (call, &n_predecessors))| System {
                call: Call::clone(call),
                n_predecessors,
                n_pending: AtomicUsize::new(n_predecessors),
                successors: workload.orders.successors(system_idx).to_vec(),
            },
        );
        Self {
            systems: systems.collect(),
            roots: (0..calls.len())
                .filter(|&system| n_predecessors[system] == 0)
                .collect(),
        }
    }

    fn run<'scope>(&'scope self, scope: &Scope<'scope>) {
        if let Some((&first, others)) = self.roots.split_first() {
            for &root in others {
                scope.spawn(move |scope| self.run_from(root, scope));
            }
            self.run_from(first, scope);
        }
    }

    /// Runs a system, and then the first of the systems that it releases. The others are spawned.
    fn run_from<'scope>(&'scope self, system: usize, scope: &Scope<'scope>) {
        let mut next = Some(system);
        while let Some(system) = next.take() {
            let system = &self.systems[system];
            (system.call)();
            for &successor in &system.successors {
                if !self.systems[successor].releases() {
                    continue;
                }
                match next {
                    None => next = Some(successor),
                    Some(_) => scope.spawn(move |scope| self.run_from(successor, scope)),
                }
            }
        }
    }
}

impl System {
    /// Counts a completed predecessor. Returns whether it was the last one.
    fn releases(&self) -> bool {
        // AcqRel: the thread that counts last acquires the writes of all predecessors.
        let is_last = self.n_pending.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            // Relaxed: the next decrement is in the next run, which begins after this scope has ended.
            self.n_pending.store(self.n_predecessors, Ordering::Relaxed);
        }
        is_last
    }
}
