//! The builder: records declarations and builds a schedule from them.

mod bridge;
mod chain;
mod change;
mod debug;
mod edit;
mod groups;
mod listed;
mod loops;
mod marks;
mod plugin;
mod settings;
mod states;
mod trial;

use core::any::TypeId;
use core::panic::Location;
use std::sync::Arc;

pub use self::chain::Chain;
pub use self::plugin::Plugin;
use crate::base::place::{NodeId, SystemPlace};
use crate::data::order::{Anchor, Checkpoint, Order, Strength};
use crate::data::target::{Named, Target};
use crate::declare::declarations::{
    Declarations, Declared, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredWork, Level,
};
use crate::declare::problem::{BuildError, OrderError, Problem};
use crate::run::schedule::Schedule;
use crate::systems::condition::Condition;
use crate::systems::system::{ClosureSystem, Declaration, DynamicSystem, System};
use crate::verify::compile::{Places, compile, contradiction};
use crate::verify::explain::build_error;

/// Collects systems and orders, and builds a [`Schedule`] from them.
///
/// [`Schedule::builder`] returns an empty builder. Calls can be chained up to `build`, or made one by one:
/// `let mut builder = Schedule::builder(); builder.add::<poison>();`. A system is passed as a type parameter,
/// `add::<poison>()`, and not as an argument.
///
/// Many methods apply to the *last item*: the system, checkpoint, loop or group that was added last, or that
/// [`at`](Self::at) selected. Orders can refer to items that are added later.
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
    declarations: Declarations,
    /// The last item. `None` if nothing was added, or if the last item is unknown.
    last: Option<Target>,
    /// [`at`](Self::at) did not find its target. The problem is already recorded.
    is_last_unknown: bool,
    /// The loop whose body receives new nodes.
    level: Level,
    /// The plugin that is being declared, as an index into `plugins`.
    plugin: Option<usize>,
    problems: Vec<Problem>,
    /// The change of a schedule that this builder belongs to, if any.
    change: Option<PendingChange>,
}

/// A change of a schedule.
struct PendingChange {
    /// Distinguishes this change from others.
    id: Arc<()>,
    /// The names of the nodes of the schedule.
    places: Places,
}

