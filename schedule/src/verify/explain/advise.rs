//! Predicts how a built schedule changes if one declaration or conflict is removed: its new plan, and the duration of its runs.
//!
//! Every candidate is tried. The remaining declarations are numbered and verified like in a build, and the resulting plan is simulated.

mod candidate;
mod numbers;
mod paths;

use core::cmp::Reverse;
use core::time::Duration;

use self::candidate::{Candidate, RemovedRestriction};
use self::numbers::Numbers;
use self::paths::Paths;
use crate::verify::advice::{Advice, Change, Makespan, PathSystem, Restriction, SharedBy};
use crate::verify::compile::{All, Conditions, Index, known_conditions};
use crate::verify::plan::Plan;
use crate::verify::profile::once_per_run;
use crate::verify::rehearsal::Rehearsal;
use schedule_graph::Machine;

/// The numbers of workers on which runs are simulated, in addition to the requested number.
const N_WORKERS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// Minimum number of candidates that are tried, however large the schedule is.
const MIN_CANDIDATES: usize = 32;

/// More candidates are tried as long as all trials together have at most this number of nodes.
const MAX_NODES: usize = 200_000;

/// Returns the advice on a schedule, and the ranks of its critical path.
///
/// `costs_ns[rank]`: the cost of a node in nanoseconds. `is_bound[rank]`: whether only the thread that calls `run` may run the node.
pub(crate) fn advice(
    all: All<'_>,
    plan: &Plan,
    name: &str,
    machine: Machine,
    costs_ns: &[u64],
    is_bound: &[bool],
) -> (Advice, Vec<u32>) {
    let conditions = known_conditions(all);
    let trial = ChangeTrial::new(all, &conditions, plan, machine, costs_ns, is_bound);
    let paths = Paths::new(plan, costs_ns);
    let mut candidates = Candidate::all(&trial.numbers, plan, &paths);
    let most = MIN_CANDIDATES.max(MAX_NODES / costs_ns.len().max(1));
    let n_left_out = candidates.len().saturating_sub(most);
    candidates.truncate(most);

    let as_it_is = Rehearsal::of_plan(plan, costs_ns, is_bound);
    let ranks = paths.critical();
    let path = ranks.iter().map(|&rank| PathSystem {
        system: trial.name(plan.order[rank as usize]),
        cost: Duration::from_nanos(costs_ns[rank as usize]),
        runs_per_1000: once_per_run(),
    });
    let mut advice = Advice {
        schedule: name.to_string(),
        n_workers: machine.n_workers,
        work: Duration::from_nanos(costs_ns.iter().sum()),
        span: as_it_is.span(),
        critical_path: path.collect(),
        makespans: trial.makespans(&as_it_is),
        changes: Vec::new(),
        n_left_out,
    };
    let mut changes: Vec<Change> = candidates
        .iter()
        .filter_map(|one| trial.without(one.what))
        .collect();
    let most_workers = N_WORKERS[N_WORKERS.len() - 1];
    changes.sort_by_key(|change| {
        let saved = advice.saved(change);
        let size = match change.without {
            Restriction::DeclaredOrder { .. } => 0,
            Restriction::Conflict { .. } => 1,
            Restriction::Resource { .. } => 2,
        };
        let saved_on_most = advice.saved_on(change, most_workers);
        (Reverse((saved, saved_on_most)), size)
    });
    advice.changes = changes;
    (advice, ranks)
}

/// The declarations, to be tried without one of them at a time.
struct ChangeTrial<'a> {
    all: All<'a>,
    conditions: &'a Conditions,
    numbers: Numbers,
    /// `named[v]`: the name of node v. All vectors below except `machines` have this length, n_nodes.
    named: Vec<String>,
    /// Sorted by number of workers, ascending.
    machines: Vec<Machine>,
    /// `costs_ns[v]`: the cost of node v in nanoseconds.
    costs_ns: Vec<u64>,
    /// `is_bound[v]`: whether only the calling thread may run node v.
    is_bound: Vec<bool>,
    /// `ranks[v]`: the rank of node v in the current schedule.
    ranks: Vec<u32>,
}

