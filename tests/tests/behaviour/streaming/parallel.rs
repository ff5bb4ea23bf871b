//! Streams of several systems at once.

use std::sync::Arc;

use schedule::prelude::*;
use schedule::{Executor, Identity};

use super::{Customer, resources};
use crate::on::own_pool;
use crate::parallel::Meeting;
use crate::schedule_of;

/// Where the handlers of two streams meet.
#[derive(Resource)]
struct Place(Arc<Meeting>);

#[derive(Event, Identity)]
#[event(ask, answer = u32)]
struct Ask(Arc<Meeting>);

#[handler]
fn ask(event: &Ask, #[key("Ada".to_string())] customer: &Customer) -> u32 {
    event.0.wait();
    customer.0
}

#[derive(Event, Identity)]
#[event(recall, answer = u32)]
struct Recall(Arc<Meeting>);

#[handler]
fn recall(event: &Recall, #[key("Ada".to_string())] customer: &Customer) -> u32 {
    event.0.wait();
    customer.0
}

#[system]
fn ask_once(place: &Place, mut asks: Streaming<Ask>) {
    asks.process([Ask(Arc::clone(&place.0))], |outcome| {
        assert_eq!(outcome.result.unwrap(), 0);
    });
}

#[system]
fn recall_once(place: &Place, mut recalls: Streaming<Recall>) {
    recalls.process([Recall(Arc::clone(&place.0))], |outcome| {
        assert_eq!(outcome.result.unwrap(), 0);
    });
}

/// A store that is only read is not touched by either, as ThreadSanitizer and Miri see.
#[test]
fn two_streams_that_only_read_a_store_run_at_once() {
    let mut schedule = schedule_of(|all| all.add::<ask_once>().add::<recall_once>());
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(2));
    let mut resources = resources();
    resources.insert(Place(Arc::new(Meeting::of(2))));
    for _ in 0..3 {
        schedule.run(&mut resources).unwrap();
    }
}
