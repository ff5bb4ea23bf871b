//! Declares a random case to a builder, with systems that write the values of the interpreter.

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{BoxError, BuildError, Builder, Target};

use super::case::{Case, N_GROUPS, Node, RESOURCES, Thing};
use super::interpreter::{Law, mix};
use crate::numbered::{group_target, join_group, speak_of_group};

#[derive(Checkpoint)]
struct Point;

/// A case that is declared to a builder, in order or in reverse order.
pub(super) struct Declared {
    pub(super) builder: Builder,
    pub(super) nodes: Vec<NodeId>,
}

impl Declared {
    pub(super) fn new(case: &Case, is_turned: bool) -> Self {
        let mut builder = Schedule::builder();
        let mut nodes = vec![None; case.nodes.len()];
        let turned = |n: usize| -> Vec<usize> {
            if is_turned {
                (0..n).rev().collect()
            } else {
                (0..n).collect()
            }
        };
        let speak_of_groups = |builder: &mut Builder| {
            for group in turned(N_GROUPS) {
                speak_of_group(builder, group);
                for &(_, outer) in case.nested.iter().filter(|nested| nested.0 == group) {
                    join_group(builder, outer);
                }
            }
        };
        if !is_turned {
            speak_of_groups(&mut builder);
        }
        for idx in turned(case.nodes.len()) {
            let node = &case.nodes[idx];
            if node.is_checkpoint {
                builder.checkpoint::<Point>();
            } else {
                builder.add_dynamic(system(idx, node));
            }
            nodes[idx] = builder.last();
            node.groups
                .iter()
                .for_each(|&group| join_group(&mut builder, group));
        }
        let nodes: Vec<NodeId> = nodes.into_iter().flatten().collect();
        for idx in turned(case.orders.len()) {
            let (first, then, is_weak) = case.orders[idx];
            let [first, then] = [first, then].map(|thing| target(&nodes, thing));
            if is_weak {
                builder.order_if_conflicting(first, then);
            } else {
                builder.order(first, then);
            }
        }
        for idx in turned(case.pairs.len()) {
            let (a, b, policy) = case.pairs[idx];
            let (a, b) = if is_turned { (b, a) } else { (a, b) };
            builder.policy_between(nodes[a], nodes[b], policy);
        }
        for idx in turned(4) {
            if let Some(policy) = case.resources[idx] {
                builder.policy_for_resource(RESOURCES[idx], policy);
            }
        }
        if is_turned {
            speak_of_groups(&mut builder);
        }
        builder.policy(case.schedule);
        Self { builder, nodes }
    }

    /// Builds the schedule. Converts an error to the form of the interpreter.
    pub(super) fn build(&mut self) -> Result<Schedule, Law> {
        self.builder.build().map_err(|error| self.refusal(&error))
    }

    fn refusal(&self, error: &BuildError) -> Law {
        let has = |is: fn(&Problem) -> bool| error.problems().iter().any(is);
        if has(|one| {
            matches!(
                one,
                Problem::GroupInItself { .. } | Problem::GroupAgainstMember { .. }
            )
        }) {
            return Law::Groups;
        }
        let idx = |node| self.nodes.iter().position(|one| *one == node).unwrap();
        let races = error.races().map(|race| {
            let (a, b) = (idx(race.first_node), idx(race.second_node));
            (a.min(b), a.max(b))
        });
        Law::Refused {
            has_cycle: has(|one| matches!(one, Problem::Cycle(_))),
            has_writers_first: has(|one| matches!(one, Problem::WritersFirst(_))),
            races: races.collect(),
        }
    }
}

pub(super) fn target(nodes: &[NodeId], thing: Thing) -> Target {
    match thing {
        Thing::Node(node) => nodes[node].into(),
        Thing::Group(group) => group_target(group),
    }
}

/// Returns a system that changes resources like [`Case::state`]. Its name is its number.
fn system(idx: usize, node: &Node) -> DynamicSystem {
    let own = node.clone();
    let mut system = DynamicSystem::new(idx.to_string(), move |view| {
        let touched = (0..4).filter(|&resource| own.access(resource).is_some());
        let read = touched
            .map(|resource| view.get_named(RESOURCES[resource]).copied())
            .collect::<Result<Vec<u64>, _>>()?;
        for resource in (0..4).filter(|&resource| own.access(resource) == Some(true)) {
            *view.get_named_mut(RESOURCES[resource])? = mix(idx, resource, &read);
        }
        Ok::<(), BoxError>(())
    });
    for (name, is_write) in RESOURCES.into_iter().zip(node.uses) {
        system = match is_write {
            Some(true) => system.writes(name),
            Some(false) => system.reads(name),
            None => system,
        };
    }
    if let Some((is_write, except)) = node.all {
        let except = RESOURCES
            .into_iter()
            .zip(except)
            .filter(|one| one.1)
            .map(|one| ResourceId::named(one.0));
        system = if is_write {
            system.writes_all_except(except)
        } else {
            system.reads_all_except(except)
        };
    }
    if node.is_exclusive {
        system.exclusive()
    } else {
        system
    }
}

pub(super) fn order_of(schedule: &Schedule) -> Vec<usize> {
    schedule
        .systems()
        .map(|name| name.parse().unwrap())
        .collect()
}
