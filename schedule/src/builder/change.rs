//! Changing a built schedule: what was declared of it is declared once more, without what was removed and with what was
//! added.
//!
//! Until the change is verified, the systems stay in the schedule. A builder has only what is known of them, so whatever
//! becomes of that builder, the schedule is as it was.

use core::panic::Location;
use std::collections::HashMap;
use std::sync::Arc;

use super::declared::{DeclaredWork, Extent};
use super::index::{Index, fits, fits_group};
use super::known::Had;
use super::members::distinct_groups;
use super::{Builder, resolve};
use crate::cost::Cost;
use crate::order::Reference;
use crate::place::NodeId;
use crate::problem::{BuildError, Problem};
use crate::schedule::Schedule;
use crate::target::{Named, Target};

/// What a target fits: a node by its number, or a group.
pub(super) enum Found {
    Node(usize),
    Group(Reference),
}

/// What is in a group, directly or through groups.
#[derive(Default)]
pub(crate) struct Inside {
    pub(super) nodes: Vec<usize>,
    /// By identity; the group itself, too.
    groups: HashMap<u128, Reference>,
}

impl Schedule {
    /// Adds nodes, and removes them: what `change` says to a builder that holds all that was declared.
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
    /// # Errors
    ///
    /// As [`Builder::build`]. Then the schedule is as it was before, also if `change` panics.
    pub fn change(
        &mut self,
        change: impl FnOnce(&mut Builder) -> &mut Builder,
    ) -> Result<(), BuildError> {
        let this = Arc::new(());
        let mut builder = self.declared.again(self.extent);
        builder.change = Some(Arc::clone(&this));
        change(&mut builder);
        let is_this = |one: &Arc<()>| Arc::ptr_eq(one, &this);
        if !builder.change.as_ref().is_some_and(is_this) {
            let name = self.name().to_string();
            return Err(BuildError::new(name, vec![Problem::BuiltInChange]));
        }
        let extent = builder.extent();
        let had = Had {
            plan: &self.plan,
            known: &self.known,
        };
        let verified = resolve::verify(&mut builder, Some(had))?;

        // Nothing is refused any more.
        let stay = builder.there();
        let stay = stay.filter_map(|(idx, node)| Some((idx, node.rank?)));
        let stay: Vec<(usize, u32)> = stay.collect();
        let costs: Vec<Cost> = self.execution.costs().collect();
        let mut changed = verified.into_schedule(builder, extent, &mut self.nodes.by_rank);
        changed.nodes.set_pool(self.nodes.pool().cloned());
        let mut known = vec![None; changed.nodes.by_rank.len()];
        for (idx, old) in stay {
            let rank = changed.declared.nodes[idx].rank.expect("it was built");
            known[rank as usize] = costs.get(old as usize).copied();
            if !self.nodes.outcomes.is_enabled(old) {
                changed.nodes.set_enabled(rank, false);
            }
        }
        core::mem::swap(&mut changed.execution, &mut self.execution);
        let (nodes, plan) = (&changed.nodes, &changed.plan);
        changed.execution.renew(&known, nodes, plan);
        *self = changed;
        Ok(())
    }
}

