//! Random events, clusters of the test program, and the same program in one process.

use core::ops::ControlFlow;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use schedule_cluster::{Cluster, ClusterStream};
use schedule_stream::durable::{DurableStream, read_events};
use schedule_stream::journal::{self, EntryKind, Journal, MemoryJournal, MemorySnapshots};
use schedule_stream::{BatchTime, Outcome, Position};
use schedule_tests_cluster::random::{Random, clock, clock_after};
use schedule_tests_cluster::{Entry, Values, alone, program, program_with, resources};

/// The outcome of an event, which can be compared.
#[derive(Debug, PartialEq)]
pub(crate) struct Reported {
    pub(crate) position: Position,
    pub(crate) cause: Option<Position>,
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

    pub(crate) fn is_dead_letter(&self) -> bool {
        self.result
            .as_ref()
            .is_err_and(|error| error == "DeadLetter")
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
    program().command(worker).processes(n)
}

fn worker(_: usize) -> Command {
    Command::new(env!("CARGO_BIN_EXE_cluster-process"))
}

/// Outcomes that a recovery reports.
pub(crate) type Replayed = Rc<RefCell<Vec<Reported>>>;

/// A cluster of the test program that reports the outcomes of all batches when it is recovered.
pub(crate) fn cluster_that_reports(n: usize) -> (Cluster<Entry>, Replayed) {
    let all = Replayed::default();
    let replayed = Rc::clone(&all);
    let report = move |outcome| replayed.borrow_mut().push(Reported::new(outcome));
    let program = program_with(|durable| durable.outcomes_from(Position::new(1, 0), report));
    (program.command(worker).processes(n), all)
}

/// A cluster that keeps its journal in memory.
pub(crate) fn in_memory(n: usize, folder: &Folder) -> ClusterStream<Entry> {
    in_memory_from(cluster(n), folder)
}

/// This cluster, with its journal in memory.
pub(crate) fn in_memory_from(cluster: Cluster<Entry>, folder: &Folder) -> ClusterStream<Entry> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let mut stream = cluster
        .recover_from(Box::new(journal), Box::new(snapshots), folder.path())
        .unwrap();
    stream.set_clock(clock());
    stream
}

/// The program in this process.
pub(crate) fn serial() -> DurableStream<Entry> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let mut stream = alone()
        .recover_from(Box::new(journal), Box::new(snapshots), resources())
        .unwrap();
    stream.set_clock(clock());
    stream
}

/// Processes all batches of a journal in this process. Returns their outcomes, too.
pub(crate) fn replay_serially(directory: &Path) -> (DurableStream<Entry>, Vec<Reported>) {
    let mut batches = Vec::new();
    let mut journal = journal::open(directory).unwrap().journal;
    let read = journal.read(1, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        batches.push((stored.record.time, read_events::<Entry>(stored).unwrap()));
        ControlFlow::Continue(())
    });
    read.unwrap();
    let (mut serial, mut outcomes) = (serial(), Vec::new());
    for (time, events) in batches {
        serial.set_clock(move || BatchTime::from_nanos(time));
        let report = |outcome| outcomes.push(Reported::new(outcome));
        serial.process_batch(events, report).unwrap();
    }
    (serial, outcomes)
}

/// Processes random events in both, after a service has set the time of earlier batches.
pub(crate) fn continue_in_both(
    cluster: &mut ClusterStream<Entry>,
    serial: &mut DurableStream<Entry>,
    seed: u64,
) {
    // After the present time.
    let clock = || clock_after(1 << 52);
    cluster.set_clock(clock());
    serial.set_clock(clock());
    process(cluster, serial, Random::new(seed).events(200));
    assert_same_state(cluster, serial);
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
