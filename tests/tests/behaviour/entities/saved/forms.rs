//! Forms of saved worlds, what systems find in copies, and components that cannot be saved.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use schedule::SavedResources;
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotReader, SnapshotWriter};
use schedule_hecs::prelude::*;
use schedule_hecs::{EntityTarget, KeptWorld, Removed, SavedTag};
use serde::{Deserialize, Serialize};

use super::{Frozen, Named, Position, bytes_of, entities, of_bytes};

#[test]
fn serialized_world_has_the_names_of_the_components() {
    let mut world = World::new();
    let first = world.spawn((Position(5), Frozen));
    world.spawn((Position(6), Frozen));
    world.despawn(first).unwrap();
    let text = serde_json::to_string(&world).unwrap();
    let entity = 1_u64 << 32 | 1;
    let free = 2_u64 << 32;
    let expected = format!(
        r#"{{"free":[{free}],"archetypes":[{{"entities":[],"components":{{}}}},{{"entities":[{entity}],"components":{{"frozen":[null],"position":[6]}}}}]}}"#
    );
    assert_eq!(text, expected);
    let read = |text: &str| serde_json::from_str::<World>(text);
    let error = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        read(&text.replace(from, to)).unwrap_err().to_string()
    };
    let faults = [
        (
            "[6]",
            "[6,7]",
            "the component `position` has 2 values, and its archetype has 1 entities",
        ),
        (
            "\"position\"",
            "\"thirst\"",
            "no component with the saved name `thirst`: add `#[derive(SavedComponent)]`",
        ),
        (
            "\"frozen\":[null]",
            "\"position\":[6]",
            "an archetype has a component twice",
        ),
        (
            &free.to_string(),
            &entity.to_string(),
            "two entities have the same id",
        ),
        (
            &free.to_string(),
            &(free + 7).to_string(),
            "an id is not less than the number of ids",
        ),
        (&free.to_string(), "7", "a valid `Entity` bitpattern"),
        (
            r#"{"entities":[],"components":{}},"#,
            "",
            "the first archetype is the one without components",
        ),
    ];
    for (from, to, expected) in faults {
        let error = error(from, to);
        assert!(error.contains(expected), "{error}");
    }
    let more = text.replace("\"free\"", "\"thirst\":[1,2],\"free\"");
    assert_eq!(bytes_of(&read(&more).unwrap()), bytes_of(&world));
}

/// Ids with their generations.
type IdList<'a> = &'a [(u32, u32)];
/// The indices of components, and the entities.
type Archetype<'a> = (&'a [u32], IdList<'a>);

