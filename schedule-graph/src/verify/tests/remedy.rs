//! The remedy, compared with the transitive reduction of all pairs.

use super::*;
use crate::exclusion::Needed;
use crate::graph::levels::NO_LOOP;
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::precedence::reduce;

/// A graph with loops and with nodes that never both run.
#[derive(Clone, Debug)]
struct Looped {
    case: Case,
    loops: Vec<Edge>,
    around: Vec<u32>,
    own: Vec<u32>,
    needs: Vec<Option<Needed>>,
}

impl Looped {
    fn with_input<T>(&self, visit: impl FnOnce(&VerifyInput<'_>) -> T) -> T {
        let levels = crate::graph::levels::Levels {
            loops: &self.loops,
            around: &self.around,
            own: &self.own,
        };
        let mut starts = vec![0];
        let mut needed = Vec::new();
        for of_node in &self.needs {
            needed.extend(of_node);
            starts.push(needed.len() as u32);
        }
        let needs = Needs {
            starts: &starts,
            needed: &needed,
            ..Needs::NONE
        };
        self.case.with_input(None, |input| {
            let mut declared: Vec<Edge> = input.declared.to_vec();
            declared.retain(|edge| edge.from != edge.to);
            declared = declared.into_iter().map(|edge| levels.lift(edge)).collect();
            for node in 0..self.case.n_nodes as u32 {
                let around = self.around[node as usize];
                if around != NO_LOOP {
                    let Edge { from, to } = self.loops[around as usize];
                    declared.push(Edge { from, to: node });
                    declared.push(Edge { from: node, to });
                }
            }
            declared.extend(&self.loops);
            let weak: Vec<Edge> = input.weak.iter().map(|&edge| levels.lift(edge)).collect();
            visit(&VerifyInput {
                levels,
                needs,
                declared: &declared,
                weak: &weak,
                ..*input
            })
        })
    }
}

/// Graphs with loops and other nodes, under shuffled numbers. The begin of a loop has a smaller number than its end.
fn looped_cases(n_plain: core::ops::Range<usize>) -> impl Strategy<Value = Looped> {
    (0..=3_usize, n_plain, 1..=3_usize).prop_flat_map(|(n_loops, n_plain, n_resources)| {
        let n_nodes = 2 * n_loops + n_plain;
        let kinds = prop::sample::select(&AccessKind::ALL[..]);
        let uses = prop::collection::btree_map(0..n_resources as u32, kinds, 0..=2);
        let uses = uses.prop_map(|uses| uses.into_iter().collect::<Vec<_>>());
        let node = 0..n_nodes;
        let forward = (node.clone(), node.clone()).prop_filter("forward", |(a, b)| a < b);
        let pair = (node.clone(), node, policies());
        let needed =
            (0..2_u32, 0..=2_u64).prop_map(|(condition, answers)| Needed { condition, answers });
        (
            Just((0..n_nodes as u32).collect::<Vec<_>>()).prop_shuffle(),
            prop::collection::vec(any::<prop::sample::Index>(), n_loops + n_plain),
            prop::collection::vec(uses, n_nodes),
            (
                prop::collection::vec(forward.clone(), 0..n_plain),
                prop::collection::vec(forward, 0..3),
                filters(n_nodes),
            ),
            prop_oneof![4 => Just(Policy::Reject), 1 => policies()],
            prop::collection::vec(prop::option::weighted(0.2, policies()), n_resources),
            prop::collection::vec(pair, 0..3),
            prop::collection::vec(prop::option::weighted(0.2, needed), n_nodes),
        )
            .prop_map(
                move |(
                    names,
                    places,
                    mut uses,
                    (orders, weak, filters),
                    schedule,
                    resources,
                    pairs,
                    needs,
                )| {
                    let mut around = vec![NO_LOOP; n_nodes];
                    let mut own = vec![NO_LOOP; n_nodes];
                    let mut loops = Vec::new();
                    // An item is in one of the earlier loops or in no loop.
                    let loop_at = |n_before: usize, place: &prop::sample::Index| {
                        (place.index(n_before + 1) as u32)
                            .checked_sub(1)
                            .unwrap_or(NO_LOOP)
                    };
                    for nth in 0..n_loops {
                        let (one, other) = (names[2 * nth], names[2 * nth + 1]);
                        let (from, to) = (one.min(other), one.max(other));
                        loops.push(Edge { from, to });
                        for node in [from, to] {
                            own[node as usize] = nth as u32;
                            around[node as usize] = loop_at(nth, &places[nth]);
                        }
                        uses[to as usize].clear();
                    }
                    for nth in 0..n_plain {
                        let node = names[2 * n_loops + nth] as usize;
                        around[node] = loop_at(n_loops, &places[n_loops + nth]);
                    }
                    let named = |orders: Vec<(usize, usize)>| -> Vec<(u32, u32)> {
                        let named = orders.into_iter().map(|(a, b)| (names[a], names[b]));
                        named.collect()
                    };
                    let mut pairs: Vec<_> = pairs
                        .into_iter()
                        .map(|(a, b, policy)| (a.min(b) as u32, a.max(b) as u32, policy))
                        .collect();
                    pairs.sort_unstable();
                    pairs.dedup_by_key(|pair| (pair.0, pair.1));
                    Looped {
                        case: Case {
                            n_nodes,
                            n_resources,
                            uses,
                            declared: named(orders),
                            weak: named(weak),
                            schedule,
                            resources,
                            pairs,
                            costs: vec![1; n_nodes],
                            pinned: Vec::new(),
                            filters,
                        },
                        loops,
                        around,
                        own,
                        needs,
                    }
                },
            )
    })
}

/// All races of a graph without cycles of declared and weak orders, and the expected remedy: the transitive reduction of all
/// races, ordered along the order of `Levelled`.
fn by_pairs(input: &VerifyInput<'_>) -> Option<[Vec<(u32, u32)>; 2]> {
    let extent = PhasesExtent {
        n_nodes: input.uses.n_nodes(),
        n_declared: input.declared.len(),
        n_weak: input.weak.len(),
        n_pairs: 2 * input.uses.n_nodes().pow(2),
        n_resources: input.n_resources,
        n_filtered: input.uses.filters().n_filtered(),
        n_blocks: usize::MAX,
        has_folds: true,
    };
    let mut heap = Heap::of(|arena| PhasesMemory::take(arena, extent, false));
    let memory = PhasesMemory::take(&mut heap.arena(), extent, false);
    let mut phases = Phases::begin(*input, memory).unwrap();
    if phases.n_cycles() > 0 {
        return None;
    }
    let (mut races, mut first) = (Vec::new(), Vec::new());
    let (mut walk, mut policies) = phases.races();
    while let Some((a, b)) = walk.next() {
        match policies.policy(a, b) {
            Some(Policy::Reject) => races.push((a.min(b), a.max(b))),
            Some(Policy::WritersFirst) => first.push((a, b)),
            _ => {}
        }
    }
    races.sort_unstable();
    for (a, b) in first {
        phases.add_writers_first(a, b).unwrap();
    }
    let n_nodes = input.uses.n_nodes();
    let along = |edges: &[Edge]| {
        let edges = [edges, input.weak].concat();
        sort(n_nodes, &edges)?;
        let levelled = super::super::levelled::Levelled::new(n_nodes, &edges, input.levels);
        let of_level = |level: usize| sort(levelled.nodes[level].len(), &levelled.edges[level]);
        let orders = (0..levelled.nodes.len()).map(of_level);
        Some(levelled.join(input.levels, orders.collect::<Option<_>>()?))
    };
    let order = along(phases.edges())
        .or_else(|| along(input.declared))
        .unwrap();
    let mut ranks = vec![0; n_nodes];
    fill_ranks(&order, &mut ranks);
    let rank = |node: u32| ranks[node as usize];
    let mut pairs: Vec<(Edge, (u32, u32))> = races
        .iter()
        .map(|&(a, b)| {
            let (from, to) = if rank(a) < rank(b) { (a, b) } else { (b, a) };
            (input.levels.lift(Edge { from, to }), (from, to))
        })
        .collect();
    pairs.sort_by_key(|(edge, _)| (rank(edge.from), rank(edge.to)));
    pairs.dedup_by_key(|(edge, _)| (edge.from, edge.to));
    let mut edges = [input.declared, input.weak].concat();
    let n_known = edges.len();
    edges.extend(pairs.iter().map(|(edge, _)| *edge));
    let mut ranked = edges.clone();
    fill_ranked_edges(&edges, &ranks, &mut ranked);
    let kept = reduce(n_nodes, &ranked);
    let pairs = pairs.into_iter().zip(&kept[n_known..]);
    let remedy = pairs.filter_map(|((_, pair), kept)| kept.then_some(pair));
    Some([races, remedy.collect()])
}

/// Checks races and remedy. Returns the number of orders in the remedy.
fn check(input: &VerifyInput<'_>) -> Result<usize, TestCaseError> {
    let Some([races, remedy]) = by_pairs(input) else {
        return Ok(0);
    };
    let violations = verify(input).err().unwrap_or_default();
    prop_assert_eq!(violations.races.n_pairs, races.len());
    if races.len() <= Races::MAX_LISTED {
        prop_assert_eq!(violations.races.listed, races);
    }
    prop_assert_eq!(&violations.remedy, &remedy);
    Ok(remedy.len())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(3000, 8),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn remedy_is_the_transitive_reduction_of_all_races(case in cases()) {
        case.with_input(None, check)?;
    }

    #[test]
    fn remedy_of_loops_is_the_transitive_reduction_of_all_races(looped in looped_cases(2..if cfg!(miri) { 4 } else { 13 })) {
        looped.with_input(check)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(100, 1),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn remedy_of_loops_across_windows_is_the_transitive_reduction(
        looped in looped_cases(60..150),
    ) {
        looped.with_input(check)?;
    }
}

/// The graph has more nodes than a window.
#[test]
fn remedy_across_windows_is_the_transitive_reduction() {
    let n_nodes = if cfg!(miri) { 70 } else { 200_u32 };
    let mut case = plain(Vec::new(), Policy::Reject);
    case.n_nodes = n_nodes as usize;
    case.costs = vec![1; case.n_nodes];
    case.uses = (0..n_nodes)
        .map(|node| {
            let kind = AccessKind::ALL[(node / 5 % 3) as usize];
            vec![(node % 3, kind)]
        })
        .collect();
    case.declared = (0..n_nodes - 70)
        .map(|node| (node + 70, node))
        .step_by(3)
        .collect();
    let n_orders = case.with_input(None, check).unwrap();
    assert!(n_orders > 50, "{n_orders}");
}

/// Node 0 conflicts with an early node of a loop and with node 1. Node 1 conflicts with a late node, in another window.
#[test]
fn an_order_with_a_late_node_of_a_loop_ends_races_with_early_nodes() {
    let n_nodes = 110;
    let mut uses = vec![vec![]; n_nodes];
    uses[0] = vec![(0, WRITE), (1, WRITE)];
    uses[1] = vec![(0, WRITE), (2, WRITE)];
    uses[3] = vec![(1, WRITE)];
    uses[100] = vec![(2, WRITE)];
    let (begin, end) = (2, n_nodes - 1);
    let mut around = vec![NO_LOOP; n_nodes];
    around[begin + 1..end].fill(0);
    let mut own = vec![NO_LOOP; n_nodes];
    (own[begin], own[end]) = (0, 0);
    let looped = Looped {
        case: plain(uses, Policy::Reject),
        loops: vec![Edge {
            from: begin as u32,
            to: end as u32,
        }],
        around,
        own,
        needs: vec![None; n_nodes],
    };
    let remedy = looped.with_input(|input| verify(input).unwrap_err().remedy);
    assert_eq!(remedy, [(0, 1), (1, 100)]);
    assert_eq!(looped.with_input(check).unwrap(), 2);
}
