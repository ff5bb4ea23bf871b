//! What was declared of a schedule, before it is verified.

mod chain;
mod change;
mod declared;
mod failures;
mod fitting;
mod guarded;
mod guards;
mod index;
mod known;
mod listed;
mod members;
mod nodes;
mod part;
mod policies;
mod resolve;
mod resources;
mod switch;

use core::any::TypeId;
use core::fmt;
use core::panic::Location;
use core::time::Duration;
use std::sync::Arc;

pub use self::chain::Chain;
pub(crate) use self::declared::Extent;
use self::declared::{
    Declared, DeclaredGroup, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredPart,
    DeclaredRules, DeclaredWork, FailurePolicyChoice, Level, PolicyChoice,
};
pub(crate) use self::known::Known;
pub use self::part::Part;
use crate::access::ResourceId;
use crate::choices::{Choices, Occurrence};
use crate::condition::Condition;
use crate::failure::FailurePolicy;
use crate::order::{Anchor, Checkpoint, Direction, Group, Membership, Order, Strength};
use crate::output::Branches;
use crate::place::{NodeId, SystemPlace};
use crate::policy::Policy;
use crate::problem::{BuildError, OrderError, Problem};
use crate::resource::Resource;
use crate::schedule::Schedule;
use crate::system::{ClosureSystem, Declaration, DynamicSystem, Instance, System};
use crate::target::{Named, Target};

/// Collects systems and orders, and makes a [`Schedule`] of them.
///
/// Made by [`Schedule::builder`]. Calls can be chained up to `build`, or made one by one:
/// `let mut builder = Schedule::builder(); builder.add::<poison>();`. A system is a type parameter, `add::<poison>()`, and
/// no argument. What is said about "the last
/// one" is said about what was added last: a system, a checkpoint, a loop or a group. When something was added does not
/// decide whether an order finds it.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn poison(health: &mut Health) {
///     health.0 -= 1;
/// }
///
/// #[system]
/// fn heal(health: &mut Health) {
///     health.0 += 2;
/// }
///
/// // Two systems that conflict, and nothing that orders them.
/// let error = Schedule::builder().add::<poison>().add::<heal>().build().unwrap_err();
/// assert!(error.to_string().contains("race on `Health`"));
///
/// let frame = Schedule::builder().add::<poison>().after::<heal>().add::<heal>().build()?;
/// assert_eq!(frame.systems().collect::<Vec<_>>(), ["heal", "poison"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Builder {
    name: Option<String>,
    nodes: Vec<Declared>,
    groups: Vec<DeclaredGroup>,
    memberships: Vec<DeclaredMembership>,
    orders: Vec<DeclaredOrder>,
    guards: Vec<DeclaredGuard>,
    /// Outside of all parts.
    rules: DeclaredRules,
    parts: Vec<DeclaredPart>,
    pair_policies: Vec<(Target, Target, PolicyChoice)>,
    cost_of: Option<CostOf>,
    pinned: Choices,
    failure_policies: Vec<(Target, FailurePolicyChoice)>,
    /// What was added last.
    last: Option<Target>,
    /// The loop whose parts are added now.
    level: Level,
    /// The part that says something now, as index of `parts`.
    part: Option<usize>,
    problems: Vec<Problem>,
    /// The change of a schedule that this is for, if it is for one.
    change: Option<Arc<()>>,
    /// Of the schedule that is changed, the conditions that nobody added.
    implied: Vec<Declared>,
}

/// What a system takes, if that is known.
type CostOf = Arc<dyn Fn(&Occurrence) -> Option<Duration> + Send + Sync>;

impl Builder {
    /// Names the schedule, for errors and reports; else it is called `schedule`.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a system. The same one may be added several times; each has its own local state.
    pub fn add<S: System>(&mut self) -> &mut Self {
        self.add_declared(S::DECLARATION)
    }

    pub(crate) fn add_declared(&mut self, system: &Declaration) -> &mut Self {
        let place = SystemPlace {
            name: system.reference.to_string(),
            location: system.function.location(),
        };
        let work = DeclaredWork::System(system.function.instantiate().into());
        let node = self.push(place, Some(system.identity()), work);
        let proof = system.proves.as_ref();
        self.nodes[node.0].proves = proof.map(|proof| ResourceId::of_type(&proof.0));
        self.declare_all(node, system)
    }

