//! The nodes of the graph, in the order of declaration.
//!
//! The number of a group precedes that of its first node. The number of an implied condition precedes that of the first node
//! that it guards. So the topological order with the smallest numbers first follows the order of declaration.

use super::conditions::Conditions;
use super::groups::Groups;
use super::item::{Item, Kind, NONE, NodeKind};
use crate::arena::{Arena, List, fill};
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};

/// The memory of [`Numbering`].
#[derive(Debug)]
pub(super) struct NumberingMemory<'a> {
    kinds: &'a mut [u32],
    node_of: &'a mut [u32],
    begins: &'a mut [u32],
    weak_begins: &'a mut [u32],
    loops: &'a mut [Edge],
    around: &'a mut [u32],
    own: &'a mut [u32],
    implied: &'a mut [u32],
    next_implied: &'a mut [u32],
    groups: &'a mut [u32],
    next_groups: &'a mut [u32],
    open: &'a mut [u32],
}

/// The number of each declared node and of each group.
#[derive(Debug)]
pub(super) struct Numbering<'a> {
    /// `kinds[v]`: the code of the kind of node v.
    pub(super) kinds: List<'a, u32>,
    /// `node_of[i]`: the node of declared node i; the begin of a loop.
    pub(super) node_of: &'a [u32],
    /// `begins[g]`: the begin of group g; its end is the next node.
    pub(super) begins: &'a [u32],
    /// `weak_begins[g]`: the begin of group g for weak orders, or [`NONE`]; its end is the next node.
    weak_begins: &'a mut [u32],
    /// The loops, and the loop of each node, as in [`Levels`]. The memory may be longer than the number of nodes.
    loops: &'a [Edge],
    around: &'a mut [u32],
    own: &'a mut [u32],
}

impl<'a> NumberingMemory<'a> {
    /// `n_nodes`: the number of nodes, those for weak orders included.
    pub(super) const fn take(
        arena: &mut Arena<'a>,
        n_nodes: usize,
        n_declared: usize,
        n_groups: usize,
        n_loops: usize,
    ) -> Self {
        let n_levelled = if n_loops == 0 { 0 } else { n_nodes };
        Self {
            kinds: arena.words(n_nodes),
            node_of: arena.words(n_declared),
            begins: arena.words(n_groups),
            weak_begins: arena.words(n_groups),
            loops: arena.edges(n_loops),
            around: arena.words(n_levelled),
            own: arena.words(n_levelled),
            implied: arena.words(n_declared),
            next_implied: arena.words(n_declared),
            groups: arena.words(n_declared),
            next_groups: arena.words(n_groups),
            open: arena.words(n_declared),
        }
    }
}

impl<'a> Numbering<'a> {
    /// O(nodes + groups).
    pub(super) const fn new(
        groups: &Groups<'_>,
        conditions: Conditions<'_>,
        memory: NumberingMemory<'a>,
    ) -> Self {
        let n_declared = groups.declared.kinds.len();
        let n_groups = groups.n_groups();
        let mut drafting = Drafting {
            groups,
            kinds: List::new(memory.kinds),
            node_of: memory.node_of.split_at_mut(n_declared).0,
            begins: memory.begins.split_at_mut(n_groups).0,
            implied: memory.implied,
            next_implied: memory.next_implied,
            first_groups: memory.groups,
            next_groups: memory.next_groups,
        };
        drafting.list_before(conditions);
        drafting.number(conditions, memory.open);
        let Drafting {
            kinds,
            node_of,
            begins,
            ..
        } = drafting;
        let weak_begins = memory.weak_begins.split_at_mut(n_groups).0;
        fill(weak_begins, NONE);
        let mut numbering = Self {
            kinds,
            node_of,
            begins,
            weak_begins,
            loops: &[],
            around: memory.around,
            own: memory.own,
        };
        numbering.fill_levels(groups, memory.loops);
        numbering
    }

