//! Deliberate faults of every kind.

use super::super::super::fault::ListingFaultKind;
use super::super::case::{CaseClause, Formula, Leaf, Named, Ruling, Subject};
use super::super::pool::{HEAVY, MESSAGES, RESOURCES};
use super::{Growing, MAX_CHECKPOINTS};
use crate::data::order::Strength;
use schedule_graph::Policy;

/// Faults with rare preconditions occur several times.
const KINDS: &[ListingFaultKind] = &[
    ListingFaultKind::Cycle,
    ListingFaultKind::Race,
    ListingFaultKind::WritersFirst,
    ListingFaultKind::Dangling,
    ListingFaultKind::Ambiguous,
    ListingFaultKind::GroupInItself,
    ListingFaultKind::GroupAgainstMember,
    ListingFaultKind::LoopAgainstBody,
    ListingFaultKind::GroupOverLevels,
    ListingFaultKind::ConditionDeeper,
    ListingFaultKind::GuardsItself,
    ListingFaultKind::GuardIsLoop,
    ListingFaultKind::TwoPolicies,
    ListingFaultKind::ReaderBetweenWriters,
    ListingFaultKind::ReaderBetweenWriters,
    ListingFaultKind::GroupAgainstMember,
    ListingFaultKind::GroupAgainstMember,
    ListingFaultKind::LoopAgainstBody,
    ListingFaultKind::GroupOverLevels,
    ListingFaultKind::ConditionDeeper,
    ListingFaultKind::ConditionDeeper,
];

impl Growing {
    /// Adds a random fault. Tries several kinds until the case fulfils the preconditions of one.
    pub(super) fn mishap(&mut self) {
        for _ in 0..8 {
            let kind = self.dice.one_of(KINDS).expect("there are kinds");
            if self.make(kind).is_some() {
                return;
            }
        }
    }

    fn make(&mut self, kind: ListingFaultKind) -> Option<()> {
        match kind {
            ListingFaultKind::Cycle => self.make_cycle(),
            ListingFaultKind::Race => self.make_race(Policy::Reject),
            ListingFaultKind::WritersFirst => self.make_race(Policy::WritersFirst),
            ListingFaultKind::Dangling => self.make_dangling(),
            ListingFaultKind::Ambiguous => self.make_ambiguous(),
            ListingFaultKind::GroupInItself => self.make_group_in_itself(),
            ListingFaultKind::GroupAgainstMember => self.make_group_against_member(),
            ListingFaultKind::LoopAgainstBody => self.make_loop_against_body(),
            ListingFaultKind::GroupOverLevels => self.make_group_over_levels(),
            ListingFaultKind::ConditionDeeper => self.make_condition_deeper(),
            ListingFaultKind::GuardsItself => self.make_guards_itself(),
            ListingFaultKind::GuardIsLoop => self.make_guard_is_loop(),
            ListingFaultKind::TwoPolicies => self.make_two_policies(),
            ListingFaultKind::ReaderBetweenWriters => self.make_reader_between(),
        }
    }

    /// Returns the entries for which `is_wanted` returns true.
    fn entries(&self, is_wanted: impl Fn(usize, Subject) -> bool) -> Vec<usize> {
        let items = self.case.items.iter().enumerate();
        let wanted = items.filter(|(idx, item)| is_wanted(*idx, item.subject));
        wanted.map(|(idx, _)| idx).collect()
    }

    fn entry(&mut self, is_wanted: impl Fn(usize, Subject) -> bool) -> Option<usize> {
        let entries = self.entries(is_wanted);
        self.dice.one_of(&entries)
    }

    fn any(&mut self) -> usize {
        self.dice.below(self.case.items.len())
    }

    /// Orders two entries in both directions.
    fn make_cycle(&mut self) -> Option<()> {
        let (first, then) = (self.any(), self.any());
        if !self.is_before(first, then) {
            return None;
        }
        self.push_order(first, then, Strength::Always);
        let strength = self.strength();
        self.push_order(then, first, strength);
        Some(())
    }

