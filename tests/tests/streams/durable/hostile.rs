//! Files that no journal has written: no number, length or name in them causes a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{Journal, JournalError, inspect, open_on};
use schedule_tests::child::Child;
use schedule_tests::n_cases;

use super::program::{Entry, Open, Spread, bank, entries, resources, set_clock};
use crate::journal::disk::{Random, SimulatedDisk};
use crate::stream::By;

fn program() -> Durable<Entry> {
    bank(By::ALL[0]).idempotency_keys(16)
}

fn recover(disk: &SimulatedDisk) -> Result<DurableStream<Entry>, DurableError> {
    let opened = open_on(disk.clone())?;
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    program().recover_from(journal, snapshots, resources())
}

/// A journal of two generations with idempotency keys, follow-up events and snapshots, and batches after the last snapshot.
fn written() -> Vec<(String, Vec<u8>)> {
    let disk = SimulatedDisk::new(0);
    let mut random = Random::new(3);
    for generation in 0..2 {
        let mut stream = recover(&disk).unwrap();
        set_clock(&mut stream);
        stream
            .process_batch(entries(&mut random, 20, 6), drop)
            .unwrap();
        stream.snapshot().unwrap();
        stream.drain(u64::MAX, drop).unwrap();
        let service = stream.serve();
        for nth in 0..3 {
            let key = format!("key {generation} {nth}");
            let submitted = service
                .handle()
                .submit_with_key_blocking(key, Entry::Open(Open(nth)));
            submitted.unwrap();
        }
        let mut stream = service.shutdown().unwrap();
        let spread = Entry::Spread(Spread { from: 0, n: 3 });
        stream.process_batch([spread], drop).unwrap();
        stream.snapshot().unwrap();
        stream
            .process_batch(entries(&mut random, 5, 6), drop)
            .unwrap();
        drop(stream);
        disk.end_program();
    }
    disk.files()
}

