//! Runs a controller on the serial executor, for `ci/system_calls.sh`. In each run after the first ones, the first system calls `getppid`,
//! and the last one `getpid`. Prints the number of these runs.

use std::ops::ControlFlow;
use std::time::Duration;

use schedule::Driver;
use schedule::driver::SimulatedTimer;
use schedule_tests::controller::{Controller, Counts, Mode, PERIOD, resources, run};

const N_RUNS: u32 = 1_000;

fn main() {
    // A thread that wakes helpers runs beside it, and takes locks if helpers are needed.
    let mut controller = Controller::new();
    controller.set_period(Duration::from_millis(1));
    let mut resources = resources();
    let mut n_marked = 0;
    for is_failing in [false, true] {
        resources.get_mut::<Mode>().expect("inserted").is_failing = is_failing;
        for is_marked in [false, true] {
            resources.get_mut::<Mode>().expect("inserted").is_marked = is_marked;
            run(&mut controller, &mut resources, N_RUNS);
            n_marked += u32::from(is_marked) * N_RUNS;
        }
    }
    // The same runs in the loop of a driver.
    let before = resources.get::<Counts>().expect("inserted").n_runs;
    let timer = SimulatedTimer::new().until(N_RUNS * PERIOD);
    let mut driver =
        Driver::with_timer(controller, timer).on_error(|_, _| ControlFlow::Continue(()));
    driver.run(&mut resources).expect("errors are ignored");
    n_marked += resources.get::<Counts>().expect("inserted").n_runs - before;
    println!("{n_marked}");
}
