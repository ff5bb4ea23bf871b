//! A supervisor that is killed or stopped at any moment: no released outcome is lost or changes, and its workers end.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use schedule_cluster::ClusterStream;
use schedule_stream::Outcome;
use schedule_tests_cluster::random::Random;
use schedule_tests_cluster::{Entry, outcome_line};

use super::kills::{children_of, n_rounds, signal};
use super::support::{Folder, assert_same_state, cluster, serial};

pub(super) const SEED: u64 = 11;

/// The time that a supervisor may take for each round of a test.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// A process with a supervisor of two workers. It is killed at the end.
pub(super) struct Supervisor {
    process: Child,
    /// Returns its output.
    reader: Option<JoinHandle<String>>,
}

impl Supervisor {
    pub(super) fn start(folder: &Path, n_batches: u64, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cluster-process"))
            .arg(folder)
            .args([SEED.to_string(), n_batches.to_string()])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = process.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut output = String::new();
            stdout.read_to_string(&mut output).unwrap();
            output
        });
        Self {
            process,
            reader: Some(reader),
        }
    }

    fn output(&mut self) -> String {
        self.reader.take().unwrap().join().unwrap()
    }

    pub(super) fn kill(mut self) -> String {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.output()
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Adds the whole lines of an output: outcomes by position. Fails if one was different before. Returns the number of generations, if
/// the supervisor has processed all batches.
pub(super) fn add_lines(output: &str, outcomes: &mut BTreeMap<String, String>) -> Option<u64> {
    let whole = output.rfind('\n').map_or(0, |end| end + 1);
    let mut n_generations = None;
    for line in output[..whole].lines() {
        let (position, rest) = line.split_once(' ').unwrap();
        if position == "generations" {
            n_generations = Some(rest.parse().unwrap());
            continue;
        }
        let before = outcomes.insert(position.to_string(), rest.to_string());
        assert!(before.is_none_or(|before| before == rest), "{line}");
    }
    n_generations
}

/// Compares the outcomes that supervisors have printed, and the state, with one process. Returns the number of outcomes that were
/// not printed.
fn compare(stream: &ClusterStream<Entry>, mut outcomes: BTreeMap<String, String>) -> usize {
    let n_done = stream.next_batch() - 1;
    let mut serial = serial();
    let (mut n_expected, mut n_missing) = (0, 0);
    for batch in 1..=n_done {
        let report = |outcome: Outcome<_>| {
            let line = outcome_line(&outcome);
            let (position, rest) = line.split_once(' ').unwrap();
            n_expected += 1;
            match outcomes.remove(position) {
                Some(found) => assert_eq!(found, rest, "{position}"),
                None => n_missing += 1,
            }
        };
        serial
            .process_batch(Random::of_batch(SEED, batch), report)
            .unwrap();
    }
    assert!(outcomes.is_empty(), "lost: {outcomes:?}");
    assert!(n_expected > 0, "no batch was processed");
    assert_same_state(stream, &serial);
    n_missing
}

#[test]
fn supervisor_can_be_killed() {
    let folder = Folder::new();
    let mut random = Random::new(77);
    let mut outcomes = BTreeMap::new();
    let n_batches = 200 * n_rounds() as u64;
    for _ in 0..n_rounds() {
        let supervisor = Supervisor::start(folder.path(), n_batches, &[]);
        thread::sleep(Duration::from_millis(200 + random.below(700)));
        add_lines(&supervisor.kill(), &mut outcomes);
    }
    let stream = cluster(3).recover(folder.path()).unwrap();
    // The outcomes of the batch of a kill may not have been printed.
    compare(&stream, outcomes);
}

/// Waits until a supervisor has started this number of workers, and returns their ids.
fn wait_for_workers(supervisor: u32, n: usize) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let workers = children_of(supervisor);
        if workers.len() >= n {
            return workers;
        }
        assert!(start.elapsed() < LIMIT, "no worker is started");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Checks a supervisor that has processed all batches with its first workers.
fn compare_all(folder: &Folder, n_batches: u64, supervisor: &mut Supervisor) {
    let mut outcomes = BTreeMap::new();
    let n_generations = add_lines(&supervisor.output(), &mut outcomes);
    assert_eq!(n_generations, Some(1), "workers were judged too early");
    let stream = cluster(2).recover(folder.path()).unwrap();
    assert_eq!(stream.next_batch(), n_batches + 1);
    assert_eq!(compare(&stream, outcomes), 0, "an outcome is missing");
}

#[test]
fn supervisor_can_be_stopped_and_continued() {
    let mut random = Random::new(78);
    // Batches one after the other, and pauses in which only heartbeats arrive.
    for (idle, n_per_round) in [("idle=0", 20), ("idle=40", 6)] {
        let folder = Folder::new();
        let n_batches = n_per_round * n_rounds() as u64;
        let options = ["heartbeat=800", idle];
        let mut supervisor = Supervisor::start(folder.path(), n_batches, &options);
        let (start, mut n_stops) = (Instant::now(), 0);
        let status = loop {
            if let Some(status) = supervisor.process.try_wait().unwrap() {
                break status;
            }
            let limit = LIMIT * n_rounds() as u32;
            assert!(start.elapsed() < limit, "the supervisor does not end");
            thread::sleep(Duration::from_millis(random.below(300)));
            signal("STOP", supervisor.process.id());
            // Mostly longer than the limit of heartbeats.
            thread::sleep(Duration::from_millis(200 + random.below(1_300)));
            signal("CONT", supervisor.process.id());
            n_stops += 1;
        };
        assert!(status.success(), "{status}");
        assert!(n_stops > 0, "the supervisor was not stopped");
        compare_all(&folder, n_batches, &mut supervisor);
    }
}

#[test]
fn supervisor_can_be_stopped_while_it_starts_its_workers() {
    const N_BATCHES: u64 = 3;
    let mut random = Random::new(79);
    for _ in 0..n_rounds().div_ceil(10) {
        let mut stopped = Vec::new();
        for _ in 0..10 {
            let folder = Folder::new();
            let options = ["heartbeat=800", "progress=2000"];
            let supervisor = Supervisor::start(folder.path(), N_BATCHES, &options);
            wait_for_workers(supervisor.process.id(), 1);
            // A worker needs a few milliseconds to connect.
            thread::sleep(Duration::from_millis(random.below(20)));
            signal("STOP", supervisor.process.id());
            stopped.push((folder, supervisor));
        }
        // Longer than all limits.
        thread::sleep(Duration::from_millis(2_500));
        for (folder, mut supervisor) in stopped {
            signal("CONT", supervisor.process.id());
            let status = supervisor.process.wait().unwrap();
            assert!(status.success(), "{status}");
            compare_all(&folder, N_BATCHES, &mut supervisor);
        }
    }
}

#[test]
fn workers_are_started_again_after_the_program_was_replaced() {
    let folder = Folder::new();
    let [program, other] = ["program", "other"].map(|name| folder.path().join(name));
    fs::hard_link(env!("CARGO_BIN_EXE_cluster-process"), &program).unwrap();
    let supervisor = Command::new(&program)
        .arg(folder.path())
        .args(["13", "300"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let worker = wait_for_workers(supervisor.id(), 2)[1];
    fs::write(&other, "not a program").unwrap();
    fs::rename(&other, &program).unwrap();
    thread::sleep(Duration::from_millis(300));
    signal("KILL", worker);
    let output = supervisor.wait_with_output().unwrap();
    let failures = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{failures}");
    assert!(failures.lines().count() == 1, "{failures}");
}
