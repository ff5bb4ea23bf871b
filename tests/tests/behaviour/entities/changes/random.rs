//! Random changes of a world by two schedules and by the program, compared with a naive world, on all executors.

use std::collections::BTreeMap;

use proptest::prelude::*;
use schedule::{Builder, Policy};
use schedule_tests::on::On;

use super::*;

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
