//! Transfers between accounts in a file, as the examples `blocks` and `ledger` read them.

pub mod reader;

use schedule::prelude::*;

/// The transfers of one block, in the order in which they were carried out. Never empty.
///
/// The input of a frame: each frame finds another block in its place.
#[derive(Resource, Debug, PartialEq)]
pub struct Block {
    /// Which one it is in its chain.
    pub number: u64,
    /// In the order of the file.
    pub transfers: Vec<Transfer>,
}

/// Moves a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// Who sends it.
    pub from: Account,
    /// `None`: a contract is created, and its account is not known.
    pub to: Option<Account>,
    /// What is moved.
    pub value_wei: u128,
    /// What the sender allows it to cost, in units of gas.
    pub gas_limit: u64,
    /// What it is for.
    pub kind: Kind,
}

/// What a transfer is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Ether and nothing else.
    Plain,
    /// Moves tokens between two holders, who need not be the accounts of the transfer.
    Erc20 {
        /// Who had them.
        token_from: Account,
        /// Who gets them.
        token_to: Account,
    },
    /// Calls a contract in any other way.
    Call,
    /// Creates a contract.
    Create,
}

/// The number of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account(pub u64);

impl Transfer {
    /// The accounts whose balances it may change; one that pays itself comes twice.
    pub fn accounts(&self) -> impl Iterator<Item = Account> {
        core::iter::once(self.from).chain(self.to)
    }

    /// Whether somebody pays himself.
    pub fn is_to_self(&self) -> bool {
        self.to == Some(self.from)
    }
}
