//! What is said of the whole, of a resource or of a pair, and adds nothing: policies, and what they go by.

use core::panic::Location;
use core::time::Duration;
use std::sync::Arc;

use super::Builder;
use crate::access::ResourceId;
use crate::choices::{Choices, Occurrence};
use crate::declarations::{DeclaredRules, FailurePolicyChoice, PolicyChoice};
use crate::failure::FailurePolicy;
use crate::resource::Resource;
use crate::target::Target;
use schedule_graph::Policy;

impl Builder {
    /// What becomes of pairs that conflict and that nothing orders; else [`Policy::Reject`].
    ///
    /// This replaces what was set before, and what [`schedule!`](crate::schedule!) lists for the whole schedule. A policy for
    /// a resource or for a pair counts more, also a listed one.
    pub fn policy(&mut self, policy: Policy) -> &mut Self {
        self.rules().policy = Some(policy);
        self
    }

    /// The policy of pairs that conflict on this resource.
    ///
    /// This replaces what [`schedule!`](crate::schedule!) lists for the resource. Two different policies that a builder sets
    /// for one resource are an error of [`build`](Self::build). The same is true for pairs, and for the failure of a system.
    #[track_caller]
    pub fn policy_for<T: Resource>(&mut self, policy: Policy) -> &mut Self {
        self.policy_for_resource(ResourceId::of::<T>(), policy)
    }

    /// The policy of pairs that conflict on this resource: a name, or [`ResourceId::of`] a type.
    #[track_caller]
    pub fn policy_for_resource(
        &mut self,
        resource: impl Into<ResourceId>,
        policy: Policy,
    ) -> &mut Self {
        let choice = PolicyChoice::new(policy, None);
        self.rules().choose(resource.into(), choice);
        self
    }

