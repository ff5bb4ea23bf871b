//! The guards of each declared node: its own guards, those of its groups, and those that it inherits.
//!
//! A condition inherits the guards of a group if each item that it guards is in the group, or is a condition that inherits
//! them too. Then the condition is evaluated only if the group runs.

use super::conditions::Conditions;
use super::groups::{Groups, Marks};
use super::item::{Item, NONE};
use crate::arena::{Arena, Full, List, fill};
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::links_memory::LinksMemory;

/// The memory of [`Guards`].
#[derive(Debug)]
pub(super) struct GuardsMemory<'a> {
    edges: &'a mut [Edge],
    inherited: &'a mut [Edge],
    subjects: LinksMemory<'a>,
    of_nodes: LinksMemory<'a>,
    content_edges: &'a mut [Edge],
    contents: LinksMemory<'a>,
    n_asks: &'a mut [u32],
    n_inside: &'a mut [u32],
    stamps: &'a mut [u32],
    open: &'a mut [u32],
    inside: &'a mut [u32],
}

/// The guards of each declared node.
#[derive(Debug)]
pub struct Guards<'a> {
    /// From each declared node to its guards.
    of_nodes: Links<'a>,
    /// From each condition to a guard that it inherits.
    inherited: &'a [Edge],
}

impl<'a> GuardsMemory<'a> {
    /// `n_shared`: the maximum number of pairs of a node and a guard of its group, or of a condition and an inherited guard.
    pub(super) const fn take(
        arena: &mut Arena<'a>,
        n_declared: usize,
        n_groups: usize,
        n_members: usize,
        n_guards: usize,
        n_shared: usize,
    ) -> Self {
        let n_items = n_declared + n_groups;
        let n_contents = n_members + n_declared + n_groups;
        Self {
            edges: arena.edges(n_guards + 2 * n_shared),
            inherited: arena.edges(n_shared),
            subjects: LinksMemory::take(arena, n_items, n_guards),
            of_nodes: LinksMemory::take(arena, n_declared, n_guards + 2 * n_shared),
            content_edges: arena.edges(n_contents),
            contents: LinksMemory::take(arena, n_items, n_contents),
            n_asks: arena.words(n_declared),
            n_inside: arena.words(n_declared),
            stamps: arena.words(n_declared),
            open: arena.words(n_declared),
            inside: arena.words(n_items),
        }
    }
}

impl<'a> Guards<'a> {
    /// The guards of a node, as positions for [`Guards::at`].
    pub const fn start(&self, node: u32) -> usize {
        self.of_nodes.start(node as usize)
    }

    /// One past the guards of a node.
    pub const fn end(&self, node: u32) -> usize {
        self.of_nodes.end(node as usize)
    }

    /// The guard at this position.
    pub const fn at(&self, position: usize) -> u32 {
        self.of_nodes.target(position)
    }

