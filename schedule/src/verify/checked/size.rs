//! Computes the maximum memory that a listing needs.

use schedule_graph::Policy;
use schedule_graph::internal::LoweredExtent;

use super::counts::Counts;
use super::lower::Memories;
use super::memory::CheckMemory;
use crate::base::formula::Token;
use crate::data::access::Access;
use crate::data::settings::Settings;
use crate::declare::listing::{About, Clause, Entry, Listed, Listing, RuleTarget};
use crate::systems::system::{Declaration, Guard};

/// The maximum memory that a listing needs, for each kind of memory.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sizes {
    /// Number of words.
    pub words: usize,
    /// Number of blocks of bits.
    pub blocks: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of uses of resources.
    pub uses: usize,
    /// Number of required answers of conditions.
    pub needed: usize,
    /// Number of nodes: the length of all arrays that hold one item per node.
    pub nodes: usize,
    /// Number of clauses: the length of all arrays that hold one item per clause.
    pub clauses: usize,
    counts: Counts,
}

impl Sizes {
    /// Computes the sizes of this listing. Takes O(listing), and O(n²) for n conditions.
    pub const fn of(listing: &Listing) -> Self {
        // The conditions that attributes name are found only by following them, which needs memory of a fixed size.
        if let Some(counts) = Survey::<16>::of(listing) {
            return Self::of_counts(listing, counts);
        }
        if let Some(counts) = Survey::<256>::of(listing) {
            return Self::of_counts(listing, counts);
        }
        match Survey::<4096>::of(listing) {
            Some(counts) => Self::of_counts(listing, counts),
            None => panic!("more than 4096 conditions"),
        }
    }

    const fn of_counts(listing: &Listing, counts: Counts) -> Self {
        let mut memory = CheckMemory::counting();
        Memories::take(&mut memory, listing, counts);
        let arena = memory.arena.taken();
        Self {
            words: arena.n_words,
            blocks: arena.n_blocks,
            edges: arena.n_edges,
            uses: arena.n_uses,
            needed: arena.n_needed,
            nodes: most(&[
                memory.nodes.n_taken(),
                memory.kinds.n_taken(),
                memory.everything.n_taken(),
                memory.runs.n_taken(),
                memory.resources.n_taken(),
                memory.filters.n_taken(),
                memory.is_bound.n_taken(),
                memory.policies.n_taken(),
            ]),
            clauses: most(&[
                memory.clauses.n_taken(),
                memory.members.n_taken(),
                memory.orders.n_taken(),
                memory.guards.n_taken(),
                memory.leaves.n_taken(),
                memory.sources.n_taken(),
                memory.conditions.n_taken(),
                memory.tokens.n_taken(),
                memory.pairs.n_taken(),
                memory.group_rules.n_taken(),
            ]),
            counts,
        }
    }

    pub(super) const fn counts(self) -> Counts {
        self.counts
    }
}

/// Returns the largest of these numbers.
const fn most(numbers: &[usize]) -> usize {
    let mut most = 0;
    let mut idx = 0;
    while idx < numbers.len() {
        if numbers[idx] > most {
            most = numbers[idx];
        }
        idx += 1;
    }
    most
}

impl Counts {
    /// Returns the extent of the graph.
    pub(super) const fn lowered(self) -> LoweredExtent {
        let n_conditions = if self.n_nodes < self.n_leaves {
            self.n_nodes
        } else {
            self.n_leaves
        };
        LoweredExtent {
            n_declared: self.n_nodes,
            n_implied: self.n_implied,
            n_loops: self.n_loops,
            n_sync_points: self.n_sync_points,
            n_groups: self.n_groups,
            n_members: self.n_members,
            n_orders: self.n_orders,
            n_weak_orders: self.n_weak,
            n_guards: self.n_guards,
            n_leaves: self.n_leaves,
            n_tokens: self.n_tokens,
            n_in_weak_groups: if self.n_weak == 0 {
                0
            } else {
                self.n_groups * self.n_nodes
            },
            n_shared_guards: self.n_group_guards * self.n_nodes,
            n_extra_edges: n_conditions * self.n_group_leaves + self.n_implied * self.n_sync_points,
            n_needed: self.n_leaves + self.n_nodes * self.n_shared_leaves,
        }
    }
}

