//! Filters, which exempt uses of one resource from conflicts.
//!
//! A filter limits a use to a part of a resource. An example is the filter of a query, which selects entities. Each filter
//! has a number, its signature. A relation contains the pairs of disjoint signatures. Two uses of one resource with disjoint
//! signatures do not conflict.
//!
//! Masks of conflicting nodes have one row for each resource. A resource that is used with signatures has an additional row
//! for each of them, so a node finds its conflicts in one row for each of its uses, and no pair is tested.

use super::{AccessKind, Use};

/// A symmetric relation over numbers: the pairs of disjoint signatures, or of disjoint filters. Number 0 means no filter, and
/// is disjoint with no number.
#[derive(Clone, Copy, Debug)]
pub struct Disjoint<'a> {
    n_numbers: usize,
    /// Bit `t % BITS` of `blocks[s * n + t / BITS]`: numbers s and t are disjoint, where `n` is `n_numbers` / `BITS`,
    /// rounded up; len = `n_blocks(n_numbers)`.
    blocks: &'a [usize],
}

impl<'a> Disjoint<'a> {
    const BITS: usize = usize::BITS as usize;

    /// No numbers.
    pub const NONE: Self = Self {
        n_numbers: 0,
        blocks: &[],
    };

    /// The length of the relation over `n_numbers` numbers, 0 included, in blocks of bits.
    pub const fn n_blocks(n_numbers: usize) -> usize {
        n_numbers * n_numbers.div_ceil(Self::BITS)
    }

    /// Marks two numbers as disjoint. If both are the same, two uses with that number do not conflict.
    ///
    /// # Panics
    ///
    /// If a number is 0, which means no filter, or is not below `n_numbers`.
    pub const fn set(blocks: &mut [usize], n_numbers: usize, a: u16, b: u16) {
        let (a, b) = (a as usize, b as usize);
        assert!(
            a != 0 && b != 0,
            "signature 0 stands for no filter, and is disjoint with none"
        );
        assert!(a < n_numbers && b < n_numbers, "no such signature");
        let n_of_row = n_numbers.div_ceil(Self::BITS);
        blocks[a * n_of_row + b / Self::BITS] |= 1 << (b % Self::BITS);
        blocks[b * n_of_row + a / Self::BITS] |= 1 << (a % Self::BITS);
    }

    /// A view of blocks that [`Disjoint::set`] filled.
    ///
    /// # Panics
    ///
    /// If the number of blocks is not [`Disjoint::n_blocks`].
    pub const fn new(n_numbers: usize, blocks: &'a [usize]) -> Self {
        assert!(
            blocks.len() == Self::n_blocks(n_numbers),
            "the relation must have a row of bits for each signature"
        );
        Self { n_numbers, blocks }
    }

    /// The bits, as [`Disjoint::new`] takes them.
    pub const fn blocks(self) -> &'a [usize] {
        self.blocks
    }

    /// The number of numbers, 0 included.
    pub const fn n_numbers(self) -> usize {
        self.n_numbers
    }

    /// Whether a number is disjoint with any number. O(n_numbers).
    pub(crate) const fn has_any(self, number: u16) -> bool {
        let n_of_row = self.n_numbers.div_ceil(Self::BITS);
        let mut block = number as usize * n_of_row;
        let end = block + n_of_row;
        while block < end {
            if self.blocks[block] != 0 {
                return true;
            }
            block += 1;
        }
        false
    }

    /// Whether two numbers are disjoint. O(1).
    pub const fn has(self, a: u16, b: u16) -> bool {
        if a == 0 || b == 0 || self.n_numbers == 0 {
            return false;
        }
        let n_of_row = self.n_numbers.div_ceil(Self::BITS);
        self.blocks[a as usize * n_of_row + b as usize / Self::BITS] >> (b as usize % Self::BITS)
            & 1
            == 1
    }
}

/// The disjoint signatures, and the signatures with which each resource is used.
#[derive(Clone, Copy, Debug)]
pub struct Filters<'a> {
    disjoint: Disjoint<'a>,
    n_resources: usize,
    /// One read for each resource and signature, ascending.
    filtered: &'a [Use],
}

impl<'a> Filters<'a> {
    /// No signatures.
    pub const NONE: Self = Self {
        disjoint: Disjoint::NONE,
        n_resources: 0,
        filtered: &[],
    };

