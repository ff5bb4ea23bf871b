//! The maximum numbers of declarations in a listing.

/// The maximum numbers of declarations in a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// Systems, loops, checkpoints, sync points, and implied conditions.
    pub(super) n_nodes: usize,
    pub(super) n_loops: usize,
    pub(super) n_sync_points: usize,
    /// Implied conditions, counted once for each level.
    pub(super) n_implied: usize,
    pub(super) n_groups: usize,
    pub(super) n_members: usize,
    pub(super) n_orders: usize,
    pub(super) n_weak: usize,
    pub(super) n_guards: usize,
    pub(super) n_leaves: usize,
    /// Tokens of all guards.
    pub(super) n_tokens: usize,
    /// Guards of groups.
    pub(super) n_group_guards: usize,
    /// Leaves of the guards of groups. `n_shared_leaves` counts these twice and adds those of loops.
    pub(super) n_group_leaves: usize,
    pub(super) n_shared_leaves: usize,
    pub(super) n_resources: usize,
    pub(super) n_uses: usize,
    /// Filters of components.
    pub(super) n_filters: usize,
    /// Uses of components with filters.
    pub(super) n_filtered: usize,
    /// Parameters that access everything.
    pub(super) n_all: usize,
    pub(super) n_plugins: usize,
    /// Failure policies of groups.
    pub(super) n_group_failures: usize,
    /// Rules of pairs that may name a group.
    pub(super) n_group_rules: usize,
    /// The number of sides of these rules that may be a group.
    pub(super) n_group_sides: usize,
    /// Whether a system folds into a resource.
    pub(super) has_folds: bool,
    /// Whether a system reads or writes messages.
    pub(super) has_messages: bool,
    /// Whether a policy may order pairs after the races: `InsertionOrder`, `Accepted` or `Optimize`.
    pub(super) has_late_policy: bool,
    /// Whether pairs may get edges, from weak orders, the policy `WritersFirst`, or messages under a late policy.
    pub(super) has_pair_edges: bool,
}
