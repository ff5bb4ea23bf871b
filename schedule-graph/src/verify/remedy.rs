//! Which orders end the races of a graph.

use super::{Draft, Question};
use crate::graph::edge::Edge;
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::precedence::reduce;

impl Draft {
    /// Those of these races that end all of them once they are ordered, the first node before the other; by the place of
    /// both in the order that they follow: as added, after everything that is declared, weak or writers first.
    ///
    /// Of all races, put along that order, it is what the transitive reduction leaves beside the orders that are there
    /// (Aho, Garey, Ullman 1972): so none can be left out. The edges of writers first do not count for that, since they
    /// excuse no other pair. Called where declared and weak orders have no cycle.
    /// Cost: O(V (V + E + races) / 64).
    pub(super) fn remedy(&self, question: &Question<'_>, races: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let n_nodes = question.uses.n_nodes();
        let along = |edges: &[Edge]| {
            let graph = Self {
                n_nodes,
                edges: [edges, question.weak].concat(),
                origins: Vec::new(),
            };
            graph.sort_by_levels(question.levels)
        };
        // Writers first may go in circles, which is another problem then.
        let order = along(&self.edges).or_else(|| along(question.declared));
        let order = order.expect("called where there is no cycle");
        let mut ranks = vec![0; n_nodes];
        fill_ranks(&order, &mut ranks);
        let rank = |node: u32| ranks[node as usize];

        let mut pairs: Vec<(Edge, (u32, u32))> = races
            .iter()
            .map(|&(a, b)| {
                let (from, to) = if rank(a) < rank(b) { (a, b) } else { (b, a) };
                (question.levels.lift(Edge { from, to }), (from, to))
            })
            .collect();
        // Parts of two loops race for those: one order is enough.
        pairs.sort_by_key(|(edge, _)| (rank(edge.from), rank(edge.to)));
        pairs.dedup_by_key(|(edge, _)| (edge.from, edge.to));

        let mut edges = [question.declared, question.weak].concat();
        let n_known = edges.len();
        edges.extend(pairs.iter().map(|(edge, _)| *edge));
        let mut ranked = edges.clone();
        fill_ranked_edges(&edges, &ranks, &mut ranked);
        let kept = reduce(n_nodes, &ranked);
        let pairs = pairs.into_iter().zip(&kept[n_known..]);
        pairs
            .filter_map(|((_, pair), kept)| kept.then_some(pair))
            .collect()
    }
}
