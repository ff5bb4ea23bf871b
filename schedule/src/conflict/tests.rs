use super::*;
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::graph::reach::fill_reach;

const READ: bool = false;
const WRITE: bool = true;

const fn on(resource: u32, is_write: bool) -> Use {
    Use { resource, is_write }
}

/// Nodes 0 to 4: reads 0; writes 0 and reads 2; touches nothing; writes 2; reads 0 and writes 3.
const STARTS: [u32; 6] = [0, 1, 3, 3, 4, 6];
const LIST: [Use; 6] = [
    on(0, READ),
    on(0, WRITE),
    on(2, READ),
    on(2, WRITE),
    on(0, READ),
    on(3, WRITE),
];
const USES: Uses<'static> = Uses::new(&STARTS, &LIST);

/// How many resources two nodes conflict on, and the last of them.
const fn conflicts(first: u32, second: u32) -> (usize, Option<Conflict>) {
    let mut shared = USES.shared(first, second);
    let mut n_conflicts = 0;
    let mut last = None;
    while let Some(conflict) = shared.next() {
        n_conflicts += 1;
        last = Some(conflict);
    }
    (n_conflicts, last)
}

/// Writes out the pairs without a path, among nodes of which any two of neighbouring ranks are joined by `edges`.
const fn pairs<const N: usize>(
    order: &[u32; 5],
    links: Links<'_>,
    window: Window,
) -> ([(u32, u32); N], usize) {
    let (mut users, mut writers, mut blocks) = ([0; 4], [0; 4], [0; 5]);
    let masks = Masks::fill(USES, order, window, &mut users, &mut writers);
    let reach = fill_reach(links, window, &mut blocks);
    let mut pairs = Pairs::new(USES, order, masks, reach, None);
    let (mut found, mut n_found, mut row) = ([(9, 9); N], 0, [0]);
    while let Some(pair) = pairs.next(&mut row) {
        found[n_found] = pair;
        n_found += 1;
    }
    (found, n_found)
}

const NO_LINKS: Links<'static> = Links::new(&[0; 6], &[], &[]);
const FREE: ([(u32, u32); 3], usize) = pairs(&[0, 1, 2, 3, 4], NO_LINKS, Window::full(5));

#[test]
fn a_node_has_the_uses_between_its_starts() {
    const { assert!(USES.n_nodes() == 5 && USES.n_uses() == 6) };
    assert_eq!((USES.start(1), USES.end(1)), (1, 3));
    assert_eq!(USES.start(2), USES.end(2));
    assert_eq!(USES.nth(3), on(2, WRITE));
}

#[test]
#[should_panic = "starts must have len = n_nodes + 1"]
fn starts_that_end_elsewhere_are_refused() {
    let _ = Uses::new(&[0, 1], &LIST);
}

#[test]
#[should_panic = "starts must have len = n_nodes + 1"]
fn no_starts_are_refused() {
    let _ = Uses::new(&[], &[]);
}

#[test]
fn two_nodes_conflict_on_what_both_touch_and_one_writes() {
    const ONE: (usize, Option<Conflict>) = conflicts(0, 1);
    const OTHER: (usize, Option<Conflict>) = conflicts(1, 0);
    let conflict = |first_writes, second_writes| Conflict {
        resource: 0,
        first_writes,
        second_writes,
    };
    assert_eq!(ONE, (1, Some(conflict(READ, WRITE))));
    assert_eq!(OTHER, (1, Some(conflict(WRITE, READ))));
    assert_eq!(conflicts(0, 4).0, 0, "two readers");
    assert_eq!(conflicts(3, 4).0, 0, "nothing in common");
    assert_eq!(conflicts(1, 2).0, 0, "one touches nothing");
    assert_eq!(conflicts(1, 1).0, 1, "a writer conflicts with its like");
}

#[test]
fn every_shared_resource_is_found_in_ascending_order() {
    let list: Vec<Use> = [0, 1, 3, 5, 0, 2, 3, 4, 5]
        .iter()
        .map(|&resource| on(resource, resource != 3))
        .collect();
    let uses = Uses::new(&[0, 4, 9], &list);
    let mut shared = uses.shared(0, 1);
    let mut found = Vec::new();
    while let Some(conflict) = shared.next() {
        assert!(conflict.first_writes && conflict.second_writes);
        found.push(conflict.resource);
    }
    assert_eq!(found, [0, 5]);
    assert_eq!(shared.next(), None);
}

