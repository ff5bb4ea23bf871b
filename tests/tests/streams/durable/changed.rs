//! Programs whose types have changed, but not their versions or names: a recovery fails, unless the change is declared.

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableEvent, DurableStream};
use schedule_stream::journal::open_on;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::journal::disk::SimulatedDisk;

/// Defines a program: the name and the fields of its accounts, and its events. Each event adds an amount.
macro_rules! programs {
    ($($module:ident: $name:tt $account:ident { $($field:ident)* }
        [$($variant:ident $handler:ident { $($part:ident: $type:ty,)* })*]
    )*) => {$(
        mod $module {
            use super::*;

            #[derive(Record, Snapshot, Serialize, Deserialize, Default)]
            #[record(key = u32)]
            #[snapshot(name = $name)]
            pub(super) struct $account {
                $(pub(super) $field: u64,)*
            }

            #[derive(Event, Snapshot, Serialize, Deserialize)]
            #[event(answer = u64, error = String)]
            #[snapshot(name = "entry")]
            pub(super) enum Entry {
                $(#[event($handler)] $variant($variant),)*
            }

            $(
                #[derive(Serialize, Deserialize)]
                pub(super) struct $variant {
                    $(pub(super) $part: $type,)*
                }

                #[handler]
                fn $handler(event: &$variant, #[key(event.to)] account: &mut $account) -> u64 {
                    account.free += event.amount;
                    account.free
                }
            )*

            pub(super) fn program() -> Durable<Entry> {
                Durable::new("bank", 1).state::<Records<$account>>()
            }

            pub(super) fn resources() -> Resources {
                let mut resources = Resources::new();
                resources.insert(Records::<$account>::or_default());
                resources
            }

            impl HasFree for $account {
                fn free(&self) -> u64 {
                    self.free
                }
            }
        }
    )*};
}

programs! {
    base: "account" Account { free blocked } [
        Put put { to: u32, amount: u64, }
        Take take { to: u32, amount: u64, }
    ]
    swapped: "account" Account { blocked free } [
        Put put { to: u32, amount: u64, }
        Take take { to: u32, amount: u64, }
    ]
    renamed: "konto" Konto { free blocked } [
        Put put { to: u32, amount: u64, }
        Take take { to: u32, amount: u64, }
    ]
    inserted: "account" Account { free blocked } [
        Close close { to: u32, amount: u64, }
        Put put { to: u32, amount: u64, }
        Take take { to: u32, amount: u64, }
    ]
    changed: "account" Account { free blocked } [
        Put put { to: u32, amount: u64, }
        Take take { amount: u64, to: u32, }
    ]
    appended: "account" Account { free blocked } [
        Put put { to: u32, amount: u64, }
        Take take { to: u32, amount: u64, }
        Close close { to: u32, amount: u64, }
    ]
}

trait HasFree: Record<Key = u32> {
    fn free(&self) -> u64;
}

/// The free amount of account 1.
fn free<T: HasFree>(stream: &DurableStream<impl DurableEvent>) -> u64 {
    let accounts = stream.resources().get::<Records<T>>().unwrap();
    accounts.get(1).map_or(0, T::free)
}

fn recover<E: DurableEvent>(
    disk: &SimulatedDisk,
    durable: Durable<E>,
    resources: Resources,
) -> Result<DurableStream<E>, String> {
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let recovered = durable.recover_from(journal, snapshots, resources);
    recovered.map_err(|error| error.to_string())
}

/// A journal with one event of each kind after the snapshot, which has another one. `has_take`: whether the journal has a `Take`.
fn journal(has_take: bool) -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    let mut stream = recover(&disk, base::program(), base::resources()).unwrap();
    let put = |amount| base::Entry::from(base::Put { to: 1, amount });
    stream.process_batch([put(5)], |_| ()).unwrap();
    stream.snapshot().unwrap();
    stream.process_batch([put(6)], |_| ()).unwrap();
    if has_take {
        let take = base::Entry::from(base::Take { to: 1, amount: 7 });
        stream.process_batch([put(1), take], |_| ()).unwrap();
    }
    disk
}

#[test]
fn swapped_fields_of_a_record_are_an_error() {
    let error = recover(&journal(true), swapped::program(), swapped::resources()).unwrap_err();
    let text = "`account` has changed since it was saved, but its version is still 1: field 0 of `account` was `free: u64`, and is \
                `blocked: u64` now; raise its version";
    assert!(error.starts_with(text), "{error}");
}

#[test]
fn renamed_record_is_an_error_until_the_new_name_is_declared() {
    let disk = journal(true);
    let error = recover(&disk, renamed::program(), renamed::resources()).unwrap_err();
    assert_eq!(
        error,
        "the snapshot has values that the program does not restore: `records<account>` (the program wants `records<konto>`, which is \
         missing); restore them, or declare that they have another name, with `renamed(\"records<account>\", \"records<konto>\")`, \
         or that they are not wanted, with `dropped(\"records<account>\")`"
    );
    let program = || renamed::program().renamed("account", "konto");
    let mut stream = recover(&disk, program(), renamed::resources()).unwrap();
    assert_eq!(free::<renamed::Konto>(&stream), 5 + 6 + 1 + 7);
    stream.snapshot().unwrap();
    drop(stream);
    // The call is not needed when the snapshots have the new name, but it may stay.
    for program in [program(), renamed::program()] {
        let stream = recover(&disk, program, renamed::resources()).unwrap();
        assert_eq!(free::<renamed::Konto>(&stream), 19);
    }
}

