//! The node of each condition in a guard. Conditions that were not declared are added.
//!
//! A guard names a condition, not a node. The search for a node of the condition starts at the level of the guarded item and
//! continues outwards. If no level has such a node, the condition is *implied*: it gets a node at the level of the guarded
//! item. All guards of that level share the node.

mod owned;

pub use self::owned::OwnedConditions;
use super::groups::Groups;
use super::item::{Item, Kind, NONE, Token};
use crate::arena::{Arena, Full, List, fill};

/// A condition that guards name. Two guards that name the same condition use the same index.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// `candidates[first_candidate..end_candidate]` of [`UnresolvedGuards`]: the declared nodes with the name.
    pub first_candidate: u32,
    /// See [`Condition::first_candidate`].
    pub end_candidate: u32,
    /// Whether the condition is added if there is no candidate.
    pub may_be_implied: bool,
    /// The templates `first_template..end_template` are the guards of the condition itself if it is added.
    pub first_template: u32,
    /// See [`Condition::first_template`].
    pub end_template: u32,
}

impl Condition {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        first_candidate: 0,
        end_candidate: 0,
        may_be_implied: false,
        first_template: 0,
        end_template: 0,
    };
}

/// A condition in a guard, with the required answer.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The index of the condition.
    pub condition: u32,
    /// The declared node at whose level the search starts. [`NONE`]: at the level of the guarded item.
    pub level_of: u32,
    /// The required answer.
    pub answer: u32,
    /// The number of answers of the condition.
    pub n_answers: u32,
}

impl Leaf {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        condition: 0,
        level_of: NONE,
        answer: 0,
        n_answers: 0,
    };
}

/// The guards before their conditions are resolved to nodes.
///
/// A template is a guard without the item that it guards: a condition that is added at several levels has the same guards
/// at each.
#[derive(Clone, Copy, Debug)]
pub struct UnresolvedGuards<'a> {
    /// `guards[g]`: the guarded item, and the template; len = n_guards of what was declared.
    pub guards: &'a [(Item, u32)],
    /// `template_starts[t]..template_starts[t + 1]`: the leaves of template t; len = n_templates + 1.
    pub template_starts: &'a [u32],
    /// The leaves of all templates, in the order in which the guards name them.
    pub leaves: &'a [Leaf],
    /// `token_starts[t]..token_starts[t + 1]`: the tokens of template t; len = n_templates + 1.
    pub token_starts: &'a [u32],
    /// The tokens of all templates, each in postfix form.
    pub tokens: &'a [Token],
    /// The conditions that leaves name.
    pub conditions: &'a [Condition],
    /// Indices of declared nodes; see [`Condition::first_candidate`].
    pub candidates: &'a [u32],
}

/// The memory of [`Conditions`].
#[derive(Debug)]
pub struct ConditionsMemory<'a> {
    guarded: &'a mut [u32],
    templates: &'a mut [u32],
    first_leaves: &'a mut [u32],
    is_broken: &'a mut [u32],
    nodes: &'a mut [u32],
    implied: &'a mut [u32],
    levels: &'a mut [u32],
    firsts: &'a mut [u32],
    askers: &'a mut [u32],
    table: &'a mut [u32],
    faults: &'a mut [u32],
}

/// A view of the guards of all nodes and groups, with the nodes of their conditions.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// `guarded[g]`: the code of the item that guard g guards; len = n_guards, those of implied nodes last.
    guarded: &'a [u32],
    /// `templates[g]`: the template of guard g; len = n_guards.
    templates: &'a [u32],
    /// `first_leaves[g]..first_leaves[g + 1]`: the leaves of guard g in `nodes`; len = n_guards + 1.
    first_leaves: &'a [u32],
    /// `is_broken[g]`: 1 if guard g has a fault and is ignored; len = n_guards.
    is_broken: &'a [u32],
    /// The declared node that each leaf asks, or [`NONE`].
    nodes: &'a [u32],
    /// `implied[k]`: the condition of implied node k. Its index as a declared node is n_declared + k.
    implied: &'a [u32],
    /// `levels[k]`: the loop that implied node k is directly in, or [`NONE`].
    levels: &'a [u32],
    /// `firsts[k]`: the declared node before which implied node k is numbered, the first that it guards, or [`NONE`].
    firsts: &'a [u32],
    /// `askers[k]`: the first leaf that asks implied node k, in `nodes`.
    askers: &'a [u32],
    /// Four numbers for each fault: guard, leaf, kind and node.
    faults: &'a [u32],
}

