//! Several producers of one stream: the result is that of a loop in the order of positions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule_stream::{EventLimits, Position, Producer, PushError};

use super::By;
use schedule_tests::meeting::Meeting;

#[derive(Debug, PartialEq, Record)]
#[record(key = u32)]
struct Account(i64);

#[derive(Clone, Copy, Debug, PartialEq, Event)]
#[event(transfer, answer = i64, error = &'static str)]
struct Transfer {
    from: u32,
    to: u32,
    amount: i64,
    /// The number of follow-up events of the same kind.
    n_following: u32,
}

/// Answers the remaining balance.
#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Result<FollowUps<Transfer, i64>, &'static str> {
    if from.0 < event.amount {
        return Err("overdrawn");
    }
    from.0 -= event.amount;
    to.0 += event.amount;
    let next = event
        .n_following
        .checked_sub(1)
        .map(|n_following| Transfer {
            n_following,
            ..*event
        });
    Ok(FollowUps::events(next).answering(from.0))
}

const N_KEYS: u32 = 7;
const N_EVENTS: u32 = if cfg!(miri) { 6 } else { 300 };

fn accounts() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..N_KEYS).map(|id| (id, Account(50)))));
    resources
}

/// Returns the nth event of a producer.
fn event(producer: u32, nth: u32) -> Transfer {
    let from = (nth * 3 + producer) % N_KEYS;
    Transfer {
        from,
        to: (from + 1 + nth % (N_KEYS - 1)) % N_KEYS,
        amount: i64::from(nth % 40),
        n_following: u32::from(nth.is_multiple_of(5)) * 2,
    }
}

#[test]
fn result_is_that_of_a_loop_in_the_order_of_positions() {
    for &by in By::ALL {
        let mut resources = accounts();
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(16);
        let mut outcomes = Vec::new();
        let pushed: BTreeMap<Position, Transfer> = thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|id| {
                    let producer = producer.clone();
                    scope.spawn(move || {
                        let push = |nth| (producer.push(event(id, nth)).unwrap(), event(id, nth));
                        (0..N_EVENTS).map(push).collect::<Vec<_>>()
                    })
                })
                .collect();
            drop(producer);
            stream
                .process_arrivals(&mut resources, &mut arrivals, |outcome| {
                    outcomes.push(outcome);
                })
                .unwrap();
            let pushed = threads.into_iter().map(|thread| thread.join().unwrap());
            pushed.flatten().collect()
        });
        assert_eq!(pushed.len(), 3 * N_EVENTS as usize, "positions are unique");

        let mut expected: Vec<i64> = vec![50; N_KEYS as usize];
        let mut n_following = 0;
        let mut last = None;
        for outcome in &outcomes {
            let position = outcome.position;
            assert!(last < Some(position), "{by:?}");
            last = Some(position);
            let Transfer {
                from, to, amount, ..
            } = outcome.event;
            match pushed.get(&outcome.position) {
                Some(event) => assert_eq!(outcome.event, *event, "{by:?}"),
                None => n_following += 1,
            }
            let (from, to) = (from as usize, to as usize);
            if expected[from] < amount {
                assert!(outcome.result.is_err(), "{by:?} {position}");
                continue;
            }
            expected[from] -= amount;
            expected[to] += amount;
            assert_eq!(
                outcome.result.as_ref().ok(),
                Some(&expected[from]),
                "{by:?}"
            );
        }
        assert_eq!(outcomes.len(), pushed.len() + n_following);
        assert!(n_following > 0);
        let accounts = resources.get::<Records<Account>>().unwrap();
        let found: Vec<i64> = accounts.iter().map(|(_, account)| account.0).collect();
        assert_eq!(found, expected, "{by:?}");
    }
}

#[test]
fn push_into_a_full_channel_returns_the_event() {
    let (producer, arrivals) = Stream::new().arrivals(2);
    assert_eq!(producer.try_push(event(0, 0)), Ok(Position::new(1, 0)));
    assert_eq!(producer.try_push(event(0, 1)), Ok(Position::new(1, 1)));
    let back = producer.try_push(event(0, 2)).unwrap_err();
    assert_eq!(
        back.to_string(),
        "the channel is full: push the event again later"
    );
    assert_eq!(back.into_event(), event(0, 2));
    drop(arrivals);
    let back = producer.push(event(0, 3)).unwrap_err();
    assert_eq!(back, PushError::Closed(event(0, 3)));
}

