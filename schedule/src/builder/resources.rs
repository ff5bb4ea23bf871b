//! Resources by number, and who uses them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Builder;
use super::nodes::{Graph, Kind};
use crate::access::{AccessSet, AllUse, ResourceId};
use crate::conflict::{Use, Uses};

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
        let access_of = |kind: &Kind| match kind {
            Kind::Added(idx) => {
                let instance = builder.nodes[*idx].instance.as_ref();
                instance.map(|instance| instance.access())
            }
            Kind::GroupBegin(_) | Kind::GroupEnd(_) => None,
        };
        let accesses: Vec<Option<&AccessSet>> = graph.kinds.iter().map(access_of).collect();
        let mut resources = Self::default();
        // Everything that there is must be known before a node can touch everything: names first, then uses.
        let numbers: Vec<u32> = accesses
            .iter()
            .flatten()
            .flat_map(|access| &access.uses)
            .map(|one| resources.number_of(&one.resource))
            .collect();
        let has_exclusive = accesses.iter().flatten().any(|access| access.is_exclusive);

        let mut numbers = numbers.into_iter();
        resources.uses.reserve(numbers.len());
        resources.starts.reserve(accesses.len() + 1);
        resources.starts.push(0);
        for access in &accesses {
            let start = resources.uses.len();
            if let Some(access) = access {
                let own = access.uses.iter().zip(&mut numbers);
                resources.uses.extend(own.map(|(one, resource)| Use {
                    resource,
                    is_write: one.is_write,
                }));
                for all in &access.all {
                    resources.use_all(all, access.is_exclusive);
                }
                if has_exclusive {
                    let resource = resources.alone();
                    let is_write = access.is_exclusive;
                    resources.uses.push(Use { resource, is_write });
                }
            }
            merge(&mut resources.uses, start);
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

    fn number_of(&mut self, resource: &ResourceId) -> u32 {
        if let Some(number) = self.find(resource) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.ids.push(resource.clone());
        self.number_of.insert(resource.clone(), number);
        number
    }

    fn use_all(&mut self, all: &AllUse, is_exclusive: bool) {
        let is_write = all.is_write;
        for (resource, id) in (0..).zip(&self.ids) {
            if (!id.is_main_thread() || is_exclusive) && !all.except.contains(id) {
                self.uses.push(Use { resource, is_write });
            }
        }
        let resource = self.rest();
        self.uses.push(Use { resource, is_write });
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