#[test]
fn lists_that_contradict_each_other_are_errors() {
    let restore = |free: IdList<'_>, archetypes: &[Archetype<'_>]| {
        let mut encoder = Encoder::new();
        encoder.write(&1_usize).unwrap();
        encoder.write("frozen").unwrap();
        encoder.write(&1_u32).unwrap();
        encoder
            .write(&schedule::snapshot::Schema::of_saved::<Frozen>())
            .unwrap();
        encoder.write(free).unwrap();
        encoder.write(archetypes).unwrap();
        of_bytes(encoder.as_bytes())
    };
    assert_eq!(
        restore(&[(1, 4)], &[(&[], &[(0, 3)]), (&[0], &[(2, 1)])])
            .unwrap()
            .len(),
        2
    );
    let faults: [(IdList<'_>, &[Archetype<'_>], &str); 9] = [
        (
            &[(0, 4)],
            &[(&[], &[(0, 3)])],
            "two entities have the same id",
        ),
        (
            &[(2, 4)],
            &[(&[], &[(0, 3)])],
            "an id is not less than the number of ids",
        ),
        (&[], &[(&[], &[(0, 0)])], ""),
        (
            &[],
            &[],
            "the first archetype is the one without components",
        ),
        (
            &[],
            &[(&[0], &[])],
            "the first archetype is the one without components",
        ),
        (
            &[],
            &[(&[], &[]), (&[], &[])],
            "the first archetype is the one without components",
        ),
        (
            &[],
            &[(&[], &[]), (&[0], &[]), (&[0], &[])],
            "two archetypes have the same components",
        ),
        (
            &[],
            &[(&[], &[]), (&[0, 0], &[])],
            "the components of an archetype are not in ascending order",
        ),
        (
            &[],
            &[(&[], &[]), (&[1], &[])],
            "an archetype has an unknown component",
        ),
    ];
    for (free, archetypes, expected) in faults {
        let error = restore(free, archetypes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[derive(Identity)]
struct Ships;

impl SavedTag for Ships {
    const WORLD_NAME: &'static str = "ships";
}

#[test]
fn worlds_with_tags_have_names_of_their_own() {
    let saved = SavedResources::new().with::<World>().with::<World<Ships>>();
    let mut resources = Resources::new();
    let mut ships = World::<Ships>::with_tag();
    let ship = ships.spawn((Named("Beagle".to_owned()),));
    resources.insert(ships);
    resources.insert(World::new());
    let bytes = saved.save(&resources).unwrap();
    let mut restored = Resources::new();
    saved.restore(&bytes, &mut restored).unwrap();
    let ships = restored.get_mut::<World<Ships>>().unwrap();
    assert_eq!(ships.get_mut::<Named>(ship).unwrap().0, "Beagle");
    assert!(restored.get::<World>().unwrap().is_empty());
}

/// The component of another program: the same name, with other fields.
mod changed {
    use super::*;

    #[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize)]
    #[snapshot(name = "changed-wheel")]
    pub(super) struct Wheel {
        pub(super) radius: f32,
    }

    #[derive(Snapshot, Serialize, Deserialize)]
    #[snapshot(name = "changed-wheel")]
    pub(super) struct Older {
        pub(super) diameter: f32,
    }
}

#[test]
fn component_that_has_changed_is_an_error_that_names_the_part() {
    let mut world = World::new();
    world.spawn((changed::Wheel { radius: 1.5 },));
    let bytes = bytes_of(&world);
    let restored = of_bytes(&bytes)
        .unwrap()
        .query::<&changed::Wheel>()
        .iter()
        .next()
        .unwrap()
        .radius;
    assert_eq!(restored, 1.5);
    // The same bytes with the schema of the older type.
    let schema = |schema: schedule::snapshot::Schema| {
        let mut encoder = Encoder::new();
        encoder.write(&schema).unwrap();
        encoder.into_bytes()
    };
    let now = schema(schedule::snapshot::Schema::of_saved::<changed::Wheel>());
    let older = schema(schedule::snapshot::Schema::of_saved::<changed::Older>());
    let at = bytes
        .windows(now.len())
        .position(|part| part == now)
        .unwrap();
    let old_bytes = [&bytes[..at], &older, &bytes[at + now.len()..]].concat();
    let error = of_bytes(&old_bytes).unwrap_err().to_string();
    assert!(error.contains("diameter"), "{error}");
    let _ = changed::Older { diameter: 3.0 }.diameter;
}

/// Raised to version 2: the fuel has doubled.
#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "tank", version = 2, migrate = doubled)]
struct Tank(u32);

fn doubled(_: u32, from: &mut Decoder<'_>) -> Result<Tank, schedule::snapshot::SnapshotError> {
    Ok(Tank(from.read::<u32>()? * 2))
}

#[test]
fn components_of_older_versions_are_migrated() {
    let mut encoder = Encoder::new();
    encoder.write(&1_usize).unwrap();
    encoder.write("tank").unwrap();
    encoder.write(&1_u32).unwrap();
    encoder
        .write(&schedule::snapshot::Schema::of::<u32>())
        .unwrap();
    encoder.write::<[(u32, u32)]>(&[]).unwrap();
    encoder.write(&2_usize).unwrap();
    encoder.write::<([u32; 0], [u32; 0])>(&([], [])).unwrap();
    encoder.write(&[0_u8; 2][..]).unwrap();
    let bytes = encoder.into_bytes();
    // The two empty lists have no length as arrays, so the lists of the first archetype are the last two bytes.
    let n = bytes.len();
    let mut encoder = Encoder::new();
    encoder.write(&vec![0_u32]).unwrap();
    encoder.write(&vec![(0_u32, 1_u32), (1, 1)]).unwrap();
    encoder.write(&(20_u32, 21_u32)).unwrap();
    let bytes = [&bytes[..n - 3], &[0, 0], encoder.as_bytes()].concat();
    let mut world = of_bytes(&bytes).unwrap();
    let tanks: Vec<_> = world.query::<&Tank>().iter().map(|tank| tank.0).collect();
    assert_eq!(tanks, [40, 42]);
}

#[derive(Component)]
struct Texture;

#[derive(Component, SavedComponent, Clone)]
struct OnlyCloned;

#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "only-saved")]
struct OnlySaved;

#[derive(Component, SavedComponent, Clone, Serialize, Deserialize)]
struct OnlySerialized(u8);

mod twin {
    use super::*;

    #[derive(Component, SavedComponent, Clone, Serialize, Deserialize)]
    pub(super) struct OnlySerialized(u8);

    pub(super) fn one() -> OnlySerialized {
        OnlySerialized(2)
    }
}

fn world_with<C: Component>(component: C) -> World {
    let mut world = World::new();
    let entity = world.spawn((Position(1), component));
    world.despawn(entity).unwrap();
    world
}

/// The errors of a snapshot, of a copy, and of JSON.
fn refusals(world: &World) -> [Option<String>; 3] {
    let snapshot = SnapshotWriter::new().section(world).map(|_| ());
    let copy = KeptWorld::new().save(world);
    let json = serde_json::to_string(world);
    [
        snapshot.err().map(|error| error.to_string()),
        copy.err().map(|error| error.to_string()),
        json.err().map(|error| error.to_string()),
    ]
}

#[test]
fn components_that_cannot_be_saved_are_named() {
    const CRATE: &str = module_path!();
    let lacks = |component: &str, what: &str| {
        format!("the component `{CRATE}::{component}` does not implement {what}")
    };
    let [snapshot, copy, json] = refusals(&world_with(OnlyCloned));
    assert!(
        snapshot
            .unwrap()
            .contains(&lacks("OnlyCloned", "`Snapshot`"))
    );
    assert_eq!(copy, None);
    assert_eq!(
        json.unwrap(),
        lacks("OnlyCloned", "`Serialize` and `DeserializeOwned`")
    );

    let world = world_with(OnlySaved);
    let [snapshot, copy, json] = refusals(&world);
    assert_eq!((snapshot, json), (None, None));
    assert_eq!(copy.unwrap(), lacks("OnlySaved", "`Clone`"));
    let panic = catch_unwind(|| world.clone()).unwrap_err();
    assert_eq!(
        *panic.downcast::<String>().unwrap(),
        lacks("OnlySaved", "`Clone`")
    );
    assert_eq!(
        bytes_of(&of_bytes(&bytes_of(&world)).unwrap()),
        bytes_of(&world)
    );

    // The name of a component without the derive is known when a query has read it.
    let mut world = world_with(Texture);
    let beside = "a component, beside `behaviour::entities::saved::Position`, is not declared to be saved: add `#[derive(SavedComponent)]` to its type";
    for refusal in refusals(&world) {
        let refusal = refusal.unwrap();
        assert!(refusal.contains(beside), "{refusal}");
    }
    #[system]
    fn look(_: Query<&Texture>) {}
    let mut resources = Resources::new();
    resources.insert(world);
    let mut schedule = Schedule::builder().add::<look>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    world = resources.remove::<World>().unwrap();
    let named = format!(
        "the component `{CRATE}::Texture`, beside `behaviour::entities::saved::Position`, is not declared"
    );
    for refusal in refusals(&world) {
        let refusal = refusal.unwrap();
        assert!(refusal.contains(&named), "{refusal}");
    }
}

#[test]
fn components_with_one_name_are_an_error() {
    let mut world = World::new();
    world.spawn((OnlySerialized(1), twin::one()));
    let [snapshot, copy, json] = refusals(&world);
    assert!(snapshot.is_some() && copy.is_none());
    let module = module_path!();
    let expected = format!(
        "the components `{module}::OnlySerialized` and `{module}::twin::OnlySerialized` have the same saved name `OnlySerialized`"
    );
    assert_eq!(json.as_deref(), Some(&expected[..]));
    // Each alone could be written, but not read.
    let mut world = World::new();
    world.spawn((OnlySerialized(1),));
    let error = serde_json::to_string(&world).unwrap_err().to_string();
    assert_eq!(error, expected);
    let text = r#"{"free":[],"archetypes":[{"entities":[],"components":{"OnlySerialized":[]}}]}"#;
    let error = serde_json::from_str::<World>(text).unwrap_err().to_string();
    assert!(
        error.contains("have the same saved name `OnlySerialized`"),
        "{error}"
    );
}

#[test]
fn reserved_ids_are_an_error_until_they_are_flushed() {
    let reserved =
        "ids are reserved whose entities do not exist yet: call `hecs_mut().flush()` first";
    let mut world = World::new();
    let first = world.spawn((Position(1),));
    for nth in 0..3 {
        let new = world.hecs_mut().reserve_entity();
        let [_, copy, json] = refusals(&world);
        assert_eq!(copy.unwrap(), reserved, "{nth}");
        assert_eq!(json.unwrap(), reserved, "{nth}");
        world.hecs_mut().flush();
        assert_eq!(bytes_of(&world.clone()), bytes_of(&world));
        // The next one is a used id.
        world.despawn(new).unwrap();
    }
    world.despawn(first).unwrap();
    world.hecs_mut().reserve_entity();
    assert_eq!(refusals(&world)[1].as_deref(), Some(reserved));
}

#[derive(Resource, Default)]
struct Noted(Vec<i64>, usize);

#[system]
fn note(
    changed: Query<&Position, Changed<Position>>,
    removed: Removed<Position>,
    noted: &mut Noted,
) {
    noted.0.extend(changed.iter().map(|position| position.0));
    noted.1 += removed.iter().count();
}

#[test]
fn watched_components_have_changed_in_a_copy() {
    let mut schedule = Schedule::builder().add::<note>().build().unwrap();
    let mut world = World::new();
    let all = world.spawn_batch([1, 2, 3].map(|position| (Position(position),)));
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert_default::<Noted>();
    let mut noted = |resources: &mut Resources| {
        schedule.run(resources).unwrap();
        let Noted(changed, n_removed) = std::mem::take(resources.get_mut::<Noted>().unwrap());
        (changed, n_removed)
    };
    assert_eq!(noted(&mut resources), (vec![1, 2, 3], 0));
    assert_eq!(noted(&mut resources), (vec![], 0));
    let world = resources.get_mut::<World>().unwrap();
    let mut kept = KeptWorld::new();
    kept.save(world).unwrap();
    world.despawn(all[1]).unwrap();
    *world = world.clone();
    assert_eq!(noted(&mut resources), (vec![1, 3], 0));
    assert_eq!(noted(&mut resources), (vec![], 0));
    let world = resources.get_mut::<World>().unwrap();
    world.despawn(all[2]).unwrap();
    kept.restore(world);
    assert_eq!(noted(&mut resources), (vec![1, 2, 3], 0));
    let world = resources.get_mut::<World>().unwrap();
    world.despawn(all[0]).unwrap();
    assert_eq!(noted(&mut resources), (vec![], 1));
}

/// Panics in some clones.
#[derive(Component, SavedComponent, Debug)]
struct Fragile(usize);

static N_CLONES: AtomicUsize = AtomicUsize::new(0);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert_ne!(
            N_CLONES.fetch_add(1, Ordering::Relaxed) % 7,
            6,
            "too fragile"
        );
        Self(self.0)
    }
}