    /// Sets the policy of this pair, whatever it conflicts on.
    ///
    /// A group stands for each of its members: nested groups are included, and of a loop in the group its condition and all
    /// that is in its body. A rule for a group and a system concerns each member with that system, one for two groups each
    /// member of one with each member of the other, and one for a group with itself each pair in it. A node has no policy
    /// with itself. Of a loop that is named itself, the policy concerns the condition only.
    ///
    /// A rule for two nodes counts more than one that names a group. Two rules for one pair must otherwise agree:
    /// [`build`](Self::build) fails with [`Problem::TwoPolicies`](crate::error::Problem::TwoPolicies) if they do not.
    ///
    /// A rule takes memory for each member of the groups, and not for each pair.
    ///
    /// ```
    /// use schedule::{Target, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Position(f32);
    ///
    /// #[derive(Group)]
    /// struct Physics;
    ///
    /// #[system(in = Physics)]
    /// fn integrate(position: &mut Position) {
    ///     position.0 += 1.0;
    /// }
    ///
    /// #[system(in = Physics, after = integrate)]
    /// fn collide(position: &mut Position) {
    ///     position.0 = position.0.min(10.0);
    /// }
    ///
    /// #[system]
    /// fn teleport(position: &mut Position) {
    ///     position.0 = 0.0;
    /// }
    ///
    /// let frame = Schedule::builder()
    ///     .add::<integrate>()
    ///     .add::<collide>()
    ///     .add::<teleport>()
    ///     .policy_between(Target::of::<Physics>(), "teleport", Policy::InsertionOrder)
    ///     .build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["integrate", "collide", "teleport"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn policy_between(
        &mut self,
        one: impl Into<Target>,
        other: impl Into<Target>,
        policy: Policy,
    ) -> &mut Self {
        let choice = PolicyChoice::new(policy, None);
        self.declarations
            .pair_policies
            .push((one.into(), other.into(), choice));
        self
    }

    /// Accepts that this pair conflicts and that nothing orders it, for this reason. They run in insertion order.
    ///
    /// A group stands for each of its members: see [`policy_between`](Self::policy_between).
    #[track_caller]
    pub fn accept(
        &mut self,
        one: impl Into<Target>,
        other: impl Into<Target>,
        reason: impl Into<String>,
    ) -> &mut Self {
        let choice = PolicyChoice::new(Policy::Accepted, Some(reason.into()));
        self.declarations
            .pair_policies
            .push((one.into(), other.into(), choice));
        self
    }

    /// Accepts all pairs that conflict on this resource and that nothing orders, for this reason. They run in insertion order.
    #[track_caller]
    pub fn accept_for<T: Resource>(&mut self, reason: impl Into<String>) -> &mut Self {
        let choice = PolicyChoice::new(Policy::Accepted, Some(reason.into()));
        let resource = ResourceId::of::<T>();
        self.rules().choose(resource, choice);
        self
    }

    /// What systems take in a run, and the conditions of loops, as far as that is known: for [`Policy::Optimize`], which
    /// chooses orders by it.
    ///
    /// `cost_of` is asked once for each, when the schedule is built or changed. What is said last counts, and what is said
    /// to a builder that becomes a [`Plugin`](crate::Plugin) only if nothing was said to the whole before. What is not known is
    /// taken for as long as the median of what is, and if nothing is known, all systems are taken for equally long.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::{Policy, prelude::*};
    /// use schedule::report::Machine;
    ///
    /// #[derive(Resource)]
    /// struct Oven;
    ///
    /// #[derive(Resource)]
    /// struct Bread;
    ///
    /// #[system]
    /// fn roast(oven: &mut Oven) {}
    ///
    /// #[system]
    /// fn bake(oven: &mut Oven, bread: &mut Bread) {}
    ///
    /// #[system(after = bake)]
    /// fn slice(bread: &mut Bread) {}
    ///
    /// let cost_of = |system: &str| Duration::from_millis(if system == "slice" { 50 } else { 10 });
    /// let kitchen = Schedule::builder()
    ///     .policy(Policy::Optimize)
    ///     .costs(move |system| Some(cost_of(&system.name)))
    ///     .add::<roast>()
    ///     .add::<bake>()
    ///     .add::<slice>()
    ///     .build()?;
    /// let run = kitchen.simulate(Machine::new(2), cost_of);
    /// assert_eq!(run.makespan(), Duration::from_millis(60), "roast while the bread is sliced");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn costs(
        &mut self,
        cost_of: impl Fn(&Occurrence) -> Option<Duration> + Send + Sync + 'static,
    ) -> &mut Self {
        self.declarations.cost_of = Some(Arc::new(cost_of));
        self
    }

    /// Pairs that race under [`Policy::Optimize`] go as they did when these choices were made, and only others are chosen
    /// anew: so that a build does not drift with what systems cost, nor with a new version of this library.
    ///
    /// A choice that is no longer needed, or that contradicts what is declared, is not followed, and
    /// [`Schedule::warnings`](crate::Schedule::warnings) tells of it. See [`Choices`].
    pub fn pin(&mut self, choices: Choices) -> &mut Self {
        self.declarations.pinned.extend(choices);
        self
    }

    /// What a failed system means for the others; else [`FailurePolicy::SkipDependents`].
    pub fn failure_policy(&mut self, policy: FailurePolicy) -> &mut Self {
        self.rules().failure_policy = Some(policy);
        self
    }

    /// Sets what it means for the others if this system fails.
    ///
    /// Of a loop this concerns its condition. A group stands for each of its members: nested groups are included, and of a
    /// loop in the group its condition and all that is in its body. A policy for a node counts more than one for a group that
    /// it is in.
    ///
    /// [`build`](Self::build) fails with [`Problem::TwoPolicies`](crate::error::Problem::TwoPolicies) if two different policies
    /// are set for a system, or if two groups of a system have different policies and the system has none of its own.
    ///
    /// ```
    /// use schedule::{FailurePolicy, Target, prelude::*};
    ///
    /// #[derive(Resource, Default)]
    /// struct Score(u32);
    ///
    /// #[system]
    /// fn load(score: &mut Score) -> Result<(), BoxError> {
    ///     Err("no saved game".into())
    /// }
    ///
    /// #[system(after = load)]
    /// fn play(score: &mut Score) {
    ///     score.0 += 1;
    /// }
    ///
    /// let mut game = Schedule::builder()
    ///     .chain::<(load, play)>()
    ///     .failure_policy_for(Target::of::<load>(), FailurePolicy::CarryOn)
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Score>();
    /// assert!(game.run(&mut resources).is_err());
    /// assert_eq!(resources.get::<Score>().unwrap().0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn failure_policy_for(
        &mut self,
        target: impl Into<Target>,
        policy: FailurePolicy,
    ) -> &mut Self {
        let location = Location::caller();
        let choice = FailurePolicyChoice {
            policy,
            is_listed: false,
            location,
        };
        self.declarations
            .failure_policies
            .push((target.into(), choice));
        self
    }

    /// What is said of all that is in the plugin that says something now.
    pub(super) fn rules(&mut self) -> &mut DeclaredRules {
        match self.plugin {
            Some(plugin) => &mut self.declarations.plugins[plugin].rules,
            None => &mut self.declarations.rules,
        }
    }
}
