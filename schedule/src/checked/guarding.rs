//! Which guards each node has, and which answers it therefore needs.

use super::conditions::Conditions;
use super::draft::Draft;
use super::edges::{Edges, Origin};
use super::groups::Groups;
use super::memory::{Bits, List, Memory};
use super::node::{Item, NONE};
use crate::system::Guard;
use schedule_graph::internal::{Needed, Needs};

/// The guards of each node: its own, those of the groups around it, and of groups that it serves as a condition.
#[derive(Debug)]
pub(super) struct Guarding<'a> {
    /// Bit i of row v: guard i is one of node v.
    of_nodes: Bits<'a>,
    /// The same of groups.
    of_groups: Bits<'a>,
    /// `is_asked[v]`: 1 if node v is asked by a guard; len = n_added.
    is_asked: &'a mut [u32],
    has_guarded_groups: bool,
}

/// How far the groups that cover a condition are known.
const UNKNOWN: u32 = 0;
const BEING_FOUND: u32 = 1;
const KNOWN: u32 = 2;

impl<'a> Guarding<'a> {
    pub(super) const fn n_words(n_nodes: usize, n_leaves: usize) -> usize {
        3 * n_nodes + 2 * n_leaves
    }

    pub(super) const fn n_blocks(n_nodes: usize, n_groups: usize, n_guards: usize) -> usize {
        Bits::n_blocks(n_nodes, n_guards)
            + Bits::n_blocks(n_groups, n_guards)
            + Bits::n_blocks(2 * n_nodes, n_groups)
    }

    /// Finds them, and adds an edge from each condition to what it guards.
    pub(super) const fn new(
        draft: &Draft<'_>,
        groups: &Groups<'_>,
        conditions: &Conditions<'_>,
        edges: &mut Edges<'_>,
        memory: &mut Memory<'a>,
    ) -> Self {
        let n_nodes = draft.nodes.len();
        let n_guards = draft.guards.len();
        let is_asked = memory.take_words(n_nodes);
        let mut node = 0;
        while node < n_nodes {
            is_asked[node] = 0;
            node += 1;
        }
        let mut guarding = Self {
            of_nodes: Bits::new(memory, n_nodes, n_guards),
            of_groups: Bits::new(memory, draft.groups.len(), n_guards),
            is_asked,
            has_guarded_groups: false,
        };
        let mut guard = 0;
        while guard < n_guards {
            if !conditions.is_broken(guard) {
                guarding.push_own(draft, groups, conditions, edges, guard);
            }
            guard += 1;
        }
        if guarding.has_guarded_groups {
            guarding.inherit(draft, groups, conditions, edges, memory);
        }
        guarding
    }

    /// Of what is guarded so itself, and of what is in a group that is.
    const fn push_own(
        &mut self,
        draft: &Draft<'_>,
        groups: &Groups<'_>,
        conditions: &Conditions<'_>,
        edges: &mut Edges<'_>,
        guard: usize,
    ) {
        let subject = draft.guards.at(guard).subject;
        match subject {
            Item::Node(node) => {
                self.of_nodes.set(node as usize, guard);
            }
            Item::Group(group) => {
                self.has_guarded_groups = true;
                self.of_groups.set(group as usize, guard);
                let mut node = 0;
                while node < draft.nodes.len() {
                    if groups.has(group, node as u32) {
                        self.of_nodes.set(node, guard);
                    }
                    node += 1;
                }
            }
        }
        let mut leaf = conditions.first_leaf(guard);
        while leaf < conditions.end_of(guard) {
            let condition = conditions.leaf(leaf);
            self.is_asked[condition as usize] = 1;
            let edge = edges.lifted(Item::Node(condition), subject);
            edges.push(edge.from, edge.to, Origin::Leaf(leaf as u32));
            leaf += 1;
        }
    }

    /// A condition of which all that it guards is in a guarded group has the guards of that group.
    const fn inherit(
        &mut self,
        draft: &Draft<'_>,
        groups: &Groups<'_>,
        conditions: &Conditions<'_>,
        edges: &mut Edges<'_>,
        memory: &mut Memory<'a>,
    ) {
        let n_nodes = draft.nodes.len();
        let mut covers = Covers {
            draft,
            groups,
            guarding: self,
            rows: Bits::new(memory, 2 * n_nodes, draft.groups.len()),
            states: memory.take_words(n_nodes),
            asking: Asking::new(draft, conditions, memory),
        };
        let mut node = 0;
        while node < n_nodes {
            covers.states[node] = UNKNOWN;
            node += 1;
        }
        let mut node = 0;
        while node < n_nodes {
            if covers.guarding.is_asked[node] == 1 {
                covers.find(node);
            }
            node += 1;
        }
        let rows = covers.rows;
        let mut node = 0;
        while node < n_nodes {
            let mut group = 0;
            while self.is_asked[node] == 1 && group < draft.groups.len() {
                let item = Item::Node(node as u32);
                if rows.has(node, group) && !groups.is_in(item, group as u32) {
                    self.inherit_of(draft, conditions, edges, node, group);
                }
                group += 1;
            }
            node += 1;
        }
    }