    /// Each condition and each guard that it inherits.
    pub const fn inherited(&self) -> &'a [Edge] {
        self.inherited
    }

    /// Finds the guards of each node. O(guards), and for each guarded group O(its nodes + the items that these guard).
    pub(super) const fn new(
        groups: &Groups<'_>,
        conditions: Conditions<'_>,
        marks: &mut Marks<'_>,
        memory: GuardsMemory<'a>,
    ) -> Result<Self, Full> {
        let n_declared = groups.declared.kinds.len();
        let n_items = n_declared + groups.n_groups();
        let GuardsMemory {
            edges,
            inherited,
            subjects,
            of_nodes,
            content_edges,
            contents,
            n_asks,
            n_inside,
            stamps,
            open,
            inside,
        } = memory;
        // From each item to its guards, without broken ones.
        let mut list = List::new(edges);
        let mut has_guarded_groups = false;
        let mut guard = 0;
        while guard < conditions.n_guards() {
            let item = conditions.guarded(guard);
            if !conditions.is_broken(guard) {
                has_guarded_groups |= matches!(item, Item::Group(_));
                list.push(Edge {
                    from: item.index(n_declared) as u32,
                    to: guard as u32,
                });
            }
            guard += 1;
        }
        if !has_guarded_groups {
            return Ok(Self {
                of_nodes: of_nodes.rows(n_declared, conditions.n_guards(), list.as_slice()),
                inherited: &[],
            });
        }
        let subjects = subjects.rows(n_items, conditions.n_guards(), list.as_slice());
        list.truncate(0);
        let mut item = 0;
        while item < n_declared {
            let mut link = subjects.start(item);
            while link < subjects.end(item) {
                list.push(Edge {
                    from: item as u32,
                    to: subjects.target(link),
                });
                link += 1;
            }
            item += 1;
        }
        let mut group = 0;
        while group < groups.n_groups() {
            let about = n_declared + group;
            if subjects.start(about) < subjects.end(about) {
                groups.open_nodes(Item::Group(group as u32), marks);
                while let Some(node) = groups.next_node(marks) {
                    let mut link = subjects.start(about);
                    while link < subjects.end(about) {
                        if list.is_full() {
                            return Err(Full);
                        }
                        list.push(Edge {
                            from: node,
                            to: subjects.target(link),
                        });
                        link += 1;
                    }
                }
            }
            group += 1;
        }
        let mut inheriting = Inheriting {
            groups,
            conditions,
            contents: contents_of(groups, content_edges, contents),
            subjects,
            n_asks: n_asks.split_at_mut(n_declared).0,
            n_inside,
            stamps: stamps.split_at_mut(n_declared).0,
            open,
            n_open: 0,
            inside,
            inherited: List::new(inherited),
        };
        inheriting.count_asks();
        let mut group = 0;
        while group < groups.n_groups() {
            let about = n_declared + group;
            if subjects.start(about) < subjects.end(about) && !inheriting.find(group as u32, marks)
            {
                return Err(Full);
            }
            group += 1;
        }
        let inherited = inheriting.inherited.into_slice();
        let mut idx = 0;
        while idx < inherited.len() {
            if list.is_full() {
                return Err(Full);
            }
            list.push(inherited[idx]);
            idx += 1;
        }
        Ok(Self {
            of_nodes: of_nodes.rows(n_declared, conditions.n_guards(), list.as_slice()),
            inherited,
        })
    }
}

/// From each group to the items in it, and from each loop to the items directly in it.
const fn contents_of<'m>(
    groups: &Groups<'_>,
    edges: &mut [Edge],
    memory: LinksMemory<'m>,
) -> Links<'m> {
    let declared = groups.declared;
    let n_declared = declared.kinds.len();
    let n_items = n_declared + groups.n_groups();
    let mut edges = List::new(edges);
    let mut idx = 0;
    while idx < declared.members.len() {
        edges.push(Edge {
            from: (n_declared + declared.members[idx].group as usize) as u32,
            to: declared.members[idx].item.index(n_declared) as u32,
        });
        idx += 1;
    }
    let mut idx = 0;
    while idx < n_items {
        let item = if idx < n_declared {
            Item::Node(idx as u32)
        } else {
            Item::Group((idx - n_declared) as u32)
        };
        let level = groups.level(item);
        if level != NONE {
            edges.push(Edge {
                from: level,
                to: idx as u32,
            });
        }
        idx += 1;
    }
    memory.links(n_items, edges.as_slice())
}

/// Finds the conditions that inherit the guards of a group.
struct Inheriting<'c, 'd, 'a> {
    groups: &'c Groups<'d>,
    conditions: Conditions<'d>,
    contents: Links<'a>,
    /// From each item to its guards.
    subjects: Links<'a>,
    /// `n_asks[c]`: the number of leaves with the condition node c.
    n_asks: &'a mut [u32],
    /// `n_inside[c]`: the number of these leaves that guard an item in the group, if `stamps[c]` is the group.
    n_inside: &'a mut [u32],
    stamps: &'a mut [u32],
    /// Conditions all of whose leaves guard items in the group.
    open: &'a mut [u32],
    n_open: usize,
    /// The items in the group.
    inside: &'a mut [u32],
    inherited: List<'a, Edge>,
}

