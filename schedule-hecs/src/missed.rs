//! Commands that had no effect, with the entities and errors of hecs.

use hecs::{ComponentError, Entity};
use schedule::entity::{self, MissedReason};

/// A command that had no effect.
pub type MissedCommand = entity::MissedCommand<Entity>;

/// The commands on the entities of a [`World`](crate::World) that had no effect.
pub type MissedCommands = entity::MissedCommands<Entity>;

/// Returns the reason why a command failed with this error.
pub(crate) fn reason(error: &ComponentError) -> MissedReason {
    match error {
        ComponentError::NoSuchEntity => MissedReason::NoSuchEntity,
        ComponentError::MissingComponent(missing) => {
            MissedReason::MissingComponent(missing.to_string())
        }
    }
}