    const fn inherit_of(
        &mut self,
        draft: &Draft<'_>,
        conditions: &Conditions<'_>,
        edges: &mut Edges<'_>,
        node: usize,
        group: usize,
    ) {
        let mut from = 0;
        while let Some(guard) = self.of_groups.next(group, from) {
            from = guard + 1;
            if can_guard(draft, conditions, guard, node) {
                self.of_nodes.set(node, guard);
                let mut leaf = conditions.first_leaf(guard);
                while leaf < conditions.end_of(guard) {
                    let condition = Item::Node(conditions.leaf(leaf));
                    let edge = edges.lifted(condition, Item::Node(node as u32));
                    edges.push(edge.from, edge.to, Origin::Inherited(guard as u32));
                    leaf += 1;
                }
            }
        }
    }

    /// What each of so many nodes needs to run, for itself and for the loops around it.
    ///
    /// `starts` has len = n_nodes + 1.
    pub(super) const fn needs<'n>(
        &self,
        draft: &Draft<'_>,
        conditions: &Conditions<'_>,
        starts: &'n mut [u32],
        needed: &'n mut [Needed],
    ) -> Needs<'n> {
        if draft.guards.len() == 0 {
            return Needs {
                starts: &[],
                needed: &[],
            };
        }
        let mut needs = Necessary {
            conditions,
            list: List::new(needed),
        };
        let mut node = 0;
        while node + 1 < starts.len() {
            let start = needs.list.len();
            starts[node] = start as u32;
            let mut level = if node < draft.nodes.len() {
                node as u32
            } else {
                NONE
            };
            while level != NONE {
                let mut from = 0;
                while let Some(guard) = self.of_nodes.next(level as usize, from) {
                    let middle = needs.list.len();
                    let mut leaf = conditions.first_leaf(guard);
                    needs.push(draft.guard(draft.guards.at(guard)), &mut leaf, true);
                    needs.merge(start, middle, true);
                    from = guard + 1;
                }
                level = draft.node(level).level;
            }
            node += 1;
        }
        let n_needed = needs.list.len();
        starts[node] = n_needed as u32;
        Needs {
            starts,
            needed: needed.split_at(n_needed).0,
        }
    }
}

/// Whether each leaf stands at the level of the node, or further out, and is not the node itself.
const fn can_guard(
    draft: &Draft<'_>,
    conditions: &Conditions<'_>,
    guard: usize,
    node: usize,
) -> bool {
    let level = draft.nodes.get(node).level;
    let mut leaf = conditions.first_leaf(guard);
    while leaf < conditions.end_of(guard) {
        let condition = conditions.leaf(leaf);
        if condition as usize == node || !draft.is_around(draft.node(condition).level, level) {
            return false;
        }
        leaf += 1;
    }
    true
}

/// For each condition the guarded groups that all it guards is in, or serves likewise.
struct Covers<'c, 'd, 'a> {
    draft: &'c Draft<'d>,
    groups: &'c Groups<'d>,
    guarding: &'c Guarding<'a>,
    /// Row v: the groups that cover node v; row n_nodes + v: scratch space.
    rows: Bits<'a>,
    states: &'a mut [u32],
    asking: Asking<'a>,
}

/// The leaves that ask each node.
struct Asking<'a> {
    /// `firsts[v]`: the first leaf that asks node v, or [`NONE`].
    firsts: &'a mut [u32],
    /// `nexts[l]`: the leaf behind leaf l that asks the same node, or [`NONE`].
    nexts: &'a mut [u32],
    /// `guards[l]`: the guard that leaf l is in.
    guards: &'a mut [u32],
}

impl<'a> Asking<'a> {
    const fn new(draft: &Draft<'_>, conditions: &Conditions<'_>, memory: &mut Memory<'a>) -> Self {
        let n_guards = draft.guards.len();
        let n_leaves = conditions.first_leaf(n_guards);
        let asking = Self {
            firsts: memory.take_words(draft.nodes.len()),
            nexts: memory.take_words(n_leaves),
            guards: memory.take_words(n_leaves),
        };
        let mut node = 0;
        while node < asking.firsts.len() {
            asking.firsts[node] = NONE;
            node += 1;
        }
        let mut guard = n_guards;
        while guard > 0 {
            guard -= 1;
            let mut leaf = conditions.end_of(guard);
            while leaf > conditions.first_leaf(guard) && !conditions.is_broken(guard) {
                leaf -= 1;
                let node = conditions.leaf(leaf) as usize;
                asking.guards[leaf] = guard as u32;
                asking.nexts[leaf] = asking.firsts[node];
                asking.firsts[node] = leaf as u32;
            }
        }
        asking
    }
}