    /// Adds two systems at one level that write the same resource.
    fn make_race(&mut self, policy: Policy) -> Option<()> {
        let answers_not = |growing: &Self, subject: Subject| {
            let ty = subject.ty();
            ty.is_some_and(|ty| growing.case.types[ty].work.definition.branches().is_none())
        };
        let systems = self.entries(|_, subject| answers_not(self, subject));
        let (one, other) = (self.dice.one_of(&systems)?, self.dice.one_of(&systems)?);
        if one == other {
            return None;
        }
        let work = &HEAVY[self.dice.below(HEAVY.len())];
        for item in [one, other] {
            let ty = self.case.items[item].subject.ty()?;
            self.case.types[ty].work = work;
            let is_order = |clause: &mut CaseClause| !matches!(clause, CaseClause::Order(..));
            self.case.items[item].clauses.retain_mut(is_order);
        }
        let (one, other) = (self.name(one), self.name(other));
        match self.dice.below(3) {
            0 => self.case.rules.push(Ruling::Pair(one, other, policy)),
            1 => {
                self.case.rules.clear();
                self.case.rules.push(Ruling::Schedule(policy));
            }
            _ => {
                let is_resource = |rule: &Ruling| matches!(rule, Ruling::Resource(..));
                self.case.rules.retain(|rule| !is_resource(rule));
                let of_each =
                    (0..RESOURCES.len()).map(|resource| Ruling::Resource(resource, policy));
                self.case.rules.extend(of_each);
            }
        }
        Some(())
    }

    /// Lets three systems write, read and write messages, in the order of addition.
    fn make_reader_between(&mut self) -> Option<()> {
        let answers_not = |growing: &Self, subject: Subject| {
            let ty = subject.ty();
            ty.is_some_and(|ty| growing.case.types[ty].work.definition.branches().is_none())
        };
        let systems = self.entries(|_, subject| answers_not(self, subject));
        let mut three: Vec<usize> = (0..3)
            .map(|_| self.dice.one_of(&systems))
            .collect::<Option<_>>()?;
        three.sort_unstable();
        three.dedup();
        let [first, reader, last] = three[..] else {
            return None;
        };
        let mut types = Vec::new();
        for (item, work) in [(first, 0), (reader, 1), (last, 0)] {
            let ty = self.case.items[item].subject.ty()?;
            if types.contains(&ty) {
                return None;
            }
            types.push(ty);
            self.case.types[ty].work = &MESSAGES[work];
        }
        self.push_order(first, reader, Strength::Always);
        self.push_order(reader, last, Strength::Always);
        Some(())
    }

    fn make_dangling(&mut self) -> Option<()> {
        let absent = match self.dice.below(3) {
            0 => Named::Type(self.push_system()),
            1 => Named::Group(self.n_groups + 1),
            _ => Named::Checkpoint(MAX_CHECKPOINTS),
        };
        let item = self.any();
        if let Named::Type(_) = absent
            && self.dice.percent(40)
            && self.case.items[item].subject.ty().is_some()
        {
            let one = self.name(item);
            self.case
                .rules
                .push(Ruling::Pair(one, absent, Policy::InsertionOrder));
        } else {
            let clause = CaseClause::Order(self.direction(), self.strength(), absent);
            self.say(item, clause);
        }
        Some(())
    }

    /// Lists a type for a second time, and names it.
    fn make_ambiguous(&mut self) -> Option<()> {
        let item = self.entry(|_, subject| !matches!(subject, Subject::Group(_)))?;
        let subject = self.case.items[item].subject;
        let is_condition = self.is_condition(subject);
        let around = self.case.items[item].around;
        // The new entry comes last, so it is outside of all loops unless the last entry is in one.
        let last_levels = self.case.levels(self.case.items.len() - 1);
        let around = if last_levels.contains(&around) {
            around
        } else {
            None
        };
        self.push(subject, around);
        let by = self.any();
        match subject {
            Subject::System(ty) if is_condition && self.dice.percent(60) => {
                let formula = Formula::Is(self.leaf(ty, None));
                self.say(by, CaseClause::If(formula));
            }
            Subject::System(_) | Subject::Loop(_) if self.dice.percent(30) => {
                let rule =
                    Ruling::Pair(Named::Entry(item), subject.named(), Policy::InsertionOrder);
                self.case.rules.push(rule);
            }
            _ => {
                let clause = CaseClause::Order(self.direction(), self.strength(), subject.named());
                self.say(by, clause);
            }
        }
        Some(())
    }

    fn is_condition(&self, subject: Subject) -> bool {
        match subject {
            Subject::System(ty) => self.case.types[ty].work.definition.branches().is_some(),
            _ => false,
        }
    }

    fn make_group_in_itself(&mut self) -> Option<()> {
        let is_group = |_, subject| matches!(subject, Subject::Group(_));
        let (one, other) = (self.entry(is_group)?, self.entry(is_group)?);
        for (member, holder) in [(one, other), (other, one)] {
            if let Subject::Group(group) = self.case.items[holder].subject {
                self.say(member, CaseClause::In(group));
            }
        }
        Some(())
    }

