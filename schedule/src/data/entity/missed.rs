//! Commands that had no effect, and the reasons.

use core::fmt::{self, Debug};
use core::panic::Location;

/// A command on an entity that had no effect. `E` is the id of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedCommand<E> {
    /// The kind of the command.
    pub kind: CommandKind,
    /// The entity. `None` if the command names a ticket that has no entity.
    pub entity: Option<E>,
    /// The reason.
    pub reason: MissedReason,
    /// The place of the call that recorded the command.
    pub location: &'static Location<'static>,
}

/// The reason why a command had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissedReason {
    /// The entity does not exist. For example, an earlier command despawned it.
    NoSuchEntity,
    /// The entity does not have a component that the command removes. Contains the text of the error, which names the component.
    MissingComponent(String),
    /// The command names a [`Ticket`](super::Ticket) whose spawn is not yet applied.
    NotYetSpawned,
    /// The command names a [`Ticket`](super::Ticket) whose spawn was dropped. Its system failed, or an earlier command
    /// panicked.
    SpawnDropped,
}

impl fmt::Display for MissedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchEntity => "the entity does not exist",
            Self::MissingComponent(missing) => missing,
            Self::NotYetSpawned => "the spawn of its ticket is not yet applied",
            Self::SpawnDropped => "the spawn of its ticket was dropped",
        })
    }
}

/// The kind of a command on an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// Adds components.
    Insert,
    /// Removes components.
    Remove,
    /// Removes the entity.
    Despawn,
}

impl fmt::Display for CommandKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Insert => "insert",
            Self::Remove => "remove",
            Self::Despawn => "despawn",
        })
    }
}

impl<E: Debug> fmt::Display for MissedCommand<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            entity,
            reason,
            location,
        } = self;
        write!(f, "`{kind}` ")?;
        if let Some(entity) = entity {
            write!(f, "on entity {entity:?} ")?;
        }
        write!(f, "at {location} had no effect: {reason}")
    }
}

/// The commands on the entities of a store that had no effect, in the order of application. Contains the first 100, and counts
/// all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedCommands<E> {
    first: Vec<MissedCommand<E>>,
    n_total: usize,
}

impl<E> Default for MissedCommands<E> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            n_total: 0,
        }
    }
}

impl<E> MissedCommands<E> {
    /// The maximum number of commands that it contains.
    pub const CAPACITY: usize = 100;

    /// Returns the first [`CAPACITY`](Self::CAPACITY) commands.
    pub fn first(&self) -> &[MissedCommand<E>] {
        &self.first
    }

    /// Returns the number of all commands, including those that it does not contain.
    pub fn n_total(&self) -> usize {
        self.n_total
    }

    /// Whether every command had its effect.
    pub fn is_empty(&self) -> bool {
        self.n_total == 0
    }

    /// Adds a command. Stores call it when they apply commands.
    #[cold]
    pub fn push(&mut self, command: MissedCommand<E>) {
        self.n_total += 1;
        if self.first.len() < Self::CAPACITY {
            self.first.push(command);
        }
    }
}

impl<E: Debug> fmt::Display for MissedCommands<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.n_total;
        let noun = if n == 1 { "command" } else { "commands" };
        write!(f, "{n} {noun} on entities had no effect")?;
        for command in &self.first {
            write!(f, "\n  {command}")?;
        }
        match n - self.first.len() {
            0 => Ok(()),
            n_more => write!(f, "\n  and {n_more} more"),
        }
    }
}
