//! Resources by number, and who uses them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::nodes::{Graph, Kind};
use super::{Builder, Declared, DeclaredWork};
use crate::access::{AccessSet, AllUse, ResourceId};
use crate::problem::Subject;
use schedule_graph::internal::{Use, Uses};

/// Resources by number, and who uses them.
#[derive(Default)]
pub(super) struct Resources {
    /// `ids[r]`: what resource r is. Behind them come two that are no resources: see [`Resources::rest`].
    pub(super) ids: Vec<ResourceId>,
    number_of: HashMap<ResourceId, u32, RandomState>,
    /// By node, as [`Uses`] has them.
    starts: Vec<u32>,
    uses: Vec<Use>,
}

impl Resources {
    /// Cost: O(uses); and for each node that touches everything, O(resources).
    pub(super) fn number(builder: &Builder, graph: &Graph) -> Self {
        let of_flush = AccessSet::exclusive();
        let access_of = |kind: &Kind| match kind {
            Kind::Added(idx) => match &builder.nodes[*idx] {
                Declared {
                    work: DeclaredWork::Flush,
                    ..
                } => Some(&of_flush),
                declared => declared.system().map(|system| &*system.access),
            },
            Kind::LoopEnd(_) | Kind::GroupBegin(_) | Kind::GroupEnd(_) => None,
        };
        // Nodes for weak orders touch nothing.
        let weak = graph.kinds.len()..graph.n_nodes();
        let accesses = graph.kinds.iter().map(access_of).chain(weak.map(|_| None));
        let accesses: Vec<Option<&AccessSet>> = accesses.collect();
        let mut resources = Self::default();
        // Everything that there is must be known before a node can touch everything: names first, then uses.
        let numbers: Vec<u32> = accesses
            .iter()
            .flatten()
            .flat_map(|access| &access.uses)
            .map(|one| resources.number_of(&one.resource))
            .collect();
        // A policy may be about what only those touch who touch everything.
        if accesses
            .iter()
            .flatten()
            .any(|access| !access.all.is_empty())
        {
            let rules = builder.parts.iter().map(|part| &part.rules);
            for rules in rules.chain([&builder.rules]) {
                for (resource, _) in &rules.resource_policies {
                    resources.number_of(resource);
                }
            }
        }
        let has_exclusive = accesses.iter().flatten().any(|access| access.is_exclusive);

        let mut numbers = numbers.into_iter();
        resources.uses.reserve(numbers.len());
        resources.starts.reserve(accesses.len() + 1);
        resources.starts.push(0);
        let mut marks = Vec::new();
        for access in &accesses {
            let start = resources.uses.len();
            if let Some(access) = access {
                let own = access.uses.iter().zip(&mut numbers);
                resources.uses.extend(own.map(|(one, resource)| Use {
                    resource,
                    is_write: one.is_write,
                }));
                if has_exclusive {
                    let resource = resources.alone();
                    let is_write = access.is_exclusive;
                    resources.uses.push(Use { resource, is_write });
                }
                if access.all.is_empty() {
                    merge(&mut resources.uses, start);
                } else {
                    resources.merge_with_all(start, access, &mut marks);
                }
            }
            resources.starts.push(resources.uses.len() as u32);
        }
        resources
    }

    /// The number of a resource that is used.
    pub(super) fn find(&self, resource: &ResourceId) -> Option<u32> {
        self.number_of.get(resource).copied()
    }

    pub(super) fn uses(&self) -> Uses<'_> {
        Uses::new(&self.starts, &self.uses)
    }

    pub(super) fn n_resources(&self) -> usize {
        self.ids.len() + 2
    }

    /// What conflicts on this number are about.
    pub(super) fn subject(&self, number: u32) -> Subject {
        match self.ids.get(number as usize) {
            Some(id) => Subject::Resource(id.clone()),
            None if number == self.rest() => Subject::Everything,
            None => Subject::Alone,
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

    /// Adds all resources to the uses from `start` on, sorts them, and makes one of those of the same. O(resources).
    ///
    /// `marks` is scratch space.
    fn merge_with_all(&mut self, start: usize, access: &AccessSet, marks: &mut Vec<Option<bool>>) {
        marks.clear();
        marks.resize(self.n_resources(), None);
        let mark =
            |mark: &mut Option<bool>, is_write| *mark = Some(mark.is_some_and(|w| w) | is_write);
        for one in self.uses.drain(start..) {
            mark(&mut marks[one.resource as usize], one.is_write);
        }
        for AllUse { is_write, except } in &access.all {
            let except: Vec<u32> = except.iter().filter_map(|id| self.find(id)).collect();
            for (number, id) in (0..).zip(&self.ids) {
                if (!id.is_main_thread() || access.is_exclusive) && !except.contains(&number) {
                    mark(&mut marks[number as usize], *is_write);
                }
            }
            mark(&mut marks[self.rest() as usize], *is_write);
        }
        let marked = (0..).zip(marks.iter());
        self.uses.extend(marked.filter_map(|(resource, is_write)| {
            is_write.map(|is_write| Use { resource, is_write })
        }));
    }

    /// Stands for all resources that nobody names.
    fn rest(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Stands for the right to run alone: an exclusive system writes it, every other one reads it.
    fn alone(&self) -> u32 {
        self.ids.len() as u32 + 1
    }
}

/// Sorts the uses from `start` on by resource, and makes one of those of the same.
fn merge(uses: &mut Vec<Use>, start: usize) {
    let own = &mut uses[start..];
    own.sort_unstable();
    let mut n_kept = 0;
    for idx in 0..own.len() {
        if n_kept > 0 && own[n_kept - 1].resource == own[idx].resource {
            own[n_kept - 1].is_write |= own[idx].is_write;
        } else {
            own[n_kept] = own[idx];
            n_kept += 1;
        }
    }
    uses.truncate(start + n_kept);
}
