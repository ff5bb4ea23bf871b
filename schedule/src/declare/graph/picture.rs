//! Pictures: the part of a graph to draw, and its details.

use std::collections::BTreeSet;

use super::schedule_graph::ScheduleGraph;

/// A picture of a [`ScheduleGraph`]: the nodes to draw, and their details.
///
/// [`to_dot`](Self::to_dot) and [`to_mermaid`](Self::to_mermaid) write it as text. The crate `schedule-view` draws it
/// as an SVG.
///
/// Time runs from left to right. A loop or a group is a box around its members. A node in several groups is in the box
/// of the smallest one. If all members of a group are in another group, its box is inside the box of that group. If
/// other nodes run between the members of a group, the group is drawn as a node without members. Labels name the groups
/// whose boxes are not drawn around a node. A sweep is a box around its members, unless it shares only a part of them with
/// a group; then labels name it. Each kind of node has its own shape, and each origin of an edge has its own
/// line. A legend explains them. The problems of a rejected schedule are red. Edges that others imply are not drawn.
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
    /// The indices of the nodes to draw. `None` for all.
    pub(super) shown: Option<BTreeSet<usize>>,
    pub(super) has_implied: bool,
    pub(super) has_resources: bool,
    pub(super) has_paths: bool,
    pub(super) has_places: bool,
}

impl ScheduleGraph {
    /// Returns a picture of the whole graph.
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

/// A picture of the whole graph, as [`ScheduleGraph::picture`] returns.
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
    /// Draws only these nodes, the nodes within `radius` edges in either direction, and the loops and groups around
    /// them.
    ///
    /// An edge of a loop or a group counts as an edge of all of its content. The loop or group at the other end is
    /// drawn closed. Several calls draw the union. Cost: O(radius × edges).
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

    /// Draws only the content of this loop or group, and the boxes around it.
    ///
    /// Several calls draw the union. Cost: O(nodes).
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

    /// Also draws the edges that others imply.
    pub fn with_implied(mut self) -> Self {
        self.has_implied = true;
        self
    }

    /// Also draws the resources, with an edge to each node that reads one and from each node that writes or folds into one. A node
    /// that accesses all resources, with or without exceptions, only has an edge with `everything`.
    pub fn with_resources(mut self) -> Self {
        self.has_resources = true;
        self
    }

    /// Draws names without module paths: `render::draw<ui::Panel>` is `draw<Panel>`.
    pub fn without_paths(mut self) -> Self {
        self.has_paths = false;
        self
    }

    /// Draws no source locations. They change with every edit, so omit them in pictures that you store.
    pub fn without_places(mut self) -> Self {
        self.has_places = false;
        self
    }
}
