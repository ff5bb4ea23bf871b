//! Changes of components in worlds: filters that match rows, and the entities that lost a component.

use std::collections::BTreeMap;

use proptest::prelude::*;
use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule::{Builder, Policy};
use schedule_hecs::hecs;
use schedule_hecs::prelude::*;
use schedule_hecs::{CommandsExt, Removed};
use schedule_tests::on::On;

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

#[test]
fn arbitrary_changes_are_found_by_comparing_the_entities() {
    let (mut resources, [hot, lit, cold], mut changed) = watched::<see_changed>();
    let (mut added, mut removed) = (one::<see_each_added>(), one::<see_removed>());
    seen(&mut added, &mut resources);
    seen(&mut removed, &mut resources);
    let hecs_world: &mut hecs::World = world(&mut resources).hecs_mut();
    hecs_world.despawn(hot).unwrap();
    hecs_world.insert_one(cold, Heat(1)).unwrap();
    // A second call compares with the state before the first one.
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

#[derive(Clone, Copy, Debug, PartialEq)]
enum System {
    SeeChanged,
    SeeAdded,
    SeeRemoved,
    SeeEach,
    SeeEachAdded,
    Warm,
    Cool,
    Chill,
    Heat,
    Light,
    Spawn,
}

const SYSTEMS: [System; 12] = [
    System::SeeChanged,
    System::SeeAdded,
    System::SeeRemoved,
    System::SeeEach,
    System::SeeEachAdded,
    System::Warm,
    System::Cool,
    System::Chill,
    System::Heat,
    System::Light,
    System::Light,
    System::Spawn,
];

impl System {
    fn add(self, builder: &mut Builder) -> &mut Builder {
        match self {
            Self::SeeChanged => builder.add::<see_changed>(),
            Self::SeeAdded => builder.add::<see_added>(),
            Self::SeeRemoved => builder.add::<see_removed>(),
            Self::SeeEach => builder.add::<see_each>(),
            Self::SeeEachAdded => builder.add::<see_each_added>(),
            Self::Warm => builder.add::<warm>(),
            Self::Cool => builder.add::<cool>(),
            Self::Chill => builder.add::<chill>(),
            Self::Heat => builder.add::<heat>(),
            Self::Light => builder.add::<light>(),
            Self::Spawn => builder.add::<spawn>(),
        }
    }
}

/// A step of the program. Entities are given by their place among all that exist, by id.
#[derive(Clone, Copy, Debug)]
enum Step {
    Run(usize),
    Write(usize),
    QueryAll,
    Despawn(usize),
    Insert(usize),
    Remove(usize),
    Arbitrary(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2_usize).prop_map(Step::Run),
        2 => any::<usize>().prop_map(Step::Write),
        1 => Just(Step::QueryAll),
        1 => any::<usize>().prop_map(Step::Despawn),
        1 => any::<usize>().prop_map(Step::Insert),
        1 => any::<usize>().prop_map(Step::Remove),
        1 => any::<usize>().prop_map(Step::Arbitrary),
    ]
}

/// An entity, and when its heat was written and added.
#[derive(Clone, Debug, Default)]
struct Noted {
    heat: Option<(i64, u64, u64)>,
    is_lit: bool,
}

/// Systems with commands, and the entities with their heats when they ran.
type Issued = Vec<(System, Vec<(Entity, Option<i64>)>)>;

/// A world that notes the time of each write.
#[derive(Default)]
struct Model {
    now: u64,
    all: BTreeMap<Entity, Noted>,
    removed: Vec<(u64, Entity)>,
    seen: Vec<Entity>,
}

impl Model {
    /// Takes over the changes of entities from the world. Times are `now`.
    fn insert(&mut self, entity: Entity, heat: Option<i64>, is_lit: bool) {
        self.now += 1;
        let noted = self.all.entry(entity).or_default();
        noted.is_lit |= is_lit;
        if let Some(heat) = heat {
            let added = noted.heat.map_or(self.now, |(_, _, added)| added);
            noted.heat = Some((heat, self.now, added));
        }
    }

    fn remove_heat(&mut self, entity: Entity) {
        self.now += 1;
        let noted = self.all.get_mut(&entity);
        if noted.is_some_and(|noted| noted.heat.take().is_some()) {
            self.removed.push((self.now, entity));
        }
    }

