//! Balances of the accounts.

use core::fmt;
use std::collections::HashMap;

use inputs::transfers::{Account, Block};
use schedule::prelude::*;

pub(crate) const WEI_PER_ETHER: u128 = 10_u128.pow(18);

/// Balance of every account at the start. The file has only a few blocks of many, so the real balances are unknown.
pub(crate) const OPENING_WEI: u128 = 1000 * WEI_PER_ETHER;

/// The balance of each account in wei. An account opens when it occurs first.
#[derive(Resource, Default)]
pub(crate) struct Balances {
    by_account: HashMap<Account, u128>,
    /// Total balance of new contracts whose accounts are unknown.
    in_contracts: u128,
}

impl Balances {
    /// Moves the value and returns true, or returns false if the balance is too small.
    fn settle(&mut self, from: Account, to: Option<Account>, value_wei: u128) -> bool {
        let balance = self.open(from);
        let is_settled = value_wei <= *balance;
        if is_settled {
            *balance -= value_wei;
        }
        let moved_wei = if is_settled { value_wei } else { 0 };
        match to {
            Some(to) => *self.open(to) += moved_wei,
            None => self.in_contracts += moved_wei,
        }
        is_settled
    }

    fn open(&mut self, account: Account) -> &mut u128 {
        self.by_account.entry(account).or_insert(OPENING_WEI)
    }
}

/// `settled[i]`: whether transfer `i` of the block was executed; len = transfers of the block.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Settled(Vec<bool>);

/// Totals of the transfers of a block.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct Settlement {
    pub(crate) n_rejected: u64,
    pub(crate) moved_wei: u128,
}

#[system]
pub(crate) fn settle(block: &Block, balances: &mut Balances, settled: &mut Settled) {
    settled.clear();
    for transfer in &block.transfers {
        settled.push(balances.settle(transfer.from, transfer.to, transfer.value_wei));
    }
}

#[system]
pub(crate) fn sum_up(block: &Block, settled: &Settled, settlement: &mut Settlement) {
    *settlement = Settlement::default();
    for (transfer, &is_settled) in block.transfers.iter().zip(settled.iter()) {
        if is_settled {
            settlement.moved_wei += transfer.value_wei;
        } else {
            settlement.n_rejected += 1;
        }
    }
}

/// Fails if the total of all balances changed.
#[system]
pub(crate) fn audit(balances: &Balances) -> Result<(), Leak> {
    let opening_wei = OPENING_WEI * balances.by_account.len() as u128;
    let wei = balances.by_account.values().sum::<u128>() + balances.in_contracts;
    if wei == opening_wei {
        Ok(())
    } else {
        Err(Leak { opening_wei, wei })
    }
}

/// The total of all balances differs from the total at the start.
#[derive(Debug)]
pub(crate) struct Leak {
    opening_wei: u128,
    wei: u128,
}

impl core::error::Error for Leak {}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { opening_wei, wei } = self;
        write!(
            f,
            "the total of all balances changed from {opening_wei} to {wei} wei"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Account = Account(1);
    const TO: Account = Account(2);

    #[test]
    fn an_overdraft_moves_nothing_but_opens_both_accounts() {
        let mut balances = Balances::default();
        assert!(!balances.settle(FROM, Some(TO), OPENING_WEI + 1));
        assert_eq!(balances.by_account[&FROM], OPENING_WEI);
        assert_eq!(balances.by_account[&TO], OPENING_WEI);
    }

    #[test]
    fn paying_oneself_keeps_the_balance() {
        let mut balances = Balances::default();
        assert!(balances.settle(FROM, Some(FROM), OPENING_WEI));
        assert_eq!(balances.by_account[&FROM], OPENING_WEI);
    }

    #[test]
    fn payments_to_new_contracts_are_counted() {
        let mut balances = Balances::default();
        assert!(balances.settle(FROM, None, 7));
        assert_eq!(balances.in_contracts, 7);
        audit(&balances).unwrap();
    }
}
