//! Everything that writes a resource, on all executors.

use schedule::dynamic::DynamicSystem;
use schedule::param::{CommandQueue, Foldable, Ref};
use schedule::prelude::*;
use schedule::state::{Transition, transition};
use schedule::{BoxError, run_one};
use schedule_hecs::prelude::*;
use schedule_tests::on::On;
use schedule_tests::schedule_of;

use super::{Log, Map, insertion_order, logged, look, take_log, with_map, write};

/// Whether each of two runs, after a first one, finds a change that the schedule makes itself.
fn finds(mut schedule: Schedule, on: On) -> [bool; 2] {
    on.set(&mut schedule);
    let mut resources = with_map();
    resources.insert(World::new());
    let _ = schedule.run(&mut resources);
    [(); 2].map(|()| {
        take_log(&mut resources);
        let _ = schedule.run(&mut resources);
        match take_log(&mut resources)[..] {
            ["changed" | "added"] => true,
            ["same"] => false,
            ref found => panic!("{found:?}"),
        }
    })
}

#[system]
fn write_optional(map: Option<&mut Map>) {
    assert!(map.is_some());
}

#[system]
fn write_noted(mut map: Mut<Map>) {
    map.0 += 1;
}

#[system]
fn write_noted_optional(map: Option<Mut<Map>>) {
    if let Some(mut map) = map {
        map.0 += 1;
    }
}

#[system]
fn read_noted(map: Mut<Map>, other: Option<Ref<Other>>) {
    assert_eq!(map.0, 0);
    assert!(other.is_none());
}

#[system]
fn set_equal(mut map: Mut<Map>) {
    assert!(!map.set_if_neq(Map(0)));
}

#[system]
fn set_other(mut map: Mut<Map>) {
    let next = Map(map.0 + 1);
    assert!(map.set_if_neq(next));
}

#[derive(Resource)]
struct Other;

#[system]
fn fail(map: &mut Map) -> Result<(), BoxError> {
    Err(format!("failed at {}", map.0).into())
}

#[system]
fn panic(map: &mut Map) {
    panic!("panicked at {}", map.0);
}

#[system]
fn fail_noted(mut map: Mut<Map>) -> Result<(), BoxError> {
    map.0 += 1;
    Err("failed".into())
}

#[system]
fn command(mut commands: Commands) {
    commands.push(|resources| resources.get_mut::<Map>().unwrap().0 += 1);
}

#[system]
fn insert(mut commands: Commands) {
    commands.insert(Map(3));
}

#[system]
fn exclusive(resources: &mut Resources) {
    resources.get_mut::<Map>().unwrap().0 += 1;
}

#[system]
fn exclusive_reader(resources: &mut Resources) {
    assert!(resources.get::<Map>().is_some());
}

impl Foldable for Map {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

#[system]
fn fold(mut map: Fold<Map>) {
    *map += 1;
}

#[system]
fn fold_and_fail(mut map: Fold<Map>) -> Result<(), BoxError> {
    *map += 1;
    Err("failed".into())
}

#[system(if = never)]
fn skipped(map: &mut Map) {
    map.0 += 1;
}

#[system]
fn never() -> bool {
    false
}

#[derive(Checkpoint)]
struct Applied;

#[derive(Params)]
struct Maps<'r> {
    map: Mut<'r, Map>,
}

#[system]
fn write_in_struct((mut maps, _): (Maps, Local<u32>)) {
    maps.map.0 += 1;
}

