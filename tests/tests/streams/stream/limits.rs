//! Limits of streams: an event above a limit is reported, and follow-up events above the budget of a batch wait.

use std::iter::repeat_n;
use std::thread;

use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule_stream::{EventError, EventLimits, Position, PushError, StreamError};

use super::By;

#[derive(Debug, Record)]
#[record(id = u32)]
struct Counter(u64);

/// Names no record, a number of keys, or keys without end.
#[derive(Clone, Debug)]
struct Names {
    n_keys: usize,
}

#[handler]
fn name_many(
    event: &Names,
    #[keys(repeat_n(1_u32, event.n_keys))] mut all: RecordSetMut<Counter>,
    #[keys([0_u32, 1].into_iter().filter(|_| event.n_keys == 0))] read: RecordSet<Counter>,
) -> usize {
    all.iter_mut().for_each(|(_, counter)| counter.0 += 1);
    all.len() + read.len()
}

/// Returns two more of the same.
#[derive(Clone, Debug)]
struct Explode;

#[handler]
fn explode(_: &Explode, #[key(0_u32)] counter: &mut Counter) -> FollowUps<Entry, usize> {
    counter.0 += 1;
    FollowUps::events([Explode, Explode].map(Entry::from)).answering(2)
}

#[derive(Clone, Debug, Event)]
#[event(answer = usize)]
enum Entry {
    #[event(name_many)]
    Names(Names),
    #[event(explode)]
    Explode(Explode),
}

type Reported = (Position, Option<Position>, Result<usize, String>);

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(0, Counter(0)), (1, Counter(0))]));
    resources
}

fn counters(resources: &Resources) -> [u64; 2] {
    let counters = resources.get::<Records<Counter>>().unwrap();
    [0, 1].map(|id| counters.get(id).unwrap().0)
}

fn reported(outcome: Outcome<Entry>) -> Reported {
    let result = outcome.result.map_err(|error| format!("{error:?}"));
    (outcome.position, outcome.cause, result)
}

/// Processes events. Returns the outcomes, and the values of both counters.
fn process(by: By, limits: EventLimits, events: Vec<Entry>) -> (Vec<Reported>, [u64; 2]) {
    let mut resources = resources();
    let mut stream = by.stream();
    stream.set_limits(limits);
    let mut all = Vec::new();
    let report = |outcome| all.push(reported(outcome));
    stream.process(&mut resources, events, report).unwrap();
    (all, counters(&resources))
}

#[test]
fn event_with_too_many_keys_is_refused_without_reading_them_all() {
    for &by in By::ALL {
        let limits = EventLimits::new().max_set_keys(3);
        let events = [3, 4, usize::MAX, 0].map(|n_keys| Names { n_keys }.into());
        let (reported, counters) = process(by, limits, events.to_vec());
        let results: Vec<_> = reported.into_iter().map(|(_, _, result)| result).collect();
        let refused = || Err("SetTooLarge(\"all\", `Counter`, 3)".to_string());
        assert_eq!(results, [Ok(1), refused(), refused(), Ok(2)], "{by:?}");
        assert_eq!(counters, [0, 1], "{by:?}");
    }
}

#[test]
fn default_limit_of_keys_is_65536() {
    for &by in By::ALL {
        let events = [1 << 16, (1 << 16) + 1].map(|n_keys| Names { n_keys }.into());
        let (reported, counters) = process(by, EventLimits::default(), events.to_vec());
        assert_eq!(reported[0].2, Ok(1), "{by:?}");
        assert!(reported[1].2.is_err(), "{by:?}");
        assert_eq!(counters, [0, 1], "{by:?}");
    }
}

