//! What systems cost, to be kept from one run of a program to the next.

use core::fmt;
use core::time::Duration;
use std::collections::HashMap;

use crate::choices::Occurrence;
use crate::escape::shown;

/// What the systems of one schedule cost, as measured: see [`Schedule::profile`](crate::Schedule::profile).
///
/// With the feature `serde` it can be written to a file and read from it.
///
/// ```
/// use schedule::{Profile, SystemCost, prelude::*};
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
    /// Of every system, and of the condition of every loop, in the order of addition.
    pub costs: Vec<SystemCost>,
}

/// What a system takes in a run: all passes of a loop together, and nothing where it is skipped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SystemCost {
    /// The name of the system.
    pub system: String,
    /// Nanoseconds per run. More than 4 seconds count as that.
    pub ns: u32,
}

impl Profile {
    /// What a system takes in a run, if it was measured. O(systems).
    ///
    /// What [`Builder::costs`](crate::Builder::costs) wants, so that [`Policy::AsFits`](crate::Policy::AsFits) knows it:
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
    ///     .policy(Policy::AsFits)
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

    /// The cost of each of these systems; of several with one name in the order of both.
    ///
    /// # Errors
    ///
    /// If the schedule has another name, or other systems.
    pub(crate) fn costs_of<'s>(
        &self,
        schedule: &str,
        systems: impl Iterator<Item = &'s str>,
    ) -> Result<Vec<u32>, ProfileError> {
        let mut known: HashMap<&str, Vec<u32>> = HashMap::new();
        // The first of a name is popped first.
        for cost in self.costs.iter().rev() {
            known.entry(&cost.system).or_default().push(cost.ns);
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
                Some(ns) => costs.push(ns),
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

/// A profile is not of this schedule, as it is declared now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileError {
    /// The schedule that was measured.
    pub of: String,
    /// The one that it was set for.
    pub schedule: String,
    /// Systems that it has, and the profile does not know.
    pub unknown: Vec<String>,
    /// Systems that the profile knows, and it does not have.
    pub absent: Vec<String>,
}

/// So many systems are named of each kind.
const MOST_NAMES: usize = 5;

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, schedule, .. } = self;
        let is_same = of == schedule;
        let (of, schedule) = (shown(of), shown(schedule));
        if is_same {
            write!(
                f,
                "a profile of schedule `{schedule}` does not fit it any more"
            )?;
        } else {
            write!(
                f,
                "a profile of schedule `{of}` does not fit schedule `{schedule}`"
            )?;
        }
        let kinds = [
            (&self.unknown, "it does not know"),
            (&self.absent, "there is no"),
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
        f.write_str("; run without it, and save what is measured")
    }
}

impl std::error::Error for ProfileError {}
