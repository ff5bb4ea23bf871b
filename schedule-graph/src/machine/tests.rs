//! Simulated runs, compared with known properties of list schedules.

use core::cmp::Reverse;
use core::time::Duration;

use proptest::prelude::*;

use super::events::{Assignment, SimulatedRun, Workload, simulate};
use super::{Discipline, Machine};
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;

/// Nodes numbered by urgency.
#[derive(Clone, Debug)]
struct TestGraph {
    edges: Vec<Edge>,
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
    is_shared: Vec<bool>,
}

impl TestGraph {
    fn new(costs_ns: &[u64], edges: &[(u32, u32)]) -> Self {
        let edges = edges.iter().map(|&(from, to)| Edge { from, to });
        Self {
            edges: edges.collect(),
            costs_ns: costs_ns.to_vec(),
            is_bound: vec![false; costs_ns.len()],
            is_shared: vec![false; costs_ns.len()],
        }
    }

    fn run(&self, machine: Machine) -> Run {
        let lists = Lists::of_successors(self.costs_ns.len(), &self.edges);
        let workload = Workload {
            successors: lists.links(),
            costs_ns: &self.costs_ns,
            is_bound: &self.is_bound,
            is_shared: &self.is_shared,
        };
        let SimulatedRun {
            assignments,
            shares,
        } = simulate(workload, machine);
        Run {
            assignments,
            shares,
            span_ns: workload.span_ns(machine.n_workers),
        }
    }

    fn work_ns(&self) -> u64 {
        self.costs_ns.iter().sum()
    }
}

struct Run {
    assignments: Vec<Assignment>,
    shares: Vec<(u32, Assignment)>,
    span_ns: u64,
}

impl Run {
    fn makespan_ns(&self) -> u64 {
        let ends = self.assignments.iter().map(|assignment| assignment.end_ns);
        ends.max().unwrap_or(0)
    }

    fn workers(&self) -> Vec<u32> {
        self.assignments
            .iter()
            .map(|assignment| assignment.worker)
            .collect()
    }

    fn starts(&self) -> Vec<u64> {
        self.assignments
            .iter()
            .map(|assignment| assignment.start_ns)
            .collect()
    }
}

const fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

#[test]
fn independent_nodes_go_to_idle_workers() {
    let graph = TestGraph::new(&[4, 3, 2, 1], &[]);
    let run = graph.run(Machine::new(2));
    assert_eq!(run.workers(), [0, 1, 1, 0]);
    assert_eq!(run.starts(), [0, 0, 3, 4]);
    assert_eq!(run.makespan_ns(), 5);
}

#[test]
fn a_worker_keeps_the_most_urgent_node_that_it_released() {
    // Worker 1 completes node 1 first. It keeps node 4, although node 3 is more urgent.
    let graph = TestGraph::new(&[5, 2, 5, 5, 1], &[(1, 4), (2, 3)]);
    let keep = graph.run(Machine::new(2));
    assert_eq!(keep.starts(), [0, 0, 3, 8, 2]);
    let most_urgent = graph.run(Machine::new(2).discipline(Discipline::MostUrgent));
    assert_eq!(most_urgent.starts(), [0, 0, 2, 7, 5]);
}

