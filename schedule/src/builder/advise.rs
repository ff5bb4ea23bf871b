//! What a built schedule would be without one of the things that were declared, and how long its runs would take then.
//!
//! Nothing is guessed: of each thing that could go, what is left is numbered and verified as a build would, and what comes
//! of that is simulated.

mod candidate;
mod numbers;
mod paths;

use core::cmp::Reverse;
use core::time::Duration;

use self::candidate::{Candidate, What};
use self::numbers::Numbers;
use self::paths::Paths;
use super::Builder;
use super::guards::{Conditions, find_conditions};
use super::index::Index;
use crate::advice::{Advice, Change, Makespan, PathSystem, SharedBy, Without};
use crate::plan::Plan;
use crate::profile::once_per_run;
use crate::schedule::Schedule;
use crate::simulation::Rehearsal;
use schedule_graph::Machine;

/// On so many workers runs are simulated, besides those that were asked for.
const N_WORKERS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// So many things are looked at for each schedule, however large it is.
const LEAST_LOOKED_AT: usize = 32;

/// And as many as make this many nodes together.
const MOST_NODES: usize = 200_000;

impl Schedule {
    /// What holds a run up: the critical path, and of each order that was declared, each pair that only a policy has put in
    /// order, and each resource, what a run would gain without it. Costs are averages over those runs that were timed; `None` if none has,
    /// or none was run by [`Executor::Auto`](crate::Executor::Auto).
    ///
    /// `machine` may be a number of workers. See [`advise_with`](Self::advise_with).
    pub fn advise(&self, machine: impl Into<Machine>) -> Option<Advice> {
        let averages = self.averages()?;
        let costs_ns = averages.iter().map(|average| average.ns().into());
        let (mut advice, path) = self.advice(machine.into(), costs_ns.collect());
        for (one, rank) in advice.critical_path.iter_mut().zip(path) {
            one.runs_per_1000 = averages[rank as usize].runs_per_1000();
        }
        Some(advice)
    }

    /// The same, if systems took so long: `cost_of` is asked as [`simulate`](Self::simulate) does.
    ///
    /// Runs are simulated, on so many workers and on 2, 4, 8, 16, 32 and 64. Of what could go, one thing goes at a time, and
    /// the rest is verified anew:
    ///
    /// - An order that was declared. What is left may race: where a policy orders that, it does; under
    ///   [`Policy::Reject`](crate::Policy::Reject) the pairs are put in the order in which they run now, and [`Change::instead`] names these orders.
    ///   Whether an order is needed for another reason than conflicts, nobody knows but its author.
    /// - The conflict of two systems, on all that they share, of which one comes before the other for no other reason than a
    ///   policy, a weak order or an order of these two, which goes with it. Those of either with others stay, also on the same
    ///   resource: the two would have to touch other parts of it. Pairs with a system that
    ///   touches everything, or runs alone, are not looked at; nor is what conflicts in different loops, of which resources
    ///   tell.
    /// - All conflicts on a resource. What was declared stays.
    ///
    /// Cost: for each of these things, a build, and simulations, O(nodes × edges / 64 + edges × log(nodes)). Of a schedule
    /// with more than some hundred nodes, only those are looked at through which the longest paths lead: 200,000 divided by
    /// the nodes, and at least 32.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::{Without, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Wheat(u32);
    ///
    /// #[derive(Resource)]
    /// struct Wool(u32);
    ///
    /// #[system]
    /// fn reap(wheat: &mut Wheat) {}
    ///
    /// #[system(after = reap)]
    /// fn shear(wool: &mut Wool) {}
    ///
    /// #[system(after = (reap, shear))]
    /// fn sell(wheat: &Wheat, wool: &Wool) {}
    ///
    /// let market = Schedule::builder().add::<reap>().add::<shear>().add::<sell>().build()?;
    /// let advice = market.advise_with(2, |system| match system {
    ///     "reap" => Duration::from_micros(30),
    ///     _ => Duration::from_micros(20),
    /// });
    /// assert_eq!(advice.span, Duration::from_micros(70));
    /// let best = &advice.changes[0];
    /// assert!(matches!(&best.without, Without::DeclaredOrder { then, .. } if then == "shear"));
    /// assert_eq!(advice.saved(best), Duration::from_micros(20));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advise_with(
        &self,
        machine: impl Into<Machine>,
        mut cost_of: impl FnMut(&str) -> Duration,
    ) -> Advice {
        let costs_ns = self.costs_ns(&mut cost_of);
        self.advice(machine.into(), costs_ns).0
    }

    /// `costs_ns[rank]`: what a node takes. Returns the ranks of the critical path, too.
    fn advice(&self, machine: Machine, costs_ns: Vec<u64>) -> (Advice, Vec<u32>) {
        let mut trial = Trial::new(self, machine, &costs_ns);
        let paths = Paths::new(&self.plan, &costs_ns);
        let mut candidates = Candidate::all(&trial.numbers, &self.plan, &paths);
        let most = LEAST_LOOKED_AT.max(MOST_NODES / costs_ns.len().max(1));
        let n_left_out = candidates.len().saturating_sub(most);
        candidates.truncate(most);

        let as_it_is = Rehearsal::of_plan(&self.plan, &costs_ns, &self.bound());
        let ranks = paths.critical();
        let path = ranks.iter().map(|&rank| PathSystem {
            system: trial.name(self.plan.order[rank as usize]),
            cost: Duration::from_nanos(costs_ns[rank as usize]),
            runs_per_1000: once_per_run(),
        });
        let mut advice = Advice {
            schedule: self.name().to_string(),
            n_workers: machine.n_workers,
            work: Duration::from_nanos(costs_ns.iter().sum()),
            span: as_it_is.span(),
            critical_path: path.collect(),
            makespans: trial.makespans(&as_it_is),
            changes: Vec::new(),
            n_left_out,
        };
        let changes = candidates.iter().filter_map(|one| trial.without(one.what));
        let mut changes: Vec<Change> = changes.collect();
        let most_workers = N_WORKERS[N_WORKERS.len() - 1];
        changes.sort_by_key(|change| {
            let saved = advice.saved(change);
            let size = match change.without {
                Without::DeclaredOrder { .. } => 0,
                Without::Conflict { .. } => 1,
                Without::Resource { .. } => 2,
            };
            let saved_on_most = advice.saved_on(change, most_workers);
            (Reverse((saved, saved_on_most)), size)
        });
        advice.changes = changes;
        (advice, ranks)
    }
}

