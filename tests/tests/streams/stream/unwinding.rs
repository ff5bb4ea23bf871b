//! The state after a panic of the input, the outcome callback, a key or a destructor; and that a stream leaks nothing.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::keys::Id;
use schedule_stream::prelude::*;
use schedule_stream::{EventError, Position};

use super::{By, nth};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

/// Counts its instances.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(n: &Arc<AtomicUsize>) -> Self {
        n.fetch_add(1, Relaxed);
        Self(Arc::clone(n))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl schedule_stream::answers::Answer for Counted {}

#[derive(Debug, Record)]
#[record(key = u32)]
struct Pile(
    Vec<u64>,
    #[expect(dead_code, reason = "is dropped")] Counted,
);

/// Adds `n` to a pile, and creates it if it is missing. Removes the pile if `n` is 0.
#[derive(Debug, Event)]
#[event(grow, answer = Counted, error = std::convert::Infallible)]
struct Grow {
    of: u32,
    n: u64,
    counted: Counted,
}

#[handler]
fn grow(event: &Grow, n_runs: &Runs, #[key(event.of)] mut pile: Slot<Pile>) -> Counted {
    n_runs.0.fetch_add(1, Relaxed);
    let counted = || Counted::new(&event.counted.0);
    pile.get_or_insert_with(|| Pile(Vec::new(), counted()))
        .0
        .push(event.n);
    if event.n == 0 {
        pile.remove();
    }
    counted()
}

#[derive(Debug, Default, Resource)]
struct Runs(AtomicUsize);

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::<Pile>::new());
    resources.insert(Runs::default());
    resources
}

const N: u64 = if cfg!(miri) { 12 } else { 5000 };

#[test]
fn stream_leaks_nothing() {
    for &by in By::ALL {
        let n = Arc::new(AtomicUsize::new(0));
        let grow = |k| Grow {
            of: k as u32 % 7,
            n: k % 5,
            counted: Counted::new(&n),
        };
        let mut resources = resources();
        let mut stream = by.stream();
        stream
            .process(&mut resources, (0..N).map(grow), drop)
            .unwrap();
        let n_piles = resources.get::<Records<Pile>>().unwrap().len();
        assert_eq!(n.load(Relaxed), n_piles, "{by:?}");
        drop(stream);
        drop(resources);
        assert_eq!(n.load(Relaxed), 0, "{by:?}");
    }
}

/// Processes events until the input or the callback panics, and then some more.
fn panics_in_the_middle(by: By, from_input: bool, n_keys: u64) {
    let n = Arc::new(AtomicUsize::new(0));
    let grow = |k| Grow {
        of: (k % n_keys) as u32,
        n: k + 1,
        counted: Counted::new(&n),
    };
    let mut resources = resources();
    let mut stream = by.stream();
    let mut reported = Vec::new();
    let mut n_given = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let events = (0..N).map(|k| {
            if from_input && k == N / 2 {
                resume_unwind(Box::new("no more"));
            }
            n_given += 1;
            grow(k)
        });
        let report = |outcome: Outcome<Grow>| {
            reported.push(nth(outcome.position));
            if !from_input && nth(outcome.position) == N / 2 {
                resume_unwind(Box::new("enough"));
            }
        };
        stream.process(&mut resources, events, report)
    }));
    assert!(result.is_err(), "{by:?}");
    assert!(
        reported.iter().copied().eq(0..reported.len() as u64),
        "{by:?}"
    );

    // No handler runs any more. Piles contain the numbers in order, at least those of reported events.
    let n_runs = resources.get::<Runs>().unwrap().0.load(Relaxed);
    assert!((reported.len()..=n_given).contains(&n_runs), "{by:?}");
    let piles = resources.get::<Records<Pile>>().unwrap();
    let n_pushed: usize = piles.iter().map(|(_, pile)| pile.0.len()).sum();
    assert_eq!(n_pushed, n_runs, "{by:?}");
    assert_eq!(piles.len(), piles.iter().count(), "{by:?}");
    for (key, pile) in piles.iter() {
        let expected = (0..).map(|k| u64::from(*key) + n_keys * k + 1);
        assert!(expected.zip(&pile.0).all(|(a, b)| a == *b), "{by:?}");
    }
    assert_eq!(n.load(Relaxed), piles.len(), "{by:?}");

    // The stream continues, with new positions.
    let mut next = Vec::new();
    let report = |outcome: Outcome<Grow>| next.push((outcome.position, outcome.is_applied()));
    let events = (0..10).map(grow);
    stream.process(&mut resources, events, report).unwrap();
    let last = Position::new(1 + (n_given - 1) as u64 / 2048, 0);
    let position = |index| Position::new(last.batch + 1, index);
    assert!(
        next.into_iter().eq((0..10).map(|k| (position(k), true))),
        "{by:?}"
    );
    drop((stream, resources));
    assert_eq!(n.load(Relaxed), 0, "{by:?}");
}

