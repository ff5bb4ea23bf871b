//! Copies of a store within a run.

use schedule::access::ResourceId;
use schedule::columns::{ColumnMut, ColumnRef, Columns};
use schedule::dynamic::DynamicSystem;
use schedule::entity::{ComponentId, Components, DynamicQuery};
use schedule::prelude::*;
use schedule::snapshot::SnapshotWriter;
use schedule::{Condition, Executor, NonSend, Policy, SavedResources};

use super::saved::bytes_of;
use super::{Position, Villager, resources, villager};

#[system]
fn clone_shared(store: &Columns<Villager>) {
    let _ = store.clone();
}

#[system(for_each = Columns<Villager>)]
fn clone_in_each(position: &mut Position, #[resource] store: &Columns<Villager>) {
    position.0 += store.clone().len() as i64;
}

#[system]
fn clone_if_there(store: Option<&Columns<Villager>>) {
    let _ = store.unwrap().clone();
}

#[system]
fn clone_beside_a_column(store: &Columns<Villager>, mut positions: ColumnMut<Villager, Position>) {
    positions[0].0 = store.clone().len() as i64;
}

#[system]
fn clone_beside_components(
    store: &Columns<Villager>,
    _: Components<'_, Columns<Villager>, &'static Position>,
) {
    let _ = store.clone();
}

#[derive(Params)]
struct Both<'r> {
    store: &'r Columns<Villager>,
    positions: ColumnRef<'r, Villager, Position>,
}

#[system]
fn clone_in_params(both: Both) {
    assert_eq!(both.store.clone().len(), both.positions.len());
}

#[system]
fn clone_from_all(resources: &Resources) {
    let _ = resources.get::<Columns<Villager>>().unwrap().clone();
}

#[system]
fn is_cloned(store: &Columns<Villager>) -> bool {
    store.clone().len() > 100
}

#[system]
fn nothing() {}

/// The text of the error of a run.
fn run_error(schedule: &mut Schedule, resources: &mut Resources) -> String {
    schedule.run(resources).unwrap_err().to_string()
}

#[test]
fn system_with_a_shared_reference_cannot_copy_the_store() {
    let text = "a system that takes `&Columns<Villager>` cannot copy the entities, because other systems may write them meanwhile; take `&mut Columns<Villager>`, or copy between runs";
    let in_view = |name: &str| {
        DynamicSystem::new(name, |view| {
            let _ = view.get::<Columns<Villager>>()?.clone();
            Ok::<(), BoxError>(())
        })
    };
    let store = ResourceId::of::<Columns<Villager>>();
    let query = DynamicQuery::<Columns<Villager>>::new().reads(ComponentId::of::<Position>());
    let except = || ["unknown"].map(ResourceId::named);
    let mut schedules = vec![
        Schedule::builder().add::<clone_shared>().build(),
        Schedule::builder().add::<clone_in_each>().build(),
        Schedule::builder().add::<clone_if_there>().build(),
        Schedule::builder().add::<clone_beside_a_column>().build(),
        Schedule::builder().add::<clone_beside_components>().build(),
        Schedule::builder().add::<clone_from_all>().build(),
        Schedule::builder().add::<clone_in_params>().build(),
        Schedule::builder()
            .add::<nothing>()
            .run_if(Condition::of::<is_cloned>())
            .build(),
        Schedule::builder()
            .add_dynamic(in_view("a").reads(store.clone()))
            .build(),
        Schedule::builder()
            .add_dynamic(in_view("b").queries(query))
            .build(),
        Schedule::builder()
            .add_dynamic(in_view("c").reads_all_except(except()))
            .build(),
        Schedule::builder()
            .add_dynamic(in_view("d").writes_all_except([store.clone()]).reads(store))
            .build(),
    ];
    if cfg!(miri) {
        // Each takes a minute under Miri.
        schedules.truncate(2);
    }
    for schedule in schedules {
        let mut schedule = schedule.unwrap();
        for executor in [Executor::Serial, Executor::Parallel] {
            schedule.set_executor(executor);
            let mut resources = resources([1, 2]);
            for _ in 0..2 {
                let error = run_error(&mut schedule, &mut resources);
                assert!(error.contains(text), "{error}");
                // The loan has ended, although the system failed.
                let copy = resources.get::<Columns<Villager>>().unwrap().clone();
                assert_eq!(copy.len(), 2);
                // Also in a store at another address.
                resources.remove::<Columns<Villager>>();
                resources.insert(copy);
            }
        }
    }
}

