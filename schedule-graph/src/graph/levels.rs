//! Loops in a graph: which nodes are in which loop, and what an order between nodes of different levels means.
//!
//! A loop is two nodes, a begin and an end, and its body lies between them: there is an edge from the begin to every
//! part and from every part to the end. The begin and the end are of the level around the loop. No other edge joins
//! nodes of different levels, so a path from one part to another never leaves the loop, and one that enters a loop goes
//! all the way through it: a path between two nodes is one between what they are parts of.

use super::edge::Edge;

/// In place of a loop: none.
pub const NO_LOOP: u32 = u32::MAX;

/// Which nodes are in which loop.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    /// `loops[l]`: from the begin of loop l to its end; len = n_loops. A loop comes before those in it.
    pub loops: &'a [Edge],
    /// `around[v]`: the loop that node v is directly in; len = n_nodes, or 0 if there is no loop.
    pub around: &'a [u32],
    /// `own[v]`: the loop of which node v is the begin or the end; len as above.
    pub own: &'a [u32],
}

impl Levels<'_> {
    /// Without loops.
    pub const NONE: Self = Levels {
        loops: &[],
        around: &[],
        own: &[],
    };

    /// Whether there is no loop.
    pub const fn is_flat(self) -> bool {
        self.loops.is_empty()
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

    /// How many loops are around a node. O(depth).
    pub const fn depth(self, node: u32) -> u32 {
        let mut depth = 0;
        let mut around = self.around(node);
        while around != NO_LOOP {
            depth += 1;
            around = self.around(self.loops[around as usize].from);
        }
        depth
    }

    /// The edge that puts all of one node before all of the other: at the lowest common level of the two. O(depth).
    ///
    /// Of a loop and one of its own parts, or of a loop with itself, it goes from the end to the begin of the loop.
    pub const fn lift(self, edge: Edge) -> Edge {
        if self.is_flat() {
            return edge;
        }
        let Edge { mut from, mut to } = edge;
        if self.around[from as usize] == self.around[to as usize]
            && self.own[from as usize] == NO_LOOP
            && self.own[to as usize] == NO_LOOP
        {
            // By far the most; in const evaluation each step counts.
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

    /// Whether an edge is of the kind that makes a loop: from its begin, or to its end, or both.
    pub const fn is_of_loop(self, edge: Edge) -> bool {
        let Edge { from, to } = edge;
        self.around(from) != self.around(to)
            || (self.own(from) != NO_LOOP && self.own(from) == self.own(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, a loop (1, 2) of 3 and a loop (4, 5) of 6, and a loop (7, 8) of 9.
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
        assert_eq!(lift(1, 7), (2, 7), "all of a loop, if its begin is meant");
        assert_eq!(lift(4, 3), (5, 3));
    }

    #[test]
    fn a_loop_against_its_part_is_a_cycle() {
        assert_eq!(lift(1, 6), (2, 1));
        assert_eq!(lift(6, 1), (2, 1));
    }

    #[test]
    fn only_what_makes_a_loop_crosses_its_border() {
        for (from, to) in [(1, 3), (3, 2), (1, 2), (5, 2), (4, 6)] {
            assert!(LEVELS.is_of_loop(Edge { from, to }), "{from} -> {to}");
        }
        for (from, to) in [(0, 1), (2, 7), (3, 4)] {
            assert!(!LEVELS.is_of_loop(Edge { from, to }), "{from} -> {to}");
        }
    }
}
