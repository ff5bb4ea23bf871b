//! A small bank: the benchmark SmallBank (Alomari et al. 2008), with the frequencies of events of H-Store.
//!
//! Each customer has a savings and a checking account. Six kinds of events occur at random, from a fixed seed.

use std::sync::Mutex;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::result::{Applied, EventResult, Rejected};
use crate::table::{Table, locked, unlocked};
use crate::work::Work;
use crate::workload::Workload;

/// A savings account, in cents.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug)]
#[record(id = u32)]
#[snapshot(name = "savings")]
pub(crate) struct Savings(i64);

/// A checking account, in cents. It can be negative, because checks are always paid.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug)]
#[record(id = u32)]
#[snapshot(name = "checking")]
pub(crate) struct Checking(i64);

/// Balance of each account at the start.
const OPENING_CENTS: i64 = 10_000;
const N_CUSTOMERS: u32 = 10_000;
const N_EVENTS: usize = 200_000;
const MAX_CENTS: u64 = 10_000;
/// Penalty for a check above the total balance.
const PENALTY_CENTS: i64 = 100;

/// Moves all money of a customer to the checking account of a customer, who may be the same one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Amalgamate {
    from: u32,
    to: u32,
}

#[handler(alias = first)]
pub(crate) fn amalgamate(
    event: &Amalgamate,
    work: &Work,
    #[key(event.from)] savings: &mut Savings,
    #[key(event.from)] checking: &mut Checking,
    #[key(event.to)] to: Option<&mut Checking>,
) -> EventResult {
    work.run();
    let saved = core::mem::take(&mut savings.0);
    let Some(to) = to else {
        checking.0 += saved;
        return Ok(Applied::ToSelf);
    };
    to.0 += saved + core::mem::take(&mut checking.0);
    Ok(Applied::Moved)
}

/// Reads the total balance of a customer. Rejected if it is negative.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Balance {
    of: u32,
}

