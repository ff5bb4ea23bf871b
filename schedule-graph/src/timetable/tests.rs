//! Timetables: in every interleaving of the lanes, each node starts after its predecessors.

use std::collections::BTreeSet;

use crate::cases::n_cases;
use proptest::prelude::*;

use super::{Timetable, TimetableEntry, TimetableInput, Wait};
use crate::graph::edge::Edge;
use crate::precedence::Precedence;

/// A ranked graph, and the input of its timetable.
#[derive(Clone, Debug)]
struct TimetableCase {
    /// All have `from < to`.
    edges: Vec<Edge>,
    costs: Vec<u32>,
    is_bound: Vec<bool>,
    n_workers: usize,
    per_node: u32,
    latency: u32,
}

impl TimetableCase {
    fn new(costs: &[u32], edges: &[(u32, u32)], n_workers: usize) -> Self {
        let edges = edges.iter().map(|&(from, to)| Edge { from, to });
        Self {
            edges: edges.collect(),
            costs: costs.to_vec(),
            is_bound: vec![false; costs.len()],
            n_workers,
            per_node: 0,
            latency: 0,
        }
    }

    fn timetable(&self) -> Timetable {
        Timetable::new(TimetableInput {
            precedence: &Precedence::new(&self.edges, &self.costs),
            costs: &self.costs,
            is_bound: &self.is_bound,
            n_workers: self.n_workers,
            per_node: self.per_node,
            latency: self.latency,
        })
    }

    fn predecessors(&self, rank: u32) -> impl Iterator<Item = u32> {
        let edges = self.edges.iter().filter(move |edge| edge.to == rank);
        edges.map(|edge| edge.from)
    }

    fn cost(&self, rank: u32) -> u64 {
        u64::from(self.costs[rank as usize] + self.per_node)
    }

    fn work(&self) -> u64 {
        (0..self.costs.len() as u32)
            .map(|rank| self.cost(rank))
            .sum()
    }

    /// The length of the critical path.
    fn span(&self) -> u64 {
        let mut ends: Vec<u64> = Vec::new();
        for rank in 0..self.costs.len() as u32 {
            let start = self.predecessors(rank).map(|before| ends[before as usize]);
            ends.push(start.max().unwrap_or(0) + self.cost(rank));
        }
        ends.into_iter().max().unwrap_or(0)
    }
}

/// `placements[rank]`: the lane of a node, and the number of entries before it.
fn placements(timetable: &Timetable, n_nodes: usize) -> Vec<(usize, usize)> {
    let mut placements = vec![None; n_nodes];
    for (lane, entries) in timetable.lanes.iter().enumerate() {
        for (idx, entry) in entries.iter().enumerate() {
            let placement = &mut placements[entry.rank as usize];
            assert_eq!(placement.replace((lane, idx)), None, "each node once");
        }
    }
    let placements = placements.into_iter();
    placements
        .map(|placement| placement.expect("each node once"))
        .collect()
}

/// `completed[lane]`: the number of completed entries.
type Progress = Vec<usize>;

fn next_entry(timetable: &Timetable, completed: &Progress, lane: usize) -> Option<TimetableEntry> {
    timetable.lanes[lane].get(completed[lane]).copied()
}

fn is_over(completed: &Progress, wait: Wait) -> bool {
    completed[wait.lane as usize] >= wait.n_entries as usize
}

/// All reachable states, for any speeds of the lanes.
fn all_progress(timetable: &Timetable) -> BTreeSet<Progress> {
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![0; timetable.lanes.len()]];
    while let Some(completed) = open.pop() {
        if !seen.insert(completed.clone()) {
            continue;
        }
        let mut is_stuck = true;
        for lane in 0..timetable.lanes.len() {
            let Some(entry) = next_entry(timetable, &completed, lane) else {
                continue;
            };
            let mut waits = timetable.waits(entry).iter();
            if waits.all(|&wait| is_over(&completed, wait)) {
                is_stuck = false;
                let mut next = completed.clone();
                next[lane] += 1;
                open.push(next);
            }
        }
        let n_left: usize = timetable
            .lanes
            .iter()
            .zip(&completed)
            .map(|(lane, n_done)| lane.len() - n_done)
            .sum();
        assert!(!is_stuck || n_left == 0, "deadlock at {completed:?}");
    }
    seen
}

