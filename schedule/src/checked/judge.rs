//! What the first four phases of the verdict refuse, each under the token to change.

use schedule_graph::internal::{Arena, Phases, PhasesExtent, PhasesMemory, Question, Sizes};
use schedule_graph::{Edge, Policy};

use super::conditions::Conditions;
use super::draft::Draft;
use super::edges::{Edges, Origin};
use super::fault::{Fault, Kind};
use super::memory::{List, Memory};
use super::node::{Item, Spot};

/// The steps of all cycles that were found: of each the edge, and the code of why it is there.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub(super) edges: List<'a, Edge>,
    pub(super) origins: List<'a, u32>,
}

/// How much memory the phases take.
pub(super) const fn sizes(extent: PhasesExtent, has_flushes: bool) -> Sizes {
    let mut arena = Arena::counting();
    PhasesMemory::take(&mut arena, extent, has_flushes);
    let mut sizes = arena.taken();
    // The steps of the cycles, and the pairs that go as writers first.
    sizes.n_words += extent.n_nodes;
    sizes.n_edges += extent.n_nodes + extent.n_pairs;
    sizes
}

/// Reports all cycles and races.
pub(super) const fn judge<'a>(
    draft: &mut Draft<'_>,
    edges: &Edges<'a>,
    conditions: &Conditions<'_>,
    question: Question<'_>,
    extent: PhasesExtent,
    memory: &mut Memory<'a>,
) -> Steps<'a> {
    let has_flushes = !question.roles.is_empty();
    let mut arena = Arena::counting();
    PhasesMemory::take(&mut arena, extent, has_flushes);
    let mut arena = memory.arena(arena.taken());
    let mut steps = Steps {
        edges: List::new(memory.take_edges(extent.n_nodes)),
        origins: List::new(memory.take_words(extent.n_nodes)),
    };
    let mut first = List::new(memory.take_edges(extent.n_pairs));
    let memory = PhasesMemory::take(&mut arena, extent, has_flushes);
    let Ok(mut phases) = Phases::begin(question, memory) else {
        panic!("there is memory for all pairs");
    };
    report_cycles(draft, edges, conditions, &phases, Kind::Cycle, &mut steps);
    if !question.rules.needs_races() {
        return steps;
    }
    let has_cycles = phases.n_cycles() > 0;
    let (mut walk, mut judge) = phases.races();
    while let Some((from, to)) = walk.next() {
        match judge.policy(from, to) {
            Some(Policy::Reject) => {
                // The one to change is the one that stands behind.
                let (a, b) = (Item::Node(from), Item::Node(to));
                let (one, other) = if draft.of(b).spot.is_after(draft.of(a).spot) {
                    (a, b)
                } else {
                    (b, a)
                };
                draft.fault(Kind::Race, draft.of(other).spot, one, other);
            }
            Some(Policy::WritersFirst) => first.push(Edge { from, to }),
            _ => {}
        }
    }
    if has_cycles || first.len() == 0 {
        return steps;
    }
    let mut idx = 0;
    while idx < first.len() {
        let Edge { from, to } = first.at(idx);
        if phases.add_writers_first(from, to).is_err() {
            panic!("there is memory for all pairs");
        }
        idx += 1;
    }
    phases.find_cycles();
    let kind = Kind::WritersFirst;
    report_cycles(draft, edges, conditions, &phases, kind, &mut steps);
    steps
}

/// Reports one shortest cycle for each strongly connected component.
const fn report_cycles(
    draft: &mut Draft<'_>,
    edges: &Edges<'_>,
    conditions: &Conditions<'_>,
    phases: &Phases<'_>,
    kind: Kind,
    steps: &mut Steps<'_>,
) {
    use schedule_graph::internal::Origin as Found;
    let mut cycle = 0;
    while cycle < phases.n_cycles() {
        let (mut step, end) = phases.cycle(cycle);
        let start = steps.edges.len();
        while step < end {
            let (edge, origin) = phases.step(step);
            steps.edges.push(edge);
            steps.origins.push(match origin {
                Found::Declared(idx) => edges.origins.at(idx as usize),
                Found::Weak(idx) => edges.weak_origins.at(idx as usize),
                Found::WritersFirst(resource)
                | Found::AsAdded(resource)
                | Found::AsFits(resource) => Origin::WritersFirst(resource).code(),
            });
            step += 1;
        }
        let first = edges.item(steps.edges.at(start).from);
        let spot = spot_of(draft, conditions, edges, steps, start, first);
        let range = (start as u32, steps.edges.len() as u32);
        draft
            .faults
            .push(Fault::new(kind, spot, first, first).along(range));
        cycle += 1;
    }
}

/// Where a cycle is blamed: on the last of its orders that the listing says itself, else on the last of its guards, of its
/// memberships, of what attributes say; else on the last system for which a policy is there.
const fn spot_of(
    draft: &Draft<'_>,
    conditions: &Conditions<'_>,
    edges: &Edges<'_>,
    steps: &Steps<'_>,
    start: usize,
    first: Item,
) -> Spot {
    let mut best = draft.of(first).spot;
    let mut best_rank = 0;
    let mut step = start;
    while step < steps.edges.len() {
        let (mut rank, spot) = match Origin::of_code(steps.origins.at(step)) {
            Origin::Order(idx) | Origin::Weak(idx) => (5, draft.orders.at(idx as usize).spot),
            Origin::Leaf(leaf) => (4, conditions.spot_of(draft, leaf as usize)),
            Origin::Member(idx) => (3, draft.members.at(idx as usize).spot),
            Origin::WritersFirst(_) => (1, draft.of(edges.item(steps.edges.at(step).to)).spot),
            _ => (0, best),
        };
        // Of what an attribute says there is no token but the system.
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
