//! Orders: what they can name, and how an attribute declares them.

use core::fmt;
use core::panic::Location;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::identity::{Identity, Name, declared_at};
pub use crate::place::NodeId;
pub use crate::target::Target;

/// What an order may name: a system, a [`Group`] or a [`Checkpoint`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be ordered",
    label = "not a system, group or checkpoint",
    note = "an order names a function with `#[system]`, or a type with `#[derive(Group)]` or `#[derive(Checkpoint)]`"
)]
pub trait Anchor: Identity + 'static {
    #[doc(hidden)]
    const REFERENCE: Reference = Reference {
        id: Self::ID,
        name: Self::NAME,
        path: TypePath::of::<Self>(),
    };
}

/// A set of systems that are ordered together. Implement it with `#[derive(Group)]` on an empty type.
///
/// What is ordered after a group comes after all that is in it; what is ordered before it, before. Groups may hold
/// groups, and a system may be in several.
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
    note = "add `#[derive(Group)]` to `{Self}`"
)]
pub trait Group: Anchor {}

/// A named point in a schedule, without work or access. Implement it with `#[derive(Checkpoint)]` on an empty type.
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
    note = "add `#[derive(Checkpoint)]` to `{Self}`"
)]
pub trait Checkpoint: Anchor {}

/// An order that a system declares about itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Order {
    /// Which side of the other the system is on.
    pub direction: Direction,
    /// When the order holds.
    pub strength: Strength,
    /// The other.
    pub other: Reference,
    /// The other is this entry of the listing that the order stands in.
    pub(crate) entry: Option<u32>,
    /// It is the one that `on enter` or `on exit` stands for. The other, a transition, must be listed.
    pub(crate) is_of_state: bool,
    /// The path of the other as the source writes it, if that has a module.
    pub(crate) path: Option<&'static str>,
    /// Where it was declared.
    pub location: &'static Location<'static>,
}

impl Order {
    /// The same, against what this entry of a listing is.
    #[doc(hidden)]
    pub const fn at(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }

    /// The same, against what the source writes so.
    #[doc(hidden)]
    pub const fn written(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// The same, for `on enter` and `on exit`.
    pub(crate) const fn of_state(mut self) -> Self {
        self.is_of_state = true;
        self
    }

    pub(crate) const fn is_weak(&self) -> bool {
        matches!(self.strength, Strength::IfConflicting)
    }
}

/// On which side of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// This one comes after the other.
    After,
    /// This one comes before the other.
    Before,
}

/// When an order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Always; without the other, the schedule is not built.
    Always,
    /// If the other is there.
    IfPresent,
    /// If the two conflict.
    IfConflicting,
}

/// The name of something that an order speaks of.
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
    /// A group of this name, which has no type.
    ///
    /// The name is kept for the rest of the program, each distinct one once: a reference is a constant for types.
    pub(crate) fn of_group_named(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.get(name).copied().unwrap_or_else(|| {
            let name: &'static str = String::from(name).leak();
            names.insert(name);
            name
        });
        Self {
            // No type stands in a module without a name.
            id: declared_at("", name, 0, 0),
            name: Name::new(name),
            path: TypePath::NONE,
        }
    }

    /// The module of the type; `None` for a group that has none.
    pub(crate) fn module(&self) -> Option<&'static str> {
        match self.path.module() {
            "" => None,
            module => Some(module),
        }
    }
}

/// The path of a type, which is asked for where it is needed: a `const` cannot have it.
#[derive(Clone, Copy)]
pub(crate) struct TypePath(fn() -> &'static str);

impl TypePath {
    /// For what has no type.
    pub(crate) const NONE: Self = Self(|| "");

    const fn of<T: ?Sized>() -> Self {
        Self(core::any::type_name::<T>)
    }

    /// The module that the type stands in.
    pub(crate) fn module(self) -> &'static str {
        let path = (self.0)();
        let path = path.split('<').next().unwrap_or(path);
        path.rsplit_once("::").map_or("", |(module, _)| module)
    }
}

impl fmt::Debug for TypePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.0)())
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

/// That a system is in a group.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Membership {
    /// The group.
    pub group: Reference,
    /// Where it was declared.
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

    /// The system is in the group of this name.
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
    /// The system comes after `A`.
    after = After Always;
    /// The system comes before `A`.
    before = Before Always;
    /// The system comes after `A`, if that is there.
    after_if_present = After IfPresent;
    /// The system comes before `A`, if that is there.
    before_if_present = Before IfPresent;
    /// The system comes after `A`, if they conflict.
    after_if_conflicting = After IfConflicting;
    /// The system comes before `A`, if they conflict.
    before_if_conflicting = Before IfConflicting;
}
