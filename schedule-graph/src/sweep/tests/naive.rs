//! The rules, by enumeration of pairs and paths. Every question is answered from scratch.

use super::*;

/// The kinds of [`Apart`], without witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Store,
    Level,
    TurnedOff,
    Conflict,
    Path,
    Failure,
    Cycle,
    Delay,
}

impl Rule {
    pub(super) fn of(apart: Apart) -> Self {
        match apart {
            Apart::Store => Self::Store,
            Apart::Level => Self::Level,
            Apart::TurnedOff { .. } => Self::TurnedOff,
            Apart::Conflict { .. } => Self::Conflict,
            Apart::Path { .. } => Self::Path,
            Apart::Failure { .. } => Self::Failure,
            Apart::Cycle { .. } => Self::Cycle,
            Apart::Delay => Self::Delay,
        }
    }
}

/// All nodes, as disjoint sets with ascending ranks.
pub(super) type Partition = Vec<Vec<u32>>;

impl SweepCase {
    fn per_entity(&self, rank: u32) -> SweepNode {
        self.nodes[rank as usize].expect("members are per-entity nodes")
    }

    fn level(&self, rank: u32) -> Option<u32> {
        self.around.get(rank as usize).copied()
    }

    /// The paths between two nodes.
    pub(super) fn paths(&self, from: u32, to: u32) -> Vec<Vec<u32>> {
        paths(&self.edges, from, to)
    }

    pub(super) fn do_conflict(&self, one: u32, other: u32, resource: u32) -> bool {
        let (ones, others) = (&self.uses[one as usize], &self.uses[other as usize]);
        ones.iter().any(|one| {
            others.iter().any(|other| {
                let signatures = [one.access.signature, other.access.signature];
                let is_shared =
                    one.access.resource == resource && other.access.resource == resource;
                let kinds = [one.access.kind, other.access.kind];
                let is_harmless = kinds == [AccessKind::Read; 2] || kinds == [AccessKind::Fold; 2];
                let is_disjoint = signatures == [1, 2] || signatures == [2, 1];
                let is_own = one.is_own_row && other.is_own_row;
                is_shared && !is_harmless && !is_disjoint && !is_own
            })
        })
    }

    /// All rules except the model that a set of nodes violates, in the order of [`Apart`].
    pub(super) fn violated(&self, partition: &Partition, members: &[u32]) -> Vec<Rule> {
        let pairs: Vec<(u32, u32)> = members
            .iter()
            .flat_map(|&one| members.iter().map(move |&other| (one, other)))
            .filter(|(one, other)| one != other)
            .collect();
        let any = |violates: &dyn Fn(u32, u32) -> bool| {
            pairs.iter().any(|&(one, other)| violates(one, other))
        };
        let store = |a, b| self.per_entity(a).store != self.per_entity(b).store;
        let level = |a, b| self.level(a) != self.level(b);
        let turned_off = |a, _| !self.per_entity(a).is_sweepable;
        let conflict = |a, b| (0..8).any(|resource| self.do_conflict(a, b, resource));
        let path = |a, b| {
            let paths = self.paths(a, b);
            paths.iter().flatten().any(|node| !members.contains(node))
        };
        let failure =
            |a, b| self.per_entity(a).can_fail && !paths(&self.dependents, a, b).is_empty();
        let mut merged: Partition = partition
            .iter()
            .map(|set| {
                set.iter()
                    .copied()
                    .filter(|rank| !members.contains(rank))
                    .collect()
            })
            .filter(|set: &Vec<u32>| !set.is_empty())
            .collect();
        merged.push(members.to_vec());
        let found = [
            (Rule::Store, any(&store)),
            (Rule::Level, any(&level)),
            (Rule::TurnedOff, any(&turned_off)),
            (Rule::Conflict, any(&conflict)),
            (Rule::Path, any(&path)),
            (Rule::Failure, any(&failure)),
            (Rule::Cycle, self.has_cycle(&merged)),
        ];
        let found = found.iter().filter(|(_, is_violated)| *is_violated);
        found.map(|&(rule, _)| rule).collect()
    }

    /// The edges between sets.
    fn edges_of(&self, partition: &Partition) -> Vec<Edge> {
        let of = |rank: u32| {
            partition
                .iter()
                .position(|set| set.contains(&rank))
                .unwrap() as u32
        };
        let edges = self.edges.iter().map(|edge| Edge {
            from: of(edge.from),
            to: of(edge.to),
        });
        edges.filter(|edge| edge.from != edge.to).collect()
    }

    /// Whether the contracted graph has a cycle: some sets remain if sets without predecessors are removed repeatedly.
    pub(super) fn has_cycle(&self, partition: &Partition) -> bool {
        let edges = self.edges_of(partition);
        let mut left: Vec<u32> = (0..partition.len() as u32).collect();
        loop {
            let is_free = |set: &u32| {
                !edges
                    .iter()
                    .any(|edge| edge.to == *set && left.contains(&edge.from))
            };
            match left.iter().position(is_free) {
                Some(idx) => left.swap_remove(idx),
                None => return !left.is_empty(),
            };
        }
    }

