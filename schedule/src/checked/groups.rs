//! What is in which group.

use super::draft::Draft;
use super::fault::{Fault, Kind};
use super::memory::{Bits, List, Memory};
use super::node::{Item, NONE, Said};
use schedule_graph::Edge;
use schedule_graph::internal::Links;
use schedule_graph::internal::SCRATCH_PER_NODE;
use schedule_graph::internal::{fill_components, fill_shortest_cycles};

/// Groups with what is in them.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    /// `levels[g]`: the loop that the members of group g are directly in; len = n_groups.
    levels: &'a mut [u32],
    /// Bit v of row g: node v is in group g, directly or through others.
    nodes: Bits<'a>,
    /// Bit g of row v: node v is in group g, directly or through others, or a loop around it is.
    of_nodes: Bits<'a>,
    /// The same of groups.
    of_groups: Bits<'a>,
    /// `is_kept[i]`: 0 if member i is of another level than the others; len = n_members.
    is_kept: &'a mut [u32],
    /// A group is inside itself.
    pub(super) is_tangled: bool,
}

impl<'a> Groups<'a> {
    pub(super) const fn n_words(n_groups: usize, n_members: usize) -> usize {
        (3 + SCRATCH_PER_NODE + 4) * n_groups + 4 * n_members + 2
    }

    pub(super) const fn n_blocks(n_groups: usize, n_nodes: usize) -> usize {
        Bits::n_blocks(n_groups, n_nodes)
            + Bits::n_blocks(n_nodes, n_groups)
            + Bits::n_blocks(n_groups, n_groups)
    }

    /// The edges that this takes.
    pub(super) const fn n_edges(n_members: usize) -> usize {
        n_members
    }

    pub(super) const fn new(draft: &mut Draft<'_>, memory: &mut Memory<'a>) -> Self {
        let (n_groups, n_nodes) = (draft.groups.len(), draft.nodes.len());
        let n_members = draft.members.len();
        let is_tangled = tell_of_tangles(draft, memory);
        let mut groups = Self {
            levels: memory.take_words(n_groups),
            nodes: Bits::new(memory, n_groups, n_nodes),
            of_nodes: Bits::new(memory, n_nodes, n_groups),
            of_groups: Bits::new(memory, n_groups, n_groups),
            is_kept: memory.take_words(n_members),
            is_tangled,
        };
        groups.find_levels(draft, memory);
        groups.close(draft);
        groups
    }

    pub(super) const fn level_of(&self, draft: &Draft<'_>, item: Item) -> u32 {
        match item {
            Item::Node(node) => draft.node(node).level,
            Item::Group(group) => self.levels[group as usize],
        }
    }

    /// Whether a node is in a group, directly or through others.
    pub(super) const fn has(&self, group: u32, node: u32) -> bool {
        self.nodes.has(group as usize, node as usize)
    }

    /// Whether it is a node, or a group with a node in it.
    pub(super) const fn has_nodes(&self, item: Item) -> bool {
        let Item::Group(group) = item else {
            return true;
        };
        self.nodes.next(group as usize, 0).is_some()
    }

    /// Whether it is in a group, or a loop around it is.
    pub(super) const fn is_in(&self, item: Item, group: u32) -> bool {
        match item {
            Item::Node(node) => self.of_nodes.has(node as usize, group as usize),
            Item::Group(one) => self.of_groups.has(one as usize, group as usize),
        }
    }

    /// The number of the group, unless this member is of another level than the others.
    pub(super) const fn of_member(&self, draft: &Draft<'_>, member: usize) -> Option<u32> {
        if self.is_kept[member] == 0 {
            return None;
        }
        draft.group(draft.membership(draft.members.at(member)).group.id)
    }

