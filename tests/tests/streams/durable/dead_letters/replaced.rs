//! A corrected program may send another follow-up event, which is then at the position of a dead letter.

use core::fmt::Debug;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::open_on;
use schedule_stream::prelude::*;
use schedule_stream::{EventError, Position, Processing};
use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::Registry;

use super::marked_disk::MarkedDisk;
use crate::journal::disk::SimulatedDisk;

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u64);

#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64)]
#[snapshot(name = "change")]
enum Change {
    #[event(send)]
    Send(Send),
    #[event(add)]
    Add(u64),
}

/// Sends the events of the present program.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Send;

/// The process ends when one of these is added.
const DEADLY: [u64; 2] = [70, 90];

/// What differs between programs, and the disk of the present one.
struct World {
    disk: SimulatedDisk,
    /// The disk after the end of the process, if it has ended.
    after_death: Option<SimulatedDisk>,
    /// The answer of [`send`].
    answer: u64,
    /// The event that [`send`] sends.
    sent: u64,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

fn with_world<T>(use_world: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with_borrow_mut(|world| use_world(world.as_mut().expect("the test has set it")))
}

#[handler]
fn send(_: &Send) -> FollowUps<Change, u64> {
    let (answer, sent) = with_world(|world| (world.answer, world.sent));
    FollowUps::events([Change::Add(sent)]).answering(answer)
}

#[handler]
fn add(n: &u64, sum: &mut Sum) -> u64 {
    with_world(|world| {
        if DEADLY.contains(n) && world.after_death.is_none() {
            world.after_death = Some(world.disk.end_program_on_copy());
        }
    });
    sum.0 += n;
    sum.0
}

fn program() -> Durable<Change> {
    // Handlers use a variable of the thread.
    let inline = |stream: &mut Stream<Change>| stream.set_processing(Processing::Serial);
    Durable::new("sums", 1).state::<Sum>().set_up(inline)
}

fn recover(program: Durable<Change>) -> Result<DurableStream<Change>, DurableError> {
    let disk = with_world(|world| world.disk.clone());
    disk.end_program();
    let opened = open_on(MarkedDisk(disk)).unwrap();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    program.recover_from(journal, snapshots, resources)
}

/// Runs a process that ends in a handler.
fn dies(process: impl FnOnce()) {
    process();
    with_world(|world| world.disk = world.after_death.take().expect("the process has ended"));
}

/// `None` for a dead letter.
type Reported = BTreeMap<Position, Option<u64>>;

/// Recovers with this program, and reports all outcomes.
fn recover_and_report(
    program: Durable<Change>,
) -> Result<(DurableStream<Change>, Reported), DurableError> {
    let all = Rc::<RefCell<Reported>>::default();
    let to = Rc::clone(&all);
    let report = move |outcome: Outcome<Change>| {
        let result = match outcome.result {
            Ok(answer) => Some(answer),
            Err(EventError::DeadLetter) => None,
            other => panic!("{other:?}"),
        };
        to.borrow_mut().insert(outcome.position, result);
    };
    let stream = recover(program.outcomes_from(Position::new(1, 0), report))?;
    assert!(with_world(|world| world.after_death.is_none()));
    Ok((stream, all.take()))
}

fn sum(stream: &DurableStream<Change>) -> u64 {
    stream.resources().get::<Sum>().unwrap().0
}

const DEAD: Position = Position::new(2, 1);

/// The follow-up event that was sent at 1:0 becomes a dead letter at 2:1.
fn with_dead_letter() {
    WORLD.set(Some(World {
        disk: SimulatedDisk::new(0),
        after_death: None,
        answer: 0,
        sent: 70,
    }));
    dies(|| {
        let mut stream = recover(program()).unwrap();
        stream.process_batch([Change::Send(Send)], drop).unwrap();
        stream.process_batch([Change::Add(1)], drop).unwrap();
    });
    dies(|| drop(recover(program())));
    dies(|| drop(recover(program())));
    let mut stream = recover(program()).unwrap();
    assert_eq!(stream.recovery().new_dead_letters[0].position, DEAD);
    stream.process_batch([Change::Add(2)], drop).unwrap();
    assert_eq!(sum(&stream), 3);
}

/// The next programs send this event, and have this answer.
fn correct(answer: u64, sent: u64) {
    with_world(|world| (world.answer, world.sent) = (answer, sent));
}

/// The fields of all events of `tracing` of this crate.
#[derive(Clone, Default)]
struct Notices(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Notices {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "schedule" {
            event.record(&mut self.clone());
        }
    }
}

impl Visit for Notices {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.lock().unwrap().push(format!("{field}: {value:?}"));
    }
}

