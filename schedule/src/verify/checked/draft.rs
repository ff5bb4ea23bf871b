//! Numbers the nodes and groups of a listing, and finds them by identity.

use super::counts::Counts;
use super::fault::{Faults, ListingFault, ListingFaultKind};
use super::memory::CheckMemory;
use super::node::{ClauseRef, DraftNode, NONE, NodeKind, Spot};
use crate::data::order::{Membership, Order};
use crate::declare::listing::{Clause, Entry, Listed, Listing};
use crate::systems::system::{Declaration, Guard};
use schedule_graph::internal::{Item, List};

/// A listing as numbered nodes, groups and clauses.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) listing: &'a Listing,
    pub(super) nodes: List<'a, DraftNode>,
    pub(super) groups: List<'a, DraftNode>,
    /// The memberships in groups.
    pub(super) members: List<'a, ClauseRef>,
    pub(super) orders: List<'a, ClauseRef>,
    pub(super) guards: List<'a, ClauseRef>,
    pub(super) faults: Faults,
    /// `items[e]`: the code of the item of entry e; len = n_entries.
    items: &'a mut [u32],
    /// The code of the first item of each identity. A hash table with open addressing, whose length is a power of two.
    table: &'a mut [u32],
}

/// The memory of a [`Draft`].
#[derive(Debug)]
pub(super) struct DraftMemory<'a> {
    nodes: &'a mut [DraftNode],
    groups: &'a mut [DraftNode],
    members: &'a mut [ClauseRef],
    orders: &'a mut [ClauseRef],
    guards: &'a mut [ClauseRef],
    items: &'a mut [u32],
    table: &'a mut [u32],
}

impl<'a> DraftMemory<'a> {
    /// Takes the memory for these numbers of entries and clauses.
    pub(super) const fn take(
        memory: &mut CheckMemory<'a>,
        n_entries: usize,
        counts: Counts,
    ) -> Self {
        let n_items = counts.n_nodes + counts.n_groups;
        Self {
            nodes: memory.nodes.take(counts.n_nodes),
            groups: memory.nodes.take(counts.n_groups),
            members: memory.clauses.take(counts.n_members),
            orders: memory.clauses.take(counts.n_orders),
            guards: memory.clauses.take(counts.n_guards),
            items: memory.arena.words(n_entries),
            table: memory.arena.words((2 * n_items + 1).next_power_of_two()),
        }
    }
}

impl<'a> Draft<'a> {
    /// Makes a draft of the listed entries, including the clauses of their attributes.
    pub(super) const fn new(listing: &'a Listing, memory: DraftMemory<'a>) -> Self {
        let n_entries = listing.entries.len();
        let table = memory.table;
        let n_slots = table.len();
        let mut slot = 0;
        while slot < n_slots {
            table[slot] = NONE;
            slot += 1;
        }
        let mut draft = Self {
            listing,
            nodes: List::new(memory.nodes),
            groups: List::new(memory.groups),
            members: List::new(memory.members),
            orders: List::new(memory.orders),
            guards: List::new(memory.guards),
            faults: Faults::new(),
            items: memory.items,
            table,
        };
        let mut idx = 0;
        while idx < n_entries {
            let item = draft.add_entry(idx as u32, &listing.entries[idx]);
            draft.items[idx] = item.code();
            idx += 1;
        }
        let mut idx = 0;
        while idx < n_entries {
            draft.add_clauses(idx as u32);
            idx += 1;
        }
        draft.add_groups(0);
        draft
    }

    const fn add_entry(&mut self, idx: u32, entry: &Entry) -> Item {
        let level = match entry.around {
            Some(around) => self.items[around as usize],
            None => NONE,
        };
        let (kind, reference, declaration) = match entry.subject {
            Listed::System(system) => (NodeKind::System, system.reference, Some(system)),
            Listed::Loop(condition) => (NodeKind::Loop, condition.reference, Some(condition)),
            Listed::Checkpoint(one) => (NodeKind::Checkpoint, one.reference, None),
            Listed::ApplyCommands(one) => (NodeKind::ApplyCommands, one.reference, None),
            Listed::Group(reference) | Listed::Plugin(reference, _) => {
                (NodeKind::Group, reference, None)
            }
        };
        let node = DraftNode {
            kind,
            reference,
            declaration,
            name: entry.name,
            spot: Spot::of_entry(idx),
            is_implied: false,
            level,
            plugin: entry.plugin,
            next: NONE,
        };
        if matches!(kind, NodeKind::Group) {
            return Item::Group(self.add_group(node));
        }
        Item::Node(self.add_node(node))
    }

