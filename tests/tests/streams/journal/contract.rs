//! Rules that hold for journals and snapshots in memory and in files.

use std::ops::ControlFlow;

use schedule_stream::journal::{
    Journal, JournalError, MemoryJournal, MemorySnapshots, Snapshots, open_on,
};

use super::disk::SimulatedDisk;
use super::{append_synced, batches, head, note, record, stored};

/// Runs a test with journals in memory and in files, whose segments end after 100 bytes of records.
fn with_journals(test: impl Fn(&mut dyn Journal)) {
    let mut journal = MemoryJournal::new();
    journal.set_max_segment_bytes(100);
    test(&mut journal);

    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk).unwrap();
    opened.journal.set_max_segment_bytes(200);
    test(&mut opened.journal);
}

/// Runs a test with snapshots in memory and in files. Batches up to 9 can have snapshots.
fn with_snapshots(test: impl Fn(&mut dyn Snapshots)) {
    test(&mut MemorySnapshots::new());

    let mut opened = open_on(SimulatedDisk::new(0)).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=9, 1);
    test(&mut opened.snapshots);
}

#[test]
fn records_are_read_in_order_with_their_heads() {
    with_journals(|journal| {
        assert_eq!((journal.first_batch(), journal.last_batch()), (None, None));
        assert_eq!(journal.next_batch(), 1);
        assert!(journal.head().is_none());
        assert_eq!(journal.start(&head(7)).unwrap(), 1);
        append_synced(journal, 1..=3, 50);
        append_synced(journal, 4..=4, 0);
        assert_eq!(journal.start(&head(8)).unwrap(), 2);
        append_synced(journal, 5..=6, 1);
        assert_eq!(journal.head(), Some(&head(8)));
        let expected: Vec<_> = [
            (1, 50, 7),
            (2, 50, 7),
            (3, 50, 7),
            (4, 0, 7),
            (5, 1, 8),
            (6, 1, 8),
        ]
        .map(|(batch, n_bytes, version)| (record(batch, n_bytes), version, u64::from(version) - 6))
        .into();
        for from in 0..=7 {
            let n_skipped = usize::try_from(from).unwrap().saturating_sub(1);
            assert_eq!(stored(journal, from), expected[n_skipped..], "{from}");
        }
        assert_eq!(
            (journal.first_batch(), journal.last_batch()),
            (Some(1), Some(6))
        );
        assert_eq!(journal.next_batch(), 7);
    });
}

#[test]
fn notes_keep_their_place_and_take_no_number() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        let group = [
            note(1, 5),
            record(1, 60),
            note(2, 6),
            note(2, 7),
            record(2, 60),
        ];
        journal.append(&group).unwrap();
        journal.append(&[note(3, 8)]).unwrap();
        journal.sync().unwrap();
        assert_eq!((journal.next_batch(), journal.last_batch()), (3, Some(2)));
        let read = |journal: &mut dyn Journal, from| {
            let all = stored(journal, from).into_iter();
            all.map(|(record, ..)| record).collect::<Vec<_>>()
        };
        assert_eq!(read(journal, 0), [&group[..], &[note(3, 8)]].concat());
        assert_eq!(read(journal, 2), [&group[2..], &[note(3, 8)]].concat());
        assert_eq!(read(journal, 3), [note(3, 8)]);
        let error = journal.append(&[note(4, 9)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot append batch 4: the next batch must be 3"
        );
        // The segment ends with a note about batch 3, so it is removed only when batch 3 is.
        assert_eq!(journal.start(&head(2)).unwrap(), 2);
        append_synced(journal, 3..=3, 1);
        journal.truncate(3).unwrap();
        assert_eq!(read(journal, 3), [note(3, 8), record(3, 1)]);
        journal.truncate(4).unwrap();
        assert_eq!(read(journal, 0), [record(3, 1)]);
    });
}

#[test]
fn start_after_notes_alone_keeps_them() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        journal.append(&[note(1, 5)]).unwrap();
        journal.start(&head(2)).unwrap();
        append_synced(journal, 1..=1, 1);
        let found = stored(journal, 0);
        assert_eq!(found, [(note(1, 5), 1, 1), (record(1, 1), 2, 2)]);
    });
}

