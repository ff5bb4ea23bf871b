//! The `Debug` output of a builder.

use core::fmt;

use super::Builder;
use crate::verify::compile::display_names;

/// Shows the names of the nodes, and the number of declarations of each kind.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared = &self.declarations;
        let removed: Vec<&str> = declared
            .nodes
            .iter()
            .filter(|node| !node.is_there())
            .map(|node| node.short_name())
            .collect();
        let rules = declared.plugins.iter().map(|plugin| &plugin.rules);
        let rules = rules.chain([&declared.rules]);
        let of_resources: usize = rules.map(|rules| rules.resource_policies.len()).sum();
        let of_targets = declared.pair_policies.len() + declared.failure_policies.len();
        f.debug_struct("Builder")
            .field("name", &declared.name)
            .field("nodes", &display_names(declared))
            .field("removed", &removed)
            .field("n_groups", &declared.groups.len())
            .field("n_memberships", &declared.memberships.len())
            .field("n_orders", &declared.orders.len())
            .field("n_guards", &declared.guards.len())
            .field("n_plugins", &declared.plugins.len())
            .field("n_policies", &(of_resources + of_targets))
            .finish_non_exhaustive()
    }
}
