//! Converts a listing to a graph, and reports faults at the token to change.
//!
//! This module replaces identities by numbers. The rules are const functions of `schedule-graph`, which the builder also uses.

mod judging;

use schedule_graph::Edge;
use schedule_graph::internal::{
    ConditionFault, Conditions, ConditionsMemory, Declared, EdgeOrigin, Groups, GroupsMemory, Item,
    Kind as NumberKind, List, Lowered, LoweredMemory, Member, Order, OrderFault, PhasesExtent,
    PhasesMemory, Strength, VerifyInput,
};

use self::judging::{OrderReporter, PairsMemory};
use super::counts::Counts;
use super::draft::{Draft, DraftMemory};
use super::fault::{ListingFault, ListingFaultKind};
use super::group_failures::{GroupFailuresMemory, report_group_failures};
use super::memory::CheckMemory;
use super::named::{NamedConditions, NamedConditionsMemory};
use super::node::{DraftNode, NONE, NodeKind as Listed, Spot};
use super::races::{Races, RacesMemory};
use super::rules::{ListedPolicies, PoliciesMemory};
use super::uses::{ListedResources, ResourcesMemory};
use crate::data::order::{Direction, Strength as Strengths};
use crate::declare::listing::Listing;

/// Cycles have no node in common. The other steps are for the writers of messages, of several readers.
const STEPS_PER_NODE: usize = 2;

/// All memory that a listing needs.
#[derive(Debug)]
pub(super) struct Memories<'a> {
    draft: DraftMemory<'a>,
    numbers: NumbersMemory<'a>,
    listed_groups: GroupsMemory<'a>,
    named: NamedConditionsMemory<'a>,
    conditions: ConditionsMemory<'a>,
    groups: GroupsMemory<'a>,
    orders: &'a mut [Order],
    order_of: &'a mut [u32],
    lowered: LoweredMemory<'a>,
    resources: ResourcesMemory<'a>,
    group_failures: GroupFailuresMemory<'a>,
    policies: PoliciesMemory<'a>,
    phases: PhasesMemory<'a>,
    first: &'a mut [Edge],
    message_pairs: &'a mut [Edge],
    races: RacesMemory<'a>,
    step_edges: &'a mut [Edge],
    step_origins: &'a mut [u32],
}

impl<'a> Memories<'a> {
    /// Takes the memory for a listing with these counts.
    pub(super) const fn take(
        memory: &mut CheckMemory<'a>,
        listing: &Listing,
        counts: Counts,
    ) -> Self {
        let Counts {
            n_nodes,
            n_groups,
            n_members,
            n_guards,
            n_leaves,
            n_implied,
            ..
        } = counts;
        let extent = counts.lowered();
        let phases = counts.phases();
        let has_roles = counts.n_sync_points > 0 && n_implied > 0;
        Self {
            draft: DraftMemory::take(memory, listing.entries.len(), counts),
            numbers: NumbersMemory::take(memory, counts),
            listed_groups: GroupsMemory::take(&mut memory.arena, n_nodes, n_groups, n_members),
            named: NamedConditionsMemory::take(memory, counts),
            conditions: ConditionsMemory::take(&mut memory.arena, n_guards, n_leaves, n_implied),
            groups: GroupsMemory::take(&mut memory.arena, n_nodes, n_groups, n_members),
            orders: memory.orders.take(counts.n_orders),
            order_of: memory.arena.words(counts.n_orders),
            lowered: LoweredMemory::take(&mut memory.arena, extent),
            resources: ResourcesMemory::take(memory, extent.n_nodes(), counts),
            group_failures: GroupFailuresMemory::take(memory, counts),
            policies: PoliciesMemory::take(memory, extent.n_nodes(), listing.rules.len(), counts),
            phases: PhasesMemory::take(&mut memory.arena, phases, has_roles),
            first: memory.arena.edges(phases.n_pairs),
            message_pairs: memory.arena.edges(if counts.has_messages {
                phases.n_pairs
            } else {
                0
            }),
            races: RacesMemory::take(&mut memory.arena, phases.n_resources, listing.plugins.len()),
            step_edges: memory.arena.edges(STEPS_PER_NODE * phases.n_nodes),
            step_origins: memory.arena.words(STEPS_PER_NODE * phases.n_nodes),
        }
    }
}

