//! The declared policies, with nodes and resources as numbers.

mod groups;

use std::collections::HashMap;

pub(super) use self::groups::inside;
use self::groups::{DeclaredGroupPolicy, NumberedGroupRules};
use super::All;
use super::index::{Found, Index};
use super::nodes::{Graph, NumberedKind};
use super::resources::NumberedResources;
use crate::data::target::Target;
use crate::declare::declarations::{DeclaredPlugin, DeclaredRules, PolicyChoice};
use crate::declare::messages::message;
use crate::declare::problem::{NamedBy, Problem, Warning, name};
use schedule_graph::Policy;
use schedule_graph::internal::{Plugins, Rules};

/// The policies, with nodes and resources as numbers.
pub(crate) struct Policies {
    schedule: Policy,
    pairs: Vec<(u32, u32, Policy)>,
    groups: NumberedGroupRules,
    /// The policy of each plugin, indexed as in [`Plugins`]. Index 0 is the schedule.
    schedules: Vec<Option<Policy>>,
    /// The policy of each resource in each plugin, indexed as in [`Plugins`].
    resources: Vec<Option<Policy>>,
    n_resources: usize,
    around: Vec<u32>,
    plugins_of_nodes: Vec<u32>,
    /// The reasons for accepting a resource of a plugin, and for accepting a pair.
    resource_reasons: HashMap<(u32, u32), String>,
    pair_reasons: HashMap<(u32, u32), String>,
    unused: Vec<Warning>,
}

impl Policies {
    pub(crate) fn number(
        all: All<'_>,
        graph: &Graph,
        resources: &NumberedResources,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let number = |plugin: Option<usize>| plugin.map_or(0, |plugin| plugin as u32 + 1);
        let plugins = all.declared.plugins.iter();
        let of_node = |kind: &NumberedKind| match *kind {
            NumberedKind::Added(idx) => number(all.node(idx).plugin),
            _ => 0,
        };
        // Without any policy of a plugin, the plugins of nodes are not needed.
        let has_policy = |plugin: &DeclaredPlugin| {
            plugin.rules.settings.policy.is_some() || !plugin.rules.resource_policies.is_empty()
        };
        let plugins_of_nodes = if all.declared.plugins.iter().any(has_policy) {
            graph.kinds.iter().map(of_node).collect()
        } else {
            Vec::new()
        };
        let rules: Vec<&DeclaredRules> = [&all.declared.rules]
            .into_iter()
            .chain(plugins.clone().map(|plugin| &plugin.rules))
            .collect();
        let n_resources = resources.n_resources();
        let mut policies = Self {
            schedule: all.declared.rules.settings.policy.unwrap_or_default(),
            pairs: Vec::new(),
            groups: NumberedGroupRules::default(),
            schedules: rules.iter().map(|rules| rules.settings.policy).collect(),
            resources: vec![None; rules.len() * n_resources],
            n_resources,
            around: [0]
                .into_iter()
                .chain(plugins.map(|plugin| number(plugin.around)))
                .collect(),
            plugins_of_nodes,
            resource_reasons: HashMap::new(),
            pair_reasons: HashMap::new(),
            unused: Vec::new(),
        };
        let mut chosen: HashMap<(u32, u32), &PolicyChoice> = HashMap::new();
        let of_plugins = (0..).zip(&rules).flat_map(|(plugin, rules)| {
            rules.resource_policies.iter().map(move |one| (plugin, one))
        });
        for (plugin, (resource, choice)) in of_plugins {
            let Some(number) = resources.find(resource) else {
                policies.unused.push(Warning::UnusedPolicy {
                    resource: resource.clone(),
                    location: choice.location,
                });
                continue;
            };
            match chosen.get(&(plugin, number)) {
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: message!(OF_RESOURCE, resource = name(resource)),
                        first: (first.policy.to_string(), first.location),
                        second: (choice.policy.to_string(), choice.location),
                    });
                }
                _ => {
                    chosen.insert((plugin, number), choice);
                    let idx = plugin as usize * n_resources + number as usize;
                    policies.resources[idx] = Some(choice.policy);
                    if let Some(reason) = &choice.reason {
                        let reasons = &mut policies.resource_reasons;
                        reasons.insert((plugin, number), reason.clone());
                    }
                }
            }
        }
        if all.declared.pair_policies.is_empty() {
            return policies;
        }
        let groups = graph.located_groups();
        let index = Index::new(all, &groups);
        let mut pairs: HashMap<(u32, u32), &PolicyChoice> = HashMap::new();
        let mut of_groups = Vec::new();
        for (one, other, choice) in &all.declared.pair_policies {
            let mut find = |target: &Target| match index.find(target, choice.location) {
                Ok(found) => Some(found),
                Err(problem) => {
                    problems.push(problem.named_by(NamedBy::PolicyRule));
                    None
                }
            };
            let (Some(one), Some(other)) = (find(one), find(other)) else {
                continue;
            };
            let (Found::Node(a), Found::Node(b)) = (one, other) else {
                let name = |found: Found| match found {
                    Found::Node(idx) => all.place(idx).to_string(),
                    Found::Group(_) => format!("`{}`", index.place(found).name),
                };
                of_groups.push(DeclaredGroupPolicy {
                    one,
                    other,
                    choice,
                    names: (name(one), name(other)),
                });
                continue;
            };
            let (a_place, b_place) = (all.place(a), all.place(b));
            let (a, b) = (graph.node_of[a], graph.node_of[b]);
            match pairs.get(&(a.min(b), a.max(b))) {
                Some(first) if first.is_listed && !choice.is_listed => {
                    pairs.insert((a.min(b), a.max(b)), choice);
                }
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: message!(OF_PAIR, first = a_place, second = b_place),
                        first: (first.policy.to_string(), first.location),
                        second: (choice.policy.to_string(), choice.location),
                    });
                }
                // The first reason is kept.
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
        policies.groups =
            NumberedGroupRules::number(all, graph, of_groups, &policies.pairs, problems);
        policies
    }

    /// Returns the reason for accepting a pair: the reason given for the pair, or the reasons of the resources on which it conflicts.
    pub(crate) fn reason(&self, resources: &NumberedResources, pair: (u32, u32)) -> Option<String> {
        if let Some(reason) = self.pair_reasons.get(&pair) {
            return Some(reason.clone());
        }
        if let Some(reason) = self.groups.reason(pair) {
            return Some(reason.to_string());
        }
        let rules = self.rules();
        let plugin = rules.plugins.common(pair.0, pair.1);
        let mut reasons: Vec<&str> = Vec::new();
        let mut shared = resources.uses().shared(pair.0, pair.1);
        while let Some(conflict) = shared.next() {
            let (plugin, _) = rules.of_resource(plugin, conflict.resource);
            let reason = self.resource_reasons.get(&(plugin, conflict.resource));
            reasons.extend(reason.map(String::as_str));
        }
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Returns the warnings about policies for resources that no system accesses.
    pub(super) fn unused(&self) -> impl Iterator<Item = Warning> {
        self.unused.iter().cloned()
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules {
            schedule: self.schedule,
            resources: &self.resources[..self.n_resources],
            pairs: &self.pairs,
            groups: self.groups.rules(),
            plugins: match self.plugins_of_nodes.as_slice() {
                [] => Plugins::NONE,
                of_nodes => Plugins {
                    of_nodes,
                    around: &self.around,
                    schedules: &self.schedules,
                    resources: &self.resources,
                },
            },
        }
    }
}