#[test]
fn handler_at_the_maximum_depth_that_returns_follow_ups_fails() {
    for &by in By::ALL {
        let limits = EventLimits::new().max_depth(2);
        let (reported, counters) = process(by, limits, vec![Explode.into()]);
        let position = Position::new;
        let cause = |batch, index| Some(position(batch, index));
        let deep = || Err("FollowUpsTooDeep(2)".to_string());
        let expected = [
            (position(1, 0), None, Ok(2)),
            (position(2, 0), cause(1, 0), Ok(2)),
            (position(2, 1), cause(1, 0), Ok(2)),
            (position(3, 0), cause(2, 0), deep()),
            (position(3, 1), cause(2, 0), deep()),
            (position(3, 2), cause(2, 1), deep()),
            (position(3, 3), cause(2, 1), deep()),
        ];
        assert_eq!(reported, expected, "{by:?}");
        // The handlers have run, and are not atomic.
        assert_eq!(counters, [7, 0], "{by:?}");
    }
}

#[test]
fn depth_counts_from_the_input_also_across_calls() {
    let mut resources = resources();
    let mut stream = Stream::<Entry>::new();
    stream.set_limits(EventLimits::new().max_depth(1));
    let mut n_deep = Vec::new();
    for _ in 0..4 {
        let mut n = 0;
        let report = |outcome: Outcome<Entry>| {
            let is_deep = matches!(outcome.result, Err(EventError::FollowUpsTooDeep { max: 1 }));
            n += usize::from(is_deep);
        };
        stream
            .process_batch(&mut resources, [Explode.into()], report)
            .unwrap();
        n_deep.push(n);
    }
    assert_eq!(n_deep, [0, 2, 2, 2]);
}

#[test]
fn handler_that_returns_too_many_follow_ups_fails_alone() {
    for &by in By::ALL {
        for (max, expected) in [(1, Err("TooManyFollowUps(1)".to_string())), (2, Ok(2))] {
            let limits = EventLimits::new().max_per_event(max).max_depth(1);
            let names = || Names { n_keys: 1 }.into();
            let events = vec![names(), Explode.into(), names()];
            let (reported, counters) = process(by, limits, events);
            let results: Vec<_> = reported.iter().map(|one| one.2.clone()).collect();
            assert_eq!(results[..3], [Ok(1), expected, Ok(1)], "{by:?}");
            assert_eq!(results.len(), if max == 1 { 3 } else { 5 }, "{by:?}");
            assert_eq!(counters[1], 2, "{by:?}");
        }
    }
}

#[test]
fn follow_ups_above_the_budget_of_a_batch_come_in_later_ones_in_order() {
    for &by in By::ALL {
        let limits = EventLimits::new().max_follow_ups(3).max_depth(2);
        let (reported, counters) = process(by, limits, vec![Entry::from(Explode); 3]);
        // Each of 3 events causes 2, and each of those causes 2, which fail.
        assert_eq!(counters, [3 + 6 + 12, 0], "{by:?}");
        let n_of = |batch| reported.iter().filter(|one| one.0.batch == batch).count();
        let sizes: Vec<usize> = (1..9).map(n_of).collect();
        assert_eq!(sizes, [3, 3, 3, 3, 3, 3, 3, 0], "{by:?}");
        let causes: Vec<_> = reported[3..].iter().map(|one| one.1.unwrap()).collect();
        assert!(causes.is_sorted(), "{by:?}");
        assert_eq!(causes[5], Position::new(1, 2), "{by:?}");
        assert_eq!(causes[6], Position::new(2, 0), "{by:?}");
    }
}

#[test]
fn batch_has_no_events_of_the_input_while_more_than_a_budget_waits() {
    for &by in By::ALL {
        let limits = EventLimits::new().max_follow_ups(3).max_depth(1);
        let names = |_| Entry::from(Names { n_keys: 1 });
        // More than a batch.
        let events = [Entry::from(Explode), Explode.into()]
            .into_iter()
            .chain((0..2_046 + 5).map(names))
            .collect();
        let (reported, _) = process(by, limits, events);
        let of = |batch| {
            let of_batch = reported.iter().filter(move |one| one.0.batch == batch);
            of_batch.map(|one| one.1.is_some())
        };
        assert_eq!(of(1).count(), 2_048, "{by:?}");
        assert_eq!(of(2).collect::<Vec<_>>(), [true; 3], "{by:?}");
        let third: Vec<_> = of(3).collect();
        assert_eq!(third, [false, false, false, false, false, true], "{by:?}");
    }
}

