//! Programs, journals and events that are refused, each with a clear error.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{
    EntryKind, Journal, JournalHead, JournalRecord, MemoryJournal, MemorySnapshots, Snapshots,
    open_on,
};
use schedule_stream::{EventLimits, Position, prelude::*};
use serde::{Deserialize, Serialize};

use super::program::{
    Account, Audit, Audits, Close, Entry, Fee, Open, Pay, Spread, bank, content, resources, told,
};
use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

fn refused<E: schedule_stream::durable::DurableEvent>(
    durable: Durable<E>,
    resources: Resources,
) -> String {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let recovered = durable.recover_from(Box::new(journal), Box::new(snapshots), resources);
    recovered.unwrap_err().to_string()
}

fn on(disk: &SimulatedDisk, durable: Durable<Entry>) -> Result<DurableStream<Entry>, DurableError> {
    on_with(disk, durable, resources())
}

fn on_with(
    disk: &SimulatedDisk,
    durable: Durable<Entry>,
    resources: Resources,
) -> Result<DurableStream<Entry>, DurableError> {
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    durable.recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        resources,
    )
}

#[test]
fn all_resources_of_handlers_must_be_declared() {
    let undeclared = Durable::<Entry>::new("bank", 1).constant::<Audits>();
    assert_eq!(
        refused(undeclared, resources()),
        "the program does not declare all resources of its handlers\n  `Records<Account>`: call `state` of `Durable` for it\n  \
         `Fee`: call `state` or `constant` of `Durable` for it\n  `Audits`: call `state` of `Durable` for it"
    );
}

#[test]
fn declared_resources_must_exist_once() {
    let mut without = resources();
    without.remove::<Audits>();
    assert_eq!(
        refused(bank(By::ALL[0]), without),
        "declared resources are missing\n  `Audits`: insert it before the recovery"
    );
    assert_eq!(
        refused(bank(By::ALL[0]).state::<Audits>(), resources()),
        "two declared resources have the name `audits`: declare each once, and give each type its own name"
    );
}

#[test]
fn journal_of_another_program_is_refused() {
    let disk = SimulatedDisk::new(0);
    drop(on(&disk, bank(By::ALL[0])).unwrap());
    let other = Durable::new("exchange", 1)
        .state::<Records<Account>>()
        .state::<Audits>()
        .constant::<Fee>();
    assert_eq!(
        on(&disk, other).unwrap_err().to_string(),
        "the journal belongs to the program `bank`, but this is `exchange`: use another directory"
    );
}

#[test]
fn constant_that_has_changed_is_found_if_a_batch_is_replayed() {
    let disk = SimulatedDisk::new(0);
    let mut stream = on(&disk, bank(By::ALL[0])).unwrap();
    let pay = || {
        Entry::Pay(Pay {
            from: 0,
            to: 1,
            amount: 5,
        })
    };
    stream.process_batch([pay()], drop).unwrap();
    drop(stream);
    let higher_fee = || {
        let mut resources = resources();
        resources.insert(Fee(2));
        resources
    };
    let changed = on_with(&disk, bank(By::ALL[0]), higher_fee());
    assert_eq!(
        changed.unwrap_err().to_string(),
        "a constant, the limits or the failure policy have changed since batch 1, which must be replayed: restore them, and take a \
         snapshot before you change them; or, to replay the batches with the new values, raise the version of the program, and call \
         `replay_older` of `Durable`"
    );
    let mut stream = on(&disk, bank(By::ALL[0])).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let mut stream = on_with(&disk, bank(By::ALL[0]), higher_fee()).unwrap();
    let mut outcomes = Vec::new();
    stream
        .process_batch([pay()], |outcome| outcomes.push(outcome.result.unwrap()))
        .unwrap();
    assert_eq!(outcomes, [100 - 6 - 7]);
}