impl Counts {
    const fn phases(self) -> PhasesExtent {
        let extent = self.lowered();
        PhasesExtent {
            n_nodes: extent.n_nodes(),
            n_declared: extent.n_edges(),
            n_weak: extent.n_weak(),
            n_pairs: if self.has_pair_edges {
                self.n_nodes * self.n_nodes
            } else {
                0
            },
            n_resources: self.n_resources + 2,
            n_filtered: self.n_filtered,
            n_blocks: usize::MAX,
            has_folds: self.has_folds,
        }
    }
}

/// A fully verified listing.
pub(super) struct Checked<'a> {
    pub(super) draft: Draft<'a>,
    pub(super) conditions: Conditions<'a>,
    pub(super) lowered: Lowered<'a>,
    pub(super) resources: ListedResources<'a>,
    pub(super) steps: Steps<'a>,
    pub(super) races: Races<'a>,
}

/// The steps of all cycles: the edge of each step, and its origin.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    edges: List<'a, Edge>,
    origins: List<'a, u32>,
}

/// The origin of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepCause {
    /// A declared edge. Orders are numbered as in the draft.
    Edge(EdgeOrigin),
    /// An edge of the policy `WritersFirst`, on this resource.
    WritersFirst(u32),
}

impl StepCause {
    const WRITERS_FIRST: u32 = 1 << 31;

    const fn code(self) -> u32 {
        match self {
            Self::Edge(origin) => origin.code(),
            Self::WritersFirst(resource) => resource | Self::WRITERS_FIRST,
        }
    }

    const fn of_code(code: u32) -> Self {
        if code & Self::WRITERS_FIRST == 0 {
            Self::Edge(EdgeOrigin::of_code(code))
        } else {
            Self::WritersFirst(code & !Self::WRITERS_FIRST)
        }
    }
}

impl Steps<'_> {
    pub(super) const fn edge(&self, step: usize) -> Edge {
        self.edges.at(step)
    }

    pub(super) const fn origin(&self, step: usize) -> StepCause {
        StepCause::of_code(self.origins.at(step))
    }
}

impl Checked<'_> {
    /// Returns the graph node of a listed node or an implied condition.
    pub(super) const fn node(&self, idx: u32) -> u32 {
        self.lowered.node_of(idx)
    }

    /// Returns the item that a graph node represents, or whose begin or end it is.
    pub(super) const fn item(&self, node: u32) -> Item {
        self.lowered.kind(node).item()
    }
}

