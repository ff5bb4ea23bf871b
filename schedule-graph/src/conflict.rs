//! How nodes use resources, and which of them conflict.
//!
//! Nodes and resources are numbers here. A node that touches everything is written out by the caller as a user of
//! every resource, and a node that runs alone as the writer of a resource that all others read. Then one rule is
//! enough: two nodes conflict if they use a resource in kinds that conflict ([`AccessKind::conflicts_with`]), unless the
//! filters of both uses are disjoint ([`Filters`]).

mod filters;

pub use self::filters::{Filtered, Filters};

/// How a node uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes, or reads and writes.
    Write,
    /// It adds to the resource in a way that does not depend on the order of the additions, and does not read it
    /// otherwise.
    Fold,
}

impl AccessKind {
    /// All kinds.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Fold];

    /// [`AccessKind::Write`] or [`AccessKind::Read`].
    pub const fn of_write(is_write: bool) -> Self {
        if is_write { Self::Write } else { Self::Read }
    }

    /// Whether it is [`AccessKind::Write`].
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Write)
    }

    /// Whether it changes the resource: it writes or folds.
    pub const fn modifies(self) -> bool {
        !matches!(self, Self::Read)
    }

    /// Whether two nodes that use one resource in these kinds conflict: all do, except two that read and two that fold.
    pub const fn conflicts_with(self, other: Self) -> bool {
        self as u8 != other as u8 || matches!(self, Self::Write)
    }

    /// The kind of a node that uses one resource in both kinds.
    pub const fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Read, Self::Read) => Self::Read,
            (Self::Fold, Self::Fold) => Self::Fold,
            _ => Self::Write,
        }
    }
}

/// That a node uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The resource.
    pub resource: u32,
    /// How the node uses it.
    pub kind: AccessKind,
    /// Which filter limits the use to a part of the resource; 0 if none does. See [`Filters`].
    pub signature: u16,
}

impl Use {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        resource: 0,
        kind: AccessKind::Read,
        signature: 0,
    };

    /// Without a filter.
    pub const fn new(resource: u32, kind: AccessKind) -> Self {
        Self {
            resource,
            kind,
            signature: 0,
        }
    }

    /// This use and another one of the same resource. It has no filter if the two have different ones.
    pub(crate) const fn joined(self, other: Self) -> Self {
        Self {
            resource: self.resource,
            kind: self.kind.joined(other.kind),
            signature: if self.signature == other.signature {
                self.signature
            } else {
                0
            },
        }
    }

    /// Sorts the uses of one node by resource, and joins those of the same resource. O(n log n).
    pub(crate) fn join(uses: &mut Vec<Self>) {
        uses.sort_unstable_by_key(|one| one.resource);
        uses.dedup_by(|later, kept| {
            let is_same = later.resource == kept.resource;
            if is_same {
                *kept = kept.joined(*later);
            }
            is_same
        });
    }
}

/// What every node touches.
#[derive(Clone, Copy, Debug)]
pub struct Uses<'a> {
    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    starts: &'a [u32],
    /// The uses of a node ascend by resource, and name none twice.
    uses: &'a [Use],
    filters: &'a Filters<'a>,
}

impl<'a> Uses<'a> {
    /// Of no node.
    pub const NONE: Self = Self {
        starts: &[0],
        uses: &[],
        filters: &Filters::NONE,
    };

    /// A view of both slices. No filters are disjoint.
    ///
    /// # Panics
    ///
    /// If the lengths do not fit together.
    pub const fn new(starts: &'a [u32], uses: &'a [Use]) -> Self {
        assert!(
            !starts.is_empty() && starts[starts.len() - 1] as usize == uses.len(),
            "starts must have len = n_nodes + 1, and end with the number of uses"
        );
        Self {
            starts,
            uses,
            filters: &Filters::NONE,
        }
    }

    /// The same uses, with filters for their signatures. Each resource and signature of a use is listed there.
    pub const fn with_filters(self, filters: &'a Filters<'a>) -> Self {
        Self { filters, ..self }
    }

    /// Which signatures of uses are disjoint.
    pub const fn filters(self) -> &'a Filters<'a> {
        self.filters
    }

    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    pub const fn starts(self) -> &'a [u32] {
        self.starts
    }

    /// The uses of all nodes.
    pub const fn all(self) -> &'a [Use] {
        self.uses
    }

    /// The number of nodes.
    pub const fn n_nodes(self) -> usize {
        self.starts.len() - 1
    }

    /// The number of uses of all nodes.
    pub const fn n_uses(self) -> usize {
        self.uses.len()
    }

    /// The index of the first use of a node.
    pub const fn start(self, node: u32) -> usize {
        self.starts[node as usize] as usize
    }

    /// One past the last use of a node.
    pub const fn end(self, node: u32) -> usize {
        self.starts[node as usize + 1] as usize
    }

    /// The use at this index.
    pub const fn nth(self, use_idx: usize) -> Use {
        self.uses[use_idx]
    }

    /// What a node touches.
    pub const fn of(self, node: u32) -> &'a [Use] {
        let (_, from) = self.uses.split_at(self.start(node));
        from.split_at(self.end(node) - self.start(node)).0
    }

    /// The uses of the first `n_nodes` nodes.
    pub const fn first(self, n_nodes: usize) -> Self {
        let starts = self.starts.split_at(n_nodes + 1).0;
        Self {
            starts,
            uses: self.uses.split_at(starts[n_nodes] as usize).0,
            filters: self.filters,
        }
    }

    /// Whether a node folds a resource. O(n_uses).
    pub const fn has_folds(self) -> bool {
        let mut idx = 0;
        while idx < self.uses.len() {
            if matches!(self.uses[idx].kind, AccessKind::Fold) {
                return true;
            }
            idx += 1;
        }
        false
    }

    /// The resources on which two nodes conflict.
    pub const fn shared(self, first: u32, second: u32) -> Shared<'a> {
        Shared {
            uses: self,
            first: self.start(first),
            first_end: self.end(first),
            second: self.start(second),
            second_end: self.end(second),
        }
    }
}

/// Walks through the resources on which two nodes conflict, by merging their uses. O(uses of both).
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    uses: Uses<'a>,
    first: usize,
    first_end: usize,
    second: usize,
    second_end: usize,
}

/// A resource on which two nodes conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The resource.
    pub resource: u32,
    /// How the first node uses it.
    pub first: AccessKind,
    /// How the second node uses it.
    pub second: AccessKind,
}

impl Shared<'_> {
    /// The next one, in ascending order.
    pub const fn next(&mut self) -> Option<Conflict> {
        while self.first < self.first_end && self.second < self.second_end {
            let first = self.uses.nth(self.first);
            let second = self.uses.nth(self.second);
            if first.resource < second.resource {
                self.first += 1;
            } else if first.resource > second.resource {
                self.second += 1;
            } else {
                self.first += 1;
                self.second += 1;
                // As `AccessKind::conflicts_with`; a call costs const evaluation as much as some twenty steps.
                let do_conflict = first.kind as u8 != second.kind as u8
                    || matches!(first.kind, AccessKind::Write);
                if do_conflict
                    && (first.signature == 0
                        || !self
                            .uses
                            .filters
                            .are_disjoint(first.signature, second.signature))
                {
                    return Some(Conflict {
                        resource: first.resource,
                        first: first.kind,
                        second: second.kind,
                    });
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
