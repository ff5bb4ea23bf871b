//! Clients of a cluster whose journal is in a server, while another supervisor takes over, or the server is killed.

use core::ops::ControlFlow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use schedule_cluster::nats::NatsJournal;
use schedule_cluster::{ClusterStream, StartError};
use schedule_stream::Position;
use schedule_stream::durable::{DurableError, read_events};
use schedule_stream::journal::{EntryKind, Journal, JournalError};
use schedule_stream::prelude::*;
use schedule_stream::service::{Service, ServiceError, ServiceSettings};

use super::cluster::{Counter, FIRST_VALUE, Move, N_COUNTERS, event, recover_from};
use super::durable::Shared;
use super::server::Server;

const STREAM: &str = "moves";

const N_CLIENTS: u64 = 4;

/// Number of outcomes before each fault.
const N_BEFORE: usize = 150;

/// The time limit of a call of the server.
const TIMEOUT: Duration = Duration::from_secs(3);

const LIMIT: Duration = Duration::from_secs(120);

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("schedule-nats-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Recovers the cluster. All supervisors share the snapshots without a lock, as on two machines.
fn recover(
    server: &Server,
    snapshots: &Shared,
    folder: &Path,
) -> Result<ClusterStream<Move>, StartError> {
    let journal = open(server);
    recover_from(journal, Box::new(snapshots.clone()), folder)
}

fn open(server: &Server) -> NatsJournal {
    NatsJournal::open(&server.options(STREAM).timeout(TIMEOUT)).unwrap()
}

/// Adds the batches of the journal. Snapshots remove the segments of earlier supervisors, so it is called after each of them. Fails
/// if a batch has changed.
fn read_batches(server: &Server, batches: &mut BTreeMap<u64, Vec<Move>>) {
    let read = open(server).read(1, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        let batch = stored.record.batch;
        let events = read_events::<Move>(stored).unwrap();
        if let Some(before) = batches.insert(batch, events.clone()) {
            assert_eq!(before, events, "batch {batch}");
        }
        ControlFlow::Continue(())
    });
    read.unwrap();
}

fn serve(stream: ClusterStream<Move>) -> Service<Move> {
    stream.serve_with(ServiceSettings::new().snapshot_every(20))
}

/// A client that submits its events one after the other, and repeats an event whose outcome it does not know.
struct Client {
    id: u64,
    /// Number of events whose outcome is known.
    n_done: u64,
    /// The answers by position, each with the number of the event.
    answers: BTreeMap<Position, (u64, u64)>,
}

impl Client {
    fn all() -> Vec<Self> {
        let client = |id| Self {
            id,
            n_done: 0,
            answers: BTreeMap::new(),
        };
        (0..N_CLIENTS).map(client).collect()
    }

    /// Submits events until the service ends.
    fn submit(&mut self, service: &Service<Move>, n_outcomes: &AtomicUsize) -> ServiceError {
        let (handle, start) = (service.handle(), Instant::now());
        loop {
            assert!(start.elapsed() < LIMIT, "the service does not end");
            let nth = self.n_done * N_CLIENTS + self.id;
            let (from, to) = event(nth);
            let key = format!("move {nth}");
            match handle.submit_with_key_blocking(key, Move(from, to, nth)) {
                Ok(outcome) => {
                    let answer = (nth, outcome.result.unwrap());
                    let before = self.answers.insert(outcome.position, answer);
                    assert_eq!(before, None, "two events have one position");
                }
                Err(error) => return error,
            }
            self.n_done += 1;
            n_outcomes.fetch_add(1, Relaxed);
        }
    }
}

/// Lets the clients submit events. Calls `disturb` meanwhile. Returns the errors that ended them.
fn submit_all(
    service: &Service<Move>,
    clients: &mut [Client],
    disturb: impl FnOnce(),
) -> Vec<ServiceError> {
    let n_outcomes = AtomicUsize::new(0);
    thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| scope.spawn(|| client.submit(service, &n_outcomes)))
            .collect();
        let start = Instant::now();
        while n_outcomes.load(Relaxed) < N_BEFORE && start.elapsed() < LIMIT {
            thread::sleep(Duration::from_millis(1));
        }
        let n = n_outcomes.load(Relaxed);
        if n < N_BEFORE {
            // Otherwise the clients would never end.
            service.handle().close();
            panic!("{n} outcomes in {LIMIT:?}");
        }
        disturb();
        let errors = threads.into_iter().map(|thread| thread.join().unwrap());
        errors.collect()
    })
}

