//! Settings for the effect of failures, of missing resources, and of commands without effect.

use core::fmt;

/// The effect of a failed system on the others: for a schedule, or for a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum FailurePolicy {
    /// Systems are skipped if an order puts them after the failed one, or if they read what it writes. All other
    /// systems run.
    #[default]
    SkipDependents,
    /// All other systems run.
    CarryOn,
    /// No system starts after the failure is noticed, except systems that run [`always`](crate::Builder::always). With
    /// several threads, the set of systems that have run by then can vary.
    Stop,
}

impl fmt::Display for FailurePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FailurePolicy {
    /// The name of the policy in messages.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            FailurePolicy::SkipDependents => "skip dependents",
            FailurePolicy::CarryOn => "carry on",
            FailurePolicy::Stop => "stop",
        }
    }
}

/// The effect of a resource that is missing when a run starts: for a schedule, or for a plugin. For a single item, see
/// [`Builder::skip_if_missing`](crate::Builder::skip_if_missing).
///
/// A resource is missing for a system that takes it as `&T` or `&mut T`, but not for one that takes it as an `Option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MissingPolicy {
    /// Only systems that run [`always`](crate::Builder::always) run, and `run` returns [`RunError::Missing`](crate::RunError::Missing) with all missing
    /// resources.
    #[default]
    Refuse,
    /// The systems that require the resource do not run. Each of them fails with [`Cause::Absent`](crate::error::Cause::Absent), so its
    /// [`FailurePolicy`] decides which systems are skipped. All others run.
    Skip,
}

/// The effect of commands that have no effect, for example because their entity was despawned: for a schedule, or for a plugin.
/// For a single item, see [`Builder::fail_if_missed`](crate::Builder::fail_if_missed).
///
/// [`Schedule::report`](crate::Schedule::report) always lists them, by system. Stores keep them as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MissedCommandPolicy {
    /// With the feature `tracing`, a warning names the system: in the first run with such commands, and then in the second, fourth,
    /// eighth and so on.
    #[default]
    Warn,
    /// The same, and the system that issued the commands fails with [`Cause::MissedCommands`](crate::error::Cause::MissedCommands). Its other commands are applied.
    Fail,
}
