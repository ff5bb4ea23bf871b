//! Prefetching: if records take much memory, the records of the next events are prefetched. This does not change the
//! results.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule_stream::Position;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;

use super::By;

/// Defines a stream of records of this number of words.
macro_rules! stream_of {
    ($name:ident, $n_words:expr) => {
        mod $name {
            use schedule::prelude::*;
            use schedule_stream::prelude::*;

            #[derive(Record)]
            #[record(key = u32)]
            pub(super) struct Sheet {
                pub(super) sum: u64,
                _rest: [u64; $n_words],
            }

            #[derive(Clone, Debug, Event)]
            #[event(act, answer = u64)]
            pub(super) struct Act {
                pub(super) from: u32,
                pub(super) to: u32,
                pub(super) n: u32,
            }

            impl Act {
                fn key(&self) -> u32 {
                    assert!(self.n % 31 != 5, "no key for {}", self.n);
                    self.from
                }
            }

            #[handler]
            fn act(
                event: &Act,
                #[key(event.key())] mut from: Slot<Sheet>,
                #[key(event.to)] to: &mut Sheet,
            ) -> Result<FollowUps<Act, u64>, String> {
                assert!(event.n % 29 != 3, "not {}", event.n);
                if event.n % 23 == 1 {
                    return Err(format!("never {}", event.n));
                }
                let given = from.remove().map_or(1, |sheet| sheet.sum);
                to.sum = to.sum.wrapping_mul(3).wrapping_add(given);
                if event.n % 3 > 0 {
                    from.insert(sheet(given + u64::from(event.n)));
                }
                let follows = (event.n % 17 == 0).then(|| Act {
                    from: event.to,
                    to: event.from,
                    n: event.n + 1,
                });
                Ok(FollowUps::events(follows).answering(to.sum))
            }

            pub(super) fn sheet(sum: u64) -> Sheet {
                Sheet {
                    sum,
                    _rest: [0; $n_words],
                }
            }

            /// Creates the resources, with `n` sheets.
            pub(super) fn resources(n: u32) -> Resources {
                let mut resources = Resources::new();
                resources.insert(Records::from_iter((0..n).map(|id| (id, sheet(id.into())))));
                resources
            }

            /// Returns the sums of all sheets, in the order of the store.
            pub(super) fn sums(resources: &Resources) -> Vec<(u32, u64)> {
                let sheets = resources.get::<Records<Sheet>>().unwrap();
                sheets.iter().map(|(id, sheet)| (*id, sheet.sum)).collect()
            }

            /// Returns events. Each five hundred use other sheets.
            pub(super) fn acts(n: u32) -> impl Iterator<Item = Act> {
                (0..n).map(|n| Act {
                    from: n / 500 * 100 + n * n % 41,
                    to: n * 7 % 37,
                    n,
                })
            }
        }
    };
}

stream_of!(near, 1);
// 64 of these sheets take more than 4 MiB.
stream_of!(far, 1 << 13);

const N_SHEETS: u32 = 80;

/// Returns the outcomes and the sums after this number of events, in calls of `of_call` events.
macro_rules! found {
    ($name:ident, $stops:expr, $n:expr, $of_call:expr) => {{
        let mut resources = $name::resources(N_SHEETS);
        let mut stream = By(ProcessingMode::Serial, 1).stream();
        if $stops {
            stream.set_failure_policy(FailurePolicy::Stop);
        }
        let acts: Vec<$name::Act> = $name::acts($n).collect();
        let mut reported = Vec::new();
        for acts in acts.chunks($of_call) {
            let acts = acts.iter().cloned();
            let report = |outcome: Outcome<$name::Act>| {
                let result = outcome.result.map_err(|error| format!("{error:?}"));
                reported.push((outcome.position, outcome.event.n, result));
            };
            stream.process(&mut resources, acts, report).unwrap();
        }
        (reported, $name::sums(&resources))
    }};
}

#[test]
fn prefetching_does_not_change_the_results() {
    for stops in [false, true] {
        for of_call in [1, 2, 7, 300] {
            let near = found!(near, stops, 300, of_call);
            let has = |text: &str| {
                let reported = format!("{:?}", near.0);
                assert!(reported.contains(text), "no `{text}` in {reported}");
            };
            has("no key for");
            has("never");
            if !stops {
                has("not ");
            }
            let far = found!(far, stops, 300, of_call);
            assert_eq!(far, near, "stops: {stops}, {of_call} in a call");
        }
    }
}

#[test]
fn places_become_free_after_the_same_events() {
    // More doubts than the limit.
    for of_call in [6_000, 1_000] {
        let near = found!(near, false, 6_000, of_call);
        let far = found!(far, false, 6_000, of_call);
        assert_eq!(far, near, "{of_call} in a call");
        assert!(!near.1.is_sorted(), "some places were reused: {:?}", near.1);
    }
}

