//! Computes the resources that each node accesses, as numbers.

use schedule_graph::internal::{
    AccessKind, Accesses, Disjoint, Everything, List, Lowered, MessageUses, NamedFilters, RunKind,
    Use, Uses, UsesExtent, UsesMemory,
};

use super::counts::Counts;
use super::draft::Draft;
use super::memory::CheckMemory;
use super::node::NodeKind;
use crate::data::access::{Access, Deferred, Filter, ResourceType, mark_disjoint};
use crate::declare::listing::About;

/// Numbered resources. Two more numbers follow that are not resources. The first represents all unnamed resources. The second is written by
/// every exclusive node and read by every other node.
#[derive(Debug)]
pub(super) struct ListedResources<'a> {
    list: List<'a, ResourceType>,
    /// The number of each identity. A hash table with open addressing, whose length is a power of two.
    table: &'a mut [u32],
    named: List<'a, Use>,
    /// The filters, each once. The number of a filter is its index + 1.
    named_filters: List<'a, Option<&'static Filter>>,
    /// The number of each filter by its id, as `table`. Filters with one id are compared.
    filter_table: &'a mut [u32],
    /// `starts[i]..starts[i + 1]`: the named uses of declared node i.
    starts: &'a [u32],
    /// `is_messages[r]`: whether resource r is a queue of messages.
    is_messages: &'a [bool],
    /// The uses of all nodes of the graph.
    uses: Uses<'a>,
}

/// The memory of [`ListedResources`].
#[derive(Debug)]
pub(super) struct ResourcesMemory<'a> {
    list: &'a mut [ResourceType],
    table: &'a mut [u32],
    starts: &'a mut [u32],
    named: &'a mut [Use],
    filters: &'a mut [Option<&'static Filter>],
    filter_table: &'a mut [u32],
    blocks: &'a mut [usize],
    everything_starts: &'a mut [u32],
    everything: &'a mut [Everything],
    runs: &'a mut [RunKind],
    is_bound: &'a mut [bool],
    is_messages: &'a mut [bool],
    uses: UsesMemory<'a>,
}

/// Marks a free slot of the table.
const FREE: u32 = u32::MAX;

impl<'a> ResourcesMemory<'a> {
    /// `n_nodes`: number of nodes of the graph.
    pub(super) const fn take(memory: &mut CheckMemory<'a>, n_nodes: usize, counts: Counts) -> Self {
        let Counts {
            n_nodes: n_declared,
            n_resources,
            n_uses,
            n_filters,
            n_filtered,
            n_all,
            ..
        } = counts;
        let arena = &mut memory.arena;
        let (n_slots, n_blocks) = match n_filters {
            0 => (0, 0),
            n => ((2 * n + 1).next_power_of_two(), Disjoint::n_blocks(n + 1)),
        };
        Self {
            list: memory.resources.take(n_resources),
            table: arena.words((2 * n_resources + 1).next_power_of_two()),
            starts: arena.words(n_declared + 1),
            named: arena.uses(n_uses),
            filters: memory.filters.take(n_filters),
            filter_table: arena.words(n_slots),
            blocks: arena.blocks(n_blocks),
            everything_starts: arena.words(n_declared + 1),
            everything: memory.everything.take(n_all),
            runs: memory.runs.take(n_declared),
            is_bound: memory.is_bound.take(n_resources),
            is_messages: memory.is_bound.take(n_resources),
            uses: UsesMemory::take(
                arena,
                UsesExtent {
                    n_nodes,
                    n_declared,
                    n_named: n_uses,
                    n_filtered,
                    n_everything: n_all,
                    n_resources,
                },
            ),
        }
    }
}

/// The accesses of a node in addition to named resources.
#[derive(Clone, Copy)]
struct Rest {
    reads_all: bool,
    writes_all: bool,
}

