//! The state survives the end of the supervisor, also with another number of processes.

use core::ops::ControlFlow;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use schedule_cluster::{ClusterStream, StartError};
use schedule_stream::BatchTime;
use schedule_stream::durable::DurableStream;
use schedule_stream::journal::{self, EntryKind, FileSnapshots, Journal, JournalError, Snapshots};
use schedule_tests_cluster::Entry;
use schedule_tests_cluster::random::{Random, clock_after};

use super::kills::signal;
use super::support::{Folder, assert_same_state, cluster, process, serial};

fn recover(n: usize, folder: &Folder, serial: &DurableStream<Entry>) -> ClusterStream<Entry> {
    let mut cluster = self::cluster(n).recover(folder.path()).unwrap();
    assert_eq!(cluster.next_batch(), serial.next_batch());
    cluster.set_clock(clock_after(serial.next_batch() - 1));
    cluster
}

#[test]
fn number_of_processes_can_change_in_each_recovery() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(5));
    // Each with whether a snapshot is taken before the end.
    for (n, has_snapshot) in [
        (2, false),
        (3, true),
        (2, true),
        (4, false),
        (1, true),
        (3, false),
    ] {
        let mut cluster = recover(n, &folder, &serial);
        assert_same_state(&cluster, &serial);
        process(&mut cluster, &mut serial, random.events(300));
        if has_snapshot {
            cluster.snapshot().unwrap();
            // Few buckets have changed since.
            process(&mut cluster, &mut serial, random.events(2));
            cluster.snapshot().unwrap();
            process(&mut cluster, &mut serial, random.events(3));
        }
        assert_same_state(&cluster, &serial);
    }
}

#[test]
fn times_of_batches_never_go_back() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(31));
    for (n, has_snapshot, start) in [(2, false, 1_000), (1, true, 600), (2, false, 900)] {
        let mut cluster = recover(n, &folder, &serial);
        let clock = || {
            let mut now: u64 = start + 1;
            move || {
                now = now.saturating_sub(1);
                BatchTime::from_nanos(now)
            }
        };
        cluster.set_clock(clock());
        serial.set_clock(clock());
        for _ in 0..3 {
            process(&mut cluster, &mut serial, random.events(100));
        }
        if has_snapshot {
            cluster.snapshot().unwrap();
        }
        assert_same_state(&cluster, &serial);
    }
    let mut times = Vec::new();
    let mut journal = journal::open(folder.path()).unwrap().journal;
    let read = journal.read(1, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        times.push(stored.record.time);
        ControlFlow::Continue(())
    });
    read.unwrap();
    assert!(times.len() >= 9);
    assert!(times.iter().all(|time| *time == 1_000), "{times:?}");
}

#[test]
fn second_supervisor_is_refused() {
    let folder = Folder::new();
    let first = cluster(1).recover(folder.path()).unwrap();
    let error = cluster(1).recover(folder.path()).unwrap_err();
    assert!(matches!(error, StartError::Durable(_)), "{error}");
    assert!(error.to_string().contains("already open"), "{error}");
    drop(first);
    cluster(1).recover(folder.path()).unwrap();
}

#[test]
fn number_of_processes_is_limited() {
    for n in [0, 65] {
        let folder = Folder::new();
        let error = cluster(n).recover(folder.path()).unwrap_err();
        assert!(matches!(error, StartError::Processes { .. }), "{error}");
    }
}

/// Files of the folder `parts`, by name.
fn parts(folder: &Folder) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder.path().join("parts")).unwrap();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn few_events_between_snapshots_lose_no_records() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(27));
    for n in [2, 3, 1] {
        let mut cluster = recover(n, &folder, &serial);
        for _ in 0..3 {
            process(&mut cluster, &mut serial, random.events(1));
            cluster.snapshot().unwrap();
            // Again, without a batch between.
            cluster.snapshot().unwrap();
            assert_same_state(&cluster, &serial);
            let control = cluster.control();
            signal("KILL", control.process_ids()[0]);
            assert_same_state(&cluster, &serial);
            process(&mut cluster, &mut serial, random.events(1));
        }
    }
    assert_same_state(&recover(2, &folder, &serial), &serial);
}

#[test]
fn workers_continue_after_a_save_that_has_failed() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(18));
    let mut cluster = cluster(2).max_kept_bytes(1).recover(folder.path()).unwrap();
    cluster.set_clock(clock_after(0));
    let control = cluster.control();
    let ids = control.process_ids();
    fs::remove_dir_all(folder.path().join("parts")).unwrap();
    process(&mut cluster, &mut serial, random.events(100));
    assert!(control.n_failures() > 0, "the state was saved");
    assert_eq!((control.n_generations(), control.process_ids()), (1, ids));
    assert_same_state(&cluster, &serial);
}

#[test]
fn any_part_can_be_damaged() {
    for max_kept_bytes in [64 << 20, 1] {
        damage_each_part(max_kept_bytes);
    }
}

fn damage_each_part(max_kept_bytes: usize) {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(17));
    let mut cluster = cluster(2)
        .max_kept_bytes(max_kept_bytes)
        .recover(folder.path())
        .unwrap();
    cluster.set_clock(clock_after(0));
    for n_events in [200, 1, 2, 1] {
        process(&mut cluster, &mut serial, random.events(n_events));
        cluster.snapshot().unwrap();
    }
    assert_eq!(cluster.control().failures(), [""; 0]);
    drop(cluster);
    recover_without_each_part(&folder, &serial);
}