#[test]
fn stream_is_usable_after_a_panic_of_the_input() {
    for &by in By::ALL {
        // Few keys, and one key for each event.
        panics_in_the_middle(by, true, 3);
        panics_in_the_middle(by, true, N);
    }
}

#[test]
fn stream_is_usable_after_a_panic_of_the_outcome_callback() {
    for &by in By::ALL {
        panics_in_the_middle(by, false, 3);
        panics_in_the_middle(by, false, N);
    }
}

#[derive(Debug, Event)]
enum Either {
    #[event(fail)]
    Fail(Fail),
    #[event(look)]
    Look(Look),
}

#[derive(Debug)]
struct Fail {
    in_key: bool,
}

#[derive(Debug)]
struct Look;

impl Fail {
    fn key(&self) -> u32 {
        if self.in_key {
            resume_unwind(Box::new("no key"));
        }
        0
    }
}

#[handler]
fn fail(event: &Fail, #[key(event.key())] pile: Option<&mut Pile>) -> Result<(), &'static str> {
    assert!(pile.is_none());
    Err("as asked")
}

#[handler]
fn look(_: &Look, piles: &Records<Pile>, n_runs: &Runs) {
    assert!(piles.is_empty());
    n_runs.0.fetch_add(1, Relaxed);
}

#[test]
fn stop_policy_starts_no_exclusive_event_after_a_failure() {
    for &by in By::ALL {
        for in_key in [false, true] {
            let mut resources = resources();
            let mut stream = by.stream();
            stream.set_failure_policy(FailurePolicy::Stop);
            let events = [Either::from(Fail { in_key }), Either::from(Look)];
            let mut texts = Vec::new();
            let report = |outcome: Outcome<Either>| texts.push(format!("{:?}", outcome.result));
            stream.process(&mut resources, events, report).unwrap();
            assert_eq!(texts[1], "Err(Stopped)", "{by:?} {in_key} {texts:?}");
            // Another call starts anew.
            let events = [Either::from(Look)];
            stream.process(&mut resources, events, drop).unwrap();
            assert_eq!(resources.get::<Runs>().unwrap().0.load(Relaxed), 1);
        }
    }
}

/// Fails immediately, or after another event has started.
#[derive(Debug, Event)]
#[event(fail_beside, error = &'static str)]
struct FailBeside(Option<Arc<Meeting>>);

#[handler]
fn fail_beside(event: &FailBeside) -> Result<(), &'static str> {
    if let Some(meeting) = &event.0 {
        meeting.wait();
    }
    Err("as asked")
}

#[test]
fn late_helper_uses_the_failure_policy_of_the_next_call() {
    let pool = own_pool(2);
    let mut resources = Resources::new();
    let mut stream = Stream::new();
    set_mode(&mut stream, ProcessingMode::Queues);
    stream.set_pool(Arc::clone(&pool));
    stream.set_failure_policy(FailurePolicy::Stop);
    // The pool is busy during the first call.
    let is_over = Arc::new(Meeting::of(3));
    for _ in 0..2 {
        let is_over = Arc::clone(&is_over);
        pool.spawn(move || is_over.wait());
    }
    let events = (0..4).map(|_| FailBeside(None));
    stream.process(&mut resources, events, drop).unwrap();
    is_over.wait();

    stream.set_failure_policy(FailurePolicy::CarryOn);
    let meeting = Arc::new(Meeting::of(2));
    let events = (0..2)
        .map(|_| FailBeside(Some(Arc::clone(&meeting))))
        .chain((0..100).map(|_| FailBeside(None)));
    let mut n_run = 0;
    let report = |outcome: Outcome<FailBeside>| {
        n_run += usize::from(outcome.result.is_err_and(|why| why.has_run()));
    };
    stream.process(&mut resources, events, report).unwrap();
    assert_eq!(n_run, 102);
}