impl<'a> ListedResources<'a> {
    /// Numbers the resources that the nodes of a graph use.
    pub(super) const fn new(
        draft: &Draft<'_>,
        lowered: &Lowered<'_>,
        memory: ResourcesMemory<'a>,
    ) -> Self {
        free(memory.table);
        free(memory.filter_table);
        let mut resources = Self {
            list: List::new(memory.list),
            table: memory.table,
            named: List::new(memory.named),
            named_filters: List::new(memory.filters),
            filter_table: memory.filter_table,
            starts: &[],
            is_messages: &[],
            uses: Uses::NONE,
        };
        let n_declared = draft.nodes.len();
        let starts = memory.starts.split_at_mut(n_declared + 1).0;
        let everything_starts = memory.everything_starts.split_at_mut(n_declared + 1).0;
        let runs = memory.runs.split_at_mut(n_declared).0;
        let mut everything = List::new(memory.everything);
        let mut node = 0;
        while node < n_declared {
            starts[node] = resources.named.len() as u32;
            everything_starts[node] = everything.len() as u32;
            let rest = resources.name(draft, node);
            if rest.reads_all || rest.writes_all {
                everything.push(Everything {
                    is_write: rest.writes_all,
                    first_excepted: 0,
                    end_excepted: 0,
                });
            }
            runs[node] = match draft.nodes.at(node).kind {
                NodeKind::Checkpoint => RunKind::Nothing,
                NodeKind::ApplyCommands => RunKind::Exclusive,
                _ if rest.writes_all => RunKind::Exclusive,
                _ => RunKind::Concurrent,
            };
            node += 1;
        }
        starts[node] = resources.named.len() as u32;
        everything_starts[node] = everything.len() as u32;
        if !everything.is_empty() {
            resources.name_rules(draft);
        }
        let is_bound = memory.is_bound.split_at_mut(resources.list.len()).0;
        let is_messages = memory.is_messages.split_at_mut(resources.list.len()).0;
        let mut resource = 0;
        while resource < is_bound.len() {
            is_bound[resource] = !resources.list.at(resource).is_in_everything();
            is_messages[resource] = resources.list.at(resource).name.is_messages();
            resource += 1;
        }
        let accesses = Accesses {
            starts,
            named: resources.named.as_slice(),
            everything_starts,
            everything: everything.as_slice(),
            excepted: &[],
            run_kinds: runs,
            is_bound,
            filters: resources.disjoint(lowered, memory.blocks),
        };
        resources.uses = accesses.uses(lowered.codes(), memory.uses);
        resources.starts = starts;
        resources.is_messages = is_messages;
        resources
    }

