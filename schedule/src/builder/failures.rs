//! Which failure policy each system has.

use std::collections::HashMap;

use super::index::{Found, Index};
use super::nodes::Graph;
use super::{Builder, FailurePolicyChoice};
use crate::failure::FailurePolicy;
use crate::problem::{NamedBy, Problem};

/// By index of what was added.
pub(super) fn failure_policies(
    builder: &Builder,
    graph: &Graph,
    problems: &mut Vec<Problem>,
) -> Vec<FailurePolicy> {
    let of_part = |part: Option<usize>| {
        let mut parts = builder.parts_from(part);
        let of_parts = parts.find_map(|part| builder.parts[part].rules.failure_policy);
        of_parts
            .or(builder.rules.failure_policy)
            .unwrap_or_default()
    };
    let policies = builder.nodes.iter().map(|node| of_part(node.part));
    let mut policies: Vec<FailurePolicy> = policies.collect();
    if builder.failure_policies.is_empty() {
        return policies;
    }
    let groups = graph.located_groups();
    let index = Index::new(builder, &groups);
    let mut chosen: HashMap<usize, FailurePolicyChoice> = HashMap::new();
    for &(ref target, choice) in &builder.failure_policies {
        match index.find(target, choice.location) {
            Ok(Found::Node(idx)) => {
                policies[idx] = choice.policy;
                let first = chosen.entry(idx).or_insert(choice);
                if first.is_listed && !choice.is_listed {
                    *first = choice;
                }
                if first.policy != choice.policy {
                    problems.push(Problem::TwoPolicies {
                        subject: format!("the failure of {}", builder.nodes[idx].place),
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
