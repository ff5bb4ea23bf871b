//! The origins of edges.

#[cfg(doc)]
use crate::policy::Policy;

/// The origin of an edge of the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The declared edge with this index.
    Declared(u32),
    /// The weak edge with this index. It, or a path through it, orders a conflicting pair.
    Weak(u32),
    /// [`Policy::WritersFirst`], for this resource.
    WritersFirst(u32),
    /// [`Policy::InsertionOrder`] or [`Policy::Accepted`], for this resource.
    InsertionOrder(u32),
    /// [`Policy::Optimize`], for this resource.
    Optimize(u32),
    /// The inserted sync point with this index.
    Commands(u32),
}

impl Origin {
    const N_BITS: u32 = 3;

    /// The origin as one number.
    pub(super) const fn code(self) -> u32 {
        let (kind, idx) = match self {
            Self::Declared(idx) => (0, idx),
            Self::Weak(idx) => (1, idx),
            Self::WritersFirst(idx) => (2, idx),
            Self::InsertionOrder(idx) => (3, idx),
            Self::Optimize(idx) => (4, idx),
            Self::Commands(idx) => (5, idx),
        };
        idx << Self::N_BITS | kind
    }

    pub(super) const fn of_code(code: u32) -> Self {
        let idx = code >> Self::N_BITS;
        match code & ((1 << Self::N_BITS) - 1) {
            0 => Self::Declared(idx),
            1 => Self::Weak(idx),
            2 => Self::WritersFirst(idx),
            3 => Self::InsertionOrder(idx),
            4 => Self::Optimize(idx),
            _ => Self::Commands(idx),
        }
    }
}
