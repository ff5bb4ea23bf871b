//! The division of events into calls does not change the results.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use schedule::prelude::*;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;
use schedule_tests::n_cases;

use super::By;

/// Inserted and removed by slots and in whole stores.
#[derive(Debug, Record)]
#[record(key = u32)]
struct Guest(u64);

/// The same, with a dense id.
#[derive(Debug, Record)]
#[record(id = u32)]
struct Seat(u64);

/// Every key has one, by default.
#[derive(Debug, Default, Record)]
#[record(key = u32)]
struct Bill(u64);

/// The keys and the argument of an event.
#[derive(Clone, Copy, Debug)]
struct Act {
    a: u32,
    b: u32,
    n: u64,
}

#[derive(Clone, Copy, Debug, Event)]
#[event(answer = u64, error = String)]
enum Entry {
    #[event(check)]
    Check(Act),
    #[event(place)]
    Place(Act),
    #[event(swap)]
    Swap(Act),
    #[event(follow)]
    Follow(Act),
    #[event(join)]
    Join(Act),
    #[event(greet)]
    Greet(Act),
    #[event(treat)]
    Treat(Act),
    #[event(shove)]
    Shove(Act),
    #[event(pay)]
    Pay(Act),
    #[event(split)]
    Split(Act),
    #[event(charge)]
    Charge(Act),
    #[event(call_roll)]
    CallRoll(Act),
    #[event(tidy)]
    Tidy(Act),
    #[event(renew)]
    Renew(Act),
}

const ENTRIES: [fn(Act) -> Entry; 14] = [
    Entry::Check,
    Entry::Place,
    Entry::Swap,
    Entry::Follow,
    Entry::Join,
    Entry::Greet,
    Entry::Treat,
    Entry::Shove,
    Entry::Pay,
    Entry::Split,
    Entry::Charge,
    Entry::CallRoll,
    Entry::Tidy,
    Entry::Renew,
];

/// The number of kinds that mostly insert and remove, and of kinds that take a whole store.
const N_COMING: usize = 2;
const N_WHOLE: usize = 3;

