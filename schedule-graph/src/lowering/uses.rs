//! The uses of each node, by number.
//!
//! A node that accesses everything is listed as a user of every resource. Two additional numbers follow those of the
//! resources. One stands for all resources that no node names, the other for exclusive access. An exclusive node writes
//! the latter, and every other node reads it. So one rule is enough: two nodes conflict if they use a resource in kinds
//! that conflict.

use super::item::NodeKind;
use super::signatures::{NamedFilters, Signatures, SignaturesMemory};
use crate::arena::{Arena, List, fill};
use crate::conflict::{AccessKind, Use, Uses};

/// The access of a node to all resources.
#[derive(Clone, Copy, Debug)]
pub struct Everything {
    /// Whether the node writes.
    pub is_write: bool,
    /// `excepted[first_excepted..end_excepted]` of [`Accesses`]: the resources that it leaves out.
    pub first_excepted: u32,
    /// See [`Everything::first_excepted`].
    pub end_excepted: u32,
}

impl Everything {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        is_write: false,
        first_excepted: 0,
        end_excepted: 0,
    };
}

/// The accesses of each declared node.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// `starts[i]..starts[i + 1]`: the resources that declared node i names; len = n_declared + 1.
    pub starts: &'a [u32],
    /// The named resources of all nodes, by declared node. A node may name a resource several times, in any order.
    pub named: &'a [Use],
    /// `everything_starts[i]..everything_starts[i + 1]`: the accesses of declared node i to all resources; len = n_declared + 1,
    /// or 0 if no node accesses everything.
    pub everything_starts: &'a [u32],
    /// The accesses to all resources, by declared node.
    pub everything: &'a [Everything],
    /// See [`Everything::first_excepted`].
    pub excepted: &'a [u32],
    /// `run_kinds[i]`: whether declared node i runs code, and whether it is exclusive; len = n_declared.
    pub run_kinds: &'a [RunKind],
    /// `is_bound[r]`: nodes that access everything and are not exclusive leave out resource r; len = n_resources.
    pub is_bound: &'a [bool],
    /// The filters of named uses.
    pub filters: NamedFilters<'a>,
}

/// Whether and how a declared node runs code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// The node runs no code.
    Nothing,
    /// The node may run at the same time as others.
    Concurrent,
    /// The node runs exclusively.
    Exclusive,
}

/// The maximum numbers of nodes, uses and resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsesExtent {
    /// Nodes of the graph.
    pub n_nodes: usize,
    /// Declared nodes.
    pub n_declared: usize,
    /// Named uses.
    pub n_named: usize,
    /// Named uses with filters.
    pub n_filtered: usize,
    /// Accesses of nodes to all resources.
    pub n_everything: usize,
    /// Resources, without the two additional numbers.
    pub n_resources: usize,
}

/// The memory of [`Uses`].
#[derive(Debug)]
pub struct UsesMemory<'a> {
    starts: &'a mut [u32],
    uses: &'a mut [Use],
    marks: &'a mut [u32],
    signatures: SignaturesMemory<'a>,
}

impl<'a> UsesMemory<'a> {
    /// Takes memory for this extent.
    pub const fn take(arena: &mut Arena<'a>, extent: UsesExtent) -> Self {
        let UsesExtent {
            n_nodes,
            n_declared,
            n_named,
            n_filtered,
            n_everything,
            n_resources,
        } = extent;
        Self {
            starts: arena.words(n_nodes + 1),
            uses: arena.uses(n_named + n_declared + n_everything * (n_resources + 2)),
            marks: arena.words(n_resources + 2),
            signatures: SignaturesMemory::take(arena, n_filtered, n_resources + 2),
        }
    }
}

/// The maximum number of uses that are sorted by insertion.
const MANY: usize = 32;

/// The mark of a resource without a use. Other marks are the [`code`] of the use.
const UNTOUCHED: u32 = 0;

impl<'a> Accesses<'a> {
    /// The number of resources, the two additional ones included.
    pub const fn n_resources(self) -> usize {
        self.is_bound.len() + 2
    }

    /// The number of the additional resource for all resources that no node names.
    pub const fn rest(self) -> u32 {
        self.is_bound.len() as u32
    }

    /// The number of the resource that each exclusive node writes.
    pub const fn exclusive_resource(self) -> u32 {
        self.is_bound.len() as u32 + 1
    }

