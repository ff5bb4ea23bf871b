//! Reports changes that would shorten a run: as data, and as text.

use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;

use crate::base::escape::shown;
use crate::data::access::{AccessKind, verb};
use crate::declare::graph::Place;
use crate::verify::profile::write_cost;

/// The bottlenecks of a run, and the gain without each of them. See [`Schedule::advise`](crate::Schedule::advise).
///
/// All values are simulated for runs that skip nothing: exclusive branches all count. Measured costs are averages over
/// runs, so a system counts as often as it ran. Systems are named as in [`Choices`](crate::report::Choices): the second
/// system with the name `poison` is `poison #2`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Advice {
    /// The name of the schedule.
    pub schedule: String,
    /// The number of workers for which the advice is optimized.
    pub n_workers: usize,
    /// The total cost of all systems.
    pub work: Duration,
    /// The cost of the critical path. With any number of workers, a run takes at least this time.
    pub span: Duration,
    /// The longest path of systems that wait for each other, without nodes that cost nothing.
    pub critical_path: Vec<PathSystem>,
    /// The current durations of a run, on 2, 4, 8, 16, 32 and 64 workers, and on [`n_workers`](Self::n_workers).
    /// Ascending by number of workers.
    pub makespans: Vec<Makespan>,
    /// The candidates, sorted by their gain on [`n_workers`](Self::n_workers), then by their gain on 64 workers. Ties
    /// are sorted as orders, conflicts, resources.
    pub changes: Vec<Change>,
    /// The number of candidates that were not considered, because only shorter paths lead through them.
    pub n_left_out: usize,
}

/// A system of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PathSystem {
    /// The name of the system. For a loop, the name of its condition.
    pub system: String,
    /// Its cost in a run. If it was measured, the average.
    pub cost: Duration,
    /// Executions in 1,000 runs of the schedule. See [`SystemCost`](crate::report::SystemCost). 1,000 if nothing was
    /// measured.
    #[cfg_attr(
        feature = "serde",
        serde(default = "crate::verify::profile::once_per_run")
    )]
    pub runs_per_1000: u32,
}

/// The duration of a run on a number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Makespan {
    /// The number of workers.
    pub n_workers: usize,
    /// The time from the begin of the run to its end.
    pub makespan: Duration,
}

/// A change of the schedule, and the duration of a run with it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Change {
    /// The order or conflict that the change removes.
    pub without: Restriction,
    /// Orders that must be declared instead, as pairs of the first and the second node. They keep the current order of
    /// pairs that would race under [`Policy::Reject`](crate::Policy::Reject).
    pub instead: Vec<(String, String)>,
    /// The cost of the critical path with this change.
    pub span: Duration,
    /// The duration of a run with this change, on the same numbers of workers as in [`Advice::makespans`].
    pub makespans: Vec<Makespan>,
}

/// An order or a conflict that a change removes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Restriction {
    /// A declared order, or a declared weak order. Policies order the resulting races, as if the order had never been
    /// declared.
    DeclaredOrder {
        /// The system, checkpoint, loop or group that runs first.
        first: String,
        /// The one that runs after it.
        then: String,
        /// The source location of the order.
        place: Place,
    },
    /// The conflict of two ordered systems: neither would access a resource that the other one writes. An order between
    /// the two is also removed. All other conflicts and orders stay.
    Conflict {
        /// The system that runs first.
        first: String,
        /// The other system.
        then: String,
        /// The resources on which they conflict.
        on: Vec<SharedBy>,
        /// The source location of their order. `None` if the order results from the conflict, by a policy or a weak
        /// order.
        place: Option<Place>,
    },
    /// All conflicts on a resource. Declared orders stay.
    Resource {
        /// The name of the resource.
        resource: String,
        /// The number of pairs that are ordered because of it, without orders that others imply.
        n_pairs: usize,
    },
}

/// A resource on which two systems conflict, and how both access it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SharedBy {
    /// The name of the resource.
    pub resource: String,
    /// How the system that runs first accesses it.
    pub first: AccessKind,
    /// How the other system accesses it.
    pub then: AccessKind,
}

impl Advice {
    /// The average number of busy workers if the number of workers is unlimited: the work divided by the span. 1 if the
    /// schedule has no work.
    pub fn parallelism(&self) -> f64 {
        if self.span.is_zero() {
            return 1.0;
        }
        self.work.as_nanos() as f64 / self.span.as_nanos() as f64
    }

    /// Returns the current duration of a run on [`n_workers`](Self::n_workers).
    pub fn makespan(&self) -> Duration {
        makespan_on(&self.makespans, self.n_workers)
    }

    /// Returns the time that a run saves on [`n_workers`](Self::n_workers). Zero if the run takes longer. This can
    /// happen because a worker can start with a less urgent system if there are fewer orders.
    pub fn saved(&self, change: &Change) -> Duration {
        self.saved_on(change, self.n_workers)
    }

