//! Lowering: from declarations to a graph.
//!
//! Declarations are nodes (systems, loops, checkpoints, sync points), groups, orders and guards. All of them are numbers, and
//! the caller keeps their names. The result is the input of [`verify`](crate::verify): nodes, edges, levels and needs.
//!
//! There are three steps. The caller resolves names that depend on conditions between them.
//!
//! 1. [`Conditions::find`]: the node of each condition in a guard. Conditions that were not declared are added (implied).
//! 2. [`Groups::new`]: the nodes of each group.
//! 3. [`Lowered::new`]: nodes, edges, guards and needs.
//!
//! All steps run at run time and in const evaluation, without recursion.

mod conditions;
mod edges;
mod groups;
mod guards;
mod item;
mod lowered;
mod needs;
mod numbering;
mod signatures;
mod sync_points;
mod tables;
#[cfg(test)]
mod tests;
mod uses;

pub use self::conditions::{
    Condition, ConditionFault, Conditions, ConditionsMemory, Leaf, OwnedConditions,
    UnresolvedGuards,
};
pub use self::groups::{Declared, Groups, GroupsMemory};
pub use self::guards::Guards;
pub use self::item::{Item, Kind, Member, NONE, NodeKind, Order, Strength, Token};
pub use self::lowered::{EdgeOrigin, Lowered, LoweredExtent, LoweredMemory, OrderFault};
pub use self::signatures::NamedFilters;
pub use self::uses::{Accesses, Everything, RunKind, UsesExtent, UsesMemory};
