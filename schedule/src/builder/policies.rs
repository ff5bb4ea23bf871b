//! The policies that were chosen, by number of node and resource.

use std::collections::HashMap;

use super::index::{Found, Index};
use super::nodes::Graph;
use super::resources::Resources;
use super::{Builder, PolicyChoice};
use crate::policy::{Policy, Rules};
use crate::problem::{Problem, Warning};
use crate::target::Target;

/// The policies by number.
pub(super) struct Policies {
    schedule: Policy,
    resources: Vec<Option<Policy>>,
    pairs: Vec<(u32, u32, Policy)>,
    /// Why a resource, or a pair, is accepted.
    resource_reasons: HashMap<u32, String>,
    pair_reasons: HashMap<(u32, u32), String>,
    unused: Vec<Warning>,
}

impl Policies {
    pub(super) fn number(
        builder: &Builder,
        graph: &Graph,
        resources: &Resources,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut policies = Self {
            schedule: builder.policy,
            resources: vec![None; resources.n_resources()],
            pairs: Vec::new(),
            resource_reasons: HashMap::new(),
            pair_reasons: HashMap::new(),
            unused: Vec::new(),
        };
        let mut chosen: HashMap<u32, &PolicyChoice> = HashMap::new();
        for (resource, choice) in &builder.resource_policies {
            let Some(number) = resources.find(resource) else {
                policies.unused.push(Warning::UnusedPolicy {
                    resource: resource.clone(),
                    location: choice.location,
                });
                continue;
            };
            match chosen.get(&number) {
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: format!("resource `{resource}`"),
                        first: (first.policy.to_string(), first.location),
                        second: (choice.policy.to_string(), choice.location),
                    });
                }
                _ => {
                    chosen.insert(number, choice);
                    policies.resources[number as usize] = Some(choice.policy);
                    if let Some(reason) = &choice.reason {
                        policies.resource_reasons.insert(number, reason.clone());
                    }
                }
            }
        }
        if builder.pair_policies.is_empty() {
            return policies;
        }
        let groups = graph.located_groups();
        let index = Index::new(builder, &groups);
        let mut pairs: HashMap<(u32, u32), &PolicyChoice> = HashMap::new();
        for (one, other, choice) in &builder.pair_policies {
            let mut node = |target: &Target| match index.find(target, choice.location) {
                Ok(Found::Node(idx)) => Some((graph.node_of[idx], &builder.nodes[idx].place)),
                Ok(found @ Found::Group(_)) => {
                    problems.push(Problem::GroupInPolicy {
                        group: index.place(found).name,
                        location: choice.location,
                    });
                    None
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            };
            let (Some((a, a_place)), Some((b, b_place))) = (node(one), node(other)) else {
                continue;
            };
            match pairs.get(&(a.min(b), a.max(b))) {
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: format!("the pair of {a_place} and {b_place}"),
                        first: (first.policy.to_string(), first.location),
                        second: (choice.policy.to_string(), choice.location),
                    });
                }
                // The first reason stays.
                Some(first) if first.reason.is_some() => {}
                _ => drop(pairs.insert((a.min(b), a.max(b)), choice)),
            }
        }
        for (&pair, choice) in &pairs {
            if let Some(reason) = &choice.reason {
                policies.pair_reasons.insert(pair, reason.clone());
            }
        }
        let numbered = pairs.iter().map(|(&(a, b), choice)| (a, b, choice.policy));
        policies.pairs = numbered.collect();
        policies.pairs.sort_unstable();
        policies
    }

    /// Why a pair is accepted: the reason given for it, or those of the resources on which it conflicts.
    pub(super) fn reason(&self, resources: &Resources, pair: (u32, u32)) -> Option<String> {
        if let Some(reason) = self.pair_reasons.get(&pair) {
            return Some(reason.clone());
        }
        let mut reasons: Vec<&str> = Vec::new();
        let mut shared = resources.uses().shared(pair.0, pair.1);
        while let Some(conflict) = shared.next() {
            let reason = self.resource_reasons.get(&conflict.resource);
            reasons.extend(reason.map(String::as_str));
        }
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Policies for what nothing touches.
    pub(super) fn unused(&self) -> impl Iterator<Item = Warning> {
        self.unused.iter().cloned()
    }

    pub(super) fn rules(&self) -> Rules<'_> {
        Rules {
            schedule: self.schedule,
            resources: &self.resources,
            pairs: &self.pairs,
        }
    }
}
