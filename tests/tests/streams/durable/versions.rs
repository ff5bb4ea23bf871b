//! Versions: a program reads the state of older versions, and does not replay their batches unless it is told to.

use schedule::prelude::*;
use schedule::snapshot::{Decoder, Snapshot, SnapshotError};
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::journal::open_on;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::journal::disk::SimulatedDisk;

/// The program of version 1.
mod first {
    use super::*;

    #[derive(Record, Snapshot, Serialize, Deserialize)]
    #[record(key = u32)]
    #[snapshot(name = "account")]
    pub(super) struct Account {
        pub(super) balance: u32,
    }

    #[derive(Clone, Event, Snapshot, Serialize, Deserialize)]
    #[event(deposit, answer = u32)]
    #[snapshot(name = "deposit")]
    pub(super) struct Deposit(pub(super) u32, pub(super) u32);

    /// The rest follows in the next batches.
    #[handler]
    pub(super) fn deposit(
        event: &Deposit,
        #[key(event.0)] account: &mut Account,
    ) -> FollowUps<Deposit, u32> {
        account.balance += event.1.min(10);
        let rest = event.1.checked_sub(10).filter(|rest| *rest > 0);
        FollowUps::events(rest.map(|rest| Deposit(event.0, rest))).answering(account.balance)
    }

    pub(super) fn recover(disk: &SimulatedDisk) -> DurableStream<Deposit> {
        let opened = open_on(disk.clone()).unwrap();
        let mut resources = Resources::new();
        resources.insert(Records::from_iter([(1, Account { balance: 0 })]));
        Durable::new("bank", 1)
            .state::<Records<Account>>()
            .recover_from(
                Box::new(opened.journal),
                Box::new(opened.snapshots),
                resources,
            )
            .unwrap()
    }
}

/// The program of version 2: larger balances, a purpose, and a counter.
mod second {
    use super::*;

    #[derive(Record, Snapshot, Serialize, Deserialize)]
    #[record(key = u32)]
    #[snapshot(name = "account", version = 2, migrate = account_v1)]
    pub(super) struct Account {
        pub(super) balance: u64,
    }

    fn account_v1(_: u32, from: &mut Decoder<'_>) -> Result<Account, SnapshotError> {
        let balance: u32 = from.read()?;
        Ok(Account {
            balance: balance.into(),
        })
    }

    #[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
    #[snapshot(name = "deposits")]
    pub(super) struct Deposits(pub(super) u64);

    #[derive(Clone, Event, Snapshot, Serialize, Deserialize)]
    #[event(deposit, answer = u32)]
    #[snapshot(name = "deposit", version = 2, migrate = deposit_v1)]
    pub(super) struct Deposit(pub(super) u32, pub(super) u32, pub(super) String);

    fn deposit_v1(_: u32, from: &mut Decoder<'_>) -> Result<Deposit, SnapshotError> {
        let (to, amount) = from.read()?;
        Ok(Deposit(to, amount, "unknown".to_string()))
    }

    #[handler]
    pub(super) fn deposit(
        event: &Deposit,
        #[key(event.0)] account: &mut Account,
        deposits: &mut Deposits,
    ) -> FollowUps<Deposit, u32> {
        account.balance += u64::from(event.1.min(10));
        deposits.0 += 1;
        let rest = event.1.checked_sub(10).filter(|rest| *rest > 0);
        let rest = rest.map(|rest| Deposit(event.0, rest, event.2.clone()));
        FollowUps::events(rest).answering(account.balance as u32)
    }

    pub(super) fn durable() -> Durable<Deposit> {
        Durable::new("bank", 2)
            .state::<Records<Account>>()
            .state::<Deposits>()
    }

