//! Open schedules: the systems that they collect, from all modules and crates, and their order.

use schedule::prelude::*;
use schedule_tests::combat::Health;
use schedule_tests::village::{Village, feast};

use crate::{Log, take_log, with_log};

schedule! {
    /// Collects systems from this crate.
    pub(crate) open Day {
        wake,
        policy insertion order,
    }
}

schedule! {
    open Night {
        on failure stop,
        sleep,
    }
}

#[system]
fn wake(log: &mut Log) {
    log.push("wake");
}

#[system]
fn sleep(log: &mut Log) {
    log.push("sleep");
}

mod work {
    use crate::Log;
    use schedule::prelude::*;

    #[system(schedule = super::Day)]
    fn plough(log: &mut Log) {
        log.push("plough");
    }

    #[system(schedule = (super::Day, super::Night), before_if_present = super::sleep)]
    fn eat(log: &mut Log) {
        log.push("eat");
    }

    #[system(schedule = super::Day, before = plough)]
    fn harness(log: &mut Log) {
        log.push("harness");
    }
}

#[test]
fn collected_systems_follow_listed_ones_in_source_order() {
    let schedule = Day::new().unwrap();
    let systems: Vec<_> = schedule.systems().collect();
    assert_eq!(systems, ["wake", "eat", "harness", "plough"]);
}

#[test]
fn several_schedules_may_collect_one_system() {
    let mut resources = with_log();
    Night::new().unwrap().run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["eat", "sleep"]);
    Day::new().unwrap().run(&mut resources).unwrap();
    assert_eq!(
        take_log(&mut resources),
        ["wake", "eat", "harness", "plough"]
    );
}

mod again {
    use schedule::prelude::*;

    schedule! {
        pub(super) open Again { rest }
    }

    #[system(schedule = (Again, self::Again))]
    fn rest() {}
}

#[test]
fn system_named_several_times_is_added_each_time() {
    let schedule = again::Again::new().unwrap();
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["rest"; 3]);
}

#[test]
fn builder_of_an_open_schedule_contains_collected_systems() {
    let mut builder = Night::builder();
    let schedule = builder.add::<wake>().after::<sleep>().build().unwrap();
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["eat", "sleep", "wake"]
    );
}

/// A system of this crate. A crate that this one depends on lists the schedule that collects it.
#[system(schedule = Village, after = feast, name = "count the living")]
fn count(health: &Health, log: &mut Log) {
    log.push(if health.0 > 0 { "alive" } else { "dead" });
}

#[test]
fn systems_are_collected_across_crates() {
    let error = Village::new().unwrap_err().to_string();
    assert!(error.contains("race on `Health`"), "{error}");
    assert!(
        error.contains("`shiver`") && error.contains("`count the living`"),
        "{error}"
    );
    let mut builder = Village::builder();
    let mut village = builder.policy(Policy::InsertionOrder).build().unwrap();
    let mut systems: Vec<_> = village.systems().collect();
    assert_eq!(systems[..3], ["poison", "heal", "feast"]);
    systems.sort();
    assert_eq!(
        systems,
        ["count the living", "feast", "heal", "poison", "shiver"]
    );
    let mut resources = with_log();
    resources.insert(Health(7));
    village.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Health>(), Some(&Health(9)));
    assert_eq!(take_log(&mut resources), ["alive"]);
}

#[test]
#[should_panic(expected = "race on `Health`")]
fn generated_test_of_open_schedules_reports_errors() {
    schedule::__private::test_schedules();
}
