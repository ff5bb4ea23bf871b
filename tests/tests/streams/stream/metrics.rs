//! Metrics of streams: a recorder of the calling thread gets the same numbers in all modes.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::sync::mpsc::channel;
use std::thread;

use ::metrics::{Unit, with_local_recorder};
use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule_stream::EventLimits;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;

use super::By;
use schedule_tests::recorder::{RecordedMetrics, TestRecorder};

#[derive(Debug, Record)]
#[record(id = u32, max_id = 9)]
struct Account(u64);

#[derive(Clone, Debug)]
struct Take {
    from: u32,
    amount: u64,
}

#[handler]
fn take(event: &Take, #[key(event.from)] from: &mut Account) -> Result<u64, String> {
    assert!(event.amount < 1000, "too much");
    from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
    Ok(from.0)
}

#[derive(Clone, Debug)]
struct Swap(u32, u32);

#[handler]
fn swap(
    event: &Swap,
    #[key(event.0)] one: &mut Account,
    #[key(event.1)] other: &mut Account,
) -> u64 {
    std::mem::swap(&mut one.0, &mut other.0);
    one.0
}

#[derive(Clone, Debug)]
struct Create(u32);

#[handler]
fn create(event: &Create, #[key(event.0)] mut account: Slot<Account>) -> u64 {
    account.insert(Account(1));
    1
}

/// Returns this number of follow-up events.
#[derive(Clone, Debug)]
struct Split(usize);

#[handler]
fn split(event: &Split) -> FollowUps<Entry, u64> {
    FollowUps::events(repeat_n(Entry::Swap(Swap(0, 1)), event.0)).answering(0)
}

#[derive(Clone, Debug)]
struct Unnamed;

impl Unnamed {
    fn key(&self) -> u32 {
        panic!("{self:?} has no key");
    }
}

#[handler]
fn unnamed(event: &Unnamed, #[key(event.key())] account: &mut Account) -> u64 {
    let _ = event;
    account.0
}

#[derive(Clone, Debug, Event)]
#[event(answer = u64, error = String)]
enum Entry {
    #[event(take)]
    Take(Take),
    #[event(swap)]
    Swap(Swap),
    #[event(create)]
    Create(Create),
    #[event(split)]
    Split(Split),
    #[event(unnamed)]
    Unnamed(Unnamed),
}

fn takes(from: u32, amount: u64) -> Entry {
    Entry::Take(Take { from, amount })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..4).map(|id| (id, Account(1000)))));
    resources
}

fn named(by: By) -> Stream<Entry> {
    let mut stream = by.stream();
    stream.set_name("bank");
    stream
}

/// Processes events with a recorder.
fn record(mut stream: Stream<Entry>, events: Vec<Entry>) -> RecordedMetrics {
    let recorder = TestRecorder::default();
    with_local_recorder(&recorder, || {
        stream.process(&mut resources(), events, drop).unwrap();
    });
    recorder.recorded()
}

#[test]
fn events_are_counted_by_mode() {
    for by in By::ALL {
        let found = record(named(*by), repeat_n(takes(0, 0), 5000).collect());
        assert_eq!(found.sum("events_total"), 5000, "{by:?}");
        let mode = match by.0 {
            ProcessingMode::Serial => "inline",
            ProcessingMode::Lanes => "lanes",
            ProcessingMode::Queues | ProcessingMode::Tickets => "queues",
            _ => continue,
        };
        let of_mode = |name| found.counter(&format!("{name}{{mode={mode},stream=bank}}"));
        assert_eq!(of_mode("events_total"), 5000, "{by:?}");
        assert_eq!(of_mode("stretches_total"), 1, "{by:?}");
    }
}

#[test]
fn each_batch_has_a_time_and_sets_the_pending_follow_up_events() {
    for by in By::ALL {
        let (mut stream, mut resources) = (named(*by), resources());
        let recorder = TestRecorder::default();
        with_local_recorder(&recorder, || {
            let events = [Entry::Split(Split(3)), Entry::Split(Split(4))];
            stream.process_batch(&mut resources, events, drop).unwrap();
            let pending = recorder.recorded().gauge("pending_follow_ups{stream=bank}");
            assert_eq!(pending, Some(7.0), "{by:?}");
            stream.drain(&mut resources, u64::MAX, drop).unwrap();
        });
        let found = recorder.recorded();
        assert_eq!(found.gauge("pending_follow_ups{stream=bank}"), Some(0.0));
        let times = found.histogram("batch_seconds{stream=bank}");
        assert_eq!(times.len(), 2, "{by:?}");
        assert!(times.iter().all(|time| (0.0..10.0).contains(time)));
        assert_eq!(found.sum("events_total"), 9, "{by:?}");
    }
}

