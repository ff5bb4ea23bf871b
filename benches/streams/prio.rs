//! The crate `prio-graph`, used as documented: transactions that are not blocked are popped, the earliest first, and unblock
//! others when they are completed.

use core::cmp::Ordering;

use prio_graph::{AccessKind, GraphNode, PrioGraph, TopLevelId};

use crate::entry::{Entry, Key};
use crate::scheduler::Scheduler;

type Graph = PrioGraph<u32, u32, Earliest, fn(&u32, &GraphNode<u32>) -> Earliest>;

pub(crate) struct Prio {
    graph: Graph,
    n_inserted: usize,
}

/// The number of events after which it is cleared. It frees nothing before, and it can only be cleared when all events are
/// completed.
const N_PER_GRAPH: usize = 16 * 1024;

impl Prio {
    pub(crate) fn new() -> Self {
        Self {
            graph: PrioGraph::new(|position, _| Earliest(*position)),
            n_inserted: 0,
        }
    }
}

/// The greatest one is popped first.
#[derive(PartialEq, Eq)]
struct Earliest(u32);

impl Ord for Earliest {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.cmp(&self.0)
    }
}

impl PartialOrd for Earliest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TopLevelId<u32> for Earliest {
    fn id(&self) -> u32 {
        self.0
    }
}

impl Scheduler for Prio {
    fn insert(&mut self, position: u32, entry: &Entry) {
        let keys = entry.keys();
        let accesses = keys.iter().map(|key| match *key {
            Key::Read(cell) => (cell, AccessKind::Read),
            Key::Write(cell) => (cell, AccessKind::Write),
        });
        self.graph.insert_transaction(position, accesses);
        self.n_inserted += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        self.graph.pop()
    }

    fn finish(&mut self, position: u32) {
        self.graph.unblock(&position);
    }

    fn has_room(&self) -> bool {
        self.n_inserted < N_PER_GRAPH
    }

    fn rest(&mut self) {
        self.graph.clear();
        self.n_inserted = 0;
    }
}
