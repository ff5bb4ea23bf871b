//! Writes faults as text: messages with values from the listing.

mod order;
mod race;
mod remedy;
mod value;

use schedule_graph::internal::{EdgeOrigin, Item};

use self::value::Value;
use super::fault::{ListingFault, ListingFaultKind};
use super::lower::{Checked, StepCause};
use super::node::{DraftNode, NONE};
use crate::base::text::Text;
use crate::data::access::{AccessKind, verb};
use crate::data::failure_policy::FailurePolicy;
use crate::data::order::{Direction, Reference, Strength};
use crate::declare::listing::{About, RuleTarget};
use crate::declare::messages::{self, fill_in, is_same};
use schedule_graph::Policy;

/// Writes messages about faults.
#[derive(Clone, Copy)]
pub(super) struct FaultWriter<'t, 'a> {
    pub(super) checked: &'t Checked<'a>,
}

impl<'t, 'a> FaultWriter<'t, 'a> {
    pub(super) const fn new(checked: &'t Checked<'a>) -> Self {
        Self { checked }
    }

    /// Adds the message of a fault.
    pub(super) const fn write(self, text: Text, fault: &ListingFault) -> Text {
        let (one, other) = (Value::Item(fault.one), Value::Item(fault.other));
        match fault.kind {
            ListingFaultKind::Race => self.race(text, fault.one, fault.other),
            ListingFaultKind::Cycle if self.is_of_one(fault) => {
                fill_in!(self, text, ORDERED_AFTER_ITSELF, system = one)
            }
            ListingFaultKind::Cycle => {
                let (path, steps) = (Value::Path(fault.steps), Value::Steps(fault.steps));
                fill_in!(self, text, CYCLE, path = path, steps = steps)
            }
            ListingFaultKind::WritersFirst => {
                let (path, steps) = (Value::Path(fault.steps), Value::Steps(fault.steps));
                fill_in!(self, text, WRITERS_FIRST, path = path, steps = steps)
            }
            ListingFaultKind::Dangling => self.dangling(text, fault),
            ListingFaultKind::Ambiguous => self.ambiguous(text, fault),
            ListingFaultKind::GroupInItself => {
                let path = Value::Groups(fault.one, fault.other);
                fill_in!(self, text, GROUP_IN_ITSELF, path = path)
            }
            ListingFaultKind::GroupAgainstMember if self.checked.draft.is_plugin(fault.one) => {
                fill_in!(
                    self,
                    text,
                    PLUGIN_AGAINST_MEMBER,
                    member = other,
                    plugin = one
                )
            }
            ListingFaultKind::GroupAgainstMember => {
                fill_in!(
                    self,
                    text,
                    GROUP_AGAINST_MEMBER,
                    member = other,
                    group = one
                )
            }
            ListingFaultKind::LoopAgainstBody => {
                fill_in!(self, text, LOOP_AGAINST_BODY, node = other, repeat = one)
            }
            ListingFaultKind::GroupOverLevels => {
                fill_in!(self, text, GROUP_OVER_LEVELS, member = other, group = one)
            }
            ListingFaultKind::ConditionDeeper => {
                fill_in!(
                    self,
                    text,
                    CONDITION_DEEPER,
                    guarded = other,
                    condition = one
                )
            }
            ListingFaultKind::GuardsItself => fill_in!(self, text, GUARDS_ITSELF, condition = one),
            ListingFaultKind::GuardIsLoop => {
                let path = Value::TypePath(fault.one);
                fill_in!(self, text, GUARD_IS_LOOP, condition = one, path = path)
            }
            ListingFaultKind::TwoPolicies => self.two_policies(text, fault),
            ListingFaultKind::ReaderBetweenWriters => self.reader_between(text, fault),
        }
    }

    /// Adds the message of a reader between writers. The steps lead from earlier writers to the reader, and from it to later writers.
    const fn reader_between(self, text: Text, fault: &ListingFault) -> Text {
        let (start, end) = (fault.steps.0 as usize, fault.steps.1 as usize);
        let StepCause::WritersFirst(resource) = self.checked.steps.origin(start) else {
            panic!("the steps are about messages");
        };
        let Some(queue) = self.checked.resources.at(resource) else {
            panic!("a queue of messages is a resource");
        };
        let mut n_after = 0;
        let mut step = start;
        while step < end {
            n_after += self.is_after_reader(step, fault.one) as usize;
            step += 1;
        }
        let is_after = n_after <= end - start - n_after;
        let direction = if is_after { "after" } else { "before" };
        let reader = Value::Item(fault.one);
        fill_in!(
            self,
            text,
            READER_BETWEEN_WRITERS,
            reader = reader,
            messages = Value::Name(queue.name),
            before = Value::Writers(fault.steps, fault.one, false),
            after = Value::Writers(fault.steps, fault.one, true),
            short = reader,
            direction = Value::Words(direction),
            moved = Value::Writers(fault.steps, fault.one, is_after)
        )
    }