/// Ends the service in order, and compares all answers and the state with one loop over the events of the journal.
fn end_and_compare(
    server: &Server,
    snapshots: &Shared,
    folder: &Path,
    service: Service<Move>,
    mut clients: Vec<Client>,
    mut batches: BTreeMap<u64, Vec<Move>>,
) {
    let errors = submit_all(&service, &mut clients, || service.handle().close());
    for error in errors {
        assert!(matches!(error, ServiceError::Closed), "{error}");
    }
    service.shutdown().unwrap();
    let mut answers: BTreeMap<_, _> = clients
        .iter()
        .flat_map(|client| client.answers.clone())
        .collect();
    let mut values = vec![FIRST_VALUE; N_COUNTERS as usize];
    let mut n_of_client = vec![0; clients.len()];
    read_batches(server, &mut batches);
    for ((batch, events), expected) in batches.into_iter().zip(1..) {
        assert_eq!(batch, expected, "a batch is missing");
        for (index, Move(from, to, nth)) in (0..).zip(events) {
            let [client, n_before] = [nth % N_CLIENTS, nth / N_CLIENTS];
            assert_eq!(n_of_client[client as usize], n_before, "doubled or lost");
            n_of_client[client as usize] += 1;
            values[from as usize] -= 1;
            values[to as usize] += 1;
            let expected = values[from as usize] << 32 | values[to as usize];
            let found = answers.remove(&Position::new(batch, index));
            assert_eq!(found, Some((nth, expected)));
        }
    }
    assert!(answers.is_empty(), "lost: {answers:?}");
    let n_done: Vec<_> = clients.iter().map(|client| client.n_done).collect();
    assert_eq!(n_of_client, n_done);
    let stream = recover(server, snapshots, folder).unwrap();
    let collected = stream.control().collect().unwrap();
    let counters = collected.get::<Records<Counter>>().unwrap();
    for (id, expected) in (0..).zip(values) {
        assert_eq!(counters.get(id).unwrap().0, expected);
    }
}

/// Clients do not know the outcomes of the last batches. No event was refused for another reason.
fn assert_ended(errors: &[ServiceError]) {
    for error in errors {
        let is_end = matches!(error, ServiceError::Unknown | ServiceError::Closed);
        assert!(is_end, "{error}");
    }
}

#[test]
fn clients_continue_with_a_second_supervisor_that_fences_the_first() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let folder = Folder::new("takeover");
    let (snapshots, mut clients) = (Shared::default(), Client::all());
    let mut batches = BTreeMap::new();
    let recover = || recover(&server, &snapshots, &folder.0);
    let mut service = serve(recover().unwrap());
    for _ in 0..3 {
        let mut second = None;
        let errors = submit_all(&service, &mut clients, || {
            // The first one writes while the second one recovers, so the second one is refused. It has changed nothing.
            let error = recover().unwrap_err();
            let is_fenced = matches!(
                error,
                StartError::Durable(DurableError::Journal(JournalError::Fenced { .. }))
            );
            assert!(is_fenced, "{error:?}");
            // The first one is silent, and continues too late.
            let pause = service.handle().pause_blocking().unwrap();
            second = Some(recover().unwrap());
            drop(pause);
        });
        assert_ended(&errors);
        let error = service.shutdown().unwrap_err();
        let is_fenced = matches!(*error, DurableError::Journal(JournalError::Fenced { .. }));
        assert!(is_fenced, "{error:?}");
        read_batches(&server, &mut batches);
        service = serve(second.unwrap());
    }
    end_and_compare(&server, &snapshots, &folder.0, service, clients, batches);
}

#[test]
fn clients_continue_after_kills_of_the_server() {
    let Some(mut server) = Server::start(1 << 20) else {
        return;
    };
    let folder = Folder::new("restart");
    let (snapshots, mut clients) = (Shared::default(), Client::all());
    let mut batches = BTreeMap::new();
    for _ in 0..5 {
        let service = serve(recover(&server, &snapshots, &folder.0).unwrap());
        let errors = submit_all(&service, &mut clients, || server.kill());
        assert_ended(&errors);
        let error = service.shutdown().unwrap_err();
        let is_remote = matches!(*error, DurableError::Journal(JournalError::Remote { .. }));
        assert!(is_remote, "{error:?}");
        server.restart();
        read_batches(&server, &mut batches);
    }
    let service = serve(recover(&server, &snapshots, &folder.0).unwrap());
    end_and_compare(&server, &snapshots, &folder.0, service, clients, batches);
}
