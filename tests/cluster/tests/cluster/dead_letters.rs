//! Events that end each worker process that runs them: the supervisor finds them, and continues without them.

use std::fs;
use std::process::Command;

use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableError};
use schedule_stream::journal::{self, DeadLetterEntry, Journal};
use schedule_tests_cluster::random::{Random, clock};
use schedule_tests_cluster::{Act, EndProcess, Entry, program_with};

use super::support::{Folder, Reported, cluster, cluster_that_reports, serial};

/// An event that ends its process while this folder exists.
fn deadly(folder: &Folder) -> Entry {
    let file = folder.path().join("deadly").to_str().unwrap().to_string();
    Entry::EndProcess(EndProcess { a: 1, file })
}

fn arm(folder: &Folder) {
    fs::create_dir(folder.path().join("deadly")).unwrap();
}

fn disarm(folder: &Folder) {
    fs::remove_dir(folder.path().join("deadly")).unwrap();
}

/// Compares outcomes except those at some positions, which are dead letters.
fn assert_same_except(found: &[Reported], expected: &[Reported], dead: &[Position]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        if dead.contains(&found.position) {
            assert!(found.is_dead_letter(), "{found:?}")
        } else {
            assert_eq!(found, expected)
        }
    }
}

/// Two of them in one batch, and one in a later batch of the pipeline.
#[test]
fn other_events_have_the_outcomes_of_one_process() {
    let folder = Folder::new();
    arm(&folder);
    let mut events = Random::new(41).events(4_500);
    for nth in [100, 1_500, 2_100] {
        events[nth] = deadly(&folder);
    }
    let (mut cluster, mut serial) = (cluster(2).recover(folder.path()).unwrap(), serial());
    cluster.set_clock(clock());
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let processed = cluster.process(events.clone(), |outcome| found.push(Reported::new(outcome)));
    processed.unwrap();
    let letters = cluster.dead_letters();
    let dead: Vec<Position> = letters.iter().map(|letter| letter.position).collect();
    assert_eq!(dead[..2], [Position::new(1, 100), Position::new(1, 1_500)]);
    assert!(dead.len() == 3 && dead[2].batch > 1, "{dead:?}");
    assert_eq!(
        (&*letters[0].event, &*letters[0].handler),
        ("entry", "end_process")
    );
    let failures = cluster.control().failures();
    let text = "only the event at position 1:100 ran, event `entry`, handler `end_process`";
    let n_named = failures.iter().filter(|failure| failure.contains(text));
    assert_eq!(n_named.count(), 2, "{failures:?}");
    drop(cluster);
    // Here the event ends no process.
    disarm(&folder);
    let processed = serial.process(events, |outcome| expected.push(Reported::new(outcome)));
    processed.unwrap();
    assert_same_except(&found, &expected, &dead);

    // A recovery has the same outcomes, and calls no handler of them.
    arm(&folder);
    let (again, replayed) = cluster_that_reports(3);
    let again = again.recover(folder.path()).unwrap();
    assert_same_except(&replayed.take(), &expected, &dead);
    assert_eq!(again.control().n_failures(), 0);
    assert_eq!(again.dead_letters(), letters);
}

#[test]
fn service_continues_after_a_dead_letter() {
    let folder = Folder::new();
    arm(&folder);
    let service = cluster(2).recover(folder.path()).unwrap().serve();
    let handle = service.handle();
    for nth in 0..2 {
        let outcome = Reported::new(handle.submit_blocking(deadly(&folder)).unwrap());
        assert!(outcome.is_dead_letter(), "{outcome:?}");
        let others = Random::new(nth).events(20);
        for event in others {
            handle.submit_blocking(event).unwrap();
        }
        assert_eq!(handle.dead_letters().len() as u64, nth + 1);
    }
    service.shutdown().unwrap();
}

fn declared(
    settings: impl FnOnce(Durable<Entry>) -> Durable<Entry>,
) -> schedule_cluster::Cluster<Entry> {
    let worker = |_| Command::new(env!("CARGO_BIN_EXE_cluster-process"));
    program_with(settings).command(worker).processes(2)
}

#[test]
fn stream_can_stop_in_place_of_dead_letters() {
    let folder = Folder::new();
    arm(&folder);
    let cluster = declared(|durable| durable.max_dead_letters(0));
    let mut stream = cluster.recover(folder.path()).unwrap();
    let error = stream
        .process_batch([deadly(&folder)], |_| panic!("it has no outcome"))
        .unwrap_err();
    assert!(
        matches!(
            error,
            DurableError::EndsProcess {
                may_be_released: false,
                ..
            }
        ),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("position 1:0, event `entry`, handler `end_process`"),
        "{text}"
    );
}

