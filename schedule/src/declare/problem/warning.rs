//! Warnings: declarations that are valid but suspicious.

use core::fmt::{self, Display};
use core::panic::Location;

use super::{listed, name, place};
use crate::base::escape::{quoted, shown};
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::declare::choices::{Choice, Occurrence};
use crate::declare::messages::{IN_THE_SAME_RUN, ONE_RUN_LATE, write_message};

/// A declaration that is valid but suspicious.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A group without members. Orders through it still apply.
    EmptyGroup(SystemPlace),
    /// A [`DynamicSystem`](crate::dynamic::DynamicSystem) declares that it reads a resource that it also writes, alone
    /// or among all resources. The write includes the read.
    ReadOfWritten {
        /// The system, or the condition of a loop.
        system: SystemPlace,
        /// The resource.
        resource: ResourceId,
    },
    /// A system has a query that no entity can match: its filter excludes a component that it also requires.
    UnmatchableQuery {
        /// The system, or the condition of a loop.
        system: SystemPlace,
    },
    /// A policy for a resource that no system accesses.
    UnusedPolicy {
        /// The resource.
        resource: ResourceId,
        /// The source location of the policy.
        location: &'static Location<'static>,
    },
    /// A pinned choice names an item that was not added.
    AbsentChoice {
        /// The choice.
        choice: Choice,
        /// The missing item.
        absent: Occurrence,
    },
    /// A pinned choice for a pair that does not race under [`Policy::Optimize`](crate::Policy::Optimize).
    IdleChoice(Choice),
    /// A pinned choice that closes a cycle with the declarations, or with earlier choices.
    ContradictedChoice(Choice),
    /// Commands declare a change that another system uses, and no order connects the two. So only the serial order determines when the
    /// other system finds the change.
    UnorderedCommands {
        /// The system with commands.
        writer: SystemPlace,
        /// The system that uses what they change.
        user: SystemPlace,
        /// What they change: a resource or a component.
        change: ResourceId,
        /// Whether the other system finds the change one run late.
        is_late: bool,
    },
    /// Systems of the schedule write messages, and none reads them. If another schedule or the program reads them, ignore it.
    MessagesWithoutReader {
        /// The queue of the messages.
        messages: ResourceId,
        /// The systems that write them.
        writers: Vec<SystemPlace>,
    },
    /// Systems of the schedule read messages, and none writes them. If another schedule or the program sends them, ignore it.
    MessagesWithoutWriter {
        /// The queue of the messages.
        messages: ResourceId,
        /// The systems that read them.
        readers: Vec<SystemPlace>,
    },
    /// An order that others imply.
    RedundantOrder {
        /// The item that runs first.
        first: SystemPlace,
        /// The item that runs after it.
        then: SystemPlace,
        /// The source location of the order.
        location: &'static Location<'static>,
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
            Warning::UnmatchableQuery { system } => {
                write_message!(f, UNMATCHABLE_QUERY, system = system)
            }
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
            Warning::UnorderedCommands {
                writer,
                user,
                change,
                is_late,
            } => {
                let when = if *is_late {
                    ONE_RUN_LATE
                } else {
                    IN_THE_SAME_RUN
                };
                write_message!(
                    f,
                    UNORDERED_COMMANDS,
                    user = user,
                    writer = writer,
                    change = name(change),
                    when = when,
                    other = name(&writer.name)
                )
            }
            Warning::MessagesWithoutReader { messages, writers } => write_message!(
                f,
                MESSAGES_WITHOUT_READER,
                messages = name(messages),
                writers = listed(writers)
            ),
            Warning::MessagesWithoutWriter { messages, readers } => write_message!(
                f,
                MESSAGES_WITHOUT_WRITER,
                messages = name(messages),
                readers = listed(readers)
            ),
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
        }
    }
}
