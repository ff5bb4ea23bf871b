//! Converts the verdict on a listing to faults: cycles and races.

use schedule_graph::internal::{
    Conditions, EdgeOrigin, Item, List, Lowered, MessageUses, Origin, Phases, PhasesMemory, Uses,
    VerifyInput,
};
use schedule_graph::{Edge, Policy};

use super::{StepCause, Steps, spot_of};
use crate::verify::checked::draft::Draft;
use crate::verify::checked::fault::{ListingFault, ListingFaultKind};
use crate::verify::checked::node::Spot;
use crate::verify::checked::races::Races;

/// The memory for pairs that get edges.
pub(super) struct PairsMemory<'m> {
    /// Pairs under the policy `WritersFirst`.
    pub(super) writers_first: &'m mut [Edge],
    /// Pairs that conflict on messages, under a policy that orders them later.
    pub(super) of_messages: &'m mut [Edge],
}

/// Reports cycles and races: the errors of the first four phases.
pub(super) struct OrderReporter<'j, 'a> {
    pub(super) draft: &'j mut Draft<'a>,
    pub(super) conditions: Conditions<'a>,
    pub(super) lowered: &'j Lowered<'a>,
    pub(super) order_of: &'j List<'a, u32>,
    pub(super) steps: Steps<'a>,
    pub(super) races: Races<'a>,
}

impl OrderReporter<'_, '_> {
    pub(super) const fn judge(
        &mut self,
        input: VerifyInput<'_>,
        messages: MessageUses<'_>,
        memory: PhasesMemory<'_>,
        pairs: PairsMemory<'_>,
    ) {
        let Ok(mut phases) = Phases::begin(input, memory) else {
            panic!("there is memory for all pairs");
        };
        self.report_cycles(&phases, ListingFaultKind::Cycle);
        let has_late = messages.are_any() && input.rules.may_add_later();
        if input.rules.needs_races() || has_late {
            self.report_races(input, messages, &mut phases, pairs);
        }
        if phases.n_cycles() == 0 && self.races.is_empty() && messages.are_any() {
            self.report_readers(messages, &mut phases);
        }
    }

    /// Reports races, and cycles of the policy `WritersFirst`.
    const fn report_races(
        &mut self,
        input: VerifyInput<'_>,
        messages: MessageUses<'_>,
        phases: &mut Phases<'_>,
        pairs: PairsMemory<'_>,
    ) {
        let mut first = List::new(pairs.writers_first);
        let mut of_messages = List::new(pairs.of_messages);
        let has_cycles = phases.n_cycles() > 0;
        let (mut walk, mut policies) = phases.races();
        while let Some((from, to)) = walk.next() {
            match policies.policy(from, to) {
                Some(Policy::Reject) => self.report_race(input.uses, from, to),
                Some(Policy::WritersFirst) => first.push(Edge { from, to }),
                Some(_) if messages.shared_by(input.uses, from, to).is_some() => {
                    of_messages.push(Edge { from, to });
                }
                _ => {}
            }
        }
        if has_cycles {
            return;
        }
        let mut idx = 0;
        while idx < first.len() {
            let Edge { from, to } = first.at(idx);
            if phases.add_writers_first(from, to).is_err() {
                panic!("there is memory for all pairs");
            }
            idx += 1;
        }
        if !first.is_empty() {
            phases.find_cycles();
            self.report_cycles(phases, ListingFaultKind::WritersFirst);
        }
        if self.races.is_empty() && phases.n_cycles() == 0 && !of_messages.is_empty() {
            phases.sort_for_messages();
            let mut idx = 0;
            while idx < of_messages.len() {
                let Edge { from, to } = of_messages.at(idx);
                if let Some(resource) = messages.shared_by(input.uses, from, to)
                    && phases.add_message_order(from, to, resource).is_err()
                {
                    panic!("there is memory for all pairs");
                }
                idx += 1;
            }
        }
        if !self.races.is_empty() {
            let (mut remedy, mut policies) = phases.remedy();
            while let Some(((from, to), _)) = remedy.next(&mut policies) {
                let items = (self.lowered.kind(from).item(), self.lowered.kind(to).item());
                let (Item::Node(from), Item::Node(to)) = items else {
                    panic!("groups touch nothing");
                };
                self.races.push_order(from, to);
            }
        }
    }

