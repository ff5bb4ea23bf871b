//! How much memory a listing takes at most.

use super::conditions::Conditions;
use super::draft::Draft;
use super::edges::Edges;
use super::groups::Groups;
use super::guarding::Guarding;
use super::judge;
use super::rules::Policies;
use super::uses::Resources;
use crate::access::Access;
use crate::listing::{About, Clause, Listed, Listing};
use crate::system::{Declaration, Guard};
use schedule_graph::Policy;
use schedule_graph::internal::PhasesExtent;

/// How much memory a listing takes at most, of each kind.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sizes {
    /// Numbers.
    pub words: usize,
    /// Blocks of bits.
    pub blocks: usize,
    /// Edges.
    pub edges: usize,
    /// What nodes touch.
    pub uses: usize,
    /// Answers that nodes need.
    pub needed: usize,
    /// Nodes and groups.
    pub nodes: usize,
    /// What is said about them.
    pub said: usize,
    counts: Counts,
}

/// What there is at most.
#[derive(Clone, Copy, Debug)]
struct Counts {
    /// Systems, loops, checkpoints and flushes; conditions that nobody adds, one for each level.
    n_nodes: usize,
    n_loops: usize,
    n_flushes: usize,
    /// Conditions that nobody adds.
    n_implied: usize,
    n_groups: usize,
    n_members: usize,
    n_orders: usize,
    n_weak: usize,
    n_guards: usize,
    n_leaves: usize,
    /// Leaves of the guards of groups, and of groups and loops.
    n_group_leaves: usize,
    n_shared_leaves: usize,
    n_resources: usize,
    n_uses: usize,
    /// Nodes that touch everything.
    n_all: usize,
    n_parts: usize,
    /// Pairs may get edges of their own.
    has_pair_edges: bool,
}

impl Sizes {
    /// Of this listing. O(listing), and the square of its conditions.
    pub const fn of(listing: &Listing) -> Self {
        // The conditions that attributes name are known only by walking through them, in memory of a fixed size.
        if let Some(counts) = Survey::<16>::of(listing) {
            return Self::of_counts(counts);
        }
        if let Some(counts) = Survey::<256>::of(listing) {
            return Self::of_counts(counts);
        }
        match Survey::<4096>::of(listing) {
            Some(counts) => Self::of_counts(counts),
            None => panic!("more than 4096 conditions"),
        }
    }

    const fn of_counts(counts: Counts) -> Self {
        let mut sizes = Self {
            words: 0,
            blocks: 0,
            edges: 0,
            uses: 0,
            needed: 0,
            nodes: 0,
            said: 0,
            counts,
        };
        let Counts {
            n_nodes,
            n_groups,
            n_members,
            n_guards,
            n_leaves,
            ..
        } = counts;
        let extent = sizes.extent();
        let phases = judge::sizes(extent, counts.n_flushes > 0);
        sizes.words = Draft::n_words(n_nodes + n_groups, sizes.n_items())
            + Conditions::n_words(n_guards, n_leaves, n_groups)
            + Groups::n_words(n_groups, n_members)
            + Edges::n_words(extent.n_nodes, extent.n_edges(), extent.n_weak)
            + Guarding::n_words(n_nodes, n_leaves)
            + sizes.n_words_for_flushes()
            + (extent.n_nodes + 1)
            + 2
            + Resources::n_words(extent.n_nodes, counts.n_resources)
            + Policies::n_words(counts.n_parts, extent.n_nodes)
            + phases.n_words;
        sizes.blocks = Groups::n_blocks(n_groups, n_nodes)
            + Guarding::n_blocks(n_nodes, n_groups, n_guards)
            + phases.n_blocks;
        sizes.edges = Groups::n_edges(n_members)
            + counts.n_loops
            + extent.n_edges()
            + extent.n_weak
            + phases.n_edges;
        // As many resources and policies fit in.
        sizes.uses = sizes.n_uses() + Policies::n_policies(counts.n_parts, counts.n_resources + 2);
        sizes.nodes = 2 * sizes.n_items();
        sizes.said = 3 * sizes.n_said();
        // Needs are merged behind those that there are.
        sizes.needed = n_leaves + n_nodes * counts.n_shared_leaves + 4 * n_leaves;
        sizes
    }

    pub(super) const fn n_items(self) -> usize {
        self.counts.n_nodes + self.counts.n_groups
    }

    /// Of each kind of what is said.
    pub(super) const fn n_said(self) -> usize {
        self.counts.n_members + self.counts.n_orders + self.counts.n_guards
    }

    pub(super) const fn n_guards(self) -> usize {
        self.counts.n_guards
    }

    pub(super) const fn n_leaves(self) -> usize {
        self.counts.n_leaves
    }