impl<'a> ChangeTrial<'a> {
    /// Indices of `costs_ns` and `is_bound` are ranks.
    fn new(
        all: All<'a>,
        conditions: &'a Conditions,
        plan: &Plan,
        machine: Machine,
        costs_ns: &[u64],
        is_bound: &[bool],
    ) -> Self {
        let numbers = Numbers::of(all, conditions);
        let n_workers = N_WORKERS.into_iter().chain([machine.n_workers]);
        let mut machines: Vec<Machine> = n_workers
            .map(|n_workers| {
                let mut other = machine;
                other.n_workers = n_workers;
                other
            })
            .collect();
        machines.sort_by_key(|machine| machine.n_workers);
        machines.dedup();
        let mut named = numbers.names(all, conditions);
        let sync_points = plan.sync_points.iter();
        named.extend(sync_points.map(|one| one.place.name.clone()));
        Self {
            named,
            machines,
            costs_ns: by_node(plan, costs_ns),
            is_bound: by_node(plan, is_bound),
            ranks: plan.ranks(),
            all,
            conditions,
            numbers,
        }
    }

    /// Returns the predicted change if `what` is removed, or `None` if the schedule cannot be built without it.
    fn without(&self, what: RemovedRestriction) -> Option<Change> {
        let ranks = &self.ranks;
        let without_order = |idx| Numbers::of(self.all.without_order(idx), self.conditions);
        let left = match what {
            RemovedRestriction::Order(idx) => without_order(idx).verify(ranks),
            RemovedRestriction::Conflict(a, b, order) => {
                let left = order.map(without_order);
                let numbers = left.as_ref().unwrap_or(&self.numbers);
                numbers.verify_without_conflict(a, b, ranks)
            }
            RemovedRestriction::Resource { resource, .. } => {
                self.numbers.verify_without_resource(resource, ranks)
            }
        }?;
        let rehearsal = self.rehearsal(left.plan);
        let instead = left
            .instead
            .into_iter()
            .map(|(a, b)| (self.name(a), self.name(b)));
        Some(Change {
            without: self.described(what),
            instead: instead.collect(),
            span: rehearsal.span(),
            makespans: self.makespans(&rehearsal),
        })
    }

    fn name(&self, node: u32) -> String {
        self.named[node as usize].clone()
    }

    /// Returns the order or conflict to remove, with the names of its systems.
    fn described(&self, what: RemovedRestriction) -> Restriction {
        match what {
            RemovedRestriction::Order(idx) => {
                let order = self.all.order(idx);
                let groups = self.numbers.graph.located_groups();
                let index = Index::new(self.all, &groups);
                let [first, then] = [&order.first, &order.then].map(|target| {
                    let found = index.find(target, order.location).expect("it has an edge");
                    self.name(self.numbers.graph.ends(found).0)
                });
                Restriction::DeclaredOrder {
                    first,
                    then,
                    place: order.location.into(),
                }
            }
            RemovedRestriction::Conflict(a, b, order) => {
                let conflicts = self.numbers.conflicts(a, b).into_iter();
                let on = conflicts.map(|conflict| SharedBy {
                    resource: self.numbers.resource(conflict.resource),
                    first: conflict.first,
                    then: conflict.second,
                });
                Restriction::Conflict {
                    first: self.name(a),
                    then: self.name(b),
                    on: on.collect(),
                    place: order.map(|idx| self.all.order(idx).location.into()),
                }
            }
            RemovedRestriction::Resource { resource, n_pairs } => Restriction::Resource {
                resource: self.numbers.resource(resource),
                n_pairs,
            },
        }
    }

    fn rehearsal(&self, mut plan: Plan) -> Rehearsal {
        plan.sweeps = self.numbers.sweeps(self.all, &plan, &self.costs_ns);
        let nodes = || plan.order.iter().map(|&node| node as usize);
        // The nodes of inserted sync points follow all others. A trial may have more of them.
        let cost_ns = |node: usize| self.costs_ns.get(node).copied().unwrap_or(0);
        let costs_ns: Vec<u64> = nodes().map(cost_ns).collect();
        let is_bound = |node: usize| self.is_bound.get(node).copied().unwrap_or(true);
        let is_bound: Vec<bool> = nodes().map(is_bound).collect();
        Rehearsal::of_plan(&plan, &costs_ns, &is_bound)
    }

    fn makespans(&self, rehearsal: &Rehearsal) -> Vec<Makespan> {
        let makespan = |&machine: &Machine| Makespan {
            n_workers: machine.n_workers,
            makespan: rehearsal.makespan(machine),
        };
        self.machines.iter().map(makespan).collect()
    }
}

/// Reorders values from ranks to node numbers.
fn by_node<T: Copy + Default>(plan: &Plan, by_rank: &[T]) -> Vec<T> {
    let mut by_node = vec![T::default(); by_rank.len()];
    for (&node, &one) in plan.order.iter().zip(by_rank) {
        by_node[node as usize] = one;
    }
    by_node
}
