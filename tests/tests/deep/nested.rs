//! Runs within runs, schedules within schedules, loops within loops and plugins within plugins: the stack that each level needs.

use std::cell::Cell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use schedule::prelude::*;
use schedule::{Builder, Target, run_one};
use schedule_tests::child::Child;
use schedule_tests::on::On;

use crate::on_a_small_stack;

/// The maximum number of bytes of stack for each level, also without optimisation.
const PER_LEVEL: usize = 10 << 10;

const N_LEVELS: usize = 100;

/// More levels than fit on a small stack, if each of them needed only 256 bytes.
const N_DROPPED: usize = 2_000;

thread_local! {
    /// The first and the lowest address that `note` has seen on this thread.
    static SEEN: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Notes the current depth of the stack, which grows towards lower addresses.
#[inline(never)]
fn note() {
    let local = 0_u8;
    let address = black_box(&raw const local).addr();
    let (first, lowest) = SEEN.get().unwrap_or((address, address));
    SEEN.set(Some((first, lowest.min(address))));
}

/// Notes the depth of the stack where it is dropped.
struct Noted;

impl Drop for Noted {
    fn drop(&mut self) {
        note();
    }
}

/// Checks the stack that each level of `work` needs, which calls `note` on each level.
#[track_caller]
fn check(label: &str, n_levels: usize, work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(16 << 20).spawn(move || {
        SEEN.set(None);
        work();
        let (first, lowest) = SEEN.get().expect("each level calls `note`");
        (first - lowest) / (n_levels - 1)
    });
    let per_level = thread.unwrap().join().unwrap();
    println!("{label}: {per_level} bytes per level");
    assert!(
        (1..=PER_LEVEL).contains(&per_level),
        "{label}: {per_level} bytes per level"
    );
}

/// Returns a schedule of a system that notes the depth and calls `inside`, and of two systems that may run at the same time.
fn level(on: On, mut inside: impl FnMut(&mut Resources) + Send + 'static) -> Schedule {
    let mut builder = Schedule::builder();
    builder.add_closure("level", move |resources: &mut Resources| {
        note();
        inside(resources);
    });
    builder.add_closure("one", || ()).order("level", "one");
    builder.add_closure("other", || ()).order("level", "other");
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    schedule
}

/// Builds a schedule in each run of a system, and runs it there.
fn build_and_run(n_levels: usize, on: On, resources: &mut Resources) {
    if n_levels > 0 {
        let inside = move |resources: &mut Resources| build_and_run(n_levels - 1, on, resources);
        level(on, inside).run(resources).unwrap();
    }
}

/// Returns a schedule with a system that owns a schedule, and so on.
fn owned(n_levels: usize, on: On) -> Schedule {
    let mut schedule = level(on, |_| ());
    for _ in 1..n_levels {
        let noted = Noted;
        schedule = level(on, move |resources| {
            let _ = &noted;
            schedule.run(resources).unwrap();
        });
    }
    schedule
}

/// A schedule and its resources, which are a resource or a main-thread value of an outer world.
#[derive(Resource)]
struct World {
    _noted: Noted,
    _resources: Resources,
    _schedule: Mutex<Schedule>,
}

/// Returns resources with a world, whose resources have a world, and so on.
fn worlds(n_levels: usize) -> Resources {
    let mut resources = Resources::new();
    for nth in 0..n_levels {
        let world = World {
            _noted: Noted,
            _resources: core::mem::take(&mut resources),
            _schedule: Mutex::new(level(On::Serial, |_| ())),
        };
        match nth % 2 {
            0 => _ = resources.insert(world),
            _ => _ = resources.main_thread().insert(world),
        }
    }
    resources
}

#[derive(Resource)]
struct Left(usize);

#[system]
fn itself(resources: &mut Resources) {
    note();
    let left = resources.get_mut::<Left>().unwrap();
    left.0 -= 1;
    if left.0 > 0 {
        run_one::<itself>(resources).unwrap();
    }
}

#[test]
fn run_within_a_run_needs_at_most_10_kb() {
    for &on in On::ALL {
        check(&format!("built and run, {on:?}"), N_LEVELS, move || {
            build_and_run(N_LEVELS, on, &mut Resources::new());
        });
        check(&format!("run, {on:?}"), N_LEVELS, move || {
            let mut schedule = owned(N_LEVELS, on);
            schedule.run(&mut Resources::new()).unwrap();
            // The drop is another test.
            SEEN.with(|seen| {
                let seen_in_run = seen.get();
                drop(schedule);
                seen.set(seen_in_run);
            });
        });
    }
    check("recorded", N_LEVELS, || {
        /// On the heap, since a schedule takes about 2.5 kB of the frame that holds it.
        #[inline(never)]
        fn boxed(n_levels: usize) -> Box<Schedule> {
            Box::new(level(On::Serial, move |_| record(n_levels)))
        }
        fn record(n_levels: usize) {
            if n_levels > 0 {
                let mut schedule = boxed(n_levels - 1);
                schedule.record(&mut Resources::new()).0.unwrap();
            }
        }
        record(N_LEVELS);
    });
    check("run_one", N_LEVELS, || {
        let mut resources = Resources::new();
        resources.insert(Left(N_LEVELS));
        run_one::<itself>(&mut resources).unwrap();
    });
}

#[test]
fn schedule_that_owns_schedules_is_dropped_on_at_most_10_kb_per_level() {
    // Deeper levels are not dropped on top of these.
    const N_LEVELS: usize = 10;
    check("dropped", N_LEVELS, || drop(owned(N_LEVELS, On::Serial)));
    check("dropped with resources", N_LEVELS, || {
        drop(worlds(N_LEVELS))
    });
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn drop_of_schedules_within_schedules_is_not_recursive() {
    for how in ["returns", "panics", "unwinds"] {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let mut schedule = owned(N_DROPPED, On::Serial);
                let bomb = (how == "panics").then(|| Bomb);
                let outermost = level(On::Serial, move |resources| {
                    let _ = &bomb;
                    schedule.run(resources).unwrap();
                });
                let result = catch_unwind(AssertUnwindSafe(move || {
                    let _outermost = outermost;
                    assert!(how != "unwinds", "unwinds");
                }));
                let payload = result.err();
                let text = payload.and_then(|payload| payload.downcast::<&str>().ok());
                let expected = match how {
                    "returns" => None,
                    "panics" => Some("dropped"),
                    _ => Some("unwinds"),
                };
                assert_eq!(text.map(|text| *text), expected);
            });
        });
        case.label(how).run();
    }
}

