//! The number of races on each resource, and the list of the first races.
//!
//! The number of races is quadratic in the number of nodes that use a resource. Races are counted as bits, and if there are
//! many, only the first are listed.

use std::collections::HashMap;

use super::incremental::{reached, reaching};
use super::race_policies::RacePolicies;
use super::walk::Walk;
use super::{Races, VerifyInput};
use crate::conflict::AccessKind;
use crate::graph::order::fill_ranks;
use crate::graph::window::Window;
use crate::policy::Policy;
use crate::sync_point_races::role;
use crate::truth_table::TruthTable;

impl Races {
    /// The maximum number of races of which all are listed.
    pub const MAX_LISTED: usize = 1_000;

    /// The maximum number of listed races of each resource if there are more.
    pub const LISTED_OF_EACH: usize = 20;
}

/// Counts the races under [`Policy::Reject`].
#[derive(Debug)]
pub(super) struct RaceCounter<'a> {
    input: &'a VerifyInput<'a>,
    /// `is_plain[v]`: the policies of resources alone determine the policy of each pair of node v; len = n_nodes.
    is_plain: Vec<bool>,
    /// `n_of[r]`: the number of pairs so far whose first common conflicting resource is r; len = n_resources.
    n_of: Vec<usize>,
    n_pairs: usize,
    max_listed: usize,
    /// All pairs, if there are at most `max_listed`.
    pairs: Vec<(u32, u32)>,
    /// The rejected pairs of the current row, as bits.
    rejected: Vec<usize>,
    /// The rejected pairs of the current row that are not counted for a resource.
    left: Vec<usize>,
}

