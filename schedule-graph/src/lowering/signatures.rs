//! Signatures of uses: with which filters one node uses one resource.
//!
//! A node may use a resource several times with different filters, to read or to write. Its signature is the set of these
//! parts. Two signatures are disjoint if no part of one conflicts with a part of the other: their kinds do not conflict, or
//! their filters are disjoint. Equal sets have one number, so the relation is computed once for each pair of signatures, not for each pair
//! of nodes.
//!
//! A filter counts only between nodes of one level. Seen from another level, a node uses the whole resource.

use crate::arena::{Arena, List, fill};
use crate::conflict::{AccessKind, Disjoint, Filters, Use};
use crate::graph::levels::{Levels, NO_LOOP};

/// The filters of named uses.
#[derive(Clone, Copy, Debug)]
pub struct NamedFilters<'a> {
    /// The disjoint filters. The [signature](Use::signature) of a named use is the number of its filter.
    pub disjoint: Disjoint<'a>,
    /// The levels of the nodes of the graph.
    pub levels: Levels<'a>,
}

impl NamedFilters<'_> {
    /// No filters.
    pub const NONE: Self = Self {
        disjoint: Disjoint::NONE,
        levels: Levels::NONE,
    };

    /// The level on which the filters of a node count. A loop counts as a node of its own body.
    pub(super) const fn level(self, node: u32) -> u32 {
        match self.levels.own(node) {
            NO_LOOP => self.levels.around(node),
            own => own,
        }
    }
}

/// The memory of [`Signatures`].
#[derive(Debug)]
pub(super) struct SignaturesMemory<'a> {
    starts: &'a mut [u32],
    parts: &'a mut [u32],
    levels: &'a mut [u32],
    table: &'a mut [u32],
    blocks: &'a mut [usize],
    filtered: &'a mut [Use],
    ends: &'a mut [u32],
}

impl<'a> SignaturesMemory<'a> {
    /// Takes memory for `n_filtered` uses with filters.
    pub(super) const fn take(arena: &mut Arena<'a>, n_filtered: usize, n_resources: usize) -> Self {
        if n_filtered == 0 {
            return Self {
                starts: arena.words(0),
                parts: arena.words(0),
                levels: arena.words(0),
                table: arena.words(0),
                blocks: arena.blocks(0),
                filtered: arena.uses(0),
                ends: arena.words(0),
            };
        }
        let n_numbers = 1 + if n_filtered < Signatures::MAX {
            n_filtered
        } else {
            Signatures::MAX
        };
        Self {
            starts: arena.words(n_numbers + 1),
            parts: arena.words(n_filtered),
            levels: arena.words(n_numbers),
            table: arena.words((2 * n_filtered + 1).next_power_of_two()),
            blocks: arena.blocks(Disjoint::n_blocks(n_numbers)),
            filtered: arena.uses(n_filtered),
            ends: arena.words(n_resources + 3),
        }
    }
}

/// The signatures so far.
#[derive(Debug)]
pub(super) struct Signatures<'a> {
    /// `starts[s]..starts[s + 1]`: the parts of signature s. Signature 0 has none.
    starts: List<'a, u32>,
    /// The [codes](part) of the parts, ascending for each signature.
    parts: List<'a, u32>,
    /// `levels[s]`: the level of the nodes with signature s.
    levels: List<'a, u32>,
    /// The signatures by hash: open addressing. The length is a power of two.
    table: &'a mut [u32],
    blocks: &'a mut [usize],
    filtered: &'a mut [Use],
    ends: &'a mut [u32],
}

/// Marks a free slot of the table.
const FREE: u32 = 0;

/// A part of a signature as a number: its filter, and its kind in the two lowest bits.
const fn part(one: Use) -> u32 {
    (one.signature as u32) << 2 | one.kind as u32
}

/// The filter of a part.
const fn filter(part: u32) -> u16 {
    (part >> 2) as u16
}

/// Whether the kinds of two parts conflict, as in [`AccessKind::conflicts_with`].
const fn do_kinds_conflict(a: u32, b: u32) -> bool {
    a & 3 != b & 3 || a & 3 == AccessKind::Write as u32
}

