//! Pairs of a node whose commands change something and a later node that uses it.
//!
//! A declared order of such a pair means that the second node finds the change, so a sync point must stand between them. This
//! module finds the pairs that no declared sync point serves. [`verify`](crate::verify) inserts sync points for them.

use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::links::Links;
use crate::graph::lists::Lists;
use crate::verify::sort;

/// What the commands of nodes may change, and what nodes use of it. Changes are numbers.
#[derive(Clone, Copy, Debug)]
pub struct CommandInput<'a> {
    /// The number of nodes of a plan.
    pub n_nodes: usize,
    /// The declared edges whose orders include commands.
    pub edges: &'a [Edge],
    /// The loops.
    pub levels: Levels<'a>,
    /// The number of changes.
    pub n_changes: usize,
    /// Pairs of a node and a change that its commands may make.
    pub changes: &'a [(u32, u32)],
    /// Pairs of a node and a change that it finds, sorted by node.
    pub uses: &'a [(u32, u32)],
    /// The declared sync points.
    pub sync_points: &'a [u32],
}

/// A pair that needs a sync point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPair {
    /// The node with commands.
    pub writer: u32,
    /// The node that comes after it by declared orders, and uses what the commands may change.
    pub user: u32,
    /// What they may change.
    pub change: u32,
}

/// A set of writers, as bits.
type Bits = [u64];

/// The nodes with commands, with numbers.
struct Writers {
    nodes: Vec<u32>,
    /// `number_of[v]`: the number of node v, if it has commands.
    number_of: Vec<Option<usize>>,
    /// The length of a set.
    n_blocks: usize,
    /// `of[c]`: the writers of change c.
    of: Vec<Vec<u64>>,
}

impl Writers {
    fn new(input: &CommandInput<'_>) -> Self {
        let mut nodes: Vec<u32> = input.changes.iter().map(|change| change.0).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut number_of = vec![None; input.n_nodes];
        for (number, &writer) in nodes.iter().enumerate() {
            number_of[writer as usize] = Some(number);
        }
        let n_blocks = nodes.len().div_ceil(64);
        let mut of = vec![vec![0; n_blocks]; input.n_changes];
        for &(writer, change) in input.changes {
            let number = number_of[writer as usize].expect("it is a writer");
            set(&mut of[change as usize], number);
        }
        Self {
            nodes,
            number_of,
            n_blocks,
            of,
        }
    }

    /// For each node, the writers before it.
    fn before(&self, order: impl Iterator<Item = u32>, links: Links<'_>) -> Vec<u64> {
        let n_blocks = self.n_blocks;
        let mut before = vec![0; links.n_nodes() * n_blocks];
        for node in order {
            let mut passed_on = before[node as usize * n_blocks..][..n_blocks].to_vec();
            if let Some(number) = self.number_of[node as usize] {
                set(&mut passed_on, number);
            }
            for link in links.start(node as usize)..links.end(node as usize) {
                let to = links.target(link) as usize * n_blocks;
                join(&mut before[to..to + n_blocks], &passed_on);
            }
        }
        before
    }

    /// The pairs of a writer in the set of a user, and the user, if the user uses a change of the writer. Sorted.
    fn pairs(
        &self,
        input: &CommandInput<'_>,
        set_of: impl Fn(usize) -> Vec<u64>,
    ) -> Vec<CommandPair> {
        let mut pairs = Vec::new();
        for of_user in input.uses.chunk_by(|one, other| one.0 == other.0) {
            let user = of_user[0].0;
            let mut left = set_of(user as usize);
            for &(_, change) in of_user {
                for (block, (left, of)) in
                    left.iter_mut().zip(&self.of[change as usize]).enumerate()
                {
                    let mut found = *left & of;
                    *left &= !found;
                    while found != 0 {
                        let number = 64 * block + found.trailing_zeros() as usize;
                        found &= found - 1;
                        pairs.push(CommandPair {
                            writer: self.nodes[number],
                            user,
                            change,
                        });
                    }
                }
            }
        }
        pairs.sort_unstable_by_key(|pair| (pair.user, pair.writer));
        pairs
    }
}

