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
    let mut chosen: HashMap<usize, Chosen> = HashMap::new();
    for &(ref target, choice) in &all.declared.failure_policies {
        let found = match index.find(target, choice.location) {
            Ok(found) => found,
            Err(problem) => {
                problems.push(problem.named_by(NamedBy::PolicyRule));
                continue;
            }
        };
        let next = Chosen {
            choice,
            is_of_group: matches!(found, Found::Group(_)),
        };
        // One contradiction is enough for a choice, also if its group has several members with another policy.
        let mut is_reported = false;
        for idx in inside(all, graph, found) {
            let known = chosen.entry(idx).or_insert(next);
            if next.precedence() > known.precedence() {
                *known = next;
            }
            if next.precedence() == known.precedence()
                && choice.policy != known.choice.policy
                && !is_reported
            {
                is_reported = true;
                problems.push(Problem::TwoPolicies {
                    subject: message!(OF_FAILURE, system = all.place(idx)),
                    first: (known.choice.policy.to_string(), known.choice.location),
                    second: (choice.policy.to_string(), choice.location),
                });
            }
        }
    }
    for (idx, chosen) in chosen {
        policies[idx] = chosen.choice.policy;
    }
    policies
}

/// The choice that counts so far for a node.
#[derive(Clone, Copy)]
struct Chosen {
    choice: FailurePolicyChoice,
    is_of_group: bool,
}

impl Chosen {
    /// A choice for one node counts more than one for a group, and then one of the builder more than a listed one.
    fn precedence(&self) -> (bool, bool) {
        (!self.is_of_group, !self.choice.is_listed)
    }
}
