//! Parameters and instances of systems that run for each entity.

use super::*;

#[test]
fn parameters_may_be_aliases_tuples_and_patterns() {
    #[system(for_each, without = Frozen)]
    fn aliases<'a>(
        Position(value): PositionMut<'a>,
        (velocity, frozen): (&Velocity, Option<&Frozen>),
        frozens: Frozens,
        #[resource] Step(step): StepRef<'a>,
    ) {
        *value += velocity.0 + step + i64::try_from(frozens.len()).unwrap();
        assert!(frozen.is_none());
    }

    let mut world = World::new();
    world.spawn((Position(1000), Velocity(100)));
    world.spawn((Position(0), Frozen));
    let mut resources = resources(world);
    schedule::run_one::<aliases>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [1102, 0]);
}

#[derive(Component)]
struct Timer<T: Identity + Send + Sync + 'static>(i64, PhantomData<T>);

#[derive(Identity)]
struct Fast;

#[derive(Identity)]
struct Slow;

#[system(for_each, with = Timer<T>)]
fn tick<T: Identity + Send + Sync + 'static, const BY: i64>(
    timer: &mut Timer<T>,
    position: Option<&mut Position>,
) {
    timer.0 += BY;
    if let Some(position) = position {
        position.0 += timer.0;
    }
}

#[test]
fn a_generic_system_runs_for_entities_with_the_component_of_its_instance() {
    let mut world = World::new();
    world.spawn((Position(0), Timer::<Fast>(0, PhantomData)));
    world.spawn((Position(0), Timer::<Slow>(0, PhantomData)));
    let mut resources = resources(world);
    let mut builder = Schedule::builder();
    builder.add::<tick<Fast, 10>>().add::<tick<Slow, 1>>();
    builder.order(
        Target::of::<tick<Fast, 10>>(),
        Target::of::<tick<Slow, 1>>(),
    );
    let mut frame = builder.build().unwrap();
    frame.run(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [10, 1]);
}

#[test]
fn parameters_under_a_false_predicate_do_not_exist() {
    #[system(for_each)]
    fn enabled(
        position: &mut Position,
        #[cfg(false)] frozen: &Frozen,
        #[cfg(true)] velocity: &Velocity,
        #[cfg(false)]
        #[resource]
        missing: &Missing,
    ) {
        #[cfg(false)]
        let _ = (frozen, missing);
        position.0 += velocity.0;
    }

    let mut world = World::new();
    world.spawn((Position(1), Velocity(1)));
    let mut resources = resources(world);
    schedule::run_one::<enabled>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [2]);
}

#[derive(Component)]
struct Nth<const N: usize>(i64);

#[test]
fn a_system_may_have_more_parameters_than_a_tuple() {
    #[system(for_each)]
    fn sum(
        a: &Nth<0>,
        b: &Nth<1>,
        c: &Nth<2>,
        d: &Nth<3>,
        e: &Nth<4>,
        f: &Nth<5>,
        g: &Nth<6>,
        h: &Nth<7>,
        i: &Nth<8>,
        j: &Nth<9>,
        k: &Nth<10>,
        l: &Nth<11>,
        m: &Nth<12>,
        position: &mut Position,
    ) {
        position.0 = a.0 + b.0 + c.0 + d.0 + e.0 + f.0 + g.0 + h.0 + i.0 + j.0 + k.0 + l.0 + m.0;
    }

    let mut world = World::new();
    let entity = world.spawn((
        Position(0),
        Nth::<0>(1),
        Nth::<1>(2),
        Nth::<2>(4),
        Nth::<3>(8),
    ));
    let more = (Nth::<4>(16), Nth::<5>(32), Nth::<6>(64), Nth::<7>(128));
    world.insert(entity, more).unwrap();
    let more = (
        Nth::<8>(256),
        Nth::<9>(512),
        Nth::<10>(1024),
        Nth::<11>(2048),
    );
    world.insert(entity, more).unwrap();
    world.insert(entity, (Nth::<12>(4096),)).unwrap();
    let mut resources = resources(world);
    schedule::run_one::<sum>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [8191]);
}

#[derive(Identity)]
struct Ships;

type Harbour = World<Ships>;

#[system(for_each = Harbour)]
fn sail(ship: Entity, position: &mut Position, land: Query<&Position, With<Frozen>>) {
    let _: Entity = ship;
    position.0 += land.single().unwrap().0;
}

#[test]
fn another_world_is_named_in_the_attribute() {
    let mut ships = Harbour::with_tag();
    ships.spawn((Position(1),));
    let mut world = World::new();
    world.spawn((Position(50), Frozen));
    let mut resources = resources(world);
    resources.insert(ships);
    schedule::run_one::<sail>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [50]);
    let ships = resources.get_mut::<Harbour>().unwrap();
    assert_eq!(ships.query::<&Position>().single(), Ok(&Position(51)));
}
