//! Which failure policy each system has.

use std::collections::HashMap;

use super::All;
use super::index::{Found, Index};
use super::nodes::Graph;
use super::policies::inside;
use crate::declarations::FailurePolicyChoice;
use crate::failure::FailurePolicy;
use crate::messages::message;
use crate::problem::{NamedBy, Problem};

/// The failure policy of each added node. A system's own choice takes precedence over those of its groups.
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
    // For each node the first of the choices that take precedence.
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
        // One contradiction is enough for a choice, also if its group has several members with another policy.
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

/// A declared failure policy, of a node or of a group.
#[derive(Clone, Copy)]
struct FailureChoice {
    choice: FailurePolicyChoice,
    is_of_group: bool,
}

impl FailureChoice {
    /// A choice for one node takes precedence over one for a group, and then one of the builder over a listed one.
    fn precedence(&self) -> (bool, bool) {
        (!self.is_of_group, !self.choice.is_listed)
    }

    /// Whether neither of the two takes precedence, and they differ.
    fn contradicts(&self, other: Self) -> bool {
        self.precedence() == other.precedence() && self.choice.policy != other.choice.policy
    }
}
