//! Changing a built schedule: what was declared of it is declared once more, without what was removed and with what was
//! added.
//!
//! Until the change is verified, the systems stay in the schedule. A builder has only what is known of them, so whatever
//! becomes of that builder, the schedule is as it was.

use core::panic::Location;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Builder, Change};
use crate::compile::{All, Inside, Match, Places, find, find_inside};
use crate::declarations::{DeclaredWork, matches, matches_group};
use crate::order::Reference;
use crate::problem::{BuildError, Problem};
use crate::schedule::Schedule;
use crate::target::{Named, Target};

impl Schedule {
    /// Adds nodes, removes them and changes those that stay: what `change` says to a builder that holds all that was declared.
    ///
    /// [`Builder::at`] makes a node that is there the last one. [`Builder::remove`], [`Builder::remove_order`] and the methods
    /// beside it take declarations back.
    ///
    /// What stays keeps its state, its number ([`Builder::last`]) and its place in the order of addition; what is off
    /// stays off. What is added comes behind all others in that order. Then the schedule is the one that a builder makes
    /// that was told all this from the start.
    ///
    /// ```
    /// use schedule::{Target, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Log(Vec<String>);
    ///
    /// #[system]
    /// fn rain(log: &mut Log, mut n_runs: Local<u32>) {
    ///     *n_runs += 1;
    ///     log.0.push(format!("rain {}", *n_runs));
    /// }
    ///
    /// #[system]
    /// fn snow(log: &mut Log) {
    ///     log.0.push("snow".to_string());
    /// }
    ///
    /// let mut weather = Schedule::builder().add::<rain>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Log(Vec::new()));
    /// weather.run(&mut resources)?;
    /// weather.change(|builder| builder.add::<snow>().before_if_present::<rain>())?;
    /// weather.run(&mut resources)?;
    /// weather.change(|builder| builder.remove(Target::of::<rain>()))?;
    /// weather.run(&mut resources)?;
    /// assert_eq!(resources.get::<Log>().unwrap().0, ["rain 1", "snow", "rain 2", "snow"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Cost: O(nodes + orders), and for each pair of systems that conflict only if it is touched: one of the two is new, or
    /// nothing but a policy orders them, or what is removed was on a path between them. Where there are weak orders, or
    /// policies order more pairs than there are nodes, as [`Builder::build`].
    ///
    /// Cost and memory depend on what the schedule holds, and not on past changes: nothing is kept of a removed node. Its
    /// [`NodeId`](crate::order::NodeId) never means another node, and to name it is an error,
    /// [`Problem::RemovedEarlier`].
    ///
    /// # Errors
    ///
    /// As [`Builder::build`]. Then the schedule is as it was before, also if `change` panics. The next change gives the
    /// numbers again that this one gave.
    pub fn change(
        &mut self,
        change: impl FnOnce(&mut Builder) -> &mut Builder,
    ) -> Result<(), BuildError> {
        let id = Arc::new(());
        let mut builder = Builder {
            declarations: self.declarations.clone(),
            change: Some(Change {
                id: Arc::clone(&id),
                places: self.places.clone(),
            }),
            ..Builder::default()
        };
        change(&mut builder);
        let is_this = |one: &Change| Arc::ptr_eq(&one.id, &id);
        if !builder.change.as_ref().is_some_and(is_this) {
            let name = self.name().to_string();
            return Err(BuildError::new(name, vec![Problem::BuiltInChange]));
        }
        self.recompile(builder.declarations, builder.problems)
    }
}

impl Builder {
    /// Takes back what was added, with all that was said of it: its orders, guards, groups and policies. Of a loop what
    /// is in it goes, too, and of a group all of its members.
    ///
    /// What [`Builder::order`], or a policy, says of two goes with either. What another one says, as `after`, stays, and
    /// is an error unless something else matches it. A condition that guards name by its type stands where it does if
    /// nobody adds it.
    #[track_caller]
    pub fn remove(&mut self, target: impl Into<Target>) -> &mut Self {
        match self.find(&target.into(), Location::caller()) {
            Ok(Match::Node(idx)) => self.take_back(&[idx], &HashMap::new()),
            Ok(Match::Group(group)) => {
                let mut inside = Inside::default();
                find_inside(self.all(), group, &mut inside);
                let Inside { nodes, groups } = inside;
                self.take_back(&nodes, &groups);
            }
            Err(problem) => self.problems.push(problem),
        }
        self
    }

