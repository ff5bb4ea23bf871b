//! Which node each leaf of a guard asks; conditions that nobody added are added.

use super::draft::Draft;
use super::fault::Kind;
use super::memory::{List, Memory};
use super::node::{Item, NONE, Node, NodeKind, Said, Spot};
use crate::system::{Answered, Guard};

/// The nodes that guards ask.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    /// `starts[g]..starts[g + 1]`: the leaves of guard g, in the order of the source; len = n_guards + 1.
    starts: List<'a, u32>,
    /// The node that a leaf asks.
    leaves: List<'a, u32>,
    /// `is_broken[g]`: 1 if a leaf of guard g asks nobody; the guard is left out then.
    is_broken: List<'a, u32>,
}

/// Where the listed members of each group stand.
struct Places<'a> {
    /// `levels[g]`: the loop in which the first node in group g is, directly or through others; len = n_groups.
    levels: &'a mut [u32],
}

impl<'a> Places<'a> {
    /// As many passes as groups are deep.
    const fn new(draft: &Draft<'_>, memory: &mut Memory<'a>) -> Self {
        let n_groups = draft.groups.len();
        // firsts[g]: that node, or NONE.
        let firsts = memory.take_words(n_groups);
        let levels = memory.take_words(n_groups);
        let mut group = 0;
        while group < n_groups {
            firsts[group] = NONE;
            levels[group] = draft.groups.get(group).level;
            group += 1;
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            // From the back: what is in a block stands behind its group, so that one pass mostly does.
            let mut idx = draft.members.len();
            while idx > 0 {
                idx -= 1;
                let said = draft.members.at(idx);
                let first = match said.subject {
                    Item::Node(node) => node,
                    Item::Group(group) => firsts[group as usize],
                };
                let Some(group) = draft.group(draft.membership(said).group.id) else {
                    continue;
                };
                if first < firsts[group as usize] {
                    firsts[group as usize] = first;
                    levels[group as usize] = draft.node(first).level;
                    has_changed = true;
                }
            }
        }
        Self { levels }
    }

    const fn level_of(&self, draft: &Draft<'_>, item: Item) -> u32 {
        match item {
            Item::Node(node) => draft.node(node).level,
            Item::Group(group) => self.levels[group as usize],
        }
    }
}

impl<'a> Conditions<'a> {
    /// Of so many guards with so many leaves, in as many groups.
    pub(super) const fn n_words(n_guards: usize, n_leaves: usize, n_groups: usize) -> usize {
        2 * n_guards + 1 + n_leaves + 2 * n_groups
    }

    /// Finds all of them, those of conditions that are added here too.
    pub(super) const fn find(
        draft: &mut Draft<'_>,
        n_guards: usize,
        n_leaves: usize,
        memory: &mut Memory<'a>,
    ) -> Self {
        let places = Places::new(draft, memory);
        let mut conditions = Self {
            starts: List::new(memory.take_words(n_guards + 1)),
            leaves: List::new(memory.take_words(n_leaves)),
            is_broken: List::new(memory.take_words(n_guards)),
        };
        let n_members = draft.members.len();
        conditions.starts.push(0);
        let mut idx = 0;
        while idx < draft.guards.len() {
            let said = draft.guards.at(idx);
            let guard = draft.guard(said);
            let is_whole = conditions.resolve(draft, &places, said, guard);
            conditions.starts.push(conditions.leaves.len() as u32);
            conditions.is_broken.push(!is_whole as u32);
            idx += 1;
        }
        draft.add_groups(n_members);
        if !draft.listing.parts.is_empty() {
            conditions.place_in_parts(draft);
        }
        conditions
    }

