//! A program that counts its events, and some of its answers cannot be serialized.

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableEvent, DurableStream};
use schedule_stream::journal::open_on;
use schedule_stream::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::journal::disk::SimulatedDisk;

/// Number of calls, and the events by number.
#[derive(Clone, Debug, Default, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "counts")]
pub(super) struct Counts {
    pub(super) n_calls: u64,
    pub(super) of: std::collections::BTreeMap<u64, u64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Rejected {
    Third(u64),
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("rejected")
    }
}

#[derive(Record, Snapshot, Serialize, Deserialize)]
#[record(key = u64)]
#[snapshot(name = "item")]
pub(super) struct Item(u64);

#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = Answered, error = Rejected)]
#[snapshot(name = "order")]
pub(super) enum Order {
    #[event(count)]
    Count(u64),
    #[event(find)]
    Find(Find),
    #[event(add)]
    Add(Add),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Find(pub(super) u64);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Add(pub(super) u64);

/// Cannot be serialized if it is 13.
#[derive(Debug, PartialEq)]
pub(super) struct Answered(u64);

impl schedule_stream::answers::Answer for Answered {}

impl Serialize for Answered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            13 => Err(serde::ser::Error::custom("it is 13")),
            n => n.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Answered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Answered)
    }
}

/// Counts the event, also if it fails.
#[handler]
fn count(event: &u64, counts: &mut Counts) -> Result<Answered, Rejected> {
    counts.n_calls += 1;
    *counts.of.entry(*event).or_default() += 1;
    match event % 10 {
        3 if *event != 13 => Err(Rejected::Third(counts.n_calls)),
        7 => panic!("call {}", counts.n_calls),
        _ if *event == 13 => Ok(Answered(13)),
        _ => Ok(Answered(100 + counts.n_calls)),
    }
}

#[handler]
fn find(event: &Find, #[key(event.0)] item: &Item) -> Answered {
    let _ = event;
    Answered(item.0)
}

#[handler]
fn add(event: &Add, #[key(event.0)] mut item: Slot<Item>) -> Answered {
    item.insert(Item(event.0));
    Answered(0)
}

pub(super) fn program() -> Durable<Order> {
    Durable::new("orders", 1)
        .state::<Counts>()
        .state::<Records<Item>>()
}

pub(super) fn first_state() -> Resources {
    let mut resources = Resources::new();
    resources.insert_default::<Counts>();
    resources.insert(Records::<Item>::new());
    resources
}

pub(super) fn recover<E: DurableEvent>(
    disk: &SimulatedDisk,
    program: Durable<E>,
) -> Result<DurableStream<E>, DurableError> {
    let opened = open_on(disk.clone())?;
    program.recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        first_state(),
    )
}

pub(super) fn keyed(disk: &SimulatedDisk, n_keys: usize) -> DurableStream<Order> {
    disk.end_program();
    recover(disk, program().idempotency_keys(n_keys)).unwrap()
}
