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

pub mod access;
mod advice;
mod builder;
mod checked;
mod choices;
pub mod columns;
mod compile;
pub mod condition;
mod cost;
#[cfg(feature = "snapshot")]
mod decisions;
mod declarations;
mod document;
pub mod driver;
pub mod dynamic;
pub mod entity;
pub mod error;
mod escape;
mod executor;
mod executor_choice;
mod failure;
mod failure_log;
mod failure_policy;
mod folds;
mod formula;
pub mod graph;
mod histogram;
pub mod identity;
#[doc(hidden)]
pub mod internal;
mod limits;
mod listing;
mod lock;
mod marks;
mod messages;
mod missed;
mod module_path;
mod nanos;
mod node;
mod nodes;
mod observer;
mod observers;
mod open;
pub mod order;
mod outcome;
mod output;
mod panics;
pub mod param;
#[cfg(feature = "snapshot")]
mod participant;
mod place;
mod plan;
mod prefetch;
mod problem;
mod profile;
mod program;
pub mod rate;
#[cfg(feature = "realtime")]
pub mod realtime;
mod record;
mod rehearsal;
#[cfg(feature = "snapshot")]
pub mod replay;
pub mod report;
mod reported;
mod resource;
mod reused;
mod row_loop;
#[cfg(feature = "snapshot")]
mod saved_resources;
mod schedule;
mod settings;
mod simulation;
#[cfg(feature = "snapshot")]
pub mod snapshot;
mod span;
pub mod spanning;
pub mod state;
mod stopwatch;
mod stretches;
mod sweeps;
mod sync;
pub mod system;
mod target;
mod text;
mod thread;
mod time;
pub mod timeline;
mod tuples;
mod user_value;
mod why;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::builder::{Builder, Chain, Plugin};
pub use self::condition::Condition;
pub use self::driver::{Driver, StopToken};
pub use self::executor_choice::Executor;
pub use self::failure::RunError;
pub use self::failure_policy::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
pub use self::identity::Identity;
pub use self::order::{Checkpoint, Group};
pub use self::output::{BoxError, Branch};
pub use self::param::{Commands, Inserts, Local, NonSend, NonSendMut, Param};
pub use self::problem::BuildError;
pub use self::rate::{Clock, Rate};
pub use self::resource::{MainThread, Resource, Resources};
#[cfg(feature = "snapshot")]
pub use self::saved_resources::SavedResources;
#[cfg(feature = "snapshot")]
pub use self::schedule::ScheduleState;
pub use self::schedule::{Schedule, run_one};
pub use self::state::{NextState, State};
pub use self::system::System;
pub use self::target::Target;
pub use schedule_graph::Policy;
pub use schedule_macros::{
    Branch, Checkpoint, Group, Identity, Params, Resource, schedule, system,
};

/// The names that most programs need.
///
/// `Branch`, `Identity` and `Resource` are traits and their derives. `Params`, `Group` and `Checkpoint` are only the derives: the
/// traits [`Group`] and [`Checkpoint`] are at the root of the crate, and the derive `Params` implements [`Param`].
pub mod prelude {
    pub use crate::condition::Condition;
    pub use crate::entity::Changes;
    pub use crate::identity::Identity;
    pub use crate::output::{BoxError, Branch};
    pub use crate::param::{Commands, Fold, Foldable, Inserts, Local, NonSend, NonSendMut};
    pub use crate::rate::{Clock, Rate};
    pub use crate::resource::{Resource, Resources};
    pub use crate::schedule::Schedule;
    pub use crate::state::{NextState, State};
    pub use schedule_graph::Policy;
    pub use schedule_macros::{
        Branch, Checkpoint, Group, Identity, Params, Resource, schedule, system,
    };
}

/// Public because compiler messages about a rejected `schedule!` show these paths.
#[doc(hidden)]
pub use self::listing::{Entry, ListedPlugin, Rule, RuleTarget};
#[doc(hidden)]
pub use self::open::{Collected, Open};

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
