//! What is odd in a declaration, and no error.

use core::fmt;
use core::panic::Location;

use super::place;
use crate::access::ResourceId;
use crate::choices::{Choice, Occurrence};
use crate::escape::{quoted, shown};
use crate::place::SystemPlace;

/// Something odd in a declaration that was accepted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A group that nothing is in; orders through it hold all the same.
    EmptyGroup(SystemPlace),
    /// A [`DynamicSystem`](crate::DynamicSystem) declares that it reads a resource, and that it writes it: by itself, or among all
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
    /// A pinned choice is about a pair that does not race under [`Policy::AsFits`](crate::Policy::AsFits).
    IdleChoice(Choice),
    /// A pinned choice closes a cycle with what is declared, or with choices before it.
    ContradictedChoice(Choice),
    /// An order that others imply: without it the same would hold. In a [`Report`](crate::Report) only.
    RedundantOrder {
        /// What comes first.
        first: SystemPlace,
        /// What comes after it.
        then: SystemPlace,
        /// Where it was declared.
        location: &'static Location<'static>,
    },
    /// A resource that systems only read: none writes it or everything, and no commands say that they insert it. So whoever
    /// calls `run` has to. In a [`Report`](crate::Report) only.
    OnlyRead {
        /// The resource.
        resource: ResourceId,
        /// Who reads it.
        readers: Vec<SystemPlace>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::EmptyGroup(group) => write!(f, "nothing is in group {group}"),
            Warning::ReadOfWritten { system, resource } => {
                write!(
                    f,
                    "{system} declares that it reads {resource:?} and that it writes it; the write includes the read: remove "
                )?;
                match resource.text() {
                    Some(name) => write!(f, "`.reads({})`", quoted(name)),
                    None => write!(f, "`.reads(ResourceId::of::<{}>())`", shown(resource)),
                }
            }
            Warning::UnusedPolicy { resource, location } => write!(
                f,
                "nothing touches {resource:?}, which has a policy at {}",
                place(location)
            ),
            Warning::AbsentChoice { choice, absent } => write!(
                f,
                "the pinned choice `{choice}` is not followed, as there is no system `{absent}`; save the choices again"
            ),
            Warning::IdleChoice(choice) => write!(
                f,
                "the pinned choice `{choice}` is not followed, as these do not race under `as fits`; save the choices again"
            ),
            Warning::ContradictedChoice(choice) => write!(
                f,
                "the pinned choice `{choice}` is not followed, as other orders contradict it; save the choices again"
            ),
            Warning::RedundantOrder {
                first,
                then,
                location,
            } => write!(
                f,
                "the order `{}` -> `{}`, declared at {}, follows from others",
                shown(&first.name),
                shown(&then.name),
                place(location)
            ),
            Warning::OnlyRead { resource, readers } => {
                write!(
                    f,
                    "no system writes or inserts {resource:?}, which is read by "
                )?;
                match readers.as_slice() {
                    [first, second, third, others @ ..] if !others.is_empty() => {
                        write!(f, "{first}, {second}, {third} and {} others", others.len())
                    }
                    readers => {
                        for (i, reader) in readers.iter().enumerate() {
                            write!(f, "{}{reader}", if i == 0 { "" } else { ", " })?;
                        }
                        Ok(())
                    }
                }
            }
        }
    }
}
