//! Entities in columns: conflicts, systems for each entity, and commands.

mod access;
mod commands;
mod for_each;
mod loans;
mod random;
mod random_commands;
mod saved;
mod saved_forms;
mod saved_tickets;
mod swap;

use schedule::columns::{Columns, EntityId};
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Component, Snapshot, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[snapshot(name = "position")]
struct Position(i64);

#[derive(Component, Snapshot, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[snapshot(name = "hunger")]
struct Hunger(i64);

#[derive(Columns, Clone, Debug, PartialEq)]
#[columns(name = "villagers")]
struct Villager {
    position: Position,
    hunger: Hunger,
}

fn villager(position: i64) -> Villager {
    Villager {
        position: Position(position),
        hunger: Hunger(0),
    }
}

/// Resources with villagers at these positions.
fn resources(positions: impl IntoIterator<Item = i64>) -> Resources {
    let villagers: Columns<Villager> = positions.into_iter().map(villager).collect();
    let mut resources = Resources::new();
    resources.insert(villagers);
    resources
}

fn villagers(resources: &mut Resources) -> &mut Columns<Villager> {
    resources.get_mut().unwrap()
}

/// All villagers by row: their ids, positions and hungers.
fn rows(resources: &mut Resources) -> Vec<(EntityId<Villager>, i64, i64)> {
    let villagers = villagers(resources);
    let ids = villagers.ids().to_vec();
    let (positions, hungers) = villagers.columns_mut::<(&Position, &Hunger)>();
    let values = positions.iter().zip(&hungers);
    let rows = ids.into_iter().zip(values);
    rows.map(|(id, (position, hunger))| (id, position.0, hunger.0))
        .collect()
}
