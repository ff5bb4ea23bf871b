//! Sweeps of a plan: per-entity systems that run together, chunk by chunk.
//!
//! The order of a serial run, in which commands and folds are applied, is that of the ranks, with and without sweeps. Only the
//! execution differs: the members of a sweep run together, so systems between them run before or after all of them.

mod chunks;

pub(crate) use self::chunks::{
    CHUNK_NS, ChunkMemory, Chunks, LEAST_SHARED_NS, Position, SweepRows, blocks_in,
};
use std::sync::Mutex;

use crate::base::reused::Reused;
use crate::data::record::ChunkTime;
use crate::systems::system::kernels::MOST_KERNELS;
use schedule_graph::Edge;
use schedule_graph::internal::{Contracted, Sweeps};

/// The per-entity systems of a plan, and the sweeps that they form.
#[derive(Debug, Default)]
pub(crate) struct SweepPlan {
    /// The sweeps of several members. `None` if no system is per-entity.
    decided: Option<Sweeps>,
    /// The graph in which each sweep is one node. `None` if no sweep has several members.
    contracted: Option<Contracted>,
    /// The edges by rank from which it was made, sorted by target. Nodes without work are bypassed.
    incoming: Vec<Edge>,
    /// The ranks in an order of execution, in which the members of a sweep are consecutive. Empty if that is the order of the ranks.
    order: Vec<u32>,
    /// `positions[rank]`: the position of a node in `order`.
    positions: Vec<u32>,
    /// The sweeps of several members, and the per-entity systems that run alone.
    sweeps: Vec<PlannedSweep>,
    /// `of_rank[rank]`: the index in `sweeps`, or [`NO_SWEEP`]; len = n_nodes, or 0 if no system is per-entity.
    of_rank: Vec<u32>,
}

/// Systems that run together.
#[derive(Debug)]
pub(crate) struct PlannedSweep {
    /// The ranks of the members, ascending.
    pub(crate) members: Vec<u32>,
    /// The thread that runs the sweep takes it.
    pub(crate) memory: Reused<ChunkMemory>,
    /// In a recorded run: when the threads run chunks. Empty between executions.
    pub(crate) chunk_times: Mutex<Vec<ChunkTime>>,
    row_bytes: u64,
}

const NO_SWEEP: u32 = u32::MAX;

/// The maximum number of members that run on one chunk before the next chunk. Each takes a stack frame. A larger sweep runs in groups of
/// members, one after the other.
pub(crate) const MOST_TOGETHER: usize = MOST_KERNELS;

impl SweepPlan {
    /// `is_each[rank]`: whether a node is a per-entity system. `sweeps`: those of several members. `edges`: those from which
    /// the sweeps were decided. `row_bytes`:
    /// returns the size of all components of an entity that these members access, in bytes.
    pub(crate) fn new(
        is_each: &[bool],
        sweeps: Sweeps,
        edges: &[Edge],
        row_bytes: impl Fn(&[u32]) -> u64,
    ) -> Self {
        if !is_each.contains(&true) {
            return Self::default();
        }
        let mut plan = Self {
            of_rank: vec![NO_SWEEP; is_each.len()],
            ..Self::default()
        };
        for (rank, _) in (0..).zip(is_each).filter(|(_, is_each)| **is_each) {
            let members = match sweeps.of(rank) {
                Some(sweep) if sweeps.members(sweep)[0] != rank => continue,
                Some(sweep) => sweeps.members(sweep).to_vec(),
                None => vec![rank],
            };
            for &member in &members {
                plan.of_rank[member as usize] = plan.sweeps.len() as u32;
            }
            let row_bytes = row_bytes(&members);
            plan.sweeps.push(PlannedSweep {
                memory: Reused::new(ChunkMemory::new(row_bytes)),
                chunk_times: Mutex::default(),
                row_bytes,
                members,
            });
        }
        if sweeps.n_sweeps() > 0 {
            let contracted = sweeps.contract(edges);
            let nodes = 0..contracted.n_nodes() as u32;
            let order = nodes.flat_map(|node| contracted.members(node));
            plan.order = order.copied().collect();
            plan.positions = vec![0; is_each.len()];
            for (position, &rank) in (0..).zip(&plan.order) {
                plan.positions[rank as usize] = position;
            }
            plan.contracted = Some(contracted);
            plan.incoming = edges.to_vec();
            plan.incoming.sort_unstable_by_key(|edge| edge.to);
        }
        plan.decided = Some(sweeps);
        plan
    }

    /// The sweeps of several members, as they were decided. `None` if no system is per-entity.
    pub(crate) fn decided(&self) -> Option<&Sweeps> {
        self.decided.as_ref()
    }

    /// Whether no system is per-entity.
    pub(crate) fn is_empty(&self) -> bool {
        self.sweeps.is_empty()
    }

    /// The graph in which each sweep is one node. `None` if no sweep has several members.
    pub(crate) fn contracted(&self) -> Option<&Contracted> {
        self.contracted.as_ref()
    }

    /// The edges between nodes with work, by rank and sorted by target. They are in the order of execution. `None` if no sweep has
    /// several members.
    pub(crate) fn incoming(&self) -> Option<&[Edge]> {
        self.contracted.is_some().then_some(&self.incoming)
    }

    /// Returns the sweep of a per-entity system.
    #[inline]
    pub(crate) fn of(&self, rank: u32) -> Option<&PlannedSweep> {
        let sweep = *self.of_rank.get(rank as usize)?;
        self.sweeps.get(sweep as usize)
    }

    /// Whether the order of execution is that of the ranks.
    #[inline]
    pub(crate) fn is_by_rank(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the rank at a position in the order of execution.
    #[inline]
    pub(crate) fn rank_at(&self, position: u32) -> u32 {
        if self.is_by_rank() {
            position
        } else {
            self.order[position as usize]
        }
    }

    /// Returns the position of a node in the order of execution.
    #[inline]
    pub(crate) fn position(&self, rank: u32) -> u32 {
        if self.is_by_rank() {
            rank
        } else {
            self.positions[rank as usize]
        }
    }
}

impl PlannedSweep {
    /// Takes the memory for chunks. The thread that runs the sweep puts it back.
    pub(crate) fn take_memory(&self) -> Box<ChunkMemory> {
        self.memory.take_or(|| ChunkMemory::new(self.row_bytes))
    }

    /// The groups of members that run on one chunk before the next chunk. At most [`MOST_TOGETHER`] each.
    pub(crate) fn together(&self) -> impl Iterator<Item = &[u32]> {
        self.members.chunks(MOST_TOGETHER)
    }

    /// The group that contains a member.
    pub(crate) fn together_with(&self, rank: u32) -> &[u32] {
        let mut groups = self.together();
        let group = groups.find(|group| group.contains(&rank));
        group.expect("it is a member")
    }

    /// Whether several systems run together.
    pub(crate) fn has_several(&self) -> bool {
        self.members.len() > 1
    }
}
