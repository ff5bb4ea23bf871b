//! The handlers of a ledger.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use inputs::transfers::{self, Block, Kind};
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::account::{Account, Holder, OPENING_TOKENS, OPENING_WEI, WEI_PER_ETHER};
use crate::result::{Applied, EventResult, Rejected};
use crate::table::{Table, locked, unlocked};
use crate::work::Work;
use crate::workload::Workload;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Payment {
    from: u32,
    to: u32,
    value_wei: u128,
}

/// `to` is `None` if sender and receiver are the same.
#[handler(alias = first)]
pub(crate) fn pay(
    event: &Payment,
    work: &Work,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: Option<&mut Account>,
) -> EventResult {
    work.run();
    let rest = from.after_payment(event.value_wei)?;
    let Some(to) = to else {
        return Ok(Applied::ToSelf);
    };
    from.wei = rest;
    to.wei += event.value_wei;
    Ok(Applied::Moved)
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct TokenTransfer {
    payment: Payment,
    token_from: u32,
    token_to: u32,
}

/// Like [`pay`], and moves a token. Either both happen or none.
#[handler(alias = first)]
pub(crate) fn move_token(
    event: &TokenTransfer,
    work: &Work,
    #[key(event.payment.from)] from: &mut Account,
    #[key(event.payment.to)] to: Option<&mut Account>,
    #[key(event.token_from)] token_from: &mut Holder,
    #[key(event.token_to)] token_to: Option<&mut Holder>,
) -> EventResult {
    let left = token_from.tokens.checked_sub(1).ok_or(Rejected::NoToken)?;
    let applied = pay(&event.payment, work, from, to)?;
    if let Some(token_to) = token_to {
        token_from.tokens = left;
        token_to.tokens += 1;
    }
    Ok(applied)
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Creation {
    creator: u32,
    contract: u32,
    value_wei: u128,
}

#[handler]
pub(crate) fn create(
    event: &Creation,
    work: &Work,
    #[key(event.creator)] creator: &mut Account,
    #[key(event.contract)] mut contract: Slot<Account>,
) -> EventResult {
    work.run();
    creator.wei = creator.after_payment(event.value_wei)?;
    contract.get_or_insert_with(Account::default).wei += event.value_wei;
    Ok(Applied::Moved)
}

#[derive(Clone, Copy, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = Applied, error = Rejected)]
#[snapshot(name = "transfer entry")]
pub(crate) enum Entry {
    #[event(pay)]
    Payment(Payment),
    #[event(move_token)]
    TokenTransfer(TokenTransfer),
    #[event(create)]
    Creation(Creation),
}

/// The transfers of a file.
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    /// `is_open[a]`: whether account a exists from the start; len = number of accounts, including those created later.
    is_open: Vec<bool>,
    n_holders: usize,
}

impl Ledger {
    pub(crate) fn new(blocks: &[Block]) -> Self {
        let mut accounts = Numbers::default();
        let mut holders = Numbers::default();
        let mut created = HashSet::new();
        let mut named = HashSet::new();
        let mut entries = Vec::new();
        for transfer in blocks.iter().flat_map(|block| &block.transfers) {
            let from = accounts.of(transfer.from);
            named.insert(from);
            let value_wei = transfer.value_wei;
            let contract = match (&transfer.kind, transfer.to) {
                (Kind::Create, None) => Some(accounts.of_new()),
                (Kind::Create, Some(to)) if to != transfer.from => Some(accounts.of(to)),
                _ => None,
            };
            if let Some(contract) = contract {
                created.insert(contract);
                entries.push(Entry::from(Creation {
                    creator: from,
                    contract,
                    value_wei,
                }));
                continue;
            }
            let to = accounts.of(transfer.to.unwrap_or(transfer.from));
            named.insert(to);
            let payment = Payment {
                from,
                to,
                value_wei,
            };
            entries.push(match transfer.kind {
                Kind::Erc20 {
                    token_from,
                    token_to,
                } => Entry::from(TokenTransfer {
                    payment,
                    token_from: holders.of(token_from),
                    token_to: holders.of(token_to),
                }),
                _ => Entry::from(payment),
            });
        }
        let is_open = |account| named.contains(&account) || !created.contains(&account);
        Self {
            entries,
            is_open: (0..accounts.n).map(is_open).collect(),
            n_holders: holders.n as usize,
        }
    }
}

/// Assigns the numbers 0, 1, 2 and so on, in the order in which accounts occur first.
#[derive(Default)]
struct Numbers {
    by_account: HashMap<transfers::Account, u32>,
    n: u32,
}

impl Numbers {
    fn of(&mut self, account: transfers::Account) -> u32 {
        if let Some(number) = self.by_account.get(&account) {
            return *number;
        }
        let number = self.of_new();
        self.by_account.insert(account, number);
        number
    }

    /// Returns the number of an account that does not occur in the file.
    fn of_new(&mut self) -> u32 {
        self.n = self
            .n
            .checked_add(1)
            .expect("the file has fewer than 2^32 accounts");
        self.n - 1
    }
}

/// All accounts and holders, indexed by number. A contract is `None` before it is created.
pub(crate) struct Tables<A = Vec<Option<Account>>, H = Vec<Holder>> {
    accounts: A,
    holders: H,
}

type Locks = Tables<Vec<Mutex<Option<Account>>>, Vec<Mutex<Holder>>>;

impl<A: Table<Option<Account>>, H: Table<Holder>> Tables<A, H> {
    fn apply(&mut self, entry: &Entry, work: &Work) -> EventResult {
        let Self { accounts, holders } = self;
        match entry {
            Entry::Payment(event) => accounts.with_two([event.from, event.to], |from, to| {
                pay(event, work, open(from), to.map(open))
            }),
            Entry::TokenTransfer(event) => {
                let Payment { from, to, .. } = event.payment;
                accounts.with_two([from, to], |from, to| {
                    holders.with_two(
                        [event.token_from, event.token_to],
                        |token_from, token_to| {
                            move_token(event, work, open(from), to.map(open), token_from, token_to)
                        },
                    )
                })
            }
            Entry::Creation(event) => {
                accounts.with_two([event.creator, event.contract], |creator, contract| {
                    let contract = contract.expect("the contract differs from the creator");
                    create(event, work, open(creator), Slot::new(contract))
                })
            }
        }
    }
}

fn open(account: &mut Option<Account>) -> &mut Account {
    account
        .as_mut()
        .expect("no other event uses an account before its creation")
}

impl Workload for Ledger {
    type Entry = Entry;
    type Tables = Tables;
    type Locks = Locks;

    fn describe(&self) -> String {
        let n_accounts = self.is_open.iter().filter(|is_open| **is_open).count();
        let n_holders = self.n_holders;
        let ether = OPENING_WEI / WEI_PER_ETHER;
        format!(
            "{n_accounts} accounts open with {ether} ether each, {n_holders} holders with {OPENING_TOKENS} tokens each"
        )
    }

    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn tables(&self) -> Tables {
        let account = |is_open: &bool| is_open.then_some(Account { wei: OPENING_WEI });
        let holder = Holder {
            tokens: OPENING_TOKENS,
        };
        Tables {
            accounts: self.is_open.iter().map(account).collect(),
            holders: vec![holder; self.n_holders],
        }
    }

    fn lock(tables: Tables) -> Locks {
        Tables {
            accounts: locked(tables.accounts),
            holders: locked(tables.holders),
        }
    }

    fn unlock(locks: Locks) -> Tables {
        Tables {
            accounts: unlocked(locks.accounts),
            holders: unlocked(locks.holders),
        }
    }

    fn insert(tables: Tables, resources: &mut Resources) {
        let accounts = (0..)
            .zip(tables.accounts)
            .filter_map(|(number, account)| Some((number, account?)));
        resources.insert(Records::from_iter(accounts));
        resources.insert(Records::from_iter((0..).zip(tables.holders)));
    }

    fn declare(cluster: Cluster<Entry>) -> Cluster<Entry> {
        cluster.records::<Account>().records::<Holder>()
    }

    fn balances(tables: &Tables) -> Vec<u128> {
        let accounts = (0..)
            .zip(&tables.accounts)
            .filter_map(|(number, account)| Some((number, account.as_ref()?)));
        numbers(accounts, (0..).zip(&tables.holders))
    }

    fn balances_in(resources: &Resources) -> Vec<u128> {
        let accounts = resources
            .get::<Records<Account>>()
            .expect("they were inserted")
            .iter();
        let holders = resources
            .get::<Records<Holder>>()
            .expect("they were inserted")
            .iter();
        numbers(
            accounts.map(|(number, account)| (*number, account)),
            holders.map(|(number, holder)| (*number, holder)),
        )
    }

    fn apply(tables: &mut Tables, entry: &Entry, work: &Work) -> EventResult {
        tables.apply(entry, work)
    }

    fn apply_locked(locks: &Locks, entry: &Entry, work: &Work) -> EventResult {
        let mut tables = Tables {
            accounts: locks.accounts.as_slice(),
            holders: locks.holders.as_slice(),
        };
        tables.apply(entry, work)
    }
}

fn numbers<'b>(
    accounts: impl Iterator<Item = (u32, &'b Account)>,
    holders: impl Iterator<Item = (u32, &'b Holder)>,
) -> Vec<u128> {
    let accounts = accounts.map(|(number, account)| [number.into(), account.wei]);
    let holders = holders.map(|(number, holder)| [number.into(), holder.tokens.into()]);
    accounts.chain(holders).flatten().collect()
}

#[cfg(test)]
mod tests;
