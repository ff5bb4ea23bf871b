//! What a built schedule would be without one of the things that were declared, and how long its runs would take then.
//!
//! Nothing is guessed: of each thing that could go, what is left is numbered and verified as a build would, and what comes
//! of that is simulated.

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::HashMap;

use super::Builder;
use super::fitting::Fitting;
use super::guarded::NeedsOf;
use super::guards::{Conditions, find_conditions};
use super::index::{Found, Index};
use super::nodes::Graph;
use super::outline::Outlined;
use super::policies::Policies;
use super::resources::Resources;
use crate::advice::{Advice, Change, Makespan, PathSystem, SharedBy, Without};
use crate::choices::Occurrence;
use crate::conflict::{Conflict, Use, Uses};
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::machine::Machine;
use crate::order::Strength;
use crate::plan::Plan;
use crate::policy::{Parts, Policy, Rules};
use crate::precedence::reduce;
use crate::problem::StepOrigin;
use crate::schedule::Schedule;
use crate::simulation::Rehearsal;
use crate::verify::{self, Origin, Question};

/// On so many workers runs are simulated, besides those that were asked for.
const N_WORKERS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// So many things are looked at for each schedule, however large it is.
const LEAST_LOOKED_AT: usize = 32;

/// And as many as make this many nodes together.
const MOST_NODES: usize = 200_000;

impl Schedule {
    /// What holds a run up: the critical path, and of each order that was declared, each pair that only a policy has put in
    /// order, and each resource, what a run would gain without it. Costs are those that runs have shown; `None` if none has,
    /// or none was run by [`Executor::Auto`](crate::Executor::Auto).
    ///
    /// `machine` may be a number of workers. See [`advise_with`](Self::advise_with).
    pub fn advise(&self, machine: impl Into<Machine>) -> Option<Advice> {
        let costs = self.execution.costs();
        if costs.len() == 0 {
            return None;
        }
        let costs_ns = (0..).zip(costs).map(|(rank, ns)| {
            // What is off takes nothing, whatever it would take.
            let is_enabled = self.nodes.outcomes.is_enabled(rank);
            if is_enabled { u64::from(ns) } else { 0 }
        });
        Some(self.advice(machine.into(), costs_ns.collect()))
    }

