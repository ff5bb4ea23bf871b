//! Handlers that depend on something outside. Recovery finds the first outcome that differs, and names it.

mod accepted;
mod checked;
mod compared;
mod entries;
mod found;

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::answers::Answer;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{Opened, open_on};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::journal::disk::SimulatedDisk;

/// Values outside of the stream. Each test has its own, whose index is in its events.
static OUTSIDE: [AtomicU64; 40] = [const { AtomicU64::new(0) }; 40];

pub(crate) fn set_outside(test: usize, value: u64) {
    OUTSIDE[test].store(value, Relaxed);
}

fn outside(test: usize) -> u64 {
    OUTSIDE[test].load(Relaxed)
}

#[derive(Default, Record, Snapshot, Serialize, Deserialize)]
#[record(key = u32)]
#[snapshot(name = "sum")]
pub(crate) struct Sum(pub(crate) u64);

/// An answer without `Debug`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Total {
    key: u32,
    sum: Option<u64>,
}

impl Answer for Total {}

#[derive(Clone, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = Total, error = String)]
#[snapshot(name = "sum-event")]
pub(crate) enum Change {
    #[event(add)]
    Add(Add),
    #[event(drift)]
    Drift(Drift),
    #[event(leak)]
    Leak(Leak),
    #[event(cascade)]
    Cascade(Cascade),
    #[event(check)]
    Check(Check),
    #[event(count)]
    Count(Count),
    #[event(tick)]
    Tick(Tick),
}

/// Adds to a sum, and answers it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Add(pub(crate) u32, pub(crate) u64);

/// Adds the value outside. The answer does not show it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Drift(pub(crate) usize, pub(crate) u32);

/// Answers the value outside.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Leak(pub(crate) usize, pub(crate) u32);

/// Returns as many events `Add` as the value outside.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Cascade(pub(crate) usize, pub(crate) u32);

/// Fails if the value outside is not 0.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Check(pub(crate) usize, pub(crate) u32);

/// Answers the value outside, and raises it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Count(pub(crate) usize);

/// Adds the value outside, and raises it. The answer does not show it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Tick(pub(crate) usize, pub(crate) u32);

#[handler]
fn add(event: &Add, #[key(event.0)] sum: &mut Sum) -> Total {
    sum.0 += event.1;
    Total {
        key: event.0,
        sum: Some(sum.0),
    }
}

#[handler]
fn drift(event: &Drift, #[key(event.1)] sum: &mut Sum) -> Total {
    sum.0 += outside(event.0);
    Total {
        key: event.1,
        sum: None,
    }
}

#[handler]
fn leak(event: &Leak, #[key(event.1)] sum: &mut Sum) -> Total {
    sum.0 += 1;
    Total {
        key: event.1,
        sum: Some(outside(event.0)),
    }
}

#[handler]
fn cascade(event: &Cascade, #[key(event.1)] sum: &mut Sum) -> FollowUps<Change, Total> {
    let n = outside(event.0);
    let key = event.1;
    let sum = Some(sum.0);
    FollowUps::events((0..n).map(|nth| Add(key, nth).into())).answering(Total { key, sum })
}

#[handler]
fn check(event: &Check, #[key(event.1)] sum: &mut Sum) -> Result<Total, String> {
    match outside(event.0) {
        0 => Ok(Total {
            key: event.1,
            sum: Some(sum.0),
        }),
        value => Err(format!("the value is {value}")),
    }
}

#[handler]
fn count(event: &Count) -> Total {
    Total {
        key: 0,
        sum: Some(OUTSIDE[event.0].fetch_add(1, Relaxed)),
    }
}

#[handler]
fn tick(event: &Tick, #[key(event.1)] sum: &mut Sum) -> Total {
    sum.0 += OUTSIDE[event.0].fetch_add(1, Relaxed);
    Total {
        key: event.1,
        sum: None,
    }
}

pub(crate) fn program() -> Durable<Change> {
    Durable::new("sums", 1).state::<Records<Sum>>()
}

pub(crate) fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::<Sum>::or_default());
    resources
}

pub(crate) fn open(disk: &SimulatedDisk) -> Opened<SimulatedDisk> {
    disk.end_program();
    open_on(disk.clone()).unwrap()
}

pub(crate) fn recover_with(
    disk: &SimulatedDisk,
    program: Durable<Change>,
) -> Result<DurableStream<Change>, DurableError> {
    let opened = open(disk);
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    program.recover_from(journal, snapshots, resources())
}

pub(crate) fn recover(disk: &SimulatedDisk) -> Result<DurableStream<Change>, DurableError> {
    recover_with(disk, program())
}
