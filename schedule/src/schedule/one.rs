//! Runs of a single system, for tests.

use super::Schedule;
use crate::failure::{FailurePolicy, RunError};
use crate::node::RunNode;
use crate::outcome::Outcome;
use crate::place::SystemPlace;
use crate::plan::Plan;
use crate::resource::Resources;
use crate::system::System;

/// Runs a single system as a schedule with only that system would, and returns its answer. Intended for tests.
///
/// Returns `true` for a system without an answer. A request to enable or disable another system is an error, because the schedule does not
/// have it: see [`NextRun`](crate::param::NextRun).
///
/// # Errors
///
/// Fails as [`Schedule::run`] does.
///
/// ```
/// use schedule::{prelude::*, run_one};
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
/// assert!(run_one::<is_dead>(&mut resources)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_one<S: System>(resources: &mut Resources) -> Result<bool, RunError> {
    // A single system has no conflicts, and the targets of its orders are not present.
    let place = SystemPlace {
        name: S::NAME.to_string(),
        location: S::DEFINITION.function.location(),
    };
    let mut node = RunNode::system(
        place,
        S::DEFINITION.function.instantiate(),
        FailurePolicy::default(),
    );
    node.about.observer = S::OBSERVER;
    let mut schedule = Schedule::new("run_one".to_string(), vec![node], Plan::of_one());
    schedule.run(resources)?;
    Ok(schedule.nodes.outcomes.get(0) != Outcome::Finished(0))
}
