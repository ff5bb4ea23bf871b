//! The programs of the bench: their events and resources, their digests, and their worker processes.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::{Hash, Hasher};
use std::process::Command;

use schedule::prelude::*;
use schedule_cluster::{Cluster, SentEvent};
use schedule_stream::durable::Durable;
use schedule_stream::{EventError, Outcome, Record, Records};

/// Events, and the resources of their handlers. A number describes the size of the resources.
pub(crate) trait Program: Copy + Send + Sync + 'static {
    type Event: SentEvent<Answer: Into<i64>> + Clone;

    /// The name by which a worker process knows its program.
    const NAME: &'static str;

    fn of_size(size: u32) -> Self;

    fn size(self) -> u32;

    /// Returns the resources before the first event. They are equal in all processes.
    fn resources(self) -> Resources;

    /// Declares the state of the program in one process.
    fn declare(durable: Durable<Self::Event>) -> Durable<Self::Event>;

    /// Declares the state of the program in several processes.
    fn declare_cluster(cluster: Cluster<Self::Event>) -> Cluster<Self::Event>;

    /// Returns a digest of all records, in any order.
    fn digest(resources: &Resources) -> u64;

    /// Panics if the records contradict each other after all events.
    fn check(self, _resources: &Resources) {}

    fn durable() -> Durable<Self::Event> {
        Durable::new(Self::NAME, 1)
    }

    fn cluster(self) -> Cluster<Self::Event> {
        Self::declare_cluster(Cluster::new(Self::durable(), move || self.resources()))
    }
}

/// The environment variable with the name and the size of the program of a worker process.
const VARIABLE: &str = "CLUSTER_BENCH_PROGRAM";

/// Sets the program of a worker process.
pub(crate) fn set_program<P: Program>(program: P, command: &mut Command) {
    command.env(VARIABLE, format!("{} {}", P::NAME, program.size()));
}

/// Runs a worker and never returns, if a supervisor has started this process with this program.
pub(crate) fn work_if_asked<P: Program>() {
    let variable = env::var(VARIABLE).ok();
    let words = variable.as_deref().and_then(|text| text.split_once(' '));
    if let Some((name, size)) = words
        && name == P::NAME
        && let Ok(size) = size.parse()
    {
        drop(P::of_size(size).cluster().work_if_asked());
    }
}

/// A digest of the outcomes of all events, in their order.
#[derive(Debug, Default)]
pub(crate) struct OutcomeDigest(u64);

impl OutcomeDigest {
    /// Adds the outcome of the next event. Panics if the handler did not run.
    pub(crate) fn add<E>(&mut self, outcome: Outcome<E>)
    where
        E: SentEvent<Answer: Into<i64>>,
    {
        let value = match outcome.result {
            Ok(answer) => answer.into(),
            Err(EventError::Failed(_)) => i64::MIN,
            Err(error) => panic!("{}: {error}", outcome.handler),
        };
        let digest = (self.0 ^ value.cast_unsigned()).wrapping_mul(0x100_0000_01b3);
        self.0 = digest.rotate_left(7);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0
    }
}

/// Returns the records of a type.
pub(crate) fn records<T: Record>(resources: &Resources) -> &Records<T> {
    let records = resources.get();
    records.expect("the program has records of this type")
}

/// Returns a digest of all records of a type, in any order.
pub(crate) fn records_digest<T: Record<Key: Hash> + Hash>(resources: &Resources) -> u64 {
    records::<T>(resources).iter().fold(0, |sum, record| {
        let mut hasher = DefaultHasher::new();
        record.hash(&mut hasher);
        sum.wrapping_add(hasher.finish())
    })
}