#[test]
fn large_event_is_refused_before_it_is_accepted() {
    let durable = bank(By::ALL[0]).max_event_bytes(4);
    let disk = SimulatedDisk::new(0);
    let mut stream = on(&disk, durable).unwrap();
    let large = Entry::Pay(Pay {
        from: u32::MAX,
        to: u32::MAX,
        amount: u64::MAX,
    });
    let mut n_reported = 0;
    let error = stream
        .process_batch([Entry::Open(Open(9)), large], |_| n_reported += 1)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "event 1 of the batch has 21 bytes, but the maximum is 4: raise `max_event_bytes`, \
         or make the event smaller"
    );
    assert_eq!((n_reported, stream.next_batch()), (0, 1));
    stream
        .process_batch([Entry::Open(Open(9))], |_| n_reported += 1)
        .unwrap();
    assert_eq!((n_reported, stream.next_batch()), (1, 2));
}

#[test]
fn stopped_stream_stays_stopped_after_recovery() {
    for &by in By::ALL {
        let stops = || bank(by).set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
        let disk = SimulatedDisk::new(0);
        let mut stream = on(&disk, stops()).unwrap();
        let events = [
            Entry::Spread(Spread { from: 0, n: 3 }),
            Entry::Close(Close(9)),
            Entry::Open(Open(7)),
        ];
        let mut reported = Vec::new();
        stream
            .process_batch(events, |outcome| reported.push(told(outcome)))
            .unwrap();
        assert_eq!(reported.len(), 2, "{by:?}: nothing after the failure");
        assert_eq!(reported[1].3, Err("it is not open".to_string()));
        let expected = "the stream is stopped: the event at position 1:1 failed, and the failure policy is `Stop`; to \
                        continue after this event, call `skip` of `Durable` for this position and recover again";
        let refused = |stream: &mut DurableStream<Entry>| {
            let error = stream
                .process_batch([Entry::Audit(Audit)], drop)
                .unwrap_err();
            assert_eq!(error.to_string(), expected, "{by:?}");
            assert_eq!(
                stream.drain(9, drop).unwrap_err().to_string(),
                expected,
                "{by:?}"
            );
        };
        refused(&mut stream);
        let before = content(stream.resources());
        drop(stream);
        let mut stream = on(&disk, stops()).unwrap();
        refused(&mut stream);
        assert_eq!(content(stream.resources()), before, "{by:?}");
    }
}

/// The answer depends on something outside.
static OUTSIDE: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Event, Snapshot, Serialize, Deserialize)]
#[event(draw, answer = u64)]
#[snapshot(name = "draw")]
struct Draw;

#[handler]
fn draw(_: &Draw) -> u64 {
    OUTSIDE.fetch_add(1, Relaxed)
}

#[test]
fn handler_that_depends_on_something_else_is_found() {
    let disk = SimulatedDisk::new(0);
    let reported = Rc::new(Cell::new(0));
    let recover = || {
        disk.end_program();
        let opened = open_on(disk.clone()).unwrap();
        let reported = Rc::clone(&reported);
        let durable = Durable::<Draw>::new("lottery", 1)
            .outcomes_from(Position::new(1, 0), move |_| {
                reported.set(reported.get() + 1)
            });
        durable.recover_from(
            Box::new(opened.journal),
            Box::new(opened.snapshots),
            Resources::new(),
        )
    };
    let mut stream = recover().unwrap();
    for _ in 0..3 {
        stream.process_batch([Draw], drop).unwrap();
    }
    drop(stream);
    assert_eq!(
        recover().unwrap_err().to_string(),
        "batch 1 has other outcomes than before: the outcome of `draw` at position 1:0 is now `3`; \
         a handler depends on something that is neither its event nor saved, or it has \
         changed: restore the earlier handler, or make it depend only on its event and on declared resources; or begin a new \
         history with the new outcomes: call `accept_new_outcomes_from(1)` of `Durable`, unless a snapshot has the \
         state after it"
    );
    assert_eq!(reported.get(), 0, "another outcome was reported before");
}

