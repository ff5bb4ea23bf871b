//! Threads, and tasks of several executors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use schedule_stream::service::{ServiceHandle, ServiceSettings};

use super::{journaled, recover};
use crate::durable::program::{Entry, Reference, Told, content, entries, told, told_copy};
use crate::journal::disk::{Random, SimulatedDisk};

const N_CLIENTS: u64 = 4;
const N_EVENTS: u64 = if cfg!(miri) { 3 } else { 60 };

fn events(client: u64) -> Vec<Entry> {
    entries(&mut Random::new(client), N_EVENTS, 8)
}

/// Lets clients submit events, and compares all answers with a sequential run of the journal.
fn check(clients: impl FnOnce(ServiceHandle<Entry>) -> Vec<Told>) {
    let disk = SimulatedDisk::new(3);
    let all = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&all);
    let settings = ServiceSettings::new()
        .capacity(5)
        .outcomes(move |outcome| to.lock().unwrap().push(told_copy(outcome)));
    let service = recover(&disk).unwrap().serve_with(settings);
    let answered = clients(service.handle());
    assert_eq!(answered.len() as u64, N_CLIENTS * N_EVENTS);
    let stream = service.shutdown().unwrap();
    let found = content(stream.resources());
    let n_pending = stream.n_pending();
    drop(stream);
    let mut reference = Reference::new();
    let mut expected = Vec::new();
    for (time, events) in journaled(&disk) {
        expected.extend(reference.process_at(time, &events));
    }
    assert_eq!(found, content(&reference.resources));
    assert_eq!(n_pending, reference.n_pending());
    assert_eq!(*all.lock().unwrap(), expected);
    let by_position: BTreeMap<_, _> = expected.iter().map(|one| (one.0, one)).collect();
    for one in &answered {
        assert_eq!(Some(&one), by_position.get(&one.0));
    }
    // A recovery has the same state.
    let stream = recover(&disk).unwrap();
    assert_eq!(content(stream.resources()), found);
}

#[test]
fn threads_submit_events() {
    check(|handle| {
        thread::scope(|scope| {
            let clients = (0..N_CLIENTS).map(|client| {
                let handle = handle.clone();
                scope.spawn(move || {
                    let events = events(client).into_iter();
                    let submit = |event| told(handle.submit_blocking(event).unwrap());
                    events.map(submit).collect::<Vec<_>>()
                })
            });
            let clients: Vec<_> = clients.collect();
            clients
                .into_iter()
                .flat_map(|client| client.join().unwrap())
                .collect()
        })
    });
}

async fn client(handle: ServiceHandle<Entry>, nth: u64) -> Vec<Told> {
    let mut answers = Vec::new();
    for event in events(nth) {
        answers.push(told(handle.submit(event).await.unwrap()));
    }
    answers
}

#[test]
#[cfg_attr(
    miri,
    ignore = "the executor uses system calls that Miri does not know"
)]
fn tasks_of_tokio_submit_events() {
    check(|handle| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build();
        runtime.unwrap().block_on(async move {
            let tasks = (0..N_CLIENTS).map(|nth| tokio::spawn(client(handle.clone(), nth)));
            let mut all = Vec::new();
            for task in tasks.collect::<Vec<_>>() {
                all.extend(task.await.unwrap());
            }
            all
        })
    });
}

#[test]
#[cfg_attr(
    miri,
    ignore = "the executor uses system calls that Miri does not know"
)]
fn tasks_of_smol_submit_events() {
    check(|handle| {
        smol::block_on(async move {
            let tasks = (0..N_CLIENTS).map(|nth| smol::spawn(client(handle.clone(), nth)));
            let mut all = Vec::new();
            for task in tasks.collect::<Vec<_>>() {
                all.extend(task.await);
            }
            all
        })
    });
}