    /// Adds more to a loop that is there, which is then the last one.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Steps(u32);
    ///
    /// #[derive(Resource)]
    /// struct Position(u32);
    ///
    /// let mut frame = Schedule::builder()
    ///     .repeat_while_closure("is_step_due", |steps: &Steps| steps.0 > 0, |step| {
    ///         step.add_closure("count", |steps: &mut Steps| steps.0 -= 1)
    ///     })
    ///     .build()?;
    /// frame.change(|builder| {
    ///     builder.extend_loop("is_step_due", |step| {
    ///         step.add_closure("integrate", |position: &mut Position| position.0 += 10)
    ///     })
    /// })?;
    /// # let mut resources = Resources::new();
    /// # resources.insert(Steps(3));
    /// # resources.insert(Position(0));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Position>().unwrap().0, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn extend_loop(
        &mut self,
        repeat: impl Into<Target>,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let location = Location::caller();
        let named = match self.find(&repeat.into(), location) {
            Ok(Match::Node(idx)) if self.declarations.nodes[idx].is_loop() => {
                self.push_body(self.declarations.nodes[idx].id, body);
                return self;
            }
            Ok(Match::Node(idx)) => self.all().place(idx).name.clone(),
            Ok(Match::Group(group)) => group.to_string(),
            Err(problem) => {
                self.problems.push(problem);
                return self;
            }
        };
        self.problems
            .push(Problem::BodyWithoutLoop { named, location });
        self
    }

    pub(super) fn take_back(&mut self, nodes: &[usize], groups: &HashMap<u128, Reference>) {
        let mut is_gone = vec![false; self.declarations.nodes.len()];
        nodes.iter().for_each(|&idx| is_gone[idx] = true);
        // Parts come behind their loop.
        for idx in 0..is_gone.len() {
            is_gone[idx] |= self.declarations.nodes[idx]
                .level
                .is_some_and(|around| is_gone[around]);
        }
        let gone: Vec<usize> = (0..is_gone.len()).filter(|&idx| is_gone[idx]).collect();
        let mut gone_ids = Vec::with_capacity(gone.len());
        for &idx in &gone {
            let node = &mut self.declarations.nodes[idx];
            node.work = DeclaredWork::Removed;
            gone_ids.push(node.id);
        }

        let is_it = |target: &Target| match &target.0 {
            Named::Node(id) => gone_ids.binary_search(id).is_ok(),
            Named::Type(reference) => groups.contains_key(&reference.id),
            Named::Name(_) => false,
        };
        let mut orders = core::mem::take(&mut self.declarations.orders);
        let mut pairs = core::mem::take(&mut self.declarations.pair_policies);
        let mut failures = core::mem::take(&mut self.declarations.failure_policies);
        let names_it = |target: &Target| {
            let matches_removed = || {
                gone.iter()
                    .any(|&idx| matches(target, &self.declarations.nodes[idx]))
            };
            let matches_one_group = || groups.values().any(|group| matches_group(target, *group));
            // What it matches may be another one of that type or name.
            let matches_another = || {
                self.declarations
                    .there()
                    .any(|(_, node)| matches(target, node))
            };
            match target.0 {
                Named::Node(_) => is_it(target),
                Named::Type(_) | Named::Name(_) => {
                    is_it(target)
                        || (matches_removed() || matches_one_group()) && !matches_another()
                }
            }
        };
        orders.retain(|order| match &order.declared_on {
            Some(one) => !is_it(one),
            None => !names_it(&order.first) && !names_it(&order.then),
        });
        pairs.retain(|(one, other, _)| !names_it(one) && !names_it(other));
        failures.retain(|(target, _)| !names_it(target));
        (
            self.declarations.orders,
            self.declarations.pair_policies,
            self.declarations.failure_policies,
        ) = (orders, pairs, failures);
        self.declarations
            .memberships
            .retain(|one| !is_it(&one.member) && !groups.contains_key(&one.group.id));
        self.declarations.groups.retain(|one| {
            let is_inside = one.level.is_some_and(|around| is_gone[around]);
            !is_inside && !groups.contains_key(&one.reference.id)
        });
        self.declarations
            .guards
            .retain(|guard| !is_it(&guard.guarded));
        self.last = self.last.take().filter(|last| !is_it(last));
        self.declarations
            .drop_policies_of_emptied_plugins(&gone, self.plugin);
        while let Some(around) = self.level.filter(|&around| is_gone[around]) {
            self.level = self.declarations.nodes[around].level;
        }
        self.remove_idle_bridges();
    }

    /// What a target matches.
    pub(super) fn find(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Match, Problem> {
        find(self.all(), target, location)
    }

    /// The declarations so far. Nodes that the schedule already has are shown with modules, as the schedule shows them.
    pub(super) fn all(&self) -> All<'_> {
        let places = self.change.as_ref().map(|change| &change.places);
        All::declared(&self.declarations, places.unwrap_or(Places::NONE))
    }
}
