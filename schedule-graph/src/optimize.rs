//! In which order nodes go that conflict, where that is free: so that a run gets short.
//!
//! All such pairs are chosen together, by one order of all nodes that keeps to whatever is ordered already: each pair goes
//! along it, so no cycle can arise. The order is that in which a list schedule starts the nodes on a few workers, when two
//! that conflict never run at once (as in a project whose activities share resources): a node that is in the way of a more
//! urgent one then waits, and the plan gets an edge where the schedule had to wait anyway.
//!
//! The best of many such schedules is taken, each made from the best so far: forward and backward in turns
//! (forward-backward improvement; Wiest 1964, Valls, Ballestín, Quintanilla 2005), by the paths that its edges make, with
//! some chance in it once that alone gains nothing. Good is an order if simulated runs along it are short. All numbers are
//! integers and the chance is counted from a fixed seed: the same nodes and costs give the same order on every machine.

mod dice;
mod list;

use core::cmp::Reverse;

use self::dice::Dice;
use self::list::{Direction, ListSchedule};
use crate::conflict::Uses;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use crate::machine::{Load, Machine, hand_out};
use crate::policy::insertion_order;

/// Nodes of one level, of which a loop is one.
#[derive(Debug)]
pub(crate) struct Loose<'a> {
    pub n_resources: usize,
    pub uses: Uses<'a>,
    /// What holds whatever is chosen; without cycles.
    pub edges: &'a [Edge],
    /// `costs[v]`: what node v takes, in any unit; len = n_nodes.
    pub costs: &'a [u64],
}

/// For how many workers runs are simulated, and how much each counts: most machines have some, and who gains on two gains
/// for certain.
const MACHINES: [(usize, u64); 3] = [(2, 2), (4, 1), (8, 1)];
/// For how many workers the schedules are made in turns: with few, the paths hardly count, and with many, nothing else.
const N_WORKERS: [u32; 4] = [2, 4, 3, 8];
/// First those that know of no other, for each number of workers and direction; then as many by paths alone.
const N_SIMPLE: usize = 2 * N_WORKERS.len();
/// How many orders are tried, where that does not take too long.
const MOST_TRIES: usize = 32;
/// After so many that gained nothing, nothing is expected any more.
const PATIENCE: usize = 12;
/// How many nodes, uses and edges may be looked at for all tries together: some tenths of a second.
const MOST_STEPS: usize = 2_000_000;
/// In percent: by how much chance changes how urgent a node is.
const MOST_CHANCE: u64 = 20;

