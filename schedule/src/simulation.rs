//! What a run would take, found without running anything.
//!
//! A discrete-event simulation of the parallel executor, so that something can be said of machines that are not there:
//! the same nodes in the same order of urgency, handed out by the same rules, to workers that are numbers. What threads
//! cost each other comes in as a few durations ([`Machine`]).

use core::fmt;
use core::time::Duration;

use crate::data::Version;
use crate::plan::Plan;
use crate::timeline::{Execution, Stay, Stays, Timeline, executions};
use schedule_graph::Machine;
use schedule_graph::internal::Lists;
use schedule_graph::internal::Precedence;
use schedule_graph::internal::{Load, hand_out};

/// A run that did not happen: see [`Schedule::simulate`](crate::Schedule::simulate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    machine: Machine,
    work: Duration,
    span: Duration,
    timeline: Timeline,
}

impl Simulation {
    /// A run of a plan. `costs_ns[rank]`, `is_bound[rank]`: what a node takes, in nanoseconds, in all passes of a loop
    /// together; whether only the caller may run it. `name_of(rank)`: what it is called, if it is to be told of.
    pub(crate) fn of_plan(
        schedule: &str,
        plan: &Plan,
        machine: Machine,
        costs_ns: &[u64],
        is_bound: &[bool],
        name_of: impl Fn(u32) -> Option<String>,
    ) -> Self {
        let rehearsal = Rehearsal::of_plan(plan, costs_ns, is_bound);
        let load = rehearsal.load();
        let stints = hand_out(load, machine);
        let mut stays: Vec<Option<Stay>> = vec![None; costs_ns.len()];
        for (stint, &rank) in stints.iter().zip(&rehearsal.ranks) {
            if name_of(rank).is_some() {
                stays[rank as usize] = Some(Stay {
                    start_ns: stint.start_ns,
                    end_ns: stint.end_ns,
                    worker: stint.worker,
                    is_repeat: false,
                    goes_on: true,
                });
            }
        }
        let stays: Stays = stays.into_iter().collect();
        let executions = executions(plan, &stays, |rank| name_of(rank).unwrap_or_default());
        let end_ns = stints.iter().map(|stint| stint.end_ns).max();
        Self {
            machine,
            work: Duration::from_nanos(costs_ns.iter().sum()),
            span: Duration::from_nanos(load.span_ns()),
            timeline: Timeline {
                version: Version,
                schedule: schedule.to_string(),
                n_workers: machine.n_workers,
                makespan: Duration::from_nanos(end_ns.unwrap_or(0)),
                executions,
            },
        }
    }

    /// On what it ran.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// From the begin of the run to its end.
    pub fn makespan(&self) -> Duration {
        self.timeline.makespan
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
        if self.makespan().is_zero() {
            return 1.0;
        }
        self.work.as_secs_f64() / self.makespan().as_secs_f64()
    }

    /// How long a worker had something to do.
    pub fn busy(&self, worker: usize) -> Duration {
        self.timeline.busy(worker)
    }

    /// Who did what and when; by start, then by worker.
    pub fn executions(&self) -> &[Execution] {
        &self.timeline.executions
    }

    /// The timeline of the simulated run, as of a run that was recorded. The crate `schedule-view` draws it.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

/// The outcome in a line.
impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} on {} workers, {:.2} times as fast as on one; at best {:?}",
            self.makespan(),
            self.machine.n_workers,
            self.speedup(),
            self.bound()
        )
    }
}

/// A plan that is ready to be simulated on any number of machines.
pub(crate) struct Rehearsal {
    /// `ranks[v]`: the rank of node v, by urgency, as in the other fields; len = n_nodes.
    ranks: Vec<u32>,
    successors: Lists,
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
}

impl Rehearsal {
    /// By rank, as [`Simulation::of_plan`] has them. O(nodes × edges / 64).
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

    /// What the systems of the critical path take. O(nodes + edges).
    pub(crate) fn span(&self) -> Duration {
        Duration::from_nanos(self.load().span_ns())
    }

    /// How long a run takes. O((nodes + edges) × log(nodes)).
    pub(crate) fn makespan(&self, machine: Machine) -> Duration {
        let stints = hand_out(self.load(), machine);
        let end_ns = stints.iter().map(|stint| stint.end_ns).max();
        Duration::from_nanos(end_ns.unwrap_or(0))
    }

    fn load(&self) -> Load<'_> {
        Load {
            successors: self.successors.links(),
            costs_ns: &self.costs_ns,
            is_bound: &self.is_bound,
        }
    }
}

/// A cost as the order of urgency counts it; four seconds are as urgent as more.
fn saturated(cost_ns: u64) -> u32 {
    u32::try_from(cost_ns).unwrap_or(u32::MAX)
}
