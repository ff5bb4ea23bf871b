//! Outcomes of the due times of a rate.

/// The number of due times of a [`Rate`](crate::Rate) for each outcome. Each due time counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
#[non_exhaustive]
pub struct RateCounts {
    /// A system ran, and the run was not late.
    pub on_time: u64,
    /// A system ran, and the run began later than the tolerance after the due time. With
    /// [`Rate::catch_up`](crate::Rate::catch_up) and without a tolerance: at least one period after the due time.
    pub late: u64,
    /// No system ran for this due time. The run counts for another due time, a guard of the systems was false, or a system before them
    /// failed. If the rate is not evaluated because a guard is false, it pauses. With
    /// [`Rate::count_paused`](crate::Rate::count_paused) and without `catch_up`, the due times count as skipped.
    pub skipped: u64,
    /// The systems, or the condition that evaluates the rate, were disabled.
    pub disabled: u64,
    /// A system of the rate failed. Such a due time does not count as late. Or a resource was missing, and the run was refused without
    /// running a system of the rate.
    pub failed: u64,
}

/// The outcome of a due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
pub(super) enum Ending {
    OnTime,
    Late,
    Skipped,
    Disabled,
    Failed,
}

impl RateCounts {
    /// The number of due times with an outcome.
    pub fn total(&self) -> u64 {
        [self.on_time, self.late, self.missed()]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// The number of due times that were skipped, disabled or failed.
    pub fn missed(&self) -> u64 {
        [self.skipped, self.disabled, self.failed]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    pub(super) fn of(&mut self, ending: Ending) -> &mut u64 {
        match ending {
            Ending::OnTime => &mut self.on_time,
            Ending::Late => &mut self.late,
            Ending::Skipped => &mut self.skipped,
            Ending::Disabled => &mut self.disabled,
            Ending::Failed => &mut self.failed,
        }
    }

    pub(super) fn add(&mut self, ending: Ending, n: u64) {
        let count = self.of(ending);
        *count = count.saturating_add(n);
    }

    /// Moves one due time from one outcome to another.
    pub(super) fn change(&mut self, from: Ending, to: Ending) {
        let count = self.of(from);
        *count = count.saturating_sub(1);
        self.add(to, 1);
    }
}
