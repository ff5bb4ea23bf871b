//! What a run would take, found without running anything.
//!
//! A discrete-event simulation of the parallel executor, so that something can be said of machines that are not there:
//! the same nodes in the same order of urgency, handed out by the same rules, to workers that are numbers. What threads
//! cost each other comes in as a few durations ([`Machine`]).

use core::fmt;
use core::time::Duration;

use crate::graph::lists::Lists;
use crate::machine::{Load, Machine, Stint, hand_out};
use crate::plan::Plan;
use crate::precedence::Precedence;

/// A run that did not happen: see [`Schedule::simulate`](crate::Schedule::simulate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    machine: Machine,
    work: Duration,
    span: Duration,
    makespan: Duration,
    /// By start, then by worker.
    turns: Vec<Turn>,
}

/// A system, or the condition of a loop, that had its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// What it is called.
    pub system: String,
    /// On which worker; 0 is the thread that calls `run`.
    pub worker: usize,
    /// When the worker took it, from the begin of the run.
    pub start: Duration,
    /// When the worker was done with it: what it costs besides its system is in between.
    pub end: Duration,
}

impl Simulation {
    /// A run of a plan. `costs_ns[rank]`, `is_bound[rank]`: what a node takes, in nanoseconds, in all passes of a loop
    /// together; whether only the caller may run it. `name_of(rank)`: what it is called, if it is to be told of.
    pub(crate) fn of_plan(
        plan: &Plan,
        machine: Machine,
        costs_ns: &[u64],
        is_bound: &[bool],
        name_of: impl Fn(u32) -> Option<String>,
    ) -> Self {
        let weights: Vec<u32> = costs_ns.iter().map(|&cost_ns| saturated(cost_ns)).collect();
        let Precedence { ranks, edges } = plan.precedence(&weights);
        let by_number = |rank: &u32| (costs_ns[*rank as usize], is_bound[*rank as usize]);
        let (costs_ns, is_bound): (Vec<u64>, Vec<bool>) = ranks.iter().map(by_number).unzip();
        let successors = Lists::of_successors(ranks.len(), &edges);
        let load = Load {
            successors: successors.links(),
            costs_ns: &costs_ns,
            is_bound: &is_bound,
        };
        let stints = hand_out(load, machine);
        let turn = |(stint, &rank): (&Stint, &u32)| {
            Some(Turn {
                system: name_of(rank)?,
                worker: stint.worker as usize,
                start: Duration::from_nanos(stint.start_ns),
                end: Duration::from_nanos(stint.end_ns),
            })
        };
        let mut turns: Vec<Turn> = stints.iter().zip(&ranks).filter_map(turn).collect();
        turns.sort_by_key(|turn| (turn.start, turn.worker));
        let end_ns = stints.iter().map(|stint| stint.end_ns).max();
        Self {
            machine,
            work: Duration::from_nanos(costs_ns.iter().sum()),
            span: Duration::from_nanos(load.span_ns()),
            makespan: Duration::from_nanos(end_ns.unwrap_or(0)),
            turns,
        }
    }

    /// On what it ran.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// From the begin of the run to its end.
    pub fn makespan(&self) -> Duration {
        self.makespan
    }

    /// What all systems take together.
    pub fn work(&self) -> Duration {
        self.work
    }

    /// What the systems of the critical path take: the path that takes longest, of those along which each waits for the
    /// one before.
    pub fn span(&self) -> Duration {
        self.span
    }

    /// No run on so many workers is shorter: the span, or the work divided by the workers, whichever is longer.
    pub fn bound(&self) -> Duration {
        let share = self
            .work
            .as_nanos()
            .div_ceil(self.machine.n_workers as u128);
        self.span.max(Duration::from_nanos_u128(share))
    }

    /// How many times as fast as a loop over the systems, that costs nothing itself; 1 if there is nothing to do.
    pub fn speedup(&self) -> f64 {
        if self.makespan.is_zero() {
            return 1.0;
        }
        self.work.as_secs_f64() / self.makespan.as_secs_f64()
    }

    /// How long a worker had something to do.
    pub fn busy(&self, worker: usize) -> Duration {
        let of_worker = self.turns.iter().filter(|turn| turn.worker == worker);
        of_worker.map(|turn| turn.end - turn.start).sum()
    }

    /// Who did what and when; by start, then by worker.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }
}

/// The outcome in a line.
impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} on {} workers, {:.2} times as fast as on one; at best {:?}",
            self.makespan,
            self.machine.n_workers,
            self.speedup(),
            self.bound()
        )
    }
}

/// A cost as the order of urgency counts it; four seconds are as urgent as more.
fn saturated(cost_ns: u64) -> u32 {
    u32::try_from(cost_ns).unwrap_or(u32::MAX)
}
