//! Estimates the duration of a run without running anything.
//!
//! This is a discrete-event simulation of the parallel executor. It can describe machines that are not available. It
//! assigns the same nodes in the same order of urgency, by the same rules, to numbered workers. A few durations model
//! the costs of threads ([`Machine`]).

use core::fmt;
use core::time::Duration;

use crate::base::document::Version;
use crate::run::timeline::{
    Execution, ExecutionInterval, ExecutionIntervals, Timeline, executions,
};
use crate::verify::plan::Plan;
use crate::verify::rehearsal::Rehearsal;
use schedule_graph::Machine;
use schedule_graph::internal::simulate;

/// A simulated run. See [`Schedule::simulate`](crate::Schedule::simulate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    machine: Machine,
    work: Duration,
    span: Duration,
    timeline: Timeline,
}

impl Simulation {
    /// Simulates a run of a plan. `costs_ns[rank]`: the cost of a node in nanoseconds, for all iterations of a loop
    /// together. `is_bound[rank]`: whether only the caller can run it. `name_of(rank)`: its name, if its executions are
    /// listed.
    pub(crate) fn of_plan(
        schedule: &str,
        plan: &Plan,
        machine: Machine,
        costs_ns: &[u64],
        is_bound: &[bool],
        name_of: impl Fn(u32) -> Option<String>,
    ) -> Self {
        let rehearsal = Rehearsal::of_plan(plan, costs_ns, is_bound);
        let workload = rehearsal.workload();
        let run = simulate(workload, machine);
        let mut intervals: Vec<Vec<ExecutionInterval>> = vec![Vec::new(); costs_ns.len()];
        let owned = (0..).zip(&run.assignments);
        let shared = run.shares.iter().map(|(node, share)| (*node, share));
        for (node, assignment) in owned.chain(shared) {
            let rank = rehearsal.ranks[node as usize];
            if name_of(rank).is_some() {
                let of_node = &mut intervals[rank as usize];
                of_node.push(ExecutionInterval {
                    start_ns: assignment.start_ns,
                    end_ns: assignment.end_ns,
                    nth_start: 0,
                    nth_end: 0,
                    worker: assignment.worker,
                    is_repeat: false,
                    goes_on: true,
                    members: members_with(plan, rank),
                    is_part: !of_node.is_empty(),
                });
            }
        }
        let intervals: ExecutionIntervals = intervals.into_iter().collect();
        let executions = executions(plan, &intervals, |rank| name_of(rank).unwrap_or_default());
        Self {
            machine,
            work: Duration::from_nanos(costs_ns.iter().sum()),
            span: Duration::from_nanos(workload.span_ns(machine.n_workers)),
            timeline: Timeline {
                version: Version,
                schedule: schedule.to_string(),
                n_workers: machine.n_workers,
                makespan: Duration::from_nanos(run.end_ns()),
                executions,
                limits: Vec::new(),
            },
        }
    }

    /// Returns the simulated machine.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Returns the time from the begin of the run to its end.
    pub fn makespan(&self) -> Duration {
        self.timeline.makespan
    }

    /// Returns the total cost of all systems.
    pub fn work(&self) -> Duration {
        self.work
    }

    /// Returns the cost of the critical path: the longest path of systems that wait for each other. A per-entity system, or
    /// a sweep, counts with its cost divided by the number of workers.
    pub fn span(&self) -> Duration {
        self.span
    }

    /// A lower bound for every run on this number of workers: the span, or the work divided by the workers, whichever
    /// is longer.
    pub fn bound(&self) -> Duration {
        let share = self
            .work
            .as_nanos()
            .div_ceil(self.machine.n_workers as u128);
        self.span.max(Duration::from_nanos_u128(share))
    }

    /// The speedup over a sequential loop without overhead. 1 if the schedule has no work.
    pub fn speedup(&self) -> f64 {
        if self.makespan().is_zero() {
            return 1.0;
        }
        self.work.as_secs_f64() / self.makespan().as_secs_f64()
    }

    /// Returns how long a worker was busy.
    pub fn busy(&self, worker: usize) -> Duration {
        self.timeline.busy(worker)
    }

    /// Returns the executions, sorted by start and then by worker.
    pub fn executions(&self) -> &[Execution] {
        &self.timeline.executions
    }

    /// Returns the timeline of the simulated run, as for a recorded run. The crate `schedule-view` draws it.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

/// Prints the result in one line.
impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} on {} workers, {:.2} times as fast as on one; lower bound {:?}",
            self.makespan(),
            self.machine.n_workers,
            self.speedup(),
            self.bound()
        )
    }
}

/// The members of a sweep that run together with its first one, as bits. 0 for other nodes. A larger sweep is listed by its first
/// group.
fn members_with(plan: &Plan, rank: u32) -> u64 {
    let group = match plan.sweeps.of(rank) {
        Some(sweep) => sweep.together_with(rank),
        None => &[],
    };
    (0..group.len()).fold(0, |bits, nth| bits | 1 << nth)
}
