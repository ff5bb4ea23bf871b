//! A list schedule in which two nodes that conflict never run at once.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Loose;
use crate::conflict::AccessKind;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;

/// From which end a schedule is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// The edges as they are, or each the other way round.
    pub(super) fn turned(self, edges: &[Edge]) -> Vec<Edge> {
        let turn = |&Edge { from, to }: &Edge| match self {
            Direction::Forward => Edge { from, to },
            Direction::Backward => Edge { from: to, to: from },
        };
        edges.iter().map(turn).collect()
    }
}

/// How many nodes that could start are looked at for one that conflicts with nothing that runs.
const LOOK: usize = 64;

/// What schedules of the same nodes have in common.
pub(super) struct ListSchedule<'a> {
    loose: &'a Loose<'a>,
    successors: Lists,
    predecessors: Lists,
}

impl<'a> ListSchedule<'a> {
    pub(super) fn new(loose: &'a Loose<'a>) -> Self {
        let n_nodes = loose.costs.len();
        let of =
            |direction: Direction| Lists::of_successors(n_nodes, &direction.turned(loose.edges));
        Self {
            loose,
            successors: of(Direction::Forward),
            predecessors: of(Direction::Backward),
        }
    }

    /// The order in which nodes start, or, backward, the reverse of it. `urgencies[v]`: the greatest first; len = n_nodes.
    ///
    /// O(V log V + E + [`LOOK`] U), and to keep what is ready sorted, up to V moves of a number for each node.
    pub(super) fn order(
        &self,
        urgencies: &[u64],
        n_workers: u32,
        direction: Direction,
    ) -> Vec<u32> {
        let (ahead, behind) = match direction {
            Direction::Forward => (&self.successors, &self.predecessors),
            Direction::Backward => (&self.predecessors, &self.successors),
        };
        let (ahead, behind) = (ahead.links(), behind.links());
        let n_nodes = urgencies.len();
        let mut by_urgency: Vec<u32> = (0..n_nodes as u32).collect();
        by_urgency.sort_by_key(|&node| Reverse(urgencies[node as usize]));
        let mut places = vec![0; n_nodes];
        for (place, &node) in (0..).zip(&by_urgency) {
            places[node as usize] = place;
        }
        let mut n_pending: Vec<usize> = (0..n_nodes)
            .map(|node| behind.end(node) - behind.start(node))
            .collect();
        // Places in `by_urgency` of those that could start; ascending.
        let mut ready: Vec<u32> = (0..n_nodes as u32)
            .filter(|&place| n_pending[by_urgency[place as usize] as usize] == 0)
            .collect();
        let mut held =
            vec![Held::default(); self.loose.uses.filters().n_rows(self.loose.n_resources)];
        let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        let mut order = Vec::with_capacity(n_nodes);
        let (mut now, mut n_idle) = (0, n_workers);
        loop {
            let mut at = 0;
            while n_idle > 0 && at < ready.len().min(LOOK) {
                let node = by_urgency[ready[at] as usize];
                if self.is_free(&held, node) {
                    ready.remove(at);
                    self.hold(&mut held, node, true);
                    order.push(node);
                    running.push(Reverse((now + self.loose.costs[node as usize], node)));
                    n_idle -= 1;
                } else {
                    at += 1;
                }
            }
            let Some(Reverse((end, node))) = running.pop() else {
                break;
            };
            now = end;
            let mut done = node;
            loop {
                n_idle += 1;
                self.hold(&mut held, done, false);
                for link in ahead.start(done as usize)..ahead.end(done as usize) {
                    let then = ahead.target(link) as usize;
                    n_pending[then] -= 1;
                    if n_pending[then] == 0 {
                        let at = ready.partition_point(|&place| place < places[then]);
                        ready.insert(at, places[then]);
                    }
                }
                match running.peek() {
                    Some(&Reverse((end, node))) if end == now => {
                        running.pop();
                        done = node;
                    }
                    _ => break,
                }
            }
        }
        debug_assert_eq!(
            order.len(),
            n_nodes,
            "what waits is released, and free at last"
        );
        if direction == Direction::Backward {
            order.reverse();
        }
        order
    }

    /// Whether a node conflicts with nothing that runs.
    fn is_free(&self, held: &[Held], node: u32) -> bool {
        let uses = self.loose.uses;
        (uses.start(node)..uses.end(node)).all(|use_idx| {
            let one = uses.nth(use_idx);
            let held = &held[uses.filters().row(one)];
            let is_read = held.n_readers > 0 && one.kind != AccessKind::Read;
            let is_folded = held.n_folders > 0 && one.kind != AccessKind::Fold;
            !(held.n_writers > 0 || is_read || is_folded)
        })
    }

    fn hold(&self, held: &mut [Held], node: u32, holds: bool) {
        let uses = self.loose.uses;
        for use_idx in uses.start(node)..uses.end(node) {
            let one = uses.nth(use_idx);
            for row in uses.filters().rows_meeting(one) {
                let held = &mut held[row];
                let n_alike = match one.kind {
                    AccessKind::Write => &mut held.n_writers,
                    AccessKind::Read => &mut held.n_readers,
                    AccessKind::Fold => &mut held.n_folders,
                };
                *n_alike = if holds { *n_alike + 1 } else { *n_alike - 1 };
            }
        }
    }
}

/// By how many nodes that run now a resource is used, or the part of it that meets a filter.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    n_writers: u32,
    n_readers: u32,
    n_folders: u32,
}
