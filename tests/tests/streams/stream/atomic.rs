//! Atomic handlers: a handler that fails has changed nothing, whatever it may write.

use std::panic::resume_unwind;
use std::slice::from_ref;

use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, EventError, Position};

use super::By;

#[derive(Clone, Debug, PartialEq, Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Clone, Debug, PartialEq, Record)]
#[record(key = String)]
struct Item(String);

/// In a store with defaults.
#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(key = u32)]
struct Badge(u64);

#[derive(Clone, Debug, PartialEq, Resource)]
struct Total(u64);

#[derive(Clone, Debug, PartialEq, Resource)]
struct Spare(Vec<u64>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Error,
    Panic,
    /// The conversion of the answer panics.
    Conversion,
}

#[derive(Clone, Debug)]
struct Act {
    key: u32,
    nonce: u64,
    fault: Option<Fault>,
}

/// The answer of a handler, before its conversion.
struct Converted(Option<Fault>);

impl schedule_stream::answers::Answer for Converted {}

impl From<Converted> for u64 {
    fn from(Converted(fault): Converted) -> u64 {
        if fault == Some(Fault::Conversion) {
            resume_unwind(Box::new("conversion"));
        }
        7
    }
}

impl Act {
    fn item(&self) -> String {
        format!("item {}", self.key)
    }

    fn other(&self) -> u32 {
        (self.key + 1) % 8
    }

    fn end(&self) -> Result<Converted, &'static str> {
        match self.fault {
            Some(Fault::Error) => Err("error"),
            Some(Fault::Panic) => resume_unwind(Box::new("panic")),
            _ => Ok(Converted(self.fault)),
        }
    }
}

#[handler(atomic)]
fn pay(
    act: &Act,
    #[key(act.key)] one: &mut Account,
    #[key(act.other())] other: Option<&mut Account>,
    #[key(act.item())] item: Option<&Item>,
) -> Result<Converted, &'static str> {
    one.0 += act.nonce;
    if let Some(other) = other {
        other.0 ^= one.0 + item.map_or(1, |item| item.0.len() as u64);
    }
    act.end()
}

#[handler(atomic)]
fn place(
    act: &Act,
    position: Position,
    time: BatchTime,
    #[key(act.item())] mut item: Slot<Item>,
) -> Result<Converted, &'static str> {
    let _ = (position, time);
    match act.nonce % 3 {
        0 => drop(item.remove()),
        1 => drop(item.insert(Item(format!("new {}", act.nonce)))),
        _ => item.get_or_insert_with(|| Item(String::new())).0.push('x'),
    }
    act.end()
}

#[handler(atomic)]
fn mark(
    act: &Act,
    #[keys(["item 0", "item 1", "item 1", "item 9"].map(String::from))] mut all: RecordSetMut<Item>,
    #[keys([act.key])] read: RecordSet<Account>,
) -> Result<Converted, &'static str> {
    for (_, item) in all.iter_mut() {
        item.0 = format!("{} {}", act.nonce, read.len());
    }
    act.end()
}

#[handler(atomic)]
fn earn(act: &Act, #[key(act.key)] badge: &mut Badge) -> Result<Converted, &'static str> {
    badge.0 += act.nonce;
    act.end()
}

#[handler(atomic)]
fn sum(
    act: &Act,
    total: &mut Total,
    spare: Option<&mut Spare>,
    items: &Records<Item>,
) -> Result<Converted, &'static str> {
    total.0 += act.nonce + items.len() as u64;
    if let Some(spare) = spare {
        spare.0.push(act.nonce);
    }
    act.end()
}

#[handler(atomic, alias = first)]
fn merge(
    act: &Act,
    #[key(act.key)] one: &mut Account,
    #[key(act.key & 6)] other: Option<&mut Account>,
) -> Result<FollowUps<Entry, Converted>, &'static str> {
    one.0 += act.nonce;
    if let Some(other) = other {
        other.0 += 1;
    }
    let next = Act {
        fault: None,
        ..act.clone()
    };
    Ok(FollowUps::events([Entry::Earn(next)]).answering(act.end()?))
}