#[test]
fn errors_are_counted_by_reason() {
    let events = vec![
        takes(0, 1),
        takes(0, 999),
        takes(0, 999),
        takes(0, 1001),
        takes(7, 1),
        Entry::Swap(Swap(1, 1)),
        Entry::Create(Create(10)),
        Entry::Split(Split(3)),
        Entry::Unnamed(Unnamed),
    ];
    for by in By::ALL {
        let mut stream = named(*by);
        stream.set_limits(EventLimits::new().max_per_event(2));
        let found = record(stream, events.clone());
        let failed = |reason| {
            found.counter(&format!(
                "failed_events_total{{reason={reason},stream=bank}}"
            ))
        };
        let reasons = ["error", "panic", "follow_ups"].map(failed);
        assert_eq!(reasons, [1, 1, 1], "{by:?}");
        assert_eq!(found.sum("failed_events_total"), 3, "{by:?}");
        let refused = |reason| {
            found.counter(&format!(
                "refused_events_total{{reason={reason},stream=bank}}"
            ))
        };
        for reason in ["missing", "alias", "too_large", "panic_before_call"] {
            assert_eq!(refused(reason), 1, "{by:?}, {reason}");
        }
        assert_eq!(found.sum("refused_events_total"), 4, "{by:?}");
    }
}

#[test]
fn stopped_events_are_refused() {
    for by in By::ALL {
        let mut stream = named(*by);
        stream.set_failure_policy(FailurePolicy::Stop);
        let found = record(stream, vec![takes(0, 1001), takes(0, 1), takes(0, 1)]);
        let stopped = found.counter("refused_events_total{reason=stopped,stream=bank}");
        assert_eq!(stopped, 2, "{by:?}");
    }
}

#[test]
fn one_handler_call_in_64_is_measured() {
    for by in By::ALL {
        let (mut stream, mut resources) = (named(*by), resources());
        let recorder = TestRecorder::default();
        let n_measured = || {
            let found = recorder.recorded();
            found
                .histogram("handler_seconds{handler=take,stream=bank}")
                .len()
        };
        with_local_recorder(&recorder, || {
            let mut process = |n| {
                let events = repeat_n(takes(0, 0), n);
                stream.process(&mut resources, events, drop).unwrap();
            };
            process(640);
            assert_eq!(n_measured(), 10, "{by:?}");
            // The count continues in further calls.
            (0..64).for_each(|_| process(1));
            assert_eq!(n_measured(), 11, "{by:?}");
        });
        assert_eq!(recorder.recorded().sum("slow_handlers_total"), 0);
    }
}

#[test]
fn all_handler_calls_are_measured_with_a_threshold() {
    for by in By::ALL {
        let mut stream = named(*by);
        stream.set_slow_handler_threshold(std::time::Duration::ZERO);
        let mut events: Vec<_> = repeat_n(takes(0, 0), 100).collect();
        events.push(Entry::Swap(Swap(0, 1)));
        // These handlers are not called.
        events.push(Entry::Swap(Swap(0, 0)));
        events.push(Entry::Swap(Swap(0, 7)));
        events.push(Entry::Unnamed(Unnamed));
        let found = record(stream, events);
        let take = found.histogram("handler_seconds{handler=take,stream=bank}");
        let swap = found.histogram("handler_seconds{handler=swap,stream=bank}");
        assert_eq!((take.len(), swap.len()), (100, 1), "{by:?}");
        let unnamed = found.histogram("handler_seconds{handler=unnamed,stream=bank}");
        assert_eq!(unnamed.len(), 0, "{by:?}");
        let slow = found.counter("slow_handlers_total{handler=take,stream=bank}");
        assert_eq!(slow, 100, "{by:?}");
    }
}

#[test]
fn events_that_wait_for_an_earlier_one_are_conflicts() {
    let conflicts = |processing, n_threads, keys: &[u32]| {
        let events = keys.iter().map(|key| takes(*key, 0)).collect();
        record(named(By(processing, n_threads)), events).sum("conflicts_total")
    };
    // The events arrive together, before the first one is known to be completed.
    assert!(conflicts(ProcessingMode::Lanes, 2, &[0; 2000]) > 0);
    assert!(conflicts(ProcessingMode::Queues, 2, &[0; 2000]) > 0);
    assert_eq!(conflicts(ProcessingMode::Serial, 1, &[0; 2000]), 0);
    for processing in [ProcessingMode::Lanes, ProcessingMode::Queues] {
        assert_eq!(conflicts(processing, 2, &[0]), 0, "{processing:?}");
    }
}

