//! Reports about a schedule: costs, policies, explanations, lock files, advice and simulations.

use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;
use std::collections::HashMap;

pub use crate::advice::{Advice, Change, Makespan, PathSystem, SharedBy, Without};
pub use crate::choices::{Choice, Choices, ChoicesError, Occurrence};
use crate::escape::shown;
pub use crate::executor::Expected;
use crate::executor::{Executor, PreparedExecutor};
use crate::graph::{Edge, Node, Origin, ScheduleGraph};
pub use crate::lock::{Lock, LockError};
pub use crate::problem::{Accepted, Warning};
use crate::profile::write_cost;
pub use crate::profile::{Profile, ProfileError, SystemCost};
pub use crate::simulation::Simulation;
pub use crate::why::{Relation, Why};
use schedule_graph::Policy;
pub use schedule_graph::{Discipline, Machine};

/// What the systems of a schedule cost, how its runs go, and what it came to that nobody said: see
/// [`Schedule::report`](crate::Schedule::report).
///
/// What is measured is known from the first run with [`Executor::Auto`] on; nothing is with the others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the schedule.
    pub schedule: String,
    /// How it is to run.
    pub executor: Executor,
    /// Systems, and conditions of loops.
    pub n_systems: usize,
    /// What each of them costs on the average, and how often it runs; `None` as long as nothing is known.
    pub profile: Option<Profile>,
    /// What all systems take together in a run, on the average: each counts as often as it runs.
    pub work: Duration,
    /// What those take of which each waits for the one before, on the path that takes longest, on the average. A run that skips
    /// nothing takes no less on any number of threads.
    pub critical_path: Duration,
    /// Runs on one thread.
    pub n_serial_runs: u64,
    /// Runs on several, by a timetable that was made before.
    pub n_timetabled_runs: u64,
    /// Runs on several, each system as soon as what comes before it was done.
    pub n_parallel_runs: u64,
    /// What a run is expected to take, hot and cold; nothing as long as nothing is known.
    pub expected: Vec<Expected>,
    /// What is odd in the declaration: those of [`Schedule::warnings`](crate::Schedule::warnings), orders that others imply,
    /// and resources that are only read.
    pub warnings: Vec<Warning>,
    /// The races that somebody has accepted, and why.
    pub accepted: Vec<Accepted>,
    /// What only policies have put in order, without what other orders imply; by resource, most orders first.
    pub policy_orders: Vec<PolicyOrders>,
    /// Pairs that conflict and need no order, as they never run both; without those that are in order for other reasons.
    pub exclusive: Vec<Exclusive>,
}

/// Two that conflict, of which at most one runs in a pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exclusive {
    /// One of them.
    pub one: Occurrence,
    /// The other.
    pub other: Occurrence,
    /// The condition, or selector, of which they need different answers.
    pub condition: Occurrence,
}

/// What a policy has put in order for a resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyOrders {
    /// The policy; never [`Policy::Reject`].
    pub policy: Policy,
    /// What the resource is called; of pairs that conflict on several, the first.
    pub resource: String,
    /// In the order of a run.
    pub orders: Vec<Choice>,
}

/// What only policies have put in order, by resource and policy.
pub(crate) fn policy_orders(graph: &ScheduleGraph) -> Vec<PolicyOrders> {
    let mut all: Vec<PolicyOrders> = Vec::new();
    // The index in `all`, by policy and resource.
    let mut idx_of: HashMap<(Policy, usize), usize> = HashMap::new();
    for Edge {
        from, to, origins, ..
    } in graph.edges.iter().filter(|edge| !edge.is_implied)
    {
        let is_policy = |origin: &Origin| matches!(origin, Origin::Policy { .. });
        let Some(Origin::Policy { policy, resource }) = origins.first() else {
            continue;
        };
        if !origins.iter().all(is_policy) {
            continue;
        }
        let order = Choice {
            first: occurrence(&graph.nodes[*from]),
            then: occurrence(&graph.nodes[*to]),
        };
        let idx = *idx_of.entry((*policy, *resource)).or_insert_with(|| {
            all.push(PolicyOrders {
                policy: *policy,
                resource: graph.resources[*resource].name.clone(),
                orders: Vec::new(),
            });
            all.len() - 1
        });
        all[idx].orders.push(order);
    }
    all.sort_by_key(|one| Reverse(one.orders.len()));
    all
}

/// What never runs both, and would else be in order by a policy.
pub(crate) fn exclusive(graph: &ScheduleGraph) -> Vec<Exclusive> {
    let edges = graph.edges.iter().filter(|edge| !edge.is_implied);
    let exclusive = edges.filter_map(|edge| {
        let [Origin::Exclusive { condition }] = edge.origins[..] else {
            return None;
        };
        let [one, other, condition] =
            [edge.from, edge.to, condition].map(|node| occurrence(&graph.nodes[node]));
        Some(Exclusive {
            one,
            other,
            condition,
        })
    });
    exclusive.collect()
}

fn occurrence(node: &Node) -> Occurrence {
    Occurrence {
        name: node.name.clone(),
        nth: node.nth,
    }
}

