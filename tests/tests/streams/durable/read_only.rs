//! Recovery of a state that is only read: it changes nothing, and equals the state of the next recovery.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;
use std::{fs, io, process};

use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{
    Disk, Journal, JournalError, JournalHead, Snapshots, inspect, open_on, open_read_only_on,
};
use schedule_stream::service::{ServiceError, ServiceSettings};
use schedule_tests::n_cases;

use super::program::{
    Content, Entry, Look, Open, Pay, SMALL, Spread, bank, content, entries, resources, set_clock,
    small_bank,
};
use crate::journal::disk::{Full, Random, SimulatedDisk, SimulatedFile, SimulatedLock};
use crate::stream::By;

fn program() -> Durable<Entry> {
    bank(By::ALL[0]).idempotency_keys(16)
}

fn recover(
    disk: &SimulatedDisk,
    durable: Durable<Entry>,
) -> Result<DurableStream<Entry>, DurableError> {
    let opened = open_on(disk.clone())?;
    durable.recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        resources(),
    )
}

/// Recovers to read only, and checks that the disk is not changed.
fn read(
    disk: &SimulatedDisk,
    durable: Durable<Entry>,
) -> Result<DurableStream<Entry>, DurableError> {
    let (n_calls, files) = (disk.n_calls(), disk.files());
    let opened = open_read_only_on(disk.clone())?;
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let stream = durable.recover_from(journal, snapshots, resources());
    assert_eq!(disk.n_calls(), n_calls, "a call changes something");
    assert_eq!(disk.files(), files);
    stream
}

/// The parts of a stream that a reader sees.
fn seen(stream: &DurableStream<Entry>) -> (u64, usize, u64, Content) {
    (
        stream.next_batch(),
        stream.n_pending(),
        stream.history(),
        content(stream.resources()),
    )
}

fn pay(amount: u64) -> Entry {
    Entry::Pay(Pay {
        from: 0,
        to: 1,
        amount,
    })
}

fn is_read_only<T>(result: Result<T, DurableError>) -> bool {
    matches!(result, Err(DurableError::ReadOnly))
}

fn is_refused<T>(result: Result<T, ServiceError>) -> bool {
    matches!(result, Err(ServiceError::Refused(error)) if matches!(*error, DurableError::ReadOnly))
}

/// A disk that is full, with a torn batch at the end of its journal.
fn full_disk() -> SimulatedDisk {
    // A seed with which a part of the last write is on the disk.
    let disk = SimulatedDisk::new(3);
    let mut stream = recover(&disk, program()).unwrap();
    set_clock(&mut stream);
    let events = [Entry::Open(Open(7)), pay(3)];
    stream.process_batch(events, drop).unwrap();
    stream.snapshot().unwrap();
    let service = stream.serve();
    let keyed = service.handle().submit_with_key_blocking("key", pay(2));
    assert_eq!(keyed.unwrap().position, Position::new(2, 0));
    let mut stream = service.shutdown().unwrap();
    let spread = Entry::Spread(Spread { from: 0, n: 3 });
    stream.process_batch([spread], drop).unwrap();
    disk.fill(Some(Full::ForAll));
    let error = stream.process_batch([pay(1)], drop).unwrap_err();
    assert!(
        matches!(error, DurableError::Journal(JournalError::Full { .. })),
        "{error}"
    );
    drop(stream);
    disk.end_program();
    let found = inspect(&disk).unwrap();
    assert!(found.error().is_none() && found.torn.is_some(), "{found}");
    disk
}

