//! Random cases. Most of their orders follow the order of addition, so that many cases are accepted.

mod guards;
mod mishap;
mod settled;

use super::case::{Case, CaseClause, Item, Leaf, Named, Ruling, Subject, Type};
use super::dice::Dice;
use super::pool::{CONDITIONS, HEAVY, HEAVY_CONDITIONS, LIGHT, RESOURCES, SELECTORS, WHOLE, Work};
use crate::data::failure_policy::FailurePolicy;
use crate::data::order::{Direction, Strength};
use schedule_graph::Policy;

/// Checkpoints of greater numbers are never added.
const MAX_CHECKPOINTS: usize = 9;
const MAX_DEPTH: usize = 3;

/// A random case.
pub(super) fn case(dice: Dice) -> Case {
    let mut growing = Growing {
        dice,
        case: Case {
            types: Vec::new(),
            items: Vec::new(),
            rules: Vec::new(),
        },
        n_groups: 0,
        n_checkpoints: 0,
        heaviness: 0,
    };
    growing.grow();
    growing.case
}

/// A case under construction.
struct Growing {
    dice: Dice,
    case: Case,
    n_groups: usize,
    n_checkpoints: usize,
    /// The percentage of systems that write. A tenth of these systems access everything.
    heaviness: usize,
}

impl Growing {
    fn grow(&mut self) {
        let n_items = 1 + match self.dice.below(100) {
            0..90 => self.dice.below(12),
            _ => self.dice.below(40),
        };
        let policy = self.policy();
        self.heaviness = 15 + self.dice.below(30);
        if n_items > 12 {
            self.heaviness /= 3;
        }
        if policy != Policy::Reject || self.dice.percent(20) {
            self.case.rules.push(Ruling::Schedule(policy));
        }
        // Unlisted conditions come first, because attributes ask only systems with smaller numbers.
        for _ in 0..self.dice.below(4) {
            let is_selector = self.dice.percent(25);
            self.push_condition(is_selector);
            self.say_of_implied();
        }
        let n_implied = self.case.types.len();
        self.fill(n_items, None, 0);
        self.join_groups();
        if self.dice.percent(60) {
            self.chain();
        }
        self.order();
        self.guard(n_implied);
        self.name_implied(n_implied);
        self.rule();
        if self.dice.percent(80) {
            self.settle();
        }
        if self.dice.percent(50) {
            let n_mishaps = if self.dice.percent(70) {
                1
            } else {
                1 + self.dice.below(4)
            };
            for _ in 0..n_mishaps {
                self.mishap();
            }
        }
        self.move_to_attributes();
    }

    fn policy(&mut self) -> Policy {
        match self.dice.below(100) {
            0..50 => Policy::Reject,
            50..62 => Policy::WritersFirst,
            62..80 => Policy::InsertionOrder,
            80..90 => Policy::Optimize,
            _ => Policy::Accepted,
        }
    }

    fn push_type(&mut self, works: &'static [Work]) -> usize {
        let work = &works[self.dice.below(works.len())];
        let clauses = Vec::new();
        self.case.types.push(Type { work, clauses });
        self.case.types.len() - 1
    }

    fn push_condition(&mut self, is_selector: bool) -> usize {
        let is_heavy = self.dice.below(200) < self.heaviness;
        self.push_type(match (is_selector, is_heavy) {
            (true, _) => SELECTORS,
            (false, true) => HEAVY_CONDITIONS,
            (false, false) => CONDITIONS,
        })
    }

    fn push_system(&mut self) -> usize {
        let works = match self.dice.below(100) {
            die if die < self.heaviness / 10 => WHOLE,
            die if die < self.heaviness => HEAVY,
            _ => LIGHT,
        };
        self.push_type(works)
    }

    fn push(&mut self, subject: Subject, around: Option<usize>) -> usize {
        let clauses = Vec::new();
        self.case.items.push(Item {
            subject,
            around,
            clauses,
        });
        self.case.items.len() - 1
    }

    fn say(&mut self, item: usize, clause: CaseClause) {
        self.case.items[item].clauses.push(clause);
    }

    /// Adds clauses to the attribute of the last type, which is an unlisted condition.
    fn say_of_implied(&mut self) {
        let ty = self.case.types.len() - 1;
        let mut clauses = Vec::new();
        if ty > 0 && self.dice.percent(40) {
            let asked: Vec<Leaf> = (0..ty).map(|ty| self.leaf(ty, None)).collect();
            clauses.push(CaseClause::If(self.formula(&asked, 2)));
        }
        if self.dice.percent(10) {
            clauses.push(CaseClause::In(self.dice.below(3)));
        }
        if self.dice.percent(15) {
            let other = match self.dice.below(3) {
                0 => Named::Checkpoint(0),
                1 => Named::Group(self.dice.below(3)),
                _ => Named::Type(ty + 1),
            };
            let strength = match self.dice.below(4) {
                0 => Strength::IfConflicting,
                1 => Strength::Always,
                _ => Strength::IfPresent,
            };
            clauses.push(CaseClause::Order(self.direction(), strength, other));
        }
        self.case.types[ty].clauses = clauses;
    }