impl Report {
    pub(crate) fn new(
        schedule: &str,
        n_systems: usize,
        profile: Option<Profile>,
        execution: &PreparedExecutor,
    ) -> Self {
        let knowledge = execution.knowledge();
        let [n_serial_runs, n_timetabled_runs, n_parallel_runs] = knowledge.n_runs;
        Self {
            schedule: schedule.to_string(),
            executor: execution.executor(),
            n_systems,
            profile,
            work: Duration::ZERO,
            critical_path: Duration::ZERO,
            n_serial_runs,
            n_timetabled_runs,
            n_parallel_runs,
            expected: knowledge.expected,
            warnings: Vec::new(),
            accepted: Vec::new(),
            policy_orders: Vec::new(),
            exclusive: Vec::new(),
        }
    }

    /// What does not come from runs, each under its title.
    fn write_sections(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.warnings.is_empty() {
            f.write_str("\nwarnings")?;
            write_lines(f, &self.warnings, |f, one| write!(f, "{one}"))?;
        }
        if !self.accepted.is_empty() {
            f.write_str("\naccepted races")?;
            write_lines(f, &self.accepted, |f, one| {
                one.race.write_on(f, 0)?;
                match &one.reason {
                    Some(reason) => write!(f, ": {}", shown(reason)),
                    None => Ok(()),
                }
            })?;
        }
        if !self.exclusive.is_empty() {
            f.write_str("\nnever both")?;
            write_lines(f, &self.exclusive, |f, one| {
                let Exclusive {
                    one,
                    other,
                    condition,
                } = one;
                write!(f, "`{one}` and `{other}`, by the answer of `{condition}`")
            })?;
        }
        if !self.policy_orders.is_empty() {
            f.write_str("\norders by policy")?;
        }
        for one in &self.policy_orders {
            let (resource, policy, n) = (shown(&one.resource), one.policy, one.orders.len());
            write!(f, "\n  {resource}: {n} {policy}, ")?;
            for (i, order) in one.orders.iter().take(MOST_ORDERS).enumerate() {
                write!(f, "{}`{order}`", if i == 0 { "" } else { ", " })?;
            }
            if n > MOST_ORDERS {
                write!(f, " and {} more", n - MOST_ORDERS)?;
            }
        }
        Ok(())
    }
}

/// Writes the first of these, each on a line, and how many there are beside them.
fn write_lines<T>(
    f: &mut fmt::Formatter<'_>,
    all: &[T],
    mut write: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for one in all.iter().take(MOST_LINES) {
        f.write_str("\n  ")?;
        write(f, one)?;
    }
    match all.len().saturating_sub(MOST_LINES) {
        0 => Ok(()),
        n => write!(f, "\n  and {n} more"),
    }
}

/// ```
/// use schedule::prelude::*;
///
/// #[system]
/// fn wait() {
///     std::thread::sleep(std::time::Duration::from_millis(2));
/// }
///
/// let mut frame = Schedule::builder().name("frame").add::<wait>().build()?;
/// frame.run(&mut Resources::new())?;
/// let report = frame.report().to_string();
/// assert!(report.starts_with("schedule `frame`: 1 system, executor Auto\n  runs: 1 serial, 0 by timetable, 0 parallel\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_systems = self.n_systems;
        let s = if n_systems == 1 { "" } else { "s" };
        let Self {
            schedule, executor, ..
        } = self;
        writeln!(
            f,
            "schedule `{}`: {n_systems} system{s}, executor {executor:?}",
            shown(schedule)
        )?;
        let serial = self.n_serial_runs;
        let (timetabled, parallel) = (self.n_timetabled_runs, self.n_parallel_runs);
        write!(
            f,
            "  runs: {serial} serial, {timetabled} by timetable, {parallel} parallel"
        )?;
        let Some(profile) = &self.profile else {
            return self.write_sections(f);
        };
        let (work, path) = (self.work, self.critical_path);
        write!(f, "\n  work {work:.1?}, critical path {path:.1?}")?;
        for expected in &self.expected {
            let when = if expected.is_hot {
                "in a row"
            } else {
                "after a pause"
            };
            let Expected {
                serial,
                timetabled,
                parallel,
                ..
            } = expected;
            write!(f, "\n  a run {when}: {serial:.1?} serial")?;
            for (took, how) in [(timetabled, "by timetable"), (parallel, "parallel")] {
                if let Some(took) = took {
                    write!(f, ", {took:.1?} {how}")?;
                }
            }
        }
        let mut costs: Vec<&SystemCost> = profile.costs.iter().collect();
        costs.sort_by_key(|cost| Reverse(cost.ns));
        for cost in costs.iter().take(MOST_SYSTEMS) {
            f.write_str("\n  ")?;
            let took = Duration::from_nanos(cost.ns.into());
            write_cost(f, &cost.system, took, cost.runs_per_1000)?;
        }
        if costs.len() > MOST_SYSTEMS {
            write!(f, "\n  and {} that take less", costs.len() - MOST_SYSTEMS)?;
        }
        self.write_sections(f)
    }
}

/// So many are told of in text, of those that take most.
const MOST_SYSTEMS: usize = 10;

/// So many warnings, and accepted races, are told of in text.
const MOST_LINES: usize = 20;

/// So many orders are told of in text, of those for a resource.
const MOST_ORDERS: usize = 5;
