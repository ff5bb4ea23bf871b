//! Transfers between accounts from a file, for the examples `blocks` and `ledger`.

pub mod reader;

use schedule::prelude::*;

/// A block: transfers in the order of their execution. Never empty.
///
/// In `blocks`, it is the input of a frame. Each frame gets another block.
#[derive(Resource, Debug, PartialEq)]
pub struct Block {
    /// Number of the block in its chain.
    pub number: u64,
    /// In the order of the file.
    pub transfers: Vec<Transfer>,
}

/// A transfer of value from one account to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// The sender.
    pub from: Account,
    /// The receiver. `None` if a contract is created whose account is unknown.
    pub to: Option<Account>,
    /// The value in wei.
    pub value_wei: u128,
    /// Maximum cost that the sender allows, in units of gas.
    pub gas_limit: u64,
    /// The kind of the transfer.
    pub kind: Kind,
}

/// The kind of a transfer.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Moves only ether.
    Plain,
    /// Moves tokens between two holders, which can differ from the accounts of the transfer.
    Erc20 {
        /// The holder that gives the tokens.
        token_from: Account,
        /// The holder that gets the tokens.
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
    /// Returns sender and receiver. They can be the same account.
    pub fn accounts(&self) -> impl Iterator<Item = Account> {
        core::iter::once(self.from).chain(self.to)
    }

    /// Returns whether sender and receiver are the same account.
    pub fn is_to_self(&self) -> bool {
        self.to == Some(self.from)
    }
}
