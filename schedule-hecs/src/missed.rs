//! Commands that had no effect, and the reasons.

use core::fmt;
use core::panic::Location;

use hecs::{ComponentError, Entity, MissingComponent};

/// A command that had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedCommand {
    /// The kind of the command.
    pub kind: CommandKind,
    /// The entity. `None` if the command names a ticket that has no entity.
    pub entity: Option<Entity>,
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
    /// The entity does not have a component that the command removes.
    MissingComponent(MissingComponent),
    /// The command names a [`Ticket`](crate::Ticket) whose spawn is not yet applied.
    NotYetSpawned,
    /// The command names a [`Ticket`](crate::Ticket) whose spawn was dropped. Its system failed, or an earlier command
    /// panicked.
    SpawnDropped,
}

impl From<ComponentError> for MissedReason {
    fn from(error: ComponentError) -> Self {
        match error {
            ComponentError::NoSuchEntity => Self::NoSuchEntity,
            ComponentError::MissingComponent(missing) => Self::MissingComponent(missing),
        }
    }
}

impl fmt::Display for MissedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity => f.write_str("the entity does not exist"),
            Self::MissingComponent(missing) => missing.fmt(f),
            Self::NotYetSpawned => f.write_str("the spawn of its ticket is not yet applied"),
            Self::SpawnDropped => f.write_str("the spawn of its ticket was dropped"),
        }
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

impl fmt::Display for MissedCommand {
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

/// The commands that had no effect, in the order of application. Contains the first 100, and counts all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissedCommands {
    first: Vec<MissedCommand>,
    n_total: usize,
}

impl MissedCommands {
    /// The maximum number of commands that it contains.
    pub const CAPACITY: usize = 100;

    /// Returns the first [`CAPACITY`](Self::CAPACITY) commands.
    pub fn first(&self) -> &[MissedCommand] {
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

    #[cold]
    pub(crate) fn push(&mut self, command: MissedCommand) {
        self.n_total += 1;
        if self.first.len() < Self::CAPACITY {
            self.first.push(command);
        }
    }
}

impl fmt::Display for MissedCommands {
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