    /// What a system says about itself, of this node.
    fn declare_all(&mut self, node: NodeId, system: &Declaration) -> &mut Self {
        for order in system.orders {
            self.declare(node.into(), order);
        }
        for &Membership { group, location } in system.groups {
            self.memberships.push(DeclaredMembership {
                member: node.into(),
                group,
                location,
            });
        }
        for &guard in system.guards {
            self.guards.push(DeclaredGuard {
                guarded: node.into(),
                formula: Condition::from(guard).0,
                part: self.part,
            });
        }
        self
    }

    /// Adds these systems, each after the one before it. The last of them is then the last one: a guard said behind it
    /// is of that system alone, and a group of all of them is what guards them all.
    #[track_caller]
    pub fn chain<C: Chain>(&mut self) -> &mut Self {
        C::add(self, None, Location::caller());
        self
    }

    /// Adds a closure. All of its parameters have their types written out.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Health(i32);
    ///
    /// let mut frame = Schedule::builder()
    ///     .add_closure("heal", |health: &mut Health| health.0 += 2)
    ///     .build()?;
    /// # let mut resources = Resources::new();
    /// # resources.insert(Health(1));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Health>().unwrap().0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn add_closure<M>(
        &mut self,
        name: impl Into<String>,
        closure: impl ClosureSystem<M>,
    ) -> &mut Self {
        let place = SystemPlace {
            name: name.into(),
            location: Location::caller(),
        };
        let work = DeclaredWork::System(closure.into_instance().into());
        self.push(place, None, work);
        self
    }

    /// Adds a system that knows what it touches only at run time.
    pub fn add_dynamic(&mut self, system: DynamicSystem) -> &mut Self {
        let place = SystemPlace {
            name: system.name.clone(),
            location: system.location,
        };
        let work = DeclaredWork::System(system.into_instance().into());
        self.push(place, None, work);
        self
    }

    /// Adds a checkpoint.
    #[track_caller]
    pub fn checkpoint<C: Checkpoint>(&mut self) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let ty = Some((TypeId::of::<C>(), C::ID));
        self.push(place, ty, DeclaredWork::Checkpoint);
        self
    }

    /// Adds a checkpoint at which the commands of the systems before it are carried out, and not at the end of the
    /// run: what they insert is there for the systems behind it.
    ///
    /// Nothing else runs meanwhile. So a flush conflicts with every system, and each has to be ordered against it, if
    /// by a policy only.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Level(u32);
    ///
    /// #[derive(Checkpoint)]
    /// struct Loaded;
    ///
    /// #[system(before = Loaded)]
    /// fn load(mut commands: Commands<Inserts<Level>>) {
    ///     commands.insert(Level(1));
    /// }
    ///
    /// #[system(after = Loaded)]
    /// fn play(level: &mut Level) {
    ///     level.0 += 1;
    /// }
    ///
    /// let mut game = Schedule::builder().add::<load>().flush::<Loaded>().add::<play>().build()?;
    /// let mut resources = Resources::new();
    /// game.run(&mut resources)?;
    /// assert_eq!(resources.get::<Level>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn flush<C: Checkpoint>(&mut self) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let ty = Some((TypeId::of::<C>(), C::ID));
        self.push(place, ty, DeclaredWork::Flush);
        self
    }

    /// Speaks of a group: what follows is said about it. A group that has members need not be added.
    #[track_caller]
    pub fn group<G: Group>(&mut self) -> &mut Self {
        self.groups.push(DeclaredGroup {
            reference: G::REFERENCE,
            level: self.level,
            location: Location::caller(),
        });
        self.last = Some(Target::of::<G>());
        self
    }

    /// Gives the last one another name: for reports, and for orders by name. A group keeps the name of its type.
    #[track_caller]
    pub fn named(&mut self, name: impl Into<String>) -> &mut Self {
        let last = self.last_or_problem(Location::caller());
        if let Some(Target(Named::Node(node))) = last {
            let node = &mut self.nodes[node.0];
            node.place.name = name.into();
            node.is_renamed = true;
        }
        self
    }

    /// The last one that was added, to be named in orders where its type fits several; `None` for a group, or if
    /// nothing was added.
    pub fn last(&self) -> Option<NodeId> {
        match self.last {
            Some(Target(Named::Node(node))) => Some(node),
            _ => None,
        }
    }

    /// The last one comes after `A`.
    #[track_caller]
    pub fn after<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after::<A>())
    }

    /// The last one comes before `A`.
    #[track_caller]
    pub fn before<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before::<A>())
    }

    /// The last one comes after `A`, if that is there.
    #[track_caller]
    pub fn after_if_present<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after_if_present::<A>())
    }

    /// The last one comes before `A`, if that is there.
    #[track_caller]
    pub fn before_if_present<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before_if_present::<A>())
    }

    /// The last one comes after `A`, if they conflict: a weak order.
    #[track_caller]
    pub fn after_if_conflicting<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after_if_conflicting::<A>())
    }

    /// The last one comes before `A`, if they conflict: a weak order.
    #[track_caller]
    pub fn before_if_conflicting<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before_if_conflicting::<A>())
    }

    /// The last one is in this group.
    #[track_caller]
    pub fn in_group<G: Group>(&mut self) -> &mut Self {
        let Membership { group, location } = Membership::of::<G>();
        if let Some(member) = self.last_or_problem(location) {
            self.memberships.push(DeclaredMembership {
                member,
                group,
                location,
            });
        }
        self
    }

    /// The last one runs only if this condition is true: a system, a checkpoint, a group, a loop or a condition.
    ///
    /// Said several times, all have to hold. What does not run still keeps its place in every order. See
    /// [`Condition`].
    #[track_caller]
    pub fn only_if<C: System>(&mut self) -> &mut Self {
        self.guard(Condition::of::<C>())
    }

    /// The last one runs only if this holds.
    #[track_caller]
    pub fn guard(&mut self, condition: impl Into<Condition>) -> &mut Self {
        if let Some(guarded) = self.last_or_problem(Location::caller()) {
            let Condition(formula) = condition.into();
            self.guards.push(DeclaredGuard {
                guarded,
                formula,
                part: self.part,
            });
        }
        self
    }

    /// Adds a loop: the condition is asked; if it is true, the parts run once, as a schedule of their own; then it is
    /// asked again. The loop is then the last one, and is called as the condition is.
    ///
    /// Seen from outside, a loop is one node that touches all that its condition and its parts touch: an order between
    /// a part and something outside is an order of the loop. Orders name it by its condition, `after = is_step_due`, and
    /// what the attribute of its condition says is said of the loop. The condition is not shared with guards.
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
    /// #[system]
    /// fn is_step_due(steps: &Steps) -> bool {
    ///     steps.0 > 0
    /// }
    ///
    /// #[system]
    /// fn count(steps: &mut Steps) {
    ///     steps.0 -= 1;
    /// }
    ///
    /// #[system]
    /// fn integrate(position: &mut Position) {
    ///     position.0 += 10;
    /// }
    ///
    /// let mut frame = Schedule::builder()
    ///     .repeat_while::<is_step_due>(|step| step.add::<count>().add::<integrate>())
    ///     .at_most(100)
    ///     .build()?;
    /// # let mut resources = Resources::new();
    /// # resources.insert(Steps(3));
    /// # resources.insert(Position(0));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Position>().unwrap().0, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn repeat_while<C: System>(
        &mut self,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let condition = C::DECLARATION;
        let instance = condition.function.instantiate();
        let node = self.push_loop(place, Some(condition.identity()), instance, parts);
        match node {
            Some(node) => self.declare_all(node, condition),
            None => self,
        }
    }

    /// Adds a loop with a closure as its condition; see [`Builder::repeat_while`].
    #[track_caller]
    pub fn repeat_while_closure<M>(
        &mut self,
        name: impl Into<String>,
        condition: impl ClosureSystem<M>,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: name.into(),
            location: Location::caller(),
        };
        self.push_loop(place, None, condition.into_instance(), parts);
        self
    }

    /// Adds a loop whose condition knows what it touches only at run time; see [`Builder::repeat_while`].
    pub fn repeat_while_dynamic(
        &mut self,
        condition: DynamicSystem,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: condition.name.clone(),
            location: condition.location,
        };
        self.push_loop(place, None, condition.into_instance(), parts);
        self
    }

    /// The parts of the last one, a loop, run this often at most in one pass: if its condition is true once more, the
    /// loop has failed.
    #[track_caller]
    pub fn at_most(&mut self, n: u64) -> &mut Self {
        let location = Location::caller();
        match self.last_or_problem(location) {
            None => {}
            Some(Target(Named::Node(NodeId(idx)))) if self.nodes[idx].is_loop() => {
                if let DeclaredWork::Loop { at_most, .. } = &mut self.nodes[idx].work {
                    *at_most = Some(n);
                }
            }
            Some(_) => self.problems.push(Problem::NoLoop { location }),
        }
        self
    }

    /// One before the other: nodes by [`Builder::last`], types by [`Target::of`], or systems by their name.
    #[track_caller]
    pub fn order(&mut self, first: impl Into<Target>, then: impl Into<Target>) -> &mut Self {
        self.push_order(first.into(), then.into(), Strength::Always);
        self
    }

    /// One before the other, if they conflict: a weak order.
    #[track_caller]
    pub fn order_if_conflicting(
        &mut self,
        first: impl Into<Target>,
        then: impl Into<Target>,
    ) -> &mut Self {
        self.push_order(first.into(), then.into(), Strength::IfConflicting);
        self
    }

    /// One before the other, if nothing that was declared so far says otherwise.
    ///
    /// # Errors
    ///
    /// If it closes a cycle with the orders so far, or names something that was not added; then nothing has changed.
    /// Cost: O(nodes + orders).
    #[track_caller]
    pub fn try_order(
        &mut self,
        first: impl Into<Target>,
        then: impl Into<Target>,
    ) -> Result<&mut Self, OrderError> {
        self.push_order(first.into(), then.into(), Strength::Always);
        match resolve::contradiction(self) {
            None => Ok(self),
            Some(problem) => {
                self.orders.pop();
                Err(problem)
            }
        }
    }

    /// What becomes of pairs that conflict and that nothing orders; else [`Policy::Reject`].
    pub fn policy(&mut self, policy: Policy) -> &mut Self {
        self.rules().policy = Some(policy);
        self
    }

    /// The policy of pairs that conflict on this resource.
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
        self.rules()
            .resource_policies
            .push((resource.into(), choice));
        self
    }

    /// The policy of this pair, whatever it conflicts on. Of a loop it concerns its condition; the parts have their own.
    #[track_caller]
    pub fn policy_between(
        &mut self,
        one: impl Into<Target>,
        other: impl Into<Target>,
        policy: Policy,
    ) -> &mut Self {
        let choice = PolicyChoice::new(policy, None);
        self.pair_policies.push((one.into(), other.into(), choice));
        self
    }

    /// Accepts that this pair conflicts and that nothing orders it, for this reason. They run as added.
    #[track_caller]
    pub fn accept(
        &mut self,
        one: impl Into<Target>,
        other: impl Into<Target>,
        reason: impl Into<String>,
    ) -> &mut Self {
        let choice = PolicyChoice::new(Policy::Accepted, Some(reason.into()));
        self.pair_policies.push((one.into(), other.into(), choice));
        self
    }

    /// Accepts all pairs that conflict on this resource and that nothing orders, for this reason. They run as added.
    #[track_caller]
    pub fn accept_for<T: Resource>(&mut self, reason: impl Into<String>) -> &mut Self {
        let choice = PolicyChoice::new(Policy::Accepted, Some(reason.into()));
        let resource = ResourceId::of::<T>();
        self.rules().resource_policies.push((resource, choice));
        self
    }

    /// What systems take in a run, and the conditions of loops, as far as that is known: for [`Policy::AsFits`], which
    /// chooses orders by it.
    ///
    /// `cost_of` is asked once for each, when the schedule is built or changed. What is said last counts, and what is said
    /// to a builder that becomes a [`Part`] only if nothing was said to the whole before. What is not known is taken for as long as the median
    /// of what is, and if nothing is known, all systems are taken for equally long.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::{Machine, Policy, prelude::*};
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
    ///     .policy(Policy::AsFits)
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
        self.cost_of = Some(Arc::new(cost_of));
        self
    }

    /// Pairs that race under [`Policy::AsFits`] go as they did when these choices were made, and only others are chosen
    /// anew: so that a build does not drift with what systems cost, nor with a new version of this library.
    ///
    /// A choice that is no longer needed, or that contradicts what is declared, is not followed, and
    /// [`Schedule::warnings`] tells of it. See [`Choices`].
    pub fn pin(&mut self, choices: Choices) -> &mut Self {
        self.pinned.extend(choices);
        self
    }

    /// What a failed system means for the others; else [`FailurePolicy::SkipDependents`].
    pub fn failure_policy(&mut self, policy: FailurePolicy) -> &mut Self {
        self.rules().failure_policy = Some(policy);
        self
    }

    /// What it means for the others if this system fails.
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
        let choice = FailurePolicyChoice { policy, location };
        self.failure_policies.push((target.into(), choice));
        self
    }

    /// The schedule. The builder is empty afterwards, also after an error.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once: cycles, races, references to what was never added or that fit several,
    /// groups that cannot be.
    pub fn build(&mut self) -> Result<Schedule, BuildError> {
        resolve::build(core::mem::take(self))
    }

    /// What is said of all that is in the part that says something now.
    fn rules(&mut self) -> &mut DeclaredRules {
        match self.part {
            Some(part) => &mut self.parts[part].rules,
            None => &mut self.rules,
        }
    }

    /// What was added and not removed, by number.
    fn there(&self) -> impl Iterator<Item = (usize, &Declared)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.is_there())
    }

    /// Whether a node has this number.
    fn has(&self, idx: usize) -> bool {
        self.nodes.get(idx).is_some_and(Declared::is_there)
    }

    fn push(
        &mut self,
        place: SystemPlace,
        ty: Option<(TypeId, u128)>,
        work: DeclaredWork,
    ) -> NodeId {
        let node = NodeId(self.nodes.len());
        self.nodes.push(Declared {
            place,
            level: self.level,
            ty,
            work,
            proves: None,
            is_renamed: false,
            part: self.part,
            implied: None,
            rank: None,
        });
        self.last = Some(node.into());
        node
    }

    fn push_loop(
        &mut self,
        place: SystemPlace,
        ty: Option<(TypeId, u128)>,
        condition: Instance,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> Option<NodeId> {
        let branches = condition.branches();
        let wanted = Branches::of::<bool>();
        if branches.is_none_or(|branches| branches.ty != wanted.ty) {
            self.problems.push(Problem::WrongAnswer {
                location: place.location,
                condition: place.clone(),
                answers: branches.map(|branches| (branches.type_name)().to_string()),
                wanted: (wanted.type_name)().to_string(),
            });
        }
        let work = DeclaredWork::Loop {
            condition: condition.into(),
            at_most: None,
        };
        let node = self.push(place, ty, work);
        self.push_parts(node, parts)
    }

    /// Adds parts to a loop, which is then the last one, if it is still there.
    fn push_parts(
        &mut self,
        node: NodeId,
        parts: impl FnOnce(&mut Self) -> &mut Self,
    ) -> Option<NodeId> {
        let outside = self.level.replace(node.0);
        self.last = None;
        parts(self);
        // What is around it may have been removed meanwhile; and nothing is there if the parts were built instead of
        // declared.
        let around = |level: &usize| self.nodes.get(*level).and_then(|node| node.level);
        let mut outwards = core::iter::successors(outside, around);
        self.level = outwards.find(|&around| self.has(around));
        let is_there = self.nodes.get(node.0).is_some_and(Declared::is_loop);
        self.last = is_there.then(|| node.into());
        is_there.then_some(node)
    }

    #[track_caller]
    fn push_order(&mut self, first: Target, then: Target, strength: Strength) {
        self.orders.push(DeclaredOrder {
            said_of: None,
            first,
            then,
            strength,
            location: Location::caller(),
        });
    }

    fn declare(&mut self, this: Target, order: &Order) {
        let other = Target(Named::Type(order.other));
        let (first, then) = match order.direction {
            Direction::After => (other, this.clone()),
            Direction::Before => (this.clone(), other),
        };
        self.orders.push(DeclaredOrder {
            said_of: Some(this),
            first,
            then,
            strength: order.strength,
            location: order.location,
        });
    }

    fn declare_last(&mut self, order: &Order) -> &mut Self {
        if let Some(last) = self.last_or_problem(order.location) {
            self.declare(last, order);
        }
        self
    }

    fn last_or_problem(&mut self, location: &'static Location<'static>) -> Option<Target> {
        if self.last.is_none() {
            self.problems.push(Problem::NothingAdded { location });
        }
        self.last.clone()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.there().map(|(_, node)| &node.place.name);
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("nodes", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Schedule {
    /// Starts an empty schedule.
    pub fn builder() -> Builder {
        Builder::default()
    }
}
