//! All that generated code may name. Not part of the interface: it changes without notice.

pub use crate::access::{Access, Parameter, ResourceType, all_distinct, distinct};
pub use crate::identity::{Argument, Identity, Name, declared_at, mix};
pub use crate::output::Output;
pub use crate::param::state::*;
pub use crate::param::{Assemble, Assembled, Fetch, Param};
pub use crate::resource::Resource;
pub use crate::system::{Anchor, Instance, Order, System};

/// The name of a generic type.
pub const fn generic_name(base: &'static str, arguments: &'static [Argument]) -> Name {
    Name::generic(base, arguments)
}

/// What a state touches; takes the state to learn its type.
pub const fn access_of<S: Fetch>(state: S) -> Access {
    // A destructor cannot run in a `const`, and there is nothing to destroy in a first state.
    core::mem::forget(state);
    S::ACCESS
}
