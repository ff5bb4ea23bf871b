//! Event-driven simulation of a run on a [`Machine`]. Nodes and workers are numbers, times are nanoseconds.

use core::cmp::Reverse;
use core::ops::Range;
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
    /// `is_shared[v]`: several workers can run node v together, in parts of any size; len = n_nodes, or 0 if no node is shared. A bound node
    /// is never shared.
    pub is_shared: &'a [bool],
}

/// A simulated run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedRun {
    /// `assignments[v]`: the worker that starts node v, and the times.
    pub assignments: Vec<Assignment>,
    /// The nodes that other workers helped to run, with these workers. The assignments of a node end at the same time.
    pub shares: Vec<(u32, Assignment)>,
}

impl SimulatedRun {
    /// The end of the last node, in nanoseconds from the begin of the run. O(nodes).
    pub fn end_ns(&self) -> u64 {
        let ends = self.assignments.iter().map(|assignment| assignment.end_ns);
        ends.max().unwrap_or(0)
    }
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
    /// The length of the critical path, in nanoseconds. Workers share each node that they can. O(V + E).
    pub fn span_ns(self, n_workers: usize) -> u64 {
        let links = self.successors;
        let mut lengths = vec![0; links.n_nodes()];
        for node in (0..lengths.len()).rev() {
            let successors = (links.start(node)..links.end(node)).map(|link| links.target(link));
            let longest = successors
                .map(|successor| lengths[successor as usize])
                .max();
            let n_shares = if self.is_shared(node) {
                n_workers as u64
            } else {
                1
            };
            lengths[node] = self.costs_ns[node].div_ceil(n_shares) + longest.unwrap_or(0);
        }
        lengths.into_iter().max().unwrap_or(0)
    }

    fn is_shared(self, node: usize) -> bool {
        self.is_shared.get(node).is_some_and(|is_shared| *is_shared)
    }
}

/// Simulates a run of all nodes.
///
/// Uses list scheduling (Graham 1966): no worker is idle while a node is ready that it may run. If several workers complete
/// nodes at the same time, all completions are processed before a worker takes its next node. Nodes without predecessors
/// count as released by worker 0.
///
/// A worker for which no node is ready helps with the shared node that ends last. It stays until the node is complete. A hand-over adds
/// to the cost of the node.
///
/// Cost: O((V + E) log V + V × workers) with shared nodes, otherwise O((V + E) log V).
pub fn simulate(workload: Workload<'_>, machine: Machine) -> SimulatedRun {
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
    SimulatedRun {
        assignments: simulation.assignments,
        shares: simulation.shares,
    }
}

/// An event. The order of the variants is the order of events at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker completes a node. `n_helpers`: the number of workers that help it. If more came meanwhile, it completes the node earlier.
    Done {
        worker: u32,
        node: u32,
        n_helpers: u32,
    },
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
    /// The workers that have run nodes, and run none now. At the start, worker 0.
    idle: BTreeSet<u32>,
    /// The workers that are awake and have run no node. Their numbers are greater than those of all others.
    fresh: Range<u32>,
    is_wake_up_scheduled: bool,
    n_completed: usize,
    assignments: Vec<Assignment>,
    /// The shared nodes that run.
    running: Vec<RunningShared>,
    shares: Vec<(u32, Assignment)>,
}

/// A shared node that runs.
struct RunningShared {
    node: u32,
    times: SharedTimes,
    /// The indices in [`Simulation::shares`] of the workers that help.
    helpers: Vec<usize>,
}

/// The times of a shared node.
#[derive(Clone, Copy)]
struct SharedTimes {
    /// The work that was left at `since_ns`, in nanoseconds of one worker.
    left_ns: u64,
    since_ns: u64,
    end_ns: u64,
}

