//! Senders that wait for the outcome of an event before they send the next one.

use std::sync::mpsc::channel;
use std::thread;

use schedule::prelude::*;
use schedule_stream::Processing;
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

const N_EVENTS: u64 = 500;

const ALL: [Processing; 5] = [
    Processing::Auto,
    Processing::Inline,
    Processing::Lanes,
    Processing::Queues,
    Processing::Tickets,
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
fn send_and_wait(processing: Processing, n_pages: u32) {
    let mut stream = Stream::<Write>::new();
    stream.set_processing(processing);
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
