//! Orders conflicting nodes that no edge orders, such that runs are short.
//!
//! The result is one topological order of all nodes. Every conflicting pair is ordered along it, so no cycle can arise. A
//! candidate is the order in which a list schedule on a few workers starts the nodes. In that schedule two conflicting nodes
//! never run at the same time, as in resource-constrained project scheduling. A pair then gets an edge where the schedule
//! has to wait anyway.
//!
//! The best of many candidates is kept. Each is made from the best one so far, in forward and backward direction in turn
//! (forward-backward improvement; Wiest 1964, Valls, Ballestín, Quintanilla 2005). The priority of a node is the length of
//! its longest path along the edges of the best candidate. Later candidates add random noise to these lengths. The score of
//! a candidate is the length of simulated runs.
//!
//! All numbers are integers, and the random numbers have a fixed seed. The same nodes and costs give the same order on
//! every machine.

mod list;
mod rng;

use core::cmp::Reverse;

use self::list::{Direction, ListSchedule};
use self::rng::Rng;
use crate::conflict::Uses;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use crate::machine::{Machine, Workload, simulate};
use crate::policy::insertion_order;

/// The nodes of one level. A nested loop counts as one node.
#[derive(Debug)]
pub(crate) struct OptimizeInput<'a> {
    pub n_resources: usize,
    pub uses: Uses<'a>,
    /// The edges that every order must respect. They have no cycle.
    pub edges: &'a [Edge],
    /// `costs[v]`: the run time of node v, in any unit; len = n_nodes.
    pub costs: &'a [u64],
}

/// The numbers of workers for which runs are simulated, each with its weight in the score.
const MACHINES: [(usize, u64); 3] = [(2, 2), (4, 1), (8, 1)];
/// The numbers of workers of list schedules, in turn. With few workers conflicts determine the schedule, with many workers
/// paths do.
const N_WORKERS: [u32; 4] = [2, 4, 3, 8];
/// The number of candidates that are made from the given edges only: one for each number of workers and direction. As many
/// candidates without noise follow.
const N_BASIC: usize = 2 * N_WORKERS.len();
/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 32;
/// The search ends after this number of candidates without an improvement.
const MAX_WITHOUT_GAIN: usize = 12;
/// The maximum number of nodes, uses and edges that all candidates visit together.
const MAX_STEPS: usize = 2_000_000;
/// The maximum noise of a priority, in percent.
const MAX_NOISE_PERCENT: u64 = 20;

