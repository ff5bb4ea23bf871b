//! Loops: a condition, and a body that runs as long as the condition is true.

use core::any::TypeId;
use core::panic::Location;

use super::Builder;
use crate::base::place::{NodeId, SystemPlace};
use crate::data::output::Branches;
use crate::data::target::Named;
use crate::declare::declarations::DeclaredWork;
use crate::declare::problem::Problem;
use crate::systems::system::{ClosureSystem, DynamicSystem, Instance, System};

impl Builder {
    /// Adds a loop: evaluates the condition, runs the body once if it is true, and then evaluates the condition again.
    /// The loop becomes the last item. It has the name of its condition.
    ///
    /// The body is ordered and verified like a schedule. For the nodes outside, a loop is one node that accesses
    /// everything that its condition and its body access. An order between a node of the body and a node outside is an
    /// order of the loop. Orders refer to the loop by its condition: `after = is_step_due`. Clauses in the attribute of
    /// the condition apply to the loop. The condition of a loop is not shared with guards.
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
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let condition = C::DECLARATION;
        let instance = condition.definition.instantiate();
        let node = self.push_loop(place, Some(condition.identity()), instance, body);
        match node {
            Some(node) => {
                self.declarations.node_mut(node).path = Some(condition.reference.path);
                self.declare_all(node, condition)
            }
            None => self,
        }
    }

    /// Adds a loop with a closure as its condition. See [`Builder::repeat_while`].
    #[track_caller]
    pub fn repeat_while_closure<M, C: ClosureSystem<M>>(
        &mut self,
        name: impl Into<String>,
        condition: C,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        const { C::DISTINCT }
        let place = SystemPlace {
            name: name.into(),
            location: Location::caller(),
        };
        self.push_loop(place, None, condition.into_instance(), body);
        self
    }

    /// Adds a loop with a condition whose accesses are known only at run time. See [`Builder::repeat_while`].
    pub fn repeat_while_dynamic(
        &mut self,
        condition: DynamicSystem,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: condition.name.clone(),
            location: condition.location,
        };
        let (reads_of_written, marks) = (condition.reads_of_written().into(), condition.marks);
        self.check_folds(&place, &condition);
        let node = self.push_loop(place, None, condition.into_instance(), body);
        if let Some(node) = node {
            let declared = self.declarations.node_mut(node);
            declared.reads_of_written = reads_of_written;
            declared.marks = marks;
        }
        self
    }

    /// Limits the last item, which is a loop, to `n` iterations each time that it is executed. The loop fails if its
    /// condition is true again after `n` iterations.
    #[track_caller]
    pub fn at_most(&mut self, n: u64) -> &mut Self {
        let location = Location::caller();
        let Some(last) = self.last_or_problem(location) else {
            return self;
        };
        if let Named::Node(id) = last.0
            && let DeclaredWork::Loop { at_most, .. } = &mut self.declarations.node_mut(id).work
        {
            *at_most = Some(n);
        } else {
            self.problems.push(Problem::NoLoop { location });
        }
        self
    }

    fn push_loop(
        &mut self,
        place: SystemPlace,
        ty: Option<(TypeId, u128)>,
        condition: Instance,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> Option<NodeId> {
        let branches = condition.branches;
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
            condition,
            at_most: None,
        };
        let node = self.push(place, ty, work);
        self.push_body(node, body)
    }

    /// Adds nodes to the body of a loop. Afterwards, the loop is the last item if it still exists.
    pub(super) fn push_body(
        &mut self,
        node: NodeId,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> Option<NodeId> {
        let outside = core::mem::replace(&mut self.level, self.declarations.index_of(node));
        (self.last, self.is_last_unknown) = (None, false);
        body(self);
        // The body may have removed loops around this one. No node is left if the body called `build`.
        let around = |level: &usize| {
            self.declarations
                .nodes
                .get(*level)
                .and_then(|node| node.level)
        };
        let mut outwards = core::iter::successors(outside, around);
        self.level = outwards.find(|&around| self.declarations.has(around));
        let idx = self.declarations.index_of(node);
        let is_there = idx.is_some_and(|idx| self.declarations.nodes[idx].is_loop());
        self.last = is_there.then(|| node.into());
        is_there.then_some(node)
    }
}
