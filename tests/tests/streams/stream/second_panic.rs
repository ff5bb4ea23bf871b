//! A panic while another one is in progress does not abort the process: the first one is reported, and all values are dropped.
//!
//! Each test runs in a child process.

use std::cell::Cell;
use std::convert::Infallible;
use std::panic::resume_unwind;
use std::{mem, thread};

use schedule::prelude::*;
use schedule_stream::Inbox;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

use super::By;
use schedule_tests::bomb::{Bomb, Drops, panic_of};

#[derive(Debug, Record)]
#[record(id = u32)]
struct Cell32(u64);

/// Answers with a bomb, and returns two follow-up events.
#[derive(Debug, Event)]
#[event(step, answer = Bomb, error = Infallible)]
struct Step {
    at: u32,
    is_last: bool,
    drops: Drops,
    #[expect(dead_code, reason = "is dropped")]
    bomb: Bomb,
}

impl Step {
    fn new(at: u32, drops: &Drops) -> Self {
        N_MADE.set(N_MADE.get() + 1);
        Self {
            at,
            is_last: false,
            drops: drops.clone(),
            bomb: drops.bomb(),
        }
    }
}

impl Clone for Step {
    fn clone(&self) -> Self {
        Self {
            is_last: self.is_last,
            ..Self::new(self.at, &self.drops)
        }
    }
}

thread_local! {
    /// Number of events that the thread of the test created. Other threads create follow-up events.
    static N_MADE: Cell<usize> = const { Cell::new(0) };
}

#[handler]
fn step(event: &Step, #[key(event.at)] cell: &mut Cell32) -> FollowUps<Step, Bomb> {
    cell.0 += 1;
    let next = (!event.is_last).then(|| {
        [0, 1].map(|_| Step {
            is_last: true,
            drops: event.drops.clone(),
            bomb: event.drops.bomb(),
            at: event.at,
        })
    });
    FollowUps::events(next.into_iter().flatten()).answering(event.drops.bomb())
}

fn cells(n: u32) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..n).map(|k| (k, Cell32(0)))));
    resources
}

const FEW_CELLS: u32 = 7;
/// With this number of records, events arrive ahead on one thread.
const MANY_CELLS: u32 = 600_000;
const N: u32 = if cfg!(miri) { 30 } else { 5000 };

/// Leaks the bombs of an outcome, which the callback owns. Returns their number.
fn defuse(outcome: Outcome<Step>) -> usize {
    let n_bombs = 1 + usize::from(outcome.result.is_ok());
    mem::forget(outcome);
    n_bombs
}

/// Processes events until the input or the outcome callback panics, with bombs in flight. Then processes some more.
fn panics_with_bombs_in_flight(by: By, n_cells: u32, from_input: bool) {
    let context = format!("{by:?} {n_cells} {from_input}");
    let drops = Drops::default();
    let mut resources = cells(n_cells);
    let mut stream = by.stream();
    let mut n_reported = 0;
    let (of_input, of_callback) = (drops.bomb(), drops.bomb());
    let panic = panic_of(|| {
        let events = (0..N).map(|k| {
            let _ = &of_input;
            if from_input && k == N / 2 {
                resume_unwind(Box::new("the input"));
            }
            Step::new(k % n_cells, &drops)
        });
        let report = |outcome| {
            let _ = &of_callback;
            defuse(outcome);
            n_reported += 1;
            if !from_input && n_reported == N / 2 {
                resume_unwind(Box::new("the callback"));
            }
        };
        stream.process(&mut resources, events, report).unwrap();
    });
    let expected = if from_input {
        "the input"
    } else {
        "the callback"
    };
    assert_eq!(panic, Some(expected), "{context}");
    // The closures only borrow these.
    mem::forget((of_input, of_callback));

    let mut n_applied = 0;
    let events = (0..3).map(|k| Step {
        is_last: true,
        ..Step::new(k, &drops)
    });
    let report = |outcome: Outcome<Step>| {
        n_applied += usize::from(outcome.is_applied());
        defuse(outcome);
    };
    stream.process(&mut resources, events, report).unwrap();
    assert_eq!(n_applied, 3, "{context}");
}

