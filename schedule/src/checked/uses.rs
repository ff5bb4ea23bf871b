//! Which resources each node touches, by number.

use super::draft::Draft;
use super::memory::{List, Memory};
use super::node::NodeKind;
use crate::access::{Access, ResourceType};
use crate::listing::About;
use schedule_graph::internal::{Use, Uses};

/// Resources by number. Behind them come two that are none: one that stands for all that nobody names, and the right to
/// run alone, which an exclusive node writes and every other one reads.
#[derive(Debug)]
pub(super) struct Resources<'a> {
    list: List<'a, ResourceType>,
    /// By identity, with open addressing: the number; len is a power of two.
    table: &'a mut [u32],
    starts: &'a mut [u32],
    uses: List<'a, Use>,
}

/// In place of a number: none.
const FREE: u32 = u32::MAX;

/// What a node touches besides what it names.
#[derive(Clone, Copy)]
struct Rest {
    reads_all: bool,
    writes_all: bool,
}

impl<'a> Resources<'a> {
    pub(super) const fn n_words(n_nodes: usize, n_resources: usize) -> usize {
        n_nodes + 1 + Self::table_len(n_resources)
    }

    const fn table_len(n_resources: usize) -> usize {
        (2 * n_resources + 1).next_power_of_two()
    }

    /// Of nodes of which `n_nodes` have a number; those that were not added touch nothing. There are at most so many
    /// resources and uses.
    pub(super) const fn new(
        draft: &Draft<'_>,
        n_nodes: usize,
        n_resources: usize,
        n_uses: usize,
        memory: &mut Memory<'a>,
    ) -> Self {
        let table = memory.take_words(Self::table_len(n_resources));
        let mut slot = 0;
        while slot < table.len() {
            table[slot] = FREE;
            slot += 1;
        }
        let mut resources = Self {
            list: List::new(memory.take_resources(n_resources)),
            table,
            starts: memory.take_words(n_nodes + 1),
            uses: List::new(memory.take_uses(n_uses)),
        };
        // Everything that there is must be known before a node can touch everything: names first, then uses.
        let (mut has_all, mut has_exclusive) = (false, false);
        let mut node = 0;
        while node < draft.nodes.len() {
            let rest = resources.name(draft, node, false);
            has_all |= rest.reads_all || rest.writes_all;
            has_exclusive |= runs_alone(draft, node, rest);
            node += 1;
        }
        if has_all {
            resources.name_rules(draft);
        }
        let mut node = 0;
        while node < n_nodes {
            resources.starts[node] = resources.uses.len() as u32;
            if node < draft.nodes.len() {
                resources.push_uses(draft, node, has_exclusive);
            }
            node += 1;
        }
        resources.starts[node] = resources.uses.len() as u32;
        resources
    }

