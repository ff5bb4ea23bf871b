//! All that generated code may name. Not part of the interface: it changes without notice.

pub use crate::access::{AccessSet, Parameter, Parameters};
pub use crate::identity::{Argument, Identity, Name, declared_at, mix};
pub use crate::order::{Anchor, Checkpoint, Group, Membership, Order};
pub use crate::output::{Branch, Declared, Output, Rejected};
pub use crate::param::state::*;
pub use crate::param::{Assemble, Assembled, Fetch, Param, Seed, Seeds};
pub use crate::resource::Resource;
pub use crate::system::{Call, Function, Guard, Recipe, System};

/// The name of a generic type.
pub const fn generic_name(base: &'static str, arguments: &'static [Argument]) -> Name {
    Name::generic(base, arguments)
}
