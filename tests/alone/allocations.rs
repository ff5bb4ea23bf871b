//! A stream that has run does not allocate for further events, and an event with a large id takes little memory.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use schedule::prelude::*;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;

/// Generous, so that the test does not fail on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Record)]
#[record(key = u64)]
struct Guest;

/// A record with dense ids: memory grows with the largest id.
#[derive(Default, Record)]
#[record(id = u32)]
struct Hall([u64; 8]);

#[derive(Debug, PartialEq)]
struct Overdrawn;

impl fmt::Display for Overdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("overdrawn")
    }
}

impl Error for Overdrawn {}

#[derive(Event)]
#[event(error = Overdrawn)]
enum Entry {
    #[event(transfer)]
    Transfer(Transfer),
    #[event(come_or_go)]
    ComeOrGo(ComeOrGo),
    #[event(look)]
    Look(Look),
    #[event(share)]
    Share(Share),
}

struct Transfer(u32, u32);

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.0)] from: &mut Account,
    #[key(event.1)] to: &mut Account,
) -> Result<(), Overdrawn> {
    from.0 = from.0.checked_sub(1).ok_or(Overdrawn)?;
    to.0 += 1;
    Ok(())
}

struct ComeOrGo(u64);

#[handler]
fn come_or_go(event: &ComeOrGo, #[key(event.0)] mut guest: Slot<Guest>) {
    if guest.remove().is_none() {
        guest.insert(Guest);
    }
}

struct Look(u32);

#[handler]
fn look(event: &Look, #[key(event.0)] account: &Account) {
    assert!(account.0 < 1_000_000);
}

/// Names `event.1` accounts from `event.0` on, and the first one again.
struct Share(u32, u32);

#[handler]
fn share(
    event: &Share,
    #[keys((event.0..event.0 + event.1).chain([event.0]))] mut all: RecordSetMut<Account>,
) {
    all.iter_mut().for_each(|(_, account)| account.0 += 1);
}

#[derive(Event)]
#[event(enter, error = Overdrawn)]
struct Enter(u32);

#[handler]
fn enter(event: &Enter, #[key(event.0)] mut hall: Slot<Hall>) {
    hall.get_or_insert_with(Hall::default).0[0] += 1;
}

const N_ACCOUNTS: u32 = 500;

/// Transfers, some of which are rejected or fail; guests; accounts, half of which are missing; small and large sets.
fn events(n: u32) -> impl Iterator<Item = Entry> {
    (0..n).map(|nth| {
        let one = nth.wrapping_mul(0x9e37_79b9) >> 16;
        let [from, to] = [one % N_ACCOUNTS, (one / 7 + nth) % N_ACCOUNTS];
        match nth % 8 {
            0 => ComeOrGo((nth % 50).into()).into(),
            1 => Share(from % 400, 5).into(),
            2 => Share(from % 400, 60).into(),
            3 => Look(2 * from).into(),
            _ => Transfer(from, to).into(),
        }
    })
}

#[test]
fn event_with_a_large_id_takes_little_memory() {
    Child::new(|| {
        count_for_a_large_id();
    })
    .limit(LIMIT)
    .run();
}

fn count_for_a_large_id() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    for processing in [
        ProcessingMode::Auto,
        ProcessingMode::Serial,
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let mut resources = Resources::new();
        resources.insert(Records::<Hall>::new());
        let mut stream = Stream::new();
        stream.set_pool(Arc::clone(&pool));
        set_mode(&mut stream, processing);
        let mut n_bytes = |id| {
            let _profiler = dhat::Profiler::builder().testing().build();
            let mut is_applied = false;
            let report = |outcome: Outcome<Enter>| is_applied = outcome.is_applied();
            stream.process(&mut resources, [Enter(id)], report).unwrap();
            (is_applied, dhat::HeapStats::get().total_bytes)
        };
        assert!(n_bytes(0).0);
        for id in [u32::MAX, Hall::MAX_ID + 1] {
            let (is_applied, n_bytes) = n_bytes(id);
            assert!(!is_applied && n_bytes < 10_000, "{processing:?}: {n_bytes}");
        }
        let (is_applied, n_bytes) = n_bytes(Hall::MAX_ID);
        assert!(
            is_applied && n_bytes < 17 << 20,
            "{processing:?}: {n_bytes}"
        );
    }
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut halls = Records::new();
    assert!(halls.try_insert(u32::MAX, Hall::default()).is_err());
    assert_eq!(dhat::HeapStats::get().total_bytes, 0);
}

#[test]
fn events_allocate_nothing() {
    Child::new(|| {
        count_for_events();
    })
    .limit(LIMIT)
    .run();
}

fn count_for_events() {
    // One thread: requests for helpers allocate, and their number depends on timing.
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    for processing in [
        ProcessingMode::Serial,
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let mut resources = Resources::new();
        let accounts = (0..N_ACCOUNTS).map(|id| (id, Account(3)));
        resources.insert(Records::from_iter(accounts));
        resources.insert(Records::<Guest>::new());
        let mut stream = Stream::new();
        stream.set_pool(Arc::clone(&pool));
        set_mode(&mut stream, processing);
        let (mut n_reported, mut n_failed) = (0, 0);
        let mut process = |n| {
            let report = |outcome: Outcome<Entry>| {
                n_reported += 1;
                n_failed += u32::from(outcome.result.is_err());
            };
            stream.process(&mut resources, events(n), report).unwrap();
        };
        process(20_000);
        let _profiler = dhat::Profiler::builder().testing().build();
        process(20_000);
        let n_blocks = dhat::HeapStats::get().total_blocks;
        // Vacant places of guests are freed from time to time.
        assert!(n_blocks < 20, "{processing:?}: {n_blocks}");
        assert_eq!(n_reported, 40_000);
        assert!(n_failed > 100, "some are rejected, and some fail");
    }
}
