//! Policies of pairs in which at least one side is a group.

use super::counts::Counts;
use super::draft::Draft;
use super::fault::ListingFault;
use super::memory::CheckMemory;
use super::node::Spot;
use schedule_graph::Policy;
use schedule_graph::internal::{GroupRule, GroupRules, Groups, Item, List, Lowered};

/// Collects rules, and then finds the nodes that each rule covers.
#[derive(Debug)]
pub(super) struct CollectedRules<'a> {
    /// Sorted as in [`GroupRules`].
    rules: List<'a, GroupRule>,
    /// `spots[r]`: the index of the rule of rank r among the rules of the listing.
    spots: List<'a, u32>,
    /// `sets[s]`: the code of the item whose nodes are set s.
    sets: List<'a, u32>,
    starts: &'a mut [u32],
    /// `ends[v]`: the index in `sets_of_nodes` at which the next set of node v is stored.
    ends: &'a mut [u32],
    sets_of_nodes: &'a mut [u32],
    inside: &'a mut [u32],
}

/// The memory of [`CollectedRules`].
#[derive(Debug)]
pub(super) struct CollectedMemory<'a> {
    rules: &'a mut [GroupRule],
    spots: &'a mut [u32],
    sets: &'a mut [u32],
    starts: &'a mut [u32],
    ends: &'a mut [u32],
    sets_of_nodes: &'a mut [u32],
    inside: &'a mut [u32],
}

impl<'a> CollectedMemory<'a> {
    /// `n_nodes`: number of nodes of the graph. Takes almost no memory if no rule names a group.
    pub(super) const fn take(memory: &mut CheckMemory<'a>, n_nodes: usize, counts: Counts) -> Self {
        let (n_rules, n_sides) = (counts.n_group_rules, counts.n_group_sides);
        let (n_nodes, n_items) = match n_rules {
            0 => (0, 0),
            _ => (n_nodes + 1, counts.n_nodes + counts.n_groups),
        };
        Self {
            rules: memory.group_rules.take(n_rules),
            spots: memory.arena.words(n_rules),
            sets: memory.arena.words(2 * n_rules),
            starts: memory.arena.words(n_nodes),
            ends: memory.arena.words(n_nodes),
            sets_of_nodes: memory.arena.words(n_sides * counts.n_nodes + 2 * n_rules),
            inside: memory.arena.words(n_items),
        }
    }
}

impl<'a> CollectedRules<'a> {
    pub(super) const fn new(memory: CollectedMemory<'a>) -> Self {
        Self {
            rules: List::new(memory.rules),
            spots: List::new(memory.spots),
            sets: List::new(memory.sets),
            starts: memory.starts,
            ends: memory.ends,
            sets_of_nodes: memory.sets_of_nodes,
            inside: memory.inside,
        }
    }

    /// Adds a rule. `rule`: its index in the listing.
    pub(super) const fn add(&mut self, one: Item, other: Item, policy: Policy, rule: usize) {
        let (one, other) = (self.set(one), self.set(other));
        let (one, other) = if one < other {
            (one, other)
        } else {
            (other, one)
        };
        let rank = self.spots.len() as u32;
        self.spots.push(rule as u32);
        let added = GroupRule {
            one,
            other,
            policy,
            rank,
        };
        self.rules.push(added);
        // Insertion sort.
        let mut at = self.rules.len() - 1;
        while at > 0 {
            let before = self.rules.at(at - 1);
            if before.one < one || before.one == one && before.other <= other {
                break;
            }
            self.rules.set(at, before);
            at -= 1;
        }
        self.rules.set(at, added);
    }

    /// Returns the number of an item's set.
    const fn set(&mut self, item: Item) -> u32 {
        let code = item.code();
        let mut set = 0;
        while set < self.sets.len() {
            if self.sets.at(set) == code {
                return set as u32;
            }
            set += 1;
        }
        self.sets.push(code);
        set as u32
    }

    /// Finds the nodes of each set. Reports rules of different policies that cover the same pair.
    ///
    /// `pairs`: the policies of pairs of nodes, which take precedence.
    pub(super) const fn resolve(
        &mut self,
        draft: &mut Draft<'_>,
        groups: &Groups<'_>,
        lowered: &Lowered<'_>,
        pairs: &[(u32, u32, Policy)],
    ) {
        if self.rules.is_empty() {
            return;
        }
        let n_nodes = lowered.n_nodes();
        let mut node = 0;
        while node < n_nodes {
            self.ends[node] = 0;
            node += 1;
        }
        self.for_each(groups, lowered, true);
        let mut next = 0;
        let mut node = 0;
        while node < n_nodes {
            self.starts[node] = next;
            next += self.ends[node];
            self.ends[node] = self.starts[node];
            node += 1;
        }
        self.starts[n_nodes] = next;
        self.for_each(groups, lowered, false);
        self.find_contradictions(draft, lowered, pairs);
    }

    /// Counts each set at each of its nodes if `counts`. Otherwise stores it there.
    const fn for_each(&mut self, groups: &Groups<'_>, lowered: &Lowered<'_>, counts: bool) {
        let n_declared = groups.declared().kinds.len();
        let mut set = 0;
        while set < self.sets.len() {
            match Item::of_code(self.sets.at(set)) {
                Item::Node(idx) => self.meet(set, lowered.node_of(idx) as usize, counts),
                Item::Group(group) => {
                    groups.fill_inside(group, self.inside);
                    let mut idx = 0;
                    while idx < n_declared {
                        if self.inside[idx] == 1 {
                            self.meet(set, lowered.node_of(idx as u32) as usize, counts);
                        }
                        idx += 1;
                    }
                }
            }
            set += 1;
        }
    }

    const fn meet(&mut self, set: usize, node: usize, counts: bool) {
        if !counts {
            self.sets_of_nodes[self.ends[node] as usize] = set as u32;
        }
        self.ends[node] += 1;
    }

    const fn find_contradictions(
        &self,
        draft: &mut Draft<'_>,
        lowered: &Lowered<'_>,
        pairs: &[(u32, u32, Policy)],
    ) {
        let rules = self.of_nodes(lowered.n_nodes());
        let mut later = 0;
        while later < rules.rules.len() {
            let mut earlier = 0;
            let mut first: Option<GroupRule> = None;
            while earlier < rules.rules.len() {
                let (one, other) = (rules.rules[earlier], rules.rules[later]);
                if one.rank < other.rank
                    && one.policy as u8 != other.policy as u8
                    && is_earlier(one, first)
                    && rules.common(one, other, pairs).is_some()
                {
                    first = Some(one);
                }
                earlier += 1;
            }
            if let Some(first) = first {
                let rule = self.spots.at(rules.rules[later].rank as usize);
                let spot = Spot::of_entry(draft.listing.entries.len() as u32 + rule);
                draft
                    .faults
                    .push(ListingFault::two_policies(spot, first.policy));
            }
            later += 1;
        }
    }

    /// Returns the rules, for a graph of this number of nodes.
    pub(super) const fn of_nodes(&self, n_nodes: usize) -> GroupRules<'_> {
        if self.rules.is_empty() {
            return GroupRules::NONE;
        }
        GroupRules {
            starts: self.starts.split_at(n_nodes + 1).0,
            sets: self.sets_of_nodes,
            rules: self.rules.as_slice(),
        }
    }
}

/// Returns whether a rule was declared before the earliest known one.
const fn is_earlier(rule: GroupRule, known: Option<GroupRule>) -> bool {
    match known {
        None => true,
        Some(known) => rule.rank < known.rank,
    }
}
