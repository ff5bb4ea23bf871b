//! Failed events that stopped a stream are skipped: then all events have the outcomes of a run that does not stop.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use schedule::FailurePolicy;
use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableError, DurableStream, read_events};
use schedule_stream::journal::{EntryKind, Journal, Opened, open_on};
use schedule_tests::n_cases;

use super::program::{
    Close, Entry, Open, Reference, Spread, Told, bank, content, entries, resources, told,
};
use crate::journal::disk::{Random, SimulatedDisk};
use crate::stream::By;

fn stops() -> Durable<Entry> {
    bank(By::ALL[0]).set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop))
}

fn recover(
    disk: &SimulatedDisk,
    skips: &[Position],
) -> Result<(DurableStream<Entry>, Vec<Told>), DurableError> {
    let outcomes = Rc::default();
    let stream = recover_to(disk, skips, &outcomes)?;
    Ok((stream, outcomes.take()))
}

/// Recovers, and adds the outcomes to `outcomes`, also if recovery fails.
fn recover_to(
    disk: &SimulatedDisk,
    skips: &[Position],
    outcomes: &Rc<RefCell<Vec<Told>>>,
) -> Result<DurableStream<Entry>, DurableError> {
    let opened = open_on(disk.clone())?;
    let to = Rc::clone(outcomes);
    let durable = stops().outcomes_from(Position::new(1, 0), move |outcome| {
        to.borrow_mut().push(told(outcome));
    });
    recover_with(durable, skips, opened)
}

fn recover_with(
    durable: Durable<Entry>,
    skips: &[Position],
    opened: Opened<SimulatedDisk>,
) -> Result<DurableStream<Entry>, DurableError> {
    let durable = skips
        .iter()
        .fold(durable, |durable, skip| durable.skip(*skip));
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    durable.recover_from(journal, snapshots, resources())
}

/// Recovers from the newest snapshot that can be used.
fn recover_quickly(
    disk: &SimulatedDisk,
    skips: &[Position],
) -> Result<DurableStream<Entry>, DurableError> {
    recover_with(stops(), skips, open_on(disk.clone())?)
}

/// Two events of a batch fail, so the stream is stopped at the first of them.
fn stopped_at(disk: &SimulatedDisk) -> DurableStream<Entry> {
    let (mut stream, _) = recover(disk, &[]).unwrap();
    let events = [
        Entry::Spread(Spread { from: 0, n: 2 }),
        Entry::Close(Close(9)),
        Entry::Open(Open(10)),
        Entry::Open(Open(10)),
        Entry::Open(Open(11)),
    ];
    let mut n_reported = 0;
    stream.process_batch(events, |_| n_reported += 1).unwrap();
    assert_eq!(n_reported, 2);
    stream
}

