//! A picture without coordinates: shapes, boxes, and arrows between them. The writers of DOT and Mermaid, and the
//! renderer of `schedule-view`, start from it.

use std::collections::{BTreeMap, BTreeSet};

use super::boxes::Boxes;
use super::edge::{Edge, Origin};
use super::node::{Kind, Node};
use super::picture::Picture;
use super::place::Place;
use super::schedule_graph::{FaultKind, ResourceKind, ScheduleGraph};
use super::swept::SweptGraph;
use crate::base::escape::{self, shown};

/// The shapes of a picture, and the arrows between them.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of the schedule, without hidden characters.
    pub title: String,
    /// A box comes before the shapes in it.
    pub shapes: Vec<Shape>,
    /// No arrow joins a box and a shape in it.
    pub arrows: Vec<Arrow>,
    /// The problems that are not arrows.
    pub notes: Vec<String>,
}

/// Something with a label.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its appearance.
    pub form: Form,
    /// The first line of the label.
    pub label: String,
    /// Smaller lines below the label.
    pub notes: Vec<String>,
    /// The tooltip.
    pub hint: String,
    /// The index in [`Scene::shapes`] of the box that contains it.
    pub parent: Option<usize>,
    /// Whether it is a box with shapes in it.
    pub is_open: bool,
    /// Whether the node is enabled.
    pub is_enabled: bool,
    /// Whether the node is exclusive.
    pub is_exclusive: bool,
}

impl Shape {
    /// A shape for a legend. Its label names its form.
    pub fn sample(form: Form) -> Self {
        Self {
            form,
            label: form.text().to_string(),
            notes: Vec::new(),
            hint: String::new(),
            parent: None,
            is_open: false,
            is_enabled: true,
            is_exclusive: false,
        }
    }
}

/// The appearance of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A system.
    System,
    /// A condition.
    Condition,
    /// A selector.
    Selector,
    /// A checkpoint.
    Checkpoint,
    /// A sync point.
    ApplyCommands,
    /// A loop.
    Loop,
    /// A group.
    Group,
    /// A sweep.
    Sweep,
    /// A resource.
    Resource,
}

/// A line from one shape to another.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// An index of [`Scene::shapes`].
    pub from: usize,
    /// An index of [`Scene::shapes`].
    pub to: usize,
    /// Its appearance.
    pub style: Style,
    /// The text beside it.
    pub label: Option<String>,
    /// The tooltip.
    pub hint: String,
}

/// The appearance of an arrow. Of several that apply, the first is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Style {
    /// An order.
    Declared,
    /// From a condition to a node that it guards.
    Guard,
    /// A weak order.
    Weak,
    /// An order by a policy.
    Policy,
    /// Two nodes of which at most one runs.
    NeverBoth,
    /// An order with an inserted sync point.
    Commands,
    /// From a resource to a node that reads it.
    Reads,
    /// From a node to a resource that it writes.
    Writes,
    /// From a node to a resource that it folds into.
    Folds,
    /// An order of a cycle.
    Cycle,
    /// A race. It has no arrowhead.
    Race,
}

impl Form {
    /// Its name in a legend.
    pub fn text(self) -> &'static str {
        match self {
            Form::System => "system",
            Form::Condition => "condition",
            Form::Selector => "selector",
            Form::Checkpoint => "checkpoint",
            Form::ApplyCommands => "apply_commands",
            Form::Loop => "loop",
            Form::Group => "group",
            Form::Sweep => "sweep",
            Form::Resource => "resource",
        }
    }
}

impl Style {
    /// All styles, in the order of a legend.
    pub const ALL: [Self; 11] = [
        Self::Declared,
        Self::Guard,
        Self::Weak,
        Self::Policy,
        Self::NeverBoth,
        Self::Commands,
        Self::Reads,
        Self::Writes,
        Self::Folds,
        Self::Cycle,
        Self::Race,
    ];

    /// Its name in a legend.
    pub fn text(self) -> &'static str {
        match self {
            Style::Declared => "order",
            Style::Guard => "condition of",
            Style::Weak => "order if they conflict",
            Style::Policy => "order by policy",
            Style::NeverBoth => "never both run",
            Style::Commands => "order with an inserted sync point",
            Style::Reads => "is read by",
            Style::Writes => "writes",
            Style::Folds => "folds into",
            Style::Cycle => "cycle",
            Style::Race => "race",
        }
    }
}

