//! Why two nodes of a schedule are in order, or why they are not: as data, and in words.

use core::fmt;

use crate::escape::shown;
use crate::place::SystemPlace;
use crate::problem::{Race, Step};

/// Why one node of a schedule comes before another, or why they are free to run at once: see
/// [`Schedule::why`](crate::Schedule::why).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Why {
    /// The one that was asked about first.
    pub first: SystemPlace,
    /// The other.
    pub second: SystemPlace,
    /// How they stand to each other.
    pub relation: Relation,
    /// On what they conflict, if they do; of groups and loops nothing is told.
    pub conflict: Option<Race>,
}

/// How two nodes of a schedule stand to each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Relation {
    /// The first one comes before the second: by these steps, each from where the one before it has led. Of all paths it
    /// is one with the fewest steps of policies, then the fewest weak ones, then the fewest.
    Before(Vec<Step>),
    /// The second one comes before the first, by these steps.
    After(Vec<Step>),
    /// At most one of them runs in a pass: they need different answers of this condition.
    Exclusive(SystemPlace),
    /// One is in the other, a group or a loop.
    Inside {
        /// What is in the other.
        inner: SystemPlace,
        /// The other.
        outer: SystemPlace,
    },
    /// They are the same.
    Same,
    /// One is a group, and only some of what is in the two is in order: these, each before the one beside it.
    Partly(Vec<(SystemPlace, SystemPlace)>),
    /// Nothing orders them, but both run on the thread that calls `run`.
    SameThread,
    /// Nothing orders them, as nobody said so and they do not conflict.
    AtOnce {
        /// What both read.
        both_read: Vec<String>,
    },
}

/// So many pairs are told of in text.
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
            Relation::Exclusive(condition) => write!(
                f,
                "`{a}` and `{b}` never run both: they need different answers of {condition}"
            )?,
            Relation::Inside { inner, outer } => {
                let (inner, outer) = (shown(&inner.name), shown(&outer.name));
                write!(f, "`{inner}` is in `{outer}`")?;
            }
            Relation::Same => write!(f, "`{a}` is one node, and runs once in a pass")?,
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
                    write!(f, "\n      and {} pairs more", pairs.len() - MOST_PAIRS)?;
                }
            }
            Relation::SameThread => write!(
                f,
                "`{a}` and `{b}` run in no certain order, one after the other: nothing orders them, \
                 but both run on the thread that calls `run`"
            )?,
            Relation::AtOnce { both_read } => {
                write!(
                    f,
                    "`{a}` and `{b}` may run at once: nothing orders them, and "
                )?;
                match both_read.as_slice() {
                    [] => f.write_str("they share nothing")?,
                    shared => {
                        let shared: Vec<String> = shared
                            .iter()
                            .map(|one| format!("`{}`", shown(one)))
                            .collect();
                        write!(f, "both only read {}", shared.join(", "))?;
                    }
                }
            }
        }
        match (&self.conflict, &self.relation) {
            (Some(conflict), _) => {
                f.write_str("\n      ")?;
                conflict.write_on(f, 0)
            }
            (None, Relation::Before(steps) | Relation::After(steps)) if steps.len() == 1 => {
                f.write_str("\n      they do not conflict: without this they could run at once")
            }
            _ => Ok(()),
        }
    }
}
