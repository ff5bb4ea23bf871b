//! Explains why two nodes of a schedule are ordered or not: as data, and as text.

mod sweep;

use core::fmt;

pub use self::sweep::{ApartSystems, SweepOff, SweepRelation, SweepRule};
use crate::base::escape::shown;
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::declare::problem::{Race, Step};

/// The reason why one node of a schedule runs before another, or why the two can run at the same time. See
/// [`Schedule::why`](crate::Schedule::why).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Why {
    /// The first node of the query.
    pub first: SystemPlace,
    /// The second node of the query.
    pub second: SystemPlace,
    /// The relation of the two.
    pub relation: Relation,
    /// Their conflict, if any. Always `None` for groups and loops.
    pub conflict: Option<Race>,
    /// Whether the two share a sweep. `None` unless both are `for_each` systems.
    pub sweep: Option<SweepRelation>,
    /// The commands of one that the other finds, because a sync point was inserted between them.
    pub commands: Vec<CommandsBetween>,
}

/// A system with commands, and a system after it that finds their changes, because a sync point was inserted between them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CommandsBetween {
    /// The sync point.
    pub sync_point: SystemPlace,
    /// The system with commands.
    pub writer: SystemPlace,
    /// The system that finds what they change.
    pub user: SystemPlace,
    /// What they may change: a resource, a component or a store.
    pub change: ResourceId,
}

/// The relation of two nodes of a schedule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Relation {
    /// The first one runs before the second one. Each step starts where the previous one ends. Of all paths, this one
    /// has the fewest steps of policies, then the fewest weak steps, then the fewest steps.
    Before(Vec<Step>),
    /// The second one runs before the first one, by these steps.
    After(Vec<Step>),
    /// At most one of them runs in each run, or in each iteration of the loop around them. This condition,
    /// alone or with others, keeps their guards from both being true.
    NeverBoth(SystemPlace),
    /// One contains the other: it is a group or a loop.
    Inside {
        /// The node that is contained.
        inner: SystemPlace,
        /// The group or loop that contains it.
        outer: SystemPlace,
    },
    /// Both are the same node.
    Same,
    /// At least one is a group, and only these pairs of members are ordered: each first node runs before the second
    /// one.
    Partly(Vec<(SystemPlace, SystemPlace)>),
    /// No order exists, but both run on the thread that calls `run`.
    SameThread,
    /// No order exists, because none was declared and the two do not conflict.
    AtOnce {
        /// The resources that both access in ways that do not conflict.
        shared: Vec<SharedUse>,
    },
}

/// A resource that two systems access in ways that do not conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedUse {
    /// Both only read it.
    Read(String),
    /// Both only fold into it.
    Folded(String),
    /// A component, of different entities.
    OfDifferentEntities(String),
}

/// Maximum number of pairs in the text.
const MOST_PAIRS: usize = 10;

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = (shown(&self.first.name), shown(&self.second.name));
        match &self.relation {
            Relation::Before(steps) => {
                write!(f, "`{a}` comes before `{b}`: ")?;
                Step::write_path(steps, f)?;
            }
            Relation::After(steps) => {
                write!(f, "`{b}` comes before `{a}`: ")?;
                Step::write_path(steps, f)?;
            }
            Relation::NeverBoth(condition) => write!(
                f,
                "at most one of `{a}` and `{b}` runs: {condition} keeps their run conditions from both being true"
            )?,
            Relation::Inside { inner, outer } => {
                let (inner, outer) = (shown(&inner.name), shown(&outer.name));
                write!(f, "`{inner}` is in `{outer}`")?;
            }
            Relation::Same => write!(f, "both names refer to the same node, `{a}`")?,
            Relation::Partly(pairs) => {
                write!(
                    f,
                    "`{a}` and `{b}` are not ordered as a whole, but some of their members are"
                )?;
                for (first, then) in pairs.iter().take(MOST_PAIRS) {
                    let (first, then) = (shown(&first.name), shown(&then.name));
                    write!(f, "\n      `{first}` -> `{then}`")?;
                }
                if pairs.len() > MOST_PAIRS {
                    write!(f, "\n      and {} more pairs", pairs.len() - MOST_PAIRS)?;
                }
            }
            Relation::SameThread => write!(
                f,
                "`{a}` and `{b}` run one after the other, in an unspecified order: nothing orders them, \
                 but both run on the thread that calls `run`"
            )?,
            Relation::AtOnce { shared } => {
                write!(
                    f,
                    "`{a}` and `{b}` may run in parallel: nothing orders them, and "
                )?;
                write_shared(f, shared)?;
            }
        }
        match (&self.conflict, &self.relation) {
            (Some(conflict), _) => {
                f.write_str("\n      ")?;
                conflict.write_on(f, 0)
            }
            (None, _) if !self.commands.is_empty() => Ok(()),
            (None, Relation::Before(steps) | Relation::After(steps)) if steps.len() == 1 => f
                .write_str(
                    "\n      they do not conflict: without this order they could run in parallel",
                ),
            _ => Ok(()),
        }?;
        for commands in &self.commands {
            let [sync_point, writer, user] =
                [&commands.sync_point, &commands.writer, &commands.user]
                    .map(|one| shown(&one.name));
            write!(
                f,
                "\n      `{sync_point}` was inserted: `{user}` uses `{}`, which the commands of `{writer}` may change",
                shown(&commands.change)
            )?;
        }
        match &self.sweep {
            Some(sweep) => {
                f.write_str("\n      ")?;
                sweep.write(f, [&self.first, &self.second])
            }
            None => Ok(()),
        }
    }
}

/// Writes why two systems do not conflict.
fn write_shared(f: &mut fmt::Formatter<'_>, shared: &[SharedUse]) -> fmt::Result {
    let (mut read, mut folded, mut disjoint) = (Vec::new(), Vec::new(), Vec::new());
    for one in shared {
        let (list, name) = match one {
            SharedUse::Read(name) => (&mut read, name),
            SharedUse::Folded(name) => (&mut folded, name),
            SharedUse::OfDifferentEntities(name) => (&mut disjoint, name),
        };
        list.push(format!("`{}`", shown(name)));
    }
    let reasons = [
        ("both only read ", read),
        ("both only fold into ", folded),
        ("their filters exclude each other for ", disjoint),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(reason, names)| format!("{reason}{}", names.join(", ")));
    match reasons.collect::<Vec<_>>().as_slice() {
        [] => f.write_str("they share no resource"),
        reasons => f.write_str(&reasons.join(", and ")),
    }
}
