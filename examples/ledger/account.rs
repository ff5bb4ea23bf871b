//! Who owns what.

use schedule_stream::prelude::*;

use crate::verdict::Refused;

pub(crate) const WEI_PER_ETHER: u128 = 10_u128.pow(18);

/// What every account starts with. The file has a few blocks out of many, and so no balance is known.
pub(crate) const OPENING_WEI: u128 = 1000 * WEI_PER_ETHER;

/// What every holder starts with.
pub(crate) const OPENING_TOKENS: u64 = 100;

/// Accounts have numbers without gaps, from 0 on.
#[derive(Record, Clone, Debug, Default, PartialEq)]
#[record(id = u32)]
pub(crate) struct Account {
    pub(crate) wei: u128,
}

/// Somebody with tokens, of whatever contract.
#[derive(Record, Clone, Debug, PartialEq)]
#[record(id = u32)]
pub(crate) struct Holder {
    pub(crate) tokens: u64,
}

impl Account {
    /// What is left after a payment.
    pub(crate) fn less(&self, value_wei: u128) -> Result<u128, Refused> {
        self.wei.checked_sub(value_wei).ok_or(Refused::Overdrawn)
    }
}