    /// The level of each group: that of its first member, or of where an empty one is listed.
    const fn find_levels(&mut self, draft: &mut Draft<'_>, memory: &mut Memory<'a>) {
        let n_groups = draft.groups.len();
        let firsts = memory.take_words(n_groups);
        let mut group = 0;
        while group < n_groups {
            firsts[group] = NONE;
            group += 1;
        }
        // From the back: what is in a block stands behind its group, so that one pass mostly does.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut idx = draft.members.len();
            while idx > 0 {
                idx -= 1;
                let (item, group) = member(draft, draft.members.at(idx));
                let first = match item {
                    Item::Node(node) => node,
                    Item::Group(group) => firsts[group as usize],
                };
                if first < firsts[group as usize] {
                    firsts[group as usize] = first;
                    has_changed = true;
                }
            }
        }
        // is_placed[g]: 1 if the level of group g is known by what is in it, or by a group that it is in.
        let is_placed = memory.take_words(n_groups);
        let mut group = 0;
        while group < n_groups {
            is_placed[group] = (firsts[group] != NONE) as u32;
            self.levels[group] = if firsts[group] == NONE {
                draft.groups.get(group).level
            } else {
                draft.node(firsts[group]).level
            };
            group += 1;
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut idx = 0;
            while idx < draft.members.len() {
                let (item, group) = member(draft, draft.members.at(idx));
                idx += 1;
                if let Item::Group(inner) = item
                    && is_placed[group as usize] == 1
                    && is_placed[inner as usize] == 0
                {
                    is_placed[inner as usize] = 1;
                    self.levels[inner as usize] = self.levels[group as usize];
                    has_changed = true;
                }
            }
        }
        self.tell_of_levels(draft, is_placed);
    }

    /// Tells of members of another level, once for each group, and drops them. `is_told` is scratch space.
    const fn tell_of_levels(&mut self, draft: &mut Draft<'_>, is_told: &mut [u32]) {
        let mut group = 0;
        while group < is_told.len() {
            is_told[group] = 0;
            group += 1;
        }
        let mut idx = 0;
        while idx < draft.members.len() {
            let said = draft.members.at(idx);
            let (item, group) = member(draft, said);
            let is_of_level = self.level_of(draft, item) == self.levels[group as usize];
            self.is_kept[idx] = is_of_level as u32;
            if !is_of_level && is_told[group as usize] == 0 {
                is_told[group as usize] = 1;
                draft.fault(Kind::GroupOverLevels, said.spot, Item::Group(group), item);
            }
            idx += 1;
        }
    }

    /// Fills the rows: in turn from the back, for what is in groups, and from the front, for what groups are in, until
    /// nothing changes. Two passes each mostly do.
    const fn close(&mut self, draft: &Draft<'_>) {
        let n_members = draft.members.len();
        let mut is_back = false;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            is_back = !is_back;
            let mut n_done = 0;
            while n_done < n_members {
                let idx = if is_back {
                    n_members - 1 - n_done
                } else {
                    n_done
                };
                n_done += 1;
                let (item, group) = member(draft, draft.members.at(idx));
                let group = group as usize;
                let is_kept = self.is_kept[idx] == 1;
                match item {
                    Item::Node(node) => {
                        if is_kept {
                            has_changed |= self.nodes.set(group, node as usize);
                        }
                    }
                    Item::Group(inner) => {
                        let inner = inner as usize;
                        if is_kept {
                            has_changed |= self.nodes.merge(inner, group);
                        }
                        has_changed |= self.of_groups.set(inner, group);
                        has_changed |= self.of_groups.merge(group, inner);
                    }
                }
            }
        }
        let mut idx = 0;
        while idx < draft.members.len() {
            if let (Item::Node(node), group) = member(draft, draft.members.at(idx)) {
                self.of_nodes.set(node as usize, group as usize);
                let mut outer = 0;
                while outer < draft.groups.len() {
                    if self.of_groups.has(group as usize, outer) {
                        self.of_nodes.set(node as usize, outer);
                    }
                    outer += 1;
                }
            }
            idx += 1;
        }
        // A loop has a smaller number than what is in it.
        let mut node = 0;
        while node < draft.nodes.len() {
            let level = draft.nodes.get(node).level;
            if level != NONE {
                self.of_nodes.merge(level as usize, node);
            }
            node += 1;
        }
        let mut group = 0;
        while group < draft.groups.len() {
            let level = self.levels[group];
            if level != NONE {
                let mut outer = 0;
                while outer < draft.groups.len() {
                    if self.of_nodes.has(level as usize, outer) {
                        self.of_groups.set(group, outer);
                    }
                    outer += 1;
                }
            }
            group += 1;
        }
    }
}

/// Who is in which group.
const fn member(draft: &Draft<'_>, said: Said) -> (Item, u32) {
    match draft.group(draft.membership(said).group.id) {
        Some(group) => (said.subject, group),
        None => panic!("a group that is named is there"),
    }
}

/// Tells of groups inside themselves, one cycle for each tangle of them; returns whether there is any.
const fn tell_of_tangles(draft: &mut Draft<'_>, memory: &mut Memory<'_>) -> bool {
    let n_groups = draft.groups.len();
    let mut edges = List::new(memory.take_edges(draft.members.len()));
    let mut said_of = List::new(memory.take_words(draft.members.len()));
    let mut idx = 0;
    while idx < draft.members.len() {
        if let (Item::Group(inner), group) = member(draft, draft.members.at(idx)) {
            edges.push(Edge {
                from: inner,
                to: group,
            });
            said_of.push(idx as u32);
        }
        idx += 1;
    }
    if edges.len() == 0 {
        return false;
    }
    let links = Links::of_successors(
        edges.as_slice(),
        memory.take_words(n_groups + 1),
        memory.take_words(edges.len()),
        memory.take_words(edges.len()),
    );
    let scratch = memory.take_words(SCRATCH_PER_NODE * n_groups);
    let component = memory.take_words(n_groups);
    fill_components(links, scratch, component);
    let starts = memory.take_words(n_groups + 1);
    let found = memory.take_words(n_groups);
    let cycles = fill_shortest_cycles(links, component, scratch, starts, found);
    let mut idx = 0;
    while idx < cycles.n_cycles() {
        let cycle = cycles.cycle(idx);
        let last = draft
            .members
            .at(said_of.at(cycle[cycle.len() - 1] as usize) as usize);
        let (item, group) = member(draft, last);
        draft.faults.push(Fault::new(
            Kind::GroupInItself,
            last.spot,
            item,
            Item::Group(group),
        ));
        idx += 1;
    }
    cycles.n_cycles() > 0
}
