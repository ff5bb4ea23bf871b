//! Gas limits of transfers.

use inputs::transfers::Block;
use schedule::prelude::*;

/// The gas limits of a block, in units of gas.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct GasLimits {
    pub(crate) sum: u128,
    pub(crate) median: u64,
    pub(crate) percentile_90: u64,
    pub(crate) max: u64,
}

#[system]
pub(crate) fn limit_gas(block: &Block, mut sorted: Local<Vec<u64>>, gas: &mut GasLimits) {
    // `Local` keeps its memory, so only a block that is larger than all before allocates.
    sorted.clear();
    sorted.extend(block.transfers.iter().map(|transfer| transfer.gas_limit));
    sorted.sort_unstable();
    *gas = GasLimits {
        sum: sorted.iter().map(|&limit| u128::from(limit)).sum(),
        median: percentile(&sorted, 50),
        percentile_90: percentile(&sorted, 90),
        max: percentile(&sorted, 100),
    };
}

/// Returns the percentile by the method "nearest rank".
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted[rank.max(1) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        assert_eq!(percentile(&[7], 50), 7);
        assert_eq!(percentile(&[1, 2], 50), 1);
        assert_eq!(percentile(&[1, 2, 3], 50), 2);
        assert_eq!(percentile(&[1, 2, 3], 90), 3);
    }
}
