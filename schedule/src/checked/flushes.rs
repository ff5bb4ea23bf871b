//! Conditions that nobody added, against flushes: by the rule of the builder, in its file of this name.

use super::draft::Draft;
use super::edges::{Edges, Origin};
use super::memory::Memory;
use super::node::{Item, NodeKind};
use schedule_graph::internal::Links;
use schedule_graph::internal::{FlushRaces, fill_after, role};

impl Edges<'_> {
    pub(super) const fn n_words_for_flushes(n_nodes: usize, n_edges: usize) -> usize {
        (n_nodes + 1) + 2 * n_edges + 3 * n_nodes
    }

    /// For the races of flushes: of a graph with so many edges, the weak ones and those of chains included.
    pub(super) const fn n_words_for_flush_races(n_nodes: usize, n_edges: usize) -> usize {
        2 * (n_nodes + 1 + 2 * n_edges) + FlushRaces::n_scratch_words(n_nodes)
    }

    /// The [`role`] of each node; none without flushes, or without conditions that nobody added.
    pub(super) const fn roles<'m>(&self, draft: &Draft<'_>, memory: &mut Memory<'m>) -> &'m [u32] {
        let mut n_flushes = 0;
        let mut n_implied = 0;
        let mut node = 0;
        while node < draft.nodes.len() {
            let one = draft.nodes.get(node);
            n_flushes += matches!(one.kind, NodeKind::Flush) as usize;
            n_implied += one.is_implied as usize;
            node += 1;
        }
        if n_flushes == 0 || n_implied == 0 {
            return &[];
        }
        let roles = memory.take_words(self.n_nodes);
        let mut node = 0;
        while node < self.n_nodes {
            roles[node] = match self.item(node as u32) {
                Item::Group(_) if self.is_begin_of_group(node) => role::FOLLOWS,
                Item::Group(_) => role::END,
                Item::Node(item) if item as usize != node => role::END,
                Item::Node(_) if matches!(draft.nodes.get(node).kind, NodeKind::Flush) => {
                    role::FLUSH
                }
                Item::Node(_) if draft.nodes.get(node).is_implied => role::FOLLOWS,
                Item::Node(_) => role::OTHER,
            };
            node += 1;
        }
        roles
    }

    /// `roles`: those of [`Self::roles`]. Cost: O(flushes × (nodes + edges)), and nothing without flushes.
    pub(super) const fn order_conditions_after_flushes(
        &mut self,
        roles: &[u32],
        memory: &mut Memory<'_>,
    ) {
        if roles.is_empty() {
            return;
        }
        let n_edges = self.list.len();
        let links = Links::of_successors(
            self.list.as_slice(),
            memory.take_words(self.n_nodes + 1),
            memory.take_words(n_edges),
            memory.take_words(n_edges),
        );
        // is_after[v]: 1 if node v comes after the flush.
        let is_after = memory.take_words(self.n_nodes);
        let open = memory.take_words(self.n_nodes);
        let mut flush = 0;
        while flush < roles.len() {
            if roles[flush] == role::FLUSH {
                fill_after(links, flush, is_after, open);
                self.order_conditions_after(roles, links, flush, is_after);
            }
            flush += 1;
        }
    }

    /// As many passes as conditions and groups guard or contain each other.
    const fn order_conditions_after(
        &mut self,
        roles: &[u32],
        links: Links<'_>,
        flush: usize,
        is_after: &mut [u32],
    ) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut node = 0;
            while node < roles.len() {
                if roles[node] == role::FOLLOWS
                    && is_after[node] == 0
                    && are_after(links, node, is_after)
                {
                    is_after[node] = 1;
                    has_changed = true;
                    // A group without a condition needs no edge.
                    if let item @ Item::Node(_) = self.item(node as u32) {
                        // A flush in a loop: the condition comes after the loop.
                        let edge = self.lifted(Item::Node(flush as u32), item);
                        self.push(edge.from, edge.to, Origin::Flush);
                    }
                }
                node += 1;
            }
        }
    }
}

/// Whether a node has successors, and all of them are marked.
const fn are_after(links: Links<'_>, node: usize, is_after: &[u32]) -> bool {
    let mut link = links.start(node);
    if link == links.end(node) {
        return false;
    }
    while link < links.end(node) {
        if is_after[links.targets()[link] as usize] == 0 {
            return false;
        }
        link += 1;
    }
    true
}
