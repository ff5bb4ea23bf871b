//! Damage of durable data is an error, and never a silent loss.

use schedule_stream::journal::{Damage, Disk, Journal, JournalError, Snapshots, inspect, open_on};

use super::disk::{Random, SimulatedDisk};
use super::{append_synced, batches, head, stored};

const FIRST_SEGMENT: &str = "journal-00000000000000000001-0000000001.log";

/// A disk with a journal of these groups, in segments of at most this size, and the position of each group in its file.
fn journal_of(
    groups: &[std::ops::RangeInclusive<u64>],
    max_segment_bytes: u64,
) -> (SimulatedDisk, Vec<usize>) {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.set_max_segment_bytes(max_segment_bytes);
    opened.journal.start(&head(1)).unwrap();
    let mut positions = Vec::new();
    for group in groups {
        positions.push(last_segment(&disk).1.len());
        append_synced(&mut opened.journal, group.clone(), 20);
    }
    drop(opened);
    (disk, positions)
}

/// The name and the content of the newest segment.
fn last_segment(disk: &SimulatedDisk) -> (String, Vec<u8>) {
    let files = disk.files().into_iter();
    let mut segments = files.filter(|(name, _)| name.starts_with("journal-"));
    segments.next_back().unwrap()
}

/// Calls a function for each bit of a range of bytes of a file, while this bit is flipped.
fn with_flips(
    disk: &SimulatedDisk,
    file: &str,
    range: std::ops::Range<usize>,
    mut test: impl FnMut(usize),
) {
    let whole = disk.files();
    let bytes = disk.content(file);
    for at in range {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            disk.set_content(file, flipped);
            test(at);
            for (name, bytes) in &whole {
                disk.set_content(name, bytes.clone());
            }
        }
    }
}

/// Opens a damaged disk, which must fail and change nothing.
fn error_of(disk: &SimulatedDisk) -> JournalError {
    let before = disk.files();
    let error = open_on(disk.clone()).unwrap_err();
    assert_eq!(disk.files(), before, "{error}");
    error
}

#[test]
fn flipped_bit_before_the_last_group_is_an_error() {
    let (disk, positions) = journal_of(&[1..=1, 2..=3, 4..=4, 5..=5], u64::MAX);
    // The records of the second group.
    let third = positions[1] + 44 + 20;
    with_flips(&disk, FIRST_SEGMENT, positions[0]..positions[3], |at| {
        let expected = match at {
            at if at < positions[1] => (1, positions[0]),
            at if at < third => (2, positions[1]),
            at if at < positions[2] => (3, third),
            _ => (4, positions[2]),
        };
        let error = error_of(&disk);
        let JournalError::Damaged {
            file,
            offset,
            batch,
            damage: Damage::RecordBeforeRecord { later },
            ..
        } = &error
        else {
            panic!("{error}")
        };
        assert!(file.ends_with(FIRST_SEGMENT));
        assert_eq!((*batch, *offset as usize), expected);
        let later_expected = [2, 4, 4, 5][*batch as usize - 1];
        assert_eq!(*later, later_expected);
        let inspection = inspect(&disk).unwrap();
        assert_eq!(inspection.error().unwrap().to_string(), error.to_string());
        assert_eq!(inspection.n_batches(), batch - 1);
    });
    assert_eq!(
        {
            let mut bytes = disk.content(FIRST_SEGMENT);
            bytes[positions[1]] ^= 1;
            disk.set_content(FIRST_SEGMENT, bytes);
            error_of(&disk).to_string()
        },
        format!(
            "batch 2 at byte {} of `disk/{FIRST_SEGMENT}` is damaged: it was synced before batch 4 was written; \
             restore the file from a backup",
            positions[1]
        )
    );
}

#[test]
fn flipped_bit_in_the_last_record_cuts_it_off() {
    let (disk, positions) = journal_of(&[1..=1, 2..=2, 3..=3], u64::MAX);
    let n_bytes = disk.content(FIRST_SEGMENT).len();
    with_flips(&disk, FIRST_SEGMENT, positions[2]..n_bytes, |_| {
        let mut opened = open_on(disk.clone()).unwrap();
        let cut = opened.recovered.cut.as_ref().unwrap();
        assert!(cut.file.ends_with(FIRST_SEGMENT));
        assert_eq!(
            (cut.batch, cut.offset as usize, cut.n_bytes as usize),
            (3, positions[2], n_bytes - positions[2])
        );
        assert_eq!(
            opened.recovered.to_string(),
            format!(
                "{} bytes at byte {} of `disk/{FIRST_SEGMENT}` are a torn write of batch 3; \
                 they were cut off",
                n_bytes - positions[2],
                positions[2]
            )
        );
        assert_eq!(batches(&mut opened.journal), [1, 2]);
        assert_eq!(disk.content(FIRST_SEGMENT).len(), positions[2]);
        assert_eq!(opened.journal.next_batch(), 3);
    });
}

