//! The comparison of a snapshot with a replay from the one before, also while the stream is open.

use std::sync::{Arc, Mutex};

use schedule_stream::durable::{Comparison, DurableError};
use schedule_stream::journal::{Disk, JournalView};
use schedule_stream::service::{BackgroundError, ServiceSettings};

use super::{
    Add, Cascade, Change, Drift, Leak, program, recover, recover_with, resources, set_outside,
};
use crate::journal::disk::SimulatedDisk;

fn add(n: u64) -> Change {
    Add(n as u32 % 3, n).into()
}

fn compare(disk: &SimulatedDisk) -> Result<Option<Comparison>, DurableError> {
    program().compare_on(&JournalView::on(disk.clone()), resources())
}

#[test]
fn equal_states_are_equal() {
    let disk = SimulatedDisk::new(0);
    set_outside(28, 3);
    let mut stream = recover(&disk).unwrap();
    // Only the snapshot before the first batch.
    assert_eq!(compare(&disk).unwrap(), None);
    for n in 1..=3_u64 {
        for nth in 0..n {
            stream
                .process_batch([add(nth), Cascade(28, 2).into()], drop)
                .unwrap();
        }
        stream.snapshot().unwrap();
        stream.process_batch([add(n)], drop).unwrap();
        let files = disk.files();
        let compared = compare(&disk).unwrap().unwrap();
        assert!(
            compared.is_equal() && compared.skipped.is_empty(),
            "{compared}"
        );
        assert_eq!(compared.newer, stream.next_batch() - 2);
        assert!(files == disk.files(), "a file was changed");
        if n == 2 {
            drop(stream);
            // The next batches are in another segment.
            stream = recover(&disk).unwrap();
        }
    }
}

#[test]
fn torn_end_is_not_compared() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk).unwrap();
    stream.process_batch([add(1)], drop).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let name = disk
        .names()
        .into_iter()
        .find(|name| name.starts_with("journal"))
        .unwrap();
    let mut bytes = disk.content(&name);
    bytes.extend([1; 20]);
    disk.set_content(&name, bytes);
    let compared = compare(&disk).unwrap().unwrap();
    assert_eq!((compared.older, compared.newer), (0, 1));
    assert!(compared.is_equal());
}

#[test]
fn files_that_were_removed_are_an_error_with_a_remedy() {
    for nth in 0..2 {
        let disk = SimulatedDisk::new(0);
        // A segment for each batch.
        for n in 1..=2 {
            let mut stream = recover(&disk).unwrap();
            stream.process_batch([add(n)], drop).unwrap();
            if n == 2 {
                stream.snapshot().unwrap();
            }
        }
        assert!(compare(&disk).unwrap().unwrap().is_equal());
        let names = disk.names().into_iter();
        let mut segments = names.filter(|name| name.starts_with("journal"));
        disk.remove(&segments.nth(nth).unwrap()).unwrap();
        let error = compare(&disk).unwrap_err();
        let is_expected = matches!(error, DurableError::NotComparable { older: 0, newer: 2 });
        assert!(is_expected, "{error}");
        assert_eq!(
            error.to_string(),
            "the snapshots of batches 0 and 2 cannot be compared: the journal does not have all batches between them; if the stream is \
             open, it has removed files after a further snapshot, so compare again; otherwise restore the missing files"
        );
    }
}

#[test]
fn section_that_differs_is_named() {
    let disk = SimulatedDisk::new(0);
    set_outside(29, 0);
    let mut stream = recover(&disk).unwrap();
    stream
        .process_batch([add(1), Drift(29, 5).into()], drop)
        .unwrap();
    stream.snapshot().unwrap();
    set_outside(29, 5);
    let compared = compare(&disk).unwrap().unwrap();
    assert_eq!(
        compared.to_string(),
        "a replay from batch 0 gives another state than the snapshot of batch 1, in `records<sum>`: a handler that writes it \
         depends on something that is neither its event nor saved"
    );
    // A recovery does not notice it: nothing is processed again.
    drop(stream);
    drop(recover(&disk).unwrap());
}

#[test]
fn outcome_that_differs_is_an_error() {
    let disk = SimulatedDisk::new(0);
    set_outside(30, 0);
    let mut stream = recover(&disk).unwrap();
    stream.process_batch([Leak(30, 5).into()], drop).unwrap();
    stream.process_batch([add(1)], drop).unwrap();
    stream.snapshot().unwrap();
    set_outside(30, 5);
    let error = compare(&disk).unwrap_err();
    assert!(
        error.to_string().contains("`leak` at position 1:0"),
        "{error}"
    );
    // The new history is compared with its own digests.
    drop(stream);
    let damaged = disk
        .names()
        .into_iter()
        .filter(|name| name.starts_with("snapshot"))
        .max();
    disk.remove(&damaged.unwrap()).unwrap();
    let mut stream = recover_with(&disk, program().accept_new_outcomes_from(1)).unwrap();
    assert_eq!(stream.history(), 1);
    assert!(compare(&disk).unwrap().unwrap().is_equal());
    stream.process_batch([add(1)], drop).unwrap();
    stream.snapshot().unwrap();
    assert!(compare(&disk).unwrap().unwrap().is_equal());
}

/// Runs a service with this event, another one and a snapshot. The value outside is 0 for the event, and 5 for the comparison.
fn serve(
    disk: &SimulatedDisk,
    event: Change,
    compare: impl FnMut() -> Result<Option<Comparison>, DurableError> + Send + 'static,
) -> Vec<String> {
    let found: Arc<Mutex<Vec<String>>> = Arc::default();
    let to = Arc::clone(&found);
    let settings = ServiceSettings::new()
        .compare_snapshots(1, compare)
        .errors(move |error| {
            let kind = match error {
                BackgroundError::StateDiffers { .. } => "differs",
                BackgroundError::Comparison { .. } => "failed",
                BackgroundError::ComparisonPanicked { .. } => "panicked",
                _ => "other",
            };
            to.lock().unwrap().push(format!("{kind}: {error}"));
        });
    set_outside(31, 0);
    let service = recover(disk).unwrap().serve_with(settings);
    service.handle().submit_blocking(event).unwrap();
    // The journal has the digests of a batch when the next one is written.
    service.handle().submit_blocking(add(9)).unwrap();
    set_outside(31, 5);
    service.handle().snapshot_blocking().unwrap();
    // Waits for the comparison.
    drop(service.shutdown().unwrap());
    std::mem::take(&mut found.lock().unwrap())
}

#[test]
fn service_compares_in_the_background() {
    let disk = SimulatedDisk::new(0);
    let comparing = || {
        let disk = disk.clone();
        move || compare(&disk)
    };
    assert_eq!(serve(&disk, add(1), comparing()), [""; 0]);
    let found = serve(&disk, Drift(31, 5).into(), comparing());
    assert_eq!(found.len(), 1, "{found:?}");
    let expected = "differs: a replay from batch 2 gives another state than the snapshot of batch 4, in `records<sum>`: ";
    assert!(found[0].starts_with(expected), "{found:?}");
    let found = serve(&disk, Leak(31, 5).into(), comparing());
    assert_eq!(found.len(), 1, "{found:?}");
    let expected = "failed: the comparison of two snapshots failed: batch 5 has other outcomes than before: the outcome of `leak`";
    assert!(found[0].starts_with(expected), "{found:?}");
    let found = serve(&disk, add(1), || panic!("no comparison"));
    assert_eq!(
        found,
        ["panicked: the comparison of two snapshots panicked: no comparison"]
    );
    assert_eq!(serve(&disk, add(1), comparing()), [""; 0]);
}