    /// The same, if systems took so long: `cost_of` is asked as [`simulate`](Self::simulate) does.
    ///
    /// Runs are simulated, on so many workers and on 2, 4, 8, 16, 32 and 64. Of what could go, one thing goes at a time, and
    /// the rest is verified anew:
    ///
    /// - An order that was declared. What is left may race: where a policy orders that, it does; under
    ///   [`Policy::Reject`] the pairs are put in the order in which they run now, and [`Change::instead`] names these orders.
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
        self.advice(machine.into(), costs_ns)
    }

    /// `costs_ns[rank]`: what a node takes.
    fn advice(&self, machine: Machine, costs_ns: Vec<u64>) -> Advice {
        let mut builder = self.declared.again(self.extent);
        let conditions = find_conditions(&mut builder, &mut Vec::new());
        let mut machines: Vec<Machine> = N_WORKERS
            .into_iter()
            .chain([machine.n_workers])
            .map(|n_workers| Machine {
                n_workers,
                ..machine
            })
            .collect();
        machines.sort_by_key(|machine| machine.n_workers);
        machines.dedup();
        let trial = Trial {
            machines,
            costs_ns: by_node(&self.plan, &costs_ns),
            is_bound: by_node(&self.plan, &self.bound()),
            ranks: self.plan.ranks(),
        };
        let numbers = Numbers::of(&builder, &conditions);
        let named = numbers.names(&builder, &conditions);
        let mut candidates = numbers.candidates(&builder, &self.plan, &costs_ns);
        candidates.sort_by_key(|one| Reverse(one.through_ns));
        let most = LEAST_LOOKED_AT.max(MOST_NODES / costs_ns.len().max(1));
        let n_left_out = candidates.len().saturating_sub(most);
        candidates.truncate(most);

        let as_it_is = Rehearsal::of_plan(&self.plan, &costs_ns, &self.bound());
        let path = critical_path(&self.plan, &costs_ns).into_iter();
        let path = path.map(|rank| PathSystem {
            system: named[self.plan.order[rank as usize] as usize].clone(),
            cost: Duration::from_nanos(costs_ns[rank as usize]),
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
        for candidate in candidates {
            let without = numbers.told(&builder, &named, &candidate.what);
            let tried = match candidate.what {
                What::Order(idx) => {
                    let left = Numbers::without_order(&mut builder, &conditions, idx);
                    left.verify(left.resources.uses(), &[], &trial.ranks)
                }
                What::Conflict(a, b, order) => {
                    let left =
                        order.map(|idx| Numbers::without_order(&mut builder, &conditions, idx));
                    let numbers = left.as_ref().unwrap_or(&numbers);
                    let (starts, uses, copied) = numbers.without_conflict(a, b);
                    numbers.verify(Uses::new(&starts, &uses), &copied, &trial.ranks)
                }
                What::Resource { resource, .. } => {
                    let (starts, uses) = numbers.without_resource(resource);
                    numbers.verify(Uses::new(&starts, &uses), &[], &trial.ranks)
                }
            };
            // What cannot be built without it has to be there.
            let Some((plan, instead)) = tried else {
                continue;
            };
            let rehearsal = trial.rehearsal(&plan);
            let name = |node: u32| named[node as usize].clone();
            let instead = instead.into_iter().map(|(a, b)| (name(a), name(b)));
            advice.changes.push(Change {
                without,
                instead: instead.collect(),
                span: rehearsal.span(),
                makespans: trial.makespans(&rehearsal),
            });
        }
        let mut changes = core::mem::take(&mut advice.changes);
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
        advice
    }
}

/// Something that could go.
struct Candidate {
    what: What,
    /// What the longest path through it takes.
    through_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    /// By index of what was declared.
    Order(usize),
    /// Of these nodes, the first of which runs first, with this order of them.
    Conflict(u32, u32, Option<usize>),
    Resource {
        resource: u32,
        n_pairs: usize,
    },
}

/// On what plans are tried.
struct Trial {
    /// By workers, ascending.
    machines: Vec<Machine>,
    /// `costs_ns[v]`: what node v takes; len = n_nodes.
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
    /// `ranks[v]`: that of node v in the schedule as it is.
    ranks: Vec<u32>,
}

impl Trial {
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

/// What a build makes of declarations before it verifies them.
struct Numbers {
    graph: Graph,
    resources: Resources,
    policies: Policies,
    needs: NeedsOf,
    fitting: Fitting,
}

impl Numbers {
    fn of(builder: &Builder, conditions: &Conditions) -> Self {
        let mut problems = Vec::new();
        let graph = Graph::new(builder, conditions, &mut problems);
        let resources = Resources::number(builder, &graph);
        let policies = Policies::number(builder, &graph, &resources, &mut problems);
        debug_assert!(problems.is_empty(), "it was built of the same declarations");
        Self {
            needs: graph.needs(builder, conditions),
            fitting: Fitting::number(builder, &graph),
            graph,
            resources,
            policies,
        }
    }

    /// The same without this one of the orders.
    fn without_order(builder: &mut Builder, conditions: &Conditions, idx: usize) -> Self {
        let order = builder.orders.remove(idx);
        let left = Self::of(builder, conditions);
        builder.orders.insert(idx, order);
        left
    }

    /// The plan of all this with other uses, and the orders that it needs besides. `copied[i]`: of which resource that one
    /// is a copy whose number is i more than all that there are; it has the same policies. `ranks[v]`: that of node v in the
    /// schedule as it is. `None` if it cannot be built, whatever is in order.
    fn verify(
        &self,
        uses: Uses<'_>,
        copied: &[u32],
        ranks: &[u32],
    ) -> Option<(Plan, Vec<(u32, u32)>)> {
        let rules = self.policies.rules();
        let copies = |of: &[Option<Policy>]| -> Vec<Option<Policy>> {
            let copies = copied.iter().map(|&resource| of[resource as usize]);
            of.iter().copied().chain(copies).collect()
        };
        let of_parts = rules.parts.resources.chunks(rules.resources.len().max(1));
        let of_parts: Vec<Option<Policy>> = of_parts.flat_map(copies).collect();
        let of_schedule = copies(rules.resources);
        let mut question = Question {
            uses,
            n_resources: self.resources.n_resources() + copied.len(),
            declared: &self.graph.edges,
            weak: &self.graph.weak,
            rules: Rules {
                resources: &of_schedule,
                parts: Parts {
                    resources: &of_parts,
                    ..rules.parts
                },
                ..rules
            },
            levels: self.graph.levels(),
            needs: self.needs.as_needs(),
            costs: &self.fitting.costs_ns,
            pinned: &self.fitting.pinned,
            before: None,
        };
        let refusal = match verify::verify(&question) {
            Ok(verdict) => return Some((self.plan(verdict), Vec::new())),
            Err(refusal) => refusal,
        };
        // What races under `reject` goes on as it is: in that order nothing is contradicted.
        let as_now = |&(a, b): &(u32, u32)| match ranks[a as usize] < ranks[b as usize] {
            true => (a, b),
            false => (b, a),
        };
        let races: Vec<(u32, u32)> = refusal.races.iter().map(as_now).collect();
        let levels = self.graph.levels();
        let lifted = races
            .iter()
            .map(|&(from, to)| levels.lift(Edge { from, to }));
        let declared: Vec<Edge> = self.graph.edges.iter().copied().chain(lifted).collect();
        question.declared = &declared;
        let plan = self.plan(verify::verify(&question).ok()?);
        let (edges, origins): (Vec<Edge>, Vec<Origin>) = plan.edges().unzip();
        let kept = reduce(plan.order.len(), &edges).into_iter().zip(origins);
        let n_declared = self.graph.edges.len();
        let needed = kept.filter_map(|(is_kept, origin)| match origin {
            Origin::Declared(edge) if is_kept => {
                races.get((edge as usize).checked_sub(n_declared)?).copied()
            }
            _ => None,
        });
        let needed = needed.collect();
        Some((plan, needed))
    }

    /// A simulation asks for no guards: what a system takes is what it takes with them.
    fn plan(&self, verdict: verify::Verdict) -> Plan {
        Plan::new(verdict, self.graph.levels(), |_| None)
    }

    /// What could go: each thing that the transitive reduction has an edge of.
    fn candidates(&self, builder: &Builder, plan: &Plan, costs_ns: &[u64]) -> Vec<Candidate> {
        let (edges, origins): (Vec<Edge>, Vec<Origin>) = plan.edges().unzip();
        let kept = reduce(costs_ns.len(), &edges);
        let kept = edges.iter().zip(origins).zip(kept);
        let kept = kept.filter_map(|(one, is_kept)| is_kept.then_some(one));
        let through = Through::new(&edges, costs_ns);
        let declared = DeclaredBy::new(builder, &self.graph);
        let uses = self.resources.uses();
        let mut longest: HashMap<What, u64> = HashMap::new();
        let mut of_resources: HashMap<u32, (usize, u64)> = HashMap::new();
        for (edge, origin) in kept {
            let through_ns = through.edge(*edge);
            let [a, b] = [edge.from, edge.to].map(|rank| plan.order[rank as usize]);
            let mut resource = None;
            let conflict = |order| self.can_part(a, b).then_some(What::Conflict(a, b, order));
            let [order, conflict] = match origin {
                Origin::Declared(edge) => {
                    let order = declared.strong.get(&edge).copied();
                    let both = order.filter(|_| self.are_nodes(a, b));
                    [
                        order.map(What::Order),
                        both.and_then(|order| conflict(Some(order))),
                    ]
                }
                Origin::Weak(edge) => {
                    resource = uses.shared(a, b).next().map(|conflict| conflict.resource);
                    let order = declared.weak.get(edge as usize).copied();
                    [order.map(What::Order), conflict(None)]
                }
                // Whatever they touch, they do not run both.
                _ if self.needs.as_needs().are_exclusive(a, b) => [None, None],
                Origin::WritersFirst(of) | Origin::AsAdded(of) | Origin::AsFits(of) => {
                    resource = Some(of);
                    [None, conflict(None)]
                }
            };
            for what in [order, conflict].into_iter().flatten() {
                let known = longest.entry(what).or_default();
                *known = through_ns.max(*known);
            }
            if let Some(resource) = resource.filter(|&one| self.is_named(one)) {
                let (n_pairs, known) = of_resources.entry(resource).or_default();
                *n_pairs += 1;
                *known = through_ns.max(*known);
            }
        }
        let of_resources = of_resources.into_iter();
        longest.extend(of_resources.map(|(resource, (n_pairs, through_ns))| {
            (What::Resource { resource, n_pairs }, through_ns)
        }));
        let mut all: Vec<(What, u64)> = longest.into_iter().collect();
        all.sort_unstable_by_key(|(what, _)| match *what {
            What::Order(order) => (0, order as u32, 0),
            What::Conflict(a, b, _) => (1, a, b),
            What::Resource { resource, .. } => (2, resource, 0),
        });
        let candidate = |(what, through_ns)| Candidate { what, through_ns };
        all.into_iter().map(candidate).collect()
    }

    /// Whether neither is a loop, so that an edge of the two is not one of what is in that.
    fn are_nodes(&self, a: u32, b: u32) -> bool {
        let levels = self.graph.levels();
        levels.own(a) == NO_LOOP && levels.own(b) == NO_LOOP
    }

    fn is_named(&self, resource: u32) -> bool {
        (resource as usize) < self.resources.ids.len()
    }

    /// On what two nodes conflict.
    fn conflicts(&self, a: u32, b: u32) -> Vec<Conflict> {
        let mut shared = self.resources.uses().shared(a, b);
        core::iter::from_fn(|| shared.next()).collect()
    }

    /// Whether these two could touch other things: they conflict themselves, and neither touches everything.
    fn can_part(&self, a: u32, b: u32) -> bool {
        let uses = self.resources.uses();
        let n_named = self.resources.ids.len() as u32;
        let touches_all = |node: u32| {
            let mut unnamed = uses.of(node).iter().filter(|one| one.resource >= n_named);
            // Who runs alone writes what stands for that, and all others read it.
            unnamed.any(|one| one.is_write || one.resource == n_named)
        };
        !self.conflicts(a, b).is_empty() && !touches_all(a) && !touches_all(b)
    }

    /// By number of node, as [`Choices`](crate::Choices) call it.
    fn names(&self, builder: &Builder, conditions: &Conditions) -> Vec<String> {
        let outlined = Outlined {
            builder,
            conditions,
            graph: &self.graph,
            resources: &self.resources,
        };
        let name = |(node, nth): (u32, usize)| {
            let name = self.graph.place(builder, node).name;
            let nth = nth.max(1);
            Occurrence { name, nth }.to_string()
        };
        (0..).zip(outlined.nth()).map(name).collect()
    }

    /// `named[v]`: what node v is called.
    fn told(&self, builder: &Builder, named: &[String], what: &What) -> Without {
        let name = |node: u32| named[node as usize].clone();
        let resource = |number: u32| self.resources.ids[number as usize].to_string();
        match *what {
            What::Order(idx) => {
                let order = &builder.orders[idx];
                let groups = self.graph.located_groups();
                let index = Index::new(builder, &groups);
                let [first, then] = [&order.first, &order.then].map(|target| {
                    let found = index.find(target, order.location);
                    let found = found.expect("it has an edge");
                    name(self.graph.ends(found).0)
                });
                Without::DeclaredOrder {
                    first,
                    then,
                    place: order.location.into(),
                }
            }
            What::Conflict(a, b, order) => Without::Conflict {
                place: order.map(|idx| builder.orders[idx].location.into()),
                first: name(a),
                then: name(b),
                on: self
                    .conflicts(a, b)
                    .into_iter()
                    .map(|conflict| SharedBy {
                        resource: resource(conflict.resource),
                        first_writes: conflict.first_writes,
                        then_writes: conflict.second_writes,
                    })
                    .collect(),
            },
            What::Resource {
                resource: number,
                n_pairs,
            } => Without::Resource {
                resource: resource(number),
                n_pairs,
            },
        }
    }

    /// What nodes touch, if two of them did not conflict: of each resource on which they do there is a copy. The first one
    /// touches the copy only, the second one does not, and all others touch both; so any other pair shares one of them. Also,
    /// of which resources there are copies.
    fn without_conflict(&self, a: u32, b: u32) -> (Vec<u32>, Vec<Use>, Vec<u32>) {
        let copied: Vec<u32> = self
            .conflicts(a, b)
            .iter()
            .map(|conflict| conflict.resource)
            .collect();
        let n_resources = self.resources.n_resources() as u32;
        let (starts, uses) = self.rewritten(|node, all| {
            let of_copy = (n_resources..).zip(&copied).filter_map(|(copy, resource)| {
                let used = all.iter().find(|one| one.resource == *resource)?;
                (node != b).then_some(Use {
                    resource: copy,
                    ..*used
                })
            });
            let is_kept = |one: &&Use| node != a || !copied.contains(&one.resource);
            let kept = all.iter().filter(is_kept).copied();
            kept.chain(of_copy).collect()
        });
        (starts, uses, copied)
    }

    /// What nodes touch besides this.
    fn without_resource(&self, resource: u32) -> (Vec<u32>, Vec<Use>) {
        self.rewritten(|_, all| {
            let others = all.iter().filter(|one| one.resource != resource);
            others.copied().collect()
        })
    }

    /// As [`Uses`] has them.
    fn rewritten(&self, of_node: impl Fn(u32, &[Use]) -> Vec<Use>) -> (Vec<u32>, Vec<Use>) {
        let uses = self.resources.uses();
        let mut starts = vec![0];
        let mut all = Vec::with_capacity(uses.n_uses());
        for node in 0..uses.n_nodes() as u32 {
            all.extend(of_node(node, uses.of(node)));
            starts.push(all.len() as u32);
        }
        (starts, all)
    }
}

/// Which order has brought an edge, by index of what was declared.
struct DeclaredBy {
    strong: HashMap<u32, usize>,
    weak: Vec<usize>,
}

impl DeclaredBy {
    /// Orders make edges one after the other, as they were declared: a weak one for each pair of nodes, any other makes one.
    fn new(builder: &Builder, graph: &Graph) -> Self {
        let groups = graph.located_groups();
        let index = Index::new(builder, &groups);
        let edges = (0..).zip(&graph.origins);
        let mut edges = edges.filter(|(_, origin)| matches!(origin, StepOrigin::Declared(_)));
        let mut by = Self {
            strong: HashMap::new(),
            weak: Vec::new(),
        };
        for (idx, order) in builder.orders.iter().enumerate() {
            let found = [&order.first, &order.then].map(|one| index.find(one, order.location));
            let [Ok(first), Ok(then)] = found else {
                continue;
            };
            if order.strength == Strength::IfConflicting {
                let n_nodes = |found: Found| graph.members.nodes(found).len();
                let n_edges = n_nodes(first) * n_nodes(then);
                by.weak.extend(core::iter::repeat_n(idx, n_edges));
            } else if let Some((edge, _)) = edges.next() {
                by.strong.insert(edge, idx);
            }
        }
        debug_assert_eq!(by.weak.len(), graph.weak.len());
        debug_assert!(edges.next().is_none());
        by
    }
}

/// How long the longest paths are, by rank.
struct Through {
    /// `until[rank]`: what the longest path takes that ends with it.
    until: Vec<u64>,
    /// `from[rank]`: what the longest path takes that begins with it.
    from: Vec<u64>,
}

impl Through {
    /// Of a ranked graph: all edges have `from < to`. O(nodes + edges × log(edges)).
    fn new(edges: &[Edge], costs_ns: &[u64]) -> Self {
        let (mut until, mut from) = (costs_ns.to_vec(), costs_ns.to_vec());
        let mut sorted = edges.to_vec();
        sorted.sort_unstable_by_key(|edge| edge.from);
        for edge in &sorted {
            let (before, after) = (edge.from as usize, edge.to as usize);
            until[after] = until[after].max(until[before] + costs_ns[after]);
        }
        sorted.sort_unstable_by_key(|edge| Reverse(edge.to));
        for edge in &sorted {
            let (before, after) = (edge.from as usize, edge.to as usize);
            from[before] = from[before].max(from[after] + costs_ns[before]);
        }
        Self { until, from }
    }

    fn edge(&self, edge: Edge) -> u64 {
        self.until[edge.from as usize] + self.from[edge.to as usize]
    }
}

/// The ranks of the nodes of the path that takes longest, without those that take nothing.
fn critical_path(plan: &Plan, costs_ns: &[u64]) -> Vec<u32> {
    let edges: Vec<Edge> = plan.edges().map(|(edge, _)| edge).collect();
    let through = Through::new(&edges, costs_ns);
    let mut path = Vec::new();
    let span = through.from.iter().copied().max().unwrap_or(0);
    let ranks = || 0..costs_ns.len() as u32;
    let mut at = ranks().find(|&rank| through.from[rank as usize] == span);
    while let Some(rank) = at {
        let rest = through.from[rank as usize] - costs_ns[rank as usize];
        if costs_ns[rank as usize] > 0 {
            path.push(rank);
        }
        let behind = edges.iter().filter(|edge| edge.from == rank);
        let mut behind = behind.filter(|edge| through.from[edge.to as usize] == rest);
        at = behind.next().map(|edge| edge.to);
    }
    path
}

/// By number of node what is given by rank.
fn by_node<T: Copy + Default>(plan: &Plan, by_rank: &[T]) -> Vec<T> {
    let mut by_node = vec![T::default(); by_rank.len()];
    for (&node, &one) in plan.order.iter().zip(by_rank) {
        by_node[node as usize] = one;
    }
    by_node
}