/// The state of the search for conditions.
struct ConditionResolver<'a> {
    guarded: List<'a, u32>,
    templates: List<'a, u32>,
    first_leaves: List<'a, u32>,
    is_broken: List<'a, u32>,
    nodes: List<'a, u32>,
    implied: List<'a, u32>,
    levels: List<'a, u32>,
    firsts: List<'a, u32>,
    askers: List<'a, u32>,
    /// Implied nodes by condition and level: a hash table with open addressing. Its length is a power of two.
    table: &'a mut [u32],
    faults: List<'a, u32>,
    n_declared: u32,
}

/// The fault of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionFault {
    /// Several declared nodes have the name. The first of them.
    Ambiguous(u32),
    /// All nodes of the condition are in loops that do not contain the guarded item. The first of them.
    Deeper(u32),
    /// There is no such node.
    Missing,
    /// A node guards itself.
    Itself(u32),
    /// The condition is a loop.
    Loop(u32),
}

impl<'a> ConditionsMemory<'a> {
    /// Takes memory for these maximum numbers of guards, leaves and implied nodes. Guards and leaves of implied nodes count too.
    pub const fn take(
        arena: &mut Arena<'a>,
        n_guards: usize,
        n_leaves: usize,
        n_implied: usize,
    ) -> Self {
        Self {
            guarded: arena.words(n_guards),
            templates: arena.words(n_guards),
            first_leaves: arena.words(n_guards + 1),
            is_broken: arena.words(n_guards),
            nodes: arena.words(n_leaves),
            implied: arena.words(n_implied),
            levels: arena.words(n_implied),
            firsts: arena.words(n_implied),
            askers: arena.words(n_implied),
            table: arena.words((2 * n_implied + 1).next_power_of_two()),
            faults: arena.words(4 * n_leaves),
        }
    }
}

impl<'a> Conditions<'a> {
    /// Finds the node of each leaf. `groups`: the groups of the declared nodes.
    ///
    /// Cost: O(leaves × (levels + candidates)).
    ///
    /// # Errors
    ///
    /// If there is too little memory.
    pub const fn find(
        unresolved: UnresolvedGuards<'_>,
        groups: &Groups<'_>,
        memory: ConditionsMemory<'a>,
    ) -> Result<Self, Full> {
        let mut conditions = ConditionResolver {
            guarded: List::new(memory.guarded),
            templates: List::new(memory.templates),
            first_leaves: List::new(memory.first_leaves),
            is_broken: List::new(memory.is_broken),
            nodes: List::new(memory.nodes),
            implied: List::new(memory.implied),
            levels: List::new(memory.levels),
            firsts: List::new(memory.firsts),
            askers: List::new(memory.askers),
            table: memory.table,
            faults: List::new(memory.faults),
            n_declared: groups.declared.kinds.len() as u32,
        };
        fill(conditions.table, NONE);
        let mut idx = 0;
        while idx < unresolved.guards.len() {
            let (item, template) = unresolved.guards[idx];
            if !conditions.add_guard(item, template) {
                return Err(Full);
            }
            idx += 1;
        }
        conditions.first_leaves.push(0);
        // Guards of implied nodes are added in this loop.
        let mut guard = 0;
        while guard < conditions.guarded.len() {
            if !conditions.resolve(unresolved, groups, guard) {
                return Err(Full);
            }
            guard += 1;
        }
        Ok(Self {
            guarded: conditions.guarded.into_slice(),
            templates: conditions.templates.into_slice(),
            first_leaves: conditions.first_leaves.into_slice(),
            is_broken: conditions.is_broken.into_slice(),
            nodes: conditions.nodes.into_slice(),
            implied: conditions.implied.into_slice(),
            levels: conditions.levels.into_slice(),
            firsts: conditions.firsts.into_slice(),
            askers: conditions.askers.into_slice(),
            faults: conditions.faults.into_slice(),
        })
    }

    /// The number of guards, those of implied nodes included.
    pub const fn n_guards(&self) -> usize {
        self.guarded.len()
    }

    /// The item that a guard guards.
    pub const fn guarded(&self, guard: usize) -> Item {
        Item::of_code(self.guarded[guard])
    }

    /// The template of a guard.
    pub const fn template(&self, guard: usize) -> u32 {
        self.templates[guard]
    }

    /// Whether a leaf of a guard has no node. Such a guard is ignored.
    pub const fn is_broken(&self, guard: usize) -> bool {
        self.is_broken[guard] == 1
    }

    /// The first leaf of a guard.
    pub const fn first_leaf(&self, guard: usize) -> usize {
        self.first_leaves[guard] as usize
    }

    /// One past the last leaf of a guard.
    pub const fn end_leaf(&self, guard: usize) -> usize {
        self.first_leaves[guard + 1] as usize
    }

