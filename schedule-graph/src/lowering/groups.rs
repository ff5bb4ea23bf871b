//! The declared nodes of each group.

use super::item::{Item, Kind, Member, NONE};
use crate::arena::{Arena, List, fill};
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::cycle::{Cycles, fill_components, fill_shortest_cycles};
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::graph::order::sort_topologically;
use crate::links_memory::LinksMemory;

/// Declared nodes, groups and memberships.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// `kinds[i]`: the kind of declared node i; len = n_declared.
    pub kinds: &'a [Kind],
    /// `levels[i]`: the loop that declared node i is directly in, or [`NONE`]; len = n_declared. A loop has a smaller index
    /// than the nodes in it.
    pub levels: &'a [u32],
    /// `group_levels[g]`: the loop in which group g is declared, or [`NONE`]; len = n_groups. Used for groups without nodes.
    pub group_levels: &'a [u32],
    /// The direct memberships of items in groups.
    pub members: &'a [Member],
}

/// The memory of [`Groups`].
#[derive(Debug)]
pub struct GroupsMemory<'a> {
    up: LinksMemory<'a>,
    down: LinksMemory<'a>,
    edges: &'a mut [Edge],
    firsts: &'a mut [u32],
    levels: &'a mut [u32],
    is_placed: &'a mut [u32],
    is_kept: &'a mut [u32],
    misplaced: &'a mut [u32],
    nesting: Nesting<'a>,
}

/// The memory to sort nested groups.
#[derive(Debug)]
struct Nesting<'a> {
    edges: &'a mut [Edge],
    members: &'a mut [u32],
    links: LinksMemory<'a>,
    scratch: &'a mut [u32],
    order: &'a mut [u32],
    cycle_starts: &'a mut [u32],
    cycle_edges: &'a mut [u32],
}

/// Groups and their items.
#[derive(Debug)]
pub struct Groups<'a> {
    pub(super) declared: Declared<'a>,
    /// From the index of an item to the groups that it is directly in.
    pub(super) up: Links<'a>,
    /// From each group to the indices of the items that are directly in it.
    pub(super) down: Links<'a>,
    /// `firsts[g]`: the first declared node in group g, directly or through other groups, or [`NONE`]; len = n_groups.
    firsts: &'a [u32],
    /// `levels[g]`: the loop that the nodes in group g are directly in, or [`NONE`]; len = n_groups.
    levels: &'a [u32],
    /// `is_kept[m]`: 0 if member m is at another level than its group; len = n_members.
    is_kept: &'a [u32],
    misplaced: &'a [u32],
    /// The cycles of groups that contain each other, as edges between groups.
    tangles: Option<Cycles<'a>>,
    /// `members_of_edges[e]`: the membership of edge e.
    members_of_edges: &'a [u32],
}

/// The marked and open items of a graph search through groups.
#[derive(Debug)]
pub(super) struct Marks<'a> {
    /// `stamps[i]`: the last search that marked the item of index i.
    stamps: &'a mut [u32],
    stamp: u32,
    open: &'a mut [u32],
    n_open: usize,
}

impl<'a> GroupsMemory<'a> {
    /// Takes memory for these maximum numbers of declared nodes, groups and members.
    pub const fn take(
        arena: &mut Arena<'a>,
        n_declared: usize,
        n_groups: usize,
        n_members: usize,
    ) -> Self {
        Self {
            up: LinksMemory::take(arena, n_declared + n_groups, n_members),
            down: LinksMemory::take(arena, n_groups, n_members),
            edges: arena.edges(n_members),
            firsts: arena.words(n_groups),
            levels: arena.words(n_groups),
            is_placed: arena.words(n_groups),
            is_kept: arena.words(n_members),
            misplaced: arena.words(n_groups),
            nesting: Nesting {
                edges: arena.edges(n_members),
                members: arena.words(n_members),
                links: LinksMemory::take(arena, n_groups, n_members),
                scratch: arena.words(SCRATCH_PER_NODE * n_groups),
                order: arena.words(n_groups),
                cycle_starts: arena.words(n_groups + 1),
                cycle_edges: arena.words(n_groups),
            },
        }
    }
}