impl<'a> RaceCounter<'a> {
    pub(super) fn new(input: &'a VerifyInput<'a>, max_listed: usize) -> Self {
        Self {
            input,
            is_plain: plain(input),
            n_of: vec![0; input.n_resources],
            n_pairs: 0,
            max_listed,
            pairs: Vec::new(),
            rejected: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Whether there are no races.
    pub(super) fn is_empty(&self) -> bool {
        self.n_pairs == 0
    }

    /// Counts a pair.
    pub(super) fn push(&mut self, a: u32, b: u32) {
        let mut shared = self.input.uses.shared(a, b);
        let first = shared.next().expect("two nodes that race conflict");
        self.n_of[first.resource as usize] += 1;
        self.n_pairs += 1;
        self.list(a, b);
    }

    fn list(&mut self, a: u32, b: u32) {
        if self.n_pairs <= self.max_listed {
            self.pairs.push((a.min(b), a.max(b)));
        }
    }

    /// Counts the races in the current row of a walk and removes them from the row. Does nothing if the policies of resources
    /// do not determine the policies of all pairs of the row.
    ///
    /// O(uses × blocks), and O(1) for each listed pair.
    pub(super) fn take_row(&mut self, walk: &mut Walk<'_>) {
        let node = walk.order[walk.rank - 1];
        if !self.is_plain[node as usize] {
            return;
        }
        let (window, first_block) = (walk.window, walk.block);
        let masks = walk.masks.view(window, self.input.uses.filters());
        let uses = self.input.uses.of(node);
        self.rejected.clear();
        self.rejected.resize(window.n_blocks, 0);
        let rules = self.input.rules;
        for &one in uses {
            if rules.of_resource(0, one.resource).1 == Policy::Reject {
                let blocks = self.rejected.iter_mut().zip(masks.of(one));
                for (rejected, mask) in blocks.skip(first_block) {
                    *rejected |= mask;
                }
            }
        }
        let mut n_taken = 0;
        let rows = self.rejected.iter_mut().zip(walk.row.iter_mut());
        for (rejected, row) in rows.skip(first_block) {
            *rejected &= *row;
            *row &= !*rejected;
            n_taken += rejected.count_ones() as usize;
        }
        if n_taken == 0 {
            return;
        }
        self.left.clone_from(&self.rejected);
        for &one in uses {
            let blocks = self.left.iter_mut().zip(masks.of(one));
            for (left, mask) in blocks.skip(first_block) {
                self.n_of[one.resource as usize] += (*left & mask).count_ones() as usize;
                *left &= !mask;
            }
        }
        self.n_pairs += n_taken;
        if self.n_pairs <= self.max_listed {
            for block in first_block..window.n_blocks {
                let mut bits = self.rejected[block];
                while bits != 0 {
                    let offset = block * Window::NODES_PER_BLOCK + bits.trailing_zeros() as usize;
                    self.list(node, walk.order[window.first + offset]);
                    bits &= bits - 1;
                }
            }
        }
    }

    /// The result, after a complete walk.
    pub(super) fn finish(mut self, walk: &Walk<'_>, policies: &mut RacePolicies<'_>) -> Races {
        if self.n_pairs > self.max_listed {
            self.pairs = self.first_of_each(walk, policies);
        }
        self.pairs.sort_unstable();
        let by_resource = (0..).zip(self.n_of).filter(|&(_, n_pairs)| n_pairs > 0);
        Races {
            listed: self.pairs,
            n_pairs: self.n_pairs,
            by_resource: by_resource.collect(),
        }
    }

    /// The first pairs of each resource, by their nodes.
    ///
    /// Finds the races of up to 64 nodes in each pass, until there are enough pairs for each resource.
    /// Cost: O(nodes + edges + uses) for each pass.
    fn first_of_each(&self, walk: &Walk<'_>, policies: &mut RacePolicies<'_>) -> Vec<(u32, u32)> {
        let uses = walk.uses;
        let n_nodes = walk.order.len();
        let mut ranks = vec![0; n_nodes];
        fill_ranks(walk.order, &mut ranks);
        let mut n_listed = vec![0; self.n_of.len()];
        let mut listed = Vec::new();
        let mut next = 0;
        loop {
            let is_wanted = |resource: u32| {
                let idx = resource as usize;
                n_listed[idx] < self.n_of[idx].min(Races::LISTED_OF_EACH)
            };
            let mut chunk = Vec::new();
            while chunk.len() < u64::BITS as usize && next < n_nodes as u32 {
                if uses.of(next).iter().any(|one| is_wanted(one.resource)) {
                    chunk.push(next);
                }
                next += 1;
            }
            if chunk.is_empty() {
                return listed;
            }
            let found = self.of_chunk(walk, policies, &chunk, &ranks, is_wanted);
            for (a, b, resource) in found {
                let n_listed = &mut n_listed[resource as usize];
                if *n_listed < Races::LISTED_OF_EACH {
                    *n_listed += 1;
                    listed.push((a, b));
                }
            }
        }
    }

    /// The first races of each node of a chunk with later nodes, for each wanted resource: the two nodes and the first
    /// resource on which they conflict. Sorted.
    fn of_chunk(
        &self,
        walk: &Walk<'_>,
        policies: &mut RacePolicies<'_>,
        chunk: &[u32],
        ranks: &[u32],
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<(u32, u32, u32)> {
        let uses = walk.uses;
        let n_nodes = walk.order.len();
        // By row of a wanted resource: the nodes of the chunk that read it, write it and fold it, as bits.
        let filters = uses.filters();
        let mut users: HashMap<usize, [u64; 3]> = HashMap::new();
        let mut own = vec![0_u64; n_nodes];
        for (bit, &node) in chunk.iter().enumerate() {
            own[ranks[node as usize] as usize] = 1 << bit;
            for &one in uses.of(node).iter().filter(|one| is_wanted(one.resource)) {
                for row in filters.rows_meeting(one) {
                    users.entry(row).or_default()[one.kind as usize] |= 1 << bit;
                }
            }
        }
        let links = walk.all_links;
        let before = reached(links, 0..n_nodes as u32, &own);
        let after = reaching(links, (0..n_nodes as u32).rev(), &own);
        let mut n_found: HashMap<(u32, u32), usize> = HashMap::new();
        let mut found = Vec::new();
        for (then, &rank) in (0..).zip(ranks) {
            let mut free = 0;
            for &one in uses.of(then) {
                if let Some(users) = users.get(&filters.row(one)) {
                    for kind in [AccessKind::Read, AccessKind::Write, AccessKind::Fold] {
                        if kind.conflicts_with(one.kind) {
                            free |= users[kind as usize];
                        }
                    }
                }
            }
            let rank = rank as usize;
            free &= !(before[rank] | after[rank]);
            let n_smaller = chunk.partition_point(|&node| node < then);
            if n_smaller < u64::BITS as usize {
                free &= (1 << n_smaller) - 1;
            }
            while free != 0 {
                let node = chunk[free.trailing_zeros() as usize];
                free &= free - 1;
                let mut shared = uses.shared(node, then);
                let resource = shared.next().expect("a conflict").resource;
                let n_found = n_found.entry((node, resource)).or_default();
                if *n_found < Races::LISTED_OF_EACH
                    && is_wanted(resource)
                    && !walk.needs.never_both_run(node, then)
                    && policies.policy(node, then) == Some(Policy::Reject)
                {
                    *n_found += 1;
                    found.push((node, then, resource));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Computes [`RaceCounter::is_plain`]. O(nodes + rules for pairs).
fn plain(input: &VerifyInput<'_>) -> Vec<bool> {
    let n_nodes = input.uses.n_nodes();
    if !input.rules.plugins.of_nodes.is_empty() {
        return vec![false; n_nodes];
    }
    // Two nodes that need the same answers of a condition may both run. By condition: the answers that all
    // nodes need, or `None` if their needs differ, or if needs do not tell when a node runs.
    let mut answers_of: HashMap<u32, Option<u64>> = HashMap::new();
    for one in input.needs.needed {
        let answers = answers_of.entry(one.condition).or_insert(Some(one.answers));
        *answers = answers.filter(|&answers| answers == one.answers && answers != 0);
    }
    for node in 0..n_nodes as u32 {
        let table = input.needs.table(node);
        if table.is_never_true() {
            return vec![false; n_nodes];
        }
        if !input.needs.are_sufficient(node) {
            answers_of.extend(conditions_of(table).map(|condition| (condition, None)));
        }
    }
    let is_plain = |node: u32| {
        let role = input.roles.get(node as usize);
        let needed = input.needs.of(node).iter().map(|one| one.condition);
        let mut conditions = needed.chain(conditions_of(input.needs.table(node)));
        conditions.all(|condition| answers_of.get(&condition).is_none_or(Option::is_some))
            && !matches!(role, Some(&(role::SYNC_POINT | role::FOLLOWS)))
    };
    let mut is_plain: Vec<bool> = (0..n_nodes as u32).map(is_plain).collect();
    for &(a, b, _) in input.rules.pairs {
        is_plain[a as usize] = false;
        is_plain[b as usize] = false;
    }
    let groups = input.rules.groups;
    if !groups.is_empty() {
        for (node, is_plain) in (0..).zip(&mut is_plain) {
            *is_plain &= groups.sets_of(node).is_empty();
        }
    }
    is_plain
}

/// The conditions of the leaves of a table.
fn conditions_of(table: TruthTable) -> impl Iterator<Item = u32> {
    (0..table.n_leaves()).map(move |nth| table.leaf(nth).condition)
}
