//! Quantiles of figures.

/// The median.
///
/// # Panics
///
/// If there are no figures, or a figure is NaN.
pub fn median<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    quantile(values, 0.5)
}

/// The 90th percentile.
///
/// # Panics
///
/// As for [`median`].
pub fn p90<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    quantile(values, 0.9)
}

fn quantile<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>, part: f64) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable_by(|a, b| a.partial_cmp(b).expect("no figure is a NaN"));
    values[(values.len() as f64 * part) as usize]
}