/// What was declared, to be tried without one thing at a time.
struct Trial {
    builder: Builder,
    conditions: Conditions,
    numbers: Numbers,
    /// `named[v]`: what node v is called; len = n_nodes, as of all that follow but the machines.
    named: Vec<String>,
    /// By workers, ascending.
    machines: Vec<Machine>,
    /// `costs_ns[v]`: what node v takes.
    costs_ns: Vec<u64>,
    /// `is_bound[v]`: whether only the caller may run node v.
    is_bound: Vec<bool>,
    /// `ranks[v]`: that of node v in the schedule as it is.
    ranks: Vec<u32>,
}

impl Trial {
    /// `costs_ns[rank]`: what a node takes.
    fn new(schedule: &Schedule, machine: Machine, costs_ns: &[u64]) -> Self {
        let mut builder = schedule.declared.again(schedule.extent);
        let conditions = find_conditions(&mut builder, &mut Vec::new());
        let numbers = Numbers::of(&builder, &conditions);
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
        Self {
            named: numbers.names(&builder, &conditions),
            machines,
            costs_ns: by_node(&schedule.plan, costs_ns),
            is_bound: by_node(&schedule.plan, &schedule.bound()),
            ranks: schedule.plan.ranks(),
            builder,
            conditions,
            numbers,
        }
    }

    /// What a run would take without this. `None` if nothing can be built without it: it has to be there then.
    fn without(&mut self, what: What) -> Option<Change> {
        let ranks = &self.ranks;
        let mut without_order =
            |idx| Numbers::without_order(&mut self.builder, &self.conditions, idx);
        let left = match what {
            What::Order(idx) => without_order(idx).verify(ranks),
            What::Conflict(a, b, order) => {
                let left = order.map(without_order);
                let numbers = left.as_ref().unwrap_or(&self.numbers);
                numbers.verify_without_conflict(a, b, ranks)
            }
            What::Resource { resource, .. } => {
                self.numbers.verify_without_resource(resource, ranks)
            }
        }?;
        let rehearsal = self.rehearsal(&left.plan);
        let instead = left.instead.into_iter();
        let instead = instead.map(|(a, b)| (self.name(a), self.name(b)));
        Some(Change {
            without: self.told(what),
            instead: instead.collect(),
            span: rehearsal.span(),
            makespans: self.makespans(&rehearsal),
        })
    }

    fn name(&self, node: u32) -> String {
        self.named[node as usize].clone()
    }

    fn told(&self, what: What) -> Without {
        match what {
            What::Order(idx) => {
                let order = &self.builder.orders[idx];
                let groups = self.numbers.graph.located_groups();
                let index = Index::new(&self.builder, &groups);
                let [first, then] = [&order.first, &order.then].map(|target| {
                    let found = index.find(target, order.location);
                    let found = found.expect("it has an edge");
                    self.name(self.numbers.graph.ends(found).0)
                });
                Without::DeclaredOrder {
                    first,
                    then,
                    place: order.location.into(),
                }
            }
            What::Conflict(a, b, order) => {
                let conflicts = self.numbers.conflicts(a, b).into_iter();
                let on = conflicts.map(|conflict| SharedBy {
                    resource: self.numbers.resource(conflict.resource),
                    first_writes: conflict.first_writes,
                    then_writes: conflict.second_writes,
                });
                Without::Conflict {
                    first: self.name(a),
                    then: self.name(b),
                    on: on.collect(),
                    place: order.map(|idx| self.builder.orders[idx].location.into()),
                }
            }
            What::Resource { resource, n_pairs } => Without::Resource {
                resource: self.numbers.resource(resource),
                n_pairs,
            },
        }
    }

    fn rehearsal(&self, plan: &Plan) -> Rehearsal {
        let nodes = || plan.order.iter().map(|&node| node as usize);
        let costs_ns: Vec<u64> = nodes().map(|node| self.costs_ns[node]).collect();
        let is_bound: Vec<bool> = nodes().map(|node| self.is_bound[node]).collect();
        Rehearsal::of_plan(plan, &costs_ns, &is_bound)
    }

    fn makespans(&self, rehearsal: &Rehearsal) -> Vec<Makespan> {
        let makespan = |&machine: &Machine| Makespan {
            n_workers: machine.n_workers,
            makespan: rehearsal.makespan(machine),
        };
        self.machines.iter().map(makespan).collect()
    }
}

/// By number of node what is given by rank.
fn by_node<T: Copy + Default>(plan: &Plan, by_rank: &[T]) -> Vec<T> {
    let mut by_node = vec![T::default(); by_rank.len()];
    for (&node, &one) in plan.order.iter().zip(by_rank) {
        by_node[node as usize] = one;
    }
    by_node
}
