//! Orders that messages propose.

use schedule_graph::internal::Item;

/// An order that resolves a race: `other` runs after `one`, or before it. `other` is listed later than `one`.
#[derive(Clone, Copy)]
pub(super) struct RaceOrder {
    pub(super) one: Item,
    pub(super) other: Item,
    pub(super) is_after: bool,
    /// Whether it is the only order of the message. Otherwise it is a line of a list of entries.
    pub(super) is_single: bool,
}

/// An order as code: `subject` declares that it runs after `target`, or before it.
#[derive(Clone, Copy)]
pub(super) struct CodeOrder {
    pub(super) subject: Item,
    pub(super) target: Item,
    is_after: bool,
    pub(super) scope: u32,
}

impl RaceOrder {
    /// Returns the order that `other` declares. It names `target`, which is `one` or contains it.
    pub(super) const fn of_other(self, target: Item, scope: u32) -> CodeOrder {
        CodeOrder {
            subject: self.other,
            target,
            is_after: self.is_after,
            scope,
        }
    }

    /// Returns the order that `one` declares. It names `target`, which is `other` or contains it.
    pub(super) const fn of_one(self, target: Item, scope: u32) -> CodeOrder {
        CodeOrder {
            subject: self.one,
            target,
            is_after: !self.is_after,
            scope,
        }
    }
}

impl CodeOrder {
    pub(super) const fn word(self) -> &'static str {
        if self.is_after { "after" } else { "before" }
    }
}