#[test]
fn flipped_bit_in_the_last_record_is_an_error_if_a_snapshot_was_taken_after_it() {
    let (disk, positions) = journal_of(&[1..=1, 2..=2], u64::MAX);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.snapshots.write(2, b"state").unwrap();
    drop(opened);
    let n_bytes = disk.content(FIRST_SEGMENT).len();
    with_flips(&disk, FIRST_SEGMENT, positions[1]..n_bytes, |_| {
        assert_eq!(
            error_of(&disk).to_string(),
            format!(
                "batch 2 at byte {} of `disk/{FIRST_SEGMENT}` is damaged: it was synced before the snapshot of batch 2 \
                 was written; restore the file from a backup",
                positions[1]
            )
        );
    });
}

#[test]
fn flipped_bit_in_a_head_or_in_a_segment_before_the_last_one_is_an_error() {
    let (disk, _) = journal_of(&[1..=1, 2..=2, 3..=3], 1);
    let names: Vec<String> = disk.names();
    let segments: Vec<&String> = names.iter().filter(|name| name.ends_with(".log")).collect();
    assert_eq!(segments.len(), 3);
    for (idx, name) in segments.into_iter().enumerate() {
        let n_bytes = disk.content(name).len();
        let n_head = n_bytes - 44 - 20;
        let end = if idx == 2 { n_head } else { n_bytes };
        with_flips(&disk, name, 0..end, |at| {
            let error = error_of(&disk);
            let JournalError::Damaged {
                file,
                offset,
                batch,
                damage,
                ..
            } = &error
            else {
                panic!("{error}")
            };
            assert!(file.ends_with(name));
            assert_eq!(*batch, idx as u64 + 1);
            if at < n_head {
                assert_eq!((*offset, damage), (0, &Damage::SegmentHead))
            } else {
                assert_eq!(*offset as usize, n_head)
            }
        });
    }
}

#[test]
fn record_before_a_later_segment_is_not_cut_off() {
    let (disk, _) = journal_of(&[1..=1, 2..=2], 1);
    let (second, _) = last_segment(&disk);
    let bytes = disk.content(FIRST_SEGMENT);
    for n_bytes in bytes.len() - 63..bytes.len() {
        disk.set_content(FIRST_SEGMENT, bytes[..n_bytes].to_vec());
        assert_eq!(
            error_of(&disk).to_string(),
            format!(
                "batch 1 at byte {} of `disk/{FIRST_SEGMENT}` is damaged: it was synced before `disk/{second}` was created; \
                 restore the file from a backup",
                bytes.len() - 64
            )
        );
    }
}

#[test]
fn missing_records_and_segments_are_an_error() {
    let (disk, _) = journal_of(&[1..=1, 2..=2, 3..=3], 1);
    let names = disk.names();
    let segments: Vec<&String> = names.iter().filter(|name| name.ends_with(".log")).collect();
    // A segment that ends between two records.
    let bytes = disk.content(segments[1]);
    disk.set_content(segments[1], bytes[..bytes.len() - 64].to_vec());
    assert_eq!(
        error_of(&disk).to_string(),
        format!(
            "`disk/{}` must begin with batch 2, but begins with batch 3; restore the segments before it from a backup",
            segments[2]
        )
    );
    disk.remove(segments[1]).unwrap();
    assert_eq!(
        error_of(&disk).to_string(),
        format!(
            "`disk/{}` must begin with batch 2, but begins with batch 3; restore the segments before it from a backup",
            segments[2]
        )
    );
}

#[test]
fn renamed_segment_is_an_error() {
    let (disk, _) = journal_of(&[1..=1], u64::MAX);
    let other = "journal-00000000000000000001-0000000002.log";
    disk.rename(FIRST_SEGMENT, other).unwrap();
    assert_eq!(
        error_of(&disk).to_string(),
        format!(
            "the head at byte 0 of `disk/{other}` does not agree with the file name, whose first batch is 1; \
             restore the file from a backup"
        )
    );
}

#[test]
fn record_in_the_place_of_another_is_an_error() {
    let (disk, positions) = journal_of(&[1..=1, 2..=2, 3..=3], u64::MAX);
    let mut bytes = disk.content(FIRST_SEGMENT);
    bytes.drain(positions[1]..positions[2]);
    disk.set_content(FIRST_SEGMENT, bytes);
    assert_eq!(
        error_of(&disk).to_string(),
        format!(
            "batch 2 at byte {} of `disk/{FIRST_SEGMENT}` is damaged: batch 3 is in its place; restore the file from a backup",
            positions[1]
        )
    );
}

#[test]
fn torn_group_is_cut_off_even_if_later_records_of_it_are_whole() {
    let (disk, positions) = journal_of(&[1..=1, 2..=4], u64::MAX);
    let mut bytes = disk.content(FIRST_SEGMENT);
    // The first record of the group was not written, and the others were.
    bytes[positions[1]..positions[1] + 64].fill(0);
    disk.set_content(FIRST_SEGMENT, bytes);
    let mut opened = open_on(disk.clone()).unwrap();
    assert_eq!(batches(&mut opened.journal), [1]);
    assert_eq!(opened.recovered.cut.unwrap().n_bytes, 3 * 64);
}

