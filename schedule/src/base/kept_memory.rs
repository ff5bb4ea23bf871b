//! Memory of lists that is kept between runs, within a bound.

/// The number of elements whose memory is always kept.
const ALWAYS_KEPT: usize = 64;
/// The maximum ratio of the memory that is kept to the memory that the last run used.
const MOST_UNUSED: usize = 4;

/// Frees the memory of an empty list, if the last run used less than a quarter of it. `n_used`: the number of elements in the last run.
#[inline]
pub fn limit_memory<T>(list: &mut Vec<T>, n_used: usize) {
    debug_assert!(list.is_empty(), "elements would be dropped");
    if is_too_large(list.capacity(), n_used) {
        *list = Vec::new();
    }
}

/// Whether a list with this capacity has too much memory for this number of elements.
#[inline]
pub fn is_too_large(capacity: usize, n_used: usize) -> bool {
    capacity > ALWAYS_KEPT && capacity / MOST_UNUSED > n_used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_freed_if_less_than_a_quarter_was_used() {
        let mut list: Vec<u8> = Vec::with_capacity(1_000);
        limit_memory(&mut list, 250);
        assert!(list.capacity() >= 1_000);
        limit_memory(&mut list, 240);
        assert_eq!(list.capacity(), 0);
        let mut short: Vec<u8> = Vec::with_capacity(ALWAYS_KEPT);
        limit_memory(&mut short, 0);
        assert!(short.capacity() > 0);
    }
}
