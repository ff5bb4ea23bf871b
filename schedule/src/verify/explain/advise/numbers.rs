//! The declarations of a schedule as numbers, and the plan that a build makes from them without one of them.

use crate::declare::choices::Occurrence;
use crate::verify::compile::{
    All, CommandPairs, Conditions, Graph, NumberedResources, NumberedSweeps, OptimizeInput,
    Policies, failure_policies, passed_marks,
};
use crate::verify::explain::graph_data::GraphSource;
use crate::verify::plan::Plan;
use crate::verify::sweeps::SweepPlan;
use schedule_graph::Edge;
use schedule_graph::Policy;
use schedule_graph::internal::NO_LOOP;
use schedule_graph::internal::reduce;
use schedule_graph::internal::{Conflict, Filters, Use, Uses};
use schedule_graph::internal::{Origin, Verdict, VerifyInput, verify, verify_listing};
use schedule_graph::internal::{Plugins, Rules};

/// The numbers that a build makes from declarations before it verifies them.
pub(super) struct Numbers {
    pub(super) graph: Graph,
    resources: NumberedResources,
    policies: Policies,
    optimize: OptimizeInput,
    /// The pairs that need a sync point.
    commands: Vec<Edge>,
    is_idle: Vec<bool>,
}

/// The schedule without one candidate.
pub(super) struct Remaining {
    pub(super) plan: Plan,
    /// Additional orders that the schedule then needs, as node numbers.
    pub(super) instead: Vec<(u32, u32)>,
}

impl Numbers {
    pub(super) fn of(all: All<'_>, conditions: &Conditions) -> Self {
        let mut problems = Vec::new();
        let graph = Graph::new(all, conditions, &mut problems);
        let resources = NumberedResources::number(all, &graph);
        let policies = Policies::number(all, &graph, &resources, &mut problems);
        debug_assert!(problems.is_empty(), "it was built of the same declarations");
        Self {
            optimize: OptimizeInput::number(all, &graph),
            commands: CommandPairs::find(all, &graph, conditions).edges(),
            is_idle: graph.is_idle(all),
            graph,
            resources,
            policies,
        }
    }

    /// Verifies the schedule, with orders for races if necessary. `ranks[v]`: the rank of node v in the current schedule. Returns `None` if
    /// the schedule cannot be built even with these orders.
    pub(super) fn verify(&self, ranks: &[u32]) -> Option<Remaining> {
        self.verify_with(self.resources.uses(), &[], ranks)
    }

    /// Like [`verify`](Self::verify), as if these two nodes did not conflict. Each resource of the conflict gets a copy. Node `a` accesses
    /// only the copy, node `b` only the original, and all other nodes access both. So every other pair still shares one of them.
    pub(super) fn verify_without_conflict(
        &self,
        a: u32,
        b: u32,
        ranks: &[u32],
    ) -> Option<Remaining> {
        let conflicts = self.conflicts(a, b).into_iter();
        let copied: Vec<u32> = conflicts.map(|conflict| conflict.resource).collect();
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
        self.verify_with(Uses::new(&starts, &uses), &copied, ranks)
    }

    /// Like [`verify`](Self::verify), as if no node accessed this resource.
    pub(super) fn verify_without_resource(
        &self,
        resource: u32,
        ranks: &[u32],
    ) -> Option<Remaining> {
        let (starts, uses) = self.rewritten(|_, all| {
            let others = all.iter().filter(|one| one.resource != resource);
            others.copied().collect()
        });
        self.verify_with(Uses::new(&starts, &uses), &[], ranks)
    }

    /// Returns whether neither node is the begin or the end of a loop. An edge at a loop may come from a node in its body.
    pub(super) fn are_nodes(&self, a: u32, b: u32) -> bool {
        let levels = self.graph.levels();
        levels.own(a) == NO_LOOP && levels.own(b) == NO_LOOP
    }

    /// Returns whether these two nodes never both run, because of their run conditions.
    pub(super) fn never_both_run(&self, a: u32, b: u32) -> bool {
        self.graph.needs().never_both_run(a, b)
    }

    /// Returns whether a number is a named resource. The two other numbers represent unnamed resources and exclusive systems.
    pub(super) fn is_named(&self, resource: u32) -> bool {
        (resource as usize) < self.resources.ids.len()
    }

    /// Returns the conflicts of two nodes.
    pub(super) fn conflicts(&self, a: u32, b: u32) -> Vec<Conflict> {
        let mut shared = self.resources.uses().shared(a, b);
        core::iter::from_fn(|| shared.next()).collect()
    }

    /// Returns whether two nodes could access different resources: they conflict directly, and neither accesses everything.
    pub(super) fn can_separate(&self, a: u32, b: u32) -> bool {
        let uses = self.resources.uses();
        let n_named = self.resources.ids.len() as u32;
        let touches_all = |node: u32| {
            let mut unnamed = uses.of(node).iter().filter(|one| one.resource >= n_named);
            // An exclusive system writes the number for exclusive systems. All other systems read it.
            unnamed.any(|one| one.kind.is_write() || one.resource == n_named)
        };
        !self.conflicts(a, b).is_empty() && !touches_all(a) && !touches_all(b)
    }