#[test]
fn body_that_contains_records_of_another_journal_is_not_taken_for_them() {
    // A journal whose later records say that batch 2 was synced.
    let (other, positions) = journal_of(&[1..=1, 2..=2, 3..=3], u64::MAX);
    let copied = other.content(FIRST_SEGMENT)[positions[2]..].to_vec();
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(1)).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=1, 20);
    let mut with_copy = super::record(2, 20);
    with_copy.body.extend(copied);
    opened.journal.append(&[with_copy]).unwrap();
    drop(opened);
    let (name, mut bytes) = last_segment(&disk);
    let n_bytes = bytes.len();
    // Only the beginning of the record is torn.
    bytes[n_bytes - 2 * 64] ^= 1;
    disk.set_content(&name, bytes);
    let mut opened = open_on(disk).unwrap();
    assert_eq!(batches(&mut opened.journal), [1]);
}

#[test]
fn flipped_bit_in_a_snapshot_makes_it_unusable() {
    let (disk, _) = journal_of(&[1..=1, 2..=2], u64::MAX);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.snapshots.write(1, b"old").unwrap();
    opened.snapshots.write(2, b"new").unwrap();
    drop(opened);
    let name = "snapshot-00000000000000000002.snap";
    let n_bytes = disk.content(name).len();
    with_flips(&disk, name, 0..n_bytes, |_| {
        let opened = open_on(disk.clone()).unwrap();
        assert_eq!(opened.snapshots.list().unwrap(), [2, 1]);
        let error = opened.snapshots.read(2).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the snapshot of batch 2 at byte 0 of `disk/{name}` is damaged; use an older snapshot"
            )
        );
        assert!(opened.snapshots.check(2).is_err());
        assert_eq!(opened.snapshots.read(1).unwrap(), b"old");
        assert_eq!(
            opened.recovered.to_string(),
            format!("`disk/{name}` is damaged and is not used; an older snapshot is used")
        );
        let inspection = inspect(&disk).unwrap();
        assert_eq!(inspection.error().unwrap().to_string(), error.to_string());
    });
    for n_bytes in 0..n_bytes {
        let bytes = disk.content(name);
        disk.set_content(name, bytes[..n_bytes].to_vec());
        let opened = open_on(disk.clone()).unwrap();
        assert!(opened.snapshots.read(2).is_err());
        drop(opened);
        disk.set_content(name, bytes);
    }
}

#[test]
fn damage_after_opening_is_an_error_when_read() {
    let (disk, positions) = journal_of(&[1..=1, 2..=2], u64::MAX);
    let mut opened = open_on(disk.clone()).unwrap();
    let mut bytes = disk.content(FIRST_SEGMENT);
    bytes[positions[1]] ^= 1;
    disk.set_content(FIRST_SEGMENT, bytes);
    let mut visited = Vec::new();
    let error = opened.journal.read(0, &mut |stored| {
        visited.push(stored.record.batch);
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(visited, [1]);
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "batch 2 at byte {} of `disk/{FIRST_SEGMENT}` is damaged; restore the file from a backup",
            positions[1]
        )
    );
}

/// Whatever is in the files, opening returns records of the journal or an error.
#[test]
fn random_damage_never_adds_or_changes_a_record() {
    let (disk, _) = journal_of(&[1..=2, 3..=3, 4..=7, 8..=8, 9..=9], 300);
    let whole = disk.files();
    let all = {
        let mut opened = open_on(disk.clone()).unwrap();
        stored(&mut opened.journal, 0)
    };
    let mut random = Random::new(7);
    let (mut n_opened, mut n_errors) = (0, 0);
    for _ in 0..5_000 {
        let (name, bytes) = &whole[random.below(whole.len() as u64) as usize];
        let mut bytes = bytes.clone();
        let n_bytes = bytes.len() as u64;
        let (from, to) = (random.below(n_bytes), random.below(n_bytes));
        let range = from.min(to) as usize..from.max(to) as usize;
        match random.below(4) {
            0 => bytes.truncate(range.start),
            1 => bytes[range].fill(0),
            2 => bytes[range].fill_with(|| random.next() as u8),
            _ => {
                let copied = bytes[range].to_vec();
                let at = random.below(n_bytes) as usize;
                bytes.splice(at..at, copied);
            }
        }
        disk.set_content(name, bytes);
        match open_on(disk.clone()) {
            Ok(mut opened) => {
                let found = stored(&mut opened.journal, 0);
                assert_eq!(found, all[..found.len()]);
                n_opened += 1;
            }
            Err(_) => n_errors += 1,
        }
        for (name, bytes) in &whole {
            disk.set_content(name, bytes.clone());
        }
    }
    assert!(n_opened > 500 && n_errors > 500, "{n_opened}, {n_errors}");
}
