//! Builds verified schedules from plain functions.
//!
//! The parameters of a system declare the resources that it reads and writes:
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
//! The [`#[system]`](macro@system) attribute implements [`System`] on a hidden type with the name of the function. A
//! [`Builder`] collects systems. [`Builder::build`] verifies them and returns a [`Schedule`]. [`Schedule::run`] runs
//! the schedule on [`Resources`]. Alternatively, [`schedule!`](macro@schedule) lists the systems, and the compiler
//! verifies the list. See [`Param`] for everything that a system can take, and [`Output`](system::Output) for
//! everything that it can return.
//!
//! - When a system runs: orders ([`Builder::after`], [`Group`], [`Checkpoint`]), [`Policy`] for conflicting pairs
//!   without an order, [`Condition`], [`State`], loops ([`Builder::repeat_while`]) and [`Rate`].
//! - How a system runs: [`Executor`] and [`FailurePolicy`].
//! - When a schedule runs: [`Driver`] runs it whenever one of its rates is due.
//! - How a schedule is composed and changed: [`Plugin`], [`Schedule::set_enabled`] and [`Schedule::change`].
//! - What a schedule reports: [`Schedule::why`], [`Schedule::report`], [`Schedule::lock`], [`Schedule::advise`], and
//!   [`graph`] for its data. [`Schedule::record`] reports a run.
//! - How to fix a build error: [`BuildError::remedy`].
//!
//! Most programs need only the names at the root of the crate and in the [`prelude`]. The modules contain the others:
//!
//! | module | names |
//! |---|---|
//! | [`access`], [`identity`], [`order`], [`param`], [`system`](mod@system) | components of systems and parameters |
//! | [`entity`] | components of entities, and the interface to stores of entities |
//! | [`columns`] | a store of entities without an ECS |
//! | [`random`] | random numbers that do not depend on threads |
//! | [`fold`] | sums, minimums and grids that threads fold into at the same time |
//! | [`condition`], [`rate`], [`state`] | conditions under which a system runs |
//! | [`driver`] | components of drivers: timers, statistics, errors |
//! | [`spanning`] | systems that span several runs |
//! | [`dynamic`] | systems that are built at run time |
//! | [`error`] | components of errors |
//! | `replay` | inputs of runs that are recorded and replayed; with the feature `snapshot` |
//! | `snapshot` | state that is saved as bytes and restored; with the feature `snapshot` |
//! | `realtime` | priorities and processors of threads; with the feature `realtime` |
//! | [`report`], [`timeline`], [`graph`] | reports about a schedule or a run, and the schedule as a graph |
//!
//! Features:
//!
//! - `placement` (default): on Linux, helper threads do not run on the processor of the thread that they help.
//! - `serde`: implements `Serialize` and `Deserialize` for the reports, clocks, rates and states.
//! - `snapshot`: state can be saved as bytes and restored, with the trait `Snapshot` and its derive. Inputs of runs can be
//!   recorded and replayed.
//! - `realtime`: threads of pools, of spanning systems and of programs can have a priority and processors.
//! - `metrics`: drivers have metrics of the crate `metrics`. See [`Driver`](Driver#metrics-and-warnings).
//! - `tracing`: each run has a span `run` (`DEBUG`). Each system has a span `system` (`TRACE`) in it, on any thread.
//!
//! Keyed event streams are in the crate `schedule-stream`, which depends on this one.

mod base;
mod builders;
mod data;
mod declare;
mod drive;
pub mod error;
#[doc(hidden)]
pub mod internal;
mod run;
mod systems;
mod verify;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// Systems that a program creates at run time: closures, and systems that name their resources by text.
pub mod dynamic {
    pub use crate::systems::system::{AccessError, ClosureSystem, DynamicSystem, View};
}

pub use self::base::identity;
pub use self::base::random;
#[cfg(feature = "snapshot")]
pub use self::base::snapshot;
pub use self::data::{access, entity, fold, message, order, param};
pub use self::declare::graph;
#[cfg(feature = "realtime")]
pub use self::drive::realtime;
#[cfg(feature = "snapshot")]
pub use self::drive::replay;
pub use self::drive::{driver, spanning};
#[cfg(feature = "snapshot")]
pub use self::run::program;
pub use self::run::{report, timeline};
pub use self::systems::{columns, condition, rate, state, system};

pub use self::base::identity::Identity;
pub use self::builders::builder::{Builder, Chain, Plugin};
pub use self::data::executor_choice::Executor;
pub use self::data::failure_policy::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
pub use self::data::order::{Checkpoint, Group};
pub use self::data::output::{BoxError, Branch};
pub use self::data::param::{Commands, Inserts, Local, NonSend, NonSendMut, Param};
pub use self::data::resource::{MainThread, Resource, Resources};
#[cfg(feature = "snapshot")]
pub use self::data::saved_resources::SavedResources;
pub use self::data::target::Target;
pub use self::declare::failure::RunError;
pub use self::declare::problem::BuildError;
pub use self::drive::driver::{Driver, StopToken};
#[cfg(feature = "snapshot")]
pub use self::run::program::SavedProgram;
#[cfg(feature = "snapshot")]
pub use self::run::schedule::ScheduleState;
pub use self::run::schedule::{Schedule, evaluate_one, run_one};
pub use self::systems::condition::Condition;
pub use self::systems::rate::{Clock, Rate};
pub use self::systems::state::{NextState, State};
pub use self::systems::system::System;
pub use schedule_graph::Policy;
pub use schedule_macros::{
    Branch, Checkpoint, Group, Identity, Message, Params, Resource, schedule, system,
};

/// The names that most programs need.
///
/// `Branch`, `Identity` and `Resource` are traits and their derives. `Params`, `Group` and `Checkpoint` are only the derives: the
/// traits [`Group`] and [`Checkpoint`] are at the root of the crate, and the derive `Params` implements [`Param`].
pub mod prelude {
    pub use crate::base::identity::Identity;
    pub use crate::data::entity::Changes;
    pub use crate::data::message::{Message, Messages};
    pub use crate::data::output::{BoxError, Branch};
    pub use crate::data::param::{
        Commands, Fold, Foldable, Inserts, Local, MessageReader, MessageWriter, Mut, NonSend,
        NonSendMut, Ref,
    };
    pub use crate::data::resource::{Resource, Resources};
    pub use crate::run::schedule::Schedule;
    pub use crate::systems::condition::Condition;
    pub use crate::systems::rate::{Clock, Rate};
    pub use crate::systems::state::{NextState, State};
    pub use schedule_graph::Policy;
    pub use schedule_macros::{
        Branch, Checkpoint, Group, Identity, Message, Params, Resource, schedule, system,
    };
}

#[doc(hidden)]
pub use self::builders::open::{Collected, Open};
/// Public because compiler messages about a rejected `schedule!` show these paths.
#[doc(hidden)]
pub use self::declare::listing::{Entry, ListedPlugin, Rule, RuleTarget};

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
