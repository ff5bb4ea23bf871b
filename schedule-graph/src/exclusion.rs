//! Nodes that never both run, because their guards are never both true.

use crate::truth_table::TruthTable;

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

/// The answers that each node needs to run, and the truth table of its guards.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'a> {
    /// `starts[v]..starts[v + 1]`: the needs of node v; len = n_nodes + 1, or 0 if no node needs an answer.
    pub starts: &'a [u32],
    /// The needs of all nodes, by node, then by condition.
    pub needed: &'a [Needed],
    /// `table_starts[v]..table_starts[v + 1]`: the table of node v; len = n_nodes + 1, or 0 if no node has one.
    pub table_starts: &'a [u32],
    /// The words of the tables of all nodes. Nodes without guards, or with too many leaves in them, have none.
    pub tables: &'a [u32],
}

impl<'a> Needs<'a> {
    /// No node needs an answer.
    pub const NONE: Self = Needs {
        starts: &[],
        needed: &[],
        table_starts: &[],
        tables: &[],
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

    /// The truth table of the guards of a node. That of a node without a table is always true.
    pub const fn table(self, node: u32) -> TruthTable {
        TruthTable::of_words(self.table_words(node))
    }

    /// Whether the guards of a node are true as soon as the node has the answers that it needs.
    pub fn are_sufficient(self, node: u32) -> bool {
        let table = self.table(node);
        let is_met = |one: &Needed, combination: usize| {
            let mut leaves = (0..table.n_leaves())
                .map(|nth| (nth, table.leaf(nth)))
                .filter(|(_, leaf)| leaf.condition == one.condition);
            let given = leaves.clone().find(|(nth, _)| combination >> nth & 1 == 1);
            let rest = leaves.try_fold(one.answers, |rest, (_, leaf)| {
                Some(rest & !1_u64.checked_shl(leaf.answer)?)
            });
            match given {
                Some((_, leaf)) => one.answers.checked_shr(leaf.answer).unwrap_or(0) & 1 == 1,
                None => rest.is_some_and(|rest| rest != 0),
            }
        };
        (0..1 << table.n_leaves()).all(|combination| {
            let are_met = || self.of(node).iter().all(|one| is_met(one, combination));
            table
                .result(combination)
                .is_none_or(|result| result == are_met())
        })
    }

    /// Whether at most one of two nodes runs in each run or iteration. O(needs of both), and the comparison of two truth tables.
    ///
    /// A condition of two nodes is at the level of both or further out, so it is evaluated once for both.
    pub const fn never_both_run(self, a: u32, b: u32) -> bool {
        self.opposed(a, b).is_some() || !self.can_both_be_true(a, b)
    }

    /// A condition because of which two nodes never both run. If there are several, one of them.
    pub const fn excluding(self, a: u32, b: u32) -> Option<u32> {
        match self.opposed(a, b) {
            Some(condition) => Some(condition),
            None if self.can_both_be_true(a, b) => None,
            None => self.table(a).responsible(&self.table(b)),
        }
    }

    const fn table_words(self, node: u32) -> &'a [u32] {
        if self.table_starts.is_empty() {
            return &[];
        }
        let start = self.table_starts[node as usize] as usize;
        let end = self.table_starts[node as usize + 1] as usize;
        self.tables.split_at(end).0.split_at(start).1
    }

    const fn can_both_be_true(self, a: u32, b: u32) -> bool {
        // Without words, most pairs are decided at once.
        if self.table_words(a).is_empty() && self.table_words(b).is_empty() {
            return true;
        }
        self.table(a).can_both_be_true(&self.table(b))
    }

    /// A condition of which two nodes need different answers.
    const fn opposed(self, a: u32, b: u32) -> Option<u32> {
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
