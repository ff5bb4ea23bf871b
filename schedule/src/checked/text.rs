//! What is wrong, in words: those of the builder, with the remedy in terms of the listing.

use core::panic::Location;

use schedule_graph::internal::{EdgeOrigin, Item};

use super::fault::{Fault, Kind};
use super::lower::{Checked, StepOrigin};
use super::node::{NONE, Node};
use crate::listing::{About, Listee};
use crate::order::{Direction, Reference, Strength};
use crate::text::Text;
use schedule_graph::Policy;
use schedule_graph::internal::Conflict;

/// Tells of faults.
#[derive(Clone, Copy)]
pub(super) struct Teller<'t, 'a> {
    checked: &'t Checked<'a>,
}

impl<'t, 'a> Teller<'t, 'a> {
    pub(super) const fn new(checked: &'t Checked<'a>) -> Self {
        Self { checked }
    }

    /// Adds what is wrong to a text.
    pub(super) const fn tell(self, text: Text, fault: &Fault) -> Text {
        match fault.kind {
            Kind::Race => self.race(text, fault),
            Kind::Cycle if self.is_of_one(fault) => {
                let text = self.name(text.str("`"), fault.one);
                text.str("` comes after itself; take this order away")
            }
            Kind::Cycle => {
                let text = self.cycle(text.str("cycle: "), fault);
                text.str("\n  take one of these orders away")
            }
            Kind::WritersFirst => {
                let text = text.str("writers first cannot order these: ");
                let text = self.cycle(text, fault);
                text.str("\n  order the writers, or choose another policy")
            }
            Kind::Dangling => self.dangling(text, fault),
            Kind::Ambiguous => self.ambiguous(text, fault),
            Kind::GroupInItself if fault.one.code() == fault.other.code() => {
                let text = self.name(text.str("group `"), fault.one);
                text.str("` is in itself; take it out")
            }
            Kind::GroupInItself => {
                let text = self.name(text.str("group `"), fault.one);
                let text = self.name(text.str("` is in `"), fault.other);
                let text = self.name(text.str("`, which is in `"), fault.one);
                text.str("`; take one out of the other")
            }
            Kind::GroupAgainstMember => {
                let text = self.name(text.str("`"), fault.other);
                let is_part = self.checked.draft.is_part(fault.one);
                let text = text.str(if is_part {
                    "` is in the part `"
                } else {
                    "` is in group `"
                });
                let text = self.name(text, fault.one);
                text.str("` and is ordered against it; order it against other members, or take this order away")
            }
            Kind::LoopAgainstPart => {
                let text = self.name(text.str("`"), fault.other);
                let text = self.name(text.str("` is in the loop `"), fault.one);
                text.str("` and is ordered against it; order it against other parts, or take this order away")
            }
            Kind::GroupOverLevels => {
                let text = self.name(text.str("`"), fault.other);
                let text = self.name(
                    text.str("` is not at the level of the first member of group `"),
                    fault.one,
                );
                text.str("`; make the whole loop a member, or a group for each level")
            }
            Kind::ConditionDeeper => {
                let text = self.name(text.str("`"), fault.other);
                let text = self.name(text.str("` is guarded by `"), fault.one);
                let text = self.name(text.str("`, which is in a loop that `"), fault.other);
                text.str("` is not in; list the condition at the level of what it guards, or further out")
            }
            Kind::GuardsItself => {
                let text = self.name(text.str("`"), fault.one);
                text.str("` is guarded by itself; guard it by another condition")
            }
            Kind::GuardIsLoop => {
                let text = self.name(text.str("the loop `"), fault.one);
                let text = text.str("` is no condition; name its own, `");
                self.path_of_type(text, fault.one)
                    .str("`, which is asked apart then")
            }
            Kind::TwoPolicies => self.two_policies(text, fault),
        }
    }

    /// Adds the name of an item.
    const fn name(self, text: Text, item: Item) -> Text {
        let node = self.of(item);
        match node.name {
            Some(name) => text.str(name),
            // The path that is written has as much of the module as this place needs.
            None if self.shares_name(item) => self.path_of_type(text, item),
            None => text.name(node.reference.name),
        }
    }

    /// Whether a node of another type has the same name. O(nodes).
    const fn shares_name(self, item: Item) -> bool {
        self.first_namesake(self.of(item).reference).is_some()
    }