impl Scene {
    /// The scene of a picture.
    pub fn new(picture: &Picture<'_>) -> Self {
        let swept = SweptGraph::new(picture.graph);
        let graph = &*swept.graph;
        let picture = &Picture {
            graph,
            ..picture.clone()
        };
        let is_shown = |node: &usize| picture.shown.as_ref().is_none_or(|one| one.contains(node));
        let shown: Vec<usize> = (0..swept.n_nodes).filter(is_shown).collect();
        let mut scene = Self {
            title: escape::shown(&graph.schedule).to_string(),
            shapes: Vec::new(),
            arrows: Vec::new(),
            notes: Vec::new(),
        };
        let boxes = Boxes::new(&swept);
        let mut of_node = BTreeMap::new();
        for &node in &shown {
            scene.place(picture, node, &boxes, &mut of_node);
        }
        for &shape in of_node.range(swept.n_nodes..).map(|(_, shape)| shape) {
            scene.shapes[shape].form = Form::Sweep;
            scene.shapes[shape].hint = "run together, chunk by chunk".to_string();
        }
        scene.add_edges(picture, &boxes, &of_node);
        scene.add_problems(graph, &of_node);
        if picture.has_resources {
            scene.add_resources(picture, &of_node);
        }
        scene
    }

    /// Adds a node after all boxes around it.
    fn place(
        &mut self,
        picture: &Picture<'_>,
        idx: usize,
        boxes: &Boxes,
        of_node: &mut BTreeMap<usize, usize>,
    ) -> usize {
        if let Some(&shape) = of_node.get(&idx) {
            return shape;
        }
        let graph = picture.graph;
        let node = &graph.nodes[idx];
        // The boxes around a drawn node are drawn, too.
        let parent = boxes.holders[idx].map(|holder| self.place(picture, holder, boxes, of_node));
        if let Some(parent) = parent {
            self.shapes[parent].is_open = true;
        }
        let shape = self.shapes.len();
        of_node.insert(idx, shape);
        self.shapes.push(Shape {
            parent,
            ..shape_of(picture, node, &boxes.others[idx])
        });
        shape
    }

    fn add_edges(
        &mut self,
        picture: &Picture<'_>,
        boxes: &Boxes,
        of_node: &BTreeMap<usize, usize>,
    ) {
        let graph = picture.graph;
        let mut drawn: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let edges = graph.edges.iter();
        for edge in edges.filter(|edge| picture.has_implied || !edge.is_implied) {
            let froms = boxes.last(&edge.from).iter();
            for pair in
                froms.flat_map(|from| boxes.first(&edge.to).iter().map(move |to| (from, to)))
            {
                let (Some(&from), Some(&to)) = (of_node.get(pair.0), of_node.get(pair.1)) else {
                    continue;
                };
                if self.is_in(to, from) || self.is_in(from, to) {
                    continue;
                }
                let arrow = Arrow {
                    from,
                    to,
                    style: style_of(edge),
                    label: None,
                    hint: hint_of(picture, edge),
                };
                match drawn.get(&(from, to)) {
                    None => {
                        drawn.insert((from, to), self.arrows.len());
                        self.arrows.push(arrow);
                    }
                    Some(&known) => {
                        let known = &mut self.arrows[known];
                        known.style = known.style.min(arrow.style);
                        known.hint = format!("{}\n{}", known.hint, arrow.hint);
                    }
                }
            }
        }
    }

    /// Whether `shape` is `holder`, or is inside it.
    pub fn is_in(&self, shape: usize, holder: usize) -> bool {
        let parent = |shape: &usize| self.shapes[*shape].parent;
        core::iter::successors(Some(shape), parent).any(|one| one == holder)
    }

