//! The kinds of declarations that name items.

use crate::declare::messages;

/// The kind of declaration that names an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedBy {
    /// An order.
    StrictOrder,
    /// A weak order.
    WeakOrder,
    /// [`Builder::on_enter`](crate::Builder::on_enter) or [`Builder::on_exit`](crate::Builder::on_exit).
    StateChange,
    /// A condition.
    RunCondition,
    /// A membership in a group.
    GroupMember,
    /// A policy.
    PolicyRule,
    /// A call, for example [`Builder::remove`](crate::Builder::remove).
    Call,
}

impl NamedBy {
    /// Describes a fix other than adding the missing item.
    pub(super) fn otherwise(self) -> Option<&'static str> {
        match self {
            NamedBy::StrictOrder => Some(messages::OR_ORDER_IF_PRESENT),
            NamedBy::WeakOrder => Some(messages::OR_REMOVE_ORDER),
            NamedBy::RunCondition => Some(messages::OR_CONDITION_OF_TYPE),
            NamedBy::GroupMember => Some(messages::OR_REMOVE_MEMBERSHIP),
            NamedBy::PolicyRule => Some(messages::OR_REMOVE_POLICY),
            NamedBy::StateChange | NamedBy::Call => None,
        }
    }

    /// Describes the fix of a declaration that names a removed item.
    pub(super) fn fix_of_removed(self) -> &'static str {
        match self {
            NamedBy::StateChange => messages::REMOVE_STATE_CHANGE,
            NamedBy::StrictOrder => messages::REMOVE_STRICT_ORDER,
            NamedBy::WeakOrder => messages::REMOVE_WEAK_ORDER,
            NamedBy::RunCondition => messages::REMOVE_CONDITION,
            NamedBy::GroupMember => messages::REMOVE_MEMBERSHIP,
            NamedBy::PolicyRule => messages::REMOVE_POLICY,
            NamedBy::Call => messages::ADD_AGAIN,
        }
    }
}