    /// The number of leaves of all guards.
    pub const fn n_leaves(&self) -> usize {
        self.nodes.len()
    }

    /// The declared node that a leaf asks, or [`NONE`].
    pub const fn node(&self, leaf: usize) -> u32 {
        self.nodes[leaf]
    }

    /// The guard of a leaf, by binary search.
    pub const fn guard_of(&self, leaf: usize) -> usize {
        let (mut low, mut high) = (0, self.n_guards());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.first_leaf(middle) <= leaf {
                low = middle;
            } else {
                high = middle;
            }
        }
        // Guards without leaves precede the guard of the leaf.
        while self.end_leaf(low) <= leaf {
            low += 1;
        }
        low
    }

    /// The number of implied nodes. Their indices follow those of all other declared nodes.
    pub const fn n_implied(&self) -> usize {
        self.implied.len()
    }

    /// The condition of an implied node.
    pub const fn implied(&self, nth: usize) -> u32 {
        self.implied[nth]
    }

    /// The loop that an implied node is directly in, or [`NONE`].
    pub const fn level_of_implied(&self, nth: usize) -> u32 {
        self.levels[nth]
    }

    /// The declared node before which an implied node is numbered, or [`NONE`].
    pub const fn first_guarded(&self, nth: usize) -> u32 {
        self.firsts[nth]
    }

    /// The first leaf that asks an implied node.
    pub const fn asker(&self, nth: usize) -> usize {
        self.askers[nth] as usize
    }

    /// The number of faults.
    pub const fn n_faults(&self) -> usize {
        self.faults.len() / 4
    }

    /// A fault: the guard, the number of the wrong leaf, and the kind of the fault.
    pub const fn fault(&self, nth: usize) -> (usize, usize, ConditionFault) {
        let guard = self.faults[4 * nth] as usize;
        let leaf = self.faults[4 * nth + 1] as usize;
        let node = self.faults[4 * nth + 3];
        let fault = match self.faults[4 * nth + 2] {
            0 => ConditionFault::Ambiguous(node),
            1 => ConditionFault::Deeper(node),
            2 => ConditionFault::Missing,
            3 => ConditionFault::Itself(node),
            _ => ConditionFault::Loop(node),
        };
        (guard, leaf, fault)
    }
}

