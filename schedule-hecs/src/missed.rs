//! Commands that had no effect, because their entity or its components were gone.

use core::fmt;
use core::panic::Location;

use hecs::{ComponentError, Entity};

/// A command that had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedCommand {
    /// The kind of the command.
    pub kind: CommandKind,
    /// The entity. `None` if it is that of a ticket whose spawn was dropped, or was not yet applied.
    pub entity: Option<Entity>,
    /// The reason.
    pub error: ComponentError,
    /// The place of the call that recorded the command.
    pub location: &'static Location<'static>,
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
            error,
            location,
        } = self;
        write!(f, "`{kind}` at {location} had no effect: ")?;
        match (entity, error) {
            (None, _) => f.write_str("the entity of the ticket does not exist"),
            (Some(entity), ComponentError::NoSuchEntity) => {
                write!(f, "entity {entity:?} does not exist")
            }
            (Some(entity), ComponentError::MissingComponent(_)) => {
                write!(f, "entity {entity:?}: {error}")
            }
        }
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
