//! Transfers of tokens.

use std::collections::HashSet;

use inputs::transfers::{Account, Block, Kind};
use schedule::prelude::*;

/// All accounts that have sent or received tokens so far.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Holders(HashSet<Account>);

/// Token transfers of a block.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct Tokens {
    pub(crate) n_transfers: u64,
    /// Number of different holders.
    pub(crate) n_holders: u64,
}

#[system]
pub(crate) fn follow_tokens(block: &Block, holders: &mut Holders, tokens: &mut Tokens) {
    let mut in_block = HashSet::new();
    let mut n_transfers = 0;
    for transfer in &block.transfers {
        if let Kind::Erc20 {
            token_from,
            token_to,
        } = transfer.kind
        {
            n_transfers += 1;
            in_block.extend([token_from, token_to]);
        }
    }
    *tokens = Tokens {
        n_transfers,
        n_holders: in_block.len() as u64,
    };
    holders.extend(in_block);
}
