//! Changes of components in worlds: filters that match rows, and the entities that lost a component.

mod random;

use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule_hecs::hecs;
use schedule_hecs::prelude::*;
use schedule_hecs::{CommandsExt, Removed};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Heat(i64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Lit;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Age(u32);

/// What watchers have seen.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Seen(Vec<Entity>);

impl Foldable for Seen {
    type Partial = Vec<Entity>;

    fn join(&mut self, partial: Vec<Entity>) {
        self.0.extend(partial);
    }
}

#[system]
fn see_changed(all: Query<Entity, Changed<Heat>>, seen: &mut Seen) {
    seen.0.extend(&all);
}

#[system]
fn see_added(all: Query<(Entity, &Heat), Added<Heat>>, seen: &mut Seen) {
    seen.0.extend(all.iter().map(|(entity, _)| entity));
}

#[system]
fn see_removed(removed: Removed<Heat>, seen: &mut Seen) {
    seen.0.extend(removed);
}

#[system(for_each, changed = Heat)]
fn see_each(entity: Entity, mut seen: Fold<Seen>) {
    seen.push(entity);
}

#[system(for_each, added = Heat, with = Lit)]
fn see_each_added(entity: Entity, mut seen: Fold<Seen>) {
    seen.push(entity);
}

#[system]
fn warm(mut all: Query<&mut Heat, With<Lit>>) {
    all.iter_mut().for_each(|heat| heat.0 += 2);
}

#[system]
fn cool(mut all: Query<Mut<Heat>>) {
    for mut heat in &mut all {
        if heat.0 > 20 {
            heat.0 -= 15;
        }
    }
}

#[system(for_each, without = Lit)]
fn chill(mut heat: Mut<Heat>) {
    if heat.0 % 3 == 0 {
        heat.0 += 1;
    }
}

#[system(for_each)]
fn heat(heat: &mut Heat) {
    heat.0 += 1;
}

#[system(for_each)]
fn light(heat: Option<&Heat>, entity: Entity, mut commands: Commands) {
    let mut commands = commands.entity(entity);
    let rest = heat.map(|heat| heat.0 % 7);
    if rest == Some(5) {
        commands.despawn();
        return;
    }
    match rest {
        None => commands.insert((Heat(1), Lit)),
        Some(1) => commands.insert((Lit,)),
        Some(2) => commands.remove::<(Lit,)>(),
        Some(3) => commands.remove::<(Heat,)>(),
        Some(4) => commands.insert((Heat(5),)),
        Some(_) => return,
    };
}

#[system]
fn spawn(mut commands: Commands) {
    commands.spawn((Heat(3),));
    commands.spawn((Heat(4), Lit));
    commands.spawn_batch((0..2).map(|heat| (Heat(heat), Age(1))));
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(World::new());
    resources.insert(Seen::default());
    resources
}

fn world(resources: &mut Resources) -> &mut World {
    resources.get_mut().unwrap()
}

fn one<S: schedule::System>() -> Schedule {
    Schedule::builder().add::<S>().build().unwrap()
}

fn seen(schedule: &mut Schedule, resources: &mut Resources) -> Vec<Entity> {
    schedule.run(resources).unwrap();
    core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0)
}

/// A world with the entities hot, lit (hot too), and cold, after a first look.
fn watched<S: schedule::System>() -> (Resources, [Entity; 3], Schedule) {
    let mut resources = resources();
    let world = world(&mut resources);
    let all = [
        world.spawn((Heat(1),)),
        world.spawn((Heat(2), Lit)),
        world.spawn((Lit,)),
    ];
    let mut watcher = one::<S>();
    seen(&mut watcher, &mut resources);
    (resources, all, watcher)
}

#[test]
fn a_first_look_finds_all_entities_with_the_component() {
    let mut resources = resources();
    let hot = world(&mut resources).spawn((Heat(1),));
    world(&mut resources).spawn((Lit,));
    for mut watcher in [one::<see_changed>(), one::<see_added>(), one::<see_each>()] {
        assert_eq!(seen(&mut watcher, &mut resources), [hot]);
        assert_eq!(seen(&mut watcher, &mut resources), []);
    }
}