fn error<T>(result: Result<T, DurableError>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn stream_continues_after_a_skipped_event() {
    let disk = SimulatedDisk::new(0);
    drop(stopped_at(&disk));
    let (first, second) = (Position::new(1, 1), Position::new(1, 3));
    disk.end_program();
    let (mut stream, outcomes) = recover(&disk, &[first]).unwrap();
    let results = |outcomes: Vec<Told>| {
        let each = outcomes.into_iter().map(|told| (told.0, told.3.is_ok()));
        each.collect::<Vec<_>>()
    };
    let at = Position::new;
    assert_eq!(
        results(outcomes),
        [
            (at(1, 0), true),
            (at(1, 1), false),
            (at(1, 2), true),
            (at(1, 3), false)
        ]
    );
    // The skip is batch 2.
    assert_eq!(stream.next_batch(), 3);
    let refused = error(stream.process_batch([Entry::Open(Open(12))], drop));
    assert!(
        refused.contains("the event at position 1:3 failed"),
        "{refused}"
    );
    drop(stream);
    // The first skip is in the journal.
    disk.end_program();
    let (mut stream, outcomes) = recover(&disk, &[second]).unwrap();
    let expected = [
        (at(1, 0), true),
        (at(1, 1), false),
        (at(1, 2), true),
        (at(1, 3), false),
        (at(1, 4), true),
        (at(2, 0), true),
        (at(2, 1), true),
        (at(3, 0), true),
    ];
    assert_eq!(results(outcomes), expected);
    assert_eq!((stream.next_batch(), stream.n_pending()), (4, 0));
    let mut n_reported = 0;
    let events = [Entry::Open(Open(12))];
    stream.process_batch(events, |_| n_reported += 1).unwrap();
    assert_eq!(n_reported, 1);
    let before = content(stream.resources());
    drop(stream);
    // Skipping again changes nothing, also after a snapshot without the batch.
    for _ in 0..2 {
        disk.end_program();
        let (mut stream, _) = recover(&disk, &[first, second, first]).unwrap();
        assert_eq!(stream.next_batch(), 5);
        assert_eq!(content(stream.resources()), before);
        assert_eq!(stream.snapshot().unwrap(), 4);
    }
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let stream = stops()
        .skip(second)
        .recover_from(journal, snapshots, resources())
        .unwrap();
    assert_eq!(stream.recovery().snapshot, 4);
}

#[test]
fn only_the_event_that_stopped_the_stream_can_be_skipped() {
    let disk = SimulatedDisk::new(0);
    let stream = stopped_at(&disk);
    let stopped = content(stream.resources());
    drop(stream);
    let refused = |skips: &[Position]| {
        disk.end_program();
        let outcomes = Rc::default();
        let error = error(recover_to(&disk, skips, &outcomes));
        // Outcomes after the skipped event are not released before the skip is in the journal.
        let last = outcomes.borrow().last().map(|told| told.0);
        assert_eq!(last.as_ref(), skips.iter().min());
        error
    };
    let at = Position::new;
    assert_eq!(
        refused(&[at(1, 0)]),
        "position 1:0 cannot be skipped: its event has not stopped the stream, but the event at position 1:1 has: skip that \
         one first"
    );
    assert_eq!(
        refused(&[at(1, 1), at(8, 0)]),
        "position 8:0 cannot be skipped: its event has not stopped the stream, but the event at position 1:3 has: skip that \
         one first"
    );
    assert_eq!(
        refused(&[at(1, 3), at(1, 1), at(1, 2)]),
        "position 1:2 cannot be skipped: its event has not stopped the stream, and no other event has: remove the call of \
         `skip`"
    );
    // These attempts have changed nothing.
    disk.end_program();
    let (mut stream, outcomes) = recover(&disk, &[]).unwrap();
    assert_eq!((outcomes.len(), stream.next_batch()), (2, 2));
    assert_eq!(content(stream.resources()), stopped);
    assert_eq!(
        error(stream.snapshot()),
        "the stream is stopped: the event at position 1:1 failed, and the failure policy is `Stop`; to continue after this \
         event, call `skip` of `Durable` for this position and recover again"
    );
}

#[test]
fn stopped_stream_takes_no_events_of_the_input() {
    let open = |key| Entry::Open(Open(key));
    let is_stopped =
        |result: Result<(), DurableError>| matches!(result, Err(DurableError::Stopped { .. }));
    let disk = SimulatedDisk::new(0);
    let mut stream = stopped_at(&disk);
    let mut events = (20..5_000).map(open);
    assert!(is_stopped(stream.process_batch(&mut events, drop)));
    assert!(is_stopped(stream.process(&mut events, drop)));
    drop(stream);
    disk.end_program();
    let (mut stream, _) = recover(&disk, &[]).unwrap();
    assert!(is_stopped(stream.process(&mut events, drop)));
    assert_eq!(events.next(), Some(open(20)));
    // Only the batch of the event that stops the stream is taken.
    let (mut stream, _) = recover(&SimulatedDisk::new(0), &[]).unwrap();
    let mut events = [Entry::Close(Close(9))]
        .into_iter()
        .chain((1..5_000).map(open));
    let mut n_reported = 0;
    assert!(is_stopped(stream.process(&mut events, |_| n_reported += 1)));
    assert_eq!((n_reported, events.next()), (1, Some(open(2_048))));
}

/// The outcomes that were released, by position. Fails if two of one position differ.
#[derive(Default)]
struct Released(BTreeMap<Position, Told>);

impl Released {
    fn add(&mut self, outcomes: impl IntoIterator<Item = Told>, seed: u64) {
        for told in outcomes {
            let before = self.0.entry(told.0).or_insert_with(|| told.clone());
            assert_eq!(*before, told, "seed {seed}");
        }
    }
}

/// Runs until a call of the disk fails or `n_batches` are processed. Skips each event that stops the stream, in most cases.
fn run(disk: &SimulatedDisk, random: &mut Random, released: &mut Released, seed: u64, n: u64) {
    let takes_snapshots = seed % 2 == 1;
    let mut skips = Vec::new();
    let mut n_batches = 0;
    loop {
        disk.end_program();
        let is_expected = |error: &DurableError| matches!(error, DurableError::Journal(_));
        let recovered = if takes_snapshots {
            recover_quickly(disk, &skips).map(|stream| (stream, Vec::new()))
        } else {
            recover(disk, &skips)
        };
        let (mut stream, outcomes) = match recovered {
            Ok(recovered) => recovered,
            Err(error) if is_expected(&error) => return,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        released.add(outcomes, seed);
        skips.clear();
        let stopped = loop {
            if n_batches >= n {
                return;
            }
            n_batches += 1;
            if takes_snapshots && random.one_in(3) {
                match stream.snapshot() {
                    Ok(_) | Err(DurableError::Stopped { .. }) => {}
                    Err(error) if is_expected(&error) => return,
                    Err(error) => panic!("seed {seed}: {error}"),
                }
            }
            let n_events = random.below(6);
            let events = entries(random, n_events, 6);
            let mut outcomes = Vec::new();
            let report = |outcome| outcomes.push(told(outcome));
            let processed = if random.one_in(3) {
                stream.process(events, report)
            } else {
                stream.process_batch(events, report)
            };
            released.add(outcomes, seed);
            match processed {
                Ok(()) => {}
                Err(DurableError::Stopped { position }) => break position,
                Err(error) if is_expected(&error) => return,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        };
        skips.push(stopped);
    }
}

#[test]
fn skipped_streams_give_the_outcomes_of_a_run_that_does_not_stop() {
    let n_runs = n_cases(300);
    let (mut n_skipped, mut n_equal, mut n_truncated) = (0, 0, 0);
    for seed in 0..u64::from(n_runs) {
        let mut random = Random::new(seed);
        let disk = SimulatedDisk::new(seed);
        let mut released = Released::default();
        for _ in 0..3 {
            disk.stop_after(20 + random.below(120));
            run(&disk, &mut random, &mut released, seed, 12);
            if random.one_in(3) {
                disk.end_program()
            } else {
                disk.lose_power()
            }
        }
        // Without more crashes, until nothing is stopped.
        let mut skips = Vec::new();
        let stream = loop {
            disk.end_program();
            let takes_snapshots = seed % 2 == 1;
            let mut stream = if takes_snapshots {
                recover_quickly(&disk, &skips).unwrap()
            } else {
                let (stream, outcomes) = recover(&disk, &skips).unwrap();
                released.add(outcomes, seed);
                stream
            };
            match stream.drain(u64::MAX, |outcome| released.add([told(outcome)], seed)) {
                Err(DurableError::Stopped { position }) => skips.push(position),
                drained => {
                    drained.unwrap();
                    // An event may have stopped the stream in the last batch of all.
                    match stream.process_batch([Entry::Open(Open(77))], drop) {
                        Err(DurableError::Stopped { position }) => skips.push(position),
                        processed => {
                            processed.unwrap();
                            break stream;
                        }
                    }
                }
            }
            n_skipped += 1;
        };
        let found = content(stream.resources());
        drop(stream);
        disk.end_program();
        let mut opened = open_on(disk.clone()).unwrap();
        if opened.journal.first_batch() != Some(1) {
            // Snapshots have replaced the first batches.
            n_truncated += 1;
            drop(opened);
            disk.end_program();
            let again = recover_quickly(&disk, &[]).unwrap();
            assert_eq!(content(again.resources()), found, "seed {seed}");
            continue;
        }
        let mut reference = Reference::new();
        let mut expected = BTreeMap::new();
        let read = opened.journal.read(1, &mut |stored| {
            if stored.record.kind != EntryKind::BATCH {
                return ControlFlow::Continue(());
            }
            let events = read_events(stored).unwrap();
            for told in reference.process_at(stored.record.time, &events) {
                expected.insert(told.0, told);
            }
            ControlFlow::Continue(())
        });
        read.unwrap();
        assert_eq!(found, content(&reference.resources), "seed {seed}");
        for (position, told) in &released.0 {
            assert_eq!(expected.get(position), Some(told), "seed {seed}");
            n_equal += 1;
        }
    }
    assert!(
        cfg!(miri) || n_skipped > n_runs / 8 && n_equal > 3 * n_runs && n_truncated > n_runs / 16,
        "{n_skipped} {n_equal} {n_truncated}"
    );
}