impl Builder {
    /// Takes back what was added, with all that was said of it: its orders, guards, groups and policies. Of a loop what
    /// is in it goes, too, and of a group all of its members.
    ///
    /// What [`Builder::order`], or a policy, says of two goes with either. What another one says, as `after`, stays, and
    /// is an error unless something else fits it. A condition that guards name by its type stands where it does if
    /// nobody adds it.
    #[track_caller]
    pub fn remove(&mut self, target: impl Into<Target>) -> &mut Self {
        match self.find(&target.into(), Location::caller()) {
            Ok(Found::Node(idx)) => self.take_back(&[idx], &HashMap::new()),
            Ok(Found::Group(group)) => {
                let mut inside = Inside::default();
                self.find_inside(group, &mut inside);
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
    ///     builder.parts_of("is_step_due", |step| {
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
    pub fn parts_of(
        &mut self,
        repeat: impl Into<Target>,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let location = Location::caller();
        let named = match self.find(&repeat.into(), location) {
            Ok(Found::Node(idx)) if self.nodes[idx].is_loop() => {
                self.push_parts(NodeId(idx), parts);
                return self;
            }
            Ok(Found::Node(idx)) => self.nodes[idx].place.name.clone(),
            Ok(Found::Group(group)) => group.to_string(),
            Err(problem) => {
                self.problems.push(problem);
                return self;
            }
        };
        self.problems
            .push(Problem::PartsOfNoLoop { named, location });
        self
    }

    fn take_back(&mut self, nodes: &[usize], groups: &HashMap<u128, Reference>) {
        let mut is_gone = vec![false; self.nodes.len()];
        nodes.iter().for_each(|&idx| is_gone[idx] = true);
        // Parts come behind their loop.
        for idx in 0..is_gone.len() {
            is_gone[idx] |= self.nodes[idx].level.is_some_and(|around| is_gone[around]);
        }
        let gone: Vec<usize> = (0..is_gone.len()).filter(|&idx| is_gone[idx]).collect();
        for &idx in &gone {
            self.nodes[idx].work = DeclaredWork::Removed;
        }

        let is_it = |target: &Target| match &target.0 {
            Named::Node(NodeId(idx)) => is_gone.get(*idx) == Some(&true),
            Named::Type(reference) => groups.contains_key(&reference.id),
            Named::Name(_) => false,
        };
        let mut orders = core::mem::take(&mut self.orders);
        let mut pairs = core::mem::take(&mut self.pair_policies);
        let mut failures = core::mem::take(&mut self.failure_policies);
        let names_it = |target: &Target| {
            let fits_gone = || gone.iter().any(|&idx| fits(target, idx, &self.nodes[idx]));
            let fits_group = || groups.values().any(|group| fits_group(target, *group));
            // What it fits may be another one of that type or name.
            let fits_other = || self.there().any(|(idx, node)| fits(target, idx, node));
            match target.0 {
                Named::Node(_) => is_it(target),
                Named::Type(_) | Named::Name(_) => {
                    is_it(target) || (fits_gone() || fits_group()) && !fits_other()
                }
            }
        };
        orders.retain(|order| match &order.said_of {
            Some(one) => !is_it(one),
            None => !names_it(&order.first) && !names_it(&order.then),
        });
        pairs.retain(|(one, other, _)| !names_it(one) && !names_it(other));
        failures.retain(|(target, _)| !names_it(target));
        (self.orders, self.pair_policies, self.failure_policies) = (orders, pairs, failures);
        self.memberships
            .retain(|one| !is_it(&one.member) && !groups.contains_key(&one.group.id));
        self.groups.retain(|one| {
            let is_inside = one.level.is_some_and(|around| is_gone[around]);
            !is_inside && !groups.contains_key(&one.reference.id)
        });
        self.guards.retain(|guard| !is_it(&guard.guarded));
        self.last = self.last.take().filter(|last| !is_it(last));
        while let Some(around) = self.level.filter(|&around| is_gone[around]) {
            self.level = self.nodes[around].level;
        }
    }

    /// What a target fits; O(1) for a number, and else O(nodes + memberships). Allocates only to tell of an error.
    pub(super) fn find(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Found, Problem> {
        let only = match &target.0 {
            Named::Node(NodeId(idx)) => self.has(*idx).then_some(Found::Node(*idx)),
            Named::Type(_) | Named::Name(_) => {
                let mut nodes = self.there().filter(|(idx, node)| fits(target, *idx, node));
                let groups = self.groups.iter().map(|one| one.reference);
                let groups = groups.chain(self.memberships.iter().map(|one| one.group));
                let mut groups = groups.filter(|group| fits_group(target, *group));
                // A group may be spoken of several times.
                let group = groups.next();
                let other = group.and_then(|group| groups.find(|other| other.id != group.id));
                match (nodes.next(), nodes.next(), group, other) {
                    (Some((idx, _)), None, None, None) => Some(Found::Node(idx)),
                    (None, None, Some(group), None) => Some(Found::Group(group)),
                    _ => None,
                }
            }
        };
        if let Some(only) = only {
            return Ok(only);
        }
        let groups = distinct_groups(self);
        let index = Index::with_names(self, &groups, true);
        let found = index.find(target, location)?;
        Ok(match found {
            super::index::Found::Node(idx) => Found::Node(idx),
            super::index::Found::Group(idx) => Found::Group(groups[idx].0),
        })
    }

    /// Finds what is in a group, in place of what was found before. O(memberships × how deep groups nest).
    pub(super) fn find_inside(&self, group: Reference, inside: &mut Inside) {
        inside.groups.clear();
        inside.groups.insert(group.id, group);
        let mut n_known = 0;
        while n_known < inside.groups.len() {
            n_known = inside.groups.len();
            inside.nodes.clear();
            for membership in &self.memberships {
                if inside.groups.contains_key(&membership.group.id) {
                    match &membership.member.0 {
                        Named::Node(NodeId(idx)) => inside.nodes.push(*idx),
                        Named::Type(group) => {
                            inside.groups.insert(group.id, *group);
                        }
                        Named::Name(_) => unreachable!("what is added last joins"),
                    }
                }
            }
        }
    }

    /// What was declared up to here, without the systems, which a schedule has; and what that has of conditions that
    /// nobody added.
    pub(super) fn again(&self, extent: Extent) -> Self {
        Self {
            name: self.name.clone(),
            nodes: self.nodes[..extent.n_nodes].to_vec(),
            groups: self.groups.clone(),
            memberships: self.memberships[..extent.n_memberships].to_vec(),
            orders: self.orders[..extent.n_orders].to_vec(),
            guards: self.guards[..extent.n_guards].to_vec(),
            rules: self.rules.clone(),
            parts: self.parts.clone(),
            pair_policies: self.pair_policies.clone(),
            cost_of: self.cost_of.clone(),
            pinned: self.pinned.clone(),
            failure_policies: self.failure_policies.clone(),
            last: None,
            level: None,
            part: None,
            problems: Vec::new(),
            change: None,
            implied: self.nodes[extent.n_nodes..].to_vec(),
        }
    }

    /// How much was declared so far.
    pub(super) fn extent(&self) -> Extent {
        Extent {
            n_nodes: self.nodes.len(),
            n_orders: self.orders.len(),
            n_memberships: self.memberships.len(),
            n_guards: self.guards.len(),
        }
    }

    /// As it was then.
    pub(super) fn truncate(&mut self, extent: Extent) {
        self.nodes.truncate(extent.n_nodes);
        self.orders.truncate(extent.n_orders);
        self.memberships.truncate(extent.n_memberships);
        self.guards.truncate(extent.n_guards);
    }
}