    fn make_group_against_member(&mut self) -> Option<()> {
        let item = self.any();
        let joined = self.case.items[item]
            .clauses
            .iter()
            .filter_map(|clause| match clause {
                CaseClause::In(group) => Some(*group),
                _ => None,
            });
        let joined: Vec<usize> = joined.collect();
        let group = Named::Group(self.dice.one_of(&joined)?);
        let clause = CaseClause::Order(self.direction(), self.strength(), group);
        self.say(item, clause);
        Some(())
    }

    fn make_loop_against_body(&mut self) -> Option<()> {
        let items = &self.case.items;
        let part = self.entries(|idx, _| items[idx].around.is_some());
        let part = self.dice.one_of(&part)?;
        let loops: Vec<usize> = self.case.levels(part).into_iter().flatten().collect();
        let repeat = self.dice.one_of(&loops)?;
        let pair = if self.dice.percent(50) {
            (part, repeat)
        } else {
            (repeat, part)
        };
        let strength = self.strength();
        self.push_order(pair.0, pair.1, strength);
        Some(())
    }

    fn make_group_over_levels(&mut self) -> Option<()> {
        let group = self.entry(|_, subject| matches!(subject, Subject::Group(_)))?;
        let Subject::Group(number) = self.case.items[group].subject else {
            return None;
        };
        let items = &self.case.items;
        let is_elsewhere = |idx: usize, _| items[idx].around != items[group].around;
        let elsewhere = self.entries(is_elsewhere);
        let item = self.dice.one_of(&elsewhere)?;
        self.say(item, CaseClause::In(number));
        Some(())
    }

    fn make_condition_deeper(&mut self) -> Option<()> {
        let items = &self.case.items;
        let conditions =
            self.entries(|idx, subject| self.is_condition(subject) && items[idx].around.is_some());
        let condition = self.dice.one_of(&conditions)?;
        let around = self.case.items[condition].around;
        let outside = self.entries(|idx, _| !self.case.levels(idx).contains(&around));
        let item = self.dice.one_of(&outside)?;
        self.say_asks(item, condition);
        Some(())
    }

    fn make_guards_itself(&mut self) -> Option<()> {
        let conditions = self.entries(|_, subject| self.is_condition(subject));
        let item = self.dice.one_of(&conditions)?;
        self.say_asks(item, item);
        Some(())
    }

    fn make_guard_is_loop(&mut self) -> Option<()> {
        let item = self.any();
        let levels = self.case.levels(item);
        let items = &self.case.items;
        let is_loop = |idx: usize, subject: Subject| {
            let is_around = levels.contains(&items[idx].around);
            matches!(subject, Subject::Loop(_)) && is_around
        };
        let repeat = self.entries(is_loop);
        let repeat = self.dice.one_of(&repeat)?;
        let ty = self.case.items[repeat].subject.ty()?;
        let formula = Formula::Is(self.leaf(ty, Some(repeat)));
        self.say(item, CaseClause::If(formula));
        Some(())
    }

    /// Guards an entry by another one.
    fn say_asks(&mut self, item: usize, condition: usize) {
        let ty = self.case.items[condition]
            .subject
            .ty()
            .expect("a condition is a system");
        let by_type = self.case.n_entries(ty) == 1 && self.dice.percent(50);
        let leaf = self.leaf(ty, (!by_type).then_some(condition));
        let formula = self.wrapped(leaf);
        self.say(item, CaseClause::If(formula));
    }

    fn wrapped(&mut self, leaf: Leaf) -> Formula {
        match self.dice.below(3) {
            0 => Formula::Not(Box::new(Formula::Is(leaf))),
            _ => Formula::Is(leaf),
        }
    }

    fn make_two_policies(&mut self) -> Option<()> {
        let (policy, other) = (self.policy(), self.policy());
        if policy == other {
            return None;
        }
        let resource = self.dice.below(RESOURCES.len());
        let has_policy =
            |subject: Subject| subject.ty().is_some() || matches!(subject, Subject::Group(_));
        let systems = self.entries(|_, subject| has_policy(subject));
        let one = self.dice.one_of(&systems)?;
        let with = self.dice.one_of(&systems)?;
        for policy in [policy, other] {
            let rule = if one == with {
                Ruling::Resource(resource, policy)
            } else if self.dice.percent(50) {
                Ruling::Pair(self.name(one), self.name(with), policy)
            } else {
                Ruling::Pair(self.name(with), self.name(one), policy)
            };
            self.case.rules.push(rule);
        }
        Some(())
    }
}
