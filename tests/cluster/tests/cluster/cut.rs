//! Journals of a killed supervisor that were cut or damaged: a cut journal is recovered to a prefix, and damage is an error.

use core::ops::Range;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use schedule_cluster::StartError;
use schedule_stream::Outcome;
use schedule_stream::durable::DurableStream;
use schedule_tests_cluster::random::Random;
use schedule_tests_cluster::{Entry, outcome_line};

use super::supervisor::{LIMIT, SEED, Supervisor, add_lines};
use super::support::{
    Folder, Reported, assert_same_state, cluster, cluster_that_reports, continue_in_both, serial,
};

/// Runs a supervisor, and kills it when the newest segment has some batches. Returns the outcomes that it has printed, by position.
fn run_and_kill(folder: &Path, options: &[&str]) -> BTreeMap<String, String> {
    const N_BATCHES: usize = 7;
    let n_segments = segments(folder).len();
    let supervisor = Supervisor::start(folder, u64::MAX, options);
    let start = Instant::now();
    while segments(folder).len() == n_segments || newest(folder).batches.len() < N_BATCHES {
        assert!(start.elapsed() < LIMIT, "the supervisor writes no batches");
        thread::sleep(Duration::from_millis(1));
    }
    let mut outcomes = BTreeMap::new();
    add_lines(&supervisor.kill(), &mut outcomes);
    outcomes
}

/// The segments of the journal, the oldest first.
fn segments(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|end| end == "log"));
    all.sort();
    all
}

/// A segment, see `docs/journal-format.md`.
struct Segment {
    path: PathBuf,
    bytes: Vec<u8>,
    first_batch: u64,
    /// The end of the head, and of each whole entry.
    ends: Vec<usize>,
    /// Where the entries of batches are. Entries with the digests of outcomes are between them.
    batches: Vec<Range<usize>>,
}

impl Segment {
    fn read(path: PathBuf) -> Self {
        let bytes = fs::read(&path).unwrap();
        let size_at = |at: usize| {
            let size = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes(size.try_into().unwrap()) as usize)
        };
        let mut ends = vec![44 + size_at(20).unwrap()];
        let mut batches = Vec::new();
        while let Some(&end) = ends.last()
            && let Some(size) = size_at(end + 4)
            && end + 44 + size <= bytes.len()
        {
            ends.push(end + 44 + size);
            if bytes[end + 40..end + 42] == [1, 0] {
                batches.push(end..end + 44 + size);
            }
        }
        Self {
            first_batch: u64::from_le_bytes(bytes[32..40].try_into().unwrap()),
            path,
            bytes,
            ends,
            batches,
        }
    }

    /// The end of the last whole entry, if only the first `n_bytes` bytes are left.
    fn last_end(&self, n_bytes: usize) -> usize {
        let mut ends = self.ends.iter().rev();
        *ends.find(|end| **end <= n_bytes).unwrap()
    }

    /// The last batch, if only the first `n_bytes` bytes are left.
    fn last_batch(&self, n_bytes: usize) -> u64 {
        let n_whole = self.batches.iter().filter(|of| of.end <= n_bytes).count();
        self.first_batch + n_whole as u64 - 1
    }
}

fn newest(folder: &Path) -> Segment {
    Segment::read(segments(folder).pop().unwrap())
}

/// Copies a folder, except for the locks.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Copies a folder, and cuts a segment of the copy.
fn cut_copy(folder: &Folder, segment: &Segment, n_bytes: usize) -> Folder {
    let other = Folder::new();
    copy(folder.path(), other.path());
    let name = segment.path.file_name().unwrap();
    fs::write(other.path().join(name), &segment.bytes[..n_bytes]).unwrap();
    other
}

/// Processes the batches of the supervisor up to the last one. Compares the outcomes that it has printed.
fn process_serially(
    last: u64,
    printed: &BTreeMap<String, String>,
) -> (DurableStream<Entry>, Vec<Reported>) {
    let (mut serial, mut outcomes) = (serial(), Vec::new());
    for batch in 1..=last {
        let report = |outcome: Outcome<_>| {
            let line = outcome_line(&outcome);
            let (position, rest) = line.split_once(' ').unwrap();
            assert!(printed.get(position).is_none_or(|printed| printed == rest));
            outcomes.push(Reported::new(outcome));
        };
        let events = Random::of_batch(SEED, batch);
        serial.process_batch(events, report).unwrap();
    }
    (serial, outcomes)
}

/// Lengths of a segment: between records, and in each part of a record.
fn lengths(segment: &Segment, random: &mut Random) -> Vec<usize> {
    let (ends, n_bytes) = (&segment.ends, segment.bytes.len());
    let middle = ends[ends.len() / 2];
    let mut all = vec![n_bytes, n_bytes - 1, *ends.last().unwrap()];
    all.extend([middle + 40, middle + 31, middle + 1, middle, middle - 1]);
    all.extend([ends[0] + 5, ends[0]]);
    let n_left = (n_bytes - ends[0]) as u64;
    all.extend((0..5).map(|_| ends[0] + random.below(n_left) as usize));
    all
}

