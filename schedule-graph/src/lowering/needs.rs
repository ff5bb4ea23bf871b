//! The needs of each node: answers of conditions without which it cannot run, and the truth table of its guards.

use super::conditions::{Conditions, UnresolvedGuards};
use super::guards::Guards;
use super::item::{NONE, NodeKind, Token};
use super::tables::TablesMemory;
use crate::arena::{Arena, Full, List};
use crate::exclusion::{Needed, Needs};

/// The maximum number of answers of a condition whose needs are recorded.
const MOST_ANSWERS: u32 = u64::BITS;

/// The memory of the needs of all nodes.
#[derive(Debug)]
pub(super) struct NeedsMemory<'a> {
    guard_starts: &'a mut [u32],
    of_guards: &'a mut [Needed],
    polarities: &'a mut [u32],
    stack: &'a mut [u32],
    starts: &'a mut [u32],
    needed: &'a mut [Needed],
    tables: TablesMemory<'a>,
}

/// Declared nodes as nodes of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered<'n> {
    /// `kinds[v]`: the code of the kind of node v.
    pub(super) kinds: &'n [u32],
    /// `node_of[i]`: the node of declared node i.
    pub(super) node_of: &'n [u32],
    /// `levels[i]`: the loop that declared node i is directly in, or [`NONE`].
    pub(super) levels: &'n [u32],
}

impl<'a> NeedsMemory<'a> {
    /// `n_tokens`: the number of tokens of the longest guard. `n_needed`: the number of needs of all nodes, before the needs of
    /// several guards of a node are joined.
    pub(super) const fn take(
        arena: &mut Arena<'a>,
        n_nodes: usize,
        n_guards: usize,
        n_leaves: usize,
        n_tokens: usize,
        n_needed: usize,
    ) -> Self {
        Self {
            guard_starts: arena.words(n_guards + 1),
            of_guards: arena.needed(n_leaves),
            polarities: arena.words(n_tokens),
            stack: arena.words(n_tokens + 1),
            starts: arena.words(n_nodes + 1),
            needed: arena.needed(n_needed),
            tables: TablesMemory::take(arena, n_nodes, n_guards, n_leaves, n_needed),
        }
    }

    /// The needs of each node: its own, and those of the loops around it.
    ///
    /// O(t log t) for the t tokens of all guards, and O(n log n) for the n needs of the guards of each node.
    pub(super) const fn needs(
        self,
        unresolved: UnresolvedGuards<'_>,
        conditions: Conditions<'_>,
        guards: &Guards<'_>,
        numbered: Numbered<'_>,
    ) -> Result<Needs<'a>, Full> {
        let n_nodes = numbered.kinds.len();
        if conditions.n_guards() == 0 {
            return Ok(Needs::NONE);
        }
        let mut tables = self.tables.tables();
        let mut of_guards = List::new(self.of_guards);
        let guard_starts = self.guard_starts;
        let mut guard = 0;
        while guard < conditions.n_guards() {
            guard_starts[guard] = of_guards.len() as u32;
            if !conditions.is_broken(guard) {
                let mut evaluation = Evaluation {
                    unresolved,
                    conditions,
                    node_of: numbered.node_of,
                    needed: &mut of_guards,
                    polarities: self.polarities,
                    stack: List::new(self.stack),
                };
                evaluation.evaluate(guard);
            }
            let mut stack = List::new(self.stack);
            tables.push_guard(unresolved, conditions, numbered.node_of, guard, &mut stack);
            guard += 1;
        }
        guard_starts[guard] = of_guards.len() as u32;

        let starts = self.starts.split_at_mut(n_nodes + 1).0;
        let mut needed = List::new(self.needed);
        let mut node = 0;
        while node < n_nodes {
            let start = needed.len();
            starts[node] = start as u32;
            let mut level = match NodeKind::of_code(numbered.kinds[node]) {
                NodeKind::Declared(idx) => idx,
                _ => NONE,
            };
            while level != NONE {
                let mut position = guards.start(level);
                while position < guards.end(level) {
                    let guard = guards.at(position) as usize;
                    let mut idx = guard_starts[guard] as usize;
                    while idx < guard_starts[guard + 1] as usize {
                        if needed.is_full() {
                            return Err(Full);
                        }
                        needed.push(of_guards.at(idx));
                        idx += 1;
                    }
                    tables.add(guard);
                    position += 1;
                }
                level = numbered.levels[level as usize];
            }
            join(&mut needed, start, 0, true);
            if let Err(full) = tables.end_node() {
                return Err(full);
            }
            node += 1;
        }
        starts[node] = needed.len() as u32;
        let (table_starts, tables) = tables.into_slices();
        Ok(Needs {
            starts,
            needed: needed.into_slice(),
            table_starts,
            tables,
        })
    }
}

/// Finds the needs of one guard.
struct Evaluation<'e, 'm> {
    unresolved: UnresolvedGuards<'e>,
    conditions: Conditions<'e>,
    node_of: &'e [u32],
    needed: &'e mut List<'m, Needed>,
    /// `polarities[t]`: 1 if token t must be true, 0 if it must be false.
    polarities: &'e mut [u32],
    stack: List<'e, u32>,
}

