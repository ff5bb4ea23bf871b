//! Loops in a graph, and orders between nodes of different levels.
//!
//! A loop consists of two nodes, its begin and its end, and of a body. An edge leads from the begin to each node of the body,
//! and from each of these to the end. The begin and the end are at the level around the loop. No other edge joins nodes of
//! different levels. So a path between two nodes of a body does not leave the loop, and a path into a loop leads through its
//! end. Two nodes of different levels have a path if and only if the nodes or loops at their lowest common level have one.

use super::edge::Edge;

/// The value for no loop.
pub const NO_LOOP: u32 = u32::MAX;

/// The loops, and the loop of each node.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    /// `loops[l]`: the begin and the end of loop l; len = n_loops. A loop comes before the loops in its body.
    pub loops: &'a [Edge],
    /// `around[v]`: the loop that node v is directly in, or [`NO_LOOP`]; len >= n_nodes, if there is a loop.
    pub around: &'a [u32],
    /// `own[v]`: the loop of which node v is the begin or the end, or [`NO_LOOP`]; len as `around`.
    pub own: &'a [u32],
}

impl Levels<'_> {
    /// No loops.
    pub const NONE: Self = Levels {
        loops: &[],
        around: &[],
        own: &[],
    };

    /// Whether there is no loop.
    pub const fn is_flat(self) -> bool {
        matches!(self.loops, [])
    }

    /// The loop that a node is directly in, or [`NO_LOOP`].
    pub const fn around(self, node: u32) -> u32 {
        if self.is_flat() {
            NO_LOOP
        } else {
            self.around[node as usize]
        }
    }

    /// The loop of which a node is the begin or the end, or [`NO_LOOP`].
    pub const fn own(self, node: u32) -> u32 {
        if self.is_flat() {
            NO_LOOP
        } else {
            self.own[node as usize]
        }
    }

    /// The number of loops around a node. O(depth).
    pub const fn depth(self, node: u32) -> u32 {
        let mut depth = 0;
        let mut around = self.around(node);
        while around != NO_LOOP {
            depth += 1;
            around = self.around(self.loops[around as usize].from);
        }
        depth
    }

    /// Lifts an edge to the lowest common level of its nodes. O(depth).
    ///
    /// The result orders the node or loop of that level around `from` completely before the one around `to`. If that is the
    /// same loop, the result leads from its end to its begin, which is a cycle.
    pub const fn lift(self, edge: Edge) -> Edge {
        if matches!(self.loops, []) {
            return edge;
        }
        let Edge { mut from, mut to } = edge;
        if self.around[from as usize] == self.around[to as usize]
            && self.own[from as usize] == NO_LOOP
            && self.own[to as usize] == NO_LOOP
        {
            // A fast path for most edges, because calls are slow in const evaluation.
            return edge;
        }
        let (mut depth_from, mut depth_to) = (self.depth(from), self.depth(to));
        while depth_from > depth_to {
            from = self.loops[self.around(from) as usize].from;
            depth_from -= 1;
        }
        while depth_to > depth_from {
            to = self.loops[self.around(to) as usize].from;
            depth_to -= 1;
        }
        while self.around(from) != self.around(to) {
            from = self.loops[self.around(from) as usize].from;
            to = self.loops[self.around(to) as usize].from;
        }
        if self.own(from) != NO_LOOP {
            from = self.loops[self.own(from) as usize].to;
        }
        if self.own(to) != NO_LOOP {
            to = self.loops[self.own(to) as usize].from;
        }
        Edge { from, to }
    }

    /// Whether an edge belongs to the structure of a loop: it leads from the begin of a loop to its body or its end, or from
    /// the body to the end.
    pub const fn is_of_loop(self, edge: Edge) -> bool {
        let Edge { from, to } = edge;
        self.around(from) != self.around(to)
            || (self.own(from) != NO_LOOP && self.own(from) == self.own(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node 0. A loop (1, 2), whose body is node 3 and a loop (4, 5) of node 6. A loop (7, 8) of node 9.
    const LEVELS: Levels<'_> = Levels {
        loops: &[
            Edge { from: 1, to: 2 },
            Edge { from: 4, to: 5 },
            Edge { from: 7, to: 8 },
        ],
        around: &[NO_LOOP, NO_LOOP, NO_LOOP, 0, 0, 0, 1, NO_LOOP, NO_LOOP, 2],
        own: &[NO_LOOP, 0, 0, NO_LOOP, 1, 1, NO_LOOP, 2, 2, NO_LOOP],
    };

    fn lift(from: u32, to: u32) -> (u32, u32) {
        let edge = LEVELS.lift(Edge { from, to });
        (edge.from, edge.to)
    }

    #[test]
    fn an_order_is_lifted_to_the_lowest_common_level() {
        assert_eq!(lift(0, 6), (0, 1), "into the outer loop");
        assert_eq!(lift(6, 0), (2, 0), "out of it");
        assert_eq!(lift(3, 6), (3, 4), "into the inner one");
        assert_eq!(lift(6, 9), (2, 7), "from loop to loop");
        assert_eq!(
            lift(1, 7),
            (2, 7),
            "from the end of a loop, if the order names its begin"
        );
        assert_eq!(lift(4, 3), (5, 3));
    }

    #[test]
    fn order_between_a_loop_and_its_body_is_a_cycle() {
        assert_eq!(lift(1, 6), (2, 1));
        assert_eq!(lift(6, 1), (2, 1));
    }

    #[test]
    fn edges_between_levels_are_edges_of_loops() {
        for (from, to) in [(1, 3), (3, 2), (1, 2), (5, 2), (4, 6)] {
            assert!(LEVELS.is_of_loop(Edge { from, to }), "{from} -> {to}");
        }
        for (from, to) in [(0, 1), (2, 7), (3, 4)] {
            assert!(!LEVELS.is_of_loop(Edge { from, to }), "{from} -> {to}");
        }
    }
}