#[test]
fn writers_change_a_resource_and_others_do_not() {
    type Make = fn(&mut schedule::Builder) -> bool;
    let all: &[(&str, Make)] = &[
        ("&mut T", |all| {
            all.add::<write>();
            true
        }),
        ("Option<&mut T>", |all| {
            all.add::<write_optional>();
            true
        }),
        ("Mut", |all| {
            all.add::<write_noted>();
            true
        }),
        ("Option<Mut>", |all| {
            all.add::<write_noted_optional>();
            true
        }),
        ("Mut in a struct", |all| {
            all.add::<write_in_struct>();
            true
        }),
        ("Mut that is read", |all| {
            all.add::<read_noted>();
            false
        }),
        ("set_if_neq with the same", |all| {
            all.add::<set_equal>();
            false
        }),
        ("set_if_neq with another", |all| {
            all.add::<set_other>();
            true
        }),
        ("error", |all| {
            all.add::<fail>();
            true
        }),
        ("panic", |all| {
            all.add::<panic>();
            true
        }),
        ("error after a noted write", |all| {
            all.add::<fail_noted>();
            true
        }),
        ("command", |all| {
            all.add::<command>().apply_commands::<Applied>();
            true
        }),
        ("command that inserts", |all| {
            all.add::<insert>().apply_commands::<Applied>();
            true
        }),
        ("&mut Resources", |all| {
            all.add::<exclusive>();
            true
        }),
        ("&mut Resources that is read", |all| {
            all.add::<exclusive_reader>();
            false
        }),
        ("fold", |all| {
            all.add::<fold>();
            true
        }),
        ("failed fold", |all| {
            all.add::<fold_and_fail>();
            false
        }),
        ("skipped", |all| {
            all.add::<skipped>();
            false
        }),
        ("loop condition", |all| {
            let mut n = 0;
            all.repeat_while_closure(
                "loop",
                move |map: &mut Map| {
                    map.0 += 1;
                    n += 1;
                    n % 2 == 0
                },
                |body| body,
            );
            true
        }),
        ("fold in a loop", |all| {
            let mut n = 0;
            all.repeat_while_closure(
                "loop",
                move || {
                    n += 1;
                    n % 2 == 0
                },
                |body| body.add::<fold>(),
            );
            true
        }),
        ("dynamic", |all| {
            let system = DynamicSystem::new("dynamic", |view| {
                view.get_mut::<Map>()?.0 += 1;
                Ok::<(), BoxError>(())
            });
            all.add_dynamic(system.writes(schedule::access::ResourceId::of::<Map>()));
            true
        }),
        ("dynamic with all", |all| {
            let system = DynamicSystem::new("dynamic", |view| {
                view.get_mut::<Map>()?.0 += 1;
                Ok::<(), BoxError>(())
            });
            all.add_dynamic(system.writes_all_except([]));
            true
        }),
        ("dynamic with all that reads", |all| {
            let system = DynamicSystem::new("dynamic", |view| {
                view.get::<Map>()?;
                Ok::<(), BoxError>(())
            });
            all.add_dynamic(system.writes_all_except([]));
            false
        }),
        ("dynamic fold", |all| {
            let system = DynamicSystem::new("dynamic", |view| {
                *view.fold::<Map>()? += 1;
                Ok::<(), BoxError>(())
            });
            all.add_dynamic(system.folds::<Map>());
            true
        }),
    ];
    for (name, make) in all {
        for &on in On::EACH {
            if matches!(on, On::Timetabled(_)) && name.contains("loop") {
                continue; // Only without loops.
            }
            let mut builder = Schedule::builder();
            builder.policy(Policy::InsertionOrder);
            let expected = make(&mut builder);
            let schedule = builder.add::<look>().build().unwrap();
            let found = finds(schedule, on);
            assert_eq!(found, [expected; 2], "{name} {on:?}");
        }
    }
}

#[test]
fn node_that_misses_a_resource_changes_nothing() {
    #[system]
    fn take_away(resources: &mut Resources) {
        resources.remove::<Other>();
    }
    #[system(after = take_away)]
    fn write_with(map: &mut Map, _other: &Other) {
        map.0 += 1;
    }
    let mut schedule =
        insertion_order(|all| all.add::<take_away>().add::<write_with>().add::<look>());
    let mut resources = with_map();
    resources.insert(Other);
    schedule.run(&mut resources).unwrap_err();
    take_log(&mut resources);
    resources.insert(Other);
    schedule.run(&mut resources).unwrap_err();
    assert_eq!(take_log(&mut resources), ["same"]);
}

#[test]
fn other_schedules_change_a_resource() {
    let mut resources = with_map();
    // Built and run before there is a watcher.
    let mut writing = schedule_of(|all| all.add::<write>());
    writing.run(&mut resources).unwrap();
    let mut watching = schedule_of(|all| all.add::<look>());
    assert_eq!(logged(&mut watching, &mut resources), ["added"]);
    for _ in 0..2 {
        assert_eq!(logged(&mut watching, &mut resources), ["same"]);
        writing.run(&mut resources).unwrap();
        assert_eq!(logged(&mut watching, &mut resources), ["changed"]);
    }
    run_one::<write>(&mut resources).unwrap();
    assert_eq!(logged(&mut watching, &mut resources), ["changed"]);
    run_one::<set_equal>(&mut with_map()).unwrap();
    assert_eq!(logged(&mut watching, &mut resources), ["same"]);
    // With other resources, it changes nothing here.
    writing.run(&mut with_map()).unwrap();
    assert_eq!(logged(&mut watching, &mut resources), ["same"]);
    writing.run(&mut resources).unwrap();
    assert_eq!(logged(&mut watching, &mut resources), ["changed"]);
}