#[test]
fn every_free_pair_is_met_once_the_earlier_first() {
    assert_eq!(FREE, ([(0, 1), (1, 3), (1, 4)], 3));
    let (mut turned, n_turned) = pairs::<3>(&[4, 3, 2, 1, 0], NO_LINKS, Window::full(5));
    turned.sort_unstable();
    assert_eq!((turned, n_turned), ([(1, 0), (3, 1), (4, 1)], 3));
}

#[test]
fn a_pair_with_a_path_is_left_out() {
    // 0 -> 1, and 1 -> 4 through 2.
    let edges = [(0, 1), (1, 2), (2, 4)].map(|(from, to)| Edge { from, to });
    let (mut starts, mut targets, mut origins) = ([0; 6], [0; 3], [0; 3]);
    Links::of_successors(&edges, &mut starts, &mut targets, &mut origins);
    let links = Links::new(&starts, &targets, &origins);
    let (found, n_found) = pairs::<3>(&[0, 1, 2, 3, 4], links, Window::full(5));
    assert_eq!((found[0], n_found), ((1, 3), 1));
}

#[test]
fn of_pairs_ordered_by_other_edges_only_these_are_met() {
    let edges = [Edge { from: 1, to: 4 }];
    let (mut starts, mut targets, mut origins) = ([0; 6], [0; 1], [0; 1]);
    Links::of_successors(&edges, &mut starts, &mut targets, &mut origins);
    let links = Links::new(&starts, &targets, &origins);
    let (mut users, mut writers, mut free, mut by) = ([0; 4], [0; 4], [0; 5], [0; 5]);
    let (window, order) = (Window::full(5), [0, 1, 2, 3, 4]);
    let masks = Masks::fill(USES, &order, window, &mut users, &mut writers);
    let free = fill_reach(NO_LINKS, window, &mut free);
    let by = fill_reach(links, window, &mut by);
    let mut pairs = Pairs::new(USES, &order, masks, free, Some(by));
    let mut row = [0];
    assert_eq!(pairs.next(&mut row), Some((1, 4)));
    assert_eq!(pairs.next(&mut row), None);
}

#[test]
fn masks_forget_what_was_there_before() {
    let (mut users, mut writers) = ([usize::MAX; 4], [usize::MAX; 4]);
    let order = [0, 1, 2, 3, 4];
    let masks = Masks::fill(USES, &order, Window::full(5), &mut users, &mut writers);
    assert_eq!(masks.users, [0b10011, 0, 0b01010, 0b10000]);
    assert_eq!(masks.writers, [0b00010, 0, 0b01000, 0b10000]);
}

/// All of as many nodes, each of which writes one resource: `n (n - 1) / 2` pairs, in windows of one block.
#[test]
fn windows_together_meet_every_pair_once() {
    for n_nodes in [1, 63, 64, 65, 128, 130] {
        let starts: Vec<u32> = (0..=n_nodes as u32).collect();
        let list = vec![on(0, WRITE); n_nodes];
        let uses = Uses::new(&starts, &list);
        let order: Vec<u32> = (0..n_nodes as u32).rev().collect();
        let no_links = vec![0; n_nodes + 1];
        let links = Links::new(&no_links, &[], &[]);
        let mut found = Vec::new();
        let mut window = Window {
            first: 0,
            n_blocks: 1,
        };
        while window.first < n_nodes {
            let (mut users, mut writers) = ([0], [0]);
            let masks = Masks::fill(uses, &order, window, &mut users, &mut writers);
            let mut blocks = vec![0; window.n_row_blocks(n_nodes)];
            let reach = fill_reach(links, window, &mut blocks);
            let mut pairs = Pairs::new(uses, &order, masks, reach, None);
            let mut row = [0];
            while let Some((a, b)) = pairs.next(&mut row) {
                assert!(a > b, "the earlier rank first, which is the larger node");
                found.push((a, b));
            }
            window.first = window.end();
        }
        let n_found = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), n_found, "no pair twice");
        assert_eq!(n_found, n_nodes * (n_nodes - 1) / 2);
    }
}