    /// Returns the time that a run saves on this number of workers. Zero if this number was not simulated.
    pub fn saved_on(&self, change: &Change, n_workers: usize) -> Duration {
        let as_it_is = makespan_on(&self.makespans, n_workers);
        as_it_is.saturating_sub(makespan_on(&change.makespans, n_workers))
    }

    /// Returns the changes that the text shows: the first five that save at least 1 % of the run.
    ///
    /// A change is left out if it is similar to an earlier one. An order is similar to the conflict of the same pair. A
    /// resource is similar to a pair that conflicts only on this resource. A resource that orders only one pair is also
    /// left out, because the pair is a separate change.
    pub fn top(&self) -> impl Iterator<Item = &Change> {
        let mut reported: Vec<&Change> = Vec::new();
        for change in &self.changes {
            let is_pair = matches!(change.without, Restriction::Resource { n_pairs: 1, .. });
            let saved = self.saved(change);
            let is_much = !saved.is_zero() && saved * 100 >= self.makespan();
            let is_like = |one: &&Change| one.without.is_like(&change.without);
            if reported.len() < MOST_CHANGES && !is_pair && is_much && !reported.iter().any(is_like)
            {
                reported.push(change);
            }
        }
        reported.into_iter()
    }
}

impl Restriction {
    /// Whether two changes are similar, so that the text shows only one.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::DeclaredOrder { first, then, place },
                Self::Conflict {
                    first: one,
                    then: next,
                    place: Some(at),
                    ..
                },
            ) => (first, then, place) == (one, next, at),
            (Self::Resource { resource, .. }, Self::Conflict { on, .. }) => {
                on.iter().all(|shared| shared.resource == *resource)
            }
            (Self::Conflict { .. }, Self::DeclaredOrder { .. } | Self::Resource { .. }) => {
                other.is_like(self)
            }
            _ => false,
        }
    }
}

/// The duration on this number of workers. Zero if it is not in the list.
fn makespan_on(makespans: &[Makespan], n_workers: usize) -> Duration {
    let found = makespans.iter().find(|one| one.n_workers == n_workers);
    found.map_or(Duration::ZERO, |one| one.makespan)
}

/// ```
/// use std::time::Duration;
///
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Settings;
///
/// #[system]
/// fn physics(settings: &Settings) {}
///
/// #[system]
/// fn audio(settings: &mut Settings) {}
///
/// let mut builder = Schedule::builder();
/// builder.name("frame").policy(Policy::InsertionOrder).add::<physics>().add::<audio>();
/// let advice = builder.build()?.advise_with(4, |system| match system {
///     "physics" => Duration::from_micros(5_100),
///     _ => Duration::from_micros(3_100),
/// });
/// assert_eq!(
///     advice.to_string(),
///     "advice for schedule `frame`, for runs that skip no system
///   work 8.2ms, critical path 8.2ms, parallelism 1.0
///     `physics` 5.1ms, `audio` 3.1ms
///   a run takes 8.2ms on 2 workers, 8.2ms on 4, 8.2ms on 8, 8.2ms on 16, 8.2ms on 32, 8.2ms on 64
///   `physics` and `audio` are ordered only by `Settings`, which `audio` writes: removing this conflict saves 3.1 of 8.2 ms on 4 workers"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            schedule,
            work,
            span,
            ..
        } = self;
        let (schedule, parallelism) = (shown(schedule), self.parallelism());
        write!(
            f,
            "advice for schedule `{schedule}`, for runs that skip no system\n  work {work:.1?}, critical path {span:.1?}, parallelism {parallelism:.1}"
        )?;
        self.write_path(f)?;
        for (i, one) in self.makespans.iter().enumerate() {
            let Makespan {
                n_workers,
                makespan,
            } = one;
            match i {
                0 => write!(
                    f,
                    "\n  a run takes {makespan:.1?} on {n_workers} {}",
                    workers(*n_workers)
                )?,
                _ => write!(f, ", {makespan:.1?} on {n_workers}")?,
            }
        }
        let top: Vec<&Change> = self.top().collect();
        for change in &top {
            f.write_str("\n  ")?;
            self.write_change(change, f)?;
        }
        match top.len() {
            0 => write!(
                f,
                "\n  no order, conflict or resource alone delays a run on {} {}",
                self.n_workers,
                workers(self.n_workers)
            ),
            1 => Ok(()),
            _ => f.write_str("\n  each of these is for one change alone: savings do not add up"),
        }
    }
}