impl<'a> Groups<'a> {
    /// Finds the items of each group. O(nodes + groups + members).
    ///
    /// # Panics
    ///
    /// If there is too little memory.
    pub const fn new(declared: Declared<'a>, memory: GroupsMemory<'a>) -> Self {
        let (n_declared, n_groups) = (declared.kinds.len(), declared.group_levels.len());
        let n_members = declared.members.len();
        let GroupsMemory {
            up,
            down,
            edges,
            firsts,
            levels,
            is_placed,
            is_kept,
            misplaced,
            nesting,
        } = memory;
        let edges = edges.split_at_mut(n_members).0;
        let mut idx = 0;
        while idx < n_members {
            let Member { item, group } = declared.members[idx];
            edges[idx] = Edge {
                from: item.index(n_declared) as u32,
                to: group,
            };
            idx += 1;
        }
        let up = up.links(n_declared + n_groups, edges);
        let mut idx = 0;
        while idx < n_members {
            let Edge { from, to } = edges[idx];
            edges[idx] = Edge { from: to, to: from };
            idx += 1;
        }
        let down = down.rows(n_groups, n_declared + n_groups, edges);
        let nested = nesting.sort(declared.members, n_groups);
        let mut groups = Filling {
            declared,
            up,
            down,
            order: nested.order,
            is_tangled: nested.tangles.is_some(),
            firsts: firsts.split_at_mut(n_groups).0,
            levels: levels.split_at_mut(n_groups).0,
            is_placed: is_placed.split_at_mut(n_groups).0,
            is_kept: is_kept.split_at_mut(n_members).0,
            misplaced: List::new(misplaced),
        };
        groups.fill_firsts();
        groups.fill_levels();
        groups.drop_misplaced();
        Self {
            declared,
            up,
            down,
            firsts: groups.firsts,
            levels: groups.levels,
            is_kept: groups.is_kept,
            misplaced: groups.misplaced.into_slice(),
            tangles: nested.tangles,
            members_of_edges: nested.members,
        }
    }

    /// The declarations.
    pub const fn declared(&self) -> Declared<'a> {
        self.declared
    }

    /// The number of groups.
    pub const fn n_groups(&self) -> usize {
        self.firsts.len()
    }

    /// The first declared node in a group, directly or through other groups.
    pub const fn first(&self, group: u32) -> Option<u32> {
        match self.firsts[group as usize] {
            NONE => None,
            first => Some(first),
        }
    }

    /// The loop that an item is directly in, or [`NONE`].
    pub const fn level(&self, item: Item) -> u32 {
        match item {
            Item::Node(node) => self.declared.levels[node as usize],
            Item::Group(group) => self.levels[group as usize],
        }
    }

    /// Whether a member is at the level of its group. Other members are ignored and reported as errors.
    pub const fn is_kept(&self, member: usize) -> bool {
        self.is_kept[member] == 1
    }

    /// For each group with members at different levels, the first member that is not at the level of the group.
    pub const fn misplaced(&self) -> &'a [u32] {
        self.misplaced
    }

    /// Whether a group contains itself.
    pub const fn is_tangled(&self) -> bool {
        self.tangles.is_some()
    }

    /// The number of cycles of groups that contain each other: one for each strongly connected component.
    pub const fn n_tangles(&self) -> usize {
        match self.tangles {
            None => 0,
            Some(tangles) => tangles.n_cycles(),
        }
    }

    /// The number of memberships of this cycle.
    pub const fn n_in_tangle(&self, tangle: usize) -> usize {
        match self.tangles {
            None => 0,
            Some(tangles) => tangles.cycle(tangle).len(),
        }
    }

    /// The nth membership of this cycle, as index of the members.
    pub const fn in_tangle(&self, tangle: usize, nth: usize) -> usize {
        match self.tangles {
            None => panic!("no group contains itself"),
            Some(tangles) => self.members_of_edges[tangles.cycle(tangle)[nth] as usize] as usize,
        }
    }

    /// Whether an item is in a group: directly, through other groups, or because a loop around it is.
    /// O(groups around the item).
    pub(super) const fn is_in(&self, item: Item, group: u32, marks: &mut Marks<'_>) -> bool {
        let n_declared = self.declared.kinds.len();
        marks.begin();
        marks.open(item.index(n_declared));
        let mut level = self.level(item);
        while level != NONE {
            marks.open(level as usize);
            level = self.declared.levels[level as usize];
        }
        while let Some(idx) = marks.next() {
            let mut link = self.up.start(idx);
            while link < self.up.end(idx) {
                let outer = self.up.target(link);
                if outer == group {
                    return true;
                }
                marks.open(n_declared + outer as usize);
                link += 1;
            }
        }
        false
    }

    /// Marks the items of a group with 1 and all other items with 0. Items of a group are its members, the members of groups
    /// in it, and the bodies of loops in it. Members at another level than their group do not count.
    /// O(members × depth of nested groups + nodes).
    ///
    /// `inside` has len >= n_declared + n_groups. It is indexed by declared node, then by group.
    pub const fn fill_inside(&self, group: u32, inside: &mut [u32]) {
        let n_declared = self.declared.kinds.len();
        fill(inside, 0);
        inside[n_declared + group as usize] = 1;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut idx = 0;
            while idx < self.declared.members.len() {
                let Member { item, group } = self.declared.members[idx];
                let item = item.index(n_declared);
                if self.is_kept(idx)
                    && inside[n_declared + group as usize] == 1
                    && inside[item] == 0
                {
                    inside[item] = 1;
                    has_changed = true;
                }
                idx += 1;
            }
        }
        let mut node = 0;
        while node < n_declared {
            let level = self.declared.levels[node];
            if level != NONE && inside[level as usize] == 1 {
                inside[node] = 1;
            }
            node += 1;
        }
    }

    /// Starts an enumeration of the declared nodes in an item; see [`Groups::next_node`].
    pub(super) const fn open_nodes(&self, item: Item, marks: &mut Marks<'_>) {
        marks.begin();
        marks.open(item.index(self.declared.kinds.len()));
    }

    /// The next declared node in the item, directly or through other groups. O(members of these groups) for all nodes.
    pub(super) const fn next_node(&self, marks: &mut Marks<'_>) -> Option<u32> {
        let n_declared = self.declared.kinds.len();
        while let Some(idx) = marks.next() {
            if idx < n_declared {
                return Some(idx as u32);
            }
            let group = idx - n_declared;
            let mut link = self.down.start(group);
            while link < self.down.end(group) {
                if self.is_kept(self.down.origin(link) as usize) {
                    marks.open(self.down.target(link) as usize);
                }
                link += 1;
            }
        }
        None
    }
}