#[test]
fn a_query_that_writes_changes_the_entities_that_match() {
    let (mut resources, [_, lit, _], mut watcher) = watched::<see_changed>();
    one::<warm>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [lit]);
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn a_query_of_mut_changes_the_entities_that_it_writes() {
    let (mut resources, [hot, ..], mut watcher) = watched::<see_each>();
    world(&mut resources).insert(hot, (Heat(30),)).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [hot]);
    one::<cool>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [hot]);
    one::<cool>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn single_entities_of_queries_are_written_alone() {
    #[system]
    fn warm_first(ids: Query<Entity, With<Lit>>, mut all: Query<&mut Heat>) {
        let hot = ids.iter().find(|id| all.contains(*id)).unwrap();
        all.get_mut(hot).unwrap().0 += 1;
        let mut all: Query<&mut Heat> = all;
        let _ = all.get_many_mut([hot]);
    }
    #[system]
    fn touch(ids: Query<Entity>, mut all: Query<Mut<Heat>>) {
        for id in &ids {
            if let Some(mut heat) = all.get_mut(id) {
                heat.set_if_neq(Heat(1));
            }
        }
    }
    let (mut resources, [_, lit, _], mut watcher) = watched::<see_changed>();
    one::<warm_first>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [lit]);
    one::<touch>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [lit]);
}

#[test]
fn an_entity_that_moves_to_another_archetype_has_not_changed() {
    let (mut resources, [hot, lit, cold], mut watcher) = watched::<see_changed>();
    let world_ = world(&mut resources);
    world_.insert(hot, (Lit,)).unwrap();
    world_.remove::<(Lit,)>(lit).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
    world(&mut resources).insert(cold, (Heat(1),)).unwrap();
    world(&mut resources).get_mut::<Heat>(lit).unwrap().0 = 7;
    let mut found = seen(&mut watcher, &mut resources);
    found.sort();
    assert_eq!(found, [lit, cold]);
}

#[test]
fn replacing_a_component_changes_it_and_adds_nothing() {
    let (mut resources, [hot, _, cold], mut changed) = watched::<see_changed>();
    let mut added = one::<see_added>();
    seen(&mut added, &mut resources);
    world(&mut resources).insert(hot, (Heat(9),)).unwrap();
    assert_eq!(seen(&mut changed, &mut resources), [hot]);
    assert_eq!(seen(&mut added, &mut resources), []);
    world(&mut resources)
        .insert(cold, (Heat(9), Age(1)))
        .unwrap();
    assert_eq!(seen(&mut changed, &mut resources), [cold]);
    assert_eq!(seen(&mut added, &mut resources), [cold]);
}

#[test]
fn removed_has_each_loss_in_order() {
    let (mut resources, [hot, lit, cold], mut watcher) = watched::<see_removed>();
    let world_ = world(&mut resources);
    world_.despawn(cold).unwrap();
    world_.remove::<(Heat,)>(lit).unwrap();
    world_.insert(lit, (Heat(1),)).unwrap();
    world_.despawn(hot).unwrap();
    let other = world_.spawn((Heat(1),));
    let mut queue = CommandQueue::new();
    let mut commands: Commands = queue.commands();
    commands.entity(lit).remove::<(Heat,)>();
    commands.entity(lit).remove::<(Heat,)>();
    queue.apply(&mut resources);
    world(&mut resources).clear();
    assert_eq!(seen(&mut watcher, &mut resources), [lit, hot, lit, other]);
}

/// No system looks between the two changes.
#[test]
fn removed_has_what_arbitrary_changes_added_and_removed() {
    let (mut resources, _, mut watcher) = watched::<see_removed>();
    let other = world(&mut resources).hecs_mut().spawn((Heat(1),));
    world(&mut resources).hecs_mut().despawn(other).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), [other]);
}

#[test]
fn arbitrary_changes_are_found_by_comparing_the_entities() {
    let (mut resources, [hot, lit, cold], mut changed) = watched::<see_changed>();
    let (mut added, mut removed) = (one::<see_each_added>(), one::<see_removed>());
    seen(&mut added, &mut resources);
    seen(&mut removed, &mut resources);
    let hecs_world: &mut hecs::World = world(&mut resources).hecs_mut();
    hecs_world.despawn(hot).unwrap();
    hecs_world.insert_one(cold, Heat(1)).unwrap();
    // A second call keeps what the first one has changed.
    world(&mut resources).hecs_mut();
    assert_eq!(seen(&mut removed, &mut resources), [hot]);
    assert_eq!(seen(&mut added, &mut resources), [cold]);
    let mut found = seen(&mut changed, &mut resources);
    found.sort();
    assert_eq!(found, [lit, cold]);
    assert_eq!(seen(&mut changed, &mut resources), []);
}

