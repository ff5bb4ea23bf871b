//! Main-thread values are bound to the thread that inserted them.

use std::rc::Rc;

use schedule::prelude::*;
use schedule::{Executor, Identity, RunError, run_one};

use crate::{Log, insertion_order, take_log, with_log};

#[derive(Debug, Identity, PartialEq)]
struct Window(Rc<str>);

#[system]
fn draw(window: NonSend<Window>, log: &mut Log) {
    log.push(if &*window.0 == "village" {
        "village"
    } else {
        "other"
    });
}

#[system]
fn rename(mut window: NonSendMut<Window>) {
    window.0 = "village".into();
}

#[system]
fn first(log: &mut Log) {
    log.push("first");
}

/// A type that is also a resource. The resource is a separate value.
#[derive(Debug, PartialEq, Resource)]
struct Both(u32);

#[system]
fn use_both(shared: &mut Both, mut own: NonSendMut<Both>, all: (NonSend<Window>, Local<u8>)) {
    shared.0 += 1;
    own.0 += 10 + u32::from(*all.1);
}

#[system]
fn read_all_beside(resources: &Resources, mut own: NonSendMut<Both>) {
    own.0 += resources.get::<Both>().unwrap().0;
}

#[system]
fn replace(resources: &mut Resources) {
    resources.main_thread().remove::<Window>();
    resources.main_thread().insert(Window("new".into()));
}

#[system]
fn close(resources: &mut Resources) {
    resources.main_thread().remove::<Window>();
}

#[test]
fn main_thread_value_is_available_on_its_thread() {
    let mut resources = with_log();
    resources.main_thread().insert(Window("start".into()));
    let mut schedule = insertion_order(|all| all.add::<draw>().add::<rename>().add::<draw>());
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(
        take_log(&mut resources),
        ["other", "village", "village", "village"]
    );
}

#[test]
fn run_on_another_thread_is_an_error_before_any_system_runs() {
    let mut resources = with_log();
    resources.main_thread().insert(Window("start".into()));
    let mut schedule = insertion_order(|all| all.add::<first>().add::<draw>().add::<rename>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources).len(), 2);

    let (mut schedule, mut resources) = std::thread::spawn(move || {
        let error = schedule.run(&mut resources).unwrap_err();
        let RunError::Missing(missing) = &error else {
            panic!("{error}");
        };
        assert_eq!(missing.len(), 1);
        assert!(missing[0].is_main_thread && missing[0].is_on_another_thread);
        assert_eq!(missing[0].resource, "Window");
        assert_eq!(take_log(&mut resources), [""; 0]);
        (schedule, resources)
    })
    .join()
    .unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["first", "village"]);
}

#[test]
fn value_of_another_thread_is_available_there() {
    let mut resources = with_log();
    resources.main_thread().insert(Window("here".into()));
    let mut schedule = insertion_order(|all| all.add::<rename>().add::<draw>());
    schedule.run(&mut resources).unwrap();
    let (mut schedule, mut resources) = std::thread::spawn(move || {
        resources.main_thread().insert(Window("there".into()));
        schedule.run(&mut resources).unwrap();
        (schedule, resources)
    })
    .join()
    .unwrap();
    assert!(schedule.run(&mut resources).is_err());
    resources.main_thread().insert(Window("here again".into()));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["village"; 3]);
}

#[test]
fn absent_main_thread_value_is_reported_as_missing() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<first>().add::<draw>());
    let error = schedule.run(&mut resources).unwrap_err();
    let RunError::Missing(missing) = &error else {
        panic!("{error}");
    };
    assert!(missing[0].is_main_thread && !missing[0].is_on_another_thread);
    assert_eq!(take_log(&mut resources), [""; 0]);
}

#[test]
fn a_type_may_be_a_resource_and_a_main_thread_value() {
    let mut resources = with_log();
    resources.insert(Both(1));
    resources.main_thread().insert(Both(2));
    resources.main_thread().insert(Window("start".into()));
    let mut schedule = insertion_order(|all| all.add::<use_both>().add::<read_all_beside>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Both(2)));
    assert_eq!(resources.main_thread().remove(), Some(Both(14)));
    resources.remove::<Both>();
    let error = schedule.run(&mut resources).unwrap_err().to_string();
    assert!(error.starts_with("2 resources are missing"), "{error}");
}

