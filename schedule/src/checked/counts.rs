//! How much a listing declares at most.

/// The maximum numbers of declarations in a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// Systems, loops, checkpoints and sync points; conditions that nobody adds, one for each level.
    pub(super) n_nodes: usize,
    pub(super) n_loops: usize,
    pub(super) n_sync_points: usize,
    /// Conditions that nobody adds.
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
    /// Leaves of the guards of groups, and of groups and loops.
    pub(super) n_group_leaves: usize,
    pub(super) n_shared_leaves: usize,
    pub(super) n_resources: usize,
    pub(super) n_uses: usize,
    /// Nodes that touch everything.
    pub(super) n_all: usize,
    pub(super) n_plugins: usize,
    /// Failure policies of groups.
    pub(super) n_group_failures: usize,
    /// Rules of pairs that may name a group.
    pub(super) n_group_rules: usize,
    /// How often these may name one.
    pub(super) n_group_sides: usize,
    /// Pairs may get edges of their own.
    pub(super) has_pair_edges: bool,
}