#[handler]
pub(crate) fn balance(
    event: &Balance,
    work: &Work,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &Checking,
) -> EventResult {
    work.run();
    if savings.0 + checking.0 < 0 {
        Err(Rejected::Overdrawn)
    } else {
        Ok(Applied::Moved)
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct DepositChecking {
    to: u32,
    cents: i64,
}

#[handler]
pub(crate) fn deposit_checking(
    event: &DepositChecking,
    work: &Work,
    #[key(event.to)] to: &mut Checking,
) -> EventResult {
    work.run();
    to.0 += event.cents;
    Ok(Applied::Moved)
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SendPayment {
    from: u32,
    to: u32,
    cents: i64,
}

#[handler(alias = first)]
pub(crate) fn send_payment(
    event: &SendPayment,
    work: &Work,
    #[key(event.from)] from: &mut Checking,
    #[key(event.to)] to: Option<&mut Checking>,
) -> EventResult {
    work.run();
    if from.0 < event.cents {
        return Err(Rejected::Overdrawn);
    }
    let Some(to) = to else {
        return Ok(Applied::ToSelf);
    };
    from.0 -= event.cents;
    to.0 += event.cents;
    Ok(Applied::Moved)
}

/// Deposits money in a savings account. A negative amount is a withdrawal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct TransactSavings {
    of: u32,
    cents: i64,
}

#[handler]
pub(crate) fn transact_savings(
    event: &TransactSavings,
    work: &Work,
    #[key(event.of)] savings: &mut Savings,
) -> EventResult {
    work.run();
    if savings.0 + event.cents < 0 {
        return Err(Rejected::Overdrawn);
    }
    savings.0 += event.cents;
    Ok(Applied::Moved)
}

/// Pays a check. It is never rejected, but costs a penalty if the total balance is too small.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct WriteCheck {
    of: u32,
    cents: i64,
}

#[handler]
pub(crate) fn write_check(
    event: &WriteCheck,
    work: &Work,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &mut Checking,
) -> EventResult {
    work.run();
    let is_covered = savings.0 + checking.0 >= event.cents;
    checking.0 -= event.cents;
    if !is_covered {
        checking.0 -= PENALTY_CENTS;
    }
    Ok(Applied::Moved)
}

#[derive(Clone, Copy, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = Applied, error = Rejected)]
#[snapshot(name = "bank entry")]
pub(crate) enum Entry {
    #[event(amalgamate)]
    Amalgamate(Amalgamate),
    #[event(balance)]
    Balance(Balance),
    #[event(deposit_checking)]
    DepositChecking(DepositChecking),
    #[event(send_payment)]
    SendPayment(SendPayment),
    #[event(transact_savings)]
    TransactSavings(TransactSavings),
    #[event(write_check)]
    WriteCheck(WriteCheck),
}

/// The events of a day. They are the same in each run.
pub(crate) struct Bank {
    entries: Vec<Entry>,
}

impl Bank {
    pub(crate) fn new() -> Self {
        Self::with_n_events(N_EVENTS)
    }

    /// Returns a bank with this number of events.
    pub(crate) fn with_n_events(n_events: usize) -> Self {
        let mut dice = Dice(8);
        Self {
            entries: (0..n_events).map(|_| Entry::random(&mut dice)).collect(),
        }
    }
}

impl Entry {
    fn random(dice: &mut Dice) -> Self {
        let percent = dice.below(100);
        let [of, to] = [(); 2].map(|()| dice.below(N_CUSTOMERS.into()) as u32);
        let cents = dice.below(MAX_CENTS) as i64;
        match percent {
            0..15 => Self::from(Amalgamate { from: of, to }),
            15..30 => Self::from(Balance { of }),
            30..45 => Self::from(DepositChecking { to, cents }),
            45..70 => Self::from(SendPayment {
                from: of,
                to,
                cents,
            }),
            70..85 => Self::from(TransactSavings {
                of,
                cents: cents - MAX_CENTS as i64 / 2,
            }),
            _ => Self::from(WriteCheck { of, cents }),
        }
    }
}

/// Random numbers from a seed. SplitMix64: Steele, Lea, Flood 2014.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }
}

/// The accounts of all customers, indexed by customer.
pub(crate) struct Tables<S = Vec<Savings>, C = Vec<Checking>> {
    savings: S,
    checking: C,
}

type Locks = Tables<Vec<Mutex<Savings>>, Vec<Mutex<Checking>>>;

impl<S: Table<Savings>, C: Table<Checking>> Tables<S, C> {
    fn apply(&mut self, entry: &Entry, work: &Work) -> EventResult {
        let Self {
            savings: all_savings,
            checking: all_checking,
        } = self;
        match entry {
            Entry::Amalgamate(event) => all_savings.with_one(event.from, |savings| {
                all_checking.with_two([event.from, event.to], |checking, to| {
                    amalgamate(event, work, savings, checking, to)
                })
            }),
            Entry::Balance(event) => all_savings.with_one(event.of, |savings| {
                all_checking.with_one(event.of, |checking| balance(event, work, savings, checking))
            }),
            Entry::DepositChecking(event) => {
                all_checking.with_one(event.to, |to| deposit_checking(event, work, to))
            }
            Entry::SendPayment(event) => all_checking
                .with_two([event.from, event.to], |from, to| {
                    send_payment(event, work, from, to)
                }),
            Entry::TransactSavings(event) => {
                all_savings.with_one(event.of, |savings| transact_savings(event, work, savings))
            }
            Entry::WriteCheck(event) => all_savings.with_one(event.of, |savings| {
                all_checking.with_one(event.of, |checking| {
                    write_check(event, work, savings, checking)
                })
            }),
        }
    }
}

impl Workload for Bank {
    type Entry = Entry;
    type Tables = Tables;
    type Locks = Locks;

