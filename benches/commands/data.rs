//! The entities, which both stores have.

use schedule::columns::Columns;
use schedule::entity::Component;

use crate::workload::N_ENTITIES;

#[derive(Component)]
#[expect(dead_code, reason = "only moved")]
pub(crate) struct Position([f32; 2]);

#[derive(Component)]
#[expect(dead_code, reason = "only moved")]
pub(crate) struct Velocity([f32; 2]);

/// The number of an entity.
#[derive(Component)]
pub(crate) struct Number(pub(crate) u32);

#[derive(Columns)]
pub(crate) struct Unit {
    position: Position,
    velocity: Velocity,
    number: Number,
}

/// The components of a [`Unit`] in a world.
pub(crate) type UnitBundle = (Position, Velocity, Number);

impl Unit {
    pub(crate) fn new(number: u32) -> Self {
        let (position, velocity, number) = Self::bundle(number);
        Self {
            position,
            velocity,
            number,
        }
    }

    pub(crate) fn bundle(number: u32) -> UnitBundle {
        let position = Position([number as f32, 0.0]);
        (position, Velocity([1.0, 0.5]), Number(number))
    }
}

/// The number of each entity before a run.
pub(crate) fn numbers() -> impl ExactSizeIterator<Item = u32> {
    (0..N_ENTITIES).map(|number| number as u32)
}