#[test]
fn a_node_that_another_worker_released_costs_a_hand_over() {
    // Node 0 releases nodes 1 and 2. Worker 0 keeps node 1, and worker 1 takes node 2. Node 2 completes last and releases node 3.
    let graph = TestGraph::new(&[10, 10, 10, 10], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    let run = graph.run(Machine::new(2).hand_over(ns(3)));
    assert_eq!(run.workers(), [0, 0, 1, 1]);
    assert_eq!(run.starts(), [0, 10, 10, 23]);
    assert_eq!(run.makespan_ns(), 33);
}

#[test]
fn helpers_start_after_the_wake_up_time() {
    let graph = TestGraph::new(&[10, 10, 10, 10], &[]);
    let run = graph.run(Machine::new(2).wake_up(ns(15)));
    assert_eq!(run.workers(), [0, 0, 1, 0]);
    assert_eq!(run.starts(), [0, 10, 15, 20]);
}

#[test]
fn a_chain_wakes_no_helpers() {
    let graph = TestGraph::new(&[10, 10, 10], &[(0, 1), (1, 2)]);
    let run = graph.run(Machine::new(8).wake_up(ns(1)).hand_over(ns(100)));
    assert_eq!(run.workers(), [0, 0, 0]);
    assert_eq!(run.makespan_ns(), 30);
}

#[test]
fn worker_0_runs_bound_nodes_before_it_keeps_another() {
    let mut graph = TestGraph::new(&[10, 10, 10, 10], &[(0, 2), (0, 3)]);
    graph.is_bound[3] = true;
    let run = graph.run(Machine::new(2));
    assert_eq!(run.workers(), [0, 1, 1, 0]);
    assert_eq!(run.starts(), [0, 0, 10, 10]);
}

#[test]
fn nodes_without_cost_take_no_time() {
    let graph = TestGraph::new(&[0, 5, 0, 5, 0], &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    assert_eq!(graph.run(Machine::new(2)).makespan_ns(), 10);
}

#[test]
fn idle_workers_help_with_a_shared_node() {
    // Node 0 alone takes 90 ns. Worker 1 helps at once, and worker 2 after 20 ns of node 1.
    let mut graph = TestGraph::new(&[90, 20, 5], &[(0, 2)]);
    graph.is_shared[0] = true;
    let run = graph.run(Machine::new(3));
    assert_eq!(run.starts(), [0, 0, 37]);
    // 2 x 20 ns, and then 50 ns by three workers.
    assert_eq!(run.makespan_ns(), 42);
    let shares: Vec<_> = run
        .shares
        .iter()
        .map(|(node, one)| (*node, one.worker, one.start_ns, one.end_ns))
        .collect();
    assert_eq!(shares, [(0, 2, 0, 37), (0, 1, 20, 37)]);
}

#[test]
fn help_with_a_shared_node_costs_a_hand_over() {
    let mut graph = TestGraph::new(&[100], &[]);
    graph.is_shared[0] = true;
    let run = graph.run(Machine::new(2).hand_over(ns(10)).wake_up(ns(20)));
    // 20 ns by one worker, and then 80 + 10 ns by two.
    assert_eq!(run.makespan_ns(), 65);
    let run = graph.run(Machine::new(2).hand_over(ns(10)).wake_up(ns(95)));
    assert_eq!(
        (run.makespan_ns(), run.shares.len()),
        (100, 0),
        "help would take longer"
    );
}

#[test]
fn a_worker_prefers_ready_nodes_to_shared_nodes() {
    let mut graph = TestGraph::new(&[100, 30, 30], &[]);
    graph.is_shared[0] = true;
    let run = graph.run(Machine::new(2));
    assert_eq!(run.starts(), [0, 0, 30]);
    assert_eq!(run.makespan_ns(), 80);
}

fn graphs() -> impl Strategy<Value = TestGraph> {
    (1..40_usize).prop_flat_map(|n_nodes| {
        let costs = prop::collection::vec(0..100_u64, n_nodes);
        let edges = prop::collection::btree_set((0..n_nodes, 0..n_nodes), 0..2 * n_nodes);
        let is_bound = prop::collection::vec(prop::bool::weighted(0.1), n_nodes);
        let is_shared = prop::collection::vec(prop::bool::weighted(0.2), n_nodes);
        let no_share = prop::bool::ANY;
        let nodes = (costs, is_bound, is_shared, no_share);
        (edges, nodes).prop_map(|(edges, (costs_ns, is_bound, mut is_shared, no_share))| {
            for (is_shared, is_bound) in is_shared.iter_mut().zip(&is_bound) {
                *is_shared &= !no_share && !is_bound;
            }
            let forward = edges.into_iter().filter(|(from, to)| from < to);
            TestGraph {
                edges: forward
                    .map(|(from, to)| Edge {
                        from: from as u32,
                        to: to as u32,
                    })
                    .collect(),
                costs_ns,
                is_bound,
                is_shared,
            }
        })
    })
}

fn machines() -> impl Strategy<Value = Machine> {
    (1..9_usize, 0..20_u64, 0..20_u64, 0..200_u64, any::<bool>()).prop_map(
        |(n_workers, per_node, hand_over, wake_up, keeps)| {
            Machine::new(n_workers)
                .per_node(ns(per_node))
                .hand_over(ns(hand_over))
                .wake_up(ns(wake_up))
                .discipline(if keeps {
                    Discipline::Keep
                } else {
                    Discipline::MostUrgent
                })
        },
    )
}

proptest! {
    #[test]
    fn every_node_runs_after_its_predecessors_and_runs_on_a_worker_do_not_overlap(
        graph in graphs(),
        machine in machines(),
    ) {
        let Run { assignments, shares, .. } = graph.run(machine);
        for &Edge { from, to } in &graph.edges {
            prop_assert!(assignments[from as usize].end_ns <= assignments[to as usize].start_ns);
        }
        for (node, assignment) in assignments.iter().enumerate() {
            prop_assert!((assignment.worker as usize) < machine.n_workers);
            prop_assert!(!graph.is_bound[node] || assignment.worker == 0);
            let of_node = shares.iter().filter(|(shared, _)| *shared as usize == node);
            let all = of_node.map(|(_, share)| share).chain([assignment]);
            let took_ns: u64 = all.map(|one| one.end_ns - one.start_ns).sum();
            prop_assert!(took_ns >= graph.costs_ns[node]);
        }
        for (node, share) in &shares {
            prop_assert!(graph.is_shared[*node as usize]);
            let owner = assignments[*node as usize];
            prop_assert!(owner.start_ns <= share.start_ns && share.end_ns == owner.end_ns);
        }
        let mut by_time = assignments.clone();
        by_time.extend(shares.iter().map(|(_, share)| *share));
        by_time.sort_by_key(|assignment| (assignment.worker, assignment.start_ns, assignment.end_ns));
        for pair in by_time.windows(2) {
            prop_assert!(pair[0].worker != pair[1].worker || pair[0].end_ns <= pair[1].start_ns);
        }
    }

    #[test]
    fn more_workers_than_nodes_take_no_memory_and_change_nothing(
        graph in graphs(),
        machine in machines(),
    ) {
        let mut graph = graph;
        graph.is_shared.fill(false);
        let with = |n_workers| graph.run(Machine { n_workers, ..machine }).assignments;
        prop_assert_eq!(with(usize::MAX), with(graph.costs_ns.len() + 1));
    }

    #[test]
    fn workers_that_cannot_help_take_no_memory(graph in graphs(), machine in machines()) {
        let run = graph.run(Machine { n_workers: usize::MAX, ..machine });
        // A node of less than 100 ns has fewer helpers than nanoseconds.
        prop_assert!(run.shares.len() < 120 * graph.costs_ns.len());
    }

    #[test]
    fn one_worker_takes_the_sum_of_all_costs(graph in graphs(), per_node in 0..20_u64) {
        let run = graph.run(Machine::new(1).per_node(ns(per_node)).hand_over(ns(7)));
        let n_nodes = graph.costs_ns.len() as u64;
        prop_assert_eq!(run.makespan_ns(), graph.work_ns() + n_nodes * per_node);
    }

    #[test]
    fn no_run_is_shorter_than_the_bound(graph in graphs(), machine in machines()) {
        let run = graph.run(machine);
        let share_ns = graph.work_ns().div_ceil(machine.n_workers as u64);
        prop_assert!(run.makespan_ns() >= run.span_ns.max(share_ns));
    }

    #[test]
    fn without_overheads_no_run_is_longer_than_grahams_bound(
        mut graph in graphs(),
        machine in machines(),
    ) {
        graph.is_bound.fill(false);
        let ideal = Machine::new(machine.n_workers).discipline(machine.discipline);
        let run = graph.run(ideal);
        // Work / n + (1 - 1/n) span.
        let n = ideal.n_workers as u64;
        // Each part of a shared node is rounded up to a nanosecond.
        let rounding = n * graph.costs_ns.len() as u64;
        prop_assert!(n * run.makespan_ns() <= graph.work_ns() + (n - 1) * run.span_ns + rounding);
    }

    #[test]
    fn run_on_many_workers_takes_the_critical_path(mut graph in graphs()) {
        graph.is_bound.fill(false);
        graph.is_shared.fill(false);
        let run = graph.run(Machine::new(64));
        prop_assert_eq!(run.makespan_ns(), run.span_ns);
    }

    /// The reference starts the most urgent ready nodes in rounds, and searches all nodes for the ready ones.
    #[test]
    fn nodes_of_equal_cost_run_in_rounds_by_urgency(
        mut graph in graphs(),
        n_workers in 1..5_usize,
    ) {
        graph.is_bound.fill(false);
        graph.is_shared.fill(false);
        graph.costs_ns.fill(10);
        let run = graph.run(Machine::new(n_workers).discipline(Discipline::MostUrgent));
        let n_nodes = graph.costs_ns.len() as u32;
        let mut round_of: Vec<Option<u64>> = vec![None; n_nodes as usize];
        for round in 0.. {
            let is_ready = |&node: &u32| {
                let mut before = graph.edges.iter().filter(|edge| edge.to == node);
                round_of[node as usize].is_none()
                    && before.all(|edge| round_of[edge.from as usize].is_some())
            };
            let ready: Vec<u32> = (0..n_nodes).filter(is_ready).take(n_workers).collect();
            if ready.is_empty() {
                break;
            }
            for node in ready {
                round_of[node as usize] = Some(round);
            }
        }
        let rounds: Vec<u64> = round_of.into_iter().flatten().collect();
        let starts: Vec<u64> = run.starts().iter().map(|start| start / 10).collect();
        prop_assert_eq!(starts, rounds);
        let mut busiest = run.assignments.clone();
        busiest.sort_by_key(|assignment| Reverse(assignment.end_ns));
        prop_assert_eq!(busiest[0].end_ns, run.makespan_ns());
    }
}