    /// Whether a step leads from a reader to a later writer.
    const fn is_after_reader(self, step: usize, reader: Item) -> bool {
        let from = self.checked.steps.edge(step).from;
        self.checked.item(from).is(reader)
    }

    /// Adds the names of the writers on one side of a reader.
    pub(super) const fn writers(
        self,
        mut text: Text,
        (start, end): (u32, u32),
        reader: Item,
        is_after: bool,
    ) -> Text {
        let mut is_first = true;
        let mut step = start as usize;
        while step < end as usize {
            if self.is_after_reader(step, reader) == is_after {
                let edge = self.checked.steps.edge(step);
                let writer = if is_after { edge.to } else { edge.from };
                text = text.str(if is_first { "" } else { ", " });
                text = self.value(text, Value::Item(self.checked.item(writer)));
                is_first = false;
            }
            step += 1;
        }
        text
    }

    /// Adds the number of further faults at a token.
    pub(super) const fn write_more_at_token(self, text: Text, n: i128) -> Text {
        fill_in!(self, text, MORE_AT_TOKEN, n = Value::Number(n))
    }

    /// Adds the number of further faults in the schedule.
    pub(super) const fn write_more_in_schedule(self, text: Text, n: i128) -> Text {
        fill_in!(self, text, MORE_IN_SCHEDULE, n = Value::Number(n))
    }

    /// Adds the name of an item.
    pub(super) const fn name(self, text: Text, item: Item) -> Text {
        let node = self.of(item);
        match node.name {
            Some(name) => text.str(name),
            // The path in the listing is unambiguous at the listing's location.
            None if self.shares_name(item) => self.path_of_type(text, item),
            None => text.name(node.reference.name),
        }
    }

    /// Returns whether a node of another type has the same name. O(nodes).
    const fn shares_name(self, item: Item) -> bool {
        self.first_namesake(self.of(item).reference).is_some()
    }

    /// Returns the first node of another type with the same name. O(nodes).
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

