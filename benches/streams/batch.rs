//! The events of one measurement, and the expected result.

use crate::business::Verdict;
use crate::entry::{Cells, Entry};

/// Events in order, with the balances before the first one.
pub(crate) struct Batch {
    pub(crate) entries: Vec<Entry>,
    /// The balances, by cell.
    pub(crate) opening: Vec<i64>,
    pub(crate) expected: Result,
    /// Whether the cells are accounts of customers. Otherwise they are quotes and accounts.
    pub(crate) is_bank: bool,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Result {
    /// The balances, by cell.
    pub(crate) cells: Vec<i64>,
    /// `verdicts[position]`: the verdict on an event, or `None` if it was not handled.
    pub(crate) verdicts: Vec<Option<Verdict>>,
}

impl Batch {
    /// Creates a batch for quotes and accounts.
    pub(crate) fn of_accounts(entries: Vec<Entry>, opening: Vec<i64>) -> Self {
        Self::new(entries, opening, false)
    }

    /// Creates a batch for customers.
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

    /// Whether the result equals that of a sequential loop.
    pub(crate) fn is_serial(&self, result: &Result) -> bool {
        *result == self.expected
    }

    /// Whether each event was handled once, in any order: the sum of all balances is correct.
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

/// Balances in a vector.
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
