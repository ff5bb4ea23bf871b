//! Readers of messages that run between writers.
//!
//! A reader runs after all writers of its messages, or before all of them. In the second case it reads the messages of the last run. Two
//! nodes that never both run in a pass do not conflict, so they do not count.

use crate::arena::fill;
use crate::conflict::{AccessKind, Use, Uses};
use crate::exclusion::Needs;
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::links::Links;
use crate::lowering::NodeKind;

/// The readers and writers of messages.
///
/// A node that folds into messages writes them. A node that writes them in another way counts as both, unless it accesses them only among
/// all resources.
#[derive(Clone, Copy, Debug)]
pub struct MessageUses<'a> {
    /// As [`Accesses::starts`](crate::lowering::Accesses::starts).
    pub starts: &'a [u32],
    /// As [`Accesses::named`](crate::lowering::Accesses::named).
    pub named: &'a [Use],
    /// `codes[v]`: the code of the [`NodeKind`] of node v.
    pub codes: &'a [u32],
    /// `is_messages[r]`: whether resource r is a queue of messages; len = n_resources.
    pub is_messages: &'a [bool],
    /// The loops of the graph.
    pub levels: Levels<'a>,
    /// The answers that each node needs to run.
    pub needs: Needs<'a>,
}

/// How a node uses messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageUse {
    /// Whether it reads them.
    pub reads: bool,
    /// Whether it writes them.
    pub writes: bool,
}

/// A reader that may be between writers, and the search for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageReader {
    /// The node.
    pub node: u32,
    /// The messages.
    pub resource: u32,
    /// The index in [`MessageUses::named`] from which the search goes on.
    next: usize,
}

/// The marks of nodes with a path to a node, and from it.
const BEFORE: u32 = 1;
const AFTER: u32 = 2;

impl<'a> MessageUses<'a> {
    /// Whether there are messages. O(resources).
    pub const fn are_any(self) -> bool {
        let mut resource = 0;
        while resource < self.is_messages.len() {
            if self.is_messages[resource] {
                return true;
            }
            resource += 1;
        }
        false
    }

    /// The first messages on which two nodes conflict, among all uses of the nodes. O(uses of both).
    pub const fn shared_by(self, uses: Uses<'_>, first: u32, second: u32) -> Option<u32> {
        shared_messages(uses, self.is_messages, first, second)
    }

    /// How a node uses messages, by its own name. O(its named uses).
    pub const fn use_of(self, node: u32, resource: u32) -> MessageUse {
        let mut found = MessageUse {
            reads: false,
            writes: false,
        };
        let (mut idx, end) = self.range(node);
        while idx < end {
            let one = self.named[idx];
            if one.resource == resource {
                found.reads |= !matches!(one.kind, AccessKind::Fold);
                found.writes |= one.kind.modifies();
            }
            idx += 1;
        }
        found
    }

    /// The range of the named uses of a node.
    const fn range(self, node: u32) -> (usize, usize) {
        match NodeKind::of_code(self.codes[node as usize]) {
            NodeKind::Declared(idx) => (
                self.starts[idx as usize] as usize,
                self.starts[idx as usize + 1] as usize,
            ),
            _ => (0, 0),
        }
    }

    /// The next reader after a found one that runs between writers. `None` at first.
    ///
    /// `order`: a topological order of `links`, the edges of all phases. `marks`: memory, one word for each node of `links`. Afterwards
    /// [`MessageUses::side`] tells the side of each writer. O(uses + nodes + edges) for each reader with at least two writers.
    pub const fn next_between(
        self,
        found: Option<MessageReader>,
        links: Links<'_>,
        order: &[u32],
        marks: &mut [u32],
    ) -> Option<MessageReader> {
        let (mut node, mut next) = match found {
            Some(found) => (found.node, found.next),
            None => (0, 0),
        };
        while (node as usize) < self.codes.len() {
            let (start, end) = self.range(node);
            if next < start {
                next = start;
            }
            while next < end {
                let one = self.named[next];
                next += 1;
                let is_reader = self.is_messages[one.resource as usize]
                    && !matches!(one.kind, AccessKind::Fold);
                if is_reader && self.has_two_writers(node, one.resource) {
                    mark_paths(node, links, order, marks);
                    let reader = MessageReader {
                        node,
                        resource: one.resource,
                        next,
                    };
                    if self.has_writer(reader, BEFORE, marks)
                        && self.has_writer(reader, AFTER, marks)
                    {
                        return Some(reader);
                    }
                }
            }
            node += 1;
            next = 0;
        }
        None
    }