#[test]
fn cut_journal_is_recovered_to_a_prefix() {
    let folder = Folder::new();
    let mut printed = run_and_kill(folder.path(), &["snapshots=0"]);
    printed.extend(run_and_kill(folder.path(), &["snapshots=0"]));
    let segment = newest(folder.path());
    assert!(segment.first_batch > 1);
    let lengths = lengths(&segment, &mut Random::new(61));
    for (nth, n_bytes) in lengths.into_iter().enumerate() {
        let cut = cut_copy(&folder, &segment, n_bytes);
        let (reporting, replayed) = cluster_that_reports(1 + nth % 3);
        let mut cluster = reporting.recover(cut.path()).unwrap();
        let last = segment.last_batch(n_bytes);
        assert_eq!(cluster.next_batch(), last + 1, "{n_bytes} bytes");
        let is_torn = cluster.recovery().files.cut.is_some();
        let is_whole = segment.ends.contains(&n_bytes);
        let ends = &segment.ends;
        assert_eq!(
            is_torn, !is_whole,
            "{n_bytes} bytes, records end at {ends:?}"
        );
        let (mut serial, expected) = process_serially(last, &printed);
        Reported::assert_same(&replayed.borrow(), &expected);
        assert_same_state(&cluster, &serial);
        continue_in_both(&mut cluster, &mut serial, nth as u64);
    }
    // A segment is created with its whole head, so this was no torn write.
    for n_bytes in [segment.ends[0] - 1, 30, 3] {
        let cut = cut_copy(&folder, &segment, n_bytes);
        let error = cluster(2).recover(cut.path()).unwrap_err().to_string();
        let expected = format!(
            "whose first batch is {}, is damaged; restore the file from a backup",
            segment.first_batch
        );
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn cut_before_the_newest_snapshot_is_an_error() {
    let folder = Folder::new();
    let printed = run_and_kill(folder.path(), &["snapshots=3"]);
    let segment = newest(folder.path());
    let names = fs::read_dir(folder.path()).unwrap();
    let batch_of = |name: String| {
        let batch = name.strip_prefix("snapshot-")?.strip_suffix(".snap")?;
        batch.parse::<u64>().ok()
    };
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let snapshot = names.filter_map(batch_of).max().unwrap();
    assert!(snapshot >= 6);
    // The end of the record of the snapshot.
    let end = segment.batches[(snapshot - segment.first_batch) as usize].end;
    // The supervisor may have been killed before it wrote another batch.
    let after = [end, end + 1].into_iter();
    for n_bytes in after.filter(|n_bytes| *n_bytes <= segment.bytes.len()) {
        let cut = cut_copy(&folder, &segment, n_bytes);
        let cluster = cluster(2).recover(cut.path()).unwrap();
        assert_eq!(cluster.next_batch(), snapshot + 1);
        let (serial, _) = process_serially(snapshot, &printed);
        assert_same_state(&cluster, &serial);
    }
    let second = segment.batches[1].end;
    for n_bytes in [end - 1, second + 50, second] {
        let cut = cut_copy(&folder, &segment, n_bytes);
        let missing = segment.last_batch(n_bytes) + 1;
        let offset = segment.last_end(n_bytes);
        let error = cluster(2).recover(cut.path()).unwrap_err();
        assert!(matches!(error, StartError::Durable(_)), "{error:?}");
        let text = error.to_string();
        let begin = format!("batch {missing} at byte {offset} of ");
        let end = format!(
            " is damaged: it was synced before the snapshot of batch {snapshot} was written; restore the file from a backup"
        );
        assert!(text.starts_with(&begin) && text.ends_with(&end), "{text}");
    }
}

#[test]
fn damaged_middle_of_a_journal_is_an_error() {
    let folder = Folder::new();
    let mut printed = run_and_kill(folder.path(), &["snapshots=0"]);
    printed.extend(run_and_kill(folder.path(), &["snapshots=0"]));
    let newest = newest(folder.path());
    let name = newest.path.file_name().unwrap().to_str().unwrap();
    let oldest = Segment::read(segments(folder.path()).remove(0));
    for (segment, nth, later) in [
        (&newest, 0, format!("batch {}", newest.first_batch + 1)),
        (&newest, 3, format!("batch {}", newest.first_batch + 4)),
        (&oldest, 3, name.to_string()),
        (&oldest, oldest.batches.len() - 1, name.to_string()),
    ] {
        let Range { start: offset, end } = segment.batches[nth].clone();
        for at in [offset, offset + 5, offset + 20, end - 1] {
            let mut bytes = segment.bytes.clone();
            bytes[at] ^= 16;
            fs::write(&segment.path, &bytes).unwrap();
            let error = cluster(2).recover(folder.path()).unwrap_err();
            let batch = segment.first_batch + nth as u64;
            let begin = format!("batch {batch} at byte {offset} of ");
            let text = error.to_string();
            assert!(text.starts_with(&begin), "{text}");
            assert!(
                text.contains(" is damaged: it was synced before "),
                "{text}"
            );
            assert!(text.contains(&later), "{later}: {text}");
            assert!(text.ends_with("; restore the file from a backup"), "{text}");
            // Nothing was changed.
            assert_eq!(fs::read(&segment.path).unwrap(), bytes);
            fs::write(&segment.path, &segment.bytes).unwrap();
        }
    }
    let last = newest.last_batch(newest.bytes.len());
    let (serial, _) = process_serially(last, &printed);
    assert_same_state(&cluster(3).recover(folder.path()).unwrap(), &serial);
}
