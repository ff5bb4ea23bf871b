//! Converts numbers back to names, for problems and explanations.

use core::any::TypeId;
use std::collections::HashMap;

use super::All;
use super::nodes::Graph;
use super::resources::NumberedResources;
use crate::base::place::NodeId;
use crate::data::access::{AccessKind, Storage};
use crate::declare::declarations::DeclaredWork;
use crate::declare::problem::{
    BuildError, Cycle, KnownBy, MissingOrder, Problem, Race, RaceCounts, RaceOn, Remedy, Step,
    StepOrigin, Subject,
};
use schedule_graph::Edge;
use schedule_graph::internal::{self, Origin, Violations};

/// Converts numbers back to names.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) all: All<'a>,
    pub(crate) graph: &'a Graph,
    pub(crate) resources: &'a NumberedResources,
}

impl Names<'_> {
    /// Returns the error of a rejected graph, and the cycles among its problems. `problems`: those that were found before.
    pub(super) fn build_error(
        &self,
        name: String,
        mut problems: Vec<Problem>,
        violations: Violations,
    ) -> (BuildError, Vec<internal::Cycle>) {
        let Violations {
            cycles,
            races,
            writers_first,
            remedy,
        } = violations;
        let of_orders = cycles.iter().map(|cycle| self.cycle(cycle));
        problems.extend(of_orders.map(Problem::Cycle));
        let of_policies = writers_first.iter().map(|cycle| self.cycle(cycle));
        problems.extend(of_policies.map(Problem::WritersFirst));
        let listed = races.listed.iter();
        problems.extend(listed.map(|&(a, b)| Problem::Race(self.race(a, b))));
        let by_resource = races.by_resource.iter();
        let mut error = BuildError::new(name, problems).with_races(RaceCounts {
            n_pairs: races.n_pairs,
            by_subject: by_resource
                .map(|&(resource, n_pairs)| (self.resources.subject(resource), n_pairs))
                .collect(),
        });
        if !remedy.is_empty() {
            error = error.with_remedy(self.remedy(&remedy));
        }
        (error, [cycles, writers_first].concat())
    }

    pub(super) fn cycle(&self, cycle: &[(Edge, Origin)]) -> Cycle {
        Cycle {
            steps: self.steps(cycle),
        }
    }

    /// Returns the edges of a path with their origins. A weak order on a group is one step, between nodes of its two sides.
    pub(crate) fn steps(&self, path: &[(Edge, Origin)]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // The node from which the path enters the extra nodes of a group for weak orders.
        let mut entered = None;
        for &(edge, origin) in path {
            let order = match origin {
                Origin::Weak(edge) => self.graph.weak_orders[edge as usize],
                _ => None,
            };
            let is_weak = |node: u32| self.graph.weak_group(node).is_some();
            if matches!(origin, Origin::Weak(_)) && order.is_none() {
                if is_weak(edge.to) {
                    entered = Some(edge.from);
                } else if let Some(step) = steps.last_mut() {
                    step.to = self.graph.place(self.all, edge.to);
                }
                continue;
            }
            let from = entered.take().unwrap_or(edge.from);
            steps.push(Step {
                from: self.graph.place(self.all, from),
                to: self.graph.place(self.all, edge.to),
                origin: self.origin(origin, edge, order),
            });
        }
        steps
    }

    fn origin(&self, origin: Origin, edge: Edge, weak_order: Option<usize>) -> StepOrigin {
        match origin {
            Origin::Declared(idx) => self.graph.origins[idx as usize].clone(),
            Origin::Weak(_) => {
                let order = weak_order.expect("it is an order");
                StepOrigin::Weak(self.all.order(order).location)
            }
            Origin::WritersFirst(resource) => {
                let mut uses = self.resources.uses().of(edge.from).iter();
                let one = uses.find(|one| one.resource == resource);
                StepOrigin::WritersFirst {
                    subject: self.resources.subject(resource),
                    kind: one.map_or(AccessKind::Write, |one| one.kind),
                }
            }
            Origin::InsertionOrder(resource) => {
                StepOrigin::InsertionOrder(self.resources.subject(resource))
            }
            Origin::Optimize(resource) => StepOrigin::Optimize(self.resources.subject(resource)),
            Origin::Commands(_) => StepOrigin::Commands,
        }
    }

    /// Returns these missing orders in a form that code can declare.
    pub(super) fn remedy(&self, orders: &[(u32, u32)]) -> Remedy {
        let mut n_of_type: HashMap<TypeId, usize> = HashMap::new();
        let mut n_called: HashMap<String, usize> = HashMap::new();
        for (idx, node) in self.all.there() {
            *n_called
                .entry(self.all.place(idx).name.clone())
                .or_default() += 1;
            if let Some((ty, _)) = node.ty {
                *n_of_type.entry(ty).or_default() += 1;
            }
        }
        for group in &self.graph.groups {
            *n_called.entry(group.reference.to_string()).or_default() += 1;
        }
        let known_by = |node: u32| {
            let idx = self.graph.added(node);
            let declared = self.all.node(idx);
            let is_only = |ty: &TypeId| n_of_type[ty] == 1 && !declared.is_renamed;
            KnownBy {
                is_type: declared.ty.is_some_and(|(ty, _)| is_only(&ty)),
                has_attribute: matches!(declared.work, DeclaredWork::System(_)),
                is_name: n_called[&self.all.place(idx).name] == 1,
            }
        };
        let order = |&(first, then): &(u32, u32)| MissingOrder {
            first: self.graph.place(self.all, first),
            then: self.graph.place(self.all, then),
            first_node: self.id(first),
            then_node: self.id(then),
            first_known: known_by(first),
            then_known: known_by(then),
        };
        Remedy::new(orders.iter().map(order).collect())
    }

    /// Returns the id of a system.
    fn id(&self, node: u32) -> NodeId {
        self.all.node(self.graph.added(node)).id
    }

    pub(crate) fn race(&self, first: u32, second: u32) -> Race {
        let mut resources = Vec::new();
        let mut shared = self.resources.uses().shared(first, second);
        while let Some(conflict) = shared.next() {
            let subject = self.resources.subject(conflict.resource);
            // The numbers for unnamed resources and exclusive systems add nothing if a named resource is listed.
            if !(resources.is_empty() || matches!(subject, Subject::Resource(_))) {
                continue;
            }
            resources.push(RaceOn {
                subject,
                first: conflict.first,
                second: conflict.second,
            });
        }
        let is_only_across_loop = self.is_only_across_loop(first, second, &resources);
        Race {
            first: self.graph.place(self.all, first),
            second: self.graph.place(self.all, second),
            first_node: self.id(first),
            second_node: self.id(second),
            resources: resources.into(),
            is_only_across_loop,
        }
    }

    /// Returns whether two systems conflict only because filters are not compared across a loop.
    fn is_only_across_loop(&self, first: u32, second: u32, on: &[RaceOn]) -> bool {
        let [first, second] = [first, second].map(|node| {
            let idx = self.graph.added(node);
            let declared = self.all.node(idx);
            // The filters of a loop condition count in the loop body.
            let level = match declared.work {
                DeclaredWork::Loop { .. } => Some(idx),
                _ => declared.level,
            };
            (level, declared.system())
        });
        let is_component = |on: &RaceOn| matches!(&on.subject, Subject::Resource(resource) if resource.storage() == Storage::Entities);
        match (first, second) {
            ((level, Some(one)), (other_level, Some(other))) => {
                level != other_level
                    && on.iter().all(is_component)
                    && !one.access.uses_conflict_with(&other.access)
            }
            _ => false,
        }
    }
}