impl OptimizeInput<'_> {
    /// Returns an order of all nodes. Its simulated runs are not longer than those in insertion order.
    ///
    /// Cost: O((V + U + E) log V) for each candidate. There are between 2 and [`MAX_CANDIDATES`] candidates, as many as
    /// [`MAX_STEPS`] permits.
    pub(crate) fn order(&self) -> Vec<u32> {
        let size = self.costs.len() + self.uses.n_uses() + self.edges.len();
        let n_candidates = (MAX_STEPS / size.max(1)).clamp(2, MAX_CANDIDATES);
        let insertion_order = self.insertion_order();
        let bounds = self.bounds(&insertion_order);
        let list = ListSchedule::new(self);
        let mut rng = Rng::new();
        // The result must not be worse than insertion order.
        let first = self.evaluate(insertion_order.clone(), &bounds, u64::MAX);
        let mut best = first.expect("no score is as high as the limit");
        let mut last_gain = 0;
        for n in 0..n_candidates {
            let n_workers = N_WORKERS[n / 2 % N_WORKERS.len()];
            let direction = match n % 2 {
                0 => Direction::Forward,
                _ => Direction::Backward,
            };
            let mut priorities = if n < N_BASIC {
                self.lengths(self.edges, &insertion_order, direction)
            } else {
                self.lengths(&best.edges, &best.order, direction)
            };
            if n >= 2 * N_BASIC {
                for priority in &mut priorities {
                    let percent = 100 + rng.below(MAX_NOISE_PERCENT + 1);
                    *priority = (u128::from(*priority) * u128::from(percent) / 100) as u64;
                }
            }
            let order = list.order(&priorities, n_workers, direction);
            if let Some(better) = self.evaluate(order, &bounds, best.score) {
                best = better;
                last_gain = n;
            }
            if best.score == BEST_SCORE || n >= last_gain.max(N_BASIC) + MAX_WITHOUT_GAIN {
                break;
            }
        }
        best.order
    }

    /// A topological order, smallest index first.
    fn insertion_order(&self) -> Vec<u32> {
        let n_nodes = self.costs.len();
        let lists = Lists::of_successors(n_nodes, self.edges);
        let mut order = vec![0; n_nodes];
        let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
        sort_topologically(lists.links(), &mut scratch, &mut order);
        order
    }

    /// `bounds[i]`: a lower bound of the length of a run on machine i of [`MACHINES`]. `order` is topological.
    fn bounds(&self, order: &[u32]) -> [u64; MACHINES.len()] {
        let span = self
            .lengths(self.edges, order, Direction::Forward)
            .into_iter()
            .max()
            .unwrap_or(0);
        let work: u64 = self.costs.iter().sum();
        MACHINES.map(|(n_workers, _)| span.max(work.div_ceil(n_workers as u64)))
    }

    /// `lengths[v]`: the length of the longest path that begins with node v, or with [`Direction::Backward`] that ends with
    /// it; len = n_nodes. `order` is a topological order of `edges`.
    ///
    /// O(V + E).
    fn lengths(&self, edges: &[Edge], order: &[u32], direction: Direction) -> Vec<u64> {
        let lists = Lists::of_successors(order.len(), &direction.reoriented(edges));
        let links = lists.links();
        let mut lengths = self.costs.to_vec();
        let mut lengthen = |&node: &u32| {
            let node = node as usize;
            let successors = (links.start(node)..links.end(node)).map(|link| links.target(link));
            let longest = successors
                .map(|successor| lengths[successor as usize])
                .max();
            lengths[node] += longest.unwrap_or(0);
        };
        match direction {
            Direction::Forward => order.iter().rev().for_each(&mut lengthen),
            Direction::Backward => order.iter().for_each(&mut lengthen),
        }
        lengths
    }

    /// Orders all conflicting pairs along `order`. Returns `None` if the score is not less than `limit`.
    fn evaluate(
        &self,
        order: Vec<u32>,
        bounds: &[u64; MACHINES.len()],
        limit: u64,
    ) -> Option<Candidate> {
        let mut edges = self.edges.to_vec();
        edges.extend(edges_along(self.uses, self.n_resources, &order));
        let score = self.score(&order, &edges, bounds, limit)?;
        Some(Candidate {
            order,
            edges,
            score,
        })
    }

    /// The weighted sum of the lengths of simulated runs, each relative to its lower bound. It is [`BEST_SCORE`] if all runs
    /// are as short as their bounds. `None` if the score is not less than `limit`.
    ///
    /// `order` is a topological order of `edges`. Nodes that only the caller may run are not distinguished.
    fn score(
        &self,
        order: &[u32],
        edges: &[Edge],
        bounds: &[u64; MACHINES.len()],
        limit: u64,
    ) -> Option<u64> {
        let n_nodes = self.costs.len();
        let lengths = self.lengths(edges, order, Direction::Forward);
        let mut nodes = order.to_vec();
        nodes.sort_by_key(|&node| Reverse(lengths[node as usize]));
        let mut numbers = vec![0; n_nodes];
        fill_ranks(&nodes, &mut numbers);
        let mut numbered = edges.to_vec();
        fill_ranked_edges(edges, &numbers, &mut numbered);
        let lists = Lists::of_successors(n_nodes, &numbered);
        let costs_ns: Vec<u64> = nodes
            .iter()
            .map(|&node| self.costs[node as usize])
            .collect();
        let workload = Workload {
            successors: lists.links(),
            costs_ns: &costs_ns,
            is_bound: &vec![false; n_nodes],
            is_shared: &[],
        };
        let mut score = BEST_SCORE;
        for (&(n_workers, weight), &bound) in MACHINES.iter().zip(bounds) {
            let makespan = simulate(workload, Machine::new(n_workers)).end_ns();
            score += weight * scaled(makespan - bound, bound);
            if score >= limit {
                return None;
            }
        }
        Some(score)
    }
}

/// A candidate order, with the edges along it.
struct Candidate {
    order: Vec<u32>,
    edges: Vec<Edge>,
    score: u64,
}

/// The score if all runs are as short as their lower bounds.
const BEST_SCORE: u64 = {
    let (mut sum, mut idx) = (0, 0);
    while idx < MACHINES.len() {
        sum += MACHINES[idx].1 << 16;
        idx += 1;
    }
    sum
};

/// `excess / bound` as a fixed-point number with 16 fraction bits.
fn scaled(excess: u64, bound: u64) -> u64 {
    let scaled = (u128::from(excess) << 16) / u128::from(bound.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX).min(1 << 32)
}

/// The edges that order every conflicting pair along `order`.
fn edges_along(uses: Uses<'_>, n_resources: usize, order: &[u32]) -> Vec<Edge> {
    let edges = insertion_order(uses, n_resources, order);
    edges.map(|(edge, _)| edge).collect()
}

#[cfg(test)]
mod tests;
