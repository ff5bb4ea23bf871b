//! Event-driven simulation of a run on a [`Machine`]. Nodes and workers are numbers, times are nanoseconds.

use core::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::{Discipline, Machine};
use crate::graph::links::Links;

/// The nodes of a simulated run, numbered by urgency. Node 0 is the most urgent one. Each node has a smaller number than its
/// successors.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// The successors of each node.
    pub successors: Links<'a>,
    /// `costs_ns[v]`: the run time of node v, in nanoseconds; len = n_nodes.
    pub costs_ns: &'a [u64],
    /// `is_bound[v]`: node v must run on worker 0; len = n_nodes.
    pub is_bound: &'a [bool],
}

/// The worker and the times at which a node runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The worker that runs it.
    pub worker: u32,
    /// The start, in nanoseconds from the begin of the run.
    pub start_ns: u64,
    /// The end, in nanoseconds from the begin of the run.
    pub end_ns: u64,
}

impl Workload<'_> {
    /// The length of the critical path, in nanoseconds. O(V + E).
    pub fn span_ns(self) -> u64 {
        let links = self.successors;
        let mut lengths = vec![0; links.n_nodes()];
        for node in (0..lengths.len()).rev() {
            let successors = (links.start(node)..links.end(node)).map(|link| links.target(link));
            let longest = successors
                .map(|successor| lengths[successor as usize])
                .max();
            lengths[node] = self.costs_ns[node] + longest.unwrap_or(0);
        }
        lengths.into_iter().max().unwrap_or(0)
    }
}

/// Simulates a run of all nodes. Element v of the result is the assignment of node v.
///
/// Uses list scheduling (Graham 1966): no worker is idle while a node is ready that it may run. If several workers complete
/// nodes at the same time, all completions are processed before a worker takes its next node. Nodes without predecessors
/// count as released by worker 0.
///
/// Cost: O((V + E) log V).
pub fn simulate(workload: Workload<'_>, machine: Machine) -> Vec<Assignment> {
    let mut simulation = Simulation::new(workload, machine);
    simulation.begin();
    while let Some(Reverse((now_ns, event))) = simulation.events.pop() {
        simulation.now_ns = now_ns;
        simulation.handle(event);
        // All events of one time are handled before nodes are assigned.
        while let Some(&Reverse((at_ns, event))) = simulation.events.peek()
            && at_ns == now_ns
        {
            simulation.events.pop();
            simulation.handle(event);
        }
        simulation.assign();
    }
    debug_assert_eq!(
        simulation.n_completed,
        workload.costs_ns.len(),
        "all nodes must run"
    );
    simulation.assignments
}

/// An event. The order of the variants is the order of events at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker completes a node.
    Done { worker: u32, node: u32 },
    /// The helpers start.
    Awake,
}

/// The state of a simulated run.
struct Simulation<'a> {
    workload: Workload<'a>,
    machine: Machine,
    per_node_ns: u64,
    hand_over_ns: u64,
    now_ns: u64,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// `n_pending[v]`: unfinished predecessors of node v; len = n_nodes.
    n_pending: Vec<u32>,
    /// `released_by[v]`: the worker that completed the last predecessor of node v; len = n_nodes.
    released_by: Vec<u32>,
    /// The ready nodes that any worker may run.
    open: BinaryHeap<Reverse<u32>>,
    /// The ready nodes that only worker 0 may run.
    bound: BinaryHeap<Reverse<u32>>,
    /// The workers that have started and run no node.
    idle: BTreeSet<u32>,
    is_wake_up_scheduled: bool,
    n_completed: usize,
    assignments: Vec<Assignment>,
}

impl<'a> Simulation<'a> {
    fn new(workload: Workload<'a>, machine: Machine) -> Self {
        let n_nodes = workload.successors.n_nodes();
        let mut n_pending = vec![0; n_nodes];
        for &node in workload.successors.targets() {
            n_pending[node as usize] += 1;
        }
        Self {
            workload,
            machine,
            per_node_ns: machine.per_node.as_nanos() as u64,
            hand_over_ns: machine.hand_over.as_nanos() as u64,
            now_ns: 0,
            events: BinaryHeap::new(),
            n_pending,
            released_by: vec![0; n_nodes],
            open: BinaryHeap::new(),
            bound: BinaryHeap::new(),
            idle: BTreeSet::from([0]),
            is_wake_up_scheduled: machine.n_workers == 1,
            n_completed: 0,
            assignments: vec![Assignment::default(); n_nodes],
        }
    }

