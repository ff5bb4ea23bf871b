//! What functions make of what they find, and what they answer.

/// What a system makes of what it finds.
pub(super) fn digest(seed: usize, found: impl IntoIterator<Item = u64>) -> u64 {
    found.into_iter().fold(seed as u64 + 1, written)
}

/// What is there after this was written to something.
pub(super) fn written(digest: u64, before: u64) -> u64 {
    (digest ^ before)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// What a condition answers.
pub(super) fn is_true(digest: u64) -> bool {
    (digest >> 7) % 5 < 3
}

/// What a selector answers.
pub(super) fn branch(digest: u64) -> u32 {
    ((digest >> 9) % 3) as u32
}

/// What a condition makes of what it found, if it was asked so often before: not the same every time.
pub(super) fn counted(count: &mut u64, digest: u64) -> u64 {
    *count += 1;
    written(digest, *count)
}

/// What the condition of a loop answers, which counts.
pub(super) fn is_again(count: &mut u64, limit: u64, digest: u64) -> bool {
    let is_again = *count < limit && !digest.is_multiple_of(8);
    *count = if is_again { *count + 1 } else { 0 };
    is_again
}
