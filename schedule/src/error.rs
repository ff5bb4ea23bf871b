//! Errors of building, changing and running a schedule, and their components.

pub use crate::failure::{
    Cause, Failure, MissingResource, MissingResources, Panic, RequestError, RunError,
};

pub use crate::failure_policy::{FailurePolicy, MissedCommandPolicy};
pub use crate::output::BoxError;
pub use crate::place::SystemPlace;
pub use crate::problem::{
    BuildError, ClauseError, Cycle, MissingOrder, NamedBy, OrderError, Problem, Race, RaceOn,
    Remedy, Step, StepOrigin, Subject, TargetError, Undeclared,
};
pub use crate::reported::{Reported, ReportedIntoIter};
#[cfg(feature = "snapshot")]
pub use crate::schedule::RestoreError;