    /// Returns the disjoint filters.
    const fn disjoint<'m>(
        &self,
        lowered: &'m Lowered<'m>,
        blocks: &'m mut [usize],
    ) -> NamedFilters<'m> {
        if self.named_filters.is_empty() {
            return NamedFilters::NONE;
        }
        let n_numbers = self.named_filters.len() + 1;
        let blocks = blocks.split_at_mut(Disjoint::n_blocks(n_numbers)).0;
        mark_disjoint(self.named_filters.as_slice(), blocks);
        NamedFilters {
            disjoint: Disjoint::new(n_numbers, blocks),
            levels: lowered.levels(),
        }
    }

    pub(super) const fn uses(&self) -> Uses<'a> {
        self.uses
    }

    /// The readers and writers of messages.
    pub(super) const fn message_uses<'l>(&'l self, lowered: &'l Lowered<'l>) -> MessageUses<'l> {
        MessageUses {
            starts: self.starts,
            named: self.named.as_slice(),
            codes: lowered.codes().split_at(lowered.n_planned()).0,
            is_messages: self.is_messages,
            levels: lowered.levels(),
            needs: lowered.needs(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.list.len() + 2
    }

    /// Returns the resource of this number, or `None` for the two additional numbers.
    pub(super) const fn at(&self, number: u32) -> Option<ResourceType> {
        if (number as usize) < self.list.len() {
            Some(self.list.at(number as usize))
        } else {
            None
        }
    }

    /// Returns whether a node accesses unnamed resources.
    pub(super) const fn touches_all(&self, node: u32) -> bool {
        self.use_of(node, self.rest()).is_some()
    }

    /// Returns whether a node is exclusive.
    pub(super) const fn is_exclusive(&self, node: u32) -> bool {
        self.writes(node, self.exclusive_resource())
    }

    pub(super) const fn writes(&self, node: u32, resource: u32) -> bool {
        matches!(self.use_of(node, resource), Some(one) if one.kind.is_write())
    }

    /// Returns how a node accesses a resource, if it does.
    pub(super) const fn kind_of_use(&self, node: u32, resource: u32) -> Option<AccessKind> {
        match self.use_of(node, resource) {
            Some(one) => Some(one.kind),
            None => None,
        }
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
    pub(super) const fn is_exclusive_access(&self, number: u32) -> bool {
        number == self.exclusive_resource()
    }

    /// Returns the number of a resource, if it has one.
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

    const fn exclusive_resource(&self) -> u32 {
        self.list.len() as u32 + 1
    }

    /// Numbers the resources that a node names. Returns its other accesses.
    const fn name(&mut self, draft: &Draft<'_>, node: usize) -> Rest {
        let mut rest = Rest {
            reads_all: false,
            writes_all: false,
        };
        if let Some(declaration) = draft.nodes.at(node).declaration {
            let parameters = declaration.definition.parameters.list();
            let n_parameters = parameters.len();
            let mut idx = 0;
            while idx < n_parameters {
                self.walk(&parameters[idx].access, 0, &mut rest);
                idx += 1;
            }
        }
        rest
    }

    /// Numbers the resources of policies, because some of them may be accessed only by systems that access everything.
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

    /// Returns the number of a filter, or 0 if there are too many filters.
    const fn number_of(&mut self, filter: &'static Filter) -> u16 {
        let id = filter.id();
        let mask = self.filter_table.len() - 1;
        let mut slot = (id ^ (id >> 64)) as usize & mask;
        while self.filter_table[slot] != FREE {
            let number = self.filter_table[slot];
            if let Some(known) = self.named_filters.at(number as usize)
                && known.is_same(filter)
            {
                return number as u16 + 1;
            }
            slot = (slot + 1) & mask;
        }
        if self.named_filters.len() == u16::MAX as usize {
            return 0;
        }
        self.filter_table[slot] = self.named_filters.len() as u32;
        self.named_filters.push(Some(filter));
        self.named_filters.len() as u16
    }

    /// Numbers the resources that an access names. `filter`: the number of the filter around the access, or 0.
    const fn walk(&mut self, access: &Access, filter: u16, rest: &mut Rest) {
        match access {
            Access::Read(resource)
            | Access::Write(resource)
            | Access::Fold(resource)
            | Access::Defers(Deferred {
                changes: resource, ..
            }) => {
                let resource = self.add(resource);
                let kind = match access {
                    Access::Read(_) => AccessKind::Read,
                    Access::Fold(_) => AccessKind::Fold,
                    _ => AccessKind::Write,
                };
                self.named.push(Use {
                    resource,
                    kind,
                    signature: filter,
                });
            }
            Access::Optional(access) => self.walk(access, filter, rest),
            Access::Filtered(access, filter) => {
                let filter = self.number_of(filter);
                self.walk(access, filter, rest);
            }
            Access::ReadAll => rest.reads_all = true,
            Access::Exclusive => rest.writes_all = true,
            Access::Commands | Access::Inserts(_) | Access::Changes(_) | Access::ByReference(_) => {
            }
            Access::Each(parts) | Access::OneOf(parts) => {
                let n_parts = parts.len();
                let mut idx = 0;
                while idx < n_parts {
                    self.walk(&parts[idx], filter, rest);
                    idx += 1;
                }
            }
        }
    }
}

/// Marks all slots of a table as free.
const fn free(table: &mut [u32]) {
    let n_slots = table.len();
    let mut slot = 0;
    while slot < n_slots {
        table[slot] = FREE;
        slot += 1;
    }
}
