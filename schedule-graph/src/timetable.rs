//! Which worker runs what, and in which order, found before a run: for systems so short that to agree on it during the run
//! would take longer than they do.

use std::collections::BTreeSet;

use crate::graph::links::Links;
use crate::graph::lists::Lists;
use crate::precedence::Precedence;

/// What each worker runs, in this order, and what it waits for.
///
/// A wait is for something that starts earlier in the timetable, so workers never wait for each other in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timetable {
    /// By worker; 0 is the caller.
    pub lanes: Vec<Vec<Entry>>,
    /// By lane, then by entry; see [`Entry::waits`].
    waits: Vec<Wait>,
    /// What it takes to run, in the unit of the costs.
    pub makespan: u64,
}

/// A node in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The node, numbered by urgency.
    pub rank: u32,
    /// Somebody in another lane waits for it.
    pub is_awaited: bool,
    n_waits: u32,
    /// Where they stand in `waits`.
    first_wait: u32,
}

/// For so many entries of another lane to be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The lane that is waited for.
    pub lane: u32,
    /// How many of its entries have to be completed.
    pub n_entries: u32,
}

/// What is to be run, and what it takes to do so.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// Numbered by urgency.
    pub precedence: &'a Precedence,
    /// `costs[rank]`: what a node takes; len = n_nodes. In one unit with the others.
    pub costs: &'a [u32],
    /// `is_bound[rank]`: only worker 0 may run it; len = n_nodes.
    pub is_bound: &'a [bool],
    /// How many workers there are.
    pub n_workers: usize,
    /// What a node takes besides its system.
    pub per_node: u32,
    /// How long it takes until another worker sees that a node is completed.
    pub latency: u32,
}

/// How many of the most urgent nodes are looked at for the one that can start first.
const LOOK_AHEAD: usize = 16;

impl Timetable {
    /// A list schedule: of the most urgent nodes that wait for nothing the one goes next that can start first, on the worker
    /// on which it can (earliest task first, Hwang, Chow, Anger and Lee 1989). What another worker did is there a while
    /// later, so what belongs together comes to lie in one lane.
    /// Cost: O(edges × workers), for at most 16 nodes looked at each time.
    pub fn new(demand: Demand<'_>) -> Self {
        let Precedence { ranks, edges } = demand.precedence;
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
        let draft = Draft {
            demand,
            successors,
            predecessors: &predecessors,
            starts: &starts,
            free: vec![0; demand.n_workers],
            seats: vec![Seat::default(); n_nodes],
            n_pending: starts.windows(2).map(|ends| ends[1] - ends[0]).collect(),
            ready: BTreeSet::new(),
            lanes: vec![Vec::new(); demand.n_workers],
            in_order: Vec::with_capacity(n_nodes),
        };
        draft.finish()
    }

    /// What an entry waits for; of each other lane at most once.
    pub fn waits(&self, entry: Entry) -> &[Wait] {
        let first = entry.first_wait as usize;
        &self.waits[first..first + entry.n_waits as usize]
    }

    /// Whether more than one lane has something to do.
    pub fn is_parallel(&self) -> bool {
        self.lanes.iter().filter(|lane| !lane.is_empty()).count() > 1
    }
}

/// Where and when a node runs.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    lane: u32,
    /// How many come before it in the lane.
    idx: u32,
    end: u64,
}

/// A timetable in the making. Nodes are numbered by urgency.
struct Draft<'a> {
    demand: Demand<'a>,
    successors: Links<'a>,
    /// By node: `predecessors[starts[v]..starts[v + 1]]`.
    predecessors: &'a [u32],
    starts: &'a [u32],
    /// `free[w]`: when worker w has nothing left to do.
    free: Vec<u64>,
    /// `seats[v]`; len = n_nodes.
    seats: Vec<Seat>,
    n_pending: Vec<u32>,
    ready: BTreeSet<u32>,
    /// Nodes by lane.
    lanes: Vec<Vec<u32>>,
    /// Nodes as they were placed: each behind what it waits for, and behind those before it in its lane.
    in_order: Vec<u32>,
}

