//! A listing with the entries of all its plugins in place.
//!
//! Const evaluation has no heap, so the elements of each kind are counted first to know the lengths of the arrays. Clauses are references
//! to constants, which cannot be rewritten, so the numbers in them stay relative to their own listing. One table maps these numbers to
//! entries. Each entry stores where the numbers of its own listing begin in this table.

use super::plugin::IncludedPlugin;
use super::{Entry, Listed, Listing, Rule};

/// A listing with the entries of its plugins.
#[derive(Debug)]
pub struct Whole<
    const ENTRIES: usize,
    const RULES: usize,
    const PLUGINS: usize,
    const NUMBERS: usize,
> {
    own: &'static Listing,
    entries: [Entry; ENTRIES],
    rules: [Rule; RULES],
    plugins: [IncludedPlugin; PLUGINS],
    numbers: [u32; NUMBERS],
}

/// The arrays to fill.
struct WholeMemory<'a> {
    entries: &'a mut [Entry],
    rules: &'a mut [Rule],
    plugins: &'a mut [IncludedPlugin],
    numbers: &'a mut [u32],
    /// The number of filled elements of each array.
    filled: Count,
}

/// Numbers of elements of each kind.
#[derive(Clone, Copy)]
struct Count {
    n_entries: usize,
    n_rules: usize,
    n_plugins: usize,
    n_numbers: usize,
}

impl Listing {
    /// Number of entries, including those of plugins.
    pub const fn n_entries(&self) -> usize {
        self.count().n_entries
    }

    /// Number of rules, including those of plugins.
    pub const fn n_rules(&self) -> usize {
        self.count().n_rules
    }

    /// Number of plugins, including nested ones.
    pub const fn n_plugins(&self) -> usize {
        self.count().n_plugins
    }

    /// Length of the table of numbers, including the numbers of plugins.
    pub const fn n_numbers(&self) -> usize {
        self.count().n_numbers
    }

    const fn count(&self) -> Count {
        let mut all = Count {
            n_entries: self.entries.len(),
            n_rules: self.rules.len(),
            n_plugins: 0,
            n_numbers: self.entries.len(),
        };
        let mut idx = 0;
        while idx < self.entries.len() {
            if let Listed::Plugin(_, plugin) = self.entries[idx].subject {
                all.n_entries += plugin.entries.len();
                all.n_rules += plugin.rules.len();
                all.n_plugins += 1 + plugin.plugins.len();
                all.n_numbers += plugin.n_of_table();
            }
            idx += 1;
        }
        all
    }

    /// Length of the table of numbers of this listing. An empty table stands for one number per entry.
    const fn n_of_table(&self) -> usize {
        if self.numbers.is_empty() {
            self.entries.len()
        } else {
            self.numbers.len()
        }
    }
}

impl<const ENTRIES: usize, const RULES: usize, const PLUGINS: usize, const NUMBERS: usize>
    Whole<ENTRIES, RULES, PLUGINS, NUMBERS>
{
    /// Combines a listing with its plugins. The const parameters must be the numbers that [`Listing`] returns.
    pub const fn of(own: &'static Listing) -> Self {
        let mut whole = Self {
            own,
            entries: [Entry::BLANK; ENTRIES],
            rules: [Rule::BLANK; RULES],
            plugins: [IncludedPlugin::BLANK; PLUGINS],
            numbers: [0; NUMBERS],
        };
        let memory = WholeMemory {
            entries: &mut whole.entries,
            rules: &mut whole.rules,
            plugins: &mut whole.plugins,
            numbers: &mut whole.numbers,
            filled: Count::NONE,
        };
        memory.fill(own);
        whole
    }

    /// Returns this as a listing.
    pub const fn listing(&'static self) -> Listing {
        self.own
            .with(&self.entries, &self.rules, &self.plugins, &self.numbers)
    }
}

