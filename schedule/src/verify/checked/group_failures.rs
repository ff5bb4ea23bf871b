//! Verifies the failure policies of groups. A system in several groups must get the same policy from all of them.

use super::counts::Counts;
use super::draft::Draft;
use super::fault::{ListingFault, ListingFaultKind};
use super::memory::CheckMemory;
use super::node::Spot;
use crate::data::failure_policy::FailurePolicy;
use crate::declare::listing::Clause;
use schedule_graph::internal::{Groups, Item};

/// Marks a node without a known policy.
const NONE: u32 = 0;

/// Marks a node with a clause for its failure policy, which takes precedence over those of groups.
const OWN: u32 = u32::MAX;

/// The memory of [`report_group_failures`].
#[derive(Debug)]
pub(super) struct GroupFailuresMemory<'a> {
    /// `known[i]`: 1 plus the policy of declared node i, or one of the marks above.
    known: &'a mut [u32],
    inside: &'a mut [u32],
}

impl<'a> GroupFailuresMemory<'a> {
    /// Takes no memory if no group has a failure policy.
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

/// Reports each group that gives a system another failure policy than an earlier group.
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
            // A failure policy contains no name to underline, so the fault is reported at the group.
            let spot = Spot::of_entry(entry as u32);
            meet(draft, known, inside, policy as u32 + 1, spot);
        }
        entry += 1;
    }
}

/// Stores the policy of the nodes in a group. Reports the first node that already has another policy.
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

/// Returns the failure policy of an entry.
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