    pub(super) const fn n_resources(self) -> usize {
        self.counts.n_resources
    }

    pub(super) const fn n_uses(self) -> usize {
        let counts = self.counts;
        counts.n_uses
            + counts.n_nodes
            + counts.n_all * (counts.n_resources + 1)
            + counts.n_resources
            + 2
    }

    pub(super) const fn n_edges(self) -> usize {
        let counts = self.counts;
        let n_nodes = self.n_graph_nodes();
        let of_loops = if counts.n_loops == 0 {
            0
        } else {
            counts.n_loops + 2 * n_nodes
        };
        let n_conditions = if counts.n_nodes < counts.n_leaves {
            counts.n_nodes
        } else {
            counts.n_leaves
        };
        of_loops
            + counts.n_groups
            + 2 * counts.n_members
            + counts.n_orders
            + counts.n_leaves
            + n_conditions * counts.n_group_leaves
            + counts.n_implied * counts.n_flushes
    }

    const fn n_words_for_flushes(self) -> usize {
        if self.counts.n_flushes == 0 {
            return 0;
        }
        let n_nodes = self.n_graph_nodes();
        Edges::n_words_for_flushes(n_nodes, self.n_edges())
            + Edges::n_words_for_flush_races(n_nodes, n_nodes + self.extent().n_edges())
    }

    const fn n_graph_nodes(self) -> usize {
        let n_of_group = if self.counts.n_weak > 0 { 4 } else { 2 };
        self.counts.n_nodes + self.counts.n_loops + n_of_group * self.counts.n_groups
    }

    /// Those of weak orders, and of groups for them.
    pub(super) const fn n_weak(self) -> usize {
        let counts = self.counts;
        if counts.n_weak == 0 {
            return 0;
        }
        counts.n_weak + 2 * counts.n_groups * counts.n_nodes
    }

    pub(super) const fn extent(self) -> PhasesExtent {
        let n_nodes = self.counts.n_nodes;
        PhasesExtent {
            n_nodes: self.n_graph_nodes(),
            n_declared: self.n_edges(),
            n_weak: self.n_weak(),
            n_pairs: if self.counts.has_pair_edges {
                n_nodes * n_nodes
            } else {
                0
            },
            n_resources: self.counts.n_resources + 2,
            n_blocks: usize::MAX,
        }
    }
}

/// Counts what there is, and remembers which conditions it has met.
struct Survey<const CAPACITY: usize> {
    counts: Counts,
    met: [u128; CAPACITY],
    n_met: usize,
    /// What each condition is counted as often as: it may be asked at each level.
    n_levels: usize,
    /// So many conditions that nobody adds there could be, if each were asked at each level.
    n_implied: usize,
    is_full: bool,
}

impl<const CAPACITY: usize> Survey<CAPACITY> {
    /// `None`, if there are too many conditions for it.
    const fn of(listing: &Listing) -> Option<Counts> {
        let mut survey = Self {
            counts: Counts {
                n_nodes: 0,
                n_loops: 0,
                n_flushes: 0,
                n_implied: 0,
                n_groups: 0,
                n_members: 0,
                n_orders: 0,
                n_weak: 0,
                n_guards: 0,
                n_leaves: 0,
                n_group_leaves: 0,
                n_shared_leaves: 0,
                n_resources: 0,
                n_uses: 0,
                n_all: 0,
                n_parts: listing.parts.len(),
                has_pair_edges: false,
            },
            met: [0; CAPACITY],
            n_met: 0,
            n_levels: 1,
            n_implied: 0,
            is_full: false,
        };
        let mut idx = 0;
        while idx < listing.entries.len() {
            survey.n_levels += matches!(listing.entries[idx].subject, Listed::Loop(_)) as usize;
            idx += 1;
        }
        survey.counts.n_loops = survey.n_levels - 1;
        let mut idx = 0;
        while idx < listing.entries.len() {
            let entry = &listing.entries[idx];
            let is_group = matches!(entry.subject, Listed::Group(_) | Listed::Part(..));
            let is_loop = matches!(entry.subject, Listed::Loop(_));
            let n_leaves = survey.counts.n_leaves;
            match entry.subject {
                Listed::System(declaration) | Listed::Loop(declaration) => {
                    survey.counts.n_nodes += 1;
                    survey.count(declaration, 1);
                }
                Listed::Checkpoint(_) => survey.counts.n_nodes += 1,
                Listed::Flush(_) => {
                    survey.counts.n_nodes += 1;
                    survey.counts.n_flushes += 1;
                    survey.counts.n_uses += 1;
                }
                Listed::Group(_) | Listed::Part(..) => survey.counts.n_groups += 1,
            }
            survey.counts.n_members += listing.membership(idx).is_some() as usize;
            survey.count_clauses(entry.clauses);
            let n_leaves = survey.counts.n_leaves - n_leaves;
            survey.counts.n_group_leaves += if is_group { n_leaves } else { 0 };
            survey.counts.n_shared_leaves += if is_group {
                2 * n_leaves
            } else if is_loop {
                n_leaves
            } else {
                0
            };
            idx += 1;
        }
        survey.count_rules(listing);
        let counts = &mut survey.counts;
        counts.has_pair_edges |= counts.n_weak > 0;
        // A leaf adds one condition at most. Pairs take the square of this, so it is worth to be exact.
        counts.n_implied = if survey.n_implied < counts.n_leaves {
            survey.n_implied
        } else {
            counts.n_leaves
        };
        counts.n_nodes += counts.n_implied;
        if survey.is_full {
            None
        } else {
            Some(survey.counts)
        }
    }