    fn describe(&self) -> String {
        format!(
            "a small bank; {N_CUSTOMERS} customers, with {OPENING_CENTS} cents in each of two accounts"
        )
    }

    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn tables(&self) -> Tables {
        Tables {
            savings: vec![Savings(OPENING_CENTS); N_CUSTOMERS as usize],
            checking: vec![Checking(OPENING_CENTS); N_CUSTOMERS as usize],
        }
    }

    fn lock(tables: Tables) -> Locks {
        Tables {
            savings: locked(tables.savings),
            checking: locked(tables.checking),
        }
    }

    fn unlock(locks: Locks) -> Tables {
        Tables {
            savings: unlocked(locks.savings),
            checking: unlocked(locks.checking),
        }
    }

    fn insert(tables: Tables, resources: &mut Resources) {
        resources.insert(Records::from_iter((0..).zip(tables.savings)));
        resources.insert(Records::from_iter((0..).zip(tables.checking)));
    }

    fn declare(cluster: Cluster<Entry>) -> Cluster<Entry> {
        cluster.records::<Savings>().records::<Checking>()
    }

    fn balances(tables: &Tables) -> Vec<u128> {
        let savings = tables.savings.iter().map(|savings| savings.0);
        let checking = tables.checking.iter().map(|checking| checking.0);
        savings.chain(checking).map(bits).collect()
    }

    fn balances_in(resources: &Resources) -> Vec<u128> {
        let savings = resources
            .get::<Records<Savings>>()
            .expect("they were inserted")
            .iter();
        let checking = resources
            .get::<Records<Checking>>()
            .expect("they were inserted")
            .iter();
        let savings = savings.map(|(_, savings)| savings.0);
        let checking = checking.map(|(_, checking)| checking.0);
        savings.chain(checking).map(bits).collect()
    }

    fn apply(tables: &mut Tables, entry: &Entry, work: &Work) -> EventResult {
        tables.apply(entry, work)
    }

    fn apply_locked(locks: &Locks, entry: &Entry, work: &Work) -> EventResult {
        let mut tables = Tables {
            savings: locks.savings.as_slice(),
            checking: locks.checking.as_slice(),
        };
        tables.apply(entry, work)
    }
}

fn bits(cents: i64) -> u128 {
    u128::from(cents as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::method::{self, Measurements};
    use crate::options::Options;

    #[test]
    fn stream_and_loop_have_the_same_result() {
        for n_threads in [1, 2, 4] {
            let options = Options {
                file: None,
                n_threads,
                n_processes: None,
                handler_ns: 0,
            };
            let bank = Arc::new(Bank::with_n_events(3_000));
            let Measurements { serial, stream, .. } =
                method::run_all(&bank, Work::new(0), &options).unwrap();
            assert!(serial.is_deterministic && stream.is_deterministic);
            assert_eq!(serial.state, stream.state);
            assert_eq!(serial.outcomes, stream.outcomes);
            assert!(serial.tally.n_accepted > 0 && serial.tally.n_rejected > 0);
        }
    }

    #[test]
    fn amalgamating_with_oneself_moves_the_savings() {
        let (mut savings, mut checking) = (Savings(3), Checking(4));
        let event = Amalgamate { from: 0, to: 0 };
        let result = amalgamate(&event, &Work::new(0), &mut savings, &mut checking, None);
        assert_eq!(result, Ok(Applied::ToSelf));
        assert_eq!((savings.0, checking.0), (0, 7));
    }

    #[test]
    fn check_above_the_balance_costs_a_penalty() {
        let write = |cents| {
            let mut checking = Checking(4);
            let event = WriteCheck { of: 0, cents };
            write_check(&event, &Work::new(0), &Savings(3), &mut checking).unwrap();
            checking.0
        };
        assert_eq!(write(7), -3);
        assert_eq!(write(8), -4 - PENALTY_CENTS);
    }
}