impl Draft<'_> {
    fn finish(mut self) -> Timetable {
        let n_nodes = self.seats.len() as u32;
        let roots = (0..n_nodes).filter(|&node| self.n_pending[node as usize] == 0);
        self.ready = roots.collect();
        while let Some((node, worker, start)) = self.next() {
            self.ready.remove(&node);
            let end = start + u64::from(self.cost(node)) + u64::from(self.demand.per_node);
            self.seats[node as usize] = Seat {
                lane: worker as u32,
                idx: self.lanes[worker].len() as u32,
                end,
            };
            self.lanes[worker].push(node);
            self.in_order.push(node);
            self.free[worker] = end;
            let links = self.successors;
            for link in links.start(node as usize)..links.end(node as usize) {
                let then = links.target(link);
                self.n_pending[then as usize] -= 1;
                if self.n_pending[then as usize] == 0 {
                    self.ready.insert(then);
                }
            }
        }
        self.tabulate()
    }

    /// Which node goes next, on which worker, and when it starts: the most urgent of those that can start first, or so
    /// little later that it makes no difference.
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
        // By urgency, as they are ready.
        let fits = |&&(start, node, _): &&(u64, u32, usize)| {
            let slack = (self.cost(node) / 8).min(self.demand.latency);
            start <= first + u64::from(slack)
        };
        let &(start, node, worker) = firsts.iter().find(fits)?;
        Some((node, worker, start))
    }

    fn cost(&self, node: u32) -> u32 {
        self.demand.costs[self.demand.precedence.ranks[node as usize] as usize]
    }

    fn workers(&self, node: u32) -> core::ops::Range<usize> {
        let rank = self.demand.precedence.ranks[node as usize] as usize;
        if self.demand.is_bound[rank] {
            0..1
        } else {
            0..self.demand.n_workers
        }
    }

    /// When a node can start on a worker.
    fn start(&self, node: u32, worker: usize) -> u64 {
        let seen = self.predecessors(node).map(|before| {
            let seat = self.seats[before as usize];
            let latency = match seat.lane as usize == worker {
                true => 0,
                false => u64::from(self.demand.latency),
            };
            seat.end + latency
        });
        seen.max().unwrap_or(0).max(self.free[worker])
    }

    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.predecessors[range].iter().copied()
    }

    /// Leaves out waits for what a lane has waited for before, itself or through others.
    fn tabulate(self) -> Timetable {
        let n_lanes = self.lanes.len();
        // `known[v]`: how many entries of each lane are known to be completed when node v is; len = n_nodes × n_lanes.
        let mut known = vec![0_u32; self.seats.len() * n_lanes];
        let mut so_far = vec![vec![0_u32; n_lanes]; n_lanes];
        let mut is_awaited = vec![false; self.seats.len()];
        let mut waits_of: Vec<Vec<Wait>> = vec![Vec::new(); self.seats.len()];
        for &node in &self.in_order {
            let seat = self.seats[node as usize];
            let lane = seat.lane as usize;
            let mut needed = vec![0_u32; n_lanes];
            for before in self.predecessors(node) {
                let at = self.seats[before as usize];
                needed[at.lane as usize] = needed[at.lane as usize].max(at.idx + 1);
            }
            // Those that tell of most others first.
            let mut others: Vec<usize> = (0..n_lanes).filter(|&other| other != lane).collect();
            others.sort_by_key(|&other| core::cmp::Reverse(needed[other]));
            for other in others {
                if needed[other] <= so_far[lane][other] {
                    continue;
                }
                let awaited = self.lanes[other][needed[other] as usize - 1];
                is_awaited[awaited as usize] = true;
                waits_of[node as usize].push(Wait {
                    lane: other as u32,
                    n_entries: needed[other],
                });
                let told = &known[awaited as usize * n_lanes..][..n_lanes];
                for (so_far, &told) in so_far[lane].iter_mut().zip(told) {
                    *so_far = (*so_far).max(told);
                }
            }
            so_far[lane][lane] = seat.idx + 1;
            known[node as usize * n_lanes..][..n_lanes].copy_from_slice(&so_far[lane]);
        }
        let mut waits = Vec::new();
        let mut entry = |&node: &u32| {
            let of_node = &waits_of[node as usize];
            let first_wait = waits.len() as u32;
            waits.extend_from_slice(of_node);
            Entry {
                rank: self.demand.precedence.ranks[node as usize],
                is_awaited: is_awaited[node as usize],
                n_waits: of_node.len() as u32,
                first_wait,
            }
        };
        let lanes = self.lanes.iter();
        let lanes = lanes.map(|lane| lane.iter().map(&mut entry).collect());
        Timetable {
            lanes: lanes.collect(),
            waits,
            makespan: self.free.iter().copied().max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests;
