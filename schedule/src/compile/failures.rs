//! Which failure policy each system has.

use std::collections::HashMap;

use super::All;
use super::index::{Found, Index};
use super::nodes::Graph;
use crate::declarations::FailurePolicyChoice;
use crate::failure::FailurePolicy;
use crate::messages::message;
use crate::problem::{NamedBy, Problem};

/// By index of what was added.
pub(super) fn failure_policies(
    all: All<'_>,
    graph: &Graph,
    problems: &mut Vec<Problem>,
) -> Vec<FailurePolicy> {
    let of_part = |part: Option<usize>| {
        let mut parts = all.declared.parts_from(part);
        let of_parts = parts.find_map(|part| all.declared.parts[part].rules.failure_policy);
        of_parts
            .or(all.declared.rules.failure_policy)
            .unwrap_or_default()
    };
    let policies = all.nodes().map(|node| of_part(node.part));
    let mut policies: Vec<FailurePolicy> = policies.collect();
    if all.declared.failure_policies.is_empty() {
        return policies;
    }
    let groups = graph.located_groups();
    let index = Index::new(all, &groups);
    let mut chosen: HashMap<usize, FailurePolicyChoice> = HashMap::new();
    for &(ref target, choice) in &all.declared.failure_policies {
        match index.find(target, choice.location) {
            Ok(Found::Node(idx)) => {
                policies[idx] = choice.policy;
                let first = chosen.entry(idx).or_insert(choice);
                if first.is_listed && !choice.is_listed {
                    *first = choice;
                }
                if first.policy != choice.policy {
                    problems.push(Problem::TwoPolicies {
                        subject: message!(OF_FAILURE, system = all.place(idx)),
                        first: (first.policy.to_string(), first.location),
                        second: (choice.policy.to_string(), choice.location),
                    });
                }
            }
            Ok(found @ Found::Group(_)) => problems.push(Problem::GroupInPolicy {
                group: index.place(found).name,
                location: choice.location,
            }),
            Err(problem) => problems.push(problem.named_by(NamedBy::PolicyRule)),
        }
    }
    policies
}