/// Verifies a listing.
pub(super) const fn verify_entries<'a>(listing: &'a Listing, memory: Memories<'a>) -> Checked<'a> {
    let mut draft = Draft::new(listing, memory.draft);
    let mut numbers = NumberedItems::of(&draft, memory.numbers);
    let named = NamedConditions::of(&draft, memory.named);
    let unresolved = named.unresolved();
    let listed = Groups::new(numbers.declared(), memory.listed_groups);
    let Ok(conditions) = Conditions::find(unresolved, &listed, memory.conditions) else {
        panic!("there is memory for all conditions");
    };
    add_implied(&mut draft, &named, conditions);
    report_conditions(&mut draft, conditions);
    numbers.fill(&draft);
    let groups = Groups::new(numbers.into_declared(), memory.groups);
    report_groups(&mut draft, &groups);
    let mut orders = List::new(memory.orders);
    let mut order_of = List::new(memory.order_of);
    let n_orders = draft.orders.len();
    let mut idx = 0;
    while idx < n_orders {
        if let Some(order) = resolve(&mut draft, idx) {
            orders.push(order);
            order_of.push(idx as u32);
        }
        idx += 1;
    }
    let lowered = Lowered::new(
        &groups,
        unresolved,
        conditions,
        orders.as_slice(),
        memory.lowered,
    );
    let Ok(lowered) = lowered else {
        panic!("there is memory for all edges");
    };
    report_orders(&mut draft, &lowered, &order_of);
    let resources = ListedResources::new(&draft, &lowered, memory.resources);
    report_group_failures(&mut draft, &groups, memory.group_failures);
    let policies = ListedPolicies::new(&mut draft, &groups, &lowered, &resources, memory.policies);
    let input = VerifyInput {
        uses: resources.uses(),
        n_planned: lowered.n_planned(),
        n_resources: resources.len(),
        declared: lowered.edges(),
        weak: lowered.weak(),
        is_weak_order: &[],
        is_messages: &[],
        rules: policies.rules(),
        levels: lowered.levels(),
        needs: lowered.needs(),
        roles: lowered.roles(),
        costs: &[],
        pinned: &[],
        commands: &[],
        is_idle: &[],
        previous: None,
    };
    let mut judging = OrderReporter {
        draft: &mut draft,
        conditions,
        lowered: &lowered,
        order_of: &order_of,
        steps: Steps {
            edges: List::new(memory.step_edges),
            origins: List::new(memory.step_origins),
        },
        races: Races::new(memory.races),
    };
    let messages = resources.message_uses(&lowered);
    let pairs = PairsMemory {
        writers_first: memory.first,
        of_messages: memory.message_pairs,
    };
    judging.judge(input, messages, memory.phases, pairs);
    let OrderReporter { steps, races, .. } = judging;
    Checked {
        draft,
        conditions,
        lowered,
        resources,
        steps,
        races,
    }
}

/// The memory of [`NumberedItems`].
#[derive(Debug)]
struct NumbersMemory<'a> {
    kinds: &'a mut [NumberKind],
    levels: &'a mut [u32],
    group_levels: &'a mut [u32],
    members: &'a mut [Member],
}

impl<'a> NumbersMemory<'a> {
    const fn take(memory: &mut CheckMemory<'a>, counts: Counts) -> Self {
        Self {
            kinds: memory.kinds.take(counts.n_nodes),
            levels: memory.arena.words(counts.n_nodes),
            group_levels: memory.arena.words(counts.n_groups),
            members: memory.members.take(counts.n_members),
        }
    }
}

/// Nodes, groups and members as numbers.
struct NumberedItems<'a> {
    kinds: List<'a, NumberKind>,
    levels: List<'a, u32>,
    group_levels: List<'a, u32>,
    members: List<'a, Member>,
}

impl<'a> NumberedItems<'a> {
    const fn of(draft: &Draft<'_>, memory: NumbersMemory<'a>) -> Self {
        let mut numbers = Self {
            kinds: List::new(memory.kinds),
            levels: List::new(memory.levels),
            group_levels: List::new(memory.group_levels),
            members: List::new(memory.members),
        };
        numbers.fill(draft);
        numbers
    }

    /// Adds the nodes, groups and members of the draft that are not numbered yet.
    const fn fill(&mut self, draft: &Draft<'_>) {
        while self.kinds.len() < draft.nodes.len() {
            let node = draft.nodes.at(self.kinds.len());
            self.levels.push(node.level);
            self.kinds.push(match node.kind {
                Listed::System if node.is_implied => NumberKind::Implied,
                Listed::System => NumberKind::System,
                Listed::Loop => NumberKind::Loop,
                Listed::Checkpoint => NumberKind::Checkpoint,
                Listed::ApplyCommands => NumberKind::ApplyCommands,
                Listed::Group => panic!("a group is not a node"),
            });
        }
        while self.group_levels.len() < draft.groups.len() {
            let group = draft.groups.at(self.group_levels.len());
            self.group_levels.push(group.level);
        }
        while self.members.len() < draft.members.len() {
            let clause = draft.members.at(self.members.len());
            let Some(group) = draft.group(draft.membership(clause).group.id) else {
                panic!("a group that is named is there");
            };
            self.members.push(Member {
                item: clause.subject,
                group,
            });
        }
    }

