//! Policies of pairs in which at least one side is a group.

use std::collections::{HashMap, HashSet};

use super::super::All;
use super::super::index::Found;
use super::super::nodes::Graph;
use crate::declare::declarations::PolicyChoice;
use crate::declare::messages::message;
use crate::declare::problem::Problem;
use schedule_graph::Policy;
use schedule_graph::internal::{GroupRule, GroupRules};

/// The memory of [`GroupRules`].
#[derive(Default)]
pub(super) struct NumberedGroupRules {
    starts: Vec<u32>,
    sets: Vec<u32>,
    rules: Vec<GroupRule>,
    /// `reasons[r]`: the reason of the rule of rank r for accepting its pairs.
    reasons: Vec<Option<String>>,
}

/// A declared rule.
pub(super) struct DeclaredGroupPolicy<'b> {
    pub(super) one: Found,
    pub(super) other: Found,
    pub(super) choice: &'b PolicyChoice,
    /// The names of the two sides, for messages.
    pub(super) names: (String, String),
}

impl NumberedGroupRules {
    /// Numbers the declared rules. `pairs`: the policies of pairs of nodes, sorted. They take precedence over the rules.
    ///
    /// Takes O(nodes + memberships) for each named group. Also takes O(nodes) for each two rules of different policies whose sides have
    /// nodes in common.
    pub(super) fn number(
        all: All<'_>,
        graph: &Graph,
        mut declared: Vec<DeclaredGroupPolicy<'_>>,
        pairs: &[(u32, u32, Policy)],
        problems: &mut Vec<Problem>,
    ) -> Self {
        if declared.is_empty() {
            return Self::default();
        }
        // Rules of a builder take precedence over listed rules. Among the others, the first rule takes precedence.
        declared.sort_by_key(|rule| rule.choice.is_listed);
        let mut numbers: HashMap<Found, u32> = HashMap::new();
        let mut sets_of: Vec<Vec<u32>> = vec![Vec::new(); graph.n_nodes()];
        let mut set = |found: Found| {
            let next = numbers.len() as u32;
            *numbers.entry(found).or_insert_with(|| {
                for idx in inside(all, graph, found) {
                    sets_of[graph.node_of[idx] as usize].push(next);
                }
                next
            })
        };
        let rules = (0..).zip(&declared).map(|(rank, rule)| {
            let (one, other) = (set(rule.one), set(rule.other));
            GroupRule {
                one: one.min(other),
                other: one.max(other),
                policy: rule.choice.policy,
                rank,
            }
        });
        let mut rules: Vec<GroupRule> = rules.collect();
        let mut starts = vec![0];
        let mut sets = Vec::new();
        for of_node in &sets_of {
            sets.extend_from_slice(of_node);
            starts.push(sets.len() as u32);
        }
        let reasons = declared
            .iter()
            .map(|rule| rule.choice.reason.clone())
            .collect();
        let by_rank = rules.clone();
        rules.sort_by_key(|rule| (rule.one, rule.other, rule.rank));
        let numbered = Self {
            starts,
            sets,
            rules,
            reasons,
        };
        numbered.find_contradictions(&sets_of, &by_rank, &declared, pairs, problems);
        numbered
    }

    pub(super) fn rules(&self) -> GroupRules<'_> {
        GroupRules {
            starts: &self.starts,
            sets: &self.sets,
            rules: &self.rules,
        }
    }

    /// Returns the reason of the rule that accepts a pair.
    pub(super) fn reason(&self, pair: (u32, u32)) -> Option<&str> {
        let rule = self.rules().of_pair(pair.0, pair.1)?;
        self.reasons[rule.rank as usize].as_deref()
    }

    /// Reports each rule that sets a different policy for a pair than an earlier rule.
    fn find_contradictions(
        &self,
        sets_of: &[Vec<u32>],
        by_rank: &[GroupRule],
        declared: &[DeclaredGroupPolicy<'_>],
        pairs: &[(u32, u32, Policy)],
        problems: &mut Vec<Problem>,
    ) {
        if by_rank.windows(2).all(|two| two[0].policy == two[1].policy) {
            return;
        }
        let mut overlaps: HashSet<(u32, u32)> = HashSet::new();
        for sets in sets_of {
            for &one in sets {
                overlaps.extend(sets.iter().map(|&other| (one, other)));
            }
        }
        let overlap = |one, other| overlaps.contains(&(one, other));
        for (later, second) in by_rank.iter().enumerate() {
            let earlier = by_rank[..later]
                .iter()
                .zip(declared)
                .find(|(first, of_first)| {
                    let is_replaced = of_first.choice.is_listed != declared[later].choice.is_listed;
                    let concern_one = overlap(first.one, second.one)
                        && overlap(first.other, second.other)
                        || overlap(first.one, second.other) && overlap(first.other, second.one);
                    first.policy != second.policy
                        && !is_replaced
                        && concern_one
                        && self.rules().common(**first, *second, pairs).is_some()
                });
            if let Some((_, first)) = earlier {
                problems.push(two_policies(first, &declared[later]));
            }
        }
    }
}

fn two_policies(first: &DeclaredGroupPolicy<'_>, second: &DeclaredGroupPolicy<'_>) -> Problem {
    let (one, other) = &second.names;
    Problem::TwoPolicies {
        subject: message!(OF_PAIR, first = one, second = other),
        first: (first.choice.policy.to_string(), first.choice.location),
        second: (second.choice.policy.to_string(), second.choice.location),
    }
}

/// Returns the nodes that a rule covers, as ascending indices of declared nodes. For a node, only that node. For a group, all direct and
/// nested members, and the bodies of all loops among them.
pub(in super::super) fn inside(all: All<'_>, graph: &Graph, found: Found) -> Vec<usize> {
    if let Found::Node(idx) = found {
        return vec![idx];
    }
    let mut is_inside = vec![false; all.n_nodes()];
    for idx in graph.members.nodes(found) {
        is_inside[idx] = true;
    }
    // The body of a loop has higher indices than the loop.
    for (idx, node) in all.nodes().enumerate() {
        is_inside[idx] |= node.level.is_some_and(|around| is_inside[around]);
    }
    let inside = all.there().map(|(idx, _)| idx);
    inside.filter(|&idx| is_inside[idx]).collect()
}