    fn begin(&mut self) {
        for node in 0..self.n_pending.len() as u32 {
            if self.n_pending[node as usize] == 0 {
                self.release(node);
            }
        }
        self.assign();
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Done { worker, node } => self.complete(worker, node),
            Event::Awake => {
                // The idle worker with the lowest number is taken first, so more workers than nodes are never used.
                let n_workers = self.machine.n_workers.min(self.assignments.len() + 1);
                self.idle.extend(1..n_workers as u32);
            }
        }
    }

    fn complete(&mut self, worker: u32, node: u32) {
        self.n_completed += 1;
        let mut kept: Option<u32> = None;
        let links = self.workload.successors;
        for link in links.start(node as usize)..links.end(node as usize) {
            let successor = links.target(link);
            self.n_pending[successor as usize] -= 1;
            if self.n_pending[successor as usize] > 0 {
                continue;
            }
            self.released_by[successor as usize] = worker;
            if self.machine.discipline == Discipline::MostUrgent
                || self.workload.is_bound[successor as usize]
            {
                self.release(successor);
                continue;
            }
            let least = kept.map_or(successor, |kept| kept.min(successor));
            if let Some(kept) = kept {
                self.release(kept.max(successor));
            }
            kept = Some(least);
        }
        match kept {
            // Worker 0 runs bound nodes first, because other workers can run the kept node.
            Some(kept) if worker == 0 && !self.bound.is_empty() => self.release(kept),
            Some(kept) => return self.start(worker, kept),
            None => {}
        }
        self.idle.insert(worker);
    }

    fn release(&mut self, node: u32) {
        let nodes = if self.workload.is_bound[node as usize] {
            &mut self.bound
        } else {
            &mut self.open
        };
        nodes.push(Reverse(node));
    }

    /// Assigns ready nodes to idle workers, and wakes the helpers if ready nodes are left over.
    fn assign(&mut self) {
        if self.idle.contains(&0)
            && let Some(Reverse(node)) = self.bound.pop()
        {
            self.idle.remove(&0);
            self.start(0, node);
        }
        self.assign_open_nodes();
        if !self.is_wake_up_scheduled && !self.open.is_empty() {
            self.is_wake_up_scheduled = true;
            let at_ns = self.now_ns + self.machine.wake_up.as_nanos() as u64;
            self.events.push(Reverse((at_ns, Event::Awake)));
        }
    }

    /// Assigns the most urgent open nodes to idle workers. A node goes to the worker that released it if that one is idle.
    fn assign_open_nodes(&mut self) {
        let n_taken = self.idle.len().min(self.open.len());
        let taken = (0..n_taken).filter_map(|_| self.open.pop());
        let mut taken: Vec<u32> = taken.map(|Reverse(node)| node).collect();
        taken.retain(|&node| {
            let releaser = self.released_by[node as usize];
            let is_idle = self.idle.remove(&releaser);
            if is_idle {
                self.start(releaser, node);
            }
            !is_idle
        });
        for node in taken {
            let worker = self
                .idle
                .pop_first()
                .expect("there are as many idle workers as taken nodes");
            self.start(worker, node);
        }
    }

    fn start(&mut self, worker: u32, node: u32) {
        let mut duration_ns = self.per_node_ns + self.workload.costs_ns[node as usize];
        if self.released_by[node as usize] != worker {
            duration_ns += self.hand_over_ns;
        }
        let end_ns = self.now_ns + duration_ns;
        self.assignments[node as usize] = Assignment {
            worker,
            start_ns: self.now_ns,
            end_ns,
        };
        self.events
            .push(Reverse((end_ns, Event::Done { worker, node })));
    }
}