#[test]
fn world_is_unchanged_if_a_component_panics() {
    let mut world = World::new();
    world.spawn_batch((0..5).map(|nth| (Fragile(nth), Position(0))));
    let mut kept = KeptWorld::new();
    kept.save(&world).unwrap();
    let mut n_panics = 0;
    for nth in 0..20 {
        let before = entities(&mut world);
        let result = catch_unwind(AssertUnwindSafe(|| kept.restore(&mut world)));
        assert_eq!(entities(&mut world), before, "{nth}");
        let saved = catch_unwind(AssertUnwindSafe(|| kept.save(&world)));
        n_panics += [result.is_err(), saved.is_err()]
            .iter()
            .filter(|is_err| **is_err)
            .count();
        if saved.is_err() {
            let mut empty = World::new();
            kept.restore(&mut empty);
            assert!(empty.is_empty());
            N_CLONES.store(0, Ordering::Relaxed);
            kept.save(&world).unwrap();
        }
    }
    assert!(n_panics > 3);
}

/// Refers to another entity, which may be spawned in the same run.
#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone)]
#[snapshot(name = "axe-of")]
struct Axe(EntityTarget);

#[system]
fn arm(mut commands: Commands) {
    let axe = commands.spawn((Named("axe".to_owned()),));
    commands.spawn((Axe(axe.into()), Position(3)));
}

