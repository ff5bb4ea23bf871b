//! Dead letters on a simulated disk: processes end in handlers, between calls, and with the power.
//!
//! The end of a process in a handler is simulated by a copy of the disk at that moment. What the program does after that counts no more.

mod marked_disk;
mod replaced;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{
    DeadLetterEntry, Journal, JournalMark, JournalView, MarkStore, MarkedBatch, MemoryJournal,
    MemoryMark, MemorySnapshots, SuspectBatch, open_on,
};
use schedule_stream::prelude::*;
use schedule_stream::{EventError, Position, Processing};
use schedule_tests::n_cases;
use serde::{Deserialize, Serialize};

use self::marked_disk::MarkedDisk;
use crate::journal::disk::{Random, SimulatedDisk};

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u64);

#[derive(Clone, Copy, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(entry, answer = u64)]
#[snapshot(name = "entry")]
enum Entry {
    Add(u64),
    /// Ends each process.
    Poison,
    /// Ends some processes.
    Flaky,
}

/// What the handlers of a test know about the world.
struct World {
    disk: SimulatedDisk,
    /// The disk after the end of the process, if it has ended.
    after_death: Option<SimulatedDisk>,
    /// The number of processes that each event has ended.
    n_deaths: BTreeMap<Position, u32>,
    /// Events whose handler was corrected: they end no process.
    corrected: Vec<Position>,
    random: Random,
    /// The mark of a journal in memory.
    mark: MemoryMark,
    /// Its content during the last call of a handler.
    last_mark: Option<JournalMark>,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

fn with_world<T>(use_world: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with_borrow_mut(|world| use_world(world.as_mut().expect("the test has set it")))
}

impl World {
    /// Calls the handler of an event: the process may end.
    fn call(&mut self, event: Entry, position: Position) {
        self.last_mark = self.mark.read().unwrap();
        let ends = match event {
            Entry::Add(_) => false,
            Entry::Poison => true,
            Entry::Flaky => self.random.one_in(2),
        };
        if ends && self.after_death.is_none() && !self.corrected.contains(&position) {
            self.after_death = Some(self.disk.end_program_on_copy());
            *self.n_deaths.entry(position).or_default() += 1;
        }
    }
}

fn set_world(seed: u64) {
    WORLD.set(Some(World {
        disk: SimulatedDisk::new(seed),
        after_death: None,
        n_deaths: BTreeMap::new(),
        corrected: Vec::new(),
        random: Random::new(seed + 1_000_000),
        mark: MemoryMark::new(),
        last_mark: None,
    }));
}

/// The effect of an event whose handler returns.
fn apply(event: Entry, sum: u64) -> u64 {
    match event {
        Entry::Add(n) => sum + n,
        Entry::Poison => sum * 3 + 1,
        Entry::Flaky => sum * 5 + 2,
    }
}

#[handler]
fn entry(event: &Entry, sum: &mut Sum, position: Position) -> u64 {
    with_world(|world| world.call(*event, position));
    sum.0 = apply(*event, sum.0);
    sum.0
}

/// `None` for a dead letter.
type Released = BTreeMap<Position, Option<u64>>;

/// What a test has seen.
#[derive(Default)]
struct Seen {
    n_dead_letters: usize,
    n_stops: usize,
}

/// Adds an outcome, unless the process has ended.
fn release(outcome: &Outcome<Entry>, to: &mut Released) {
    if with_world(|world| world.after_death.is_some()) {
        return;
    }
    let result = match outcome.result {
        Ok(answer) => Some(answer),
        Err(EventError::DeadLetter) => None,
        ref other => panic!("{other:?}"),
    };
    let before = *to.entry(outcome.position).or_insert(result);
    assert_eq!(before, result, "another outcome of {}", outcome.position);
}

fn recover(released: &Rc<RefCell<Released>>) -> Result<DurableStream<Entry>, DurableError> {
    let opened = open_on(MarkedDisk(with_world(|world| world.disk.clone())))?;
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    let to = Rc::clone(released);
    let durable = Durable::new("sums", 1)
        .state::<Sum>()
        .max_dead_letters(u32::MAX)
        // Handlers use a variable of the thread.
        .set_up(|stream| stream.set_processing(Processing::Serial))
        .outcomes_from(Position::new(1, 0), move |outcome| {
            release(&outcome, &mut to.borrow_mut());
        });
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    durable.recover_from(journal, snapshots, resources)
}

/// Compares the state and the dead letters of a recovered stream with a run of its batches.
fn check(stream: &DurableStream<Entry>, offered: &mut Vec<Vec<Entry>>, released: &Released) {
    let n_recovered = stream.next_batch() as usize - 1;
    let is_lost = |position: &Position| position.batch as usize > n_recovered;
    assert!(!released.keys().any(is_lost), "a released batch is lost");
    offered.truncate(n_recovered);
    let dead: Vec<Position> = stream.dead_letters().iter().map(|of| of.position).collect();
    let mut sum = 0;
    for (events, batch) in offered.iter().zip(1..) {
        for (event, index) in events.iter().zip(0..) {
            let position = Position::new(batch, index);
            if !dead.contains(&position) {
                sum = apply(*event, sum);
            }
        }
    }
    assert_eq!(stream.resources().get::<Sum>().unwrap().0, sum);
    with_world(|world| {
        for position in &dead {
            assert!(
                world.n_deaths[position] >= 2,
                "{position} has become a dead letter"
            );
        }
    });
}

/// Ends the process in one of the ways.
fn end_process() {
    with_world(|world| {
        if let Some(after) = world.after_death.take() {
            world.disk = after;
        } else if world.random.one_in(4) {
            world.disk.lose_power();
        } else {
            world.disk.end_program();
        }
    });
}

fn batch(random: &mut Random) -> Vec<Entry> {
    let n = 1 + random.below(3);
    let event = |random: &mut Random| match random.below(12) {
        0 => Entry::Poison,
        1 => Entry::Flaky,
        n => Entry::Add(n),
    };
    (0..n).map(|_| event(random)).collect()
}

fn run(seed: u64, seen: &mut Seen) {
    let mut random = Random::new(seed);
    set_world(seed);
    let released = Rc::<RefCell<Released>>::default();
    let mut offered: Vec<Vec<Entry>> = Vec::new();
    for _ in 0..40 {
        let recovered = recover(&released);
        if with_world(|world| world.after_death.is_some()) {
            drop(recovered);
            end_process();
            continue;
        }
        let mut stream = match recovered {
            Ok(stream) => stream,
            // Its handler must be corrected.
            Err(DurableError::EndsProcess {
                letter,
                may_be_released,
            }) => {
                assert!(may_be_released);
                let position = letter.position;
                with_world(|world| {
                    assert!(world.n_deaths[&position] >= 2, "{position}");
                    world.corrected.push(position);
                });
                seen.n_stops += 1;
                end_process();
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        seen.n_dead_letters += stream.recovery().new_dead_letters.len();
        check(&stream, &mut offered, &released.borrow());
        for _ in 0..random.below(5) {
            let n = 1 + random.below(3);
            let batches: Vec<Vec<Entry>> = (0..n).map(|_| batch(&mut random)).collect();
            for events in batches {
                offered.push(events.clone());
                let to = Rc::clone(&released);
                let report = move |outcome| release(&outcome, &mut to.borrow_mut());
                stream.process_batch(events, report).unwrap();
            }
            if with_world(|world| world.after_death.is_some()) {
                break;
            }
        }
        drop(stream);
        end_process();
    }
}

#[test]
fn outcome_of_a_position_never_changes() {
    let n_programs = n_cases(300);
    let mut seen = Seen::default();
    for seed in 0..n_programs.into() {
        run(seed, &mut seen);
    }
    let n = n_programs as usize / 4;
    assert!(
        cfg!(miri) || seen.n_dead_letters > n,
        "{}",
        seen.n_dead_letters
    );
    assert!(cfg!(miri) || seen.n_stops > n, "{}", seen.n_stops);
}

/// Recovers a journal in memory that has one batch, with the deaths of a process in its only event. Returns whether this event became a
/// dead letter. `change`: changes the batch in the mark.
fn becomes_dead_letter(change: impl FnOnce(&mut MarkedBatch)) -> bool {
    set_world(0);
    let mut mark = with_world(|world| world.mark.clone());
    let mut journal = MemoryJournal::new();
    journal.set_mark(mark.clone());
    let program = || {
        let inline = |stream: &mut Stream<Entry>| stream.set_processing(Processing::Serial);
        // A process that ends in a batch writes no digests of its outcomes.
        let program = Durable::new("sums", 1).outcome_digests(false);
        program.state::<Sum>().set_up(inline)
    };
    let resources = || {
        let mut resources = Resources::new();
        resources.insert_default::<Sum>();
        resources
    };
    let snapshots = Box::new(MemorySnapshots::new());
    let recovered = program().recover_from(Box::new(journal), snapshots, resources());
    let mut stream = recovered.unwrap();
    stream.process_batch([Entry::Add(7)], drop).unwrap();
    let written = with_world(|world| world.last_mark.take()).unwrap();
    let range = written.range.unwrap();
    assert_eq!((range.batch.number, range.first, range.last), (1, 0, 0));
    assert!(mark.read().unwrap().unwrap().range.is_none());
    let mut batch = range.batch;
    change(&mut batch);
    let mut changed = JournalMark {
        suspects: vec![SuspectBatch {
            batch,
            deaths: vec![(0, 2)],
        }],
        ..written
    };
    changed.range = None;
    mark.write(&mut changed).unwrap();
    let (journal, snapshots) = stream.into_storage();
    let stream = program()
        .recover_from(journal, snapshots, resources())
        .unwrap();
    let sum = stream.resources().get::<Sum>().unwrap().0;
    let is_dead = !stream.dead_letters().is_empty();
    assert_eq!(sum, if is_dead { 0 } else { 7 });
    // The mark is used once.
    assert_eq!(mark.read().unwrap().unwrap().suspects, []);
    is_dead
}

#[test]
fn mark_without_its_record_is_void() {
    assert!(becomes_dead_letter(|_| ()));
    assert!(!becomes_dead_letter(|batch| batch.checksum ^= 1));
    assert!(!becomes_dead_letter(|batch| batch.number += 1));
}

/// As `docs/journal-format.md` describes them.
#[test]
fn entry_has_the_digest_of_a_follow_up_event() {
    let mut letter = DeadLetterEntry {
        batch: 300,
        index: 1,
        n_deaths: 2,
        event: "entry".to_string(),
        handler: "add".to_string(),
        digest: Some(*b"0123456789abcdef"),
    };
    let body = letter.to_record(301, 0).body;
    assert_eq!(
        body,
        b"\xac\x02\x01\x02\x05entry\x03add\x010123456789abcdef"
    );
    letter.digest = None;
    let body = letter.to_record(301, 0).body;
    assert_eq!(body, b"\xac\x02\x01\x02\x05entry\x03add\x00");
}

/// A comparison must not call the handler that ends the process.
#[test]
fn comparison_knows_dead_letters() {
    set_world(0);
    let disk = SimulatedDisk::new(0);
    let program = || {
        // Otherwise the journal would have the outcome of the handler.
        let program = Durable::<Entry>::new("sums", 1).outcome_digests(false);
        program.state::<Sum>()
    };
    let resources = || {
        let mut resources = Resources::new();
        resources.insert_default::<Sum>();
        resources
    };
    let recover = || {
        disk.end_program();
        let opened = open_on(disk.clone()).unwrap();
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        program()
            .recover_from(journal, snapshots, resources())
            .unwrap()
    };
    let mut stream = recover();
    stream.process_batch([Entry::Add(3)], drop).unwrap();
    stream.snapshot().unwrap();
    stream.process_batch([Entry::Poison], drop).unwrap();
    drop(stream);
    disk.end_program();
    let mut opened = open_on(disk.clone()).unwrap();
    let head = opened.journal.head().unwrap().clone();
    opened.journal.start(&head).unwrap();
    let letter = DeadLetterEntry {
        batch: 2,
        index: 0,
        n_deaths: 2,
        event: "entry".to_string(),
        handler: "entry".to_string(),
        digest: None,
    };
    opened.journal.append(&[letter.to_record(3, 0)]).unwrap();
    opened.journal.sync().unwrap();
    drop(opened);
    let mut stream = recover();
    stream.process_batch([Entry::Add(4)], drop).unwrap();
    assert_eq!(stream.resources().get::<Sum>().unwrap().0, 7);
    stream.snapshot().unwrap();
    drop(stream);
    let compared = program()
        .compare_on(&JournalView::on(disk.clone()), resources())
        .unwrap()
        .unwrap();
    assert!(compared.is_equal(), "{compared}");
}
