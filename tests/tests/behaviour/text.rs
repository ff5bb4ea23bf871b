//! The complete texts of errors.

use schedule::prelude::*;
use schedule::{Identity, run_one};

use crate::{insertion_order, with_log};

#[derive(Resource)]
struct Health(i32);

#[derive(Resource)]
struct Store<T>(T);

#[derive(Identity)]
struct Window;

const POISON: u32 = line!() + 2;
#[system]
fn poison(health: &mut Health) {
    let _ = health;
}

const FILL: u32 = line!() + 4;
#[system(name = "fill up")]
#[inline]
/// Its name in reports differs from the name of the function.
fn fill<T: Default + Send + Sync>(store: &mut Store<T>, health: &Health) {
    store.0 = T::default();
    let _ = health.0;
}

const DRAW: u32 = line!() + 2;
#[system]
fn draw(window: NonSend<Window>) {
    let _ = window;
}

const FAIL: u32 = line!() + 2;
#[system]
fn fail() -> Result<(), &'static str> {
    Err("no more\nthan this")
}

const PANIC: u32 = line!() + 2;
#[system]
fn panic(mut commands: Commands) {
    commands.push(|_| ());
    panic!("stopped at {}", 3);
}

const LATE: u32 = line!() + 2;
#[system]
fn late(mut commands: Commands) {
    commands.push(|_| panic!("too late"));
}

#[system]
fn promise(_: Commands<Inserts<Health>>) {}

macro_rules! made {
    ($name:ident) => {
        #[system]
        fn $name() -> Result<(), String> {
            Err("made".into())
        }
    };
}

const MADE: u32 = line!() + 1;
made!(made);

#[test]
fn one_missing_resource() {
    let error = run_one::<poison>(&mut Resources::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "1 resource is missing; no system ran\n  \
             `Health`, needed by `poison` ({}:{POISON})\n      \
             help: insert it before the run, or take `Option<&mut Health>`",
            file!()
        )
    );
}

#[test]
fn several_missing_resources() {
    let mut schedule = insertion_order(|all| {
        all.add::<poison>()
            .add::<draw>()
            .add::<fill<u8>>()
            .add::<poison>()
    });
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "3 resources are missing; no system ran\n  \
             `Health`, needed by\n      `poison` ({file}:{POISON})\n      `fill up<u8>` ({file}:{FILL})\n      \
             help: insert it before the run, or take `Option<&mut Health>`\n  \
             main-thread value `Window`, needed by `draw` ({file}:{DRAW})\n      \
             help: insert it on the thread that calls `run`: `resources.main_thread().insert(…)`\n  \
             `Store<u8>`, needed by `fill up<u8>` ({file}:{FILL})\n      \
             help: insert it before the run, or take `Option<&mut Store<u8>>`"
        )
    );
}

#[test]
fn a_value_of_another_thread() {
    let mut resources = Resources::new();
    resources.main_thread().insert(Window);
    let error = std::thread::spawn(move || run_one::<draw>(&mut resources).unwrap_err());
    assert_eq!(
        error.join().unwrap().to_string(),
        format!(
            "1 resource is missing; no system ran\n  \
             main-thread value `Window`, needed by `draw` ({}:{DRAW})\n      \
             help: it is on another thread: call `run` on the thread that inserted it",
            file!()
        )
    );
}

#[test]
fn one_failure() {
    let error = run_one::<made>(&mut Resources::new()).unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!("1 system failed\n  `made` ({file}:{MADE}): made")
    );
}

#[test]
fn several_failures() {
    let mut schedule = insertion_order(|all| {
        all.add::<fail>()
            .add::<late>()
            .add::<panic>()
            .add::<promise>()
            .add::<poison>()
    });
    let error = schedule.run(&mut with_log()).unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "4 systems failed\n  \
             `fail` ({file}:{FAIL}): no more\nthan this\n  \
             `late` ({file}:{LATE}): a command panicked: too late\n  \
             `panic` ({file}:{PANIC}): panicked: stopped at 3\n  \
             `poison` ({file}:{POISON}): resource `Health` is missing: it was removed during the run, or the system that should insert it did not"
        )
    );
}

#[test]
fn boxed_error_prints_its_full_text() {
    let error = run_one::<made>(&mut Resources::new()).unwrap_err();
    let text = error.to_string();
    let boxed: Box<dyn std::error::Error> = error.into();
    assert_eq!(boxed.to_string(), text);
    assert!(boxed.source().is_none(), "a printed error is not a source");
}
