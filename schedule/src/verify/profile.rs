//! Costs of systems that can be stored between runs of a program.

use core::fmt;
use core::time::Duration;
use std::collections::HashMap;

use crate::base::escape::shown;
use crate::declare::choices::Occurrence;

/// The measured costs of the systems of one schedule. See [`Schedule::profile`](crate::Schedule::profile).
///
/// With the feature `serde` it can be written to a file and read from it.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::report::{Profile, SystemCost};
///
/// #[system]
/// fn step() {}
///
/// let mut frame = Schedule::builder().name("frame").add::<step>().build()?;
/// assert!(frame.profile().is_none());
/// frame.run(&mut Resources::new())?;
/// let profile = frame.profile().unwrap();
/// assert_eq!(profile.schedule, "frame");
/// assert_eq!(profile.costs[0].system, "step");
///
/// // In the next run of the program, it is known from the begin.
/// let mut frame = Schedule::builder().name("frame").add::<step>().build()?;
/// frame.set_profile(&profile)?;
/// assert_eq!(frame.profile(), Some(profile));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Profile {
    /// The name of the schedule.
    pub schedule: String,
    /// The costs of all systems and loop conditions, in insertion order.
    pub costs: Vec<SystemCost>,
}

/// The average cost of a system in a run of the schedule, and how often it runs.
///
/// A system that runs in some runs only, or several times in each run, counts as often as it runs. The average is over
/// timed runs. At first most runs are timed, and later so few that timing takes about half a percent of the time. The
/// last 256 timed runs have the greatest weight. The longest measurement is ignored, because the thread may have been
/// interrupted.
///
/// ```
/// use std::time::Duration;
///
/// use schedule::report::SystemCost;
///
/// // 5 ms in every second run.
/// let physics = SystemCost {
///     system: "physics".to_string(),
///     ns: 2_500_000,
///     runs_per_1000: 500,
/// };
/// assert_eq!(physics.per_execution(), Duration::from_millis(5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SystemCost {
    /// The name of the system.
    pub system: String,
    /// Nanoseconds per run of the schedule, for all executions together. 0 if the system is skipped. Values of more
    /// than 4 seconds are capped.
    pub ns: u32,
    /// Executions of the system in 1,000 runs of the schedule. Exactly 1,000 means once in each run. A guard reduces
    /// the number, and a loop can increase it. The default is 1,000 for profiles in an older format without this field.
    #[cfg_attr(feature = "serde", serde(default = "once_per_run"))]
    pub runs_per_1000: u32,
}

/// The default of [`SystemCost::runs_per_1000`].
pub(crate) const fn once_per_run() -> u32 {
    1_000
}

impl SystemCost {
    /// The cost of a system that runs once in each run of the schedule.
    pub fn new(system: impl Into<String>, ns: u32) -> Self {
        Self {
            system: system.into(),
            ns,
            runs_per_1000: once_per_run(),
        }
    }

    /// Returns the cost of one execution. Zero if the system never runs.
    pub fn per_execution(&self) -> Duration {
        per_execution(Duration::from_nanos(self.ns.into()), self.runs_per_1000)
    }
}

fn per_execution(per_run: Duration, runs_per_1000: u32) -> Duration {
    let ns = per_run.as_nanos() * 1_000;
    let each = ns.checked_div(runs_per_1000.into()).unwrap_or(0);
    Duration::from_nanos(u64::try_from(each).unwrap_or(u64::MAX))
}

/// Writes the cost of a system in a run. Adds how often it runs and its cost per execution, unless it runs once in each
/// run.
pub(crate) fn write_cost(
    f: &mut fmt::Formatter<'_>,
    system: &str,
    per_run: Duration,
    runs_per_1000: u32,
) -> fmt::Result {
    write!(f, "`{}` {per_run:.1?}", shown(system))?;
    if runs_per_1000 == once_per_run() {
        return Ok(());
    }
    let each = per_execution(per_run, runs_per_1000);
    let n_times = f64::from(runs_per_1000) / 1e3;
    match runs_per_1000 {
        0 => f.write_str(" (never ran)"),
        _ => write!(f, " (ran {n_times} times per run, {each:.1?} each time)"),
    }
}

