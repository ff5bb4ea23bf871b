//! From declarations to a graph.
//!
//! Declared are nodes (systems, loops, checkpoints, sync points), groups, orders and guards. All have numbers; names stay
//! with the caller. The result is what [`verify`](crate::verify) needs: nodes, edges, levels and needs.
//!
//! There are three steps, because names that depend on conditions can be resolved only between them:
//!
//! 1. [`Conditions::find`]: which node each guard asks. Conditions that were not declared are added (implied).
//! 2. [`Groups::new`]: which nodes each group contains.
//! 3. [`Lowered::new`]: nodes, edges, guards and needs.
//!
//! All of it runs at run time and in const evaluation, and nothing recurses.

mod conditions;
mod edges;
mod groups;
mod guards;
mod item;
mod lowered;
mod needs;
mod numbering;
mod sync_points;
#[cfg(test)]
mod tests;
mod uses;

pub use self::conditions::{
    Asking, Condition, ConditionFault, Conditions, ConditionsMemory, Leaf, OwnedConditions,
};
pub use self::groups::{Declared, Groups, GroupsMemory};
pub use self::guards::Guards;
pub use self::item::{Item, Kind, Member, NONE, NodeKind, Order, Strength, Token};
pub use self::lowered::{EdgeOrigin, Lowered, LoweredExtent, LoweredMemory, OrderFault};
pub use self::uses::{Everything, Runs, Touches, UsesExtent, UsesMemory};
