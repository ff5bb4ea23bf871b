//! Accounts and holders of tokens.

use schedule::snapshot::Snapshot;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::result::Rejected;

pub(crate) const WEI_PER_ETHER: u128 = 10_u128.pow(18);

/// Balance of every account at the start. The file has only a few blocks of many, so the real balances are unknown.
pub(crate) const OPENING_WEI: u128 = 1000 * WEI_PER_ETHER;

/// Number of tokens of every holder at the start.
pub(crate) const OPENING_TOKENS: u64 = 100;

/// An account. Accounts have the numbers 0, 1, 2 and so on.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[record(id = u32)]
#[snapshot(name = "account")]
pub(crate) struct Account {
    pub(crate) wei: u128,
}

/// A holder of tokens. The tokens of all contracts are counted together.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[record(id = u32)]
#[snapshot(name = "holder")]
pub(crate) struct Holder {
    pub(crate) tokens: u64,
}

impl Account {
    /// Returns the balance after a payment, or an error if it would be negative.
    pub(crate) fn after_payment(&self, value_wei: u128) -> Result<u128, Rejected> {
        self.wei.checked_sub(value_wei).ok_or(Rejected::Overdrawn)
    }
}
