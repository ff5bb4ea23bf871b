//! The folder `first_rules/journal`, which a program has written under the first rules of follow-up events: above the budget of a
//! batch, they had an error. Its batches are replayed by these rules.
//!
//! The code of commit e4b7ae1b has written the folder and `outcomes.txt`, by the function `write` below, which was then a test.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::journal::{Directory, inspect};
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, EventLimits, Outcome, Position};
use serde::{Deserialize, Serialize};

/// Depends on the order of all events.
#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "trace")]
struct Trace(u64);

/// Causes `width` events, each with one level less.
#[derive(Clone, Copy, Event, Snapshot, Serialize, Deserialize)]
#[event(step, answer = u64)]
#[snapshot(name = "step")]
struct Step {
    width: u8,
    n_levels: u8,
}

#[handler]
fn step(event: &Step, position: Position, trace: &mut Trace) -> FollowUps<Step, u64> {
    let Step { width, n_levels } = *event;
    trace.0 = trace.0.rotate_left(7) ^ position.batch << 32 ^ u64::from(position.index);
    let next = n_levels
        .checked_sub(1)
        .map(|n_levels| Step { width, n_levels });
    let all = next
        .into_iter()
        .flat_map(|next| [next; 8].into_iter().take(width.into()));
    FollowUps::events(all).answering(trace.0)
}

const fn of(width: u8, n_levels: u8) -> Step {
    Step { width, n_levels }
}

fn program() -> Durable<Step> {
    Durable::new("steps", 1)
        .state::<Trace>()
        .set_up(|stream| stream.set_limits(EventLimits::new().max_depth(2).max_follow_ups(3)))
}

fn recover(program: Durable<Step>, directory: &Path) -> DurableStream<Step> {
    let mut resources = Resources::new();
    resources.insert_default::<Trace>();
    let mut stream = program.recover(directory, resources).unwrap();
    let mut next = stream.next_batch();
    stream.set_clock(move || {
        next += 1;
        BatchTime::from_nanos((next - 1) * 1_000)
    });
    stream
}

fn line(outcome: &Outcome<Step>) -> String {
    let Outcome {
        position, cause, ..
    } = outcome;
    let cause = cause.map_or("-".to_string(), |cause| cause.to_string());
    let Step { width, n_levels } = outcome.event;
    let mut line = format!("{position} {cause} {width} {n_levels} ");
    match &outcome.result {
        Ok(answer) => write!(line, "{answer:#x}").unwrap(),
        Err(error) => write!(line, "{error:?}").unwrap(),
    }
    line + "\n"
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams/durable/first_rules")
}

/// A copy of the folder, because a recovery begins a segment.
fn copied(test: &str) -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("first_rules")
        .join(test);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).unwrap();
    for file in fs::read_dir(folder().join("journal")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    to
}

fn trace(stream: &DurableStream<Step>) -> u64 {
    stream.resources().get::<Trace>().unwrap().0
}

#[test]
fn batches_are_replayed_by_the_rules_of_their_segment() {
    let directory = copied("replayed");
    let lines = Rc::new(RefCell::new(String::new()));
    let to = Rc::clone(&lines);
    let report = move |outcome: Outcome<Step>| *to.borrow_mut() += &line(&outcome);
    let program = program().outcomes_from(Position::new(1, 0), report);
    let stream = recover(program, &directory);
    assert_eq!(stream.recovery().n_replayed, 7);
    assert_eq!(
        (trace(&stream), stream.n_pending()),
        (0xc2e0_c7ce_aba9_3720, 6)
    );
    let expected = fs::read_to_string(folder().join("outcomes.txt")).unwrap();
    assert_eq!(*lines.borrow(), expected);
}

#[test]
fn newest_snapshot_of_the_first_rules_is_restored() {
    let stream = recover(program(), &copied("restored"));
    assert_eq!(
        (stream.recovery().snapshot, stream.recovery().n_replayed),
        (2, 5)
    );
    assert_eq!(
        (trace(&stream), stream.n_pending()),
        (0xc2e0_c7ce_aba9_3720, 6)
    );
}

#[test]
fn new_batches_after_the_first_rules_carry_follow_ups_over() {
    let directory = copied("continued");
    let mut stream = recover(program(), &directory);
    let mut lines = String::new();
    let mut report = |outcome| lines += &line(&outcome);
    assert_eq!(stream.drain(1, &mut report).unwrap(), 3 + 3 * 6);
    assert_eq!(stream.drain(1, &mut report).unwrap(), 6 * 6);
    assert_eq!(stream.drain(u64::MAX, &mut report).unwrap(), 0);
    assert_eq!(stream.next_batch(), 8 + 2 + 12);
    assert!(!lines.contains("OverBudget"), "{lines}");
    let (state, expected) = (trace(&stream), lines);
    drop(stream);
    // Each segment has its own rules.
    let again = Rc::new(RefCell::new(String::new()));
    let to = Rc::clone(&again);
    let report = move |outcome: Outcome<Step>| *to.borrow_mut() += &line(&outcome);
    let stream = recover(
        program().outcomes_from(Position::new(1, 0), report),
        &directory,
    );
    assert_eq!((trace(&stream), stream.n_pending()), (state, 0));
    let first = fs::read_to_string(folder().join("outcomes.txt")).unwrap();
    assert_eq!(*again.borrow(), first + &expected);
    drop(stream);
    let text = inspect(&Directory::existing(&directory).unwrap())
        .unwrap()
        .to_string();
    let n_of = |rules| text.matches(&format!("rules {rules}\n")).count();
    assert_eq!((n_of(1), n_of(2)), (2, 2), "{text}");
}

/// Not a test any more: it would overwrite the folder.
#[expect(dead_code, reason = "documents how the folder was written")]
fn write() {
    let directory = folder().join("journal");
    let mut lines = String::new();
    let starts: [&[&[Step]]; 2] = [
        &[
            &[of(2, 3), of(2, 3), of(2, 3)],
            &[of(1, 1)],
            &[],
            &[of(2, 1)],
        ],
        &[&[of(5, 1)], &[], &[of(6, 2)]],
    ];
    for batches in starts {
        let mut stream = recover(program(), &directory);
        for batch in batches {
            let report = |outcome| lines += &line(&outcome);
            stream.process_batch(batch.iter().copied(), report).unwrap();
            if stream.next_batch() == 3 {
                stream.snapshot().unwrap();
            }
        }
        println!(
            "{} {:#x}",
            stream.n_pending(),
            stream.resources().get::<Trace>().unwrap().0
        );
    }
    fs::write(folder().join("outcomes.txt"), lines).unwrap();
}
