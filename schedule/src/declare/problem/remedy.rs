//! Orders that end all races of a schedule, as source code.

use core::fmt;

use crate::base::escape::{Shown, quoted, shown};
use crate::base::place::{NodeId, SystemPlace};
use crate::declare::messages::{message, write_message};

/// A minimal set of orders with which a schedule has no race. See [`BuildError::remedy`](crate::BuildError::remedy).
///
/// The orders put races in the same order as [`Policy::InsertionOrder`](crate::Policy::InsertionOrder): as close to
/// insertion order as all other orders allow. The text is source code: one line for each order, or one attribute with
/// all orders of a system.
#[derive(Clone, Debug)]
pub struct Remedy {
    orders: Vec<MissingOrder>,
}

/// An undeclared order that would end races.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MissingOrder {
    /// The system that runs first.
    pub first: SystemPlace,
    /// The other system.
    pub then: SystemPlace,
    /// The id of the first system, as from [`Builder::last`](crate::Builder::last).
    pub first_node: NodeId,
    /// The id of the other system.
    pub then_node: NodeId,
    pub(crate) first_known: KnownBy,
    pub(crate) then_known: KnownBy,
}

/// The ways in which source code can name a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBy {
    /// Whether its type is unique among the nodes, and its name is that of the type.
    pub(crate) is_type: bool,
    /// Whether it is a system that was declared by an attribute.
    pub(crate) has_attribute: bool,
    /// Whether its name is unique.
    pub(crate) is_name: bool,
}

/// The clauses to add to the attribute of a system.
struct Clauses<'a> {
    system: &'a SystemPlace,
    after: Vec<Shown<&'a str>>,
    before: Vec<Shown<&'a str>>,
}

impl Remedy {
    pub(crate) fn new(orders: Vec<MissingOrder>) -> Self {
        Self { orders }
    }

    /// Returns the orders, in the order of a serial run.
    pub fn orders(&self) -> &[MissingOrder] {
        &self.orders
    }

    /// Writes the first orders as source code.
    pub(super) fn write_first(&self, f: &mut fmt::Formatter<'_>, indent: &str) -> fmt::Result {
        let mut attributes: Vec<(NodeId, Clauses<'_>)> = Vec::new();
        let mut calls: Vec<&MissingOrder> = Vec::new();
        for order in self.orders.iter().take(PRINTED_ORDERS) {
            let Some(declared_on) = order.declared_on() else {
                calls.push(order);
                continue;
            };
            let known = attributes.iter().position(|(node, _)| *node == declared_on);
            let idx = known.unwrap_or(attributes.len());
            if known.is_none() {
                let is_then = declared_on == order.then_node;
                let clauses = Clauses {
                    system: if is_then { &order.then } else { &order.first },
                    after: Vec::new(),
                    before: Vec::new(),
                };
                attributes.push((declared_on, clauses));
            }
            let clauses = &mut attributes[idx].1;
            if declared_on == order.then_node {
                clauses.after.push(shown(&order.first.name));
            } else {
                clauses.before.push(shown(&order.then.name));
            }
        }
        let attributes = attributes.iter().map(|(_, clauses)| clauses.to_string());
        let calls = calls.iter().map(|order| order.call());
        for (i, line) in attributes.chain(calls).enumerate() {
            f.write_str(if i == 0 { "" } else { "\n" })?;
            write!(f, "{indent}{line}")?;
        }
        match self.orders.len().saturating_sub(PRINTED_ORDERS) {
            0 => Ok(()),
            n => {
                write!(f, "\n{indent}")?;
                write_message!(f, MORE_REMEDIES, n = n)
            }
        }
    }
}

/// Maximum number of orders in the text. [`Remedy::orders`] contains all of them.
const PRINTED_ORDERS: usize = 20;

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_first(f, "")
    }
}

impl MissingOrder {
    /// The system whose attribute can declare the order.
    fn declared_on(&self) -> Option<NodeId> {
        let (first, then) = (self.first_known, self.then_known);
        let has_attribute = |known: KnownBy, place: &SystemPlace| {
            known.has_attribute && known.is_type && !place.is_of_library()
        };
        if has_attribute(then, &self.then) && first.is_type {
            Some(self.then_node)
        } else if has_attribute(first, &self.first) && then.is_type {
            Some(self.first_node)
        } else {
            None
        }
    }

    /// The builder call that declares the order.
    fn call(&self) -> String {
        let first = self.first_known.target(&self.first);
        let then = self.then_known.target(&self.then);
        match (first, then) {
            (Some(first), Some(then)) => format!(".order({first}, {then})"),
            _ => message!(ORDER_BY_NODES, first = self.first, then = self.then),
        }
    }
}

impl KnownBy {
    /// The builder argument for the node. `None` if only its id is unique.
    fn target(self, place: &SystemPlace) -> Option<String> {
        let Self {
            is_name, is_type, ..
        } = self;
        is_name
            .then(|| quoted(&place.name))
            .or_else(|| is_type.then(|| format!("Target::of::<{}>()", shown(&place.name))))
    }
}

impl fmt::Display for Clauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses = [("after", &self.after), ("before", &self.before)];
        let clauses = clauses
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(word, names)| match names.as_slice() {
                [only] => format!("{word} = {only}"),
                several => {
                    let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                    format!("{word} = ({})", names.join(", "))
                }
            });
        let clauses: Vec<String> = clauses.collect();
        let attribute = format!("#[system({})]", clauses.join(", "));
        write_message!(f, ATTRIBUTE_ON, attribute = attribute, system = self.system)
    }
}
