//! Failure policies of groups: a system that is in several has one.

use super::counts::Counts;
use super::draft::Draft;
use super::fault::{ListingFault, ListingFaultKind};
use super::memory::CheckMemory;
use super::node::Spot;
use crate::failure::FailurePolicy;
use crate::listing::Clause;
use schedule_graph::internal::{Groups, Item};

/// In place of a policy: none is known.
const NONE: u32 = 0;

/// In place of a policy: the node has one of its own, which counts more.
const OWN: u32 = u32::MAX;

/// The memory of [`report_group_failures`].
#[derive(Debug)]
pub(super) struct GroupFailuresMemory<'a> {
    /// `known[i]`: the policy of declared node i, plus 1.
    known: &'a mut [u32],
    inside: &'a mut [u32],
}

impl<'a> GroupFailuresMemory<'a> {
    /// Nothing, if no group has a failure policy.
    pub(super) const fn take(memory: &mut CheckMemory<'a>, counts: Counts) -> Self {
        let (n_nodes, n_items) = match counts.n_group_failures {
            0 => (0, 0),
            _ => (counts.n_nodes, counts.n_nodes + counts.n_groups),
        };
        Self {
            known: memory.arena.words(n_nodes),
            inside: memory.arena.words(n_items),
        }
    }
}

/// Reports each group of which a system has another failure policy by an earlier group.
pub(super) const fn report_group_failures(
    draft: &mut Draft<'_>,
    groups: &Groups<'_>,
    memory: GroupFailuresMemory<'_>,
) {
    let GroupFailuresMemory { known, inside } = memory;
    if known.is_empty() {
        return;
    }
    let mut node = 0;
    while node < known.len() {
        known[node] = NONE;
        node += 1;
    }
    let mut entry = 0;
    while entry < draft.listing.entries.len() {
        if let Item::Node(node) = draft.item(entry as u32)
            && policy_of(draft, entry).is_some()
        {
            known[node as usize] = OWN;
        }
        entry += 1;
    }
    let mut entry = 0;
    while entry < draft.listing.entries.len() {
        if let Item::Group(group) = draft.item(entry as u32)
            && let Some(policy) = policy_of(draft, entry)
        {
            groups.fill_inside(group, inside);
            // The clause names nothing, so the group is underlined.
            let spot = Spot::of_entry(entry as u32);
            meet(draft, known, inside, policy as u32 + 1, spot);
        }
        entry += 1;
    }
}

/// Notes the policy of the nodes in a group, and reports the first that has another one.
const fn meet(draft: &mut Draft<'_>, known: &mut [u32], inside: &[u32], policy: u32, spot: Spot) {
    let mut is_reported = false;
    let mut node = 0;
    while node < draft.nodes.len() {
        let is_of_group = inside[node] == 1 && known[node] != OWN;
        if is_of_group && known[node] == NONE {
            known[node] = policy;
        } else if is_of_group && known[node] != policy && !is_reported {
            is_reported = true;
            let item = Item::Node(node as u32);
            let fault = ListingFault::new(ListingFaultKind::TwoPolicies, spot, item, item);
            draft
                .faults
                .push(fault.along((known[node] - 1, policy - 1)));
        }
        node += 1;
    }
}

/// The failure policy of an entry.
const fn policy_of(draft: &Draft<'_>, entry: usize) -> Option<FailurePolicy> {
    let clauses = draft.listing.entries[entry].clauses;
    let mut idx = 0;
    while idx < clauses.len() {
        if let Clause::OnFailure(policy) = clauses[idx] {
            return Some(policy);
        }
        idx += 1;
    }
    None
}
