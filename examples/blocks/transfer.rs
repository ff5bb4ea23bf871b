//! What a file of transfers holds.

use schedule::prelude::*;

/// The transfers of one block, in the order in which they were carried out. Never empty.
///
/// The input of a frame: each frame finds another block in its place.
#[derive(Resource, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) transfers: Vec<Transfer>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transfer {
    pub(crate) from: Account,
    /// `None`: a contract is created, and its account is not known.
    pub(crate) to: Option<Account>,
    pub(crate) value_wei: u128,
    /// What the sender allows it to cost, in units of gas.
    pub(crate) gas_limit: u64,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Ether and nothing else.
    Plain,
    /// Moves tokens between two holders, who need not be the accounts of the transfer.
    Erc20 {
        token_from: Account,
        token_to: Account,
    },
    /// Calls a contract in any other way.
    Call,
    /// Creates a contract.
    Create,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Account(pub(crate) u64);

impl Transfer {
    /// The accounts whose balances it may change; one that pays itself comes twice.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = Account> {
        core::iter::once(self.from).chain(self.to)
    }

    pub(crate) fn is_to_self(&self) -> bool {
        self.to == Some(self.from)
    }
}
