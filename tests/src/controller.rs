//! A controller on the serial executor, with each kind of item that a run can have, except commands. Tests count its allocations and its
//! system calls.

use std::error::Error;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::param::Failures;
use schedule::prelude::*;
use schedule::rate::is_due;

/// The period of the fastest rate.
pub const PERIOD: Duration = Duration::from_millis(1);

/// What happens in the next runs.
#[derive(Resource, Default, Debug)]
pub struct Mode {
    /// Whether the first system calls `getppid`, and the last one `getpid`, to mark the run in a list of system calls.
    pub is_marked: bool,
    /// Whether a system returns an error.
    pub is_failing: bool,
}

/// What the systems did.
#[derive(Resource, Default, Debug)]
pub struct Counts {
    /// The number of finished runs.
    pub n_runs: u32,
    /// The number of steps of the loop.
    pub n_steps: u32,
    /// The number of failures and skipped systems that the watchdog has seen.
    pub n_failures: usize,
    /// The number of runs in which something was sent.
    pub n_sent: u32,
}

#[derive(Resource, Default)]
struct Sensor(u32);

/// A resource that does not exist.
#[derive(Resource)]
struct Camera;

#[derive(Component, Default)]
struct Heat(u32);

#[derive(Component, Default)]
struct Level(u32);

#[derive(Columns, Default)]
struct Cell {
    heat: Heat,
    level: Level,
}

#[derive(Resource, Default)]
struct Total(u32);

impl Foldable for Total {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

/// A value of the main thread.
#[derive(Identity)]
struct Screen(u32);

/// Has no size, so boxing it does not allocate.
#[derive(Debug)]
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sensor is broken")
    }
}

impl Error for Broken {}

#[derive(Group)]
struct Body;

#[derive(Group)]
struct Fast;

#[derive(Group)]
struct Slow;

#[derive(Group)]
struct Steps;

#[system]
fn begin(mode: &Mode) {
    #[cfg(unix)]
    if mode.is_marked {
        black_box(std::os::unix::process::parent_id());
    }
}

#[system]
fn sense(mode: &Mode, sensor: &mut Sensor) -> Result<(), Broken> {
    sensor.0 += 1;
    if mode.is_failing { Err(Broken) } else { Ok(()) }
}

#[system]
fn control(sensor: &Sensor, mut local: Local<u32>) {
    *local += sensor.0;
}

#[system]
fn send(counts: &mut Counts) {
    counts.n_sent += 1;
}

#[system]
fn is_even(sensor: &Sensor) -> bool {
    sensor.0.is_multiple_of(2)
}

#[system]
fn step(counts: &mut Counts) {
    counts.n_steps += 1;
}

#[system]
fn film(_: &Camera) {}

#[system]
fn show_film(_: &Sensor) {}

#[system(for_each = Columns<Cell>)]
fn warm(heat: &mut Heat, #[resource] sensor: &Sensor) {
    heat.0 = heat.0.wrapping_add(sensor.0);
}

#[system(for_each = Columns<Cell>)]
fn rise(heat: &Heat, level: &mut Level, mut total: Fold<Total>) {
    level.0 = heat.0 / 2;
    *total = total.wrapping_add(1);
}

#[system]
fn read_total(total: &mut Total, levels: ColumnRef<Cell, Level>) {
    total.0 -= levels.len() as u32;
}

#[system]
fn draw(mut screen: NonSendMut<Screen>) {
    screen.0 += 1;
}

#[system]
fn watch(failures: Failures, counts: &mut Counts) {
    counts.n_failures += failures.iter().len() + failures.skipped().len();
}

#[system]
fn end(mode: &Mode, counts: &mut Counts) {
    counts.n_runs += 1;
    if mode.is_marked {
        black_box(std::process::id());
    }
}

schedule! {
    /// See the module.
    pub Controller {
        executor serial,
        policy insertion order,
        begin -> group Body {
            group Fast: if is_due<Fast> {
                sense -> control,
            }
            group Slow: if is_due<Slow> {
                control as control_slowly: if is_even,
                send,
            }
            repeat while is_due<Steps> { step },
            film: on missing skip -> show_film,
            warm -> rise -> read_total,
            draw,
            checkpoint Sensed,
            watch: always after Fast,
        } -> end: always,
    }
}

#[derive(Checkpoint)]
struct Sensed;

/// Returns the resources of the controller, with a clock at 0.
pub fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Fast>::every(PERIOD));
    resources.insert(Rate::<Slow>::every(3 * PERIOD));
    resources.insert(Rate::<Steps>::every(PERIOD / 4).catch_up(10));
    resources.insert_default::<Mode>();
    resources.insert_default::<Counts>();
    resources.insert_default::<Sensor>();
    resources.insert_default::<Total>();
    let mut cells = Columns::new();
    for _ in 0..300 {
        cells.spawn(Cell::default());
    }
    resources.insert(cells);
    resources.main_thread().insert(Screen(0));
    resources
}

/// Runs the controller this many times, one per period. Each run fails, because a resource is missing.
///
/// # Panics
///
/// Panics if other systems fail than expected.
pub fn run(controller: &mut Schedule, resources: &mut Resources, n_runs: u32) {
    let is_failing = resources.get::<Mode>().expect("inserted").is_failing;
    for _ in 0..n_runs {
        let clock = resources.get_mut::<Clock>();
        clock.expect("inserted").advance(PERIOD);
        let error = controller
            .run(resources)
            .expect_err("the camera is missing");
        assert_eq!(
            error.failures().len(),
            1 + usize::from(is_failing),
            "{error}"
        );
    }
}
