//! Verifies declarations: gives nodes, groups and resources numbers, calls the verifier, and converts its result back to names.
//!
//! Compilation does not change the declarations: the conditions that it adds are stored in [`Implied`].
//!
//! Enter at [`compile`]. Of `verify`, imports only `plan` and `sweeps`. The folder `explain` makes explanations from the numbers: for this
//! use, the types of numbers are exported to `verify`.

mod all;
mod commands;
mod failures;
mod find;
mod guards;
mod index;
mod known;
mod marks;
mod members;
mod messages;
mod names;
mod naming;
mod nodes;
mod numbered;
mod optimize;
mod policies;
mod resources;
mod same_identity;
mod similar;
mod sweeps;

use core::mem::take;

pub(crate) use self::all::{All, Implied};
pub(super) use self::commands::Pairs as CommandPairs;
pub(super) use self::failures::failure_policies;
pub(crate) use self::find::{GroupContents, Match, find, find_contents};
use self::guards::find_conditions;
pub(super) use self::guards::{Conditions, Guarded, ResolvedLeaf, known_conditions};
pub(super) use self::index::{Found, Index};
use self::known::Remembered;
pub(crate) use self::known::{Known, Previous};
use self::marks::all_marks;
pub(super) use self::marks::passed_marks;
use self::messages::one_sided_messages;
pub(super) use self::names::Names;
pub(crate) use self::naming::{Places, display_names};
pub(crate) use self::nodes::{Graph, NumberedKind};
pub(super) use self::optimize::OptimizeInput;
pub(super) use self::policies::Policies;
pub(super) use self::resources::NumberedResources;
pub(super) use self::sweeps::NumberedSweeps;
use crate::base::program::Answer;
use crate::data::access::ResourceId;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::declare::declarations::Declarations;
use crate::declare::problem::{Accepted, BuildError, OrderError, Problem, Warning};
use crate::verify::plan::Plan;
use schedule_graph::internal::Lists;
use schedule_graph::internal::SCRATCH_PER_NODE;
use schedule_graph::internal::shortest_path;
use schedule_graph::internal::{self, Cycle, VerifyInput};

/// The result of [`compile`]: a verified plan, and the data that a schedule stores with it.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) implied: Implied,
    pub(crate) places: Places,
    pub(crate) graph: Graph,
    pub(crate) plan: Plan,
    pub(crate) known: Known,
    /// `on_failure[i]`: the failure policy of declared node i.
    pub(crate) on_failure: Vec<FailurePolicy>,
    /// `marks[i]`: the marks of declared node i.
    pub(crate) marks: Vec<Marks>,
    /// `proven[v]`: the resources that are known to exist whenever node v of the graph runs.
    pub(crate) proven: Vec<Vec<ResourceId>>,
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) warnings: Vec<Warning>,
}

/// Declarations that cannot be built.
pub(crate) struct RejectedDeclarations {
    /// All problems, without the graph.
    pub(super) error: BuildError,
    /// The cycles among the problems, in their order.
    pub(super) cycles: Vec<Cycle>,
    pub(super) name: String,
    pub(super) implied: Implied,
    pub(super) places: Places,
    pub(super) conditions: Conditions,
    pub(super) graph: Graph,
    pub(super) resources: NumberedResources,
}