    fn despawn(&mut self, entity: Entity) {
        self.remove_heat(entity);
        self.all.remove(&entity);
    }

    fn write(&mut self, is_match: impl Fn(i64, bool) -> bool, write: impl Fn(i64) -> i64) {
        self.now += 1;
        for Noted { heat, is_lit } in self.all.values_mut() {
            if let Some((heat, changed, _)) = heat
                && is_match(*heat, *is_lit)
            {
                (*heat, *changed) = (write(*heat), self.now);
            }
        }
    }

    fn see(&mut self, is_match: impl Fn(bool, u64, u64) -> bool) {
        let seen = self.all.iter().filter(|(_, noted)| {
            let matches = |(_, changed, added)| is_match(noted.is_lit, changed, added);
            noted.heat.is_some_and(matches)
        });
        self.seen.extend(seen.map(|(entity, _)| *entity));
    }

    /// Runs systems in order. Returns what their commands do, with the number of spawned entities.
    fn run(&mut self, systems: &[System], last: &mut [Option<u64>]) -> Issued {
        let mut commands = Vec::new();
        for (system, last) in systems.iter().zip(last) {
            let since = last.unwrap_or(0);
            match system {
                System::SeeChanged | System::SeeEach => self.see(|_, changed, _| changed > since),
                System::SeeAdded => self.see(|_, _, added| added > since),
                System::SeeEachAdded => self.see(|is_lit, _, added| is_lit && added > since),
                System::SeeRemoved => {
                    let since = last.unwrap_or(u64::MAX);
                    let removed = self.removed.iter().filter(|(at, _)| *at > since);
                    self.seen.extend(removed.map(|(_, entity)| *entity));
                }
                System::Warm => self.write(|_, is_lit| is_lit, |heat| heat + 2),
                System::Cool => self.write(|heat, _| heat > 20, |heat| heat - 15),
                System::Chill => {
                    self.write(|heat, is_lit| !is_lit && heat % 3 == 0, |heat| heat + 1);
                }
                System::Heat => self.write(|_, _| true, |heat| heat + 1),
                System::Light => {
                    let heats = self.all.iter();
                    let heats =
                        heats.map(|(entity, noted)| (*entity, noted.heat.map(|heat| heat.0)));
                    commands.push((*system, heats.collect()));
                }
                System::Spawn => commands.push((*system, Vec::new())),
            }
            *last = Some(self.now);
        }
        commands
    }

    fn apply(&mut self, commands: Issued, spawned: &[Entity]) {
        let mut spawned = spawned.iter();
        for (system, entities) in commands {
            if system == System::Spawn {
                for (heat, is_lit) in [(3, false), (4, true), (0, false), (1, false)] {
                    self.insert(*spawned.next().unwrap(), Some(heat), is_lit);
                }
            }
            for (entity, heat) in entities {
                // An earlier command may have despawned it.
                if !self.all.contains_key(&entity) {
                    continue;
                }
                match heat.map(|heat| heat % 7) {
                    None => self.insert(entity, Some(1), true),
                    Some(1) => self.insert(entity, None, true),
                    Some(2) => self.all.get_mut(&entity).unwrap().is_lit = false,
                    Some(3) => self.remove_heat(entity),
                    Some(4) => self.insert(entity, Some(5), false),
                    Some(5) => self.despawn(entity),
                    Some(_) => {}
                }
            }
        }
    }
}

fn sorted(mut entities: Vec<Entity>) -> Vec<Entity> {
    entities.sort();
    entities
}

