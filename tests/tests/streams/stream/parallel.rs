//! Few events on two or more threads, so that Miri can run these tests.

use std::cell::Cell;
use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use schedule::prelude::*;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;

use super::By;
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

/// The ids of the events that wrote it, in order.
#[derive(Debug, Record)]
#[record(key = u32)]
struct Page(Vec<u32>);

/// Every key has one, by default.
#[derive(Debug, Default, Record)]
#[record(id = u32)]
struct Margin(u32);

#[derive(Clone, Copy, Debug)]
struct Line {
    to: u32,
    from: u32,
    id: u32,
}

#[derive(Clone, Copy, Debug, Event)]
#[event(answer = usize, error = String)]
enum Entry {
    #[event(write)]
    Write(Line),
    #[event(turn)]
    Turn(Line),
    #[event(scribble)]
    Scribble(Line),
    #[event(tear)]
    Tear(Line),
}

#[handler]
fn write(
    line: &Line,
    #[key(line.to)] to: &mut Page,
    #[key(line.from)] from: Option<&Page>,
) -> Result<usize, String> {
    to.0.push(line.id);
    from.map(|from| from.0.len()).ok_or("blank".to_string())
}

/// Inserts or removes a page.
#[handler]
fn turn(line: &Line, #[key(line.to)] mut to: Slot<Page>) -> usize {
    let before = match line.id % 2 {
        0 => to.insert(Page(vec![line.id])),
        _ => to.remove(),
    };
    before.map_or(0, |page| page.0.len())
}

#[handler]
fn scribble(line: &Line, #[key(line.to)] to: &mut Margin, #[key(line.from)] from: &Page) -> usize {
    to.0 += line.id;
    from.0.len() + to.0 as usize
}

/// Panics when half of its work is done.
#[handler]
fn tear(line: &Line, #[key(line.to)] to: &mut Page) -> usize {
    to.0.clear();
    resume_unwind(Box::new(format!("torn by {}", line.id)));
}

/// Returns the outcomes, and the content of the stores.
fn found(by: By, entries: &[Entry]) -> (Vec<String>, String) {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter(
        (0..2).map(|key| (key, Page(Vec::new()))),
    ));
    resources.insert(Records::<Margin>::or_default());
    let mut reported = Vec::new();
    let mut stream = by.stream();
    // The second call reuses the slots and helpers of the first one.
    for entries in entries.chunks(entries.len().div_ceil(2)) {
        let report = |outcome: Outcome<Entry>| {
            let result = match outcome.result {
                Ok(answer) => answer.to_string(),
                Err(error) => error.to_string(),
            };
            reported.push(format!(
                "{} {}: {result}",
                outcome.position, outcome.handler
            ));
        };
        let events = entries.iter().copied();
        stream.process(&mut resources, events, report).unwrap();
    }
    let pages = resources.get::<Records<Page>>().unwrap();
    let margins = resources.get::<Records<Margin>>().unwrap();
    (reported, format!("{pages:?} {margins:?}"))
}

/// Checks that two threads have the same results as one.
#[track_caller]
fn check(entries: &[Entry]) {
    let expected = found(By(ProcessingMode::Serial, 1), entries);
    for processing in [
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        for _ in 0..super::N_RUNS {
            assert_eq!(
                found(By(processing, 2), entries),
                expected,
                "{processing:?}"
            );
        }
    }
}

fn line(id: u32, to: u32, from: u32) -> Line {
    Line { to, from, id }
}

#[test]
fn writers_and_readers_of_three_pages_run_in_order() {
    let entries: Vec<Entry> = (0..12)
        .map(|id| Entry::Write(line(id, id % 3, (id + 1) % 2)))
        .collect();
    check(&entries);
}

#[test]
fn panic_is_reported_and_later_events_run() {
    let entries: Vec<Entry> = (0..12)
        .map(|id| match id % 4 {
            2 => Entry::Tear(line(id, id % 3, 0)),
            _ => Entry::Write(line(id, id % 2, (id + 1) % 2)),
        })
        .collect();
    check(&entries);
}

