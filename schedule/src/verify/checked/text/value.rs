//! Values of the holes in messages about a listing.

use core::panic::Location;

use schedule_graph::internal::Item;

use super::FaultWriter;
use super::order::{CodeOrder, RaceOrder};
use crate::base::identity::Name;
use crate::base::text::Text;
use crate::declare::messages::{Filling, Piece, Values, fill_in};

/// A value of a hole in a message.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// The text itself.
    Words(&'static str),
    Number(i128),
    /// The name of a type.
    Name(Name),
    /// A path as written in the listing.
    Written(&'static str),
    Item(Item),
    /// The type of an item, as written in the listing.
    TypePath(Item),
    /// Like `TypePath`, but without backticks, because code surrounds it.
    TypePathInCode(Item),
    /// The accesses of two racing systems to the first resource on which they conflict.
    Conflict(Item, Item),
    /// The other resources on which two racing systems conflict.
    Others(Item, Item),
    /// An order that resolves a race.
    RaceOrder(RaceOrder),
    /// An entry with an order, as code.
    Entry(CodeOrder),
    /// The option of the attribute that declares an order, as code, and the system.
    AttributeOn(CodeOrder),
    /// Only the option of the attribute, as code.
    Attribute(CodeOrder),
    Location(&'static Location<'static>),
    /// Two groups of which each contains the other.
    Groups(Item, Item),
    /// The nodes along steps of a cycle.
    Path((u32, u32)),
    /// The reasons of steps of a cycle.
    Steps((u32, u32)),
    /// The reason of one step.
    Reason(usize),
    NameEach(Item),
    NameEachAndOrder(Item),
    /// The writers before or after a reader of messages, by the steps of its fault.
    Writers((u32, u32), Item, bool),
    OfResource(Name),
    OfPair(Item, Item),
    OfFailure(Item),
}

impl FaultWriter<'_, '_> {
    /// Adds a message with its values.
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
            Value::Conflict(one, other) => self.conflict(text, one, other),
            Value::Others(one, other) => self.names_of_others(text, one, other),
            Value::RaceOrder(remedy) => self.remedy(text, remedy),
            Value::Entry(order) => self.entry(text, order),
            Value::AttributeOn(order) => {
                let (attribute, system) = (Value::Attribute(order), Value::Item(order.subject));
                fill_in!(
                    self,
                    text,
                    ATTRIBUTE_ON,
                    attribute = attribute,
                    system = system
                )
            }
            Value::Attribute(order) => self.attribute(text, order),
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
            Value::Writers(steps, reader, is_after) => self.writers(text, steps, reader, is_after),
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
