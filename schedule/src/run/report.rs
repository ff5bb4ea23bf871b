//! Reports about a schedule: costs, policies, explanations, lock files, advice and simulations.

use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;
use std::collections::HashMap;

use crate::base::escape::shown;
pub use crate::base::histogram::Histogram;
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::data::executor_choice::Executor;
pub use crate::data::limits::{LimitKind, LimitMiss, LimitedPart, RunTimes, TimeLimits};
pub use crate::data::missed::MissedBySystem;
pub use crate::data::slow_systems::{SlowSystem, SlowSystems};
pub use crate::declare::choices::{Choice, Choices, ChoicesError, Occurrence};
use crate::declare::graph::{Edge, Node, Origin, ScheduleGraph};
pub use crate::declare::problem::{Accepted, Warning};
pub use crate::run::executor::Expected;
use crate::run::executor::PreparedExecutor;
use crate::run::executor::period::Period;
pub use crate::run::executor::period::PeriodReport;
pub use crate::run::simulation::Simulation;
pub use crate::verify::advice::{Advice, Change, Makespan, PathSystem, Restriction, SharedBy};
pub use crate::verify::lock::{Lock, LockError};
use crate::verify::profile::write_cost;
pub use crate::verify::profile::{Profile, ProfileError, SystemCost};
pub use crate::verify::why::{
    ApartSystems, CommandsBetween, Relation, SharedUse, SweepOff, SweepRelation, SweepRule, Why,
};
use schedule_graph::Policy;
pub use schedule_graph::{Discipline, Machine};

/// Costs of the systems, statistics of the runs, warnings, accepted races and orders by policies. See
/// [`Schedule::report`](crate::Schedule::report).
///
/// Only [`Executor::Auto`] measures costs. They are known after its first run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the schedule.
    pub schedule: String,
    /// The executor for the next runs.
    pub executor: Executor,
    /// The number of systems and loop conditions.
    pub n_systems: usize,
    /// Their average costs, and how often they run. `None` if nothing is known.
    pub profile: Option<Profile>,
    /// The average total cost of all systems in a run. Each execution counts.
    pub work: Duration,
    /// The average cost of the longest path of systems that wait for each other. With any number of threads, a run that
    /// skips nothing takes at least this time, unless threads share a `for_each` system.
    pub critical_path: Duration,
    /// The number of runs on one thread.
    pub n_serial_runs: u64,
    /// The number of runs on several threads with a timetable that was computed before.
    pub n_timetabled_runs: u64,
    /// The number of runs on several threads in which each system started as soon as the systems before it were done.
    pub n_parallel_runs: u64,
    /// The expected durations of hot and cold runs. Empty if nothing is known.
    pub expected: Vec<Expected>,
    /// The helpers that waited for runs, if the schedule has a period.
    pub period: Option<PeriodReport>,
    /// The systems with limits, and their times in runs by a [`Driver`](crate::Driver).
    pub limited: Vec<SystemTimes>,
    /// The systems whose commands had no effect, in the order of a serial run.
    pub missed_commands: Vec<MissedBySystem>,
    /// The warnings: those of [`Schedule::warnings`](crate::Schedule::warnings).
    pub warnings: Vec<Warning>,
    /// The resources that systems only read. The program inserts them, or commands that do not declare it with `Inserts`.
    pub only_read: Vec<OnlyRead>,
    /// The accepted races and their reasons.
    pub accepted: Vec<Accepted>,
    /// Pairs that only policies order, without orders that others imply. Grouped by resource, most orders first.
    pub policy_orders: Vec<PolicyOrders>,
    /// Pairs that conflict but need no order, because at most one of them runs. Pairs that are ordered for other
    /// reasons are not included.
    pub never_both: Vec<NeverBoth>,
    /// The inserted sync points, in the order of a serial run, each with the pairs that need it.
    pub sync_points: Vec<SyncPointOrders>,
    /// The sweeps: `for_each` systems that run together, chunk by chunk, in the order of a serial run.
    pub sweeps: Vec<Vec<Occurrence>>,
    /// Pairs of `for_each` systems that follow each other, without a node between them, but share no sweep. The first
    /// 100 of them. Pairs that a setting of the schedule or of a plugin keeps apart are not included.
    pub apart: Vec<ApartSystems>,
    /// The number of all such pairs.
    pub n_apart: usize,
}

/// A resource that systems only read: no system writes it or all resources, and no commands declare that they insert it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnlyRead {
    /// The resource.
    pub resource: ResourceId,
    /// The systems that read it, in insertion order.
    pub readers: Vec<SystemPlace>,
}

