//! Villagers: their components, and the store that contains them.
//!
//! The store has a column for each component. Systems conflict on columns as on resources, so those that use different
//! columns can run at the same time. A system with `for_each = Villagers` takes components of one villager, and runs for all.

use schedule::columns::Columns;

use crate::fatigue::Fatigue;
use crate::fever::Fever;
use crate::field::Cell;
use crate::food::Hunger;
use crate::health::{Health, Poison};
use crate::life::Age;
use crate::movement::{Home, Position, Velocity};

/// The store of all villagers.
pub(crate) type Villagers = Columns<Villager>;

/// The components of a villager.
#[derive(Columns)]
pub(crate) struct Villager {
    position: Position,
    velocity: Velocity,
    home: Home,
    cell: Cell,
    fatigue: Fatigue,
    hunger: Hunger,
    health: Health,
    poison: Poison,
    fever: Fever,
    age: Age,
}

impl Villager {
    /// A newborn, at the position and in the home of its parent.
    pub(crate) fn newborn(position: Position, home: Home) -> Self {
        Self {
            position,
            velocity: Velocity::STILL,
            home,
            cell: position.cell(),
            fatigue: Fatigue::default(),
            hunger: Hunger::default(),
            health: Health::new(),
            poison: Poison::default(),
            fever: Fever::default(),
            age: Age::default(),
        }
    }

    /// A villager that exists from the start.
    pub(crate) fn founder(idx: usize) -> Self {
        let home = Home::of_founder(idx);
        Self {
            hunger: Hunger::of_founder(idx),
            fever: Fever::of_founder(idx),
            age: Age::of_founder(idx),
            ..Self::newborn(home.0, home)
        }
    }
}
