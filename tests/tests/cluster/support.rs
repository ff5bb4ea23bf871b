//! Random events, clusters of the test program, and the same program in one process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};

use schedule_cluster::{Cluster, ClusterStream};
use schedule_stream::durable::DurableStream;
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::{BatchTime, Outcome, Position};
use schedule_tests::cluster::{Act, Entry, Fault, N_ACCOUNTS, alone, program, resources};

/// A generator of random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }

    fn act(&mut self, depth: u32) -> Act {
        // Some accounts do not exist.
        let account = |random: &mut Self| random.below(u64::from(N_ACCOUNTS) + 4) as u32;
        let n_many = self.below(8);
        Act {
            a: account(self),
            b: account(self),
            c: self.below(8) as u32,
            many: (0..n_many).map(|_| account(self)).collect(),
            nonce: self.next(),
            spin: if self.below(10) == 0 {
                self.below(20_000) as u32
            } else {
                0
            },
            fault: match self.below(24) {
                0 => Some(Fault::Error),
                1 => Some(Fault::Panic),
                2 => Some(Fault::Key),
                _ => None,
            },
            following: match depth {
                0 => Vec::new(),
                _ => (0..self.below(4)).map(|_| self.entry(depth - 1)).collect(),
            },
        }
    }

    fn entry(&mut self, depth: u32) -> Entry {
        let act = self.act(depth);
        match self.below(12) {
            0 | 1 => Entry::Transfer(act),
            2 => Entry::Copy(act),
            3 => Entry::Merge(act),
            4 => Entry::Look(act),
            5 => Entry::Open(act),
            6 => Entry::Put(act),
            7 => Entry::Bonus(act),
            8 => Entry::Survey(act),
            9 => Entry::Earn(act),
            10 => Entry::SafeMerge(act),
            _ => Entry::Spawn(act),
        }
    }

    /// Returns random events. Their follow-up events are up to four levels deep.
    pub(crate) fn events(&mut self, n: usize) -> Vec<Entry> {
        (0..n).map(|_| self.entry(4)).collect()
    }
}

/// The outcome of an event, which can be compared.
#[derive(Debug, PartialEq)]
pub(crate) struct Reported {
    pub(crate) position: Position,
    cause: Option<Position>,
    handler: &'static str,
    event: Entry,
    result: Result<u64, String>,
}

impl Reported {
    pub(crate) fn assert_same(found: &[Self], expected: &[Self]) {
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.len());
    }

    pub(crate) fn new(outcome: Outcome<Entry>) -> Self {
        Self {
            position: outcome.position,
            cause: outcome.cause,
            handler: outcome.handler,
            event: outcome.event,
            result: outcome.result.map_err(|error| format!("{error:?}")),
        }
    }
}

/// A clock that is the same in each run.
pub(crate) fn clock() -> impl FnMut() -> BatchTime + Send {
    clock_after(0)
}

/// The same clock after some batches.
pub(crate) fn clock_after(n_batches: u64) -> impl FnMut() -> BatchTime + Send {
    let mut now = n_batches * 1_000;
    move || {
        now += 1_000;
        BatchTime::from_nanos(now)
    }
}

/// A folder that is removed at the end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static N_FOLDERS: AtomicU32 = AtomicU32::new(0);
        let nth = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("cluster-{}-{nth}", process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A cluster of the test program.
pub(crate) fn cluster(n: usize) -> Cluster<Entry> {
    let worker = |_| Command::new(env!("CARGO_BIN_EXE_cluster-worker"));
    program().command(worker).processes(n)
}

/// A cluster that keeps its journal in memory.
pub(crate) fn in_memory(n: usize, folder: &Folder) -> ClusterStream<Entry> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let stream = cluster(n).recover_from(Box::new(journal), Box::new(snapshots), folder.path());
    let mut stream = stream.unwrap();
    stream.set_clock(clock());
    stream
}

/// The program in this process.
pub(crate) fn serial() -> DurableStream<Entry> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let stream = alone().recover_from(Box::new(journal), Box::new(snapshots), resources());
    let mut stream = stream.unwrap();
    stream.set_clock(clock());
    stream
}
