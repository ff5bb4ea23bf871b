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
//! runs it on [`Resources`]. [`schedule!`](macro@schedule) lists systems instead, and the compiler verifies the list. See [`Param`] for all that a system may take, and
//! [`Output`](system::Output) for what it may return.
//!
//! What decides when a system runs: orders ([`Builder::after`], [`Group`], [`Checkpoint`]), [`Policy`] where nobody ordered
//! two that conflict, [`Condition`] and [`State`], loops ([`Builder::repeat_while`]) and [`Rate`]. How it runs:
//! [`Executor`], [`FailurePolicy`]. What it is put together from, and how it changes: [`Plugin`],
//! [`Schedule::set_enabled`], [`Schedule::change`]. What it tells of itself: [`Schedule::why`], [`Schedule::report`],
//! [`Schedule::lock`], [`Schedule::advise`], as data: [`graph`]; of a run [`Schedule::record`]; and
//! [`BuildError::remedy`] where it was rejected.
//!
//! The names that most programs need are at the root, and in the [`prelude`]. The modules have the others:
//!
//! | module | names |
//! |---|---|
//! | [`access`], [`identity`], [`order`], [`param`], [`system`](mod@system) | what systems and parameters consist of |
//! | [`condition`], [`rate`], [`state`] | what decides whether a system runs |
//! | [`dynamic`] | systems that are put together at run time |
//! | [`error`] | parts of errors |
//! | [`report`], [`timeline`], [`graph`] | what a schedule reports about itself, about a run, and as a graph |
//!
//! Features: `placement`, by default, keeps helpers off the processor of the thread that they help, on Linux. With `serde`,
//! what a schedule tells can be written and read. With `tracing`, each run has a span `run` (`DEBUG`), and each system
//! in it a span `system` (`TRACE`), on whatever thread it is.
//!
//! Keyed event streams are in the crate `schedule-stream`, which depends on this one.

pub mod access;
mod advice;
mod asking;
mod builder;
mod checked;
mod choices;
mod compile;
pub mod condition;
mod cost;
mod data;
mod declarations;
pub mod dynamic;
pub mod error;
mod escape;
mod executor;
mod failure;
mod formula;
pub mod graph;
pub mod identity;
#[doc(hidden)]
pub mod internal;
mod listing;
mod lock;
mod messages;
mod module_path;
mod node;
mod nodes;
mod open;
pub mod order;
mod outcome;
mod output;
mod panics;
pub mod param;
mod place;
mod plan;
mod prefetch;
mod problem;
mod profile;
mod program;
pub mod rate;
mod record;
pub mod report;
mod reported;
mod resource;
mod schedule;
mod settling;
mod simulation;
mod span;
pub mod state;
mod sync;
pub mod system;
mod target;
mod text;
mod time;
pub mod timeline;
mod user_value;
mod why;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::builder::{Builder, Chain, Plugin};
pub use self::condition::Condition;
pub use self::executor::Executor;
pub use self::failure::{FailurePolicy, RunError};
pub use self::identity::Identity;
pub use self::order::{Checkpoint, Group};
pub use self::output::{BoxError, Branch};
pub use self::param::{Commands, Inserts, Local, NonSend, NonSendMut, Param};
pub use self::problem::BuildError;
pub use self::rate::{Clock, Rate};
pub use self::resource::{MainThread, Resource, Resources};
pub use self::schedule::{Schedule, run_one};
pub use self::state::{NextState, State};
pub use self::system::System;
pub use self::target::Target;
pub use schedule_graph::Policy;
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
pub use self::listing::{Entry, ListedPlugin, Listee, Rule};
#[doc(hidden)]
pub use self::open::{Collected, Open};
