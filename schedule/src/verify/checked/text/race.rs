//! Writes races as text: one pair with the order that resolves it, or the pairs of a group with the orders that resolve them.

use schedule_graph::Edge;
use schedule_graph::internal::{Item, Shared};

use super::order::RaceOrder;
use super::value::Value;
use super::{FaultWriter, ListingFault, Text};
use crate::data::access::{AccessKind, Storage, verb};
use crate::declare::messages::fill_in;
use crate::verify::checked::node::NodeKind;
use crate::verify::checked::race_group::RaceGroup;

impl<'t> FaultWriter<'t, '_> {
    /// Maximum number of shown pairs of a group. The message contains the number of other pairs.
    const SHOWN_PAIRS: usize = 3;

    /// Maximum number of shown orders that resolve the races of a group.
    const SHOWN_ORDERS: usize = 12;

    /// Adds a race of two systems, and the order that resolves it.
    pub(super) const fn race(self, text: Text, one: Item, other: Item) -> Text {
        let fix = Value::RaceOrder(RaceOrder {
            one,
            other,
            is_after: true,
            is_single: true,
        });
        if let Some((one, other)) = self.exclusive(one, other) {
            let (one, other) = (Value::Item(one), Value::Item(other));
            return fill_in!(
                self,
                text,
                RACE_EXCLUSIVE,
                one = one,
                other = other,
                fix = fix
            );
        }
        let conflict = Value::Conflict(one, other);
        let text = match self.others(one, other) {
            None if self.is_mixed(one, other) => {
                fill_in!(self, text, RACE_MIXED, conflict = conflict, fix = fix)
            }
            others => {
                fill_in!(self, text, RACE, conflict = conflict, fix = fix; others = others)
            }
        };
        if self.is_only_across_loop(one, other) {
            return fill_in!(self, text, ACROSS_LOOP);
        }
        text
    }

    /// Returns whether two systems conflict only because filters are not compared across a loop.
    const fn is_only_across_loop(self, one: Item, other: Item) -> bool {
        let mut shared = self.shared(one, other);
        while let Some(conflict) = shared.next() {
            match self.checked.resources.at(conflict.resource) {
                Some(resource) if matches!(resource.storage, Storage::Entities) => {}
                _ => return false,
            }
        }
        match (self.of(one).declaration, self.of(other).declaration) {
            (Some(first), Some(second)) if self.filter_level(one) != self.filter_level(other) => {
                !first
                    .definition
                    .parameters
                    .conflict_with(&second.definition.parameters)
            }
            _ => false,
        }
    }

    /// Returns the level at which the filters of a system count. For a loop condition, this is the loop body.
    const fn filter_level(self, item: Item) -> u32 {
        let node = self.of(item);
        match node.kind {
            NodeKind::Loop => item.code(),
            _ => node.level,
        }
    }

    /// Adds several races of one group, and the orders that resolve them.
    pub(in super::super) const fn races(
        self,
        text: Text,
        many: RaceGroup,
        faults: &[ListingFault],
    ) -> Text {
        let checked = self.checked;
        let n = Value::Number(many.n_pairs as i128);
        let resource = match checked.resources.at(checked.resource_of(many)) {
            Some(resource) => Some(Value::Name(resource.name)),
            None => None,
        };
        let mut text = fill_in!(self, text, RACES, n = n; resource = resource);
        let mut n_shown = 0;
        let mut idx = checked.first_of(many);
        while idx < faults.len() && n_shown < Self::SHOWN_PAIRS {
            if let Some(other) = checked.many(&faults[idx], idx)
                && other.is_same_group(many)
            {
                text = self.pair(text, faults[idx].one, faults[idx].other);
                n_shown += 1;
            }
            idx += 1;
        }
        if many.n_pairs > n_shown {
            let n = Value::Number((many.n_pairs - n_shown) as i128);
            text = fill_in!(self, text, MORE_OF_RACES, n = n);
        }
        if checked.races.has_orders() {
            self.orders(text, many)
        } else {
            fill_in!(self, text, CYCLES_FIRST)
        }
    }

    const fn orders(self, text: Text, many: RaceGroup) -> Text {
        let checked = self.checked;
        let mut next = checked.next_order(many, None);
        if next.is_none() {
            return fill_in!(self, text, OTHER_ORDERS);
        }
        let mut text = match checked.next_order(many, next) {
            None => fill_in!(self, text, ONE_ORDER),
            Some(_) => fill_in!(self, text, THESE_ORDERS),
        };
        let mut n_shown = 0;
        let mut n_more = 0;
        let mut last: Option<(Item, Item)> = None;
        while let Some(idx) = next {
            next = checked.next_order(many, Some(idx));
            let order: Edge = checked.races.orders()[idx];
            let (one, other) = checked.as_listed(order);
            let named = (
                self.outermost_distinct_plugin(one, other),
                self.outermost_distinct_plugin(other, one),
            );
            // Several systems of one plugin may need the same order.
            if let Some((last_one, last_other)) = last
                && named.0.code() == last_one.code()
                && named.1.code() == last_other.code()
            {
                continue;
            }
            last = Some(named);
            if n_shown == Self::SHOWN_ORDERS {
                n_more += 1;
                continue;
            }
            n_shown += 1;
            let fix = Value::RaceOrder(RaceOrder {
                one,
                other,
                is_after: Item::Node(order.to).code() == other.code(),
                is_single: false,
            });
            text = fill_in!(self, text, ORDER_OF_RACES, fix = fix);
        }
        if checked.races.is_cut() {
            fill_in!(self, text, MORE_ORDERS)
        } else if n_more > 0 {
            fill_in!(self, text, MORE_OF_RACES, n = Value::Number(n_more))
        } else {
            text
        }
    }

    /// Returns the outermost plugin that contains `item` but not `other`. If there is none, returns `item` itself.
    const fn outermost_distinct_plugin(self, item: Item, other: Item) -> Item {
        match self.plugin_of(item) {
            Some(plugin) if !is_same_plugin(plugin, self.plugin_of(other)) => plugin,
            _ => item,
        }
    }

    /// Adds one pair of several races.
    const fn pair(self, text: Text, one: Item, other: Item) -> Text {
        if let Some((one, other)) = self.exclusive(one, other) {
            let (one, other) = (Value::Item(one), Value::Item(other));
            return fill_in!(self, text, PAIR_EXCLUSIVE, one = one, other = other);
        }
        let (conflict, others) = (Value::Conflict(one, other), self.others(one, other));
        fill_in!(self, text, PAIR, conflict = conflict; others = others)
    }

    /// Returns the exclusive system and the other one, if exactly one of two systems is exclusive.
    const fn exclusive(self, one: Item, other: Item) -> Option<(Item, Item)> {
        let resources = &self.checked.resources;
        let (a, b) = (self.node(one), self.node(other));
        match (resources.is_exclusive(a), resources.is_exclusive(b)) {
            (true, false) => Some((one, other)),
            (false, true) => Some((other, one)),
            _ => None,
        }
    }

    const fn node(self, item: Item) -> u32 {
        let Item::Node(idx) = item else {
            panic!("groups touch nothing");
        };
        self.checked.node(idx)
    }

    /// Returns the conflicts of two systems.
    const fn shared(self, one: Item, other: Item) -> Shared<'t> {
        let uses = self.checked.resources.uses();
        uses.shared(self.node(one), self.node(other))
    }

    /// Returns the resources after the first on which two systems conflict, if there are any. Conflicts of an exclusive system have no
    /// named resource.
    const fn others(self, one: Item, other: Item) -> Option<Value> {
        let mut shared = self.shared(one, other);
        let _ = shared.next();
        while let Some(conflict) = shared.next() {
            if self.checked.resources.at(conflict.resource).is_some() && !self.is_exclusive(one) {
                return Some(Value::Others(one, other));
            }
        }
        None
    }

    const fn is_exclusive(self, item: Item) -> bool {
        self.checked.resources.is_exclusive(self.node(item))
    }

    /// Adds the names of the resources that [`others`](Self::others) found.
    pub(super) const fn names_of_others(self, mut text: Text, one: Item, other: Item) -> Text {
        let mut shared = self.shared(one, other);
        let _ = shared.next();
        let mut is_first = true;
        while let Some(conflict) = shared.next() {
            if let Some(resource) = self.checked.resources.at(conflict.resource) {
                text = text.str(if is_first { "" } else { ", " });
                text = self.value(text, Value::Name(resource.name));
                is_first = false;
            }
        }
        text
    }

    /// Returns whether two systems access the first resource on which they conflict in different kinds.
    const fn is_mixed(self, one: Item, other: Item) -> bool {
        match self.shared(one, other).next() {
            Some(first) => first.first as u8 != first.second as u8,
            None => false,
        }
    }

    /// Adds the accesses of two systems to the first resource on which they conflict. If both are exclusive, adds this fact instead.
    pub(super) const fn conflict(self, text: Text, one: Item, other: Item) -> Text {
        let (first, second) = (Value::Item(one), Value::Item(other));
        if self.is_exclusive(one) {
            return fill_in!(self, text, BOTH_EXCLUSIVE, first = first, second = second);
        }
        let Some(conflict) = self.shared(one, other).next() else {
            panic!("a race is about something");
        };
        let Some(resource) = self.checked.resources.at(conflict.resource) else {
            panic!("a system that touches everything runs alone or reads");
        };
        let is_messages = resource.name.is_messages();
        let resource = Value::Name(resource.name);
        let [of_first, of_second] = [
            Value::Words(verb(conflict.first, is_messages)),
            Value::Words(verb(conflict.second, is_messages)),
        ];
        match (conflict.first, conflict.second) {
            (AccessKind::Write, AccessKind::Write) => fill_in!(
                self,
                text,
                BOTH_WRITE,
                first = first,
                second = second,
                subject = resource
            ),
            (_, AccessKind::Read) if self.reads_all(other) => fill_in!(
                self,
                text,
                CONFLICT_WITH_READ_ALL,
                first = first,
                accesses = of_first,
                second = second,
                subject = resource
            ),
            (AccessKind::Read, _) if self.reads_all(one) => fill_in!(
                self,
                text,
                READ_ALL_CONFLICT,
                first = first,
                second = second,
                accesses = of_second,
                subject = resource
            ),
            _ => fill_in!(
                self,
                text,
                CONFLICT,
                first = first,
                accesses = of_first,
                second = second,
                also = of_second,
                subject = resource
            ),
        }
    }

    /// Returns whether a system reads everything.
    const fn reads_all(self, item: Item) -> bool {
        self.checked.resources.touches_all(self.node(item))
    }
}

const fn is_same_plugin(plugin: Item, other: Option<Item>) -> bool {
    matches!(other, Some(other) if plugin.code() == other.code())
}
