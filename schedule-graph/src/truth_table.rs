//! Guards as truth tables, and whether two guards can both be true.
//!
//! The variables of a table are its leaves: up to six answers of conditions. Bit i of its value is the result of the guard if
//! leaf k is true for each bit k of i that is set. With fewer leaves, the bits repeat: the value does not depend on other bits of
//! i. Each condition gives exactly one of its answers, so some combinations of leaves do not occur.

/// A leaf of a guard: an answer of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLeaf {
    /// The node of the condition.
    pub condition: u32,
    /// The answer.
    pub answer: u32,
    /// The number of answers of the condition.
    pub n_answers: u32,
}

impl TableLeaf {
    const NONE: Self = Self {
        condition: 0,
        answer: 0,
        n_answers: 0,
    };

    const fn is(self, other: Self) -> bool {
        self.condition == other.condition && self.answer == other.answer
    }
}

/// The result of the guards of a node for all answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthTable {
    /// The first `n_leaves` are distinct, the rest is [`TableLeaf::NONE`].
    leaves: [TableLeaf; Self::MAX_LEAVES],
    n_leaves: usize,
    value: u64,
}

/// `VARIABLES[k]`: the value of leaf k.
const VARIABLES: [u64; TruthTable::MAX_LEAVES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl TruthTable {
    /// The maximum number of leaves.
    pub const MAX_LEAVES: usize = 6;

    /// The table that is always true.
    pub const TRUE: Self = Self {
        leaves: [TableLeaf::NONE; Self::MAX_LEAVES],
        n_leaves: 0,
        value: u64::MAX,
    };

    /// The number of words of a table with `n_leaves` leaves.
    pub const fn n_words(n_leaves: usize) -> usize {
        2 + 3 * n_leaves
    }

    /// Reads a table that was written by [`TruthTable::word`]. No words are the table that is always true.
    pub const fn of_words(words: &[u32]) -> Self {
        let mut table = Self::TRUE;
        if words.is_empty() {
            return table;
        }
        table.value = words[0] as u64 | (words[1] as u64) << u32::BITS;
        while Self::n_words(table.n_leaves) < words.len() {
            let first = Self::n_words(table.n_leaves);
            table.leaves[table.n_leaves] = TableLeaf {
                condition: words[first],
                answer: words[first + 1],
                n_answers: words[first + 2],
            };
            table.n_leaves += 1;
        }
        table
    }

    /// A word of the table, of [`TruthTable::n_words`].
    pub const fn word(&self, nth: usize) -> u32 {
        match nth {
            0 => self.value as u32,
            1 => (self.value >> u32::BITS) as u32,
            _ => {
                let leaf = self.leaves[(nth - 2) / 3];
                match (nth - 2) % 3 {
                    0 => leaf.condition,
                    1 => leaf.answer,
                    _ => leaf.n_answers,
                }
            }
        }
    }

    /// The number of leaves.
    pub const fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// A leaf.
    pub const fn leaf(&self, nth: usize) -> TableLeaf {
        self.leaves[nth]
    }

    /// The number of a leaf, which is added if it is new. `None` if there are too many leaves.
    pub const fn number(&mut self, leaf: TableLeaf) -> Option<usize> {
        let mut nth = 0;
        while nth < self.n_leaves {
            if self.leaves[nth].is(leaf) {
                return Some(nth);
            }
            nth += 1;
        }
        if nth == Self::MAX_LEAVES {
            return None;
        }
        self.leaves[nth] = leaf;
        self.n_leaves += 1;
        Some(nth)
    }

    /// Half of the value of a leaf: its bits from `32 × half` on.
    pub const fn half_of_leaf(nth: usize, half: u32) -> u32 {
        (VARIABLES[nth] >> (half * u32::BITS)) as u32
    }

    /// Sets a half of the value.
    pub const fn set_half(&mut self, half: u32, value: u32) {
        let shift = half * u32::BITS;
        self.value &= !((u32::MAX as u64) << shift);
        self.value |= (value as u64) << shift;
    }

    /// Whether the guard is false for all answers.
    pub const fn is_never_true(&self) -> bool {
        self.value & self.occurring() == 0
    }

    /// Whether both are true. `None` if there are too many leaves.
    pub const fn and(self, other: Self) -> Option<Self> {
        let mut both = self;
        match both.value_of(&other) {
            Some(value) => both.value &= value,
            None => return None,
        }
        Some(both)
    }

    /// Whether some answers make both tables true. Exact, except that it is true if the leaves of common conditions are too
    /// many for one table.
    ///
    /// At most 64 × 6 steps for each table, and 2 for tables with one common leaf.
    pub const fn can_both_be_true(&self, other: &Self) -> bool {
        let (one, other) = (self.on_common(other), other.on_common(self));
        match one.and(other) {
            Some(both) => !both.is_never_true(),
            None => true,
        }
    }

    /// A condition that two tables which are never both true have in common, or that makes one of them never true. `None` if one of
    /// them is false without leaves.
    pub const fn responsible(&self, other: &Self) -> Option<u32> {
        let mut nth = 0;
        while nth < self.n_leaves {
            let condition = self.leaves[nth].condition;
            if self.is_never_true() || other.asks(condition) {
                return Some(condition);
            }
            nth += 1;
        }
        if other.is_never_true() && other.n_leaves > 0 {
            return Some(other.leaves[0].condition);
        }
        None
    }

    /// The same table with other numbers of conditions.
    pub fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        for leaf in &mut self.leaves[..self.n_leaves] {
            leaf.condition = number(leaf.condition);
        }
        self
    }

    /// The result of the guard for a combination of leaves, or `None` if it does not occur.
    pub(crate) fn result(&self, combination: usize) -> Option<bool> {
        let is_set = |value: u64| value >> combination & 1 == 1;
        is_set(self.occurring()).then_some(is_set(self.value))
    }

    const fn asks(&self, condition: u32) -> bool {
        let mut nth = 0;
        while nth < self.n_leaves {
            if self.leaves[nth].condition == condition {
                return true;
            }
            nth += 1;
        }
        false
    }

    /// The table in which a combination is true if answers of the conditions that only this table asks make it true.
    const fn on_common(&self, other: &Self) -> Self {
        let mut common = Self {
            leaves: [TableLeaf::NONE; Self::MAX_LEAVES],
            n_leaves: 0,
            value: 0,
        };
        // `positions[k]`: the number of leaf k, if it is common.
        let mut positions = [Self::MAX_LEAVES; Self::MAX_LEAVES];
        let mut value = self.value & self.occurring();
        let mut nth = 0;
        while nth < self.n_leaves {
            if other.asks(self.leaves[nth].condition) {
                positions[nth] = common.n_leaves;
                common.leaves[common.n_leaves] = self.leaves[nth];
                common.n_leaves += 1;
            } else {
                let (variable, distance) = (VARIABLES[nth], 1 << nth);
                value |= (value & variable) >> distance | (value & !variable) << distance;
            }
            nth += 1;
        }
        common.value = moved(value, self.n_leaves, &positions);
        common
    }

    /// The value of another table, with the numbers of this table's leaves. Adds the leaves of the other one. `None` if there are too
    /// many.
    const fn value_of(&mut self, other: &Self) -> Option<u64> {
        let mut positions = [Self::MAX_LEAVES; Self::MAX_LEAVES];
        let mut nth = 0;
        while nth < other.n_leaves {
            match self.number(other.leaves[nth]) {
                Some(position) => positions[nth] = position,
                None => return None,
            }
            nth += 1;
        }
        Some(moved(other.value, other.n_leaves, &positions))
    }

    /// The combinations of leaves that occur: at most one answer of each condition, and one if all of its answers are leaves.
    const fn occurring(&self) -> u64 {
        let mut occurring = u64::MAX;
        let mut nth = 0;
        while nth < self.n_leaves {
            let leaf = self.leaves[nth];
            let (mut n_same, mut any) = (1, VARIABLES[nth]);
            let mut before = 0;
            while before < nth {
                if self.leaves[before].condition == leaf.condition {
                    occurring &= !(VARIABLES[before] & VARIABLES[nth]);
                    any |= VARIABLES[before];
                    n_same += 1;
                }
                before += 1;
            }
            if n_same == leaf.n_answers {
                occurring &= any;
            }
            nth += 1;
        }
        occurring
    }
}

/// A value after each leaf k got the number `positions[k]`. The value does not depend on leaves whose number is the maximum.
const fn moved(value: u64, n_leaves: usize, positions: &[usize; TruthTable::MAX_LEAVES]) -> u64 {
    let mut moved = 0;
    let mut combination = 0_usize;
    while combination < 1 << n_leaves {
        if value >> combination & 1 == 1 {
            let mut those = u64::MAX;
            let mut nth = 0;
            while nth < n_leaves {
                if positions[nth] < TruthTable::MAX_LEAVES {
                    let variable = VARIABLES[positions[nth]];
                    those &= if combination >> nth & 1 == 1 {
                        variable
                    } else {
                        !variable
                    };
                }
                nth += 1;
            }
            moved |= those;
        }
        combination += 1;
    }
    moved
}
