//! What a system is: constants that declare it, and instances that run.

mod run;

use core::fmt;
use core::panic::Location;

pub(crate) use self::run::Run;

use self::run::Bound;
use crate::access::{Access, Parameter};
use crate::identity::{Identity, Name};
use crate::output::{Answer, BoxError};
use crate::param::Fetch;

/// A function that a schedule can run. Implemented by `#[system]`, on a hidden type of the function's name.
///
/// Nothing unsound comes of an implementation by hand, since a schedule verifies the access of the instance and not
/// the constants.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "add `#[system]` to the function"
)]
pub trait System: Identity + 'static {
    /// Where the function is.
    const LOCATION: &'static Location<'static>;

    /// The parameters, in order.
    const PARAMETERS: &'static [Parameter];

    /// The orders of the attribute.
    const ORDERS: &'static [Order];

    /// What it returns when it does not fail: `()`, or `bool` if it is a condition.
    type Answer: Answer;

    /// A new instance, with local state of its own.
    fn instance() -> Instance;
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

/// A system with its state, ready to be put into a schedule.
pub struct Instance {
    run: Box<dyn Run>,
    access: &'static Access,
}

impl Instance {
    /// Runs `call` with what `state` fetches.
    pub fn new<S, F>(state: S, call: F) -> Self
    where
        S: Fetch,
        F: FnMut(S::Item<'_>) -> Result<bool, BoxError> + Send + 'static,
    {
        Self {
            run: Box::new(Bound { state, call }),
            access: const { &S::ACCESS },
        }
    }

    /// Everything that it touches.
    pub fn access(&self) -> &'static Access {
        self.access
    }

    pub(crate) fn into_run(self) -> Box<dyn Run> {
        self.run
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("access", self.access)
            .finish_non_exhaustive()
    }
}
