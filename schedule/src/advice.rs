//! What would make a run shorter: as data, and in words.

use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;

use crate::escape::shown;
use crate::graph::Place;
use crate::profile::write_cost;

/// What holds a run up, and what it would gain without that: see [`Schedule::advise`](crate::Schedule::advise).
///
/// All of it is simulated, for runs that skip nothing: of branches that never run both, each takes its time. What was measured
/// is an average over runs, so a system counts as often as it ran. Systems are named
/// as in [`Choices`](crate::report::Choices): the second of several with the name `poison` is `poison #2`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Advice {
    /// The name of the schedule.
    pub schedule: String,
    /// On so many workers a run is to get shorter.
    pub n_workers: usize,
    /// What all systems take together.
    pub work: Duration,
    /// What the systems of the critical path take: no run takes less, on any number of workers.
    pub span: Duration,
    /// The path that takes longest, of those along which each waits for the one before; without what takes nothing.
    pub critical_path: Vec<PathSystem>,
    /// What a run takes as it is: on 2, 4, 8, 16, 32 and 64 workers, and on [`n_workers`](Self::n_workers); ascending.
    pub makespans: Vec<Makespan>,
    /// What was looked at; what gains most on [`n_workers`](Self::n_workers) comes first, and of those that gain the same,
    /// what gains most on 64; then orders, conflicts, resources.
    pub changes: Vec<Change>,
    /// So many more were not looked at, as no path through them is as long.
    pub n_left_out: usize,
}

/// A system of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PathSystem {
    /// The name of the system; of a loop that of its condition.
    pub system: String,
    /// What it takes in a run: on the average, if that was measured.
    pub cost: Duration,
    /// How often it ran in 1,000 runs of the schedule: see [`SystemCost`](crate::report::SystemCost). 1,000 if nothing was measured.
    #[cfg_attr(feature = "serde", serde(default = "crate::profile::once_per_run"))]
    pub runs_per_1000: u32,
}

/// What a run takes on so many workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Makespan {
    /// How many workers.
    pub n_workers: usize,
    /// From the begin of the run to its end.
    pub makespan: Duration,
}

/// Something that could be otherwise, and what a run would take then.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Change {
    /// What would not be there.
    pub without: Without,
    /// Orders that would have to be declared in its place, each one before the other: for pairs under
    /// [`Policy::Reject`](crate::Policy::Reject) that would race, as they run now.
    pub instead: Vec<(String, String)>,
    /// What the systems of the critical path would take.
    pub span: Duration,
    /// What a run would take, on as many workers as in [`Advice::makespans`].
    pub makespans: Vec<Makespan>,
}

/// What would not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Without {
    /// An order, or a weak order, that somebody declared. What it kept from racing is put in order by policies, as it would
    /// be if nobody had declared it.
    DeclaredOrder {
        /// What comes first: a system, a checkpoint, a loop or a group.
        first: String,
        /// What comes after it.
        then: String,
        /// Where it was declared.
        place: Place,
    },
    /// The conflict of two systems of which one comes before the other: neither would touch what the other one writes. An
    /// order of the two goes with it; all other conflicts and orders are as they are.
    Conflict {
        /// The one that runs first.
        first: String,
        /// The other.
        then: String,
        /// On what they conflict.
        on: Vec<SharedBy>,
        /// Where their order was declared; `None` if that comes of the conflict, by a policy or a weak order.
        place: Option<Place>,
    },
    /// All conflicts on a resource. Orders that were declared stay.
    Resource {
        /// What it is called.
        resource: String,
        /// So many pairs are in order for its sake, without those that others imply.
        n_pairs: usize,
    },
}

/// A resource on which two systems conflict, and which of them writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SharedBy {
    /// What it is called.
    pub resource: String,
    /// Whether the one that runs first writes it.
    pub first_writes: bool,
    /// Whether the other one does.
    pub then_writes: bool,
}

impl Advice {
    /// How many workers have something to do on average, if there are as many as one likes: the work divided by the span; 1
    /// if there is nothing to do.
    pub fn parallelism(&self) -> f64 {
        if self.span.is_zero() {
            return 1.0;
        }
        self.work.as_nanos() as f64 / self.span.as_nanos() as f64
    }

    /// What a run takes as it is, on [`n_workers`](Self::n_workers).
    pub fn makespan(&self) -> Duration {
        makespan_on(&self.makespans, self.n_workers)
    }