impl Builder {
    /// Sets the name of the schedule for errors and reports. The default is `schedule`.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.declarations.name = Some(name.into());
        self
    }

    /// Adds a system. The same system can be added several times. Each copy has its own local state.
    ///
    /// A system is passed as a type: `add::<poison>()`, not `add(poison)`. If the compiler reports
    /// `constant provided when a type was expected` or `expected type, found function`, add `#[system]` to the
    /// function.
    pub fn add<S: System>(&mut self /* as in `add::<poison>()` */) -> &mut Self {
        self.add_declared(S::DECLARATION)
    }

    pub(crate) fn add_declared(&mut self, system: &Declaration) -> &mut Self {
        let node = self.push_node(Declared::of_system(system));
        self.declare_all(node, system)
    }

    /// Adds the declarations in the attribute of a system for this node.
    fn declare_all(&mut self, node: NodeId, system: &Declaration) -> &mut Self {
        let declared = self.declarations.node_mut(node);
        declared.observer = system.observer;
        declared.marks |= system.marks;
        let this = node.into();
        let orders = DeclaredOrder::all_of(&this, system);
        self.declarations.orders.extend(orders);
        let memberships = DeclaredMembership::all_of(&this, system);
        self.declarations.memberships.extend(memberships);
        let guards = DeclaredGuard::all_of(&this, system, self.plugin);
        self.declarations.guards.extend(guards);
        self
    }

    /// Adds these systems, each ordered after the one before it.
    ///
    /// The last system becomes the last item. A following `run_if` guards only that system. To guard all systems of the
    /// chain, put them into a group.
    #[track_caller]
    pub fn chain<C: Chain>(&mut self) -> &mut Self {
        C::add(self, None, Location::caller());
        self
    }

    /// Adds a closure as a system. The types of all its parameters must be written out.
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
    pub fn add_closure<M, C: ClosureSystem<M>>(
        &mut self,
        name: impl Into<String>,
        closure: C,
    ) -> &mut Self {
        const { C::DISTINCT }
        let place = SystemPlace {
            name: name.into(),
            location: Location::caller(),
        };
        let work = DeclaredWork::System(closure.into_instance());
        self.push(place, None, work);
        self
    }

    /// Adds a system whose accesses are known only at run time.
    ///
    /// If the system declares that it reads and writes the same resource, the write counts, and [`Schedule::warnings`]
    /// reports the resource. If it folds into a resource that it also reads or writes, the schedule cannot be built. See
    /// [`DynamicSystem`].
    pub fn add_dynamic(&mut self, system: DynamicSystem) -> &mut Self {
        let place = SystemPlace {
            name: system.name.clone(),
            location: system.location,
        };
        let (reads_of_written, marks) = (system.reads_of_written().into(), system.marks);
        self.check_folds(&place, &system);
        let work = DeclaredWork::System(system.into_instance());
        let node = self.push(place, None, work);
        let declared = self.declarations.node_mut(node);
        declared.reads_of_written = reads_of_written;
        declared.marks = marks;
        self
    }

    /// Records a problem for each resource that a system folds into and also reads or writes.
    fn check_folds(&mut self, place: &SystemPlace, system: &DynamicSystem) {
        let resources = system.conflicting_folds().into_iter();
        self.problems
            .extend(resources.map(|resource| Problem::FoldAndUse {
                system: place.clone(),
                resource,
            }));
    }

    /// Adds a checkpoint.
    #[track_caller]
    pub fn checkpoint<C: Checkpoint>(&mut self) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let ty = Some((TypeId::of::<C>(), C::ID));
        let node = self.push(place, ty, DeclaredWork::Checkpoint);
        self.declarations.node_mut(node).path = Some(C::REFERENCE.path);
        self
    }

    /// Adds a sync point: a checkpoint that applies the commands of the systems before it.
    ///
    /// Systems after the sync point see the inserted resources. Commands that no sync point applies are applied at the
    /// end of the run.
    ///
    /// Most programs need no such call, because an order includes commands. If commands of a system may change something that a later
    /// system uses, and a declared order puts one before the other, the build inserts a sync point between the two. A declared sync
    /// point serves such a pair if declared orders put it between the two, and if it has no condition that the later system lacks.
    ///
    /// A sync point runs exclusively, so it conflicts with every system. Each system must be ordered against it, at
    /// least by a policy. A condition that is not added explicitly runs after a sync point if declared orders put all
    /// systems that it guards after that sync point.
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
    /// let mut game = Schedule::builder().add::<load>().apply_commands::<Loaded>().add::<play>().build()?;
    /// let mut resources = Resources::new();
    /// game.run(&mut resources)?;
    /// assert_eq!(resources.get::<Level>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn apply_commands<C: Checkpoint>(&mut self) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let ty = Some((TypeId::of::<C>(), C::ID));
        let node = self.push(place, ty, DeclaredWork::ApplyCommands);
        self.declarations.node_mut(node).path = Some(C::REFERENCE.path);
        self
    }

    /// Renames the last item, for reports and for orders by name. A group keeps the name of its type.
    #[track_caller]
    pub fn named(&mut self, name: impl Into<String>) -> &mut Self {
        let last = self.last_or_problem(Location::caller());
        if let Some(Target(Named::Node(node))) = last {
            self.declarations.node_mut(node).rename(name.into());
            if let Some(change) = &mut self.change {
                change.places.forget(node);
            }
        }
        self
    }

    /// Returns the id of the last item, for orders where its type matches several nodes.
    ///
    /// Returns `None` if the last item is a group, or if the builder has none.
    pub fn last(&self) -> Option<NodeId> {
        match self.last {
            Some(Target(Named::Node(node))) => Some(node),
            _ => None,
        }
    }

    /// Orders the last item after `A`.
    #[track_caller]
    pub fn after<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after::<A>())
    }

    /// Orders the last item before `A`.
    #[track_caller]
    pub fn before<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before::<A>())
    }

    /// Orders the last item after `A`, if `A` was added.
    #[track_caller]
    pub fn after_if_present<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after_if_present::<A>())
    }

    /// Orders the last item before `A`, if `A` was added.
    #[track_caller]
    pub fn before_if_present<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before_if_present::<A>())
    }

    /// Orders the last item after `A`, if the two conflict (a weak order).
    #[track_caller]
    pub fn after_if_conflicting<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after_if_conflicting::<A>())
    }

    /// Orders the last item before `A`, if the two conflict (a weak order).
    #[track_caller]
    pub fn before_if_conflicting<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before_if_conflicting::<A>())
    }

    /// Orders the last item after `A`, without the commands of `A`: the last item need not find what they change.
    ///
    /// Without this call, an order includes commands: if the last item uses what they may change, a sync point is inserted between the
    /// two. No other order of the two includes the commands either. See [`apply_commands`](Self::apply_commands).
    #[track_caller]
    pub fn after_without_commands<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::after_without_commands::<A>())
    }

    /// Orders the last item before `A`, without its commands: `A` need not find what they change.
    #[track_caller]
    pub fn before_without_commands<A: Anchor>(&mut self) -> &mut Self {
        self.declare_last(&Order::before_without_commands::<A>())
    }

    /// Runs the last item only if this condition is true. The last item is a system, a checkpoint, a group, a loop or a
    /// condition.
    ///
    /// Several calls require all of the conditions. Orders still apply across a skipped node. See [`Condition`].
    #[track_caller]
    pub fn run_if(&mut self, condition: impl Into<Condition>) -> &mut Self {
        if let Some(guarded) = self.last_or_problem(Location::caller()) {
            let Condition(formula) = condition.into();
            self.declarations.guards.push(DeclaredGuard {
                guarded,
                formula,
                plugin: self.plugin,
            });
        }
        self
    }

    /// Orders one target before another: a node from [`Builder::last`], a type from [`Target::of`], or a system by its
    /// name.
    #[track_caller]
    pub fn order(&mut self, first: impl Into<Target>, then: impl Into<Target>) -> &mut Self {
        self.push_order(first.into(), then.into(), Strength::Always);
        self
    }

    /// Orders one target before another, if the two conflict (a weak order).
    #[track_caller]
    pub fn order_if_conflicting(
        &mut self,
        first: impl Into<Target>,
        then: impl Into<Target>,
    ) -> &mut Self {
        self.push_order(first.into(), then.into(), Strength::IfConflicting);
        self
    }

    /// Orders one target before another, without the commands of the first.
    #[track_caller]
    pub fn order_without_commands(
        &mut self,
        first: impl Into<Target>,
        then: impl Into<Target>,
    ) -> &mut Self {
        self.push_order(first.into(), then.into(), Strength::WithoutCommands);
        self
    }

    /// Orders one target before another, unless this contradicts the declarations so far.
    ///
    /// Cost: O(nodes + orders).
    ///
    /// # Errors
    ///
    /// Fails if the order closes a cycle with the orders so far, or if a target was not added. The builder is then
    /// unchanged.
    #[track_caller]
    pub fn try_order(
        &mut self,
        first: impl Into<Target>,
        then: impl Into<Target>,
    ) -> Result<&mut Self, OrderError> {
        self.push_order(first.into(), then.into(), Strength::Always);
        match contradiction(&self.declarations) {
            None => Ok(self),
            Some(problem) => {
                self.declarations.orders.pop();
                Err(problem)
            }
        }
    }

    /// Builds a schedule from the declarations. The builder is empty afterwards.
    ///
    /// # Errors
    ///
    /// Reports all problems at once: cycles, races, references to items that were never added, ambiguous references,
    /// and invalid groups. A call that declares nothing, for example `on_main_thread` of a group, is reported only by
    /// the first `build` after it.
    ///
    /// After an error, the builder keeps all of its declarations, so that they can be corrected:
    ///
    /// ```
    /// use schedule::Condition;
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::prelude::*;
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add_dynamic(DynamicSystem::new("draw", |_| ()));
    /// builder.run_if(Condition::added("is_deu"));
    /// assert!(builder.build().is_err());
    /// builder.at("draw").clear_run_if();
    /// let frame = builder.build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["draw"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&mut self) -> Result<Schedule, BuildError> {
        if self.change.is_some() {
            // The systems are still in the schedule. The change that this builder was taken from fails, too.
            let Self {
                declarations,
                mut problems,
                ..
            } = core::mem::take(self);
            problems.push(Problem::BuiltInChange);
            let rejected = compile(&declarations, problems, None)
                .err()
                .expect("there is a problem");
            return Err(build_error(&declarations, *rejected));
        }
        let problems = core::mem::take(&mut self.problems);
        let compiled = compile(&self.declarations, problems, None)
            .map_err(|rejected| build_error(&self.declarations, *rejected))?;
        let mut declarations = core::mem::take(self).declarations;
        // A later change keeps the executor that the schedule then has.
        let executor = declarations.rules.settings.executor.take();
        let mut schedule = Schedule::of(compiled, declarations, &mut []);
        if let Some(executor) = executor {
            schedule.set_executor(executor);
        }
        Ok(schedule)
    }

    fn push(
        &mut self,
        place: SystemPlace,
        ty: Option<(TypeId, u128)>,
        work: DeclaredWork,
    ) -> NodeId {
        self.push_node(Declared::new(place, ty, work))
    }

    /// Adds a node to the current loop body and plugin.
    fn push_node(&mut self, node: Declared) -> NodeId {
        let id = self.declarations.push(Declared {
            level: self.level,
            plugin: self.plugin,
            ..node
        });
        (self.last, self.is_last_unknown) = (Some(id.into()), false);
        id
    }

    #[track_caller]
    fn push_order(&mut self, first: Target, then: Target, strength: Strength) {
        self.declarations.orders.push(DeclaredOrder {
            declared_on: None,
            first,
            then,
            strength,
            location: Location::caller(),
        });
    }

    fn declare_last(&mut self, order: &Order) -> &mut Self {
        if let Some(last) = self.last_or_problem(order.location) {
            self.declarations
                .orders
                .push(DeclaredOrder::of(last, order));
        }
        self
    }

    fn last_or_problem(&mut self, location: &'static Location<'static>) -> Option<Target> {
        if self.last.is_none() && !self.is_last_unknown {
            self.problems.push(Problem::NothingAdded { location });
        }
        self.last.clone()
    }
}

impl Schedule {
    /// Returns an empty builder for a schedule.
    pub fn builder() -> Builder {
        Builder::default()
    }
}
