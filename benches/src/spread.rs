//! Labels that do not overlap.

/// Positions of labels whose preferred positions are `wanted`, in ascending order. They are at least `gap` apart, between `top`
/// and `bottom`, in the same order, and with the least sum of squared distances from the preferred positions.
///
/// If there is not enough room, they extend below `bottom`. Isotonic regression by pooling adjacent violators: Ayer et al. 1955; O(labels).
pub fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    // After the gaps are subtracted, positions must only be ascending. The sum and the number of each pool.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (label_idx, at) in wanted.iter().enumerate() {
        let mut pool = (at - gap * label_idx as f64, 1);
        while let Some(&(sum, n)) = pools.last()
            && sum / n as f64 > pool.0 / pool.1 as f64
        {
            pools.pop();
            pool = (pool.0 + sum, pool.1 + n);
        }
        pools.push(pool);
    }
    let last = gap * wanted.len().saturating_sub(1) as f64;
    let levels = pools.iter().flat_map(|&(sum, n)| {
        let level = (sum / n as f64).min(bottom - last).max(top);
        core::iter::repeat_n(level, n)
    });
    levels
        .enumerate()
        .map(|(label_idx, level)| level + gap * label_idx as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graph::Dice;

    #[test]
    fn labels_that_do_not_overlap_keep_their_positions() {
        assert_eq!(
            spread(&[10.0, 30.0, 50.0], 16.0, 0.0, 100.0),
            [10.0, 30.0, 50.0]
        );
    }

    #[test]
    fn labels_with_equal_positions_are_centred_around_it() {
        assert_eq!(spread(&[50.0; 3], 16.0, 0.0, 100.0), [34.0, 50.0, 66.0]);
    }

    #[test]
    fn labels_at_the_edge_move_inwards() {
        assert_eq!(
            spread(&[0.0, 1.0, 99.0, 99.0], 10.0, 0.0, 100.0),
            [0.0, 10.0, 90.0, 100.0]
        );
    }

    #[test]
    fn labels_never_overlap_or_exceed_the_bounds() {
        let mut dice = Dice::new(3);
        for _ in 0..1_000 {
            let n_labels = dice.below(12);
            let mut wanted: Vec<f64> = (0..n_labels).map(|_| dice.below(200) as f64).collect();
            wanted.sort_unstable_by(f64::total_cmp);
            let places = spread(&wanted, 16.0, 0.0, 200.0);
            assert_eq!(places.len(), n_labels);
            // Sums of gaps may have rounding errors.
            assert!(
                places.windows(2).all(|pair| pair[1] - pair[0] > 15.999),
                "{places:?}"
            );
            assert!(
                places.iter().all(|at| (-0.001..200.001).contains(at)),
                "{places:?}"
            );
        }
    }
}
