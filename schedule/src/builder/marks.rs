//! Marks of systems, loops and groups: they run whatever failed before them, or fail alone if they miss a resource.

use core::panic::Location;

use super::Builder;
use crate::declarations::{Declarations, Declared};
use crate::order::Reference;
use crate::problem::{Problem, Undeclared};
use crate::target::{Named, Target};

impl Builder {
    /// Runs the last item also if another system has failed, or if a resource of another system is missing. The last item is a
    /// system, a loop or a group.
    ///
    /// The failure policies of other systems do not skip the item, and [`FailurePolicy::Stop`] does not stop it. The item
    /// keeps its orders: it waits for failed and skipped systems to be completed. The call does not change which other
    /// systems run. A system that depends on the failed one through this item is still skipped. A sync point before the item
    /// is skipped as well, and then the item does not see the commands of systems that finished. Mark its group `always`, too.
    ///
    /// The item does not run if it is disabled, if its run condition is false, or if a resource that it requires is
    /// missing. The conditions of the item always run as well. If such a condition itself fails, the item is skipped.
    ///
    /// For a group, this includes the members of nested groups. For a loop, it includes the body. An item in the body of a
    /// loop runs in each iteration that begins. It does not make the loop run.
    ///
    /// The option `always` of [`macro@crate::system`] and the clause `always` of [`schedule!`](crate::schedule!) do the
    /// same. [`build`](Self::build) fails with [`Problem::NoSystem`] if the last item is a checkpoint or a sync point.
    ///
    /// [`FailurePolicy::Stop`]: crate::FailurePolicy::Stop
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Throttle(f32);
    ///
    /// #[system]
    /// fn control(throttle: &mut Throttle) -> Result<(), BoxError> {
    ///     throttle.0 = 0.9;
    ///     Err("the sensor is silent".into())
    /// }
    ///
    /// #[system(after = control)]
    /// fn limit(throttle: &mut Throttle) {
    ///     throttle.0 = throttle.0.min(0.5);
    /// }
    ///
    /// let mut flight = Schedule::builder().add::<control>().add::<limit>().always().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Throttle>();
    /// assert!(flight.run(&mut resources).is_err());
    /// assert_eq!(resources.get::<Throttle>().unwrap().0, 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn always(&mut self) -> &mut Self {
        self.mark(Mark::Always, Location::caller())
    }

    /// Cancels `always` for the last item, also if its attribute or `schedule!` has it. Groups around the item keep
    /// theirs.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item does not have it.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn control() -> Result<(), BoxError> {
    ///     Err("the sensor is silent".into())
    /// }
    ///
    /// #[system(always, after = control)]
    /// fn watch() {}
    ///
    /// let mut flight = Schedule::builder().add::<control>().add::<watch>().clear_always().build()?;
    /// let error = flight.run(&mut Resources::new()).unwrap_err();
    /// assert_eq!(error.skipped()[0].name, "watch");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn clear_always(&mut self) -> &mut Self {
        self.clear_mark(Mark::Always, Location::caller())
    }

    /// Skips the last item if it misses a resource, and does not refuse the run. The last item is a system, a loop or a
    /// group.
    ///
    /// This is [`MissingPolicy::Skip`](crate::MissingPolicy::Skip) for the item alone. For a group, it includes the members
    /// of nested groups. For a loop, it includes the body. If a condition that was not added is asked only by such items, it
    /// includes the condition.
    ///
    /// The clause `on missing skip` of [`schedule!`](crate::schedule!) does the same. [`build`](Self::build) fails with
    /// [`Problem::NoSystem`] if the last item is a checkpoint or a sync point.
    ///
    /// ```
    /// use schedule::error::Cause;
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Camera;
    ///
    /// #[derive(Resource, Default)]
    /// struct Ticks(u32);
    ///
    /// #[system]
    /// fn film(camera: &mut Camera) {}
    ///
    /// #[system]
    /// fn fly(ticks: &mut Ticks) {
    ///     ticks.0 += 1;
    /// }
    ///
    /// let mut flight = Schedule::builder().add::<film>().skip_if_missing().add::<fly>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Ticks>();
    /// let error = flight.run(&mut resources).unwrap_err();
    /// assert!(matches!(error.failures()[0].cause, Cause::Absent(_)));
    /// assert_eq!(resources.get::<Ticks>().unwrap().0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn skip_if_missing(&mut self) -> &mut Self {
        self.mark(Mark::SkipIfMissing, Location::caller())
    }

    /// Cancels `skip_if_missing` for the last item, also if `schedule!` has it. Groups around the item, and the schedule, keep
    /// theirs.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item does not have it.
    #[track_caller]
    pub fn clear_skip_if_missing(&mut self) -> &mut Self {
        self.clear_mark(Mark::SkipIfMissing, Location::caller())
    }

    /// Marks the last item.
    fn mark(&mut self, mark: Mark, location: &'static Location<'static>) -> &mut Self {
        let named = match self.last_or_problem(location) {
            None => return self,
            Some(Target(Named::Node(id))) => {
                let node = self.declarations.node_mut(id);
                if node.system().is_some() {
                    *mark.of_node(node) = true;
                    return self;
                }
                node.place.name.clone()
            }
            Some(Target(Named::Type(group))) => {
                mark.of_groups(&mut self.declarations).push(group);
                return self;
            }
            Some(Target(Named::Name(name))) => name.to_string(),
        };
        let call = mark.call();
        self.problems.push(Problem::NoSystem {
            named,
            call,
            location,
        });
        self
    }

    /// Removes a mark of the last item.
    fn clear_mark(&mut self, mark: Mark, location: &'static Location<'static>) -> &mut Self {
        let Some(last) = self.last_or_problem(location) else {
            return self;
        };
        let is_any = match &last.0 {
            Named::Node(id) => {
                let node = self.declarations.node_mut(*id);
                core::mem::replace(mark.of_node(node), false)
            }
            Named::Type(group) => {
                let marked = mark.of_groups(&mut self.declarations);
                let n_marked = marked.len();
                marked.retain(|one| one.id != group.id);
                marked.len() < n_marked
            }
            Named::Name(_) => false,
        };
        if !is_any {
            let what = Undeclared::Setting {
                call: mark.call(),
                target: self.name_of_last(&last),
            };
            self.problems.push(Problem::NotDeclared { what, location });
        }
        self
    }
}

/// A mark of a system, a loop or a group.
#[derive(Clone, Copy)]
enum Mark {
    Always,
    SkipIfMissing,
}

impl Mark {
    /// Returns the method that sets it.
    fn call(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::SkipIfMissing => "skip_if_missing",
        }
    }

    /// Returns whether a node has it.
    fn of_node(self, node: &mut Declared) -> &mut bool {
        match self {
            Self::Always => &mut node.is_always,
            Self::SkipIfMissing => &mut node.skips_missing,
        }
    }

    /// Returns the groups that have it.
    fn of_groups(self, declarations: &mut Declarations) -> &mut Vec<Reference> {
        match self {
            Self::Always => &mut declarations.always,
            Self::SkipIfMissing => &mut declarations.skip_missing,
        }
    }
}
