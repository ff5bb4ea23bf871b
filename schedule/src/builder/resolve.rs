//! From what was declared to numbers, to the verdict, and back to names.

use super::Builder;
use super::nodes::Graph;
use super::policies::Policies;
use super::resources::Resources;
use crate::access::ResourceId;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::path::shortest_path;
use crate::node::Node;
use crate::plan::Plan;
use crate::problem::{
    Accepted, BuildError, Cycle, OrderError, Problem, Race, RaceOn, Step, StepOrigin,
};
use crate::schedule::Schedule;
use crate::verify::{self, Lists, Origin, Question};

/// Verifies what was declared, and makes a schedule of it.
pub(super) fn build(mut builder: Builder) -> Result<Schedule, BuildError> {
    let name = builder.name.take();
    let name = name.unwrap_or_else(|| "schedule".to_string());
    let mut problems = core::mem::take(&mut builder.problems);
    let graph = Graph::new(&builder, &mut problems);
    let resources = Resources::number(&builder, &graph);
    let rules = Policies::number(&builder, &graph, &resources, &mut problems);
    let verdict = verify::verify(&Question {
        uses: resources.uses(),
        n_resources: resources.n_resources(),
        declared: &graph.edges,
        weak: &graph.weak,
        rules: rules.rules(),
    });
    let verdict = match verdict {
        Ok(verdict) if problems.is_empty() => verdict,
        Ok(_) => return Err(BuildError::new(name, problems)),
        Err(refusal) => {
            let names = Names {
                builder: &builder,
                graph: &graph,
                resources: &resources,
            };
            let cycles = refusal.cycles.iter();
            problems.extend(cycles.map(|cycle| Problem::Cycle(names.cycle(cycle))));
            let cycles = refusal.writers_first.iter();
            problems.extend(cycles.map(|cycle| Problem::WritersFirst(names.cycle(cycle))));
            let races = refusal.races.iter();
            problems.extend(races.map(|&(a, b)| Problem::Race(names.race(a, b))));
            return Err(BuildError::new(name, problems));
        }
    };
    let names = Names {
        builder: &builder,
        graph: &graph,
        resources: &resources,
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
    let plan = Plan::new(&verdict);
    let mut nodes: Vec<Node> = (0..graph.kinds.len())
        .map(|node| Node::checkpoint(graph.place(&builder, node as u32)))
        .collect();
    for (declared, &node) in builder.nodes.into_iter().zip(&graph.node_of) {
        if let Some(instance) = declared.instance {
            nodes[node as usize] = Node::new(declared.place, instance);
        }
    }
    Ok(Schedule::new(name, nodes, plan).accepting(accepted))
}

/// The problem with the order that was declared last, if it contradicts the others.
pub(super) fn contradiction(builder: &Builder) -> Option<OrderError> {
    let mut problems = Vec::new();
    let graph = Graph::new(builder, &mut problems);
    let last = builder.orders.last()?;
    // Of other problems, `build` tells.
    let own = problems.into_iter().find(|problem| match problem {
        Problem::Dangling { location, .. }
        | Problem::Ambiguous { location, .. }
        | Problem::GroupAgainstMember { location, .. } => *location == last.location,
        _ => false,
    });
    if let Some(problem) = own {
        return Some(OrderError(problem));
    }
    let n_nodes = graph.kinds.len();
    // Orders are resolved last, and in the order in which they were declared.
    let edge_idx = graph.edges.len().checked_sub(1)? as u32;
    let edge = graph.edges[edge_idx as usize];
    let lists = Lists::of_successors(n_nodes, &graph.edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut path = vec![0; n_nodes];
    let path = shortest_path(lists.links(), edge.to, edge.from, &mut scratch, &mut path)?;
    let names = Names {
        builder,
        graph: &graph,
        resources: &Resources::default(),
    };
    let edges = path.iter().copied().chain([edge_idx]);
    let cycle: Vec<_> = edges
        .map(|edge| (graph.edges[edge as usize], Origin::Declared(edge)))
        .collect();
    Some(OrderError(Problem::Cycle(names.cycle(&cycle))))
}

/// Turns numbers back into names.
struct Names<'a> {
    builder: &'a Builder,
    graph: &'a Graph,
    resources: &'a Resources,
}

impl Names<'_> {
    fn cycle(&self, cycle: &[(Edge, Origin)]) -> Cycle {
        let steps = cycle.iter().map(|&(edge, origin)| Step {
            from: self.graph.place(self.builder, edge.from),
            to: self.graph.place(self.builder, edge.to),
            origin: match origin {
                Origin::Declared(edge) => self.graph.origins[edge as usize].clone(),
                Origin::Weak(edge) => StepOrigin::Weak(self.graph.weak_locations[edge as usize]),
                Origin::WritersFirst(resource) => StepOrigin::WritersFirst(self.resource(resource)),
                Origin::AsAdded(resource) => StepOrigin::AsAdded(self.resource(resource)),
            },
        });
        Cycle {
            steps: steps.collect(),
        }
    }

    fn resource(&self, number: u32) -> ResourceId {
        let known = self.resources.ids.get(number as usize);
        known
            .cloned()
            .unwrap_or_else(|| ResourceId::named("everything"))
    }

    fn race(&self, first: u32, second: u32) -> Race {
        let mut resources = Vec::new();
        let mut shared = self.resources.uses().shared(first, second);
        while let Some(conflict) = shared.next() {
            resources.push(RaceOn {
                resource: self.resources.ids.get(conflict.resource as usize).cloned(),
                first_writes: conflict.first_writes,
                second_writes: conflict.second_writes,
            });
        }
        Race {
            first: self.graph.place(self.builder, first),
            second: self.graph.place(self.builder, second),
            first_node: self.graph.added(first),
            second_node: self.graph.added(second),
            resources,
        }
    }
}
