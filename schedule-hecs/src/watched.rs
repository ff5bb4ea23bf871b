//! The marks of watched components, beside the archetypes.
//!
//! Each watched component has a clock, marks for each archetype that has it, and a log of the entities that lost it. All changes through
//! [`World`](crate::World) and through commands keep them up to date. [`World::hecs_mut`](crate::World::hecs_mut) can change everything. It
//! sets them aside, and the next access compares the entities before and after.

use core::any::TypeId;
use core::fmt;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use hecs::{Archetype, Entity};
use schedule::entity::{ChangeClock, ColumnMarks, RemovedLog, RowMarks, WatchedMarks};

use crate::location::Location;

/// All watched components of a world. A list, because systems that share the world add to it.
#[derive(Default)]
pub(crate) struct Watched {
    first: Next,
}

type Next = OnceLock<Box<Node>>;

/// A watched component.
struct Node {
    component: TypeId,
    state: OnceLock<Box<NodeState>>,
    /// The state before arbitrary changes, while `state` is empty. `None`: the component was not watched before.
    outdated: Mutex<Option<Box<Outdated>>>,
    next: Next,
}

/// The changes of a component.
struct NodeState {
    clock: ChangeClock,
    /// `tables[archetype]`: the marks of its rows. Empty if the archetype does not have the component. New archetypes may be missing.
    tables: Vec<ColumnMarks>,
    removed: RemovedLog<Entity>,
}

/// A state before arbitrary changes.
struct Outdated {
    state: NodeState,
    /// The entities that had the component, in their order, and when they got it.
    rows: Vec<(Entity, u64)>,
}

impl Watched {
    /// Whether no component is watched.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.get().is_none()
    }

    /// Begins to watch a component. Returns its changes, and whether it was not watched before.
    pub(crate) fn watch(&self, component: TypeId, world: &hecs::World) -> (Changes<'_>, bool) {
        let mut next = &self.first;
        let mut is_new = false;
        loop {
            let node = next.get_or_init(|| {
                is_new = true;
                Box::new(Node {
                    component,
                    state: OnceLock::new(),
                    outdated: Mutex::new(None),
                    next: OnceLock::new(),
                })
            });
            if node.component == component {
                return (Changes(node.state(world)), is_new);
            }
            next = &node.next;
        }
    }

    /// Returns the changes of a component, if it is watched.
    #[inline]
    pub(crate) fn find(&self, component: TypeId, world: &hecs::World) -> Option<Changes<'_>> {
        let mut next = &self.first;
        while let Some(node) = next.get() {
            if node.component == component {
                return Some(Changes(node.state(world)));
            }
            next = &node.next;
        }
        None
    }

    /// Brings all states up to date, and calls a function with each.
    fn for_each(&mut self, world: &hecs::World, mut visit: impl FnMut(TypeId, &mut NodeState)) {
        let mut next = &mut self.first;
        while let Some(node) = next.get_mut() {
            node.state(world);
            let state = node.state.get_mut().expect("it was initialized");
            visit(node.component, state);
            next = &mut node.next;
        }
    }

    /// Brings all states up to date, before a change that the methods below follow.
    pub(crate) fn begin(&mut self, world: &hecs::World) {
        self.for_each(world, |_, _| {});
    }

    /// Sets all states aside, before arbitrary changes.
    pub(crate) fn set_aside(&mut self, world: &hecs::World) {
        let mut next = &mut self.first;
        while let Some(node) = next.get_mut() {
            let outdated = node.outdated.get_mut();
            if outdated.unwrap_or_else(PoisonError::into_inner).is_some() {
                // Compares before the second use. Otherwise, entities that the first one has added and the second one removes
                // would not be found.
                node.state(world);
            }
            if let Some(state) = node.state.take() {
                let rows = state.rows(node.component, world);
                let outdated = Outdated {
                    state: *state,
                    rows,
                };
                *node
                    .outdated
                    .get_mut()
                    .unwrap_or_else(PoisonError::into_inner) = Some(Box::new(outdated));
            }
            next = &mut node.next;
        }
    }

    /// Notes new entities, in the order of their rows in each archetype.
    pub(crate) fn spawned(&mut self, world: &hecs::World, entities: &[Entity]) {
        let places: Vec<usize> = entities
            .iter()
            .filter_map(|entity| Some(Location::of(world, *entity)?.archetype))
            .collect();
        self.for_each(world, |component, state| {
            let now = state.clock.advance();
            for &archetype in &places {
                if has(world, archetype, component) {
                    let marks = RowMarks {
                        changed: now,
                        added: now,
                    };
                    state.table(archetype).push(marks);
                }
            }
        });
    }

    /// Notes that an entity is despawned. `place`: where it was.
    pub(crate) fn despawned(&mut self, world: &hecs::World, entity: Entity, place: Location) {
        self.for_each(world, |component, state| {
            if has(world, place.archetype, component) {
                state.table(place.archetype).swap_remove(place.row);
                state.removed.push(entity);
            }
        });
    }

    /// Notes that the components of an entity have changed. `before`: where it was. `inserted`: the components that were added or replaced.
    pub(crate) fn moved(
        &mut self,
        world: &hecs::World,
        entity: Entity,
        before: Location,
        inserted: &[TypeId],
    ) {
        let after = Location::of(world, entity).expect("the entity exists");
        self.for_each(world, |component, state| {
            let is_inserted = inserted.contains(&component);
            if before.archetype == after.archetype {
                if is_inserted {
                    let now = state.clock.advance();
                    state.table(before.archetype).mark_row(before.row, now);
                }
                return;
            }
            let had = has(world, before.archetype, component);
            let marks = had.then(|| state.table(before.archetype).swap_remove(before.row));
            if !has(world, after.archetype, component) {
                if had {
                    state.removed.push(entity);
                }
                return;
            }
            let mut marks = marks.unwrap_or(RowMarks {
                changed: 0,
                added: 0,
            });
            if is_inserted || !had {
                marks.changed = state.clock.advance();
            }
            if !had {
                marks.added = marks.changed;
            }
            state.table(after.archetype).push(marks);
        });
    }

    /// Notes that all entities are about to be despawned.
    pub(crate) fn clear(&mut self, world: &hecs::World) {
        self.for_each(world, |component, state| {
            for (entity, _) in state.rows(component, world) {
                state.removed.push(entity);
            }
            state.tables.iter_mut().for_each(ColumnMarks::clear);
        });
    }
}