#[test]
fn callback_panics_with_bombs_in_flight() {
    Child::new(|| {
        for &by in By::ALL {
            panics_with_bombs_in_flight(by, FEW_CELLS, false);
            if by.0 == ProcessingMode::Serial {
                panics_with_bombs_in_flight(by, MANY_CELLS, false);
            }
        }
    })
    .run();
}

#[test]
fn input_panics_with_bombs_in_flight() {
    Child::new(|| {
        for &by in By::ALL {
            panics_with_bombs_in_flight(by, FEW_CELLS, true);
            if by.0 == ProcessingMode::Serial {
                panics_with_bombs_in_flight(by, MANY_CELLS, true);
            }
        }
    })
    .run();
}

/// Counts all bombs: each one is dropped, or leaked by the callback.
#[test]
fn no_value_in_flight_is_leaked_if_all_panic() {
    Child::new(|| {
        for by in [
            By(ProcessingMode::Serial, 1),
            By(ProcessingMode::Lanes, 1),
            By(ProcessingMode::Queues, 1),
            By(ProcessingMode::Tickets, 1),
        ] {
            let drops = Drops::default();
            let mut resources = cells(7);
            let mut stream = by.stream();
            N_MADE.set(0);
            let mut n_leaked = 0;
            let panic = panic_of(|| {
                let events = (0..N).map(|k| Step {
                    is_last: true,
                    ..Step::new(k % 7, &drops)
                });
                let report = |outcome: Outcome<Step>| {
                    n_leaked += defuse(outcome);
                    if n_leaked >= N as usize {
                        resume_unwind(Box::new("the callback"));
                    }
                };
                stream.process(&mut resources, events, report).unwrap();
            });
            assert_eq!(panic, Some("the callback"), "{by:?}");
            let cells = resources.get::<Records<Cell32>>().unwrap();
            let n_answers: u64 = cells.iter().map(|(_, cell)| cell.0).sum();
            // `..Step::new()` moves the bomb, so none is created twice.
            let n_bombs = N_MADE.get() + n_answers as usize;
            assert_eq!(drops.take(), n_bombs - n_leaked, "{by:?}");
        }
    })
    .run();
}

#[test]
fn input_and_callback_are_dropped_if_both_panic() {
    Child::new(|| {
        for &by in By::ALL {
            for panics in [false, true] {
                let drops = Drops::default();
                let (of_input, of_callback) = (drops.bomb(), drops.bomb());
                let panic = panic_of(|| {
                    let events = (0..9).map(|k| {
                        let _ = &of_input;
                        Step {
                            is_last: true,
                            ..Step::new(k % 7, &drops)
                        }
                    });
                    let report = |outcome: Outcome<Step>| {
                        let _ = &of_callback;
                        defuse(outcome);
                        if panics {
                            resume_unwind(Box::new("the callback"));
                        }
                    };
                    let (mut resources, mut stream) = (cells(7), by.stream());
                    stream.process(&mut resources, events, report).unwrap();
                });
                mem::forget((of_input, of_callback));
                assert_eq!(panic, panics.then_some("the callback"), "{by:?}");

                // The same with closures that own the bombs, and with missing resources.
                let n_before = drops.take();
                assert!(panics || n_before == 0, "{by:?}");
                for mut resources in [cells(7), Resources::new()] {
                    let (of_input, of_callback) = (drops.bomb(), drops.bomb());
                    let is_empty = resources.is_empty();
                    let mut stream = by.stream();
                    let inner = drops.clone();
                    let panic = panic_of(move || {
                        let events = (0..1).map(move |k| {
                            let _ = &of_input;
                            Step {
                                is_last: true,
                                ..Step::new(k, &inner)
                            }
                        });
                        let report = move |outcome: Outcome<Step>| {
                            let _ = &of_callback;
                            defuse(outcome);
                            if panics {
                                resume_unwind(Box::new("the callback"));
                            }
                        };
                        let _ = stream.process(&mut resources, events, report);
                    });
                    let expected = if panics && !is_empty {
                        "the callback"
                    } else {
                        "bomb"
                    };
                    assert_eq!(panic, Some(expected), "{by:?}");
                    assert_eq!(drops.take(), 2, "{by:?}");
                }
            }
        }
    })
    .run();
}