#[test]
fn schedule_within_a_system_changes_a_resource() {
    #[derive(Resource)]
    struct Inner(std::sync::Mutex<Schedule>);
    #[system]
    fn run_inner(resources: &mut Resources) {
        let inner = resources.remove::<Inner>().unwrap();
        inner.0.lock().unwrap().run(resources).unwrap();
        resources.insert(inner);
    }
    // The watcher is in the inner schedule, so it registers while the outer one runs.
    let mut resources = with_map();
    let inner = schedule_of(|all| all.add::<look>());
    resources.insert(Inner(std::sync::Mutex::new(inner)));
    let mut outer = insertion_order(|all| all.add::<run_inner>().add::<write>().add::<run_inner>());
    assert_eq!(logged(&mut outer, &mut resources), ["added", "changed"]);
    assert_eq!(logged(&mut outer, &mut resources), ["same", "changed"]);
}

#[test]
fn every_call_of_the_program_that_may_write_changes_a_resource() {
    let mut resources = with_map();
    let mut schedule = schedule_of(|all| all.add::<look>());
    schedule.run(&mut resources).unwrap();
    type Call = (fn(&mut Resources), &'static str);
    let calls: [Call; 8] = [
        (|all| _ = all.get_mut::<Map>(), "changed"),
        (|all| _ = all.insert(Map(2)), "changed"),
        (|all| _ = all.insert_default::<Map>(), "changed"),
        (|all| _ = all.get_or_insert_with(Map::default), "changed"),
        (
            |all| all.insert_named("Map", 1_u32).map_or((), drop),
            "same",
        ),
        (|all| _ = all.get_mut::<Other>(), "same"),
        (|all| _ = all.insert(Other), "same"),
        (
            |all| {
                let mut queue = CommandQueue::new();
                let mut commands: Commands = queue.commands();
                commands.remove::<Map>();
                commands.insert(Map(4));
                queue.apply(all);
            },
            "added",
        ),
    ];
    for (nth, (call, expected)) in calls.into_iter().enumerate() {
        take_log(&mut resources);
        call(&mut resources);
        assert_eq!(logged(&mut schedule, &mut resources), [expected], "{nth}");
        assert_eq!(logged(&mut schedule, &mut resources), ["same"], "{nth}");
    }
}

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Menu {
    Open,
    Closed,
}

#[test]
fn state_changes_only_in_a_transition() {
    #[system(after = Transition<Menu>)]
    fn look(state: Ref<State<Menu>>, log: &mut Log) {
        if state.is_changed() {
            log.push(match state.get() {
                Menu::Open => "open",
                Menu::Closed => "closed",
            });
        }
    }
    let mut schedule = schedule_of(|all| all.add::<transition<Menu>>().add::<look>());
    let mut resources = crate::with_log();
    resources.insert_state(Menu::Open);
    assert_eq!(logged(&mut schedule, &mut resources), ["open"]);
    assert!(logged(&mut schedule, &mut resources).is_empty());
    let next = resources.get_mut::<NextState<Menu>>().unwrap();
    next.set(Menu::Closed);
    assert_eq!(logged(&mut schedule, &mut resources), ["closed"]);
    assert!(logged(&mut schedule, &mut resources).is_empty());
}

#[derive(Component)]
struct Height(u32);

#[test]
fn for_each_systems_read_changes() {
    #[system(for_each)]
    fn grow(height: &mut Height, #[resource] map: Ref<Map>, #[resource] other: Option<Ref<Other>>) {
        assert!(other.is_none());
        height.0 += 1 + 10 * u32::from(map.is_changed());
    }
    for &on in On::EACH {
        let mut schedule = schedule_of(|all| all.add::<grow>());
        on.set(&mut schedule);
        let mut resources = with_map();
        let mut world = World::new();
        let entities = [(); 3].map(|()| world.spawn((Height(0),)));
        resources.insert(world);
        let mut heights = |resources: &mut Resources| {
            schedule.run(resources).unwrap();
            let world = resources.get_mut::<World>().unwrap();
            entities.map(|entity| core::mem::take(&mut world.get_mut::<Height>(entity).unwrap().0))
        };
        assert_eq!(heights(&mut resources), [11; 3]);
        assert_eq!(heights(&mut resources), [1; 3]);
        resources.get_mut::<Map>().unwrap().0 = 1;
        assert_eq!(heights(&mut resources), [11; 3]);
        assert_eq!(heights(&mut resources), [1; 3]);
    }
}
