//! Every algorithm in const evaluation, compared with run time.

use super::super::SCRATCH_PER_NODE;
use super::super::cycle::{fill_components, fill_shortest_cycles, find_back_edge};
use super::super::edge::Edge;
use super::super::links::Links;
use super::super::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use super::super::path::shortest_path;
use super::super::reach::fill_reach;
use super::super::reduce::mark_kept_edges;
use super::super::window::Window;
use super::call::{TestLists, back_edge, components, cycles, kept, path, sorted};

/// An acyclic graph with parallel and redundant edges, not ranked.
mod acyclic {
    use super::*;

    const N_NODES: usize = 5;
    const EDGES: [Edge; 7] = [
        Edge { from: 4, to: 0 },
        Edge { from: 0, to: 2 },
        Edge { from: 4, to: 2 },
        Edge { from: 2, to: 1 },
        Edge { from: 0, to: 2 },
        Edge { from: 3, to: 1 },
        Edge { from: 4, to: 1 },
    ];

    struct Sorted {
        n_sorted: usize,
        order: [u32; N_NODES],
        ranks: [u32; N_NODES],
        ranked: [Edge; EDGES.len()],
    }

    const SORTED: Sorted = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        let mut order = [0; N_NODES];
        let n_sorted =
            sort_topologically(successors, &mut [0; SCRATCH_PER_NODE * N_NODES], &mut order);
        let mut ranks = [0; N_NODES];
        fill_ranks(&order, &mut ranks);
        let mut ranked = EDGES;
        fill_ranked_edges(&EDGES, &ranks, &mut ranked);
        Sorted {
            n_sorted,
            order,
            ranks,
            ranked,
        }
    };

    #[test]
    fn a_constant_order_equals_that_of_run_time() {
        assert_eq!(SORTED.n_sorted, N_NODES);
        assert_eq!(SORTED.order.to_vec(), sorted(N_NODES, &EDGES));
        let mut ranks = [0; N_NODES];
        fill_ranks(&SORTED.order, &mut ranks);
        assert_eq!(SORTED.ranks, ranks);
        let mut ranked = EDGES;
        fill_ranked_edges(&EDGES, &ranks, &mut ranked);
        assert_eq!(SORTED.ranked, ranked);
    }

    const BACK_EDGE: Option<u32> = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let links = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        find_back_edge(links, &mut [0; SCRATCH_PER_NODE * N_NODES])
    };

    #[test]
    fn a_constant_search_finds_no_back_edge() {
        assert_eq!(BACK_EDGE, back_edge(N_NODES, &EDGES));
    }

    const WINDOW: Window = Window::full(N_NODES);
    const BLOCKS: [usize; WINDOW.n_row_blocks(N_NODES)] = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors =
            Links::of_successors(&SORTED.ranked, &mut starts, &mut targets, &mut origins);
        let mut blocks = [0; WINDOW.n_row_blocks(N_NODES)];
        let reach = fill_reach(successors, WINDOW, &mut blocks);
        assert!(reach.has_path(SORTED.ranks[4], SORTED.ranks[1]));
        assert!(reach.row(SORTED.ranks[1])[0] == 0);
        blocks
    };

    #[test]
    fn a_constant_closure_equals_that_of_run_time() {
        let graph = TestLists::of_successors(N_NODES, &SORTED.ranked);
        let mut blocks = [0; WINDOW.n_row_blocks(N_NODES)];
        fill_reach(graph.links(), WINDOW, &mut blocks);
        assert_eq!(BLOCKS, blocks);
    }

    const KEPT: (usize, [bool; EDGES.len()]) = {
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors =
            Links::of_successors(&SORTED.ranked, &mut starts, &mut targets, &mut origins);
        let mut keep = [false; EDGES.len()];
        let n_kept = mark_kept_edges(successors, &mut [0; N_NODES], &mut keep);
        (n_kept, keep)
    };

    #[test]
    fn a_constant_reduction_equals_that_of_run_time() {
        assert_eq!(KEPT.0, 4);
        assert_eq!((KEPT.0, KEPT.1.to_vec()), kept(N_NODES, 1, &SORTED.ranked));
    }
}

/// A graph with two components that have cycles.
mod cyclic {
    use super::*;

    const N_NODES: usize = 5;
    const EDGES: [Edge; 7] = [
        Edge { from: 0, to: 1 },
        Edge { from: 1, to: 2 },
        Edge { from: 2, to: 3 },
        Edge { from: 3, to: 1 },
        Edge { from: 2, to: 1 },
        Edge { from: 4, to: 4 },
        Edge { from: 3, to: 4 },
    ];

    struct Found {
        back_edge: Option<u32>,
        n_components: usize,
        component: [u32; N_NODES],
        first_cycle: [u32; 2],
        last_cycle: [u32; 1],
        path: [u32; 4],
    }

    const FOUND: Found = {
        let mut scratch = [0; SCRATCH_PER_NODE * N_NODES];
        let (mut starts, mut targets, mut origins) =
            ([0; N_NODES + 1], [0; EDGES.len()], [0; EDGES.len()]);
        let successors = Links::of_successors(&EDGES, &mut starts, &mut targets, &mut origins);
        let back_edge = find_back_edge(successors, &mut scratch);
        let mut component = [0; N_NODES];
        let n_components = fill_components(successors, &mut scratch, &mut component);
        let (mut cycle_starts, mut cycle_edges) = ([0; N_NODES + 1], [0; N_NODES]);
        let cycles = fill_shortest_cycles(
            successors,
            &component,
            &mut scratch,
            &mut cycle_starts,
            &mut cycle_edges,
        );
        assert!(cycles.n_cycles() == 2);
        let first_cycle = *cycles.cycle(0).first_chunk().unwrap();
        let last_cycle = *cycles.cycle(1).first_chunk().unwrap();
        let mut path_edges = [0; N_NODES];
        let path = shortest_path(successors, 0, 4, &mut scratch, &mut path_edges);
        let path = *path.unwrap().first_chunk().unwrap();
        Found {
            back_edge,
            n_components,
            component,
            first_cycle,
            last_cycle,
            path,
        }
    };

    #[test]
    fn constant_cycles_and_paths_equal_those_of_run_time() {
        assert_eq!(FOUND.back_edge, back_edge(N_NODES, &EDGES));
        assert_eq!(
            (FOUND.n_components, FOUND.component.to_vec()),
            components(N_NODES, &EDGES)
        );
        assert_eq!(
            [FOUND.first_cycle.to_vec(), FOUND.last_cycle.to_vec()].to_vec(),
            cycles(N_NODES, &EDGES)
        );
        assert_eq!(Some(FOUND.path.to_vec()), path(N_NODES, &EDGES, 0, 4));
    }
}