    /// Returns the names of nodes by number, as [`Choices`](crate::report::Choices) uses them.
    pub(super) fn names(&self, all: All<'_>, conditions: &Conditions) -> Vec<String> {
        let source = GraphSource {
            all,
            conditions,
            graph: &self.graph,
            resources: &self.resources,
        };
        let name = |(node, nth): (u32, usize)| {
            let name = self.graph.place(all, node).name;
            let nth = nth.max(1);
            Occurrence { name, nth }.to_string()
        };
        (0..).zip(source.nth()).map(name).collect()
    }

    /// Returns the name of a resource.
    pub(super) fn resource(&self, number: u32) -> String {
        self.resources.ids[number as usize].to_string()
    }

    /// Like [`verify`](Self::verify), with other uses. `copied[i]`: the resource of which the i-th additional number is a copy. A copy has
    /// the same policies as its original.
    fn verify_with(&self, uses: Uses<'_>, copied: &[u32], ranks: &[u32]) -> Option<Remaining> {
        let n_resources = self.resources.n_resources() + copied.len();
        let filtered = Filters::list(uses.all());
        let filters = self
            .resources
            .uses()
            .filters()
            .of_uses(n_resources, &filtered);
        let rules = self.policies.rules();
        let copies = |of: &[Option<Policy>]| -> Vec<Option<Policy>> {
            let copies = copied.iter().map(|&resource| of[resource as usize]);
            of.iter().copied().chain(copies).collect()
        };
        let of_plugins = rules.plugins.resources.chunks(rules.resources.len().max(1));
        let of_plugins: Vec<Option<Policy>> = of_plugins.flat_map(copies).collect();
        let of_schedule = copies(rules.resources);
        let is_weak_order = self.graph.is_weak_order();
        let is_messages = match self.resources.is_messages() {
            [] => Vec::new(),
            of => {
                let copies = copied.iter().map(|&resource| of[resource as usize]);
                of.iter().copied().chain(copies).collect()
            }
        };
        let mut input = VerifyInput {
            uses: uses.with_filters(filters),
            n_planned: self.graph.kinds.len(),
            n_resources,
            declared: &self.graph.edges,
            weak: &self.graph.weak,
            is_weak_order: &is_weak_order,
            is_messages: &is_messages,
            rules: Rules {
                resources: &of_schedule,
                plugins: Plugins {
                    resources: &of_plugins,
                    ..rules.plugins
                },
                ..rules
            },
            levels: self.graph.levels(),
            needs: self.graph.needs(),
            roles: &[],
            costs: &self.optimize.costs_ns,
            pinned: &self.optimize.pinned,
            commands: &self.commands,
            is_idle: &self.is_idle,
            previous: None,
        };
        let violations = match verify_listing(&input, usize::MAX) {
            Ok(verdict) => {
                return Some(Remaining {
                    plan: self.plan(verdict),
                    instead: Vec::new(),
                });
            }
            Err(violations) => violations,
        };
        // Pairs that race under `reject` keep their current order, which cannot contradict other orders.
        let as_now = |&(a, b): &(u32, u32)| {
            if ranks[a as usize] < ranks[b as usize] {
                (a, b)
            } else {
                (b, a)
            }
        };
        let races: Vec<(u32, u32)> = violations.races.listed.iter().map(as_now).collect();
        let levels = self.graph.levels();
        let lifted = races
            .iter()
            .map(|&(from, to)| levels.lift(Edge { from, to }));
        let declared: Vec<Edge> = self.graph.edges.iter().copied().chain(lifted).collect();
        input.declared = &declared;
        let plan = self.plan(verify(&input).ok()?);
        let instead = self.needed(&plan, &races);
        Some(Remaining { plan, instead })
    }

    /// Returns the orders that no other orders imply. The edges of `orders` follow those of the graph.
    fn needed(&self, plan: &Plan, orders: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let (edges, origins): (Vec<Edge>, Vec<Origin>) = plan.edges().unzip();
        let kept = reduce(plan.order.len(), &edges).into_iter().zip(origins);
        let needed = kept.filter_map(|(is_kept, origin)| match origin {
            Origin::Declared(edge) if is_kept => {
                let idx = (edge as usize).checked_sub(self.graph.edges.len())?;
                orders.get(idx).copied()
            }
            _ => None,
        });
        needed.collect()
    }

    /// Makes a plan without run conditions. The costs of systems already include the effect of run conditions.
    fn plan(&self, verdict: Verdict) -> Plan {
        Plan::new(verdict, self.graph.levels(), |_| None)
    }

    /// Decides which systems of a plan share sweeps, as a build does. `costs_ns[v]`: the cost of node v in nanoseconds.
    pub(super) fn sweeps(&self, all: All<'_>, plan: &Plan, costs_ns: &[u64]) -> SweepPlan {
        let mut problems = Vec::new();
        let on_failure = failure_policies(all, &self.graph, &mut problems);
        debug_assert!(problems.is_empty(), "it was built of the same declarations");
        let (graph, resources) = (&self.graph, &self.resources);
        let marks = passed_marks(all, graph);
        let numbered =
            NumberedSweeps::number(all, graph, resources, plan, &on_failure, &marks, costs_ns);
        numbered.decide(resources, plan)
    }

    /// Returns new uses for each node, in the form of [`Uses`].
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
