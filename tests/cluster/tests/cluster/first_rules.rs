//! The folder `first_rules/cluster`, which a cluster has written under the first rules of follow-up events: above the budget of a
//! batch, they had an error. Its batches are replayed by these rules.
//!
//! The code of commit e4b7ae1b has written the folder and `outcomes.txt`, by the function `write` below, which was then a test.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use schedule_stream::{Outcome, Position};
use schedule_tests_cluster::random::clock;
use schedule_tests_cluster::{Act, Entry, outcome_line, program, program_with};

use super::support::Folder;

fn worker(_: usize) -> Command {
    Command::new(env!("CARGO_BIN_EXE_cluster-process"))
}

/// An event that causes others.
fn spawn(a: u32, following: Vec<Entry>) -> Entry {
    Entry::Spawn(act(a, following))
}

fn act(a: u32, following: Vec<Entry>) -> Act {
    Act {
        a,
        b: a + 1,
        c: 0,
        many: Vec::new(),
        nonce: u64::from(a),
        spin: 0,
        fault: None,
        following,
    }
}

/// The events of the batches: the first one causes 40 follow-up events, of which 30 are handled, and those cause 13.
fn batches() -> [Vec<Entry>; 3] {
    let transfer = |a| Entry::Transfer(act(a, Vec::new()));
    let first = (0..10).map(|a| {
        let chain = spawn(a, vec![spawn(a, vec![spawn(a, vec![transfer(a)])])]);
        spawn(
            a,
            vec![
                transfer(a),
                chain,
                transfer(a + 2),
                Entry::Merge(act(a, Vec::new())),
            ],
        )
    });
    let last = (0..9).map(|a| spawn(a, vec![transfer(a); 4]));
    [first.collect(), Vec::new(), last.collect()]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/first_rules")
}

/// A copy of the folder, because a recovery begins a segment.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let path = file.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

#[test]
fn batches_of_the_first_rules_are_replayed_by_them() {
    let copied = Folder::new();
    copy(&folder().join("cluster"), copied.path());
    let lines = Rc::new(RefCell::new(String::new()));
    let to = Rc::clone(&lines);
    let report =
        move |outcome: Outcome<Entry>| *to.borrow_mut() += &(outcome_line(&outcome) + "\n");
    let program = program_with(|durable| durable.outcomes_from(Position::new(1, 0), report));
    let cluster = program
        .command(worker)
        .processes(2)
        .recover(copied.path())
        .unwrap();
    assert_eq!((cluster.next_batch(), cluster.n_pending()), (4, 44));
    let expected = fs::read_to_string(folder().join("outcomes.txt")).unwrap();
    assert_eq!(*lines.borrow(), expected);
    // The events that are pending are carried over.
    let mut cluster = cluster;
    let mut sizes = Vec::new();
    while cluster.n_pending() > 0 {
        let mut n = 0;
        cluster.drain(1, |_| n += 1).unwrap();
        sizes.push(n);
    }
    assert_eq!(sizes[..2], [30, 14]);
}

/// Not a test any more: it would overwrite the folder.
#[expect(dead_code, reason = "documents how the folder was written")]
fn write() {
    let directory = folder().join("cluster");
    let mut lines = String::new();
    let mut cluster = program()
        .command(worker)
        .processes(1)
        .recover(&directory)
        .unwrap();
    cluster.set_clock(clock());
    for events in batches() {
        let report = |outcome| lines += &(outcome_line(&outcome) + "\n");
        cluster.process_batch(events, report).unwrap();
    }
    println!("{}", cluster.n_pending());
    fs::write(folder().join("outcomes.txt"), lines).unwrap();
}
