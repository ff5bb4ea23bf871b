//! The rules that keep two per-entity nodes apart.

use std::collections::VecDeque;

use super::pairs::{Users, conflict, skipped_by};
use super::{SweepInput, Sweeps};
use crate::graph::lists::Lists;

/// The reason why two per-entity nodes share no sweep.
///
/// The first three rules concern the two nodes. The others concern all members of their sweeps, where a node without a sweep
/// counts as a sweep of one member. Of several reasons, the first in the order of the variants is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Apart {
    /// The entities of the nodes are in different stores.
    Store,
    /// The nodes are at different levels.
    Level,
    /// Sweeping is turned off for a node, or a failure of the node stops the run.
    TurnedOff {
        /// The node.
        node: u32,
    },
    /// Two members conflict on a resource that not both access as a component of the entity at hand. So a member could
    /// observe entities of which an earlier member has changed only a part.
    Conflict {
        /// The members. If the nodes in question conflict, these are the nodes.
        nodes: [u32; 2],
        /// The resource.
        resource: u32,
    },
    /// A path between two members leads through a node outside of both sweeps. That node runs between the members.
    Path {
        /// The member at the begin of the path.
        from: u32,
        /// The last node before the end of the path. It is outside of both sweeps.
        via: u32,
        /// The member at the end of the path.
        to: u32,
    },
    /// The failure of a member skips another member. In a sweep the other one would have run for some of the entities.
    Failure {
        /// The member that can fail.
        failing: u32,
        /// The member that its failure skips.
        skipped: u32,
    },
    /// The sweep would have to run before and after another sweep.
    Cycle {
        /// The other sweep; see [`Sweeps::members`].
        sweep: u32,
    },
    /// According to the [model](super::SweepModel), the sweep would make the run longer.
    ///
    /// The model compared the later of the two sweeps with the earlier one when the later one had a single member.
    Delay,
}

impl Sweeps {
    /// The rule that keeps two per-entity nodes apart. `None` if they share a sweep, or if both are the same node. `input` is
    /// the input of [`Sweeps::new`].
    ///
    /// O(nodes + edges + uses), and the number of pairs of uses of one resource for [`Apart::Conflict`].
    ///
    /// # Panics
    ///
    /// If one of the nodes is not a per-entity node.
    pub fn apart(&self, input: &SweepInput<'_>, one: u32, other: u32) -> Option<Apart> {
        let node =
            |rank: u32| input.nodes[rank as usize].expect("both nodes must be per-entity nodes");
        if node(one).store != node(other).store {
            return Some(Apart::Store);
        }
        if one == other || (self.of(one).is_some() && self.of(one) == self.of(other)) {
            return None;
        }
        if input.around(one) != input.around(other) {
            return Some(Apart::Level);
        }
        if let Some(&node) = [one, other].iter().find(|&&rank| !node(rank).is_sweepable) {
            return Some(Apart::TurnedOff { node });
        }
        let sweeps = Pair::new(self, input, one, other);
        let apart = sweeps
            .conflict(one, other)
            .or_else(|| sweeps.path())
            .or_else(|| sweeps.failure())
            .or_else(|| sweeps.cycle());
        // All other rules are permanent, so only the model can have refused the join.
        Some(apart.unwrap_or(Apart::Delay))
    }

    /// The members of the sweep of a node, or the node itself.
    fn around_node(&self, rank: u32) -> Vec<u32> {
        match self.of(rank) {
            Some(sweep) => self.members(sweep).to_vec(),
            None => vec![rank],
        }
    }
}

/// Two sweeps that are not merged.
struct Pair<'a> {
    input: &'a SweepInput<'a>,
    sweeps: &'a Sweeps,
    /// The ranks of the members.
    ones: Vec<u32>,
    others: Vec<u32>,
    /// `is_member[rank]`: the node is a member of one of the two sweeps; len = n_nodes.
    is_member: Vec<bool>,
    successors: Lists,
}

