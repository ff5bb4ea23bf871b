//! Changes a built schedule: the builder holds the old declarations, and `change` adds and removes some.
//!
//! The systems stay in the schedule until the change is verified. The builder has only their declarations, so the
//! schedule is unchanged if the change fails.

use core::panic::Location;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Builder, PendingChange};
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::declarations::{DeclaredWork, matches, matches_group};
use crate::declare::problem::{BuildError, Problem};
use crate::run::schedule::Schedule;
use crate::verify::compile::{All, GroupContents, Match, Places, find, find_contents};

impl Schedule {
    /// Changes the declarations of the schedule: `change` receives a builder that holds all of them.
    ///
    /// [`Builder::at`] selects an existing node as the last item. [`Builder::remove`], [`Builder::remove_order`] and
    /// related methods remove declarations.
    ///
    /// The result is the schedule that a new builder with these declarations would build. Nodes that stay keep their
    /// state, their id ([`Builder::last`]) and their position in insertion order. Disabled nodes stay disabled. Added
    /// nodes come last in insertion order.
    ///
    /// Cost: O(nodes + orders), plus the pairs of conflicting systems that the change affects. A pair is affected if
    /// one of its systems is new, or if only a policy orders it. It is also affected if a removed item was on a path
    /// between its systems. With weak orders, or if policies order more pairs than there are nodes, a change costs as
    /// much as [`Builder::build`].
    ///
    /// Cost and memory depend on the size of the schedule, and not on past changes, because a removed node leaves
    /// nothing behind. Its [`NodeId`](crate::order::NodeId) is not reused. A declaration that names it fails with
    /// [`Problem::RemovedEarlier`].
    ///
    /// # Errors
    ///
    /// Fails as [`Builder::build`] does. The schedule is then unchanged, also if `change` panics. The next change
    /// assigns the same ids again.
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
    pub fn change(
        &mut self,
        change: impl FnOnce(&mut Builder) -> &mut Builder,
    ) -> Result<(), BuildError> {
        let id = Arc::new(());
        let mut builder = Builder {
            declarations: self.declarations.clone(),
            change: Some(PendingChange {
                id: Arc::clone(&id),
                places: self.places.clone(),
            }),
            ..Builder::default()
        };
        change(&mut builder);
        let is_this = |one: &PendingChange| Arc::ptr_eq(&one.id, &id);
        if !builder.change.as_ref().is_some_and(is_this) {
            let name = self.name().to_string();
            return Err(BuildError::new(name, vec![Problem::BuiltInChange]));
        }
        let executor = builder.declarations.rules.settings.executor.take();
        self.recompile(builder.declarations, builder.problems)?;
        if let Some(executor) = executor {
            self.set_executor(executor);
        }
        Ok(())
    }
}

impl Builder {
    /// Removes an item and all of its declarations: orders, guards, memberships and policies. For a loop, this removes
    /// its body. For a group, this removes all of its members.
    ///
    /// A declaration about two items ([`Builder::order`], or a policy) is removed with either of them. A clause of
    /// another item that refers to the removed item, for example `after`, stays. It is an error unless it matches
    /// another item. If guards name a removed condition by its type, the condition becomes implicit, as if it had never
    /// been added.
    #[track_caller]
    pub fn remove(&mut self, target: impl Into<Target>) -> &mut Self {
        match self.find(&target.into(), Location::caller()) {
            Ok(Match::Node(idx)) => self.take_back(&[idx], &HashMap::new()),
            Ok(Match::Group(group)) => {
                let mut inside = GroupContents::default();
                find_contents(self.all(), group, &mut inside);
                let GroupContents { nodes, groups } = inside;
                self.take_back(&nodes, &groups);
            }
            Err(problem) => self.problems.push(problem),
        }
        self
    }

    /// Adds nodes to the body of an existing loop. The loop becomes the last item.
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
        // Nodes of a loop body have larger indices than the loop.
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
            // The target may match another node with the same type or name.
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
            .group_marks
            .retain(|(group, _)| !groups.contains_key(&group.id));
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

    /// Returns the node or group that a target matches.
    pub(super) fn find(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Match, Problem> {
        find(self.all(), target, location)
    }

    /// All declarations so far. The names of nodes that are already in the schedule have the same module paths as in
    /// the schedule.
    pub(super) fn all(&self) -> All<'_> {
        let places = self.change.as_ref().map(|change| &change.places);
        All::declared(&self.declarations, places.unwrap_or(Places::NONE))
    }
}
