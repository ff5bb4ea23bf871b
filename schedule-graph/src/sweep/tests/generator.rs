//! Random graphs.

use proptest::prelude::*;

use super::*;

fn node() -> impl Strategy<Value = Option<SweepNode>> {
    let node = (0_u32..4, 0_u32..12, 0_u32..5).prop_map(|(store, off, failing)| SweepNode {
        store: store / 2,
        is_sweepable: off > 0,
        can_fail: failing == 0,
    });
    prop_oneof![1 => Just(None), 5 => node.prop_map(Some)]
}

fn sweep_use() -> impl Strategy<Value = SweepUse> {
    let kinds = prop::sample::select(&AccessKind::ALL[..]);
    (0_u32..5, kinds, 0_u16..N_SIGNATURES as u16, 0_u32..4).prop_map(
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
pub(super) fn cases() -> impl Strategy<Value = SweepCase> {
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
