//! Clauses of systems, loops and groups that are set or not set, as one set of marks.
//!
//! A set goes unchanged from the attribute of a system, the listing or the calls of a builder to the node. A new mark is a constant here, a
//! row in the table of clauses in `schedule-macros`, a call of the builder, and the code that acts on it.

use core::fmt;

/// A set of marks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// No marks.
    pub const NONE: Self = Self(0);
    /// Only the thread that calls `run` may run the system or evaluate the condition of the loop.
    pub const MAIN_THREAD: Self = Self(1);
    /// Failures of other nodes do not skip the node.
    pub const ALWAYS: Self = Self(1 << 1);
    /// If a resource is missing, the node is skipped and the run is not refused.
    pub const SKIP_IF_MISSING: Self = Self(1 << 2);
    /// The `for_each` system shares no sweep.
    pub const NO_SWEEP: Self = Self(1 << 3);
    /// The system fails if its commands have no effect.
    pub const FAIL_IF_MISSED: Self = Self(1 << 4);

    /// The marks that a group passes on to its members, and a loop to its body.
    pub(crate) const PASSED_ON: Self = Self::ALWAYS
        .and(Self::SKIP_IF_MISSING)
        .and(Self::FAIL_IF_MISSED);

    /// Returns the marks of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the marks that are in both sets.
    pub(crate) const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the marks without those of the other set.
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether all marks of the other set are in this one.
    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the marks if the condition is true.
    pub(crate) const fn only_if(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}

impl core::ops::BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.and(other);
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Marks({:#b})", self.0)
    }
}