    fn duration(&self, set: &[u32]) -> u64 {
        let cost: u64 = set
            .iter()
            .map(|&rank| u64::from(self.costs_ns[rank as usize]))
            .sum();
        if self.nodes[set[0] as usize].is_none() {
            return cost;
        }
        let percent = if set.len() == 1 {
            100
        } else {
            u64::from(self.model.cache_percent)
        };
        let work = (cost * percent)
            .div_ceil(100)
            .div_ceil(u64::from(self.model.n_workers));
        u64::from(self.model.barrier_ns) + work
    }

    /// The length of the longest path of the contracted graph through one of some sets. `None` if it has a cycle.
    fn longest(&self, partition: &Partition, more: Option<Edge>, through: &[u32]) -> Option<u64> {
        let mut edges = self.edges_of(partition);
        edges.extend(more);
        let mut longest = 0;
        let mut open: Vec<Vec<u32>> = (0..partition.len() as u32).map(|set| vec![set]).collect();
        while let Some(path) = open.pop() {
            let lengths = path
                .iter()
                .map(|&set| self.duration(&partition[set as usize]));
            if path.iter().any(|set| through.contains(set)) {
                longest = longest.max(lengths.sum());
            }
            for edge in edges
                .iter()
                .filter(|edge| edge.from == *path.last().unwrap())
            {
                if path.contains(&edge.to) {
                    return None;
                }
                open.push([&path[..], &[edge.to]].concat());
            }
        }
        Some(longest)
    }

    fn critical_path(&self, partition: &Partition) -> u64 {
        let all: Vec<u32> = (0..partition.len() as u32).collect();
        let longest = self.longest(partition, None, &all);
        longest.expect("the contracted graph has no cycle")
    }

    /// Forms sweeps by the greedy algorithm. Returns the partition, and the pairs of a node and the first member of a sweep
    /// that only the model keeps apart.
    pub(super) fn naive_sweeps(&self) -> (Partition, Vec<(u32, u32)>) {
        let n_nodes = self.nodes.len() as u32;
        let mut partition: Partition = (0..n_nodes).map(|rank| vec![rank]).collect();
        let mut delayed = Vec::new();
        let durations = |is_each: bool| {
            let nodes = (0..n_nodes).filter(|&rank| self.nodes[rank as usize].is_some() == is_each);
            nodes.map(|rank| self.duration(&[rank])).sum::<u64>()
        };
        let work = durations(true) + durations(false).div_ceil(u64::from(self.model.n_workers));
        let mut makespan = self.critical_path(&partition).max(work);
        for rank in (0..n_nodes).filter(|&rank| self.nodes[rank as usize].is_some()) {
            let mut earlier: Vec<Vec<u32>> = partition.clone();
            earlier.retain(|set| set[0] < rank && self.nodes[set[0] as usize].is_some());
            earlier.sort_by_key(|set| *set.last().unwrap());
            for set in earlier.iter().rev() {
                let members = [&set[..], &[rank]].concat();
                if !self.violated(&partition, &members).is_empty() {
                    continue;
                }
                let idx = |first: u32| partition.iter().position(|set| set[0] == first).unwrap();
                let (sweep, node) = (idx(set[0]), idx(rank));
                let pair = [sweep as u32, node as u32];
                let one = Edge {
                    from: pair[0],
                    to: pair[1],
                };
                let other = Edge {
                    from: pair[1],
                    to: pair[0],
                };
                let in_turn = [one, other]
                    .map(|edge| self.longest(&partition, Some(edge), &pair))
                    .into_iter()
                    .flatten()
                    .min()
                    .unwrap();
                let mut joined = partition.clone();
                joined[sweep].push(rank);
                joined.remove(node);
                let through = joined.iter().position(|one| *one == members).unwrap() as u32;
                let length = self.longest(&joined, None, &[through]).unwrap();
                if length <= makespan.max(in_turn) {
                    partition = joined;
                    makespan = makespan.max(self.critical_path(&partition));
                    break;
                }
                delayed.push((rank, set[0]));
            }
        }
        (partition, delayed)
    }
}

/// The paths of at least one edge between two nodes.
pub(super) fn paths(edges: &[Edge], from: u32, to: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut open = vec![vec![from]];
    while let Some(path) = open.pop() {
        for edge in edges
            .iter()
            .filter(|edge| edge.from == *path.last().unwrap())
        {
            let longer = [&path[..], &[edge.to]].concat();
            if edge.to == to {
                found.push(longer.clone());
            }
            open.push(longer);
        }
    }
    found
}
