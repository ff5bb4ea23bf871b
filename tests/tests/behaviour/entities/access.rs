//! Components as virtual resources: verification without a store.

use schedule::access::ResourceId;
use schedule::entity::{Component, Components, EntityStore, Or, With, Without};
use schedule::param::{Assemble, Assembled, Param, Part, Seed};
use schedule::prelude::*;
use schedule::report::Warning;

#[derive(Resource, Default)]
struct Store;

impl EntityStore for Store {}

#[derive(Component)]
struct Position;

impl Resource for Position {}

#[derive(Component)]
struct Velocity;

#[derive(Component)]
struct Frozen;

/// A query that only declares its access.
struct Query<Q, F = ()>(core::marker::PhantomData<fn() -> (Q, F)>);

struct AssembleQuery<Q, F>(core::marker::PhantomData<fn() -> (Q, F)>);

impl<Q, F> Assemble for AssembleQuery<Q, F>
where
    Q: schedule::entity::ComponentTerms<Store>,
    F: schedule::entity::EntityFilter<Store>,
{
    type Parts = (&'static Store, Components<'static, Store, Q, F>);
    type Item<'r> = Query<Q, F>;

    fn assemble<'r>(_: Part<'r, Self::Parts>) -> Self::Item<'r> {
        Query(core::marker::PhantomData)
    }
}

impl<Q, F> Param for Query<Q, F>
where
    Q: schedule::entity::ComponentTerms<Store>,
    F: schedule::entity::EntityFilter<Store>,
{
    type State = Assembled<AssembleQuery<Q, F>>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}

type Mut<C> = &'static mut C;
type Ref<C> = &'static C;

#[system]
fn move_all(_: Query<(Mut<Position>, Ref<Velocity>)>) {}

#[system]
fn draw(_: Query<Ref<Position>>) {}

#[system]
fn melt(_: Query<Mut<Frozen>>) {}

#[system]
fn push_frozen(_: Query<Mut<Position>, With<Frozen>>) {}

#[system]
fn push_others(_: Query<Mut<Position>, Without<Frozen>>) {}

type Rarely = Or<(Without<Position>, With<Frozen>)>;

#[system]
fn spawn(_: &mut Store) {}

fn races(builder: &mut schedule::Builder) -> Vec<String> {
    let Err(error) = builder.build() else {
        return Vec::new();
    };
    error
        .to_string()
        .lines()
        .filter(|line| line.contains("race on"))
        .map(|line| line.trim().to_string())
        .collect()
}

#[test]
fn systems_race_on_a_component_by_its_name() {
    let error = Schedule::builder()
        .add::<move_all>()
        .add::<draw>()
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("race on `Position`"), "{error}");
    let mut ordered = Schedule::builder();
    ordered.add::<move_all>().add::<draw>();
    ordered.order("move_all", "draw").build().unwrap();
}

#[test]
fn different_components_do_not_race() {
    assert!(races(Schedule::builder().add::<move_all>().add::<melt>()).is_empty());
}

#[test]
fn disjoint_filters_do_not_race() {
    assert!(
        races(
            Schedule::builder()
                .add::<push_frozen>()
                .add::<push_others>()
        )
        .is_empty()
    );
    let mut all = Schedule::builder();
    let races = races(all.add::<push_frozen>().add::<draw>());
    assert_eq!(races.len(), 1, "a query without a filter matches all");
}

#[test]
fn a_system_that_takes_the_store_exclusively_races_with_each_query() {
    assert_eq!(
        races(Schedule::builder().add::<spawn>().add::<melt>()).len(),
        1
    );
}

#[test]
fn components_are_never_missing_nor_reported_as_only_read() {
    let mut frame = Schedule::builder().add::<draw>().build().unwrap();
    assert!(!frame.report().to_string().contains("`Position` is"));
    let mut resources = Resources::new();
    assert!(
        frame
            .run(&mut resources)
            .unwrap_err()
            .to_string()
            .contains("Store"),
        "the store itself is a resource"
    );
    resources.insert(Store);
    frame.run(&mut resources).unwrap();
}

#[test]
fn a_query_that_no_entity_matches_is_a_warning() {
    #[system]
    fn never(_: Query<Ref<Position>, Without<Position>>) {}

    #[system]
    fn rarely(_: Query<Ref<Position>, Rarely>) {}

    let schedule = Schedule::builder()
        .add::<never>()
        .add::<rarely>()
        .build()
        .unwrap();
    let [warning @ Warning::UnmatchableQuery { system }] = &schedule.warnings()[..] else {
        panic!("{:?}", schedule.warnings());
    };
    assert_eq!(system.name, "never");
    assert!(
        warning.to_string().contains("no entity can match"),
        "{warning}"
    );
}