    const fn declared(&self) -> Declared<'_> {
        Declared {
            kinds: self.kinds.as_slice(),
            levels: self.levels.as_slice(),
            group_levels: self.group_levels.as_slice(),
            members: self.members.as_slice(),
        }
    }

    const fn into_declared(self) -> Declared<'a> {
        Declared {
            kinds: self.kinds.into_slice(),
            levels: self.levels.into_slice(),
            group_levels: self.group_levels.into_slice(),
            members: self.members.into_slice(),
        }
    }
}

/// Returns the token at which a leaf is reported. For a leaf of an attribute, this is the system.
pub(super) const fn spot_of(draft: &Draft<'_>, guard: usize, leaf: usize) -> Spot {
    let mut spot = draft.guards.at(guard).spot;
    if spot.clause > 0 {
        spot.leaf = leaf as u32;
    }
    spot
}

/// Adds the conditions that are named but not listed, with the clauses of their attributes.
const fn add_implied(
    draft: &mut Draft<'_>,
    named: &NamedConditions<'_>,
    conditions: Conditions<'_>,
) {
    let n_members = draft.members.len();
    let mut nth = 0;
    while nth < conditions.n_implied() {
        let leaf = conditions.asker(nth);
        let guard = conditions.guard_of(leaf);
        let spot = spot_of(draft, guard, leaf - conditions.first_leaf(guard));
        let answered = named.answered(conditions.implied(nth));
        draft.add_node(DraftNode {
            kind: Listed::System,
            reference: answered.reference,
            declaration: Some(answered.declaration),
            spot,
            is_implied: true,
            level: conditions.level_of_implied(nth),
            ..DraftNode::BLANK
        });
        nth += 1;
    }
    draft.add_groups(n_members);
    if !draft.listing.plugins.is_empty() {
        place_in_plugins(draft, conditions);
    }
}

/// Sets the plugin of each implied condition: the innermost plugin that contains everything that the condition guards.
const fn place_in_plugins(draft: &mut Draft<'_>, conditions: Conditions<'_>) {
    let mut node = 0;
    while node < draft.nodes.len() {
        if draft.nodes.at(node).is_implied {
            draft.set_plugin(node as u32, NONE);
        }
        node += 1;
    }
    // An implied condition may guard another one, so the loop repeats until no plugin changes.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        let mut guard = 0;
        while guard < draft.guards.len() {
            let clause = draft.guards.at(guard);
            let plugin = match clause.subject {
                Item::Node(node) => draft.node(node).plugin,
                Item::Group(_) => draft.listing.entries[clause.spot.entry as usize].plugin,
            };
            let mut leaf = conditions.first_leaf(guard);
            while leaf < conditions.end_leaf(guard) && plugin != NONE {
                has_changed |= share_plugin(draft, conditions.node(leaf), plugin);
                leaf += 1;
            }
            guard += 1;
        }
    }
    let mut node = 0;
    while node < draft.nodes.len() {
        if draft.nodes.at(node).plugin == NONE {
            draft.set_plugin(node as u32, 0);
        }
        node += 1;
    }
}

/// Widens the plugin of an implied condition until it contains `plugin`, too. Returns whether the plugin changed.
const fn share_plugin(draft: &mut Draft<'_>, condition: u32, plugin: u32) -> bool {
    if condition == NONE || !draft.node(condition).is_implied {
        return false;
    }
    let known = draft.node(condition).plugin;
    let common = match known {
        NONE => plugin,
        known => draft.listing.common_plugin(known, plugin),
    };
    draft.set_plugin(condition, common);
    common != known
}