impl<'a> Signatures<'a> {
    /// The largest signature. A use with a further signature counts as a use without a filter.
    const MAX: usize = u16::MAX as usize;

    pub(super) const fn new(memory: SignaturesMemory<'a>) -> Self {
        fill(memory.table, FREE);
        let mut signatures = Self {
            starts: List::new(memory.starts),
            parts: List::new(memory.parts),
            levels: List::new(memory.levels),
            table: memory.table,
            blocks: memory.blocks,
            filtered: memory.filtered,
            ends: memory.ends,
        };
        if !signatures.table.is_empty() {
            signatures.starts.push(0);
            signatures.starts.push(0);
            signatures.levels.push(0);
        }
        signatures
    }

    /// Whether uses may have filters.
    pub(super) const fn are_possible(&self) -> bool {
        !self.table.is_empty()
    }

    /// Joins the uses from `start` on, which all have filters, to one use of each resource. `level`: the level of the node.
    /// O(n²) for the n uses of a node, since nodes have few.
    pub(super) const fn join(&mut self, uses: &mut List<'_, Use>, start: usize, level: u32) {
        let mut next = start + 1;
        while next < uses.len() {
            let one = uses.at(next);
            let mut at = next;
            while at > start && is_before(one, uses.at(at - 1)) {
                uses.set(at, uses.at(at - 1));
                at -= 1;
            }
            uses.set(at, one);
            next += 1;
        }
        let mut n_kept = start;
        let mut idx = start;
        while idx < uses.len() {
            let mut joined = uses.at(idx);
            let first_part = self.parts.len();
            let mut last = part(joined);
            self.parts.push(last);
            idx += 1;
            while idx < uses.len() && uses.at(idx).resource == joined.resource {
                let one = uses.at(idx);
                joined.kind = joined.kind.joined(one.kind);
                if part(one) != last {
                    last = part(one);
                    self.parts.push(last);
                }
                idx += 1;
            }
            joined.signature = self.number(first_part, level);
            uses.set(n_kept, joined);
            n_kept += 1;
        }
        uses.truncate(n_kept);
    }

