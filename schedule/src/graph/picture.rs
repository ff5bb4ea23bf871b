//! The part of a graph that is drawn, and with which details.

use std::collections::BTreeSet;

use super::schedule_graph::ScheduleGraph;

/// A picture of a [`ScheduleGraph`]: the nodes that are drawn, and with which details.
///
/// [`to_dot`](Self::to_dot) and [`to_mermaid`](Self::to_mermaid) write it as text. The crate `schedule-view` draws it as an
/// SVG.
///
/// Time runs from left to right. A loop or a group is a box around its members. A node in several groups stands in the box of
/// the smallest one. If all members of a group are in another group, its box stands in the box of that group. If other nodes
/// run between the members of a group, the group is drawn as a node without members. Labels name the groups whose boxes are
/// not drawn around a node. Each kind of node has its own shape, each origin of an edge its own line; a legend explains them.
/// The problems of a schedule that was refused are red. Edges that others imply are left out.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn poison(health: &mut Health) {}
///
/// #[system]
/// fn heal(health: &mut Health) {}
///
/// let mut builder = Schedule::builder();
/// let error = builder.add::<poison>().add::<heal>().build().unwrap_err();
/// let dot = error.graph().picture().to_dot();
/// assert!(dot.contains("races on Health"));
///
/// let frame = builder.order("poison", "heal").build()?;
/// let graph = frame.graph();
/// let mermaid = graph.picture().around(graph.named("heal"), 1).to_mermaid();
/// assert!(mermaid.contains("poison"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Picture<'g> {
    pub(super) graph: &'g ScheduleGraph,
    /// Which nodes are drawn; `None` for all.
    pub(super) shown: Option<BTreeSet<usize>>,
    pub(super) has_implied: bool,
    pub(super) has_resources: bool,
    pub(super) has_paths: bool,
    pub(super) has_places: bool,
}

impl ScheduleGraph {
    /// A picture of all of it.
    pub fn picture(&self) -> Picture<'_> {
        Picture {
            graph: self,
            shown: None,
            has_implied: false,
            has_resources: false,
            has_paths: true,
            has_places: true,
        }
    }
}

/// A picture of all of it, as [`ScheduleGraph::picture`] returns.
impl<'g> From<&'g ScheduleGraph> for Picture<'g> {
    fn from(graph: &'g ScheduleGraph) -> Self {
        graph.picture()
    }
}

impl<'g> From<&Self> for Picture<'g> {
    fn from(picture: &Self) -> Self {
        picture.clone()
    }
}

impl Picture<'_> {
    /// Only these nodes, and what is so many edges from one of them, in either direction; with the loops and groups around.
    ///
    /// An edge of a loop, or of a group, is one of all that is in it; the loop or group at its other end is drawn closed.
    /// Said several times, all of it is drawn. Cost: O(radius × edges).
    pub fn around(self, nodes: impl IntoIterator<Item = usize>, radius: usize) -> Self {
        let graph = self.graph;
        let mut near: BTreeSet<usize> = nodes.into_iter().collect();
        for _ in 0..radius {
            let holders = near.iter().flat_map(|&node| graph.around(node));
            let ends: BTreeSet<usize> = holders.chain(near.iter().copied()).collect();
            for edge in graph.edges.iter().filter(|edge| !edge.is_implied) {
                match (ends.contains(&edge.from), ends.contains(&edge.to)) {
                    (true, false) => near.insert(edge.to),
                    (false, true) => near.insert(edge.from),
                    _ => continue,
                };
            }
            for fault in &graph.problems {
                if fault.nodes.iter().any(|node| ends.contains(node)) {
                    near.extend(&fault.nodes);
                }
            }
        }
        self.show(near)
    }

    /// Only what is in this loop or group, with what is around that.
    ///
    /// Said several times, all of it is drawn. Cost: O(nodes).
    pub fn inside(self, holder: usize) -> Self {
        let graph = self.graph;
        let is_inside = |&node: &usize| node == holder || graph.around(node).contains(&holder);
        let inside = (0..graph.nodes.len()).filter(is_inside).collect();
        self.show(inside)
    }

    fn show(mut self, nodes: BTreeSet<usize>) -> Self {
        let shown = self.shown.get_or_insert_default();
        shown.extend(nodes.iter().flat_map(|&node| self.graph.around(node)));
        shown.extend(nodes);
        self
    }

    /// Also the edges that others imply.
    pub fn with_implied(mut self) -> Self {
        self.has_implied = true;
        self
    }

    /// Also the resources, with an edge from each to what reads it and from what writes it. What touches all resources, with
    /// exceptions or without, has an edge with `everything`, and none with each.
    pub fn with_resources(mut self) -> Self {
        self.has_resources = true;
        self
    }

    /// Names without the modules in them: `render::draw<ui::Panel>` is `draw<Panel>`.
    pub fn without_paths(mut self) -> Self {
        self.has_paths = false;
        self
    }

    /// Without the places in the source, which change with every line above: for pictures that are kept.
    pub fn without_places(mut self) -> Self {
        self.has_places = false;
        self
    }
}