    pub(super) fn recover(
        disk: &SimulatedDisk,
        durable: Durable<Deposit>,
    ) -> Result<DurableStream<Deposit>, String> {
        disk.end_program();
        let opened = open_on(disk.clone()).unwrap();
        let mut resources = Resources::new();
        resources.insert(Records::from_iter([(1, Account { balance: 0 })]));
        resources.insert_default::<Deposits>();
        durable
            .recover_from(
                Box::new(opened.journal),
                Box::new(opened.snapshots),
                resources,
            )
            .map_err(|error| error.to_string())
    }

    /// Returns the balance of account 1, and the number of deposits.
    pub(super) fn state(stream: &DurableStream<Deposit>) -> (u64, u64) {
        let accounts = stream.resources().get::<Records<Account>>().unwrap();
        let deposits = stream.resources().get::<Deposits>().unwrap();
        (accounts.get(1).unwrap().balance, deposits.0)
    }
}

#[test]
fn drained_program_is_upgraded_by_a_snapshot() {
    let disk = SimulatedDisk::new(0);
    let mut stream = first::recover(&disk);
    stream.process_batch([first::Deposit(1, 25)], drop).unwrap();
    assert_eq!(stream.drain(9, drop).unwrap(), 0);
    stream.snapshot().unwrap();
    drop(stream);
    let mut stream = second::recover(&disk, second::durable()).unwrap();
    assert_eq!(second::state(&stream), (25, 0));
    let deposit = second::Deposit(1, 7, "gift".to_string());
    stream.process(vec![deposit], drop).unwrap();
    assert_eq!(second::state(&stream), (32, 1));
    drop(stream);
    // The batch after the upgrade is of version 2.
    let stream = second::recover(&disk, second::durable()).unwrap();
    assert_eq!(second::state(&stream), (32, 1));
}

#[test]
fn batches_of_an_older_version_are_replayed_only_on_request() {
    let disk = SimulatedDisk::new(0);
    let mut stream = first::recover(&disk);
    stream.process_batch([first::Deposit(1, 25)], drop).unwrap();
    drop(stream);
    let refused = second::recover(&disk, second::durable()).unwrap_err();
    assert_eq!(
        refused,
        "batch 1 of version 1 of `program` cannot be replayed by version 2: drain the stream and take a snapshot with the old \
         version first, or call `replay_older`"
    );
    let mut stream = second::recover(&disk, second::durable().replay_older()).unwrap();
    assert_eq!((second::state(&stream), stream.n_pending()), ((10, 1), 1));
    let mut purposes = Vec::new();
    stream
        .drain(9, |outcome| purposes.push(outcome.event.2))
        .unwrap();
    assert_eq!(purposes, ["unknown", "unknown"]);
    assert_eq!(second::state(&stream), (25, 3));
}

#[test]
fn pending_events_of_an_older_version_are_replayed_only_on_request() {
    let disk = SimulatedDisk::new(0);
    let mut stream = first::recover(&disk);
    stream.process_batch([first::Deposit(1, 25)], drop).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let refused = second::recover(&disk, second::durable()).unwrap_err();
    assert_eq!(
        refused,
        "pending follow-up events of version 1 of `deposit` cannot be replayed by version 2: drain the stream and take a \
         snapshot with the old version first, or call `replay_older`"
    );
    let mut stream = second::recover(&disk, second::durable().replay_older()).unwrap();
    stream.drain(9, drop).unwrap();
    assert_eq!(second::state(&stream), (25, 2));
}

#[test]
fn program_does_not_read_the_state_of_a_newer_version() {
    let disk = SimulatedDisk::new(0);
    drop(second::recover(&disk, second::durable()).unwrap());
    disk.end_program();
    let opened = open_on(disk).unwrap();
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(1, first::Account { balance: 0 })]));
    let recovered = Durable::<first::Deposit>::new("bank", 1)
        .state::<Records<first::Account>>()
        .recover_from(
            Box::new(opened.journal),
            Box::new(opened.snapshots),
            resources,
        );
    assert_eq!(
        recovered.unwrap_err().to_string(),
        "`account` was saved in version 2, but this program has version 1: use a newer version of the program"
    );
}
