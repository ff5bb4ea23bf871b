//! Computes the failure policy of each system.

use std::collections::HashMap;

use super::All;
use super::index::{Found, Index};
use super::nodes::Graph;
use super::policies::inside;
use crate::data::failure_policy::FailurePolicy;
use crate::declare::declarations::FailurePolicyChoice;
use crate::declare::messages::message;
use crate::declare::problem::{NamedBy, Problem};

/// Returns the failure policy of each declared node. A system's own choice takes precedence over those of its groups.
pub(crate) fn failure_policies(
    all: All<'_>,
    graph: &Graph,
    problems: &mut Vec<Problem>,
) -> Vec<FailurePolicy> {
    let of_plugin = |plugin| all.declared.settings(plugin).on_failure.unwrap_or_default();
    let mut policies: Vec<FailurePolicy> = all.nodes().map(|node| of_plugin(node.plugin)).collect();
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