    /// The number of the signature whose parts were added from `first_part` on.
    const fn number(&mut self, first_part: usize, level: u32) -> u16 {
        let mut hash = level as u64;
        let mut idx = first_part;
        while idx < self.parts.len() {
            hash = (hash ^ self.parts.at(idx) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
            idx += 1;
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != FREE {
            let signature = self.table[slot] as usize;
            if self.levels.at(signature) == level && self.has_parts(signature, first_part) {
                self.parts.truncate(first_part);
                return signature as u16;
            }
            slot = (slot + 1) & mask;
        }
        let signature = self.levels.len();
        if signature > Self::MAX {
            self.parts.truncate(first_part);
            return 0;
        }
        self.table[slot] = signature as u32;
        self.levels.push(level);
        self.starts.push(self.parts.len() as u32);
        signature as u16
    }

    /// Whether a signature has the same parts as those from `first_part` on.
    const fn has_parts(&self, signature: usize, first_part: usize) -> bool {
        let start = self.starts.at(signature) as usize;
        let n_parts = self.starts.at(signature + 1) as usize - start;
        if n_parts != self.parts.len() - first_part {
            return false;
        }
        let mut idx = 0;
        while idx < n_parts {
            if self.parts.at(start + idx) != self.parts.at(first_part + idx) {
                return false;
            }
            idx += 1;
        }
        true
    }

    /// The disjoint signatures, and the signatures of each resource in `uses`.
    ///
    /// Cost: O(uses + signatures² × parts²), where only signatures with a filter that is disjoint with another one count.
    pub(super) const fn into_filters(
        self,
        filters: Disjoint<'_>,
        uses: &[Use],
        n_resources: usize,
    ) -> Filters<'a> {
        if self.levels.len() < 2 {
            return Filters::NONE;
        }
        let n_numbers = self.levels.len();
        let n_blocks = Disjoint::n_blocks(n_numbers);
        let blocks = self.blocks.split_at_mut(n_blocks).0;
        let mut block = 0;
        while block < n_blocks {
            blocks[block] = 0;
            block += 1;
        }
        let (starts, parts) = (self.starts.as_slice(), self.parts.as_slice());
        let mut a = 1;
        while a < n_numbers {
            if may_be_disjoint(filters, parts, starts[a], starts[a + 1]) {
                let mut b = 1;
                while b <= a {
                    let is_level_shared = self.levels.at(a) == self.levels.at(b);
                    let of_a = (starts[a], starts[a + 1]);
                    let of_b = (starts[b], starts[b + 1]);
                    if is_level_shared && are_disjoint(filters, parts, of_a, of_b) {
                        Disjoint::set(blocks, n_numbers, a as u16, b as u16);
                    }
                    b += 1;
                }
            }
            a += 1;
        }
        let filtered = list(uses, n_resources, self.filtered, self.ends);
        Filters::new(Disjoint::new(n_numbers, blocks), n_resources, filtered)
    }
}

const fn is_before(one: Use, other: Use) -> bool {
    one.resource < other.resource || one.resource == other.resource && part(one) < part(other)
}

/// Whether a part of a signature has a filter that is disjoint with any filter.
const fn may_be_disjoint(filters: Disjoint<'_>, parts: &[u32], start: u32, end: u32) -> bool {
    let mut idx = start as usize;
    while idx < end as usize {
        if filters.has_any(filter(parts[idx])) {
            return true;
        }
        idx += 1;
    }
    false
}

/// Whether no part of one signature conflicts with a part of another one.
const fn are_disjoint(
    filters: Disjoint<'_>,
    parts: &[u32],
    (start_a, end_a): (u32, u32),
    (start_b, end_b): (u32, u32),
) -> bool {
    let mut a = start_a as usize;
    while a < end_a as usize {
        let mut b = start_b as usize;
        while b < end_b as usize {
            if do_kinds_conflict(parts[a], parts[b])
                && !filters.has(filter(parts[a]), filter(parts[b]))
            {
                return false;
            }
            b += 1;
        }
        a += 1;
    }
    true
}

/// The resources and signatures of uses, each once, ascending, as [`Filters::new`] takes them.
///
/// A counting sort by resource, then an insertion sort of the few signatures of a resource. `ends`: scratch memory.
const fn list<'a>(
    uses: &[Use],
    n_resources: usize,
    filtered: &'a mut [Use],
    ends: &mut [u32],
) -> &'a [Use] {
    let ends = ends.split_at_mut(n_resources + 1).0;
    fill(ends, 0);
    let mut idx = 0;
    while idx < uses.len() {
        ends[uses[idx].resource as usize + 1] += (uses[idx].signature != 0) as u32;
        idx += 1;
    }
    let mut resource = 0;
    while resource < n_resources {
        ends[resource + 1] += ends[resource];
        resource += 1;
    }
    // `ends[r]` is now the start of resource r, and becomes its end.
    let mut idx = 0;
    while idx < uses.len() {
        let one = uses[idx];
        if one.signature != 0 {
            let end = &mut ends[one.resource as usize];
            filtered[*end as usize] = one.as_filtered();
            *end += 1;
        }
        idx += 1;
    }
    let n_filtered = ends[n_resources] as usize;
    let mut n_kept = 0;
    let mut idx = 0;
    while idx < n_filtered {
        let one = filtered[idx];
        let mut at = n_kept;
        while at > 0
            && filtered[at - 1].resource == one.resource
            && filtered[at - 1].signature > one.signature
        {
            at -= 1;
        }
        let is_known = at > 0
            && filtered[at - 1].resource == one.resource
            && filtered[at - 1].signature == one.signature;
        if !is_known {
            let mut moved = n_kept;
            while moved > at {
                filtered[moved] = filtered[moved - 1];
                moved -= 1;
            }
            filtered[at] = one;
            n_kept += 1;
        }
        idx += 1;
    }
    filtered.split_at(n_kept).0
}