    /// The side of a node of a reader that was found, if the node is another writer: `Some(true)` if the node runs after the reader.
    pub const fn side(self, reader: MessageReader, node: u32, marks: &[u32]) -> Option<bool> {
        if node == reader.node || !self.use_of(node, reader.resource).writes {
            return None;
        }
        if self.is_in_loop_of(node, reader.node)
            || self.is_in_loop_of(reader.node, node)
            || self.needs.never_both_run(node, reader.node)
        {
            return None;
        }
        match marks[node as usize] {
            BEFORE => Some(false),
            AFTER => Some(true),
            _ => None,
        }
    }

    const fn has_writer(self, reader: MessageReader, mark: u32, marks: &[u32]) -> bool {
        let mut node = 0;
        while (node as usize) < self.codes.len() {
            if let Some(is_after) = self.side(reader, node, marks)
                && is_after == (mark == AFTER)
            {
                return true;
            }
            node += 1;
        }
        false
    }

    /// Whether at least two other nodes write messages.
    const fn has_two_writers(self, reader: u32, resource: u32) -> bool {
        let mut n_writers = 0;
        let mut node = 0;
        while (node as usize) < self.codes.len() && n_writers < 2 {
            n_writers += (node != reader && self.use_of(node, resource).writes) as usize;
            node += 1;
        }
        n_writers == 2
    }

    /// Whether a node is in the body of the loop whose condition is the other node.
    const fn is_in_loop_of(self, node: u32, condition: u32) -> bool {
        let own = self.levels.own(condition);
        if own == NO_LOOP {
            return false;
        }
        let mut around = self.levels.around(node);
        while around != NO_LOOP {
            if around == own {
                return true;
            }
            around = self.levels.around(self.levels.loops[around as usize].from);
        }
        false
    }
}

/// Marks the nodes with a path to a node as [`BEFORE`], and those with a path from it as [`AFTER`]. O(nodes + edges).
const fn mark_paths(node: u32, links: Links<'_>, order: &[u32], marks: &mut [u32]) {
    fill(marks, 0);
    let mut position = 0;
    while order[position] != node {
        position += 1;
    }
    marks[node as usize] = AFTER;
    let mut after = position;
    while after < order.len() {
        let from = order[after] as usize;
        if marks[from] == AFTER {
            let mut link = links.start(from);
            while link < links.end(from) {
                marks[links.target(link) as usize] = AFTER;
                link += 1;
            }
        }
        after += 1;
    }
    marks[node as usize] = BEFORE;
    let mut before = position;
    while before > 0 {
        before -= 1;
        let from = order[before] as usize;
        let mut link = links.start(from);
        while link < links.end(from) {
            if marks[links.target(link) as usize] == BEFORE {
                marks[from] = BEFORE;
            }
            link += 1;
        }
    }
    marks[node as usize] = 0;
}

/// Visits each reader that runs between writers by these edges, with its marks for [`MessageUses::side`].
pub fn readers_between(
    uses: MessageUses<'_>,
    order: &[u32],
    edges: &[Edge],
    mut visit: impl FnMut(MessageReader, &[u32]),
) {
    if !uses.are_any() {
        return;
    }
    let n_nodes = order.len();
    let lists = crate::graph::lists::Lists::of_successors(n_nodes, edges);
    let mut marks = vec![0; n_nodes];
    let mut found = None;
    while let Some(reader) = uses.next_between(found, lists.links(), order, &mut marks) {
        visit(reader, &marks);
        found = Some(reader);
    }
}

/// The first messages on which two nodes conflict. O(uses of both).
pub(super) const fn shared_messages(
    uses: Uses<'_>,
    is_messages: &[bool],
    first: u32,
    second: u32,
) -> Option<u32> {
    let mut shared = uses.shared(first, second);
    while let Some(conflict) = shared.next() {
        let resource = conflict.resource as usize;
        // The additional resources may be left out.
        if resource < is_messages.len() && is_messages[resource] {
            return Some(conflict.resource);
        }
    }
    None
}
