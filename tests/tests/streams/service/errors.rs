//! Errors that no client waits for: of automatic snapshots, and of the journal.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::metrics::with_local_recorder;
use schedule_stream::service::{BackgroundError, ServiceError, ServiceSettings};
use schedule_tests::child::Child;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::Registry;

use super::recover;
use crate::durable::program::{Entry, Pay, content};
use crate::journal::disk::{Fault, Full, SimulatedDisk};
use schedule_tests::listener::Listener;
use schedule_tests::recorder::TestRecorder;

fn pay() -> Entry {
    Entry::Pay(Pay {
        from: 0,
        to: 1,
        amount: 1,
    })
}

/// Longer than any report takes.
const LONG: Duration = Duration::from_secs(60);

/// The kinds and texts of reported errors.
#[derive(Clone, Debug, Default)]
struct ReportedErrors(Arc<Mutex<Vec<(&'static str, String)>>>);

impl ReportedErrors {
    fn settings(&self) -> ServiceSettings<Entry> {
        let to = Arc::clone(&self.0);
        ServiceSettings::new().errors(move |error| {
            let kind = match error {
                BackgroundError::Snapshot { .. } => "snapshot",
                BackgroundError::Journal { .. } => "journal",
                _ => panic!("another kind: {error}"),
            };
            to.lock().unwrap().push((kind, error.to_string()));
        })
    }

    fn all(&self) -> Vec<(&'static str, String)> {
        self.0.lock().unwrap().clone()
    }
}

/// The third batch, with an automatic snapshot, is processed while call `n` of the disk fails. Returns the reports, and whether
/// the service continued.
fn fail_at(n: u64) -> (Vec<(&'static str, String)>, bool) {
    let disk = SimulatedDisk::new(0);
    let stream = recover(&disk).unwrap();
    let errors = ReportedErrors::default();
    let recorder = TestRecorder::default();
    let settings = errors.settings().snapshot_every(3);
    let service = with_local_recorder(&recorder, || stream.serve_with(settings));
    let handle = service.handle();
    handle.submit_blocking(pay()).unwrap();
    handle.submit_blocking(pay()).unwrap();
    disk.fail_once(n, Fault::Device);
    let continues = match handle.submit_blocking(pay()) {
        Ok(_) => true,
        Err(ServiceError::Unknown) => false,
        Err(error) => panic!("{error}"),
    };
    let ended = service.shutdown();
    assert_eq!(ended.is_ok(), continues);
    let is_snapshot = |one: &(&str, String)| one.0 == "snapshot";
    let n_snapshots = errors.all().iter().filter(|one| is_snapshot(one)).count() as u64;
    let counted = recorder.recorded().sum("snapshot_errors_total");
    assert_eq!(counted, n_snapshots);
    if let Ok(stream) = ended {
        let expected = content(stream.resources());
        drop(stream);
        disk.end_program();
        assert_eq!(content(recover(&disk).unwrap().resources()), expected);
    }
    (errors.all(), continues)
}

#[test]
fn errors_of_the_disk_are_reported() {
    let (mut n_journal, mut n_snapshot, mut n) = (0, 0, 0);
    loop {
        n += 1;
        let (reported, continues) = fail_at(n);
        match reported.as_slice() {
            [] => break,
            [("journal", text)] => {
                assert!(!continues, "{n}");
                let expected = "the service ended, because its journal failed: ";
                assert!(text.starts_with(expected), "{text}");
                n_journal += 1;
            }
            [("snapshot", text)] => {
                assert!(continues, "{n}");
                let expected = "the snapshot after batch 3 failed: ";
                assert!(text.starts_with(expected), "{text}");
                let expected = "; the next attempt is 6 batches later";
                assert!(text.ends_with(expected), "{text}");
                n_snapshot += 1;
            }
            all => panic!("call {n}: {all:?}"),
        }
    }
    // The journal is written and synced. The snapshot has a file, which is written, synced and renamed.
    assert!(
        n_journal >= 2 && n_snapshot >= 4,
        "{n_journal} {n_snapshot}"
    );
}

#[test]
fn snapshot_that_a_client_requests_fails_for_the_client_only() {
    let disk = SimulatedDisk::new(0);
    let errors = ReportedErrors::default();
    let recorder = TestRecorder::default();
    let stream = recover(&disk).unwrap();
    let service = with_local_recorder(&recorder, || stream.serve_with(errors.settings()));
    let handle = service.handle();
    handle.submit_blocking(pay()).unwrap();
    disk.fail_once(1, Fault::Device);
    let error = handle.snapshot_blocking().unwrap_err();
    assert!(matches!(error, ServiceError::Refused(_)), "{error}");
    assert_eq!(handle.snapshot_blocking().unwrap(), 1, "the next one works");
    drop(service);
    assert_eq!(errors.all(), []);
    assert_eq!(recorder.recorded().sum("snapshot_errors_total"), 1);
}

/// More events than any of the loops needs.
const MANY: u64 = 1_000_000;

/// Takes a snapshot after each batch, while no snapshot can be written, and then goes on with space.
fn fill_and_free() {
    let disk = SimulatedDisk::new(0);
    let reports = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&reports);
    let settings = ServiceSettings::new()
        .snapshot_every(1)
        .errors(move |error| {
            let report = match error {
                BackgroundError::Snapshot {
                    batch, retry_after, ..
                } => (batch, Some(retry_after)),
                BackgroundError::SnapshotsResumed { batch, n_failed } => {
                    assert!(n_failed >= 10, "{error}");
                    (batch, None)
                }
                _ => panic!("another kind: {error}"),
            };
            to.lock().unwrap().push(report);
        });
    let recorder = TestRecorder::default();
    let stream = recover(&disk).unwrap();
    let service = with_local_recorder(&recorder, || stream.serve_with(settings));
    let handle = service.handle();
    let n_errors = || recorder.recorded().sum("snapshot_errors_total");
    let submit_until = |is_over: &dyn Fn() -> bool| {
        let mut submitted = 0..MANY;
        while !is_over() {
            submitted.next().expect("the loop has an end");
            handle.submit_blocking(pay()).unwrap();
        }
    };

    disk.fill(Some(Full::ForSnapshots));
    submit_until(&|| n_errors() >= 10);
    let all = reports.lock().unwrap().clone();
    let waits: Vec<_> = all.iter().map(|of| of.1.unwrap()).collect();
    assert_eq!(waits, [2, 4, 8, 16, 32, 64], "one report for each wait");
    for (pair, wait) in all.windows(2).zip(waits) {
        assert!(pair[1].0 >= pair[0].0 + wait, "{all:?}");
    }

    disk.fill(None);
    submit_until(&|| reports.lock().unwrap().len() > 6);
    // The first snapshot is requested, so the service ends after it was written.
    let batch = handle.snapshot_blocking().unwrap();
    let stream = service.shutdown().unwrap();
    let resumed = reports.lock().unwrap().split_off(6);
    assert!(
        matches!(resumed[..], [(of, None)] if of <= batch),
        "{resumed:?}"
    );
    let expected = content(stream.resources());
    let next = stream.next_batch();
    drop(stream);
    disk.end_program();
    let recovered = recover(&disk).unwrap();
    assert_eq!(
        (recovered.next_batch(), content(recovered.resources())),
        (next, expected)
    );
}

#[test]
fn full_disk_is_reported_only_when_the_wait_for_the_next_snapshot_grows() {
    // In a process of its own, because the threads of the service use the global subscriber.
    Child::new(|| {
        let listener = Listener::default();
        let subscriber = Registry::default().with(listener.clone());
        tracing::subscriber::set_global_default(subscriber).unwrap();
        fill_and_free();
        let events = listener.recorded().events;
        let texts: Vec<_> = events.iter().map(|event| &*event.0).collect();
        let expected = [
            ["the snapshot was not written"; 6].as_slice(),
            &["a snapshot was written again"],
        ];
        assert_eq!(texts, expected.concat());
    })
    .run();
}

#[test]
fn callback_that_panics_does_not_end_the_service() {
    let disk = SimulatedDisk::new(0);
    let (reports, reported) = channel();
    let settings = ServiceSettings::new()
        .snapshot_every(1)
        .errors(move |error| {
            reports.send(()).unwrap();
            panic!("{error}");
        });
    let service = recover(&disk).unwrap().serve_with(settings);
    let handle = service.handle();
    // A call after the append and the sync of the record.
    disk.fail_once(3, Fault::Device);
    handle.submit_blocking(pay()).unwrap();
    reported.recv_timeout(LONG).unwrap();
    handle.submit_blocking(pay()).unwrap();
    assert_eq!(handle.snapshot_blocking().unwrap(), 2);
    service.shutdown().unwrap();
    assert!(disk.has_failed());
}

#[test]
fn errors_are_warnings() {
    // In a process of its own, because the threads of the service use the global subscriber.
    Child::new(|| {
        let listener = Listener::default();
        let subscriber = Registry::default().with(listener.clone());
        tracing::subscriber::set_global_default(subscriber).unwrap();
        // The first call that fails is one of the journal, the last one of the snapshot.
        for (n, expected) in [
            (1, "the service ended: the journal failed"),
            (4, "the snapshot was not written"),
        ] {
            let (reported, _) = fail_at(n);
            assert_eq!(reported.len(), 1);
            let events = listener.recorded().events;
            assert_eq!(events.last().unwrap().0, expected);
        }
        assert_eq!(listener.recorded().events.len(), 2);
    })
    .run();
}
