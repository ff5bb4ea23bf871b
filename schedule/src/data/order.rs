//! The targets of orders: systems, groups, checkpoints and nodes.

use core::any::TypeId;
use core::fmt;
use core::panic::Location;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::base::identity::{Identity, Name, declared_at};
pub use crate::base::place::NodeId;
pub use crate::data::target::Target;

/// A target of an order: a system, a [`Group`] or a [`Checkpoint`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system, group or checkpoint",
    label = "cannot be named here",
    note = "name a function with `#[system]`, a type with `#[derive(Group)]` or `#[derive(Checkpoint)]`, or a schedule that is included"
)]
pub trait Anchor: Identity + 'static {
    #[doc(hidden)]
    const REFERENCE: Reference = Reference {
        id: Self::ID,
        name: Self::NAME,
        path: TypePath::of::<Self>(),
    };
}

/// A set of systems that are ordered together. Derive it with `#[derive(Group)]` on an empty type.
///
/// An order after a group is an order after all of its members. An order before a group is an order before all of its
/// members. A group can contain groups, and a system can be in several groups.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Group)]
/// struct Physics;
///
/// #[system(in = Physics)]
/// fn integrate() {}
///
/// #[system(after = Physics)]
/// fn render() {}
///
/// let schedule = Schedule::builder().add::<render>().add::<integrate>().build()?;
/// assert_eq!(schedule.systems().collect::<Vec<_>>(), ["integrate", "render"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group",
    label = "not a group",
    note = "name a type with `#[derive(Group)]`; a system, a checkpoint or a schedule is not a group: declare a type of its own, as in `#[derive(Group)] struct Physics;`"
)]
pub trait Group: Anchor {}

/// A named point in a schedule, without work and without accesses. Derive it with `#[derive(Checkpoint)]` on an empty
/// type.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Checkpoint)]
/// struct InputRead;
///
/// #[system(before = InputRead)]
/// fn keyboard() {}
///
/// #[system(after = InputRead)]
/// fn walk() {}
///
/// let mut builder = Schedule::builder();
/// builder.add::<walk>().checkpoint::<InputRead>().add::<keyboard>();
/// let schedule = builder.build()?;
/// assert_eq!(schedule.systems().collect::<Vec<_>>(), ["keyboard", "walk"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a checkpoint",
    label = "not a checkpoint",
    note = "name a type with `#[derive(Checkpoint)]`; in `schedule!`, a group is listed as `group {Self} {{ … }}`"
)]
pub trait Checkpoint: Anchor {}

/// An order that a system declares for itself.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Order {
    /// Whether the system runs before or after the other.
    pub direction: Direction,
    /// When the order applies.
    pub strength: Strength,
    /// The system, group or checkpoint on the other side.
    pub other: Reference,
    /// The entry of the listing that the other side is, for an order in a listing.
    pub(crate) entry: Option<u32>,
    /// Whether `on enter` or `on exit` declares this order. The other side, a transition, must be listed.
    pub(crate) is_of_state: bool,
    /// The path of the other side as the source writes it, if it contains a module.
    pub(crate) path: Option<&'static str>,
    /// The source location of the declaration.
    pub location: &'static Location<'static>,
}

impl Order {
    /// The same order, with this entry of the listing as the other side.
    #[doc(hidden)]
    pub const fn at(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }

    /// The same order, with the path that the source writes.
    #[doc(hidden)]
    pub const fn written(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// The same order, marked as one of `on enter` or `on exit`.
    pub(crate) const fn of_state(mut self) -> Self {
        self.is_of_state = true;
        self
    }

    pub(crate) const fn is_weak(&self) -> bool {
        matches!(self.strength, Strength::IfConflicting)
    }
}

/// The side of the other that a system is on.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The system runs after the other.
    After,
    /// The system runs before the other.
    Before,
}