#[test]
fn a_system_with_two_filters_races_only_where_one_of_them_meets() {
    #[system]
    fn both(_: Query<Mut<Position>, With<Frozen>>, _: Query<Ref<Position>, Without<Frozen>>) {}

    #[system]
    fn reads_others(_: Query<Ref<Position>, Without<Frozen>>) {}

    let mut builder = Schedule::builder();
    assert!(races(builder.add::<both>().add::<reads_others>()).is_empty());
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.add::<both>().add::<push_others>()).len(), 1);
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.add::<both>().add::<push_frozen>()).len(), 1);
}

/// Seen from outside, a loop accesses a component of all entities.
#[test]
fn filters_count_only_between_systems_of_one_level() {
    #[system]
    fn never_again() -> bool {
        false
    }

    let with_loop = || {
        let mut builder = Schedule::builder();
        builder.repeat_while::<never_again>(|body| body.add::<push_frozen>().add::<push_others>());
        builder
    };
    assert!(races(&mut with_loop()).is_empty());
    assert_eq!(races(with_loop().add::<push_others>()).len(), 1);
    // The system outside of the loop conflicts with both in it, and with one of them only because of the loop.
    let error = with_loop().add::<push_others>().build().unwrap_err();
    let text = error.to_string();
    let n_notes = text.matches("both write `Position` (their filters exclude each other, but");
    assert_eq!(
        (n_notes.count(), text.matches("both write").count()),
        (1, 2),
        "{text}"
    );
}

#[test]
fn an_access_to_all_resources_excludes_components() {
    #[system]
    fn inspect(_: &Resources) {}

    #[system]
    fn reset(_: &mut Resources) {}

    assert!(races(Schedule::builder().add::<inspect>().add::<melt>()).is_empty());
    assert_eq!(
        races(Schedule::builder().add::<reset>().add::<melt>()).len(),
        1
    );
}

#[test]
fn the_graph_and_the_lock_name_components() {
    let mut builder = Schedule::builder();
    builder.add::<move_all>().add::<draw>();
    let schedule = builder.order("move_all", "draw").build().unwrap();
    let graph = schedule.graph();
    let kind = graph
        .resources
        .iter()
        .find(|one| one.name == "Position")
        .map(|one| one.kind);
    assert_eq!(kind, Some(schedule::graph::ResourceKind::Component));
    let policy = Schedule::builder()
        .add::<move_all>()
        .add::<draw>()
        .policy(Policy::InsertionOrder)
        .build()
        .unwrap();
    let lock = policy.lock().to_string();
    assert!(lock.contains("component Position"), "{lock}");
    assert!(
        policy
            .why("move_all", "draw")
            .unwrap()
            .to_string()
            .contains("`Position`")
    );
}

/// Two stores have different components of the same type.
#[test]
fn components_of_two_stores_do_not_race() {
    #[derive(Resource)]
    struct Other;

    impl EntityStore for Other {
        const LABEL: Option<&'static schedule::identity::Name> = Some(&<Other as Identity>::NAME);
    }

    #[system]
    fn first(_: Components<'_, Store, Mut<Position>>) {}

    #[system]
    fn other(_: Components<'_, Other, Mut<Position>>) {}

    #[system]
    fn other_too(_: Components<'_, Other, Mut<Position>>) {}

    assert!(races(Schedule::builder().add::<first>().add::<other>()).is_empty());
    let races = races(Schedule::builder().add::<other>().add::<other_too>());
    assert!(
        races[0].contains("race on `Position in Other`"),
        "{races:?}"
    );
}

#[test]
fn the_id_of_a_resource_with_the_type_of_a_component_is_another() {
    #[system]
    fn writes_resource(_: &mut Position) {}

    assert!(races(Schedule::builder().add::<writes_resource>().add::<draw>()).is_empty());
    let build = |resource: ResourceId| {
        Schedule::builder()
            .add::<move_all>()
            .add::<draw>()
            .policy_for_resource(resource, Policy::InsertionOrder)
            .build()
    };
    assert!(build(ResourceId::of::<Position>()).is_err());
    build(ResourceId::of_component::<Store, Position>()).unwrap();
}