#[test]
fn changes_of_a_world_with_a_tag_are_its_own() {
    #[derive(schedule::Identity)]
    struct Cellar;
    #[system]
    fn see(all: Query<Entity, Changed<Heat>, Cellar>, seen: &mut Seen) {
        seen.0.extend(&all);
    }
    let mut resources = resources();
    let mut cellar = World::<Cellar>::with_tag();
    let entity = cellar.spawn((Heat(1),));
    resources.insert(cellar);
    let mut watcher = one::<see>();
    assert_eq!(seen(&mut watcher, &mut resources), [entity]);
    world(&mut resources).spawn((Heat(1),));
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn rows_that_match_are_counted_and_found_by_id() {
    #[system]
    fn check(all: Query<&Heat, Changed<Heat>>, ids: Query<Entity>, seen: &mut Seen) {
        let found: Vec<_> = ids.iter().filter(|id| all.get(*id).is_some()).collect();
        assert_eq!(all.len(), found.len());
        assert_eq!(all.is_empty(), found.is_empty());
        assert_eq!(all.iter().count(), found.len());
        seen.0.extend(found);
    }
    #[system]
    fn write(mut all: Query<&mut Heat>) {
        all.par_for_each(|heat| heat.0 += 1);
    }
    let mut resources = resources();
    let world_ = world(&mut resources);
    let all = world_.spawn_batch((0..1_300).map(|heat| (Heat(heat),)));
    world_.spawn_batch((0..10).map(|heat| (Heat(heat), Lit)));
    let mut watcher = one::<check>();
    assert_eq!(seen(&mut watcher, &mut resources).len(), 1_310);
    for row in [0, 1, 2, 511, 512, 1_000, 1_299] {
        world(&mut resources).get_mut::<Heat>(all[row]).unwrap().0 = 0;
    }
    assert_eq!(seen(&mut watcher, &mut resources).len(), 7);
    one::<write>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources).len(), 1_310);
    assert_eq!(seen(&mut watcher, &mut resources).len(), 0);
}

#[test]
fn alternatives_match_rows() {
    #[system]
    fn see(all: Query<Entity, Or<(Changed<Heat>, With<Age>, Added<Lit>)>>, seen: &mut Seen) {
        seen.0.extend(&all);
    }
    let (mut resources, [hot, _, cold], mut watcher) = watched::<see>();
    assert_eq!(seen(&mut watcher, &mut resources), []);
    world(&mut resources).insert(hot, (Lit,)).unwrap();
    let old = world(&mut resources).spawn((Age(1),));
    let mut found = seen(&mut watcher, &mut resources);
    found.sort();
    let mut expected = [hot, old];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(seen(&mut watcher, &mut resources), [old]);
    world(&mut resources).insert(cold, (Heat(1),)).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources).len(), 2);
}

#[test]
fn a_component_whose_drop_panics_leaves_no_wrong_marks() {
    #[derive(Component)]
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let (mut resources, [hot, lit, _], mut watcher) = watched::<see_changed>();
    world(&mut resources).insert(hot, (Bomb,)).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
    let despawn = std::panic::AssertUnwindSafe(|| world(&mut resources).despawn(hot));
    std::panic::catch_unwind(despawn).unwrap_err();
    // The watcher looks for the first time again.
    assert_eq!(seen(&mut watcher, &mut resources), [lit]);
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn a_panic_while_a_world_is_cleared_leaves_marks_for_the_rows_that_stay() {
    #[derive(Component)]
    struct Fuse;
    impl Drop for Fuse {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let (mut resources, _, mut watcher) = watched::<see_changed>();
    world(&mut resources).spawn((Heat(1), Fuse));
    world(&mut resources).spawn_batch((0..600).map(|heat| (Heat(heat), Age(1), Lit)));
    seen(&mut watcher, &mut resources);
    let clear = std::panic::AssertUnwindSafe(|| world(&mut resources).clear());
    std::panic::catch_unwind(clear).unwrap_err();
    // hecs has cleared the archetypes up to the panic, and keeps the rows of the others.
    let last = world(&mut resources).spawn((Heat(30), Age(1), Lit));
    let mut writer = Schedule::builder().add::<cool>().build().unwrap();
    writer.run(&mut resources).unwrap();
    // The watcher looks for the first time again.
    assert_eq!(seen(&mut watcher, &mut resources).len(), 601);
    assert_eq!(seen(&mut watcher, &mut resources), []);
    world(&mut resources).get_mut::<Heat>(last).unwrap().0 = 40;
    assert_eq!(seen(&mut watcher, &mut resources), [last]);
    // Those above 20 are cooled again, also in the second block of rows.
    writer.run(&mut resources).unwrap();
    assert!(seen(&mut watcher, &mut resources).contains(&last));
}
