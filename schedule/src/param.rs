//! Parameters of systems, and the traits to define new ones.
//!
//! A [`Param`] is a type as it stands in a signature, with whatever lifetime it has there. Its [`Fetch`] is what a
//! node of a schedule keeps for it from run to run: pointers looked up once, local state, recorded commands.

mod by_reference;
mod commands;
pub(crate) mod fetch;
mod local;
mod non_send;
mod params;
mod reference;
mod tuple;

pub use self::commands::{CommandQueue, Commands, Declares, Inserts};
pub use self::fetch::{Fetch, FetchFrom, Lookup};
pub use self::local::Local;
pub use self::non_send::{NonSend, NonSendMut};
#[doc(hidden)]
pub use self::params::{Assemble, Assembled};

use crate::access::{Access, Parameter};

/// What nodes keep for the parameters, by their names.
pub(crate) mod state {
    pub use super::by_reference::{ExclusiveRefState, SharedRefState};
    pub use super::commands::Recorded;
    pub use super::local::Kept;
    pub use super::non_send::{NonSendRead, NonSendWrite, OptionNonSendRead, OptionNonSendWrite};
    pub use super::reference::{OptionRead, OptionWrite, Read, ReadAll, Write, WriteAll};
}

/// A parameter of a system.
///
/// | parameter | what it is |
/// |---|---|
/// | `&T`, `&mut T` | a [`Resource`](crate::Resource), to read or to write |
/// | `Option<&T>`, `Option<&mut T>` | the same, `None` where it is missing |
/// | [`Local<T>`] | state of this system in this schedule, kept from run to run |
/// | [`Commands`] | inserts and removes resources after the system |
/// | `&Resources` | reads every resource |
/// | `&mut Resources` | writes every resource; the system runs alone |
/// | [`NonSend<T>`], [`NonSendMut<T>`] | a main-thread value; the system runs on the thread that calls `run` |
/// | `Option<NonSend<T>>`, `Option<NonSendMut<T>>` | the same, `None` where it is missing or belongs to another thread |
/// | tuples of these | up to twelve together |
/// | a struct with `#[derive(Params)]` | fields that are parameters, under names |
///
/// Not to be implemented by hand: what reaches into [`Resources`](crate::Resources) is the state, whose [`Fetch`] is
/// unsafe to implement. `#[derive(Params)]` puts the states of its fields together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a system",
    label = "not a parameter",
    note = "a resource `T` is taken as `&T` or `&mut T`; a struct of parameters needs `#[derive(Params)]`"
)]
pub trait Param {
    /// What a node keeps for this parameter.
    type State: Fetch;

    /// How that begins.
    ///
    /// A value, because generated code can write `<&Health as Param>::SEED` in an expression, whatever lifetimes are
    /// left out of the type; it could not write the type of the state.
    const SEED: Seed<Self::State>;
}

/// A state to be: what it will touch, as a constant, and how to make it.
#[derive(Debug)]
pub struct Seed<S> {
    access: Access,
    new: fn() -> S,
}

impl<S> Clone for Seed<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Seed<S> {}

impl<S> Seed<S> {
    pub(crate) const fn new(access: Access, new: fn() -> S) -> Self {
        Self { access, new }
    }

    /// What the state will touch.
    pub const fn access(&self) -> Access {
        self.access
    }
}

impl Parameter {
    /// A parameter of this name, which touches what its state will touch.
    pub const fn new<S>(name: &'static str, seed: Seed<S>) -> Self {
        Self {
            name,
            access: seed.access(),
        }
    }
}

/// Seeds in a tuple, or in tuples of tuples.
pub trait Seeds: Copy + Send + Sync + 'static {
    /// The states in tuples of the same form.
    type State: Fetch;

    /// Makes the states.
    fn grow(&self) -> Self::State;
}

impl<S: Fetch> Seeds for Seed<S> {
    type State = S;

    fn grow(&self) -> S {
        (self.new)()
    }
}