    /// Lets each condition that nobody added be in the innermost part that all is in which it guards.
    const fn place_in_parts(&self, draft: &mut Draft<'_>) {
        let mut node = 0;
        while node < draft.nodes.len() {
            if draft.nodes.get(node).is_implied {
                set_part(draft, node as u32, NONE);
            }
            node += 1;
        }
        // Conditions may guard conditions that nobody added: as many passes as they do so behind each other.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut guard = 0;
            while guard < draft.guards.len() {
                let said = draft.guards.at(guard);
                let part = match said.subject {
                    Item::Node(node) => draft.node(node).part,
                    Item::Group(_) => draft.listing.entries[said.spot.entry as usize].part,
                };
                let mut leaf = self.first_leaf(guard);
                while leaf < self.end_of(guard) && part != NONE {
                    has_changed |= share(draft, self.leaf(leaf), part);
                    leaf += 1;
                }
                guard += 1;
            }
        }
        let mut node = 0;
        while node < draft.nodes.len() {
            if draft.nodes.get(node).part == NONE {
                set_part(draft, node as u32, 0);
            }
            node += 1;
        }
    }

    /// The nodes of a guard's leaves, from this one on.
    pub(super) const fn first_leaf(&self, guard: usize) -> usize {
        self.starts.at(guard) as usize
    }

    pub(super) const fn end_of(&self, guard: usize) -> usize {
        self.starts.at(guard + 1) as usize
    }

    /// The guard that a leaf is of.
    pub(super) const fn guard_of(&self, leaf: usize) -> usize {
        let mut guard = 0;
        while self.end_of(guard) <= leaf {
            guard += 1;
        }
        guard
    }

    /// The token of a leaf; if an attribute has it, of the system.
    pub(super) const fn spot_of(&self, draft: &Draft<'_>, leaf: usize) -> Spot {
        let guard = self.guard_of(leaf);
        let mut spot = draft.guards.at(guard).spot;
        if spot.clause > 0 {
            spot.leaf = (leaf - self.first_leaf(guard)) as u32;
        }
        spot
    }

    pub(super) const fn leaf(&self, leaf: usize) -> u32 {
        self.leaves.at(leaf)
    }

    pub(super) const fn is_broken(&self, guard: usize) -> bool {
        self.is_broken.at(guard) == 1
    }

    /// The guard, blamed at its next leaf. An attribute has no token in the listing.
    const fn at_leaf(&self, mut said: Said) -> Said {
        if said.spot.clause > 0 {
            let first = self.starts.at(self.starts.len() - 1);
            said.spot.leaf = self.leaves.len() as u32 - first;
        }
        said
    }

    /// Finds the nodes of all leaves; returns whether there are any for all of them.
    const fn resolve(
        &mut self,
        draft: &mut Draft<'_>,
        places: &Places<'_>,
        said: Said,
        guard: &Guard,
    ) -> bool {
        match guard {
            Guard::Is(answered) => {
                let said = self.at_leaf(said);
                let node = find(draft, places, said, answered);
                self.leaves.push(match node {
                    Some(node) => node,
                    None => NONE,
                });
                node.is_some()
            }
            Guard::Not(guard) => self.resolve(draft, places, said, guard),
            Guard::All(guards) | Guard::Any(guards) => {
                let mut is_whole = true;
                let mut idx = 0;
                while idx < guards.len() {
                    is_whole &= self.resolve(draft, places, said, &guards[idx]);
                    idx += 1;
                }
                is_whole
            }
        }
    }
}

/// Lets a condition that nobody added be in a part that this one is in, too. Returns whether it was not.
const fn share(draft: &mut Draft<'_>, condition: u32, part: u32) -> bool {
    if condition == NONE || !draft.node(condition).is_implied {
        return false;
    }
    let known = draft.node(condition).part;
    let common = match known {
        NONE => part,
        known => draft.listing.common_part(known, part),
    };
    set_part(draft, condition, common);
    common != known
}

const fn set_part(draft: &mut Draft<'_>, node: u32, part: u32) {
    let mut one = *draft.node(node);
    one.part = part;
    draft.nodes.set(node as usize, one);
}