/// Counts declarations, and records the conditions that were found.
struct Survey<const CAPACITY: usize> {
    counts: Counts,
    met: [u128; CAPACITY],
    n_met: usize,
    /// The number of levels. Each condition is counted once per level, because guards may name it at each level.
    n_levels: usize,
    /// The number of implied conditions if guards named every condition at every level.
    n_implied: usize,
    is_full: bool,
}

impl<const CAPACITY: usize> Survey<CAPACITY> {
    /// Returns `None` if there are more than `CAPACITY` conditions.
    const fn of(listing: &Listing) -> Option<Counts> {
        let mut survey = Self {
            counts: Counts {
                n_nodes: 0,
                n_loops: 0,
                n_sync_points: 0,
                n_implied: 0,
                n_groups: 0,
                n_members: 0,
                n_orders: 0,
                n_weak: 0,
                n_guards: 0,
                n_leaves: 0,
                n_tokens: 0,
                n_group_guards: 0,
                n_group_leaves: 0,
                n_shared_leaves: 0,
                n_resources: 0,
                n_uses: 0,
                n_filters: 0,
                n_filtered: 0,
                n_all: 0,
                n_plugins: listing.plugins.len(),
                n_group_failures: 0,
                n_group_rules: 0,
                n_group_sides: 0,
                has_folds: false,
                has_messages: false,
                has_late_policy: false,
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
            let is_group = matches!(entry.subject, Listed::Group(_) | Listed::Plugin(..));
            let is_loop = matches!(entry.subject, Listed::Loop(_));
            let n_leaves = survey.counts.n_leaves;
            let n_guards = survey.counts.n_guards;
            match entry.subject {
                Listed::System(declaration) | Listed::Loop(declaration) => {
                    survey.counts.n_nodes += 1;
                    survey.count(declaration, 1);
                }
                Listed::Checkpoint(_) => survey.counts.n_nodes += 1,
                Listed::ApplyCommands(_) => {
                    survey.counts.n_nodes += 1;
                    survey.counts.n_sync_points += 1;
                    survey.counts.n_uses += 1;
                }
                Listed::Group(_) | Listed::Plugin(..) => survey.counts.n_groups += 1,
            }
            survey.counts.n_members += listing.membership(idx).is_some() as usize;
            survey.count_clauses(entry.clauses);
            let n_leaves = survey.counts.n_leaves - n_leaves;
            let n_guards = survey.counts.n_guards - n_guards;
            survey.counts.n_group_guards += if is_group { n_guards } else { 0 };
            survey.counts.n_group_failures += (is_group && has_failure_policy(entry)) as usize;
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
        counts.has_pair_edges |= counts.n_weak > 0 || counts.has_messages && counts.has_late_policy;
        // A leaf implies at most one condition. Memory for pairs grows with the square of this number, so it is reduced where possible.
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
        self.counts.has_pair_edges |= is_writers_first(listing.settings);
        self.counts.has_late_policy |= is_late(listing.settings.policy);
        let mut idx = 0;
        while idx < listing.plugins.len() {
            self.counts.has_pair_edges |= is_writers_first(listing.plugins[idx].settings);
            self.counts.has_late_policy |= is_late(listing.plugins[idx].settings.policy);
            idx += 1;
        }
        let mut idx = 0;
        while idx < listing.rules.len() {
            self.counts.n_orders += 1;
            let policy = match listing.rules[idx].about {
                About::Resource(_, choice) => {
                    self.counts.n_resources += 1;
                    choice.policy
                }
                About::Pair(one, other, choice) => {
                    let base = listing.rules[idx].base;
                    let n_sides = may_be_group(listing, one, base) as usize
                        + may_be_group(listing, other, base) as usize;
                    self.counts.n_group_rules += (n_sides > 0) as usize;
                    self.counts.n_group_sides += n_sides;
                    choice.policy
                }
            };
            self.counts.has_pair_edges |= matches!(policy, Policy::WritersFirst);
            self.counts.has_late_policy |= is_late(Some(policy));
            idx += 1;
        }
    }

    const fn count_clauses(&mut self, clauses: &[Clause]) {
        let n_clauses = clauses.len();
        let mut idx = 0;
        while idx < n_clauses {
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

    /// Counts the clauses in the attribute of a node, `n` times.
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
        let parameters = declaration.definition.parameters.list();
        let n_parameters = parameters.len();
        let mut idx = 0;
        while idx < n_parameters {
            self.count_access(&parameters[idx].access, false, n);
            idx += 1;
        }
        let mut idx = 0;
        while idx < declaration.guards.len() {
            self.count_guard(&declaration.guards[idx], n);
            idx += 1;
        }
    }

    const fn count_access(&mut self, access: &Access, is_filtered: bool, n: usize) {
        match access {
            Access::Read(_) | Access::Write(_) | Access::Fold(_) | Access::Defers(_) => {
                if let Access::Read(resource) | Access::Write(resource) | Access::Fold(resource) =
                    access
                {
                    self.counts.has_messages |= resource.name.is_messages();
                }
                self.counts.n_uses += n;
                self.counts.n_filtered += if is_filtered { n } else { 0 };
                self.counts.n_resources += 1;
                self.counts.has_folds |= matches!(access, Access::Fold(_));
            }
            Access::ReadAll | Access::Exclusive => self.counts.n_all += n,
            Access::Optional(access) => self.count_access(access, is_filtered, n),
            Access::Filtered(access, _) => {
                self.counts.n_filters += 1;
                self.count_access(access, true, n);
            }
            Access::Commands | Access::Inserts(_) | Access::Changes(_) | Access::ByReference(_) => {
            }
            Access::Each(parts) | Access::OneOf(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    self.count_access(&parts[idx], is_filtered, n);
                    idx += 1;
                }
            }
        }
    }

    const fn count_guard(&mut self, guard: &Guard, n: usize) {
        let tokens = guard.tokens();
        self.counts.n_tokens += n * tokens.len();
        let mut idx = 0;
        while idx < tokens.len() {
            if let Token::Is(answered) = &tokens[idx] {
                self.counts.n_leaves += n;
                if answered.entry.is_none() {
                    self.count_condition(answered.declaration);
                }
            }
            idx += 1;
        }
    }

    /// Counts a condition for every level, unless it was counted before.
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

/// Returns whether a rule may name a group. A name that matches no entry may be a group that memberships name.
const fn may_be_group(listing: &Listing, listee: RuleTarget, base: u32) -> bool {
    if let Some(number) = listee.entry {
        let entry = &listing.entries[listing.number(base, number) as usize];
        return matches!(entry.subject, Listed::Group(_) | Listed::Plugin(..));
    }
    let mut idx = 0;
    while idx < listing.entries.len() {
        if let Listed::System(one) | Listed::Loop(one) = listing.entries[idx].subject
            && one.reference.id == listee.reference.id
        {
            return false;
        }
        idx += 1;
    }
    true
}

const fn is_writers_first(settings: Settings) -> bool {
    matches!(settings.policy, Some(Policy::WritersFirst))
}

/// Whether a policy orders pairs after the races.
const fn is_late(policy: Option<Policy>) -> bool {
    matches!(
        policy,
        Some(Policy::InsertionOrder | Policy::Accepted | Policy::Optimize)
    )
}

const fn has_failure_policy(entry: &Entry) -> bool {
    let mut idx = 0;
    while idx < entry.clauses.len() {
        if let Clause::OnFailure(_) = entry.clauses[idx] {
            return true;
        }
        idx += 1;
    }
    false
}
