//! A full disk: clients get clear errors, no acknowledged outcome is lost, and the cluster continues when space is freed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use schedule_cluster::{Cluster, ClusterStream, StartError};
use schedule_stream::durable::DurableError;
use schedule_stream::journal::{self, JournalError};
use schedule_stream::service::{ServiceError, ServiceHandle};
use schedule_tests::child::Child;
use schedule_tests_cluster::Entry;
use schedule_tests_cluster::random::Random;

use super::kills::signal;
use super::small_disk::SmallDisk;
use super::support::{
    Folder, Reported, assert_same_state, cluster, cluster_that_reports, continue_in_both,
    replay_serially,
};

const LIMIT: Duration = Duration::from_secs(240);

/// The end of the text of an error.
const FULL: &str = "the disk is full; free some space";

/// A part of the text of an error of a worker.
const CANNOT_SAVE: &str = "cannot save its state: No space left on device";

/// Number of clients that submit events at the same time.
const N_CLIENTS: u64 = 4;

/// Submits random events until the service ends. Returns the outcomes, and the error.
fn submit_until_error(
    handle: &ServiceHandle<Entry>,
    seed: u64,
    n_done: &AtomicUsize,
) -> (Vec<Reported>, ServiceError) {
    let mut random = Random::new(seed);
    let mut outcomes = Vec::new();
    loop {
        for event in random.events(20) {
            match handle.submit_blocking(event) {
                Ok(outcome) => outcomes.push(Reported::new(outcome)),
                Err(error) => return (outcomes, error),
            }
            n_done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Waits until the clients have this many more outcomes.
fn wait_for_outcomes(n_done: &AtomicUsize, n_more: usize) {
    let end = n_done.load(Ordering::Relaxed) + n_more;
    while n_done.load(Ordering::Relaxed) < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The outcomes of all clients, by position.
fn join_all(
    clients: Vec<ScopedJoinHandle<'_, (Vec<Reported>, ServiceError)>>,
) -> (Vec<Reported>, Vec<ServiceError>) {
    let (outcomes, errors): (Vec<_>, Vec<_>) = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .unzip();
    let mut outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by_key(|one| one.position);
    (outcomes, errors)
}

/// Recovers with the journal on a disk, and the snapshots and parts there, too, or in another directory.
fn recover(
    cluster: Cluster<Entry>,
    disk: &SmallDisk,
    other: Option<&Path>,
) -> Result<ClusterStream<Entry>, StartError> {
    let Some(other) = other else {
        return cluster.recover(disk.path());
    };
    let journal = journal::open(disk.path())
        .map_err(DurableError::from)?
        .journal;
    let snapshots = journal::open_snapshots(other).unwrap();
    cluster.recover_from(Box::new(journal), Box::new(snapshots), other)
}

/// The journal is on a full disk. `other`: the directory of snapshots, if it is on another disk.
fn fill_journal(disk: &SmallDisk, other: Option<&Path>) {
    let service = recover(cluster(2), disk, other).unwrap().serve();
    let handle = service.handle();
    let n_done = AtomicUsize::new(0);
    let (released, errors) = thread::scope(|scope| {
        let submit = |seed| {
            let (handle, n_done) = (&handle, &n_done);
            scope.spawn(move || submit_until_error(handle, seed, n_done))
        };
        let clients = (0..N_CLIENTS).map(submit).collect();
        wait_for_outcomes(&n_done, 200);
        disk.fill(16 << 10);
        join_all(clients)
    });
    let is_unknown = |error: &ServiceError| matches!(error, ServiceError::Unknown);
    for error in &errors {
        let is_closed = matches!(error, ServiceError::Closed);
        assert!(is_unknown(error) || is_closed, "{error}");
    }
    assert!(errors.iter().any(is_unknown), "no batch was in flight");
    let error = service.shutdown().unwrap_err();
    let is_full = matches!(*error, DurableError::Journal(JournalError::Full { .. }));
    let text = error.to_string();
    assert!(is_full && text.ends_with(FULL), "{text}");

    // Not even the head of a segment can be written.
    disk.free();
    disk.fill(0);
    let error = recover(cluster(2), disk, other).unwrap_err();
    assert!(matches!(error, StartError::Durable(_)), "{error:?}");
    assert!(error.to_string().ends_with(FULL), "{error}");

    disk.free();
    let (mut serial, expected) = replay_serially(disk.path());
    let (reporting, replayed) = cluster_that_reports(3);
    let mut cluster = recover(reporting, disk, other).unwrap();
    Reported::assert_same(&replayed.borrow(), &expected);
    for outcome in &released {
        let found = expected.binary_search_by_key(&outcome.position, |one| one.position);
        assert_eq!(outcome, &expected[found.expect("an outcome is lost")]);
    }
    assert_same_state(&cluster, &serial);
    continue_in_both(&mut cluster, &mut serial, 90);
    cluster.snapshot().unwrap();
}

#[test]
fn full_disk_of_the_journal_loses_no_released_outcome() {
    if SmallDisk::new().is_none() {
        return;
    }
    for has_snapshots in ["with snapshots", "without snapshots"] {
        Child::new(|| {
            let (disk, folder) = (SmallDisk::new().unwrap(), Folder::new());
            let other = (has_snapshots == "without snapshots").then_some(folder.path());
            fill_journal(&disk, other);
        })
        .label(has_snapshots)
        .limit(LIMIT)
        .run();
    }
}

/// Names and sizes of all parts.
fn parts(directory: &Path) -> Vec<(OsString, u64)> {
    let entries = fs::read_dir(directory.join("parts")).unwrap();
    let all = entries.map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name(), entry.metadata().unwrap().len())
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

/// The snapshots and their parts are on a full disk, and the journal is in a folder.
fn fill_snapshots(disk: &SmallDisk, folder: &Folder) {
    let recover = |cluster: Cluster<Entry>| {
        let journal = journal::open(folder.path()).unwrap().journal;
        let snapshots = journal::open_snapshots(disk.path()).unwrap();
        cluster.recover_from(Box::new(journal), Box::new(snapshots), disk.path())
    };
    disk.fill(0);
    let error = recover(cluster(2)).unwrap_err();
    assert!(error.to_string().contains(CANNOT_SAVE), "{error}");
    disk.free();

    let stream = recover(cluster(2)).unwrap();
    let control = stream.control();
    let service = stream.serve();
    let handle = service.handle();
    let mut random = Random::new(31);
    let mut released = Vec::new();
    let mut submit = || {
        for event in random.events(20) {
            let outcome = handle.submit_blocking(event).unwrap();
            released.push(Reported::new(outcome));
        }
    };
    submit();
    handle.snapshot_blocking().unwrap();
    let before = parts(disk.path());

    // At most one of two parts can be written. An attempt leaves no file that takes space.
    disk.fill(4 << 10);
    for _ in 0..3 {
        submit();
        let error = handle.snapshot_blocking().unwrap_err();
        assert!(matches!(error, ServiceError::Refused(_)), "{error:?}");
        assert!(error.to_string().contains(CANNOT_SAVE), "{error}");
        assert_eq!(parts(disk.path()), before);
    }
    assert_eq!(control.failures(), [""; 0]);
    // The workers continue from the snapshot before.
    signal("KILL", control.process_ids()[0]);
    submit();
    assert_eq!(control.n_generations(), 2);

    // The parts of a few buckets can be written, but not the manifest, which has 1,024 entries.
    disk.free();
    for _ in 0..2 {
        submit();
        handle.snapshot_blocking().unwrap();
    }
    disk.fill(48 << 10);
    submit();
    let error = handle.snapshot_blocking().unwrap_err();
    assert!(error.to_string().ends_with(FULL), "{error}");
    signal("KILL", control.process_ids()[1]);
    submit();
    assert_eq!(control.n_generations(), 3);
    // The disk is still full. A recovery needs no space on it.
    service.shutdown().unwrap();
    drop(recover(cluster(3)).unwrap());

    disk.free();
    let (mut serial, expected) = replay_serially(folder.path());
    let arrived = || expected.iter().filter(|outcome| outcome.cause.is_none());
    for (found, expected) in released.iter().zip(arrived()) {
        assert_eq!(found, expected);
    }
    assert_eq!(released.len(), arrived().count());
    let mut cluster = recover(cluster(3)).unwrap();
    assert_same_state(&cluster, &serial);
    continue_in_both(&mut cluster, &mut serial, 91);
    cluster.snapshot().unwrap();
    drop(cluster);
    assert_same_state(&recover(self::cluster(1)).unwrap(), &serial);
}

#[test]
fn full_disk_of_snapshots_ends_no_service() {
    if SmallDisk::new().is_none() {
        return;
    }
    Child::new(|| fill_snapshots(&SmallDisk::new().unwrap(), &Folder::new()))
        .limit(LIMIT)
        .run();
}
