//! A supervisor that is killed at any moment: no released outcome is lost or changes, and its workers end.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use schedule_tests::cluster::random::Random;
use schedule_tests::cluster::{Values, outcome_line};

use super::kills::n_rounds;
use super::support::{Folder, cluster, serial};

/// Adds the whole lines of an output: outcomes by position. Fails if one was different before.
fn add_lines(output: &str, outcomes: &mut BTreeMap<String, String>) {
    let whole = output.rfind('\n').map_or(0, |end| end + 1);
    for line in output[..whole].lines() {
        let (position, rest) = line.split_once(' ').unwrap();
        let before = outcomes.insert(position.to_string(), rest.to_string());
        assert!(before.is_none_or(|before| before == rest), "{line}");
    }
}

#[test]
fn supervisor_can_be_killed() {
    const SEED: u64 = 11;
    let folder = Folder::new();
    let mut random = Random::new(77);
    let mut outcomes = BTreeMap::new();
    let n_batches = 200 * n_rounds() as u64;
    for _ in 0..n_rounds() {
        let mut supervisor = Command::new(env!("CARGO_BIN_EXE_cluster-process"))
            .arg(folder.path())
            .args([SEED.to_string(), n_batches.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = supervisor.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut output = String::new();
            stdout.read_to_string(&mut output).unwrap();
            output
        });
        thread::sleep(Duration::from_millis(200 + random.below(700)));
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        add_lines(&reader.join().unwrap(), &mut outcomes);
    }
    let stream = cluster(3).recover(folder.path()).unwrap();
    let n_done = stream.next_batch() - 1;
    let mut serial = serial();
    let mut n_expected = 0;
    for batch in 1..=n_done {
        let report = |outcome: schedule_stream::Outcome<_>| {
            let line = outcome_line(&outcome);
            let (position, rest) = line.split_once(' ').unwrap();
            n_expected += 1;
            // The outcomes of the batch of a kill may not have been printed.
            if let Some(found) = outcomes.remove(position) {
                assert_eq!(found, rest, "{position}");
            }
        };
        serial
            .process_batch(Random::of_batch(SEED, batch), report)
            .unwrap();
    }
    assert!(outcomes.is_empty(), "lost: {outcomes:?}");
    assert!(n_expected > 0, "no batch was processed");
    let collected = stream.control().collect().unwrap();
    Values::of(&collected).assert_same(&Values::of(serial.resources()));
}