#[test]
fn stream_on_a_full_disk_can_be_read() {
    let disk = full_disk();
    let error = recover(&disk, program()).unwrap_err();
    let is_full = matches!(error, DurableError::Journal(JournalError::Full { .. }));
    assert!(is_full, "{error}");
    disk.end_program();

    let mut stream = read(&disk, program()).unwrap();
    let expected = seen(&stream);
    assert_eq!((expected.0, stream.recovery().n_replayed), (4, 2));
    assert!(stream.n_pending() > 0);
    let n_calls = disk.n_calls();
    assert!(is_read_only(stream.process_batch([pay(1)], drop)));
    assert!(is_read_only(stream.process([pay(1)], drop)));
    assert!(is_read_only(stream.drain(1, drop)));
    assert!(is_read_only(stream.snapshot()));

    let service = stream.serve_with(ServiceSettings::new().snapshot_every(1));
    let handle = service.handle();
    let look = || Entry::Look(Look(0));
    let answer = handle.query_blocking(look()).unwrap();
    assert_eq!(answer.batch, 3);
    assert!(is_refused(handle.submit_blocking(pay(1))));
    assert!(is_refused(handle.submit_with_key_blocking("new", pay(1))));
    assert!(is_refused(handle.snapshot_blocking()));
    let repeat = handle.submit_with_key_blocking("key", pay(2)).unwrap();
    assert_eq!(repeat.position, Position::new(2, 0));
    let n_pending = handle.drain_blocking(u64::MAX).unwrap();
    assert_eq!(n_pending, expected.1, "the follow-up events wait");
    let again = handle.query_blocking(look()).unwrap();
    assert_eq!(again.result.unwrap(), answer.result.unwrap());
    let stream = service.shutdown().unwrap();
    assert_eq!(seen(&stream), expected);
    drop(stream);
    assert_eq!(disk.n_calls(), n_calls, "a call changes something");

    disk.fill(None);
    let mut stream = recover(&disk, program()).unwrap();
    assert_eq!(seen(&stream), expected);
    stream.process_batch([pay(1)], drop).unwrap();
}

/// A program stops at a random call of the disk. The state that is read then is that of the next recovery.
#[test]
fn state_after_a_crash_is_read_as_it_is_recovered() {
    let (mut n_read, mut n_torn) = (0, 0);
    let n_seeds = u64::from(n_cases(400));
    for seed in 0..n_seeds {
        let (disk, mut random) = (SimulatedDisk::new(seed), Random::new(seed));
        for _ in 0..3 {
            disk.stop_after(1 + random.below(60));
            if let Ok(mut stream) = recover(&disk, small_bank(By::ALL[0])) {
                set_clock(&mut stream);
                while disk.is_running() {
                    let n = 1 + random.below(5);
                    let events = entries(&mut random, n, 6);
                    let done = if random.one_in(4) {
                        stream.snapshot().map(drop)
                    } else {
                        stream.process_batch(events, drop)
                    };
                    assert!(done.is_ok() || !disk.is_running(), "seed {seed}: {done:?}");
                }
            }
            if random.one_in(2) {
                disk.lose_power();
            } else {
                disk.end_program();
            }
            let found = read(&disk, small_bank(By::ALL[0]));
            let recovered = recover(&disk.end_program_on_copy(), small_bank(By::ALL[0])).unwrap();
            match found {
                Ok(found) => {
                    assert_eq!(seen(&found), seen(&recovered), "seed {seed}");
                    n_read += 1;
                    n_torn += u64::from(inspect(&disk).unwrap().torn.is_some());
                }
                // The first snapshot was not written.
                Err(DurableError::NoSnapshot { first: 1 }) => {
                    assert_eq!(recovered.next_batch(), 1, "seed {seed}");
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(n_read > n_seeds / 2, "{n_read} of {n_seeds}");
    assert!(n_torn > 0 || n_seeds < 100, "{n_torn} of {n_seeds}");
}

#[test]
fn stream_that_is_open_can_be_read() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, program()).unwrap();
    let mut random = Random::new(7);
    let mut before: Option<DurableStream<Entry>> = None;
    for _ in 0..6 {
        let events = entries(&mut random, 20, 6);
        stream.process_batch(events, drop).unwrap();
        let found = read(&disk, program()).unwrap();
        assert_eq!(seen(&found), seen(&stream));
        // It needs no files any more, also if the other one removes them.
        let last = before.replace(found);
        stream.snapshot().unwrap();
        assert!(last.is_none_or(|last| last.next_batch() + 1 == stream.next_batch()));
    }
    let error = recover(&disk, program()).unwrap_err();
    let is_locked = matches!(error, DurableError::Journal(JournalError::Locked { .. }));
    assert!(is_locked, "{error}");
}

/// A snapshot of the other program that is newer than the journal of the reader is not used.
#[test]
fn snapshot_after_the_journal_was_examined_is_not_read() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, program()).unwrap();
    stream.process_batch([pay(1)], drop).unwrap();
    let expected = seen(&stream);
    let opened = open_read_only_on(disk.clone()).unwrap();
    stream.process_batch([pay(1)], drop).unwrap();
    stream.snapshot().unwrap();
    assert_eq!(opened.snapshots.list().unwrap(), [0]);
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let found = program().recover_from(journal, snapshots, resources());
    assert_eq!(seen(&found.unwrap()), expected);
}

