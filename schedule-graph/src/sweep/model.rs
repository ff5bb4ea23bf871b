//! The modelled run times of sweeps.
//!
//! A per-entity node, and a sweep, runs on all workers: its duration is its cost divided by the number of workers, plus a
//! barrier. Any other node runs on one worker. The members of a sweep share one barrier, and find their data in a cache.
//!
//! The modelled makespan is the greater of two lower bounds of a run (Graham 1966): the longest path of the contracted graph,
//! and the sum of all durations divided by the number of workers. A node may join a sweep if the makespan does not grow, or
//! if the joined sweep is not slower than the node and the sweep one after the other. So a node outside may wait longer for
//! its predecessors if it has the time, or if the sweep saves as much.

/// The model of the run times of per-entity nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepModel {
    /// The number of workers; at least 1.
    pub n_workers: u32,
    /// The time from the end of the last chunk of a node to the start of its successors, in nanoseconds.
    pub barrier_ns: u32,
    /// The run time of a sweep's chunks, in percent of the sum for its members alone. At most 100.
    pub cache_percent: u32,
}

impl SweepModel {
    /// A model for this number of workers, with 1 µs for a barrier and 80 percent of the cost in a sweep.
    ///
    /// # Panics
    ///
    /// If `n_workers` is 0.
    pub const fn new(n_workers: u32) -> Self {
        assert!(n_workers > 0, "`n_workers` must be at least 1");
        Self {
            n_workers,
            barrier_ns: 1_000,
            cache_percent: 80,
        }
    }

    /// The duration of a per-entity node without a sweep.
    pub(super) fn alone(&self, cost_ns: u64) -> u64 {
        u64::from(self.barrier_ns) + self.divided(cost_ns)
    }

    /// The duration of a sweep of at least two members, which have this cost together.
    pub(super) fn swept(&self, cost_ns: u64) -> u64 {
        let percent = u64::from(self.cache_percent);
        u64::from(self.barrier_ns) + self.divided((cost_ns * percent).div_ceil(100))
    }

    /// The time of this work on all workers.
    pub(super) fn divided(&self, cost_ns: u64) -> u64 {
        cost_ns.div_ceil(u64::from(self.n_workers))
    }
}

/// The times of a node of the contracted graph, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Timing {
    /// The length of the longest path that ends before the node.
    pub(super) head: u64,
    pub(super) duration: u64,
    /// The length of the longest path that starts after the node.
    pub(super) tail: u64,
}

impl Timing {
    /// The end of the node if it starts as early as possible.
    pub(super) fn end(self) -> u64 {
        self.head + self.duration
    }

    /// The length of the longest path through the node.
    pub(super) fn length(self) -> u64 {
        self.end() + self.tail
    }

    /// The length of the longest path through either node, if they run one after the other in the better order.
    pub(super) fn in_turn(self, other: Self) -> u64 {
        let in_order = |first: Self, second: Self| {
            let second_end = first.end().max(second.head) + second.duration;
            (first.length()).max(second_end + second.tail)
        };
        in_order(self, other).min(in_order(other, self))
    }
}
