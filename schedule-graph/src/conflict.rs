//! How nodes use resources, and which of them conflict.
//!
//! Nodes and resources are numbers here. The caller lists a node that accesses everything as a user of every resource. It
//! lists an exclusive node as the writer of a resource that all other nodes read. Then one rule is enough: two nodes
//! conflict if they use a resource in kinds that conflict ([`AccessKind::conflicts_with`]), unless the filters of both uses
//! are disjoint ([`Filters`]).

mod filters;

pub use self::filters::{Disjoint, Filters};

/// How a node uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AccessKind {
    /// The node reads the resource.
    Read,
    /// The node writes the resource, and may read it too.
    Write,
    /// The node folds values into the resource, and does not read it. The values are joined in schedule order, at whatever time the nodes
    /// run.
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

    /// Whether the kind is [`AccessKind::Write`].
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Write)
    }

    /// Whether the node changes the resource: it writes or folds.
    pub const fn modifies(self) -> bool {
        !matches!(self, Self::Read)
    }

    /// Whether two nodes that use the same resource in these kinds conflict. They do unless both read or both fold it.
    pub const fn conflicts_with(self, other: Self) -> bool {
        self as u8 != other as u8 || matches!(self, Self::Write)
    }

    /// The kind of a node that uses a resource in both of these kinds.
    pub const fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Read, Self::Read) => Self::Read,
            (Self::Fold, Self::Fold) => Self::Fold,
            _ => Self::Write,
        }
    }
}

/// The use of a resource by a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The resource.
    pub resource: u32,
    /// How the node uses it.
    pub kind: AccessKind,
    /// The filter that limits the use to a part of the resource; 0 without a filter. See [`Filters`].
    pub signature: u16,
}

impl Use {
    /// The initial value of memory.
    pub const NONE: Self = Self {
        resource: 0,
        kind: AccessKind::Read,
        signature: 0,
    };

    /// A use without a filter.
    pub const fn new(resource: u32, kind: AccessKind) -> Self {
        Self {
            resource,
            kind,
            signature: 0,
        }
    }

    /// Joins this use with another one of the same resource. The result has no filter if the two have different filters.
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

/// The uses of each node.
#[derive(Clone, Copy, Debug)]
pub struct Uses<'a> {
    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    starts: &'a [u32],
    /// The uses of each node, ascending by resource. A node has at most one use of a resource.
    uses: &'a [Use],
    filters: Filters<'a>,
}

impl<'a> Uses<'a> {
    /// The uses of a graph without nodes.
    pub const NONE: Self = Self {
        starts: &[0],
        uses: &[],
        filters: Filters::NONE,
    };

    /// A view of both slices. No filters are disjoint.
    ///
    /// # Panics
    ///
    /// If the lengths are inconsistent.
    pub const fn new(starts: &'a [u32], uses: &'a [Use]) -> Self {
        assert!(
            !starts.is_empty() && starts[starts.len() - 1] as usize == uses.len(),
            "starts must have len = n_nodes + 1, and end with the number of uses"
        );
        Self {
            starts,
            uses,
            filters: Filters::NONE,
        }
    }

    /// The same uses, with filters for their signatures. The filters list each resource and signature of a use.
    pub const fn with_filters(self, filters: Filters<'a>) -> Self {
        Self { filters, ..self }
    }

    /// The filters of the uses.
    pub const fn filters(self) -> Filters<'a> {
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

    /// The uses of a node.
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

/// The resources on which two nodes conflict, found by a merge of their sorted uses. O(uses of both).
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
    /// The next conflict. Resources are in ascending order.
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
                // As `AccessKind::conflicts_with`, inlined by hand because calls are slow in const evaluation.
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