impl ConditionResolver<'_> {
    const fn guarded(&self, guard: usize) -> Item {
        Item::of_code(self.guarded.at(guard))
    }

    /// Adds a guard. Returns whether there was room for it.
    const fn add_guard(&mut self, guarded: Item, template: u32) -> bool {
        if self.guarded.is_full() {
            return false;
        }
        self.guarded.push(guarded.code());
        self.templates.push(template);
        true
    }

    /// Finds the node of each leaf of a guard. Returns whether there was room for it.
    const fn resolve(
        &mut self,
        unresolved: UnresolvedGuards<'_>,
        groups: &Groups<'_>,
        guard: usize,
    ) -> bool {
        let template = self.templates.at(guard) as usize;
        let first = unresolved.template_starts[template] as usize;
        let end = unresolved.template_starts[template + 1] as usize;
        let mut is_whole = true;
        let mut leaf = first;
        while leaf < end {
            if self.nodes.is_full() {
                return false;
            }
            let node = match self.find_node(unresolved, groups, guard, unresolved.leaves[leaf]) {
                Ok(node) => node,
                Err(None) => return false,
                Err(Some(fault)) => {
                    is_whole = false;
                    self.push_fault(guard, leaf - first, fault);
                    NONE
                }
            };
            self.nodes.push(node);
            leaf += 1;
        }
        self.first_leaves.push(self.nodes.len() as u32);
        self.is_broken.push(!is_whole as u32);
        true
    }

    const fn push_fault(&mut self, guard: usize, leaf: usize, fault: ConditionFault) {
        let (kind, node) = match fault {
            ConditionFault::Ambiguous(node) => (0, node),
            ConditionFault::Deeper(node) => (1, node),
            ConditionFault::Missing => (2, NONE),
            ConditionFault::Itself(node) => (3, node),
            ConditionFault::Loop(node) => (4, node),
        };
        self.faults.push(guard as u32);
        self.faults.push(leaf as u32);
        self.faults.push(kind);
        self.faults.push(node);
    }

    /// The node that a leaf asks. An error without a fault means that there was no room to add the node.
    const fn find_node(
        &mut self,
        unresolved: UnresolvedGuards<'_>,
        groups: &Groups<'_>,
        guard: usize,
        leaf: Leaf,
    ) -> Result<u32, Option<ConditionFault>> {
        let guarded = self.guarded(guard);
        let condition = unresolved.conditions[leaf.condition as usize];
        let inner = self.level_of(groups, guarded);
        let inner = self.level_or(groups, leaf.level_of, inner);
        // From the innermost level outwards.
        let mut level = inner;
        loop {
            let (mut found, mut n_found) = (NONE, 0);
            let mut idx = condition.first_candidate;
            while idx < condition.end_candidate {
                let candidate = unresolved.candidates[idx as usize];
                if groups.declared.levels[candidate as usize] == level {
                    if n_found == 0 {
                        found = candidate;
                    }
                    n_found += 1;
                }
                idx += 1;
            }
            if n_found > 1 {
                return Err(Some(ConditionFault::Ambiguous(found)));
            }
            if n_found == 1 {
                return match check(groups, guarded, found) {
                    None => Ok(found),
                    fault => Err(fault),
                };
            }
            if level == NONE {
                break;
            }
            level = groups.declared.levels[level as usize];
        }
        if condition.first_candidate < condition.end_candidate {
            let deeper = unresolved.candidates[condition.first_candidate as usize];
            return Err(Some(ConditionFault::Deeper(deeper)));
        }
        if !condition.may_be_implied {
            return Err(Some(ConditionFault::Missing));
        }
        let first = match guarded {
            Item::Node(node) => node,
            Item::Group(group) => match groups.first(group) {
                Some(first) => first,
                None => NONE,
            },
        };
        let slot = self.slot(leaf.condition, inner);
        if self.table[slot] != NONE {
            let known = self.table[slot];
            let node = self.n_declared + known;
            if guarded.is(Item::Node(node)) {
                return Err(Some(ConditionFault::Itself(node)));
            }
            self.stand_before(known as usize, first);
            return Ok(node);
        }
        if self.implied.is_full() {
            return Err(None);
        }
        let nth = self.implied.len();
        let node = self.n_declared + nth as u32;
        self.table[slot] = nth as u32;
        self.implied.push(leaf.condition);
        self.levels.push(inner);
        self.firsts.push(first);
        self.askers.push(self.nodes.len() as u32);
        let mut template = condition.first_template;
        while template < condition.end_template {
            if !self.add_guard(Item::Node(node), template) {
                return Err(None);
            }
            template += 1;
        }
        Ok(node)
    }

    /// The loop that an item is directly in, or [`NONE`]; it may be an implied node.
    const fn level_of(&self, groups: &Groups<'_>, item: Item) -> u32 {
        match item {
            Item::Node(node) if node >= self.n_declared => {
                self.levels.at((node - self.n_declared) as usize)
            }
            item => groups.level(item),
        }
    }

    /// The level of a declared node if it is this level or contains it. Otherwise this level.
    const fn level_or(&self, groups: &Groups<'_>, level_of: u32, inner: u32) -> u32 {
        if level_of == NONE {
            return inner;
        }
        let wanted = groups.declared.levels[level_of as usize];
        let mut level = inner;
        loop {
            if level == wanted {
                return wanted;
            }
            if level == NONE {
                return inner;
            }
            level = groups.declared.levels[level as usize];
        }
    }

    /// Numbers an implied node before `first` if that precedes the nodes that it is known to guard.
    const fn stand_before(&mut self, nth: usize, first: u32) {
        let known = self.firsts.at(nth);
        if first == NONE {
            return;
        }
        if known == NONE || self.root(first) < self.root(known) {
            self.firsts.set(nth, first);
        }
    }

    /// The declared node for which an implied node was added. For implied nodes that guard each other, an arbitrary one.
    const fn root(&self, node: u32) -> u32 {
        let mut root = node;
        let mut n_steps = 0;
        while root >= self.n_declared && n_steps <= self.implied.len() {
            let next = self.firsts.at((root - self.n_declared) as usize);
            if next == NONE {
                break;
            }
            root = next;
            n_steps += 1;
        }
        root
    }

    /// The slot of an implied node in the table, or the free slot for it.
    const fn slot(&self, condition: u32, level: u32) -> usize {
        let mask = self.table.len() - 1;
        let hash = (condition as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (level as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mut slot = (hash ^ (hash >> 32)) as usize & mask;
        loop {
            match self.table[slot] {
                NONE => return slot,
                nth => {
                    let nth = nth as usize;
                    if self.implied.at(nth) == condition && self.levels.at(nth) == level {
                        return slot;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// The reason why a declared node cannot guard an item, if there is one.
const fn check(groups: &Groups<'_>, guarded: Item, node: u32) -> Option<ConditionFault> {
    if guarded.is(Item::Node(node)) {
        return Some(ConditionFault::Itself(node));
    }
    if matches!(groups.declared.kinds[node as usize], Kind::Loop) {
        return Some(ConditionFault::Loop(node));
    }
    None
}