#[test]
fn prefetching_does_not_change_the_results_of_pushed_events() {
    macro_rules! pushed {
        ($name:ident) => {{
            let mut resources = $name::resources(N_SHEETS);
            let mut stream = By(ProcessingMode::Serial, 1).stream();
            let (producer, mut arrivals) = stream.arrivals(1_000);
            for act in $name::acts(300) {
                producer.push(act).unwrap();
            }
            drop(producer);
            let mut reported = Vec::new();
            stream
                .process_arrivals(&mut resources, &mut arrivals, |outcome| {
                    reported.push((outcome.position, outcome.event.n, outcome.result.ok()));
                })
                .unwrap();
            (reported, $name::sums(&resources))
        }};
    }
    let near = pushed!(near);
    assert!(near.0.len() > 300, "there were follow-up events");
    assert_eq!(pushed!(far), near);
}

#[test]
fn events_ahead_are_dropped_if_the_outcome_callback_panics() {
    let mut resources = far::resources(N_SHEETS);
    let mut stream = By(ProcessingMode::Serial, 1).stream();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        stream.process(&mut resources, far::acts(100), |outcome| {
            assert!(outcome.event.n < 20, "enough")
        })
    }));
    caught.unwrap_err();
    let mut reported = Vec::new();
    let report = |outcome: Outcome<far::Act>| reported.push((outcome.position, outcome.event.n));
    stream
        .process(&mut resources, far::acts(3), report)
        .unwrap();
    // The interrupted batch is not continued.
    let position = |index| Position::new(2, index);
    assert_eq!(
        reported,
        [(position(0), 0), (position(1), 1), (position(2), 2)]
    );
}

#[test]
fn events_before_a_panic_of_the_input_are_reported() {
    let mut resources = far::resources(N_SHEETS);
    let mut reported = Vec::new();
    let acts = far::acts(4).chain(std::iter::once_with(|| panic!("no more")));
    let mut stream = By(ProcessingMode::Serial, 1).stream();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        stream.process(&mut resources, acts, |outcome| {
            reported.push(outcome.event.n)
        })
    }));
    let panic = caught.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"no more"));
    assert_eq!(reported, [0, 1, 2, 3]);
}

/// A large record.
#[derive(Record)]
#[record(key = u32)]
struct Guest([u64; 128]);

#[derive(Resource)]
struct Others(Records<Guest>);

fn guests() -> Records<Guest> {
    (0..5_000).map(|id| (id, Guest([0; 128]))).collect()
}

/// A panic payload that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        resume_unwind(Box::new("again"));
    }
}

#[derive(Event)]
#[event(ring)]
struct Ring(u32);

impl Ring {
    fn key(&self) -> u32 {
        if self.0 == 5 {
            resume_unwind(Box::new(Bomb));
        }
        self.0
    }
}

#[handler]
fn ring(event: &Ring, #[key(event.key())] guest: &mut Guest) {
    guest.0[0] += 1;
}

#[test]
fn panic_payload_of_a_key_may_panic_when_dropped() {
    for by in By::ALL {
        let mut resources = Resources::new();
        resources.insert(guests());
        let mut reported = Vec::new();
        let report = |outcome: Outcome<Ring>| {
            reported.push((
                outcome.position.index,
                outcome.event.0,
                outcome.is_applied(),
            ));
            std::mem::forget(outcome.result);
        };
        let processed = by
            .stream()
            .process(&mut resources, (0..10).map(Ring), report);
        processed.unwrap();
        let wanted = (0..10).map(|n| (n, n, n != 5));
        assert!(reported.iter().copied().eq(wanted), "{by:?}: {reported:?}");
    }
}

#[derive(Event)]
enum Visit {
    #[event(come)]
    Come(Come),
    #[event(go)]
    Go(Go),
    #[event(swap)]
    Swap(Swap),
}

struct Come(u32);

#[handler]
fn come(event: &Come, #[key(event.0)] mut place: Slot<Guest>) {
    place.insert(Guest([0; 128]));
}

struct Go(u32);

#[handler]
fn go(event: &Go, #[key(event.0)] mut place: Slot<Guest>) {
    place.remove();
}

struct Swap;

#[handler]
fn swap(_: &Swap, all: &mut Records<Guest>, others: &mut Others) {
    core::mem::swap(all, &mut others.0);
}

#[test]
fn no_event_arrives_ahead_of_an_event_that_replaces_a_store() {
    let order = |by: By| {
        let mut resources = Resources::new();
        resources.insert(guests());
        resources.insert(Others(guests()));
        // One doubt fewer than the limit at which vacant places are freed.
        let all_but_one = (0..4_095).map(|n| Go(n % 1_000).into());
        let swapped_twice = [Swap, Swap].map(Visit::from);
        let events = core::iter::once(Swap.into())
            .chain(all_but_one)
            .chain(swapped_twice)
            .chain((10_000..10_030).map(|id| Come(id).into()));
        let report = |outcome: Outcome<Visit>| assert!(outcome.is_applied());
        by.stream().process(&mut resources, events, report).unwrap();
        let all = resources.get::<Records<Guest>>().unwrap();
        all.iter().map(|(id, _)| *id).collect::<Vec<_>>()
    };
    let wanted = order(By(ProcessingMode::Serial, 1));
    for by in By::ALL {
        assert_eq!(order(*by), wanted, "{by:?}");
    }
}
