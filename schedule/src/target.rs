//! What orders, policies and conditions name.

use crate::order::{Anchor, Reference};
use crate::place::NodeId;

/// What an order names: a node, something by its type, or a system by its name.
#[derive(Clone, Debug)]
pub struct Target(pub(crate) Named);

/// See [`Target`].
#[derive(Clone, Debug)]
pub(crate) enum Named {
    Node(NodeId),
    Type(Reference),
    Name(String),
}

impl Target {
    /// The system, group or checkpoint of this type.
    pub fn of<A: Anchor>() -> Self {
        Self(Named::Type(A::REFERENCE))
    }
}

impl From<NodeId> for Target {
    fn from(node: NodeId) -> Self {
        Self(Named::Node(node))
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self(Named::Name(name.to_string()))
    }
}