#[test]
fn reading_stops_when_the_visitor_breaks() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        append_synced(journal, 1..=3, 200);
        append_synced(journal, 4..=6, 200);
        let mut visited = Vec::new();
        let read = journal.read(2, &mut |stored| {
            visited.push(stored.record.batch);
            match visited.len() {
                2 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        read.unwrap();
        assert_eq!(visited, [2, 3]);
    });
}

#[test]
fn append_before_start_is_an_error() {
    with_journals(|journal| {
        let error = journal.append(&[record(1, 1)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot append to a journal before `start` was called"
        );
        journal.sync().unwrap();
    });
}

#[test]
fn records_that_are_not_consecutive_are_rejected_as_a_group() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        append_synced(journal, 1..=2, 1);
        for (group, expected, found) in [(&[4][..], 3, 4), (&[2], 3, 2), (&[3, 5], 4, 5)] {
            let records: Vec<_> = group.iter().map(|batch| record(*batch, 1)).collect();
            let error = journal.append(&records).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("cannot append batch {found}: the next batch must be {expected}")
            );
        }
        append_synced(journal, 3..=3, 1);
        journal.append(&[]).unwrap();
        assert_eq!(batches(journal), [1, 2, 3]);
    });
}

#[test]
fn several_appends_before_a_sync_are_one_group() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        for batch in 1..=9 {
            journal.append(&[record(batch, 30)]).unwrap();
        }
        journal.sync().unwrap();
        journal.sync().unwrap();
        assert_eq!(batches(journal), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });
}

#[test]
fn truncation_removes_only_whole_segments_of_old_batches() {
    with_journals(|journal| {
        journal.start(&head(1)).unwrap();
        // Each group fills a segment.
        append_synced(journal, 1..=3, 100);
        append_synced(journal, 4..=6, 100);
        append_synced(journal, 7..=9, 100);
        journal.truncate(0).unwrap();
        journal.truncate(3).unwrap();
        assert_eq!(journal.first_batch(), Some(1));
        journal.truncate(4).unwrap();
        assert_eq!(journal.first_batch(), Some(4));
        journal.truncate(6).unwrap();
        assert_eq!(batches(journal), [4, 5, 6, 7, 8, 9]);
        journal.truncate(100).unwrap();
        assert_eq!(batches(journal), [7, 8, 9]);
        assert_eq!(journal.last_batch(), Some(9));

        assert_eq!(journal.start(&head(2)).unwrap(), 2);
        journal.truncate(100).unwrap();
        assert_eq!((journal.first_batch(), journal.last_batch()), (None, None));
        assert_eq!(journal.next_batch(), 10);
        append_synced(journal, 10..=10, 1);
        assert_eq!(stored(journal, 0), [(record(10, 1), 2, 2)]);
    });
}

#[test]
fn snapshots_are_listed_newest_first() {
    with_snapshots(|snapshots| {
        assert!(snapshots.list().unwrap().is_empty());
        for batch in [5, 0, 9, 7] {
            let bytes = format!("state {batch}");
            snapshots.write(batch, bytes.as_bytes()).unwrap();
        }
        assert_eq!(snapshots.list().unwrap(), [9, 7, 5, 0]);
        assert_eq!(snapshots.read(7).unwrap(), b"state 7");
        assert_eq!(snapshots.check(7).unwrap(), 7);
        snapshots.remove_before(7).unwrap();
        assert_eq!(snapshots.list().unwrap(), [9, 7]);
        snapshots.write(7, b"").unwrap();
        assert_eq!(snapshots.read(7).unwrap(), b"");
        for error in [
            snapshots.read(5).unwrap_err(),
            snapshots.check(5).unwrap_err(),
        ] {
            assert!(matches!(
                error,
                JournalError::MissingSnapshot { batch: 5, .. }
            ));
            assert_eq!(
                error.to_string(),
                "the snapshot of batch 5 is missing; `list` returns the existing ones"
            );
        }
    });
}
