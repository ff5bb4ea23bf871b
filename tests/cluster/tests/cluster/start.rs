//! Clusters that cannot start name the reason.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::{Cluster, SameExecutable, StartError};
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use schedule_tests_cluster::{EndProcess, Entry, PROGRAM};
use serde::{Deserialize, Serialize};

use super::support::{Folder, cluster};

#[derive(Clone, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "shelf")]
struct Shelf(u64);

#[derive(Clone, Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u64);

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(count, error = String)]
#[snapshot(name = "count")]
struct Count;

#[handler]
fn count(_: &Count, shelves: &Records<Shelf>, sum: &Sum) {
    let _ = (shelves, sum);
}

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(fill, error = String)]
#[snapshot(name = "fill")]
struct Fill;

#[handler]
fn fill(_: &Fill, #[key(1)] shelf: &mut Shelf, sum: &mut Sum) {
    shelf.0 += 1;
    sum.0 += 1;
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::<Shelf>::new());
    resources.insert_default::<Sum>();
    resources
}

fn error_of<E: schedule_cluster::SentEvent>(cluster: Cluster<E>) -> String {
    error_of_folder(cluster, &Folder::new())
}

fn error_of_folder<E: schedule_cluster::SentEvent>(cluster: Cluster<E>, folder: &Folder) -> String {
    let error = cluster.recover(folder.path()).unwrap_err();
    error.to_string()
}

#[test]
fn handler_of_a_whole_store_is_refused() {
    let cluster = Cluster::<Count>::new(Durable::new("shop", 1), resources);
    let error = error_of(cluster.records::<Shelf>().constant::<Sum>());
    assert_eq!(
        error,
        "the handler `count` takes the whole store `Records<Shelf>` for `shelves`, but its records are divided between processes: \
         take single records, or declare the store with `constant` if no handler writes it"
    );
}

#[test]
fn state_that_no_handler_writes_is_refused() {
    let cluster = Cluster::<Count>::new(Durable::new("shop", 1), resources);
    let error = error_of(cluster.constant::<Records<Shelf>>().state::<Sum>());
    assert_eq!(
        error,
        "no handler writes `Sum`: declare it with `constant`, not with `state`"
    );
}

#[test]
fn records_that_are_declared_as_state_are_refused() {
    let cluster = Cluster::<Fill>::new(Durable::new("shop", 1), resources);
    let error = error_of(cluster.state::<Records<Shelf>>().state::<Sum>());
    assert_eq!(
        error,
        "the handler `fill` takes records by key from `Records<Shelf>` for `shelf`: declare the store with `records`, not with `state`"
    );
}

#[test]
fn stop_policy_is_refused() {
    let durable =
        Durable::new("shop", 1).set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
    let cluster = Cluster::<Fill>::new(durable, resources);
    let error = error_of(cluster.records::<Shelf>().state::<Sum>());
    assert_eq!(
        error,
        "a cluster cannot stop after a failure: set `FailurePolicy::CarryOn`, or use one process"
    );
}

#[test]
fn undeclared_resource_is_refused() {
    let cluster = Cluster::<Fill>::new(Durable::new("shop", 1), resources);
    let error = error_of(cluster.records::<Shelf>());
    assert!(error.contains("`Sum`: call `state`"), "{error}");
}