/// The other program takes two snapshots, and removes those before them, so the reader finds none of its batches.
#[test]
fn snapshots_that_are_removed_meanwhile_are_not_reported_as_missing() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, program()).unwrap();
    stream.process_batch([pay(1)], drop).unwrap();
    let opened = open_read_only_on(disk.clone()).unwrap();
    for _ in 0..2 {
        stream.process_batch([pay(1)], drop).unwrap();
        stream.snapshot().unwrap();
    }
    assert_eq!(opened.snapshots.list().unwrap(), []);
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let error = program()
        .recover_from(journal, snapshots, resources())
        .unwrap_err();
    assert!(
        matches!(error, DurableError::Journal(JournalError::Io { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("another program has changed the directory"),
        "{text}"
    );
    assert_eq!(seen(&read(&disk, program()).unwrap()), seen(&stream));
}

/// A disk whose first lists have a file that another program removes before it is read.
#[derive(Debug)]
struct StaleDisk {
    disk: SimulatedDisk,
    removed: String,
    /// Number of these lists.
    n_stale: AtomicUsize,
}

impl Disk for StaleDisk {
    type File = SimulatedFile;
    type Lock = SimulatedLock;

    fn path(&self, name: &str) -> PathBuf {
        self.disk.path(name)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = self.disk.list()?;
        let (order, less) = (Ordering::Relaxed, |n: usize| n.checked_sub(1));
        if self.n_stale.fetch_update(order, order, less).is_ok() {
            names.push(self.removed.clone());
        }
        Ok(names)
    }

    fn open(&self, name: &str) -> io::Result<SimulatedFile> {
        self.disk.open(name)
    }

    fn lock(&self) -> io::Result<Option<SimulatedLock>> {
        panic!("a reader locks nothing")
    }

    fn create(&self, name: &str) -> io::Result<SimulatedFile> {
        panic!("a reader creates `{name}`")
    }

    fn open_writable(&self, name: &str) -> io::Result<SimulatedFile> {
        panic!("a reader writes `{name}`")
    }

    fn rename(&self, from: &str, _to: &str) -> io::Result<()> {
        panic!("a reader renames `{from}`")
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        panic!("a reader removes `{name}`")
    }

    fn sync_directory(&self) -> io::Result<()> {
        panic!("a reader syncs names")
    }
}

#[test]
fn files_that_are_removed_before_they_are_read_are_listed_again() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, program()).unwrap();
    let is_first = |name: &String| name.starts_with("journal-");
    let segment = disk.names().into_iter().find(is_first).unwrap();
    for _ in 0..3 {
        stream.process_batch([pay(1)], drop).unwrap();
        stream.snapshot().unwrap();
        drop(stream);
        disk.end_program();
        stream = recover(&disk, program()).unwrap();
    }
    assert!(!disk.names().contains(&segment), "it still exists");
    let open = |n_stale| {
        open_read_only_on(StaleDisk {
            disk: disk.clone(),
            removed: segment.clone(),
            n_stale: AtomicUsize::new(n_stale),
        })
    };
    for n_stale in 0..4 {
        let opened = open(n_stale).unwrap();
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        let found = program().recover_from(journal, snapshots, resources());
        assert_eq!(seen(&found.unwrap()), seen(&stream), "{n_stale}");
    }
    let error = open(4).unwrap_err();
    assert!(error.to_string().contains(&segment), "{error}");
}

