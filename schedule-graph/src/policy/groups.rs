//! Policies of pairs of groups.

use super::Policy;

/// A policy for each pair of a node of one set and another node of a second set.
#[derive(Clone, Copy, Debug)]
pub struct GroupRule {
    /// The set with the smaller number. Both sets may be the same.
    pub one: u32,
    /// The other set.
    pub other: u32,
    /// The policy of the pairs.
    pub policy: Policy,
    /// If two rules apply to a pair, that with the smaller rank takes precedence. No two rules have the same rank.
    pub rank: u32,
}

/// Rules for pairs of sets of nodes. A set is a group, or one node that a rule names together with a group.
///
/// The memory of a rule is proportional to the number of nodes in its sets, not to the number of pairs.
#[derive(Clone, Copy, Debug)]
pub struct GroupRules<'a> {
    /// `sets[starts[v]..starts[v + 1]]`: the sets of node v; len = n_nodes + 1, or 0 if there are no rules.
    pub starts: &'a [u32],
    /// The sets of each node, ascending.
    pub sets: &'a [u32],
    /// The rules, sorted by their two sets.
    pub rules: &'a [GroupRule],
}

impl<'a> GroupRules<'a> {
    /// No rules.
    pub const NONE: Self = GroupRules {
        starts: &[],
        sets: &[],
        rules: &[],
    };

    /// Whether there are no rules.
    pub const fn is_empty(self) -> bool {
        self.rules.is_empty()
    }

    /// The rule that applies to a pair of different nodes. O(sets of one × sets of the other × log rules).
    pub const fn of_pair(self, first: u32, second: u32) -> Option<GroupRule> {
        if self.rules.is_empty() || first == second {
            return None;
        }
        let (firsts, seconds) = (self.sets_of(first), self.sets_of(second));
        let mut found: Option<GroupRule> = None;
        let mut i = 0;
        while i < firsts.len() {
            let mut j = 0;
            while j < seconds.len() {
                let mut at = self.start_of(firsts[i], seconds[j]);
                while at < self.rules.len() && self.rules[at].is_of(firsts[i], seconds[j]) {
                    let is_better = match found {
                        None => true,
                        Some(known) => self.rules[at].rank < known.rank,
                    };
                    if is_better {
                        found = Some(self.rules[at]);
                    }
                    at += 1;
                }
                j += 1;
            }
            i += 1;
        }
        found
    }

    /// A pair of nodes to which both rules apply. Excludes `pairs`, the pairs that have a policy themselves, as in
    /// [`Rules`](super::Rules).
    ///
    /// O(nodes × sets of a node), and O(nodes × log pairs) for each pair in `pairs`.
    pub const fn common(
        self,
        rule: GroupRule,
        other: GroupRule,
        pairs: &[(u32, u32, Policy)],
    ) -> Option<(u32, u32)> {
        let straight = self.crossing((rule.one, other.one), (rule.other, other.other), pairs);
        match straight {
            Some(pair) => Some(pair),
            None => self.crossing((rule.one, other.other), (rule.other, other.one), pairs),
        }
    }

    /// A pair of different nodes, of which the first is in both sets of `these`, and the second in both sets of `those`.
    const fn crossing(
        self,
        these: (u32, u32),
        those: (u32, u32),
        pairs: &[(u32, u32, Policy)],
    ) -> Option<(u32, u32)> {
        let Some(first_of_those) = self.next_in_both(0, those) else {
            return None;
        };
        let mut from = 0;
        while let Some(a) = self.next_in_both(from, these) {
            let mut other = Some(first_of_those);
            while let Some(b) = other {
                if a != b && super::find_pair(pairs, a, b).is_none() {
                    return Some((a, b));
                }
                other = self.next_in_both(b + 1, those);
            }
            from = a + 1;
        }
        None
    }

    /// The first node from this one on that is in both sets.
    const fn next_in_both(self, from: u32, sets: (u32, u32)) -> Option<u32> {
        let mut node = from;
        while node as usize + 1 < self.starts.len() {
            if self.is_in(node, sets.0) && self.is_in(node, sets.1) {
                return Some(node);
            }
            node += 1;
        }
        None
    }

    const fn is_in(self, node: u32, set: u32) -> bool {
        let sets = self.sets_of(node);
        let mut idx = 0;
        while idx < sets.len() {
            if sets[idx] == set {
                return true;
            }
            idx += 1;
        }
        false
    }

    /// The sets of a node.
    pub const fn sets_of(self, node: u32) -> &'a [u32] {
        let start = self.starts[node as usize] as usize;
        let end = self.starts[node as usize + 1] as usize;
        self.sets.split_at(end).0.split_at(start).1
    }

    /// The index of the first rule of these two sets, or the index at which it would be inserted. By binary search.
    const fn start_of(self, one: u32, other: u32) -> usize {
        let (a, b) = if one < other {
            (one, other)
        } else {
            (other, one)
        };
        let (mut low, mut high) = (0, self.rules.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let rule = self.rules[middle];
            if rule.one < a || (rule.one == a && rule.other < b) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl GroupRule {
    /// The initial value of memory.
    pub const BLANK: Self = Self {
        one: 0,
        other: 0,
        policy: Policy::Reject,
        rank: 0,
    };

    const fn is_of(self, one: u32, other: u32) -> bool {
        (self.one == one && self.other == other) || (self.one == other && self.other == one)
    }
}