#[test]
fn producer_blocks_until_there_is_room() {
    let mut resources = accounts();
    let mut stream = Stream::new();
    let (producer, mut arrivals) = stream.arrivals(1);
    let event = |nth| Transfer {
        n_following: 0,
        ..event(0, nth)
    };
    producer.push(event(0)).unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            // The channel has room for one event, and the stream does not take events yet.
            sender.send(()).unwrap();
            for nth in 1..20 {
                assert!(producer.push(event(nth)).is_ok());
            }
        });
        receiver.recv_timeout(Meeting::LIMIT).unwrap();
        let mut n = 0;
        stream
            .process_arrivals(&mut resources, &mut arrivals, |_| n += 1)
            .unwrap();
        assert_eq!(n, 20);
    });
}

#[test]
fn handler_cannot_push_into_its_own_stream() {
    #[derive(Event)]
    #[event(push, error = std::convert::Infallible, answer = bool)]
    struct Push(Producer<Push>);

    #[derive(Resource)]
    struct Nothing;

    #[handler]
    fn push(event: &Push, _: &Nothing) -> bool {
        let result = event.0.push(Push(event.0.clone()));
        matches!(result, Err(PushError::Within(_)))
    }

    for &by in By::ALL {
        let mut resources = Resources::new();
        resources.insert(Nothing);
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(4);
        for _ in 0..3 {
            producer.push(Push(producer.clone())).unwrap();
        }
        drop(producer);
        let mut answers = Vec::new();
        stream
            .process_arrivals(&mut resources, &mut arrivals, |outcome| {
                answers.push(outcome.result.unwrap());
            })
            .unwrap();
        assert_eq!(answers, [true; 3], "{by:?}");
    }
}

/// A handler processes an inner stream. Neither may push into the outer one.
#[test]
fn handler_of_an_inner_stream_cannot_push_into_the_outer_one() {
    #[derive(Event, Clone)]
    #[event(outer, error = std::convert::Infallible, answer = usize)]
    struct Outer(Producer<Outer>);

    #[derive(Event)]
    #[event(inner, error = std::convert::Infallible, answer = bool)]
    struct Inner(Outer);

    fn is_within(event: &Outer) -> bool {
        let result = event.0.push(event.clone());
        matches!(result, Err(PushError::Within(_)))
    }

    #[handler]
    fn outer(event: &Outer) -> usize {
        let before = is_within(event);
        let mut stream = Stream::new();
        let (producer, mut arrivals) = stream.arrivals(4);
        producer.push(Inner(event.clone())).unwrap();
        drop(producer);
        let mut inside = false;
        stream
            .process_arrivals(&mut Resources::new(), &mut arrivals, |outcome| {
                inside = outcome.result.unwrap();
            })
            .unwrap();
        let all = [before, inside, is_within(event)];
        all.into_iter().filter(|is_within| *is_within).count()
    }

    #[handler]
    fn inner(event: &Inner) -> bool {
        is_within(&event.0)
    }

    for &by in By::ALL {
        // The channel has room for one event.
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(1);
        producer.push(Outer(producer.clone())).unwrap();
        drop(producer);
        let mut answers = Vec::new();
        stream
            .process_arrivals(&mut Resources::new(), &mut arrivals, |outcome| {
                answers.push(outcome.result.unwrap());
            })
            .unwrap();
        assert_eq!(answers, [3], "{by:?}");
    }
}

#[test]
fn events_of_a_closed_channel_are_dropped() {
    #[derive(Event)]
    #[event(keep, answer = usize)]
    struct Keep(Producer<Keep>, Arc<()>);

    #[handler]
    fn keep(Keep(producer, counted): &Keep) -> usize {
        let _ = producer;
        Arc::strong_count(counted)
    }

    let counted = Arc::new(());
    let (producer, arrivals) = Stream::new().arrivals(4);
    let event = Keep(producer.clone(), counted.clone());
    producer.push(event).unwrap();
    drop(arrivals);
    assert_eq!(Arc::strong_count(&counted), 1);
    let event = Keep(producer.clone(), counted);
    assert!(matches!(producer.push(event), Err(PushError::Closed(_))));
}

#[test]
fn outcomes_are_reported_while_producers_wait_for_them() {
    for &by in By::ALL {
        let mut resources = accounts();
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(8);
        let (report, reported) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                for nth in 0..10 {
                    let position = producer.push(Transfer {
                        n_following: 0,
                        ..event(1, nth)
                    });
                    let answered: Position = reported.recv_timeout(Meeting::LIMIT).unwrap();
                    assert_eq!(position, Ok(answered));
                }
            });
            stream
                .process_arrivals(&mut resources, &mut arrivals, |outcome| {
                    report.send(outcome.position).unwrap();
                })
                .unwrap();
        });
    }
}