/// Checks that no node starts before its predecessors are completed, in any state.
fn check_order(case: &TimetableCase, timetable: &Timetable, all: &BTreeSet<Progress>) {
    let placements = placements(timetable, case.costs.len());
    for completed in all {
        for lane in 0..timetable.lanes.len() {
            let Some(entry) = next_entry(timetable, completed, lane) else {
                continue;
            };
            let mut waits = timetable.waits(entry).iter();
            if !waits.all(|&wait| is_over(completed, wait)) {
                continue;
            }
            for before in case.predecessors(entry.rank) {
                let (of, idx) = placements[before as usize];
                assert!(
                    completed[of] > idx,
                    "{} starts before {before} is completed",
                    entry.rank
                );
            }
        }
    }
}

/// Checks that each wait delays its entry in some state, and that `is_awaited` is set for awaited entries only.
fn check_waits(timetable: &Timetable, all: &BTreeSet<Progress>) {
    let mut awaited = BTreeSet::new();
    for (lane, entries) in timetable.lanes.iter().enumerate() {
        let mut last = vec![0; timetable.lanes.len()];
        for (idx, &entry) in entries.iter().enumerate() {
            for &wait in timetable.waits(entry) {
                assert_ne!(wait.lane as usize, lane);
                assert!(wait.n_entries > last[wait.lane as usize], "waits again");
                last[wait.lane as usize] = wait.n_entries;
                awaited.insert((wait.lane as usize, wait.n_entries as usize - 1));
                // With more than two lanes, two other waits together may imply it.
                let is_needed = all
                    .iter()
                    .any(|completed| completed[lane] == idx && !is_over(completed, wait));
                let is_alone = timetable.lanes.len() == 2;
                assert!(is_needed || !is_alone, "{wait:?} is implied");
            }
        }
    }
    for (lane, entries) in timetable.lanes.iter().enumerate() {
        for (idx, entry) in entries.iter().enumerate() {
            assert_eq!(entry.is_awaited, awaited.contains(&(lane, idx)));
        }
    }
}

/// The length of a run in which each entry starts as early as possible.
fn replay(case: &TimetableCase, timetable: &Timetable) -> u64 {
    let mut ends: Vec<Vec<u64>> = vec![Vec::new(); timetable.lanes.len()];
    loop {
        let mut has_moved = false;
        for (lane, entries) in timetable.lanes.iter().enumerate() {
            while let Some(&entry) = entries.get(ends[lane].len()) {
                let ends_of_waits = timetable.waits(entry).iter().map(|wait| {
                    let end = ends[wait.lane as usize].get(wait.n_entries as usize - 1);
                    end.map(|end| end + u64::from(case.latency))
                });
                let Some(ends_of_waits) = ends_of_waits.collect::<Option<Vec<u64>>>() else {
                    break;
                };
                let free = ends[lane].last().copied().unwrap_or(0);
                let start = ends_of_waits.into_iter().fold(free, u64::max);
                ends[lane].push(start + case.cost(entry.rank));
                has_moved = true;
            }
        }
        if !has_moved {
            let ends = ends.iter().filter_map(|ends| ends.last().copied());
            return ends.max().unwrap_or(0);
        }
    }
}