    fn add_problems(&mut self, graph: &ScheduleGraph, of_node: &BTreeMap<usize, usize>) {
        let mut of_pair = BTreeMap::new();
        for (idx, arrow) in self.arrows.iter().enumerate() {
            of_pair.insert((arrow.from, arrow.to), idx);
        }
        for fault in &graph.problems {
            let nodes: Vec<usize> = fault
                .nodes
                .iter()
                .filter_map(|node| of_node.get(node))
                .copied()
                .collect();
            if nodes.len() < fault.nodes.len() {
                continue;
            }
            match (fault.kind, &nodes[..]) {
                // No line connects a box and its content.
                (FaultKind::Race, &[from, to])
                    if !self.is_in(from, to) && !self.is_in(to, from) =>
                {
                    let resources = fault.resources.iter().map(|&one| &graph.resources[one]);
                    let label = match resources.clone().next().map(|one| one.kind) {
                        Some(ResourceKind::Exclusive) => {
                            "races with an exclusive system".to_string()
                        }
                        _ => {
                            let names = resources.map(|one| shown(&one.name).to_string());
                            format!("races on {}", names.collect::<Vec<_>>().join(", "))
                        }
                    };
                    self.arrows.push(Arrow {
                        from,
                        to,
                        style: Style::Race,
                        label: Some(label),
                        hint: fault.text.clone(),
                    });
                }
                (FaultKind::Cycle, [first, ..]) => {
                    for (idx, &from) in nodes.iter().enumerate() {
                        let to = *nodes.get(idx + 1).unwrap_or(first);
                        // No arrow connects a box and its content.
                        if self.is_in(from, to) || self.is_in(to, from) {
                            continue;
                        }
                        match of_pair.get(&(from, to)) {
                            Some(&arrow) => self.arrows[arrow].style = Style::Cycle,
                            None => self.arrows.push(Arrow {
                                from,
                                to,
                                style: Style::Cycle,
                                label: None,
                                hint: fault.text.clone(),
                            }),
                        }
                    }
                }
                _ => self.notes.push(fault.text.clone()),
            }
        }
    }

    fn add_resources(&mut self, picture: &Picture<'_>, of_node: &BTreeMap<usize, usize>) {
        const NONE: &[usize] = &[];
        let graph = picture.graph;
        let mut of_resource: BTreeMap<usize, usize> = BTreeMap::new();
        let mut resources = graph.resources.iter();
        let everything = resources.position(|one| one.kind == ResourceKind::Everything);
        let names = |all: &[usize]| {
            let names = all
                .iter()
                .map(|&one| shown(&graph.resources[one].name).to_string());
            names.collect::<Vec<_>>().join(", ")
        };
        for (&node, &shape) in of_node {
            let touched = &graph.nodes[node].touched;
            let reads = touched.reads.iter().map(|one| (one, Style::Reads));
            let writes = touched.writes.iter().map(|one| (one, Style::Writes));
            let folds = touched.folds.iter().map(|one| (one, Style::Folds));
            let all = [
                (&touched.reads_all_but, Style::Reads),
                (&touched.writes_all_but, Style::Writes),
            ]
            .into_iter()
            .filter_map(|(all_but, style)| {
                Some((everything.as_ref()?, style, all_but.as_deref()?))
            });
            let named = reads
                .chain(writes)
                .chain(folds)
                .map(|(one, style)| (one, style, NONE));
            for (&resource, style, all_but) in named.chain(all) {
                let one = *of_resource.entry(resource).or_insert_with(|| {
                    let name = &graph.resources[resource].name;
                    self.shapes.push(Shape {
                        form: Form::Resource,
                        label: shortened(picture, name),
                        notes: Vec::new(),
                        hint: shown(name).to_string(),
                        parent: None,
                        is_open: false,
                        is_enabled: true,
                        is_exclusive: false,
                    });
                    self.shapes.len() - 1
                });
                let (from, to) = match style {
                    Style::Writes | Style::Folds => (shape, one),
                    _ => (one, shape),
                };
                self.arrows.push(Arrow {
                    from,
                    to,
                    style,
                    label: None,
                    hint: match all_but {
                        [] => String::new(),
                        _ => format!("all except {}", names(all_but)),
                    },
                });
            }
        }
    }

    /// The shapes directly in this box, or outside of all boxes.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let shapes = (0..).zip(&self.shapes);
        shapes.filter_map(move |(idx, shape)| (shape.parent == parent).then_some(idx))
    }

    /// The forms of its shapes.
    pub fn forms(&self) -> BTreeSet<Form> {
        self.shapes.iter().map(|shape| shape.form).collect()
    }

    /// The styles of its arrows.
    pub fn styles(&self) -> impl Iterator<Item = Style> {
        let is_used = |style: &Style| self.arrows.iter().any(|arrow| arrow.style == *style);
        Style::ALL.into_iter().filter(is_used)
    }
}

