//! Estimates the duration of a run without running anything.
//!
//! This is a discrete-event simulation of the parallel executor. It can describe machines that are not available. It
//! assigns the same nodes in the same order of urgency, by the same rules, to numbered workers. A few durations model
//! the costs of threads ([`Machine`]).

use core::fmt;
use core::time::Duration;

use crate::data::Version;
use crate::plan::Plan;
use crate::timeline::{Execution, Stay, Stays, Timeline, executions};
use schedule_graph::Machine;
use schedule_graph::internal::Lists;
use schedule_graph::internal::Precedence;
use schedule_graph::internal::{Workload, simulate};

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
        let assignments = simulate(workload, machine);
        let mut stays: Vec<Option<Stay>> = vec![None; costs_ns.len()];
        for (assignment, &rank) in assignments.iter().zip(&rehearsal.ranks) {
            if name_of(rank).is_some() {
                stays[rank as usize] = Some(Stay {
                    start_ns: assignment.start_ns,
                    end_ns: assignment.end_ns,
                    worker: assignment.worker,
                    is_repeat: false,
                    goes_on: true,
                });
            }
        }
        let stays: Stays = stays.into_iter().collect();
        let executions = executions(plan, &stays, |rank| name_of(rank).unwrap_or_default());
        let end_ns = assignments.iter().map(|assignment| assignment.end_ns).max();
        Self {
            machine,
            work: Duration::from_nanos(costs_ns.iter().sum()),
            span: Duration::from_nanos(workload.span_ns()),
            timeline: Timeline {
                version: Version,
                schedule: schedule.to_string(),
                n_workers: machine.n_workers,
                makespan: Duration::from_nanos(end_ns.unwrap_or(0)),
                executions,
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

    /// Returns the cost of the critical path: the longest path of systems that wait for each other.
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

/// A plan that is prepared for simulations on any number of machines.
pub(crate) struct Rehearsal {
    /// `ranks[v]`: the rank of node v. Nodes are numbered by urgency, also in the other fields. len = n_nodes.
    ranks: Vec<u32>,
    successors: Lists,
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
}

impl Rehearsal {
    /// The arguments are indexed by rank, as in [`Simulation::of_plan`]. Cost: O(nodes × edges / 64).
    pub(crate) fn of_plan(plan: &Plan, costs_ns: &[u64], is_bound: &[bool]) -> Self {
        let weights: Vec<u32> = costs_ns.iter().map(|&cost_ns| saturated(cost_ns)).collect();
        let Precedence { ranks, edges } = plan.precedence(&weights);
        let by_number = |rank: &u32| (costs_ns[*rank as usize], is_bound[*rank as usize]);
        let (costs_ns, is_bound): (Vec<u64>, Vec<bool>) = ranks.iter().map(by_number).unzip();
        Self {
            successors: Lists::of_successors(ranks.len(), &edges),
            ranks,
            costs_ns,
            is_bound,
        }
    }

    /// The cost of the critical path. O(nodes + edges).
    pub(crate) fn span(&self) -> Duration {
        Duration::from_nanos(self.workload().span_ns())
    }

    /// The duration of a run. O((nodes + edges) × log(nodes)).
    pub(crate) fn makespan(&self, machine: Machine) -> Duration {
        let assignments = simulate(self.workload(), machine);
        let end_ns = assignments.iter().map(|assignment| assignment.end_ns).max();
        Duration::from_nanos(end_ns.unwrap_or(0))
    }

    fn workload(&self) -> Workload<'_> {
        Workload {
            successors: self.successors.links(),
            costs_ns: &self.costs_ns,
            is_bound: &self.is_bound,
        }
    }
}

/// Converts a cost for the order of urgency. Costs of more than about four seconds are capped.
fn saturated(cost_ns: u64) -> u32 {
    u32::try_from(cost_ns).unwrap_or(u32::MAX)
}
