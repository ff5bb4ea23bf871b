//! Random graphs, with the rules checked by brute force.

use crate::cases::n_cases;
use proptest::prelude::*;

use super::generator::cases;
use super::naive::{Partition, Rule, paths};
use super::*;

/// The sweeps, and all other nodes as sets of one node.
fn partition(case: &SweepCase) -> Partition {
    let sweeps = case.sweeps();
    let singles = (0..case.nodes.len() as u32).filter(|rank| !sweeps.concat().contains(rank));
    let singles: Partition = singles.map(|rank| vec![rank]).collect();
    [sweeps, singles].concat()
}

fn set_of(partition: &Partition, rank: u32) -> &Vec<u32> {
    partition.iter().find(|set| set.contains(&rank)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(2_000, 4),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_sweep_satisfies_every_rule(case in cases()) {
        let partition = partition(&case);
        for members in partition.iter().filter(|set| set.len() > 1) {
            prop_assert!(members.is_sorted());
            prop_assert_eq!(case.violated(&partition, members), []);
        }
        prop_assert!(!case.has_cycle(&partition));
    }

    #[test]
    fn sweeps_are_those_of_the_naive_algorithm(case in cases()) {
        let (mut naive, _) = case.naive_sweeps();
        naive.retain(|set| set.len() > 1);
        prop_assert_eq!(case.sweeps(), naive);
    }

    #[test]
    fn explanation_is_the_first_rule_that_a_merge_violates(case in cases()) {
        let partition = partition(&case);
        let (_, delayed) = case.naive_sweeps();
        let each = (0..case.nodes.len() as u32).filter(|&rank| case.nodes[rank as usize].is_some());
        let each: Vec<u32> = each.collect();
        for (&one, &other) in each.iter().flat_map(|one| each.iter().map(move |other| (one, other))) {
            let apart = case.apart(one, other);
            let (ones, others) = (set_of(&partition, one), set_of(&partition, other));
            if ones == others {
                prop_assert_eq!(apart, None);
                continue;
            }
            let pair = case.violated(&partition, &[one, other]);
            let both = case.violated(&partition, &[&ones[..], others].concat());
            let of_pair = |rule: &&Rule| matches!(rule, Rule::Store | Rule::Level | Rule::TurnedOff);
            let expected = pair.iter().find(of_pair).or(both.first()).copied().unwrap_or(Rule::Delay);
            prop_assert_eq!(apart.map(Rule::of), Some(expected));
            let is_of = |rank: u32, set: &[u32]| set.contains(&rank);
            let join = |a: u32, b: u32| {
                (is_of(a, ones) && is_of(b, others)) || (is_of(a, others) && is_of(b, ones))
            };
            match apart.unwrap() {
                Apart::Store | Apart::Level => {}
                Apart::TurnedOff { node } => {
                    prop_assert!([one, other].contains(&node));
                    prop_assert!(!case.nodes[node as usize].unwrap().is_sweepable);
                }
                Apart::Conflict { nodes: [a, b], resource } => {
                    prop_assert!(join(a, b) && case.do_conflict(a, b, resource));
                    let is_direct = (0..8).any(|resource| case.do_conflict(one, other, resource));
                    prop_assert_eq!(is_direct, [a, b] == [one, other]);
                }
                Apart::Path { from, via, to } => {
                    prop_assert!(join(from, to) && !is_of(via, ones) && !is_of(via, others));
                    prop_assert!(!case.paths(from, via).is_empty() && !case.paths(via, to).is_empty());
                }
                Apart::Failure { failing, skipped } => {
                    prop_assert!(join(failing, skipped));
                    prop_assert!(case.nodes[failing as usize].unwrap().can_fail);
                    let edge = Edge { from: failing, to: skipped };
                    prop_assert!(case.dependents.contains(&edge));
                }
                Apart::Cycle { sweep } => {
                    let contracted = case.contracted();
                    let number = |set: &[u32]| contracted.of_node[set[0] as usize];
                    let between = number(&case.sweeps()[sweep as usize]);
                    let leads = |from, to| !paths(&contracted.edges, from, to).is_empty();
                    let leads = |from: &[u32], to: &[u32]| {
                        leads(number(from), between) && leads(between, number(to))
                    };
                    prop_assert!(leads(ones, others) || leads(others, ones));
                }
                Apart::Delay => {
                    let openers = [ones[0].max(others[0]), ones[0].min(others[0])];
                    prop_assert!(delayed.contains(&(openers[0], openers[1])));
                }
            }
        }
    }

    #[test]
    fn contraction_keeps_all_orders(case in cases()) {
        let partition = partition(&case);
        let contracted = case.contracted();
        prop_assert_eq!(contracted.n_nodes(), partition.len());
        prop_assert!(contracted.edges.is_sorted_by_key(|edge| (edge.from, edge.to)));
        prop_assert!(contracted.edges.iter().all(|edge| edge.from < edge.to));
        for number in 0..contracted.n_nodes() as u32 {
            let members = contracted.members(number);
            prop_assert_eq!(members, &set_of(&partition, members[0])[..]);
            prop_assert!(members.iter().all(|&rank| contracted.of_node[rank as usize] == number));
        }
        let number = |rank: u32| contracted.of_node[rank as usize];
        let mut expected: Vec<(u32, u32)> =
            case.edges.iter().map(|edge| (number(edge.from), number(edge.to))).collect();
        expected.retain(|(from, to)| from != to);
        expected.sort_unstable();
        expected.dedup();
        let edges: Vec<(u32, u32)> =
            contracted.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        prop_assert_eq!(edges, expected);
    }

    #[test]
    fn contraction_keeps_each_loop_together(case in cases()) {
        let contracted = case.contracted();
        let body = (0..contracted.n_nodes() as u32).map(|number| {
            let first = contracted.members(number)[0];
            case.around.get(first as usize) == Some(&0)
        });
        let body: Vec<bool> = body.collect();
        let changes = body.windows(2).filter(|pair| pair[0] != pair[1]).count();
        prop_assert!(changes <= 2);
        if let Some(first) = body.iter().position(|is_body| *is_body) {
            let last = body.iter().rposition(|is_body| *is_body).unwrap() as u32;
            let around = Edge { from: first as u32 - 1, to: last + 1 };
            prop_assert!(contracted.edges.contains(&around));
        }
    }

    #[test]
    fn sweeps_depend_neither_on_the_order_of_edges_nor_of_uses(case in cases()) {
        let mut other = case.clone();
        other.edges.reverse();
        other.edges.extend(case.edges.clone());
        other.dependents.reverse();
        for uses in &mut other.uses {
            uses.reverse();
        }
        prop_assert_eq!(case.sweeps(), other.sweeps());
        prop_assert_eq!(case.contracted(), other.contracted());
    }
}

/// The graphs are the same in each run of the test. So the other tests check each rule, and sweeps of many members.
#[test]
fn random_graphs_have_all_rules_and_long_sweeps() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut found, mut longest) = (Vec::new(), 0);
    let n_cases = if cfg!(miri) { 0 } else { 2_000 };
    for _ in 0..n_cases {
        let case = cases().new_tree(&mut runner).unwrap().current();
        longest = case.sweeps().iter().map(Vec::len).fold(longest, usize::max);
        let each = (0..case.nodes.len() as u32).filter(|&rank| case.nodes[rank as usize].is_some());
        let each: Vec<u32> = each.collect();
        let pairs = each
            .iter()
            .flat_map(|&one| each.iter().map(move |&other| (one, other)));
        let apart = pairs.filter_map(|(one, other)| case.apart(one, other));
        found.extend(apart.map(Rule::of));
    }
    let count = |rule| found.iter().filter(|one| **one == rule).count();
    let rules = [
        Rule::Store,
        Rule::Level,
        Rule::TurnedOff,
        Rule::Conflict,
        Rule::Path,
        Rule::Failure,
        Rule::Cycle,
        Rule::Delay,
    ];
    let counts = rules.map(count);
    assert!(
        longest >= 6 && counts.iter().all(|&n| n >= 20),
        "{longest} members, {counts:?}"
    );
}