/// When an order applies.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Always. It is an error if the other was not added.
    Always,
    /// If the other was added.
    IfPresent,
    /// If the two conflict.
    IfConflicting,
    /// Always, but the order does not include the commands of the first: no sync point is inserted for it.
    WithoutCommands,
}

/// Identifies a system, group or checkpoint in an order.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reference {
    /// [`Identity::ID`].
    pub id: u128,
    /// [`Identity::NAME`].
    pub name: Name,
    pub(crate) path: TypePath,
}

impl Reference {
    /// The group with this name and without a type.
    ///
    /// Each distinct name is kept in memory for the rest of the program, because a reference holds `'static` data.
    pub(crate) fn of_group_named(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.get(name).copied().unwrap_or_else(|| {
            let name: &'static str = String::from(name).leak();
            names.insert(name);
            name
        });
        Self {
            // The module path of a type is not empty, so this id differs from all ids of types.
            id: declared_at("", name, 0, 0),
            name: Name::new(name),
            path: TypePath::NONE,
        }
    }

    /// The type. `None` for a group without a type.
    pub(crate) fn ty(&self) -> Option<TypeId> {
        let (_, ty) = (self.path.0)();
        ty
    }

    /// The module of the type. `None` for a group without a type.
    pub(crate) fn module(&self) -> Option<&'static str> {
        match self.path.module() {
            "" => None,
            module => Some(module),
        }
    }
}

/// The path of a type, and the type. A function returns both, because a `const` cannot contain the path.
#[derive(Clone, Copy)]
pub(crate) struct TypePath(fn() -> (&'static str, Option<TypeId>));

impl TypePath {
    /// The path for references without a type.
    pub(crate) const NONE: Self = Self(|| ("", None));

    const fn of<T: ?Sized + 'static>() -> Self {
        Self(|| (core::any::type_name::<T>(), Some(TypeId::of::<T>())))
    }

    /// The module that contains the type.
    pub(crate) fn module(self) -> &'static str {
        let (path, _) = (self.0)();
        let path = path.split('<').next().unwrap_or(path);
        path.rsplit_once("::").map_or("", |(module, _)| module)
    }
}

impl fmt::Debug for TypePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.0)().0)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

/// Declares that a system is in a group.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Membership {
    /// The group.
    pub group: Reference,
    /// The source location of the declaration.
    pub location: &'static Location<'static>,
}

impl Membership {
    /// The system is in `G`.
    #[track_caller]
    pub const fn of<G: Group>() -> Self {
        Self {
            group: G::REFERENCE,
            location: Location::caller(),
        }
    }

    /// The system is in the group with this name.
    #[track_caller]
    pub(crate) fn named(group: &str) -> Self {
        Self {
            group: Reference::of_group_named(group),
            location: Location::caller(),
        }
    }
}

macro_rules! orders {
    ($($(#[$doc:meta])* $name:ident = $direction:ident $strength:ident;)*) => {
        impl Order {$(
            $(#[$doc])*
            #[track_caller]
            pub const fn $name<A: Anchor>() -> Self {
                Self {
                    direction: Direction::$direction,
                    strength: Strength::$strength,
                    other: A::REFERENCE,
                    entry: None,
                    is_of_state: false,
                    path: None,
                    location: Location::caller(),
                }
            }
        )*}
    };
}

orders! {
    /// The system runs after `A`.
    after = After Always;
    /// The system runs before `A`.
    before = Before Always;
    /// The system runs after `A`, if `A` was added.
    after_if_present = After IfPresent;
    /// The system runs before `A`, if `A` was added.
    before_if_present = Before IfPresent;
    /// The system runs after `A`, if the two conflict.
    after_if_conflicting = After IfConflicting;
    /// The system runs before `A`, if the two conflict.
    before_if_conflicting = Before IfConflicting;
    /// The system runs after `A`, but need not find what the commands of `A` change.
    after_without_commands = After WithoutCommands;
    /// The system runs before `A`, but `A` need not find what its commands change.
    before_without_commands = Before WithoutCommands;
}
