//! The events of all workloads, and the cells that they access.
//!
//! Manually written contenders store all balances in one vector of cells. The first cells are quotes, and accounts follow. In a
//! bank, the savings and the checking account of a customer are adjacent.

use core::ops::Deref;

use schedule_stream::Event;

use crate::business::{
    Amalgamate, Balance, DepositChecking, Hold, Requote, SendPayment, Trade, TransactSavings,
    Transfer, Verdict, WriteCheck,
};
use crate::handlers;

/// The number of cells before the first account.
pub(crate) const N_QUOTES: u32 = 4;

/// An event.
#[derive(Clone, Copy, Debug, Event)]
#[event(answer = Verdict)]
pub(crate) enum Entry {
    #[event(handlers::transfer)]
    Transfer(Transfer),
    /// A transfer from an account to itself.
    #[event(handlers::hold)]
    Hold(Hold),
    #[event(handlers::trade)]
    Trade(Trade),
    #[event(handlers::requote)]
    Requote(Requote),
    #[event(handlers::amalgamate)]
    Amalgamate(Amalgamate),
    #[event(handlers::balance)]
    Balance(Balance),
    #[event(handlers::deposit_checking)]
    DepositChecking(DepositChecking),
    #[event(handlers::send_payment)]
    SendPayment(SendPayment),
    #[event(handlers::transact_savings)]
    TransactSavings(TransactSavings),
    #[event(handlers::write_check)]
    WriteCheck(WriteCheck),
}

/// Balances by cell.
pub(crate) trait Cells {
    fn get(&self, cell: u32) -> i64;

    fn set(&mut self, cell: u32, balance: i64);
}

impl Entry {
    /// Handles the event on cells.
    #[inline]
    pub(crate) fn settle(&self, cells: &mut impl Cells) -> Verdict {
        match self {
            Self::Transfer(event) => cells.change([account(event.from), account(event.to)], {
                |[from, to]| event.settle(from, to)
            }),
            Self::Hold(event) => event.settle(cells.get(account(event.of))),
            Self::Trade(event) => {
                let quote = cells.get(event.quote);
                cells.change([account(event.from), account(event.to)], |[from, to]| {
                    event.settle(quote, from, to)
                })
            }
            Self::Requote(event) => cells.change(
                [event.0.quote, account(event.0.from), account(event.0.to)],
                |[quote, from, to]| event.settle(quote, from, to),
            ),
            Self::Amalgamate(event) => cells.change(
                [
                    savings(event.from),
                    checking(event.from),
                    checking(event.to),
                ],
                |[savings, checking, to]| event.settle(savings, checking, to),
            ),
            Self::Balance(event) => {
                event.settle(cells.get(savings(event.of)), cells.get(checking(event.of)))
            }
            Self::DepositChecking(event) => {
                cells.change([checking(event.to)], |[to]| event.settle(to))
            }
            Self::SendPayment(event) => cells
                .change([checking(event.from), checking(event.to)], |[from, to]| {
                    event.settle(from, to)
                }),
            Self::TransactSavings(event) => {
                cells.change([savings(event.of)], |[savings]| event.settle(savings))
            }
            Self::WriteCheck(event) => {
                let savings = cells.get(savings(event.of));
                cells.change([checking(event.of)], |[checking]| {
                    event.settle(savings, checking)
                })
            }
        }
    }

    /// The cells that the event accesses, each once.
    #[inline]
    pub(crate) fn keys(&self) -> Keys {
        use Key::{Read, Write};
        match *self {
            Self::Transfer(Transfer { from, to, .. }) => {
                Keys::of([Write(account(from)), Write(account(to))])
            }
            Self::Hold(Hold { of, .. }) => Keys::of([Read(account(of))]),
            Self::Trade(Trade {
                quote, from, to, ..
            }) => Keys::of([Read(quote), Write(account(from)), Write(account(to))]),
            Self::Requote(Requote(Trade {
                quote, from, to, ..
            })) => Keys::of([Write(quote), Write(account(from)), Write(account(to))]),
            Self::Amalgamate(Amalgamate { from, to, .. }) => Keys::of([
                Write(savings(from)),
                Write(checking(from)),
                Write(checking(to)),
            ]),
            Self::Balance(Balance { of, .. }) => Keys::of([Read(savings(of)), Read(checking(of))]),
            Self::DepositChecking(DepositChecking { to, .. }) => Keys::of([Write(checking(to))]),
            Self::SendPayment(SendPayment { from, to, .. }) => {
                Keys::of([Write(checking(from)), Write(checking(to))])
            }
            Self::TransactSavings(TransactSavings { of, .. }) => Keys::of([Write(savings(of))]),
            Self::WriteCheck(WriteCheck { of, .. }) => {
                Keys::of([Read(savings(of)), Write(checking(of))])
            }
        }
    }
}

/// The cell of an account.
pub(crate) fn account(number: u32) -> u32 {
    N_QUOTES + number
}

/// The cell of the savings account of a customer.
pub(crate) fn savings(customer: u32) -> u32 {
    2 * customer
}

/// The cell of the checking account of a customer.
pub(crate) fn checking(customer: u32) -> u32 {
    2 * customer + 1
}

/// A cell, with the kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Read(u32),
    Write(u32),
}

impl Key {
    pub(crate) fn cell(self) -> u32 {
        match self {
            Self::Read(cell) | Self::Write(cell) => cell,
        }
    }
}

/// Up to three keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    all: [Key; 3],
    n: usize,
}

impl Keys {
    fn of<const N: usize>(keys: [Key; N]) -> Self {
        let mut all = [keys[0]; 3];
        all[..N].copy_from_slice(&keys);
        Self { all, n: N }
    }
}

impl Deref for Keys {
    type Target = [Key];

    fn deref(&self) -> &[Key] {
        &self.all[..self.n]
    }
}

/// Access to several cells at once.
trait Change: Cells {
    #[inline]
    fn change<const N: usize>(
        &mut self,
        cells: [u32; N],
        change: impl FnOnce([&mut i64; N]) -> Verdict,
    ) -> Verdict {
        let mut balances = cells.map(|cell| self.get(cell));
        let verdict = change(balances.each_mut());
        for (cell, balance) in cells.into_iter().zip(balances) {
            self.set(cell, balance);
        }
        verdict
    }
}

impl<C: Cells> Change for C {}