    /// The resources and signatures of these uses, as [`Filters::new`] takes them. O(n log n).
    pub fn list(uses: &[Use]) -> Vec<Use> {
        let filtered = uses.iter().filter(|one| one.signature != 0);
        let mut list: Vec<Use> = filtered.map(|one| one.as_filtered()).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Creates the filters of uses.
    ///
    /// `filtered`: one read for each resource and signature, ascending. It contains those of all uses, and may contain more.
    pub const fn new(disjoint: Disjoint<'a>, n_resources: usize, filtered: &'a [Use]) -> Self {
        Self {
            disjoint,
            n_resources,
            filtered,
        }
    }

    /// Replaces the resources and signatures of the uses, and keeps the relation.
    pub const fn of_uses(self, n_resources: usize, filtered: &'a [Use]) -> Self {
        Self {
            n_resources,
            filtered,
            ..self
        }
    }

    /// The disjoint signatures.
    pub const fn disjoint(self) -> Disjoint<'a> {
        self.disjoint
    }

    /// One read for each resource and signature, ascending.
    pub const fn filtered(self) -> &'a [Use] {
        self.filtered
    }

    /// Whether no use has a signature.
    pub const fn is_empty(self) -> bool {
        self.filtered.is_empty()
    }

    /// The number of pairs of a resource and a signature.
    pub const fn n_filtered(self) -> usize {
        self.filtered.len()
    }

    /// Whether two signatures are disjoint. O(1).
    pub const fn are_disjoint(self, a: u16, b: u16) -> bool {
        self.disjoint.has(a, b)
    }

    /// The number of rows of masks: one for each resource, then one for each resource and signature.
    ///
    /// # Panics
    ///
    /// If there are signatures, and they were listed for another number of resources.
    pub(crate) const fn n_rows(self, n_resources: usize) -> usize {
        assert!(
            self.is_empty() || self.n_resources == n_resources,
            "signatures must be listed for the resources that there are"
        );
        n_resources + self.filtered.len()
    }

    /// The row of the nodes that may conflict with this use. O(log n), and O(1) without a signature.
    pub(crate) const fn row(self, one: Use) -> usize {
        if one.signature == 0 || self.is_empty() {
            return one.resource as usize;
        }
        let idx = self.lower_bound(one.resource, one.signature);
        assert!(
            idx < self.filtered.len()
                && self.filtered[idx].resource == one.resource
                && self.filtered[idx].signature == one.signature,
            "each resource and signature of a use must be listed"
        );
        self.n_resources + idx
    }

    /// The indices of the signatures of a resource: the first, and one past the last.
    pub(crate) const fn of_resource(self, resource: u32) -> (usize, usize) {
        let start = self.lower_bound(resource, 0);
        let mut end = start;
        while end < self.filtered.len() && self.filtered[end].resource == resource {
            end += 1;
        }
        (start, end)
    }

    /// The row of the signature at an index, unless it is disjoint with that of this use.
    pub(crate) const fn row_meeting(self, idx: usize, one: Use) -> Option<usize> {
        if self.are_disjoint(self.filtered[idx].signature, one.signature) {
            None
        } else {
            Some(self.n_resources + idx)
        }
    }

    /// The rows that contain this use. They are the rows of all uses that may conflict with it.
    pub(crate) fn rows_meeting(self, one: Use) -> impl Iterator<Item = usize> {
        let (start, end) = if self.is_empty() {
            (0, 0)
        } else {
            self.of_resource(one.resource)
        };
        let filtered = (start..end).filter_map(move |idx| self.row_meeting(idx, one));
        core::iter::once(one.resource as usize).chain(filtered)
    }

    /// The index of the first resource with a signature that is not less than these, by binary search.
    const fn lower_bound(self, resource: u32, signature: u16) -> usize {
        let (mut low, mut high) = (0, self.filtered.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let one = self.filtered[middle];
            if one.resource < resource || (one.resource == resource && one.signature < signature) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl Use {
    /// The resource and the signature of the use, as listed in [`Filters`].
    pub(crate) const fn as_filtered(self) -> Self {
        Self {
            kind: AccessKind::Read,
            ..self
        }
    }
}
