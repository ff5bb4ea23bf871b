//! The error of rejected declarations, with their graph.

use core::iter;

use super::graph_data::GraphSource;
use crate::declare::declarations::Declarations;
use crate::declare::problem::{BuildError, Refused};
use crate::verify::compile::{All, RejectedDeclarations};
use schedule_graph::internal::{Cycle, Origin};
use schedule_graph::internal::{fill_ranked_edges, fill_ranks, reduce, sort};

/// Returns the error of rejected declarations, with their graph.
pub(crate) fn build_error(
    declarations: &Declarations,
    rejected: RejectedDeclarations,
) -> BuildError {
    let source = GraphSource {
        all: All::new(declarations, &rejected.implied, &rejected.places),
        conditions: &rejected.conditions,
        graph: &rejected.graph,
        resources: &rejected.resources,
    };
    let refused = source.refused(&rejected.name, &rejected.cycles);
    rejected.error.of(refused)
}

impl GraphSource<'_> {
    /// Returns the graph of a schedule that was rejected, with these cycles.
    fn refused(&self, name: &str, cycles: &[Cycle]) -> Refused {
        let graph = self.graph;
        let order: Vec<u32> = (0..graph.kinds.len() as u32).collect();
        let declared = (0..).map(Origin::Declared).zip(&graph.edges);
        let weak = (0..).map(Origin::Weak).zip(&graph.weak);
        let implied = self.implied().into_iter().chain(iter::repeat(false));
        let edges = declared
            .chain(weak)
            .zip(implied)
            .map(|((origin, edge), is_implied)| (*edge, origin, is_implied));
        let number_of = self.number_of(&order);
        let cycles = cycles.iter().map(|cycle| {
            let mut nodes: Vec<usize> = cycle
                .iter()
                .map(|(edge, _)| number_of[edge.from as usize])
                .collect();
            // A loop or group has a begin and an end, but is only one node of the result.
            nodes.dedup();
            if nodes.len() > 1 && nodes.first() == nodes.last() {
                nodes.pop();
            }
            nodes
        });
        let added = self
            .all
            .nodes()
            .zip(&graph.node_of)
            .filter(|(node, _)| node.is_there())
            .map(|(node, &number)| (node.id, number_of[number as usize]));
        Refused {
            graph: self.schedule_graph(name, &order, edges, &[]),
            nodes: added.collect(),
            cycles: cycles.collect(),
            resources: self.resources.ids.clone(),
        }
    }

    /// Returns, for each declared edge, whether other declared edges imply it. Returns false for all edges if they have a cycle. Weak edges
    /// imply nothing, because they may not apply.
    fn implied(&self) -> Vec<bool> {
        let declared = &self.graph.edges;
        let n_nodes = self.graph.kinds.len();
        let Some(order) = sort(n_nodes, declared) else {
            return vec![false; declared.len()];
        };
        let mut ranks = vec![0; n_nodes];
        fill_ranks(&order, &mut ranks);
        let mut ranked = declared.clone();
        fill_ranked_edges(declared, &ranks, &mut ranked);
        let kept = reduce(n_nodes, &ranked);
        kept.into_iter().map(|is_kept| !is_kept).collect()
    }
}
