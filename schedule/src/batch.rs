//! Nodes that one thread runs in a row, since to hand each of them to a thread costs more than that brings.

use crate::graph::edge::Edge;
use crate::precedence::Precedence;

/// Nodes in batches. A batch waits for all that any of its nodes waits for, and what waits for one of them waits for the
/// batch.
#[derive(Debug)]
pub(crate) struct Batches {
    /// `starts[b]..starts[b + 1]`: where the nodes of batch b stand in `ranks`; len = n_batches + 1.
    starts: Vec<u32>,
    /// In an order in which they can run.
    ranks: Vec<u32>,
    /// A transitive reduction, sorted; all edges have `from < to`. Batches are numbered by urgency.
    pub(crate) edges: Vec<Edge>,
}

/// What may be put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This node with no other.
    Alone,
    /// With others of the same number.
    With(u64),
}

/// A batch in the making.
struct Draft {
    kind: Kind,
    cost: u64,
    /// More than that of every other batch that it waits for. So what a node waits for never leads back to its batch.
    stage: u32,
    last: u32,
}

impl Batches {
    /// Every node is a batch of its own.
    pub(crate) fn of_one_each(precedence: Precedence) -> Self {
        Self {
            starts: (0..=precedence.ranks.len() as u32).collect(),
            ranks: precedence.ranks,
            edges: precedence.edges,
        }
    }

    /// Batches that cost `most` at most, but for those of one node. `costs[rank]`: what a node takes; `hand_over`: what
    /// it takes to hand a batch to a thread, in the same unit. `kind(rank)`: what it may be put together with.
    ///
    /// The nodes are looked at by urgency. Each joins the batch of what it waits for, if it is the first that waits for
    /// it, or else others that wait for as much; where neither is possible, it begins a batch.
    /// Cost: O(batches × edges / 64).
    pub(crate) fn new(
        precedence: &Precedence,
        costs: &[u32],
        hand_over: u32,
        most: u64,
        kind: impl Fn(u32) -> Kind,
    ) -> Self {
        let Precedence { ranks, edges } = precedence;
        let n_nodes = ranks.len();
        let mut incoming = edges.clone();
        incoming.sort_unstable_by_key(|edge| (edge.to, edge.from));
        let mut incoming = incoming.iter().peekable();
        let mut n_successors = vec![0_u32; n_nodes];
        let mut n_predecessors = vec![0_u32; n_nodes];
        for edge in edges {
            n_successors[edge.from as usize] += 1;
            n_predecessors[edge.to as usize] += 1;
        }
        let mut drafts: Vec<Draft> = Vec::new();
        let mut batch_of = vec![0_u32; n_nodes];
        // `open[s]`: the batch of stage s that siblings may join.
        let mut open: Vec<Option<u32>> = Vec::new();
        for (node, &rank) in (0..).zip(ranks) {
            let kind = kind(rank);
            let cost = u64::from(costs[rank as usize]);
            // The batch of the last stage of those that it waits for, unless there are several.
            let mut latest: Option<(u32, Option<u32>)> = None;
            let mut before = None;
            while let Some(edge) = incoming.next_if(|edge| edge.to == node) {
                let batch = batch_of[edge.from as usize];
                let stage = drafts[batch as usize].stage;
                latest = match latest {
                    Some((last, _)) if last > stage => latest,
                    Some((last, one)) if last == stage => {
                        Some((last, one.filter(|&one| one == batch)))
                    }
                    _ => Some((stage, Some(batch))),
                };
                before = Some(edge.from);
            }
            let stage = latest.map_or(0, |(stage, _)| stage + 1);
            // Of a chain, nobody else waits for what comes before: then to wait for more is no loss.
            let is_link = before.is_some_and(|before| {
                n_predecessors[node as usize] == 1 && n_successors[before as usize] == 1
            });
            let joins = |batch: &u32| {
                let draft = &drafts[*batch as usize];
                let most = if is_link && Some(draft.last) == before {
                    LONGEST_CHAIN.max(most)
                } else {
                    most
                };
                kind != Kind::Alone && draft.kind == kind && draft.cost + cost <= most
            };
            let one = latest.and_then(|(_, one)| one).filter(&joins);
            let sibling = || open.get(stage as usize).copied().flatten().filter(&joins);
            let batch = one.or_else(sibling).unwrap_or(drafts.len() as u32);
            if batch as usize == drafts.len() {
                drafts.push(Draft {
                    kind,
                    cost: 0,
                    stage,
                    last: node,
                });
                if open.len() <= stage as usize {
                    open.resize(stage as usize + 1, None);
                }
                open[stage as usize] = Some(batch);
            }
            let draft = &mut drafts[batch as usize];
            draft.cost += cost;
            draft.last = node;
            batch_of[node as usize] = batch;
        }
        Self::of_drafts(precedence, &drafts, &batch_of, hand_over)
    }

    fn of_drafts(
        precedence: &Precedence,
        drafts: &[Draft],
        batch_of: &[u32],
        hand_over: u32,
    ) -> Self {
        let n_batches = drafts.len();
        // By stage, edges go from the smaller number to the greater one.
        let mut by_stage: Vec<u32> = (0..n_batches as u32).collect();
        by_stage.sort_by_key(|&batch| drafts[batch as usize].stage);
        let mut places = vec![0; n_batches];
        for (place, &batch) in (0..).zip(&by_stage) {
            places[batch as usize] = place;
        }
        let place = |node: u32| places[batch_of[node as usize] as usize];
        let edges = precedence.edges.iter().map(|edge| Edge {
            from: place(edge.from),
            to: place(edge.to),
        });
        let mut edges: Vec<Edge> = edges.filter(|edge| edge.from != edge.to).collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        edges.dedup();
        let costs = by_stage.iter().map(|&batch| {
            let cost = drafts[batch as usize].cost + u64::from(hand_over);
            u32::try_from(cost).unwrap_or(u32::MAX)
        });
        let costs: Vec<u32> = costs.collect();
        let Precedence {
            ranks: in_order,
            edges,
        } = Precedence::new(&edges, &costs);
        let mut numbers = vec![0; n_batches];
        for (number, &place) in (0..).zip(&in_order) {
            numbers[by_stage[place as usize] as usize] = number;
        }
        let number = |node: usize| numbers[batch_of[node] as usize] as usize;
        let mut starts = vec![0_u32; n_batches + 1];
        for node in 0..batch_of.len() {
            starts[number(node) + 1] += 1;
        }
        for batch in 0..n_batches {
            starts[batch + 1] += starts[batch];
        }
        let mut free = starts.clone();
        let mut ranks = vec![0; batch_of.len()];
        for (node, &rank) in precedence.ranks.iter().enumerate() {
            let at = &mut free[number(node)];
            ranks[*at as usize] = rank;
            *at += 1;
        }
        Self {
            starts,
            ranks,
            edges,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The ranks of the nodes of each batch.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.windows(2);
        ends.map(|ends| &self.ranks[ends[0] as usize..ends[1] as usize])
    }

    /// Whether each batch waits for the one before it, so that one thread is as good as several.
    pub(crate) fn is_chain(&self) -> bool {
        let is_link = |(from, edge): (u32, &Edge)| edge.from == from && edge.to == from + 1;
        self.edges.len() + 1 >= self.len() && (0..).zip(&self.edges).all(is_link)
    }
}

/// Nanoseconds. Nodes of a chain that take longer gain nothing from being in one batch, and a thread might have run
/// something more urgent between them.
const LONGEST_CHAIN: u64 = 5_000;

#[cfg(test)]
mod tests;
