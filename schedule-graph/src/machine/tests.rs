//! What happens on a machine, against what is known of list schedules.

use core::cmp::Reverse;
use core::time::Duration;

use proptest::prelude::*;

use super::events::{Load, Stint, hand_out};
use super::{Discipline, Machine};
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;

/// Nodes numbered by urgency.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Edge>,
    costs_ns: Vec<u64>,
    is_bound: Vec<bool>,
}

impl Graph {
    fn new(costs_ns: &[u64], edges: &[(u32, u32)]) -> Self {
        let edges = edges.iter().map(|&(from, to)| Edge { from, to });
        Self {
            edges: edges.collect(),
            costs_ns: costs_ns.to_vec(),
            is_bound: vec![false; costs_ns.len()],
        }
    }

    fn run(&self, machine: Machine) -> Run {
        let lists = Lists::of_successors(self.costs_ns.len(), &self.edges);
        let load = Load {
            successors: lists.links(),
            costs_ns: &self.costs_ns,
            is_bound: &self.is_bound,
        };
        Run {
            stints: hand_out(load, machine),
            span_ns: load.span_ns(),
        }
    }

    fn work_ns(&self) -> u64 {
        self.costs_ns.iter().sum()
    }
}

struct Run {
    stints: Vec<Stint>,
    span_ns: u64,
}

impl Run {
    fn makespan_ns(&self) -> u64 {
        let ends = self.stints.iter().map(|stint| stint.end_ns);
        ends.max().unwrap_or(0)
    }

    fn workers(&self) -> Vec<u32> {
        self.stints.iter().map(|stint| stint.worker).collect()
    }

    fn starts(&self) -> Vec<u64> {
        self.stints.iter().map(|stint| stint.start_ns).collect()
    }
}

const fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

#[test]
fn independent_nodes_go_to_whoever_is_free() {
    let graph = Graph::new(&[4, 3, 2, 1], &[]);
    let run = graph.run(Machine::new(2));
    assert_eq!(run.workers(), [0, 1, 1, 0]);
    assert_eq!(run.starts(), [0, 0, 3, 4]);
    assert_eq!(run.makespan_ns(), 5);
}

#[test]
fn who_completes_a_node_keeps_the_most_urgent_that_it_released() {
    // Worker 1 is done first, and keeps 4, although 3 is more urgent.
    let graph = Graph::new(&[5, 2, 5, 5, 1], &[(1, 4), (2, 3)]);
    let keep = graph.run(Machine::new(2));
    assert_eq!(keep.starts(), [0, 0, 3, 8, 2]);
    let most_urgent = graph.run(Machine::new(2).discipline(Discipline::MostUrgent));
    assert_eq!(most_urgent.starts(), [0, 0, 2, 7, 5]);
}