impl<'a> Pair<'a> {
    fn new(sweeps: &'a Sweeps, input: &'a SweepInput<'a>, one: u32, other: u32) -> Self {
        let (ones, others) = (sweeps.around_node(one), sweeps.around_node(other));
        let mut is_member = vec![false; input.n_nodes()];
        for &rank in ones.iter().chain(&others) {
            is_member[rank as usize] = true;
        }
        Self {
            input,
            sweeps,
            ones,
            others,
            is_member,
            successors: Lists::of_successors(input.n_nodes(), input.edges),
        }
    }

    fn is_member(&self, rank: u32) -> bool {
        self.is_member[rank as usize]
    }

    fn after(&self, rank: u32) -> impl Iterator<Item = u32> {
        let links = self.successors.links();
        (links.start(rank as usize)..links.end(rank as usize)).map(move |link| links.target(link))
    }

    fn conflict(&self, one: u32, other: u32) -> Option<Apart> {
        let of_pair = conflict(self.input, one, other).map(|resource| Apart::Conflict {
            nodes: [one, other],
            resource,
        });
        of_pair.or_else(|| {
            let mut users = Users::new(self.input);
            for &rank in &self.ones {
                users.add(rank, |_| false);
            }
            let others = self.others.iter();
            let mut found = others.flat_map(|&rank| {
                let conflicts = users.conflicts(rank);
                conflicts.map(move |(of_ones, resource)| Apart::Conflict {
                    nodes: [of_ones, rank],
                    resource,
                })
            });
            found.next()
        })
    }

    /// A path through nodes outside, by breadth-first search from all members at once.
    fn path(&self) -> Option<Apart> {
        let mut starts = vec![None; self.input.n_nodes()];
        let mut open: VecDeque<u32> = VecDeque::new();
        for &member in self.ones.iter().chain(&self.others) {
            starts[member as usize] = Some(member);
            open.push_back(member);
        }
        while let Some(rank) = open.pop_front() {
            for to in self.after(rank) {
                match starts[rank as usize] {
                    Some(from) if self.is_member(to) && !self.is_member(rank) => {
                        let via = rank;
                        return Some(Apart::Path { from, via, to });
                    }
                    start if starts[to as usize].is_none() => {
                        starts[to as usize] = start;
                        open.push_back(to);
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// A failure that skips a member. A single link is enough, because no path leads through a node outside.
    fn failure(&self) -> Option<Apart> {
        let members = self.ones.iter().chain(&self.others);
        let failing = members.filter(|&&rank| self.input.can_fail(rank));
        let mut found = failing.flat_map(|&failing| {
            let skipped = skipped_by(self.input, failing);
            let skipped = skipped.filter(|&skipped| self.is_member(skipped));
            skipped.map(move |skipped| Apart::Failure { failing, skipped })
        });
        found.next()
    }

    /// A path of the contracted graph from one of the sweeps to the other, through a third one. No such path exists in the
    /// graph itself.
    fn cycle(&self) -> Option<Apart> {
        // parents[rank]: the node of the search by which a node was found. A sweep is searched as a whole.
        let mut parents = vec![None; self.input.n_nodes()];
        let mut open: VecDeque<u32> = VecDeque::new();
        for &member in self.ones.iter().chain(&self.others) {
            parents[member as usize] = Some(member);
            open.push_back(member);
        }
        while let Some(rank) = open.pop_front() {
            for to in self.after(rank) {
                if self.is_member(to) && !self.is_member(rank) {
                    return self.sweep_before(rank, &parents);
                }
                if parents[to as usize].is_none() {
                    for of_sweep in self.sweeps.around_node(to) {
                        parents[of_sweep as usize] = Some(rank);
                        open.push_back(of_sweep);
                    }
                }
            }
        }
        None
    }

    /// The last sweep on the path to a node that a search found.
    fn sweep_before(&self, mut rank: u32, parents: &[Option<u32>]) -> Option<Apart> {
        while !self.is_member(rank) {
            if let Some(sweep) = self.sweeps.of(rank) {
                return Some(Apart::Cycle { sweep });
            }
            rank = parents[rank as usize]?;
        }
        None
    }
}