/// Verifies declarations.
///
/// `problems`: the problems found while the declarations were made. `previous`: the schedule that these declarations change.
///
/// # Errors
///
/// Fails with all problems, including those passed in.
pub(crate) fn compile(
    declarations: &Declarations,
    mut problems: Vec<Problem>,
    previous: Option<Previous<'_>>,
) -> Result<Compiled, Box<RejectedDeclarations>> {
    let name = declarations
        .name
        .clone()
        .unwrap_or_else(|| "schedule".to_string());
    let places = Places::of(All::declared(declarations, Places::NONE));
    let declared = All::declared(declarations, &places);
    let previous_implied = previous.map_or(&[][..], |previous| &previous.implied.nodes);
    let (conditions, implied) = find_conditions(declared, previous_implied, &mut problems);
    let places = if implied.nodes.is_empty() {
        places
    } else {
        Places::of(declared.with_implied(&implied))
    };
    let all = All::new(declarations, &implied, &places);
    let mut graph = Graph::new(all, &conditions, &mut problems);
    let resources = NumberedResources::number(all, &graph);
    let rules = Policies::number(all, &graph, &resources, &mut problems);
    let on_failure = failure_policies(all, &graph, &mut problems);
    let remembered = previous.and_then(|previous| Remembered::new(previous, all, &graph));
    let mut optimize = OptimizeInput::number(all, &graph);
    let pairs = CommandPairs::find(all, &graph, &conditions);
    let pair_edges = pairs.edges();
    let is_idle = graph.is_idle(all);
    let verdict = internal::verify(&VerifyInput {
        uses: resources.uses(),
        n_planned: graph.kinds.len(),
        n_resources: resources.n_resources(),
        declared: &graph.edges,
        weak: &graph.weak,
        is_weak_order: &graph.is_weak_order(),
        is_messages: resources.is_messages(),
        rules: rules.rules(),
        levels: graph.levels(),
        needs: graph.needs(),
        roles: &graph.roles,
        costs: &optimize.costs_ns,
        pinned: &optimize.pinned,
        commands: &pair_edges,
        is_idle: &is_idle,
        previous: remembered.as_ref().map(Remembered::as_previous),
    });
    let names = Names {
        all,
        graph: &graph,
        resources: &resources,
    };
    if let Ok(verdict) = &verdict {
        let between = names.readers_between(verdict);
        problems.extend(between.map(|between| Problem::ReaderBetweenWriters(Box::new(between))));
    }
    let mut verdict = match verdict {
        Ok(verdict) if problems.is_empty() => verdict,
        rejected => {
            let (error, cycles) = match rejected {
                Ok(_) => (BuildError::new(name.clone(), problems), Vec::new()),
                Err(violations) => names.build_error(name.clone(), problems, *violations),
            };
            return Err(Box::new(RejectedDeclarations {
                error,
                cycles,
                name,
                implied,
                places,
                conditions,
                graph,
                resources,
            }));
        }
    };
    let accepted = verdict
        .accepted
        .iter()
        .map(|&(a, b)| {
            let race = names.race(a, b);
            Accepted {
                reason: rules.reason(&resources, (a, b)),
                race,
            }
        })
        .collect();
    let mut costs_ns = take(&mut optimize.costs_ns);
    let unpinned: Vec<Warning> = optimize.warnings(&verdict.unpinned).collect();
    let free = verdict.free.take();
    let sync_points = pairs.sync_points(all, &graph, &verdict.inserted);
    graph.add_sync_points(&sync_points);
    let mut plan = Plan::new(verdict, graph.levels(), |node| {
        let NumberedKind::Added(idx) = graph.kinds[node as usize] else {
            return None;
        };
        let answer = |leaf: &ResolvedLeaf| Answer {
            rank: graph.node_of[leaf.node],
            index: leaf.index,
        };
        graph.formula(&conditions, idx, answer)
    });
    plan.set_inherited(graph.inherited(&conditions, &plan.ranks()));
    plan.sync_points = sync_points;
    costs_ns.resize(graph.kinds.len(), 0);
    let marks = all_marks(all, &graph, &conditions);
    let sweeps = NumberedSweeps::number(
        all,
        &graph,
        &resources,
        &plan,
        &on_failure,
        &marks,
        &costs_ns,
    );
    plan.set_always(|node| match graph.kinds[node as usize] {
        NumberedKind::Added(idx) => marks[idx].has(Marks::ALWAYS),
        NumberedKind::SyncPoint(_) => true,
        _ => false,
    });
    plan.sweeps = sweeps.decide(&resources, &plan);
    let proven = |node: u32| {
        let conditions_of = graph.needs().needed_true(node);
        let proven = conditions_of.filter_map(|condition| match graph.kinds[condition as usize] {
            NumberedKind::Added(idx) => all.node(idx).proves.clone(),
            _ => None,
        });
        proven.collect()
    };
    let proven = (0..graph.kinds.len() as u32).map(proven).collect();
    let warnings = graph
        .empty_groups
        .iter()
        .map(|&group| Warning::EmptyGroup(graph.groups[group].place()));
    let reads = all.there().flat_map(|(idx, node)| {
        let resources = node.reads_of_written.iter();
        resources.map(move |resource| Warning::ReadOfWritten {
            system: all.place(idx).clone(),
            resource: resource.clone(),
        })
    });
    let queries = all.there().filter_map(|(idx, node)| {
        let has_unmatchable_query = node.system()?.access.has_unmatchable_query;
        has_unmatchable_query.then(|| Warning::UnmatchableQuery {
            system: all.place(idx).clone(),
        })
    });
    let messages = one_sided_messages(all);
    let warnings = warnings.chain(reads).chain(queries).chain(messages);
    let warnings = warnings.chain(rules.unused());
    let unordered = pairs.warnings(all, &graph, &plan);
    let warnings = warnings.chain(unpinned).chain(unordered).collect();
    Ok(Compiled {
        name,
        known: Known::new(&graph, free, &plan.ranks()),
        graph,
        plan,
        on_failure,
        marks,
        proven,
        accepted,
        warnings,
        implied,
        places,
    })
}