/// `others`: the groups of the node that are not drawn around it.
fn shape_of(picture: &Picture<'_>, node: &Node, others: &[usize]) -> Shape {
    let graph = picture.graph;
    let form = match node.kind {
        Kind::System => Form::System,
        Kind::Condition => Form::Condition,
        Kind::Selector { .. } => Form::Selector,
        Kind::Checkpoint => Form::Checkpoint,
        Kind::ApplyCommands => Form::ApplyCommands,
        Kind::Loop { .. } => Form::Loop,
        Kind::Group => Form::Group,
    };
    let name = shortened(picture, &node.name);
    let label = match node.kind {
        Kind::Loop { .. } => format!("repeat while {name}"),
        _ => name,
    };
    let mut notes = Vec::new();
    if let Kind::Loop { at_most: Some(n) } = node.kind {
        notes.push(format!("at most {n} times"));
    }
    if let Some(guard) = &node.guard {
        notes.push(format!("if {}", shortened(picture, guard)));
    }
    let others = others
        .iter()
        .map(|&one| shortened(picture, &graph.nodes[one].name));
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        notes.push(format!("also in {}", others.join(", ")));
    }
    if node.touched.is_exclusive {
        notes.push("exclusive".to_string());
    } else if node.touched.is_main_thread {
        notes.push("on the main thread".to_string());
    }
    if !node.is_enabled {
        notes.push("disabled".to_string());
    }
    Shape {
        form,
        label,
        notes,
        hint: if picture.has_places {
            format!("{} ({})", shown(&node.name), node.place)
        } else {
            shown(&node.name).to_string()
        },
        parent: None,
        is_open: false,
        is_enabled: node.is_enabled,
        is_exclusive: node.touched.is_exclusive,
    }
}

fn shortened(picture: &Picture<'_>, name: &str) -> String {
    if picture.has_paths {
        shown(name).to_string()
    } else {
        shown(without_paths(name)).to_string()
    }
}

/// The name without module paths.
fn without_paths(name: &str) -> String {
    let mut short = String::new();
    // The start of the last path segment in `short`.
    let mut start = 0;
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("::") {
            // The text before this `::` is a type and not a module, so it stays.
            if short.ends_with(['>', ')', ']']) {
                short.push_str("::");
                start = short.len();
            }
            short.truncate(start);
            rest = behind;
            continue;
        }
        short.push(first);
        if !(first.is_alphanumeric() || first == '_') {
            start = short.len();
        }
        rest = &rest[first.len_utf8()..];
    }
    short
}

fn style_of(edge: &Edge) -> Style {
    let style = |origin: &Origin| match origin {
        Origin::Declared { .. } => Style::Declared,
        Origin::Guard { .. } => Style::Guard,
        Origin::Weak { .. } => Style::Weak,
        Origin::Policy { .. } => Style::Policy,
        Origin::NeverBoth { .. } => Style::NeverBoth,
        Origin::Commands => Style::Commands,
    };
    let styles = edge.origins.iter().map(style);
    styles.min().expect("an edge has an origin")
}

fn hint_of(picture: &Picture<'_>, edge: &Edge) -> String {
    let graph = picture.graph;
    let name = |node: usize| shown(&graph.nodes[node].name);
    let declared = |place: &Place| {
        if picture.has_places {
            format!("declared at {place}")
        } else {
            "declared".to_string()
        }
    };
    let mut hint = format!("{} -> {}", name(edge.from), name(edge.to));
    for origin in &edge.origins {
        hint.push('\n');
        hint += &match origin {
            Origin::Declared { place } => declared(place),
            Origin::Weak { place } => format!("{}, if they conflict", declared(place)),
            Origin::Guard { place: Some(place) } => {
                format!("as its run condition, {}", declared(place))
            }
            Origin::Guard { place: None }
                if matches!(
                    graph.nodes[edge.from].kind,
                    Kind::ApplyCommands | Kind::Loop { .. }
                ) =>
            {
                "because every system with this run condition comes after it".to_string()
            }
            Origin::Guard { place: None } => {
                "because all systems with that run condition are in a group with this run condition"
                    .to_string()
            }
            Origin::Policy { policy, resource } => {
                format!("{policy}, for {}", shown(&graph.resources[*resource].name))
            }
            Origin::NeverBoth { condition } => {
                format!("never both run, by the result of {}", name(*condition))
            }
            Origin::Commands => "to apply commands in between".to_string(),
        };
    }
    hint
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn short_name_omits_modules_of_all_paths() {
        for (name, short) in [
            ("draw", "draw"),
            ("ui::draw", "draw"),
            ("ui::draw<ui::Panel, [a::b::C; 3]>", "draw<Panel, [C; 3]>"),
            ("not a::é and b::c is Run", "not é and c is Run"),
            ("<T as a::B>::c", "<T as B>::c"),
            ("a::List<b::C>::draw", "List<C>::draw"),
        ] {
            assert_eq!(without_paths(name), short);
        }
    }
}
