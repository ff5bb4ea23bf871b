//! Numbers resources and collects the uses of each node.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use schedule_graph::internal::{
    Accesses, Disjoint, Everything, Filters, Heap, MessageUses, NamedFilters, RunKind, Use, Uses,
    UsesExtent, UsesMemory,
};

use super::All;
use super::nodes::Graph;
use crate::data::access::{AccessSet, AllUse, Filter, FilterKey, ResourceId, mark_disjoint};
use crate::declare::declarations::{Declared, DeclaredWork};
use crate::declare::problem::Subject;

/// Numbered resources and the nodes that use them.
pub(crate) struct NumberedResources {
    /// `ids[r]`: the id of resource r. Two more numbers follow that are not resources, see [`Accesses`].
    pub(crate) ids: Vec<ResourceId>,
    number_of: HashMap<ResourceId, u32, RandomState>,
    /// Indexed by node, as in [`Uses`].
    starts: Vec<u32>,
    uses: Vec<Use>,
    signatures: Signatures,
    named: NamedUses,
    /// `is_messages[r]`: whether resource r is a queue of messages; len = n_resources, or 0 if there are none.
    is_messages: Vec<bool>,
}

/// The uses as declared, before those of one resource are joined.
#[derive(Default)]
struct NamedUses {
    /// `starts[i]..starts[i + 1]`: the uses of declared node i.
    starts: Vec<u32>,
    /// The signature of a use is the number of its filter.
    uses: Vec<Use>,
    n_filters: usize,
    /// The memory of [`Disjoint`], over the filters.
    disjoint: Vec<usize>,
}

/// The memory of [`Filters`].
#[derive(Default)]
struct Signatures {
    n_numbers: usize,
    blocks: Vec<usize>,
    filtered: Vec<Use>,
}

/// The memory of [`Accesses`].
#[derive(Default)]
struct NamedResource {
    starts: Vec<u32>,
    named: Vec<Use>,
    everything_starts: Vec<u32>,
    everything: Vec<Everything>,
    excepted: Vec<u32>,
    run_kinds: Vec<RunKind>,
    is_bound: Vec<bool>,
    /// The filters, each once. The number of a filter is its index + 1.
    filters: Vec<Option<&'static Filter>>,
    filter_of: HashMap<FilterKey, u16, RandomState>,
}

impl NumberedResources {
    /// Returns the resources of an empty graph.
    pub(super) fn none() -> Self {
        Self {
            ids: Vec::new(),
            number_of: HashMap::default(),
            starts: vec![0],
            uses: Vec::new(),
            signatures: Signatures::default(),
            named: NamedUses::default(),
            is_messages: Vec::new(),
        }
    }

    /// Numbers the resources of all nodes. Takes O(uses), and O(resources) for each node that accesses everything.
    pub(crate) fn number(all: All<'_>, graph: &Graph) -> Self {
        let of_application = AccessSet::exclusive();
        let access_of = |declared| match declared {
            &Declared {
                work: DeclaredWork::ApplyCommands,
                ..
            } => Some(&of_application),
            declared => declared.system().map(|system| &*system.access),
        };
        let accesses: Vec<Option<&AccessSet>> = all.nodes().map(access_of).collect();
        let mut resources = Self::none();
        let mut named = NamedResource::default();
        // All resources must be known before a node can access everything. So all names come first, then the uses.
        named.starts.push(0);
        for access in &accesses {
            for one in access.iter().flat_map(|access| &access.uses) {
                let resource = resources.number_of(&one.resource);
                let signature = one.filter.map_or(0, |filter| named.number_of(filter));
                named.named.push(Use {
                    resource,
                    kind: one.kind,
                    signature,
                });
            }
            named.starts.push(named.named.len() as u32);
            named.run_kinds.push(match access {
                None => RunKind::Nothing,
                Some(access) if access.is_exclusive => RunKind::Exclusive,
                Some(_) => RunKind::Concurrent,
            });
        }
        let mut touching = accesses.iter().flatten();
        if touching.any(|access| !access.all.is_empty()) {
            // A policy may name a resource that only systems which access everything can use.
            let rules = all.declared.plugins.iter().map(|plugin| &plugin.rules);
            for rules in rules.chain([&all.declared.rules]) {
                for (resource, _) in &rules.resource_policies {
                    resources.number_of(resource);
                }
            }
            named.add_everything(&accesses, &resources);
        }
        named.is_bound = resources
            .ids
            .iter()
            .map(|id| !id.is_in_everything())
            .collect();
        if resources.ids.iter().any(ResourceId::is_messages) {
            let is_messages = resources.ids.iter().map(ResourceId::is_messages);
            resources.is_messages = is_messages.chain([false; 2]).collect();
        }
        let disjoint = resources.take_uses(&named, graph);
        resources.named = NamedUses {
            n_filters: named.filters.len() + 1,
            starts: named.starts,
            uses: named.named,
            disjoint,
        };
        resources
    }

    /// See [`VerifyInput::is_messages`](schedule_graph::internal::VerifyInput::is_messages).
    pub(crate) fn is_messages(&self) -> &[bool] {
        &self.is_messages
    }

