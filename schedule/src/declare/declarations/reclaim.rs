//! Drops the remains of removed nodes, so that a schedule does not grow with each change.

use std::collections::HashSet;

use super::{Declarations, Declared, DeclaredRules, Level};

impl Declarations {
    /// Drops removed nodes, empty plugins, and repeated declarations of groups. Call it after these declarations were compiled. Takes the
    /// ids of the implied nodes.
    ///
    /// Changes indices of nodes and plugins, in `implied` as well, but not ids. O(nodes + declarations).
    pub(crate) fn reclaim(&mut self, implied: &mut [Declared]) {
        let ids = implied.iter().map(|node| node.id.number() + 1);
        self.next_id = ids.fold(self.next_id, usize::max);
        self.drop_removed_nodes(implied);
        self.drop_empty_plugins(implied);
        // Declarations at different levels are all kept, because removing a loop removes the declarations in it.
        let mut mentioned = HashSet::new();
        self.groups
            .retain(|group| mentioned.insert((group.reference.id, group.level)));
    }

    /// Drops the policies of plugins that have become empty. `removed`: indices of nodes that were in them. `open`: the plugin that is
    /// declaring something at the moment.
    pub(crate) fn drop_policies_of_emptied_plugins(
        &mut self,
        removed: &[usize],
        open: Option<usize>,
    ) {
        if self.plugins.is_empty() {
            return;
        }
        let mut is_used = self.used_plugins();
        if let Some(open) = open {
            is_used[open] = true;
        }
        self.spread_outwards(&mut is_used);
        let mut is_emptied = vec![false; self.plugins.len()];
        for plugin in removed.iter().filter_map(|&idx| self.nodes[idx].plugin) {
            is_emptied[plugin] = true;
        }
        self.spread_outwards(&mut is_emptied);
        for plugin in 0..self.plugins.len() {
            let around = self.plugins[plugin].around;
            is_emptied[plugin] |= around.is_some_and(|around| is_emptied[around]);
            is_emptied[plugin] &= !is_used[plugin];
            if is_emptied[plugin] {
                self.plugins[plugin].rules = DeclaredRules::default();
            }
        }
    }

    fn drop_removed_nodes(&mut self, implied: &mut [Declared]) {
        if self.nodes.iter().all(Declared::is_there) {
            return;
        }
        let indices = indices_of_kept(self.nodes.iter().map(Declared::is_there));
        self.nodes.retain(Declared::is_there);
        // Removing a loop also removes its body, so every remaining level exists.
        let renumber = |level: &mut Level| *level = level.map(|around| indices[around]);
        for node in self.nodes.iter_mut().chain(implied) {
            renumber(&mut node.level);
        }
        for group in &mut self.groups {
            renumber(&mut group.level);
        }
    }

    fn drop_empty_plugins(&mut self, implied: &mut [Declared]) {
        let is_used = self.used_plugins();
        if is_used.iter().all(|&is_used| is_used) {
            return;
        }
        let indices = indices_of_kept(is_used.iter().copied());
        let mut used = is_used.iter();
        self.plugins.retain(|_| used.next() == Some(&true));
        let nodes = self.nodes.iter_mut().chain(implied);
        let plugins = nodes
            .map(|node| &mut node.plugin)
            .chain(self.guards.iter_mut().map(|guard| &mut guard.plugin));
        let plugins = plugins.chain(self.plugins.iter_mut().map(|plugin| &mut plugin.around));
        for plugin in plugins {
            *plugin = plugin.map(|plugin| indices[plugin]);
        }
    }

    /// `used_plugins()[p]`: whether plugin p contains a node or a guard, directly or in a nested plugin.
    fn used_plugins(&self) -> Vec<bool> {
        let mut is_used = vec![false; self.plugins.len()];
        let of_nodes = self.there().filter_map(|(_, node)| node.plugin);
        let of_guards = self.guards.iter().filter_map(|guard| guard.plugin);
        for plugin in of_nodes.chain(of_guards) {
            is_used[plugin] = true;
        }
        self.spread_outwards(&mut is_used);
        is_used
    }

    /// Marks the plugins around marked ones.
    fn spread_outwards(&self, is_marked: &mut [bool]) {
        // A plugin has a greater index than the plugin around it.
        for (plugin, declared) in self.plugins.iter().enumerate().rev() {
            if let Some(around) = declared.around.filter(|_| is_marked[plugin]) {
                is_marked[around] = true;
            }
        }
    }
}

/// `indices_of_kept(kept)[i]`: the index of element i after all elements that are not kept are dropped.
fn indices_of_kept(is_kept: impl Iterator<Item = bool>) -> Vec<usize> {
    let indices = is_kept.scan(0, |n_kept, is_kept| {
        let idx = *n_kept;
        *n_kept += usize::from(is_kept);
        Some(idx)
    });
    indices.collect()
}