#[derive(Clone, Debug, Event)]
#[event(answer = u64, error = &'static str)]
enum Entry {
    #[event(pay)]
    Pay(Act),
    #[event(place)]
    Place(Act),
    #[event(mark)]
    Mark(Act),
    #[event(earn)]
    Earn(Act),
    #[event(sum)]
    Sum(Act),
    #[event(merge)]
    Merge(Act),
}

const KINDS: [fn(Act) -> Entry; 6] = [
    Entry::Pay,
    Entry::Place,
    Entry::Mark,
    Entry::Earn,
    Entry::Sum,
    Entry::Merge,
];

type State = (Vec<(u32, u64)>, Vec<(String, String)>, Vec<(u32, u64)>, u64);

struct Subject {
    resources: Resources,
    stream: Stream<Entry>,
}

impl Subject {
    fn new(by: By) -> Self {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter((0..7).map(|id| (id, Account(100)))));
        let items = (0..4).map(|id| (format!("item {id}"), Item(format!("old {id}"))));
        resources.insert(Records::from_iter(items));
        resources.insert(Records::<Badge>::or_default());
        resources.insert(Total(5));
        resources.insert(Spare(Vec::new()));
        let stream = by.stream();
        Self { resources, stream }
    }

    fn process(&mut self, events: &[Entry]) -> Vec<(Entry, Result<u64, EventError<&'static str>>)> {
        let mut reported = Vec::new();
        self.stream
            .process(&mut self.resources, events.iter().cloned(), |outcome| {
                reported.push((outcome.event, outcome.result));
            })
            .unwrap();
        reported
    }

    fn state(&self) -> (State, Vec<u64>) {
        let accounts = self.resources.get::<Records<Account>>().unwrap();
        let items = self.resources.get::<Records<Item>>().unwrap();
        let badges = self.resources.get::<Records<Badge>>().unwrap();
        let mut state: State = (
            accounts.iter().map(|(id, one)| (*id, one.0)).collect(),
            items
                .iter()
                .map(|(id, one)| (id.clone(), one.0.clone()))
                .collect(),
            badges.iter().map(|(id, one)| (*id, one.0)).collect(),
            self.resources.get::<Total>().unwrap().0,
        );
        assert_eq!([items.len(), badges.len()], [state.1.len(), state.2.len()]);
        // The places of records that failed events would have inserted change the order.
        state.1.sort_unstable();
        state.2.sort_unstable();
        (state, self.resources.get::<Spare>().unwrap().0.clone())
    }
}

#[test]
fn failed_handler_has_changed_nothing() {
    for &by in By::ALL {
        for kind in KINDS {
            for key in [0, 5] {
                for nonce in 1..4 {
                    let mut subject = Subject::new(by);
                    let before = subject.state();
                    for fault in [Fault::Error, Fault::Panic, Fault::Conversion] {
                        let event = kind(Act {
                            key,
                            nonce,
                            fault: Some(fault),
                        });
                        let reported = subject.process(from_ref(&event));
                        // Without follow-up events.
                        assert_eq!(reported.len(), 1, "{by:?} {event:?}");
                        let error = reported[0].1.as_ref().unwrap_err();
                        assert!(error.has_run(), "{by:?} {event:?}");
                        match fault {
                            Fault::Error => assert_eq!(error.error(), Some(&"error")),
                            _ => assert!(matches!(error, EventError::Panicked(_))),
                        }
                        assert_eq!(subject.state(), before, "{by:?} {event:?}");
                    }
                    // The same event changes something if it does not fail, except for the removal of nothing.
                    let fault = None;
                    let event = kind(Act { key, nonce, fault });
                    assert!(subject.process(from_ref(&event))[0].1.is_ok());
                    let is_idle = matches!(&event, Entry::Place(_)) && nonce == 3 && key == 5;
                    assert_eq!(subject.state() == before, is_idle, "{by:?} {event:?}");
                }
            }
        }
    }
}