/// The node that is asked: at the level of what it guards, or further out; added, if it is not there and may be.
const fn find(
    draft: &mut Draft<'_>,
    places: &Places<'_>,
    said: Said,
    answered: &Answered,
) -> Option<u32> {
    let guarded = said.subject;
    let inner = places.level_of(draft, guarded);
    let inner = match answered.beside {
        Some(beside) => beside_or(draft, beside.id, inner),
        None => inner,
    };
    let id = answered.reference.id;
    let listed = match answered.entry {
        Some(number) => match draft.named(said, number) {
            Item::Node(node) => node,
            Item::Group(_) => NONE,
        },
        None => NONE,
    };
    // From the inside out.
    let mut level = inner;
    loop {
        let (node, n_found) = at_level(draft, listed, id, level);
        if n_found > 1 {
            draft.fault(Kind::Ambiguous, said.spot, Item::Node(node), guarded);
            return None;
        }
        if n_found == 1 {
            return check(draft, guarded, node, said.spot);
        }
        if level == NONE {
            break;
        }
        level = draft.node(level).level;
    }
    if listed != NONE {
        draft.fault(
            Kind::ConditionDeeper,
            said.spot,
            Item::Node(listed),
            guarded,
        );
        return None;
    }
    if let Some(deeper) = explicit(draft, draft.first(id)) {
        draft.fault(
            Kind::ConditionDeeper,
            said.spot,
            Item::Node(deeper),
            guarded,
        );
        return None;
    }
    // It was not added; maybe for another guard of this level.
    let mut known = draft.first(id);
    while let Some(item) = known {
        if let Item::Node(node) = item {
            let one = draft.node(node);
            if one.is_implied && one.level == inner {
                return check(draft, guarded, node, said.spot);
            }
        }
        known = draft.next(item);
    }
    let node = draft.add_node(Node {
        kind: NodeKind::System,
        reference: answered.reference,
        declaration: Some(answered.declaration),
        spot: said.spot,
        is_implied: true,
        level: inner,
        ..Node::BLANK
    });
    Some(node)
}

/// The level of the first listed system of this identity, if that is this level or around it; else this level.
const fn beside_or(draft: &Draft<'_>, id: u128, level: u32) -> u32 {
    match explicit(draft, draft.first(id)) {
        Some(node) if draft.is_around(draft.node(node).level, level) => draft.node(node).level,
        _ => level,
    }
}

/// The first of the candidates at this level, and how many there are: what is listed, else what has this identity.
const fn at_level(draft: &Draft<'_>, listed: u32, id: u128, level: u32) -> (u32, usize) {
    if listed != NONE {
        return (listed, (draft.node(listed).level == level) as usize);
    }
    let (mut first, mut n_found) = (NONE, 0);
    let mut found = explicit(draft, draft.first(id));
    while let Some(node) = found {
        if draft.node(node).level == level {
            if n_found == 0 {
                first = node;
            }
            n_found += 1;
        }
        found = explicit(draft, draft.next(Item::Node(node)));
    }
    (first, n_found)
}

/// The first from here on that is no loop, and was listed.
const fn explicit(draft: &Draft<'_>, from: Option<Item>) -> Option<u32> {
    let mut found = from;
    while let Some(item) = found {
        if let Item::Node(node) = item {
            let one = draft.node(node);
            if one.is_system() && !one.is_implied {
                return Some(node);
            }
        }
        found = draft.next(item);
    }
    None
}

/// Whether the node can guard this.
const fn check(draft: &mut Draft<'_>, guarded: Item, node: u32, spot: Spot) -> Option<u32> {
    if let Item::Node(guarded) = guarded
        && guarded == node
    {
        draft.fault(
            Kind::GuardsItself,
            spot,
            Item::Node(node),
            Item::Node(guarded),
        );
        return None;
    }
    if draft.node(node).is_loop() {
        draft.fault(Kind::GuardIsLoop, spot, Item::Node(node), guarded);
        return None;
    }
    Some(node)
}
