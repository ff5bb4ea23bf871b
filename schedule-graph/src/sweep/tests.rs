//! Sweeps, compared with a naive interpretation of the rules, and in cases made by hand.

mod delays;
mod generator;
mod naive;
mod random;
mod rules;
mod scale;

use super::*;
use crate::conflict::AccessKind;
use crate::graph::lists::Lists;

/// An input that owns its memory.
#[derive(Clone, Debug)]
struct SweepCase {
    nodes: Vec<Option<SweepNode>>,
    around: Vec<u32>,
    /// `uses[rank]`: the uses of a node. Signatures 1 and 2 are disjoint.
    uses: Vec<Vec<SweepUse>>,
    edges: Vec<Edge>,
    dependents: Vec<Edge>,
    costs_ns: Vec<u32>,
    model: SweepModel,
}

/// The number of signatures.
const N_SIGNATURES: usize = 4;

impl SweepCase {
    /// Per-entity nodes of one store, without uses and edges. All costs are 1 µs. There are four workers.
    fn new(n_nodes: usize) -> Self {
        let node = SweepNode {
            store: 0,
            is_sweepable: true,
            can_fail: false,
        };
        Self {
            nodes: vec![Some(node); n_nodes],
            around: Vec::new(),
            uses: vec![Vec::new(); n_nodes],
            edges: Vec::new(),
            dependents: Vec::new(),
            costs_ns: vec![1_000; n_nodes],
            model: SweepModel::new(4),
        }
    }

    /// Makes nodes of any other kind.
    fn others(mut self, ranks: &[u32]) -> Self {
        for &rank in ranks {
            self.nodes[rank as usize] = None;
        }
        self
    }

    /// Changes a per-entity node.
    fn node(mut self, rank: u32, change: impl Fn(&mut SweepNode)) -> Self {
        change(self.nodes[rank as usize].as_mut().unwrap());
        self
    }

    /// Adds edges.
    fn edges(mut self, edges: &[(u32, u32)]) -> Self {
        let edges = edges.iter().map(|&(from, to)| Edge { from, to });
        self.edges.extend(edges);
        self
    }

    /// Adds edges along which failures skip.
    fn dependents(mut self, edges: &[(u32, u32)]) -> Self {
        self = self.edges(edges);
        let edges = edges.iter().map(|&(from, to)| Edge { from, to });
        self.dependents.extend(edges);
        self
    }

    /// Adds the use of a component of the entity at hand.
    fn own(self, rank: u32, resource: u32, kind: AccessKind) -> Self {
        self.uses(rank, Use::new(resource, kind), true)
    }

    /// Adds any other use.
    fn other(self, rank: u32, resource: u32, kind: AccessKind) -> Self {
        self.uses(rank, Use::new(resource, kind), false)
    }

    fn uses(mut self, rank: u32, access: Use, is_own_row: bool) -> Self {
        self.uses[rank as usize].push(SweepUse { access, is_own_row });
        self
    }

    fn cost(mut self, rank: u32, cost_ns: u32) -> Self {
        self.costs_ns[rank as usize] = cost_ns;
        self
    }

    fn with<T>(&self, look: impl FnOnce(&SweepInput<'_>) -> T) -> T {
        let mut disjoint = [0; Disjoint::n_blocks(N_SIGNATURES)];
        Disjoint::set(&mut disjoint, N_SIGNATURES, 1, 2);
        let mut use_starts = vec![0];
        for uses in &self.uses {
            use_starts.push(use_starts.last().unwrap() + uses.len() as u32);
        }
        let dependents = Lists::of_successors(self.nodes.len(), &self.dependents);
        look(&SweepInput {
            nodes: &self.nodes,
            around: &self.around,
            use_starts: &use_starts,
            uses: &self.uses.concat(),
            disjoint: Disjoint::new(N_SIGNATURES, &disjoint),
            edges: &self.edges,
            dependents: dependents.links(),
            costs_ns: &self.costs_ns,
            model: self.model,
        })
    }

    /// The sweeps of at least two members.
    fn sweeps(&self) -> Vec<Vec<u32>> {
        self.with(|input| Sweeps::new(input).iter().map(<[u32]>::to_vec).collect())
    }

    /// The rule that keeps two nodes apart, asked in both directions.
    fn apart(&self, one: u32, other: u32) -> Option<Apart> {
        self.with(|input| {
            let sweeps = Sweeps::new(input);
            let apart = sweeps.apart(input, one, other);
            let reverse = sweeps.apart(input, other, one);
            assert_eq!(
                apart.as_ref().map(std::mem::discriminant),
                reverse.as_ref().map(std::mem::discriminant)
            );
            apart
        })
    }

    fn contracted(&self) -> Contracted {
        self.with(|input| Sweeps::new(input).contract(input.edges))
    }
}