#[test]
fn damaged_snapshot_is_replaced_by_the_older_one() {
    let disk = SimulatedDisk::new(0);
    let mut stream = on(&disk, bank(By::ALL[0])).unwrap();
    for nth in 0..6 {
        stream
            .process_batch([Entry::Open(Open(10 + nth)), Entry::Audit(Audit)], drop)
            .unwrap();
        if nth % 2 == 1 {
            stream.snapshot().unwrap();
        }
    }
    let expected = content(stream.resources());
    drop(stream);
    let is_snapshot = |name: &String| name.starts_with("snapshot");
    let names: Vec<String> = disk.names().into_iter().filter(is_snapshot).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let mut damaged = disk.content(&names[1]);
    *damaged.last_mut().unwrap() ^= 1;
    disk.set_content(&names[1], damaged);
    let stream = on(&disk, bank(By::ALL[0])).unwrap();
    assert_eq!(content(stream.resources()), expected);
    let recovery = stream.recovery();
    assert_eq!((recovery.snapshot, recovery.n_replayed), (4, 2));
    assert_eq!(recovery.damaged_snapshots, [6]);
    drop(stream);
    // Without any snapshot, the state before the first batch that is left is unknown.
    for name in names {
        let mut damaged = disk.content(&name);
        *damaged.last_mut().unwrap() ^= 2;
        disk.set_content(&name, damaged);
    }
    assert_eq!(
        on(&disk, bank(By::ALL[0])).unwrap_err().to_string(),
        "the journal begins with batch 1, and no snapshot can be read: restore the missing files"
    );
}

#[test]
fn journal_that_does_not_continue_the_snapshot_is_refused() {
    let mut journal = MemoryJournal::beginning_with(9);
    let head = JournalHead {
        program: "bank".to_string(),
        version: 1,
        types: Vec::new(),
        constants: 0,
        events: None,
    };
    journal.start(&head).unwrap();
    let record = JournalRecord {
        batch: 9,
        kind: EntryKind::BATCH,
        time: 0,
        body: Vec::new(),
    };
    journal.append(&[record]).unwrap();
    let recover = |snapshots| {
        let journal = Box::new(journal.clone());
        let recovered = bank(By::ALL[0]).recover_from(journal, Box::new(snapshots), resources());
        recovered.unwrap_err().to_string()
    };
    assert_eq!(
        recover(MemorySnapshots::new()),
        "the journal begins with batch 9, and no snapshot can be read: restore the missing files"
    );
    let mut snapshots = MemorySnapshots::new();
    let disk = SimulatedDisk::new(0);
    drop(on(&disk, bank(By::ALL[0])).unwrap());
    disk.end_program();
    let first = open_on(disk).unwrap().snapshots.read(0).unwrap();
    snapshots.write(0, &first).unwrap();
    assert_eq!(
        recover(snapshots),
        "the journal begins with batch 9, but the newest snapshot that can be read is of batch 0: restore the missing files"
    );
}

#[test]
fn settings_that_change_outcomes_are_part_of_the_program() {
    let disk = SimulatedDisk::new(0);
    let mut stream = on(&disk, bank(By::ALL[0])).unwrap();
    stream.process_batch([Entry::Audit(Audit)], drop).unwrap();
    drop(stream);
    let limited =
        || bank(By::ALL[0]).set_up(|stream| stream.set_limits(EventLimits::new().max_depth(1)));
    let stops = || bank(By::ALL[0]).set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
    for changed in [limited(), stops()] {
        let error = on(&disk, changed).unwrap_err();
        assert!(
            matches!(error, DurableError::ConstantChanged { batch: 1 }),
            "{error}"
        );
    }
    on(&disk, bank(By::ALL[0])).unwrap().snapshot().unwrap();
    on(&disk, limited()).unwrap();
}