impl OnlyRead {
    pub(crate) fn all(all: Vec<(ResourceId, Vec<SystemPlace>)>) -> Vec<Self> {
        let all = all.into_iter();
        all.map(|(resource, readers)| Self { resource, readers })
            .collect()
    }
}

impl fmt::Display for OnlyRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: read by ", shown(&self.resource))?;
        for (i, reader) in self.readers.iter().take(PRINTED_READERS).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}`{}`", shown(&reader.name))?;
        }
        match self.readers.len().saturating_sub(PRINTED_READERS) {
            0 => Ok(()),
            n => write!(f, " and {n} more"),
        }
    }
}

/// Maximum number of systems in the text of [`OnlyRead`].
const PRINTED_READERS: usize = 3;

/// A sync point that was inserted, because orders include commands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncPointOrders {
    /// The sync point.
    pub sync_point: Occurrence,
    /// The pairs that need it: a system with commands, a system after it that uses what they may change, and the name of that.
    pub pairs: Vec<(Occurrence, Occurrence, String)>,
}

/// A system with limits, and its measured times. See [`Schedule::set_limits`](crate::Schedule::set_limits).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemTimes {
    /// The name of the system.
    pub system: String,
    /// Its limits.
    pub limits: TimeLimits,
    /// Its times in runs by a driver.
    pub times: RunTimes,
}

impl fmt::Display for SystemTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", shown(&self.system), self.times)
    }
}

/// Two nodes that conflict, of which at most one runs in each run, or in each iteration of the loop around them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NeverBoth {
    /// One of the nodes.
    pub one: Occurrence,
    /// The other node.
    pub other: Occurrence,
    /// The condition or selector of which the two need different answers, or one of several because of which their guards are never
    /// both true.
    pub condition: Occurrence,
}

/// The orders of a policy for a resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyOrders {
    /// The policy. Never [`Policy::Reject`].
    pub policy: Policy,
    /// The name of the resource. For pairs that conflict on several resources, the first one.
    pub resource: String,
    /// The orders, in the order of a serial run.
    pub orders: Vec<Choice>,
}

/// Orders that only policies require, by resource and policy.
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

/// Pairs of which at most one runs, and which a policy would otherwise order.
pub(crate) fn never_both(graph: &ScheduleGraph) -> Vec<NeverBoth> {
    let edges = graph.edges.iter().filter(|edge| !edge.is_implied);
    let never_both = edges.filter_map(|edge| {
        let [Origin::NeverBoth { condition }] = edge.origins[..] else {
            return None;
        };
        let [one, other, condition] =
            [edge.from, edge.to, condition].map(|node| occurrence(&graph.nodes[node]));
        Some(NeverBoth {
            one,
            other,
            condition,
        })
    });
    never_both.collect()
}

/// The inserted sync points of a schedule.
pub(crate) fn sync_points(graph: &ScheduleGraph) -> Vec<SyncPointOrders> {
    let named = |node: usize| occurrence(&graph.nodes[node]);
    let mut sync_points: Vec<_> = graph.sync_points.iter().collect();
    sync_points.sort_by_key(|sync_point| sync_point.node);
    let sync_points = sync_points.into_iter().map(|sync_point| {
        let pairs = sync_point.pairs.iter();
        SyncPointOrders {
            sync_point: named(sync_point.node),
            pairs: pairs
                .map(|pair| (named(pair.writer), named(pair.user), pair.change.clone()))
                .collect(),
        }
    });
    sync_points.collect()
}