impl Inheriting<'_, '_, '_> {
    const fn count_asks(&mut self) {
        fill(self.n_asks, 0);
        fill(self.stamps, NONE);
        let mut guard = 0;
        while guard < self.conditions.n_guards() {
            let mut leaf = self.conditions.first_leaf(guard);
            while leaf < self.conditions.end_leaf(guard) && !self.conditions.is_broken(guard) {
                self.n_asks[self.conditions.node(leaf) as usize] += 1;
                leaf += 1;
            }
            guard += 1;
        }
    }

    /// Finds the conditions that inherit the guards of a group. Returns whether there was room for them.
    const fn find(&mut self, group: u32, marks: &mut Marks<'_>) -> bool {
        let n_declared = self.groups.declared.kinds.len();
        let about = n_declared + group as usize;
        marks.begin();
        marks.open(about);
        let mut n_inside = 0;
        while let Some(item) = marks.next() {
            if item != about {
                self.inside[n_inside] = item as u32;
                n_inside += 1;
            }
            let mut link = self.contents.start(item);
            while link < self.contents.end(item) {
                marks.open(self.contents.target(link) as usize);
                link += 1;
            }
        }
        self.n_open = 0;
        let mut idx = 0;
        while idx < n_inside {
            self.count_leaves_of(self.inside[idx] as usize, group, marks);
            idx += 1;
        }
        while self.n_open > 0 {
            self.n_open -= 1;
            let condition = self.open[self.n_open];
            if !self.inherit(condition, about) {
                return false;
            }
            self.count_leaves_of(condition as usize, group, marks);
        }
        true
    }

    /// Counts the leaves in the guards of an item that is in the group or inherits its guards.
    const fn count_leaves_of(&mut self, item: usize, group: u32, marks: &Marks<'_>) {
        let mut link = self.subjects.start(item);
        while link < self.subjects.end(item) {
            let guard = self.subjects.target(link) as usize;
            let mut leaf = self.conditions.first_leaf(guard);
            while leaf < self.conditions.end_leaf(guard) {
                let node = self.conditions.node(leaf) as usize;
                if self.stamps[node] != group {
                    self.stamps[node] = group;
                    self.n_inside[node] = 0;
                }
                self.n_inside[node] += 1;
                if self.n_inside[node] == self.n_asks[node] && !marks.has(node) {
                    self.open[self.n_open] = node as u32;
                    self.n_open += 1;
                }
                leaf += 1;
            }
            link += 1;
        }
    }

    /// Adds the guards of a group to a condition. Returns whether there was room for them.
    const fn inherit(&mut self, condition: u32, about: usize) -> bool {
        let mut link = self.subjects.start(about);
        while link < self.subjects.end(about) {
            let guard = self.subjects.target(link);
            if self.can_guard(guard as usize, condition) {
                if self.inherited.is_full() {
                    return false;
                }
                self.inherited.push(Edge {
                    from: condition,
                    to: guard,
                });
            }
            link += 1;
        }
        true
    }

    /// Whether the condition of each leaf is at the level of the node or further out, and is not the node itself.
    const fn can_guard(&self, guard: usize, node: u32) -> bool {
        let levels = self.groups.declared.levels;
        let mut leaf = self.conditions.first_leaf(guard);
        while leaf < self.conditions.end_leaf(guard) {
            let condition = self.conditions.node(leaf);
            let wanted = levels[condition as usize];
            let mut level = levels[node as usize];
            while level != wanted && level != NONE {
                level = levels[level as usize];
            }
            if condition == node || level != wanted {
                return false;
            }
            leaf += 1;
        }
        true
    }
}
