//! Random events, clusters of the test program, and the same program in one process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use schedule_cluster::{Cluster, ClusterStream};
use schedule_stream::durable::DurableStream;
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::{Outcome, Position};
use schedule_tests::cluster::random::clock;
use schedule_tests::cluster::{Entry, Values, alone, program, resources};

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

/// A folder that is removed at the end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static N_FOLDERS: AtomicU32 = AtomicU32::new(0);
        let nth = N_FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("cluster-{}-{nth}", std::process::id());
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
    let worker = |_| Command::new(env!("CARGO_BIN_EXE_cluster-process"));
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

/// Processes the same events in both, and compares the outcomes.
pub(crate) fn process(
    cluster: &mut ClusterStream<Entry>,
    serial: &mut DurableStream<Entry>,
    events: Vec<Entry>,
) {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let report = |outcome: Outcome<Entry>| found.push(Reported::new(outcome));
    if let Err(error) = cluster.process(events.clone(), report) {
        panic!("{error}: {:?}", cluster.control().failures());
    }
    let report = |outcome: Outcome<Entry>| expected.push(Reported::new(outcome));
    serial.process(events, report).unwrap();
    Reported::assert_same(&found, &expected);
}

/// Compares all values.
pub(crate) fn assert_same_state(cluster: &ClusterStream<Entry>, serial: &DurableStream<Entry>) {
    let collected = cluster.control().collect().unwrap();
    Values::of(&collected).assert_same(&Values::of(serial.resources()));
}
