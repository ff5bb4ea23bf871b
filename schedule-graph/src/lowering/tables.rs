//! The truth table of the guards of each node. A node whose guards have too many leaves has none.

use super::conditions::{Conditions, UnresolvedGuards};
use super::item::Token;
use crate::arena::{Arena, Full, List};
use crate::truth_table::{TableLeaf, TruthTable};

/// The memory of the tables of all nodes.
#[derive(Debug)]
pub(super) struct TablesMemory<'a> {
    guard_starts: &'a mut [u32],
    of_guards: &'a mut [u32],
    starts: &'a mut [u32],
    words: &'a mut [u32],
}

/// The tables so far.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    /// `guard_starts[g]..guard_starts[g + 1]`: the words of the table of guard g, or none.
    guard_starts: List<'a, u32>,
    of_guards: List<'a, u32>,
    /// `starts[v]..starts[v + 1]`: the words of the table of node v, or none.
    starts: List<'a, u32>,
    words: List<'a, u32>,
    /// The table of the current node. `None` if it has too many leaves.
    current: Option<TruthTable>,
}

impl<'a> TablesMemory<'a> {
    /// `n_needed`: at least the number of leaves of the guards of all nodes, or filling the memory fails.
    pub(super) const fn take(
        arena: &mut Arena<'a>,
        n_nodes: usize,
        n_guards: usize,
        n_leaves: usize,
        n_needed: usize,
    ) -> Self {
        let n_nodes = if n_guards == 0 { 0 } else { n_nodes };
        Self {
            guard_starts: arena.words(n_guards + 1),
            of_guards: arena.words(n_words(n_guards, n_leaves)),
            starts: arena.words(n_nodes + 1),
            words: arena.words(n_words(n_nodes, n_needed)),
        }
    }

    pub(super) const fn tables(self) -> Tables<'a> {
        let mut tables = Tables {
            guard_starts: List::new(self.guard_starts),
            of_guards: List::new(self.of_guards),
            starts: List::new(self.starts),
            words: List::new(self.words),
            current: Some(TruthTable::TRUE),
        };
        tables.guard_starts.push(0);
        tables.starts.push(0);
        tables
    }
}

impl<'a> Tables<'a> {
    /// Adds the table of the next guard. `stack`: scratch memory for one number for each token.
    ///
    /// O(tokens), and O(1) from the seventh leaf on.
    pub(super) const fn push_guard(
        &mut self,
        unresolved: UnresolvedGuards<'_>,
        conditions: Conditions<'_>,
        node_of: &[u32],
        guard: usize,
        stack: &mut List<'_, u32>,
    ) {
        if !conditions.is_broken(guard)
            && let Some(table) = table(unresolved, conditions, node_of, guard, stack)
        {
            push(&mut self.of_guards, &table);
        }
        self.guard_starts.push(self.of_guards.len() as u32);
    }

    /// Adds a guard to those of the current node.
    pub(super) const fn add(&mut self, guard: usize) {
        let start = self.guard_starts.at(guard) as usize;
        let end = self.guard_starts.at(guard + 1) as usize;
        self.current = match self.current {
            Some(table) if end > start => {
                let words = self.of_guards.as_slice().split_at(end).0.split_at(start).1;
                table.and(TruthTable::of_words(words))
            }
            _ => None,
        };
    }

    /// Ends the current node.
    pub(super) const fn end_node(&mut self) -> Result<(), Full> {
        if let Some(table) = self.current
            && (table.n_leaves() > 0 || table.is_never_true())
        {
            if self.words.n_free() < TruthTable::n_words(table.n_leaves()) {
                return Err(Full);
            }
            push(&mut self.words, &table);
        }
        self.starts.push(self.words.len() as u32);
        self.current = Some(TruthTable::TRUE);
        Ok(())
    }

    /// The starts of the tables of all nodes, and their words.
    pub(super) const fn into_slices(self) -> (&'a [u32], &'a [u32]) {
        (self.starts.into_slice(), self.words.into_slice())
    }
}

/// The number of words of `n_tables` tables, which together have `n_leaves` leaves.
const fn n_words(n_tables: usize, n_leaves: usize) -> usize {
    let n_of_leaf = TruthTable::n_words(1) - TruthTable::n_words(0);
    n_tables * TruthTable::n_words(0) + n_leaves * n_of_leaf
}

const fn push(words: &mut List<'_, u32>, table: &TruthTable) {
    let mut nth = 0;
    while nth < TruthTable::n_words(table.n_leaves()) {
        words.push(table.word(nth));
        nth += 1;
    }
}

/// The table of a guard, or `None` if it has too many leaves.
const fn table(
    unresolved: UnresolvedGuards<'_>,
    conditions: Conditions<'_>,
    node_of: &[u32],
    guard: usize,
    stack: &mut List<'_, u32>,
) -> Option<TruthTable> {
    let template = conditions.template(guard) as usize;
    let first_leaf = unresolved.template_starts[template] as usize;
    let n_leaves = unresolved.template_starts[template + 1] as usize - first_leaf;
    let first_asked = conditions.first_leaf(guard);
    let mut table = TruthTable::TRUE;
    let mut nth = 0;
    while nth < n_leaves {
        let leaf = leaf(
            unresolved,
            conditions,
            node_of,
            first_leaf + nth,
            first_asked + nth,
        );
        if table.number(leaf).is_none() {
            return None;
        }
        nth += 1;
    }
    let mut half = 0;
    while half < 2 {
        let mut nth = 0;
        let mut idx = unresolved.token_starts[template] as usize;
        while idx < unresolved.token_starts[template + 1] as usize {
            match unresolved.tokens[idx] {
                Token::Leaf => {
                    let leaf = leaf(
                        unresolved,
                        conditions,
                        node_of,
                        first_leaf + nth,
                        first_asked + nth,
                    );
                    let Some(number) = table.number(leaf) else {
                        panic!("it was added above");
                    };
                    stack.push(TruthTable::half_of_leaf(number, half));
                    nth += 1;
                }
                Token::Not => {
                    let last = stack.len() - 1;
                    stack.set(last, !stack.at(last));
                }
                Token::All(n) => join(stack, n as usize, true),
                Token::Any(n) => join(stack, n as usize, false),
            }
            idx += 1;
        }
        let Some(value) = stack.pop() else {
            panic!("a guard has one result");
        };
        table.set_half(half, value);
        half += 1;
    }
    Some(table)
}

const fn leaf(
    unresolved: UnresolvedGuards<'_>,
    conditions: Conditions<'_>,
    node_of: &[u32],
    leaf: usize,
    asked: usize,
) -> TableLeaf {
    let wanted = unresolved.leaves[leaf];
    TableLeaf {
        condition: node_of[conditions.node(asked) as usize],
        answer: wanted.answer,
        n_answers: wanted.n_answers,
    }
}

/// Joins the last `n` values.
const fn join(stack: &mut List<'_, u32>, n: usize, every: bool) {
    let left = stack.len() - n;
    let mut joined = if every { u32::MAX } else { 0 };
    let mut idx = left;
    while idx < stack.len() {
        if every {
            joined &= stack.at(idx);
        } else {
            joined |= stack.at(idx);
        }
        idx += 1;
    }
    stack.truncate(left);
    stack.push(joined);
}
