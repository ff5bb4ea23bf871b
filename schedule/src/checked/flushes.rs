//! Conditions that nobody added, against flushes: by the rule of the builder, in its file of this name.

use super::draft::Draft;
use super::edges::{Edges, Origin};
use super::memory::Memory;
use super::node::{Item, NodeKind};
use crate::graph::links::Links;

impl Edges<'_> {
    pub(super) const fn n_words_for_flushes(n_nodes: usize, n_edges: usize) -> usize {
        (n_nodes + 1) + 2 * n_edges + 2 * n_nodes
    }

    /// Cost: O(flushes × (nodes + edges)), and nothing without flushes.
    pub(super) const fn order_conditions_after_flushes(
        &mut self,
        draft: &Draft<'_>,
        memory: &mut Memory<'_>,
    ) {
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
        while flush < draft.nodes.len() {
            if matches!(draft.nodes.get(flush).kind, NodeKind::Flush) {
                fill_after(links, flush, is_after, open);
                self.order_conditions_after(draft, links, flush, is_after);
            }
            flush += 1;
        }
    }

    /// As many passes as conditions guard conditions behind each other.
    const fn order_conditions_after(
        &mut self,
        draft: &Draft<'_>,
        links: Links<'_>,
        flush: usize,
        is_after: &mut [u32],
    ) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut node = 0;
            while node < draft.nodes.len() {
                if draft.nodes.get(node).is_implied
                    && is_after[node] == 0
                    && are_after(links, node, is_after)
                {
                    is_after[node] = 1;
                    // A flush in a loop: the condition comes after the loop.
                    let edge = self.lifted(Item::Node(flush as u32), Item::Node(node as u32));
                    self.push(edge.from, edge.to, Origin::Flush);
                    has_changed = true;
                }
                node += 1;
            }
        }
    }
}

/// Marks what comes after a node.
const fn fill_after(links: Links<'_>, from: usize, is_after: &mut [u32], open: &mut [u32]) {
    let mut node = 0;
    while node < is_after.len() {
        is_after[node] = 0;
        node += 1;
    }
    open[0] = from as u32;
    let mut n_open = 1;
    while n_open > 0 {
        n_open -= 1;
        let node = open[n_open] as usize;
        let mut link = links.start(node);
        while link < links.end(node) {
            let next = links.targets()[link] as usize;
            if is_after[next] == 0 {
                is_after[next] = 1;
                open[n_open] = next as u32;
                n_open += 1;
            }
            link += 1;
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
