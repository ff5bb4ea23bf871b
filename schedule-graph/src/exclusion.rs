//! Nodes that never both run, because they need different answers of a condition.

/// The answers of a condition that a node needs to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// The node of the condition.
    pub condition: u32,
    /// Bit i is set if the node may run after answer i.
    pub answers: u64,
}

impl Needed {
    /// The initial value of memory.
    pub const NONE: Self = Self {
        condition: 0,
        answers: 0,
    };
}

/// The answers that each node needs to run.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'a> {
    /// `starts[v]..starts[v + 1]`: the needs of node v; len = n_nodes + 1, or 0 if no node needs an answer.
    pub starts: &'a [u32],
    /// The needs of all nodes, by node, then by condition.
    pub needed: &'a [Needed],
}

impl<'a> Needs<'a> {
    /// No node needs an answer.
    pub const NONE: Self = Needs {
        starts: &[],
        needed: &[],
    };

    /// The needs of a node.
    pub fn of(self, node: u32) -> &'a [Needed] {
        let range = match self.starts {
            [] => 0..0,
            starts => starts[node as usize] as usize..starts[node as usize + 1] as usize,
        };
        &self.needed[range]
    }

    /// The conditions that must be true for a node to run.
    pub fn needed_true(self, node: u32) -> impl Iterator<Item = u32> {
        let needed = self.of(node).iter();
        let is_true = |one: &&Needed| one.answers == 0b10;
        needed.filter(is_true).map(|one| one.condition)
    }

    /// Whether at most one of two nodes runs in each run or iteration. O(needs of both).
    pub const fn never_both_run(self, a: u32, b: u32) -> bool {
        self.excluding(a, b).is_some()
    }

    /// A condition of which two nodes need different answers, so that they never both run.
    ///
    /// A condition of two nodes is at the level of both or further out, so it is evaluated once for both. O(needs of both).
    pub const fn excluding(self, a: u32, b: u32) -> Option<u32> {
        if self.starts.is_empty() {
            return None;
        }
        let mut one = self.starts[a as usize] as usize;
        let mut other = self.starts[b as usize] as usize;
        let (one_end, other_end) = (
            self.starts[a as usize + 1] as usize,
            self.starts[b as usize + 1] as usize,
        );
        while one < one_end && other < other_end {
            let (x, y) = (self.needed[one], self.needed[other]);
            if x.condition < y.condition {
                one += 1;
            } else if x.condition > y.condition {
                other += 1;
            } else if x.answers & y.answers == 0 {
                return Some(x.condition);
            } else {
                one += 1;
                other += 1;
            }
        }
        None
    }
}