/// The state while [`Groups`] are filled.
struct Filling<'a> {
    declared: Declared<'a>,
    up: Links<'a>,
    down: Links<'a>,
    /// All groups; those in another group come before it, if no group contains itself.
    order: &'a [u32],
    is_tangled: bool,
    firsts: &'a mut [u32],
    levels: &'a mut [u32],
    is_placed: &'a mut [u32],
    is_kept: &'a mut [u32],
    misplaced: List<'a, u32>,
}

impl Filling<'_> {
    /// Finds the first node of each group. One pass from inner to outer groups. If groups contain each other, repeats the pass
    /// until nothing changes.
    const fn fill_firsts(&mut self) {
        let n_declared = self.declared.kinds.len();
        fill(self.firsts, NONE);
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut idx = 0;
            while idx < self.order.len() {
                let group = self.order[idx] as usize;
                let mut first = self.firsts[group];
                let mut link = self.down.start(group);
                while link < self.down.end(group) {
                    let inner = self.down.target(link) as usize;
                    let candidate = if inner < n_declared {
                        inner as u32
                    } else {
                        self.firsts[inner - n_declared]
                    };
                    if candidate < first {
                        first = candidate;
                    }
                    link += 1;
                }
                has_changed |= self.is_tangled && first != self.firsts[group];
                self.firsts[group] = first;
                idx += 1;
            }
        }
    }

    /// Finds the level of each group: the level of its first node. A group without nodes has the level of a group that contains
    /// it, or of its declaration.
    const fn fill_levels(&mut self) {
        let n_declared = self.declared.kinds.len();
        let mut group = 0;
        while group < self.firsts.len() {
            let first = self.firsts[group];
            self.is_placed[group] = (first != NONE) as u32;
            self.levels[group] = if first == NONE {
                self.declared.group_levels[group]
            } else {
                self.declared.levels[first as usize]
            };
            group += 1;
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut idx = self.order.len();
            while idx > 0 {
                idx -= 1;
                let group = self.order[idx] as usize;
                let mut link = self.up.start(n_declared + group);
                while link < self.up.end(n_declared + group) && self.is_placed[group] == 0 {
                    let outer = self.up.target(link) as usize;
                    if self.is_placed[outer] == 1 {
                        self.is_placed[group] = 1;
                        self.levels[group] = self.levels[outer];
                        has_changed |= self.is_tangled;
                    }
                    link += 1;
                }
            }
        }
    }

    /// Excludes members at another level than their group, and lists the first of each group.
    const fn drop_misplaced(&mut self) {
        let is_listed = &mut self.is_placed;
        fill(is_listed, 0);
        let mut idx = 0;
        while idx < self.is_kept.len() {
            let Member { item, group } = self.declared.members[idx];
            let level = match item {
                Item::Node(node) => self.declared.levels[node as usize],
                Item::Group(inner) => self.levels[inner as usize],
            };
            let is_of_level = level == self.levels[group as usize];
            self.is_kept[idx] = is_of_level as u32;
            if !is_of_level && is_listed[group as usize] == 0 {
                is_listed[group as usize] = 1;
                self.misplaced.push(idx as u32);
            }
            idx += 1;
        }
    }
}

