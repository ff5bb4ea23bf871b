//! The declared policies, with nodes and resources as numbers.

use super::counts::Counts;
use super::draft::Draft;
use super::fault::{ListingFault, ListingFaultKind};
use super::group_rules::{CollectedMemory, CollectedRules};
use super::memory::CheckMemory;
use super::node::Spot;
use super::uses::ListedResources;
use crate::declare::listing::{About, RuleTarget};
use schedule_graph::Policy;
use schedule_graph::internal::{Groups, Item, List, Lowered, NodeKind, Plugins, Rules};

/// The memory of [`Rules`].
#[derive(Debug)]
pub(super) struct ListedPolicies<'a> {
    schedule: Policy,
    resources: &'a mut [Option<Policy>],
    /// The policies of plugins, as in [`Plugins`]. Those of the schedule come first.
    of_nodes: &'a mut [u32],
    around: &'a mut [u32],
    schedules: &'a mut [Option<Policy>],
    pairs: List<'a, (u32, u32, Policy)>,
    groups: CollectedRules<'a>,
    n_nodes: usize,
}

/// The memory of [`ListedPolicies`].
#[derive(Debug)]
pub(super) struct PoliciesMemory<'a> {
    resources: &'a mut [Option<Policy>],
    of_nodes: &'a mut [u32],
    around: &'a mut [u32],
    schedules: &'a mut [Option<Policy>],
    pairs: &'a mut [(u32, u32, Policy)],
    groups: CollectedMemory<'a>,
}

impl<'a> PoliciesMemory<'a> {
    /// `n_nodes`: number of nodes of the graph.
    pub(super) const fn take(
        memory: &mut CheckMemory<'a>,
        n_nodes: usize,
        n_rules: usize,
        counts: Counts,
    ) -> Self {
        let n_plugins = counts.n_plugins;
        let has_plugins = n_plugins > 0;
        Self {
            resources: memory
                .policies
                .take((n_plugins + 1) * (counts.n_resources + 2)),
            of_nodes: memory.arena.words(if has_plugins { n_nodes } else { 0 }),
            around: memory
                .arena
                .words(if has_plugins { n_plugins + 1 } else { 0 }),
            schedules: memory.policies.take(n_plugins + 1),
            pairs: memory.pairs.take(n_rules),
            groups: CollectedMemory::take(memory, n_nodes, counts),
        }
    }
}

impl<'a> ListedPolicies<'a> {
    pub(super) const fn new(
        draft: &mut Draft<'_>,
        groups: &Groups<'_>,
        lowered: &Lowered<'_>,
        resources: &ListedResources<'_>,
        memory: PoliciesMemory<'a>,
    ) -> Self {
        let rules = draft.listing.rules;
        let n_plugins = draft.listing.plugins.len();
        let has_plugins = n_plugins > 0;
        let n_policies = (n_plugins + 1) * resources.len();
        let n_nodes = if has_plugins { lowered.n_nodes() } else { 0 };
        let mut policies = Self {
            schedule: Policy::Reject,
            resources: memory.resources.split_at_mut(n_policies).0,
            of_nodes: memory.of_nodes.split_at_mut(n_nodes).0,
            around: memory.around,
            schedules: memory.schedules,
            pairs: List::new(memory.pairs),
            groups: CollectedRules::new(memory.groups),
            n_nodes: lowered.n_nodes(),
        };
        clear(policies.resources);
        clear(policies.schedules);
        if has_plugins {
            policies.place(draft, lowered);
        }
        if let Some(policy) = draft.listing.settings.policy {
            policies.schedule = policy;
        }
        let mut idx = 0;
        while idx < n_plugins {
            policies.schedules[idx + 1] = draft.listing.plugins[idx].settings.policy;
            idx += 1;
        }
        let mut idx = 0;
        while idx < rules.len() {
            let spot = Spot::of_entry((draft.listing.entries.len() + idx) as u32);
            match rules[idx].about {
                About::Resource(resource, choice) => {
                    if let Some(number) = resources.find(resource) {
                        let of_plugin = rules[idx].plugin as usize * resources.len();
                        let known = &mut policies.resources[of_plugin + number as usize];
                        if let Some(first) = known
                            && *first as u8 != choice.policy as u8
                        {
                            draft.faults.push(ListingFault::two_policies(spot, *first));
                        } else {
                            *known = Some(choice.policy);
                        }
                    }
                }
                About::Pair(one, other, choice) => {
                    let one = find(draft, one, 0, spot, rules[idx].base);
                    let other = find(draft, other, 1, spot, rules[idx].base);
                    match (one, other) {
                        (None, _) | (_, None) => {}
                        (Some(Item::Node(one)), Some(Item::Node(other))) => {
                            let (one, other) = (lowered.node_of(one), lowered.node_of(other));
                            policies.add_pair(draft, one, other, choice.policy, spot);
                        }
                        (Some(one), Some(other)) => {
                            policies.groups.add(one, other, choice.policy, idx);
                        }
                    }
                }
            }
            idx += 1;
        }
        let pairs = policies.pairs.as_slice();
        policies.groups.resolve(draft, groups, lowered, pairs);
        policies
    }