/// Declares loops within each other. Each has one iteration.
fn loops(builder: &mut Builder, n_levels: usize) {
    note();
    if n_levels == 0 {
        builder.add_closure("innermost", |ran: &mut Ran| ran.0 += 1);
        return;
    }
    let mut is_first = false;
    let once = move || {
        is_first = !is_first;
        is_first
    };
    builder.repeat_while_closure(format!("loop{n_levels}"), once, |body| {
        loops(body, n_levels - 1);
        body
    });
}

/// Declares plugins within each other.
fn plugins(builder: &mut Builder, n_levels: usize) {
    note();
    match n_levels {
        0 => _ = builder.add_closure("innermost", |ran: &mut Ran| ran.0 += 1),
        _ => _ = builder.include(move |inner: &mut Builder| plugins(inner, n_levels - 1)),
    }
}

/// Declares groups within each other.
fn groups(builder: &mut Builder, n_levels: usize) {
    let group = |level: usize| Target::group(format!("group{level}"));
    builder.add_closure("innermost", |ran: &mut Ran| ran.0 += 1);
    builder.in_group_named("group0");
    for level in 1..n_levels {
        builder.at(group(level - 1));
        builder.in_group_named(format!("group{level}"));
    }
}

/// The number of executions of the innermost system.
#[derive(Default, Resource)]
struct Ran(u32);

#[test]
fn declaration_within_a_declaration_needs_at_most_10_kb() {
    check("loops", N_LEVELS, || {
        loops(&mut Schedule::builder(), N_LEVELS)
    });
    check("plugins", N_LEVELS, || {
        plugins(&mut Schedule::builder(), N_LEVELS)
    });
}

#[test]
fn nested_declarations_are_built_run_and_printed_on_a_small_stack() {
    type Declare = fn(&mut Builder, usize);
    let all: [(&str, Declare); 3] = [("loops", loops), ("plugins", plugins), ("groups", groups)];
    for (label, declare) in all {
        let case = Child::new(move || {
            // Each level of a declaration is a call of the program.
            let thread = thread::Builder::new().stack_size(16 << 20).spawn(move || {
                let mut builder = Schedule::builder();
                declare(&mut builder, N_LEVELS);
                builder
            });
            let mut builder = thread.unwrap().join().unwrap();
            on_a_small_stack(move || {
                let mut schedule = builder.build().unwrap();
                let mut resources = Resources::new();
                resources.insert_default::<Ran>();
                for on in [On::Serial, On::Auto, On::Threads(2)] {
                    on.set(&mut schedule);
                    schedule.run(&mut resources).unwrap();
                }
                assert_eq!(resources.get::<Ran>().unwrap().0, 3);
                let text = format!("{schedule:?}{}{}", schedule.lock(), schedule.report());
                assert!(text.contains("innermost"));
                schedule
                    .change(|builder| builder.add_closure("more", || ()))
                    .unwrap();
            });
        });
        case.label(label).run();
    }
}
