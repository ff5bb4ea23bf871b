//! What a program uses and does not save.

use std::collections::HashMap;

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::param::SavedLocal;
use schedule::prelude::*;
use schedule::program::{NotSaved, NotSavedPart};
use schedule::snapshot::Snapshot;
use schedule::{Checkpoint, NonSend, SavedProgram};
use schedule_hecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ChangeCount, Log, Position, Step, schedule_with};

fn parts(result: Result<(), NotSaved>) -> Vec<String> {
    let parts = result.err().map(|found| found.parts).unwrap_or_default();
    parts.iter().map(NotSavedPart::to_string).collect()
}

#[test]
fn program_that_saves_everything_passes() {
    let mut schedule = schedule_with(&Step::ALL);
    let resources = super::resources();
    let result = super::saved().check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), [""; 0]);
}

#[test]
fn resources_are_listed_with_the_systems_that_use_them() {
    let mut schedule = schedule_with(&[Step::Walk, Step::CountHits, Step::Tire, Step::Hatch]);
    let resources = super::resources();
    let saved = SavedProgram::new().with::<Log>();
    let advice = ", and is not saved: call `with`, `with_encoded`, or `without` if it is not a part of the state";
    let listed = [
        format!("`World` is used by `walk` and `tire`{advice}"),
        format!("`Messages<Hit>` is used by `walk` and `count_hits`{advice}"),
    ];
    let result = saved.check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), listed);
    let saved = saved
        .with::<World>()
        .without_resource(ResourceId::of::<Messages<super::Hit>>());
    let result = saved.check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), [""; 0]);
    let saved = SavedProgram::new().with::<Log>().with::<World>();
    let error = saved.check(&mut [&mut schedule], &resources).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the program uses state that is not saved:\n- {}", listed[1])
    );
}

#[system]
fn with_local(mut n: Local<u32>) {
    *n += 1;
}

#[system]
fn with_everything(_: &Resources) {}

#[system]
fn with_changes(
    changed: Query<&Position, Changed<Position>>,
    gone: schedule_hecs::Removed<Position>,
) {
    let _ = (changed.len(), gone.len());
}

#[system]
fn on_the_main_thread(_: NonSend<ChangeCount>) {}

#[test]
fn state_of_systems_is_listed() {
    let mut n = 0;
    let mut builder = Schedule::builder();
    builder.policy(schedule::Policy::InsertionOrder);
    builder
        .add::<with_local>()
        .add::<with_everything>()
        .add::<with_changes>()
        .add::<on_the_main_thread>()
        .add_closure("counts", move |log: &mut Log| {
            n += 1;
            log.sum = n;
        })
        .add_closure("counts_nothing", |log: &mut Log| log.sum += 1)
        .add_dynamic(DynamicSystem::new("plain", |_| ()))
        .add_dynamic(DynamicSystem::new("scripted", move |_| assert_eq!(n, 0)));
    let mut schedule = builder.build().unwrap();
    let resources = super::resources();
    let saved = SavedProgram::new().with::<Log>().with::<World>();
    let listed = [
        "`ChangeCount` is used by `on_the_main_thread`, and cannot be saved: call `without_resource` if it is not a part of the state",
        "`with_local` has a `Local`: use `SavedLocal`, or call `without_state_of` if it is not a part of the state",
        "`with_everything` takes all resources, so it may use others than those that are saved: name its resources, or call `without_state_of`",
        "`with_changes` finds changes of components, and will find all of them changed after a restore: call `without_state_of` if this has no effect on the result",
        "`counts` is a closure with variables: use a function with a `SavedLocal`, or call `without_state_of` if they never change",
        "`scripted` is a closure with variables: use a function with a `SavedLocal`, or call `without_state_of` if they never change",
    ];
    let result = saved.check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), listed);
    let names = [
        "with_local",
        "with_everything",
        "with_changes",
        "counts",
        "scripted",
    ];
    let saved = names
        .iter()
        .fold(saved, |saved, name| saved.without_state_of(name));
    let result = saved.check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), listed[..1]);
}

/// Entries in the order of a random seed.
#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Default)]
#[snapshot(name = "prices")]
struct Prices(HashMap<u32, u32>);

/// The same, of a system.
#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "memory")]
struct Memory(HashMap<u32, u32>);

impl Default for Memory {
    fn default() -> Self {
        Self((0..100).map(|key| (key, key)).collect())
    }
}

#[system]
fn remember(mut memory: SavedLocal<Memory>, mut commands: Commands) {
    memory.0.insert(7, 7);
    commands.spawn((Position(1),));
}

#[derive(Checkpoint)]
struct Remembered;

#[test]
fn values_of_systems_are_checked_and_sync_points_are_not_listed() {
    let mut schedule = Schedule::builder()
        .add::<remember>()
        .apply_commands::<Remembered>()
        .add_dynamic(DynamicSystem::new("scripted", |_| ()).reads("speed"))
        .order("remember", "Remembered")
        .order("Remembered", "scripted")
        .build()
        .unwrap();
    let mut resources = super::resources();
    resources.insert_named("speed", 3_i64);
    schedule.run(&mut resources).unwrap();
    let listed = [
        "`speed` is used by `scripted`, and cannot be saved: call `without_resource` if it is not a part of the state",
        "`remember` gives other bytes when it is restored and saved again: replace a `HashMap` by a `BTreeMap`, or sort its keys in `serialize`",
    ];
    let result = SavedProgram::new().check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), listed);
    let saved = SavedProgram::new()
        .without_resource("speed")
        .without_state_of("remember");
    let result = saved.check(&mut [&mut schedule], &resources);
    assert_eq!(parts(result), [""; 0]);
}

#[derive(Component)]
struct Texture;

#[test]
fn values_that_cannot_be_saved_or_give_other_bytes_are_listed() {
    let mut resources = super::resources();
    resources.insert(Prices((0..100).map(|key| (key, key)).collect()));
    resources.get_mut::<World>().unwrap().spawn((Texture,));
    let saved = SavedProgram::new().with::<Prices>().with::<World>();
    let listed = [
        "`prices` gives other bytes when it is restored and saved again: replace a `HashMap` by a `BTreeMap`, or sort its keys in `serialize`",
        "`world` cannot be saved: ",
    ];
    let found = parts(saved.check(&mut [], &resources));
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], listed[0]);
    assert!(found[1].starts_with(listed[1]), "{}", found[1]);
    assert!(
        found[1].contains("add `#[derive(SavedComponent)]` to its type"),
        "{}",
        found[1]
    );
    let encoded = SavedProgram::new().with_encoded::<Prices>();
    assert_eq!(parts(encoded.check(&mut [], &resources)), [listed[0]]);
}