    /// The first node of another type that has the same name. O(nodes).
    const fn first_namesake(self, reference: Reference) -> Option<Item> {
        let nodes = &self.checked.draft.nodes;
        let mut idx = 0;
        while idx < nodes.len() {
            let other = nodes.get(idx).reference;
            if other.id != reference.id && is_same(other.name.base(), reference.name.base()) {
                return Some(Item::Node(idx as u32));
            }
            idx += 1;
        }
        None
    }

    const fn of(self, item: Item) -> &'t Node {
        self.checked.draft.of(item)
    }

    const fn race(self, text: Text, fault: &Fault) -> Text {
        let (Item::Node(a), Item::Node(b)) = (fault.one, fault.other) else {
            panic!("groups touch nothing");
        };
        let (a, b) = (self.checked.node(a), self.checked.node(b));
        let resources = &self.checked.resources;
        let mut shared = resources.uses().shared(a, b);
        let Some(first) = shared.next() else {
            panic!("a race is about something");
        };
        match (resources.runs_alone(a), resources.runs_alone(b)) {
            (true, true) => {
                let text = self.name(text.str("`"), fault.one);
                let text = self.name(text.str("` and `"), fault.other);
                self.remedy(
                    text.str("` both run alone and nothing orders them; "),
                    fault,
                )
            }
            (true, false) => {
                let text = self.alone(text, fault.one, fault.other);
                self.remedy(text, fault)
            }
            (false, true) => {
                let text = self.alone(text, fault.other, fault.one);
                self.remedy(text, fault)
            }
            (false, false) => {
                let mut text = self.conflict(text, fault, first);
                let mut n_others = 0;
                while let Some(other) = shared.next() {
                    if let Some(resource) = resources.at(other.resource) {
                        text = text.str(if n_others == 0 {
                            " (and conflict on `"
                        } else {
                            "`, `"
                        });
                        text = text.name(resource.name);
                        n_others += 1;
                    }
                }
                let text = match n_others {
                    0 if is_mixed(&first) => text.str(","),
                    0 => text,
                    _ => text.str("`)"),
                };
                self.remedy(text.str(" and nothing orders them; "), fault)
            }
        }
    }

    /// Adds that one runs alone, so that the other has to come before it or after it.
    const fn alone(self, text: Text, one: Item, other: Item) -> Text {
        let text = self.name(text.str("`"), one);
        let text = self.name(
            text.str("` runs alone, and nothing orders it against `"),
            other,
        );
        text.str("`; ")
    }

    /// Adds who does what to a resource.
    const fn conflict(self, text: Text, fault: &Fault, conflict: Conflict) -> Text {
        let resources = &self.checked.resources;
        let Some(resource) = resources.at(conflict.resource) else {
            panic!("who touches all else either runs alone or reads");
        };
        let text = self.name(text.str("`"), fault.one);
        if conflict.first_writes && conflict.second_writes {
            let text = self.name(text.str("` and `"), fault.other);
            return text.str("` both write `").name(resource.name).str("`");
        }
        let text = if conflict.first_writes {
            text.str("` writes `").name(resource.name).str("`")
        } else if self.reads_all(fault.one) {
            text.str("` reads everything")
        } else {
            text.str("` reads `").name(resource.name).str("`")
        };
        let text = self.name(text.str(", `"), fault.other);
        if conflict.first_writes {
            return text.str(if self.reads_all(fault.other) {
                "` reads everything"
            } else {
                "` reads it"
            });
        }
        if self.reads_all(fault.one) {
            return text.str("` writes `").name(resource.name).str("`");
        }
        text.str("` writes it")
    }

    /// Whether it reads what nobody names.
    const fn reads_all(self, item: Item) -> bool {
        matches!(item, Item::Node(idx)
            if self.checked.resources.touches_all(self.checked.node(idx)))
    }

    /// Adds what would end a race.
    const fn remedy(self, text: Text, fault: &Fault) -> Text {
        let (one, other) = (fault.one, fault.other);
        let (first, then) = (self.of(one), self.of(other));
        let is_same = first.reference.id == then.reference.id;
        if self.is_only(one) {
            if then.is_implied {
                return self.list(text, other, " after ", one);
            }
            return self.path(text.str("add `after "), one).str("`");
        }
        let parts = (self.part_of(one), self.part_of(other));
        if let (Some(part), other) = parts
            && !is_same_part(part, other)
        {
            return self.name(text.str("add `after "), part).str("`");
        }
        if let (None, Some(part)) = parts {
            let text = self.name(text.str("add `before "), part);
            return self.name(text.str("` to `"), one).str("`");
        }
        if is_same && first.is_implied && then.is_implied {
            let text = self.path(text.str("list `"), one);
            return text.str("` outside of the loop, where it is asked once for all");
        }
        if self.is_only(other) && first.is_implied {
            return self.list(text, one, " before ", other);
        }
        if self.is_only(other) && is_same {
            let text = self.path(text.str("add `before "), other);
            return self.path(text.str("` to the other `"), one).str("`");
        }
        let text = self.path_of_type(text.str("give each `"), one);
        self.path_of_type(text.str("` a name, as in `"), one)
            .str(" as first`, and order them")
    }

    /// Adds the entry that a condition needs to have an order.
    const fn list(self, text: Text, condition: Item, order: &str, other: Item) -> Text {
        let text = self.path(text.str("list `"), condition).str(":");
        let text = self.path(text.str(order), other);
        text.str(if self.of(condition).level == NONE {
            "`"
        } else {
            "` in the same loop"
        })
    }

    /// Whether an order that names it means it and nothing else.
    const fn is_only(self, item: Item) -> bool {
        let (draft, node) = (&self.checked.draft, self.of(item));
        if node.name.is_some() && node.part == 0 {
            return true;
        }
        let Some(first) = draft.first(node.reference.id) else {
            return false;
        };
        draft.next(first).is_none()
    }

    /// Adds by what the listing names it.
    const fn path(self, text: Text, item: Item) -> Text {
        // Names in a part are for the part.
        match self.of(item) {
            Node {
                name: Some(name),
                part: 0,
                ..
            } => text.str(name),
            _ => self.path_of_type(text, item),
        }
    }

    /// The outermost part that it is in.
    const fn part_of(self, item: Item) -> Option<Item> {
        let draft = &self.checked.draft;
        match self.of(item).part {
            0 => None,
            part => Some(draft.item(draft.listing.outermost(part))),
        }
    }

    /// Adds by what the listing names its type.
    const fn path_of_type(self, text: Text, item: Item) -> Text {
        match self.checked.draft.path(item) {
            Some(path) => text.str(path),
            None => text.name(self.of(item).reference.name),
        }
    }

    /// Whether a cycle is one order of something against itself.
    const fn is_of_one(self, fault: &Fault) -> bool {
        let (start, end) = (fault.steps.0 as usize, fault.steps.1 as usize);
        let checked = self.checked;
        let mut step = start;
        while step < end {
            let edge = self.checked.steps.edge(step);
            let is_same = checked.item(edge.from).code() == checked.item(edge.to).code();
            if !is_same || checked.item(edge.from).code() != fault.one.code() {
                return false;
            }
            step += 1;
        }
        true
    }

    const fn ambiguous(self, text: Text, fault: &Fault) -> Text {
        // The name of the type, since the first of them may have one of its own.
        let text = text.str("`").name(self.of(fault.one).reference.name);
        let text = text.str("` stands here several times");
        let is_rule = self.listee(fault).is_some();
        if !is_rule && fault.spot.clause == 0 {
            let text = self.name(text.str(", and the attribute of `"), fault.other);
            let text = text.str("` cannot say which; say it here instead, with names, as in `");
            return self.path_of_type(text, fault.one).str(" as first`");
        }
        let text = text.str("; give each a name, as in `");
        self.path_of_type(text, fault.one)
            .str(" as first`, and name the one that is meant")
    }

    /// Adds `a` -> `b` -> `a`, and why each.
    const fn cycle(self, mut text: Text, fault: &Fault) -> Text {
        let (start, end) = (fault.steps.0 as usize, fault.steps.1 as usize);
        let steps = &self.checked.steps;
        let checked = self.checked;
        let mut step = start;
        while step < end {
            let edge = steps.edge(step);
            if step == start {
                text = self.name(text.str("`"), checked.item(edge.from)).str("`");
            }
            if !self.is_inside(step) {
                text = self.name(text.str(" -> `"), checked.item(edge.to)).str("`");
            }
            step += 1;
        }
        let mut step = start;
        while step < end {
            if !self.is_inside(step) {
                let edge = steps.edge(step);
                text = self.name(text.str("\n    `"), checked.item(edge.from));
                text = self.name(text.str("` -> `"), checked.item(edge.to));
                text = self.why(text.str("`   "), step);
            }
            step += 1;
        }
        text
    }

    /// Whether a step goes from the begin to the end of the same: one mention is enough.
    const fn is_inside(self, step: usize) -> bool {
        let steps = &self.checked.steps;
        let edge = steps.edge(step);
        let checked = self.checked;
        match steps.origin(step) {
            StepOrigin::Edge(EdgeOrigin::Group) => true,
            StepOrigin::Edge(EdgeOrigin::Loop) => {
                checked.item(edge.from).code() == checked.item(edge.to).code()
            }
            _ => false,
        }
    }

    const fn why(self, text: Text, step: usize) -> Text {
        let Checked {
            draft,
            resources,
            conditions,
            ..
        } = self.checked;
        match self.checked.steps.origin(step) {
            StepOrigin::Edge(EdgeOrigin::Order(idx)) => {
                let order = draft.order(draft.orders.at(idx as usize));
                place(
                    self.lifted(text, step, idx).str("declared at "),
                    order.location,
                )
            }
            StepOrigin::Edge(EdgeOrigin::Weak(idx)) => {
                let order = draft.order(draft.orders.at(idx as usize));
                let text = self.lifted(text, step, idx);
                place(text.str("if they conflict, declared at "), order.location)
            }
            StepOrigin::Edge(EdgeOrigin::Member(idx)) => {
                let location = draft.membership(draft.members.at(idx as usize)).location;
                place(text.str("as a member, declared at "), location)
            }
            StepOrigin::Edge(EdgeOrigin::Group) => text,
            StepOrigin::Edge(EdgeOrigin::Inside) => text.str("as a member"),
            StepOrigin::Edge(EdgeOrigin::Loop) => text.str("as a part of the loop"),
            StepOrigin::Edge(EdgeOrigin::Leaf(leaf)) => {
                let leaf = leaf as usize;
                let guard = conditions.guard_of(leaf);
                let nth = (leaf - conditions.first_leaf(guard)) as u32;
                let text = text.str("as its condition, declared at ");
                match draft.guard(draft.guards.at(guard)).find_leaf(nth) {
                    Some(answered) => place(text, answered.location()),
                    None => text,
                }
            }
            StepOrigin::Edge(EdgeOrigin::Inherited(_)) => {
                let edge = self.checked.steps.edge(step);
                let checked = self.checked;
                let text = self.name(text.str("since all that `"), checked.item(edge.to));
                let text = text.str("` guards is in a group that `");
                self.name(text, checked.item(edge.from)).str("` guards")
            }
            StepOrigin::Edge(EdgeOrigin::Flush) => {
                let edge = self.checked.steps.edge(step);
                let checked = self.checked;
                let text = self.name(text.str("since all that `"), checked.item(edge.to));
                let text = text.str("` guards comes after `");
                self.name(text, checked.item(edge.from)).str("`")
            }
            StepOrigin::WritersFirst(resource) => {
                let edge = self.checked.steps.edge(step);
                let item = self.checked.item(edge.from);
                let text = text.str(match item {
                    Item::Node(idx) if !resources.writes(self.checked.node(idx), resource) => {
                        "because a part of `"
                    }
                    _ => "because `",
                });
                let text = self.name(text, item);
                match resources.at(resource) {
                    Some(resource) => text.str("` writes `").name(resource.name).str("`"),
                    None => text.str("` runs alone"),
                }
            }
        }
    }

    const fn dangling(self, text: Text, fault: &Fault) -> Text {
        let draft = &self.checked.draft;
        if let Some(listee) = self.listee(fault) {
            let text = text.str("`").name(listee.reference.name);
            let text = self.namesake(text.str("` is not in this schedule"), listee.reference);
            return text.str("; add it, or take the policy away");
        }
        let said = draft.orders.at(fault.steps.0 as usize);
        let order = draft.order(said);
        let namesake = self.first_namesake(order.other);
        let mut text = match order.path {
            Some(path) if namesake.is_some() => text.str("`").str(path).str("`"),
            _ => text.str("`").name(order.other.name).str("`"),
        };
        if draft.is_of_attribute(said) {
            let node = self.name(text.str(", which the attribute of `"), fault.one);
            text = node.str("` names, ");
        } else {
            text = text.str(" ");
        }
        text = text.str("is not in this schedule");
        if order.is_of_state {
            return text.str("; add `").name(order.other.name).str("`");
        }
        if order.path.is_none() {
            text = self.namesake(text, order.other);
        }
        text = text.str("; add it, or ");
        match (order.strength, order.direction) {
            (Strength::IfConflicting, _) => text.str("take this order away"),
            (_, Direction::After) => text.str("say `after_if_present`"),
            (_, Direction::Before) => text.str("say `before_if_present`"),
        }
    }

    /// Adds which node has the same name as something that is missing, if one does.
    const fn namesake(self, text: Text, missing: Reference) -> Text {
        match self.first_namesake(missing) {
            // Arguments may tell instances apart.
            Some(item) if missing.name.arguments().is_empty() => self
                .path_of_type(text.str(" (the `"), item)
                .str("` in it is another one)"),
            _ => text,
        }
    }

    /// Adds between whom an order is said, if loops made it one between others.
    const fn lifted(self, text: Text, step: usize, idx: u32) -> Text {
        let draft = &self.checked.draft;
        let said = draft.orders.at(idx as usize);
        let order = draft.order(said);
        let other = match order.entry {
            Some(number) => draft.named(said, number),
            None => match draft.first(order.other.id) {
                Some(other) => other,
                None => said.subject,
            },
        };
        let (first, then) = match order.direction {
            Direction::After => (other, said.subject),
            Direction::Before => (said.subject, other),
        };
        let checked = self.checked;
        let edge = self.checked.steps.edge(step);
        if checked.item(edge.from).code() == first.code()
            && checked.item(edge.to).code() == then.code()
        {
            return text;
        }
        let text = self.name(text.str("as `"), first);
        self.name(text.str("` -> `"), then).str("`, ")
    }

    /// What a rule names, if the fault is one of a rule.
    const fn listee(self, fault: &Fault) -> Option<Listee> {
        let listing = self.checked.draft.listing;
        let n_entries = listing.entries.len();
        if (fault.spot.entry as usize) < n_entries {
            return None;
        }
        match listing.rules[fault.spot.entry as usize - n_entries].about {
            About::Pair(one, other, _) => Some(if fault.steps.0 == 0 { one } else { other }),
            _ => None,
        }
    }

    const fn two_policies(self, text: Text, fault: &Fault) -> Text {
        let listing = self.checked.draft.listing;
        let rule = fault.spot.entry as usize - listing.entries.len();
        let (text, policy) = match listing.rules[rule].about {
            About::Resource(resource, choice) => {
                (text.str("`").name(resource.name).str("`"), choice.policy)
            }
            About::Pair(_, _, choice) => (text.str("this pair"), choice.policy),
            About::Schedule(policy) => (text.str("the schedule"), policy),
            About::Failure(_) => (text, Policy::Reject),
        };
        let text = text
            .str(" has the policy `")
            .str(known(fault.steps.0).text());
        text.str("` already, and here `")
            .str(policy.text())
            .str("`; take one of them away")
    }
}

/// The policy of this number.
const fn known(policy: u32) -> Policy {
    const ALL: [Policy; 5] = [
        Policy::Reject,
        Policy::WritersFirst,
        Policy::AsAdded,
        Policy::Accepted,
        Policy::AsFits,
    ];
    let mut idx = 0;
    while ALL[idx] as u32 != policy {
        idx += 1;
    }
    ALL[idx]
}

const fn is_mixed(conflict: &Conflict) -> bool {
    conflict.first_writes != conflict.second_writes
}

const fn is_same_part(part: Item, other: Option<Item>) -> bool {
    matches!(other, Some(other) if part.code() == other.code())
}

const fn place(text: Text, location: &Location<'_>) -> Text {
    let text = text.str(location.file()).str(":");
    text.number(location.line() as i128)
}

/// Whether two texts are the same.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut idx = 0;
    while idx < one.len() {
        if one[idx] != other[idx] {
            return false;
        }
        idx += 1;
    }
    true
}
