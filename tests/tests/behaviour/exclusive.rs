//! `&mut Resources`: later systems of the same run see the changes of such a system.

use std::mem::swap;

use schedule::prelude::*;

use crate::{Log, failures, insertion_order, take_log, with_log};

#[derive(Debug, PartialEq, Resource)]
struct Gold(u32);

#[system]
fn mint(resources: &mut Resources, _: Commands<Inserts<Gold>>) {
    resources.insert(Gold(5));
}

#[system]
fn melt(resources: &mut Resources) {
    resources.remove::<Gold>();
}

#[system]
fn melt_and_panic(resources: &mut Resources) {
    resources.remove::<Gold>();
    panic!("melted");
}

#[system]
fn mint_again(resources: &mut Resources) {
    resources.remove::<Gold>();
    // Reuses the old address for a different value before the new value is allocated.
    let other = Box::new(0_u32);
    resources.insert(Gold(6));
    drop(other);
}

#[system]
fn spend(gold: &mut Gold, log: &mut Log) {
    gold.0 -= 1;
    log.push("spend");
}

#[system]
fn look(gold: Option<&Gold>, log: &mut Log) {
    log.push(if gold.is_some() { "gold" } else { "no gold" });
}

/// Holds the other set of resources while one set is in use.
#[system]
fn change_worlds(resources: &mut Resources, mut other: Local<World>) {
    swap(resources, &mut other.0);
}

struct World(Resources);

impl Default for World {
    fn default() -> Self {
        let mut resources = Resources::new();
        resources.insert(Gold(100));
        resources.insert(Log::default());
        World(resources)
    }
}

#[test]
fn resource_inserted_by_an_exclusive_system_is_visible_to_later_systems() {
    let mut resources = with_log();
    let mut schedule =
        insertion_order(|all| all.add::<look>().add::<mint>().add::<spend>().add::<look>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["no gold", "spend", "gold"]);
    assert_eq!(resources.get(), Some(&Gold(4)));
}

#[test]
fn resource_removed_by_an_exclusive_system_fails_later_users() {
    let mut resources = with_log();
    resources.insert(Gold(1));
    let mut schedule = insertion_order(|all| {
        all.add::<spend>()
            .add::<melt>()
            .add::<spend>()
            .add::<look>()
            .add::<spend>()
    });
    assert_eq!(
        failures(schedule.run(&mut resources)),
        [
            "spend: resource `Gold` is missing: it was removed during the run, or the system that should insert it did not",
            "spend: resource `Gold` is missing: it was removed during the run, or the system that should insert it did not"
        ]
    );
    assert_eq!(take_log(&mut resources), ["spend", "no gold"]);
    resources.insert(Gold(1));
    assert_eq!(failures(schedule.run(&mut resources)).len(), 2);
}

#[test]
fn resource_removed_before_a_panic_fails_later_users() {
    let mut resources = with_log();
    resources.insert(Gold(1));
    let mut schedule =
        insertion_order(|all| all.add::<melt_and_panic>().add::<spend>().add::<look>());
    assert_eq!(
        failures(schedule.run(&mut resources)),
        [
            "melt_and_panic: panicked: melted",
            "spend: resource `Gold` is missing: it was removed during the run, or the system that should insert it did not"
        ]
    );
    assert_eq!(take_log(&mut resources), ["no gold"]);
}

#[test]
fn value_replaced_by_an_exclusive_system_is_found() {
    let mut resources = with_log();
    resources.insert(Gold(1));
    let mut schedule =
        insertion_order(|all| all.add::<mint_again>().add::<spend>().add::<mint_again>());
    for _ in 0..3 {
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.get(), Some(&Gold(6)));
    }
}

#[test]
fn exclusive_system_may_swap_all_resources() {
    let mut resources = with_log();
    resources.insert(Gold(10));
    let mut schedule = insertion_order(|all| {
        all.add::<spend>()
            .add::<change_worlds>()
            .add::<spend>()
            .add::<spend>()
    });
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Gold(98)));
    assert_eq!(take_log(&mut resources), ["spend", "spend"]);
    schedule.run(&mut resources).unwrap();
    assert_eq!(
        resources.get(),
        Some(&Gold(7)),
        "10, spent once, then twice"
    );
    assert_eq!(take_log(&mut resources), ["spend", "spend", "spend"]);
    drop(schedule);
    assert_eq!(resources.get(), Some(&Gold(7)));
}

#[test]
fn an_exclusive_system_may_write_while_another_reads_everything_later() {
    #[system]
    fn read_all(resources: &Resources, mut seen: Local<Vec<String>>) {
        *seen = resources.names().map(|name| name.to_string()).collect();
        let expected: &[&str] = if resources.contains::<Gold>() {
            &["Gold", "Log"]
        } else {
            &["Log"]
        };
        assert_eq!(*seen, expected);
    }
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| {
        all.add::<read_all>()
            .add::<mint>()
            .add::<read_all>()
            .add::<melt>()
            .add::<read_all>()
    });
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
}

/// The run ends with different resources than it began with. The next run gets the first ones again.
#[test]
fn resources_from_before_a_swap_are_looked_up_again() {
    static AWAY: std::sync::Mutex<Option<Resources>> = std::sync::Mutex::new(None);

    #[system]
    fn send_away(resources: &mut Resources) {
        let mut away = AWAY.lock().unwrap();
        if away.is_none() {
            let mut others = Resources::new();
            others.insert(Log::default());
            others.insert(Gold(50));
            swap(resources, &mut others);
            *away = Some(others);
        }
    }

    let mut resources = with_log();
    resources.insert(Gold(10));
    // `spend` runs first, because an exclusive system before it would cause a new look-up.
    let mut schedule = insertion_order(|all| all.add::<spend>().add::<send_away>());
    schedule.run(&mut resources).unwrap();
    let mut first = AWAY.lock().unwrap().replace(Resources::new()).unwrap();
    assert_eq!(first.get(), Some(&Gold(9)));
    schedule.run(&mut first).unwrap();
    assert_eq!(first.get(), Some(&Gold(8)));
    assert_eq!(
        resources.get(),
        Some(&Gold(50)),
        "not touched by the second run"
    );
}
