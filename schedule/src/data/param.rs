//! Parameters of systems, and the traits that define new ones.
//!
//! A [`Param`] is a type in the signature of a system, with any lifetimes. Its state belongs to one node of a schedule and persists between runs. It holds resolved addresses, local state and recorded
//! commands.

mod assembled;
mod by_reference;
mod commands;
mod dynamic;
mod failures;
pub(crate) mod fetch;
mod fold;
mod local;
mod message;
mod mutable;
mod next_run;
mod non_send;
mod noted_write;
mod params;
mod reader;
mod reference;
mod resource_changes;
#[cfg(feature = "snapshot")]
mod saved_local;
mod settle;
mod tuple;

pub use self::assembled::{Assemble, Assembled, Part};
pub use self::commands::{
    CommandBuffer, CommandQueue, Commands, DeclaredChanges, Declares, Inserts,
};
pub(crate) use self::dynamic::DynamicParam;
pub use self::failures::{Failures, PastFailure};
#[doc(hidden)]
pub use self::fetch::{Fetch, FetchFrom, Lookup};
#[doc(hidden)]
pub use self::fold::BlockFolds;
pub(crate) use self::fold::dynamic_fold;
pub use self::fold::{Fold, Foldable};
pub use self::local::Local;
pub use self::message::{MessageReader, MessageWriter};
pub(crate) use self::message::{dynamic_reader, dynamic_writer};
pub use self::mutable::Mut;
pub use self::next_run::{NextRun, Request, Requests};
pub(crate) use self::next_run::{RateFunctions, RequestKind};
pub use self::non_send::{NonSend, NonSendMut};
#[doc(hidden)]
pub use self::params::{StructParam, StructState};
pub use self::reader::Ref;
#[doc(hidden)]
pub use self::resource_changes::ResourceChanges;
#[cfg(feature = "snapshot")]
pub use self::saved_local::SavedLocal;
pub(crate) use self::settle::JoinFailure;
#[doc(hidden)]
pub use self::settle::{FoldQueue, Join, Settle};

use crate::data::access::{Access, Parameter};

/// The states of the parameters.
pub(crate) mod state {
    pub use super::by_reference::{ExclusiveRefState, SharedRefState};
    pub use super::commands::Recorded;
    pub use super::failures::FailureLists;
    pub use super::fold::{BlockPartials, Partials};
    pub use super::local::Kept;
    pub use super::message::{Reading, WriterQueue};
    pub use super::next_run::Requested;
    pub use super::non_send::{NonSendRead, NonSendWrite, OptionNonSendRead, OptionNonSendWrite};
    pub use super::noted_write::{MutWrite, OptionMutWrite};
    pub use super::reader::{OptionRefRead, RefRead};
    pub use super::reference::{OptionRead, OptionWrite, Read, ReadAll, Write, WriteAll};
    pub use super::resource_changes::ChangesRead;
    #[cfg(feature = "snapshot")]
    pub(crate) use super::saved_local::{FirstSavedValue, LocalError, RestoreStep, SavedValue};
    #[cfg(feature = "snapshot")]
    pub use super::saved_local::{LocalsRestorer, LocalsSaver, SavedKept};
    pub use crate::data::resource::watched::ConditionMemory;
}

/// A parameter of a system.
///
/// | parameter | meaning |
/// |---|---|
/// | `&T`, `&mut T` | reads or writes a [`Resource`](crate::Resource) |
/// | `Option<&T>`, `Option<&mut T>` | the same, but `None` if the resource is missing |
/// | [`Ref<T>`], `Option<Ref<T>>` | reads a resource, and tells whether it has changed |
/// | [`Mut<T>`], `Option<Mut<T>>` | writes a resource, which counts as changed only if it is written through |
/// | [`Local<T>`] | state of this system in this schedule, which persists between runs |
/// | `SavedLocal<T>` | the same, saved by `Schedule::save_state`; with the feature `snapshot` |
/// | [`Fold<R>`] | folds values into a [`Foldable`] resource, at the same time as other systems |
/// | [`MessageWriter<T>`] | writes [messages](crate::message), at the same time as other systems |
/// | [`MessageReader<T>`] | reads messages that this system has not seen |
/// | [`Commands`] | inserts and removes resources after the system |
/// | [`Failures`] | the systems that have failed or were skipped before this one |
/// | [`NextRun`] | enables and disables systems, and changes rates, from the next run on |
/// | `&Resources` | reads every resource |
/// | `&mut Resources` | writes every resource; the system is exclusive |
/// | [`NonSend<T>`], [`NonSendMut<T>`] | reads or writes a main-thread value; the system runs on the thread that calls `run` |
/// | `Option<NonSend<T>>`, `Option<NonSendMut<T>>` | the same, but `None` if the value is missing or belongs to another thread |
/// | [`ColumnRef<K, C>`](crate::columns::ColumnRef), [`ColumnMut<K, C>`](crate::columns::ColumnMut) | reads or writes a component of all entities of a kind |
/// | tuples | up to twelve parameters |
/// | a struct with `#[derive(Params)]` | named fields that are parameters |
///
/// Do not implement the state by hand: it accesses [`Resources`](crate::Resources), so its trait is unsafe to implement.
/// `#[derive(Params)]` combines the states of its fields, and [`Assemble`] makes a parameter from others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a system",
    label = "not a parameter",
    note = "take a resource `T` as `&T` or `&mut T`; a struct of parameters needs `#[derive(Params)]`; only a reference to a resource or a main-thread value can be in an `Option`",
    note = "a tuple has at most twelve parameters: nest tuples, or write a struct with `#[derive(Params)]`"
)]
pub trait Param {
    /// The state of this parameter in a node.
    type State: Fetch;

    /// The access and the constructor of the state.
    ///
    /// This is a value because generated code can write `<&Health as Param>::SEED` in an expression, also if the type
    /// omits lifetimes. Generated code cannot name the type of the state.
    const SEED: Seed<Self::State>;
}

/// The access of a state as a constant, and its constructor.
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

    /// Returns the access of the state.
    pub const fn access(&self) -> Access {
        self.access
    }
}

impl Parameter {
    /// A parameter with this name and with the access of its state.
    pub const fn new<S>(name: &'static str, seed: Seed<S>) -> Self {
        Self {
            name,
            access: seed.access(),
        }
    }
}

/// A tuple of seeds, which can be nested.
#[doc(hidden)]
pub trait Seeds: Copy + Send + Sync + 'static {
    /// The states, in tuples of the same form.
    type State: Fetch;

    /// Creates the states.
    fn grow(&self) -> Self::State;
}

impl<S: Fetch> Seeds for Seed<S> {
    type State = S;

    fn grow(&self) -> S {
        (self.new)()
    }
}