fn disk_of(files: &[(String, Vec<u8>)]) -> SimulatedDisk {
    let disk = SimulatedDisk::new(0);
    for (name, bytes) in files {
        disk.set_content(name, bytes.clone());
    }
    disk
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    if let Some(to) = bytes.get_mut(at..at + new.len()) {
        to.copy_from_slice(new);
    }
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The numbers in a name.
fn numbers(name: &str) -> Vec<u64> {
    let parts = name.split(|character: char| !character.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

fn segment_name(first: u64, generation: u64) -> String {
    format!("journal-{first:020}-{generation:010}.log")
}

/// Makes the checksums and the head of a file those of its content and name, as far as it is long enough.
fn seal(name: &str, bytes: &mut [u8]) {
    if bytes.len() < 40 {
        return;
    }
    let is_snapshot = name.starts_with("snapshot");
    // The size of the head of a segment, and of the header of an entry.
    let (version, n_head, n_header) = if u32_at(bytes, 8) == 1 || is_snapshot {
        (1_u32, 40, 32)
    } else {
        (2, 44, 44)
    };
    put(bytes, 8, &version.to_le_bytes());
    put(bytes, 12, &crc32fast::hash(&bytes[..12]).to_le_bytes());
    match numbers(name)[..] {
        [first, generation] => {
            put(bytes, 24, &generation.to_le_bytes());
            put(bytes, 32, &first.to_le_bytes());
            let end = u32_at(bytes, 20).saturating_add(n_head);
            if end > bytes.len() {
                return;
            }
            put(bytes, 16, &crc32fast::hash(&bytes[20..end]).to_le_bytes());
            let id = bytes[24..40].to_vec();
            let mut rest = &mut bytes[end..];
            while rest.len() >= n_header && u32_at(rest, 4) <= rest.len() - n_header {
                let (entry, later) = rest.split_at_mut(n_header + u32_at(rest, 4));
                let checksum = crc32fast::hash(&[&id, &entry[4..]].concat());
                put(entry, 0, &checksum.to_le_bytes());
                rest = later;
            }
        }
        [batch] => {
            let n_bytes = bytes.len() as u64 - 40;
            if n_bytes >= 28 {
                put(bytes, 56, &n_bytes.to_le_bytes());
                let end = bytes.len() - 4;
                put(bytes, end, &crc32fast::hash(&bytes[40..end]).to_le_bytes());
            }
            put(bytes, 24, &batch.to_le_bytes());
            put(bytes, 32, &n_bytes.to_le_bytes());
            put(bytes, 16, &crc32fast::hash(&bytes[20..]).to_le_bytes());
        }
        _ => {}
    }
}

/// Opens and recovers, and goes on if that succeeds. Returns what has failed.
fn use_all(disk: &SimulatedDisk) -> Result<(), DurableError> {
    drop(inspect(disk).map(|inspection| inspection.to_string()));
    let mut stream = recover(disk)?;
    set_clock(&mut stream);
    stream.process([Entry::Open(Open(1)), Entry::Open(Open(70))], drop)?;
    stream.snapshot()?;
    drop(stream);
    disk.end_program();
    recover(disk).map(drop)
}

#[test]
fn changed_files_with_right_checksums_never_cause_a_panic() {
    const NUMBERS: [u64; 8] = [
        0,
        1,
        2,
        1 << 31,
        u32::MAX as u64,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];
    let files = written();
    for seed in 0..n_cases(4_000).into() {
        let mut random = Random::new(seed);
        let mut changed = files.clone();
        for _ in 0..=random.below(3) {
            let nth = random.below(changed.len() as u64) as usize;
            let number = NUMBERS[random.below(8) as usize];
            let (name, bytes) = &mut changed[nth];
            let at = random.below(bytes.len() as u64 + 1) as usize;
            match random.below(8) {
                0 => bytes.truncate(at),
                1 => bytes.extend((0..at).map(|n| n as u8)),
                2 => {
                    let bytes = bytes.clone();
                    let name = match numbers(name)[..] {
                        [first, _] if random.one_in(2) => segment_name(first, number),
                        [_, generation] => segment_name(number, generation),
                        _ => format!("snapshot-{number:020}.snap"),
                    };
                    if random.one_in(2) {
                        changed.push((name, bytes))
                    } else {
                        changed[nth].0 = name
                    }
                }
                3 => put(bytes, at, &number.to_le_bytes()[..4]),
                4 => put(bytes, at, &number.to_le_bytes()),
                _ => put(bytes, at, &[random.next() as u8]),
            }
        }
        if !random.one_in(4) {
            changed
                .iter_mut()
                .for_each(|(name, bytes)| seal(name, bytes));
        }
        let used = catch_unwind(AssertUnwindSafe(|| use_all(&disk_of(&changed))));
        assert!(used.is_ok(), "seed {seed}");
    }
}

#[test]
fn unchanged_files_are_used_after_their_checksums_were_computed_again() {
    let files = written();
    let mut sealed = files.clone();
    sealed
        .iter_mut()
        .for_each(|(name, bytes)| seal(name, bytes));
    assert_eq!(sealed, files);
    use_all(&disk_of(&files)).unwrap();
}

#[test]
fn random_files_are_errors() {
    for seed in 0..n_cases(400).into() {
        let mut random = Random::new(seed);
        let mut bytes = || {
            let n = random.below(200);
            (0..n).map(|_| random.next() as u8).collect::<Vec<u8>>()
        };
        let names = [
            segment_name(1, 1),
            "snapshot-00000000000000000000.snap".to_string(),
        ];
        let files = names.map(|name| (name, bytes()));
        let error = use_all(&disk_of(&files)).unwrap_err();
        assert!(matches!(error, DurableError::Journal(_)), "{error}");
    }
}

/// The state before the first batch, and a segment without batches.
fn empty_segment(first: u64, generation: u64) -> Vec<(String, Vec<u8>)> {
    let disk = SimulatedDisk::new(0);
    drop(recover(&disk).unwrap());
    let mut files = disk.files();
    let is_segment = |(name, _): &&mut (String, Vec<u8>)| numbers(name) == [1, 1];
    let (name, bytes) = files.iter_mut().find(is_segment).unwrap();
    *name = segment_name(first, generation);
    seal(name, bytes);
    files
}

#[test]
fn generation_after_the_highest_one_is_an_error() {
    let disk = disk_of(&empty_segment(1, u64::MAX));
    let mut opened = open_on(disk.clone()).unwrap();
    let head = opened.journal.head().unwrap().clone();
    let error = opened.journal.start(&head).unwrap_err();
    assert!(
        matches!(
            error,
            JournalError::LastNumber {
                of: "generation",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "no generation can follow 18446744073709551615, the highest number, which a file or a message of the journal has: no \
         journal has written it, so remove it"
    );
}

#[test]
fn batch_after_the_highest_one_is_an_error() {
    // The snapshot of the batch before the highest one.
    let mut files = empty_segment(u64::MAX, 1);
    for (name, bytes) in &mut files {
        if numbers(name) == [0] {
            *name = format!("snapshot-{:020}.snap", u64::MAX - 1);
            seal(name, bytes);
        }
    }
    let mut stream = recover(&disk_of(&files)).unwrap();
    let error = stream.process([Entry::Open(Open(1))], drop).unwrap_err();
    let DurableError::Journal(error) = error else {
        panic!("{error}");
    };
    assert!(
        matches!(error, JournalError::LastNumber { of: "batch", .. }),
        "{error}"
    );

    // A snapshot of the highest batch is not used.
    let mut files = written();
    let name = format!("snapshot-{}.snap", u64::MAX);
    let newest = files.iter().rfind(|(name, _)| name.starts_with("snapshot"));
    let mut bytes = newest.unwrap().1.clone();
    seal(&name, &mut bytes);
    files.push((name, bytes));
    let disk = disk_of(&files);
    let opened = open_on(disk.clone()).unwrap();
    assert_eq!(opened.recovered.damaged_snapshots.len(), 1);
    drop(opened);
    disk.end_program();
    let stream = recover(&disk).unwrap();
    assert_eq!(stream.recovery().damaged_snapshots, [u64::MAX]);
}

/// Each 48 bytes imitate the header of a long entry. A checksum of each of them over all its bytes would take minutes.
#[test]
fn bytes_that_imitate_headers_do_not_slow_down_the_repair() {
    Child::new(|| {
        const N: u64 = 200_000;
        let mut files = empty_segment(1, 1);
        let (_, bytes) = files
            .iter_mut()
            .find(|(name, _)| numbers(name) == [1, 1])
            .unwrap();
        let whole = bytes.len();
        // No whole entry.
        bytes.extend([0; 44]);
        for nth in 0..N {
            let n_left = (N - nth) * 48 - 48;
            bytes.extend(7_u32.to_le_bytes());
            bytes.extend((n_left as u32).to_le_bytes());
            bytes.extend((2 + nth % 1_000).to_le_bytes());
            bytes.extend(1_u64.to_le_bytes());
            bytes.extend([0; 24]);
        }
        let n_bytes = (bytes.len() - whole) as u64;
        let opened = open_on(disk_of(&files)).unwrap();
        assert_eq!(opened.recovered.cut.unwrap().n_bytes, n_bytes);
    })
    .run();
}
