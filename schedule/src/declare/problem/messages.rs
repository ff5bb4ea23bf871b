//! Readers of messages between their writers.

use core::fmt;

use super::{listed, name};
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::declare::messages::write_message;

/// A reader of messages that runs after some of their writers and before others.
///
/// A reader runs after all writers, or before all of them, in which case it reads the messages of the last run. See
/// [`MessageReader`](crate::param::MessageReader).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReaderBetweenWriters {
    /// The queue of the messages.
    pub messages: ResourceId,
    /// The reader.
    pub reader: SystemPlace,
    /// The writers that run before it.
    pub before: Vec<SystemPlace>,
    /// The writers that run after it.
    pub after: Vec<SystemPlace>,
}

impl fmt::Display for ReaderBetweenWriters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            messages,
            reader,
            before,
            after,
        } = self;
        // The smallest change moves the reader past the smaller group.
        let (moved, direction) = if after.len() <= before.len() {
            (after, "after")
        } else {
            (before, "before")
        };
        write_message!(
            f,
            READER_BETWEEN_WRITERS,
            reader = reader,
            messages = name(messages),
            before = listed(before),
            after = listed(after),
            short = name(&reader.name),
            direction = direction,
            moved = names(moved)
        )
    }
}

/// The names of systems.
fn names(systems: &[SystemPlace]) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        systems.iter().enumerate().try_for_each(|(nth, system)| {
            let comma = if nth == 0 { "" } else { ", " };
            write!(f, "{comma}{}", name(&system.name))
        })
    })
}