#[test]
fn waiting_events_of_producers_are_measured() {
    for by in By::ALL {
        let (mut stream, mut resources) = (named(*by), resources());
        let (producer, mut arrivals) = stream.arrivals(4096);
        for _ in 0..3000 {
            producer.push(takes(0, 0)).unwrap();
        }
        drop(producer);
        let recorder = TestRecorder::default();
        with_local_recorder(&recorder, || {
            stream
                .process_arrivals(&mut resources, &mut arrivals, drop)
                .unwrap();
        });
        let found = recorder.recorded();
        assert_eq!(found.sum("events_total"), 3000, "{by:?}");
        // Samples of both batches.
        let waits = found.histogram("wait_seconds{stream=bank}");
        assert_eq!(
            waits.len(),
            2048 / 64 + (3000 - 2048_usize).div_ceil(64),
            "{by:?}"
        );
        assert!(waits[0] > 0.0, "the first event was pushed before");
        let waiting = &found.gauges["waiting_requests{stream=bank}"];
        assert_eq!(waiting.last(), Some(&0.0), "{by:?}");
        if by.0 == ProcessingMode::Serial {
            assert_eq!(waiting[0], 952.0, "those of the second batch");
        }
    }
}

#[test]
fn each_batch_of_producers_that_wait_for_outcomes_is_measured() {
    let (mut stream, mut resources) = (named(By(ProcessingMode::Serial, 1)), resources());
    let (producer, mut arrivals) = stream.arrivals(4);
    let (replies, replied) = channel();
    let recorder = TestRecorder::default();
    let mut batches = BTreeSet::new();
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..5 {
                producer.push(takes(0, 0)).unwrap();
                replied.recv().unwrap();
            }
        });
        let outcomes = |outcome: Outcome<Entry>| {
            batches.insert(outcome.position.batch);
            replies.send(()).unwrap();
        };
        with_local_recorder(&recorder, || {
            stream
                .process_arrivals(&mut resources, &mut arrivals, outcomes)
                .unwrap();
        });
    });
    let found = recorder.recorded();
    assert_eq!(found.sum("events_total"), 5);
    for name in ["batch_seconds", "wait_seconds"] {
        let values = found.histogram(&format!("{name}{{stream=bank}}"));
        assert_eq!(values.len(), batches.len(), "{name}");
    }
}

#[test]
fn recorder_gets_only_calls_on_its_thread_while_it_is_set() {
    let (mut stream, mut resources) = (named(By(ProcessingMode::Serial, 1)), resources());
    let [first, second] = [TestRecorder::default(), TestRecorder::default()];
    let mut process = |n| {
        let events = repeat_n(takes(0, 0), n);
        stream.process(&mut resources, events, drop).unwrap();
    };
    process(1);
    with_local_recorder(&first, || process(2));
    process(4);
    with_local_recorder(&second, || process(8));
    with_local_recorder(&metrics::NoopRecorder, || process(16));
    with_local_recorder(&first, || process(32));
    assert_eq!(first.recorded().sum("events_total"), 34);
    assert_eq!(second.recorded().sum("events_total"), 8);
}

#[test]
fn outcome_callback_that_panics_leaves_the_metrics_usable() {
    let (mut stream, mut resources) = (named(By(ProcessingMode::Serial, 1)), resources());
    let recorder = TestRecorder::default();
    with_local_recorder(&recorder, || {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let events = repeat_n(takes(0, 0), 10);
            stream.process(&mut resources, events, |outcome| {
                assert!(outcome.position.index < 5, "enough");
            })
        }));
        panicked.unwrap_err();
        stream.process(&mut resources, [takes(0, 0)], drop).unwrap();
    });
    let found = recorder.recorded();
    // The sixth event arrived, too.
    assert_eq!(found.sum("events_total"), 7);
    // The batch that panicked has no time.
    assert_eq!(found.histogram("batch_seconds{stream=bank}").len(), 1);
}

#[test]
fn stream_without_a_name_has_that_of_its_event() {
    let stream: Stream<Entry> = By(ProcessingMode::Serial, 1).stream();
    let found = record(stream, vec![takes(0, 0)]);
    assert_eq!(found.counter("events_total{mode=inline,stream=Entry}"), 1);
}

#[test]
fn metrics_have_units() {
    let units = record(named(By(ProcessingMode::Serial, 1)), vec![]).units;
    assert_eq!(units.len(), 11);
    for (name, unit) in units {
        let expected = if name.ends_with("_seconds") {
            Unit::Seconds
        } else {
            Unit::Count
        };
        assert_eq!(unit, expected, "{name}");
    }
}