/// The entities that the model does not know, in the order of the spawns of the model.
fn spawned(resources: &mut Resources, model: &Model, n_spawns: usize) -> Vec<Entity> {
    let mut new: BTreeMap<i64, Vec<Entity>> = BTreeMap::new();
    for (entity, heat) in &world(resources).query::<(Entity, &Heat)>() {
        if !model.all.contains_key(&entity) {
            new.entry(heat.0).or_default().push(entity);
        }
    }
    let heats = (0..n_spawns).flat_map(|_| [3, 4, 0, 1]);
    heats
        .map(|heat| new.get_mut(&heat).unwrap().pop().unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 32 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn watchers_see_what_a_naive_world_has_noted(
        systems in prop::collection::vec(prop::collection::vec(prop::sample::select(&SYSTEMS[..]), 1..9), 2),
        n_entities in prop_oneof![0_i64..20, 505_i64..530],
        steps in prop::collection::vec(step(), 1..16),
    ) {
        let n_entities = if cfg!(miri) { n_entities % 20 } else { n_entities };
        let mut first: Option<Vec<Vec<Entity>>> = None;
        for on in On::EACH {
            let mut schedules = systems.iter().map(|systems| {
                let mut builder = Schedule::builder();
                builder.policy(Policy::InsertionOrder);
                systems.iter().for_each(|system| _ = system.add(&mut builder));
                let mut schedule = builder.build().unwrap();
                on.set(&mut schedule);
                schedule
            }).collect::<Vec<_>>();
            let mut resources = resources();
            let mut model = Model::default();
            for heat in 0..n_entities {
                let world = world(&mut resources);
                let entity = match heat % 4 {
                    0 => world.spawn((Lit,)),
                    1 => world.spawn((Heat(heat), Lit)),
                    _ => world.spawn((Heat(heat),)),
                };
                model.insert(entity, (heat % 4 != 0).then_some(heat), heat % 4 < 2);
            }
            let mut last = systems.iter().map(|systems| vec![None; systems.len()]).collect::<Vec<_>>();
            let mut all_seen = Vec::new();
            for (nth, step) in steps.iter().enumerate() {
                let entity = |nth: usize| model.all.keys().nth(nth % model.all.len().max(1)).copied();
                match *step {
                    Step::Run(idx) => {
                        let _ = on.run(&mut schedules[idx], &mut resources);
                        let commands = model.run(&systems[idx], &mut last[idx]);
                        let n_spawns = systems[idx].iter().filter(|system| **system == System::Spawn).count();
                        let spawned = spawned(&mut resources, &model, n_spawns);
                        model.apply(commands, &spawned);
                    }
                    Step::QueryAll => {
                        world(&mut resources).query::<&mut Heat>().iter_mut().for_each(|heat| heat.0 += 1);
                        model.write(|_, _| true, |heat| heat + 1);
                    }
                    Step::Write(nth) => if let Some(entity) = entity(nth)
                        && let Some(heat) = world(&mut resources).get_mut::<Heat>(entity)
                    {
                        heat.0 += 3;
                        let heat = heat.0;
                        model.insert(entity, Some(heat), false);
                    },
                    Step::Despawn(nth) => if let Some(entity) = entity(nth) {
                        world(&mut resources).despawn(entity).unwrap();
                        model.despawn(entity);
                    },
                    Step::Insert(nth) => if let Some(entity) = entity(nth) {
                        world(&mut resources).insert(entity, (Heat(8), Lit)).unwrap();
                        model.insert(entity, Some(8), true);
                    },
                    Step::Remove(nth) => if let Some(entity) = entity(nth) {
                        let _ = world(&mut resources).remove::<(Heat,)>(entity);
                        model.remove_heat(entity);
                    },
                    Step::Arbitrary(nth) => {
                        let first = entity(nth);
                        let world = world(&mut resources).hecs_mut();
                        if let Some(entity) = first {
                            let _ = world.remove_one::<Heat>(entity);
                            model.remove_heat(entity);
                        }
                        let new = world.spawn((Heat(6), Age(2)));
                        model.insert(new, Some(6), false);
                        // All others count as changed.
                        model.write(|_, _| true, |heat| heat);
                    }
                }
                let found: Vec<_> = world(&mut resources)
                    .query::<(Entity, Option<&Heat>, Option<&Lit>)>()
                    .iter()
                    .map(|(entity, heat, lit)| (entity, heat.map(|heat| heat.0), lit.is_some()))
                    .collect();
                let found: BTreeMap<_, _> = found.into_iter().map(|(entity, heat, lit)| (entity, (heat, lit))).collect();
                let expected: BTreeMap<_, _> = model.all.iter()
                    .map(|(entity, noted)| (*entity, (noted.heat.map(|heat| heat.0), noted.is_lit)))
                    .collect();
                prop_assert_eq!(found, expected, "{:?}, step {}", on, nth);
                let seen = core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0);
                all_seen.push(seen.clone());
                let expected = sorted(core::mem::take(&mut model.seen));
                prop_assert_eq!(sorted(seen), expected, "{:?}, step {}", on, nth);
            }
            prop_assert_eq!(first.get_or_insert_with(|| all_seen.clone()), &all_seen, "{:?}", on);
        }
    }
}