    fn direction(&mut self) -> Direction {
        if self.dice.percent(50) {
            Direction::After
        } else {
            Direction::Before
        }
    }

    /// Adds entries to this level and to loops in it, until the case has `n_items` entries.
    fn fill(&mut self, n_items: usize, around: Option<usize>, depth: usize) {
        while self.case.items.len() < n_items {
            match self.dice.below(100) {
                0..18 if depth < MAX_DEPTH => {
                    let ty = self.push_condition(false);
                    let repeat = self.push(Subject::Loop(ty), around);
                    if self.dice.percent(20) {
                        self.say(repeat, CaseClause::AtMost(5));
                    }
                    let n_plugins = self.dice.below(6);
                    let n_items = n_items.min(self.case.items.len() + n_plugins);
                    self.fill(n_items, Some(repeat), depth + 1);
                }
                18..24 if self.n_checkpoints < MAX_CHECKPOINTS => {
                    let checkpoint = match self.dice.below(10) {
                        0 => Subject::ApplyCommands(self.n_checkpoints),
                        _ => Subject::Checkpoint(self.n_checkpoints),
                    };
                    self.push(checkpoint, around);
                    self.n_checkpoints += 1;
                }
                24..32 => {
                    let again = self.n_groups > 0 && self.dice.percent(10);
                    let group = if again {
                        self.dice.below(self.n_groups)
                    } else {
                        self.n_groups
                    };
                    let item = self.push(Subject::Group(group), around);
                    if self.dice.percent(15) {
                        let policies = [FailurePolicy::CarryOn, FailurePolicy::Stop];
                        let policy = self.dice.one_of(&policies).expect("there are policies");
                        self.say(item, CaseClause::OnFailure(policy));
                    }
                    self.n_groups = self.n_groups.max(group + 1);
                }
                32..46 => {
                    let is_selector = self.dice.percent(30);
                    let ty = self.push_condition(is_selector);
                    self.push(Subject::System(ty), around);
                }
                46..49 => {
                    let last = self.case.items.last().map(|item| item.subject);
                    if let Some(Subject::System(ty)) = last {
                        self.push(Subject::System(ty), around);
                    }
                }
                _ => {
                    let ty = self.push_system();
                    let item = self.push(Subject::System(ty), around);
                    if self.dice.percent(3) {
                        self.say(item, CaseClause::OnFailure(FailurePolicy::CarryOn));
                    }
                }
            }
        }
    }

    /// Returns the level of a group, which is the level of its first entry.
    fn level_of(&self, group: usize) -> Option<usize> {
        let spoken = |item: &&Item| item.subject == Subject::Group(group);
        self.case
            .items
            .iter()
            .find(spoken)
            .and_then(|item| item.around)
    }

    fn join_groups(&mut self) {
        if self.dice.percent(15) {
            // A group that no entry names.
            self.n_groups += 1;
        }
        for item in 0..self.case.items.len() {
            let Item {
                subject, around, ..
            } = self.case.items[item];
            let inner = match subject {
                Subject::Group(group) => group,
                _ => usize::MAX,
            };
            // An empty group may be a member of a group at another level.
            let is_anywhere = inner != usize::MAX && self.dice.percent(15);
            let fits =
                |&group: &usize| group < inner && (is_anywhere || self.level_of(group) == around);
            let groups: Vec<usize> = (0..self.n_groups).filter(fits).collect();
            let chance = if inner == usize::MAX { 40 } else { 50 };
            if self.dice.percent(chance)
                && let Some(group) = self.dice.one_of(&groups)
            {
                self.say(item, CaseClause::In(group));
            }
        }
    }

    /// Orders most entries after the previous entry at their level.
    fn chain(&mut self) {
        let chance = 50 + self.dice.below(50);
        for then in 1..self.case.items.len() {
            let around = self.case.items[then].around;
            let mut earlier = (0..then)
                .rev()
                .filter(|&first| self.case.items[first].around == around);
            if let Some(first) = earlier.next()
                && self.is_before(first, then)
                && self.dice.percent(chance)
            {
                self.push_order(first, then, Strength::Always);
            }
        }
    }

    fn order(&mut self) {
        let n_items = self.case.items.len();
        for _ in 0..self.dice.below(1 + n_items) {
            let (one, other) = (self.dice.below(n_items), self.dice.below(n_items));
            let (first, then) = if self.is_before(one, other) {
                (one, other)
            } else {
                (other, one)
            };
            if !self.is_before(first, then) && !self.dice.percent(2) {
                continue;
            }
            let strength = self.strength();
            self.push_order(first, then, strength);
        }
        if self.dice.percent(10) {
            let absent = Named::Checkpoint(MAX_CHECKPOINTS);
            let clause = CaseClause::Order(self.direction(), Strength::IfPresent, absent);
            let item = self.dice.below(n_items);
            self.say(item, clause);
        }
    }

