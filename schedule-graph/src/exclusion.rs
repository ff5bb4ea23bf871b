//! Nodes that never run both, by construction: what one of them needs to run, the other needs not to be.

/// Answers of a node without which another does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Who answers.
    pub condition: u32,
    /// Bit i: whether answer i is good.
    pub answers: u64,
}

impl Needed {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        condition: 0,
        answers: 0,
    };
}

/// What each node needs to run.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'a> {
    /// `starts[v]..starts[v + 1]`: those of node v; len = n_nodes + 1, or 0 if no node needs anything.
    pub starts: &'a [u32],
    /// By node, sorted by condition.
    pub needed: &'a [Needed],
}

impl<'a> Needs<'a> {
    /// Nothing is guarded.
    pub const NONE: Self = Needs {
        starts: &[],
        needed: &[],
    };

    /// What this node needs.
    pub fn of(self, node: u32) -> &'a [Needed] {
        let range = match self.starts {
            [] => 0..0,
            starts => starts[node as usize] as usize..starts[node as usize + 1] as usize,
        };
        &self.needed[range]
    }

    /// The nodes that have to be true for this one to run, as conditions.
    pub fn needed_true(self, node: u32) -> impl Iterator<Item = u32> {
        let needed = self.of(node).iter();
        let is_true = |one: &&Needed| one.answers == 0b10;
        needed.filter(is_true).map(|one| one.condition)
    }

    /// Whether at most one of two nodes runs in a pass. O(needs of both).
    pub const fn are_exclusive(self, a: u32, b: u32) -> bool {
        self.excluding(a, b).is_some()
    }

    /// The node of whose answers two others need different ones, so that at most one of them runs in a pass.
    ///
    /// Who guards two nodes stands at or around the level of both, so it answers once for them. O(needs of both).
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
