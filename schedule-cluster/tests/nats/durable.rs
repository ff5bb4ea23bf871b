//! A durable stream whose journal is in a server.

use std::sync::{Arc, Mutex};

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::nats::NatsJournal;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{JournalError, MemorySnapshots, Snapshots};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::server::Server;

#[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "sum")]
struct Sum(u64);

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(add, answer = u64)]
#[snapshot(name = "add")]
struct Add(u64);

#[handler]
fn add(event: &Add, sum: &mut Sum) -> u64 {
    sum.0 += event.0;
    sum.0
}

/// Snapshots that all supervisors share.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<MemorySnapshots>>);

impl Snapshots for Shared {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        self.0.lock().unwrap().list()
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        self.0.lock().unwrap().write(batch, bytes)
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        self.0.lock().unwrap().read(batch)
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.0.lock().unwrap().remove_before(batch)
    }
}

/// Recovers the stream, also the first time.
fn recover(server: &Server, snapshots: &Shared) -> DurableStream<Add> {
    let recovered = try_recover(server, "counter", snapshots);
    recovered.expect("the stream can be recovered")
}

/// Recovers the stream from the journal with this name.
fn try_recover(
    server: &Server,
    name: &str,
    snapshots: &Shared,
) -> Result<DurableStream<Add>, DurableError> {
    recover_with(server.open(name), snapshots)
}

fn recover_with(
    journal: NatsJournal,
    snapshots: &Shared,
) -> Result<DurableStream<Add>, DurableError> {
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    let program = Durable::new("counter", 1).state::<Sum>();
    program.recover_from(Box::new(journal), Box::new(snapshots.clone()), resources)
}

fn process(stream: &mut DurableStream<Add>, numbers: &[u64]) -> Result<Vec<u64>, DurableError> {
    let mut answers = Vec::new();
    let events = numbers.iter().map(|&number| Add(number));
    stream.process_batch(events, |outcome| answers.push(outcome.result.unwrap()))?;
    Ok(answers)
}

fn sum(stream: &DurableStream<Add>) -> u64 {
    stream.resources().get::<Sum>().unwrap().0
}

#[test]
fn durable_stream_is_recovered_and_its_older_writer_is_fenced() {
    let Some(mut server) = Server::start(1 << 20) else {
        return;
    };
    let snapshots = Shared::default();
    let mut stream = recover(&server, &snapshots);
    assert_eq!(process(&mut stream, &[2, 3]).unwrap(), [2, 5]);
    assert_eq!(process(&mut stream, &[10]).unwrap(), [15]);
    drop(stream);
    server.kill();
    server.restart();
    let mut older = recover(&server, &snapshots);
    assert_eq!(sum(&older), 15);
    assert_eq!(process(&mut older, &[5]).unwrap(), [20]);

    // Another supervisor takes over, while the older one is still there.
    let mut newer = recover(&server, &snapshots);
    assert_eq!(sum(&newer), 20);
    let error = process(&mut older, &[100]).unwrap_err();
    assert!(
        matches!(error, DurableError::Journal(JournalError::Fenced { .. })),
        "{error}"
    );
    assert!(process(&mut older, &[100]).is_err());
    assert_eq!(process(&mut newer, &[1]).unwrap(), [21]);
    drop((older, newer));
    assert_eq!(sum(&recover(&server, &snapshots)), 21);
}

/// The journal is opened first, then the snapshots are listed. A snapshot that another process writes in between is not of a batch
/// that the opened journal has.
#[test]
fn recovery_while_another_process_writes_snapshots_is_fenced() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let snapshots = Shared::default();
    let mut stream = recover(&server, &snapshots);
    process(&mut stream, &[2]).unwrap();
    let opened = server.open("counter");
    process(&mut stream, &[3]).unwrap();
    assert_eq!(stream.snapshot().unwrap(), 2);
    let error = recover_with(opened, &snapshots).unwrap_err();
    assert!(
        matches!(error, DurableError::Journal(JournalError::Fenced { .. })),
        "{error}"
    );
    assert_eq!(process(&mut stream, &[5]).unwrap(), [10]);
}

#[test]
fn journal_that_is_older_than_its_snapshots_is_an_error() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let snapshots = Shared::default();
    let mut stream = recover(&server, &snapshots);
    process(&mut stream, &[2]).unwrap();
    process(&mut stream, &[3]).unwrap();
    assert_eq!(stream.snapshot().unwrap(), 2);
    drop(stream);
    // A server that has lost all messages.
    let error = try_recover(&server, "lost", &snapshots).unwrap_err();
    assert!(matches!(error, DurableError::Gap { .. }), "{error}");
    assert_eq!(sum(&recover(&server, &snapshots)), 5);
}
