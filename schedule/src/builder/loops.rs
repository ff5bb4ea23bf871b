//! Loops: a condition, and a body that runs as long as it is true.

use core::any::TypeId;
use core::panic::Location;

use super::Builder;
use crate::declarations::DeclaredWork;
use crate::output::Branches;
use crate::place::{NodeId, SystemPlace};
use crate::problem::Problem;
use crate::system::{ClosureSystem, DynamicSystem, Instance, System};
use crate::target::Named;

impl Builder {
    /// Adds a loop: the condition is asked; if it is true, the body runs once, as a schedule of its own; then it is
    /// asked again. The loop is then the last one, and is called as the condition is.
    ///
    /// Seen from outside, a loop is one node that accesses all that its condition and its body access: an order between
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
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: C::NAME.to_string(),
            location: Location::caller(),
        };
        let condition = C::DECLARATION;
        let instance = condition.function.instantiate();
        let node = self.push_loop(place, Some(condition.identity()), instance, body);
        match node {
            Some(node) => {
                self.declarations.node_mut(node).path = Some(condition.reference.path);
                self.declare_all(node, condition)
            }
            None => self,
        }
    }

    /// Adds a loop with a closure as its condition; see [`Builder::repeat_while`].
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

    /// Adds a loop whose condition knows what it touches only at run time; see [`Builder::repeat_while`].
    pub fn repeat_while_dynamic(
        &mut self,
        condition: DynamicSystem,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> &mut Self {
        let place = SystemPlace {
            name: condition.name.clone(),
            location: condition.location,
        };
        let reads_of_written = condition.reads_of_written().into();
        let node = self.push_loop(place, None, condition.into_instance(), body);
        if let Some(node) = node {
            self.declarations.node_mut(node).reads_of_written = reads_of_written;
        }
        self
    }

    /// The body of the last entry, a loop, runs at most this often in one pass: if its condition is true once more, the
    /// loop has failed.
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
        self.push_body(node, body)
    }

    /// Adds to the body of a loop, which is then the last one, if it is still there.
    pub(super) fn push_body(
        &mut self,
        node: NodeId,
        body: impl FnOnce(&mut Self) -> &mut Self,
    ) -> Option<NodeId> {
        let outside = core::mem::replace(&mut self.level, self.declarations.index_of(node));
        (self.last, self.is_last_unknown) = (None, false);
        body(self);
        // What is around it may have been removed meanwhile; and nothing is there if the body was built instead of
        // declared.
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
