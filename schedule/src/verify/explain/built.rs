//! The numbers of a built schedule, made again from its declarations.

use super::graph_data::GraphSource;
use crate::verify::compile::{All, Conditions, Graph, Names, NumberedResources, known_conditions};
use crate::verify::plan::Plan;

/// The numbers that the build of a schedule made, including its inserted sync points.
pub(super) struct BuiltNumbers {
    pub(super) conditions: Conditions,
    pub(super) graph: Graph,
    pub(super) resources: NumberedResources,
}

impl BuiltNumbers {
    /// `plan`: the plan of these declarations.
    pub(super) fn of(all: All<'_>, plan: &Plan) -> Self {
        let conditions = known_conditions(all);
        let mut problems = Vec::new();
        let mut graph = Graph::new(all, &conditions, &mut problems);
        debug_assert!(problems.is_empty(), "it was built of the same declarations");
        let resources = NumberedResources::number(all, &graph);
        graph.add_sync_points(&plan.sync_points);
        debug_assert_eq!(graph.kinds.len(), plan.order.len());
        Self {
            conditions,
            graph,
            resources,
        }
    }

    /// `all`: the declarations that were numbered.
    pub(super) fn names<'a>(&'a self, all: All<'a>) -> Names<'a> {
        Names {
            all,
            graph: &self.graph,
            resources: &self.resources,
        }
    }

    /// `all`: the declarations that were numbered.
    pub(super) fn source<'a>(&'a self, all: All<'a>) -> GraphSource<'a> {
        GraphSource {
            all,
            conditions: &self.conditions,
            graph: &self.graph,
            resources: &self.resources,
        }
    }
}