/// Finds the pairs with a declared path, from the node with commands to the user of a change, and without a declared sync point
/// that serves them. Sorted by user, then by writer.
///
/// A sync point serves a pair if declared paths lead from the writer to it and from it to the user, if it runs whenever the user
/// does (`has_guards_of` says so for a sync point and a user), and if each loop around it is around the writer or the user.
///
/// Cost: O((V + E) × W / 64) for W nodes with commands, and O(V + E) for each sync point that has a guard or is in a loop.
pub fn command_pairs(
    input: &CommandInput<'_>,
    is_guarded: impl Fn(u32) -> bool,
    mut has_guards_of: impl FnMut(u32, u32) -> bool,
) -> Vec<CommandPair> {
    let Some((order, writers)) = order_and_writers(input) else {
        return Vec::new();
    };
    let n_blocks = writers.n_blocks;
    let is_special = |node: u32| input.levels.around(node) != NO_LOOP || is_guarded(node);
    let mut is_plain = vec![false; input.n_nodes];
    for &sync_point in input.sync_points {
        is_plain[sync_point as usize] = !is_special(sync_point);
    }
    let lists = Lists::of_successors(input.n_nodes, input.edges);
    let links = lists.links();
    let before = writers.before(order.iter().copied(), links);
    // served[v]: the writers before node v with a sync point in between.
    let mut served = vec![0; input.n_nodes * n_blocks];
    for node in order {
        let own = node as usize * n_blocks..(node as usize + 1) * n_blocks;
        let mut passed_on = served[own.clone()].to_vec();
        if is_plain[node as usize] {
            join(&mut passed_on, &before[own]);
        }
        for link in links.start(node as usize)..links.end(node as usize) {
            let to = links.target(link) as usize * n_blocks;
            join(&mut served[to..to + n_blocks], &passed_on);
        }
    }
    let mut is_user = vec![false; input.n_nodes];
    for &(user, _) in input.uses {
        is_user[user as usize] = true;
    }
    for &sync_point in input.sync_points {
        if is_plain[sync_point as usize] {
            continue;
        }
        let around = input.levels.around(sync_point);
        let all = &before[sync_point as usize * n_blocks..][..n_blocks];
        let mut inside = vec![0; n_blocks];
        for (number, &writer) in writers.nodes.iter().enumerate() {
            if contains(all, number) && is_in(input.levels, writer, around) {
                set(&mut inside, number);
            }
        }
        let users = after(links, sync_point).into_iter();
        for user in users.filter(|&user| is_user[user as usize]) {
            if is_guarded(sync_point) && !has_guards_of(sync_point, user) {
                continue;
            }
            let found: &Bits = if is_in(input.levels, user, around) {
                all
            } else {
                &inside
            };
            join(&mut served[user as usize * n_blocks..][..n_blocks], found);
        }
    }
    writers.pairs(input, |user| {
        let row = user * n_blocks..(user + 1) * n_blocks;
        let both = before[row.clone()].iter().zip(&served[row]);
        both.map(|(before, served)| before & !served).collect()
    })
}

/// Finds the pairs without a declared path between them. Sorted by user, then by writer. `edges`: all declared edges.
///
/// Cost: O((V + E) × W / 64) for W nodes with commands.
pub fn unordered_command_pairs(input: &CommandInput<'_>) -> Vec<CommandPair> {
    let Some((order, writers)) = order_and_writers(input) else {
        return Vec::new();
    };
    let n_blocks = writers.n_blocks;
    let lists = Lists::of_successors(input.n_nodes, input.edges);
    let before = writers.before(order.iter().copied(), lists.links());
    let reversed = input.edges.iter().map(|edge| Edge {
        from: edge.to,
        to: edge.from,
    });
    let lists = Lists::of_successors(input.n_nodes, &reversed.collect::<Vec<_>>());
    let after = writers.before(order.iter().rev().copied(), lists.links());
    writers.pairs(input, |user| {
        let row = user * n_blocks..(user + 1) * n_blocks;
        let both = before[row.clone()].iter().zip(&after[row]);
        let mut others: Vec<u64> = both.map(|(before, after)| !(before | after)).collect();
        if let Some(number) = writers.number_of[user] {
            others[number / 64] &= !(1 << (number % 64));
        }
        others
    })
}

/// A topological order of the nodes, and the nodes with commands. `None` if there can be no pair, or if the edges have a cycle, which the
/// verifier reports.
fn order_and_writers(input: &CommandInput<'_>) -> Option<(Vec<u32>, Writers)> {
    if input.changes.is_empty() || input.uses.is_empty() {
        return None;
    }
    Some((sort(input.n_nodes, input.edges)?, Writers::new(input)))
}

fn set(bits: &mut Bits, number: usize) {
    bits[number / 64] |= 1 << (number % 64);
}

fn contains(bits: &Bits, number: usize) -> bool {
    bits[number / 64] >> (number % 64) & 1 == 1
}

fn join(bits: &mut Bits, others: &Bits) {
    for (block, other) in bits.iter_mut().zip(others) {
        *block |= other;
    }
}

/// Whether a node is in a loop, at any depth. Each node is in [`NO_LOOP`].
fn is_in(levels: Levels<'_>, node: u32, wanted: u32) -> bool {
    let mut around = levels.around(node);
    while around != wanted && around != NO_LOOP {
        around = levels.around(levels.loops[around as usize].from);
    }
    around == wanted
}

/// All nodes that links reach from a node.
fn after(links: Links<'_>, from: u32) -> Vec<u32> {
    let mut is_met = vec![false; links.n_nodes()];
    let mut found = Vec::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for link in links.start(node as usize)..links.end(node as usize) {
            let next = links.target(link);
            if !core::mem::replace(&mut is_met[next as usize], true) {
                found.push(next);
                open.push(next);
            }
        }
    }
    found
}
