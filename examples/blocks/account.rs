//! Accounts that are new, and those that stand out.

use core::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use inputs::transfers::{Account, Block};
use schedule::prelude::*;

use crate::balance::Settled;

/// Every account so far.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct KnownAccounts(HashSet<Account>);

/// Accounts that no earlier block has named.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct NewAccounts(pub(crate) u64);

#[system]
pub(crate) fn meet(block: &Block, known: &mut KnownAccounts, new: &mut NewAccounts) {
    let n_known = known.len();
    known.extend(
        block
            .transfers
            .iter()
            .flat_map(|transfer| transfer.accounts()),
    );
    new.0 = (known.len() - n_known) as u64;
}

/// Transfers by sender so far, refused ones too.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Sent(HashMap<Account, u128>);

/// Wei by receiver so far. Who pays oneself receives nothing.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Received(HashMap<Account, u128>);

/// Who sent most transfers in a block, and how many.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct TopSender(pub(crate) Option<(Account, u128)>);

/// Who received most wei in a block, and how many; `None` if nobody received any.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct TopReceiver(pub(crate) Option<(Account, u128)>);

#[system]
pub(crate) fn rank_senders(block: &Block, sent: &mut Sent, top: &mut TopSender) {
    let mut in_block = HashMap::new();
    for transfer in &block.transfers {
        *in_block.entry(transfer.from).or_default() += 1;
        *sent.entry(transfer.from).or_default() += 1;
    }
    top.0 = ranking(&in_block).first().copied();
}

#[system]
pub(crate) fn rank_receivers(
    block: &Block,
    settled: &Settled,
    received: &mut Received,
    top: &mut TopReceiver,
) {
    let mut in_block = HashMap::new();
    for (transfer, &is_settled) in block.transfers.iter().zip(settled.iter()) {
        let receiver = transfer.to.filter(|&to| to != transfer.from);
        if let (Some(receiver), true) = (receiver, is_settled && transfer.value_wei > 0) {
            *in_block.entry(receiver).or_default() += transfer.value_wei;
            *received.entry(receiver).or_default() += transfer.value_wei;
        }
    }
    top.0 = ranking(&in_block).first().copied();
}

/// From the largest to the smallest; among equals the account with the smaller number first.
pub(crate) fn ranking(amounts: &HashMap<Account, u128>) -> Vec<(Account, u128)> {
    let mut ranking: Vec<_> = amounts
        .iter()
        .map(|(&account, &amount)| (account, amount))
        .collect();
    ranking.sort_unstable_by_key(|&(account, amount)| (Reverse(amount), account));
    ranking
}
