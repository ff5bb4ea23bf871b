//! Clusters with keys and results that cannot be sent, and with a store that is added later. Fails if an outcome is wrong.
//!
//! `cluster-values FOLDER first`: events whose keys and results cannot all be sent, then a snapshot. `cluster-values FOLDER second`:
//! goes on with one store more, takes snapshots, and kills a worker. `cluster-values FOLDER third`: that store has another name.
//! `cluster-values FOLDER fourth`: it is dropped.
//!
//! `cluster-values FOLDER tally` and `cluster-values FOLDER score`: a resource of one process, whose name changes.

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

/// A [`Limit`] with another name.
#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "bound")]
struct Bound(u32);

/// Another type with the name of a [`Limit`].
#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "limit")]
struct Changed(u64);

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
    resources.insert(Records::<Bound>::new());
    resources.insert(Records::<Changed>::new());
    resources
}

fn program(mode: &str) -> Cluster<Entry> {
    let durable = Durable::new("values", 1);
    let with_seats = |durable| Cluster::new(durable, resources).records::<Seat>();
    match mode {
        "second" => with_seats(durable).records::<Limit>(),
        "third" => with_seats(durable.renamed("limit", "bound")).records::<Bound>(),
        "fourth" => with_seats(durable.dropped("bound")),
        _ => with_seats(durable),
    }
}

/// The error of a cluster that does not start.
fn error_of(cluster: Cluster<Entry>, folder: &str) -> String {
    let recovered = cluster.processes(N_PROCESSES as usize).recover(folder);
    recovered
        .expect_err("the cluster does not start")
        .to_string()
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

/// Defines a program with a resource that has this name in snapshots.
macro_rules! counters {
    ($($module:ident $name:tt $change:expr,)*) => {$(
        mod $module {
            use super::*;

            #[derive(Clone, Default, Resource, Snapshot, Serialize, Deserialize)]
            #[snapshot(name = $name)]
            struct Counter(u32);

            #[derive(Clone, Event, Snapshot, Serialize, Deserialize)]
            #[event(count, answer = u32, error = String)]
            #[snapshot(name = "count")]
            struct Count;

            #[handler]
            fn count(_: &Count, counter: &mut Counter) -> u32 {
                counter.0 += 1;
                counter.0
            }

            fn resources() -> Resources {
                let mut resources = Resources::new();
                resources.insert_default::<Counter>();
                resources
            }

            /// Counts once, and takes a snapshot. Returns the number.
            pub(super) fn run(folder: &str) -> u32 {
                let durable: Durable<Count> = Durable::new("counters", 1);
                let durable = match $change {
                    Some((from, to)) => durable.renamed(from, to),
                    None => durable,
                };
                let cluster = Cluster::new(durable, resources)
                    .state::<Counter>()
                    .work_if_asked()
                    .processes(N_PROCESSES as usize);
                let mut stream = cluster.recover(folder).expect("the cluster starts");
                let mut answer = 0;
                let processed = stream.process_batch([Count], |outcome| {
                    answer = outcome.result.expect("the handler answers");
                });
                processed.expect("the cluster works");
                stream.snapshot().expect("the snapshot is written");
                answer
            }
        }
    )*};
}

counters! {
    tally "tally" None::<(&str, &str)>,
    score "score" Some(("tally", "score")),
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, mode, ..] = &arguments[..] else {
        panic!("usage: cluster-values FOLDER MODE");
    };
    match mode.as_str() {
        "tally" => return assert_eq!((tally::run(folder), tally::run(folder)), (1, 2)),
        "score" => return assert_eq!((score::run(folder), score::run(folder)), (3, 4)),
        _ => {}
    }
    let program = program(mode).work_if_asked();
    if mode == "third" {
        let error = error_of(self::program("first"), folder);
        assert!(error.contains("does not restore: `limit`;"), "{error}");
        let changed = Cluster::new(Durable::new("values", 1), resources)
            .records::<Seat>()
            .records::<Changed>();
        let error = error_of(changed, folder);
        let text = "`limit` has changed since it was saved, but its version is still 1: `limit.0` was `u32`, and is `u64` now";
        assert!(error.contains(text), "{error}");
    }
    let mut stream = program
        .processes(N_PROCESSES as usize)
        .recover(folder)
        .expect("the cluster starts");
    match mode.as_str() {
        "second" => second(&mut stream),
        "third" => third(&mut stream),
        "fourth" => fourth(&mut stream),
        _ => first(&mut stream),
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

fn third(stream: &mut ClusterStream<Entry>) {
    let resources = stream.control().collect().expect("the workers answer");
    let bounds = resources.get::<Records<Bound>>().expect("the store exists");
    assert_eq!(bounds.len(), N_LIMITS as usize);
    assert_eq!(bounds.get(7), Some(&Bound(7)));
    results(stream, vec![Entry::Refuse(1)]);
    stream.snapshot().expect("the snapshot is written");
}

fn fourth(stream: &mut ClusterStream<Entry>) {
    let resources = stream.control().collect().expect("the workers answer");
    let seats = resources.get::<Records<Seat>>().expect("the store exists");
    assert_eq!(seats.len(), 20);
    results(stream, vec![Entry::Refuse(1)]);
    stream.snapshot().expect("the snapshot is written");
}
