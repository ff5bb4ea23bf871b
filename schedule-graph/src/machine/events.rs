//! What happens on a machine: nodes by number, workers by number, nanoseconds.

use core::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::{Discipline, Machine};
use crate::graph::links::Links;

/// Nodes to be run, numbered by urgency: 0 is the most urgent one, and each comes before its successors.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The nodes that wait for each node.
    pub successors: Links<'a>,
    /// `costs_ns[v]`: what node v takes, in nanoseconds; len = n_nodes.
    pub costs_ns: &'a [u64],
    /// `is_bound[v]`: only worker 0 may run node v; len = n_nodes.
    pub is_bound: &'a [bool],
}

/// A node on a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stint {
    /// The worker that runs it.
    pub worker: u32,
    /// Nanoseconds from the begin of the run, as the end.
    pub start_ns: u64,
    /// Nanoseconds from the begin of the run.
    pub end_ns: u64,
}

impl Load<'_> {
    /// The length of the critical path, in nanoseconds. O(V + E).
    pub fn span_ns(self) -> u64 {
        let links = self.successors;
        let mut lengths = vec![0; links.n_nodes()];
        for node in (0..lengths.len()).rev() {
            let behind = (links.start(node)..links.end(node)).map(|link| links.target(link));
            let longest = behind.map(|then| lengths[then as usize]).max();
            lengths[node] = self.costs_ns[node] + longest.unwrap_or(0);
        }
        lengths.into_iter().max().unwrap_or(0)
    }
}

/// Runs all nodes: `stints[v]` is that of node v; len = n_nodes.
///
/// A list schedule, event by event (Graham 1966): no worker idles while there is something that it may take. Those who are
/// done at the same time have all counted their nodes off before any of them takes the next. What waits for nothing from
/// the begin counts as released by worker 0. Cost: O((V + E) log V).
pub fn hand_out(load: Load<'_>, machine: Machine) -> Vec<Stint> {
    let mut course = Course::new(load, machine);
    course.begin();
    while let Some(Reverse((now_ns, event))) = course.events.pop() {
        course.now_ns = now_ns;
        course.happen(event);
        // Whatever else happens at this time.
        while let Some(&Reverse((at_ns, event))) = course.events.peek()
            && at_ns == now_ns
        {
            course.events.pop();
            course.happen(event);
        }
        course.assign();
    }
    debug_assert_eq!(course.n_done, load.costs_ns.len(), "all have run");
    course.stints
}

/// In the order in which they happen if at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// This worker completes this node.
    Done { worker: u32, node: u32 },
    /// The helpers are there.
    Awake,
}

/// A run, as far as it is.
struct Course<'a> {
    load: Load<'a>,
    machine: Machine,
    per_node_ns: u64,
    hand_over_ns: u64,
    now_ns: u64,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// `n_pending[v]`: unfinished predecessors of node v; len = n_nodes.
    n_pending: Vec<u32>,
    /// `released_by[v]`: the worker that completed the last of them; len = n_nodes.
    released_by: Vec<u32>,
    /// What anybody may take.
    open: BinaryHeap<Reverse<u32>>,
    /// What waits for worker 0.
    bound: BinaryHeap<Reverse<u32>>,
    /// Who is there and has nothing.
    idle: BTreeSet<u32>,
    are_helpers_asked: bool,
    n_done: usize,
    stints: Vec<Stint>,
}

impl<'a> Course<'a> {
    fn new(load: Load<'a>, machine: Machine) -> Self {
        let n_nodes = load.successors.n_nodes();
        let mut n_pending = vec![0; n_nodes];
        for &node in load.successors.targets() {
            n_pending[node as usize] += 1;
        }
        Self {
            load,
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
            are_helpers_asked: machine.n_workers == 1,
            n_done: 0,
            stints: vec![Stint::default(); n_nodes],
        }
    }

    fn begin(&mut self) {
        for node in 0..self.n_pending.len() as u32 {
            if self.n_pending[node as usize] == 0 {
                self.put(node);
            }
        }
        self.assign();
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Done { worker, node } => self.complete(worker, node),
            Event::Awake => {
                // The lowest idle worker is taken, so that none above the number of nodes ever is.
                let n_workers = self.machine.n_workers.min(self.stints.len() + 1);
                self.idle.extend(1..n_workers as u32);
            }
        }
    }

    fn complete(&mut self, worker: u32, node: u32) {
        self.n_done += 1;
        let mut kept: Option<u32> = None;
        let links = self.load.successors;
        for link in links.start(node as usize)..links.end(node as usize) {
            let then = links.target(link);
            self.n_pending[then as usize] -= 1;
            if self.n_pending[then as usize] > 0 {
                continue;
            }
            self.released_by[then as usize] = worker;
            if self.machine.discipline == Discipline::MostUrgent
                || self.load.is_bound[then as usize]
            {
                self.put(then);
                continue;
            }
            let least = kept.map_or(then, |kept| kept.min(then));
            if let Some(kept) = kept {
                self.put(kept.max(then));
            }
            kept = Some(least);
        }
        match kept {
            // What only the caller may run comes first there: anybody may take the rest.
            Some(kept) if worker == 0 && !self.bound.is_empty() => self.put(kept),
            Some(kept) => return self.start(worker, kept),
            None => {}
        }
        self.idle.insert(worker);
    }

    fn put(&mut self, node: u32) {
        let nodes = if self.load.is_bound[node as usize] {
            &mut self.bound
        } else {
            &mut self.open
        };
        nodes.push(Reverse(node));
    }

    /// Gives those who have nothing what there is, and asks for helpers if that leaves some.
    fn assign(&mut self) {
        if self.idle.contains(&0)
            && let Some(Reverse(node)) = self.bound.pop()
        {
            self.idle.remove(&0);
            self.start(0, node);
        }
        self.share_out();
        if !self.are_helpers_asked && !self.open.is_empty() {
            self.are_helpers_asked = true;
            let at_ns = self.now_ns + self.machine.wake_up.as_nanos() as u64;
            self.events.push(Reverse((at_ns, Event::Awake)));
        }
    }

    /// The most urgent nodes go to those who have nothing; if it can be, each to the worker that released it.
    fn share_out(&mut self) {
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
            let worker = self.idle.pop_first().expect("no more than idle were taken");
            self.start(worker, node);
        }
    }

    fn start(&mut self, worker: u32, node: u32) {
        let mut takes_ns = self.per_node_ns + self.load.costs_ns[node as usize];
        if self.released_by[node as usize] != worker {
            takes_ns += self.hand_over_ns;
        }
        let end_ns = self.now_ns + takes_ns;
        self.stints[node as usize] = Stint {
            worker,
            start_ns: self.now_ns,
            end_ns,
        };
        self.events
            .push(Reverse((end_ns, Event::Done { worker, node })));
    }
}
