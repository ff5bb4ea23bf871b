//! Filters, which exempt uses of one resource from conflicts.
//!
//! A filter limits a use to a part of a resource. An example is the filter of a query, which selects entities. Each filter
//! has a number, its signature. A relation contains the pairs of disjoint signatures. Two uses of one resource with disjoint
//! signatures do not conflict.
//!
//! Masks of conflicting nodes have one row for each resource. A resource that is used with signatures has an additional row
//! for each of them, so a node finds its conflicts in one row for each of its uses, and no pair is tested.

use super::Use;

/// A resource and a signature of a use of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filtered {
    /// The resource.
    pub resource: u32,
    /// The signature, not 0.
    pub signature: u16,
}

impl Filtered {
    /// The resources and signatures of these uses, as [`Filters::new`] takes them. O(n log n).
    pub fn all(uses: &[Use]) -> Vec<Self> {
        let filtered = uses.iter().filter(|one| one.signature != 0);
        let mut all: Vec<Self> = filtered
            .map(|one| Self {
                resource: one.resource,
                signature: one.signature,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The disjoint signatures, and the signatures with which each resource is used.
#[derive(Clone, Copy, Debug)]
pub struct Filters<'a> {
    n_signatures: usize,
    /// Bit `t % 64` of `disjoint[s * n_words + t / 64]`: signatures s and t are disjoint;
    /// len = n_signatures × n_words, where n_words = n_signatures / 64, rounded up.
    disjoint: &'a [u64],
    n_resources: usize,
    /// The resources with signatures, ascending.
    filtered: &'a [Filtered],
}

impl<'a> Filters<'a> {
    /// No signatures.
    pub const NONE: Self = Self {
        n_signatures: 0,
        disjoint: &[],
        n_resources: 0,
        filtered: &[],
    };

    /// The length of the relation over `n_signatures` signatures, signature 0 included, in words of 64 bits.
    pub const fn n_words(n_signatures: usize) -> usize {
        n_signatures * n_signatures.div_ceil(64)
    }

    /// Marks two signatures as disjoint in a relation. If both are the same, two uses with that signature do not conflict.
    ///
    /// # Panics
    ///
    /// If a signature is 0, which means no filter, or is not below `n_signatures`.
    pub const fn set_disjoint(disjoint: &mut [u64], n_signatures: usize, a: u16, b: u16) {
        let (a, b) = (a as usize, b as usize);
        assert!(
            a != 0 && b != 0,
            "signature 0 stands for no filter, and is disjoint with none"
        );
        assert!(a < n_signatures && b < n_signatures, "no such signature");
        let n_words = n_signatures.div_ceil(64);
        disjoint[a * n_words + b / 64] |= 1 << (b % 64);
        disjoint[b * n_words + a / 64] |= 1 << (a % 64);
    }

    /// A view of a relation that [`Filters::set_disjoint`] made.
    ///
    /// `filtered`: resources and signatures, ascending. It contains those of all uses, and may contain more.
    ///
    /// # Panics
    ///
    /// If the relation has another length than [`Filters::n_words`].
    pub const fn new(
        n_signatures: usize,
        disjoint: &'a [u64],
        n_resources: usize,
        filtered: &'a [Filtered],
    ) -> Self {
        assert!(
            disjoint.len() == Self::n_words(n_signatures),
            "the relation must have a row of bits for each signature"
        );
        Self {
            n_signatures,
            disjoint,
            n_resources,
            filtered,
        }
    }

    /// Replaces the resources and signatures of the uses, and keeps the relation.
    pub const fn of_uses(self, n_resources: usize, filtered: &'a [Filtered]) -> Self {
        Self {
            n_resources,
            filtered,
            ..self
        }
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
        if a == 0 || b == 0 || self.n_signatures == 0 {
            return false;
        }
        let n_words = self.n_signatures.div_ceil(64);
        self.disjoint[a as usize * n_words + b as usize / 64] >> (b % 64) & 1 == 1
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
        let (start, end) = match self.is_empty() {
            true => (0, 0),
            false => self.of_resource(one.resource),
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
