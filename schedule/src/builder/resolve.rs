//! From what was declared to numbers, to the verdict, and back to names.

use super::failures::failure_policies;
use super::fitting::Fitting;
use super::guards::{Conditions, ResolvedLeaf, find_conditions};
use super::known::{Had, Known, Remembered};
use super::names::Names;
use super::nodes::{Graph, Kind};
use super::outline::Outlined;
use super::policies::Policies;
use super::resources::Resources;
use super::{Builder, DeclaredWork, Extent};
use crate::access::ResourceId;
use crate::failure::FailurePolicy;
use crate::node::Node;
use crate::plan::{Answer, Plan};
use crate::problem::{Accepted, BuildError, OrderError, Problem, Warning};
use crate::schedule::Schedule;
use schedule_graph::internal::Lists;
use schedule_graph::internal::SCRATCH_PER_NODE;
use schedule_graph::internal::shortest_path;
use schedule_graph::internal::{self, Origin, Question};

/// What was declared, verified: as numbers, with what there is to tell of it.
pub(super) struct Verified {
    name: String,
    graph: Graph,
    plan: Plan,
    known: Known,
    /// By index of what was added.
    on_failure: Vec<FailurePolicy>,
    /// `proven[v]`: what there is whenever node v runs.
    proven: Vec<Vec<ResourceId>>,
    accepted: Vec<Accepted>,
    warnings: Vec<Warning>,
}

/// Verifies what was declared, and makes a schedule of it.
pub(super) fn build(mut builder: Builder) -> Result<Schedule, BuildError> {
    if builder.change.is_some() {
        builder.problems.push(Problem::BuiltInChange);
    }
    let extent = builder.extent();
    let verified = verify(&mut builder, None)?;
    Ok(verified.into_schedule(builder, extent, &mut []))
}

/// Verifies what was declared, with the conditions that nobody added: those are added to it. `had`: the schedule of which
/// it is a change.
pub(super) fn verify(builder: &mut Builder, had: Option<Had<'_>>) -> Result<Verified, BuildError> {
    let name = builder.name.clone();
    let name = name.unwrap_or_else(|| "schedule".to_string());
    let mut problems = core::mem::take(&mut builder.problems);
    builder.tell_apart();
    let n_declared = builder.nodes.len();
    let conditions = find_conditions(builder, &mut problems);
    if builder.nodes.len() > n_declared {
        builder.tell_apart();
    }
    let builder = &*builder;
    let graph = Graph::new(builder, &conditions, &mut problems);
    let resources = Resources::number(builder, &graph);
    let rules = Policies::number(builder, &graph, &resources, &mut problems);
    let on_failure = failure_policies(builder, &graph, &mut problems);
    let before = had.and_then(|had| Remembered::new(had, builder, &graph));
    let fitting = Fitting::number(builder, &graph);
    let verdict = internal::verify(&Question {
        uses: resources.uses(),
        n_planned: graph.kinds.len(),
        n_resources: resources.n_resources(),
        declared: &graph.edges,
        weak: &graph.weak,
        is_weak_order: &graph.is_weak_order(),
        rules: rules.rules(),
        levels: graph.levels(),
        needs: graph.needs(),
        roles: &graph.roles,
        costs: &fitting.costs_ns,
        pinned: &fitting.pinned,
        before: before.as_ref().map(Remembered::as_before),
    });
    let names = Names {
        builder,
        graph: &graph,
        resources: &resources,
    };
    let outlined = Outlined {
        builder,
        conditions: &conditions,
        graph: &graph,
        resources: &resources,
    };
    let mut verdict = match verdict {
        Ok(verdict) if problems.is_empty() => verdict,
        Ok(_) => {
            let refused = outlined.refused(&name, &[]);
            return Err(BuildError::new(name, problems).of(refused));
        }
        Err(refusal) => {
            let cycles = refusal.cycles.iter();
            problems.extend(cycles.map(|cycle| Problem::Cycle(names.cycle(cycle))));
            let cycles = refusal.writers_first.iter();
            problems.extend(cycles.map(|cycle| Problem::WritersFirst(names.cycle(cycle))));
            let races = refusal.races.iter();
            problems.extend(races.map(|&(a, b)| Problem::Race(names.race(a, b))));
            let error = BuildError::new(name.clone(), problems);
            let error = match refusal.remedy.as_slice() {
                [] => error,
                orders => error.with_remedy(names.remedy(orders)),
            };
            let cycles = [refusal.cycles, refusal.writers_first].concat();
            return Err(error.of(outlined.refused(&name, &cycles)));
        }
    };
    let accepted = verdict.accepted.iter();
    let accepted = accepted.map(|&(a, b)| {
        let race = names.race(a, b);
        Accepted {
            reason: rules.reason(&resources, (a, b)),
            race,
        }
    });
    let accepted = accepted.collect();
    let unpinned: Vec<Warning> = fitting.warnings(&verdict.unpinned).collect();
    let free = verdict.free.take();
    let plan = Plan::new(verdict, graph.levels(), |node| {
        let Kind::Added(idx) = graph.kinds[node as usize] else {
            return None;
        };
        let answer = |leaf: &ResolvedLeaf| Answer {
            rank: graph.node_of[leaf.node],
            index: leaf.index,
        };
        graph.formula(&conditions, idx, answer)
    });
    let proven = |node: u32| {
        let conditions_of = graph.needs().needed_true(node);
        let proven = conditions_of.filter_map(|condition| match graph.kinds[condition as usize] {
            Kind::Added(idx) => builder.nodes[idx].proves.clone(),
            _ => None,
        });
        proven.collect()
    };
    let proven = (0..graph.kinds.len() as u32).map(proven).collect();
    let warnings = graph
        .empty_groups
        .iter()
        .map(|&group| Warning::EmptyGroup(graph.groups[group].place()));
    let reads = builder.there().flat_map(|(_, node)| {
        let resources = node.reads_of_written.iter();
        resources.map(|resource| Warning::ReadOfWritten {
            system: node.place.clone(),
            resource: resource.clone(),
        })
    });
    let warnings = warnings.chain(reads).chain(rules.unused());
    let warnings = warnings.chain(unpinned).collect();
    Ok(Verified {
        name,
        known: Known::new(&graph, free, &plan.ranks()),
        graph,
        plan,
        on_failure,
        proven,
        accepted,
        warnings,
    })
}