#[test]
fn changes_of_the_program_that_need_an_entry_are_refused() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, small_bank(By::ALL[0])).unwrap();
    stream.process_batch([pay(1)], drop).unwrap();
    let expected = seen(&stream);
    drop(stream);
    disk.end_program();
    // A higher limit is an entry, too, but nothing is processed under it here.
    let raised = small_bank(By::ALL[0]).set_up(|stream| {
        let limits = SMALL.max_pending(u32::MAX);
        stream.set_limits(limits);
    });
    assert_eq!(seen(&read(&disk, raised).unwrap()), expected);
    let skipping = small_bank(By::ALL[0]).skip(Position::new(1, 0));
    let error = read(&disk, skipping).unwrap_err();
    assert!(matches!(error, DurableError::NotStopped { .. }), "{error}");
}

#[test]
fn storage_that_is_only_read_refuses_changes() {
    let disk = SimulatedDisk::new(0);
    drop(recover(&disk, program()).unwrap());
    let (n_calls, mut opened) = (disk.n_calls(), open_read_only_on(disk.clone()).unwrap());
    let head = JournalHead {
        program: "bank".to_string(),
        version: 1,
        types: Vec::new(),
        constants: 0,
        events: None,
    };
    let journal = &mut opened.journal;
    assert!(journal.is_read_only() && journal.open_mark().unwrap().is_none());
    for result in [
        journal.start(&head).map(drop),
        journal.append(&[]),
        journal.sync(),
        journal.truncate(1),
        opened.snapshots.write(0, b"state"),
        opened.snapshots.remove_before(1),
    ] {
        assert!(matches!(result, Err(JournalError::ReadOnly)), "{result:?}");
    }
    assert_eq!(disk.n_calls(), n_calls);
}

/// A directory that is removed at the end of a test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The names, the contents and the times of all files.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let changed = fs::metadata(&path).unwrap().modified().unwrap();
        (path.clone(), fs::read(path).unwrap(), changed)
    });
    let mut all: Vec<_> = entries.collect();
    all.sort();
    all
}

#[test]
fn directory_is_read_without_changes() {
    let name = format!("schedule-read-only-{}", process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    let missing = program().recover_read_only(&folder.0, resources());
    let error = missing.unwrap_err();
    assert!(matches!(error, DurableError::Journal(_)), "{error}");
    assert!(!folder.0.exists());
    fs::create_dir(&folder.0).unwrap();
    let empty = program().recover_read_only(&folder.0, resources());
    let error = empty.unwrap_err();
    assert!(
        matches!(error, DurableError::NoSnapshot { first: 1 }),
        "{error}"
    );
    assert_eq!(files(&folder.0), []);

    let mut stream = program().recover(&folder.0, resources()).unwrap();
    let events = [Entry::Open(Open(7)), pay(3)];
    stream.process_batch(events, drop).unwrap();
    let before = files(&folder.0);
    assert!(before.iter().any(|file| file.0.ends_with("mark")));
    // The other stream is open.
    let found = program().recover_read_only(&folder.0, resources()).unwrap();
    assert_eq!(seen(&found), seen(&stream));
    assert!(found.recovery().files.is_clean());
    drop(found);
    assert_eq!(files(&folder.0), before);
    drop(stream);

    // Not even a lock is left.
    fs::remove_file(folder.0.join("lock")).unwrap();
    fs::remove_file(folder.0.join("mark")).unwrap();
    let before = files(&folder.0);
    let found = program().recover_read_only(&folder.0, resources()).unwrap();
    assert_eq!(found.next_batch(), 2);
    drop(found);
    assert_eq!(files(&folder.0), before);
}