#[test]
fn dropped_record_begins_with_its_first_value() {
    let disk = journal(false);
    let program = || renamed::program().dropped("account");
    // The replayed batch has added to the account.
    let error = recover(&disk, program(), renamed::resources()).unwrap_err();
    let text = "the outcome of `put` at position 2:0 is now `6`";
    assert!(error.contains(text), "{error}");
    let program = program().accept_new_outcomes_from(2);
    let stream = recover(&disk, program, renamed::resources()).unwrap();
    // Only the batch after the snapshot is in the state.
    assert_eq!(free::<renamed::Konto>(&stream), 6);
}

/// The bytes of `Put` are now those of `Close`.
#[test]
fn inserted_variant_of_an_event_is_an_error() {
    let error = recover(&journal(false), inserted::program(), inserted::resources()).unwrap_err();
    let text = "`entry` has changed since it was saved, but its version is still 1: variant 0 of `entry` was `Put`, and is `Close` \
                now";
    assert!(error.starts_with(text), "{error}");
}

#[test]
fn changed_variant_is_an_error_only_if_an_event_has_it() {
    let error = recover(&journal(true), changed::program(), changed::resources()).unwrap_err();
    let text = "`entry` has changed since it was saved, but its version is still 1: field 0 of `entry.Take` was `to: u32`, and is \
                `amount: u64` now";
    assert!(error.starts_with(text), "{error}");
    let stream = recover(&journal(false), changed::program(), changed::resources()).unwrap();
    assert_eq!(free::<changed::Account>(&stream), 11);
}

#[test]
fn variants_at_the_end_of_an_event_are_no_change() {
    let stream = recover(&journal(true), appended::program(), appended::resources()).unwrap();
    assert_eq!(free::<appended::Account>(&stream), 19);
}

/// A program without idempotency keys would forget them.
#[test]
fn keys_of_a_snapshot_are_not_forgotten_silently() {
    let disk = SimulatedDisk::new(1);
    let program = || base::program().idempotency_keys(10);
    let mut stream = recover(&disk, program(), base::resources()).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    recover(&disk, base::program(), base::resources()).unwrap();
    let stream = recover(&disk, program(), base::resources()).unwrap();
    let service = stream.serve();
    let put = base::Entry::from(base::Put { to: 1, amount: 5 });
    let handle = service.handle();
    handle.submit_with_key_blocking("a", put).unwrap();
    let mut stream = service.shutdown().unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let error = recover(&disk, base::program(), base::resources()).unwrap_err();
    assert!(
        error.contains("restore: `schedule-stream.keys`;"),
        "{error}"
    );
    let program = base::program().dropped("schedule-stream.keys");
    recover(&disk, program, base::resources()).unwrap();
}

/// Defines a program whose events cause one of the other kind. `Old` has these fields.
macro_rules! waiting {
    ($($module:ident { $($field:ident)* })*) => {$(
        mod $module {
            use super::*;

            #[derive(Event, Snapshot, Serialize, Deserialize)]
            #[event(entry, answer = u64)]
            #[snapshot(name = "entry")]
            pub(super) enum Entry {
                Tick,
                Old { $($field: u64,)* },
            }

            #[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
            #[snapshot(name = "sum")]
            pub(super) struct Sum(pub(super) u64);

            #[handler]
            fn entry(event: &Entry, sum: &mut Sum) -> FollowUps<Entry, u64> {
                sum.0 += 1;
                let (low, high) = (1, 2);
                let next = match event {
                    Entry::Tick if sum.0 < 3 => Some(Entry::Old { low, high }),
                    Entry::Old { low: 1, high: 2 } => Some(Entry::Tick),
                    _ => None,
                };
                FollowUps::events(next).answering(sum.0)
            }

            pub(super) fn program() -> Durable<Entry> {
                Durable::new("waiting", 1).state::<Sum>()
            }

            pub(super) fn resources() -> Resources {
                let mut resources = Resources::new();
                resources.insert_default::<Sum>();
                resources
            }
        }
    )*};
}

waiting! {
    before { low high }
    after { high low }
}

#[test]
fn changed_variant_of_a_waiting_event_is_an_error_only_if_it_has_it() {
    let disk = SimulatedDisk::new(1);
    let mut stream = recover(&disk, before::program(), before::resources()).unwrap();
    stream.process_batch([before::Entry::Tick], |_| ()).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    // An event `Old` waits.
    let error = recover(&disk, after::program(), after::resources()).unwrap_err();
    let text = "field 0 of the variant `Old` of `entry` was `low: u64`, and is `high: u64` now";
    assert!(error.contains(text), "{error}");
    let mut stream = recover(&disk, before::program(), before::resources()).unwrap();
    stream.drain(1, |_| ()).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    // Now an event `Tick` waits.
    let mut stream = recover(&disk, after::program(), after::resources()).unwrap();
    assert_eq!(stream.n_pending(), 1);
    stream.drain(1, |_| ()).unwrap();
    assert_eq!(stream.resources().get::<after::Sum>().unwrap().0, 3);
}
