//! Several items of a query at once: combinations, and the items of listed entities.

use proptest::prelude::*;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Charge(i64);

#[derive(Component)]
struct Lit;

#[derive(Component)]
struct Fixed;

#[derive(Component)]
struct Load(u32);

#[derive(Resource, Default)]
struct Seen(Vec<Entity>);

/// Worlds of up to four archetypes. `Charge(n)` is that of the nth entity.
fn worlds() -> impl Strategy<Value = (World, Vec<Entity>)> {
    let n_most = if cfg!(miri) { 5 } else { 12 };
    prop::collection::vec((0..5_u8, any::<bool>()), 0..n_most).prop_map(|entities| {
        let mut world = World::new();
        let mut all = Vec::new();
        for ((kind, is_gone), n) in entities.into_iter().zip(0..) {
            let entity = match kind {
                0 => world.spawn((Charge(n),)),
                1 => world.spawn((Charge(n), Lit)),
                2 => world.spawn((Charge(n), Fixed)),
                3 => world.spawn((Charge(n), Lit, Fixed)),
                _ => world.spawn((Lit,)),
            };
            all.push(entity);
            if is_gone && kind % 2 == 0 {
                world.despawn(entity).unwrap();
            }
        }
        (world, all)
    })
}

/// All combinations of `n` of these entities, in lexicographic order.
fn combinations(all: &[Entity], n: usize) -> Vec<Vec<Entity>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let others = combinations(&all[first + 1..], n - 1);
        others.into_iter().map(move |mut others| {
            others.insert(0, all[first]);
            others
        })
    };
    (0..all.len()).flat_map(with_first).collect()
}

fn lists<const N: usize>(all: &[[Entity; N]]) -> Vec<Vec<Entity>> {
    all.iter().map(|one| one.to_vec()).collect()
}