impl Listing {
    /// Returns the listing with these arrays.
    const fn with(
        &self,
        entries: &'static [Entry],
        rules: &'static [Rule],
        plugins: &'static [IncludedPlugin],
        numbers: &'static [u32],
    ) -> Self {
        let mut is_rejected = self.is_rejected;
        let mut idx = 0;
        while idx < self.entries.len() {
            if let Listed::Plugin(_, plugin) = self.entries[idx].subject {
                is_rejected |= plugin.is_rejected;
            }
            idx += 1;
        }
        Self {
            name: self.name,
            entries,
            rules,
            settings: self.settings,
            plugins,
            numbers,
            n_own: self.n_own,
            reported: self.reported,
            is_rejected,
        }
    }

    /// Combines the listing with its plugins at run time. Leaks the memory.
    #[cfg(test)]
    pub(crate) fn whole(&'static self) -> Self {
        let count = self.count();
        let (entries, rules) = (
            vec![Entry::BLANK; count.n_entries].leak(),
            vec![Rule::BLANK; count.n_rules].leak(),
        );
        let (plugins, numbers) = (
            vec![IncludedPlugin::BLANK; count.n_plugins].leak(),
            vec![0; count.n_numbers].leak(),
        );
        let memory = WholeMemory {
            entries: &mut *entries,
            rules: &mut *rules,
            plugins: &mut *plugins,
            numbers: &mut *numbers,
            filled: Count::NONE,
        };
        memory.fill(self);
        self.with(entries, rules, plugins, numbers)
    }
}

impl WholeMemory<'_> {
    /// Adds a listing and its plugins.
    const fn fill(mut self, own: &Listing) {
        self.filled.n_numbers = own.entries.len();
        self.push_rules(own, 0, 0);
        let mut idx = 0;
        while idx < own.entries.len() {
            let mut entry = own.entries[idx];
            // A loop precedes its body, so its number is already known.
            if let Some(around) = entry.around {
                entry.around = Some(self.numbers[around as usize]);
            }
            self.numbers[idx] = self.filled.n_entries as u32;
            self.push(entry);
            if let Listed::Plugin(_, plugin) = entry.subject {
                self.take(plugin, entry.around);
            }
            idx += 1;
        }
    }

    /// Adds the contents of a plugin after the entry of the plugin. `around`: the loop directly around the plugin.
    const fn take(&mut self, plugin: &Listing, around: Option<u32>) {
        let first = self.filled.n_entries as u32;
        let base = self.filled.n_numbers as u32;
        let number = self.filled.n_plugins as u32 + 1;
        self.push_plugin(IncludedPlugin {
            entry: first - 1,
            around: 0,
            ..IncludedPlugin::of(plugin)
        });
        let mut idx = 0;
        while idx < plugin.plugins.len() {
            let inner = plugin.plugins[idx];
            self.push_plugin(IncludedPlugin {
                entry: first + inner.entry,
                around: number + inner.around,
                ..inner
            });
            idx += 1;
        }
        let mut idx = 0;
        while idx < plugin.n_of_table() {
            self.numbers[self.filled.n_numbers] = first + plugin.number(0, idx as u32);
            self.filled.n_numbers += 1;
            idx += 1;
        }
        self.push_rules(plugin, number, base);
        let mut idx = 0;
        while idx < plugin.entries.len() {
            let mut entry = plugin.entries[idx];
            entry.around = match entry.around {
                Some(inside) => Some(first + inside),
                None => around,
            };
            entry.plugin += number;
            entry.base += base;
            self.push(entry);
            idx += 1;
        }
    }

    const fn push(&mut self, entry: Entry) {
        self.entries[self.filled.n_entries] = entry;
        self.filled.n_entries += 1;
    }

    const fn push_plugin(&mut self, plugin: IncludedPlugin) {
        self.plugins[self.filled.n_plugins] = plugin;
        self.filled.n_plugins += 1;
    }

    /// Adds the rules of a plugin. `base`: the index at which the numbers of the plugin begin.
    const fn push_rules(&mut self, listing: &Listing, plugin: u32, base: u32) {
        let mut idx = 0;
        while idx < listing.rules.len() {
            let mut rule = listing.rules[idx];
            rule.plugin += plugin;
            rule.base += base;
            self.rules[self.filled.n_rules] = rule;
            self.filled.n_rules += 1;
            idx += 1;
        }
    }
}

impl Count {
    const NONE: Self = Self {
        n_entries: 0,
        n_rules: 0,
        n_plugins: 0,
        n_numbers: 0,
    };
}