/// Damages each part, one after the other.
fn recover_without_each_part(folder: &Folder, serial: &DurableStream<Entry>) {
    for part in parts(folder) {
        let bytes = std::fs::read(&part).unwrap();
        let mut damaged = bytes.clone();
        damaged[20..].iter_mut().for_each(|byte| *byte ^= 1);
        std::fs::write(&part, damaged).unwrap();
        // One of the two snapshots is whole.
        let cluster = recover(2, folder, serial);
        assert!(cluster.recovery().damaged_snapshots.len() <= 1);
        assert_same_state(&cluster, serial);
        drop(cluster);
        std::fs::write(&part, bytes).unwrap();
    }
}

/// Snapshots whose manifests cannot be written for some time.
#[derive(Debug)]
struct Failing {
    snapshots: FileSnapshots,
    is_failing: Arc<AtomicBool>,
}

impl Snapshots for Failing {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        self.snapshots.list()
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        if self.is_failing.load(Ordering::Relaxed) {
            // The batch is not in the journal.
            self.snapshots.write(batch + 1, bytes)
        } else {
            self.snapshots.write(batch, bytes)
        }
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        self.snapshots.read(batch)
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.snapshots.remove_before(batch)
    }
}

#[test]
fn snapshots_before_and_after_failed_ones_have_no_part_in_common() {
    for n_failed in [1, 2] {
        fail_snapshots(n_failed);
    }
}

fn fail_snapshots(n_failed: usize) {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(18));
    let opened = journal::open(folder.path()).unwrap();
    let is_failing = Arc::new(AtomicBool::new(false));
    let snapshots = Failing {
        snapshots: opened.snapshots,
        is_failing: Arc::clone(&is_failing),
    };
    let cluster =
        cluster(2).recover_from(Box::new(opened.journal), Box::new(snapshots), folder.path());
    let mut cluster = cluster.unwrap();
    cluster.set_clock(clock_after(0));
    let written = [(200, false), (1, false)];
    let failed = [(2, true), (1, true)];
    let after = [(1, false)];
    let all = written.iter().chain(&failed[..n_failed]).chain(&after);
    for &(n_events, fails) in all {
        is_failing.store(fails, Ordering::Relaxed);
        process(&mut cluster, &mut serial, random.events(n_events));
        assert_eq!(cluster.snapshot().is_err(), fails);
    }
    drop(cluster);
    recover_without_each_part(&folder, &serial);
}

#[test]
fn snapshot_with_a_damaged_part_is_not_used() {
    for damage in ["cut", "changed", "removed"] {
        let folder = Folder::new();
        let (mut serial, mut random) = (serial(), Random::new(7));
        let mut cluster = recover(2, &folder, &serial);
        process(&mut cluster, &mut serial, random.events(200));
        cluster.snapshot().unwrap();
        process(&mut cluster, &mut serial, random.events(200));
        cluster.snapshot().unwrap();
        drop(cluster);
        let newest = parts(&folder).pop().unwrap();
        let mut bytes = std::fs::read(&newest).unwrap();
        match damage {
            "cut" => bytes.truncate(bytes.len() - 1),
            "changed" => *bytes.last_mut().unwrap() ^= 1,
            _ => std::fs::remove_file(&newest).unwrap(),
        }
        if damage != "removed" {
            std::fs::write(&newest, bytes).unwrap();
        }
        let cluster = recover(3, &folder, &serial);
        let damaged = &cluster.recovery().damaged_snapshots;
        assert_eq!(damaged.len(), 1, "{damage}");
        assert_same_state(&cluster, &serial);
    }
}

#[test]
fn parts_that_no_snapshot_needs_are_removed() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(9));
    let mut cluster = recover(2, &folder, &serial);
    for _ in 0..20 {
        process(&mut cluster, &mut serial, random.events(100));
        cluster.snapshot().unwrap();
    }
    let n = parts(&folder).len();
    assert!(n <= 12, "{n} parts");
    drop(cluster);
    assert_same_state(&recover(2, &folder, &serial), &serial);
}

#[test]
fn error_of_a_snapshot_is_reported_and_the_workers_continue() {
    let folder = Folder::new();
    let (mut serial, mut random) = (serial(), Random::new(7));
    // The test would wait for an hour.
    let mut cluster = cluster(2)
        .progress_limit(Duration::from_secs(3600))
        .recover(folder.path())
        .unwrap();
    cluster.set_clock(clock_after(0));
    process(&mut cluster, &mut serial, random.events(40));
    let [parts, moved] = ["parts", "moved"].map(|name| folder.path().join(name));
    fs::rename(&parts, &moved).unwrap();
    let error = cluster.snapshot().unwrap_err().to_string();
    assert!(
        error.contains("cannot save its state: No such file"),
        "{error}"
    );
    process(&mut cluster, &mut serial, random.events(40));
    fs::rename(&moved, &parts).unwrap();
    cluster.snapshot().unwrap();
    assert_eq!(cluster.control().n_generations(), 1);
    drop(cluster);
    assert_same_state(&recover(3, &folder, &serial), &serial);
}

#[test]
fn values_that_cannot_be_sent_and_stores_that_change_are_restored() {
    run_values(["first", "second", "third", "fourth"]);
}

/// The owner of a resource depends on its name.
#[test]
fn resource_with_another_name_moves_to_another_process() {
    run_values(["tally", "score"]);
}

/// Runs `cluster-values` in these modes, one after the other.
fn run_values<const N: usize>(runs: [&str; N]) {
    let folder = Folder::new();
    for run in runs {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cluster-values"));
        command.arg(folder.path()).arg(run);
        let mut process = command.spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(120);
        let status = loop {
            match process.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > end => {
                    process.kill().unwrap();
                    panic!("the {run} run does not end");
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        assert!(status.success(), "the {run} run: {status}");
    }
}
