//! The values that functions compute, write and answer.

/// Returns the value that a system computes from the values that it reads.
pub(super) fn digest(seed: usize, found: impl IntoIterator<Item = u64>) -> u64 {
    found.into_iter().fold(seed as u64 + 1, written)
}

/// Returns the value of a resource after `digest` was written to it.
pub(super) fn written(digest: u64, before: u64) -> u64 {
    (digest ^ before)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// Returns the answer of a condition.
pub(super) fn is_true(digest: u64) -> bool {
    (digest >> 7) % 5 < 3
}

/// Returns the answer of a selector.
pub(super) fn branch(digest: u64) -> u32 {
    ((digest >> 9) % 3) as u32
}

/// Returns the value that a condition computes. It also depends on the number of evaluations.
pub(super) fn counted(count: &mut u64, digest: u64) -> u64 {
    *count += 1;
    written(digest, *count)
}

/// Returns the answer of a loop condition, and updates its count of iterations.
pub(super) fn is_again(count: &mut u64, limit: u64, digest: u64) -> bool {
    let is_again = *count < limit && !digest.is_multiple_of(8);
    *count = if is_again { *count + 1 } else { 0 };
    is_again
}

/// Returns the log entry of a node that found these failures and skipped nodes.
pub(super) fn past(idx: usize, mut failed: Vec<String>, mut skipped: Vec<String>) -> String {
    failed.sort_unstable();
    skipped.sort_unstable();
    format!("{idx} after failures of {failed:?}, without {skipped:?}")
}