    const fn count_rules(&mut self, listing: &Listing) {
        let mut idx = 0;
        while idx < listing.rules.len() {
            // The others name what is there already.
            self.counts.n_orders += 1;
            let policy = match listing.rules[idx].about {
                About::Schedule(policy) => policy,
                About::Resource(_, choice) => {
                    self.counts.n_resources += 1;
                    choice.policy
                }
                About::Pair(_, _, choice) => choice.policy,
                About::Failure(_) => Policy::Reject,
            };
            self.counts.has_pair_edges |= matches!(policy, Policy::WritersFirst);
            idx += 1;
        }
    }

    const fn count_clauses(&mut self, clauses: &[Clause]) {
        let mut idx = 0;
        while idx < clauses.len() {
            match &clauses[idx] {
                Clause::Order(order) => {
                    self.counts.n_orders += 1;
                    self.counts.n_weak += order.is_weak() as usize;
                }
                Clause::In(_) => {
                    self.counts.n_members += 1;
                    self.counts.n_groups += 1;
                }
                Clause::If(guard) => {
                    self.counts.n_guards += 1;
                    self.count_guard(guard, 1);
                }
                Clause::AtMost(_) | Clause::OnFailure(_) => {}
            }
            idx += 1;
        }
    }

    /// Counts what the attribute of a node says, `n` times.
    const fn count(&mut self, declaration: &Declaration, n: usize) {
        let counts = &mut self.counts;
        counts.n_members += n * declaration.groups.len();
        counts.n_groups += declaration.groups.len();
        counts.n_orders += n * declaration.orders.len();
        counts.n_guards += n * declaration.guards.len();
        let mut idx = 0;
        while idx < declaration.orders.len() {
            self.counts.n_weak += n * declaration.orders[idx].is_weak() as usize;
            idx += 1;
        }
        let parameters = declaration.parameters.list();
        let mut idx = 0;
        while idx < parameters.len() {
            self.count_access(&parameters[idx].access, n);
            idx += 1;
        }
        let mut idx = 0;
        while idx < declaration.guards.len() {
            self.count_guard(&declaration.guards[idx], n);
            idx += 1;
        }
    }

    const fn count_access(&mut self, access: &Access, n: usize) {
        match access {
            Access::Read(_) | Access::Write(_) => {
                self.counts.n_uses += n;
                self.counts.n_resources += 1;
            }
            Access::ReadAll | Access::Exclusive => self.counts.n_all += n,
            Access::Optional(access) => self.count_access(access, n),
            Access::Commands | Access::Inserts(_) | Access::ByReference(_) => {}
            Access::Each(parts) | Access::OneOf(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    self.count_access(&parts[idx], n);
                    idx += 1;
                }
            }
        }
    }

    const fn count_guard(&mut self, guard: &Guard, n: usize) {
        match guard {
            Guard::Is(answered) => {
                self.counts.n_leaves += n;
                if answered.entry.is_none() {
                    self.count_condition(answered.declaration);
                }
            }
            Guard::Not(guard) => self.count_guard(guard, n),
            Guard::All(guards) | Guard::Any(guards) => {
                let mut idx = 0;
                while idx < guards.len() {
                    self.count_guard(&guards[idx], n);
                    idx += 1;
                }
            }
        }
    }

    /// Counts a condition, unless it was met before: it may stand at every level.
    const fn count_condition(&mut self, declaration: &Declaration) {
        let mut idx = 0;
        while idx < self.n_met {
            if self.met[idx] == declaration.reference.id {
                return;
            }
            idx += 1;
        }
        if self.n_met == CAPACITY {
            self.is_full = true;
            return;
        }
        self.met[self.n_met] = declaration.reference.id;
        self.n_met += 1;
        self.n_implied += self.n_levels;
        self.count(declaration, self.n_levels);
    }
}