    pub(super) const fn levels(&self) -> Levels<'_> {
        Levels {
            loops: self.loops,
            around: self.around,
            own: self.own,
        }
    }

    /// The first and the last node of an item.
    pub(super) const fn ends(&self, item: Item) -> (u32, u32) {
        match item {
            Item::Node(idx) => {
                let node = self.node_of[idx as usize];
                // Matches a pattern, because calls are slow in const evaluation.
                if matches!(self.loops, []) || self.own[node as usize] == NO_LOOP {
                    (node, node)
                } else {
                    (node, node + 1)
                }
            }
            Item::Group(group) => {
                let begin = self.begins[group as usize];
                (begin, begin + 1)
            }
        }
    }

    /// As [`Numbering::ends`], for weak orders. A group must have its nodes for weak orders.
    pub(super) const fn weak_ends(&self, item: Item) -> (u32, u32) {
        match item {
            Item::Node(_) => self.ends(item),
            Item::Group(group) => {
                let begin = self.weak_begins[group as usize];
                (begin, begin + 1)
            }
        }
    }

    /// Adds the two nodes of a group for weak orders. Returns false if the group already has them.
    pub(super) const fn add_weak(&mut self, groups: &Groups<'_>, group: u32) -> bool {
        if self.weak_begins[group as usize] != NONE {
            return false;
        }
        let begin = self.kinds.len();
        self.weak_begins[group as usize] = begin as u32;
        self.kinds.push(NodeKind::WeakBegin(group).code());
        self.kinds.push(NodeKind::WeakEnd(group).code());
        if !self.loops.is_empty() {
            let around = self.loop_of(groups.level(Item::Group(group)));
            self.around[begin] = around;
            self.around[begin + 1] = around;
            self.own[begin] = NO_LOOP;
            self.own[begin + 1] = NO_LOOP;
        }
        true
    }

    /// The edge that orders all of one item before all of another, at their lowest common level.
    pub(super) const fn lifted(&self, first: Item, then: Item) -> Edge {
        self.levels().lift(Edge {
            from: self.ends(first).1,
            to: self.ends(then).0,
        })
    }

    /// The number of a loop by its index as a declared node.
    const fn loop_of(&self, level: u32) -> u32 {
        match level {
            NONE => NO_LOOP,
            level => self.own[self.node_of[level as usize] as usize],
        }
    }

    const fn fill_levels(&mut self, groups: &Groups<'_>, loops: &'a mut [Edge]) {
        let declared = groups.declared;
        let mut loops = List::new(loops);
        let mut idx = 0;
        while idx < declared.kinds.len() {
            if matches!(declared.kinds[idx], Kind::Loop) {
                let begin = self.node_of[idx];
                loops.push(Edge {
                    from: begin,
                    to: begin + 1,
                });
            }
            idx += 1;
        }
        self.loops = loops.into_slice();
        if self.loops.is_empty() {
            return;
        }
        let mut node = 0;
        while node < self.kinds.len() {
            self.own[node] = NO_LOOP;
            node += 1;
        }
        let mut number = 0;
        while number < self.loops.len() {
            let Edge { from, to } = self.loops[number];
            self.own[from as usize] = number as u32;
            self.own[to as usize] = number as u32;
            number += 1;
        }
        let mut node = 0;
        while node < self.kinds.len() {
            let item = NodeKind::of_code(self.kinds.at(node)).item();
            self.around[node] = self.loop_of(groups.level(item));
            node += 1;
        }
    }
}

/// The state while nodes are numbered.
struct Drafting<'g, 'a> {
    groups: &'g Groups<'g>,
    kinds: List<'a, u32>,
    node_of: &'a mut [u32],
    begins: &'a mut [u32],
    /// `implied[i]`: the first implied node that is numbered before declared node i, or [`NONE`].
    implied: &'a mut [u32],
    /// `next_implied[i]`: the next implied node before the same declared node as implied node i, or [`NONE`].
    next_implied: &'a mut [u32],
    /// `first_groups[i]`: the first group whose first node is declared node i, or [`NONE`].
    first_groups: &'a mut [u32],
    /// `next_groups[g]`: the next group before the same node as group g, or [`NONE`].
    next_groups: &'a mut [u32],
}

impl Drafting<'_, '_> {
    const fn list_before(&mut self, conditions: Conditions<'_>) {
        let n_declared = self.groups.declared.kinds.len();
        fill(self.implied, NONE);
        fill(self.first_groups, NONE);
        // Groups are listed in ascending order, because they are added in descending order.
        let mut idx = 0;
        while idx < conditions.n_implied() {
            let node = n_declared - conditions.n_implied() + idx;
            let before = conditions.first_guarded(idx);
            if before != NONE {
                // In descending order, because they are pushed onto a stack.
                self.next_implied[node] = self.implied[before as usize];
                self.implied[before as usize] = node as u32;
            }
            idx += 1;
        }
        let mut group = self.groups.n_groups();
        while group > 0 {
            group -= 1;
            if let Some(first) = self.groups.first(group as u32) {
                self.next_groups[group] = self.first_groups[first as usize];
                self.first_groups[first as usize] = group as u32;
            }
        }
    }

    const fn number(&mut self, conditions: Conditions<'_>, open: &mut [u32]) {
        let kinds = self.groups.declared.kinds;
        fill(self.node_of, NONE);
        let mut open = List::new(open);
        let n_explicit = kinds.len() - conditions.n_implied();
        let mut idx = 0;
        while idx < kinds.len() {
            let is_first = idx < n_explicit && !matches!(kinds[idx], Kind::Removed)
                || idx >= n_explicit && conditions.first_guarded(idx - n_explicit) == NONE;
            if is_first {
                open.push(idx as u32);
            }
            while !open.is_empty() {
                let last = open.at(open.len() - 1);
                let mut implied = self.implied[last as usize];
                self.implied[last as usize] = NONE;
                if implied == NONE {
                    open.truncate(open.len() - 1);
                    self.push(last);
                }
                while implied != NONE {
                    open.push(implied);
                    implied = self.next_implied[implied as usize];
                }
            }
            idx += 1;
        }
        let mut group = 0;
        while group < self.groups.n_groups() {
            if self.groups.first(group as u32).is_none() {
                self.push_group(group as u32);
            }
            group += 1;
        }
    }

    const fn push(&mut self, idx: u32) {
        let mut group = self.first_groups[idx as usize];
        while group != NONE {
            self.push_group(group);
            group = self.next_groups[group as usize];
        }
        self.node_of[idx as usize] = self.kinds.len() as u32;
        self.kinds.push(NodeKind::Declared(idx).code());
        if matches!(self.groups.declared.kinds[idx as usize], Kind::Loop) {
            self.kinds.push(NodeKind::LoopEnd(idx).code());
        }
    }

    const fn push_group(&mut self, group: u32) {
        self.begins[group as usize] = self.kinds.len() as u32;
        self.kinds.push(NodeKind::GroupBegin(group).code());
        self.kinds.push(NodeKind::GroupEnd(group).code());
    }
}
