//! Display names with the shortest module prefix that distinguishes systems: `ai::update` and `physics::update`.
//!
//! The name of a system is the name of its type. If systems of different types share a name, each gets a prefix. The prefix is the shortest
//! end of the module path that distinguishes them. Names that the program has set have no path.

use std::collections::{BTreeMap, HashMap};

use super::All;
use crate::base::module_path::{ends_in, needed_modules, split};
use crate::base::place::{NodeId, SystemPlace};
use crate::declare::declarations::{Declarations, Declared};
use crate::declare::problem::Problem;

/// Places of the nodes whose names need a module prefix. All other nodes keep their declared names.
#[derive(Clone, Default)]
pub(crate) struct Places(BTreeMap<NodeId, SystemPlace>);

impl Places {
    /// Places without any prefix.
    pub(crate) const NONE: &'static Self = &Self(BTreeMap::new());

    /// Finds the nodes that need a module prefix. O(nodes).
    pub(crate) fn of(all: All<'_>) -> Self {
        let places = prefixes(all).into_iter().map(|(idx, prefix)| {
            let node = all.node(idx);
            let SystemPlace { name, location } = &node.place;
            let place = SystemPlace {
                name: prefix + name,
                location,
            };
            (node.id, place)
        });
        Self(places.collect())
    }

    /// Returns the place of this node.
    pub(crate) fn of_node<'a>(&'a self, node: &'a Declared) -> &'a SystemPlace {
        self.0.get(&node.id).unwrap_or(&node.place)
    }

    /// Removes the place of a renamed node.
    pub(crate) fn forget(&mut self, id: NodeId) {
        self.0.remove(&id);
    }
}

/// Returns the names of all nodes of declarations that are not compiled yet.
pub(crate) fn display_names(declarations: &Declarations) -> Vec<String> {
    let places = Places::of(All::declared(declarations, Places::NONE));
    let there = declarations.there();
    let names = there.map(|(_, node)| places.of_node(node).name.clone());
    names.collect()
}

/// Returns a problem for each node without a name. O(nodes).
pub(super) fn empty_names(all: All<'_>) -> impl Iterator<Item = Problem> {
    let is_empty = |node: &Declared| node.place.name.trim().is_empty();
    let empty = all.there().filter(move |(_, node)| is_empty(node));
    empty.map(|(_, node)| Problem::EmptyName {
        location: node.place.location,
    })
}

/// Returns the prefix, with its `::`, of each node that needs one. O(nodes).
fn prefixes(all: All<'_>) -> Vec<(usize, String)> {
    let typed = || {
        let nodes = all.there();
        nodes.filter_map(|(idx, node)| {
            let (_, id) = node.ty?;
            Some((idx, node.short_name(), id, node.module()?))
        })
    };
    let mut first_of: HashMap<&str, u128> = HashMap::new();
    let mut shared: HashMap<&str, Vec<(usize, &'static str)>> = HashMap::new();
    for (_, name, id, _) in typed() {
        if *first_of.entry(name).or_insert(id) != id {
            shared.entry(name).or_default();
        }
    }
    if shared.is_empty() {
        return Vec::new();
    }
    for (idx, name, _, module) in typed() {
        if let Some(nodes) = shared.get_mut(name) {
            nodes.push((idx, module));
        }
    }
    let mut prefixes = Vec::new();
    for nodes in shared.into_values() {
        let mut modules: Vec<&str> = nodes.iter().map(|&(_, module)| module).collect();
        modules.sort_unstable();
        modules.dedup();
        for (idx, module) in nodes {
            let needed = needed_modules(module, &modules);
            prefixes.extend(needed.map(|needed| (idx, format!("{needed}::"))));
        }
    }
    prefixes
}

/// Values that can be found by name or by path.
pub(super) struct ByName<T> {
    /// Keyed by the name without a module.
    named: HashMap<String, Vec<(T, Option<&'static str>)>>,
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self {
            named: HashMap::new(),
        }
    }
}

impl<T: Copy> ByName<T> {
    /// `module`: the module of the type, if `name` is the name of that type.
    pub(super) fn insert(&mut self, name: &str, module: Option<&'static str>, found: T) {
        match self.named.get_mut(name) {
            Some(several) => several.push((found, module)),
            None => drop(self.named.insert(name.to_string(), vec![(found, module)])),
        }
    }

    /// Returns all values that this text names.
    pub(super) fn find(&self, text: &str) -> Vec<T> {
        // A name that the program has set may look like a path, so both are searched.
        let of_name = self.named.get(text).into_iter().flatten();
        let path = split(text).and_then(|(module, short)| Some((module, self.named.get(short)?)));
        let of_path = path.into_iter().flat_map(|(module, several)| {
            let several = several.iter();
            several.filter(move |(_, own)| own.is_some_and(|own| ends_in(own, module)))
        });
        of_name.chain(of_path).map(|&(found, _)| found).collect()
    }
}