#[test]
fn worker_with_other_constants_is_refused() {
    for (variable, expected) in [
        ("fee", "its constants or limits"),
        ("version", "its program has another name or version"),
    ] {
        let cluster = cluster(2).command(move |index| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_cluster-process"));
            if index == 1 {
                command.env(PROGRAM, variable);
            }
            command
        });
        let error = error_of(cluster);
        assert!(error.starts_with("worker process 1 failed: "), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

/// A copy of the program of the workers, with a byte more at its end. It runs as the original, and has the same version.
struct Copied(PathBuf);

impl Copied {
    fn new(folder: &Folder) -> Self {
        let copied = Self(folder.path().join("copy"));
        copied.change("x");
        copied
    }

    /// Replaces it by a copy with these bytes at the end.
    fn change(&self, end: &str) {
        // Another process writes, so that no child process of another test can have the file open.
        let script = r#"cp "$0" "$1.new" && printf "$2" >> "$1.new" && mv "$1.new" "$1""#;
        let mut command = Command::new("sh");
        command.args(["-c", script, ORIGINAL]).arg(&self.0).arg(end);
        assert!(command.status().unwrap().success());
    }

    fn text(&self) -> String {
        format!("`{}`", self.0.display())
    }
}

const ORIGINAL: &str = env!("CARGO_BIN_EXE_cluster-process");

/// A cluster whose second worker has another executable.
fn with_copy(copied: &Copied) -> Cluster<Entry> {
    let path = copied.0.clone();
    cluster(2).command(move |index| match index {
        0 => Command::new(ORIGINAL),
        _ => Command::new(&path),
    })
}

#[test]
fn workers_with_different_executables_are_refused() {
    let folder = Folder::new();
    let copied = Copied::new(&folder);
    let error = error_of(with_copy(&copied));
    assert!(error.starts_with("worker process "), "{error}");
    assert!(error.contains(&copied.text()), "{error}");
    assert!(error.contains(&format!("`{ORIGINAL}`")), "{error}");
    assert!(
        error.contains("call `same_executable` of `Cluster`"),
        "{error}"
    );

    // Someone knows why.
    let cluster = with_copy(&copied).same_executable(SameExecutable::Unchecked);
    let (cluster, folder) = (cluster, Folder::new());
    cluster
        .recover(folder.path())
        .unwrap()
        .control()
        .collect()
        .unwrap();
}

#[test]
fn supervisor_with_another_executable_than_its_workers_is_refused_on_request() {
    let error = error_of(cluster(1).same_executable(SameExecutable::All));
    assert!(
        error.starts_with("worker process 0 failed: its executable"),
        "{error}"
    );
    assert!(error.contains(&format!("`{ORIGINAL}`")), "{error}");
    assert!(error.contains("of the supervisor"), "{error}");
}

#[test]
fn later_generation_with_another_executable_is_refused() {
    let folder = Folder::new();
    let copied = Copied::new(&folder);
    let path = copied.0.clone();
    let cluster = cluster(2).command(move |_| Command::new(&path));
    let mut stream = cluster.recover(folder.path()).unwrap();
    copied.change("other");
    // Ends a worker once.
    let file = folder.path().join("once");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap().to_string();
    let event = || {
        Entry::EndProcess(EndProcess {
            a: 1,
            file: file.clone(),
        })
    };
    let error = stream
        .process_batch([event()], |_| panic!("the event has no outcome"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("5 generations of workers have failed"),
        "{error}"
    );
    assert!(error.contains("its executable"), "{error}");
    drop(stream);

    // The next supervisor does not know the earlier executable.
    let path = copied.0.clone();
    let cluster = self::cluster(2).command(move |_| Command::new(&path));
    cluster
        .recover(folder.path())
        .unwrap()
        .process_batch([event()], drop)
        .unwrap();
}

#[test]
fn argument_of_a_worker_is_refused_without_a_supervisor() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cluster-process"));
    command.arg("schedule-cluster-worker").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "the argument `schedule-cluster-worker` is added only by a supervisor: remove it\n"
    );
}

#[test]
fn address_that_workers_cannot_reach_is_refused() {
    for address in ["0.0.0.0", "::", "224.0.0.1"] {
        assert_eq!(
            error_of(cluster(1).address(address.parse().unwrap())),
            format!(
                "workers cannot connect to the address {address}: set `address` to one of this machine that they can reach"
            )
        );
    }
}

#[test]
fn time_limits_can_have_any_length() {
    let cluster = cluster(1)
        .heartbeat_limit(Duration::MAX)
        .progress_limit(Duration::MAX)
        .save_limit(Duration::MAX);
    let folder = Folder::new();
    let cluster = cluster.recover(folder.path()).unwrap();
    cluster.control().collect().unwrap();
}

#[test]
fn command_that_is_not_the_program_is_refused() {
    let folder = Folder::new();
    let error = cluster(1)
        .command(|_| Command::new("true"))
        .recover(folder.path())
        .unwrap_err();
    assert!(
        matches!(error, StartError::Worker { index: 0, .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("it has ended with exit status: 0"),
        "{error}"
    );
    let error = error_of(cluster(1).command(|_| Command::new("does-not-exist")));
    assert!(error.contains("No such file"), "{error}");
}

#[test]
fn journal_of_a_cluster_is_refused_by_one_process_and_the_other_way_round() {
    let folder = Folder::new();
    let mut stream = cluster(1).recover(folder.path()).unwrap();
    let events = schedule_tests_cluster::random::Random::new(1).events(3);
    stream.process_batch(events, drop).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let alone = || schedule_tests_cluster::alone();
    let of_tests = schedule_tests_cluster::resources;
    let error = alone().recover(folder.path(), of_tests()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot was written by a cluster: recover it with `Cluster::recover`"
    );
    let error = alone().compare(folder.path(), of_tests()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshots of a cluster cannot be compared"
    );
    let folder = Folder::new();
    drop(alone().recover(folder.path(), of_tests()).unwrap());
    assert_eq!(
        error_of_folder(cluster(1), &folder),
        "the snapshot was not written by a cluster: recover it with `Durable::recover`"
    );
}