    /// The readers and writers of messages.
    pub(super) fn message_uses<'a>(&'a self, graph: &'a Graph) -> MessageUses<'a> {
        MessageUses {
            starts: &self.named.starts,
            named: &self.named.uses,
            codes: &graph.codes[..graph.kinds.len()],
            is_messages: &self.is_messages,
            levels: graph.levels(),
            needs: graph.needs(),
        }
    }

    /// Computes the uses of each node. Returns the memory of the disjoint filters.
    fn take_uses(&mut self, named: &NamedResource, graph: &Graph) -> Vec<usize> {
        let n_filters = named.filters.len() + 1;
        let mut blocks = vec![0; Disjoint::n_blocks(n_filters)];
        mark_disjoint(&named.filters, &mut blocks);
        let accesses = Accesses {
            starts: &named.starts,
            named: &named.named,
            everything_starts: &named.everything_starts,
            everything: &named.everything,
            excepted: &named.excepted,
            run_kinds: &named.run_kinds,
            is_bound: &named.is_bound,
            filters: NamedFilters {
                disjoint: Disjoint::new(n_filters, &blocks),
                levels: graph.levels(),
            },
        };
        let extent = UsesExtent {
            n_nodes: graph.n_nodes(),
            n_declared: named.run_kinds.len(),
            n_named: named.named.len(),
            n_filtered: named.named.iter().filter(|one| one.signature != 0).count(),
            n_everything: named.everything.len(),
            n_resources: self.ids.len(),
        };
        let mut heap = Heap::of(|arena| UsesMemory::take(arena, extent));
        let memory = UsesMemory::take(&mut heap.arena(), extent);
        let uses = accesses.uses(&graph.codes, memory);
        self.starts = uses.starts().to_vec();
        self.uses = uses.all().to_vec();
        self.signatures = Signatures {
            n_numbers: uses.filters().disjoint().n_numbers(),
            blocks: uses.filters().disjoint().blocks().to_vec(),
            filtered: uses.filters().filtered().to_vec(),
        };
        blocks
    }

    /// Returns the number of a resource, if a system uses it.
    pub(crate) fn find(&self, resource: &ResourceId) -> Option<u32> {
        self.number_of.get(resource).copied()
    }

    /// Returns the uses of each node.
    pub(crate) fn uses(&self) -> Uses<'_> {
        let Signatures {
            n_numbers,
            blocks,
            filtered,
        } = &self.signatures;
        let disjoint = Disjoint::new(*n_numbers, blocks);
        let filters = Filters::new(disjoint, self.n_resources(), filtered);
        Uses::new(&self.starts, &self.uses).with_filters(filters)
    }

    /// Returns the uses of a declared node, in the order of its access set. The signature of a use is the number of its filter.
    pub(super) fn named(&self, idx: usize) -> &[Use] {
        let NamedUses { starts, uses, .. } = &self.named;
        &uses[starts[idx] as usize..starts[idx + 1] as usize]
    }

    /// Returns the pairs of disjoint filters, by number.
    pub(crate) fn disjoint_filters(&self) -> Disjoint<'_> {
        Disjoint::new(self.named.n_filters, &self.named.disjoint)
    }

    pub(crate) fn n_resources(&self) -> usize {
        self.ids.len() + 2
    }

    /// Returns the subject of conflicts on this number.
    pub(crate) fn subject(&self, number: u32) -> Subject {
        match self.ids.get(number as usize) {
            Some(id) => Subject::Resource(id.clone()),
            None if number == self.rest() => Subject::Everything,
            None => Subject::Exclusive,
        }
    }

    fn number_of(&mut self, resource: &ResourceId) -> u32 {
        if let Some(number) = self.find(resource) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.ids.push(resource.clone());
        self.number_of.insert(resource.clone(), number);
        number
    }

    /// Returns the number that represents all unnamed resources.
    fn rest(&self) -> u32 {
        self.ids.len() as u32
    }
}

impl NamedResource {
    /// Returns the number of a filter, or 0 if there are too many filters.
    fn number_of(&mut self, filter: &'static Filter) -> u16 {
        let next = u16::try_from(self.filters.len() + 1);
        let filters = &mut self.filters;
        match (self.filter_of.entry(FilterKey(filter)), next) {
            (Entry::Occupied(number), _) => *number.get(),
            (Entry::Vacant(entry), Ok(number)) => {
                filters.push(Some(filter));
                *entry.insert(number)
            }
            (Entry::Vacant(_), Err(_)) => 0,
        }
    }

    fn add_everything(&mut self, accesses: &[Option<&AccessSet>], resources: &NumberedResources) {
        self.everything_starts.push(0);
        for access in accesses {
            for AllUse { is_write, except } in access.iter().flat_map(|access| &access.all) {
                let first_excepted = self.excepted.len() as u32;
                let except = except.iter().filter_map(|id| resources.find(id));
                self.excepted.extend(except);
                self.everything.push(Everything {
                    is_write: *is_write,
                    first_excepted,
                    end_excepted: self.excepted.len() as u32,
                });
            }
            self.everything_starts.push(self.everything.len() as u32);
        }
    }
}