#[derive(Debug, Record)]
#[record(id = u32)]
struct Purse(u64);

#[derive(Event)]
#[event(answer = (), error = std::convert::Infallible)]
enum Handing {
    #[event(hand)]
    Hand(Hand),
    #[event(burn)]
    Burn(Burn),
    #[event(show)]
    Show(Show),
}

struct Hand {
    from: u32,
    to: Option<u32>,
}

#[handler]
fn hand(
    event: &Hand,
    #[key(event.from)] from: &mut Purse,
    #[key(event.to.unwrap_or_else(|| resume_unwind(Box::new("no key"))))] to: &mut Purse,
) {
    to.0 += from.0;
    from.0 = 0;
}

struct Burn(u32);

#[handler]
fn burn(event: &Burn, #[key(event.0)] mut purse: Slot<Purse>) {
    purse.remove();
}

/// A key whose number is undefined for negative values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Number(i32);

impl Id for Number {
    fn number(&self) -> u32 {
        let number = self.0.try_into();
        number.unwrap_or_else(|_| resume_unwind(Box::new("no number")))
    }
}

#[derive(Debug, Record)]
#[record(id = Number)]
struct Coin;

struct Show(u32, [Number; 2]);

#[handler]
fn show(event: &Show, #[key(event.0)] purse: &mut Purse, #[keys(&event.1)] coins: RecordSet<Coin>) {
    purse.0 += coins.len() as u64;
}

#[test]
fn panic_of_a_key_is_reported_before_missing_records() {
    for &by in By::ALL {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter([(0, Purse(1)), (1, Purse(2))]));
        resources.insert(Records::from_iter([(Number(3), Coin)]));
        let hand = |from, to| Handing::from(Hand { from, to });
        let show = |purse, coin| Handing::from(Show(purse, [Number(3), Number(coin)]));
        // Purse 7 never existed, and purse 0 may still have a place.
        let events = [
            hand(7, None),
            Burn(0).into(),
            hand(0, None),
            hand(7, Some(1)),
            hand(0, Some(1)),
            show(7, -1),
            show(0, -1),
            show(7, 4),
            show(1, 4),
        ];
        let mut reported = Vec::new();
        let report = |outcome: Outcome<Handing>| reported.push(format!("{:?}", outcome.result));
        let processed = by.stream().process(&mut resources, events, report);
        processed.unwrap();
        let expected = [
            "Err(PanickedBeforeCall(\"no key\"))",
            "Ok(())",
            "Err(PanickedBeforeCall(\"no key\"))",
            "Err(Missing(\"from\", `Purse`))",
            "Err(Missing(\"from\", `Purse`))",
            "Err(PanickedBeforeCall(\"no number\"))",
            "Err(PanickedBeforeCall(\"no number\"))",
            "Err(Missing(\"purse\", `Purse`))",
            "Ok(())",
        ];
        assert_eq!(reported, expected, "{by:?}");
    }
}

/// The code that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Event)]
#[event(explode, answer = Shard)]
enum Explode {
    Nowhere,
    InKey,
    InHash,
    InNumber,
    InHandler,
    InAnswer,
}

impl Explode {
    fn panic_if(self, here: Self) {
        if self == here {
            resume_unwind(Box::new("as asked"));
        }
    }
}

/// A key whose hash may panic.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fragile(Explode);

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, _: &mut H) {
        self.0.panic_if(Explode::InHash);
    }
}

#[derive(Debug, Record)]
#[record(key = Fragile)]
struct Vase;

/// A number that may panic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shelf(Explode);

impl Id for Shelf {
    fn number(&self) -> u32 {
        self.0.panic_if(Explode::InNumber);
        0
    }
}

#[derive(Debug, Record)]
#[record(id = Shelf)]
struct Row;

#[derive(Debug)]
struct Shard;

impl schedule_stream::answers::Answer for Shard {}

/// Converts into the answer, or panics.
struct Broken(Explode);

impl schedule_stream::answers::Answer for Broken {}

impl From<Broken> for Shard {
    fn from(Broken(of): Broken) -> Self {
        of.panic_if(Explode::InAnswer);
        Shard
    }
}

#[handler]
fn explode(
    event: &Explode,
    n_runs: &Runs,
    #[key({ event.panic_if(Explode::InKey); Fragile(*event) })] vase: Slot<Vase>,
    #[key(Shelf(*event))] row: Slot<Row>,
) -> Broken {
    let _ = (vase, row);
    n_runs.0.fetch_add(1, Relaxed);
    event.panic_if(Explode::InHandler);
    Broken(*event)
}

