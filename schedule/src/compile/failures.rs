//! Computes the effects of failures: the failure policy of each system, the systems that always run, and those that fail alone if they
//! miss a resource.

use std::collections::HashMap;

use super::All;
use super::guards::Conditions;
use super::index::{Found, Index};
use super::nodes::Graph;
use super::policies::inside;
use crate::declarations::FailurePolicyChoice;
use crate::failure::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
use crate::messages::message;
use crate::order::Reference;
use crate::problem::{NamedBy, Problem};

/// Returns the failure policy of each declared node. A system's own choice takes precedence over those of its groups.
pub(super) fn failure_policies(
    all: All<'_>,
    graph: &Graph,
    problems: &mut Vec<Problem>,
) -> Vec<FailurePolicy> {
    let of_plugin = |plugin: Option<usize>| {
        let mut plugins = all.declared.plugins_from(plugin);
        let of_plugins =
            plugins.find_map(|plugin| all.declared.plugins[plugin].rules.failure_policy);
        of_plugins
            .or(all.declared.rules.failure_policy)
            .unwrap_or_default()
    };
    let policies = all.nodes().map(|node| of_plugin(node.plugin));
    let mut policies: Vec<FailurePolicy> = policies.collect();
    if all.declared.failure_policies.is_empty() {
        return policies;
    }
    let groups = graph.located_groups();
    let index = Index::new(all, &groups);
    let mut choices: Vec<(FailureChoice, Vec<usize>)> = Vec::new();
    for &(ref target, choice) in &all.declared.failure_policies {
        match index.find(target, choice.location) {
            Ok(found) => {
                let is_of_group = matches!(found, Found::Group(_));
                let choice = FailureChoice {
                    choice,
                    is_of_group,
                };
                choices.push((choice, inside(all, graph, found)));
            }
            Err(problem) => problems.push(problem.named_by(NamedBy::PolicyRule)),
        }
    }
    // For each node, the first of the choices with the highest precedence.
    let mut chosen: HashMap<usize, FailureChoice> = HashMap::new();
    for (next, nodes) in &choices {
        for &idx in nodes {
            let known = chosen.entry(idx).or_insert(*next);
            if next.precedence() > known.precedence() {
                *known = *next;
            }
        }
    }
    for (next, nodes) in &choices {
        // Reports one contradiction for each choice, even if several members of its group have another policy.
        let contradicted = nodes.iter().find(|&idx| next.contradicts(chosen[idx]));
        if let Some(&idx) = contradicted {
            let (first, second) = (chosen[&idx].choice, next.choice);
            problems.push(Problem::TwoPolicies {
                subject: message!(OF_FAILURE, system = all.place(idx)),
                first: (first.policy.to_string(), first.location),
                second: (second.policy.to_string(), second.location),
            });
        }
    }
    for (idx, chosen) in chosen {
        policies[idx] = chosen.choice.policy;
    }
    policies
}

/// Returns whether each declared node always runs, whatever failed before it.
pub(super) fn always(all: All<'_>, graph: &Graph) -> Vec<bool> {
    let is_always = all.nodes().map(|node| node.is_always).collect();
    with_members(is_always, all, graph, &all.declared.always)
}

/// Returns whether each declared node fails alone if it misses a resource. If not, the run is refused.
pub(super) fn skips_missing(all: All<'_>, graph: &Graph, conditions: &Conditions) -> Vec<bool> {
    let of_plugin = |plugin: Option<usize>| {
        let mut plugins = all.declared.plugins_from(plugin);
        let of_plugins =
            plugins.find_map(|plugin| all.declared.plugins[plugin].rules.missing_policy);
        let policy = of_plugins.or(all.declared.rules.missing_policy);
        policy.unwrap_or_default() == MissingPolicy::Skip
    };
    let skips = all
        .nodes()
        .map(|node| node.skips_missing || of_plugin(node.plugin));
    let groups = &all.declared.skip_missing;
    let mut skips = with_members(skips.collect(), all, graph, groups);
    spread_to_implied(&mut skips, all, graph, conditions);
    skips
}

/// Returns whether each declared node fails if its commands have no effect.
pub(super) fn fails_missed(all: All<'_>) -> Vec<bool> {
    let fails = all.nodes().map(|node| {
        let mut plugins = all.declared.plugins_from(node.plugin);
        let of_plugins =
            plugins.find_map(|plugin| all.declared.plugins[plugin].rules.missed_command_policy);
        let policy = of_plugins.or(all.declared.rules.missed_command_policy);
        policy.unwrap_or_default() == MissedCommandPolicy::Fail
    });
    fails.collect()
}

/// Marks the members of groups, and the bodies of marked loops.
fn with_members(
    mut is_marked: Vec<bool>,
    all: All<'_>,
    graph: &Graph,
    groups: &[Reference],
) -> Vec<bool> {
    for group in groups {
        let found = (0..graph.groups.len()).find(|&idx| graph.groups[idx].reference.id == group.id);
        // A group without members may be unknown.
        let Some(idx) = found else { continue };
        for idx in inside(all, graph, Found::Group(idx)) {
            is_marked[idx] = true;
        }
    }
    // The body of a loop has higher indices than the loop.
    for (idx, node) in all.nodes().enumerate() {
        is_marked[idx] |= node.level.is_some_and(|around| is_marked[around]);
    }
    is_marked
}

/// Marks each implied condition of which only marked nodes ask. It has no declaration of its own.
fn spread_to_implied(is_marked: &mut [bool], all: All<'_>, graph: &Graph, conditions: &Conditions) {
    if !is_marked.contains(&true) {
        return;
    }
    let mut asked_by: HashMap<usize, Vec<usize>> = HashMap::new();
    for (idx, _) in all.there() {
        graph.formula(conditions, idx, |leaf| {
            if all.node(leaf.node).implied.is_some() {
                asked_by.entry(leaf.node).or_default().push(idx);
            }
        });
    }
    // An implied condition may ask another one, so the loop repeats until nothing changes.
    let mut has_changed = true;
    while core::mem::take(&mut has_changed) {
        for (&condition, by) in &asked_by {
            if !is_marked[condition] && by.iter().all(|&idx| is_marked[idx]) {
                is_marked[condition] = true;
                has_changed = true;
            }
        }
    }
}

/// Adds the conditions of systems that always run, and the conditions of these conditions.
pub(super) fn spread_to_conditions(
    is_always: &mut [bool],
    all: All<'_>,
    graph: &Graph,
    conditions: &Conditions,
) {
    let mut open: Vec<usize> = (0..is_always.len()).filter(|&idx| is_always[idx]).collect();
    while let Some(idx) = open.pop() {
        if !all.node(idx).is_there() {
            continue;
        }
        graph.formula(conditions, idx, |leaf| {
            if !core::mem::replace(&mut is_always[leaf.node], true) {
                open.push(leaf.node);
            }
        });
    }
}

/// A declared failure policy, of a node or of a group.
#[derive(Clone, Copy)]
struct FailureChoice {
    choice: FailurePolicyChoice,
    is_of_group: bool,
}

impl FailureChoice {
    /// A choice for one node takes precedence over one for a group. A choice of the builder takes precedence over a listed one.
    fn precedence(&self) -> (bool, bool) {
        (!self.is_of_group, !self.choice.is_listed)
    }

    /// Returns whether the two choices differ and have the same precedence.
    fn contradicts(&self, other: Self) -> bool {
        self.precedence() == other.precedence() && self.choice.policy != other.choice.policy
    }
}
