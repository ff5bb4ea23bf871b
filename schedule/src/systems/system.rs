//! Systems, their return types, and systems that are created at run time.

pub(crate) mod blocks;
mod closure;
mod definition;
mod dynamic;
mod for_each;
mod guard;
pub(crate) mod kernels;
mod marked;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use self::blocks::{BLOCK_ROWS, Blocks, TableBlocks, n_blocks};
pub use self::closure::ClosureSystem;
#[doc(hidden)]
pub use self::definition::{
    Definition, NamedParameters, Once, Recipe, named_0, named_1, named_2, named_3, named_4,
    named_5, named_6, named_7, named_8, named_9, named_10, named_11, named_12,
};
pub use self::dynamic::{AccessError, DynamicSystem, View};
#[doc(hidden)]
pub use self::for_each::{EachFn, ForEach};
#[doc(hidden)]
pub use self::guard::{Answered, Guard};
pub(crate) use self::marked::Marked;
#[doc(hidden)]
pub use self::run::Instance;
pub(crate) use self::run::Runnable;
#[doc(hidden)]
pub use crate::data::output::IntoAnswer;
pub use crate::data::output::{Maybe, Output};

use core::any::TypeId;

use crate::base::identity::Identity;
use crate::base::text::Text;
use crate::data::access::ResourceType;
use crate::data::marks::Marks;
use crate::data::order::{Anchor, Membership, Order, Reference};
use crate::data::resource::Resource;
use crate::systems::rate::observer::ObserverType;

/// A function that a schedule can run. The `#[system]` attribute implements it on a hidden type with the name of the
/// function.
///
/// A function without the attribute has no such type. The compiler then reports
/// `constant provided when a type was expected` or `expected type, found function`. Add `#[system]` to the function.
///
/// Do not implement it by hand. A manual implementation cannot cause undefined behaviour, because a definition contains its own access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "name a function with `#[system]`; a group or a checkpoint is listed with this word, as in `checkpoint {Self}`, and added with `Builder::group` or `Builder::checkpoint`"
)]
pub trait System: Identity + Sized + 'static {
    /// The parameters and the function.
    #[doc(hidden)]
    const DEFINITION: Definition;

    /// The orders in the attribute.
    #[doc(hidden)]
    const ORDERS: &'static [Order] = &[];

    /// The groups in the attribute.
    #[doc(hidden)]
    const GROUPS: &'static [Membership] = &[];

    /// The guards in the attribute. The system runs only if all of them are true.
    #[doc(hidden)]
    const GUARDS: &'static [Guard] = &[];

    /// The resource that exists if this condition is true. It is then not reported as missing for the nodes that the
    /// condition guards.
    #[doc(hidden)]
    const PROVES: Option<Proof> = None;

    /// The marks in the attribute.
    #[doc(hidden)]
    const MARKS: Marks = Marks::NONE;

    /// The resource that is notified at the end of each run of the outcome of this system.
    #[doc(hidden)]
    const OBSERVER: Option<ObserverType> = None;

    /// If a module has the name of the system, a path to this constant through that name is an error. The compiler then
    /// shows the name of this constant next to its error E0428, which a macro cannot change.
    #[doc(hidden)]
    #[allow(non_upper_case_globals, reason = "it is read as text")]
    const a_module_has_this_name__add__type_NewName__to_the_attribute: u8 = 0;

    #[doc(hidden)]
    const DECLARATION: &'static Declaration = const { &Declaration::of::<Self>() };
}

impl<S: System> Anchor for S {}

/// A resource that exists if a condition is true.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Proof(pub(crate) ResourceType);

impl Proof {
    /// The proof for the resource `R`.
    pub const fn of<R: Resource>() -> Self {
        Self(ResourceType::of::<R>())
    }
}

/// All declarations of a system, without its type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    pub(crate) ty: TypeId,
    pub(crate) reference: Reference,
    pub(crate) definition: Definition,
    pub(crate) orders: &'static [Order],
    pub(crate) groups: &'static [Membership],
    pub(crate) guards: &'static [Guard],
    pub(crate) proves: Option<Proof>,
    pub(crate) marks: Marks,
    pub(crate) observer: Option<ObserverType>,
}

impl Declaration {
    pub(crate) const fn of<S: System>() -> Self {
        Self {
            ty: TypeId::of::<S>(),
            reference: S::REFERENCE,
            definition: S::DEFINITION,
            orders: S::ORDERS,
            groups: S::GROUPS,
            guards: S::GUARDS,
            proves: S::PROVES,
            marks: S::MARKS,
            observer: S::OBSERVER,
        }
    }

    /// Rejects a system that is not a `for_each` system.
    #[track_caller]
    pub(crate) const fn refuse_other_than_for_each(&self) {
        if !self.definition.parameters.is_for_each() {
            let text =
                Text::new().str("`sweep` applies only to `for_each` systems: remove it from `");
            let text = text.name(self.reference.name).str("`");
            panic!("{}", text.as_str());
        }
    }

    /// The type of the system, and its id.
    pub(crate) fn identity(&self) -> (TypeId, u128) {
        (self.ty, self.reference.id)
    }
}
