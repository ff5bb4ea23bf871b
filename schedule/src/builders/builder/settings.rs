//! Settings for the whole schedule, for resources and for pairs: policies, costs and pinned choices.

use core::panic::Location;
use core::time::Duration;
use std::sync::Arc;

use super::Builder;
use crate::data::access::ResourceId;
use crate::data::executor_choice::Executor;
use crate::data::failure_policy::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
use crate::data::resource::Resource;
use crate::data::target::Target;
use crate::declare::choices::{Choices, Occurrence};
use crate::declare::declarations::{DeclaredRules, FailurePolicyChoice, PolicyChoice};
use schedule_graph::Policy;

impl Builder {
    /// Sets the policy for conflicting pairs that no order covers. The default is [`Policy::Reject`].
    ///
    /// This replaces the previous setting, and the setting that [`schedule!`](crate::schedule!) lists for the whole
    /// schedule. A policy for a resource or for a pair takes precedence, also a listed one.
    pub fn policy(&mut self, policy: Policy) -> &mut Self {
        self.rules().settings.policy = Some(policy);
        self
    }

    /// Sets the policy for pairs that conflict on this resource.
    ///
    /// This replaces the setting that [`schedule!`](crate::schedule!) lists for the resource. If a builder sets two
    /// different policies for one resource, [`build`](Self::build) fails. The same applies to pairs, and to failure
    /// policies of systems.
    #[track_caller]
    pub fn policy_for<T: Resource>(&mut self, policy: Policy) -> &mut Self {
        self.policy_for_resource(ResourceId::of::<T>(), policy)
    }

    /// Sets the policy for pairs that conflict on this resource, which is given as a name or as [`ResourceId::of`] a
    /// type.
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

    /// Sets the policy for this pair, on all resources.
    ///
    /// A group stands for each of its members. This includes the members of nested groups. For a loop in the group, it
    /// includes the condition and all nodes of the body. If a loop itself is one of the arguments, the policy applies
    /// only to its condition.
    ///
    /// - For a group and a node, the policy applies to each member with that node.
    /// - For two groups, it applies to each member of one with each member of the other.
    /// - For a group with itself, it applies to each pair of members.
    ///
    /// A node has no policy with itself. A policy for two nodes takes precedence over one that names a group.
    /// Otherwise, two different policies for one pair are an error: [`build`](Self::build) fails with
    /// [`Problem::TwoPolicies`](crate::error::Problem::TwoPolicies).
    ///
    /// A policy takes memory for each member of the groups, and not for each pair.
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

    /// Accepts that this pair conflicts without an order, for this reason. The two run in insertion order.
    ///
    /// A group stands for each of its members. See [`policy_between`](Self::policy_between).
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

    /// Accepts all pairs that conflict on this resource without an order, for this reason. They run in insertion order.
    #[track_caller]
    pub fn accept_for<T: Resource>(&mut self, reason: impl Into<String>) -> &mut Self {
        let choice = PolicyChoice::new(Policy::Accepted, Some(reason.into()));
        let resource = ResourceId::of::<T>();
        self.rules().choose(resource, choice);
        self
    }

    /// Sets the costs of systems and of loop conditions, which [`Policy::Optimize`] uses to choose orders.
    ///
    /// `cost_of` is called once for each system and condition when the schedule is built or changed. It returns `None`
    /// if the cost is unknown. An unknown cost counts as the median of the known ones. If no cost is known, all systems
    /// count as equally expensive.
    ///
    /// The last call replaces previous ones. The setting of a builder that becomes a [`Plugin`](crate::Plugin) applies
    /// only if the including builder has no setting yet.
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

    /// Pins the order of pairs that race under [`Policy::Optimize`] to these choices. Only other pairs are optimized.
    ///
    /// With pinned choices, a build does not depend on the costs of systems or on the version of this library.
    ///
    /// A choice that is no longer needed, or that contradicts the declarations, is ignored, and
    /// [`Schedule::warnings`](crate::Schedule::warnings) reports it. See [`Choices`].
    pub fn pin(&mut self, choices: Choices) -> &mut Self {
        self.declarations.pinned.extend(choices);
        self
    }

