//! Event streams in several processes: the same handlers, the same order and the same outcomes as in one process.
//!
//! A [`Cluster`] declares the program of a durable stream, and divides its records between worker processes by their keys. It
//! starts the workers, and starts them again if one fails. The process that calls [`Cluster::recover`] is the supervisor: it gives
//! each event its position, writes the journal, and releases the outcomes.
//!
//! ```no_run
//! use schedule::prelude::*;
//! use schedule::snapshot::Snapshot;
//! use schedule_cluster::Cluster;
//! use schedule_stream::durable::Durable;
//! use schedule_stream::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Record, Snapshot, Serialize, Deserialize)]
//! #[record(id = u32)]
//! #[snapshot(name = "account")]
//! struct Account(u64);
//!
//! #[derive(Event, Snapshot, Serialize, Deserialize)]
//! #[event(transfer, error = String)]
//! #[snapshot(name = "transfer")]
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
//! ) -> Result<(), String> {
//!     from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
//!     to.0 += event.amount;
//!     Ok(())
//! }
//!
//! fn bank() -> Cluster<Transfer> {
//!     let resources = || {
//!         let mut resources = Resources::new();
//!         resources.insert(Records::from_iter((0..1_000).map(|id| (id, Account(100)))));
//!         resources
//!     };
//!     Cluster::new(Durable::new("bank", 1), resources).records::<Account>()
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // In a worker process, this call never returns.
//!     let cluster = bank().work_if_asked();
//!     let service = cluster.processes(2).recover("data")?.serve();
//!     let outcome = service.handle().submit_blocking(Transfer { from: 1, to: 2, amount: 5 })?;
//!     assert!(outcome.result.is_ok());
//!     Ok(())
//! }
//! ```
//!
//! # Which programs can run
//!
//! - An event, its answer and its error can be serialized: [`SentEvent`].
//! - Handlers take single records and record sets of divided stores. A handler that takes a whole divided store is
//!   refused.
//! - A resource that handlers write belongs to one process, and its events run one after the other.
//! - A resource that no handler writes is a constant. Each process has it.
//! - The failure policy is `CarryOn`.
//!
//! # Failures
//!
//! If a worker ends or is silent, or if no event ends while events wait, the generation of workers fails. The supervisor kills its
//! local processes, and waits for at most 5 s until they have ended. A worker on another machine ends when its connection ends. The
//! supervisor starts new workers from the last saved state, and sends all later batches again. Clients only wait longer. After
//! about five generations without a finished batch, the service ends, and clients get `Unknown`.
//!
//! If the supervisor ends, its workers end too. The next [`Cluster::recover`] continues, also with another number of processes. The
//! journal of [`Cluster::recover`] is on the machine of the supervisor, which is a single point of failure. With the feature `nats`, the
//! journal of [`Cluster::recover_from`] can be in a NATS server: `nats::NatsJournal`.

mod arrivals;
mod bucket;
mod cluster;
mod control;
mod cost;
mod error;
mod executable;
mod executor;
mod flow;
#[doc(hidden)]
pub mod internal;
mod keys;
mod manifest;
mod mesh;
#[cfg(feature = "nats")]
pub mod nats;
mod parts;
mod processes;
mod secret;
mod shard;
mod snapshots;
mod store;
mod stream;
mod supervisor;
mod wire;
mod worker;

pub use self::bucket::owner_of;
pub use self::cluster::{Cluster, arguments};
pub use self::control::ClusterControl;
pub use self::error::StartError;
pub use self::executable::SameExecutable;
pub use self::stream::ClusterStream;
pub use schedule_stream::internal::SentEvent;

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
