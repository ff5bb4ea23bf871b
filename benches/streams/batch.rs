//! The events of one measurement, and what has to come out.

use crate::business::Verdict;
use crate::entry::{Cells, Entry};

/// Events in their order, with the balances before the first.
pub(crate) struct Batch {
    pub(crate) entries: Vec<Entry>,
    /// By cell.
    pub(crate) opening: Vec<i64>,
    pub(crate) expected: Result,
    /// What the cells are: of customers, or else quotes and accounts.
    pub(crate) is_bank: bool,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Result {
    /// By cell.
    pub(crate) cells: Vec<i64>,
    /// `verdicts[position]`: the verdict on an event, or `None` if it was not handled.
    pub(crate) verdicts: Vec<Option<Verdict>>,
}

impl Batch {
    /// Quotes and accounts.
    pub(crate) fn of_accounts(entries: Vec<Entry>, opening: Vec<i64>) -> Self {
        Self::new(entries, opening, false)
    }

    /// Customers.
    pub(crate) fn of_bank(entries: Vec<Entry>, opening: Vec<i64>) -> Self {
        Self::new(entries, opening, true)
    }

    fn new(entries: Vec<Entry>, opening: Vec<i64>, is_bank: bool) -> Self {
        let mut cells = Plain(opening.clone());
        let verdicts = entries.iter().map(|entry| Some(entry.settle(&mut cells)));
        let expected = Result {
            verdicts: verdicts.collect(),
            cells: cells.0,
        };
        Self {
            entries,
            opening,
            is_bank,
            expected,
        }
    }

    /// Whether that is what one event after the other comes to.
    pub(crate) fn is_serial(&self, result: &Result) -> bool {
        *result == self.expected
    }

    /// Whether each event was handled once, in whatever order: nothing came from nowhere, and nothing went there.
    pub(crate) fn is_kept(&self, result: &Result) -> bool {
        let mut total: i64 = self.opening.iter().sum();
        for verdict in &result.verdicts {
            match verdict {
                None => return false,
                Some(Verdict::Settled(change)) => total += i64::from(*change),
                Some(Verdict::Refused) => {}
            }
        }
        let kept: i64 = result.cells.iter().sum();
        result.verdicts.len() == self.entries.len() && kept == total
    }
}

/// A plain vector.
pub(crate) struct Plain(pub(crate) Vec<i64>);

impl Cells for Plain {
    #[inline]
    fn get(&self, cell: u32) -> i64 {
        self.0[cell as usize]
    }

    #[inline]
    fn set(&mut self, cell: u32, balance: i64) {
        self.0[cell as usize] = balance;
    }
}
