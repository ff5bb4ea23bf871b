//! Names with as much of a module path as tells systems apart: `ai::update` and `physics::update`.
//!
//! A system is called by the name of its type. Where systems of different types share that name, each has a prefix: the
//! last modules of its path, as few as tell them apart. What a program has named itself has no path.

use std::collections::HashMap;

use super::{Builder, Declared};
use crate::module_path::{ends_in, needed_modules, split};

impl Declared {
    /// The name without the modules that tell it apart.
    pub(super) fn short_name(&self) -> &str {
        &self.place.name[self.n_prefix..]
    }

    /// The module of its type, if it is called by the name of that.
    pub(super) fn module(&self) -> Option<&'static str> {
        let path = self.path.filter(|_| !self.is_renamed)?;
        Some(path.module())
    }

    /// Gives it another name.
    pub(super) fn rename(&mut self, name: String) {
        self.place.name = name;
        self.n_prefix = 0;
        self.is_renamed = true;
    }

    /// Whether this text names it.
    pub(super) fn is_called(&self, text: &str) -> bool {
        self.short_name() == text
            || split(text).is_some_and(|(module, short)| {
                self.short_name() == short && self.is_in_module(module)
            })
    }

    fn is_in_module(&self, module: &str) -> bool {
        self.module().is_some_and(|own| ends_in(own, module))
    }
}

impl Builder {
    /// The prefix of each node that needs one, with its `::`. O(nodes).
    fn prefixes(&self) -> Vec<(usize, String)> {
        let typed = || {
            let nodes = self.there();
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

    /// Gives each node the prefix that it needs, and no other.
    pub(super) fn tell_apart(&mut self) {
        let prefixes = self.prefixes();
        for node in &mut self.nodes {
            if node.n_prefix > 0 {
                node.place.name.drain(..node.n_prefix);
                node.n_prefix = 0;
            }
        }
        for (idx, prefix) in prefixes {
            let node = &mut self.nodes[idx];
            node.place.name.insert_str(0, &prefix);
            node.n_prefix = prefix.len();
        }
    }

    /// What each node is called, by those that are there.
    pub(super) fn display_names(&self) -> Vec<String> {
        let mut prefixes: HashMap<usize, String> = self.prefixes().into_iter().collect();
        let names = self.there().map(|(idx, node)| {
            let prefix = prefixes.remove(&idx).unwrap_or_default();
            prefix + node.short_name()
        });
        names.collect()
    }
}

/// What is found by its name, or by its path.
pub(super) struct ByName<T> {
    /// By the name without a module.
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
    /// `module`: that of its type, if it is called by the name of that.
    pub(super) fn insert(&mut self, name: &str, module: Option<&'static str>, found: T) {
        match self.named.get_mut(name) {
            Some(several) => several.push((found, module)),
            None => drop(self.named.insert(name.to_string(), vec![(found, module)])),
        }
    }

    /// All that this text names.
    pub(super) fn find(&self, text: &str) -> Vec<T> {
        // A name that was given may look like a path, too.
        let of_name = self.named.get(text).into_iter().flatten();
        let path = split(text).and_then(|(module, short)| Some((module, self.named.get(short)?)));
        let of_path = path.into_iter().flat_map(|(module, several)| {
            let several = several.iter();
            several.filter(move |(_, own)| own.is_some_and(|own| ends_in(own, module)))
        });
        of_name.chain(of_path).map(|&(found, _)| found).collect()
    }
}
