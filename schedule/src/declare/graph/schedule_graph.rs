//! A schedule as data: nodes, edges, policies, accepted races, warnings and problems.

use super::edge::Edge;
use super::node::Node;
use super::place::Place;
use crate::base::document::Version;
use schedule_graph::Policy;

/// The graph of a schedule: its nodes, their order, and the origins of the order.
///
/// Nodes and resources are identified by their index. With the feature `serde`, a graph can be serialized. In JSON,
/// fields have the names that they have here. Variants have their names in snake case: `"system"`, or
/// `{"selector": {"branches": ["walk", "fly"]}}`. [`ScheduleGraph::version`] changes whenever programs that read graphs
/// must change. [`check`](Self::check) detects inconsistent data.
///
/// ```
/// use schedule::{graph::Origin, prelude::*};
///
/// #[derive(Resource)]
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
    /// The version of this data format.
    pub version: Version<4>,
    /// The name of the schedule.
    pub schedule: String,
    /// Whether the schedule was built. Otherwise it has [`problems`](Self::problems).
    pub is_built: bool,
    /// The nodes. For a schedule that was built, in the order of a serial run. Otherwise in insertion order. A loop
    /// comes before its body, and a group before its members.
    pub nodes: Vec<Node>,
    /// The edges, sorted by the nodes that they connect. Each pair occurs once. A loop or a group has no edges to its
    /// content.
    pub edges: Vec<Edge>,
    /// The resources. The last two are not real resources: see [`ResourceKind`].
    pub resources: Vec<ResourceInfo>,
    /// The policies that were set. If none is set for the schedule, its default policy.
    pub policies: Vec<SetPolicy>,
    /// The accepted races.
    pub accepted: Vec<AcceptedRace>,
    /// The sweeps: `for_each` systems that run together, chunk by chunk. Each has at least two members, ascending. A
    /// `for_each` system in none of them runs alone.
    pub sweeps: Vec<Vec<usize>>,
    /// The inserted sync points. Each is a node that applies commands, and was not added.
    pub sync_points: Vec<InsertedSyncPoint>,
    /// Declarations that are valid but suspicious.
    pub warnings: Vec<String>,
    /// The problems of a rejected schedule.
    pub problems: Vec<Fault>,
}

/// A resource that nodes access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ResourceInfo {
    /// Its name. Types in different modules can have the same name.
    pub name: String,
    /// Its kind.
    pub kind: ResourceKind,
}

/// The kind of a [`ResourceInfo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ResourceKind {
    /// A resource with a type.
    Type,
    /// A main-thread value.
    MainThread,
    /// A component of entities.
    Component,
    /// The changes that commands make to a component.
    Deferred,
    /// A resource with only a name.
    Named,
    /// Not a real resource. Stands for all resources without a name in the schedule, on which nodes that access
    /// everything conflict.
    Everything,
    /// Not a real resource. Stands for the right to run exclusively.
    Exclusive,
}

/// A policy, and the subject that it was set for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SetPolicy {
    /// The policy.
    pub policy: Policy,
    /// The subject of the policy.
    pub of: PolicyOf,
    /// The plugin that set it, counted from 0. `None` outside of all plugins.
    pub plugin: Option<usize>,
    /// The reason, if one was given.
    pub reason: Option<String>,
    /// The source location. `None` for a whole schedule or a whole plugin.
    pub place: Option<Place>,
}

/// The subject of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PolicyOf {
    /// The schedule, or the plugin.
    Schedule,
    /// A resource, by its index.
    Resource(usize),
    /// A pair of nodes, with the smaller index first. A group stands for each of its members.
    Pair(usize, usize),
}

/// A sync point that was inserted, because orders include commands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct InsertedSyncPoint {
    /// The index of its node.
    pub node: usize,
    /// The pairs that need it.
    pub pairs: Vec<CommandPair>,
}

/// A node with commands, and a node that comes after it by declared orders and uses what the commands may change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct CommandPair {
    /// The index of the node with commands.
    pub writer: usize,
    /// The index of the node that uses what they may change.
    pub user: usize,
    /// What they may change: the name of a resource, a component or a store.
    pub change: String,
}

/// An accepted race. It runs in insertion order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AcceptedRace {
    /// The index of the node that runs first.
    pub first: usize,
    /// The index of the other node.
    pub then: usize,
    /// The indices of the resources on which they conflict.
    pub resources: Vec<usize>,
    /// The reason for accepting the race, if one was given.
    pub reason: Option<String>,
}

/// A problem of a rejected schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Fault {
    /// The kind of the problem.
    pub kind: FaultKind,
    /// The text of the problem.
    pub text: String,
    /// For a cycle, its nodes: each before the next one, and the last before the first. For a race, the two nodes.
    /// Otherwise empty.
    pub nodes: Vec<usize>,
    /// For a race, the resources on which the two conflict. Otherwise empty.
    pub resources: Vec<usize>,
}

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FaultKind {
    /// Orders that contradict each other, including orders of the policy `WritersFirst`.
    Cycle,
    /// Two nodes that conflict, without an order between them.
    Race,
    /// Any other problem.
    Other,
}

impl ScheduleGraph {
    /// A graph without content.
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
            sweeps: Vec::new(),
            sync_points: Vec::new(),
            warnings: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Returns the indices of the nodes with this name.
    pub fn named<'a>(&'a self, name: impl AsRef<str> + 'a) -> impl Iterator<Item = usize> + 'a {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(move |(idx, node)| (node.name == name.as_ref()).then_some(idx))
    }

    /// Returns the loops and groups that contain a node, directly or indirectly, ascending. Cost: linear in their
    /// number.
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