#[test]
fn batch_of_one_call_comes_after_those_that_wait() {
    for &by in By::ALL {
        let mut resources = resources();
        let mut stream = by.stream();
        stream.set_limits(EventLimits::new().max_follow_ups(3).max_depth(1));
        let mut all = Vec::new();
        let mut report = |outcome| all.push(reported(outcome));
        let events = vec![Entry::from(Explode); 4];
        let mut process = |events: Vec<Entry>| {
            stream
                .process_batch(&mut resources, events, &mut report)
                .unwrap();
            (stream.next_batch(), stream.n_pending())
        };
        assert_eq!(process(events), (2, 8), "{by:?}");
        // Two batches without it come first.
        assert_eq!(process(vec![Names { n_keys: 1 }.into()]), (5, 0), "{by:?}");
        let last = &all[all.len() - 3];
        assert_eq!((last.0, last.1), (Position::new(4, 0), None), "{by:?}");
    }
}

#[test]
fn stream_stops_at_the_same_batch_if_too_many_follow_ups_wait() {
    for &by in By::ALL {
        let limits = EventLimits::new()
            .max_follow_ups(3)
            .max_depth(4)
            .max_pending(5);
        let mut resources = resources();
        let mut stream = by.stream();
        stream.set_limits(limits);
        let mut all = Vec::new();
        let mut events = vec![Entry::from(Explode); 2]
            .into_iter()
            .chain([Names { n_keys: 1 }.into()]);
        let mut report = |outcome| all.push(reported(outcome));
        // 4 events wait, then 4 - 3 + 6.
        let stopped = stream.process(&mut resources, events.by_ref().take(2), &mut report);
        let expected = StreamError::Backlog {
            batch: 2,
            n_pending: 7,
            max: 5,
        };
        assert_eq!(stopped, Err(expected.clone()), "{by:?}");
        assert_eq!(
            expected.to_string(),
            "the stream has stopped after batch 2, because 7 follow-up events wait, and the maximum is 5: raise the limit with \
             `EventLimits::max_pending`, and continue"
        );
        // Nothing is taken.
        let again = stream.process(&mut resources, events.by_ref(), &mut report);
        assert_eq!(again, Err(expected), "{by:?}");
        assert_eq!((stream.next_batch(), stream.n_pending()), (3, 7));
        stream.set_limits(limits.max_pending(1_000));
        stream.process(&mut resources, events, &mut report).unwrap();
        assert_eq!(all.len(), 1 + 2 + 4 + 8 + 16 + 32, "{by:?}");
        assert_eq!(counters(&resources), [62, 1], "{by:?}");
    }
}

/// The example of an exchange: no trade is lost.
#[test]
#[cfg_attr(miri, ignore = "needs many events")]
fn trades_above_the_default_budget_are_all_settled() {
    #[derive(Event)]
    #[event(answer = usize)]
    enum Exchange {
        #[event(order)]
        Order(Order),
        #[event(trade)]
        Trade(Trade),
    }
    struct Order;
    struct Trade;

    #[handler]
    fn order(_: &Order) -> FollowUps<Exchange, usize> {
        FollowUps::events((0..40).map(|_| Exchange::Trade(Trade))).answering(40)
    }

    #[handler]
    fn trade(_: &Trade, #[key(1_u32)] settled: &mut Counter) -> usize {
        settled.0 += 1;
        0
    }

    let mut resources = resources();
    let mut stream = Stream::new();
    let (mut n_told, mut n_trades) = (0, 0);
    let orders = (0..2_048).map(|_| Exchange::Order(Order));
    let report = |outcome: Outcome<Exchange>| {
        n_trades += usize::from(outcome.cause.is_some());
        n_told += outcome.result.unwrap();
    };
    stream.process(&mut resources, orders, report).unwrap();
    assert_eq!((n_told, n_trades), (81_920, 81_920));
    assert_eq!(counters(&resources), [0, 81_920]);
}