#[test]
fn failed_events_between_others_have_changed_nothing() {
    let n = if cfg!(miri) { 60 } else { 3_000 };
    let mut random = 1_u64;
    let mut next = |n: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % n
    };
    let events: Vec<Entry> = (0..n)
        .map(|_| {
            let fault = match next(6) {
                0 => Some(Fault::Error),
                1 => Some(Fault::Panic),
                2 => Some(Fault::Conversion),
                _ => None,
            };
            let (key, nonce) = (next(8) as u32, next(1_000));
            // Events with whole stores are rare, because nothing runs beside them.
            let kind = match next(50) {
                0 => 4,
                _ => [0, 1, 2, 3, 5][next(5) as usize],
            };
            KINDS[kind](Act { key, nonce, fault })
        })
        .collect();
    let is_good = |event: &Entry| {
        let (Entry::Pay(act)
        | Entry::Place(act)
        | Entry::Mark(act)
        | Entry::Earn(act)
        | Entry::Sum(act)
        | Entry::Merge(act)) = event;
        act.fault.is_none()
    };
    let good: Vec<_> = events
        .iter()
        .filter(|event| is_good(event))
        .cloned()
        .collect();
    for &by in By::ALL {
        let (mut all, mut some) = (Subject::new(by), Subject::new(by));
        let reported = all.process(&events);
        some.process(&good);
        assert!(all.state() == some.state(), "{by:?}");
        let n_failed = reported.iter().filter(|(event, _)| !is_good(event)).count();
        assert_eq!(n_failed, events.len() - good.len(), "{by:?}");
    }
}

/// Its clones panic if its value is odd, its destructor if the value is 4.
#[derive(Debug, Record)]
#[record(id = u32)]
struct Brittle(u32);

impl Clone for Brittle {
    fn clone(&self) -> Self {
        if self.0 % 2 == 1 {
            resume_unwind(Box::new("clone"));
        }
        Self(self.0)
    }
}

impl Drop for Brittle {
    fn drop(&mut self) {
        if self.0 == 4 {
            resume_unwind(Box::new("drop"));
        }
    }
}

struct Set {
    id: u32,
    to: u32,
    fails: bool,
}

#[handler(atomic)]
fn set(
    event: &Set,
    total: &mut Total,
    #[key(event.id)] one: &mut Brittle,
) -> Result<(), &'static str> {
    total.0 += 1;
    one.0 = event.to;
    if event.fails { Err("error") } else { Ok(()) }
}

#[derive(Event)]
#[event(error = &'static str)]
enum Change {
    #[event(set)]
    Set(Set),
}

#[test]
fn panics_of_clones_and_of_their_destructors_do_not_split_an_event() {
    for &by in By::ALL {
        let mut resources = Resources::new();
        let all = [2, 3, 4, 2].map(Brittle);
        resources.insert(Records::from_iter((0..).zip(all)));
        resources.insert(Total(0));
        let set = |id, to, fails| Change::Set(Set { id, to, fails });
        let events = [
            set(0, 6, false),
            // The clone panics before the call.
            set(1, 8, false),
            // The destructor of the clone panics after the call.
            set(2, 10, false),
            // The destructor of the replaced record panics after the failed call.
            set(3, 4, true),
        ];
        let mut results = Vec::new();
        let mut stream = by.stream();
        stream
            .process(&mut resources, events, |outcome: Outcome<Change>| {
                results.push(format!("{:?}", outcome.result));
            })
            .unwrap();
        let expected = [
            "Ok(())",
            "Err(PanickedBeforeCall(\"clone\"))",
            "Ok(())",
            "Err(Failed(\"error\"))",
        ];
        assert_eq!(results, expected, "{by:?}");
        let all = resources.get::<Records<Brittle>>().unwrap();
        let values: Vec<_> = all.iter().map(|(_, one)| one.0).collect();
        assert_eq!(values, [6, 3, 10, 2], "{by:?}");
        assert_eq!(resources.get::<Total>().unwrap().0, 2, "{by:?}");
    }
}
