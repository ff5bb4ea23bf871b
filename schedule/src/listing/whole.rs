//! A listing with all that its parts list, each at its place.
//!
//! Const evaluation has no heap, so how much there is of each kind is counted first, and the arrays are as long as that.
//! Clauses are references to constants that cannot be rewritten: what they call "entry 3" stays so. Each entry says where
//! the numbers of its own listing begin in one table of all.

use super::part::Taken;
use super::{Entry, Listed, Listing, Rule};
use crate::text::Text;

/// A listing with what its parts list.
#[derive(Debug)]
pub struct Whole<const ENTRIES: usize, const RULES: usize, const PARTS: usize, const NUMBERS: usize>
{
    own: &'static Listing,
    entries: [Entry; ENTRIES],
    rules: [Rule; RULES],
    parts: [Taken; PARTS],
    numbers: [u32; NUMBERS],
}

/// Where all of it is put.
struct Memory<'a> {
    entries: &'a mut [Entry],
    rules: &'a mut [Rule],
    parts: &'a mut [Taken],
    numbers: &'a mut [u32],
    /// So much of each is there.
    filled: Count,
}

/// How many there are.
#[derive(Clone, Copy)]
struct Count {
    n_entries: usize,
    n_rules: usize,
    n_parts: usize,
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
    pub const fn n_parts(&self) -> usize {
        self.count().n_parts
    }

    /// Of the whole.
    pub const fn n_numbers(&self) -> usize {
        self.count().n_numbers
    }

    const fn count(&self) -> Count {
        let mut all = Count {
            n_entries: self.entries.len(),
            n_rules: self.rules.len(),
            n_parts: 0,
            n_numbers: self.entries.len(),
        };
        let mut idx = 0;
        while idx < self.entries.len() {
            if let Listed::Part(_, part) = self.entries[idx].subject {
                all.n_entries += part.entries.len();
                all.n_rules += part.rules.len();
                all.n_parts += 1 + part.parts.len();
                all.n_numbers += part.n_of_table();
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

impl<const ENTRIES: usize, const RULES: usize, const PARTS: usize, const NUMBERS: usize>
    Whole<ENTRIES, RULES, PARTS, NUMBERS>
{
    /// All of a listing, of which there is so much.
    pub const fn of(own: &'static Listing) -> Self {
        let mut whole = Self {
            own,
            entries: [Entry::BLANK; ENTRIES],
            rules: [Rule::BLANK; RULES],
            parts: [Taken::BLANK; PARTS],
            numbers: [0; NUMBERS],
        };
        let memory = Memory {
            entries: &mut whole.entries,
            rules: &mut whole.rules,
            parts: &mut whole.parts,
            numbers: &mut whole.numbers,
            filled: Count::NONE,
        };
        memory.fill(own);
        whole
    }

    /// The same as a listing.
    pub const fn listing(&'static self) -> Listing {
        self.own
            .with(&self.entries, &self.rules, &self.parts, &self.numbers)
    }
}

impl Listing {
    /// The same with what its parts list.
    const fn with(
        &self,
        entries: &'static [Entry],
        rules: &'static [Rule],
        parts: &'static [Taken],
        numbers: &'static [u32],
    ) -> Self {
        let mut is_rejected = self.is_rejected;
        let mut idx = 0;
        while idx < self.entries.len() {
            if let Listed::Part(_, part) = self.entries[idx].subject {
                is_rejected |= part.is_rejected;
            }
            idx += 1;
        }
        Self {
            name: self.name,
            entries,
            rules,
            parts,
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
        let (parts, numbers) = (
            vec![Taken::BLANK; count.n_parts].leak(),
            vec![0; count.n_numbers].leak(),
        );
        let memory = Memory {
            entries: &mut *entries,
            rules: &mut *rules,
            parts: &mut *parts,
            numbers: &mut *numbers,
            filled: Count::NONE,
        };
        memory.fill(self);
        self.with(entries, rules, parts, numbers)
    }
}

impl Memory<'_> {
    /// Puts all of a listing there.
    const fn fill(mut self, own: &Listing) {
        self.filled.n_numbers = own.entries.len();
        self.push_rules(own, 0, 0);
        let mut idx = 0;
        while idx < own.entries.len() {
            let mut entry = own.entries[idx];
            // A loop comes before its parts, so that its number is known.
            if let Some(around) = entry.around {
                entry.around = Some(self.numbers[around as usize]);
            }
            self.numbers[idx] = self.filled.n_entries as u32;
            self.push(entry);
            if let Listed::Part(_, part) = entry.subject {
                self.take(part, entry.around);
            }
            idx += 1;
        }
    }

    /// Takes in what a part lists, behind the entry of the part, which is directly in this loop.
    const fn take(&mut self, part: &Listing, around: Option<u32>) {
        let first = self.filled.n_entries as u32;
        let base = self.filled.n_numbers as u32;
        let number = self.filled.n_parts as u32 + 1;
        self.push_part(first - 1, 0, part.reported);
        let mut idx = 0;
        while idx < part.parts.len() {
            let inner = part.parts[idx];
            self.push_part(first + inner.entry, number + inner.around, inner.reported);
            idx += 1;
        }
        let mut idx = 0;
        while idx < part.n_of_table() {
            self.numbers[self.filled.n_numbers] = first + part.number(0, idx as u32);
            self.filled.n_numbers += 1;
            idx += 1;
        }
        self.push_rules(part, number, base);
        let mut idx = 0;
        while idx < part.entries.len() {
            let mut entry = part.entries[idx];
            entry.around = match entry.around {
                Some(inside) => Some(first + inside),
                None => around,
            };
            entry.part += number;
            entry.base += base;
            self.push(entry);
            idx += 1;
        }
    }

    const fn push(&mut self, entry: Entry) {
        self.entries[self.filled.n_entries] = entry;
        self.filled.n_entries += 1;
    }

    const fn push_part(&mut self, entry: u32, around: u32, reported: &'static [Text]) {
        self.parts[self.filled.n_parts] = Taken {
            entry,
            around,
            reported,
        };
        self.filled.n_parts += 1;
    }

    /// Those of a part of this number, whose numbers begin there.
    const fn push_rules(&mut self, listing: &Listing, part: u32, base: u32) {
        let mut idx = 0;
        while idx < listing.rules.len() {
            let mut rule = listing.rules[idx];
            rule.part += part;
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
        n_parts: 0,
        n_numbers: 0,
    };
}