    /// What a run would gain on [`n_workers`](Self::n_workers); nothing if it would take longer, as it may: with fewer
    /// orders, a worker may begin with what is less urgent.
    pub fn saved(&self, change: &Change) -> Duration {
        self.saved_on(change, self.n_workers)
    }

    /// The same on so many workers; nothing if that was not looked at.
    pub fn saved_on(&self, change: &Change, n_workers: usize) -> Duration {
        let as_it_is = makespan_on(&self.makespans, n_workers);
        as_it_is.saturating_sub(makespan_on(&change.makespans, n_workers))
    }

    /// The changes that text tells of: the first five that save a hundredth of the run. What is much the same as one that
    /// saves as much or more is left out: an order and the conflict that goes with it, a resource and a pair that conflicts on
    /// nothing else. So is a resource for the sake of which only one pair is in order, as that pair is a change of its own.
    pub fn top(&self) -> impl Iterator<Item = &Change> {
        let mut reported: Vec<&Change> = Vec::new();
        for change in &self.changes {
            let is_pair = matches!(change.without, Without::Resource { n_pairs: 1, .. });
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

impl Without {
    /// Whether two are much the same, so that one is enough to be told of.
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

/// On so many workers; nothing if it is not among these.
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
///     "advice for schedule `frame`, for runs that skip nothing
///   work 8.2ms, critical path 8.2ms, parallelism 1.0
///     `physics` 5.1ms, `audio` 3.1ms
///   a run takes 8.2ms on 2 workers, 8.2ms on 4, 8.2ms on 8, 8.2ms on 16, 8.2ms on 32, 8.2ms on 64
///   `physics` and `audio` are ordered only by `Settings`, which `audio` writes: without that 3.1 of 8.2 ms are saved on 4 workers"
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
            "advice for schedule `{schedule}`, for runs that skip nothing\n  work {work:.1?}, critical path {span:.1?}, parallelism {parallelism:.1}"
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
                "\n  without any one order, conflict or resource, a run takes as long on {} {}",
                self.n_workers,
                workers(self.n_workers)
            ),
            1 => Ok(()),
            _ => f.write_str("\n  each for itself: what they save does not add up"),
        }
    }
}

impl Advice {
    /// Of the critical path the systems that take most, in the order of the path.
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
        let is_of_both = matches!(change.without, Without::Conflict { place: Some(_), .. });
        let that = if is_of_both { "both" } else { "that" };
        write!(f, "{}: without {that}", change.without)?;
        for (i, (first, then)) in change.instead.iter().take(MOST_ORDERS).enumerate() {
            f.write_str(if i == 0 { ", but with " } else { ", " })?;
            write!(f, "`{}` -> `{}`", shown(first), shown(then))?;
        }
        if change.instead.len() > MOST_ORDERS {
            write!(f, " and {} more", change.instead.len() - MOST_ORDERS)?;
        }
        let comma = match is_of_both || !change.instead.is_empty() {
            true => ",",
            false => "",
        };
        let saved = part_of(self.saved(change), self.makespan());
        let (n_workers, s) = (self.n_workers, workers(self.n_workers));
        write!(f, "{comma} {saved} are saved on {n_workers} {s}")
    }
}

/// What holds a run up.
impl fmt::Display for Without {
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
                    match (one.first_writes, one.then_writes) {
                        (true, true) => f.write_str("both write")?,
                        (true, false) => write!(f, "`{first}` writes")?,
                        (false, _) => write!(f, "`{then}` writes")?,
                    }
                }
                Ok(())
            }
            Self::Resource { resource, n_pairs } => {
                let s = if *n_pairs == 1 { "" } else { "s" };
                write!(f, "`{}` keeps {n_pairs} pair{s} in order", shown(resource))
            }
        }
    }
}

fn workers(n_workers: usize) -> &'static str {
    if n_workers == 1 { "worker" } else { "workers" }
}

/// Two durations in one unit, which is that of the longer one: `3.1 of 8.2 ms`. Three digits say enough.
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
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    };
    format!("{} of {} {name}", text(part), text(whole))
}

/// So many changes are told of in text.
const MOST_CHANGES: usize = 5;

/// So many systems of the critical path are told of in text.
const MOST_SYSTEMS: usize = 10;

/// So many orders that come in place of others are told of in text.
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
