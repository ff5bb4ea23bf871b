//! Runs of a single system, for tests.

use super::Schedule;
use crate::base::identity::Name;
use crate::base::place::SystemPlace;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::node::RunNode;
use crate::run::outcome::Outcome;
use crate::systems::rate::observer::ObserverType;
use crate::systems::system::{Definition, System};
use crate::verify::plan::Plan;

/// Runs a single system as a schedule with only that system would. Intended for tests.
///
/// An answer of the system is dropped: see [`evaluate_one`]. A request to enable or disable another system is an error, because the
/// schedule does not have it: see [`NextRun`](crate::param::NextRun).
///
/// # Errors
///
/// Fails as [`Schedule::run`] does.
///
/// ```
/// use schedule::{prelude::*, run_one};
///
/// #[derive(Debug, PartialEq, Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn hurt(health: &mut Health) {
///     health.0 -= 1;
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Health(3));
/// run_one::<hurt>(&mut resources)?;
/// assert_eq!(resources.get(), Some(&Health(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_one<S: System>(resources: &mut Resources) -> Result<(), RunError> {
    // An error of the constant is reported with the caller of this function, so no other generic function evaluates it.
    let definition = const { &S::DEFINITION };
    let mut schedule = schedule_of_one("run_one", S::NAME, definition, S::MARKS, S::OBSERVER);
    schedule.run(resources)
}

/// Evaluates a single condition as a schedule with only that condition would, and returns its answer. Intended for tests.
///
/// A system that is not a condition is a compile error.
///
/// # Errors
///
/// Fails as [`Schedule::run`] does.
///
/// ```
/// use schedule::{evaluate_one, prelude::*};
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn is_dead(health: &Health) -> bool {
///     health.0 <= 0
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Health(-3));
/// assert!(evaluate_one::<is_dead>(&mut resources)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate_one<S: System>(resources: &mut Resources) -> Result<bool, RunError> {
    let definition = const {
        S::DECLARATION.refuse_other_than_bool();
        &S::DEFINITION
    };
    let mut schedule = schedule_of_one("evaluate_one", S::NAME, definition, S::MARKS, S::OBSERVER);
    schedule.run(resources)?;
    Ok(schedule.nodes.outcomes.get(0) != Outcome::Finished(0))
}

/// On the heap and in a frame of its own, since the system can call `run_one` again.
#[inline(never)]
fn schedule_of_one(
    called: &str,
    name: Name,
    definition: &'static Definition,
    marks: Marks,
    observer: Option<ObserverType>,
) -> Box<Schedule> {
    // A single system has no conflicts, and the targets of its orders are not present.
    let place = SystemPlace {
        name: name.to_string(),
        location: definition.location(),
    };
    let instance = definition.instantiate();
    let mut node = RunNode::system(place, instance, FailurePolicy::default());
    node.about.marks = marks;
    node.about.observer = observer;
    Box::new(Schedule::new(
        called.to_string(),
        vec![node],
        Plan::of_one(),
    ))
}
