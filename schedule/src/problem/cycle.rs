//! Orders that contradict each other, and why each of them holds.

use core::fmt;
use core::panic::Location;

use super::place;
use super::race::Subject;
use crate::escape::shown;
use crate::place::SystemPlace;

/// Orders that contradict each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cycle {
    /// The steps, from the first-declared node back to it.
    pub steps: Vec<Step>,
}

/// An edge of a cycle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// What comes first.
    pub from: SystemPlace,
    /// What comes after it.
    pub to: SystemPlace,
    /// Why.
    pub origin: StepOrigin,
}

impl Step {
    /// Whether it goes from the begin of a loop to its end: one mention of the loop is enough.
    fn is_inside_loop(&self) -> bool {
        matches!(self.origin, StepOrigin::Loop) && self.from == self.to
    }
}

/// Why one node comes before another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepOrigin {
    /// An order, declared here.
    Declared(&'static Location<'static>),
    /// One is in a group, which was declared here; `None` between the begin and the end of a group.
    Group(Option<&'static Location<'static>>),
    /// One is a part of the loop that the other is; or both are the same loop, from its begin to its end.
    Loop,
    /// The first one is a condition of the other, which was declared here; `None` for a condition of members of a group,
    /// which comes after that of the group.
    Guard(Option<&'static Location<'static>>),
    /// The first one applies commands, or is a loop in which something does. The other one is a condition that nobody
    /// added, and all that it guards comes after the first one.
    Flush,
    /// A weak order, declared here.
    Weak(&'static Location<'static>),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst), for this resource.
    WritersFirst(Subject),
    /// [`Policy::AsAdded`](crate::Policy::AsAdded) or [`Policy::Accepted`](crate::Policy::Accepted), for this resource.
    AsAdded(Subject),
    /// [`Policy::AsFits`](crate::Policy::AsFits), for this resource.
    AsFits(Subject),
    /// Somebody has accepted the race, which runs as added.
    Accepted {
        /// On what they conflict.
        subject: Subject,
        /// Why the order does not matter, if that was said.
        reason: Option<String>,
    },
}

impl Step {
    /// `a` -> `b` -> `a`, and why each.
    pub(crate) fn write_path(steps: &[Self], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A group has a begin and an end: one mention is enough.
        for (i, step) in steps.iter().enumerate() {
            if i == 0 {
                write!(f, "`{}`", shown(&step.from.name))?;
            }
            if !(matches!(step.origin, StepOrigin::Group(None)) || step.is_inside_loop()) {
                write!(f, " -> `{}`", shown(&step.to.name))?;
            }
        }
        for step in steps {
            let (from, to) = (shown(&step.from.name), shown(&step.to.name));
            match &step.origin {
                StepOrigin::Declared(location) => {
                    write!(
                        f,
                        "\n      `{from}` -> `{to}`   declared at {}",
                        place(location)
                    )?;
                }
                StepOrigin::Weak(location) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   if they conflict, declared at {}",
                    place(location)
                )?,
                StepOrigin::Group(Some(location)) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   as a member, declared at {}",
                    place(location)
                )?,
                StepOrigin::Group(None) => {}
                StepOrigin::Loop if step.is_inside_loop() => {}
                StepOrigin::Loop => {
                    write!(f, "\n      `{from}` -> `{to}`   as a part of the loop")?;
                }
                StepOrigin::Guard(Some(location)) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   as its condition, declared at {}",
                    place(location)
                )?,
                StepOrigin::Guard(None) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   since what that guards is in the group of this condition"
                )?,
                StepOrigin::Flush => write!(
                    f,
                    "\n      `{from}` -> `{to}`   since all that `{to}` guards comes after `{from}`"
                )?,
                StepOrigin::WritersFirst(Subject::Alone) => {
                    write!(
                        f,
                        "\n      `{from}` -> `{to}`   because `{from}` runs alone"
                    )?;
                }
                StepOrigin::WritersFirst(subject) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   because `{from}` writes {subject}"
                )?,
                StepOrigin::AsAdded(subject) => {
                    write!(f, "\n      `{from}` -> `{to}`   as added, for {subject}")?
                }
                StepOrigin::AsFits(subject) => {
                    write!(f, "\n      `{from}` -> `{to}`   as fits, for {subject}")?
                }
                StepOrigin::Accepted { subject, reason } => {
                    write!(f, "\n      `{from}` -> `{to}`   as added, for {subject}, ")?;
                    match reason {
                        Some(reason) => write!(f, "accepted: {}", shown(reason))?,
                        None => f.write_str("accepted")?,
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle: ")?;
        Step::write_path(&self.steps, f)
    }
}
