//! Random events have the outcomes of one process, for each way to exchange values.

use std::fs;

use schedule_cluster::internal::{ValueExchange, set_exchange};
use schedule_cluster::owner_of;
use schedule_tests_cluster::random::Random;
use schedule_tests_cluster::{EndProcess, Entry, N_ACCOUNTS, Note};

use super::support::{Folder, assert_same_state, cluster, in_memory_from, process, serial};

/// Compares random events in 1 to 4 processes with one process.
fn compare(exchange: ValueExchange, seed: u64) {
    for n in 1..=4 {
        let folder = Folder::new();
        let mut random = Random::new(seed + n as u64);
        let mut declared = cluster(n);
        set_exchange(&mut declared, exchange);
        let (mut cluster, mut serial) = (in_memory_from(declared, &folder), serial());
        for n_events in [3, 300, 5_000] {
            process(&mut cluster, &mut serial, random.events(n_events));
            assert_same_state(&cluster, &serial);
        }
        let control = cluster.control();
        assert_eq!(control.n_generations(), 1, "{:?}", control.failures());
    }
}

#[test]
fn random_events_have_the_outcomes_of_one_process() {
    compare(ValueExchange::Measured, 0);
}

#[test]
fn random_events_have_the_outcomes_of_one_process_if_each_writer_runs_handlers() {
    compare(ValueExchange::Reads, 10);
}

#[test]
fn random_events_have_the_outcomes_of_one_process_if_values_are_shipped() {
    compare(ValueExchange::Ships, 20);
}

#[test]
fn exchange_of_values_decides_how_often_a_handler_runs() {
    const N_PROCESSES: u32 = 3;
    let accounts = || 0..N_ACCOUNTS;
    let owner = |account: u32| owner_of(&account, N_PROCESSES);
    let pairs: Vec<_> = accounts().zip(accounts().skip(1)).collect();
    let has_two_owners = |pair: &&(u32, u32)| owner(pair.0) != owner(pair.1);
    let n_remote = pairs.iter().filter(has_two_owners).count();
    assert!(n_remote > 0);
    for (exchange, n_expected) in [
        (ValueExchange::Reads, pairs.len() + n_remote),
        (ValueExchange::Ships, pairs.len()),
    ] {
        let folder = Folder::new();
        let file = folder.path().join("runs");
        fs::write(&file, "").unwrap();
        let name = file.to_str().unwrap();
        let note = |&(a, b): &(u32, u32)| {
            let file = name.to_string();
            Entry::Note(Note { a, b, file })
        };
        let mut declared = cluster(N_PROCESSES as usize);
        set_exchange(&mut declared, exchange);
        let mut cluster = in_memory_from(declared, &folder);
        let mut n_ended = 0;
        let events = pairs.iter().map(note);
        cluster.process(events, |_| n_ended += 1).unwrap();
        assert_eq!(n_ended, pairs.len());
        let n_runs = fs::read(&file).unwrap().len();
        assert_eq!(n_runs, n_expected, "{exchange:?}");
    }
}

#[test]
fn handler_that_depends_on_its_process_is_detected() {
    let folder = Folder::new();
    let mut declared = cluster(2);
    // Both processes run the handler.
    set_exchange(&mut declared, ValueExchange::Reads);
    let mut cluster = in_memory_from(declared, &folder);
    let file = folder.path().join("end");
    fs::write(&file, "id").unwrap();
    let file = file.to_str().unwrap().to_string();
    let a = (0..20).find(|a| owner_of(a, 2) != owner_of(&(a + 1), 2));
    let event = EndProcess {
        a: a.unwrap(),
        file,
    };
    let event = Entry::EndProcess(event);
    let expected = "batch 1 has different outcomes in two processes: a handler depends on something that is neither its event nor \
                    declared";
    let error = cluster
        .process([event.clone()], |_| panic!("the outcome is unknown"))
        .unwrap_err();
    assert!(error.to_string().ends_with(expected), "{error}");
    // The states may differ, so nothing is possible any more.
    let error = cluster.control().collect().unwrap_err();
    assert!(error.to_string().ends_with(expected), "{error}");
}
