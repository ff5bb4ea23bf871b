//! Events with a dense id above the maximum are rejected, wherever the id would take memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::prelude::*;
use schedule_stream::EventError;
use schedule_stream::prelude::*;

use super::By;

const MAX: u32 = 999;

#[derive(Debug, PartialEq, Record)]
#[record(id = u32, max_id = MAX)]
struct Seat(u32);

/// In a store with defaults.
#[derive(Debug, Default, PartialEq, Record)]
#[record(id = u32, max_id = MAX)]
struct Count(u32);

#[derive(Debug, Clone, Event)]
#[event(answer = u32, error = &'static str)]
enum Act {
    #[event(sit)]
    Sit(Sit),
    #[event(count)]
    Count(CountIt),
    #[event(count_and_sit)]
    Both(Both),
    #[event(look)]
    Look(Look),
    #[event(look_if_there)]
    Maybe(Maybe),
    #[event(look_at_several)]
    Several(Many),
    #[event(swap)]
    Swap(Swap),
}

#[derive(Debug, Clone)]
struct Sit(u32);

#[handler]
fn sit(event: &Sit, #[key(event.0)] mut seat: Slot<Seat>) -> u32 {
    seat.insert(Seat(event.0)).map_or(0, |seat| seat.0)
}

#[derive(Debug, Clone)]
struct CountIt(u32);

#[handler]
fn count(event: &CountIt, #[key(event.0)] count: &mut Count) -> u32 {
    count.0 += 1;
    count.0
}

#[derive(Debug, Clone)]
struct Both(u32, u32);

#[handler]
fn count_and_sit(
    event: &Both,
    #[key(event.0)] count: &mut Count,
    #[key(event.1)] mut seat: Slot<Seat>,
) -> u32 {
    seat.insert(Seat(event.1));
    count.0 += 1;
    count.0
}

#[derive(Debug, Clone)]
struct Look(u32);

#[handler]
fn look(event: &Look, #[key(event.0)] seat: &Seat) -> u32 {
    seat.0
}

#[derive(Debug, Clone)]
struct Maybe(u32);

#[handler]
fn look_if_there(event: &Maybe, #[key(event.0)] seat: Option<&Seat>) -> u32 {
    seat.map_or(u32::MAX, |seat| seat.0)
}

#[derive(Debug, Clone)]
struct Many(Vec<u32>);

#[handler]
fn look_at_several(event: &Many, #[keys(&event.0)] seats: RecordSet<Seat>) -> u32 {
    seats.len() as u32
}

#[derive(Debug, Clone)]
struct Swap(u32, u32);

#[handler]
fn swap(
    event: &Swap,
    #[key(event.0)] mut one: Slot<Seat>,
    #[key(event.1)] mut other: Slot<Seat>,
) -> u32 {
    let (first, second) = (one.remove(), other.remove());
    let n = u32::from(first.is_some()) + u32::from(second.is_some());
    second.map(|seat| one.insert(seat));
    first.map(|seat| other.insert(seat));
    n
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::<Seat>::new());
    resources.insert(Records::<Count>::or_default());
    resources
}

