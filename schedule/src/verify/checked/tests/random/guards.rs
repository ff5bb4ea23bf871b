//! Guards of entries. Most conditions precede the entries that they guard.

use super::super::case::{CaseClause, Formula, Item, Leaf, Named, Ruling, Subject};
use super::Growing;
use crate::data::order::Direction;

impl Growing {
    /// Adds guards to some entries.
    pub(super) fn guard(&mut self, n_implied: usize) {
        let chance = if self.dice.percent(30) { 60 } else { 15 };
        let mut guarded: Vec<(usize, Formula)> = Vec::new();
        for item in 0..self.case.items.len() {
            let Item {
                subject, around, ..
            } = self.case.items[item];
            let is_group = matches!(subject, Subject::Group(_));
            if !self
                .dice
                .percent(if is_group { 2 * chance } else { chance })
            {
                continue;
            }
            let twin = guarded
                .iter()
                .rfind(|(other, _)| self.case.items[*other].around == around)
                .map(|(_, formula)| formula.clone());
            let formula = match twin {
                Some(twin) if self.dice.percent(40) => Some(self.opposite(twin)),
                _ => {
                    let asked = self.askable(item, n_implied);
                    (!asked.is_empty()).then(|| {
                        let depth = self.dice.below(4);
                        self.formula(&asked, depth)
                    })
                }
            };
            let Some(formula) = formula else { continue };
            // Whether all conditions precede the entry.
            let is_early = formula.leaves().iter().all(|leaf| {
                let mut items = 0..self.case.items.len();
                let entry = leaf.entry.or_else(|| {
                    items.find(|&one| self.case.items[one].subject == Subject::System(leaf.ty))
                });
                entry.is_none_or(|entry| self.is_before(entry, item))
            });
            if is_early || self.dice.percent(3) {
                guarded.push((item, formula.clone()));
                self.say(item, CaseClause::If(formula));
            }
        }
    }

    /// Adds orders and policies that name an unlisted condition.
    pub(super) fn name_implied(&mut self, n_implied: usize) {
        for ty in 0..n_implied {
            if !self.case.is_asked(ty) || !self.dice.percent(20) {
                continue;
            }
            let item = self.dice.below(self.case.items.len());
            let is_system = self.case.items[item].subject.ty().is_some();
            if is_system && self.dice.percent(30) {
                let rule = Ruling::Pair(self.name(item), Named::Type(ty), self.policy());
                self.case.rules.push(rule);
            } else {
                let direction = match self.dice.below(5) {
                    0 => Direction::Before,
                    _ => Direction::After,
                };
                let clause = CaseClause::Order(direction, self.strength(), Named::Type(ty));
                self.say(item, clause);
            }
        }
    }

    /// Returns the leaves that a guard of an entry can ask without a fault.
    fn askable(&mut self, item: usize, n_implied: usize) -> Vec<Leaf> {
        let mut asked = Vec::new();
        for ty in 0..n_implied {
            asked.push(self.leaf(ty, None));
        }
        let levels = self.case.levels(item);
        for other in 0..self.case.items.len() {
            let Item {
                subject, around, ..
            } = self.case.items[other];
            if let Subject::System(ty) = subject
                && self.case.types[ty].work.definition.branches().is_some()
                && levels.contains(&around)
                && self.is_before(other, item)
            {
                let is_only = self.case.n_entries(ty) == 1;
                let entry = (!is_only || self.dice.percent(60)).then_some(other);
                asked.push(self.leaf(ty, entry));
            } else if let Subject::Loop(ty) = subject
                && self.dice.percent(10)
            {
                // By its type, the leaf names the condition itself and not the loop.
                asked.push(self.leaf(ty, None));
            }
        }
        asked
    }

    pub(super) fn leaf(&mut self, ty: usize, entry: Option<usize>) -> Leaf {
        let branches = self.case.types[ty].work.definition.branches();
        let n_branches = branches.expect("it answers").names.len();
        let branch = match n_branches {
            2 if self.dice.percent(90) => 1,
            n_branches => self.dice.below(n_branches) as u32,
        };
        Leaf { ty, entry, branch }
    }

    /// Returns a formula that asks some of these leaves.
    pub(super) fn formula(&mut self, asked: &[Leaf], depth: usize) -> Formula {
        let die = if depth == 0 { 0 } else { self.dice.below(10) };
        match die {
            0..5 => Formula::Is(self.dice.one_of(asked).expect("something to ask")),
            5..7 => Formula::Not(Box::new(self.formula(asked, depth - 1))),
            die => {
                let n_parts = 1 + self.dice.below(3);
                let parts = (0..n_parts)
                    .map(|_| self.formula(asked, depth - 1))
                    .collect();
                if die == 7 {
                    Formula::Any(parts)
                } else {
                    Formula::All(parts)
                }
            }
        }
    }

    /// Returns a formula that is false whenever the other is true.
    fn opposite(&mut self, formula: Formula) -> Formula {
        match formula {
            Formula::Is(leaf) => {
                let branches = self.case.types[leaf.ty].work.definition.branches();
                let n_branches = branches.expect("it answers").names.len() as u32;
                let branch = (leaf.branch + 1) % n_branches;
                Formula::Is(Leaf { branch, ..leaf })
            }
            Formula::Not(inside) if self.dice.percent(50) => *inside,
            formula => Formula::Not(Box::new(formula)),
        }
    }
}
