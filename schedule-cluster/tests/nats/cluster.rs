//! A cluster whose journal is in a server that is killed and restarted under load.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::nats::NatsJournal;
use schedule_cluster::{Cluster, ClusterStream, StartError};
use schedule_stream::durable::{Durable, DurableError};
use schedule_stream::journal::{Snapshots, open_snapshots};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::server::Server;

pub(super) const N_COUNTERS: u32 = 50;

/// The first value of each counter.
pub(super) const FIRST_VALUE: u64 = 1_000_000;

#[derive(Clone, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "counter")]
pub(super) struct Counter(pub(super) u64);

/// Moves one from a counter to another. The last field is the number of the event.
#[derive(Clone, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(move_one, answer = u64, error = String)]
#[snapshot(name = "move")]
pub(super) struct Move(pub(super) u32, pub(super) u32, pub(super) u64);

#[handler]
fn move_one(
    event: &Move,
    #[key(event.0)] from: &mut Counter,
    #[key(event.1)] to: &mut Counter,
) -> u64 {
    from.0 -= 1;
    to.0 += 1;
    from.0 << 32 | to.0
}

fn program() -> Cluster<Move> {
    let resources = || {
        let mut resources = Resources::new();
        let counters = (0..N_COUNTERS).map(|id| (id, Counter(FIRST_VALUE)));
        resources.insert(Records::from_iter(counters));
        resources
    };
    let durable = Durable::new("counters", 1).idempotency_keys(100_000);
    Cluster::new(durable, resources).records::<Counter>()
}

/// Becomes a worker, if a supervisor has started this test.
#[test]
fn worker() {
    drop(program().work_if_asked());
}

pub(super) fn recover_from(
    journal: NatsJournal,
    snapshots: Box<dyn Snapshots>,
    folder: &Path,
) -> Result<ClusterStream<Move>, StartError> {
    let program = program().processes(2).command(|_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["cluster::worker", "--exact", "--nocapture"]);
        command
    });
    program.recover_from(Box::new(journal), snapshots, folder)
}

fn recover(server: &Server, folder: &Path) -> ClusterStream<Move> {
    let snapshots = open_snapshots(folder).unwrap();
    recover_from(server.open("counters"), Box::new(snapshots), folder).unwrap()
}

/// The event with this number, and the serial loop.
pub(super) fn event(nth: u64) -> (u32, u32) {
    let from = (nth * 7 % u64::from(N_COUNTERS)) as u32;
    let to = (nth * 13 + 1) % u64::from(N_COUNTERS);
    if to as u32 == from {
        (from, (from + 1) % N_COUNTERS)
    } else {
        (from, to as u32)
    }
}

#[test]
fn cluster_survives_kills_of_the_server_under_load() {
    let Some(mut server) = Server::start(1 << 20) else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("schedule-nats-{}", std::process::id()));
    let mut serial = vec![FIRST_VALUE; N_COUNTERS as usize];
    let mut answers = Vec::new();
    let mut n_events = 0;
    for round in 0..4 {
        let mut stream = recover(&server, &folder);
        // Events whose outcomes were not released may be in the journal. Each batch has 100.
        let n_before = (stream.next_batch() - 1) * 100;
        while n_events < n_before {
            let (from, to) = event(n_events);
            serial[from as usize] -= 1;
            serial[to as usize] += 1;
            n_events += 1;
        }
        assert_eq!(n_events, n_before, "an accepted event is lost");
        let failed = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(300));
                server.kill();
            });
            loop {
                let events = (n_events..n_events + 100).map(|nth| {
                    let (from, to) = event(nth);
                    Move(from, to, nth)
                });
                answers.clear();
                let report = |outcome: Outcome<Move>| answers.push(outcome.result.unwrap());
                if let Err(error) = stream.process_batch(events, report) {
                    return error;
                }
                for answer in &answers {
                    let (from, to) = event(n_events);
                    serial[from as usize] -= 1;
                    serial[to as usize] += 1;
                    assert_eq!(*answer, serial[from as usize] << 32 | serial[to as usize]);
                    n_events += 1;
                }
                if n_events % 2_000 == 0 {
                    stream.snapshot().unwrap_or_default();
                }
            }
        });
        assert!(
            matches!(failed, DurableError::Journal(_)),
            "{round}: {failed}"
        );
        drop(stream);
        server.restart();
    }
    let stream = recover(&server, &folder);
    let collected = stream.control().collect().unwrap();
    let n_all = (stream.next_batch() - 1) * 100;
    for nth in n_events..n_all {
        let (from, to) = event(nth);
        serial[from as usize] -= 1;
        serial[to as usize] += 1;
    }
    let counters = collected.get::<Records<Counter>>().unwrap();
    for (id, expected) in (0..).zip(serial) {
        assert_eq!(counters.get(id).unwrap().0, expected);
    }
    drop(stream);
    std::fs::remove_dir_all(&folder).unwrap();
}
