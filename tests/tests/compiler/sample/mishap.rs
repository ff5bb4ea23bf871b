//! Deliberate faults of every kind.

use super::case::{Answer, RESOURCES, Subject};
use super::random::Growing;

impl Growing {
    /// Adds a random fault, if the case fulfils its preconditions.
    pub(super) fn mishap(&mut self) {
        if self.case.entries.is_empty() {
            return;
        }
        for _ in 0..12 {
            // Faults with rare preconditions are tried more often.
            let made = match self.dice.below(24) {
                0 => self.make_cycle(),
                1 => self.make_race(),
                2 => self.make_writers_first(),
                3 => self.make_dangling(),
                4 => self.make_dangling_pair(),
                5 => self.make_ambiguous(),
                6..8 => self.make_group_in_itself(),
                8..10 => self.make_group_against_member(),
                10..13 => self.make_loop_against_body(),
                13..16 => self.make_group_over_levels(),
                16..20 => self.make_condition_deeper(),
                20 => self.make_guards_itself(),
                21..23 => self.make_guard_is_loop(),
                _ => self.make_two_policies(),
            };
            if made.is_some() {
                return;
            }
        }
    }

    fn any(&mut self) -> usize {
        self.dice.below(self.case.entries.len())
    }

    fn one(&mut self, is_wanted: impl Fn(Subject) -> bool) -> Option<usize> {
        let entries = self.entries(is_wanted);
        self.dice.one_of(&entries)
    }

    fn make_cycle(&mut self) -> Option<()> {
        let (one, other) = (self.any(), self.any());
        let (first, then) = (one.min(other), one.max(other));
        if !self.is_before(first, then) {
            return None;
        }
        self.push_order(first, then, false);
        let is_weak = self.dice.percent(30);
        self.push_order(then, first, is_weak);
        Some(())
    }

    /// Adds two systems that write the same resource, without an order.
    fn make_race(&mut self) -> Option<()> {
        let all = &self.case.systems;
        let systems = self.entries(
            |subject| matches!(subject, Subject::System(system) if all[system].instance.is_none()),
        );
        let (one, other) = (self.dice.one_of(&systems)?, self.dice.one_of(&systems)?);
        if one == other {
            return None;
        }
        let resource = self.dice.one_of(&RESOURCES)?;
        for entry in [one, other] {
            let system = self.case.entries[entry].subject.system()?;
            self.case.systems[system].takes = vec![format!("&mut {resource}")];
            let is_order = |word: &str| word.starts_with("after") || word.starts_with("before");
            let entry = &mut self.case.entries[entry];
            entry.clauses.retain(|clause| !is_order(clause.word));
        }
        if self.dice.percent(60) {
            self.case.rules.clear();
        }
        Some(())
    }

    fn make_writers_first(&mut self) -> Option<()> {
        self.make_race()?;
        self.case.rules = vec!["policy writers first".to_string()];
        Some(())
    }

    fn make_dangling(&mut self) -> Option<()> {
        let word = self
            .dice
            .one_of(&["after", "before", "after_if_conflicting"])?;
        let absent = match self.dice.below(3) {
            0 => {
                self.case.n_checkpoints += 1;
                format!("P{}", self.case.n_checkpoints - 1)
            }
            1 => {
                self.case.n_groups += 1;
                format!("G{}", self.case.n_groups - 1)
            }
            _ => self.unlisted()?,
        };
        let entry = self.any();
        self.add_clause(entry, word, absent, true);
        Some(())
    }

    /// Returns a system that is not listed. A guard may still ask it.
    fn unlisted(&mut self) -> Option<String> {
        let systems = 0..self.case.systems.len();
        let unlisted: Vec<usize> = systems
            .filter(|&one| self.case.n_entries(one) == 0)
            .collect();
        let system = self.dice.one_of(&unlisted)?;
        Some(self.case.path(system))
    }

    fn make_dangling_pair(&mut self) -> Option<()> {
        let unlisted = self.unlisted()?;
        let other = self.one(|subject| subject.system().is_some())?;
        let other = self.named(other).0;
        let policy = self.policy();
        let rule = format!("{policy} for ({other}, {unlisted})");
        self.case.rules.push(rule);
        Some(())
    }