    /// Adds a node and the clauses of its attribute.
    pub(super) const fn add_node(&mut self, node: DraftNode) -> u32 {
        let number = self.nodes.len() as u32;
        let item = Item::Node(number);
        self.nodes.push(node);
        self.enter(item);
        if let Some(declaration) = node.declaration {
            let clause = ClauseRef {
                subject: item,
                node: number,
                idx: 0,
                spot: node.spot,
            };
            push_all(&mut self.orders, clause, declaration.orders.len());
            push_all(&mut self.members, clause, declaration.groups.len());
            push_all(&mut self.guards, clause, declaration.guards.len());
        }
        number
    }

    /// Adds a group, unless it is already known.
    const fn add_group(&mut self, group: DraftNode) -> u32 {
        if let Some(known) = self.group(group.reference.id) {
            return known;
        }
        let number = self.groups.len() as u32;
        self.groups.push(group);
        self.enter(Item::Group(number));
        number
    }

    const fn add_clauses(&mut self, entry: u32) {
        let clauses = self.listing.entries[entry as usize].clauses;
        let mut idx = 0;
        while idx < clauses.len() {
            let clause = ClauseRef {
                subject: self.item(entry),
                node: NONE,
                idx: idx as u32,
                spot: Spot {
                    entry,
                    clause: idx as u32 + 1,
                    leaf: 0,
                },
            };
            match clauses[idx] {
                Clause::Order(_) => self.orders.push(clause),
                Clause::In(_) => self.members.push(clause),
                Clause::If(_) => self.guards.push(clause),
                Clause::AtMost(_) | Clause::OnFailure(_) => {}
            }
            idx += 1;
        }
        if self.listing.membership(entry as usize).is_some() {
            self.members.push(ClauseRef {
                subject: self.item(entry),
                node: NONE,
                idx: NONE,
                spot: Spot::of_entry(entry),
            });
        }
    }

    /// Adds the unlisted groups that memberships name, starting with membership `first`.
    pub(super) const fn add_groups(&mut self, first: usize) {
        let mut idx = first;
        while idx < self.members.len() {
            let clause = self.members.at(idx);
            let reference = self.membership(clause).group;
            self.add_group(DraftNode {
                kind: NodeKind::Group,
                reference,
                spot: clause.spot,
                ..DraftNode::BLANK
            });
            idx += 1;
        }
    }

    /// Returns the item of the entry that a clause names by this number.
    pub(super) const fn named(&self, clause: ClauseRef, number: u32) -> Item {
        let by = &self.listing.entries[clause.spot.entry as usize];
        self.item(self.listing.number(by.base, number))
    }

    /// Returns the item of an entry.
    pub(super) const fn item(&self, entry: u32) -> Item {
        Item::of_code(self.items[entry as usize])
    }

    pub(super) const fn of(&self, item: Item) -> &DraftNode {
        match item {
            Item::Node(node) => self.nodes.get(node as usize),
            Item::Group(group) => self.groups.get(group as usize),
        }
    }

    pub(super) const fn node(&self, node: u32) -> &DraftNode {
        self.nodes.get(node as usize)
    }

    /// Returns the order that this clause declares.
    pub(super) const fn order(&self, clause: ClauseRef) -> Order {
        match self.attribute(clause) {
            Some(declaration) => declaration.orders[clause.idx as usize],
            None => match self.clause(clause) {
                Clause::Order(order) => *order,
                _ => panic!("an order says no more than that"),
            },
        }
    }

    /// Returns the membership that this clause declares.
    pub(super) const fn membership(&self, clause: ClauseRef) -> Membership {
        match self.attribute(clause) {
            Some(declaration) => declaration.groups[clause.idx as usize],
            None if clause.idx == NONE => match self.listing.membership(clause.spot.entry as usize)
            {
                Some(membership) => membership,
                None => panic!("it is in a plugin"),
            },
            None => match self.clause(clause) {
                Clause::In(membership) => *membership,
                _ => panic!("a membership says no more than that"),
            },
        }
    }