impl Profile {
    /// Returns the measured cost of a system in a run, if any. Cost: O(systems).
    ///
    /// It has the signature that [`Builder::costs`](crate::Builder::costs) needs for
    /// [`Policy::Optimize`](crate::Policy::Optimize):
    ///
    /// ```
    /// use schedule::{Policy, prelude::*};
    ///
    /// #[system]
    /// fn step() {}
    ///
    /// let mut frame = Schedule::builder().add::<step>().build()?;
    /// frame.run(&mut Resources::new())?;
    /// let profile = frame.profile().unwrap();
    /// let frame = Schedule::builder()
    ///     .policy(Policy::Optimize)
    ///     .costs(move |system| profile.cost_of(system))
    ///     .add::<step>()
    ///     .build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost_of(&self, system: &Occurrence) -> Option<Duration> {
        let mut of_name = self.costs.iter().filter(|cost| cost.system == system.name);
        let cost = of_name.nth(system.nth.checked_sub(1)?)?;
        Some(Duration::from_nanos(cost.ns.into()))
    }

    /// Returns the cost of each of these systems. Systems with the same name are matched in order.
    ///
    /// # Errors
    ///
    /// Fails if the schedule has another name, or other systems.
    pub(crate) fn costs_of<'s>(
        &self,
        schedule: &str,
        systems: impl Iterator<Item = &'s str>,
    ) -> Result<Vec<&SystemCost>, ProfileError> {
        let mut known: HashMap<&str, Vec<&SystemCost>> = HashMap::new();
        // `pop` takes from the end, so the first cost of a name is taken first.
        for cost in self.costs.iter().rev() {
            known.entry(&cost.system).or_default().push(cost);
        }
        let mut error = ProfileError {
            of: self.schedule.clone(),
            schedule: schedule.to_string(),
            unknown: Vec::new(),
            absent: Vec::new(),
        };
        let mut costs = Vec::new();
        for system in systems {
            match known.get_mut(system).and_then(Vec::pop) {
                Some(cost) => costs.push(cost),
                None => error.unknown.push(system.to_string()),
            }
        }
        let mut left = self.costs.iter().map(|cost| cost.system.as_str());
        for system in left.by_ref() {
            if known.get_mut(system).and_then(Vec::pop).is_some() {
                error.absent.push(system.to_string());
            }
        }
        let is_other =
            error.of != error.schedule || !error.unknown.is_empty() || !error.absent.is_empty();
        if is_other { Err(error) } else { Ok(costs) }
    }
}

/// A profile does not match the current declarations of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileError {
    /// The name of the measured schedule.
    pub of: String,
    /// The name of the schedule that the profile was set for.
    pub schedule: String,
    /// Systems of the schedule that the profile does not contain.
    pub unknown: Vec<String>,
    /// Systems of the profile that the schedule does not contain.
    pub absent: Vec<String>,
}

/// Maximum number of systems of each kind in the text.
const MOST_NAMES: usize = 5;

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, schedule, .. } = self;
        let is_same = of == schedule;
        let (of, schedule) = (shown(of), shown(schedule));
        if is_same {
            write!(f, "the profile of schedule `{schedule}` is out of date")?;
        } else {
            write!(
                f,
                "the profile of schedule `{of}` cannot be used for schedule `{schedule}`"
            )?;
        }
        let kinds = [
            (&self.unknown, "missing in the profile:"),
            (&self.absent, "missing in the schedule:"),
        ];
        for (names, what) in kinds.into_iter().filter(|(names, _)| !names.is_empty()) {
            let quoted = names
                .iter()
                .take(MOST_NAMES)
                .map(|name| format!("`{}`", shown(name)));
            let quoted: Vec<String> = quoted.collect();
            write!(f, "; {what} {}", quoted.join(", "))?;
            if names.len() > MOST_NAMES {
                write!(f, " and {} more", names.len() - MOST_NAMES)?;
            }
        }
        f.write_str("; run without a profile, and save the new one")
    }
}

impl std::error::Error for ProfileError {}