#[test]
fn event_that_would_insert_a_larger_id_is_rejected() {
    let events = [
        Act::Sit(Sit(MAX)),
        Act::Sit(Sit(MAX + 1)),
        Act::Sit(Sit(u32::MAX)),
        Act::Sit(Sit(MAX)),
        Act::Count(CountIt(u32::MAX)),
        Act::Count(CountIt(MAX)),
        // A rejected event inserts nothing.
        Act::Both(Both(5, u32::MAX)),
        Act::Both(Both(MAX + 1, 5)),
        Act::Both(Both(6, 7)),
        Act::Look(Look(u32::MAX)),
        Act::Look(Look(7)),
        Act::Maybe(Maybe(u32::MAX)),
        Act::Several(Many(vec![7, u32::MAX, MAX])),
        Act::Swap(Swap(u32::MAX, u32::MAX)),
        Act::Swap(Swap(MAX + 1, u32::MAX)),
        Act::Swap(Swap(7, u32::MAX)),
        Act::Swap(Swap(7, MAX)),
        Act::Look(Look(MAX)),
    ];
    let too_large =
        |parameter: &str, of: &str| format!("Err(IdTooLarge({parameter:?}, `{of}`, {MAX}))");
    let expected = [
        "Ok(0)".to_string(),
        too_large("seat", "Seat"),
        too_large("seat", "Seat"),
        format!("Ok({MAX})"),
        too_large("count", "Count"),
        "Ok(1)".to_string(),
        too_large("seat", "Seat"),
        too_large("count", "Count"),
        "Ok(1)".to_string(),
        "Err(Missing(\"seat\", `Seat`))".to_string(),
        "Ok(7)".to_string(),
        format!("Ok({})", u32::MAX),
        "Ok(2)".to_string(),
        "Err(Alias(\"one\", \"other\", `Seat`))".to_string(),
        too_large("one", "Seat"),
        too_large("other", "Seat"),
        "Ok(2)".to_string(),
        "Ok(7)".to_string(),
    ];
    for &by in By::ALL {
        let mut resources = resources();
        let mut found = Vec::new();
        let report = |outcome: Outcome<Act>| found.push(format!("{:?}", outcome.result));
        let mut stream = by.stream();
        stream
            .process(&mut resources, events.iter().cloned(), report)
            .unwrap();
        assert_eq!(found, expected, "{by:?}");
        let seats = resources.get::<Records<Seat>>().unwrap();
        let all: Vec<u32> = seats.iter().map(|(id, _)| *id).collect();
        assert_eq!(all, [7, MAX], "{by:?}");
        let counts = resources.get::<Records<Count>>().unwrap();
        let all: Vec<u32> = counts.iter().map(|(id, _)| *id).collect();
        assert_eq!(all, [6, MAX], "{by:?}");
    }
}

#[test]
fn error_for_a_larger_id_names_the_maximum() {
    let mut resources = resources();
    let mut reported = Vec::new();
    let events = [Act::Sit(Sit(MAX + 1))];
    let report = |outcome: Outcome<Act>| reported.push(outcome);
    Stream::new()
        .process(&mut resources, events, report)
        .unwrap();
    let error = reported[0].result.as_ref().unwrap_err();
    assert!(!reported[0].is_applied() && !error.has_run());
    assert!(matches!(
        error,
        EventError::IdTooLarge {
            parameter: "seat",
            max_id: MAX,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "the id for `seat` is above 999, the maximum id of `Seat`: raise it with `max_id`, or use `key` instead of `id`"
    );
}

#[test]
fn insertion_of_a_larger_id_is_an_error() {
    let mut seats = Records::new();
    assert_eq!(seats.try_insert(MAX, Seat(1)), Ok(None));
    let error = seats.try_insert(MAX + 1, Seat(1)).unwrap_err();
    assert_eq!((error.id, error.max_id), (MAX + 1, MAX));
    let insert = AssertUnwindSafe(|| seats.insert(u32::MAX, Seat(1)));
    let panic = catch_unwind(insert).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("id 4294967295 is above 999"), "{message}");
    assert_eq!((seats.len(), seats.get(MAX + 1)), (1, None));
    assert!(!seats.contains(u32::MAX) && seats.remove(u32::MAX).is_none());
}

/// A key whose number is not the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ticket(u32);

impl schedule_stream::keys::Id for Ticket {
    fn number(&self) -> u32 {
        self.0
    }
}

#[derive(Record)]
#[record(id = Ticket)]
struct Guest;

#[derive(Record)]
#[record(id = u8)]
struct Byte;

#[derive(Record)]
#[record(key = u32)]
struct Hashed;

#[test]
fn default_maximum_applies_to_ids_of_all_types() {
    let mut guests = Records::new();
    assert!(guests.try_insert(Ticket(Guest::MAX_ID), Guest).is_ok());
    assert!(guests.try_insert(Ticket(Guest::MAX_ID + 1), Guest).is_err());
    assert!(Records::new().try_insert(u8::MAX, Byte).is_ok());
    assert!(
        Records::new().try_insert(u32::MAX, Hashed).is_ok(),
        "a hashed key takes no more"
    );
}
