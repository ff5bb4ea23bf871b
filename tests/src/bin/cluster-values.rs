//! Clusters with keys and results that cannot be sent, and with a store that is added later. Fails if an outcome is wrong.
//!
//! `cluster-values FOLDER first`: events whose keys and results cannot all be sent, then a snapshot. `cluster-values FOLDER second`:
//! goes on with one store more, takes snapshots, and kills a worker.

use core::fmt;
use std::process::Command;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::{Cluster, ClusterStream, owner_of};
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

const N_PROCESSES: u32 = 2;

const N_LIMITS: u32 = 5_000;

/// The number of a seat. Only numbers below 100 can be serialized.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
struct Number(u32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0..100 => self.0.serialize(serializer),
            _ => Err(S::Error::custom("the seat is unknown")),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(key = Number)]
#[snapshot(name = "seat")]
struct Seat(u32);

#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "limit")]
struct Limit(u32);

/// An error that can be serialized, but not read back if the number is 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Refusal {
    #[serde(skip_serializing_if = "is_zero")]
    number: u32,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused {}", self.number)
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Clone, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u32, error = Refusal)]
#[snapshot(name = "entry")]
enum Entry {
    #[event(sit)]
    Sit([u32; 3]),
    #[event(refuse)]
    Refuse(u32),
}

#[handler]
fn sit(
    [a, b, c]: &[u32; 3],
    #[key(Number(*a))] first: &mut Seat,
    #[key(Number(*b))] second: &mut Seat,
    #[key(Number(*c))] third: &mut Seat,
) -> Result<u32, Refusal> {
    for seat in [&mut *first, second, third] {
        seat.0 += 1;
    }
    Ok(first.0)
}

#[handler]
fn refuse(number: &u32, #[key(Number(1))] _seat: &Seat) -> Result<u32, Refusal> {
    Err(Refusal { number: *number })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    let seats = (0..20).map(|number| (Number(number), Seat(0)));
    resources.insert(Records::from_iter(seats));
    let limits = (0..N_LIMITS).map(|id| (id, Limit(id)));
    resources.insert(Records::from_iter(limits));
    resources
}

fn program(has_limits: bool) -> Cluster<Entry> {
    let cluster = Cluster::new(Durable::new("values", 1), resources).records::<Seat>();
    match has_limits {
        true => cluster.records::<Limit>(),
        false => cluster,
    }
}

/// Processes a batch. Returns its results as text.
fn results(stream: &mut ClusterStream<Entry>, events: Vec<Entry>) -> Vec<String> {
    let mut results = Vec::new();
    stream
        .process_batch(events, |outcome| {
            results.push(match outcome.result {
                Ok(answer) => answer.to_string(),
                Err(error) => error.to_string(),
            });
        })
        .expect("the cluster works");
    results
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_second = arguments.iter().any(|argument| argument == "second");
    let program = program(is_second).work_if_asked();
    let stream = program
        .processes(N_PROCESSES as usize)
        .recover(&arguments[1]);
    let mut stream = stream.expect("the cluster starts");
    match is_second {
        false => first(&mut stream),
        true => second(&mut stream),
    }
    assert_eq!(stream.control().failures(), [""; 0]);
}

fn first(stream: &mut ClusterStream<Entry>) {
    let of = |worker| (0..20).find(|number| owner_of(&Number(*number), N_PROCESSES) == worker);
    let (a, b) = (of(0).unwrap(), of(1).unwrap());
    // The keys before the one that cannot be serialized have two owners.
    let events = vec![
        Entry::Sit([a, b, 100]),
        Entry::Sit([100, a, b]),
        Entry::Sit([a, b, a + b + 1]),
    ];
    let found = results(stream, events);
    assert!(
        found[0].contains("a key of the event cannot be serialized"),
        "{found:?}"
    );
    assert!(
        found[1].contains("a key of the event cannot be serialized"),
        "{found:?}"
    );
    assert_eq!(found[2], "1");
    let events = vec![
        Entry::Refuse(1),
        Entry::Refuse(0),
        Entry::Refuse(2),
        Entry::Sit([a, b, a + b + 1]),
    ];
    let found = results(stream, events);
    assert!(found[1].contains("the result cannot be sent"), "{found:?}");
    assert_eq!(found[3], "2");
    stream.snapshot().expect("the snapshot is written");
}

fn second(stream: &mut ClusterStream<Entry>) {
    for _ in 0..2 {
        results(stream, vec![Entry::Refuse(1)]);
        stream.snapshot().expect("the snapshot is written");
    }
    let worker = stream.control().process_ids()[0].to_string();
    let killed = Command::new("kill").args(["-9", &worker]).status();
    assert!(killed.expect("the program `kill` exists").success());
    assert_eq!(results(stream, vec![Entry::Refuse(1)]).len(), 1);
    let resources = stream.control().collect().expect("the workers answer");
    let limits = resources.get::<Records<Limit>>().expect("the store exists");
    assert_eq!(limits.len(), N_LIMITS as usize);
    assert_eq!(stream.control().n_generations(), 2);
    std::process::exit(0);
}