/// Returns the problems that no later order or policy can remove: problems of names, groups and run conditions, and cycles of declared and
/// weak orders.
pub(crate) fn faults(declarations: &Declarations) -> Vec<Problem> {
    let places = Places::of(All::declared(declarations, Places::NONE));
    let declared = All::declared(declarations, &places);
    let mut problems = Vec::new();
    let (conditions, implied) = find_conditions(declared, &[], &mut problems);
    let all = declared.with_implied(&implied);
    let graph = Graph::new(all, &conditions, &mut problems);
    let edges = [graph.edges.as_slice(), &graph.weak].concat();
    let names = Names {
        all,
        graph: &graph,
        resources: &NumberedResources::none(),
    };
    for cycle in internal::cycles(graph.n_nodes(), &edges) {
        let cycle: Vec<_> = cycle
            .iter()
            .map(|&edge| (edges[edge as usize], graph.origin(edge)))
            .collect();
        problems.push(Problem::Cycle(names.cycle(&cycle)));
    }
    problems
}

/// Returns the problem of the last declared order, if that order contradicts the others.
pub(crate) fn contradiction(declarations: &Declarations) -> Option<OrderError> {
    let last = declarations.orders.len().checked_sub(1)?;
    let places = Places::of(All::declared(declarations, Places::NONE));
    let declared = All::declared(declarations, &places);
    // The conditions that are implied now may still be added by a later call.
    let (conditions, implied) = find_conditions(declared, &[], &mut Vec::new());
    contradicts(declared.with_implied(&implied), &conditions, last)
}

fn contradicts(all: All<'_>, conditions: &Conditions, order: usize) -> Option<OrderError> {
    // `build` reports the problems that exist without this order.
    let mut others = Vec::new();
    let mut problems = Vec::new();
    let graph = Graph::split(all, conditions, order, &mut others, &mut problems);
    if !problems.is_empty() {
        return Some(OrderError(problems.swap_remove(0)));
    }
    let n_nodes = graph.n_nodes();
    let last_idx = graph.last_order?;
    let last = graph.edges[last_idx as usize];
    let edges = [graph.edges.as_slice(), &graph.weak].concat();
    let lists = Lists::of_successors(n_nodes, &edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut path = vec![0; n_nodes];
    let path = shortest_path(lists.links(), last.to, last.from, &mut scratch, &mut path)?;
    let cycle = path.iter().copied().chain([last_idx]);
    let mut cycle: Vec<_> = cycle
        .map(|edge| (edges[edge as usize], graph.origin(edge)))
        .collect();
    let first = (0..cycle.len()).min_by_key(|&step| cycle[step].0.from)?;
    cycle.rotate_left(first);
    let names = Names {
        all,
        graph: &graph,
        resources: &NumberedResources::none(),
    };
    Some(OrderError(Problem::Cycle(names.cycle(&cycle))))
}
