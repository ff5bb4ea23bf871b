//! A schedule as data: nodes, edges, policies, and what there is to tell of them.

use super::edge::Edge;
use super::node::Node;
use super::place::Place;
use crate::data::Version;
use schedule_graph::Policy;

/// What a schedule came to: what is in it, what comes before what, and why.
///
/// Nodes and resources are named by their index here. With the feature `serde` a graph can be written and read; as JSON,
/// fields have the names that they have here, and variants those names in snake case: `"system"`, or
/// `{"selector": {"branches": ["walk", "fly"]}}`. [`ScheduleGraph::version`] changes whenever a program that reads a graph has
/// to change. [`check`](Self::check) finds data that contradicts itself.
///
/// ```
/// use schedule::{graph::Origin, prelude::*};
///
/// #[derive(ResourceInfo)]
/// struct Health(i32);
///
/// #[system]
/// fn poison(health: &mut Health) {}
///
/// #[system(after = poison)]
/// fn heal(health: &mut Health) {}
///
/// let frame = Schedule::builder().add::<heal>().add::<poison>().build()?;
/// let graph = frame.graph();
/// let [edge] = &graph.edges[..] else { panic!() };
/// assert_eq!(graph.nodes[edge.from].name, "poison");
/// assert_eq!(graph.nodes[edge.to].name, "heal");
/// assert!(matches!(edge.origins[..], [Origin::Declared { .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ScheduleGraph {
    /// The version of this form of data.
    pub version: Version<1>,
    /// The name of the schedule.
    pub schedule: String,
    /// Whether it was built; else it has [`problems`](Self::problems).
    pub is_built: bool,
    /// If it was built, in the order in which one thread runs them; else as they were added. A loop comes before its body,
    /// and a group before its members.
    pub nodes: Vec<Node>,
    /// By the nodes that they join: each pair once, sorted. What is in a loop or a group has no edge for that.
    pub edges: Vec<Edge>,
    /// What nodes touch. The last two are no resources: see [`ResourceKind`].
    pub resources: Vec<ResourceInfo>,
    /// The policies that were set; where none is set for the schedule, what holds instead.
    pub policies: Vec<SetPolicy>,
    /// The races that somebody has accepted.
    pub accepted: Vec<AcceptedRace>,
    /// What is odd in the declaration, and no error.
    pub warnings: Vec<String>,
    /// What is wrong, if it was refused.
    pub problems: Vec<Fault>,
}

/// Something that nodes touch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ResourceInfo {
    /// What it is called. Types of several modules may have one name.
    pub name: String,
    /// What it is.
    pub kind: ResourceKind,
}

/// What a [`ResourceInfo`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ResourceKind {
    /// A type.
    Type,
    /// A main-thread value.
    MainThread,
    /// Known by its name only.
    Named,
    /// No resource: stands for all that nobody names, where nodes that touch everything conflict.
    Everything,
    /// No resource: stands for the right to run alone.
    Exclusive,
}

/// A policy, and for what it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SetPolicy {
    /// The policy.
    pub policy: Policy,
    /// For what.
    pub of: PolicyOf,
    /// The plugin of the schedule that said it, counted from 0; `None` outside of all.
    pub plugin: Option<usize>,
    /// Why, if that was said.
    pub reason: Option<String>,
    /// Where; `None` for a whole schedule, or a plugin of one.
    pub place: Option<Place>,
}

/// For what a policy is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PolicyOf {
    /// For the schedule, or the plugin of it.
    Schedule,
    /// For a resource.
    Resource(usize),
    /// For a pair of nodes, smaller index first. With a group, for each pair of a node in it and the other.
    Pair(usize, usize),
}

/// A race that somebody has accepted; it runs in insertion order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AcceptedRace {
    /// The node that runs first.
    pub first: usize,
    /// The other.
    pub then: usize,
    /// On what they conflict.
    pub resources: Vec<usize>,
    /// Why the order does not matter, if that was said.
    pub reason: Option<String>,
}

/// One thing that is wrong with a schedule that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Fault {
    /// What kind of problem it is.
    pub kind: FaultKind,
    /// In words.
    pub text: String,
    /// Of a cycle the nodes, each before the next and the last before the first; of a race the two; else none.
    pub nodes: Vec<usize>,
    /// Of a race, on what the two conflict; else none.
    pub resources: Vec<usize>,
}

/// What kind of problem there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FaultKind {
    /// Orders that contradict each other; or `writers first` cannot order these.
    Cycle,
    /// Two nodes that conflict, with nothing that orders them.
    Race,
    /// Something else.
    Other,
}

impl ScheduleGraph {
    /// Without anything in it.
    pub(crate) fn empty(schedule: &str) -> Self {
        Self {
            version: Version,
            schedule: schedule.to_string(),
            is_built: false,
            nodes: Vec::new(),
            edges: Vec::new(),
            resources: Vec::new(),
            policies: Vec::new(),
            accepted: Vec::new(),
            warnings: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The nodes with this name.
    pub fn named<'a>(&'a self, name: impl AsRef<str> + 'a) -> impl Iterator<Item = usize> + 'a {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(move |(idx, node)| (node.name == name.as_ref()).then_some(idx))
    }

    /// The loops and groups that a node is in, directly or through others; ascending. O(of those).
    pub fn around(&self, node: usize) -> Vec<usize> {
        let mut around = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let node = &self.nodes[node];
            for &one in node.groups.iter().chain(&node.repeat) {
                if !around.contains(&one) {
                    around.push(one);
                    open.push(one);
                }
            }
        }
        around.sort_unstable();
        around
    }
}
