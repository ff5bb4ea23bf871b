//! Policies for components, and for the changes that commands make, in `schedule!`.

use schedule::access::ResourceId;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Identity)]
struct Ships;

#[derive(Component)]
struct Heat(i64);

#[derive(Component)]
struct Target;

#[system]
fn cool(mut all: Query<&mut Heat>) {
    all.iter_mut().for_each(|heat| heat.0 *= 2);
}

#[system(for_each)]
fn warm(heat: &mut Heat) {
    heat.0 += 1;
}

#[system]
fn cool_ships(_: Query<&mut Heat, (), Ships>) {}

#[system(for_each = World<Ships>)]
fn warm_ships(_: &mut Heat) {}

#[system]
fn aim(_: Commands<Writes<Target>>) {}

#[system]
fn forget(_: Commands<Writes<Target>>) {}

#[system]
fn forget_ships(_: Commands<Writes<Target, Ships>>) {}

#[system]
fn aim_ships(_: Commands<Writes<Target, Ships>>) {}

schedule! { Frame { cool, warm, policy insertion order for component Heat } }

schedule! {
    Everything {
        include Frame,
        cool_ships,
        warm_ships,
        aim,
        forget,
        aim_ships,
        forget_ships,
        policy accepted "both only change the heat" for component Heat in World<Ships>,
        policy insertion order for deferred Target,
        policy accepted "both only forget" for deferred Target in schedule_hecs::World<Ships>,
    }
}

fn after_a_run(schedule: &mut Schedule) -> i64 {
    let mut world = World::new();
    let entity = world.spawn((Heat(3),));
    let mut resources = Resources::new();
    resources.insert(world);
    schedule.run(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    world.get_mut::<Heat>(entity).unwrap().0
}

#[test]
fn the_policy_of_a_component_orders_systems_as_listed() {
    assert_eq!(after_a_run(&mut Frame::new()), 7);
    assert_eq!(after_a_run(&mut Frame::builder().build().unwrap()), 7);
    let lock = Frame::new().lock().to_string();
    let edge = "cool -> warm, insertion order, for component Heat\n";
    assert!(lock.contains(edge), "{lock}");
}

#[test]
fn the_builder_replaces_the_listed_policy_of_a_component() {
    let heat = ResourceId::of_component::<World, Heat>();
    let mut builder = Frame::builder();
    builder.policy_for_resource(heat, Policy::Reject);
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("race on `Heat`"), "{error}");
    let of_ships = ResourceId::of_component::<World<Ships>, Heat>();
    let mut builder = Frame::builder();
    builder.policy_for_resource(of_ships, Policy::Reject);
    builder.build().unwrap();
}

#[test]
fn policies_name_the_world_of_a_component_and_the_changes_of_commands() {
    let schedule = Everything::new();
    let built = Everything::builder().build().unwrap();
    assert_eq!(schedule.lock().to_string(), built.lock().to_string());
    let reasons: Vec<_> = schedule
        .accepted()
        .iter()
        .map(|one| one.reason.as_deref())
        .map(Option::unwrap)
        .collect();
    assert_eq!(reasons, ["both only change the heat", "both only forget"]);
    let lock = schedule.lock().to_string();
    for edge in [
        "aim -> forget, insertion order, for deferred Target\n",
        "cool_ships -> warm_ships, accepted, for component Heat in World<Ships>\n",
    ] {
        assert!(lock.contains(edge), "{edge}: {lock}");
    }
}
