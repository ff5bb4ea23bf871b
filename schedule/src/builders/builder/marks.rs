//! Marks of systems, loops and groups: the calls that set one, and those that clear it.

use core::panic::Location;

use super::Builder;
use crate::data::marks::Marks;
use crate::data::target::{Named, Target};
use crate::declare::declarations::Declared;
use crate::declare::problem::{Problem, Undeclared};

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
    /// same. [`build`](Self::build) fails with [`Problem::NotApplicable`] if the last item is a checkpoint or a sync point.
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
        self.mark(&MarkCall::ALWAYS, Location::caller())
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
        self.clear_mark(&MarkCall::ALWAYS, Location::caller())
    }

    /// Skips the last item if it misses a resource, and does not refuse the run. The last item is a system, a loop or a
    /// group.
    ///
    /// This is [`MissingPolicy::Skip`](crate::MissingPolicy::Skip) for the item alone. For a group, it includes the members
    /// of nested groups. For a loop, it includes the body. It also includes a condition that was
    /// not added and that only such items have.
    ///
    /// The clause `on missing skip` of [`schedule!`](crate::schedule!) does the same. [`build`](Self::build) fails with
    /// [`Problem::NotApplicable`] if the last item is a checkpoint or a sync point.
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
        self.mark(&MarkCall::SKIP_IF_MISSING, Location::caller())
    }

    /// Cancels `skip_if_missing` for the last item, also if `schedule!` has it. Groups around the item, and the schedule, keep
    /// theirs.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item does not have it.
    #[track_caller]
    pub fn clear_skip_if_missing(&mut self) -> &mut Self {
        self.clear_mark(&MarkCall::SKIP_IF_MISSING, Location::caller())
    }

    /// Fails the last item if its commands have no effect. The last item is a system, a loop or a group.
    ///
    /// This is [`MissedCommandPolicy::Fail`](crate::MissedCommandPolicy::Fail) for the item alone. For a group, it includes
    /// the members of nested groups. For a loop, it includes the body.
    ///
    /// The clause `on missed commands fail` of [`schedule!`](crate::schedule!) does the same. [`build`](Self::build) fails
    /// with [`Problem::NotApplicable`] if the last item is a checkpoint or a sync point.
    #[track_caller]
    pub fn fail_if_missed(&mut self) -> &mut Self {
        self.mark(&MarkCall::FAIL_IF_MISSED, Location::caller())
    }

    /// Cancels `fail_if_missed` for the last item, also if `schedule!` has it. Groups around the item, and the schedule, keep
    /// theirs.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotDeclared`] if the last item does not have it.
    #[track_caller]
    pub fn clear_fail_if_missed(&mut self) -> &mut Self {
        self.clear_mark(&MarkCall::FAIL_IF_MISSED, Location::caller())
    }

    /// Binds the last item to the thread that calls [`run`](crate::Schedule::run).
    ///
    /// The last item is a system, a closure, a dynamic system or a loop. For a loop, this binds the condition. Other
    /// systems can run at the same time on other threads. The option `main_thread` of [`macro@crate::system`] does the
    /// same. Its documentation describes the differences on other threads.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotApplicable`] if the last item is a group, a checkpoint or a sync
    /// point.
    ///
    /// ```
    /// use std::thread;
    ///
    /// use schedule::prelude::*;
    ///
    /// let caller = thread::current().id();
    /// let mut frame = Schedule::builder()
    ///     .add_closure("draw", move || assert_eq!(thread::current().id(), caller))
    ///     .on_main_thread()
    ///     .build()?;
    /// frame.run(&mut Resources::new())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn on_main_thread(&mut self) -> &mut Self {
        self.mark(&MarkCall::MAIN_THREAD, Location::caller())
    }

    /// Keeps the last item out of sweeps. The last item is a `for_each` system.
    ///
    /// The option `sweep = false` of [`macro@crate::system`] does the same.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotApplicable`] if the last item is anything else.
    #[track_caller]
    pub fn without_sweeps(&mut self) -> &mut Self {
        self.mark(&MarkCall::NO_SWEEP, Location::caller())
    }

    /// Marks the last item.
    fn mark(&mut self, call: &MarkCall, location: &'static Location<'static>) -> &mut Self {
        let named = match self.last_or_problem(location) {
            None => return self,
            Some(Target(Named::Node(id))) => {
                let node = self.declarations.node_mut(id);
                if (call.fits)(node) {
                    node.marks |= call.mark;
                    return self;
                }
                node.place.name.clone()
            }
            Some(Target(Named::Type(group))) if call.fits_groups => {
                self.declarations.mark_group(group, call.mark);
                return self;
            }
            Some(Target(Named::Type(group))) => group.to_string(),
            Some(Target(Named::Name(name))) => name.to_string(),
        };
        self.problems.push(Problem::NotApplicable {
            named,
            call: call.name,
            applies_to: call.applies_to,
            location,
        });
        self
    }

    /// Removes a mark of the last item.
    fn clear_mark(&mut self, call: &MarkCall, location: &'static Location<'static>) -> &mut Self {
        let Some(last) = self.last_or_problem(location) else {
            return self;
        };
        let marks = match &last.0 {
            Named::Node(id) => Some(&mut self.declarations.node_mut(*id).marks),
            Named::Type(group) => self.declarations.marks_of_group(group),
            Named::Name(_) => None,
        };
        match marks {
            Some(marks) if marks.has(call.mark) => *marks = marks.without(call.mark),
            _ => {
                let what = Undeclared::Setting {
                    call: call.name,
                    target: self.name_of_last(&last),
                };
                self.problems.push(Problem::NotDeclared { what, location });
            }
        }
        self
    }
}

/// A call that sets a mark of the last item.
struct MarkCall {
    mark: Marks,
    /// The name of the method.
    name: &'static str,
    /// The kinds of items that can have the mark, for messages.
    applies_to: &'static str,
    /// Whether a node can have the mark.
    fits: fn(&Declared) -> bool,
    fits_groups: bool,
}

impl MarkCall {
    const MAIN_THREAD: Self = Self {
        mark: Marks::MAIN_THREAD,
        name: "on_main_thread",
        applies_to: "systems and loops",
        fits: |node| node.system().is_some(),
        fits_groups: false,
    };
    const ALWAYS: Self = Self {
        mark: Marks::ALWAYS,
        name: "always",
        applies_to: "systems, loops and groups",
        fits: |node| node.system().is_some(),
        fits_groups: true,
    };
    const SKIP_IF_MISSING: Self = Self {
        mark: Marks::SKIP_IF_MISSING,
        name: "skip_if_missing",
        ..Self::ALWAYS
    };
    const FAIL_IF_MISSED: Self = Self {
        mark: Marks::FAIL_IF_MISSED,
        name: "fail_if_missed",
        ..Self::ALWAYS
    };
    const NO_SWEEP: Self = Self {
        mark: Marks::NO_SWEEP,
        name: "without_sweeps",
        applies_to: "`for_each` systems",
        fits: |node| node.each().is_some(),
        fits_groups: false,
    };
}
