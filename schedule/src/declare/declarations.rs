//! Declarations of a schedule: data that a builder collects and a schedule keeps.

mod attribute;
mod declared;
mod names;
mod reclaim;

use core::time::Duration;
use std::sync::Arc;

pub(crate) use self::declared::{
    Declared, DeclaredGroup, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredPlugin,
    DeclaredRules, DeclaredWork, FailurePolicyChoice, Level, PolicyChoice,
};
pub(crate) use self::names::{matches, matches_group};
use crate::base::place::NodeId;
use crate::data::marks::Marks;
use crate::data::order::Reference;
use crate::data::settings::Settings;
use crate::data::target::Target;
use crate::declare::choices::{Choices, Occurrence};

/// Declarations of a schedule, in the order in which they were made.
///
/// A clone contains no systems.
#[derive(Clone, Default)]
pub(crate) struct Declarations {
    pub(crate) name: Option<String>,
    /// In the order of addition, so [`Declared::id`] is ascending. Removed nodes keep their indices until [`reclaim`](Self::reclaim).
    pub(crate) nodes: Vec<Declared>,
    /// The number of the next id. Greater than the numbers of all ids in use or of removed nodes.
    next_id: usize,
    pub(crate) groups: Vec<DeclaredGroup>,
    pub(crate) memberships: Vec<DeclaredMembership>,
    pub(crate) orders: Vec<DeclaredOrder>,
    pub(crate) guards: Vec<DeclaredGuard>,
    /// The rules outside of all plugins.
    pub(crate) rules: DeclaredRules,
    pub(crate) plugins: Vec<DeclaredPlugin>,
    pub(crate) pair_policies: Vec<(Target, Target, PolicyChoice)>,
    pub(crate) cost_of: Option<CostOf>,
    pub(crate) pinned: Choices,
    pub(crate) failure_policies: Vec<(Target, FailurePolicyChoice)>,
    /// The marks of groups. [`Declared::marks`] is the same for nodes.
    pub(crate) group_marks: Vec<(Reference, Marks)>,
}

/// Returns the cost of a system, if it is known.
pub(crate) type CostOf = Arc<dyn Fn(&Occurrence) -> Option<Duration> + Send + Sync>;

impl Declarations {
    /// Adds a node and assigns its id.
    pub(crate) fn push(&mut self, node: Declared) -> NodeId {
        let id = NodeId::new(self.take_ids(1));
        self.nodes.push(Declared { id, ..node });
        id
    }

    /// Replaces a removed node. The new node gets a different id.
    pub(crate) fn replace(&mut self, idx: usize, node: Declared) -> NodeId {
        let id = self.nodes[idx].id.successor();
        self.nodes[idx] = Declared { id, ..node };
        id
    }

    /// Takes the next `n` ids. Returns the first.
    pub(crate) fn take_ids(&mut self, n: usize) -> usize {
        let first = self.next_id;
        self.next_id += n;
        first
    }

    /// Returns the number of the next id.
    pub(crate) fn next_id(&self) -> usize {
        self.next_id
    }

    /// Returns the index of the node with this id, which may be removed. O(1) if no removed node was dropped, otherwise O(log(nodes)).
    pub(crate) fn index_of(&self, id: NodeId) -> Option<usize> {
        // A node's index is smaller than its id's number by at most the number of dropped ids.
        let n_missing = self.next_id - self.nodes.len();
        let end = self.nodes.len().min(id.number().saturating_add(1));
        let start = id.number().saturating_sub(n_missing).min(end);
        let idx = self.nodes[start..end].binary_search_by_key(&id, |node| node.id);
        Some(start + idx.ok()?)
    }

    /// Returns the node with this id.
    ///
    /// # Panics
    ///
    /// If no node has this id.
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Declared {
        let idx = self.index_of(id).expect("it was added");
        &mut self.nodes[idx]
    }

    /// Returns the nodes that were not removed, with their indices.
    pub(crate) fn there(&self) -> impl Iterator<Item = (usize, &Declared)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.is_there())
    }

    /// Returns whether a node has this index and is not removed.
    pub(crate) fn has(&self, idx: usize) -> bool {
        self.nodes.get(idx).is_some_and(Declared::is_there)
    }

    /// Returns a plugin and the plugins around it, from the inside out.
    pub(crate) fn plugins_from(&self, plugin: Option<usize>) -> impl Iterator<Item = usize> {
        core::iter::successors(plugin, |plugin| self.plugins[*plugin].around)
    }

    /// Returns the settings for the nodes of a plugin. Those of inner plugins take precedence.
    pub(crate) fn settings(&self, plugin: Option<usize>) -> Settings {
        self.plugins_from(plugin)
            .map(|plugin| self.plugins[plugin].rules.settings)
            .chain([self.rules.settings])
            .fold(Settings::NONE, Settings::or)
    }

    /// Adds marks to a group.
    pub(crate) fn mark_group(&mut self, group: Reference, marks: Marks) {
        match self.marks_of_group(&group) {
            Some(known) => *known |= marks,
            None => self.group_marks.push((group, marks)),
        }
    }

    /// Returns the marks of a group, if it has had any.
    pub(crate) fn marks_of_group(&mut self, group: &Reference) -> Option<&mut Marks> {
        let mut marked = self.group_marks.iter_mut();
        marked
            .find(|(known, _)| known.id == group.id)
            .map(|(_, marks)| marks)
    }

    /// Returns the innermost plugin that contains both.
    pub(crate) fn common_plugin(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        self.plugins_from(a)
            .find(|plugin| self.plugins_from(b).any(|other| other == *plugin))
    }
}
