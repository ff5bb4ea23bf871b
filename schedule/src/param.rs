//! What a system may ask for.
//!
//! A [`Param`] is a type as it stands in a signature, with whatever lifetime it has there. Its [`Fetch`] is what a
//! node of a schedule keeps for it from run to run: pointers looked up once, local state, recorded commands.

mod commands;
mod fetch;
mod local;
mod non_send;
mod params;

pub use self::commands::{CommandQueue, Commands, Declares, Inserts};
pub use self::fetch::{Fetch, FetchFrom, Lookup};
pub use self::local::Local;
pub use self::non_send::{NonSend, NonSendMut};
pub use self::params::{Assemble, Assembled};

use core::marker::PhantomData;

/// What nodes keep for the parameters, by their names.
pub(crate) mod state {
    pub use super::commands::Recorded;
    pub use super::fetch::{
        NonSendRead, NonSendWrite, OptionRead, OptionWrite, Read, ReadAll, Write, WriteAll,
    };
    pub use super::local::Kept;
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
/// | tuples of these | up to twelve together |
/// | a struct with `#[derive(Params)]` | fields that are parameters, under names |
///
/// Not to be implemented by hand: what reaches into [`Resources`](crate::Resources) is the state, whose [`Fetch`] is
/// unsafe to implement. `#[derive(Params)]` puts the states of its fields together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a system",
    label = "not a parameter",
    note = "a resource is taken as `&{Self}` or `&mut {Self}`; parameters that belong together become one with `#[derive(Params)]`"
)]
pub trait Param {
    /// What a node keeps for this parameter.
    type State: Fetch;

    /// The type of the state, as a value: so that generated code can name it where lifetimes are elided.
    #[doc(hidden)]
    const STATE: PhantomData<Self::State> = PhantomData;
}

/// The states of a list of parameters: a `PhantomData` of each, in tuples.
///
/// Generated code can write `<&Health as Param>::STATE` in an expression, whatever lifetimes are left out of the
/// type; it cannot write the type of a list of states.
pub trait States {
    /// The same with states in place of `PhantomData`s.
    type State: Fetch;
}

impl<S: Fetch> States for PhantomData<S> {
    type State = S;
}