/// Compares the combinations of `N` entities with those of a list, by both iterators.
fn check<const N: usize>(world: &mut World) -> Result<(), TestCaseError> {
    let mut query = world.query_filtered::<(Entity, &mut Charge), Without<Fixed>>();
    let all: Vec<Entity> = query.iter_mut().map(|(entity, _)| entity).collect();
    let expected = combinations(&all, N);
    let mut found = Vec::new();
    let mut left = query.iter_combinations_mut::<N>();
    while let Some(items) = left.fetch_next() {
        found.push(items.map(|(entity, charge)| {
            charge.0 += 1;
            entity
        }));
    }
    prop_assert!(left.fetch_next().is_none());
    prop_assert_eq!(&lists(&found), &expected);
    let n_of_first = all
        .first()
        .map(|first| expected.iter().filter(|one| one.contains(first)).count());

    // The rest after the first one.
    let mut left = query.iter_combinations_mut::<N>();
    let mut found = Vec::new();
    if let Some(first) = left.fetch_next() {
        found.push(first.map(|(entity, charge)| (entity, *charge)));
    }
    left.for_each(|items| found.push(items.map(|(entity, charge)| (entity, *charge))));

    drop(query);
    let query = world.query_filtered::<(Entity, &Charge), Without<Fixed>>();
    let read: Vec<_> = query
        .iter_combinations::<N>()
        .map(|items| items.map(|(entity, charge)| (entity, *charge)))
        .collect();
    prop_assert_eq!(&found, &read);
    let ids: Vec<_> = read.iter().map(|one| one.map(|item| item.0)).collect();
    prop_assert_eq!(&lists(&ids), &expected);
    if let (Some(first), Some(n)) = (read.first(), n_of_first) {
        // Each combination with the entity has written it once.
        let [(_, now), ..] = first[..] else {
            unreachable!("a combination has an entity")
        };
        prop_assert!(now.0 >= n as i64);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn each_combination_occurs_once_in_order((mut world, _) in worlds()) {
        check::<1>(&mut world)?;
        check::<2>(&mut world)?;
        check::<3>(&mut world)?;
        check::<5>(&mut world)?;
    }

    #[test]
    fn items_of_listed_entities_are_those_of_single_calls(
        (mut world, all) in worlds(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        prop_assume!(!all.is_empty());
        let list: [Entity; 4] = core::array::from_fn(|nth| *picks[nth].get(&all));
        let mut query = world.query_filtered::<(Entity, &mut Charge, Option<&Lit>), Without<Fixed>>();
        let single = list.map(|entity| {
            query.get_mut(entity).map(|(entity, charge, lit)| (entity, *charge, lit.is_some()))
        });
        let by_iteration = list.map(|wanted| {
            let mut items = query.iter_mut().map(|(entity, charge, lit)| (entity, *charge, lit.is_some()));
            items.find(|item| item.0 == wanted)
        });
        prop_assert_eq!(single, by_iteration);
        prop_assert_eq!(list.map(|entity| query.contains(entity)), single.map(|item| item.is_some()));
        let many = query.get_many_mut(list);
        let many = many.map(|item| item.map(|(entity, charge, lit)| (entity, *charge, lit.is_some())));
        for (nth, entity) in list.iter().enumerate() {
            let is_first = !list[..nth].contains(entity);
            prop_assert_eq!(many[nth], single[nth].filter(|_| is_first));
        }
    }
}

/// hecs gives it an archetype, but no row, until the world is flushed.
#[test]
fn a_reserved_entity_matches_no_query() {
    let mut world = World::new();
    world.spawn(());
    let reserved = world.hecs_mut().reserve_entity();
    let mut query = world.query::<Entity>();
    assert_eq!(query.get(reserved), None);
    assert!(!query.contains(reserved));
    assert_eq!(query.get_many_mut([reserved]), [None]);
}

/// A filter of single rows leaves gaps between the rows of an archetype.
#[test]
fn combinations_and_single_items_follow_a_filter_of_rows() {
    #[system]
    fn pairs(
        all: Query<Entity>,
        mut changed: Query<(Entity, &mut Load), Changed<Charge>>,
        seen: &mut Seen,
    ) {
        let found = all
            .iter()
            .filter(|entity| changed.get_mut(*entity).is_some());
        let found: Vec<Entity> = found.collect();
        let mut pairs = Vec::new();
        changed
            .iter_combinations_mut()
            .for_each(|[(first, load), (second, other_load)]| {
                load.0 += 1;
                other_load.0 += 1;
                pairs.extend([first, second]);
            });
        assert_eq!(pairs, combinations(&found, 2).concat());
        seen.0 = pairs;
    }

    let mut world = World::new();
    let all = [0, 1, 2, 3, 4, 5].map(|n| world.spawn((Charge(n), Load(0))));
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Seen::default());
    let mut frame = Schedule::builder().add::<pairs>().build().unwrap();
    frame.run(&mut resources).unwrap();
    for nth in [1, 2, 4] {
        let world = resources.get_mut::<World>().unwrap();
        world.get_mut::<Charge>(all[nth]).unwrap().0 += 1;
    }
    frame.run(&mut resources).unwrap();
    let seen = &resources.get::<Seen>().unwrap().0;
    assert_eq!(seen[..], [1, 2, 1, 4, 2, 4].map(|nth: usize| all[nth]));
    let world = resources.get_mut::<World>().unwrap();
    let loads = all.map(|entity| world.get_mut::<Load>(entity).unwrap().0);
    assert_eq!(loads, [5, 7, 7, 5, 7, 5]);
}

#[derive(schedule::Identity)]
struct Cellar;

#[test]
fn a_test_calls_a_system_that_takes_several_queries() {
    #[system]
    fn discharge(
        lit: Query<(Entity, &Charge), With<Lit>>,
        mut dark: Query<(Entity, &mut Charge), Without<Lit>>,
        loads: Query<&Load>,
        seen: &mut Seen,
    ) {
        let total: i64 = lit.iter().map(|(_, charge)| charge.0).sum();
        for (entity, charge) in &mut dark {
            charge.0 -= total + i64::from(loads.get(entity).map_or(0, |load| load.0));
            seen.0.push(entity);
        }
    }

    let mut world = World::new();
    world.spawn_batch([1, 2].map(|n| (Charge(n), Lit)));
    let loaded = world.spawn((Charge(10), Load(4)));
    let plain = world.spawn((Charge(10),));
    let mut seen = Seen::default();
    let (lit, dark, loads) = world.queries();
    discharge(lit, dark, loads, &mut seen);
    assert_eq!(seen.0, [loaded, plain]);
    let charges = [loaded, plain].map(|entity| *world.get_mut::<Charge>(entity).unwrap());
    assert_eq!(charges, [Charge(3), Charge(7)]);

    // Of a world with a tag, nested, and of terms that do not conflict.
    let mut cellar = World::<Cellar>::with_tag();
    cellar.spawn((Charge(1), Load(0)));
    type Charges<'w, 'q> = Query<'w, &'q mut Charge, (), Cellar>;
    type Loads<'w, 'q> = Query<'w, &'q mut Load, (), Cellar>;
    let ((mut charges,), mut loads) = cellar.queries::<((Charges,), Loads)>();
    for (charge, load) in charges.iter_mut().zip(&mut loads) {
        load.0 += u32::try_from(charge.0).unwrap();
        charge.0 = 0;
    }
    drop((charges, loads));
    let found = cellar.query::<(&Charge, &Load)>();
    assert!(
        found
            .iter()
            .all(|(charge, load)| charge.0 == 0 && load.0 == 1)
    );
}