#[test]
fn what_another_worker_released_costs_a_hand_over() {
    // 0 releases 1 and 2; the caller keeps 1, the helper takes 2; 3 waits for both, and 2 is done last.
    let graph = Graph::new(&[10, 10, 10, 10], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    let run = graph.run(Machine::new(2).hand_over(ns(3)));
    assert_eq!(run.workers(), [0, 0, 1, 1]);
    assert_eq!(run.starts(), [0, 10, 10, 23]);
    assert_eq!(run.makespan_ns(), 33);
}

#[test]
fn helpers_come_when_they_are_awake() {
    let graph = Graph::new(&[10, 10, 10, 10], &[]);
    let run = graph.run(Machine::new(2).wake_up(ns(15)));
    assert_eq!(run.workers(), [0, 0, 1, 0]);
    assert_eq!(run.starts(), [0, 10, 15, 20]);
}

#[test]
fn nobody_wakes_helpers_for_a_chain() {
    let graph = Graph::new(&[10, 10, 10], &[(0, 1), (1, 2)]);
    let run = graph.run(Machine::new(8).wake_up(ns(1)).hand_over(ns(100)));
    assert_eq!(run.workers(), [0, 0, 0]);
    assert_eq!(run.makespan_ns(), 30);
}

#[test]
fn the_caller_runs_what_is_bound_to_it_before_it_keeps_another() {
    let mut graph = Graph::new(&[10, 10, 10, 10], &[(0, 2), (0, 3)]);
    graph.is_bound[3] = true;
    let run = graph.run(Machine::new(2));
    assert_eq!(run.workers(), [0, 1, 1, 0]);
    assert_eq!(run.starts(), [0, 0, 10, 10]);
}

#[test]
fn nodes_without_work_take_no_time() {
    let graph = Graph::new(&[0, 5, 0, 5, 0], &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    assert_eq!(graph.run(Machine::new(2)).makespan_ns(), 10);
}

fn graphs() -> impl Strategy<Value = Graph> {
    (1..40_usize).prop_flat_map(|n_nodes| {
        let costs = prop::collection::vec(0..100_u64, n_nodes);
        let edges = prop::collection::btree_set((0..n_nodes, 0..n_nodes), 0..2 * n_nodes);
        let is_bound = prop::collection::vec(prop::bool::weighted(0.1), n_nodes);
        (costs, edges, is_bound).prop_map(|(costs_ns, edges, is_bound)| {
            let forward = edges.into_iter().filter(|(from, to)| from < to);
            Graph {
                edges: forward
                    .map(|(from, to)| Edge {
                        from: from as u32,
                        to: to as u32,
                    })
                    .collect(),
                costs_ns,
                is_bound,
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
                .discipline(match keeps {
                    true => Discipline::Keep,
                    false => Discipline::MostUrgent,
                })
        },
    )
}

proptest! {
    #[test]
    fn every_node_runs_after_its_predecessors_and_alone_on_its_worker(
        graph in graphs(),
        machine in machines(),
    ) {
        let Run { stints, .. } = graph.run(machine);
        for &Edge { from, to } in &graph.edges {
            prop_assert!(stints[from as usize].end_ns <= stints[to as usize].start_ns);
        }
        for (node, stint) in stints.iter().enumerate() {
            prop_assert!((stint.worker as usize) < machine.n_workers);
            prop_assert!(!graph.is_bound[node] || stint.worker == 0);
            prop_assert!(stint.end_ns - stint.start_ns >= graph.costs_ns[node]);
        }
        let mut by_time = stints.clone();
        by_time.sort_by_key(|stint| (stint.worker, stint.start_ns, stint.end_ns));
        for pair in by_time.windows(2) {
            prop_assert!(pair[0].worker != pair[1].worker || pair[0].end_ns <= pair[1].start_ns);
        }
    }

    #[test]
    fn workers_beyond_the_nodes_take_no_memory_and_change_nothing(
        graph in graphs(),
        machine in machines(),
    ) {
        let with = |n_workers| graph.run(Machine { n_workers, ..machine }).stints;
        prop_assert_eq!(with(usize::MAX), with(graph.costs_ns.len() + 1));
    }

    #[test]
    fn one_worker_takes_the_sum(graph in graphs(), per_node in 0..20_u64) {
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
        prop_assert!(n * run.makespan_ns() <= graph.work_ns() + (n - 1) * run.span_ns);
    }

    #[test]
    fn on_many_workers_a_run_takes_the_span(mut graph in graphs()) {
        graph.is_bound.fill(false);
        let run = graph.run(Machine::new(64));
        prop_assert_eq!(run.makespan_ns(), run.span_ns);
    }

    /// The most urgent first, step by step: who may start is looked for among all.
    #[test]
    fn equal_costs_run_in_rounds_of_the_most_urgent(
        mut graph in graphs(),
        n_workers in 1..5_usize,
    ) {
        graph.is_bound.fill(false);
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
        let mut busiest = run.stints.clone();
        busiest.sort_by_key(|stint| Reverse(stint.end_ns));
        prop_assert_eq!(busiest[0].end_ns, run.makespan_ns());
    }
}
