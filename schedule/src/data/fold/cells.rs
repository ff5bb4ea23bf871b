//! Many values by index: the cells of a grid, or the classes of a histogram.

use core::fmt;
use core::mem::swap;
use core::ops::{Index, IndexMut};

use super::sealed::SealedJoin;
use super::{ExactJoin, absorb_each};

/// Many values by index: the cells of a grid, or the classes of a histogram.
///
/// An index that was not written has the default value. A write, such as `cells[idx] += 1`, grows the memory up to `idx`. So check indices
/// that come from data. Two `Cells` are joined index by index.
///
/// # Panics
///
/// A write panics if the memory up to its index would be larger than `isize::MAX` bytes.
///
/// ```
/// use schedule::fold::{Cells, Sum};
///
/// let mut cells = Cells::<Sum<u32>>::default();
/// cells[3] += 5;
/// cells[1] += 1;
/// let sums: Vec<u32> = cells.into_iter().map(Sum::into_inner).collect();
/// assert_eq!(sums, [0, 1, 0, 5]);
/// ```
#[derive(Default)]
pub struct Cells<J> {
    /// Up to the greatest index that was written.
    cells: Vec<J>,
    /// The value at each greater index.
    missing: J,
}

impl<J: ExactJoin> Cells<J> {
    /// Returns all values up to the greatest index that was written.
    pub fn into_inner(self) -> Vec<J> {
        self.cells
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, idx: usize) {
        self.cells.resize_with(idx.saturating_add(1), J::default);
    }
}

/// For `IndexMut`. The values cannot be read through the reference.
impl<J: ExactJoin> Index<usize> for Cells<J> {
    type Output = J;

    #[inline]
    fn index(&self, idx: usize) -> &J {
        self.cells.get(idx).unwrap_or(&self.missing)
    }
}

impl<J: ExactJoin> IndexMut<usize> for Cells<J> {
    #[inline]
    fn index_mut(&mut self, idx: usize) -> &mut J {
        if idx >= self.cells.len() {
            self.grow(idx);
        }
        &mut self.cells[idx]
    }
}

impl<J: ExactJoin> IntoIterator for Cells<J> {
    type Item = J;
    type IntoIter = std::vec::IntoIter<J>;

    fn into_iter(self) -> Self::IntoIter {
        self.cells.into_iter()
    }
}

impl<J: SealedJoin> SealedJoin for Cells<J> {}

impl<J: ExactJoin> ExactJoin for Cells<J> {
    fn absorb(&mut self, other: &mut Self) {
        if other.cells.len() > self.cells.len() {
            swap(&mut self.cells, &mut other.cells);
        }
        absorb_each(&mut self.cells, &mut other.cells);
        other.cells.clear();
    }
}

/// Without the values, which depend on threads while a system runs.
impl<J> fmt::Debug for Cells<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fold::Sum;

    /// So that no run but the first allocates for the accumulators that a system keeps.
    #[test]
    fn joined_cells_keep_their_memory() {
        let (mut one, mut other) = (Cells::<Sum<u32>>::default(), Cells::default());
        one[3] += 1;
        other[100] += 1;
        let longest = other.cells.as_ptr();
        one.absorb(&mut other);
        assert_eq!(one.cells.as_ptr(), longest);
        assert!(other.cells.is_empty() && other.cells.capacity() >= 4);
    }
}
