//! Worlds that are copied, kept, saved and serialized, with all ids and the order of entities.

mod forms;
mod loans;

use proptest::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};
use schedule_hecs::KeptWorld;
use schedule_hecs::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(
    Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq, Eq,
)]
#[snapshot(name = "position")]
struct Position(i64);

#[derive(
    Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq, Eq,
)]
#[snapshot(name = "name")]
struct Named(String);

/// Takes no memory.
#[derive(
    Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq, Eq,
)]
#[snapshot(name = "frozen")]
struct Frozen;

/// The bytes of a world, without name and checksum.
fn bytes_of(world: &World) -> Vec<u8> {
    let mut encoder = Encoder::new();
    world.save(&mut encoder).unwrap();
    encoder.into_bytes()
}

fn of_bytes(bytes: &[u8]) -> Result<World, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let world = World::restore(&mut decoder)?;
    decoder.finish()?;
    Ok(world)
}

type Seen = (Entity, Option<i64>, Option<String>, bool);

/// All entities in the order of queries, with their components.
fn entities(world: &mut World) -> Vec<Seen> {
    let query = world.query::<(Entity, Option<&Position>, Option<&Named>, Option<&Frozen>)>();
    let seen = query.iter().map(|(entity, position, name, frozen)| {
        let position = position.map(|position| position.0);
        (
            entity,
            position,
            name.map(|name| name.0.clone()),
            frozen.is_some(),
        )
    });
    seen.collect()
}

/// The components of an entity, without their values.
type Kind = (bool, bool, bool);

/// A world in a naive form.
#[derive(Default, Clone)]
struct NaiveWorld {
    /// In the order of their first use. The first one has no components.
    archetypes: Vec<(Kind, Vec<Seen>)>,
    /// The generation of the next or current entity of each id.
    generations: Vec<u32>,
    free: Vec<u32>,
}

fn kind((_, position, name, frozen): &Seen) -> Kind {
    (position.is_some(), name.is_some(), *frozen)
}

impl NaiveWorld {
    fn new() -> Self {
        Self {
            archetypes: vec![(Kind::default(), Vec::new())],
            ..Self::default()
        }
    }

    fn put(&mut self, seen: Seen) {
        let kind = kind(&seen);
        let found = self.archetypes.iter_mut().find(|(other, _)| *other == kind);
        match found {
            Some((_, rows)) => rows.push(seen),
            None => self.archetypes.push((kind, vec![seen])),
        }
    }

    fn take(&mut self, entity: Entity) -> Option<Seen> {
        self.archetypes.iter_mut().find_map(|(_, rows)| {
            let row = rows.iter().position(|row| row.0 == entity)?;
            Some(rows.swap_remove(row))
        })
    }

    fn spawn(&mut self, position: Option<i64>, name: Option<String>, frozen: bool) {
        let id = self.free.pop().unwrap_or(self.generations.len() as u32);
        if id as usize == self.generations.len() {
            self.generations.push(1);
        }
        let bits = u64::from(self.generations[id as usize]) << 32 | u64::from(id);
        self.put((Entity::from_bits(bits).unwrap(), position, name, frozen));
    }

    fn despawn(&mut self, entity: Entity) {
        self.take(entity).unwrap();
        self.generations[entity.id() as usize] += 1;
        self.free.push(entity.id());
    }

    fn clear(&mut self) {
        self.archetypes
            .iter_mut()
            .for_each(|(_, rows)| rows.clear());
        self.generations.clear();
        self.free.clear();
    }

