//! Senders that wait for the outcome of an event before they send the next one.

use std::sync::mpsc::channel;
use std::thread;

use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_stream::{Arrivals, Producer, PushError, StreamError};
use schedule_tests::child::Child;

const N_EVENTS: u64 = 500;

const ALL: [ProcessingMode; 6] = [
    ProcessingMode::Auto,
    ProcessingMode::Serial,
    ProcessingMode::Parallel,
    ProcessingMode::Lanes,
    ProcessingMode::Queues,
    ProcessingMode::Tickets,
];

/// 4 KiB, so that many of them do not fit into a cache. Then events arrive ahead on one thread, too.
#[derive(Debug, Record)]
#[record(id = u32)]
struct Page([u64; 512]);

#[derive(Clone, Debug, Event)]
#[event(write, answer = u64)]
struct Write(u32);

#[handler]
fn write(event: &Write, #[key(event.0)] page: &mut Page) -> u64 {
    page.0[0] += 1;
    page.0[0]
}

/// Sends one event at a time to a stream with `n_pages` pages, and waits for its answer.
fn send_and_wait(processing: ProcessingMode, n_pages: u32) {
    let mut stream = Stream::<Write>::new();
    set_mode(&mut stream, processing);
    let mut resources = Resources::new();
    let pages = (0..n_pages).map(|id| (id, Page([0; 512])));
    resources.insert(Records::from_iter(pages));
    let (producer, mut arrivals) = stream.arrivals(64);
    let (to_sender, answers) = channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            for nth in 0..N_EVENTS {
                producer.push(Write(nth as u32 % 2)).unwrap();
                assert_eq!(answers.recv(), Ok(nth / 2 + 1));
            }
        });
        let outcomes = |outcome: Outcome<Write>| to_sender.send(outcome.result.unwrap()).unwrap();
        stream
            .process_arrivals(&mut resources, &mut arrivals, outcomes)
            .unwrap();
    });
}

#[test]
fn sender_may_wait_for_outcomes_with_process_arrivals() {
    for processing in ALL {
        for n_pages in [2, 4_000] {
            Child::new(|| send_and_wait(processing, n_pages))
                .label(format!("{processing:?}, {n_pages} pages"))
                .env("RAYON_NUM_THREADS", 3)
                .run();
        }
    }
}

fn pages() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(0, Page([0; 512]))]));
    resources
}

/// Processes a channel that the stream refuses, while producers in the scope wait for room and for reports. Returns the error,
/// and the number of events that were pushed.
fn refuse(
    stream: &mut Stream<Write>,
    resources: &mut Resources,
    (producer, arrivals): (Producer<Write>, &mut Arrivals<Write>),
) -> (StreamError, u64) {
    thread::scope(|scope| {
        let pushing = scope.spawn({
            let producer = producer.clone();
            move || {
                let mut n_pushed = 0;
                while producer.push(Write(0)).is_ok() {
                    n_pushed += 1;
                }
                n_pushed
            }
        });
        let waiting = scope.spawn(move || {
            let drained = producer.drain(1);
            assert!(matches!(drained, Ok(0) | Err(PushError::Closed(()))));
            producer.barrier()
        });
        let error = stream
            .process_arrivals(resources, arrivals, drop)
            .unwrap_err();
        // The result depends on whether the other producer pushed before.
        let _ = waiting.join().unwrap();
        (error, pushing.join().unwrap())
    })
}

#[test]
fn producers_of_a_refused_channel_do_not_wait() {
    Child::new(|| {
        let (mut stream, mut other) = (Stream::new(), Stream::new());
        let mut resources = pages();
        for n_before in [0, 1] {
            // The position of the channel is free in the other stream, and then taken.
            let events = core::iter::repeat_n(Write(0), n_before);
            other.process(&mut resources, events, drop).unwrap();
            let (producer, mut arrivals) = stream.arrivals(2);
            let ends = (producer, &mut arrivals);
            let (error, n_pushed) = refuse(&mut other, &mut resources, ends);
            assert_eq!(error, StreamError::OtherStream);
            // The right stream processes what was pushed.
            let mut n_reported = 0;
            let processed =
                stream.process_arrivals(&mut resources, &mut arrivals, |_| n_reported += 1);
            processed.unwrap();
            assert_eq!(n_reported, n_pushed);
        }

        let (producer, mut arrivals) = stream.arrivals(2);
        let ends = (producer, &mut arrivals);
        let (error, n_pushed) = refuse(&mut stream, &mut Resources::new(), ends);
        assert!(matches!(error, StreamError::Missing(_)), "{error}");
        let mut n_reported = 0;
        let processed = stream.process_arrivals(&mut resources, &mut arrivals, |_| n_reported += 1);
        processed.unwrap();
        assert_eq!(n_reported, n_pushed);

        let (producer, mut arrivals) = stream.arrivals(2);
        stream.process(&mut resources, [Write(0)], drop).unwrap();
        let ends = (producer, &mut arrivals);
        let (error, _) = refuse(&mut stream, &mut resources, ends);
        assert!(matches!(error, StreamError::OldArrivals { .. }), "{error}");
    })
    .run();
}
