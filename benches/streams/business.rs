//! The operations, and their effects on balances.

use benches::work::take;
use schedule_stream::answers::Answer;

/// Moves an amount between two accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

/// Checks whether an account covers an amount.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    pub(crate) of: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

/// Moves an amount multiplied by the quote, which is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trade {
    pub(crate) quote: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

/// The same, after setting the quote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requote(pub(crate) Trade);

/// Moves all money of a customer to the checking account of another customer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amalgamate {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) n_steps: u32,
}

/// Adds the balances of a customer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    pub(crate) of: u32,
    pub(crate) n_steps: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DepositChecking {
    pub(crate) to: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

/// Moves an amount between two checking accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendPayment {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TransactSavings {
    pub(crate) of: u32,
    /// A negative amount is withdrawn.
    pub(crate) amount: i32,
    pub(crate) n_steps: u32,
}

/// Pays a check, compared with all money of the customer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteCheck {
    pub(crate) of: u32,
    pub(crate) amount: u32,
    pub(crate) n_steps: u32,
}

/// The verdict on an event: the change of the sum of all balances, or that a balance was too low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Settled(i32),
    Refused,
}

impl Answer for Verdict {}

impl Transfer {
    pub(crate) fn settle(&self, from: &mut i64, to: &mut i64) -> Verdict {
        take(self.n_steps.into());
        shift(from, to, self.amount.into())
    }
}

impl Hold {
    pub(crate) fn settle(&self, of: i64) -> Verdict {
        take(self.n_steps.into());
        if of < self.amount.into() {
            Verdict::Refused
        } else {
            Verdict::Settled(0)
        }
    }
}

impl Trade {
    pub(crate) fn settle(&self, quote: i64, from: &mut i64, to: &mut i64) -> Verdict {
        take(self.n_steps.into());
        shift(from, to, quote % 4 * i64::from(self.amount))
    }
}

impl Requote {
    pub(crate) fn settle(&self, quote: &mut i64, from: &mut i64, to: &mut i64) -> Verdict {
        let before = *quote;
        *quote = i64::from(self.0.amount);
        match self.0.settle(*quote, from, to) {
            Verdict::Settled(change) => Verdict::Settled(change + (*quote - before) as i32),
            Verdict::Refused => {
                *quote = before;
                Verdict::Refused
            }
        }
    }
}

impl Amalgamate {
    pub(crate) fn settle(&self, savings: &mut i64, checking: &mut i64, to: &mut i64) -> Verdict {
        take(self.n_steps.into());
        *to += core::mem::take(savings) + core::mem::take(checking);
        Verdict::Settled(0)
    }
}

impl Balance {
    pub(crate) fn settle(&self, savings: i64, checking: i64) -> Verdict {
        take(self.n_steps.into());
        if savings + checking < 0 {
            Verdict::Refused
        } else {
            Verdict::Settled(0)
        }
    }
}

impl DepositChecking {
    pub(crate) fn settle(&self, to: &mut i64) -> Verdict {
        take(self.n_steps.into());
        *to += i64::from(self.amount);
        Verdict::Settled(self.amount as i32)
    }
}

impl SendPayment {
    pub(crate) fn settle(&self, from: &mut i64, to: &mut i64) -> Verdict {
        take(self.n_steps.into());
        shift(from, to, self.amount.into())
    }
}

impl TransactSavings {
    pub(crate) fn settle(&self, savings: &mut i64) -> Verdict {
        take(self.n_steps.into());
        if *savings + i64::from(self.amount) < 0 {
            return Verdict::Refused;
        }
        *savings += i64::from(self.amount);
        Verdict::Settled(self.amount)
    }
}

impl WriteCheck {
    /// If the account does not cover the amount, it pays a fee of 1.
    pub(crate) fn settle(&self, savings: i64, checking: &mut i64) -> Verdict {
        take(self.n_steps.into());
        let is_covered = savings + *checking >= self.amount.into();
        let amount = self.amount as i32 + i32::from(!is_covered);
        *checking -= i64::from(amount);
        Verdict::Settled(-amount)
    }
}

fn shift(from: &mut i64, to: &mut i64, amount: i64) -> Verdict {
    if *from < amount {
        return Verdict::Refused;
    }
    *from -= amount;
    *to += amount;
    Verdict::Settled(0)
}
