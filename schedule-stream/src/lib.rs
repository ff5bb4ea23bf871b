//! Keyed event streams for [`schedule`]: events run in parallel, with the result of a sequential loop.
//!
//! An event names the records that it touches by their keys. A [`Stream`] processes events of the same record in the order
//! of their arrival, and others at the same time:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule_stream::prelude::*;
//!
//! #[derive(Record)]
//! #[record(id = u32)]
//! struct Account(u64);
//!
//! #[derive(Event)]
//! #[event(transfer)]
//! struct Transfer {
//!     from: u32,
//!     to: u32,
//!     amount: u64,
//! }
//!
//! #[handler]
//! fn transfer(
//!     event: &Transfer,
//!     #[key(event.from)] from: &mut Account,
//!     #[key(event.to)] to: &mut Account,
//! ) -> Result<(), BoxError> {
//!     from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
//!     to.0 += event.amount;
//!     Ok(())
//! }
//!
//! let mut accounts = Records::new();
//! accounts.insert(0, Account(5));
//! accounts.insert(1, Account(0));
//! let mut resources = Resources::new();
//! resources.insert(accounts);
//!
//! let events = [(0, 1, 4), (1, 0, 3)].map(|(from, to, amount)| Transfer { from, to, amount });
//! Stream::new().process(&mut resources, events, |outcome| assert!(outcome.result.is_ok()))?;
//! let accounts = resources.get::<Records<Account>>().unwrap();
//! assert_eq!((accounts.get(0).unwrap().0, accounts.get(1).unwrap().0), (4, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`#[handler]`](macro@handler) makes a function the handler of an event. [`Event`] connects events and handlers.
//! [`Records`] is the resource that holds the records of a type. A system of a schedule processes events through a
//! [`Streaming`] parameter.
//!
//! With the feature `durable`, a stream is recorded in a journal, in files or in memory, and is replayed from it: see the modules
//! `durable`, `journal` and `service`.
//!
//! Features: `placement`, `serde` and `tracing` enable the features of the same names of `schedule`. With `serde`,
//! [`Position`] and [`BatchTime`] implement `Serialize` and `Deserialize`. With `tracing`, each call of a stream has a span `stream`
//! (`DEBUG`), and each call of a handler a span `handler` (`TRACE`). Slow handlers are events (`WARN`): see
//! [`Stream::set_slow_handler_threshold`]. With `metrics`, streams and services have metrics of the crate `metrics`: the user guide
//! lists them. `durable` also enables `snapshot` of `schedule`, so that [`Records`] can be saved and restored.

#![cfg_attr(
    all(feature = "durable", target_family = "wasm"),
    expect(dead_code, reason = "without services, some functions are not used")
)]

mod base;
mod engine;
#[cfg(feature = "durable")]
#[doc(hidden)]
pub mod internal;
mod observe;
mod persist;
mod program;
mod store;
// A service blocks threads, and this target has none.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "durable")]
pub use self::persist::{durable, journal};
#[cfg(all(feature = "durable", not(target_family = "wasm")))]
pub use self::persist::{service, testing};
pub use self::program::answers;
pub use self::store::keys;

pub use self::base::position::{BatchTime, Position};
pub use self::base::slot::Slot;
pub use self::engine::arrivals::{Arrivals, Producer, PushError};
pub use self::engine::stream::{Processing, Stream, StreamError};
pub use self::engine::streaming::{Inbox, Streaming};
pub use self::observe::slow::SlowHandler;
pub use self::program::event::Event;
pub use self::program::handler::{Alias, Handler};
pub use self::program::outcome::{EventError, Outcome};
pub use self::program::reaction::FollowUps;
pub use self::store::limits::EventLimits;
pub use self::store::record::Record;
pub use self::store::record_set::{RecordSet, RecordSetMut};
pub use self::store::records::Records;
pub use schedule_macros::{Event, Record, handler};

/// Everything that most programs need, in addition to the prelude of `schedule`.
pub mod prelude {
    pub use crate::base::slot::Slot;
    pub use crate::engine::stream::Stream;
    pub use crate::engine::streaming::{Inbox, Streaming};
    pub use crate::program::event::Event;
    pub use crate::program::outcome::Outcome;
    pub use crate::program::reaction::FollowUps;
    pub use crate::store::record::Record;
    pub use crate::store::record_set::{RecordSet, RecordSetMut};
    pub use crate::store::records::Records;
    pub use schedule_macros::{Event, Record, handler};
}

#[doc(hidden)]
pub use self::program::event::Returns;
#[doc(hidden)]
pub use self::program::reaction::{
    BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised,
};
/// The compiler calls these types by these paths in errors about handlers.
#[doc(hidden)]
pub use self::store::atomic::{AtomicParameter, Restorable};

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
