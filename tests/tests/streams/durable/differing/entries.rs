//! The entries with digests: their order, and the segments that they are in.

use core::ops::ControlFlow;

use schedule_stream::journal::{EntryKind, Journal, MemoryJournal, MemorySnapshots};
use schedule_stream::service::ServiceSettings;

use super::{Add, Cascade, open, program, recover, resources, set_outside};
use crate::journal::disk::SimulatedDisk;

/// Returns the batches in the journal, and for each entry with digests its batch and the number of digests.
fn entries(journal: &mut dyn Journal) -> Vec<(u64, Option<usize>)> {
    let mut found = Vec::new();
    let read = journal.read(0, &mut |stored| {
        let record = stored.record;
        found.push(match record.kind {
            EntryKind::BATCH => (record.batch, None),
            EntryKind::OUTCOME_DIGESTS => {
                let batch = u64::from_le_bytes(*record.body.first_chunk().unwrap());
                assert_eq!(record.batch, batch + 1);
                (batch, Some((record.body.len() - 12) / 4))
            }
            kind => panic!("{kind}"),
        });
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn each_batch_is_followed_by_its_digests() {
    let disk = SimulatedDisk::new(0);
    set_outside(16, 2);
    let add = |n: u64| Add(n as u32 % 10, n).into();
    let mut stream = recover(&disk).unwrap();
    stream
        .process_batch([add(1), Cascade(16, 3).into()], drop)
        .unwrap();
    // The batches after the first full one are synced by another thread.
    stream.process((0..20_000).map(add), drop).unwrap();
    let service = stream.serve_with(ServiceSettings::new());
    for n in 0..20 {
        service.handle().submit_blocking(add(n)).unwrap();
    }
    drop(service);
    drop(recover(&disk).unwrap());
    let found = entries(&mut open(&disk).journal);
    let n_batches = found.len() as u64 / 2;
    assert_eq!(n_batches, 1 + 10 + 20);
    for (nth, pair) in (1..).zip(found.chunks(2)) {
        let n_outcomes = match nth {
            1 => 2,
            2 => 2_048 + 2,
            3..=10 => 2_048,
            11 => 20_000 - 9 * 2_048,
            _ => 1,
        };
        assert_eq!(pair, [(nth, None), (nth, Some(n_outcomes))]);
    }
}

#[test]
fn segment_that_ends_with_digests_is_removed_with_its_batches() {
    let disk = SimulatedDisk::new(0);
    for _ in 0..3 {
        let mut stream = recover(&disk).unwrap();
        stream.process_batch([Add(1, 1).into()], drop).unwrap();
        stream.snapshot().unwrap();
    }
    let is_segment = |name: &&String| name.starts_with("journal");
    let names = disk.names();
    // The segment of the second batch is before the newest snapshot only.
    assert_eq!(names.iter().filter(is_segment).count(), 1, "{names:?}");

    let (mut journal, mut snapshots): (Box<dyn Journal>, _) = (
        Box::new(MemoryJournal::new()),
        Box::new(MemorySnapshots::new()) as _,
    );
    for _ in 0..3 {
        let recovered = program().recover_from(journal, snapshots, resources());
        let mut stream = recovered.unwrap();
        stream.process_batch([Add(1, 1).into()], drop).unwrap();
        stream.snapshot().unwrap();
        (journal, snapshots) = stream.into_storage();
    }
    assert_eq!(journal.first_batch(), Some(3));
}
