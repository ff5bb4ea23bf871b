//! Which declaration names something.

/// What names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedBy {
    /// An order.
    StrictOrder,
    /// An order of two that counts only if they conflict.
    WeakOrder,
    /// [`Builder::on_enter`](crate::Builder::on_enter) or [`Builder::on_exit`](crate::Builder::on_exit).
    StateChange,
    /// A condition.
    RunCondition,
    /// The membership of something in a group.
    GroupMember,
    /// A policy.
    PolicyRule,
    /// A call, as [`Builder::remove`](crate::Builder::remove).
    Call,
}

impl NamedBy {
    /// What may be done instead of adding what is named.
    pub(super) fn otherwise(self) -> &'static str {
        match self {
            NamedBy::StrictOrder => ", or use `after_if_present` or `before_if_present`",
            NamedBy::WeakOrder => ", or remove this order",
            NamedBy::RunCondition => {
                ", or name a condition by its type, as in `Condition::of::<is_alive>()`: it need not be added"
            }
            NamedBy::GroupMember => ", or remove this membership",
            NamedBy::PolicyRule => ", or remove this policy",
            NamedBy::StateChange | NamedBy::Call => "",
        }
    }
}