    fn make_ambiguous(&mut self) -> Option<()> {
        let twin = self.one(|subject| matches!(subject, Subject::System(_)))?;
        let subject = self.case.entries[twin].subject;
        let other = self.any();
        if self.case.entries[other].subject == subject || self.case.entries[other].is_link {
            return None;
        }
        let path = self.case.subject_path(twin);
        self.append(subject);
        let word = self.dice.one_of(&["after", "before", "after_if_present"])?;
        self.add_clause(other, word, path, true);
        Some(())
    }

    fn make_group_in_itself(&mut self) -> Option<()> {
        let is_group = |subject| matches!(subject, Subject::Group(_));
        let (one, other) = (self.one(is_group)?, self.one(is_group)?);
        let (inside, outside) = (self.case.subject_path(one), self.case.subject_path(other));
        self.add_clause(one, "in", outside, true);
        if one != other {
            self.add_clause(other, "in", inside, true);
        }
        Some(())
    }

    fn make_group_against_member(&mut self) -> Option<()> {
        let group = self.one(|subject| matches!(subject, Subject::Group(_)))?;
        let member = self.any();
        if self.case.entries[member].is_link || self.case.level(member) != self.case.level(group) {
            return None;
        }
        if matches!(self.case.entries[member].subject, Subject::Group(_)) {
            return None;
        }
        let group = self.case.subject_path(group);
        self.add_clause(member, "in", group.clone(), true);
        let word = self.dice.one_of(&["after", "before"])?;
        self.add_clause(member, word, group, true);
        Some(())
    }

    fn make_loop_against_body(&mut self) -> Option<()> {
        let part = self.any();
        let repeat = self.case.level(part)?;
        let (repeat, is_type) = self.named(repeat);
        let word = self
            .dice
            .one_of(&["after", "before", "before_if_present"])?;
        self.add_clause(part, word, repeat, is_type);
        Some(())
    }

    fn make_group_over_levels(&mut self) -> Option<()> {
        let group = self.one(|subject| matches!(subject, Subject::Group(_)))?;
        let member = self.any();
        if self.case.level(group) == self.case.level(member) {
            return None;
        }
        let path = self.case.subject_path(group);
        self.add_clause(member, "in", path.clone(), true);
        // A member at the same level would be valid.
        let beside = self.any();
        if beside != group && self.case.level(beside) == self.case.level(group) {
            self.add_clause(beside, "in", path, true);
        }
        Some(())
    }

    fn make_condition_deeper(&mut self) -> Option<()> {
        let condition = self.one_that_answers()?;
        let guarded = self.any();
        let level = self.case.level(condition)?;
        if self.case.blocks(guarded).any(|block| block == level) || guarded == level {
            return None;
        }
        self.guard_by(guarded, condition)
    }

    fn make_guards_itself(&mut self) -> Option<()> {
        let condition = self.one_that_answers()?;
        if self.case.entries[condition].is_link {
            return None;
        }
        self.guard_by(condition, condition)
    }

    fn guard_by(&mut self, guarded: usize, condition: usize) -> Option<()> {
        let system = self.case.entries[condition].subject.system()?;
        let (name, _) = self.named(condition);
        let leaf = self.leaf(system, name);
        // Not as an attribute, because a constant could then depend on itself.
        self.add_clause(guarded, "if", leaf, false);
        Some(())
    }

    fn one_that_answers(&mut self) -> Option<usize> {
        let systems = &self.case.systems;
        let conditions = self.entries(|subject| matches!(subject, Subject::System(system) if systems[system].answer != Answer::Nothing));
        self.dice.one_of(&conditions)
    }

    fn make_guard_is_loop(&mut self) -> Option<()> {
        let repeat = self.one(|subject| matches!(subject, Subject::Loop(_)))?;
        self.case.entries[repeat].is_named = true;
        let guarded = self.any();
        let name = self.own_name(repeat);
        self.add_clause(guarded, "if", name, false);
        Some(())
    }

    fn make_two_policies(&mut self) -> Option<()> {
        let resource = self.dice.one_of(&RESOURCES)?;
        let is_pair = self.dice.percent(50);
        if is_pair {
            let systems = self.entries(|subject| subject.system().is_some());
            let (one, other) = (self.dice.one_of(&systems)?, self.dice.one_of(&systems)?);
            self.push_pair(one, other);
            self.push_pair(other, one);
        } else {
            let (one, other) = (self.policy(), self.policy());
            let rules = [one, other].map(|policy| format!("{policy} for {resource}"));
            self.case.rules.extend(rules);
        }
        Some(())
    }
}
