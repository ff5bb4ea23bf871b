//! Cycles of orders, and the reason for each order.

use core::fmt::{self, Display};
use core::panic::Location;

use super::race::Subject;
use super::{name, place};
use crate::base::escape::shown;
use crate::base::place::SystemPlace;
use crate::data::access::{AccessKind, verb};
use crate::declare::messages::write_message;

/// A cycle of orders that contradict each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cycle {
    /// The steps, from the node that was declared first back to it.
    pub steps: Vec<Step>,
}

/// One order of a cycle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The node that runs first.
    pub from: SystemPlace,
    /// The node that runs after it.
    pub to: SystemPlace,
    /// The reason for the order.
    pub origin: StepOrigin,
}

impl Step {
    /// Whether the step goes from the begin of a group or a loop to its end. The text mentions such an item once.
    fn is_inside(&self) -> bool {
        match self.origin {
            StepOrigin::Group(None) => true,
            StepOrigin::Loop => self.from == self.to,
            _ => false,
        }
    }
}

/// The reason why one node runs before another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepOrigin {
    /// An order, declared at this source location.
    Declared(&'static Location<'static>),
    /// One is in the group that the other one is. Contains the source location of the membership. `None` between the
    /// begin and the end of a group.
    Group(Option<&'static Location<'static>>),
    /// One is in the body of the loop that the other one is, or both are the begin and the end of the same loop.
    Loop,
    /// The first one is a condition of the other, declared at this source location. `None` for a condition of members
    /// of a group, which runs after the condition of the group.
    Guard(Option<&'static Location<'static>>),
    /// The first one is a sync point, or a loop that contains one. The other one is a condition that was not added
    /// explicitly, and all nodes that it guards run after the first one.
    ApplyCommands,
    /// A weak order, declared at this source location.
    Weak(&'static Location<'static>),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst).
    WritersFirst {
        /// The subject of the conflict.
        subject: Subject,
        /// How the first system accesses it: it writes, or it folds.
        kind: AccessKind,
    },
    /// [`Policy::InsertionOrder`](crate::Policy::InsertionOrder) or [`Policy::Accepted`](crate::Policy::Accepted), for this resource.
    InsertionOrder(Subject),
    /// [`Policy::Optimize`](crate::Policy::Optimize), for this resource.
    Optimize(Subject),
    /// One of the two is an inserted sync point.
    Commands,
    /// The race was accepted, and runs in insertion order.
    Accepted {
        /// The subject of the conflict.
        subject: Subject,
        /// The reason for accepting the race, if one was given.
        reason: Option<String>,
    },
}

impl Step {
    /// Writes the steps as in reports: the path, and the reason of each step.
    pub(crate) fn write_path(steps: &[Self], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::path(steps), Self::reasons(steps))
    }

    /// `a` -> `b` -> `a`.
    pub(super) fn path(steps: &[Self]) -> impl Display {
        fmt::from_fn(|f| {
            for (i, step) in steps.iter().enumerate() {
                if i == 0 {
                    name(&step.from.name).fmt(f)?;
                }
                if !step.is_inside() {
                    write_message!(f, STEP_OF_PATH, to = name(&step.to.name))?;
                }
            }
            Ok(())
        })
    }

    /// One line with the reason for each step.
    pub(super) fn reasons(steps: &[Self]) -> impl Display {
        fmt::from_fn(|f| {
            let steps = steps.iter().filter(|step| !step.is_inside());
            for step in steps {
                write_message!(
                    f,
                    STEP,
                    from = name(&step.from.name),
                    to = name(&step.to.name),
                    reason = fmt::from_fn(|f| step.write_reason(f))
                )?;
            }
            Ok(())
        })
    }

    fn write_reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (name(&self.from.name), name(&self.to.name));
        match &self.origin {
            StepOrigin::Declared(location) => {
                write_message!(f, BY_ORDER, location = place(location))
            }
            StepOrigin::Weak(location) => {
                write_message!(f, BY_WEAK_ORDER, location = place(location))
            }
            StepOrigin::Group(location) => {
                write_message!(f, BY_MEMBERSHIP; location = location.map(place))
            }
            StepOrigin::Loop => write_message!(f, BY_LOOP),
            StepOrigin::Guard(Some(location)) => {
                write_message!(f, BY_CONDITION, location = place(location))
            }
            StepOrigin::Guard(None) => {
                write_message!(f, BY_INHERITED_CONDITION, from = from, to = to)
            }
            StepOrigin::ApplyCommands => write_message!(f, BY_COMMANDS, from = from, to = to),
            StepOrigin::WritersFirst {
                subject: Subject::Exclusive,
                ..
            } => write_message!(f, BY_EXCLUSIVE, from = from),
            StepOrigin::WritersFirst { subject, kind } => write_message!(
                f,
                BY_WRITE,
                from = from,
                writes = verb(*kind, subject.is_messages()),
                subject = subject
            ),
            StepOrigin::InsertionOrder(subject) => {
                write_message!(f, BY_ADDITION, subject = subject)
            }
            StepOrigin::Optimize(subject) => write_message!(f, BY_FITTING, subject = subject),
            StepOrigin::Commands => write_message!(f, BY_SYNC_POINT),
            StepOrigin::Accepted { subject, reason } => write_message!(
                f,
                BY_ACCEPTANCE,
                subject = subject;
                reason = reason.as_ref().map(shown)
            ),
        }
    }
}

impl Cycle {
    /// Returns the only order, if it orders a node, a group or a loop against itself.
    fn order_with_itself(&self) -> Option<(&Step, &'static Location<'static>)> {
        let mut steps = self.steps.iter().filter(|step| !step.is_inside());
        match (steps.next(), steps.next()) {
            (Some(step), None) => match step.origin {
                StepOrigin::Declared(location) => Some((step, location)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((step, location)) = self.order_with_itself() {
            return write_message!(
                f,
                ORDERED_AFTER_ITSELF,
                system = name(&step.from.name),
                location = place(location)
            );
        }
        write_message!(
            f,
            CYCLE,
            path = Step::path(&self.steps),
            steps = Step::reasons(&self.steps)
        )
    }
}
