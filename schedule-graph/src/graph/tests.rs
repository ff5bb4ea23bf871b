//! Each algorithm on small graphs, on random graphs compared with brute force, and in const evaluation.

mod call;
mod constant;
mod property;

use self::call::{TestLists, back_edge, components, cycles, edges, kept, path, sorted};
use super::edge::Edge;
use super::reach::fill_reach;
use super::reduce::mark_kept_edges;
use super::window::Window;

const BITS: usize = Window::NODES_PER_BLOCK;

// ---- Links ----

#[test]
fn links_of_a_node_keep_the_order_of_the_edges() {
    let edges = edges(&[(2, 0), (0, 2), (2, 2), (0, 1), (2, 0), (0, 2)]);
    let graph = TestLists::of_successors(3, &edges);
    assert_eq!(graph.starts, [0, 3, 3, 6]);
    assert_eq!(graph.targets, [2, 1, 2, 0, 2, 0]);
    assert_eq!(graph.origins, [1, 3, 5, 0, 2, 4]);
}

#[test]
fn graph_without_nodes_has_no_links() {
    let graph = TestLists::of_successors(0, &[]);
    assert_eq!(graph.links().n_nodes(), 0);
    assert_eq!(graph.links().n_links(), 0);
}

#[test]
#[should_panic(expected = "an edge must join nodes of the graph")]
fn an_edge_to_a_node_that_does_not_exist_panics() {
    TestLists::of_successors(2, &edges(&[(0, 2)]));
}

#[test]
#[should_panic(expected = "an edge must join nodes of the graph")]
fn an_edge_from_a_node_that_does_not_exist_panics() {
    TestLists::of_successors(2, &edges(&[(2, 0)]));
}

// ---- Order ----

#[test]
fn kahn_takes_the_smallest_ready_index_first() {
    let edges = edges(&[(5, 1), (4, 0), (1, 3), (0, 2)]);
    assert_eq!(sorted(6, &edges), [4, 0, 2, 5, 1, 3]);
}

#[test]
fn kahn_keeps_the_order_of_declaration_without_edges() {
    assert_eq!(sorted(5, &[]), [0, 1, 2, 3, 4]);
}

#[test]
fn kahn_leaves_out_a_cycle_and_the_nodes_after_it() {
    let edges = edges(&[(0, 1), (1, 2), (2, 1), (2, 3), (4, 3)]);
    assert_eq!(sorted(5, &edges), [0, 4]);
}

#[test]
fn kahn_counts_parallel_edges_and_leaves_out_self_loops() {
    assert_eq!(sorted(3, &edges(&[(2, 0), (2, 0), (1, 1)])), [2, 0]);
}

#[test]
fn kahn_sorts_nothing_without_nodes() {
    assert_eq!(sorted(0, &[]), []);
}

// ---- Cycles ----

#[test]
fn the_back_edge_closes_the_cycle() {
    assert_eq!(
        back_edge(3, &edges(&[(0, 1), (0, 2), (1, 2), (2, 0)])),
        Some(3)
    );
    assert_eq!(back_edge(2, &edges(&[(0, 1), (1, 1)])), Some(1));
}

#[test]
fn a_diamond_has_no_back_edge() {
    assert_eq!(
        back_edge(4, &edges(&[(0, 1), (0, 2), (1, 3), (2, 3), (0, 1)])),
        None
    );
    assert_eq!(back_edge(0, &[]), None);
}

#[test]
fn components_are_numbered_after_those_they_lead_to() {
    // Node 0 leads to the component {1, 3}, which leads to node 2. Node 4 has no edges to other nodes.
    let edges = edges(&[(0, 1), (1, 3), (3, 1), (3, 2), (4, 4)]);
    assert_eq!(components(5, &edges), (4, vec![2, 1, 0, 1, 3]));
}

#[test]
fn components_without_a_common_cycle_are_not_joined() {
    // The link from {2, 3} to the completed component {0, 1} must not join them.
    let edges = edges(&[(0, 1), (1, 0), (2, 1), (2, 3), (3, 2)]);
    assert_eq!(components(4, &edges), (2, vec![0, 0, 1, 1]));
}

#[test]
fn a_graph_without_nodes_has_no_components_and_no_cycles() {
    assert_eq!(components(0, &[]), (0, vec![]));
    assert_eq!(cycles(0, &[]), Vec::<Vec<u32>>::new());
}

#[test]
fn the_cycle_of_a_component_is_a_shortest_one_through_its_first_node() {
    // The cycle 1 -> 3 -> 1 is shorter than 1 -> 2 -> 3 -> 1. The cycle 2 -> 3 -> 2 does not contain node 1.
    let edges = edges(&[(1, 2), (2, 3), (3, 2), (3, 1), (1, 3), (0, 1)]);
    assert_eq!(cycles(4, &edges), [vec![4, 3]]);
}

#[test]
fn a_self_loop_is_a_cycle_of_one_edge() {
    assert_eq!(
        cycles(3, &edges(&[(0, 1), (1, 1), (1, 1), (1, 2)])),
        [vec![1]]
    );
}

#[test]
fn a_self_loop_on_another_node_is_not_the_cycle_of_the_first() {
    assert_eq!(cycles(2, &edges(&[(1, 1), (0, 1), (1, 0)])), [vec![1, 2]]);
}

#[test]
fn cycles_name_the_earliest_of_parallel_edges() {
    assert_eq!(
        cycles(2, &edges(&[(1, 0), (0, 1), (1, 0), (0, 1)])),
        [vec![1, 0]]
    );
}