    fn entities(&self) -> Vec<Seen> {
        let rows = self.archetypes.iter().flat_map(|(_, rows)| rows);
        rows.cloned().collect()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Spawn(Option<i64>, Option<String>, bool),
    Despawn(usize),
    InsertPosition(usize, i64),
    RemoveName(usize),
    Clear,
    Copy(Form),
}

/// How a world is copied.
#[derive(Clone, Copy, Debug)]
enum Form {
    Clone,
    Keep,
    Snapshot,
    Json,
}

const FORMS: [Form; 4] = [Form::Clone, Form::Keep, Form::Snapshot, Form::Json];

impl Form {
    fn copy(self, world: &World, kept: &mut KeptWorld) -> World {
        match self {
            Self::Clone => world.clone(),
            Self::Keep => {
                kept.save(world).unwrap();
                let mut other = World::new();
                other.spawn((Position(1), Frozen));
                kept.restore(&mut other);
                other
            }
            Self::Snapshot => of_bytes(&bytes_of(world)).unwrap(),
            Self::Json => serde_json::from_str(&serde_json::to_string(world).unwrap()).unwrap(),
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let position = prop::option::of(0_i64..50);
    let name = prop::option::of(prop::sample::select(vec!["", "Ada", "Zoë"]));
    let spawn = (position, name, prop::bool::ANY);
    prop_oneof![
        6 => spawn.prop_map(|(position, name, frozen)| Step::Spawn(position, name.map(str::to_owned), frozen)),
        4 => (0_usize..50).prop_map(Step::Despawn),
        2 => (0_usize..50, 0_i64..50).prop_map(|(nth, position)| Step::InsertPosition(nth, position)),
        2 => (0_usize..50).prop_map(Step::RemoveName),
        1 => Just(Step::Clear),
        2 => prop::sample::select(FORMS.to_vec()).prop_map(Step::Copy),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn copies_have_the_same_ids_and_the_same_order(steps in prop::collection::vec(step(), 0..80)) {
        let mut world = World::new();
        let mut kept = KeptWorld::new();
        let mut naive = NaiveWorld::new();
        for step in steps {
            let all = naive.entities();
            let nth = |nth: usize| all.get(nth % all.len().max(1)).cloned();
            match step {
                Step::Spawn(position, name, frozen) => {
                    let mut builder = schedule_hecs::hecs::EntityBuilder::new();
                    if let Some(position) = position {
                        builder.add(Position(position));
                    }
                    if let Some(name) = &name {
                        builder.add(Named(name.clone()));
                    }
                    if frozen {
                        builder.add(Frozen);
                    }
                    world.spawn(builder.build());
                    naive.spawn(position, name, frozen);
                }
                Step::Despawn(n) => {
                    if let Some((entity, ..)) = nth(n) {
                        world.despawn(entity).unwrap();
                        naive.despawn(entity);
                    }
                }
                Step::InsertPosition(n, position) => {
                    if let Some((entity, ..)) = nth(n) {
                        world.insert(entity, (Position(position),)).unwrap();
                        if let Some((_, Some(_), ..)) = nth(n) {
                            let rows = naive.archetypes.iter_mut().flat_map(|(_, rows)| rows);
                            for row in rows.filter(|row| row.0 == entity) {
                                row.1 = Some(position);
                            }
                        } else {
                            let (_, _, name, frozen) = naive.take(entity).unwrap();
                            naive.put((entity, Some(position), name, frozen));
                        }
                    }
                }
                Step::RemoveName(n) => {
                    if let Some((entity, position, Some(_), frozen)) = nth(n) {
                        world.remove::<(Named,)>(entity).unwrap();
                        naive.take(entity).unwrap();
                        naive.put((entity, position, None, frozen));
                    }
                }
                Step::Clear => {
                    world.clear();
                    naive.clear();
                }
                Step::Copy(form) => {
                    let bytes = bytes_of(&world);
                    world = form.copy(&world, &mut kept);
                    prop_assert_eq!(bytes_of(&world), bytes);
                }
            }
            prop_assert_eq!(entities(&mut world), naive.entities());
            prop_assert_eq!(world.len(), naive.entities().len());
        }
        let bytes = bytes_of(&world);
        for form in FORMS {
            let mut copy = form.copy(&world, &mut kept);
            prop_assert_eq!(bytes_of(&copy), &bytes[..]);
            let mut expected = naive.clone();
            for _ in 0..3 {
                copy.spawn((Position(0),));
                expected.spawn(Some(0), None, false);
            }
            prop_assert_eq!(entities(&mut copy), expected.entities(), "{:?}", form);
        }
    }

    #[test]
    fn changed_bytes_are_an_error_or_another_world(
        steps in prop::collection::vec((prop::option::of(0_i64..9), prop::bool::ANY), 1..20),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut world = World::new();
        for (position, is_frozen) in steps {
            match (position, is_frozen) {
                (Some(position), true) => world.spawn((Position(position), Frozen)),
                (Some(position), false) => world.spawn((Position(position), Named(position.to_string()))),
                (None, true) => {
                    let entity = world.spawn((Frozen,));
                    world.despawn(entity).unwrap();
                    entity
                }
                (None, false) => world.spawn(()),
            };
        }
        let bytes = bytes_of(&world);
        prop_assert!(of_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        let mut changed = bytes.clone();
        for (at, byte) in changes {
            let at = at.index(changed.len());
            changed[at] = byte;
        }
        if let Ok(mut other) = of_bytes(&changed) {
            // Saving it again gives a world with the same content.
            let mut again = of_bytes(&bytes_of(&other)).unwrap();
            prop_assert_eq!(entities(&mut again), entities(&mut other));
            prop_assert_eq!(again.spawn(()), other.spawn(()));
        }
    }
}