#[test]
fn other_event_at_the_position_of_a_dead_letter_is_a_warning() {
    with_dead_letter();
    correct(5, 80);
    let notices = Notices::default();
    let subscriber = Registry::default().with(notices.clone());
    tracing::subscriber::with_default(subscriber, || {
        drop(recover(program().accept_new_outcomes_from(1)).unwrap());
        // From the snapshot of the new history.
        drop(recover(program()).unwrap());
    });
    let expected = [
        "message: another event is at the position of a dead letter, and its handler was called",
        "stream: \"sums\"",
        "letter: position 2:1, event `change`, handler `add`: it has ended 2 processes",
    ];
    assert_eq!(*notices.0.lock().unwrap(), expected);
}

#[test]
fn other_event_at_the_position_of_a_dead_letter_is_handled() {
    with_dead_letter();
    correct(5, 80);
    let accepting = program().accept_new_outcomes_from(1);
    let (stream, reported) = recover_and_report(accepting).unwrap();
    let recovery = stream.recovery();
    assert_eq!((recovery.history, recovery.new_dead_letters.len()), (1, 0));
    let [letter] = &recovery.replaced_dead_letters[..] else {
        panic!("{recovery:?}");
    };
    assert_eq!((letter.position, &*letter.handler), (DEAD, "add"));
    let expected = [
        (Position::new(1, 0), Some(5)),
        (Position::new(2, 0), Some(1)),
        (DEAD, Some(81)),
        (Position::new(3, 0), Some(83)),
    ];
    assert_eq!(reported, Reported::from(expected));
    assert_eq!(sum(&stream), 83);
    drop(stream);
    // The entry of the dead letter is still in the journal.
    let (stream, again) = recover_and_report(program()).unwrap();
    assert_eq!((again, sum(&stream)), (reported, 83));
    assert_eq!(stream.recovery().replaced_dead_letters.len(), 1);
    assert_eq!(stream.dead_letters().len(), 1);
    drop(stream);
    // The snapshot of the new history contains the event.
    let stream = recover(program()).unwrap();
    let recovery = stream.recovery();
    assert_eq!((recovery.n_replayed, sum(&stream)), (0, 83));
    assert_eq!(recovery.replaced_dead_letters, []);
}

/// Also if only the follow-up event is another one, which no digest of an earlier outcome shows.
#[test]
fn other_event_with_an_equal_cause_is_not_dropped() {
    with_dead_letter();
    correct(0, 80);
    let error = recover(program()).unwrap_err();
    let is_named = matches!(&error, DurableError::Differs { batch: 2, .. });
    assert!(is_named, "{error}");
    let stream = recover(program().accept_new_outcomes_from(2)).unwrap();
    assert_eq!(sum(&stream), 83);
}

#[test]
fn same_event_stays_a_dead_letter_in_a_new_history() {
    with_dead_letter();
    correct(5, 70);
    let accepting = program().accept_new_outcomes_from(1);
    let (stream, reported) = recover_and_report(accepting).unwrap();
    assert_eq!((reported[&DEAD], sum(&stream)), (None, 3));
    assert_eq!(stream.recovery().replaced_dead_letters, []);
}

/// Otherwise each recovery would end the process.
#[test]
fn deaths_of_the_other_event_are_counted() {
    with_dead_letter();
    correct(5, 90);
    for _ in 0..3 {
        dies(|| drop(recover(program().accept_new_outcomes_from(1))));
    }
    let error = recover(program().accept_new_outcomes_from(1)).unwrap_err();
    let DurableError::EndsProcess {
        letter,
        may_be_released: true,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((letter.position, letter.n_deaths), (DEAD, 2));
}

/// The journal has the event, so no digest is compared.
#[test]
fn event_of_the_input_stays_a_dead_letter() {
    with_dead_letter();
    with_world(|world| world.disk = SimulatedDisk::new(1));
    dies(|| {
        let mut stream = recover(program()).unwrap();
        let batch = [Change::Add(1), Change::Add(70)];
        stream.process_batch(batch, drop).unwrap();
    });
    dies(|| drop(recover(program())));
    dies(|| drop(recover(program())));
    for n_new in [1, 0, 0] {
        let (stream, reported) = recover_and_report(program()).unwrap();
        assert_eq!(stream.recovery().new_dead_letters.len(), n_new);
        assert_eq!((reported[&Position::new(1, 1)], sum(&stream)), (None, 1));
        assert_eq!(stream.recovery().replaced_dead_letters, []);
    }
}