impl Verified {
    /// The schedule of it. What has a rank already has its system in `old`, by that rank, and leaves it there empty.
    ///
    /// `builder`: what was verified; it was said up to `extent`.
    pub(super) fn into_schedule(
        self,
        mut builder: Builder,
        extent: Extent,
        old: &mut [Node],
    ) -> Schedule {
        let Self {
            graph, mut proven, ..
        } = self;
        let ranks = self.plan.ranks();
        let mut nodes = Vec::with_capacity(graph.kinds.len());
        for (number, kind) in graph.kinds.iter().enumerate() {
            nodes.push(match *kind {
                Kind::Added(idx) => {
                    let declared = &mut builder.nodes[idx];
                    let had = declared.rank.replace(ranks[number]);
                    let had = || {
                        let had = had.and_then(|rank| old[rank as usize].take_run());
                        had.expect("a schedule has what its builder has not")
                    };
                    let (place, on_failure) = (declared.place.clone(), self.on_failure[idx]);
                    let mut node = match &mut declared.work {
                        DeclaredWork::System(system) => {
                            Node::system(place, system.take(had), on_failure)
                        }
                        DeclaredWork::Checkpoint => Node::checkpoint(place),
                        DeclaredWork::Flush => Node::flush(place),
                        DeclaredWork::Loop { condition, at_most } => {
                            Node::repeat(place, condition.take(had), *at_most, on_failure)
                        }
                        DeclaredWork::Removed => unreachable!("it has no number"),
                    };
                    node.about.proven = core::mem::take(&mut proven[number]);
                    node.about.settles = builder.nodes[idx].settles;
                    node
                }
                Kind::LoopEnd(idx) => Node::loop_end(builder.nodes[idx].place.clone()),
                Kind::GroupBegin(group) | Kind::GroupEnd(group) => {
                    Node::checkpoint(graph.groups[group].place())
                }
            });
        }
        (builder.change, builder.implied) = (None, Vec::new());
        Schedule::new(self.name, nodes, self.plan)
            .of(builder, extent, self.known)
            .telling(self.accepted, self.warnings)
    }
}

/// The problem with the order that was declared last, if it contradicts the others. The builder stays as it is.
pub(super) fn contradiction(builder: &mut Builder) -> Option<OrderError> {
    // Conditions that nobody added so far may still be.
    let extent = builder.extent();
    builder.tell_apart();
    let conditions = find_conditions(builder, &mut Vec::new());
    let contradiction = contradicts(builder, &conditions, extent.n_orders.checked_sub(1)?);
    builder.truncate(extent);
    contradiction
}

fn contradicts(builder: &Builder, conditions: &Conditions, order: usize) -> Option<OrderError> {
    // Of problems that there are without it, `build` tells.
    let mut others = Vec::new();
    let mut problems = Vec::new();
    let graph = Graph::split(builder, conditions, order, &mut others, &mut problems);
    if !problems.is_empty() {
        return Some(OrderError(problems.swap_remove(0)));
    }
    let n_nodes = graph.n_nodes();
    let n_declared = graph.edges.len();
    let last_idx = graph.last_order?;
    let last = graph.edges[last_idx as usize];
    let edges = [graph.edges.as_slice(), &graph.weak].concat();
    let origin = |edge: u32| match edge.checked_sub(n_declared as u32) {
        Some(weak) => Origin::Weak(weak),
        None => Origin::Declared(edge),
    };
    let lists = Lists::of_successors(n_nodes, &edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut path = vec![0; n_nodes];
    let path = shortest_path(lists.links(), last.to, last.from, &mut scratch, &mut path)?;
    let cycle = path.iter().copied().chain([last_idx]);
    let mut cycle: Vec<_> = cycle
        .map(|edge| (edges[edge as usize], origin(edge)))
        .collect();
    let first = (0..cycle.len()).min_by_key(|&step| cycle[step].0.from)?;
    cycle.rotate_left(first);
    let names = Names {
        builder,
        graph: &graph,
        resources: &Resources::none(),
    };
    Some(OrderError(Problem::Cycle(names.cycle(&cycle))))
}
