//! Changes of entities, and the commands that stand for them.

use schedule_hecs::hecs;
use schedule_hecs::prelude::*;

use super::case::Change;
use super::parts::{N, Value, mix, with_part};

/// The entity that a number stands for.
pub(super) fn chosen(number: usize, entities: &[Entity]) -> Option<Entity> {
    let idx = number.checked_rem(entities.len())?;
    Some(entities[idx])
}

/// The value that a change writes.
pub(super) fn written(change: usize, part: usize) -> u64 {
    mix(change as u64 + 1, part as u64)
}

/// The components of a set.
pub(super) fn parts(set: u8) -> impl Iterator<Item = usize> {
    (0..N).filter(move |part| set >> part & 1 == 1)
}

/// A bundle of the components of a set, with the values of a change.
pub(super) fn bundle(set: u8, change: usize) -> hecs::EntityBuilder {
    let mut bundle = hecs::EntityBuilder::new();
    for part in parts(set) {
        with_part!(part, T => bundle.add(T::new(written(change, part))));
    }
    bundle
}

/// The entity of a command.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recipient {
    Entity(Entity),
    /// The entity that the same system has spawned as its nth.
    Spawned(usize),
}

/// A command. `usize`: the number of the change that it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recorded {
    Spawn(u8, usize),
    SpawnA(u64),
    Insert(Recipient, u8, usize),
    /// Removes a component, by number.
    Remove(Recipient, usize),
    Despawn(Recipient),
}

/// Returns the commands that stand for changes. Entities are those at the start of a run, or those that the system has spawned.
pub(super) fn recorded(changes: &[Change], known: &[Entity]) -> Vec<Recorded> {
    let (mut commands, mut n_spawned) = (Vec::new(), 0);
    for (number, change) in changes.iter().enumerate() {
        let recipient = |at: usize| {
            let spawned = at.is_multiple_of(3).then(|| at.checked_rem(n_spawned));
            match spawned.flatten() {
                Some(nth) => Some(Recipient::Spawned(nth)),
                None => chosen(at, known).map(Recipient::Entity),
            }
        };
        match *change {
            Change::Spawn(n, set) => {
                commands.extend((0..n).map(|_| Recorded::Spawn(set, number)));
                n_spawned += n;
            }
            Change::Despawn(at) => commands.extend(recipient(at).map(Recorded::Despawn)),
            Change::Insert(at, set) => {
                commands.extend(recipient(at).map(|to| Recorded::Insert(to, set, number)));
            }
            Change::Remove(at, part) => {
                commands.extend(recipient(at).map(|from| Recorded::Remove(from, part)));
            }
            Change::Write(at, part) => {
                commands.extend(recipient(at).map(|to| Recorded::Insert(to, 1 << part, number)));
            }
        }
    }
    commands
}
