//! Two accounts with hashed keys.

use std::collections::HashMap;

use benches::random_graph::Dice;
use benches::work::take;
use foldhash::fast::RandomState;
use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::Parameters;

const OPENING: i64 = 1_000_000;

/// The number of accounts.
pub(super) struct Hashed {
    name: &'static str,
    n_accounts: usize,
}

impl Hashed {
    pub(super) const ONE_THOUSAND: Self = Self {
        name: "hashed-1k",
        n_accounts: 1_000,
    };
    pub(super) const ONE_MILLION: Self = Self {
        name: "hashed-1M",
        n_accounts: 1_000_000,
    };

    fn accounts(&self) -> impl Iterator<Item = u64> {
        (0..self.n_accounts).map(key)
    }
}

/// The key of account `n`.
fn key(nth: usize) -> u64 {
    nth as u64 * 7_919
}

#[derive(Record)]
#[record(key = u64)]
struct Account(i64);

#[derive(Clone)]
pub(super) struct Payment {
    from: u64,
    to: u64,
    amount: i64,
    n_steps: u64,
}

impl Payment {
    fn settle(&self, from: &mut i64, to: &mut i64) -> i64 {
        take(self.n_steps);
        if *from < self.amount {
            return 0;
        }
        *from -= self.amount;
        *to += self.amount;
        *to
    }
}

#[handler]
fn pay(
    event: &Payment,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> i64 {
    event.settle(&mut from.0, &mut to.0)
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(pay)]
    Payment(Payment),
}

impl Parameters for Hashed {
    type Event = Entry;
    type State = HashMap<u64, i64, RandomState>;

    fn name(&self) -> &'static str {
        self.name
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let payment = |_| {
            let from = dice.below(self.n_accounts);
            let to = (from + 1 + dice.below(self.n_accounts - 1)) % self.n_accounts;
            Entry::Payment(Payment {
                from: key(from),
                to: key(to),
                amount: dice.below(20) as i64,
                n_steps,
            })
        };
        (0..n_events).map(payment).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        let accounts = self.accounts().map(|key| (key, Account(OPENING)));
        resources.insert(Records::from_iter(accounts));
        resources
    }

    fn state(&self) -> Self::State {
        self.accounts().map(|key| (key, OPENING)).collect()
    }

    fn by_hand(balances: &mut Self::State, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for Entry::Payment(event) in events {
            let both = balances.get_disjoint_mut([&event.from, &event.to]);
            if let [Some(from), Some(to)] = both {
                report(event.settle(from, to));
            }
        }
    }
}
