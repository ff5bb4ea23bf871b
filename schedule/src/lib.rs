//! Plain functions in, a verified schedule out.
//!
//! What a system reads and writes is its signature:
//!
//! ```
//! use schedule::prelude::*;
//!
//! #[derive(Resource)]
//! struct Poison(i32);
//!
//! #[derive(Resource)]
//! struct Health(i32);
//!
//! /// An ordinary function: a unit test calls it as `poison(&Poison(3), &mut health)`.
//! #[system]
//! fn poison(poison: &Poison, health: &mut Health) {
//!     health.0 -= poison.0;
//! }
//!
//! let mut resources = Resources::new();
//! resources.insert(Poison(3));
//! resources.insert(Health(10));
//!
//! let mut frame = Schedule::builder().add::<poison>().build()?;
//! frame.run(&mut resources)?;
//! assert_eq!(resources.get::<Health>().unwrap().0, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of a system through this crate: [`#[system]`](macro@system) implements [`System`] on a hidden type of
//! the function's name; a [`Builder`] collects systems; [`Builder::build`] makes a [`Schedule`]; [`Schedule::run`]
//! runs it on [`Resources`]. [`schedule!`](macro@schedule) lists systems instead, and the compiler verifies the list. See [`Param`] for all that a system may take, and [`Output`] for what it may return.
//!
//! What decides when a system runs: orders ([`Builder::after`], [`Group`], [`Checkpoint`]), [`Policy`] where nobody ordered
//! two that conflict, [`Condition`] and [`State`], loops ([`Builder::repeat_while`]) and [`Rate`]. How it runs:
//! [`Executor`], [`FailurePolicy`]. What it is put together from, and how it changes: [`Part`],
//! [`Schedule::set_enabled`], [`Schedule::change`].

mod access;
mod builder;
mod checked;
mod choices;
mod condition;
mod conflict;
mod cost;
mod exclusion;
mod executor;
mod failure;
mod fit;
mod formula;
mod graph;
mod identity;
mod listing;
mod machine;
mod node;
mod nodes;
mod open;
mod order;
mod outcome;
mod output;
mod param;
mod place;
mod plan;
mod policy;
mod precedence;
mod prefetch;
mod problem;
mod profile;
mod rate;
mod report;
mod resource;
mod schedule;
mod simulation;
mod state;
mod stream;
mod sync;
mod system;
mod target;
mod text;
mod timetable;
mod verify;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::access::{Access, AccessSet, Parameter, Parameters, ResourceId, ResourceType};
pub use self::builder::{Builder, Chain, Part};
pub use self::choices::{Choice, Choices, ChoicesError, Occurrence};
pub use self::condition::{Condition, every, exists, once};
pub use self::executor::{Executor, Expected};
pub use self::failure::{Cause, Failure, FailurePolicy, MissingResource, Panic, RunError};
pub use self::identity::{Identity, Name};
pub use self::machine::{Discipline, Machine};
pub use self::order::{
    Anchor, Checkpoint, Direction, Group, Membership, Order, Reference, Strength,
};
pub use self::output::{BoxError, Branch, IntoAnswer, Output};
pub use self::param::{
    CommandQueue, Commands, Declares, Fetch, FetchFrom, Inserts, Local, Lookup, NonSend,
    NonSendMut, Param, Seed, Seeds,
};
pub use self::place::{NodeId, SystemPlace};
pub use self::policy::Policy;
pub use self::problem::{
    Accepted, BuildError, Cycle, OrderError, Problem, Race, RaceOn, Step, StepOrigin, Subject,
    TargetError, Warning,
};
pub use self::profile::{Profile, ProfileError, SystemCost};
pub use self::rate::{Clock, Rate, Tick, is_due, tick};
pub use self::report::Report;
pub use self::resource::{MainThread, Resource, Resources};
pub use self::schedule::{Schedule, run_one};
pub use self::simulation::{Simulation, Turn};
pub use self::state::{NextState, State, Transition, changes, current, enters, leaves, transition};
pub use self::stream::{
    Answer, Arrivals, AsKey, Dense, Entities, Entity, Event, EventLog, Handler, Hashed, Id, Index,
    Key, Keyed, KeyedSet, Ordering, Outcome, Producer, PushError, Reaction, Refusal, ReplayError,
    Several, SeveralMut, Shared, Slot, Stream, StreamError, Streaming, Success, Then, Twice,
    arrivals,
};
pub use self::system::{
    AccessError, Answered, ClosureSystem, DynamicSystem, Function, Guard, Instance, Proof, System,
    View,
};
pub use self::target::Target;
pub use schedule_macros::{
    Branch, Checkpoint, Entity, Event, Group, Identity, Params, Resource, handler, schedule, system,
};

/// Everything that most programs need.
pub mod prelude {
    pub use crate::output::{BoxError, Branch};
    pub use crate::param::{Commands, Inserts, Local, NonSend, NonSendMut};
    pub use crate::policy::Policy;
    pub use crate::resource::{Resource, Resources};
    pub use crate::schedule::Schedule;
    pub use crate::stream::{
        Entities, Entity, Event, Inbox, Outcome, Several, SeveralMut, Slot, Stream, Streaming, Then,
    };
    pub use schedule_macros::{
        Branch, Checkpoint, Entity, Event, Group, Params, Resource, handler, schedule, system,
    };
}

/// By these paths the compiler calls what `schedule!` names, where that is refused.
#[doc(hidden)]
pub use self::listing::{Entry, Listee, Rule};
#[doc(hidden)]
pub use self::open::{Collected, Open};
/// The same of handlers.
#[doc(hidden)]
pub use self::stream::{
    BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised, Returns,
};

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