/// The sweeps of a schedule.
pub(crate) fn sweeps(graph: &ScheduleGraph) -> Vec<Vec<Occurrence>> {
    let members = |members: &Vec<usize>| {
        let members = members.iter().map(|&node| occurrence(&graph.nodes[node]));
        members.collect()
    };
    graph.sweeps.iter().map(members).collect()
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
            period: execution.period().map(Period::report),
            limited: Vec::new(),
            missed_commands: Vec::new(),
            warnings: Vec::new(),
            only_read: Vec::new(),
            accepted: Vec::new(),
            policy_orders: Vec::new(),
            never_both: Vec::new(),
            sync_points: Vec::new(),
            sweeps: Vec::new(),
            apart: Vec::new(),
            n_apart: 0,
        }
    }

    /// Writes the sections that do not depend on runs, each with its title.
    fn write_sections(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.limited.is_empty() {
            f.write_str("\nlimits")?;
            write_lines(f, &self.limited, self.limited.len(), |f, one| {
                write!(f, "{one}")
            })?;
        }
        if !self.missed_commands.is_empty() {
            f.write_str("\ncommands without effect")?;
            let all = &self.missed_commands;
            write_lines(f, all, all.len(), |f, one| write!(f, "{one}"))?;
        }
        if !self.warnings.is_empty() {
            f.write_str("\nwarnings")?;
            write_lines(f, &self.warnings, self.warnings.len(), |f, one| {
                write!(f, "{one}")
            })?;
        }
        if !self.only_read.is_empty() {
            f.write_str("\nresources that systems only read")?;
            let all = &self.only_read;
            write_lines(f, all, all.len(), |f, one| write!(f, "{one}"))?;
        }
        if !self.accepted.is_empty() {
            f.write_str("\naccepted races")?;
            write_lines(f, &self.accepted, self.accepted.len(), |f, one| {
                one.race.write_on(f, 0)?;
                match &one.reason {
                    Some(reason) => write!(f, ": {}", shown(reason)),
                    None => Ok(()),
                }
            })?;
        }
        if !self.sync_points.is_empty() {
            f.write_str("\ninserted sync points")?;
            write_lines(f, &self.sync_points, self.sync_points.len(), |f, one| {
                write!(f, "`{}`:", one.sync_point)?;
                let n_others = one.pairs.len().saturating_sub(MOST_ORDERS);
                for (i, (writer, user, change)) in one.pairs.iter().take(MOST_ORDERS).enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma} `{writer}` -> `{user}` for `{}`", shown(change))?;
                }
                match n_others {
                    0 => Ok(()),
                    n => write!(f, " and {n} more"),
                }
            })?;
        }
        if !self.sweeps.is_empty() {
            f.write_str("\nsweeps")?;
            write_lines(f, &self.sweeps, self.sweeps.len(), |f, members| {
                let names = members.iter().map(|one| format!("`{one}`"));
                f.write_str(&names.collect::<Vec<_>>().join(", "))
            })?;
        }
        if !self.apart.is_empty() {
            f.write_str("\nfor_each systems in different sweeps")?;
            write_lines(f, &self.apart, self.n_apart, |f, pair| {
                write!(f, "`{}` and `{}`: {}", pair.first, pair.then, pair.rule)
            })?;
        }
        if !self.never_both.is_empty() {
            f.write_str("\nnever both run")?;
            write_lines(f, &self.never_both, self.never_both.len(), |f, one| {
                let NeverBoth {
                    one,
                    other,
                    condition,
                } = one;
                write!(f, "`{one}` and `{other}`, by the result of `{condition}`")
            })?;
        }
        if !self.policy_orders.is_empty() {
            f.write_str("\norders by policy")?;
        }
        for one in &self.policy_orders {
            let (resource, policy, n) = (shown(&one.resource), one.policy, one.orders.len());
            write!(f, "\n  {resource}: {n} by `{policy}`: ")?;
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

/// Writes the first of `n_all` elements, one per line, and the number of the others.
fn write_lines<T>(
    f: &mut fmt::Formatter<'_>,
    first: &[T],
    n_all: usize,
    mut write: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for one in first.iter().take(MOST_LINES) {
        f.write_str("\n  ")?;
        write(f, one)?;
    }
    match n_all.saturating_sub(MOST_LINES) {
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
/// assert!(report.starts_with("schedule `frame`: 1 system, executor Auto\n  runs: 1 serial, 0 timetabled, 0 parallel\n"));
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
            "  runs: {serial} serial, {timetabled} timetabled, {parallel} parallel"
        )?;
        if let Some(period) = &self.period {
            write!(f, "\n  {period}")?;
        }
        let Some(profile) = &self.profile else {
            return self.write_sections(f);
        };
        let (work, path) = (self.work, self.critical_path);
        write!(f, "\n  work {work:.1?}, critical path {path:.1?}")?;
        for expected in &self.expected {
            let when = if expected.is_hot {
                "right after another one"
            } else {
                "after a pause"
            };
            let Expected {
                serial,
                timetabled,
                parallel,
                ..
            } = expected;
            write!(f, "\n  expected for a run {when}: {serial:.1?} serial")?;
            for (took, how) in [(timetabled, "timetabled"), (parallel, "parallel")] {
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

/// Maximum number of systems in the text. The most expensive ones are shown.
const MOST_SYSTEMS: usize = 10;

/// Maximum number of warnings and of accepted races in the text.
const MOST_LINES: usize = 20;

/// Maximum number of orders for a resource in the text.
const MOST_ORDERS: usize = 5;
