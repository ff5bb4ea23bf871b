//! The statistics of a block.

use inputs::transfers::{Account, Block};
use schedule::prelude::*;

use crate::account::{NewAccounts, TopReceiver, TopSender};
use crate::balance::Settlement;
use crate::chain::{LongestChain, Parallelism};
use crate::gas::GasLimits;
use crate::kind::{Kinds, ToSelf};
use crate::token::Tokens;
use crate::value::Values;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) block: u64,
    pub(crate) n_transfers: u64,
    pub(crate) kinds: Kinds,
    pub(crate) to_self: ToSelf,
    pub(crate) settlement: Settlement,
    pub(crate) gas: GasLimits,
    pub(crate) new_accounts: NewAccounts,
    pub(crate) top_sender: TopSender,
    pub(crate) top_receiver: TopReceiver,
    pub(crate) values: Values,
    pub(crate) tokens: Tokens,
    pub(crate) longest_chain: LongestChain,
    pub(crate) parallelism: Parallelism,
}

/// One row per block, in the order of the file.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Table(Vec<Row>);

/// The results of the systems for a block.
#[derive(Params)]
pub(crate) struct Findings<'r> {
    kinds: &'r Kinds,
    to_self: &'r ToSelf,
    settlement: &'r Settlement,
    gas: &'r GasLimits,
    new_accounts: &'r NewAccounts,
    top_sender: &'r TopSender,
    top_receiver: &'r TopReceiver,
    values: &'r Values,
    tokens: &'r Tokens,
    longest_chain: &'r LongestChain,
    parallelism: &'r Parallelism,
}

#[system]
pub(crate) fn tabulate(block: &Block, findings: Findings, table: &mut Table) {
    table.push(Row {
        block: block.number,
        n_transfers: block.transfers.len() as u64,
        kinds: findings.kinds.clone(),
        to_self: findings.to_self.clone(),
        settlement: findings.settlement.clone(),
        gas: findings.gas.clone(),
        new_accounts: findings.new_accounts.clone(),
        top_sender: findings.top_sender.clone(),
        top_receiver: findings.top_receiver.clone(),
        values: findings.values.clone(),
        tokens: findings.tokens.clone(),
        longest_chain: findings.longest_chain.clone(),
        parallelism: findings.parallelism.clone(),
    });
}

impl Row {
    /// Returns all fields as numbers, for the digest. A missing account is 2^64.
    pub(crate) fn numbers(&self) -> Vec<u128> {
        let top = |top: Option<(Account, u128)>| match top {
            Some((account, amount)) => [u128::from(account.0), amount],
            None => [1 << 64, 0],
        };
        let counts = [
            self.block,
            self.n_transfers,
            self.kinds.n_plain,
            self.kinds.n_erc20,
            self.kinds.n_call,
            self.kinds.n_create,
            self.to_self.0,
            self.settlement.n_rejected,
            self.gas.median,
            self.gas.percentile_90,
            self.gas.max,
            self.new_accounts.0,
            self.tokens.n_transfers,
            self.tokens.n_holders,
            self.longest_chain.0,
            self.parallelism.hundredths,
            self.values.n_nothing,
            self.values.n_dust,
        ]
        .into_iter()
        .chain(self.values.powers)
        .map(u128::from);
        counts
            .chain([self.settlement.moved_wei, self.gas.sum])
            .chain(top(self.top_sender.0))
            .chain(top(self.top_receiver.0))
            .collect()
    }
}