impl Covers<'_, '_, '_> {
    const fn find(&mut self, node: usize) {
        if self.states[node] != UNKNOWN {
            return;
        }
        // Conditions that guard each other are covered by nothing.
        self.states[node] = BEING_FOUND;
        let n_nodes = self.draft.nodes.len();
        let scratch = n_nodes + node;
        let mut is_first = true;
        let mut leaf = self.asking.firsts[node];
        while leaf != NONE {
            let guard = self.asking.guards[leaf as usize] as usize;
            leaf = self.asking.nexts[leaf as usize];
            let subject = self.draft.guards.at(guard).subject;
            self.rows.clear(scratch);
            let mut group = 0;
            while group < self.draft.groups.len() {
                if self.groups.is_in(subject, group as u32) && self.is_guarded(group) {
                    self.rows.set(scratch, group);
                }
                group += 1;
            }
            if let Item::Node(guarded) = subject
                && self.guarding.is_asked[guarded as usize] == 1
            {
                self.find(guarded as usize);
                if self.states[guarded as usize] == KNOWN {
                    self.rows.merge(guarded as usize, scratch);
                }
            }
            if is_first {
                self.rows.copy(scratch, node);
            } else {
                self.rows.intersect(scratch, node);
            }
            is_first = false;
        }
        self.states[node] = KNOWN;
    }

    const fn is_guarded(&self, group: usize) -> bool {
        self.guarding.of_groups.next(group, 0).is_some()
    }
}

/// Which answers have to be given for a guard to be as wanted, as far as that is the same in all cases.
struct Necessary<'c, 'd, 'n> {
    conditions: &'c Conditions<'d>,
    list: List<'n, Needed>,
}

/// Bits of an answer; of so many branches nothing is known.
const MOST_BRANCHES: usize = u64::BITS as usize;

impl Necessary<'_, '_, '_> {
    /// Adds what a guard needs, sorted by condition. `leaf` goes on to the leaves behind those of the guard.
    ///
    /// One call for each depth of the guard: const evaluation allows 128 calls inside each other.
    const fn push(&mut self, guard: &Guard, leaf: &mut usize, wanted: bool) {
        match guard {
            Guard::Is(answered) => {
                let condition = self.conditions.leaf(*leaf);
                *leaf += 1;
                let n_branches = match answered.declaration.function.branches() {
                    Some(branches) => branches.n_answers(),
                    None => answered.branches.n_answers(),
                };
                if n_branches <= MOST_BRANCHES {
                    let all = u64::MAX >> (MOST_BRANCHES - n_branches);
                    let this = 1 << answered.index;
                    let answers = if wanted { this } else { all & !this };
                    self.list.push(Needed { condition, answers });
                }
            }
            Guard::Not(guard) => self.push(guard, leaf, !wanted),
            Guard::All(guards) | Guard::Any(guards) => {
                let every = matches!(guard, Guard::All(_)) == wanted;
                let start = self.list.len();
                let mut idx = 0;
                while idx < guards.len() {
                    let middle = self.list.len();
                    self.push(&guards[idx], leaf, wanted);
                    if idx > 0 {
                        self.merge(start, middle, every);
                    }
                    idx += 1;
                }
            }
        }
    }

    /// Makes one of the needs from `start` on and those from `middle` on: of both, or, if only one of the two has to
    /// hold, what neither goes without.
    const fn merge(&mut self, start: usize, middle: usize, every: bool) {
        let end = self.list.len();
        let (mut one, mut other) = (start, middle);
        while one < middle || other < end {
            let is_one = other >= end
                || one < middle && self.list.at(one).condition < self.list.at(other).condition;
            let is_other = one >= middle
                || other < end && self.list.at(other).condition < self.list.at(one).condition;
            if is_one {
                if every {
                    self.list.push(self.list.at(one));
                }
                one += 1;
            } else if is_other {
                if every {
                    self.list.push(self.list.at(other));
                }
                other += 1;
            } else {
                let (a, b) = (self.list.at(one), self.list.at(other));
                self.list.push(Needed {
                    condition: a.condition,
                    answers: if every {
                        a.answers & b.answers
                    } else {
                        a.answers | b.answers
                    },
                });
                one += 1;
                other += 1;
            }
        }
        let n_merged = self.list.len() - end;
        let mut idx = 0;
        while idx < n_merged {
            self.list.set(start + idx, self.list.at(end + idx));
            idx += 1;
        }
        self.list.truncate(start + n_merged);
    }
}
