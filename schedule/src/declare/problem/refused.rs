//! Data about a rejected schedule, besides its problems.

use std::collections::HashMap;

use super::race::Subject;
use super::{BuildError, Problem};
use crate::base::place::NodeId;
use crate::data::access::ResourceId;
use crate::declare::graph::{Fault, FaultKind, ResourceKind, ScheduleGraph};

/// A rejected schedule.
pub(crate) struct Refused {
    /// The graph without the problems.
    pub(crate) graph: ScheduleGraph,
    /// The index in the graph of each added node.
    pub(crate) nodes: HashMap<NodeId, usize>,
    /// The nodes of each cycle, in the order of the problems.
    pub(crate) cycles: Vec<Vec<usize>>,
    /// `resources[r]`: the id of resource r of the graph. The last two entries of the graph are not resources and have
    /// no id.
    pub(crate) resources: Vec<ResourceId>,
}

impl BuildError {
    /// Returns the declarations and the problems as data. See [`Schedule::graph`](crate::Schedule::graph).
    ///
    /// The graph does not contain orders that name missing items, and races that [`BuildError::races`] does not list.
    /// Cost: O(nodes + edges + problems).
    pub fn graph(&self) -> ScheduleGraph {
        let Some(refused) = &self.refused else {
            let mut graph = ScheduleGraph::empty(&self.schedule);
            graph.problems = self.problems.iter().map(other).collect();
            return graph;
        };
        let mut graph = refused.graph.clone();
        let numbers = refused.resources.iter().zip(0..).collect();
        let mut cycles = refused.cycles.iter();
        let faults = self.problems.iter().map(|problem| match problem {
            Problem::Cycle(_) | Problem::WritersFirst(_) => Fault {
                kind: FaultKind::Cycle,
                nodes: cycles.next().cloned().unwrap_or_default(),
                ..other(problem)
            },
            Problem::Race(race) => {
                let nodes = [race.first_node, race.second_node];
                let nodes = nodes.map(|node| refused.nodes.get(&node).copied());
                let subjects = race.resources.iter().map(|on| &on.subject);
                Fault {
                    kind: FaultKind::Race,
                    nodes: nodes.into_iter().flatten().collect(),
                    resources: subjects
                        .map(|subject| number(subject, &numbers, &graph))
                        .collect(),
                    ..other(problem)
                }
            }
            _ => other(problem),
        });
        let faults = faults.collect();
        graph.problems = faults;
        graph
    }
}

fn other(problem: &Problem) -> Fault {
    Fault {
        kind: FaultKind::Other,
        text: problem.to_string(),
        nodes: Vec::new(),
        resources: Vec::new(),
    }
}

fn number(
    subject: &Subject,
    numbers: &HashMap<&ResourceId, usize>,
    graph: &ScheduleGraph,
) -> usize {
    let of_kind = |kind: ResourceKind| {
        let mut resources = graph.resources.iter();
        let position = resources.position(|one| one.kind == kind);
        position.expect("it is always among them")
    };
    match subject {
        Subject::Resource(resource) => numbers[resource],
        Subject::Everything => of_kind(ResourceKind::Everything),
        Subject::Exclusive => of_kind(ResourceKind::Exclusive),
    }
}