#[test]
fn an_exclusive_system_may_replace_and_remove_a_main_thread_value() {
    let mut resources = with_log();
    resources.main_thread().insert(Window("village".into()));
    let mut schedule = insertion_order(|all| all.add::<draw>().add::<replace>().add::<draw>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["village", "other"]);
    let mut schedule = insertion_order(|all| all.add::<close>().add::<draw>());
    let failures = crate::failures(schedule.run(&mut resources));
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("`Window` is missing: it was removed during the run, or the system that should insert it did not"),
        "{failures:?}"
    );
}

#[test]
fn a_system_with_a_main_thread_value_can_be_called() {
    let mut window = Window("start".into());
    rename(NonSendMut::new(&mut window));
    let mut log = Log::default();
    draw(NonSend::new(&window), &mut log);
    assert_eq!(*log, ["village"]);
}

/// Thread-local values are dropped in reverse order, so the value is dropped before the schedule that looked it up.
#[test]
fn main_thread_value_is_not_used_after_its_thread_storage_ends() {
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicBool, Ordering};

    static HAS_FAILED: AtomicBool = AtomicBool::new(false);

    #[derive(schedule::Identity)]
    struct Ending(Vec<u8>);

    #[system]
    fn read_ending(ending: NonSend<Ending>) {
        assert_eq!(ending.0, [7; 64]);
    }

    struct Late(Schedule, Resources);

    impl Drop for Late {
        fn drop(&mut self) {
            let result = self.0.run(&mut self.1);
            // Relaxed: the thread is joined before this is read.
            HAS_FAILED.store(result.is_err(), Ordering::Relaxed);
        }
    }

    thread_local!(static LATE: RefCell<Option<Late>> = const { RefCell::new(None) });

    std::thread::spawn(|| {
        LATE.with(|late| {
            // Registered first, so it is dropped last.
            let mut late = late.borrow_mut();
            let mut resources = Resources::new();
            resources.main_thread().insert(Ending(vec![7; 64]));
            let mut schedule = Schedule::builder().add::<read_ending>().build().unwrap();
            schedule.run(&mut resources).unwrap();
            *late = Some(Late(schedule, resources));
        });
    })
    .join()
    .unwrap();
    assert!(HAS_FAILED.load(Ordering::Relaxed));
}

#[system]
fn draw_if_there(window: Option<NonSend<Window>>, log: &mut Log) {
    log.push(match window.map(|window| window.0.clone()).as_deref() {
        Some("village") => "village",
        Some(_) => "other",
        None => "none",
    });
}

#[system(before = draw_if_there)]
fn rename_if_there(window: Option<NonSendMut<Window>>) {
    if let Some(mut window) = window {
        window.0 = "village".into();
    }
}

#[test]
fn missing_optional_main_thread_value_is_none() {
    for executor in [Executor::Serial, Executor::Parallel] {
        let mut resources = with_log();
        let mut schedule = Schedule::builder()
            .add::<draw_if_there>()
            .add::<rename_if_there>()
            .build()
            .unwrap();
        schedule.set_executor(executor);
        schedule.run(&mut resources).unwrap();
        resources.main_thread().insert(Window("town".into()));
        schedule.run(&mut resources).unwrap();
        resources.main_thread().remove::<Window>();
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ["none", "village", "none"]);
    }
}

#[test]
fn an_optional_main_thread_value_of_another_thread_is_none() {
    let mut resources = with_log();
    resources.main_thread().insert(Window("town".into()));
    std::thread::scope(|scope| {
        let run = || run_one::<draw_if_there>(&mut resources).unwrap();
        scope.spawn(run).join().unwrap();
    });
    assert_eq!(take_log(&mut resources), ["none"]);
}

#[test]
fn optional_main_thread_values_conflict_like_required_ones() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("draw", |_: Option<NonSend<Window>>| {})
        .add_closure("rename", |_: Option<NonSendMut<Window>>| {});
    assert_eq!(builder.build().unwrap_err().races().count(), 1);
}

#[test]
fn a_system_with_an_optional_main_thread_value_runs_on_the_thread_that_calls_run() {
    let caller = std::thread::current().id();
    let mut builder = Schedule::builder();
    for _ in 0..20 {
        builder.add_closure("here", move |_: Option<NonSend<Window>>| {
            assert_eq!(std::thread::current().id(), caller);
        });
        builder.add_closure("anywhere", || {});
    }
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.run(&mut Resources::new()).unwrap();
}