impl Evaluation<'_, '_> {
    const fn evaluate(&mut self, guard: usize) {
        let template = self.conditions.template(guard) as usize;
        let first = self.unresolved.token_starts[template] as usize;
        let end = self.unresolved.token_starts[template + 1] as usize;
        self.fill_polarities(first, end);
        let mut leaf = self.unresolved.template_starts[template] as usize;
        let mut asked = self.conditions.first_leaf(guard);
        let mut idx = first;
        while idx < end {
            let is_wanted = self.polarities[idx - first] == 1;
            match self.unresolved.tokens[idx] {
                Token::Leaf => {
                    let start = self.needed.len() as u32;
                    let wanted = self.unresolved.leaves[leaf];
                    if wanted.n_answers <= MOST_ANSWERS {
                        let all = u64::MAX >> (MOST_ANSWERS - wanted.n_answers);
                        let this = 1 << wanted.answer;
                        let condition = self.conditions.node(asked) as usize;
                        self.needed.push(Needed {
                            condition: self.node_of[condition],
                            answers: if is_wanted { this } else { all & !this },
                        });
                    }
                    self.stack.push(start);
                    leaf += 1;
                    asked += 1;
                }
                Token::Not => {}
                Token::All(n) => self.join(n as usize, is_wanted),
                Token::Any(n) => self.join(n as usize, !is_wanted),
            }
            idx += 1;
        }
    }

    /// Finds the polarity of each token. Visits tokens backwards, so each operator comes before its operands.
    const fn fill_polarities(&mut self, first: usize, end: usize) {
        self.stack.push(1);
        let mut idx = end;
        while idx > first {
            idx -= 1;
            let Some(polarity) = self.stack.pop() else {
                panic!("a guard has one result");
            };
            self.polarities[idx - first] = polarity;
            match self.unresolved.tokens[idx] {
                Token::Leaf => {}
                Token::Not => self.stack.push(1 - polarity),
                Token::All(n) | Token::Any(n) => {
                    let mut nth = 0;
                    while nth < n {
                        self.stack.push(polarity);
                        nth += 1;
                    }
                }
            }
        }
    }

    /// Joins the needs of the last `n` operands.
    const fn join(&mut self, n: usize, every: bool) {
        let left = self.stack.len() - n;
        let start = if n == 0 {
            self.needed.len()
        } else {
            self.stack.at(left) as usize
        };
        if n > 1 {
            join(self.needed, start, n, every);
        }
        self.stack.truncate(left);
        self.stack.push(start as u32);
    }
}

/// Sorts the needs from `start` on by condition and joins those of the same condition. O(n log n).
///
/// If `every`, the joined need has the answers that all of them permit. Otherwise it has the answers that one of the `n`
/// operands permits, and is left out unless all operands need the condition.
const fn join(list: &mut List<'_, Needed>, start: usize, n: usize, every: bool) {
    sort(list, start);
    let mut n_kept = start;
    let mut idx = start;
    while idx < list.len() {
        let mut one = list.at(idx);
        let mut n_same = 1;
        while idx + n_same < list.len() && list.at(idx + n_same).condition == one.condition {
            let answers = list.at(idx + n_same).answers;
            if every {
                one.answers &= answers;
            } else {
                one.answers |= answers;
            }
            n_same += 1;
        }
        if every || n_same == n {
            list.set(n_kept, one);
            n_kept += 1;
        }
        idx += n_same;
    }
    list.truncate(n_kept);
}

/// Sorts the needs from `start` on by condition: heapsort (Williams 1964), unless they are sorted already.
const fn sort(list: &mut List<'_, Needed>, start: usize) {
    let n = list.len() - start;
    let mut idx = 1;
    while idx < n && list.at(start + idx - 1).condition <= list.at(start + idx).condition {
        idx += 1;
    }
    if idx >= n {
        return;
    }
    let mut root = n / 2;
    while root > 0 {
        root -= 1;
        sink(list, start, root, n);
    }
    let mut end = n;
    while end > 1 {
        end -= 1;
        let last = list.at(start + end);
        list.set(start + end, list.at(start));
        list.set(start, last);
        sink(list, start, 0, end);
    }
}

/// Sifts the need at `root` down in a max-heap of `n` needs.
const fn sink(list: &mut List<'_, Needed>, start: usize, root: usize, n: usize) {
    let one = list.at(start + root);
    let mut hole = root;
    loop {
        let mut child = 2 * hole + 1;
        if child >= n {
            break;
        }
        let is_right_larger = child + 1 < n
            && list.at(start + child).condition < list.at(start + child + 1).condition;
        child += is_right_larger as usize;
        let larger = list.at(start + child);
        if larger.condition <= one.condition {
            break;
        }
        list.set(start + hole, larger);
        hole = child;
    }
    list.set(start + hole, one);
}