const fn report_conditions(draft: &mut Draft<'_>, conditions: Conditions<'_>) {
    let mut nth = 0;
    while nth < conditions.n_faults() {
        let (guard, leaf, fault) = conditions.fault(nth);
        let spot = spot_of(draft, guard, leaf);
        let guarded = conditions.guarded(guard);
        let (kind, node) = match fault {
            ConditionFault::Ambiguous(node) => (ListingFaultKind::Ambiguous, node),
            ConditionFault::Deeper(node) => (ListingFaultKind::ConditionDeeper, node),
            ConditionFault::Itself(node) => (ListingFaultKind::GuardsItself, node),
            ConditionFault::Loop(node) => (ListingFaultKind::GuardIsLoop, node),
            ConditionFault::Missing => panic!("a condition that is not listed is implied"),
        };
        draft.fault(kind, spot, Item::Node(node), guarded);
        nth += 1;
    }
}

const fn report_groups(draft: &mut Draft<'_>, groups: &Groups<'_>) {
    let mut tangle = 0;
    while tangle < groups.n_tangles() {
        let last = groups.n_in_tangle(tangle) - 1;
        let member = groups.in_tangle(tangle, last);
        let Member { item, group } = groups.declared().members[member];
        let spot = draft.members.at(member).spot;
        draft.fault(
            ListingFaultKind::GroupInItself,
            spot,
            item,
            Item::Group(group),
        );
        tangle += 1;
    }
    let misplaced = groups.misplaced();
    let mut idx = 0;
    while idx < misplaced.len() {
        let Member { item, group } = groups.declared().members[misplaced[idx] as usize];
        let spot = draft.members.at(misplaced[idx] as usize).spot;
        draft.fault(
            ListingFaultKind::GroupOverLevels,
            spot,
            Item::Group(group),
            item,
        );
        idx += 1;
    }
}

const fn report_orders(draft: &mut Draft<'_>, lowered: &Lowered<'_>, order_of: &List<'_, u32>) {
    let mut nth = 0;
    while nth < lowered.n_faults() {
        let (order, fault) = lowered.fault(nth);
        let spot = draft.orders.at(order_of.at(order) as usize).spot;
        match fault {
            OrderFault::Member { group, member } => {
                let group = Item::Group(group);
                draft.fault(ListingFaultKind::GroupAgainstMember, spot, group, member);
            }
            OrderFault::Loop { repeat, node } => {
                draft.fault(ListingFaultKind::LoopAgainstBody, spot, repeat, node);
            }
        }
        nth += 1;
    }
}

/// Resolves the targets of an order. Reports a fault if the name of the other target has no match or several matches.
const fn resolve(draft: &mut Draft<'_>, idx: usize) -> Option<Order> {
    let clause = draft.orders.at(idx);
    let order = draft.order(clause);
    let subject = clause.subject;
    let other = match order.entry {
        Some(number) => draft.named(clause, number),
        None => {
            let Some(found) = draft.first(order.other.id) else {
                if !matches!(order.strength, Strengths::IfPresent) {
                    let fault = ListingFault::new(
                        ListingFaultKind::Dangling,
                        clause.spot,
                        subject,
                        subject,
                    );
                    draft.faults.push(fault.along((idx as u32, 0)));
                }
                return None;
            };
            if draft.next(found).is_some() {
                let fault =
                    ListingFault::new(ListingFaultKind::Ambiguous, clause.spot, found, subject);
                draft.faults.push(fault.along((idx as u32, 0)));
                return None;
            }
            found
        }
    };
    let (first, then) = match order.direction {
        Direction::After => (other, subject),
        Direction::Before => (subject, other),
    };
    Some(Order {
        first,
        then,
        strength: if matches!(order.strength, Strengths::IfConflicting) {
            Strength::Weak
        } else {
            Strength::Strict
        },
    })
}
