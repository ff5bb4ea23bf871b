//! Services whose events are processed by a cluster.

use std::process::Command;
use std::thread;

use schedule_stream::durable::DurableError;
use schedule_stream::service::{ServiceError, ServiceSettings};
use schedule_tests_cluster::random::Random;
use schedule_tests_cluster::{Act, Entry, Values};

use super::support::{Folder, Reported, cluster, replay_serially};

fn act(a: u32, b: u32, nonce: u64) -> Act {
    Act {
        a,
        b,
        c: 1,
        many: Vec::new(),
        nonce,
        spin: 0,
        fault: None,
        following: Vec::new(),
    }
}

#[test]
fn clients_get_the_outcomes_of_one_process() {
    let folder = Folder::new();
    let stream = cluster(2).recover(folder.path()).unwrap();
    let control = stream.control();
    let service = stream.serve();
    let handle = service.handle();
    let mut reported: Vec<_> = thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let handle = &handle;
                scope.spawn(move || {
                    let mut random = Random::new(client);
                    let events = random.events(60).into_iter();
                    let submit = |event| Reported::new(handle.submit_blocking(event).unwrap());
                    events.map(submit).collect::<Vec<_>>()
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    assert_eq!(handle.drain_blocking(1_000).unwrap(), 0);
    handle.snapshot_blocking().unwrap();
    let collected = {
        let _paused = handle.pause_blocking().unwrap();
        control.collect().unwrap()
    };
    drop(service.shutdown().unwrap());
    reported.sort_by_key(|one| one.position);
    // The journal has the order of the events, and their times.
    let (serial, mut expected) = replay_serially(folder.path());
    expected.retain(|outcome| outcome.cause.is_none());
    Reported::assert_same(&reported, &expected);
    Values::of(&collected).assert_same(&Values::of(serial.resources()));
}

#[test]
fn query_sees_all_earlier_events_of_its_client() {
    let folder = Folder::new();
    let service = cluster(3).recover(folder.path()).unwrap().serve();
    let handle = service.handle();
    for n in 0..20 {
        handle
            .submit_blocking(Entry::Merge(act(n, n + 1, 5)))
            .unwrap();
        let look = || Entry::Look(act(n, n + 1, 0));
        let expected = handle.submit_blocking(look()).unwrap().result.unwrap();
        let answer = handle.query_blocking(look()).unwrap();
        assert_eq!(answer.result.unwrap(), expected);
    }
    let written = handle.query_blocking(Entry::Merge(act(1, 2, 3)));
    assert!(matches!(written, Err(ServiceError::NotAQuery)));
    service.shutdown().unwrap();
}

#[test]
fn repeat_of_an_idempotency_key_gets_the_first_outcome() {
    let folder = Folder::new();
    let service = cluster(2).recover(folder.path()).unwrap().serve();
    let handle = service.handle();
    let event = || Entry::Merge(act(1, 2, 9));
    let first = handle.submit_with_key_blocking("k", event()).unwrap();
    let again = handle.submit_with_key_blocking("k", event()).unwrap();
    assert_eq!(first.position, again.position);
    assert_eq!(first.result.unwrap(), again.result.unwrap());
    // Also after a recovery from the journal.
    service.shutdown().unwrap();
    let service = cluster(3).recover(folder.path()).unwrap().serve();
    let again = service
        .handle()
        .submit_with_key_blocking("k", event())
        .unwrap();
    assert_eq!(first.position, again.position);
    service.shutdown().unwrap();
}

#[test]
fn clients_get_unknown_if_the_workers_cannot_be_started_again() {
    let folder = Folder::new();
    let mut n_started = 0;
    let stream = cluster(1)
        .command(move |_| {
            n_started += 1;
            match n_started {
                1 => Command::new(env!("CARGO_BIN_EXE_cluster-process")),
                _ => Command::new("false"),
            }
        })
        .recover(folder.path())
        .unwrap();
    let control = stream.control();
    let service = stream.serve();
    let handle = service.handle();
    handle.submit_blocking(Entry::Merge(act(1, 2, 3))).unwrap();
    for process in control.process_ids() {
        Command::new("kill")
            .arg("-KILL")
            .arg(process.to_string())
            .status()
            .unwrap();
    }
    let error = loop {
        // The worker may answer before it ends.
        match handle.submit_blocking(Entry::Merge(act(1, 2, 3))) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(
        matches!(error, ServiceError::Unknown | ServiceError::Closed),
        "{error}"
    );
    let error = service.shutdown().unwrap_err();
    assert!(matches!(*error, DurableError::Executor(_)), "{error}");
    assert!(error.to_string().contains("worker process 0"), "{error}");
}

#[test]
fn service_saves_no_batch_twice() {
    let folder = Folder::new();
    let stream = cluster(2).recover(folder.path()).unwrap();
    let control = stream.control();
    let service = stream.serve_with(ServiceSettings::new().snapshot_every(1));
    thread::scope(|scope| {
        for client in 0..8 {
            let handle = service.handle();
            scope.spawn(move || {
                for event in Random::new(client).events(60) {
                    handle.submit_blocking(event).unwrap();
                }
            });
        }
    });
    service.shutdown().unwrap();
    // A worker fails if it saves the same batch again.
    assert_eq!(control.failures(), [""; 0]);
}

#[test]
fn workers_end_with_the_service_and_not_with_its_handles() {
    let folder = Folder::new();
    let stream = cluster(2).recover(folder.path()).unwrap();
    let control = stream.control();
    let service = stream.serve();
    let event = Entry::Merge(act(1, 2, 3));
    service.handle().submit_blocking(event).unwrap();
    let processes = control.process_ids();
    assert_eq!(processes.len(), 2);
    let stream = service.shutdown().unwrap();
    assert_eq!(control.process_ids(), processes);
    control.collect().unwrap();
    drop(stream);
    // Another thread may have been watching the workers.
    let folder_of = |id: &u32| std::path::PathBuf::from(format!("/proc/{id}"));
    while processes.iter().any(|id| folder_of(id).exists()) {
        thread::yield_now();
    }
    assert_eq!(control.process_ids(), [0; 0]);
    assert_eq!((control.n_generations(), control.n_failures()), (1, 0));
    assert_eq!(
        control.collect().unwrap_err().to_string(),
        "the worker processes have ended: collect before the stream is dropped"
    );
}
