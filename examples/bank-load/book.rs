//! The expected balances of the accounts, from the answers of the bank.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The changes of an account, in cents. The sums are updated by all connections. Relaxed: they are read after the connections have
/// ended.
#[derive(Debug, Default)]
struct Change {
    received: AtomicU64,
    paid: AtomicU64,
    /// Received, if payments without an answer have happened.
    maybe_received: AtomicU64,
    /// Paid, if payments without an answer have happened.
    maybe_paid: AtomicU64,
}

/// The expected balances.
#[derive(Debug)]
pub(crate) struct Book {
    opening_cents: u64,
    /// Indexed by account.
    changes: Vec<Change>,
}

/// A difference between the bank and the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The balance of an account is outside of the possible range.
    Balance {
        account: usize,
        found: u64,
        /// The smallest and the largest possible balance.
        expected: (u64, u64),
    },
    /// Money was lost or created.
    Sum { found: u64, expected: u64 },
}

impl Book {
    /// Creates a book of accounts that each have this balance.
    pub(crate) fn new(n_accounts: usize, opening_cents: u64) -> Self {
        Self {
            opening_cents,
            changes: (0..n_accounts).map(|_| Change::default()).collect(),
        }
    }

    /// A payment was accepted.
    pub(crate) fn accepted(&self, from: usize, to: usize, cents: u64) {
        self.changes[from].paid.fetch_add(cents, Relaxed);
        self.changes[to].received.fetch_add(cents, Relaxed);
    }

    /// A payment has no answer.
    pub(crate) fn unknown(&self, from: usize, to: usize, cents: u64) {
        self.changes[from].maybe_paid.fetch_add(cents, Relaxed);
        self.changes[to].maybe_received.fetch_add(cents, Relaxed);
    }

    /// Compares the balances of all accounts with the book. Returns the first difference.
    pub(crate) fn check(&self, balances: &[u64]) -> Result<(), Difference> {
        for (account, (change, found)) in self.changes.iter().zip(balances).enumerate() {
            let received = self.opening_cents + change.received.load(Relaxed);
            let paid = change.paid.load(Relaxed);
            // Accepted payments may depend on money from payments without an answer.
            let most = (received + change.maybe_received.load(Relaxed)).saturating_sub(paid);
            let least = received.saturating_sub(paid + change.maybe_paid.load(Relaxed));
            if !(least..=most).contains(found) {
                return Err(Difference::Balance {
                    account,
                    found: *found,
                    expected: (least, most),
                });
            }
        }
        let found = balances.iter().sum();
        let expected = self.opening_cents * self.changes.len() as u64;
        if found == expected {
            Ok(())
        } else {
            Err(Difference::Sum { found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_payments_must_be_in_the_balances() {
        let book = Book::new(3, 100);
        book.accepted(0, 1, 30);
        assert_eq!(book.check(&[70, 130, 100]), Ok(()));
        let lost = book.check(&[100, 100, 100]).unwrap_err();
        let expected = Difference::Balance {
            account: 0,
            found: 100,
            expected: (70, 70),
        };
        assert_eq!(lost, expected);
        assert!(book.check(&[40, 160, 100]).is_err(), "it happened twice");
    }

    #[test]
    fn payments_without_an_answer_may_be_in_the_balances() {
        let book = Book::new(2, 100);
        book.accepted(0, 1, 30);
        book.unknown(1, 0, 5);
        assert_eq!(book.check(&[70, 130]), Ok(()));
        assert_eq!(book.check(&[75, 125]), Ok(()));
        let half = book.check(&[70, 125]).unwrap_err();
        let expected = Difference::Sum {
            found: 195,
            expected: 200,
        };
        assert_eq!(half, expected);
        assert!(book.check(&[80, 120]).is_err());
    }
}