#[test]
fn barrier_waits_for_the_outcomes_of_earlier_events() {
    for &by in By::ALL {
        let mut resources = accounts();
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(8);
        let (report, reported) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                producer.barrier().unwrap();
                let mut last_batch = None;
                for nth in 0..5 {
                    let positions = [0, 1, 2].map(|k| producer.push(event(k, nth)).unwrap());
                    producer.barrier().unwrap();
                    let known: Vec<Position> = reported.try_iter().collect();
                    let are_known = positions.iter().all(|position| known.contains(position));
                    assert!(are_known, "{by:?}: {positions:?}, {known:?}");
                    assert!(last_batch < Some(positions[0].batch), "{by:?}");
                    last_batch = Some(positions[2].batch);
                }
            });
            let report = |outcome: Outcome<Transfer>| report.send(outcome.position).unwrap();
            let processed = stream.process_arrivals(&mut resources, &mut arrivals, report);
            processed.unwrap();
        });
    }
}

/// A chain of follow-up events: of this length, or until it is stopped.
#[derive(Debug, Event)]
#[event(repeat)]
struct Repeat(Option<u32>);

#[derive(Debug, Resource)]
struct IsStopped(Arc<AtomicBool>);

#[handler]
fn repeat(event: &Repeat, is_stopped: &IsStopped) -> FollowUps<Repeat> {
    let next = match event.0 {
        Some(n) => n.checked_sub(1).map(|n| Repeat(Some(n))),
        None if is_stopped.0.load(Ordering::Relaxed) => None,
        None => Some(Repeat(None)),
    };
    FollowUps::events(next)
}

fn repeating() -> (Resources, Arc<AtomicBool>) {
    let (mut resources, is_stopped) = (Resources::new(), Arc::default());
    resources.insert(IsStopped(Arc::clone(&is_stopped)));
    (resources, is_stopped)
}

#[test]
fn drain_waits_for_follow_up_events_within_its_budget() {
    for &by in By::ALL {
        let (mut resources, is_stopped) = repeating();
        let mut stream = by.stream();
        // The chain must not end before the producer stops it.
        stream.set_limits(EventLimits::unlimited());
        let (producer, mut arrivals) = stream.arrivals(8);
        let mut n_reported = 0;
        thread::scope(|scope| {
            scope.spawn(move || {
                producer.push(Repeat(Some(3))).unwrap();
                assert_eq!(producer.drain(u64::MAX), Ok(0), "{by:?}");
                producer.push(Repeat(None)).unwrap();
                assert_eq!(producer.drain(5), Ok(1), "{by:?}");
                is_stopped.store(true, Ordering::Relaxed);
                assert_eq!(producer.drain(u64::MAX), Ok(0), "{by:?}");
            });
            let processed =
                stream.process_arrivals(&mut resources, &mut arrivals, |_| n_reported += 1);
            processed.unwrap();
        });
        assert!(n_reported >= 10, "{by:?}");
        assert_eq!(stream.n_pending(), 0, "{by:?}");
    }
}

#[test]
fn ended_stream_processes_the_events_before_its_end() {
    for &by in By::ALL {
        let (mut resources, _) = repeating();
        let mut stream = by.stream();
        let (producer, mut arrivals) = stream.arrivals(8);
        producer.push(Repeat(Some(4))).unwrap();
        producer.end();
        assert!(matches!(
            producer.push(Repeat(Some(0))),
            Err(PushError::Closed(_))
        ));
        let mut n_reported = 0;
        let processed = stream.process_arrivals(&mut resources, &mut arrivals, |_| n_reported += 1);
        processed.unwrap();
        assert_eq!(n_reported, 5, "{by:?}");
    }
}

#[test]
fn channel_is_refused_if_its_positions_are_taken() {
    let mut stream = Stream::new();
    let (producer, mut arrivals) = stream.arrivals(8);
    producer.push(Repeat(Some(0))).unwrap();
    let refused = producer;
    let (mut resources, _) = repeating();
    stream
        .process(&mut resources, [Repeat(Some(0))], drop)
        .unwrap();
    let error = stream
        .process_arrivals(&mut resources, &mut arrivals, drop)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the channel continues with position 1:0, but the next batch of the stream is 2; no event was processed: process \
         all events of the stream through one channel, or create a channel after other calls"
    );
    assert!(matches!(
        refused.push(Repeat(Some(0))),
        Err(PushError::Closed(_))
    ));
    // A new channel continues.
    let (producer, mut arrivals) = stream.arrivals(8);
    assert_eq!(producer.push(Repeat(Some(0))).unwrap(), Position::new(2, 0));
    drop(producer);
    let mut positions = Vec::new();
    let report = |outcome: Outcome<Repeat>| positions.push(outcome.position);
    stream
        .process_arrivals(&mut resources, &mut arrivals, report)
        .unwrap();
    assert_eq!(positions, [Position::new(2, 0)]);
}