#[test]
fn pages_are_inserted_and_removed_between_events_that_name_them() {
    let entries: Vec<Entry> = (0..16)
        .map(|id| match id % 4 {
            0 | 3 => Entry::Turn(line(id, id / 4 % 3, 0)),
            1 => Entry::Scribble(line(id, id % 3, id / 4 % 3)),
            _ => Entry::Write(line(id, id / 4 % 3, 0)),
        })
        .collect();
    check(&entries);
}

/// Waits for another event.
#[derive(Clone, Debug, Event)]
#[event(meet)]
struct Meet {
    at: u32,
    meeting: Arc<Meeting>,
}

#[handler]
fn meet(event: &Meet, #[key(event.at)] page: &mut Page) {
    event.meeting.wait();
    page.0.push(event.at);
}

#[test]
fn two_handlers_of_different_pages_run_at_the_same_time() {
    for processing in [ProcessingMode::Queues, ProcessingMode::Tickets] {
        let meeting = Arc::new(Meeting::of(2));
        let events = (0..6).map(|nth| Meet {
            at: nth % 2,
            meeting: Arc::clone(&meeting),
        });
        let mut resources = Resources::new();
        resources.insert(Records::from_iter(
            (0..2).map(|key| (key, Page(Vec::new()))),
        ));
        let mut stream = By(processing, 2).stream();
        let report = |outcome: Outcome<Meet>| assert!(outcome.is_applied());
        stream.process(&mut resources, events, report).unwrap();
        let pages = resources.get::<Records<Page>>().unwrap();
        let written: Vec<&[u32]> = pages.iter().map(|(_, page)| &*page.0).collect();
        assert_eq!(written, [[0; 3], [1; 3]], "{processing:?}");
    }
}

#[test]
fn helper_that_is_about_to_leave_helps_or_is_requested_again() {
    for processing in [ProcessingMode::Queues, ProcessingMode::Tickets] {
        let meeting = Arc::new(Meeting::of(2));
        let mut resources = Resources::new();
        resources.insert(Records::from_iter(
            (0..2).map(|key| (key, Page(Vec::new()))),
        ));
        let mut stream = By(processing, 2).stream();
        stream.set_pool(own_pool(2));
        for nth in 0..if cfg!(miri) { 3 } else { 2_000 } {
            // About the time for which a helper without work stays.
            let (start, pause) = (Instant::now(), Duration::from_nanos(15_000 + nth % 10_000));
            while start.elapsed() < pause {
                spin_loop();
            }
            let events = [0, 1].map(|at| Meet {
                at,
                meeting: Arc::clone(&meeting),
            });
            let report = |outcome: Outcome<Meet>| assert!(outcome.is_applied(), "{processing:?}");
            stream.process(&mut resources, events, report).unwrap();
        }
    }
}

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Yields to its pool. Answers whether the pool ran it again within itself.
#[derive(Debug, Event)]
#[event(yield_often, answer = bool, error = std::convert::Infallible)]
struct YieldOften;

#[handler]
fn yield_often(_: &YieldOften) -> bool {
    let is_nested = IS_INSIDE.replace(true);
    for _ in 0..if cfg!(miri) { 10 } else { 100 } {
        rayon::yield_now();
        thread::yield_now();
    }
    IS_INSIDE.set(is_nested);
    is_nested
}

#[test]
fn thread_in_a_handler_does_not_start_to_help() {
    let n_events = if cfg!(miri) { 8 } else { 400 };
    for processing in [
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let pool = own_pool(3);
        let mut stream = By(processing, 3).stream();
        stream.set_pool(Arc::clone(&pool));
        // One thread of the pool is busy, so another thread could be used for two helpers.
        let is_over = Arc::new(Meeting::of(2));
        pool.spawn({
            let is_over = Arc::clone(&is_over);
            move || is_over.wait()
        });
        let mut n_nested = 0;
        let report =
            |outcome: Outcome<YieldOften>| n_nested += usize::from(outcome.result.unwrap());
        let events = (0..n_events).map(|_| YieldOften);
        stream
            .process(&mut Resources::new(), events, report)
            .unwrap();
        is_over.wait();
        assert_eq!(n_nested, 0, "{processing:?}");
    }
}
