//! Tests which addresses a run looks up again.

use std::rc::Rc;
use std::thread;

use crate::data::executor_choice::Executor;
use crate::data::param::{NonSend, NonSendMut};
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::schedule::Schedule;

macro_rules! resources {
    ($($name:ident)*) => {
        $(
            #[derive(schedule_macros::Resource)]
            #[resource(crate = crate)]
            struct $name(u32);
        )*
    };
}

resources!(Health Armour Score);

#[derive(schedule_macros::Identity)]
#[identity(crate = crate)]
struct Window(Rc<u32>);

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Health(1));
    resources.insert(Armour(2));
    resources.insert(Score(0));
    resources.main_thread().insert(Window(Rc::new(3)));
    resources
}

/// Eleven systems with resources, and two that also use a main-thread value.
fn frame(executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    for nth in 0..11 {
        builder.add_closure(
            format!("read_{nth}"),
            |health: &Health, armour: Option<&Armour>| {
                assert_eq!(health.0 + armour.map_or(0, |armour| armour.0), 3);
            },
        );
    }
    let draw = |health: &Health, window: NonSend<Window>, score: &mut Score| {
        score.0 += health.0 + *window.0;
    };
    let rename = |mut window: NonSendMut<Window>, armour: Option<&Armour>| {
        window.0 = Rc::new(armour.map_or(0, |armour| armour.0) + 1);
    };
    let builder = builder.add_closure("draw", draw);
    builder.add_closure("rename", rename);
    builder.order("draw", "rename");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

#[test]
fn main_thread_parameter_keeps_other_addresses() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let mut schedule = frame(executor);
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.take_n_lookups(), 11 * 2 + 3 + 2, "{executor:?}");
        for _ in 0..10 {
            schedule.run(&mut resources).unwrap();
            let n_lookups = resources.take_n_lookups();
            assert_eq!(n_lookups, 2, "only the main-thread value, {executor:?}");
        }
        assert_eq!(resources.get::<Score>().unwrap().0, 11 * 4, "{executor:?}");
    }
}

#[test]
fn changed_resources_are_looked_up_with_a_main_thread_parameter() {
    let mut schedule = frame(Executor::Serial);
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    resources.remove::<Health>();
    assert!(schedule.run(&mut resources).is_err());
    resources.take_n_lookups();
    // This makes a new heap address for `Health` likely.
    resources.insert_named("other", [0_u8; 64]);
    resources.insert(Health(1));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.take_n_lookups(), 11 * 2 + 3 + 2);
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.take_n_lookups(), 2);
}

#[test]
fn main_thread_value_is_missing_on_another_thread_after_earlier_runs() {
    let mut schedule = frame(Executor::Serial);
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    thread::scope(|scope| {
        let elsewhere = scope.spawn(|| {
            let Err(RunError::Missing(missing)) = schedule.run(&mut resources) else {
                panic!("the window is on another thread");
            };
            assert!(missing[0].is_on_another_thread);
        });
        elsewhere.join().unwrap();
    });
    schedule.run(&mut resources).unwrap();
    resources.take_n_lookups();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.take_n_lookups(), 2);
}

/// The window is missing, but only disabled systems require it.
#[test]
fn disabled_main_thread_system_keeps_other_addresses() {
    let mut schedule = frame(Executor::Serial);
    let mut resources = resources();
    for name in ["draw", "rename"] {
        schedule.set_enabled(name, false).unwrap();
    }
    drop(resources.main_thread().remove::<Window>());
    resources.remove::<Score>();
    schedule.run(&mut resources).unwrap();
    resources.take_n_lookups();
    schedule.run(&mut resources).unwrap();
    let n_lookups = resources.take_n_lookups();
    assert!(n_lookups <= 3 + 2, "only those of the two: {n_lookups}");
    // The window is present again, the score is still missing.
    resources.main_thread().insert(Window(Rc::new(3)));
    schedule.run(&mut resources).unwrap();
    schedule.set_enabled("draw", true).unwrap();
    let Err(RunError::Missing(missing)) = schedule.run(&mut resources) else {
        panic!("the score is missing");
    };
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].resource, "Score");
}
