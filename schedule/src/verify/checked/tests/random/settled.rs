//! Adds only as many orders as races need, so that each of these orders matters.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::super::fault::ListingFaultKind;
use super::super::case::{CaseClause, Named, Subject};
use super::super::compiler::ListingFault;
use super::super::found::found_by_builder;
use super::Growing;
use crate::data::order::{Direction, Strength};

impl Growing {
    /// Orders most races that the builder finds. A panic of the builder is left to the test to report.
    pub(super) fn settle(&mut self) {
        for _ in 0..4 {
            let listing = self.case.listing();
            let found = catch_unwind(AssertUnwindSafe(|| found_by_builder(&listing)));
            let mut races = found.unwrap_or_default();
            races.retain(|fault| fault.kind == ListingFaultKind::Race);
            if races.is_empty() {
                return;
            }
            for race in races {
                if self.dice.percent(90) {
                    self.settle_race(&race);
                }
            }
        }
    }

    fn settle_race(&mut self, race: &ListingFault) {
        let (Some(one), Some(other)) = (self.named(&race.names[0]), self.named(&race.names[1]))
        else {
            return;
        };
        let is_weak = self.dice.percent(40);
        let strength = if is_weak {
            Strength::IfConflicting
        } else {
            Strength::Always
        };
        match (one, other) {
            (Named::Entry(one), Named::Entry(other)) => {
                let (first, then) = (one.min(other), one.max(other));
                if self.is_before(first, then) {
                    let (first, then) = self.instead(first, then);
                    self.push_order(first, then, strength);
                }
            }
            (Named::Entry(item), condition) | (condition, Named::Entry(item)) => {
                self.say(
                    item,
                    CaseClause::Order(Direction::After, strength, condition),
                );
            }
            (Named::Type(one), other) => {
                let clause = CaseClause::Order(Direction::After, strength, other);
                self.case.types[one].clauses.push(clause);
            }
            _ => {}
        }
    }

    /// Returns the item with this name in an error.
    fn named(&self, name: &str) -> Option<Named> {
        let number = name[1..].parse().ok()?;
        match &name[..1] {
            "n" => Some(Named::Entry(number)),
            "t" => Some(Named::Type(number)),
            _ => {
                let sync_point = Subject::ApplyCommands(number);
                let found = self
                    .case
                    .items
                    .iter()
                    .position(|item| item.subject == sync_point);
                found.map(Named::Entry)
            }
        }
    }

    /// Returns these two entries, or a group or loop around one of them.
    fn instead(&mut self, first: usize, then: usize) -> (usize, usize) {
        let (mut pair, around) = ((first, then), [self.holders(first), self.holders(then)]);
        for holder in around[0].iter().copied() {
            if self.is_before(holder, pair.1) && self.dice.percent(50) {
                pair.0 = holder;
            }
        }
        for holder in around[1].iter().copied() {
            if self.is_before(pair.0, holder) && self.dice.percent(50) {
                pair.1 = holder;
            }
        }
        pair
    }

    /// Returns the loops around an entry and the groups that directly contain it.
    fn holders(&self, item: usize) -> Vec<usize> {
        let mut holders: Vec<usize> = self.case.levels(item).into_iter().flatten().collect();
        for clause in &self.case.items[item].clauses {
            if let CaseClause::In(group) = clause {
                let group = Subject::Group(*group);
                holders.extend(
                    self.case
                        .items
                        .iter()
                        .position(|item| item.subject == group),
                );
            }
        }
        holders
    }
}
