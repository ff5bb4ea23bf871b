//! Turns a graph into declarations of a builder.

use schedule::access::ResourceId;
use schedule::dynamic::{DynamicSystem, View};
use schedule::order::NodeId;
use schedule::system::Output;
use schedule::{Builder, Policy, Schedule};

use crate::graphs::graph::{Pair, System, SystemGraph};

/// A builder with the systems and edges of a graph.
#[derive(Debug)]
pub struct Declaration {
    /// The builder.
    pub builder: Builder,
    /// `nodes[i]`: the node of system i; ascending.
    nodes: Vec<NodeId>,
}

impl Declaration {
    /// Adds a graph whose systems do nothing.
    pub fn of(graph: &SystemGraph, policy: Policy) -> Self {
        Self::with_calls(graph, policy, |_| |_: &mut View<'_>| ())
    }

    /// Adds a graph. `call_of(i)` returns the closure of system i.
    pub fn with_calls<O: Output, C>(
        graph: &SystemGraph,
        policy: Policy,
        mut call_of: impl FnMut(usize) -> C,
    ) -> Self
    where
        C: FnMut(&mut View<'_>) -> O + Send + 'static,
    {
        let mut builder = Schedule::builder();
        builder.name(&graph.name).policy(policy);
        let mut nodes = Vec::with_capacity(graph.systems.len());
        for (idx, system) in graph.systems.iter().enumerate() {
            let call = DynamicSystem::new(&system.name, call_of(idx));
            builder.add_dynamic(with_access(call, system));
            nodes.extend(builder.last());
        }
        // Names are not unique, so orders use node ids.
        for &(first, then) in &graph.edges {
            builder.order(nodes[first], nodes[then]);
        }
        Self { builder, nodes }
    }

    /// Returns the indices of two systems, the smaller one first.
    ///
    /// # Panics
    ///
    /// Panics if a node belongs to another builder.
    pub fn pair(&self, first: NodeId, second: NodeId) -> Pair {
        let idx = |node| self.nodes.binary_search(&node).expect("it was added");
        let (first, second) = (idx(first), idx(second));
        (first.min(second), first.max(second))
    }
}

fn with_access(call: DynamicSystem, system: &System) -> DynamicSystem {
    let mut declared = call;
    for resource in system.reads.iter().chain(system.reads_of_unwritten()) {
        declared = declared.reads(resource.as_str());
    }
    for resource in &system.writes {
        declared = declared.writes(resource.as_str());
    }
    // A system that writes all resources may read them too.
    if system.writes_all {
        declared = declared.writes_all_except(ids(&system.writes_except));
    } else if system.reads_all {
        declared = declared.reads_all_except(ids(&system.reads_except));
    }
    if system.is_exclusive {
        declared = declared.exclusive();
    }
    if system.is_main_thread {
        declared = declared.on_main_thread();
    }
    declared
}

fn ids<'a>(names: impl IntoIterator<Item = &'a String>) -> impl Iterator<Item = ResourceId> {
    names.into_iter().map(ResourceId::named)
}