    fn strength(&mut self) -> Strength {
        match self.dice.below(10) {
            0..6 => Strength::Always,
            6 => Strength::IfPresent,
            _ => Strength::IfConflicting,
        }
    }

    /// Adds an order as a clause of one of the two entries.
    fn push_order(&mut self, first: usize, then: usize, strength: Strength) {
        let direction = self.direction();
        let (this, other) = match direction {
            Direction::After => (then, first),
            Direction::Before => (first, then),
        };
        let other = self.name(other);
        self.say(this, CaseClause::Order(direction, strength, other));
    }

    /// Returns the name of an entry. May use its type if no other entry has this type.
    fn name(&mut self, item: usize) -> Named {
        let subject = self.case.items[item].subject;
        let is_only = subject.ty().is_none_or(|ty| self.case.n_entries(ty) == 1);
        if is_only && self.dice.percent(70) {
            subject.named()
        } else {
            Named::Entry(item)
        }
    }

    /// Returns the first and the last entry that an entry covers: a loop with its body, or the members of a group.
    fn span(&self, item: usize) -> (usize, usize) {
        let items = &self.case.items;
        let span_of = |item: usize| {
            let is_inside = |&later: &usize| self.case.levels(later).contains(&Some(item));
            (item, (item..items.len()).rfind(is_inside).unwrap_or(item))
        };
        let Subject::Group(group) = items[item].subject else {
            return span_of(item);
        };
        let mut groups = vec![group];
        let mut span: Option<(usize, usize)> = None;
        let mut n_done = 0;
        while n_done < groups.len() {
            let is_in = |item: &&Item| {
                let is_in = |clause: &CaseClause| matches!(clause, CaseClause::In(one) if *one == groups[n_done]);
                item.clauses.iter().any(is_in)
            };
            let members: Vec<usize> = (0..items.len())
                .filter(|&one| is_in(&&items[one]))
                .collect();
            for member in members {
                match items[member].subject {
                    Subject::Group(group) if groups.contains(&group) => {}
                    Subject::Group(group) => groups.push(group),
                    _ => {
                        let (first, last) = span_of(member);
                        let known = span.unwrap_or((first, last));
                        span = Some((known.0.min(first), known.1.max(last)));
                    }
                }
            }
            n_done += 1;
        }
        span.unwrap_or((item, item))
    }

    /// Returns whether all of `first` was added before all of `then`.
    fn is_before(&self, first: usize, then: usize) -> bool {
        self.span(first).1 < self.span(then).0
    }

    fn rule(&mut self) {
        let items = self.case.items.iter().enumerate();
        let has_policy =
            |subject: Subject| subject.ty().is_some() || matches!(subject, Subject::Group(_));
        let systems: Vec<usize> = items
            .filter(|(_, item)| has_policy(item.subject))
            .map(|(idx, _)| idx)
            .collect();
        for resource in 0..RESOURCES.len() {
            if self.dice.percent(12) {
                let policy = self.policy();
                self.case.rules.push(Ruling::Resource(resource, policy));
                if self.dice.percent(10) {
                    self.case.rules.push(Ruling::Resource(resource, policy));
                }
            }
        }
        while !systems.is_empty() && self.dice.percent(30) {
            let one = self.dice.one_of(&systems).expect("a system");
            let other = self.dice.one_of(&systems).expect("a system");
            if one != other || self.dice.percent(10) {
                let pair = (self.name(one), self.name(other));
                let policy = self.policy();
                self.case.rules.push(Ruling::Pair(pair.0, pair.1, policy));
            }
        }
        if self.dice.percent(5) {
            self.case.rules.push(Ruling::Failure(FailurePolicy::Stop));
        }
    }

    /// Moves some clauses of entries to attributes.
    fn move_to_attributes(&mut self) {
        for item in 0..self.case.items.len() {
            let Some(ty) = self.case.items[item].subject.ty() else {
                continue;
            };
            if self.case.n_entries(ty) > 1 && !self.dice.percent(10) {
                continue;
            }
            let clauses = core::mem::take(&mut self.case.items[item].clauses);
            for clause in clauses {
                let can_move = match &clause {
                    CaseClause::Order(_, _, other) => !matches!(other, Named::Entry(_)),
                    CaseClause::In(_) => true,
                    CaseClause::If(formula) => {
                        let mut leaves = formula.leaves().into_iter();
                        leaves.all(|leaf| leaf.entry.is_none() && leaf.ty < ty)
                    }
                    CaseClause::AtMost(_) | CaseClause::OnFailure(_) => false,
                };
                if can_move && self.dice.percent(40) {
                    self.case.types[ty].clauses.push(clause);
                } else {
                    self.say(item, clause);
                }
            }
        }
    }
}