impl Loose<'_> {
    /// An order of all nodes.
    ///
    /// Cost: that of a list schedule and of simulated runs, O((V + U + E) log V), for each of some tries: so many, that all
    /// together stay within a bound, but two at least.
    pub(crate) fn order(&self) -> Vec<u32> {
        let size = self.costs.len() + self.uses.n_uses() + self.edges.len();
        let n_tries = (MOST_STEPS / size.max(1)).clamp(2, MOST_TRIES);
        let insertion_order = self.insertion_order();
        let bounds = self.bounds(&insertion_order);
        let list = ListSchedule::new(self);
        let mut dice = Dice::new();
        // Nothing is worse than insertion order.
        let first = self.try_order(insertion_order.clone(), &bounds, u64::MAX);
        let mut best = first.expect("nothing is as long");
        let mut last_gain = 0;
        for n in 0..n_tries {
            let n_workers = N_WORKERS[n / 2 % N_WORKERS.len()];
            let direction = match n % 2 {
                0 => Direction::Forward,
                _ => Direction::Backward,
            };
            let mut urgencies = if n < N_SIMPLE {
                self.lengths(self.edges, &insertion_order, direction)
            } else {
                self.lengths(&best.edges, &best.order, direction)
            };
            if n >= 2 * N_SIMPLE {
                for urgency in &mut urgencies {
                    let percent = 100 + dice.below(MOST_CHANCE + 1);
                    *urgency = (u128::from(*urgency) * u128::from(percent) / 100) as u64;
                }
            }
            let order = list.order(&urgencies, n_workers, direction);
            if let Some(better) = self.try_order(order, &bounds, best.score) {
                best = better;
                last_gain = n;
            }
            if best.score == BEST_SCORE || n >= last_gain.max(N_SIMPLE) + PATIENCE {
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

    /// `bounds[i]`: what a run takes at least on that machine, without any of the edges that are to be chosen. The order
    /// is a topological one.
    fn bounds(&self, order: &[u32]) -> [u64; MACHINES.len()] {
        let span = self.lengths(self.edges, order, Direction::Forward);
        let span = span.into_iter().max().unwrap_or(0);
        let work: u64 = self.costs.iter().sum();
        MACHINES.map(|(n_workers, _)| span.max(work.div_ceil(n_workers as u64)))
    }

    /// `lengths[v]`: what the longest path takes that begins with node v, or, backward, that ends with it; len = n_nodes.
    /// The edges keep to the order.
    ///
    /// O(V + E).
    fn lengths(&self, edges: &[Edge], order: &[u32], direction: Direction) -> Vec<u64> {
        let lists = Lists::of_successors(order.len(), &direction.turned(edges));
        let links = lists.links();
        let mut lengths = self.costs.to_vec();
        let mut lengthen = |&node: &u32| {
            let node = node as usize;
            let behind = (links.start(node)..links.end(node)).map(|link| links.target(link));
            let longest = behind.map(|then| lengths[then as usize]).max();
            lengths[node] += longest.unwrap_or(0);
        };
        match direction {
            Direction::Forward => order.iter().rev().for_each(&mut lengthen),
            Direction::Backward => order.iter().for_each(&mut lengthen),
        }
        lengths
    }

    /// Edges along this order, if runs are shorter with them than `least` says.
    fn try_order(
        &self,
        order: Vec<u32>,
        bounds: &[u64; MACHINES.len()],
        least: u64,
    ) -> Option<Try> {
        let mut edges = self.edges.to_vec();
        edges.extend(along(self.uses, self.n_resources, &order));
        let score = self.score(&order, &edges, bounds, least)?;
        Some(Try {
            order,
            edges,
            score,
        })
    }

    /// How long runs are with these edges, which keep to this order, in parts of what they take at least:
    /// [`BEST_SCORE`] if no longer, `None` if not less than `least`.
    ///
    /// Who is bound to the caller is not told apart.
    fn score(
        &self,
        order: &[u32],
        edges: &[Edge],
        bounds: &[u64; MACHINES.len()],
        least: u64,
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
        let load = Load {
            successors: lists.links(),
            costs_ns: &costs_ns,
            is_bound: &vec![false; n_nodes],
        };
        let mut score = BEST_SCORE;
        for (&(n_workers, weight), &bound) in MACHINES.iter().zip(bounds) {
            let stints = hand_out(load, Machine::new(n_workers));
            let makespan = stints.iter().map(|stint| stint.end_ns).max().unwrap_or(0);
            score += weight * scaled(makespan - bound, bound);
            if score >= least {
                return None;
            }
        }
        Some(score)
    }
}

/// An order that was tried.
struct Try {
    order: Vec<u32>,
    edges: Vec<Edge>,
    score: u64,
}

/// Nothing is longer than it has to be.
const BEST_SCORE: u64 = {
    let (mut sum, mut idx) = (0, 0);
    while idx < MACHINES.len() {
        sum += MACHINES[idx].1 << 16;
        idx += 1;
    }
    sum
};

/// `excess / bound`, as a fixed-point number of 16 bits.
fn scaled(excess: u64, bound: u64) -> u64 {
    let scaled = (u128::from(excess) << 16) / u128::from(bound.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX).min(1 << 32)
}

/// Edges by which every conflicting pair goes along this order.
fn along(uses: Uses<'_>, n_resources: usize, order: &[u32]) -> Vec<Edge> {
    let edges = insertion_order(uses, n_resources, order);
    edges.map(|(edge, _)| edge).collect()
}

#[cfg(test)]
mod tests;
