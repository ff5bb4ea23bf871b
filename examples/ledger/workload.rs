//! The interface between the methods and a workload.

use schedule::prelude::*;
use schedule_cluster::{Cluster, SentEvent};
use schedule_stream::prelude::*;

use crate::result::{Applied, EventResult, Rejected};
use crate::work::Work;

/// Events in their order, and the balances at the start.
pub(crate) trait Workload: Send + Sync + 'static {
    type Entry: SentEvent + Event<Answer = Applied, Error = Rejected> + Copy + Sync;

    /// All records, without a stream.
    type Tables: Send;

    /// All records, each in a lock.
    type Locks: Sync;

    /// Returns a short description.
    fn describe(&self) -> String;

    fn entries(&self) -> &[Self::Entry];

    /// Returns the records before the first event.
    fn tables(&self) -> Self::Tables;

    fn lock(tables: Self::Tables) -> Self::Locks;

    fn unlock(locks: Self::Locks) -> Self::Tables;

    /// Inserts the records as stores of a stream.
    fn insert(tables: Self::Tables, resources: &mut Resources);

    /// Declares the stores of a cluster.
    fn declare(cluster: Cluster<Self::Entry>) -> Cluster<Self::Entry>;

    /// Returns all balances, in a fixed order.
    fn balances(tables: &Self::Tables) -> Vec<u128>;

    /// Returns all balances of the stores, in the same order.
    fn balances_in(resources: &Resources) -> Vec<u128>;

    fn apply(tables: &mut Self::Tables, entry: &Self::Entry, work: &Work) -> EventResult;

    fn apply_locked(locks: &Self::Locks, entry: &Self::Entry, work: &Work) -> EventResult;
}