impl Node {
    #[inline]
    fn state(&self, world: &hecs::World) -> &NodeState {
        self.state.get_or_init(|| {
            let mut outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner);
            Box::new(match outdated.take() {
                None => NodeState::new(self.component, world),
                Some(outdated) => outdated.update(self.component, world),
            })
        })
    }
}

impl NodeState {
    fn new(component: TypeId, world: &hecs::World) -> Self {
        let n_rows = |archetype: &Archetype| {
            if archetype.has_dynamic(component) {
                archetype.len() as usize
            } else {
                0
            }
        };
        Self {
            clock: ChangeClock::new(),
            tables: world
                .archetypes()
                .map(|archetype| ColumnMarks::new(n_rows(archetype)))
                .collect(),
            removed: RemovedLog::new(),
        }
    }

    fn table(&mut self, archetype: usize) -> &mut ColumnMarks {
        if self.tables.len() <= archetype {
            self.tables.resize_with(archetype + 1, ColumnMarks::default);
        }
        &mut self.tables[archetype]
    }

    /// Returns the entities that have the component, and when they got it.
    fn rows(&self, component: TypeId, world: &hecs::World) -> Vec<(Entity, u64)> {
        let tables = entities_with(component, world).zip(&self.tables);
        let rows = tables.flat_map(|(entities, marks)| {
            let rows = entities.into_iter().enumerate();
            rows.map(|(row, entity)| (entity, marks.get(row).added))
        });
        rows.collect()
    }
}

impl Outdated {
    /// Compares the entities. Those that still have the component count as changed, because their values may have been written.
    fn update(self, component: TypeId, world: &hecs::World) -> NodeState {
        let Self { mut state, rows } = self;
        let now = state.clock.advance();
        let mut added_at: HashMap<Entity, u64> = rows.iter().copied().collect();
        state.tables.clear();
        for entities in entities_with(component, world) {
            let mut marks = ColumnMarks::default();
            for entity in entities {
                let added = added_at.remove(&entity).unwrap_or(now);
                marks.push(RowMarks {
                    changed: now,
                    added,
                });
            }
            state.tables.push(marks);
        }
        let lost = rows
            .iter()
            .filter(|(entity, _)| added_at.contains_key(entity));
        lost.for_each(|(entity, _)| state.removed.push(*entity));
        state
    }
}

/// For each archetype, its entities if it has the component.
fn entities_with(component: TypeId, world: &hecs::World) -> impl Iterator<Item = Vec<Entity>> + '_ {
    world.archetypes().map(move |archetype| {
        let mut entities = Vec::new();
        if archetype.has_dynamic(component) {
            crate::column::add_entities(world, archetype, &mut entities);
        }
        entities
    })
}

fn has(world: &hecs::World, archetype: usize, component: TypeId) -> bool {
    let archetype = world.archetypes().nth(archetype);
    archetype.is_some_and(|archetype| archetype.has_dynamic(component))
}

/// The changes of a watched component.
#[derive(Clone, Copy)]
pub(crate) struct Changes<'w>(&'w NodeState);

impl<'w> Changes<'w> {
    pub(crate) fn clock(self) -> &'w ChangeClock {
        &self.0.clock
    }

    pub(crate) fn removed(self) -> &'w RemovedLog<Entity> {
        &self.0.removed
    }

    /// Returns the marks of an archetype that has the component.
    pub(crate) fn marks(self, archetype: usize) -> Option<WatchedMarks<'w>> {
        Some(WatchedMarks {
            clock: &self.0.clock,
            column: self.0.tables.get(archetype)?,
        })
    }

    /// Marks the component of an entity as written.
    pub(crate) fn mark(self, place: Location) {
        if let Some(marks) = self.marks(place.archetype) {
            marks.column.mark_row(place.row, self.0.clock.advance());
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watched")
    }
}
