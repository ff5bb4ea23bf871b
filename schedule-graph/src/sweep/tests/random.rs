//! Random graphs, with the rules checked by brute force.

use proptest::prelude::*;

use super::naive::{Partition, Rule};
use super::*;

fn node() -> impl Strategy<Value = Option<SweepNode>> {
    let node = (0_u32..4, 0_u32..12, 0_u32..5).prop_map(|(store, off, failing)| SweepNode {
        store: store / 3,
        is_sweepable: off > 0,
        can_fail: failing == 0,
    });
    prop_oneof![1 => Just(None), 3 => node.prop_map(Some)]
}

fn sweep_use() -> impl Strategy<Value = SweepUse> {
    let kinds = prop::sample::select(&AccessKind::ALL[..]);
    (0_u32..3, kinds, 0_u16..N_SIGNATURES as u16, 0_u32..4).prop_map(
        |(resource, kind, signature, other)| SweepUse {
            access: Use {
                resource,
                kind,
                signature,
            },
            is_own_row: other > 0,
        },
    )
}

fn model() -> impl Strategy<Value = SweepModel> {
    let barrier = prop::sample::select(&[0, 5, 50][..]);
    let percent = prop::sample::select(&[50, 80, 100][..]);
    (1_u32..9, barrier, percent).prop_map(|(n_workers, barrier_ns, cache_percent)| SweepModel {
        n_workers,
        barrier_ns,
        cache_percent,
    })
}

/// An edge with a flag: whether failures skip along it.
fn edge(n_nodes: u32) -> impl Strategy<Value = (Edge, bool)> {
    let edge = (1..n_nodes.max(2)).prop_flat_map(|to| (0..to, Just(to)));
    (edge, any::<bool>()).prop_map(|((from, to), flag)| (Edge { from, to }, flag))
}

/// Up to 8 nodes. The nodes between two ranks may be the body of a loop.
fn cases() -> impl Strategy<Value = SweepCase> {
    (1_usize..9).prop_flat_map(|n_nodes| {
        let cost = prop::sample::select(&[0_u32, 10, 100, 1_000][..]);
        let edge = edge(n_nodes as u32);
        let rank = 0..n_nodes as u32;
        (
            prop::collection::vec(node(), n_nodes),
            prop::collection::vec(prop::collection::vec(sweep_use(), 0..3), n_nodes),
            prop::collection::vec(edge, 0..=n_nodes + n_nodes / 2),
            prop::collection::vec(cost, n_nodes),
            prop::option::weighted(0.3, (rank.clone(), rank)),
            model(),
        )
            .prop_map(move |(nodes, uses, mut edges, costs_ns, body, model)| {
                edges.retain(|(edge, _)| (edge.to as usize) < n_nodes);
                let mut case = SweepCase {
                    nodes,
                    around: Vec::new(),
                    uses,
                    edges: edges.iter().map(|(edge, _)| *edge).collect(),
                    dependents: edges
                        .iter()
                        .filter(|(_, flag)| *flag)
                        .map(|(edge, _)| *edge)
                        .collect(),
                    costs_ns,
                    model,
                };
                if let Some((begin, end)) = body.filter(|(begin, end)| begin < end) {
                    add_loop(&mut case, begin, end);
                }
                case
            })
    })
}

/// Makes two nodes the begin and the end of a loop around the nodes between them.
fn add_loop(case: &mut SweepCase, begin: u32, end: u32) {
    let is_body = |rank: u32| begin < rank && rank < end;
    let n_nodes = case.nodes.len() as u32;
    case.around = (0..n_nodes)
        .map(|rank| if is_body(rank) { 0 } else { NO_LOOP })
        .collect();
    let is_level = |edge: &Edge| {
        is_body(edge.from) == is_body(edge.to) && (edge.from, edge.to) != (begin, end)
    };
    for edges in [&mut case.edges, &mut case.dependents] {
        edges.retain(is_level);
        for edge in edges {
            // An order of a loop concerns all of it.
            edge.from = if edge.from == begin { end } else { edge.from };
            edge.to = if edge.to == end { begin } else { edge.to };
        }
    }
    for edge in &mut case.dependents {
        edge.from = if edge.from == end { begin } else { edge.from };
    }
    for rank in begin + 1..=end {
        case.edges.push(Edge {
            from: begin,
            to: rank,
        });
    }
    for rank in begin + 1..end {
        case.edges.push(Edge {
            from: rank,
            to: end,
        });
    }
    for rank in [begin, end] {
        case.nodes[rank as usize] = None;
    }
}

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
        cases: if cfg!(miri) { 4 } else { 2_000 },
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
            let expected = pair.iter().find(of_pair).or(both.first());
            let expected = expected.copied().unwrap_or(Rule::Delay);
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
                    // Without the other sweep, the graph has no cycle.
                    let members = case.sweeps()[sweep as usize].clone();
                    prop_assert!(members != *ones && members != *others);
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
