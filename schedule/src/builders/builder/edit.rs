//! Changes to existing declarations: selects items for further clauses, and removes declarations.

use core::panic::Location;
use std::sync::Arc;

use super::Builder;
use crate::base::formula::{Formula, Token};
use crate::base::place::NodeId;
use crate::data::order::{Group, Membership};
use crate::data::target::{Named, Target};
use crate::declare::declarations::{matches, matches_group};
use crate::declare::problem::{Problem, Undeclared};
use crate::systems::condition::{Condition, Leaf, LeafSystem};
use crate::verify::compile::Match;

/// Identifies the system of a leaf of a guard. Two leaves with equal keys evaluate the same node.
#[derive(PartialEq)]
enum GuardKey {
    Node(NodeId),
    Type(u128),
    Name(String),
    Own(*const ()),
}

impl Builder {
    /// Makes an existing node or group the last item, so that the following clauses apply to it.
    ///
    /// In [`Schedule::change`](crate::Schedule::change), this adds orders, groups and guards to an existing node.
    /// [`remove_order`](Self::remove_order), [`leave_group`](Self::leave_group), [`remove_run_if`](Self::remove_run_if)
    /// and [`clear_run_if`](Self::clear_run_if) remove declarations, including those of its attribute.
    ///
    /// [`build`](Self::build) fails if the target matches nothing or is ambiguous. The clauses that follow are then
    /// ignored.
    ///
    /// ```
    /// use schedule::{Condition, Target};
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Frames(u32);
    ///
    /// #[system]
    /// fn count(frames: &mut Frames) {
    ///     frames.0 += 1;
    /// }
    ///
    /// #[system]
    /// fn is_visible() -> bool {
    ///     false
    /// }
    ///
    /// let mut frame = Schedule::builder().add::<count>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Frames(0));
    /// frame.run(&mut resources)?;
    /// frame.change(|builder| builder.at(Target::of::<count>()).run_if(Condition::of::<is_visible>()))?;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Frames>().unwrap().0, 1);
    /// frame.change(|builder| builder.at("count").clear_run_if())?;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Frames>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn at(&mut self, target: impl Into<Target>) -> &mut Self {
        let found = self.find(&target.into(), Location::caller());
        (self.last, self.is_last_unknown) = match found {
            Ok(found) => (Some(self.target_of(&found)), false),
            Err(problem) => {
                self.problems.push(problem);
                (None, true)
            }
        };
        self
    }

    /// Removes the orders of any strength that were declared between these two items. The orders can come from
    /// [`order`](Self::order), a clause, an attribute, a chain or `schedule!`.
    ///
    /// The first item can still run before the second because of other orders: orders of their groups, or orders
    /// through other nodes.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if no such order was declared.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule::report::Relation;
    ///
    /// #[system]
    /// fn read() {}
    ///
    /// #[system(after = read)]
    /// fn draw() {}
    ///
    /// let mut frame = Schedule::builder().add::<read>().add::<draw>().build()?;
    /// frame.change(|builder| builder.remove_order("read", "draw"))?;
    /// assert!(matches!(frame.why("read", "draw")?.relation, Relation::AtOnce { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn remove_order(&mut self, first: impl Into<Target>, then: impl Into<Target>) -> &mut Self {
        let location = Location::caller();
        let Some((first, then)) = self.find_two(first.into(), then.into(), location) else {
            return self;
        };
        let mut orders = core::mem::take(&mut self.declarations.orders);
        let n_orders = orders.len();
        orders.retain(|order| !self.is(&order.first, &first) || !self.is(&order.then, &then));
        let is_any = orders.len() < n_orders;
        self.declarations.orders = orders;
        if !is_any {
            let what = Undeclared::Order {
                first: self.name_of(&first),
                then: self.name_of(&then),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }

    /// Removes the last item from this group.
    ///
    /// The item is still in the group if it is also in a group inside this one.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item was not declared to be in the group.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Group)]
    /// struct Physics;
    ///
    /// #[system(in = Physics)]
    /// fn integrate() {}
    ///
    /// #[system(in = Physics)]
    /// fn record() {}
    ///
    /// #[system(before = Physics)]
    /// fn input() {}
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add::<record>().add::<integrate>().add::<input>();
    /// builder.at("record").leave_group::<Physics>();
    /// let frame = builder.build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["record", "input", "integrate"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn leave_group<G: Group>(&mut self) -> &mut Self {
        self.leave(Membership::of::<G>())
    }

    /// Removes the last item from the group with this name. See [`leave_group`](Self::leave_group).
    #[track_caller]
    pub fn leave_group_named(&mut self, group: impl AsRef<str>) -> &mut Self {
        self.leave(Membership::named(group.as_ref()))
    }

    fn leave(&mut self, membership: Membership) -> &mut Self {
        let Membership { group, location } = membership;
        let Some(member) = self.last_or_problem(location) else {
            return self;
        };
        let memberships = &mut self.declarations.memberships;
        let n_memberships = memberships.len();
        memberships.retain(|one| one.group.id != group.id || !is_same(&one.member, &member));
        if memberships.len() == n_memberships {
            let what = Undeclared::Membership {
                member: self.name_of_last(&member),
                group: group.to_string(),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }

    /// Removes all guards of the last item, including those of its attribute. Guards of the groups and loops around it
    /// stay.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item has no guard.
    #[track_caller]
    pub fn clear_run_if(&mut self) -> &mut Self {
        self.remove_conditions_if(|_| true, Location::caller())
    }

    /// Removes the guards of the last item that are equal to this one. Two guards are equal if they expect the same
    /// answers of the same systems and combine these in the same way.
    ///
    /// A condition made from a closure is equal only to its clones.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item has no such guard.
    ///
    /// ```
    /// use schedule::Condition;
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn is_day() -> bool {
    ///     true
    /// }
    ///
    /// #[system]
    /// fn is_dry() -> bool {
    ///     false
    /// }
    ///
    /// #[derive(Resource)]
    /// struct Harvest(u32);
    ///
    /// #[system(if = (is_day, is_dry))]
    /// fn reap(harvest: &mut Harvest) {
    ///     harvest.0 += 1;
    /// }
    ///
    /// let mut field = Schedule::builder()
    ///     .add::<reap>()
    ///     .remove_run_if(Condition::of::<is_dry>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Harvest(0));
    /// field.run(&mut resources)?;
    /// assert_eq!(resources.get::<Harvest>().unwrap().0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn remove_run_if(&mut self, condition: impl Into<Condition>) -> &mut Self {
        let location = Location::caller();
        let Condition(wanted) = condition.into();
        let wanted = self.keys(&wanted);
        let guards = self.declarations.guards.iter();
        let is_equal: Vec<bool> = guards
            .map(|guard| self.keys(&guard.formula) == wanted)
            .collect();
        self.remove_conditions_if(|idx| is_equal[idx], location)
    }

    fn remove_conditions_if(
        &mut self,
        is_removed: impl Fn(usize) -> bool,
        location: &'static Location<'static>,
    ) -> &mut Self {
        let Some(guarded) = self.last_or_problem(location) else {
            return self;
        };
        let guards = core::mem::take(&mut self.declarations.guards);
        let n_guards = guards.len();
        let left = guards
            .into_iter()
            .enumerate()
            .filter(|(idx, one)| !is_same(&one.guarded, &guarded) || !is_removed(*idx));
        self.declarations.guards = left.map(|(_, one)| one).collect();
        if self.declarations.guards.len() == n_guards {
            let what = Undeclared::Guard {
                guarded: self.name_of_last(&guarded),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }

    /// Removes the policies that were set for this pair by [`policy_between`](Self::policy_between), by
    /// [`accept`](Self::accept) or in `schedule!`. The order of the two arguments does not matter.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the pair has no policy.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Score(u32);
    ///
    /// #[system]
    /// fn win(score: &mut Score) {
    ///     score.0 += 1;
    /// }
    ///
    /// #[system]
    /// fn lose(score: &mut Score) {
    ///     score.0 = 0;
    /// }
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add::<win>().add::<lose>().accept("win", "lose", "never both");
    /// let mut game = builder.build()?;
    /// let error = game.change(|builder| builder.remove_policy_between("lose", "win")).unwrap_err();
    /// assert_eq!(error.races().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn remove_policy_between(
        &mut self,
        one: impl Into<Target>,
        other: impl Into<Target>,
    ) -> &mut Self {
        let location = Location::caller();
        let Some((one, other)) = self.find_two(one.into(), other.into(), location) else {
            return self;
        };
        let mut policies = core::mem::take(&mut self.declarations.pair_policies);
        let n_policies = policies.len();
        policies.retain(|(a, b, _)| {
            let is_same = self.is(a, &one) && self.is(b, &other);
            let is_swapped = self.is(a, &other) && self.is(b, &one);
            !is_same && !is_swapped
        });
        let is_any = policies.len() < n_policies;
        self.declarations.pair_policies = policies;
        if !is_any {
            let what = Undeclared::PairPolicy {
                one: self.name_of(&one),
                other: self.name_of(&other),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }

    /// Removes the failure policies that were set for this system, loop or group.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if it has no failure policy.
    #[track_caller]
    pub fn remove_failure_policy_for(&mut self, target: impl Into<Target>) -> &mut Self {
        let location = Location::caller();
        let found = match self.find(&target.into(), location) {
            Ok(found) => found,
            Err(problem) => {
                self.problems.push(problem);
                return self;
            }
        };
        let mut policies = core::mem::take(&mut self.declarations.failure_policies);
        let n_policies = policies.len();
        policies.retain(|(target, _)| !self.is(target, &found));
        let is_any = policies.len() < n_policies;
        self.declarations.failure_policies = policies;
        if !is_any {
            let what = Undeclared::FailurePolicy {
                target: self.name_of(&found),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }

    /// Finds the items that two targets match. Records the problems and returns `None` if a target matches nothing or
    /// is ambiguous.
    fn find_two(
        &mut self,
        one: Target,
        other: Target,
        location: &'static Location<'static>,
    ) -> Option<(Match, Match)> {
        match (self.find(&one, location), self.find(&other, location)) {
            (Ok(one), Ok(other)) => Some((one, other)),
            (one, other) => {
                let problems = [one.err(), other.err()];
                self.problems.extend(problems.into_iter().flatten());
                None
            }
        }
    }

    /// Whether a target matches this node or group. Ambiguity is reported elsewhere.
    pub(super) fn is(&self, target: &Target, found: &Match) -> bool {
        match *found {
            Match::Node(idx) => matches(target, &self.declarations.nodes[idx]),
            Match::Group(group) => matches_group(target, group),
        }
    }

    /// Returns a target that matches only this node or group.
    pub(super) fn target_of(&self, found: &Match) -> Target {
        match *found {
            Match::Node(idx) => self.declarations.nodes[idx].id.into(),
            Match::Group(group) => Target(Named::Type(group)),
        }
    }

    pub(super) fn name_of(&self, found: &Match) -> String {
        match found {
            Match::Node(idx) => self.declarations.nodes[*idx].place.name.clone(),
            Match::Group(group) => group.to_string(),
        }
    }

    /// Returns the name of the last item.
    pub(super) fn name_of_last(&self, last: &Target) -> String {
        match &last.0 {
            Named::Node(id) => {
                let idx = self.all().index_of_subject(*id);
                self.name_of(&Match::Node(idx))
            }
            Named::Type(group) => group.to_string(),
            Named::Name(name) => name.to_string(),
        }
    }

    /// Returns the tokens of a guard, with the keys of its leaves.
    fn keys(&self, formula: &Formula<Leaf>) -> Vec<Token<(GuardKey, u32)>> {
        let tokens = formula.tokens().map(|token| match token {
            Token::Is(leaf) => Token::Is((self.key(&leaf.system), leaf.index)),
            Token::Not => Token::Not,
            Token::All(n) => Token::All(*n),
            Token::Any(n) => Token::Any(*n),
        });
        tokens.collect()
    }

    fn key(&self, system: &LeafSystem) -> GuardKey {
        let target = match system {
            LeafSystem::Own(own) => return GuardKey::Own(Arc::as_ptr(own).cast()),
            LeafSystem::Type(declaration) => Target(Named::Type(declaration.reference)),
            LeafSystem::Added(target) => target.clone(),
        };
        let mut nodes = self.declarations.there();
        match nodes.find(|(_, node)| matches(&target, node)) {
            Some((_, node)) => GuardKey::Node(node.id),
            None => match target.0 {
                Named::Node(id) => GuardKey::Node(id),
                Named::Type(reference) => GuardKey::Type(reference.id),
                Named::Name(name) => GuardKey::Name(name.to_string()),
            },
        }
    }
}

/// Whether both targets are the same node or the same group. Both were stored as the last item, so names do not occur.
fn is_same(one: &Target, other: &Target) -> bool {
    match (&one.0, &other.0) {
        (Named::Node(one), Named::Node(other)) => one == other,
        (Named::Type(one), Named::Type(other)) => one.id == other.id,
        _ => false,
    }
}
