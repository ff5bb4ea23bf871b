//! Orders that end all races of a schedule, as they are to be written.

use core::fmt;

use crate::escape::{Shown, quoted, shown};
use crate::messages::{message, write_message};
use crate::place::{NodeId, SystemPlace};

/// Orders with which a schedule has no race, and of which none can be left out: see
/// [`BuildError::remedy`](crate::BuildError::remedy).
///
/// What races goes as it would under [`Policy::InsertionOrder`](crate::Policy::InsertionOrder): in one order, as close to that of addition as
/// all other orders allow. It displays as code, an order a line, or all of a system in its attribute.
#[derive(Clone, Debug)]
pub struct Remedy {
    orders: Vec<MissingOrder>,
}

/// An order that nobody declared, and that would end races.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MissingOrder {
    /// The one that comes before the other.
    pub first: SystemPlace,
    /// The other.
    pub then: SystemPlace,
    /// The one, as [`Builder::last`](crate::Builder::last) returned it.
    pub first_node: NodeId,
    /// The other.
    pub then_node: NodeId,
    pub(crate) first_known: KnownBy,
    pub(crate) then_known: KnownBy,
}

/// How code can name a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBy {
    /// It has a type, of which there is no other, and that type's name.
    pub(crate) is_type: bool,
    /// It is a system that was declared by an attribute.
    pub(crate) has_attribute: bool,
    /// Nothing else has its name.
    pub(crate) is_name: bool,
}

/// What the attribute of a system is to say.
struct Clauses<'a> {
    system: &'a SystemPlace,
    after: Vec<Shown<&'a str>>,
    before: Vec<Shown<&'a str>>,
}

impl Remedy {
    pub(crate) fn new(orders: Vec<MissingOrder>) -> Self {
        Self { orders }
    }

    /// The orders, in the order of a run.
    pub fn orders(&self) -> &[MissingOrder] {
        &self.orders
    }

    /// What the first of them are, as code.
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

/// So many are printed; all of them are in [`Remedy::orders`].
const PRINTED_ORDERS: usize = 20;

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_first(f, "")
    }
}

impl MissingOrder {
    /// The one whose attribute can say it.
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

    /// The call of a builder that says it.
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
    /// What a builder takes for it, unless only its number tells it from others.
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
        let clauses = clauses.iter().filter(|(_, names)| !names.is_empty());
        let clauses = clauses.map(|(word, names)| match names.as_slice() {
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