#[system]
fn replace(store: &mut Columns<Villager>, saved: &mut Saved) {
    let copy = store.clone();
    *store = copy;
    saved.1 = Some(store.clone());
}

#[system]
fn use_another(store: NonSend<Columns<Villager>>) {
    assert_eq!(store.clone().len(), 1);
}

#[test]
fn system_that_gets_another_store_or_writes_the_store_has_no_loan() {
    let all = DynamicSystem::new("all", |view| {
        let store = view.get_mut::<Columns<Villager>>()?;
        let copy = store.clone();
        *store = copy;
        Ok::<(), BoxError>(())
    });
    let all = all
        .reads_all_except([])
        .writes(ResourceId::of::<Columns<Villager>>());
    let others = DynamicSystem::new("others", |_| ());
    let others = others.reads_all_except([ResourceId::of::<Columns<Villager>>()]);
    let mut schedule = Schedule::builder()
        .policy(Policy::InsertionOrder)
        .add::<use_another>()
        .add::<replace>()
        .add_dynamic(all)
        .add_dynamic(others)
        .build()
        .unwrap();
    for executor in [Executor::Serial, Executor::Parallel] {
        schedule.set_executor(executor);
        let mut resources = resources([1, 2]);
        resources.insert_default::<Saved>();
        let another: Columns<Villager> = [3].map(villager).into_iter().collect();
        resources.main_thread().insert(another);
        for _ in 0..2 {
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(
            resources.get::<Columns<Villager>>().unwrap().clone().len(),
            2
        );
    }
}

#[system]
fn save_shared(store: &Columns<Villager>) -> Result<(), BoxError> {
    let error = SnapshotWriter::new().section(store).map(drop).unwrap_err();
    assert!(
        error.to_string().contains("cannot copy the entities"),
        "{error}"
    );
    let error = serde_json::to_string(store).unwrap_err();
    assert!(
        error.to_string().contains("cannot copy the entities"),
        "{error}"
    );
    Ok(())
}

/// The bytes of the last run, and a copy.
#[derive(Resource, Default)]
struct Saved(Vec<u8>, Option<Columns<Villager>>);

#[system]
fn save_exclusive(store: &mut Columns<Villager>, saved: &mut Saved) {
    saved.0 = bytes_of(store);
    saved.1 = Some(store.clone());
    store.clear();
    store.clone_from(saved.1.as_ref().unwrap());
}

#[system]
fn save_all(resources: &mut Resources) {
    let bytes = SavedResources::new()
        .with::<Columns<Villager>>()
        .save(resources);
    resources.get_mut::<Saved>().unwrap().0 = bytes.unwrap();
}

#[test]
fn system_with_an_exclusive_reference_can_copy_the_store() {
    let mut schedule = Schedule::builder()
        .add::<save_shared>()
        .add::<save_exclusive>()
        .add::<save_all>()
        .order("save_shared", "save_exclusive")
        .order("save_exclusive", "save_all")
        .build()
        .unwrap();
    for executor in [Executor::Serial, Executor::Parallel] {
        schedule.set_executor(executor);
        let mut resources = resources([1, 2]);
        resources.insert_default::<Saved>();
        schedule.run(&mut resources).unwrap();
        let store = bytes_of(resources.get::<Columns<Villager>>().unwrap());
        let saved = resources.get_mut::<Saved>().unwrap();
        assert_eq!(bytes_of(saved.1.as_ref().unwrap()), store);
        assert!(saved.0.len() > store.len(), "with names");
    }
}
