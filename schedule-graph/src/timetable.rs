//! Timetables: the nodes of each worker in a fixed order, computed before a run.
//!
//! A timetable is for systems that are so short that coordination during the run would take longer than they do.

use std::collections::BTreeSet;

use crate::graph::links::Links;
use crate::graph::lists::Lists;
use crate::precedence::Precedence;

/// The nodes of each worker in order, and the waits between workers.
///
/// Each wait is for a node that was placed earlier, so workers cannot deadlock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timetable {
    /// `lanes[w]`: the nodes of worker w in order; len = n_workers. Worker 0 is the caller.
    pub lanes: Vec<Vec<TimetableEntry>>,
    /// The waits of all entries, by lane, then by entry; see [`Timetable::waits`].
    waits: Vec<Wait>,
    /// The length of the run, in the unit of the costs.
    pub makespan: u64,
}

/// A node in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimetableEntry {
    /// The rank of the node in the topological order of the plan. It indexes [`TimetableInput::costs`].
    pub rank: u32,
    /// Whether an entry in another lane waits for it.
    pub is_awaited: bool,
    n_waits: u32,
    /// The index of its first wait in the list of all waits.
    first_wait: u32,
}

/// A wait until a number of entries of another lane are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The other lane.
    pub lane: u32,
    /// The number of its entries that must be completed, counted from its first entry.
    pub n_entries: u32,
}

/// The nodes of a timetable and their costs. All times have the same unit.
#[derive(Clone, Copy, Debug)]
pub struct TimetableInput<'a> {
    /// The predecessors of each node, and its rank by urgency.
    pub precedence: &'a Precedence,
    /// `costs[rank]`: the run time of a node; len = n_nodes.
    pub costs: &'a [u32],
    /// `is_bound[rank]`: the node must run on worker 0; len = n_nodes.
    pub is_bound: &'a [bool],
    /// The number of workers.
    pub n_workers: usize,
    /// The overhead of each node, in addition to its system.
    pub per_node: u32,
    /// The time until another worker sees that a node is completed.
    pub latency: u32,
}

/// The maximum number of ready nodes that are searched for the one that can start first.
const LOOK_AHEAD: usize = 16;

impl Timetable {
    /// Computes a timetable by list scheduling with communication delays (earliest task first; Hwang, Chow, Anger, Lee 1989).
    ///
    /// Of the most urgent ready nodes, the one that can start first is placed next, on the worker on which it can start first.
    /// The delay between workers keeps dependent nodes in one lane.
    ///
    /// Cost: O(E × workers), where at most 16 ready nodes are compared for each node.
    pub fn new(input: TimetableInput<'_>) -> Self {
        let Precedence { ranks, edges } = input.precedence;
        let n_nodes = ranks.len();
        let successors = Lists::of_successors(n_nodes, edges);
        let successors = successors.links();
        let mut incoming = edges.clone();
        incoming.sort_unstable_by_key(|edge| (edge.to, edge.from));
        let predecessors: Vec<u32> = incoming.iter().map(|edge| edge.from).collect();
        let mut starts = vec![0_u32; n_nodes + 1];
        for edge in edges {
            starts[edge.to as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let builder = TimetableBuilder {
            input,
            successors,
            predecessors: &predecessors,
            starts: &starts,
            free: vec![0; input.n_workers],
            placements: vec![Placement::default(); n_nodes],
            n_pending: starts.windows(2).map(|ends| ends[1] - ends[0]).collect(),
            ready: BTreeSet::new(),
            lanes: vec![Vec::new(); input.n_workers],
            in_order: Vec::with_capacity(n_nodes),
        };
        builder.finish()
    }

    /// The waits of an entry, at most one for each other lane.
    pub fn waits(&self, entry: TimetableEntry) -> &[Wait] {
        let first = entry.first_wait as usize;
        &self.waits[first..first + entry.n_waits as usize]
    }

    /// Whether more than one lane has entries.
    pub fn is_parallel(&self) -> bool {
        self.lanes.iter().filter(|lane| !lane.is_empty()).count() > 1
    }
}

/// The position of a node in the timetable, and its end.
#[derive(Clone, Copy, Debug, Default)]
struct Placement {
    lane: u32,
    /// The number of entries before it in the lane.
    idx: u32,
    end: u64,
}

/// A timetable while nodes are placed. Nodes are numbered by urgency.
struct TimetableBuilder<'a> {
    input: TimetableInput<'a>,
    successors: Links<'a>,
    /// `predecessors[starts[v]..starts[v + 1]]`: the predecessors of node v.
    predecessors: &'a [u32],
    starts: &'a [u32],
    /// `free[w]`: the end of the last node of worker w; len = n_workers.
    free: Vec<u64>,
    /// `placements[v]`: the placement of node v; len = n_nodes.
    placements: Vec<Placement>,
    n_pending: Vec<u32>,
    ready: BTreeSet<u32>,
    /// `lanes[w]`: the nodes of worker w in order; len = n_workers.
    lanes: Vec<Vec<u32>>,
    /// All placed nodes in the order of placement, which is topological and also respects the order within each lane.
    in_order: Vec<u32>,
}

impl TimetableBuilder<'_> {
    fn finish(mut self) -> Timetable {
        let n_nodes = self.placements.len() as u32;
        let roots = (0..n_nodes).filter(|&node| self.n_pending[node as usize] == 0);
        self.ready = roots.collect();
        while let Some((node, worker, start)) = self.next() {
            self.ready.remove(&node);
            let end = start + u64::from(self.cost(node)) + u64::from(self.input.per_node);
            self.placements[node as usize] = Placement {
                lane: worker as u32,
                idx: self.lanes[worker].len() as u32,
                end,
            };
            self.lanes[worker].push(node);
            self.in_order.push(node);
            self.free[worker] = end;
            let links = self.successors;
            for link in links.start(node as usize)..links.end(node as usize) {
                let successor = links.target(link);
                self.n_pending[successor as usize] -= 1;
                if self.n_pending[successor as usize] == 0 {
                    self.ready.insert(successor);
                }
            }
        }
        self.tabulate()
    }

