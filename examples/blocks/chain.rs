//! The possible parallelism of a block.
//!
//! A transfer depends on earlier transfers that use one of its accounts. The longest chain of such dependences is a lower
//! bound for the duration, for any number of processors.

use std::collections::HashMap;

use inputs::transfers::{Account, Block, Transfer};
use schedule::prelude::*;

/// For each account, the length of the longest chain that ends with one of its transfers.
#[derive(Resource, Default)]
pub(crate) struct Chains(HashMap<Account, u64>);

impl Chains {
    /// Adds a transfer, and returns the length of the longest chain that ends with it.
    fn append(&mut self, transfer: &Transfer) -> u64 {
        let before = transfer
            .accounts()
            .filter_map(|account| self.0.get(&account));
        let len = 1 + before.max().copied().unwrap_or(0);
        self.0
            .extend(transfer.accounts().map(|account| (account, len)));
        len
    }
}

/// Number of transfers in the longest chain of a block.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct LongestChain(pub(crate) u64);

/// Number of transfers in the longest chain of all blocks so far, treated as one block.
#[derive(Resource, Default)]
pub(crate) struct LongestChainOfAll(pub(crate) u64);

/// Upper bound of the speedup by many processors, in hundredths.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct Parallelism {
    pub(crate) hundredths: u64,
}

impl Parallelism {
    pub(crate) fn new(n_transfers: u64, longest_chain: u64) -> Self {
        Self {
            hundredths: 100 * n_transfers / longest_chain.max(1),
        }
    }
}

#[system]
pub(crate) fn chain_block(block: &Block, longest: &mut LongestChain) {
    let mut chains = Chains::default();
    let lens = block
        .transfers
        .iter()
        .map(|transfer| chains.append(transfer));
    longest.0 = lens.max().unwrap_or(0);
}

#[system]
pub(crate) fn chain_all(block: &Block, chains: &mut Chains, longest: &mut LongestChainOfAll) {
    let lens = block
        .transfers
        .iter()
        .map(|transfer| chains.append(transfer));
    longest.0 = lens.fold(longest.0, u64::max);
}

#[system]
pub(crate) fn bound(block: &Block, longest: &LongestChain, parallelism: &mut Parallelism) {
    *parallelism = Parallelism::new(block.transfers.len() as u64, longest.0);
}