#[test]
fn events_of_a_closed_channel_are_dropped_one_by_one() {
    Child::new(|| {
        let drops = Drops::default();
        let (producer, arrivals) = Stream::new().arrivals(8);
        for k in 0..3 {
            assert!(producer.push(Step::new(k, &drops)).is_ok());
        }
        assert_eq!(panic_of(|| drop(arrivals)), Some("bomb"));
        assert_eq!(drops.take(), 3);

        let mut inbox = Inbox::new();
        inbox.extend((0..3).map(|k| Step::new(k, &drops)));
        assert_eq!(panic_of(|| drop(inbox.drain())), Some("bomb"));
        assert_eq!(drops.take(), 3);
        assert!(inbox.is_empty());
    })
    .run();
}

#[test]
fn arrivals_are_usable_after_a_panic_of_the_callback() {
    Child::new(|| {
        for &by in By::ALL {
            let drops = Drops::default();
            let (mut resources, mut stream) = (cells(7), by.stream());
            let (producer, mut arrivals) = stream.arrivals(64);
            thread::scope(|scope| {
                scope.spawn(|| {
                    // Owned by the thread, so that the stream ends.
                    let producer = producer;
                    for k in 0..200 {
                        if let Err(error) = producer.push(Step::new(k % 7, &drops)) {
                            mem::forget(error);
                        }
                    }
                });
                let mut n_reported = 0;
                let panic = panic_of(|| {
                    let report = |outcome| {
                        defuse(outcome);
                        n_reported += 1;
                        if n_reported == 100 {
                            resume_unwind(Box::new("the callback"));
                        }
                    };
                    let processed = stream.process_arrivals(&mut resources, &mut arrivals, report);
                    processed.unwrap();
                });
                assert_eq!(panic, Some("the callback"), "{by:?}");
                let report = |outcome: Outcome<Step>| _ = defuse(outcome);
                let processed = stream.process_arrivals(&mut resources, &mut arrivals, report);
                processed.unwrap();
            });
            drop(arrivals);
        }
    })
    .run();
}

/// Converts into an event, or panics.
struct Raw(Option<Bomb>, Bomb);

#[derive(Debug, Event)]
#[event(spread, answer = Whole, error = Infallible)]
struct Spread(
    Option<Drops>,
    #[expect(dead_code, reason = "is dropped")] Option<Bomb>,
);

impl From<Raw> for Spread {
    fn from(Raw(unless, bomb): Raw) -> Self {
        match unless {
            Some(bombs) => {
                mem::forget((bombs, bomb));
                resume_unwind(Box::new("no event"))
            }
            None => Self(None, Some(bomb)),
        }
    }
}

#[derive(Debug)]
struct Whole(#[expect(dead_code, reason = "is dropped")] Option<Bomb>);

impl From<Bomb> for Whole {
    fn from(bomb: Bomb) -> Self {
        Self(Some(bomb))
    }
}

#[handler]
fn spread(event: &Spread, cell: &mut Single) -> FollowUps<Raw, Bomb> {
    cell.0 += 1;
    let drops = event.0.as_ref().unwrap();
    let raw = [None, None, Some(drops.bomb()), None, None];
    FollowUps::events(raw.map(|unless| Raw(unless, drops.bomb()))).answering(drops.bomb())
}

#[derive(Debug, Resource)]
struct Single(u64);

#[test]
fn follow_up_events_are_dropped_if_a_conversion_panics() {
    Child::new(|| {
        for &by in By::ALL {
            let drops = Drops::default();
            let mut resources = Resources::new();
            resources.insert(Single(0));
            let events = (0..5).map(|_| Spread(Some(drops.clone()), None));
            let mut reported = Vec::new();
            let report = |outcome: Outcome<Spread>| reported.push(format!("{:?}", outcome.result));
            let processed = by.stream().process(&mut resources, events, report);
            processed.unwrap();
            assert_eq!(reported, vec!["Err(Panicked(\"no event\"))"; 5], "{by:?}");
            // For each event: two follow-up events were converted, two were not, and there was one answer.
            assert_eq!(drops.take(), 25, "{by:?}");
        }
    })
    .run();
}
