//! A listing with all that its plugins list, each at its place.
//!
//! Const evaluation has no heap, so how much there is of each kind is counted first, and the arrays are as long as that.
//! Clauses are references to constants that cannot be rewritten: what they call "entry 3" stays so. Each entry says where
//! the numbers of its own listing begin in one table of all.

use super::plugin::Taken;
use super::{Entry, Listed, Listing, Rule};
use crate::text::Text;

/// A listing with what its plugins list.
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
    plugins: [Taken; PLUGINS],
    numbers: [u32; NUMBERS],
}

/// Where all of it is put.
struct WholeMemory<'a> {
    entries: &'a mut [Entry],
    rules: &'a mut [Rule],
    plugins: &'a mut [Taken],
    numbers: &'a mut [u32],
    /// So much of each is there.
    filled: Count,
}

/// How many there are.
#[derive(Clone, Copy)]
struct Count {
    n_entries: usize,
    n_rules: usize,
    n_plugins: usize,
    n_numbers: usize,
}

impl Listing {
    /// Of the whole.
    pub const fn n_entries(&self) -> usize {
        self.count().n_entries
    }

    /// Of the whole.
    pub const fn n_rules(&self) -> usize {
        self.count().n_rules
    }

    /// Of the whole.
    pub const fn n_plugins(&self) -> usize {
        self.count().n_plugins
    }

    /// Of the whole.
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

    /// How many numbers it has, written out.
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
    /// All of a listing, of which there is so much.
    pub const fn of(own: &'static Listing) -> Self {
        let mut whole = Self {
            own,
            entries: [Entry::BLANK; ENTRIES],
            rules: [Rule::BLANK; RULES],
            plugins: [Taken::BLANK; PLUGINS],
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

    /// The same as a listing.
    pub const fn listing(&'static self) -> Listing {
        self.own
            .with(&self.entries, &self.rules, &self.plugins, &self.numbers)
    }
}

impl Listing {
    /// The same with what its plugins list.
    const fn with(
        &self,
        entries: &'static [Entry],
        rules: &'static [Rule],
        plugins: &'static [Taken],
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
            plugins,
            numbers,
            n_own: self.n_own,
            reported: self.reported,
            is_rejected,
        }
    }

    /// The whole, at run time. It is never freed.
    #[cfg(test)]
    pub(crate) fn whole(&'static self) -> Self {
        let count = self.count();
        let (entries, rules) = (
            vec![Entry::BLANK; count.n_entries].leak(),
            vec![Rule::BLANK; count.n_rules].leak(),
        );
        let (plugins, numbers) = (
            vec![Taken::BLANK; count.n_plugins].leak(),
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
    /// Puts all of a listing there.
    const fn fill(mut self, own: &Listing) {
        self.filled.n_numbers = own.entries.len();
        self.push_rules(own, 0, 0);
        let mut idx = 0;
        while idx < own.entries.len() {
            let mut entry = own.entries[idx];
            // A loop comes before its body, so that its number is known.
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

    /// Takes in what a part lists, behind the entry of the part, which is directly in this loop.
    const fn take(&mut self, plugin: &Listing, around: Option<u32>) {
        let first = self.filled.n_entries as u32;
        let base = self.filled.n_numbers as u32;
        let number = self.filled.n_plugins as u32 + 1;
        self.push_plugin(first - 1, 0, plugin.reported);
        let mut idx = 0;
        while idx < plugin.plugins.len() {
            let inner = plugin.plugins[idx];
            self.push_plugin(first + inner.entry, number + inner.around, inner.reported);
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

    const fn push_plugin(&mut self, entry: u32, around: u32, reported: &'static [Text]) {
        self.plugins[self.filled.n_plugins] = Taken {
            entry,
            around,
            reported,
        };
        self.filled.n_plugins += 1;
    }

    /// Those of a plugin of this number, whose numbers begin there.
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
