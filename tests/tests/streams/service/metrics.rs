//! Metrics of durable streams and of services.

use ::metrics::{Unit, with_local_recorder};
use schedule_stream::service::ServiceSettings;

use super::recover;
use crate::durable::program::{Entry, Look, Open, Pay, Spread};
use crate::journal::disk::SimulatedDisk;
use schedule_tests::recorder::TestRecorder;

fn pay() -> Entry {
    Entry::Pay(Pay {
        from: 0,
        to: 1,
        amount: 1,
    })
}

#[test]
fn durable_stream_measures_syncs_and_snapshots() {
    let disk = SimulatedDisk::new(0);
    let recorder = TestRecorder::default();
    with_local_recorder(&recorder, || {
        let mut stream = recover(&disk).unwrap();
        stream.process_batch([pay(), pay()], drop).unwrap();
        stream.process_batch([pay()], drop).unwrap();
        stream.snapshot().unwrap();
    });
    let found = recorder.recorded();
    assert_eq!(found.sum("events_total"), 3);
    assert_eq!(found.histogram("batch_seconds{stream=bank}").len(), 2);
    assert_eq!(found.histogram("sync_seconds{stream=bank}").len(), 2);
    for step in ["save", "write"] {
        let times = found.histogram(&format!("snapshot_seconds{{step={step},stream=bank}}"));
        assert_eq!(times.len(), 1, "{step}");
    }
    let bytes = found.histogram("snapshot_bytes{stream=bank}");
    assert!(matches!(bytes, [n] if *n > 50.0), "{bytes:?}");
    assert_eq!(found.units["snapshot_bytes"], Unit::Bytes);
    assert_eq!(found.sum("snapshot_errors_total"), 0);
}

#[test]
fn durable_stream_measures_batches_that_are_ahead_of_their_sync() {
    let disk = SimulatedDisk::new(0);
    let recorder = TestRecorder::default();
    with_local_recorder(&recorder, || {
        let mut stream = recover(&disk).unwrap();
        let events = (0..3 * 2048 + 1).map(|_| pay());
        stream.process(events, drop).unwrap();
    });
    let found = recorder.recorded();
    assert_eq!(found.sum("events_total"), 3 * 2048 + 1);
    let n_syncs = found.histogram("sync_seconds{stream=bank}").len();
    assert!((1..=4).contains(&n_syncs), "{n_syncs}");
    for (name, least) in [("batches_in_flight", 1.0), ("events_in_flight", 2048.0)] {
        let values = &found.gauges[&format!("{name}{{stream=bank}}")];
        let most = values.iter().copied().fold(0.0, f64::max);
        assert!(most >= least, "{name}: {values:?}");
        assert_eq!(values[values.len() - 2..], [0.0, 0.0], "{name}");
    }
}

#[test]
fn replayed_batches_are_not_counted() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk).unwrap();
    stream.process_batch([pay(), pay()], drop).unwrap();
    drop(stream);
    disk.end_program();
    let recorder = TestRecorder::default();
    with_local_recorder(&recorder, || {
        let mut stream = recover(&disk).unwrap();
        assert_eq!(stream.recovery().n_replayed, 1);
        assert_eq!(recorder.recorded().sum("events_total"), 0);
        stream.process_batch([pay()], drop).unwrap();
    });
    assert_eq!(recorder.recorded().sum("events_total"), 1);
}

#[test]
fn service_uses_the_recorder_of_the_thread_that_starts_it() {
    let disk = SimulatedDisk::new(0);
    let stream = recover(&disk).unwrap();
    let recorder = TestRecorder::default();
    let settings = ServiceSettings::new().snapshot_every(2);
    let service = with_local_recorder(&recorder, || stream.serve_with(settings));
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let all = [pay(), pay(), pay()].map(|event| handle.try_submit(event).unwrap());
    drop(pause);
    for submitted in all {
        submitted.outcome_blocking().unwrap();
    }
    let spread = Entry::Spread(Spread { from: 0, n: 2 });
    handle.submit_blocking(spread).unwrap();
    handle.drain_blocking(u64::MAX).unwrap();
    handle.query_blocking(Entry::Look(Look(0))).unwrap();
    handle.query_blocking(Entry::Open(Open(7))).unwrap_err();
    handle.snapshot_blocking().unwrap();
    let stream = service.shutdown().unwrap();

    let found = recorder.recorded();
    // 3, then 1 and its follow-up events: 2 and 1.
    assert_eq!(found.sum("events_total"), 7);
    assert_eq!(found.histogram("batch_seconds{stream=bank}").len(), 4);
    assert_eq!(found.histogram("wait_seconds{stream=bank}").len(), 4);
    assert_eq!(found.counter("queries_total{stream=bank}"), 1);
    assert_eq!(found.sum("rejected_requests_total"), 0);
    let n_syncs = found.histogram("sync_seconds{stream=bank}").len();
    assert!((2..=4).contains(&n_syncs), "{n_syncs}");
    let n_snapshots = found.histogram("snapshot_bytes{stream=bank}").len();
    assert!((2..=3).contains(&n_snapshots), "{n_snapshots}");
    let pending = &found.gauges["pending_follow_ups{stream=bank}"];
    assert_eq!((pending.last(), pending.contains(&2.0)), (Some(&0.0), true));
    for (name, least) in [("batches_in_flight", 1.0), ("events_in_flight", 3.0)] {
        let values = &found.gauges[&format!("{name}{{stream=bank}}")];
        let most = values.iter().copied().fold(0.0, f64::max);
        assert!(most >= least, "{name}: {values:?}");
        assert_eq!(values.last(), Some(&0.0), "{name}");
        let before_end = values[values.len() - 2];
        assert_eq!(before_end, 0.0, "{name}: all outcomes were released");
    }
    assert_eq!(found.gauge("waiting_requests{stream=bank}"), Some(0.0));

    // The stream looks for a recorder again.
    let mut stream = stream;
    stream.process_batch([pay()], drop).unwrap();
    assert_eq!(recorder.recorded().sum("events_total"), 7);
}

#[test]
fn waiting_requests_are_counted_when_a_batch_begins() {
    let disk = SimulatedDisk::new(0);
    let stream = recover(&disk).unwrap();
    let recorder = TestRecorder::default();
    let service = with_local_recorder(&recorder, || stream.serve());
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let all: Vec<_> = (0..2048 + 5)
        .map(|_| handle.try_submit(pay()).unwrap())
        .collect();
    drop(pause);
    for submitted in all {
        drop(submitted.outcome_blocking());
    }
    drop(service);
    let found = recorder.recorded();
    let waiting = &found.gauges["waiting_requests{stream=bank}"];
    assert!(waiting.contains(&5.0), "{waiting:?}");
}

#[test]
fn event_that_is_not_accepted_is_rejected() {
    let disk = SimulatedDisk::new(0);
    let opened = schedule_stream::journal::open_on(disk.clone()).unwrap();
    let stream = crate::durable::program::bank(crate::stream::By::ALL[0])
        .max_event_bytes(1)
        .recover_from(
            Box::new(opened.journal),
            Box::new(opened.snapshots),
            crate::durable::program::resources(),
        )
        .unwrap();
    let recorder = TestRecorder::default();
    let service = with_local_recorder(&recorder, || stream.serve());
    service.handle().submit_blocking(pay()).unwrap_err();
    drop(service);
    let found = recorder.recorded();
    assert_eq!(found.counter("rejected_requests_total{stream=bank}"), 1);
    assert_eq!(found.sum("events_total"), 0);
}
