//! Errors of building, changing and running a schedule, and their components.

pub use crate::declare::failure::{
    Cause, Failure, MissingResource, MissingResources, Panic, RequestError, RunError,
};

pub use crate::base::place::SystemPlace;
pub use crate::data::failure_policy::{FailurePolicy, MissedCommandPolicy};
pub use crate::data::output::BoxError;
pub use crate::data::reported::{Reported, ReportedIntoIter};
pub use crate::declare::problem::{
    BuildError, ClauseError, Cycle, MissingOrder, NamedBy, OrderError, Problem, Race, RaceOn,
    ReaderBetweenWriters, Remedy, Step, StepOrigin, Subject, TargetError, Undeclared,
};
#[cfg(feature = "snapshot")]
pub use crate::run::schedule::RestoreError;
