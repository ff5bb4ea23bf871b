//! Values of the holes in texts about a listing.

use core::panic::Location;

use schedule_graph::internal::Item;

use super::Teller;
use crate::identity::Name;
use crate::messages::{Filling, Piece, Values, fill_in};
use crate::text::Text;

/// A value of a hole in a text.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// As it is.
    Words(&'static str),
    Number(i128),
    /// The name of a type.
    Name(Name),
    /// A path as it is written in the listing.
    Written(&'static str),
    Item(Item),
    /// The type of an item, as the listing names it.
    TypePath(Item),
    /// The same, in code: without backticks of its own.
    TypePathInCode(Item),
    /// What orders name an item by, in code.
    PathInCode(Item),
    /// The name of an item, in code.
    NameInCode(Item),
    /// How two systems that race use the first resource on which they conflict.
    Conflict(Item, Item),
    /// The other resources on which they conflict.
    Others(Item, Item),
    /// An order that ends a race.
    RaceOrder(RaceOrder),
    Location(&'static Location<'static>),
    /// A group, and another one that it is in, and that is in it.
    Groups(Item, Item),
    /// The nodes along steps of a cycle.
    Path((u32, u32)),
    /// The reasons of steps of a cycle.
    Steps((u32, u32)),
    /// The reason of one step.
    Reason(usize),
    NameEach(Item),
    NameEachAndOrder(Item),
    OfResource(Name),
    OfPair(Item, Item),
    OfFailure(Item),
}

impl Teller<'_, '_> {
    /// Adds a text of the table, with its values.
    pub(super) const fn fill(
        self,
        mut text: Text,
        message: &'static str,
        values: &Values<'_, Value>,
    ) -> Text {
        let mut filling = Filling::new(message, values);
        while let Some(piece) = filling.next() {
            text = match piece {
                Piece::Text(piece) => text.str(piece),
                Piece::Value(value) => self.value(text, *value),
                Piece::LineBreak => text.str("\n  "),
            };
        }
        text
    }

    pub(super) const fn value(self, text: Text, value: Value) -> Text {
        match value {
            Value::Words(words) => text.str(words),
            Value::Number(number) => text.number(number),
            Value::Name(name) => text.str("`").name(name).str("`"),
            Value::Written(path) => text.str("`").str(path).str("`"),
            Value::Item(item) => self.name(text.str("`"), item).str("`"),
            Value::TypePath(item) => self.path_of_type(text.str("`"), item).str("`"),
            Value::Location(location) => {
                let text = text.str(location.file()).str(":");
                text.number(location.line() as i128)
            }
            Value::NameEach(item) => {
                let path = Value::TypePathInCode(item);
                fill_in!(self, text, NAME_EACH, path = path)
            }
            Value::NameEachAndOrder(item) => {
                let path = Value::TypePathInCode(item);
                fill_in!(self, text, NAME_EACH_AND_ORDER, path = path)
            }
            Value::TypePathInCode(item) => self.path_of_type(text, item),
            Value::PathInCode(item) => self.path(text, item),
            Value::NameInCode(item) => self.name(text, item),
            Value::Conflict(one, other) => self.conflict(text, one, other),
            Value::Others(one, other) => self.names_of_others(text, one, other),
            Value::RaceOrder(remedy) => self.remedy(text, remedy),
            Value::Groups(inner, outer) => {
                let mut text = fill_in!(self, text, IN_GROUP, group = Value::Item(inner));
                if inner.code() != outer.code() {
                    text = fill_in!(self, text, IN_GROUP, group = Value::Item(outer));
                }
                self.value(text, Value::Item(inner))
            }
            Value::Path(steps) => self.path_of_steps(text, steps),
            Value::Steps(steps) => self.steps(text, steps),
            Value::Reason(step) => self.why(text, step),
            Value::OfResource(name) => {
                fill_in!(self, text, OF_RESOURCE, resource = Value::Name(name))
            }
            Value::OfPair(one, other) => {
                let (one, other) = (Value::Item(one), Value::Item(other));
                fill_in!(self, text, OF_PAIR, first = one, second = other)
            }
            Value::OfFailure(item) => {
                fill_in!(self, text, OF_FAILURE, system = Value::Item(item))
            }
        }
    }
}

/// An order that ends a race: `other` runs after `one`, or before it. In the listing, `other` comes later.
#[derive(Clone, Copy)]
pub(super) struct RaceOrder {
    pub(super) one: Item,
    pub(super) other: Item,
    pub(super) is_after: bool,
}

impl RaceOrder {
    /// The clause of `other` that names `one`.
    pub(super) const fn clause(self) -> Value {
        Value::Words(if self.is_after { "after" } else { "before" })
    }

    /// The clause of `one` that names `other`.
    pub(super) const fn reverse_clause(self) -> Value {
        Value::Words(if self.is_after { "before" } else { "after" })
    }
}
