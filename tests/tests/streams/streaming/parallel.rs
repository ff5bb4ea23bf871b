//! Streams of several systems at the same time.

use std::sync::Arc;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::prelude::*;
use schedule::{Executor, Identity};
use schedule_stream::Processing;
use schedule_stream::prelude::*;

use super::{Customer, resources};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;
use schedule_tests::schedule_of;

/// The point at which the handlers of two streams meet.
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
    let processed = asks.process([Ask(Arc::clone(&place.0))], |outcome| {
        assert_eq!(outcome.result.unwrap(), 0);
    });
    processed.unwrap();
}

#[system]
fn recall_once(place: &Place, mut recalls: Streaming<Recall>) {
    let processed = recalls.process([Recall(Arc::clone(&place.0))], |outcome| {
        assert_eq!(outcome.result.unwrap(), 0);
    });
    processed.unwrap();
}

/// Neither stream writes to a store that is only read. ThreadSanitizer and Miri check this.
#[test]
fn two_streams_that_only_read_a_store_run_at_the_same_time() {
    let mut schedule = schedule_of(|all| all.add::<ask_once>().add::<recall_once>());
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(2));
    let mut resources = resources();
    resources.insert(Place(Arc::new(Meeting::of(2))));
    for _ in 0..3 {
        schedule.run(&mut resources).unwrap();
    }
}

/// Stores the pool of the thread, if it is in one.
#[derive(Event, Identity)]
#[event(say_where, answer = String)]
struct SayWhere(Arc<Meeting>);

#[handler]
fn say_where(event: &SayWhere) -> String {
    event.0.wait();
    let is_of_pool = rayon::current_thread_index().is_some();
    let name = thread::current()
        .name()
        .filter(|_| is_of_pool)
        .map(str::to_string);
    name.unwrap_or_default()
}

#[derive(Resource, Default)]
struct Pools {
    seen: Vec<String>,
    own: Option<Arc<ThreadPool>>,
}

#[system]
fn say_where_twice(pools: &mut Pools, mut stream: Streaming<SayWhere>) {
    stream.set_processing(Processing::Parallel);
    if let Some(own) = pools.own.take() {
        stream.set_pool(own);
    }
    let meeting = Arc::new(Meeting::of(2));
    let events = [(); 2].map(|()| SayWhere(Arc::clone(&meeting)));
    let mut names = Vec::new();
    let processed = stream.process(events, |outcome| names.extend(outcome.result.ok()));
    processed.unwrap();
    pools
        .seen
        .extend(names.into_iter().filter(|name| !name.is_empty()));
}

#[system]
fn nothing() {}

fn pool_called(name: &'static str) -> Arc<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(2);
    Arc::new(
        builder
            .thread_name(move |_| name.to_string())
            .build()
            .unwrap(),
    )
}

#[test]
fn helpers_come_from_the_pool_of_the_schedule_or_of_the_stream() {
    let all = [Executor::Auto, Executor::Serial, Executor::Parallel];
    for &executor in if cfg!(miri) { &all[..1] } else { &all[..] } {
        let mut schedule = schedule_of(|all| all.add::<say_where_twice>());
        schedule.set_executor(executor);
        let mut resources = Resources::new();
        resources.insert_default::<Pools>();
        let mut helpers = |schedule: &mut Schedule, own| {
            resources.get_mut::<Pools>().unwrap().own = own;
            for _ in 0..2 {
                schedule.run(&mut resources).unwrap();
            }
            std::mem::take(&mut resources.get_mut::<Pools>().unwrap().seen)
        };
        for name in ["first", "second"] {
            schedule.set_pool(pool_called(name));
            assert_eq!(helpers(&mut schedule, None), [name; 2], "{executor:?}");
        }
        // The stream keeps its own pool if that of the schedule changes.
        schedule.change(|all| all.add::<nothing>()).unwrap();
        let own = Some(pool_called("own"));
        assert_eq!(helpers(&mut schedule, own), ["own"; 2], "{executor:?}");
        schedule.set_pool(pool_called("third"));
        assert_eq!(helpers(&mut schedule, None), ["own"; 2], "{executor:?}");
    }
}