#[test]
fn stream_stops_after_dead_letters_in_a_row() {
    let folder = Folder::new();
    arm(&folder);
    let mut stream = cluster(1).recover(folder.path()).unwrap();
    let batch = || (0..4).map(|_| deadly(&folder));
    let error = stream
        .process_batch(batch(), |_| panic!("the batch has no outcome"))
        .unwrap_err();
    assert!(
        matches!(&error, DurableError::DeadLetters { all, max: 3 } if all.len() == 3),
        "{error}"
    );
    drop(stream);
    // The mark says that no outcome of the batch was released, so the last event can become one in the recovery.
    let error = cluster(1).recover(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("after 3 dead letters in a row") && error.contains("1:3, event"),
        "{error}"
    );
    let more = declared(|durable| durable.max_dead_letters(10));
    let stream = more.recover(folder.path()).unwrap();
    assert_eq!(
        (
            stream.recovery().new_dead_letters.len(),
            stream.dead_letters().len()
        ),
        (1, 4)
    );
    drop(stream);
    let (again, replayed) = cluster_that_reports(1);
    drop(again.recover(folder.path()).unwrap());
    let replayed = replayed.take();
    assert_eq!(replayed.len(), 4);
    assert!(
        replayed.iter().all(Reported::is_dead_letter),
        "{replayed:?}"
    );
}

#[test]
fn released_outcome_is_never_replaced() {
    let folder = Folder::new();
    let mut stream = cluster(2).recover(folder.path()).unwrap();
    let mut outcomes = Vec::new();
    let report = |outcome| outcomes.push(Reported::new(outcome));
    stream.process_batch([deadly(&folder)], report).unwrap();
    drop(stream);
    arm(&folder);
    let error = cluster(2).recover(folder.path()).unwrap_err().to_string();
    assert!(error.contains("may have been released"), "{error}");
    assert!(
        error.contains("position 1:0, event `entry`, handler `end_process`"),
        "{error}"
    );
    disarm(&folder);
    let (again, replayed) = cluster_that_reports(2);
    drop(again.recover(folder.path()).unwrap());
    Reported::assert_same(&replayed.take(), &outcomes);
}

/// Position 1:0 sends the deadly event, so that it is at position 2:1. Returns all outcomes.
fn send_deadly(folder: &Folder) -> Vec<Reported> {
    let mut stream = cluster(2).recover(folder.path()).unwrap();
    let spawn = Entry::Spawn(Act {
        a: 1,
        b: 2,
        c: 0,
        many: Vec::new(),
        nonce: 1,
        spin: 0,
        fault: None,
        following: vec![deadly(folder)],
    });
    let harmless = Entry::EndProcess(EndProcess {
        a: 3,
        file: String::new(),
    });
    let mut outcomes = Vec::new();
    for event in [spawn, harmless] {
        let report = |outcome| outcomes.push(Reported::new(outcome));
        stream.process_batch([event], report).unwrap();
    }
    assert_eq!(outcomes[2].position, Position::new(2, 1));
    outcomes
}

#[test]
fn follow_up_event_stays_a_dead_letter() {
    let folder = Folder::new();
    arm(&folder);
    let outcomes = send_deadly(&folder);
    assert!(outcomes[2].is_dead_letter(), "{outcomes:?}");
    let (again, replayed) = cluster_that_reports(2);
    let again = again.recover(folder.path()).unwrap();
    Reported::assert_same(&replayed.take(), &outcomes);
    assert_eq!(again.control().n_failures(), 0);
    assert_eq!(again.recovery().replaced_dead_letters, []);
}

/// The dead letter was another event, which an earlier program has sent.
#[test]
fn other_event_at_the_position_of_a_dead_letter_is_handled() {
    let folder = Folder::new();
    let outcomes = send_deadly(&folder);
    let mut opened = journal::open(folder.path()).unwrap();
    let head = opened.journal.head().unwrap().clone();
    opened.journal.start(&head).unwrap();
    let letter = DeadLetterEntry {
        batch: 2,
        index: 1,
        n_deaths: 2,
        event: "entry".to_string(),
        handler: "end_process".to_string(),
        digest: Some([1; 16]),
    };
    opened.journal.append(&[letter.to_record(3, 0)]).unwrap();
    opened.journal.sync().unwrap();
    drop(opened);
    let (again, replayed) = cluster_that_reports(2);
    let again = again.recover(folder.path()).unwrap();
    Reported::assert_same(&replayed.take(), &outcomes);
    let replaced = &again.recovery().replaced_dead_letters;
    assert_eq!(replaced.len(), 1);
    assert_eq!(replaced[0].position, Position::new(2, 1));
}
