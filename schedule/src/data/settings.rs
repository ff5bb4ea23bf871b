//! Settings of a whole schedule or of a plugin.

use crate::data::executor_choice::Executor;
use crate::data::failure_policy::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
use crate::data::marks::Marks;
use schedule_graph::Policy;

/// The settings of a schedule or of a plugin, as a listing or a builder declares them. `None`: not set.
///
/// A new setting is a field and a method here, a row in the table of settings in `schedule-macros`, a call of the builder, and the code that
/// acts on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    pub(crate) policy: Option<Policy>,
    pub(crate) on_failure: Option<FailurePolicy>,
    pub(crate) on_missing: Option<MissingPolicy>,
    pub(crate) on_missed_commands: Option<MissedCommandPolicy>,
    /// Whether `for_each` systems may share sweeps. `false` takes precedence, in a plugin and in the schedule around it.
    pub(crate) sweep: Option<bool>,
    /// That of a plugin is ignored.
    pub(crate) executor: Option<Executor>,
}

impl Settings {
    /// Nothing is set.
    pub const NONE: Self = Self {
        policy: None,
        on_failure: None,
        on_missing: None,
        on_missed_commands: None,
        sweep: None,
        executor: None,
    };

    /// Sets the policy of all conflicts.
    #[must_use]
    pub const fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets the failure policy of all systems.
    #[must_use]
    pub const fn on_failure(mut self, policy: FailurePolicy) -> Self {
        self.on_failure = Some(policy);
        self
    }

    /// Sets the effect of a missing resource on all systems.
    #[must_use]
    pub const fn on_missing(mut self, policy: MissingPolicy) -> Self {
        self.on_missing = Some(policy);
        self
    }

    /// Sets the effect of commands without effect, for all systems.
    #[must_use]
    pub const fn on_missed_commands(mut self, policy: MissedCommandPolicy) -> Self {
        self.on_missed_commands = Some(policy);
        self
    }

    /// Sets whether `for_each` systems may share sweeps.
    #[must_use]
    pub const fn sweep(mut self, is_on: bool) -> Self {
        self.sweep = Some(is_on);
        self
    }

    /// Sets the executor of the schedule.
    #[must_use]
    pub const fn executor(mut self, executor: Executor) -> Self {
        self.executor = Some(executor);
        self
    }

    /// Combines the settings of a plugin with those around it. These take precedence over `outer`. Only for `sweep`, `false` does.
    pub(crate) fn or(self, outer: Self) -> Self {
        let forbids_sweeps = [self.sweep, outer.sweep].contains(&Some(false));
        Self {
            policy: self.policy.or(outer.policy),
            on_failure: self.on_failure.or(outer.on_failure),
            on_missing: self.on_missing.or(outer.on_missing),
            on_missed_commands: self.on_missed_commands.or(outer.on_missed_commands),
            sweep: if forbids_sweeps {
                Some(false)
            } else {
                self.sweep.or(outer.sweep)
            },
            executor: self.executor.or(outer.executor),
        }
    }

    /// Returns the settings of a plugin: the schedule around it decides on the executor.
    pub(crate) fn without_executor(self) -> Self {
        Self {
            executor: None,
            ..self
        }
    }

    /// Returns the marks of all systems to which these settings apply.
    pub(crate) fn marks(&self) -> Marks {
        let skips = self.on_missing == Some(MissingPolicy::Skip);
        let fails = self.on_missed_commands == Some(MissedCommandPolicy::Fail);
        Marks::SKIP_IF_MISSING
            .only_if(skips)
            .and(Marks::FAIL_IF_MISSED.only_if(fails))
            .and(Marks::NO_SWEEP.only_if(self.sweep == Some(false)))
    }
}
