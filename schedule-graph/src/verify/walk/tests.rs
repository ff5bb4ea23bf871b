use super::*;
use crate::arena::Heap;
use crate::conflict::{AccessKind, Use};

const fn on(resource: u32, is_write: bool) -> Use {
    Use::new(resource, AccessKind::of_write(is_write))
}

/// The uses of nodes 0 to 4: reads 0; writes 0 and reads 2; none; writes 2; reads 0 and writes 3.
const STARTS: [u32; 6] = [0, 1, 3, 3, 4, 6];
const LIST: [Use; 6] = [
    on(0, false),
    on(0, true),
    on(2, false),
    on(2, true),
    on(0, false),
    on(3, true),
];

fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
    let edge = |&(from, to): &(u32, u32)| Edge { from, to };
    pairs.iter().map(edge).collect()
}

/// The pairs of a walk with memory for `n_blocks` blocks of reachability. `n_declared`: see [`Walk::ordered`].
fn pairs_of(
    uses: Uses<'_>,
    n_resources: usize,
    edges: &[Edge],
    n_declared: Option<usize>,
    n_blocks: usize,
) -> Vec<(u32, u32)> {
    let extent = WalkExtent {
        n_nodes: uses.n_nodes(),
        n_edges: edges.len(),
        n_resources,
        n_filtered: 0,
        n_blocks,
        has_declared: n_declared.is_some(),
        has_folds: uses.has_folds(),
    };
    let mut heap = Heap::of(|arena| WalkMemory::take(arena, extent));
    let memory = WalkMemory::take(&mut heap.arena(), extent);
    let mut walk = match n_declared {
        None => Walk::free(uses, n_resources, Needs::NONE, edges, memory),
        Some(n) => Walk::ordered(uses, n_resources, Needs::NONE, edges, n, memory),
    };
    core::iter::from_fn(|| walk.next()).collect()
}

fn pairs(order: &[(u32, u32)], n_declared: Option<usize>) -> Vec<(u32, u32)> {
    let uses = Uses::new(&STARTS, &LIST);
    pairs_of(uses, 4, &edges(order), n_declared, usize::MAX)
}

#[test]
fn every_free_pair_is_visited_once_earlier_node_first() {
    assert_eq!(pairs(&[], None), [(0, 1), (1, 3), (1, 4)]);
    let turned = pairs(&[(4, 2), (3, 2), (2, 1), (2, 0)], None);
    assert_eq!(turned, [(0, 1)]);
}

#[test]
fn walk_leaves_out_a_pair_with_a_path() {
    assert_eq!(pairs(&[(0, 1), (1, 2), (2, 4)], None), [(1, 3)]);
}

#[test]
fn an_ordered_walk_visits_only_pairs_that_other_edges_order() {
    assert_eq!(pairs(&[(1, 4)], Some(0)), [(1, 4)]);
    assert_eq!(pairs(&[(0, 1), (1, 4)], Some(1)), [(1, 4)]);
    assert_eq!(pairs(&[(0, 1), (1, 4)], Some(2)), []);
}

#[test]
fn nodes_that_never_both_run_are_left_out() {
    let uses = Uses::new(&STARTS, &LIST);
    let needed = |condition, answers| crate::exclusion::Needed { condition, answers };
    let needs = Needs {
        starts: &[0, 0, 1, 1, 1, 2],
        needed: &[needed(2, 0b01), needed(2, 0b10)],
        ..Needs::NONE
    };
    let extent = WalkExtent {
        n_nodes: 5,
        n_edges: 0,
        n_resources: 4,
        n_filtered: 0,
        n_blocks: 1,
        has_declared: false,
        has_folds: false,
    };
    let mut heap = Heap::of(|arena| WalkMemory::take(arena, extent));
    let memory = WalkMemory::take(&mut heap.arena(), extent);
    let mut walk = Walk::free(uses, 4, needs, &[], memory);
    let found: Vec<_> = core::iter::from_fn(|| walk.next()).collect();
    assert_eq!(found, [(0, 1), (1, 3)]);
}

/// All nodes write one resource, which gives `n (n - 1) / 2` pairs, in windows of one block.
#[test]
fn all_windows_together_visit_every_pair_once() {
    for n_nodes in [0, 1, 63, 64, 65, 128, 130] {
        let starts: Vec<u32> = (0..=n_nodes as u32).collect();
        let list = vec![on(0, true); n_nodes];
        let uses = Uses::new(&starts, &list);
        for n_blocks in [1, n_nodes, 2 * n_nodes, usize::MAX] {
            let mut found = pairs_of(uses, 1, &[], None, n_blocks);
            assert!(found.iter().all(|(a, b)| a < b), "the earlier rank first");
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), n_nodes * n_nodes.saturating_sub(1) / 2);
        }
    }
}

#[test]
fn walk_runs_in_const_evaluation() {
    const fn count() -> usize {
        let extent = WalkExtent {
            n_nodes: 5,
            n_edges: 1,
            n_resources: 4,
            n_filtered: 0,
            n_blocks: 5,
            has_declared: false,
            has_folds: false,
        };
        let (mut words, mut blocks) = ([0; 80], [0; 20]);
        let mut edges = [Edge { from: 0, to: 0 }; 1];
        let mut arena = Arena::new(&mut words, &mut blocks, &mut edges, &mut [], &mut []);
        let memory = WalkMemory::take(&mut arena, extent);
        let uses = Uses::new(&STARTS, &LIST);
        let order = [Edge { from: 0, to: 1 }];
        let mut walk = Walk::free(uses, 4, Needs::NONE, &order, memory);
        let mut n_pairs = 0;
        while walk.next().is_some() {
            n_pairs += 1;
        }
        n_pairs
    }
    assert_eq!(const { count() }, 2);
}
