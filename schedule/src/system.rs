//! Systems: the constants that declare one, what it can return, and instances that run.

mod closure;
mod dynamic;
mod function;
mod guard;
mod run;
#[cfg(test)]
mod tests;

pub use self::closure::ClosureSystem;
pub use self::dynamic::{AccessError, DynamicSystem, View};
pub use self::function::Function;
#[doc(hidden)]
pub use self::function::{Call, Recipe};
pub use self::guard::{Answered, Guard};
pub use self::run::Instance;
pub(crate) use self::run::Run;
pub use crate::output::{IntoAnswer, Maybe, Output};

use core::any::TypeId;

use crate::access::{Parameters, ResourceType};
use crate::identity::Identity;
use crate::order::{Anchor, Membership, Order, Reference};
use crate::resource::Resource;
use crate::settling::Settles;

/// A function that a schedule can run. Implemented by `#[system]`, on a hidden type of the function's name.
///
/// A function without the attribute has no such type. The compiler then reports `constant provided when a type was expected`,
/// or `expected type, found function`: add `#[system]`.
///
/// Nothing unsound comes of an implementation by hand, since a [`Function`] knows its own access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "add `#[system]` to the function"
)]
pub trait System: Identity + Sized + 'static {
    /// What it takes. Apart from the function, because the compiler evaluates this for every system, used or not.
    const PARAMETERS: Parameters;

    /// The function: where it stands, and how it is called.
    const FUNCTION: Function;

    /// The orders of the attribute.
    const ORDERS: &'static [Order] = &[];

    /// The groups of the attribute.
    const GROUPS: &'static [Membership] = &[];

    /// What has to hold for it to run, by the attribute: all of these.
    const GUARDS: &'static [Guard] = &[];

    /// If it is a condition and true, there is such a resource: what it guards does not miss it.
    const PROVES: Option<Proof> = None;

    /// The resource that is told at the end of each run what became of this system.
    #[doc(hidden)]
    const SETTLES: Option<Settles> = None;

    /// A path to this through the name of the system is an error where that name is a module. The compiler shows the name
    /// of this constant then, next to its own E0428, which a macro cannot change.
    #[doc(hidden)]
    #[allow(non_upper_case_globals, reason = "it is read as text")]
    const a_module_has_this_name__add__type_NewName__to_the_attribute: u8 = 0;

    #[doc(hidden)]
    const DECLARATION: &'static Declaration = const { &Declaration::of::<Self>() };
}

impl<S: System> Anchor for S {}

/// A resource that there is if a condition is true.
#[derive(Clone, Copy, Debug)]
pub struct Proof(pub(crate) ResourceType);

impl Proof {
    /// Of this one.
    pub const fn of<R: Resource>() -> Self {
        Self(ResourceType::of::<R>())
    }
}

/// All that a system declares about itself, without its type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    pub(crate) ty: TypeId,
    pub(crate) reference: Reference,
    pub(crate) parameters: Parameters,
    pub(crate) function: Function,
    pub(crate) orders: &'static [Order],
    pub(crate) groups: &'static [Membership],
    pub(crate) guards: &'static [Guard],
    pub(crate) proves: Option<Proof>,
    pub(crate) settles: Option<Settles>,
}

impl Declaration {
    pub(crate) const fn of<S: System>() -> Self {
        Self {
            ty: TypeId::of::<S>(),
            reference: S::REFERENCE,
            parameters: S::PARAMETERS,
            function: S::FUNCTION,
            orders: S::ORDERS,
            groups: S::GROUPS,
            guards: S::GUARDS,
            proves: S::PROVES,
            settles: S::SETTLES,
        }
    }

    /// Its type, and the number of that.
    pub(crate) fn identity(&self) -> (TypeId, u128) {
        (self.ty, self.reference.id)
    }
}
