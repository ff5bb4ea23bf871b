//! Of many figures, the one that is reported.

/// The one in the middle.
///
/// # Panics
///
/// If there are none, or some cannot be compared.
pub fn median<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    quantile(values, 0.5)
}

/// The one that a tenth of them exceed.
///
/// # Panics
///
/// As [`median`].
pub fn p90<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    quantile(values, 0.9)
}

fn quantile<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>, part: f64) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable_by(|a, b| a.partial_cmp(b).expect("no figure is a NaN"));
    values[(values.len() as f64 * part) as usize]
}
