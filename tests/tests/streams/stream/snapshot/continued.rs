//! The same events after a snapshot have the same results on the saved stores and on the restored ones.

use proptest::prelude::*;
use schedule::prelude::*;
use schedule::snapshot::{Decoder, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::By;
use super::{Bill, Guest, Seat, restored, saved};

/// The keys and the argument of an event.
#[derive(Clone, Debug)]
struct Act {
    name: String,
    id: u16,
    n: u64,
}

#[derive(Clone, Debug, Event)]
#[event(answer = u64, error = String)]
enum Entry {
    #[event(check)]
    Check(Act),
    #[event(place)]
    Place(Act),
    #[event(pay)]
    Pay(Act),
    #[event(call_roll)]
    CallRoll(Act),
    #[event(tidy)]
    Tidy(Act),
}

/// Mixes two values. The order of calls matters.
fn mix(value: u64, by: u64) -> u64 {
    (value.rotate_left(7) ^ by).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[handler]
fn check(act: &Act, #[key(&act.name)] mut guest: Slot<Guest>) -> u64 {
    let before = match act.n % 2 {
        0 => guest.remove(),
        _ => guest.insert(Guest(act.n)),
    };
    before.map_or(1, |guest| guest.0)
}

#[handler]
fn place(
    act: &Act,
    #[key(act.id)] mut seat: Slot<Seat>,
    #[key(&act.name)] guest: Option<&Guest>,
) -> Result<u64, String> {
    match guest {
        None => Ok(seat.remove().map_or(1, |seat| seat.0)),
        Some(_) if act.n.is_multiple_of(5) => Err("the seat is free".to_string()),
        Some(guest) => Ok(seat.insert(Seat(guest.0)).map_or(2, |seat| seat.0)),
    }
}

#[handler]
fn pay(act: &Act, #[key(u32::from(act.id) % 7)] bill: &mut Bill) -> u64 {
    bill.0 = mix(bill.0, act.n);
    bill.0
}

/// The answer depends on the order of all records.
#[handler]
fn call_roll(
    act: &Act,
    guests: &Records<Guest>,
    seats: &Records<Seat>,
    bills: &Records<Bill>,
) -> u64 {
    let guests = guests
        .iter()
        .map(|(name, guest)| mix(name.len() as u64, guest.0));
    let seats = seats.iter().map(|(id, seat)| mix((*id).into(), seat.0));
    let bills = bills.iter().map(|(id, bill)| mix((*id).into(), bill.0));
    guests.chain(seats).chain(bills).fold(act.n, mix)
}

/// Removes some records, and inserts one.
#[handler]
fn tidy(act: &Act, guests: &mut Records<Guest>) -> u64 {
    let goes = |guest: &Guest| guest.0 % 3 == act.n % 3;
    let leaving: Vec<String> = guests
        .iter()
        .filter(|(_, guest)| goes(guest))
        .map(|(name, _)| name.clone())
        .collect();
    for name in &leaving {
        guests.remove(name);
    }
    guests.insert(act.name.clone(), Guest(act.n));
    leaving.len() as u64
}

/// A step of a test.
#[derive(Clone, Debug)]
enum Step {
    /// Events, in one call or in several.
    Process(Vec<Entry>),
    /// Many events that insert and remove guests, so that vacant places are freed, or soon will be.
    Burst {
        seed: u64,
        n: usize,
    },
    /// The program inserts or removes records between calls.
    Insert(Act),
    Remove(Act),
}

fn act() -> impl Strategy<Value = Act> {
    (0..30_u32, 0..40_u16, 0..100_u64).prop_map(|(name, id, n)| Act {
        name: format!("guest {name}"),
        id,
        n,
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    let kinds = [Entry::Check, Entry::Place, Entry::Pay];
    let one = (prop::sample::select(kinds.to_vec()), act()).prop_map(|(kind, act)| kind(act));
    let whole = [Entry::CallRoll, Entry::Tidy];
    let whole = (prop::sample::select(whole.to_vec()), act()).prop_map(|(kind, act)| kind(act));
    prop_oneof![9 => one, 1 => whole]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop::collection::vec(entry(), 0..40).prop_map(Step::Process),
        2 => (any::<u64>(), 1..4500_usize).prop_map(|(seed, n)| Step::Burst { seed, n }),
        1 => act().prop_map(Step::Insert),
        1 => act().prop_map(Step::Remove),
    ]
}

/// Returns the events of a burst.
fn burst(mut seed: u64, n: usize) -> Vec<Entry> {
    let mut next = || {
        seed = mix(seed, 0x5851_f42d_4c95_7f2d);
        seed >> 32
    };
    let acts = (0..n).map(|_| Act {
        name: format!("guest {}", next() % 50),
        id: (next() % 60) as u16,
        n: next() % 100,
    });
    let entry = |act: Act| match act.n % 3 {
        0 => Entry::Place(act),
        _ => Entry::Check(act),
    };
    acts.map(entry).collect()
}

/// Stores, and the way in which their events are processed.
struct Table {
    resources: Resources,
    by: By,
    /// The number of events in a call.
    n_per_call: usize,
}

impl Table {
    /// Stores as a program creates them when it starts.
    fn new(by: By, n_per_call: usize) -> Self {
        let mut resources = Resources::new();
        resources.insert(Records::<Guest>::new());
        resources.insert(Records::<Seat>::new());
        resources.insert(Records::<Bill>::or_default());
        Self {
            resources,
            by,
            n_per_call,
        }
    }

    /// Restores all stores into those of a new program.
    fn restored(bytes: &[u8], by: By, n_per_call: usize) -> Self {
        let mut table = Self::new(by, n_per_call);
        let reader = SnapshotReader::new(bytes).unwrap();
        let resources = &mut table.resources;
        let guests: &mut Records<Guest> = resources.get_mut().unwrap();
        guests.insert("replaced".to_string(), Guest(0));
        reader.restore_into(guests).unwrap();
        reader
            .restore_into::<Records<Seat>>(resources.get_mut().unwrap())
            .unwrap();
        reader
            .restore_into::<Records<Bill>>(resources.get_mut().unwrap())
            .unwrap();
        table
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = SnapshotWriter::new();
        let resources = &self.resources;
        writer
            .section::<Records<Guest>>(resources.get().unwrap())
            .unwrap();
        writer
            .section::<Records<Seat>>(resources.get().unwrap())
            .unwrap();
        writer
            .section::<Records<Bill>>(resources.get().unwrap())
            .unwrap();
        writer.finish()
    }

    /// Takes a step. Returns the results of its events, or the record that it replaced or removed.
    fn take(&mut self, step: &Step) -> Vec<String> {
        let before = match step {
            Step::Process(events) => return self.process(events),
            Step::Burst { seed, n } => return self.process(&burst(*seed, *n)),
            Step::Insert(act) => self.guests().insert(act.name.clone(), Guest(act.n)),
            Step::Remove(act) => self.guests().remove(&act.name),
        };
        vec![format!("{before:?}")]
    }

    fn guests(&mut self) -> &mut Records<Guest> {
        self.resources.get_mut().unwrap()
    }

    fn process(&mut self, events: &[Entry]) -> Vec<String> {
        let mut results = Vec::new();
        for events in events.chunks(self.n_per_call) {
            let report = |outcome: Outcome<Entry>| results.push(format!("{:?}", outcome.result));
            let mut stream = self.by.stream();
            stream
                .process(&mut self.resources, events.iter().cloned(), report)
                .unwrap();
        }
        results
    }

    /// All keys, in the order of iteration.
    fn order(&self) -> (Vec<String>, Vec<u16>, Vec<u32>) {
        fn keys<T: Record>(resources: &Resources) -> Vec<T::Key> {
            let store: &Records<T> = resources.get().unwrap();
            store.iter().map(|(key, _)| key.clone()).collect()
        }
        let resources = &self.resources;
        (
            keys::<Guest>(resources),
            keys::<Seat>(resources),
            keys::<Bill>(resources),
        )
    }
}

fn by() -> impl Strategy<Value = (By, usize)> {
    let ways = [
        By(ProcessingMode::Serial, 1),
        By(ProcessingMode::Lanes, 2),
        By(ProcessingMode::Queues, 2),
    ];
    (
        prop::sample::select(ways.to_vec()),
        prop::sample::select(vec![40, 300, 10_000]),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn restored_stores_continue_as_the_saved_ones(
        before in prop::collection::vec(step(), 0..8),
        after in prop::collection::vec(step(), 0..8),
        ways in [by(), by()],
    ) {
        let mut table = Table::new(ways[0].0, ways[0].1);
        for step in &before {
            table.take(step);
        }
        let bytes = table.save();
        let mut other = Table::restored(&bytes, ways[1].0, ways[1].1);
        prop_assert_eq!(table.order(), other.order());
        prop_assert!(other.save() == bytes, "the bytes differ after a round trip");
        for step in &after {
            prop_assert_eq!(table.take(step), other.take(step));
            prop_assert_eq!(table.order(), other.order());
            prop_assert!(table.save() == other.save(), "the bytes differ after {:?}", step);
        }
    }
}

#[test]
fn bytes_do_not_depend_on_calls_and_threads() {
    let events = burst(7, 9_000);
    let tables = [
        (By(ProcessingMode::Serial, 1), 9_000),
        (By(ProcessingMode::Serial, 1), 1),
        (By(ProcessingMode::Lanes, 4), 64),
        (By(ProcessingMode::Queues, 2), 5_000),
    ];
    let snapshots = tables.map(|(by, n_per_call)| {
        let mut table = Table::new(by, n_per_call);
        table.process(&events);
        table.save()
    });
    assert!(snapshots.iter().all(|bytes| *bytes == snapshots[0]));
}

/// The places of freed keys are reused in an order that is saved, and vacant places are freed after the same event.
#[test]
fn freed_places_are_reused_in_the_same_order() {
    let name = |nth: u32| format!("guest {nth}");
    let check = |nth: u32, n: u64| {
        let name = name(nth);
        Entry::Check(Act { name, id: 0, n })
    };
    let mut table = Table::new(By(ProcessingMode::Serial, 1), 10_000);
    let events: Vec<_> = (0..40).map(|nth| check(nth, 1)).collect();
    table.process(&events);
    let guests = table.guests();
    for nth in [9, 3, 20] {
        guests.remove(name(nth)).unwrap();
    }
    // Vacant, but not freed yet.
    let events: Vec<_> = [5, 30].map(|nth| check(nth, 0)).into();
    table.process(&events);
    let bytes = table.save();
    let mut other = Table::restored(&bytes, By(ProcessingMode::Serial, 1), 10_000);
    for table in [&mut table, &mut other] {
        let guests = table.guests();
        guests.insert(name(50), Guest(1));
        // Doubts about one key, until vacant places are freed.
        table.process(&vec![check(50, 1); 4096]);
        let guests = table.guests();
        guests.extend([51, 52, 53, 54].map(|nth| (name(nth), Guest(1))));
    }
    let (order, ..) = other.order();
    assert_eq!(order, table.order().0);
    // Removed last, used first. Of the vacant places, the lower one is used first.
    let at = |nth: u32| order.iter().position(|key| *key == name(nth)).unwrap();
    let places = [50, 51, 52, 53, 54].map(at);
    assert_eq!(places, [20, 5, 30, 3, 9]);
}

#[test]
fn default_is_kept_from_the_store_of_the_program() {
    let pay = Entry::Pay(Act {
        name: String::new(),
        id: 3,
        n: 1,
    });
    let table = Table::new(By(ProcessingMode::Serial, 1), 1);
    let mut other = Table::restored(&table.save(), By(ProcessingMode::Serial, 1), 1);
    let results = other.process(&[pay]);
    assert_eq!(results, [format!("Ok({})", mix(0, 1))]);
    let error = restored::<Records<Bill>>(&table.save()).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "`records<bill>` cannot be restored: the store was created with `Records::or_default`: restore it into such a \
             store with `restore_into`"
        ),
        "{error}"
    );
    let restore_into = |saved_store: &Records<Bill>, mut store: Records<Bill>| {
        store.insert(1, Bill(5));
        let bytes = saved(saved_store);
        let result = SnapshotReader::new(&bytes)
            .unwrap()
            .restore_into(&mut store);
        assert_eq!(store.get(1), Some(&Bill(5)), "the store is unchanged");
        result.unwrap_err().to_string()
    };
    let [without, with] = [Records::new(), Records::or_default()];
    assert!(restore_into(&with, Records::new()).contains("create it with `or_default`"));
    assert!(restore_into(&without, Records::or_default()).contains("create it with `new`"));
}

#[test]
fn records_of_an_older_version_are_migrated() {
    #[derive(Record, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
    #[record(key = String)]
    #[snapshot(name = "guest", version = 2, migrate = from_v1)]
    struct NamedGuest {
        room: u64,
        n_nights: u32,
    }

    fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<NamedGuest, SnapshotError> {
        let Guest(room) = from.read()?;
        Ok(NamedGuest { room, n_nights: 1 })
    }

    let guests: Records<Guest> = ["Ada", "Bob"]
        .map(|name| (name.to_string(), Guest(name.len() as u64)))
        .into_iter()
        .collect();
    let restored: Records<NamedGuest> = restored(&saved(&guests)).unwrap();
    let (room, n_nights) = (3, 1);
    let guest = NamedGuest { room, n_nights };
    let names: Vec<_> = restored.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Ada", "Bob"]);
    assert_eq!(restored.get("Bob".to_string()), Some(&guest));
}