    /// The uses of each node. `codes[v]`: the code of the [`NodeKind`] of node v.
    ///
    /// Cost: O(uses) for nodes that name few resources. O(resources) for each node that names many or accesses everything.
    pub const fn uses<'m>(self, codes: &[u32], memory: UsesMemory<'m>) -> Uses<'m> {
        let mut signatures = Signatures::new(memory.signatures);
        let has_exclusive = self.has_exclusive();
        let n_nodes = codes.len();
        let starts = memory.starts.split_at_mut(n_nodes + 1).0;
        let mut uses = List::new(memory.uses);
        let mut node = 0;
        while node < n_nodes {
            starts[node] = uses.len() as u32;
            if let NodeKind::Declared(idx) = NodeKind::of_code(codes[node]) {
                if signatures.are_possible() {
                    self.push_filtered(idx as usize, node as u32, &mut uses, &mut signatures);
                }
                let start = starts[node] as usize;
                self.push(idx as usize, start, has_exclusive, &mut uses, memory.marks);
            }
            node += 1;
        }
        starts[node] = uses.len() as u32;
        let uses = Uses::new(starts, uses.into_slice());
        let filters =
            signatures.into_filters(self.filters.disjoint, uses.all(), self.n_resources());
        uses.with_filters(filters)
    }

    /// Adds the uses of a node that have filters, one for each resource.
    const fn push_filtered(
        self,
        idx: usize,
        node: u32,
        uses: &mut List<'_, Use>,
        signatures: &mut Signatures<'_>,
    ) {
        let start = uses.len();
        let mut named = self.starts[idx] as usize;
        while named < self.starts[idx + 1] as usize {
            if self.named[named].signature != 0 {
                uses.push(self.named[named]);
            }
            named += 1;
        }
        signatures.join(uses, start, self.filters.level(node));
    }

    const fn has_exclusive(self) -> bool {
        let mut idx = 0;
        while idx < self.run_kinds.len() {
            if matches!(self.run_kinds[idx], RunKind::Exclusive) {
                return true;
            }
            idx += 1;
        }
        false
    }

    /// Adds the other uses of a node, whose uses begin at `start`. Sorts them and joins those of the same resource.
    const fn push(
        self,
        idx: usize,
        start: usize,
        has_exclusive: bool,
        uses: &mut List<'_, Use>,
        marks: &mut [u32],
    ) {
        let mut named = self.starts[idx] as usize;
        while named < self.starts[idx + 1] as usize {
            if self.named[named].signature == 0 {
                uses.push(self.named[named]);
            }
            named += 1;
        }
        let is_exclusive = matches!(self.run_kinds[idx], RunKind::Exclusive);
        if has_exclusive && !matches!(self.run_kinds[idx], RunKind::Nothing) {
            uses.push(Use::new(
                self.exclusive_resource(),
                AccessKind::of_write(is_exclusive),
            ));
        }
        let touches_all = !self.everything_starts.is_empty()
            && self.everything_starts[idx] < self.everything_starts[idx + 1];
        if touches_all || uses.len() - start > MANY {
            self.merge_by_marks(idx, start, uses, marks);
        } else {
            merge(uses, start);
        }
    }

    /// Adds the accesses of a node to all resources to its uses, which begin at `start`. Sorts the uses and joins those of the
    /// same resource. O(resources).
    const fn merge_by_marks(
        self,
        idx: usize,
        start: usize,
        uses: &mut List<'_, Use>,
        marks: &mut [u32],
    ) {
        // An excepted resource has this bit while one access is marked.
        const EXCEPTED: u32 = 4;
        fill(marks, UNTOUCHED);
        let mut position = start;
        while position < uses.len() {
            let one = uses.at(position);
            mark(&mut marks[one.resource as usize], one);
            position += 1;
        }
        uses.truncate(start);
        let is_exclusive = matches!(self.run_kinds[idx], RunKind::Exclusive);
        let (mut nth, end) = match self.everything_starts {
            [] => (0, 0),
            starts => (starts[idx] as usize, starts[idx + 1] as usize),
        };
        while nth < end {
            let Everything {
                is_write,
                first_excepted,
                end_excepted,
            } = self.everything[nth];
            // An access to everything has no filter. `mark` ignores the resource.
            let one = Use::new(0, AccessKind::of_write(is_write));
            let mut excepted = first_excepted as usize;
            while excepted < end_excepted as usize {
                marks[self.excepted[excepted] as usize] |= EXCEPTED;
                excepted += 1;
            }
            let mut resource = 0;
            while resource < self.is_bound.len() {
                if marks[resource] & EXCEPTED != 0 {
                    marks[resource] &= !EXCEPTED;
                } else if is_exclusive || !self.is_bound[resource] {
                    mark(&mut marks[resource], one);
                }
                resource += 1;
            }
            mark(&mut marks[self.rest() as usize], one);
            nth += 1;
        }
        let mut resource = 0;
        while resource < marks.len() {
            if let Some(one) = of_code(resource as u32, marks[resource]) {
                uses.push(one);
            }
            resource += 1;
        }
    }
}

const fn mark(mark: &mut u32, one: Use) {
    *mark = code(match of_code(one.resource, *mark) {
        None => one,
        Some(marked) => marked.joined(one),
    });
}

/// A use as a number: 1 to 3 for the kind, with the signature in the upper half.
const fn code(one: Use) -> u32 {
    let kind = match one.kind {
        AccessKind::Read => 1,
        AccessKind::Write => 2,
        AccessKind::Fold => 3,
    };
    kind | (one.signature as u32) << 16
}

const fn of_code(resource: u32, code: u32) -> Option<Use> {
    let kind = match code & 3 {
        UNTOUCHED => return None,
        1 => AccessKind::Read,
        2 => AccessKind::Write,
        _ => AccessKind::Fold,
    };
    Some(Use {
        resource,
        kind,
        signature: (code >> 16) as u16,
    })
}

/// Sorts the uses from `start` on by resource with insertion sort, and joins those of the same resource.
const fn merge(uses: &mut List<'_, Use>, start: usize) {
    // A slice, because calls are slow in const evaluation.
    let (end, all) = (uses.len(), uses.as_mut_slice());
    let mut next = start + 1;
    while next < end {
        let one = all[next];
        let mut at = next;
        while at > start && all[at - 1].resource > one.resource {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = one;
        next += 1;
    }
    let mut n_kept = start;
    let mut idx = start;
    while idx < end {
        let one = all[idx];
        if n_kept > start && all[n_kept - 1].resource == one.resource {
            all[n_kept - 1] = all[n_kept - 1].joined(one);
        } else {
            all[n_kept] = one;
            n_kept += 1;
        }
        idx += 1;
    }
    uses.truncate(n_kept);
}
