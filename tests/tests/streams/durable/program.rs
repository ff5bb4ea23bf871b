//! A small bank: accounts with hashed keys that are opened and closed, follow-up events, and a fold over the whole store.

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, EventLimits, Position};
use serde::{Deserialize, Serialize};

use crate::journal::disk::Random;
use crate::stream::By;

#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(key = u32)]
#[snapshot(name = "account")]
pub(crate) struct Account {
    pub(crate) balance: u64,
    opened: u64,
}

impl Account {
    /// The time of the batch that has opened it, in nanoseconds.
    pub(crate) fn opened(&self) -> u64 {
        self.opened
    }
}

/// Depends on the order of the store.
#[derive(Clone, Debug, Default, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "audits")]
pub(crate) struct Audits(u64);

#[derive(Clone, Debug, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "fee")]
pub(crate) struct Fee(pub(crate) u64);

#[derive(Clone, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64, error = String)]
#[snapshot(name = "entry")]
pub(crate) enum Entry {
    #[event(open)]
    Open(Open),
    #[event(close)]
    Close(Close),
    #[event(pay)]
    Pay(Pay),
    #[event(spread)]
    Spread(Spread),
    #[event(audit)]
    Audit(Audit),
    #[event(look)]
    Look(Look),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Open(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Close(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pay {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) amount: u64,
}

/// Pays to the next accounts, one after the other, by follow-up events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) from: u32,
    pub(crate) n: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Audit;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Look(pub(crate) u32);

#[handler]
fn look(event: &Look, #[key(event.0)] account: &Account) -> u64 {
    let _ = event;
    account.balance
}

/// Each account begins with 100.
#[handler]
fn open(
    event: &Open,
    #[key(event.0)] mut account: Slot<Account>,
    time: BatchTime,
) -> Result<u64, String> {
    if account.get().is_some() {
        return Err("it is open".to_string());
    }
    let opened = time.as_nanos();
    account.insert(Account {
        balance: 100,
        opened,
    });
    Ok(opened)
}

#[handler]
fn close(event: &Close, #[key(event.0)] mut account: Slot<Account>) -> Result<u64, String> {
    let balance = account.remove().ok_or("it is not open")?.balance;
    match event.0 % 7 {
        // Leaves a removed account, although it fails.
        3 => panic!("account {} was closed", event.0),
        _ => Ok(balance),
    }
}

#[handler]
fn pay(
    event: &Pay,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
    fee: &Fee,
) -> Result<u64, String> {
    let amount = event.amount + fee.0;
    from.balance = from.balance.checked_sub(amount).ok_or("overdrawn")?;
    to.balance += event.amount;
    Ok(from.balance)
}

#[handler]
fn spread(event: &Spread, position: Position) -> FollowUps<Entry, u64> {
    let Spread { from, n } = *event;
    let pay = Entry::Pay(Pay {
        from,
        to: from + n,
        amount: 1,
    });
    let more = (n > 1).then_some(Entry::Spread(Spread { from, n: n - 1 }));
    FollowUps::events(more.into_iter().chain([pay])).answering(u64::from(position.index))
}

#[handler]
fn audit(_: &Audit, accounts: &Records<Account>, audits: &mut Audits) -> u64 {
    for (key, account) in accounts.iter() {
        audits.0 = audits.0.rotate_left(5) ^ u64::from(*key) ^ account.balance ^ account.opened;
    }
    audits.0
}

/// Returns a random event among this number of accounts.
pub(crate) fn entry(random: &mut Random, n_accounts: u32) -> Entry {
    let mut key = || random.below(n_accounts.into()) as u32;
    let (from, to) = (key(), key());
    match random.below(10) {
        0 | 1 => Entry::Open(Open(from)),
        2 => Entry::Close(Close(from)),
        3 => Entry::Spread(Spread {
            from,
            n: 1 + to % 4,
        }),
        4 => Entry::Audit(Audit),
        _ => Entry::Pay(Pay {
            from,
            to,
            amount: random.below(30),
        }),
    }
}

pub(crate) fn entries(random: &mut Random, n: u64, n_accounts: u32) -> Vec<Entry> {
    (0..n).map(|_| entry(random, n_accounts)).collect()
}

pub(crate) fn bank(by: By) -> Durable<Entry> {
    Durable::new("bank", 1)
        .state::<Records<Account>>()
        .state::<Audits>()
        .constant::<Fee>()
        .set_up(move |stream| by.set(stream))
}

/// So few that follow-up events often wait for later batches.
pub(crate) const MAX_FOLLOW_UPS: usize = 3;

pub(crate) const SMALL: EventLimits = EventLimits::new()
    .max_follow_ups(MAX_FOLLOW_UPS as u32)
    .max_depth(3);

/// A bank with small limits.
pub(crate) fn small_bank(by: By) -> Durable<Entry> {
    bank(by).set_up(|stream| stream.set_limits(SMALL))
}

pub(crate) fn resources() -> Resources {
    let mut resources = Resources::new();
    let accounts = (0..3).map(|key| {
        (
            key,
            Account {
                balance: 100,
                opened: 0,
            },
        )
    });
    resources.insert(Records::from_iter(accounts));
    resources.insert_default::<Audits>();
    resources.insert(Fee(1));
    resources
}

/// The time of each batch in these tests.
pub(crate) fn time(batch: u64) -> BatchTime {
    BatchTime::from_nanos(batch * 1_000)
}

/// Lets batches of a recovered stream have the times of [`time`].
pub(crate) fn set_clock(stream: &mut DurableStream<Entry>) {
    let mut next = stream.next_batch();
    stream.set_clock(move || {
        next += 1;
        time(next - 1)
    });
}

/// The content of the stores in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    accounts: Vec<(u32, Account)>,
    audits: Audits,
}

pub(crate) fn content(resources: &Resources) -> Content {
    let accounts = resources.get::<Records<Account>>().unwrap();
    Content {
        accounts: accounts
            .iter()
            .map(|(key, account)| (*key, account.clone()))
            .collect(),
        audits: resources.get::<Audits>().unwrap().clone(),
    }
}

/// An outcome, in a form that can be compared.
pub(crate) type Told = (Position, Option<Position>, Entry, Result<u64, String>);

pub(crate) fn told(outcome: Outcome<Entry>) -> Told {
    let result = outcome.result.map_err(|error| error.to_string());
    (outcome.position, outcome.cause, outcome.event, result)
}

/// Like [`told`]. Copies the outcome.
pub(crate) fn told_copy(outcome: &Outcome<Entry>) -> Told {
    let result = outcome
        .result
        .as_ref()
        .copied()
        .map_err(ToString::to_string);
    let event = outcome.event.clone();
    (outcome.position, outcome.cause, event, result)
}

/// A sequential run of these batches, without a journal.
pub(crate) struct Reference {
    stream: Stream<Entry>,
    pub(crate) resources: Resources,
    /// The number of the next batch.
    next: u64,
}

impl Reference {
    pub(crate) fn new() -> Self {
        Self::with(EventLimits::new())
    }