impl RunningShared {
    /// Returns the work that is left, the time from which on it is divided, and its end, if one more worker helps.
    fn with_helper(&self, now_ns: u64, hand_over_ns: u64) -> SharedTimes {
        let n_workers = self.helpers.len() as u64 + 1;
        // The overhead of the start may not be over.
        let since_ns = self.times.since_ns.max(now_ns);
        let done_ns = (since_ns - self.times.since_ns).saturating_mul(n_workers);
        let left_ns = self.times.left_ns.saturating_sub(done_ns) + hand_over_ns;
        SharedTimes {
            left_ns,
            since_ns,
            end_ns: since_ns + left_ns.div_ceil(n_workers + 1),
        }
    }
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
            fresh: 0..0,
            is_wake_up_scheduled: machine.n_workers == 1,
            n_completed: 0,
            assignments: vec![Assignment::default(); n_nodes],
            running: Vec::new(),
            shares: Vec::new(),
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
            Event::Done {
                worker,
                node,
                n_helpers,
            } => {
                if self.workload.is_shared(node as usize) {
                    let is_this = |one: &RunningShared| {
                        one.node == node && one.helpers.len() == n_helpers as usize
                    };
                    let Some(nth) = self.running.iter().position(is_this) else {
                        return;
                    };
                    let done = self.running.swap_remove(nth);
                    for share in done.helpers {
                        let assignment = &mut self.shares[share].1;
                        assignment.end_ns = self.now_ns;
                        self.idle.insert(assignment.worker);
                    }
                    self.assignments[node as usize].end_ns = self.now_ns;
                }
                self.complete(worker, node);
            }
            Event::Awake => {
                let n_workers = u32::try_from(self.machine.n_workers);
                self.fresh = 1..n_workers.unwrap_or(u32::MAX);
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
        self.assign_helpers();
        let has_work = !self.open.is_empty() || !self.running.is_empty();
        if has_work && !self.is_wake_up_scheduled {
            self.is_wake_up_scheduled = true;
            let at_ns = self.now_ns + self.machine.wake_up.as_nanos() as u64;
            self.events.push(Reverse((at_ns, Event::Awake)));
        }
    }

    /// Assigns the most urgent open nodes to idle workers. A node goes to the worker that released it if that one is idle.
    fn assign_open_nodes(&mut self) {
        let n_idle = self.idle.len() + self.fresh.len();
        let n_taken = n_idle.min(self.open.len());
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
            let worker = self.next_idle();
            self.start(
                worker.expect("there are as many idle workers as taken nodes"),
                node,
            );
        }
    }

    /// Takes the idle worker with the lowest number.
    fn next_idle(&mut self) -> Option<u32> {
        self.idle.pop_first().or_else(|| self.fresh.next())
    }

    /// Lets idle workers help with shared nodes.
    fn assign_helpers(&mut self) {
        loop {
            let (hand_over_ns, now_ns) = (self.hand_over_ns, self.now_ns);
            // The last one to end, if help makes it end earlier.
            let last = self
                .running
                .iter_mut()
                .max_by_key(|one| (one.times.end_ns, Reverse(one.node)));
            let Some(shared) = last else { return };
            let helped = shared.with_helper(now_ns, hand_over_ns);
            if helped.end_ns >= shared.times.end_ns {
                return;
            }
            let Some(worker) = self.idle.pop_first().or_else(|| self.fresh.next()) else {
                return;
            };
            shared.times = helped;
            shared.helpers.push(self.shares.len());
            let node = shared.node;
            self.shares.push((
                node,
                Assignment {
                    worker,
                    start_ns: now_ns,
                    end_ns: helped.end_ns,
                },
            ));
            let done = Event::Done {
                worker: self.assignments[node as usize].worker,
                node,
                n_helpers: shared.helpers.len() as u32,
            };
            self.events.push(Reverse((helped.end_ns, done)));
        }
    }

    fn start(&mut self, worker: u32, node: u32) {
        let cost_ns = self.workload.costs_ns[node as usize];
        let mut overhead_ns = self.per_node_ns;
        if self.released_by[node as usize] != worker {
            overhead_ns += self.hand_over_ns;
        }
        let end_ns = self.now_ns + overhead_ns + cost_ns;
        if self.workload.is_shared(node as usize) {
            self.running.push(RunningShared {
                node,
                times: SharedTimes {
                    left_ns: cost_ns,
                    since_ns: self.now_ns + overhead_ns,
                    end_ns,
                },
                helpers: Vec::new(),
            });
        }
        self.assignments[node as usize] = Assignment {
            worker,
            start_ns: self.now_ns,
            end_ns,
        };
        let done = Event::Done {
            worker,
            node,
            n_helpers: 0,
        };
        self.events.push(Reverse((end_ns, done)));
    }
}