    /// Sets the effect of a failed system on the others. The default is [`FailurePolicy::SkipDependents`].
    pub fn failure_policy(&mut self, policy: FailurePolicy) -> &mut Self {
        self.rules().settings.on_failure = Some(policy);
        self
    }

    /// Sets the effect of a resource that is missing when a run starts. The default is [`MissingPolicy::Refuse`].
    ///
    /// This replaces the previous setting, and the setting that [`schedule!`](crate::schedule!) lists. The setting of a
    /// [`Plugin`](crate::Plugin) takes precedence for the systems of the plugin. See also
    /// [`skip_if_missing`](Self::skip_if_missing).
    pub fn missing_policy(&mut self, policy: MissingPolicy) -> &mut Self {
        self.rules().settings.on_missing = Some(policy);
        self
    }

    /// Sets the effect of commands that have no effect. The default is [`MissedCommandPolicy::Warn`].
    ///
    /// This replaces the previous setting, and the setting that [`schedule!`](crate::schedule!) lists. The setting of a
    /// [`Plugin`](crate::Plugin) takes precedence for the systems of the plugin. See also
    /// [`fail_if_missed`](Self::fail_if_missed).
    pub fn missed_command_policy(&mut self, policy: MissedCommandPolicy) -> &mut Self {
        self.rules().settings.on_missed_commands = Some(policy);
        self
    }

    /// Sets the effect of a failure of this system on the others.
    ///
    /// For a loop, the policy applies to its condition. A group stands for each of its members. This includes the
    /// members of nested groups. For a loop in the group, it includes the condition and all nodes of the body. A policy
    /// for a node takes precedence over one for a group that contains it.
    ///
    /// [`build`](Self::build) fails with [`Problem::TwoPolicies`](crate::error::Problem::TwoPolicies) if two different
    /// policies are set for a system. It also fails if two groups of a system have different policies and the system
    /// itself has none.
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

    /// Sets whether `for_each` systems may share sweeps, in which they run together, chunk by chunk. The default is
    /// `true`. See [`macro@crate::system`].
    ///
    /// A sweep does not change components, resources or commands. But effects that systems do not declare may come in a
    /// different order: logs, atomics and channels. Without sweeps, all entities of a system are done before a system
    /// after it begins.
    ///
    /// The last call replaces previous ones, and the setting that [`schedule!`](crate::schedule!) lists. In a
    /// [`Plugin`](crate::Plugin), the call applies to the systems of the plugin. A system shares sweeps only if the
    /// system itself, all plugins around it, and the schedule permit it.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn starve() {}
    ///
    /// let frame = Schedule::builder().sweep(false).add::<starve>().build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep(&mut self, is_on: bool) -> &mut Self {
        self.rules().settings.sweep = Some(is_on);
        self
    }

    /// Sets the executor of the schedule. The default is [`Executor::Auto`].
    ///
    /// This replaces the previous setting, and the setting that [`schedule!`](crate::schedule!) lists. In a
    /// [`Plugin`](crate::Plugin), the call has no effect: the schedule that includes the plugin decides. In a
    /// [change](crate::Schedule::change), it does the same as [`Schedule::set_executor`](crate::Schedule::set_executor).
    ///
    /// ```
    /// use schedule::{Executor, prelude::*};
    ///
    /// #[system]
    /// fn control() {}
    ///
    /// schedule! {
    ///     Controller {
    ///         executor serial,
    ///         control,
    ///     }
    /// }
    ///
    /// assert_eq!(Controller::new().executor(), Executor::Serial);
    /// let controller = Controller::builder().executor(Executor::Parallel).build()?;
    /// assert_eq!(controller.executor(), Executor::Parallel);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn executor(&mut self, executor: Executor) -> &mut Self {
        self.rules().settings.executor = Some(executor);
        self
    }

    /// The rules of the current plugin, or of the whole schedule.
    pub(super) fn rules(&mut self) -> &mut DeclaredRules {
        match self.plugin {
            Some(plugin) => &mut self.declarations.plugins[plugin].rules,
            None => &mut self.declarations.rules,
        }
    }
}
