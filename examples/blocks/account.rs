//! New accounts, and the accounts with the most transfers.

use core::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use inputs::transfers::{Account, Block};
use schedule::prelude::*;

use crate::balance::Settled;

/// All accounts so far.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct KnownAccounts(HashSet<Account>);

/// Number of accounts that occur in this block first.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct NewAccounts(pub(crate) u64);

#[system]
pub(crate) fn count_new(block: &Block, known: &mut KnownAccounts, new: &mut NewAccounts) {
    let n_known = known.len();
    known.extend(
        block
            .transfers
            .iter()
            .flat_map(|transfer| transfer.accounts()),
    );
    new.0 = (known.len() - n_known) as u64;
}

/// Number of transfers of each sender so far, including rejected ones.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Sent(HashMap<Account, u128>);

/// Wei of each receiver so far. Transfers to the same account do not count.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Received(HashMap<Account, u128>);

/// The sender with the most transfers in a block, and their number.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct TopSender(pub(crate) Option<(Account, u128)>);

/// The receiver of the most wei in a block, and the amount; `None` if no account received any.
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

/// Sorts accounts from the largest amount to the smallest. Of equal amounts, the smaller account comes first.
pub(crate) fn ranking(amounts: &HashMap<Account, u128>) -> Vec<(Account, u128)> {
    let mut ranking: Vec<_> = amounts
        .iter()
        .map(|(&account, &amount)| (account, amount))
        .collect();
    ranking.sort_unstable_by_key(|&(account, amount)| (Reverse(amount), account));
    ranking
}
