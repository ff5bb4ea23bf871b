//! A list schedule in which two conflicting nodes never run at the same time.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::OptimizeInput;
use crate::conflict::AccessKind;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;

/// The end from which a schedule is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// The edges, reversed if the direction is [`Direction::Backward`].
    pub(super) fn reoriented(self, edges: &[Edge]) -> Vec<Edge> {
        let reorient = |&Edge { from, to }: &Edge| match self {
            Direction::Forward => Edge { from, to },
            Direction::Backward => Edge { from: to, to: from },
        };
        edges.iter().map(reorient).collect()
    }
}

/// The maximum number of ready nodes that are searched for one without a running conflict.
const LOOK_AHEAD: usize = 64;

/// A generator of list schedules of the same nodes.
pub(super) struct ListSchedule<'a> {
    input: &'a OptimizeInput<'a>,
    successors: Lists,
    predecessors: Lists,
}

impl<'a> ListSchedule<'a> {
    pub(super) fn new(input: &'a OptimizeInput<'a>) -> Self {
        let n_nodes = input.costs.len();
        let of = |direction: Direction| {
            Lists::of_successors(n_nodes, &direction.reoriented(input.edges))
        };
        Self {
            input,
            successors: of(Direction::Forward),
            predecessors: of(Direction::Backward),
        }
    }

    /// Returns the order in which the nodes start; reversed for [`Direction::Backward`].
    ///
    /// `priorities[v]`: the priority of node v, the greatest first; len = n_nodes.
    ///
    /// O(V log V + E + [`LOOK_AHEAD`] U). The sorted list of ready nodes adds O(V) for each node in the worst case.
    pub(super) fn order(
        &self,
        priorities: &[u64],
        n_workers: u32,
        direction: Direction,
    ) -> Vec<u32> {
        let (successors, predecessors) = match direction {
            Direction::Forward => (&self.successors, &self.predecessors),
            Direction::Backward => (&self.predecessors, &self.successors),
        };
        let (successors, predecessors) = (successors.links(), predecessors.links());
        let n_nodes = priorities.len();
        let mut by_priority: Vec<u32> = (0..n_nodes as u32).collect();
        by_priority.sort_by_key(|&node| Reverse(priorities[node as usize]));
        let mut positions = vec![0; n_nodes];
        for (position, &node) in (0..).zip(&by_priority) {
            positions[node as usize] = position;
        }
        let mut n_pending: Vec<usize> = (0..n_nodes)
            .map(|node| predecessors.end(node) - predecessors.start(node))
            .collect();
        // The positions of the ready nodes in `by_priority`, ascending.
        let mut ready: Vec<u32> = (0..n_nodes as u32)
            .filter(|&position| n_pending[by_priority[position as usize] as usize] == 0)
            .collect();
        let mut running_users =
            vec![RunningUsers::default(); self.input.uses.filters().n_rows(self.input.n_resources)];
        let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        let mut order = Vec::with_capacity(n_nodes);
        let (mut now, mut n_idle) = (0, n_workers);
        loop {
            let mut at = 0;
            while n_idle > 0 && at < ready.len().min(LOOK_AHEAD) {
                let node = by_priority[ready[at] as usize];
                if self.is_free(&running_users, node) {
                    ready.remove(at);
                    self.count(&mut running_users, node, true);
                    order.push(node);
                    running.push(Reverse((now + self.input.costs[node as usize], node)));
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
                self.count(&mut running_users, done, false);
                for link in successors.start(done as usize)..successors.end(done as usize) {
                    let successor = successors.target(link) as usize;
                    n_pending[successor] -= 1;
                    if n_pending[successor] == 0 {
                        let at = ready.partition_point(|&position| position < positions[successor]);
                        ready.insert(at, positions[successor]);
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
            "every node must become ready and free"
        );
        if direction == Direction::Backward {
            order.reverse();
        }
        order
    }

    /// Whether a node conflicts with no running node.
    fn is_free(&self, running_users: &[RunningUsers], node: u32) -> bool {
        let uses = self.input.uses;
        (uses.start(node)..uses.end(node)).all(|use_idx| {
            let one = uses.nth(use_idx);
            let running_users = &running_users[uses.filters().row(one)];
            let is_read = running_users.n_readers > 0 && one.kind != AccessKind::Read;
            let is_folded = running_users.n_folders > 0 && one.kind != AccessKind::Fold;
            !(running_users.n_writers > 0 || is_read || is_folded)
        })
    }

    /// Counts a node as running if `is_start`, or else as completed.
    fn count(&self, running_users: &mut [RunningUsers], node: u32, is_start: bool) {
        let uses = self.input.uses;
        for use_idx in uses.start(node)..uses.end(node) {
            let one = uses.nth(use_idx);
            for row in uses.filters().rows_meeting(one) {
                let running_users = &mut running_users[row];
                let n_users = match one.kind {
                    AccessKind::Write => &mut running_users.n_writers,
                    AccessKind::Read => &mut running_users.n_readers,
                    AccessKind::Fold => &mut running_users.n_folders,
                };
                *n_users = if is_start { *n_users + 1 } else { *n_users - 1 };
            }
        }
    }
}

/// The numbers of running nodes that use a resource, or the part of it that a filter selects.
#[derive(Clone, Copy, Debug, Default)]
struct RunningUsers {
    n_writers: u32,
    n_readers: u32,
    n_folders: u32,
}
