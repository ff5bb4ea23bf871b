//! A bank: payments between accounts, with arithmetic of a known duration.

use std::hint::black_box;
use std::time::Instant;

use benches::random_graph::Dice;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::program::{Program, records_digest};

/// Number of accounts, if a part has no other number.
pub(crate) const N_ACCOUNTS: u32 = 100_000;

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "account")]
pub(crate) struct Account {
    cents: i64,
    /// Depends on the order of the events.
    hash: u64,
    n_events: u64,
}

#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(transfer, answer = bool, error = String)]
#[snapshot(name = "transfer")]
pub(crate) struct Transfer {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) cents: u32,
    pub(crate) n_steps: u32,
}

/// Arithmetic whose steps depend on each other.
fn work(n_steps: u32, seed: u32) {
    let mut x = u64::from(seed) | 1;
    for _ in 0..n_steps {
        x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    black_box(x);
}

/// Returns the number of steps that take this time.
pub(crate) fn n_steps(ns: u32) -> u32 {
    const N: u32 = 2_000_000;
    let time = |_| {
        let start = Instant::now();
        work(N, 7);
        start.elapsed()
    };
    // The minimum has the fewest interruptions.
    let least = (0..20).map(time).min().unwrap_or_default();
    (f64::from(ns) * f64::from(N) / least.as_nanos() as f64) as u32
}

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> bool {
    work(event.n_steps, event.cents);
    let cents = i64::from(event.cents);
    let is_covered = from.cents >= cents;
    if is_covered {
        from.cents -= cents;
        to.cents += cents;
    }
    for (account, turn) in [(from, 0), (to, 7)] {
        let hash = account.hash ^ u64::from(event.cents);
        account.hash = hash.wrapping_mul(0x100_0000_01b3).rotate_left(turn);
        account.n_events += 1;
    }
    is_covered
}

/// The bank with this number of accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bank(pub(crate) u32);

impl Program for Bank {
    type Event = Transfer;

    const NAME: &'static str = "bank";

    fn of_size(size: u32) -> Self {
        Self(size)
    }

    fn size(self) -> u32 {
        self.0
    }

    fn resources(self) -> Resources {
        let account = |id| {
            let account = Account {
                cents: 1_000,
                hash: 7,
                n_events: 0,
            };
            (id, account)
        };
        let mut resources = Resources::new();
        resources.insert(Records::from_iter((0..self.0).map(account)));
        resources
    }

    fn declare(durable: Durable<Transfer>) -> Durable<Transfer> {
        durable.state::<Records<Account>>()
    }

    fn declare_cluster(cluster: Cluster<Transfer>) -> Cluster<Transfer> {
        cluster.records::<Account>()
    }

    fn digest(resources: &Resources) -> u64 {
        records_digest::<Account>(resources)
    }
}

/// Returns random transfers. Of them, `percent` have their accounts in two of `n_processes` processes.
pub(crate) fn transfers(n: usize, n_steps: u32, percent: u32, n_processes: u32) -> Vec<Transfer> {
    let mut dice = Dice::new(8);
    let mut below = |n: u32| dice.below(n as usize) as u32;
    let owner: Vec<u32> = (0..N_ACCOUNTS)
        .map(|id| schedule_cluster::owner_of(&id, n_processes))
        .collect();
    let mut transfers = Vec::with_capacity(n);
    while transfers.len() < n {
        let is_across = below(100) < percent;
        let pair = [(); 2].map(|()| below(N_ACCOUNTS));
        let [from, to] = pair;
        let [of_from, of_to] = pair.map(|id| owner[id as usize]);
        if from != to && (of_from != of_to) == is_across {
            transfers.push(Transfer {
                from,
                to,
                cents: below(100) + 1,
                n_steps,
            });
        }
    }
    transfers
}