impl Advice {
    /// Writes the most expensive systems of the critical path, in the order of the path.
    fn write_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.critical_path;
        let mut costliest: Vec<usize> = (0..path.len()).collect();
        costliest.sort_by_key(|&idx| Reverse(path[idx].cost));
        costliest.truncate(MOST_SYSTEMS);
        costliest.sort_unstable();
        for (i, &idx) in costliest.iter().enumerate() {
            let between = if i == 0 { "\n    " } else { ", " };
            f.write_str(between)?;
            let one = &path[idx];
            write_cost(f, &one.system, one.cost, one.runs_per_1000)?;
        }
        match path.len() - costliest.len() {
            0 => Ok(()),
            n => write!(f, " and {n} that take less"),
        }
    }

    fn write_change(&self, change: &Change, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let removed = match change.without {
            Restriction::DeclaredOrder { .. } => "this order",
            Restriction::Conflict { place: None, .. } => "this conflict",
            Restriction::Conflict { place: Some(_), .. } => "both",
            Restriction::Resource { .. } => "these conflicts",
        };
        let verb = if change.instead.is_empty() {
            "removing"
        } else {
            "replacing"
        };
        write!(f, "{}: {verb} {removed}", change.without)?;
        for (i, (first, then)) in change.instead.iter().take(MOST_ORDERS).enumerate() {
            f.write_str(if i == 0 { " by " } else { ", " })?;
            write!(f, "`{}` -> `{}`", shown(first), shown(then))?;
        }
        if change.instead.len() > MOST_ORDERS {
            write!(f, " and {} more", change.instead.len() - MOST_ORDERS)?;
        }
        let saved = part_of(self.saved(change), self.makespan());
        let (n_workers, s) = (self.n_workers, workers(self.n_workers));
        write!(f, " saves {saved} on {n_workers} {s}")
    }
}

/// Describes the bottleneck.
impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeclaredOrder { first, then, place } => {
                let (first, then) = (shown(first), shown(then));
                write!(f, "the order `{first}` -> `{then}` is declared at {place}")
            }
            Self::Conflict {
                first,
                then,
                on,
                place,
            } => {
                let (first, then) = (shown(first), shown(then));
                write!(f, "`{first}` and `{then}` are ordered ")?;
                match place {
                    Some(place) => write!(f, "at {place}, and conflict on ")?,
                    None => f.write_str("only by ")?,
                }
                for (i, one) in on.iter().enumerate() {
                    f.write_str(match i {
                        0 => "",
                        _ if i + 1 == on.len() => ", and ",
                        _ => ", ",
                    })?;
                    write!(f, "`{}`, which ", shown(&one.resource))?;
                    match (one.first, one.then) {
                        (AccessKind::Write, AccessKind::Write) => f.write_str("both write")?,
                        (AccessKind::Read, kind) => write!(f, "`{then}` {}", verb(kind, false))?,
                        (kind, AccessKind::Read) => write!(f, "`{first}` {}", verb(kind, false))?,
                        (kind, other) => {
                            write!(
                                f,
                                "`{first}` {} and `{then}` {}",
                                verb(kind, false),
                                verb(other, false)
                            )?;
                        }
                    }
                }
                Ok(())
            }
            Self::Resource { resource, n_pairs } => {
                let s = if *n_pairs == 1 { "" } else { "s" };
                write!(
                    f,
                    "conflicts on `{}` order {n_pairs} pair{s} of systems",
                    shown(resource)
                )
            }
        }
    }
}

fn workers(n_workers: usize) -> &'static str {
    if n_workers == 1 { "worker" } else { "workers" }
}

/// Writes two durations in the unit of the longer one, with three digits: `3.1 of 8.2 ms`.
fn part_of(part: Duration, whole: Duration) -> String {
    let (unit, name) = match whole.as_nanos() {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let text = |time: Duration| {
        let n_units = time.as_nanos() as f64 / unit;
        let n_digits = match n_units {
            ..1.0 => 3,
            ..10.0 => 2,
            ..100.0 => 1,
            _ => 0,
        };
        let text = format!("{n_units:.n_digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text
        }
    };
    format!("{} of {} {name}", text(part), text(whole))
}

/// Maximum number of changes in the text.
const MOST_CHANGES: usize = 5;

/// Maximum number of systems of the critical path in the text.
const MOST_SYSTEMS: usize = 10;

/// Maximum number of replacement orders in the text.
const MOST_ORDERS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_durations_have_the_unit_of_the_longer_one() {
        let text = |part, whole| part_of(Duration::from_nanos(part), Duration::from_nanos(whole));
        assert_eq!(text(3_100_000, 8_200_000), "3.1 of 8.2 ms");
        assert_eq!(text(20_000, 1_234_567), "0.02 of 1.23 ms");
        assert_eq!(text(7, 100), "7 of 100 ns");
        assert_eq!(text(1_000, 120_000), "1 of 120 µs");
        assert_eq!(text(500_000_000, 20_000_000_000), "0.5 of 20 s");
        assert_eq!(text(0, 0), "0 of 0 ns");
    }
}
