//! Loops over the entities of a store without a schedule. They note the changes in a vector, because the store is borrowed, and then make
//! them.

use core::panic::Location;

use schedule::columns::{Columns, EntityId};
use schedule_hecs::World;
use schedule_hecs::hecs::Entity;

use crate::contender::Store;
use crate::data::{Number, Unit, UnitBundle, numbers};
use crate::workload::Workload;

/// A change of a store whose entities have the ids `E`, with the data of a recorded command.
enum Noted<E, B> {
    Despawn(E, &'static Location<'static>),
    Spawn(B),
}

struct ByHand<S, E> {
    store: S,
    workload: Workload,
    chosen: Vec<(E, u32)>,
    /// Whether all changes are noted in a new vector before the first is made. The time is a bound for commands.
    is_recorded: bool,
}

pub(crate) fn columns(workload: Workload) -> Box<dyn Store> {
    of(Columns::<Unit>::new(), workload, false)
}

pub(crate) fn columns_after_recording(workload: Workload) -> Box<dyn Store> {
    of(Columns::<Unit>::new(), workload, true)
}

pub(crate) fn world(workload: Workload) -> Box<dyn Store> {
    of(World::new(), workload, false)
}

pub(crate) fn world_after_recording(workload: Workload) -> Box<dyn Store> {
    of(World::new(), workload, true)
}

fn of<S: Entities + 'static>(store: S, workload: Workload, is_recorded: bool) -> Box<dyn Store> {
    Box::new(ByHand {
        store,
        workload,
        chosen: Vec::new(),
        is_recorded,
    })
}

/// The calls of a store that the loops use.
trait Entities {
    type Id: Copy;
    type Spawned;

    fn reset(&mut self);
    fn len(&self) -> usize;
    fn for_each(&mut self, visit: impl FnMut(Self::Id, u32));
    fn despawn(&mut self, id: Self::Id);
    fn spawned(number: u32) -> Self::Spawned;
    fn spawn(&mut self, unit: Self::Spawned);
}

impl Entities for Columns<Unit> {
    type Id = EntityId<Unit>;
    type Spawned = Unit;

    fn reset(&mut self) {
        self.clear();
        self.extend(numbers().map(Unit::new));
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn for_each(&mut self, mut visit: impl FnMut(EntityId<Unit>, u32)) {
        let numbers = self.column::<Number>();
        for (number, &id) in numbers.iter().zip(numbers.ids()) {
            visit(id, number.0);
        }
    }

    fn despawn(&mut self, id: EntityId<Unit>) {
        self.despawn(id).expect("it exists");
    }

    fn spawned(number: u32) -> Unit {
        Unit::new(number)
    }

    fn spawn(&mut self, unit: Unit) {
        self.spawn(unit);
    }
}

impl Entities for World {
    type Id = Entity;
    type Spawned = UnitBundle;

    fn reset(&mut self) {
        self.clear();
        self.spawn_batch(numbers().map(Unit::bundle));
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn for_each(&mut self, mut visit: impl FnMut(Entity, u32)) {
        for (entity, number) in &mut self.query::<(Entity, &Number)>() {
            visit(entity, number.0);
        }
    }

    fn despawn(&mut self, entity: Entity) {
        self.despawn(entity).expect("it exists");
    }

    fn spawned(number: u32) -> UnitBundle {
        Unit::bundle(number)
    }

    fn spawn(&mut self, unit: UnitBundle) {
        self.spawn(unit);
    }
}

impl<S: Entities> Store for ByHand<S, S::Id> {
    fn reset(&mut self) {
        self.store.reset();
    }

    fn run(&mut self) {
        let Self {
            store,
            workload,
            chosen,
            is_recorded,
        } = self;
        let (step, change) = (workload.step(), workload.change);
        if *is_recorded {
            let mut noted = Vec::new();
            store.for_each(|id, number| {
                if number.is_multiple_of(step) {
                    if change.has_despawn() {
                        noted.push(Noted::Despawn(id, Location::caller()));
                    }
                    if change.has_spawn() {
                        noted.push(Noted::Spawn(S::spawned(number)));
                    }
                }
            });
            for change in noted {
                match change {
                    Noted::Despawn(id, location) => {
                        core::hint::black_box(location);
                        store.despawn(id);
                    }
                    Noted::Spawn(unit) => store.spawn(unit),
                }
            }
            return;
        }
        chosen.clear();
        store.for_each(|id, number| {
            if number.is_multiple_of(step) {
                chosen.push((id, number));
            }
        });
        for &(id, number) in &*chosen {
            if change.has_despawn() {
                store.despawn(id);
            }
            if change.has_spawn() {
                store.spawn(S::spawned(number));
            }
        }
    }

    fn len(&mut self) -> usize {
        self.store.len()
    }
}
