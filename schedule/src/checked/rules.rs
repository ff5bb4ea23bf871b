//! The policies that were chosen, by number of node and resource.

use super::draft::Draft;
use super::fault::{Fault, Kind};
use super::memory::{List, Memory};
use super::node::{Item, Spot};
use super::uses::Resources;
use crate::listing::{About, Listee};
use crate::policy::{Parts, Policy, Rules};

/// The memory of [`Rules`].
#[derive(Debug)]
pub(super) struct Policies<'a> {
    schedule: Policy,
    resources: &'a mut [Option<Policy>],
    pairs: List<'a, (u32, u32, Policy)>,
}

impl<'a> Policies<'a> {
    pub(super) const fn new(
        draft: &mut Draft<'_>,
        resources: &Resources<'_>,
        memory: &mut Memory<'a>,
    ) -> Self {
        let rules = draft.listing.rules;
        let mut policies = Self {
            schedule: Policy::Reject,
            resources: memory.take_policies(resources.len()),
            pairs: List::new(memory.take_pairs(rules.len())),
        };
        let mut idx = 0;
        while idx < policies.resources.len() {
            policies.resources[idx] = None;
            idx += 1;
        }
        let mut idx = 0;
        while idx < rules.len() {
            let spot = Spot::of_entry((draft.listing.entries.len() + idx) as u32);
            match rules[idx].about {
                About::Schedule(policy) => policies.schedule = policy,
                About::Resource(resource, choice) => {
                    if let Some(number) = resources.find(resource) {
                        let known = &mut policies.resources[number as usize];
                        if let Some(first) = known
                            && *first as u8 != choice.policy as u8
                        {
                            draft.faults.push(two_policies(spot, *first));
                        } else {
                            *known = Some(choice.policy);
                        }
                    }
                }
                About::Pair(one, other, choice) => {
                    let one = find(draft, one, 0, spot);
                    let other = find(draft, other, 1, spot);
                    if let (Some(one), Some(other)) = (one, other) {
                        policies.add_pair(draft, one, other, choice.policy, spot);
                    }
                }
                About::Failure(_) => {}
            }
            idx += 1;
        }
        policies
    }

    pub(super) const fn rules(&self) -> Rules<'_> {
        Rules {
            schedule: self.schedule,
            resources: self.resources,
            pairs: self.pairs.as_slice(),
            parts: Parts::NONE,
        }
    }

    /// Adds the policy of a pair, unless it has one.
    const fn add_pair(
        &mut self,
        draft: &mut Draft<'_>,
        one: u32,
        other: u32,
        policy: Policy,
        spot: Spot,
    ) {
        let (a, b) = if one < other {
            (one, other)
        } else {
            (other, one)
        };
        // Sorted by insertion: where it belongs, the others move on.
        let mut at = self.pairs.len();
        while at > 0 {
            let (c, d, known) = self.pairs.at(at - 1);
            if c == a && d == b {
                if known as u8 != policy as u8 {
                    draft.faults.push(two_policies(spot, known));
                }
                return;
            }
            if c < a || c == a && d < b {
                break;
            }
            at -= 1;
        }
        self.pairs.push((a, b, policy));
        let mut idx = self.pairs.len() - 1;
        while idx > at {
            self.pairs.set(idx, self.pairs.at(idx - 1));
            idx -= 1;
        }
        self.pairs.set(at, (a, b, policy));
    }
}

/// Of a resource or a pair that has this policy already.
const fn two_policies(spot: Spot, known: Policy) -> Fault {
    let blank = Item::Node(0);
    Fault::new(Kind::TwoPolicies, spot, blank, blank).along((known as u32, 0))
}

/// The node that a rule names as its first or as its second; a fault, if there is none, or if there are several.
const fn find(draft: &mut Draft<'_>, listee: Listee, nth: u32, spot: Spot) -> Option<u32> {
    if let Some(entry) = listee.entry {
        return match draft.item(entry) {
            Item::Node(node) => Some(node),
            Item::Group(_) => None,
        };
    }
    let blank = Item::Node(0);
    match draft.first(listee.reference.id) {
        Some(found @ Item::Node(node)) => {
            if draft.next(found).is_none() {
                return Some(node);
            }
            let fault = Fault::new(Kind::Ambiguous, spot, found, blank);
            draft.faults.push(fault.along((nth, 0)));
            None
        }
        _ => {
            let fault = Fault::new(Kind::Dangling, spot, blank, blank);
            draft.faults.push(fault.along((nth, 0)));
            None
        }
    }
}