/// The nesting of groups.
struct Nested<'a> {
    /// All groups; those in another group come before it, if no group contains itself.
    order: &'a [u32],
    tangles: Option<Cycles<'a>>,
    members: &'a [u32],
}

impl<'a> Nesting<'a> {
    const fn sort(self, members: &[Member], n_groups: usize) -> Nested<'a> {
        let mut edges = List::new(self.edges);
        let mut members_of_edges = List::new(self.members);
        let mut idx = 0;
        while idx < members.len() {
            let Member { item, group } = members[idx];
            if let Item::Group(inner) = item {
                edges.push(Edge {
                    from: inner,
                    to: group,
                });
                members_of_edges.push(idx as u32);
            }
            idx += 1;
        }
        let order = self.order.split_at_mut(n_groups).0;
        if edges.is_empty() {
            let mut group = 0;
            while group < n_groups {
                order[group] = group as u32;
                group += 1;
            }
            return Nested {
                order,
                tangles: None,
                members: &[],
            };
        }
        let links = self.links.links(n_groups, edges.as_slice());
        let scratch = self.scratch;
        let mut tangles = None;
        if sort_topologically(links, scratch, order) < n_groups {
            // The memory of `order` first holds the component of each group, then an arbitrary order.
            fill_components(links, scratch, order);
            tangles = Some(fill_shortest_cycles(
                links,
                order,
                scratch,
                self.cycle_starts.split_at_mut(n_groups + 1).0,
                self.cycle_edges.split_at_mut(n_groups).0,
            ));
            let mut group = 0;
            while group < n_groups {
                order[group] = group as u32;
                group += 1;
            }
        }
        Nested {
            order,
            tangles,
            members: members_of_edges.into_slice(),
        }
    }
}

impl<'a> Marks<'a> {
    /// Takes memory for `n_items` declared nodes and groups.
    pub(super) const fn take(arena: &mut Arena<'a>, n_items: usize) -> Self {
        Self {
            stamps: arena.words(n_items),
            stamp: 0,
            open: arena.words(n_items),
            n_open: 0,
        }
    }

    /// Initializes the memory. Must be called before the first search.
    pub(super) const fn clear(&mut self) {
        fill(self.stamps, 0);
        self.stamp = 0;
    }

    /// Starts a search, in which no item is marked.
    pub(super) const fn begin(&mut self) {
        self.stamp += 1;
        self.n_open = 0;
    }

    /// Marks an item and opens it, unless it is marked.
    pub(super) const fn open(&mut self, idx: usize) {
        if self.stamps[idx] != self.stamp {
            self.stamps[idx] = self.stamp;
            self.open[self.n_open] = idx as u32;
            self.n_open += 1;
        }
    }

    /// The next open item.
    pub(super) const fn next(&mut self) -> Option<usize> {
        if self.n_open == 0 {
            return None;
        }
        self.n_open -= 1;
        Some(self.open[self.n_open] as usize)
    }

    /// Whether this search has marked an item.
    pub(super) const fn has(&self, idx: usize) -> bool {
        self.stamps[idx] == self.stamp
    }
}
