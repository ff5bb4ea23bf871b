//! Values of transfers.

use inputs::transfers::Block;
use schedule::prelude::*;

/// Number of transfers of a block by value, including rejected ones.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct Values {
    pub(crate) n_nothing: u64,
    /// Less than a millionth of an ether.
    pub(crate) n_dust: u64,
    /// `powers[i]`: from `10^(i-6)` to below `10^(i-5)` ether; the last element includes all larger values.
    pub(crate) powers: [u64; Self::N_POWERS],
}

impl Values {
    pub(crate) const N_POWERS: usize = 10;
    /// The exponent of the first element of `powers`: 10^-6 ether.
    pub(crate) const FIRST_POWER: i32 = -6;

    fn count(&mut self, value_wei: u128) {
        // 10^12 wei are a millionth of an ether.
        match value_wei.checked_ilog10() {
            None => self.n_nothing += 1,
            Some(0..12) => self.n_dust += 1,
            Some(log) => self.powers[(log as usize - 12).min(Self::N_POWERS - 1)] += 1,
        }
    }
}

#[system]
pub(crate) fn weigh(block: &Block, values: &mut Values) {
    *values = Values::default();
    for transfer in &block.transfers {
        values.count(transfer.value_wei);
    }
}

impl<'r> core::iter::Sum<&'r Values> for Values {
    fn sum<I: Iterator<Item = &'r Values>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, values| {
            sum.n_nothing += values.n_nothing;
            sum.n_dust += values.n_dust;
            for (sum, n) in sum.powers.iter_mut().zip(values.powers) {
                *sum += n;
            }
            sum
        })
    }
}
