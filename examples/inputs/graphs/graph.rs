//! The types of a file of graphs.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Indices of two systems in a graph.
pub type Pair = (usize, usize);

/// The systems of a schedule. The edges are acyclic.
#[derive(Debug)]
pub struct SystemGraph {
    /// Name of the schedule.
    pub name: String,
    /// In insertion order.
    pub systems: Vec<System>,
    /// The first system of each pair runs before the second.
    pub edges: Vec<Pair>,
    /// The expected races: all pairs that conflict and have no path. The smaller index comes first.
    pub races: BTreeSet<Pair>,
}

/// A system and its access. Names are not unique, because a schedule may contain a function several times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// Name of the function.
    pub name: String,
    /// Names of the resources that it reads.
    pub reads: BTreeSet<String>,
    /// Names of the resources that it writes and may read.
    pub writes: BTreeSet<String>,
    /// Whether it conflicts with every other system.
    #[serde(default, rename = "exclusive")]
    pub is_exclusive: bool,
    /// Whether it reads all resources, also those that it does not name.
    #[serde(default)]
    pub reads_all: bool,
    /// Resources that `reads_all` excludes.
    #[serde(default)]
    pub reads_except: BTreeSet<String>,
    /// Whether it writes all resources.
    #[serde(default)]
    pub writes_all: bool,
    /// Resources that `writes_all` excludes.
    #[serde(default)]
    pub writes_except: BTreeSet<String>,
    /// Whether it conflicts only with exclusive systems.
    #[serde(default)]
    pub no_world_access: bool,
    /// Whether it runs only on the calling thread.
    #[serde(default, rename = "main_thread")]
    pub is_main_thread: bool,
    // These fields do not affect races. They are declared so that only misspelt fields are unknown.
    #[serde(default, rename = "apply_deferred")]
    _is_apply_deferred: bool,
    #[serde(default, rename = "conditions")]
    _n_conditions: usize,
    #[serde(default, rename = "condition_reads")]
    _condition_reads: Vec<String>,
}

impl System {
    /// Returns an error text if two fields contradict each other.
    pub fn contradiction(&self) -> Option<&'static str> {
        let names_any = !self.reads.is_empty() || !self.writes.is_empty();
        let touches_all = self.reads_all || self.writes_all;
        if !self.reads_all && !self.reads_except.is_empty() {
            Some("`reads_except` requires `reads_all`")
        } else if !self.writes_all && !self.writes_except.is_empty() {
            Some("`writes_except` requires `writes_all`")
        } else if self.no_world_access && (names_any || touches_all) {
            Some("`no_world_access` contradicts a system that reads or writes")
        } else {
            None
        }
    }

    /// Returns the resources that it reads but does not write, if it reads and writes all others.
    pub fn reads_of_unwritten(&self) -> impl Iterator<Item = &String> {
        let reads = self.reads_all && self.writes_all;
        let unwritten = reads.then_some(self.writes_except.difference(&self.reads_except));
        unwritten.into_iter().flatten()
    }
}

impl SystemGraph {
    /// Returns the systems in topological order, the smallest index first.
    ///
    /// Systems on a cycle and after a cycle are left out. Cost: O(E + V log V), Kahn 1962 with a heap.
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

    /// Returns the systems of a cycle: each is before the next, and the last is before the first.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let mut is_placed = vec![false; self.systems.len()];
        for system in self.order() {
            is_placed[system] = true;
        }
        // Each system without a place has a predecessor without a place. So the path backwards meets a system again.
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