    /// Reports the readers of messages that run between writers, as long as there is memory for their writers.
    const fn report_readers(&mut self, messages: MessageUses<'_>, phases: &mut Phases<'_>) {
        let n_nodes = messages.codes.len() as u32;
        let mut found = phases.next_between(messages, None);
        while let Some(reader) = found {
            let start = self.steps.edges.len();
            if self.steps.edges.n_free() < n_nodes as usize {
                return;
            }
            let origin = StepCause::WritersFirst(reader.resource).code();
            let mut node = 0;
            while node < n_nodes {
                if let Some(is_after) = phases.side(messages, reader, node) {
                    self.steps.edges.push(if is_after {
                        Edge {
                            from: reader.node,
                            to: node,
                        }
                    } else {
                        Edge {
                            from: node,
                            to: reader.node,
                        }
                    });
                    self.steps.origins.push(origin);
                }
                node += 1;
            }
            let item = self.lowered.kind(reader.node).item();
            let spot = self.draft.of(item).spot;
            let kind = ListingFaultKind::ReaderBetweenWriters;
            let range = (start as u32, self.steps.edges.len() as u32);
            let fault = ListingFault::new(kind, spot, item, item);
            self.draft.faults.push(fault.along(range));
            found = phases.next_between(messages, Some(reader));
        }
    }

    /// Reports a race at the system that is listed later.
    const fn report_race(&mut self, uses: Uses<'_>, from: u32, to: u32) {
        let (a, b) = (self.lowered.kind(from).item(), self.lowered.kind(to).item());
        let draft = &mut *self.draft;
        let is_behind = draft.of(b).spot.is_after(draft.of(a).spot);
        let (one, other) = if is_behind { (a, b) } else { (b, a) };
        let group = self.races.group(draft, uses, (a, b), (from, to));
        self.races.push(group, draft.faults.n_found());
        draft.fault(ListingFaultKind::Race, draft.of(other).spot, one, other);
    }

    /// Reports one shortest cycle for each strongly connected component.
    const fn report_cycles(&mut self, phases: &Phases<'_>, kind: ListingFaultKind) {
        let mut cycle = 0;
        while cycle < phases.n_cycles() {
            let (mut step, end) = phases.cycle(cycle);
            let start = self.steps.edges.len();
            while step < end {
                let (edge, origin) = phases.step(step);
                self.push_step(edge, origin);
                step += 1;
            }
            let first = self.lowered.kind(self.steps.edge(start).from).item();
            let spot = self.spot_of_cycle(start, first);
            let range = (start as u32, self.steps.edges.len() as u32);
            let fault = ListingFault::new(kind, spot, first, first);
            self.draft.faults.push(fault.along(range));
            cycle += 1;
        }
    }

    const fn push_step(&mut self, edge: Edge, origin: Origin) {
        let origin = match origin {
            Origin::Declared(idx) => self.lowered.origin(idx as usize),
            Origin::Weak(idx) => self.lowered.weak_origin(idx as usize),
            Origin::WritersFirst(resource)
            | Origin::InsertionOrder(resource)
            | Origin::Optimize(resource)
            | Origin::Commands(resource) => {
                self.steps.edges.push(edge);
                let origin = StepCause::WritersFirst(resource);
                self.steps.origins.push(origin.code());
                return;
            }
        };
        let origin = match origin {
            EdgeOrigin::Order(order) => EdgeOrigin::Order(self.order_of.at(order as usize)),
            EdgeOrigin::Weak(order) => EdgeOrigin::Weak(self.order_of.at(order as usize)),
            other => other,
        };
        self.steps.edges.push(edge);
        self.steps.origins.push(StepCause::Edge(origin).code());
    }

    /// Returns the token at which a cycle is reported. This is the last of its listed orders, or else of its listed guards, or else of its
    /// listed memberships. If the listing has none of them, it is the last system with a declaring attribute, or else the last system that
    /// a policy orders.
    const fn spot_of_cycle(&self, start: usize, first: Item) -> Spot {
        let draft = &*self.draft;
        let mut best = draft.of(first).spot;
        let mut best_rank = 0;
        let mut step = start;
        while step < self.steps.edges.len() {
            let (mut rank, spot) = match self.steps.origin(step) {
                StepCause::Edge(EdgeOrigin::Order(idx) | EdgeOrigin::Weak(idx)) => {
                    (5, draft.orders.at(idx as usize).spot)
                }
                StepCause::Edge(EdgeOrigin::Leaf(leaf)) => {
                    let leaf = leaf as usize;
                    let guard = self.conditions.guard_of(leaf);
                    let nth = leaf - self.conditions.first_leaf(guard);
                    (4, spot_of(draft, guard, nth))
                }
                StepCause::Edge(EdgeOrigin::Member(idx)) => {
                    (3, draft.members.at(idx as usize).spot)
                }
                StepCause::WritersFirst(_) => {
                    let item = self.lowered.kind(self.steps.edge(step).to).item();
                    (1, draft.of(item).spot)
                }
                StepCause::Edge(_) => (0, best),
            };
            // An attribute has no token in the listing except its system.
            if rank > 2 && spot.clause == 0 {
                rank = 2;
            }
            if rank > best_rank || rank == best_rank && rank > 0 && spot.is_after(best) {
                best = spot;
                best_rank = rank;
            }
            step += 1;
        }
        best
    }
}
