//! The statistics of all blocks.

use inputs::transfers::Account;
use schedule::prelude::*;

use crate::account::{KnownAccounts, Received, Sent, ranking};
use crate::chain::{LongestChainOfAll, Parallelism};
use crate::digest::Digest;
use crate::kind::Creators;
use crate::row::{Row, Table};
use crate::token::Holders;
use crate::value::Values;

#[derive(Resource, Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) n_transfers: u64,
    pub(crate) n_accounts: u64,
    pub(crate) n_to_self: u64,
    pub(crate) n_rejected: u64,
    pub(crate) moved_wei: u128,
    pub(crate) gas_sum: u128,
    pub(crate) n_token_transfers: u64,
    pub(crate) n_holders: u64,
    pub(crate) n_created: u64,
    pub(crate) n_creators: u64,
    /// By transfers sent; at most [`N_TOP`].
    pub(crate) top_senders: Vec<(Account, u128)>,
    /// By wei received; at most [`N_TOP`].
    pub(crate) top_receivers: Vec<(Account, u128)>,
    pub(crate) values: Values,
    /// Sum of the longest chains of all blocks.
    pub(crate) sum_of_chains: u64,
    pub(crate) parallelism_in_blocks: Parallelism,
    pub(crate) longest_chain: u64,
    pub(crate) parallelism: Parallelism,
    pub(crate) digest: u64,
}

pub(crate) const N_TOP: usize = 5;

/// The resources that are kept between blocks.
#[derive(Params)]
pub(crate) struct Totals<'r> {
    accounts: &'r KnownAccounts,
    sent: &'r Sent,
    received: &'r Received,
    holders: &'r Holders,
    creators: &'r Creators,
    longest_chain: &'r LongestChainOfAll,
    digest: &'r Digest,
}

/// Runs once, after the last block.
#[system]
pub(crate) fn summarize(totals: Totals, table: &Table, mut commands: Commands<Inserts<Summary>>) {
    let sum = |of: fn(&Row) -> u64| table.iter().map(of).sum();
    let sum_u128 = |of: fn(&Row) -> u128| table.iter().map(of).sum();
    let n_transfers = sum(|row| row.n_transfers);
    let sum_of_chains = sum(|row| row.longest_chain.0);
    let longest_chain = totals.longest_chain.0;
    commands.insert(Summary {
        n_transfers,
        n_accounts: totals.accounts.len() as u64,
        n_to_self: sum(|row| row.to_self.0),
        n_rejected: sum(|row| row.settlement.n_rejected),
        moved_wei: sum_u128(|row| row.settlement.moved_wei),
        gas_sum: sum_u128(|row| row.gas.sum),
        n_token_transfers: sum(|row| row.tokens.n_transfers),
        n_holders: totals.holders.len() as u64,
        n_created: sum(|row| row.kinds.n_create),
        n_creators: totals.creators.len() as u64,
        top_senders: top(ranking(totals.sent)),
        top_receivers: top(ranking(totals.received)),
        values: table.iter().map(|row| &row.values).sum(),
        sum_of_chains,
        parallelism_in_blocks: Parallelism::new(n_transfers, sum_of_chains),
        longest_chain,
        parallelism: Parallelism::new(n_transfers, longest_chain),
        digest: totals.digest.0,
    });
}

fn top(mut ranking: Vec<(Account, u128)>) -> Vec<(Account, u128)> {
    ranking.truncate(N_TOP);
    ranking
}