fn cases() -> impl Strategy<Value = TimetableCase> {
    const MAX_NODES: usize = if cfg!(miri) { 5 } else { 14 };
    (0..=MAX_NODES, 1..=4_usize).prop_flat_map(|(n_nodes, n_workers)| {
        let node = 0..n_nodes.max(1) as u32;
        let edge = (node.clone(), node).prop_map(|(a, b)| Edge {
            from: a.min(b),
            to: a.max(b),
        });
        let cost = prop_oneof![Just(0), Just(1), 0..100_u32];
        let is_bound = prop_oneof![4 => Just(false), 1 => Just(true)];
        (
            prop::collection::vec(edge, 0..=2 * n_nodes),
            prop::collection::vec(cost, n_nodes),
            prop::collection::vec(is_bound, n_nodes),
            Just(n_workers),
            0..5_u32,
            prop_oneof![Just(0), 0..80_u32],
        )
            .prop_map(
                |(mut edges, costs, is_bound, n_workers, per_node, latency)| {
                    edges.retain(|edge| edge.from < edge.to);
                    TimetableCase {
                        edges,
                        costs,
                        is_bound,
                        n_workers,
                        per_node,
                        latency,
                    }
                },
            )
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(600, 4))
    })]

    #[test]
    fn nodes_start_after_their_predecessors_in_any_interleaving(case in cases()) {
        let timetable = case.timetable();
        prop_assert_eq!(timetable.lanes.len(), case.n_workers);
        let all = all_progress(&timetable);
        check_order(&case, &timetable, &all);
        check_waits(&timetable, &all);
    }

    #[test]
    fn bound_nodes_are_in_the_lane_of_the_caller(case in cases()) {
        let placements = placements(&case.timetable(), case.costs.len());
        for (rank, (lane, _)) in placements.into_iter().enumerate() {
            prop_assert!(lane == 0 || !case.is_bound[rank]);
        }
    }

    #[test]
    fn a_run_is_not_longer_than_the_makespan(case in cases()) {
        let timetable = case.timetable();
        let taken = replay(&case, &timetable);
        // A wait that is left out may be implied by one that is over earlier than the timetable assumes.
        prop_assert!(taken <= timetable.makespan);
        if case.latency == 0 {
            prop_assert_eq!(taken, timetable.makespan);
        }
        let least = case.span().max(case.work().div_ceil(case.n_workers as u64));
        prop_assert!(timetable.makespan >= least);
    }

    /// The bound of list schedules (Graham 1966).
    #[test]
    fn without_latency_no_timetable_is_longer_than_grahams_bound(case in cases()) {
        let free = TimetableCase {
            is_bound: vec![false; case.costs.len()],
            latency: 0,
            ..case
        };
        let n = free.n_workers as u64;
        let makespan = free.timetable().makespan;
        prop_assert!(n * makespan <= free.work() + (n - 1) * free.span());
    }

    #[test]
    fn one_worker_has_all_nodes_and_no_waits(case in cases()) {
        let alone = TimetableCase { n_workers: 1, ..case };
        let timetable = alone.timetable();
        prop_assert_eq!(timetable.lanes[0].len(), alone.costs.len());
        prop_assert!(timetable.waits.is_empty());
        prop_assert!(!timetable.is_parallel());
        prop_assert_eq!(timetable.makespan, alone.work());
    }
}

fn ranks(timetable: &Timetable) -> Vec<Vec<u32>> {
    let lanes = timetable.lanes.iter();
    let ranks = lanes.map(|lane| lane.iter().map(|entry| entry.rank).collect());
    ranks.collect()
}

#[test]
fn independent_nodes_are_in_different_lanes() {
    let timetable = TimetableCase::new(&[3, 3, 3, 3], &[], 2).timetable();
    let lens: Vec<usize> = timetable.lanes.iter().map(Vec::len).collect();
    assert_eq!(lens, [2, 2]);
    assert_eq!(timetable.makespan, 6);
    assert!(timetable.is_parallel());
    assert!(timetable.waits.is_empty());
}

#[test]
fn longest_path_starts_first() {
    // The nodes 0 and 1 together take as long as the nodes 2 and 3.
    let timetable = TimetableCase::new(&[5, 5, 4, 6], &[(0, 1)], 2).timetable();
    assert_eq!(timetable.makespan, 10);
}

#[test]
fn a_chain_stays_in_one_lane() {
    let mut case = TimetableCase::new(&[2, 2, 2, 20], &[(0, 1), (1, 2)], 2);
    case.latency = 5;
    let timetable = case.timetable();
    assert_eq!(ranks(&timetable), [vec![3], vec![0, 1, 2]]);
    assert!(timetable.waits.is_empty());
}

#[test]
fn a_node_shorter_than_the_latency_stays_in_the_lane() {
    let mut case = TimetableCase::new(&[10, 3, 3], &[(0, 1), (0, 2)], 2);
    case.latency = 4;
    let timetable = case.timetable();
    assert!(!timetable.is_parallel(), "{:?}", ranks(&timetable));
    assert_eq!(timetable.makespan, 16);
}

/// Node 2 waits for node 0 through node 1, which is in its lane.
#[test]
fn wait_implied_by_another_wait_is_left_out() {
    let mut case = TimetableCase::new(&[10, 1, 10, 12], &[(0, 1), (0, 2), (1, 2)], 2);
    case.is_bound = vec![true, false, false, true];
    let timetable = case.timetable();
    assert_eq!(ranks(&timetable), [vec![0, 3], vec![1, 2]]);
    let wait = Wait {
        lane: 0,
        n_entries: 1,
    };
    assert_eq!(timetable.waits(timetable.lanes[1][0]), [wait]);
    assert_eq!(timetable.waits(timetable.lanes[1][1]), []);
    let awaited = timetable.lanes.iter().flatten();
    let awaited: Vec<u32> = awaited
        .filter(|entry| entry.is_awaited)
        .map(|entry| entry.rank)
        .collect();
    assert_eq!(awaited, [0]);
}
