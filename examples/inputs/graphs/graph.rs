//! What a file of graphs holds.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Two systems by their places in the graph.
pub type Pair = (usize, usize);

/// The systems of a schedule. There is no cycle.
#[derive(Debug)]
pub struct SystemGraph {
    /// Of the schedule.
    pub name: String,
    /// In the order in which they are added.
    pub systems: Vec<System>,
    /// The first before the second.
    pub edges: Vec<Pair>,
    /// The right answer: all that conflict and that no path joins, smaller one first.
    pub races: BTreeSet<Pair>,
}

/// What a system touches. Names repeat: the same function may stand in a schedule several times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// Of the function.
    pub name: String,
    /// Resources, by name.
    pub reads: BTreeSet<String>,
    /// It may read these, too.
    pub writes: BTreeSet<String>,
    /// Conflicts with every other system.
    #[serde(default, rename = "exclusive")]
    pub is_exclusive: bool,
    /// Resources that it does not name, too.
    #[serde(default)]
    pub reads_all: bool,
    /// What that leaves out.
    #[serde(default)]
    pub reads_except: BTreeSet<String>,
    /// As `reads_all`.
    #[serde(default)]
    pub writes_all: bool,
    /// As `reads_except`.
    #[serde(default)]
    pub writes_except: BTreeSet<String>,
    /// Conflicts with nothing but what is exclusive.
    #[serde(default)]
    pub no_world_access: bool,
    /// Runs on the thread that calls.
    #[serde(default, rename = "main_thread")]
    pub is_main_thread: bool,
    // The rest is known, so that a field that is spelt wrongly is not, and takes no part in the races.
    #[serde(default, rename = "apply_deferred")]
    _is_apply_deferred: bool,
    #[serde(default, rename = "conditions")]
    _n_conditions: usize,
    #[serde(default, rename = "condition_reads")]
    _condition_reads: Vec<String>,
}

impl System {
    /// What cannot be meant, if anything.
    pub fn contradiction(&self) -> Option<&'static str> {
        let names_any = !self.reads.is_empty() || !self.writes.is_empty();
        let touches_all = self.reads_all || self.writes_all;
        if !self.reads_all && !self.reads_except.is_empty() {
            Some("`reads_except` stands without `reads_all`")
        } else if !self.writes_all && !self.writes_except.is_empty() {
            Some("`writes_except` stands without `writes_all`")
        } else if self.no_world_access && (names_any || touches_all) {
            Some("`no_world_access`, and yet it reads or writes")
        } else {
            None
        }
    }

    /// What it reads besides, though it does not write everything but this.
    pub fn reads_of_unwritten(&self) -> impl Iterator<Item = &String> {
        let reads = self.reads_all && self.writes_all;
        let unwritten = reads.then_some(self.writes_except.difference(&self.reads_except));
        unwritten.into_iter().flatten()
    }
}

impl SystemGraph {
    /// The systems in an order that keeps to all edges, the smallest first where several can be.
    ///
    /// Ends before the first system on a cycle or after one. Cost: O(E + V log V), Kahn 1962 with a heap.
    pub fn order(&self) -> Vec<usize> {
        use core::cmp::Reverse;
        use std::collections::BinaryHeap;

        let mut n_pending = vec![0; self.systems.len()];
        let mut successors = vec![Vec::new(); self.systems.len()];
        for &(first, then) in &self.edges {
            successors[first].push(then);
            n_pending[then] += 1;
        }
        let is_ready = |system: &usize| n_pending[*system] == 0;
        let mut ready: BinaryHeap<_> = (0..n_pending.len()).filter(is_ready).map(Reverse).collect();
        let mut order = Vec::with_capacity(n_pending.len());
        while let Some(Reverse(system)) = ready.pop() {
            order.push(system);
            for &successor in &successors[system] {
                n_pending[successor] -= 1;
                if n_pending[successor] == 0 {
                    ready.push(Reverse(successor));
                }
            }
        }
        order
    }

    /// The systems of a cycle, each before the next, and the last before the first.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let mut is_placed = vec![false; self.systems.len()];
        for system in self.order() {
            is_placed[system] = true;
        }
        // Whatever could not be placed comes after something that could not: going back, one is met again.
        let before = |system| {
            let mut edges = self.edges.iter();
            let unplaced = edges.find(|&&(first, then)| then == system && !is_placed[first]);
            unplaced.expect("it waits for a system").0
        };
        let mut path = vec![is_placed.iter().position(|is_placed| !is_placed)?];
        loop {
            let previous = before(path[path.len() - 1]);
            if let Some(start) = path.iter().position(|&system| system == previous) {
                let mut cycle = path.split_off(start);
                cycle.reverse();
                return Some(cycle);
            }
            path.push(previous);
        }
    }
}