    const fn of(self, item: Item) -> &'t DraftNode {
        self.checked.draft.of(item)
    }

    /// Returns the outermost plugin that contains an item.
    const fn plugin_of(self, item: Item) -> Option<Item> {
        let draft = &self.checked.draft;
        match self.of(item).plugin {
            0 => None,
            plugin => Some(draft.item(draft.listing.outermost(plugin))),
        }
    }

    /// Adds the path by which the listing names the type of an item.
    const fn path_of_type(self, text: Text, item: Item) -> Text {
        match self.checked.draft.path(item) {
            Some(path) => text.str(path),
            None => text.name(self.of(item).reference.name),
        }
    }

    /// Returns whether a cycle consists of orders of one item with itself.
    const fn is_of_one(self, fault: &ListingFault) -> bool {
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

    const fn ambiguous(self, text: Text, fault: &ListingFault) -> Text {
        // Uses the name of the type, because the first match may have a different name.
        let name = Value::Name(self.of(fault.one).reference.name);
        let is_rule = self.listee(fault).is_some();
        let is_of_attribute = !is_rule && fault.spot.clause == 0;
        let (system, fix) = if is_of_attribute {
            let system = Some(Value::Item(fault.other));
            (system, Value::NameEachAndOrder(fault.one))
        } else {
            (None, Value::NameEach(fault.one))
        };
        fill_in!(self, text, AMBIGUOUS, name = name, fix = fix; system = system)
    }

    /// Adds the path of a cycle: `a` -> `b` -> `a`.
    const fn path_of_steps(self, mut text: Text, (start, end): (u32, u32)) -> Text {
        let checked = self.checked;
        let mut step = start as usize;
        while step < end as usize {
            let edge = checked.steps.edge(step);
            if step == start as usize {
                text = self.value(text, Value::Item(checked.item(edge.from)));
            }
            if !self.is_inside(step) {
                let to = Value::Item(checked.item(edge.to));
                text = fill_in!(self, text, STEP_OF_PATH, to = to);
            }
            step += 1;
        }
        text
    }

    /// Adds one line with the reason of each step of a cycle.
    const fn steps(self, mut text: Text, (start, end): (u32, u32)) -> Text {
        let mut step = start as usize;
        while step < end as usize {
            if !self.is_inside(step) {
                let (from, to) = self.ends(step);
                let reason = Value::Reason(step);
                text = fill_in!(self, text, STEP, from = from, to = to, reason = reason);
            }
            step += 1;
        }
        text
    }

    /// Returns the two items of a step.
    const fn ends(self, step: usize) -> (Value, Value) {
        let edge = self.checked.steps.edge(step);
        let (from, to) = (self.checked.item(edge.from), self.checked.item(edge.to));
        (Value::Item(from), Value::Item(to))
    }

    /// Returns whether a step connects the begin and the end of one item. Such a step is not shown.
    const fn is_inside(self, step: usize) -> bool {
        let steps = &self.checked.steps;
        let edge = steps.edge(step);
        let checked = self.checked;
        match steps.origin(step) {
            StepCause::Edge(EdgeOrigin::Group) => true,
            StepCause::Edge(EdgeOrigin::Loop) => {
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
        let (from, to) = self.ends(step);
        match self.checked.steps.origin(step) {
            StepCause::Edge(EdgeOrigin::Order(idx)) => {
                let location = draft.order(draft.orders.at(idx as usize)).location;
                let location = Value::Location(location);
                let (first, then) = self.lifted(step, idx);
                fill_in!(self, text, BY_ORDER, location = location; first = first, then = then)
            }
            StepCause::Edge(EdgeOrigin::Weak(idx)) => {
                let location = draft.order(draft.orders.at(idx as usize)).location;
                let location = Value::Location(location);
                let (first, then) = self.lifted(step, idx);
                fill_in!(self, text, BY_WEAK_ORDER, location = location; first = first, then = then)
            }
            StepCause::Edge(EdgeOrigin::Member(idx)) => {
                let location = draft.membership(draft.members.at(idx as usize)).location;
                fill_in!(
                    self,
                    text,
                    BY_MEMBERSHIP,
                    location = Value::Location(location)
                )
            }
            StepCause::Edge(EdgeOrigin::Group | EdgeOrigin::Inside) => {
                fill_in!(self, text, BY_MEMBERSHIP)
            }
            StepCause::Edge(EdgeOrigin::Loop) => fill_in!(self, text, BY_LOOP),
            StepCause::Edge(EdgeOrigin::Leaf(leaf)) => {
                let leaf = leaf as usize;
                let guard = conditions.guard_of(leaf);
                let nth = (leaf - conditions.first_leaf(guard)) as u32;
                let location = match draft.guard(draft.guards.at(guard)).find_leaf(nth) {
                    Some(answered) => Some(Value::Location(answered.location())),
                    None => None,
                };
                fill_in!(self, text, BY_CONDITION; location = location)
            }
            StepCause::Edge(EdgeOrigin::Inherited(_)) => {
                fill_in!(self, text, BY_INHERITED_CONDITION, from = from, to = to)
            }
            StepCause::Edge(EdgeOrigin::ApplyCommands) => {
                fill_in!(self, text, BY_COMMANDS, from = from, to = to)
            }
            StepCause::WritersFirst(resource) => {
                let Some(subject) = resources.at(resource) else {
                    return fill_in!(self, text, BY_EXCLUSIVE, from = from);
                };
                let is_messages = subject.name.is_messages();
                let subject = Value::Name(subject.name);
                let item = self.checked.item(self.checked.steps.edge(step).from);
                let kind = match item {
                    Item::Node(idx) => resources.kind_of_use(self.checked.node(idx), resource),
                    _ => Some(AccessKind::Write),
                };
                let is_in_loop = !matches!(kind, Some(kind) if kind.modifies());
                let kind = match kind {
                    Some(AccessKind::Fold) => AccessKind::Fold,
                    _ => AccessKind::Write,
                };
                let writes = Value::Words(verb(kind, is_messages));
                if is_in_loop {
                    fill_in!(
                        self,
                        text,
                        BY_WRITE_IN_LOOP,
                        from = from,
                        writes = writes,
                        subject = subject
                    )
                } else {
                    fill_in!(
                        self,
                        text,
                        BY_WRITE,
                        from = from,
                        writes = writes,
                        subject = subject
                    )
                }
            }
        }
    }

    const fn dangling(self, text: Text, fault: &ListingFault) -> Text {
        let draft = &self.checked.draft;
        if let Some(listee) = self.listee(fault) {
            return fill_in!(
                self, text, DANGLING, name = Value::Name(listee.reference.name);
                otherwise = Some(Value::Words(messages::OR_REMOVE_POLICY)),
                same_name = self.namesake(listee.reference)
            );
        }
        let clause = draft.orders.at(fault.steps.0 as usize);
        let order = draft.order(clause);
        let system = if draft.is_of_attribute(clause) {
            Some(Value::Item(fault.one))
        } else {
            None
        };
        let name = match order.path {
            Some(path) if self.first_namesake(order.other).is_some() => Value::Written(path),
            _ => Value::Name(order.other.name),
        };
        if order.is_of_state {
            return fill_in!(self, text, DANGLING_STATE, name = name);
        }
        let otherwise = match (order.strength, order.direction) {
            (Strength::IfConflicting, _) => messages::OR_REMOVE_ORDER,
            (_, Direction::After) => messages::OR_AFTER_IF_PRESENT,
            (_, Direction::Before) => messages::OR_BEFORE_IF_PRESENT,
        };
        let same_name = match order.path {
            None => self.namesake(order.other),
            Some(_) => None,
        };
        fill_in!(
            self, text, DANGLING, name = name;
            system = system,
            otherwise = Some(Value::Words(otherwise)),
            same_name = same_name
        )
    }

    /// Returns the node that has the same name as a missing one, if there is one.
    const fn namesake(self, missing: Reference) -> Option<Value> {
        match self.first_namesake(missing) {
            // Instances of a generic system may differ only in their arguments.
            Some(item) if missing.name.arguments().is_empty() => Some(Value::TypePath(item)),
            _ => None,
        }
    }

    /// Returns the declared ends of an order, if the step connects other nodes because of loops.
    const fn lifted(self, step: usize, idx: u32) -> (Option<Value>, Option<Value>) {
        let draft = &self.checked.draft;
        let clause = draft.orders.at(idx as usize);
        let order = draft.order(clause);
        let other = match order.entry {
            Some(number) => draft.named(clause, number),
            None => match draft.first(order.other.id) {
                Some(other) => other,
                None => clause.subject,
            },
        };
        let (first, then) = match order.direction {
            Direction::After => (other, clause.subject),
            Direction::Before => (clause.subject, other),
        };
        let checked = self.checked;
        let edge = self.checked.steps.edge(step);
        if checked.item(edge.from).code() == first.code()
            && checked.item(edge.to).code() == then.code()
        {
            return (None, None);
        }
        (Some(Value::Item(first)), Some(Value::Item(then)))
    }

    /// Returns the name in a rule that a fault is about, if the fault is about a rule.
    const fn listee(self, fault: &ListingFault) -> Option<RuleTarget> {
        let listing = self.checked.draft.listing;
        let n_entries = listing.entries.len();
        if (fault.spot.entry as usize) < n_entries {
            return None;
        }
        match listing.rules[fault.spot.entry as usize - n_entries].about {
            About::Pair(one, other, _) => Some(if fault.steps.0 == 0 { one } else { other }),
            About::Resource(..) => None,
        }
    }

    const fn two_policies(self, text: Text, fault: &ListingFault) -> Text {
        let listing = self.checked.draft.listing;
        if (fault.spot.entry as usize) < listing.entries.len() {
            let subject = Value::OfFailure(fault.one);
            let first = Value::Written(failure_policy(fault.steps.0).text());
            let second = Value::Written(failure_policy(fault.steps.1).text());
            return fill_in!(
                self,
                text,
                TWO_POLICIES,
                subject = subject,
                first = first,
                second = second
            );
        }
        let rule = &listing.rules[fault.spot.entry as usize - listing.entries.len()];
        let (subject, second) = match rule.about {
            About::Resource(resource, choice) => (Value::OfResource(resource.name), choice.policy),
            About::Pair(one, other, choice) => {
                let (one, other) = (self.listed(rule.base, one), self.listed(rule.base, other));
                (Value::OfPair(one, other), choice.policy)
            }
        };
        let first = Value::Written(known(fault.steps.0).text());
        let second = Value::Written(second.text());
        fill_in!(
            self,
            text,
            TWO_POLICIES,
            subject = subject,
            first = first,
            second = second
        )
    }

    /// Returns the item that a rule of a pair names. The item must exist.
    const fn listed(self, base: u32, listee: RuleTarget) -> Item {
        let draft = &self.checked.draft;
        match listee.entry {
            Some(number) => draft.item(draft.listing.number(base, number)),
            None => match draft.first(listee.reference.id) {
                Some(item) => item,
                None => panic!("a pair has a policy only if both are there"),
            },
        }
    }
}

/// Returns the policy of this number.
const fn known(policy: u32) -> Policy {
    const ALL: [Policy; 5] = [
        Policy::Reject,
        Policy::WritersFirst,
        Policy::InsertionOrder,
        Policy::Accepted,
        Policy::Optimize,
    ];
    let mut idx = 0;
    while ALL[idx] as u32 != policy {
        idx += 1;
    }
    ALL[idx]
}

/// Returns the failure policy of this number.
const fn failure_policy(policy: u32) -> FailurePolicy {
    const ALL: [FailurePolicy; 3] = [
        FailurePolicy::SkipDependents,
        FailurePolicy::CarryOn,
        FailurePolicy::Stop,
    ];
    let mut idx = 0;
    while ALL[idx] as u32 != policy {
        idx += 1;
    }
    ALL[idx]
}