    /// The run of a [`small_bank`].
    pub(crate) fn small() -> Self {
        Self::with(SMALL)
    }

    fn with(limits: EventLimits) -> Self {
        let mut stream = Stream::new();
        stream.set_processing(schedule_stream::Processing::Serial);
        stream.set_limits(limits);
        Self {
            stream,
            resources: resources(),
            next: 1,
        }
    }

    /// Processes a batch with these events, at the time of these tests.
    pub(crate) fn process(&mut self, events: &[Entry]) -> Vec<Told> {
        self.process_at(time(self.next).as_nanos(), events)
    }

    /// Processes these events as [`process_batch`](schedule_stream::durable::DurableStream::process_batch): after those batches
    /// of follow-up events that come first. Each batch has the time of these tests. For a [`small_bank`].
    pub(crate) fn process_call(&mut self, events: &[Entry]) -> Vec<Told> {
        let mut outcomes = Vec::new();
        while self.n_pending() > MAX_FOLLOW_UPS {
            outcomes.extend(self.process(&[]));
        }
        outcomes.extend(self.process(events));
        outcomes
    }

    /// Processes a batch with these events. Returns the outcomes, with the batch numbers of a durable stream. There, a batch
    /// without events counts.
    pub(crate) fn process_at(&mut self, nanos: u64, events: &[Entry]) -> Vec<Told> {
        self.stream.set_clock(move || BatchTime::from_nanos(nanos));
        let mut outcomes = Vec::new();
        let n_before = self.next - self.stream.next_batch();
        let shift = |position: Position| Position::new(position.batch + n_before, position.index);
        let report = |outcome: Outcome<Entry>| {
            let (position, cause, event, result) = told(outcome);
            outcomes.push((shift(position), cause.map(shift), event, result));
        };
        if events.is_empty() {
            let drained = self.stream.drain(&mut self.resources, 1, report);
            drained.map(drop).unwrap();
        } else {
            let events = events.iter().cloned();
            let processed = self
                .stream
                .process_batch(&mut self.resources, events, report);
            processed.unwrap();
        }
        self.next += 1;
        outcomes
    }

    pub(crate) fn n_pending(&self) -> usize {
        self.stream.n_pending()
    }
}