#[test]
fn components_refer_to_the_same_entities_in_copies() {
    let mut schedule = Schedule::builder().add::<arm>().build().unwrap();
    let mut resources = Resources::new();
    resources.insert(World::new());
    schedule.run(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    for form in super::FORMS {
        let mut copy = form.copy(world, &mut KeptWorld::new());
        let axe = copy
            .query::<&Axe>()
            .iter()
            .next()
            .unwrap()
            .0
            .entity()
            .unwrap();
        assert_eq!(copy.get_mut::<Named>(axe).unwrap().0, "axe");
    }
}

#[test]
fn section_of_a_world_is_found_by_its_name() {
    let mut world = World::new();
    world.spawn((Named("Ada".to_owned()),));
    let mut writer = SnapshotWriter::new();
    writer.section(&world).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert!(reader.sections().all(|section| section.name == "world"));
    let mut restored: World = reader.restore().unwrap();
    assert_eq!(entities(&mut restored), entities(&mut world));
}

/// Panics when it is dropped, if this is set.
#[derive(Component, SavedComponent, Clone)]
struct Grenade(bool);

impl Drop for Grenade {
    fn drop(&mut self) {
        if self.0 && !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

#[system]
fn look_at_grenades(grenades: Query<(&Grenade, &Position)>, noted: &mut Noted) {
    noted
        .0
        .extend(grenades.iter().map(|(_, position)| position.0));
}

#[test]
fn queries_find_the_restored_entities_also_if_the_drop_of_an_old_one_panics() {
    let mut world = World::new();
    let entity = world.spawn((Grenade(false), Position(1)));
    let mut kept = KeptWorld::new();
    kept.save(&world).unwrap();
    world.get_mut::<Grenade>(entity).unwrap().0 = true;
    world.get_mut::<Position>(entity).unwrap().0 = 2;
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert_default::<Noted>();
    let mut schedule = Schedule::builder()
        .add::<look_at_grenades>()
        .build()
        .unwrap();
    schedule.run(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    let restored = catch_unwind(AssertUnwindSafe(|| kept.restore(world)));
    assert!(restored.is_err());
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Noted>().unwrap().0, [2, 1]);
}
