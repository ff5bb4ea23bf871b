//! Accounts with money, and holders with tokens.

use schedule_stream::prelude::*;

use crate::verdict::Refused;

pub(crate) const WEI_PER_ETHER: u128 = 10_u128.pow(18);

/// The opening balance of each account. The file has only a few blocks of a chain, so real balances are unknown.
pub(crate) const OPENING_WEI: u128 = 1000 * WEI_PER_ETHER;

/// The opening number of tokens of each holder.
pub(crate) const OPENING_TOKENS: u64 = 100;

/// An account. Ids are consecutive numbers from 0.
#[derive(Record, Clone, Debug, Default, PartialEq)]
#[record(id = u32)]
pub(crate) struct Account {
    pub(crate) wei: u128,
}

/// A holder of tokens, of any contract.
#[derive(Record, Clone, Debug, PartialEq)]
#[record(id = u32)]
pub(crate) struct Holder {
    pub(crate) tokens: u64,
}

impl Account {
    /// Returns the balance after a payment.
    pub(crate) fn less(&self, value_wei: u128) -> Result<u128, Refused> {
        self.wei.checked_sub(value_wei).ok_or(Refused::Overdrawn)
    }
}