    pub(super) const fn rules(&self) -> Rules<'_> {
        if self.around.is_empty() {
            return Rules {
                schedule: self.schedule,
                resources: self.resources,
                pairs: self.pairs.as_slice(),
                groups: self.groups.of_nodes(self.n_nodes),
                plugins: Plugins::NONE,
            };
        }
        let n_resources = self.resources.len() / self.around.len();
        Rules {
            schedule: self.schedule,
            resources: self.resources.split_at(n_resources).0,
            pairs: self.pairs.as_slice(),
            groups: self.groups.of_nodes(self.n_nodes),
            plugins: Plugins {
                of_nodes: self.of_nodes,
                around: self.around,
                schedules: self.schedules,
                resources: self.resources,
            },
        }
    }

    /// Sets the plugin of each node and each plugin. Ends of loops and groups access no resources, so their plugin does not matter.
    const fn place(&mut self, draft: &Draft<'_>, lowered: &Lowered<'_>) {
        let mut node = 0;
        while node < self.of_nodes.len() {
            self.of_nodes[node] = match lowered.kind(node as u32) {
                NodeKind::Declared(idx) => draft.node(idx).plugin,
                _ => 0,
            };
            node += 1;
        }
        self.around[0] = 0;
        let mut plugin = 0;
        while plugin < draft.listing.plugins.len() {
            self.around[plugin + 1] = draft.listing.plugins[plugin].around;
            plugin += 1;
        }
    }

    /// Adds the policy of a pair, unless the pair already has one.
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
        // Insertion sort.
        let mut at = self.pairs.len();
        while at > 0 {
            let (c, d, known) = self.pairs.at(at - 1);
            if c == a && d == b {
                if known as u8 != policy as u8 {
                    draft.faults.push(ListingFault::two_policies(spot, known));
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

const fn clear(policies: &mut [Option<Policy>]) {
    let n_policies = policies.len();
    let mut idx = 0;
    while idx < n_policies {
        policies[idx] = None;
        idx += 1;
    }
}

/// Finds the node or group that side `nth` of a rule names. Reports a fault if the name has no match or several matches.
const fn find(
    draft: &mut Draft<'_>,
    listee: RuleTarget,
    nth: u32,
    spot: Spot,
    base: u32,
) -> Option<Item> {
    if let Some(number) = listee.entry {
        return Some(draft.item(draft.listing.number(base, number)));
    }
    let blank = Item::Node(0);
    match draft.first(listee.reference.id) {
        Some(found) => {
            if draft.next(found).is_none() {
                return Some(found);
            }
            let fault = ListingFault::new(ListingFaultKind::Ambiguous, spot, found, blank);
            draft.faults.push(fault.along((nth, 0)));
            None
        }
        None => {
            let fault = ListingFault::new(ListingFaultKind::Dangling, spot, blank, blank);
            draft.faults.push(fault.along((nth, 0)));
            None
        }
    }
}
