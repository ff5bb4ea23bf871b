//! Errors of clusters.

use core::fmt;
use core::time::Duration;
use std::io;
use std::net::IpAddr;

use schedule::BoxError;
use schedule::identity::Name;
use schedule_stream::durable::DurableError;

/// The reason why a cluster could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The journal, the snapshots or the state could not be recovered.
    Durable(DurableError),
    /// A handler takes a whole store, whose records are divided between processes.
    WholeStore {
        /// The handler.
        handler: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// The store.
        store: Name,
    },
    /// A handler takes records by key from a store declared with [`Cluster::state`](crate::Cluster::state).
    NotRecords {
        /// The handler.
        handler: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// The store.
        store: Name,
    },
    /// A resource was declared with [`Cluster::state`](crate::Cluster::state), but no handler writes it.
    NeverWritten {
        /// The resource.
        resource: Name,
    },
    /// The failure policy of the stream is `Stop`.
    StopPolicy,
    /// The number of processes is 0, or above the maximum.
    Processes {
        /// The number.
        n: usize,
    },
    /// A time limit is too short.
    Limit {
        /// The method of [`Cluster`](crate::Cluster) that sets it.
        name: &'static str,
        /// Its minimum.
        min: Duration,
    },
    /// The address of [`Cluster::address`](crate::Cluster::address) is unspecified or multicast.
    Address {
        /// The address.
        address: IpAddr,
    },
    /// The executable of this process cannot be read, so that the workers cannot be compared with it.
    Executable(io::Error),
    /// A worker process could not be started, or failed before it was ready.
    Worker {
        /// The index of the worker.
        index: u32,
        /// The reason.
        error: BoxError,
    },
    /// A worker process of the previous generation was killed, and has not ended. The next generation cannot start.
    NotEnded {
        /// The index of the worker.
        index: u32,
        /// The id of the process.
        id: u32,
        /// The time within which it must end.
        limit: Duration,
    },
}

/// Maximum number of worker processes.
pub(crate) const MAX_PROCESSES: usize = 64;

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Durable(error) => error.fmt(f),
            Self::WholeStore {
                handler,
                parameter,
                store,
            } => write!(
                f,
                "the handler `{handler}` takes the whole store {store:?} for `{parameter}`, but its records are divided between \
                 processes: take single records, or declare the store with `constant` if no handler writes it"
            ),
            Self::NotRecords {
                handler,
                parameter,
                store,
            } => write!(
                f,
                "the handler `{handler}` takes records by key from {store:?} for `{parameter}`: declare the store with `records`, not \
                 with `state`"
            ),
            Self::NeverWritten { resource } => write!(
                f,
                "no handler writes {resource:?}: declare it with `constant`, not with `state`"
            ),
            Self::StopPolicy => f.write_str(
                "a cluster cannot stop after a failure: set `FailurePolicy::CarryOn`, or use one process",
            ),
            Self::Processes { n } => write!(
                f,
                "a cluster cannot have {n} processes: use 1 to {MAX_PROCESSES}"
            ),
            Self::Limit { name, min } => write!(f, "`{name}` is too short: use at least {min:?}"),
            Self::Address { address } => write!(
                f,
                "workers cannot connect to the address {address}: set `address` to one of this machine that they can reach"
            ),
            Self::Executable(error) => write!(
                f,
                "the executable of this process cannot be read: {error}; call `same_executable` of `Cluster` to start without the \
                 comparison"
            ),
            Self::Worker { index, error } => {
                write!(f, "worker process {index} failed: {error}")
            }
            Self::NotEnded { index, id, limit } => write!(
                f,
                "process {id} of worker {index} has not ended {limit:?} after it was killed: end it, and start again"
            ),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Durable(error) => error.source(),
            Self::Executable(error) => error.source(),
            Self::Worker { error, .. } => error.source(),
            _ => None,
        }
    }
}

impl From<DurableError> for StartError {
    fn from(error: DurableError) -> Self {
        Self::Durable(error)
    }
}
