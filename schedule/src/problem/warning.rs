//! What is odd in a declaration, and no error.

use core::fmt::{self, Display};
use core::panic::Location;

use super::{name, place};
use crate::access::ResourceId;
use crate::choices::{Choice, Occurrence};
use crate::escape::{quoted, shown};
use crate::messages::write_message;
use crate::place::SystemPlace;

/// Something odd in a declaration that was accepted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A group that nothing is in; orders through it hold all the same.
    EmptyGroup(SystemPlace),
    /// A [`DynamicSystem`](crate::dynamic::DynamicSystem) declares that it reads a resource, and that it writes it: by itself, or among all
    /// resources. The write includes the read.
    ReadOfWritten {
        /// The system, or the condition of a loop.
        system: SystemPlace,
        /// The resource.
        resource: ResourceId,
    },
    /// A policy for a resource that nothing touches.
    UnusedPolicy {
        /// The resource.
        resource: ResourceId,
        /// Where the policy was chosen.
        location: &'static Location<'static>,
    },
    /// A pinned choice names what was not added.
    AbsentChoice {
        /// The choice.
        choice: Choice,
        /// What is not there.
        absent: Occurrence,
    },
    /// A pinned choice is about a pair that does not race under [`Policy::Optimize`](crate::Policy::Optimize).
    IdleChoice(Choice),
    /// A pinned choice closes a cycle with what is declared, or with choices before it.
    ContradictedChoice(Choice),
    /// An order that others imply: without it the same would hold. In a [`Report`](crate::report::Report) only.
    RedundantOrder {
        /// What comes first.
        first: SystemPlace,
        /// What comes after it.
        then: SystemPlace,
        /// Where it was declared.
        location: &'static Location<'static>,
    },
    /// A resource that systems only read: none writes it or everything, and no commands say that they insert it. So whoever
    /// calls `run` has to. In a [`Report`](crate::report::Report) only.
    OnlyRead {
        /// The resource.
        resource: ResourceId,
        /// Who reads it.
        readers: Vec<SystemPlace>,
    },
}

impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::EmptyGroup(group) => write_message!(f, EMPTY_GROUP, group = group),
            Warning::ReadOfWritten { system, resource } => write_message!(
                f,
                READ_OF_WRITTEN,
                system = system,
                resource = name(resource),
                argument = fmt::from_fn(|f| match resource.text() {
                    Some(name) => f.write_str(&quoted(name)),
                    None => write!(f, "ResourceId::of::<{}>()", shown(resource)),
                })
            ),
            Warning::UnusedPolicy { resource, location } => write_message!(
                f,
                UNUSED_POLICY,
                resource = name(resource),
                location = place(location)
            ),
            Warning::AbsentChoice { choice, absent } => write_message!(
                f,
                ABSENT_CHOICE,
                choice = name(choice),
                absent = name(absent)
            ),
            Warning::IdleChoice(choice) => write_message!(f, IDLE_CHOICE, choice = name(choice)),
            Warning::ContradictedChoice(choice) => {
                write_message!(f, CONTRADICTED_CHOICE, choice = name(choice))
            }
            Warning::RedundantOrder {
                first,
                then,
                location,
            } => write_message!(
                f,
                REDUNDANT_ORDER,
                first = name(&first.name),
                then = name(&then.name),
                location = place(location)
            ),
            Warning::OnlyRead { resource, readers } => {
                let n_others = readers.len().saturating_sub(PRINTED_READERS);
                let n_printed = readers.len() - n_others;
                write_message!(
                    f,
                    ONLY_READ,
                    resource = name(resource),
                    readers = listed(&readers[..n_printed]);
                    n = Some(n_others).filter(|n| *n > 0)
                )
            }
        }
    }
}

/// How many systems that read a resource are printed; all of them are in [`Warning::OnlyRead`].
const PRINTED_READERS: usize = 3;

/// Systems with commas between them.
fn listed(systems: &[SystemPlace]) -> impl Display {
    fmt::from_fn(|f| {
        for (i, system) in systems.iter().enumerate() {
            write!(f, "{}{system}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    })
}