    pub(super) const fn uses(&self) -> Uses<'_> {
        Uses::new(self.starts, self.uses.as_slice())
    }

    pub(super) const fn len(&self) -> usize {
        self.list.len() + 2
    }

    /// The resource of this number, if it is one.
    pub(super) const fn at(&self, number: u32) -> Option<ResourceType> {
        if (number as usize) < self.list.len() {
            Some(self.list.at(number as usize))
        } else {
            None
        }
    }

    /// Whether a node touches what nobody names.
    pub(super) const fn touches_all(&self, node: u32) -> bool {
        self.use_of(node, self.rest()).is_some()
    }

    /// Whether a node has the right to run alone.
    pub(super) const fn runs_alone(&self, node: u32) -> bool {
        self.writes(node, self.alone())
    }

    pub(super) const fn writes(&self, node: u32, resource: u32) -> bool {
        matches!(self.use_of(node, resource), Some(one) if one.is_write)
    }

    const fn use_of(&self, node: u32, resource: u32) -> Option<Use> {
        let uses = self.uses();
        let mut idx = uses.start(node);
        while idx < uses.end(node) {
            if uses.nth(idx).resource == resource {
                return Some(uses.nth(idx));
            }
            idx += 1;
        }
        None
    }

    #[cfg(test)]
    pub(super) const fn is_alone(&self, number: u32) -> bool {
        number == self.alone()
    }

    /// The number of a resource that is used.
    pub(super) const fn find(&self, resource: &ResourceType) -> Option<u32> {
        match self.table[self.slot(resource.id)] {
            FREE => None,
            number => Some(number),
        }
    }

    const fn slot(&self, id: u128) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = (id ^ (id >> 64)) as usize & mask;
        while self.table[slot] != FREE && self.list.at(self.table[slot] as usize).id != id {
            slot = (slot + 1) & mask;
        }
        slot
    }

    const fn add(&mut self, resource: &ResourceType) -> u32 {
        let slot = self.slot(resource.id);
        if self.table[slot] == FREE {
            self.table[slot] = self.list.len() as u32;
            self.list.push(*resource);
        }
        self.table[slot]
    }

    const fn rest(&self) -> u32 {
        self.list.len() as u32
    }

    const fn alone(&self) -> u32 {
        self.list.len() as u32 + 1
    }

    /// Numbers what a node names, pushes it, too, if that is asked, and says what else the node touches.
    const fn name(&mut self, draft: &Draft<'_>, node: usize, pushes: bool) -> Rest {
        let mut rest = Rest {
            reads_all: false,
            writes_all: false,
        };
        if let Some(declaration) = draft.nodes.get(node).declaration {
            let parameters = declaration.parameters.list();
            let mut idx = 0;
            while idx < parameters.len() {
                self.walk(&parameters[idx].access, &mut rest, pushes);
                idx += 1;
            }
        }
        rest
    }

    /// A policy may be about what only those touch who touch everything.
    const fn name_rules(&mut self, draft: &Draft<'_>) {
        let rules = draft.listing.rules;
        let mut idx = 0;
        while idx < rules.len() {
            if let About::Resource(resource, _) = rules[idx].about {
                self.add(resource);
            }
            idx += 1;
        }
    }

    /// Numbers what is named in an access; pushes it, too, if that is asked.
    const fn walk(&mut self, access: &Access, rest: &mut Rest, pushes: bool) {
        match access {
            Access::Read(resource) | Access::Write(resource) => {
                let resource = self.add(resource);
                if pushes {
                    let is_write = matches!(access, Access::Write(_));
                    self.uses.push(Use { resource, is_write });
                }
            }
            Access::Optional(access) => self.walk(access, rest, pushes),
            Access::ReadAll => rest.reads_all = true,
            Access::Exclusive => rest.writes_all = true,
            Access::Commands | Access::Inserts(_) | Access::ByReference(_) => {}
            Access::Each(parts) | Access::OneOf(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    self.walk(&parts[idx], rest, pushes);
                    idx += 1;
                }
            }
        }
    }

    const fn push_uses(&mut self, draft: &Draft<'_>, node: usize, has_exclusive: bool) {
        let start = self.uses.len();
        let rest = self.name(draft, node, true);
        if rest.reads_all || rest.writes_all {
            let mut number = 0;
            while number < self.rest() {
                if rest.writes_all || !self.list.at(number as usize).is_main_thread {
                    self.uses.push(Use {
                        resource: number,
                        is_write: rest.writes_all,
                    });
                }
                number += 1;
            }
            self.uses.push(Use {
                resource: self.rest(),
                is_write: rest.writes_all,
            });
        }
        if has_exclusive && touches(draft, node) {
            self.uses.push(Use {
                resource: self.alone(),
                is_write: runs_alone(draft, node, rest),
            });
        }
        self.sort(start);
    }

    /// Sorts the uses from `start` on by resource, and makes one of those of the same.
    const fn sort(&mut self, start: usize) {
        let mut next = start + 1;
        while next < self.uses.len() {
            let one = self.uses.at(next);
            let mut at = next;
            while at > start && self.uses.at(at - 1).resource > one.resource {
                self.uses.set(at, self.uses.at(at - 1));
                at -= 1;
            }
            self.uses.set(at, one);
            next += 1;
        }
        let mut n_kept = start;
        let mut idx = start;
        while idx < self.uses.len() {
            let one = self.uses.at(idx);
            if n_kept > start && self.uses.at(n_kept - 1).resource == one.resource {
                let is_write = self.uses.at(n_kept - 1).is_write || one.is_write;
                self.uses.set(n_kept - 1, Use { is_write, ..one });
            } else {
                self.uses.set(n_kept, one);
                n_kept += 1;
            }
            idx += 1;
        }
        self.uses.truncate(n_kept);
    }
}

/// Whether a node does something.
const fn touches(draft: &Draft<'_>, node: usize) -> bool {
    !matches!(draft.nodes.get(node).kind, NodeKind::Checkpoint)
}

const fn runs_alone(draft: &Draft<'_>, node: usize, rest: Rest) -> bool {
    rest.writes_all || matches!(draft.nodes.get(node).kind, NodeKind::Flush)
}
