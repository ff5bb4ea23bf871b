//! What a system is: constants that declare it, and instances that run.

mod function;
mod run;

use core::panic::Location;

pub use self::function::Function;
pub use self::run::Instance;
pub(crate) use self::run::Run;

use crate::identity::{Identity, Name};
use crate::output::Answer;

/// A function that a schedule can run. Implemented by `#[system]`, on a hidden type of the function's name.
///
/// Nothing unsound comes of an implementation by hand, since a [`Function`] knows its own access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "add `#[system]` to the function"
)]
pub trait System: Identity + 'static {
    /// The function: where it stands, what it takes, and how it is called.
    const FUNCTION: Function;

    /// The orders of the attribute.
    const ORDERS: &'static [Order] = &[];

    /// What it returns when it does not fail: `()`, or `bool` if it is a condition.
    type Answer: Answer;
}

/// An order that a system declares about itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Order {
    /// Which side of the other the system is on.
    pub direction: Direction,
    /// The other.
    pub other: Reference,
    /// Where it was declared.
    pub location: &'static Location<'static>,
}

/// On which side of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// This one comes after the other.
    After,
    /// This one comes before the other.
    Before,
}

/// The name of something that an order speaks of.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reference {
    /// [`Identity::ID`].
    pub id: u128,
    /// [`Identity::NAME`].
    pub name: Name,
}

/// What an order may name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that can be ordered",
    label = "not a system",
    note = "an order names a system: a function with `#[system]`"
)]
pub trait Anchor: Identity + 'static {
    #[doc(hidden)]
    const REFERENCE: Reference = Reference {
        id: Self::ID,
        name: Self::NAME,
    };
}

impl<S: System> Anchor for S {}

impl Order {
    /// The system comes after `A`.
    #[track_caller]
    pub const fn after<A: Anchor>() -> Self {
        Self::new(Direction::After, A::REFERENCE, Location::caller())
    }

    /// The system comes before `A`.
    #[track_caller]
    pub const fn before<A: Anchor>() -> Self {
        Self::new(Direction::Before, A::REFERENCE, Location::caller())
    }

    const fn new(
        direction: Direction,
        other: Reference,
        location: &'static Location<'static>,
    ) -> Self {
        Self {
            direction,
            other,
            location,
        }
    }
}