    /// The next node, its worker and its start: the most urgent node that can start first. A node also qualifies if it can
    /// start at most an eighth of its cost later, limited by the latency.
    fn next(&self) -> Option<(u32, usize, u64)> {
        let nodes = self.ready.iter().take(LOOK_AHEAD);
        let mut firsts: [(u64, u32, usize); LOOK_AHEAD] = [(u64::MAX, 0, 0); LOOK_AHEAD];
        let mut n_firsts = 0;
        for &node in nodes {
            let starts = self
                .workers(node)
                .map(|worker| (self.start(node, worker), node, worker));
            firsts[n_firsts] = starts.min()?;
            n_firsts += 1;
        }
        let firsts = &firsts[..n_firsts];
        let &(first, ..) = firsts.iter().min()?;
        // `firsts` is sorted by urgency, as `ready` is.
        let can_start = |&&(start, node, _): &&(u64, u32, usize)| {
            let slack = (self.cost(node) / 8).min(self.input.latency);
            start <= first + u64::from(slack)
        };
        let &(start, node, worker) = firsts.iter().find(can_start)?;
        Some((node, worker, start))
    }

    fn cost(&self, node: u32) -> u32 {
        self.input.costs[self.input.precedence.ranks[node as usize] as usize]
    }

    fn workers(&self, node: u32) -> core::ops::Range<usize> {
        let rank = self.input.precedence.ranks[node as usize] as usize;
        if self.input.is_bound[rank] {
            0..1
        } else {
            0..self.input.n_workers
        }
    }

    /// The earliest start of a node on a worker.
    fn start(&self, node: u32, worker: usize) -> u64 {
        let seen = self.predecessors(node).map(|before| {
            let placement = self.placements[before as usize];
            let latency = if placement.lane as usize == worker {
                0
            } else {
                u64::from(self.input.latency)
            };
            placement.end + latency
        });
        seen.max().unwrap_or(0).max(self.free[worker])
    }

    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.predecessors[range].iter().copied()
    }

    /// Computes the waits. Leaves out a wait if an earlier wait of the lane implies it, directly or through other lanes.
    fn tabulate(self) -> Timetable {
        let n_lanes = self.lanes.len();
        // known[v * n_lanes + l]: if node v is completed, at least this number of entries of lane l are.
        let mut known = vec![0_u32; self.placements.len() * n_lanes];
        let mut completed = vec![vec![0_u32; n_lanes]; n_lanes];
        let mut is_awaited = vec![false; self.placements.len()];
        let mut waits_of: Vec<Vec<Wait>> = vec![Vec::new(); self.placements.len()];
        for &node in &self.in_order {
            let placement = self.placements[node as usize];
            let lane = placement.lane as usize;
            let mut needed = vec![0_u32; n_lanes];
            for before in self.predecessors(node) {
                let at = self.placements[before as usize];
                needed[at.lane as usize] = needed[at.lane as usize].max(at.idx + 1);
            }
            // The lane with the latest needed entry comes first, because its entry implies most others.
            let mut others: Vec<usize> = (0..n_lanes).filter(|&other| other != lane).collect();
            others.sort_by_key(|&other| core::cmp::Reverse(needed[other]));
            for other in others {
                if needed[other] <= completed[lane][other] {
                    continue;
                }
                let awaited = self.lanes[other][needed[other] as usize - 1];
                is_awaited[awaited as usize] = true;
                waits_of[node as usize].push(Wait {
                    lane: other as u32,
                    n_entries: needed[other],
                });
                let implied = &known[awaited as usize * n_lanes..][..n_lanes];
                for (completed, &implied) in completed[lane].iter_mut().zip(implied) {
                    *completed = (*completed).max(implied);
                }
            }
            completed[lane][lane] = placement.idx + 1;
            known[node as usize * n_lanes..][..n_lanes].copy_from_slice(&completed[lane]);
        }
        let mut waits = Vec::new();
        let mut entry = |&node: &u32| {
            let of_node = &waits_of[node as usize];
            let first_wait = waits.len() as u32;
            waits.extend_from_slice(of_node);
            TimetableEntry {
                rank: self.input.precedence.ranks[node as usize],
                is_awaited: is_awaited[node as usize],
                n_waits: of_node.len() as u32,
                first_wait,
            }
        };
        let lanes = self
            .lanes
            .iter()
            .map(|lane| lane.iter().map(&mut entry).collect());
        Timetable {
            lanes: lanes.collect(),
            waits,
            makespan: self.free.iter().copied().max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests;