/// Mixes two values. The order of calls matters.
fn mix(value: u64, by: u64) -> u64 {
    (value.rotate_left(7) ^ by).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[handler]
fn check(act: &Act, #[key(act.a)] mut a: Slot<Guest>) -> u64 {
    let before = match act.n % 2 {
        0 => a.remove(),
        _ => a.insert(Guest(act.n)),
    };
    before.map_or(1, |guest| guest.0)
}

#[handler]
fn place(
    act: &Act,
    #[key(act.a)] mut a: Slot<Seat>,
    #[key(act.b)] b: Option<&Guest>,
) -> Result<u64, String> {
    match b {
        None => Ok(a.remove().map_or(1, |seat| seat.0)),
        Some(_) if act.n.is_multiple_of(5) => Err("the seat is free".to_string()),
        Some(guest) => Ok(a.insert(Seat(guest.0)).map_or(2, |seat| seat.0)),
    }
}

#[handler]
fn swap(act: &Act, #[key(act.a)] a: &mut Guest, #[key(act.b)] b: &mut Guest) -> u64 {
    core::mem::swap(a, b);
    a.0 = mix(a.0, act.n);
    a.0
}

#[handler(alias = skip)]
fn follow(act: &Act, #[key(act.a)] a: &Guest, #[key(act.b)] b: &mut Guest) -> u64 {
    b.0 = mix(a.0, act.n);
    b.0
}

#[handler(alias = first)]
fn join(act: &Act, #[key(act.a)] a: &mut Guest, #[key(act.b)] b: Option<&mut Guest>) -> u64 {
    a.0 = mix(a.0, b.map_or(1, |b| b.0));
    a.0 ^ act.n
}

#[handler]
fn greet(
    act: &Act,
    #[key(act.a)] a: Option<&mut Guest>,
    #[key(act.b)] b: Option<&mut Guest>,
) -> u64 {
    let of = |guest: Option<&mut Guest>| guest.map_or(1, |guest| mix(guest.0, act.n));
    mix(of(a), of(b))
}

#[handler]
fn treat(
    act: &Act,
    #[keys([act.a, act.a + 1, act.b + 1])] mut guests: RecordSetMut<Guest>,
    #[key(act.b)] b: Option<&Guest>,
) -> u64 {
    let of = b.map_or(act.n, |b| b.0);
    let all = guests.iter_mut();
    all.for_each(|(key, guest)| guest.0 = mix(guest.0, of ^ u64::from(*key)));
    guests.len() as u64
}

#[handler]
fn shove(act: &Act, #[key(act.a)] a: Option<&Seat>, #[key(act.b)] b: &mut Seat) -> u64 {
    b.0 = mix(b.0, a.map_or(act.n, |a| a.0));
    b.0
}

#[handler]
fn pay(
    act: &Act,
    #[key(act.a)] a: &mut Bill,
    #[key(act.b)] b: &Bill,
    #[key(act.b)] guest: &Guest,
) -> u64 {
    a.0 = mix(mix(a.0, b.0), guest.0 ^ act.n);
    a.0
}

#[handler]
fn split(act: &Act, #[key(act.a)] a: &Bill, #[key(act.b)] b: &mut Bill) -> u64 {
    b.0 = mix(a.0, act.n);
    b.0
}

#[handler]
fn charge(act: &Act, #[key(act.a)] a: Option<&Bill>, #[key(act.b)] b: Option<&mut Bill>) -> u64 {
    mix(a.map_or(act.n, |a| a.0), b.map_or(1, |b| b.0))
}

/// The answer depends on the order of the store.
#[handler]
fn call_roll(act: &Act, guests: &Records<Guest>) -> u64 {
    let n = mix(act.n, guests.len() as u64);
    guests
        .iter()
        .fold(n, |all, (key, guest)| mix(all, u64::from(*key) ^ guest.0))
}

#[handler]
fn tidy(act: &Act, guests: &mut Records<Guest>, #[key(act.b)] mut b: Slot<Seat>) -> u64 {
    let guest = guests.remove(act.a);
    if guest.is_none() {
        guests.insert(act.b, Guest(act.n));
    }
    b.remove().map_or(1, |seat| seat.0)
}

/// Replaces the whole store.
#[handler]
fn renew(act: &Act, guests: &mut Records<Guest>) -> u64 {
    let n_before = guests.len() as u64;
    *guests = Records::from_iter([(act.a, Guest(act.n)), (act.b, Guest(n_before))]);
    n_before
}

/// Events, and how they are divided into calls.
#[derive(Debug)]
struct Case {
    entries: Vec<Entry>,
    cuts: Vec<Index>,
}

impl Case {
    /// Returns the events of each call.
    fn calls(&self) -> Vec<&[Entry]> {
        let n = self.entries.len();
        let mut ends: Vec<usize> = self.cuts.iter().map(|cut| cut.index(n + 1)).collect();
        ends.push(n);
        ends.sort_unstable();
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts
            .zip(&ends)
            .map(|(start, end)| &self.entries[start..*end])
            .collect()
    }
}

/// Maximum number of events. Above the number of doubts after which vacant places are freed.
const MANY: usize = if cfg!(miri) { 20 } else { 12_000 };

fn cases() -> impl Strategy<Value = Case> {
    let n_events = prop_oneof![4 => 0..MANY.min(200), 1 => MANY / 2..MANY];
    (select(vec![2_u32, 6, 50]), n_events).prop_flat_map(|(n_keys, n_events)| {
        let act = (0..n_keys, 0..n_keys, 0..100_u64).prop_map(|(a, b, n)| Act { a, b, n });
        let coming = select(&ENTRIES[..N_COMING]);
        // Few events with a whole store, because they wait for all others.
        let kind = prop_oneof![
            3 => coming,
            6 => select(&ENTRIES[..ENTRIES.len() - N_WHOLE]),
            1 => select(&ENTRIES[..]),
        ];
        let entry = (kind, act).prop_map(|(kind, act)| kind(act));
        let entries = prop::collection::vec(entry, n_events);
        let cuts = prop::collection::vec(any::<Index>(), 1..8);
        (entries, cuts).prop_map(|(entries, cuts)| Case { entries, cuts })
    })
}

/// Returns the outcomes, and the content of each store in its order.
fn found(by: By, calls: &[&[Entry]]) -> (Vec<String>, [Vec<String>; 3]) {
    let mut resources = Resources::new();
    let guests = (0..3).map(|key| (key, Guest(key.into())));
    resources.insert(Records::from_iter(guests));
    resources.insert(Records::<Seat>::new());
    resources.insert(Records::<Bill>::or_default());
    let (mut stream, mut reported) = (by.stream(), Vec::new());
    for call in calls {
        let report = |outcome: Outcome<Entry>| {
            reported.push(format!("{:?}", outcome.result));
        };
        let events = call.iter().copied();
        stream.process(&mut resources, events, report).unwrap();
    }
    let stores = [
        listed::<Guest>(&resources),
        listed::<Seat>(&resources),
        listed::<Bill>(&resources),
    ];
    (reported, stores)
}

fn listed<T: Record + Debug>(resources: &Resources) -> Vec<String> {
    let all = resources.get::<Records<T>>().unwrap();
    let listed: Vec<String> = all.iter().map(|one| format!("{one:?}")).collect();
    assert_eq!(listed.len(), all.len());
    listed
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 5_000,
        ..ProptestConfig::with_cases(n_cases(20))
    })]

    #[test]
    fn division_into_calls_does_not_change_the_results(case in cases()) {
        let whole = found(By(ProcessingMode::Serial, 1), &[&case.entries]);
        let ways = [
            By(ProcessingMode::Serial, 1),
            By(ProcessingMode::Queues, 2),
            By(ProcessingMode::Auto, 2),
        ];
        for by in ways {
            let cut = found(by, &case.calls());
            for (nth, (cut, whole)) in cut.0.iter().zip(&whole.0).enumerate() {
                prop_assert_eq!(cut, whole, "{:?} {:?}", by, case.entries[nth]);
            }
            prop_assert_eq!(cut.0.len(), whole.0.len(), "{:?}", by);
            prop_assert_eq!(&cut.1, &whole.1, "{:?}", by);
        }
    }
}

/// The doubts of the old store do not count for the new one.
#[test]
#[cfg_attr(miri, ignore = "many events in a row")]
fn replaced_store_frees_places_after_the_same_events() {
    let act = |a, n| Act { a, b: a, n };
    let [go, come] = [0, 1].map(|n| move |key| Entry::Check(act(key, n)));
    let before = std::iter::repeat_n(go(0), 4_000).chain([Entry::Renew(act(9, 0))]);
    let after = [come(1), come(2), go(1)]
        .into_iter()
        .chain(std::iter::repeat_n(come(2), 4_093));
    let [before, after]: [Vec<_>; 2] = [before.collect(), after.chain([come(3)]).collect()];
    let whole = [&before[..], &after[..]].concat();
    let expected = found(By(ProcessingMode::Serial, 1), &[&whole]);
    for &by in By::ALL {
        assert_eq!(found(by, &[&whole]), expected, "{by:?}");
        assert_eq!(found(by, &[&before, &after]), expected, "{by:?}");
    }
}