    /// Returns the guard that this clause declares.
    pub(super) const fn guard(&self, clause: ClauseRef) -> Guard {
        match self.attribute(clause) {
            Some(declaration) => declaration.guards[clause.idx as usize],
            None => match self.clause(clause) {
                Clause::If(guard) => *guard,
                _ => panic!("a guard says no more than that"),
            },
        }
    }

    const fn attribute(&self, clause: ClauseRef) -> Option<&'static Declaration> {
        if clause.node == NONE {
            return None;
        }
        self.node(clause.node).declaration
    }

    const fn clause(&self, clause: ClauseRef) -> &'static Clause {
        let entry = &self.listing.entries[clause.spot.entry as usize];
        &entry.clauses[clause.idx as usize]
    }

    /// Returns the path of a node's type, as the listing writes it.
    pub(super) const fn path(&self, item: Item) -> Option<&'static str> {
        let Item::Node(node) = item else {
            return None;
        };
        let node = self.node(node);
        let Spot {
            entry,
            clause,
            leaf,
        } = node.spot;
        let entry = &self.listing.entries[entry as usize];
        if clause == 0 {
            return if node.is_implied { None } else { entry.path };
        }
        let Clause::If(guard) = &entry.clauses[clause as usize - 1] else {
            return None;
        };
        match guard.find_leaf(leaf) {
            Some(answered) => answered.path,
            None => None,
        }
    }

    /// Returns whether a group represents a plugin.
    pub(super) const fn is_plugin(&self, group: Item) -> bool {
        let spot = self.of(group).spot;
        spot.clause == 0
            && matches!(
                self.listing.entries[spot.entry as usize].subject,
                Listed::Plugin(..)
            )
    }

    /// Returns whether a clause belongs to an attribute.
    pub(super) const fn is_of_attribute(&self, clause: ClauseRef) -> bool {
        clause.node != NONE
    }

    /// Returns the first item of this identity. [`Draft::next`] returns the others.
    pub(super) const fn first(&self, id: u128) -> Option<Item> {
        match self.table[self.slot(id)] {
            NONE => None,
            code => Some(Item::of_code(code)),
        }
    }

    pub(super) const fn next(&self, item: Item) -> Option<Item> {
        match self.of(item).next {
            NONE => None,
            code => Some(Item::of_code(code)),
        }
    }

    /// Returns the group of this identity.
    pub(super) const fn group(&self, id: u128) -> Option<u32> {
        let mut found = self.first(id);
        while let Some(item) = found {
            if let Item::Group(group) = item {
                return Some(group);
            }
            found = self.next(item);
        }
        None
    }

    /// Adds an item after the others of its identity.
    const fn enter(&mut self, item: Item) {
        let slot = self.slot(self.of(item).reference.id);
        if self.table[slot] == NONE {
            self.table[slot] = item.code();
            return;
        }
        let mut last = Item::of_code(self.table[slot]);
        while let Some(next) = self.next(last) {
            last = next;
        }
        let mut node = *self.of(last);
        node.next = item.code();
        match last {
            Item::Node(number) => self.nodes.set(number as usize, node),
            Item::Group(number) => self.groups.set(number as usize, node),
        }
    }

    /// Returns the slot of the table that has this identity, or the free slot for it.
    const fn slot(&self, id: u128) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = (id ^ (id >> 64)) as usize & mask;
        loop {
            let code = self.table[slot];
            if code == NONE {
                return slot;
            }
            // Does not call `of`, because calls are slow in const evaluation.
            let known = match Item::of_code(code) {
                Item::Node(node) => self.nodes.get(node as usize),
                Item::Group(group) => self.groups.get(group as usize),
            };
            if known.reference.id == id {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    pub(super) const fn set_plugin(&mut self, node: u32, plugin: u32) {
        let mut one = self.nodes.at(node as usize);
        one.plugin = plugin;
        self.nodes.set(node as usize, one);
    }

    pub(super) const fn fault(
        &mut self,
        kind: ListingFaultKind,
        spot: Spot,
        one: Item,
        other: Item,
    ) {
        self.faults.push(ListingFault::new(kind, spot, one, other));
    }
}

/// Adds `n` clauses with consecutive indices.
const fn push_all(list: &mut List<'_, ClauseRef>, clause: ClauseRef, n: usize) {
    let mut idx = 0;
    while idx < n {
        list.push(ClauseRef {
            idx: idx as u32,
            ..clause
        });
        idx += 1;
    }
}
