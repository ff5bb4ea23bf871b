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
//! [`Schedule::set_enabled`], [`Schedule::change`]. What it tells of itself: [`Schedule::why`], [`Schedule::report`],
//! [`Schedule::lock`], [`Schedule::advise`], as data: [`graph`]; of a run [`Schedule::record`]; and
//! [`BuildError::remedy`] where it was rejected.
//!
//! Features: `placement`, by default, keeps helpers off the processor of the thread that they help, on Linux. With `serde`,
//! what a schedule tells can be written and read. With `tracing`, each run has a span `run` (`DEBUG`), and each system
//! in it a span `system` (`TRACE`), on whatever thread it is.
//!
//! Keyed event streams are in the crate `schedule-stream`, which depends on this one.

mod access;
mod advice;
mod asking;
mod builder;
mod checked;
mod choices;
mod compile;
mod condition;
mod cost;
mod data;
mod declarations;
mod escape;
mod executor;
mod failure;
mod formula;
pub mod graph;
mod identity;
#[doc(hidden)]
pub mod internal;
mod listing;
mod lock;
mod messages;
mod module_path;
mod node;
mod nodes;
mod open;
mod order;
mod outcome;
mod output;
mod panics;
mod param;
mod place;
mod plan;
mod prefetch;
mod problem;
mod profile;
mod program;
mod rate;
mod record;
mod report;
mod reported;
mod resource;
mod schedule;
mod settling;
mod simulation;
mod span;
mod state;
mod sync;
mod system;
mod target;
mod text;
mod time;
mod timeline;
mod user_value;
mod why;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::access::{Access, AccessSet, Parameter, Parameters, ResourceId, ResourceType};
pub use self::advice::{Advice, Change, Makespan, PathSystem, SharedBy, Without};
pub use self::builder::{Builder, Chain, Part};
pub use self::choices::{Choice, Choices, ChoicesError, Occurrence};
pub use self::condition::{Condition, every, exists, once};
pub use self::executor::{Executor, Expected};
pub use self::failure::{Cause, Failure, FailurePolicy, MissingResource, Panic, RunError};
pub use self::formula::Token;
pub use self::identity::{Identity, Name};
pub use self::lock::{Lock, LockError};
pub use self::order::{
    Anchor, Checkpoint, Direction, Group, Membership, Order, Reference, Strength,
};
pub use self::output::{BoxError, Branch, IntoAnswer, Maybe, Output};
pub use self::param::{
    CommandQueue, Commands, Declares, Fetch, FetchFrom, Inserts, Local, Lookup, NonSend,
    NonSendMut, Param, Seed, Seeds,
};
pub use self::place::{NodeId, SystemPlace};
pub use self::problem::{
    Accepted, BuildError, Cycle, MissingOrder, NamedBy, OrderError, Problem, Race, RaceOn, Remedy,
    Step, StepOrigin, Subject, TargetError, Warning,
};
pub use self::profile::{Profile, ProfileError, SystemCost};
pub use self::rate::{Clock, Rate, RateCounts, Tick, is_due, tick};
pub use self::report::{Exclusive, PolicyOrders, Report};
pub use self::reported::{Reported, ReportedIntoIter};
pub use self::resource::{MainThread, Resource, Resources};
pub use self::schedule::{Schedule, run_one};
pub use self::simulation::Simulation;
#[doc(hidden)]
pub use self::state::StateChange;
pub use self::state::{
    NextState, Overruled, State, Transition, changes, current, enters, leaves, transition,
};
pub use self::system::{
    AccessError, Answered, ClosureSystem, DynamicSystem, Function, Guard, Instance, Proof, System,
    View,
};
pub use self::target::Target;
pub use self::time::set_time_source;
pub use self::timeline::{Recording, Timeline, Turn};
pub use self::why::{Relation, Why};
pub use schedule_graph::Policy;
pub use schedule_graph::{Discipline, Machine};
pub use schedule_macros::{
    Branch, Checkpoint, Group, Identity, Params, Resource, schedule, system,
};

/// Everything that most programs need.
pub mod prelude {
    pub use crate::identity::Identity;
    pub use crate::output::{BoxError, Branch};
    pub use crate::param::{Commands, Inserts, Local, NonSend, NonSendMut};
    pub use crate::resource::{Resource, Resources};
    pub use crate::schedule::Schedule;
    pub use schedule_graph::Policy;
    pub use schedule_macros::{
        Branch, Checkpoint, Group, Identity, Params, Resource, schedule, system,
    };
}

/// By these paths the compiler calls what `schedule!` names, where that is refused.
#[doc(hidden)]
pub use self::listing::{Entry, ListedPart, Listee, Rule};
#[doc(hidden)]
pub use self::open::{Collected, Open};