/// Producers wait while more than a budget of follow-up events waits, and all their events are processed.
#[test]
fn producers_wait_for_follow_ups() {
    for &by in By::ALL {
        let mut resources = resources();
        let mut stream = by.stream();
        stream.set_limits(EventLimits::new().max_follow_ups(2).max_depth(1));
        let report = |_| ();
        let events = vec![Entry::from(Explode); 3];
        stream
            .process_batch(&mut resources, events, report)
            .unwrap();
        let (producer, mut arrivals) = stream.arrivals(64);
        let full = producer.try_push(Names { n_keys: 1 }.into());
        assert!(matches!(full, Err(PushError::Full(_))), "{by:?}");
        let mut batches = Vec::new();
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..20 {
                    producer.push(Explode.into()).unwrap();
                }
            });
            stream
                .process_arrivals(&mut resources, &mut arrivals, |outcome| {
                    batches.push((outcome.position, outcome.cause));
                })
                .unwrap();
        });
        // The first batches have only follow-up events.
        let first: Vec<_> = batches[..4].iter().map(|one| one.0).collect();
        let expected =
            [(2, 0), (2, 1), (3, 0), (3, 1)].map(|(batch, index)| Position::new(batch, index));
        assert_eq!(first, expected, "{by:?}");
        assert_eq!(batches.len(), 6 + 20 + 40, "{by:?}");
        assert_eq!(counters(&resources)[0], 3 + 6 + 20 + 40, "{by:?}");
    }
}

#[test]
fn messages_name_the_limit_and_its_setting() {
    let errors = [
        EventError::<String>::FollowUpsTooDeep { max: 2 },
        EventError::TooManyFollowUps { max: 9 },
        EventError::TooDeep { max: 2 },
        EventError::OverBudget { max: 9 },
    ];
    assert!(errors.each_ref().map(EventError::has_run) == [true, true, false, false]);
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "the handler returned follow-up events at depth 2, the maximum: end the chain of follow-up events, or raise the limit \
             with `EventLimits::max_depth`",
            "the handler returned more than 9 follow-up events: return fewer of them, or raise the limit with \
             `EventLimits::max_per_event`",
            "the depth of the follow-up event is above 2: end the chain of follow-up events, or raise the limit with \
             `EventLimits::max_depth`",
            "the batch has more than 9 follow-up events: return fewer of them, or raise the limit with \
             `EventLimits::max_follow_ups`",
        ]
    );
}

#[test]
fn channel_stops_before_the_next_batch_and_continues_with_its_events() {
    for &by in By::ALL {
        let limits = EventLimits::new().max_depth(1).max_pending(5);
        let mut resources = resources();
        let mut stream = by.stream();
        stream.set_limits(limits);
        let (producer, mut arrivals) = stream.arrivals(3_000);
        let explosions = (0..3).map(|_| Entry::from(Explode));
        let names = (0..2_046).map(|_| Names { n_keys: 1 }.into());
        let mut last = Position::default();
        for event in explosions.chain(names) {
            last = producer.push(event).unwrap();
        }
        // In the second batch.
        assert_eq!(last, Position::new(2, 0));
        drop(producer);
        let mut positions = Vec::new();
        let mut report = |outcome: Outcome<Entry>| positions.push(outcome.position);
        let stopped = stream.process_arrivals(&mut resources, &mut arrivals, &mut report);
        let expected = StreamError::Backlog {
            batch: 1,
            n_pending: 6,
            max: 5,
        };
        assert_eq!(stopped, Err(expected), "{by:?}");
        stream.set_limits(limits.max_pending(6));
        stream
            .process_arrivals(&mut resources, &mut arrivals, &mut report)
            .unwrap();
        assert_eq!(positions.len(), 2_048 + 1 + 6, "{by:?}");
        assert_eq!(positions[2_048], last, "{by:?}");
    }
}