#[test]
fn handler_has_not_run_if_something_panicked_before_it_was_called() {
    let all = [
        (Explode::Nowhere, "Ok(Shard)", true),
        (
            Explode::InKey,
            "Err(PanickedBeforeCall(\"as asked\"))",
            false,
        ),
        (
            Explode::InHash,
            "Err(PanickedBeforeCall(\"as asked\"))",
            false,
        ),
        (
            Explode::InNumber,
            "Err(PanickedBeforeCall(\"as asked\"))",
            false,
        ),
        (Explode::InHandler, "Err(Panicked(\"as asked\"))", true),
        (Explode::InAnswer, "Err(Panicked(\"as asked\"))", true),
    ];
    // Each case after each other one.
    let n = all.len();
    let order = (0..n).flat_map(|before| (0..n).flat_map(move |nth| [before, nth]));
    let cases: Vec<_> = order.map(|nth| all[nth]).collect();
    for &by in By::ALL {
        let mut resources = resources();
        resources.insert(Records::<Vase>::default());
        resources.insert(Records::<Row>::default());
        let mut reported = Vec::new();
        let report = |outcome: Outcome<Explode>| {
            let has_run = outcome
                .result
                .as_ref()
                .map_or_else(EventError::has_run, |_| true);
            reported.push((outcome.event, format!("{:?}", outcome.result), has_run));
        };
        let events = cases.iter().map(|case| case.0);
        by.stream().process(&mut resources, events, report).unwrap();
        let reported: Vec<_> = reported
            .iter()
            .map(|(event, text, has_run)| (*event, text.as_str(), *has_run))
            .collect();
        assert_eq!(reported, cases, "{by:?}");
        let n_runs = resources.get::<Runs>().unwrap().0.load(Relaxed);
        assert_eq!(n_runs, cases.iter().filter(|case| case.2).count(), "{by:?}");
    }
}

#[test]
fn panic_of_a_key_stops_the_stream_with_the_stop_policy() {
    for &by in By::ALL {
        let mut resources = resources();
        resources.insert(Records::<Vase>::default());
        resources.insert(Records::<Row>::default());
        let mut stream = by.stream();
        stream.set_failure_policy(FailurePolicy::Stop);
        let events = [Explode::InKey, Explode::Nowhere];
        let mut reported = Vec::new();
        let report = |outcome: Outcome<Explode>| {
            reported.push(outcome.result.map_err(|why| why.to_string()).is_ok())
        };
        // With several threads, the second event may have started before the failure of the first one was noticed.
        stream.process(&mut resources, events, report).unwrap();
        assert!(!reported[0], "{by:?}");
        if by.0 == ProcessingMode::Serial {
            assert!(!reported[1]);
        }
    }
}

/// Panics when it is dropped.
struct Parting;

impl Drop for Parting {
    fn drop(&mut self) {
        resume_unwind(Box::new("parting"));
    }
}

#[test]
fn changes_remain_if_the_outcome_callback_panics_when_dropped() {
    for &by in By::ALL {
        let n_there = Arc::default();
        let grow = |of| Grow {
            of,
            n: 1,
            counted: Counted::new(&n_there),
        };
        let mut resources = resources();
        let mut stream = by.stream();
        let parting = Parting;
        let report = move |_: Outcome<Grow>| {
            let _ = &parting;
        };
        let panic = catch_unwind(AssertUnwindSafe(|| {
            stream.process(&mut resources, (0..3).map(grow), report)
        }));
        let why = panic.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(*why, "parting", "{by:?}");

        let piles = resources.get_mut::<Records<Pile>>().unwrap();
        assert_eq!((piles.len(), piles.iter().count()), (3, 3), "{by:?}");
        let mut positions = Vec::new();
        let report = |outcome: Outcome<Grow>| positions.push(outcome.position);
        stream
            .process(&mut resources, (2..4).map(grow), report)
            .unwrap();
        assert_eq!(positions, [0, 1].map(|k| Position::new(2, k)), "{by:?}");
        let piles = resources.get_mut::<Records<Pile>>().unwrap();
        assert_eq!((piles.len(), piles.iter().count()), (4, 4), "{by:?}");
    }
}