#[test]
fn cycles_are_sorted_by_their_first_nodes() {
    let edges = edges(&[(3, 1), (1, 3), (2, 0), (0, 2), (3, 0), (4, 4)]);
    assert_eq!(cycles(5, &edges), [vec![3, 2], vec![1, 0], vec![5]]);
}

// ---- Paths ----

#[test]
fn a_path_names_its_edges_in_order() {
    let edges = edges(&[(2, 3), (0, 1), (1, 2), (1, 2), (0, 1)]);
    assert_eq!(path(4, &edges, 0, 3), Some(vec![1, 2, 0]));
}

#[test]
fn a_path_takes_the_fewest_edges() {
    let edges = edges(&[(0, 1), (1, 2), (2, 3), (0, 2)]);
    assert_eq!(path(4, &edges, 0, 3), Some(vec![3, 2]));
}

#[test]
fn path_from_a_node_to_itself_is_empty() {
    let edges = edges(&[(0, 0), (0, 1), (1, 0)]);
    assert_eq!(path(3, &edges, 0, 0), Some(vec![]));
    assert_eq!(path(3, &edges, 0, 2), None);
    assert_eq!(path(3, &edges, 2, 0), None);
}

#[test]
fn a_path_may_pass_cycles_that_lead_back_to_its_start() {
    let edges = edges(&[(0, 0), (0, 1), (1, 0), (1, 2)]);
    assert_eq!(path(3, &edges, 0, 2), Some(vec![1, 3]));
}

// ---- Reachability ----

#[test]
fn a_node_without_a_cycle_does_not_reach_itself() {
    let graph = TestLists::of_successors(3, &edges(&[(0, 1), (1, 2)]));
    let mut blocks = vec![0; Window::full(3).n_row_blocks(3)];
    let reach = fill_reach(graph.links(), Window::full(3), &mut blocks);
    assert_eq!(reach.row(0), [0b110]);
    assert_eq!(reach.row(1), [0b100]);
    assert_eq!(reach.row(2), [0]);
    assert!(reach.has_path(0, 2));
    assert!(!reach.has_path(2, 0));
    assert!(!reach.has_path(1, 1));
}

#[test]
fn reach_crosses_the_borders_of_blocks() {
    // A chain through three blocks. The window is the second block.
    let n_nodes = 3 * BITS;
    let chain: Vec<_> = (1..n_nodes as u32)
        .map(|node| Edge {
            from: node - 1,
            to: node,
        })
        .collect();
    let graph = TestLists::of_successors(n_nodes, &chain);
    let window = Window {
        first: BITS,
        n_blocks: 1,
    };
    assert_eq!(window.n_rows(n_nodes), 2 * BITS);
    let mut blocks = vec![usize::MAX; window.n_row_blocks(n_nodes)];
    let reach = fill_reach(graph.links(), window, &mut blocks);
    assert_eq!(reach.row(0), [usize::MAX]);
    assert_eq!(reach.row(BITS as u32 - 1), [usize::MAX]);
    assert_eq!(reach.row(BITS as u32), [usize::MAX - 1]);
    assert_eq!(reach.row(2 * BITS as u32 - 2), [1 << (BITS - 1)]);
    assert_eq!(reach.row(2 * BITS as u32 - 1), [0]);
    assert_eq!(reach.row(2 * BITS as u32), [0; 0]);
    assert!(!reach.has_path(2 * BITS as u32, BITS as u32));
}

#[test]
#[should_panic(expected = "the window must contain the end of the path")]
fn a_path_to_a_node_outside_the_window_panics() {
    let graph = TestLists::of_successors(2 * BITS, &[]);
    let window = Window {
        first: 0,
        n_blocks: 1,
    };
    let mut blocks = vec![0; window.n_row_blocks(2 * BITS)];
    fill_reach(graph.links(), window, &mut blocks).has_path(0, BITS as u32);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the graph must be ranked")]
fn reachability_of_a_self_loop_panics() {
    let graph = TestLists::of_successors(1, &edges(&[(0, 0)]));
    fill_reach(graph.links(), Window::full(1), &mut [0]);
}

#[test]
fn reach_without_nodes_has_no_blocks() {
    let graph = TestLists::of_successors(0, &[]);
    let reach = fill_reach(graph.links(), Window::full(0), &mut []);
    assert_eq!(reach.row(0), [0; 0]);
}

// ---- Reduction ----

#[test]
fn an_edge_is_left_out_if_a_longer_path_implies_it() {
    let edges = edges(&[(0, 3), (0, 1), (1, 2), (2, 3), (0, 2)]);
    assert_eq!(
        kept(4, 1, &edges),
        (3, vec![false, true, true, true, false])
    );
}

#[test]
fn the_earliest_of_parallel_edges_is_kept() {
    assert_eq!(
        kept(2, 1, &edges(&[(0, 1), (0, 1), (0, 1)])),
        (1, vec![true, false, false])
    );
}

#[test]
fn parallel_edges_are_left_out_if_a_longer_path_implies_them() {
    let edges = edges(&[(0, 2), (0, 1), (1, 2), (0, 2)]);
    assert_eq!(kept(3, 1, &edges), (2, vec![false, true, true, false]));
}

#[test]
fn reduction_of_a_graph_without_nodes_is_empty() {
    assert_eq!(kept(0, 0, &[]), (0, vec![]));
}

#[test]
#[should_panic(expected = "a block per node")]
fn a_reduction_needs_a_block_per_node() {
    let graph = TestLists::of_successors(2, &[]);
    mark_kept_edges(graph.links(), &mut [0], &mut []);
}
