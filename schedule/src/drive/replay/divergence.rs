//! The first run of a replay that differs from the recording.

use core::fmt;

use crate::base::escape::shown;

/// The number of differences in a text.
const MAX_SHOWN: usize = 5;

/// A replayed run that decided differently than the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Divergence {
    /// The name of the schedule.
    pub schedule: String,
    /// The number of the run. The first run of the recording has number 0.
    pub nth_run: u64,
    /// The systems, conditions, loops and sync points with another outcome, in the order of a serial run. The first one is
    /// usually the cause. If only one of the two runs was refused because resources are missing: only the schedule itself.
    pub systems: Vec<DecisionPair>,
    /// The outputs and participants with other values after the run, by their names in the recording. The `clock` if it had other
    /// ticks in the run.
    pub resources: Vec<DecisionPair>,
    /// The names of the inputs, states and participants whose recorded bytes before this run differ from those before the run
    /// before. Before the first run: all that exist. Enabled and disabled systems are not included.
    pub changed_inputs: Vec<String>,
}

/// The outcome of a system, or the value of a resource, in the recording and in the replay.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecisionPair {
    /// The name of the system or resource.
    pub name: String,
    /// The outcome in the recording, in words: `ran`.
    pub recorded: String,
    /// The outcome in the replay.
    pub replayed: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "replay diverged from the recording in run {} of schedule `{}`",
            self.nth_run,
            shown(&self.schedule)
        )?;
        let all = self.systems.iter().chain(&self.resources);
        for one in all.clone().take(MAX_SHOWN) {
            write!(f, "\n  {one}")?;
        }
        match all.count().saturating_sub(MAX_SHOWN) {
            0 => {}
            n => write!(f, "\n  and {n} more")?,
        }
        match self.changed_inputs.as_slice() {
            [] => f.write_str("\nno input had changed before this run"),
            inputs => {
                f.write_str("\ninputs that had changed before this run: ")?;
                write_names(f, inputs.iter().map(|name| format!("`{}`", shown(name))))
            }
        }
    }
}

impl fmt::Display for DecisionPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}`: in the recording, it {}; in the replay, it {}",
            shown(&self.name),
            shown(&self.recorded),
            shown(&self.replayed)
        )
    }
}

/// Writes names, separated by commas.
pub(super) fn write_names(
    f: &mut fmt::Formatter<'_>,
    names: impl IntoIterator<Item = impl fmt::Display>,
) -> fmt::Result {
    for (idx, name) in names.into_iter().enumerate() {
        write!(f, "{}{name}", if idx == 0 { "" } else { ", " })?;
    }
    Ok(())
}
