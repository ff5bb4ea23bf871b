//! Runs on the serial executor allocate nothing, and neither does a driver in simulated time, whether systems fail or not.

use std::ops::ControlFlow;

use schedule::Driver;
use schedule::driver::SimulatedTimer;
use schedule::prelude::*;
use schedule_tests::child::Child;
use schedule_tests::controller::{Controller, Counts, Mode, PERIOD, resources, run};

const N_RUNS: u32 = 500;

/// Returns the number of allocated blocks. `start` is not counted. Takes the minimum of three measurements, because the test harness may
/// allocate on its own thread.
fn n_blocks<T>(mut start: impl FnMut() -> T, mut of: impl FnMut(&mut T)) -> u64 {
    let once = |_| {
        let mut started = start();
        let _profiler = dhat::Profiler::builder().testing().build();
        of(&mut started);
        dhat::HeapStats::get().total_blocks
    };
    (0..3).map(once).min().expect("it is done three times")
}

fn set_failing(resources: &mut Resources, is_failing: bool) {
    resources.get_mut::<Mode>().expect("inserted").is_failing = is_failing;
}

/// Returns a controller that has run once.
fn started() -> (Schedule, Resources) {
    let (mut controller, mut resources) = (Controller::new(), resources());
    run(&mut controller, &mut resources, 1);
    (controller, resources)
}

#[test]
fn serial_runs_allocate_nothing_after_the_first_one() {
    Child::new(|| {
        let calm = n_blocks(started, |(controller, resources)| {
            run(controller, resources, N_RUNS);
            let counts = resources.get::<Counts>().expect("inserted");
            assert_eq!(counts.n_runs, 1 + N_RUNS);
            assert_eq!(counts.n_failures, 0);
            let wanted = counts.n_sent > N_RUNS / 9 && counts.n_steps > N_RUNS;
            assert!(wanted, "{counts:?}");
        });
        assert_eq!(calm, 0);
        let failing = n_blocks(started, |(controller, resources)| {
            for is_failing in [true, false, true] {
                set_failing(resources, is_failing);
                run(controller, resources, N_RUNS);
            }
            let counts = resources.get::<Counts>().expect("inserted");
            // The sensor, and the system after it.
            assert_eq!(counts.n_failures, 2 * 2 * N_RUNS as usize);
        });
        assert_eq!(failing, 0, "also in the first run that fails");
    })
    .run();
}

#[test]
fn number_of_simulated_runs_does_not_change_allocations() {
    Child::new(|| {
        let of_driver = |n_periods: u32| {
            n_blocks(started, |(_, resources)| {
                set_failing(resources, true);
                let timer = SimulatedTimer::new().until(n_periods * PERIOD);
                let mut driver = Driver::with_timer(Controller::new(), timer)
                    .on_error(|_, _| ControlFlow::Continue(()));
                driver.run(resources).expect("errors are ignored");
                assert!(driver.stats().n_runs >= u64::from(n_periods));
            })
        };
        assert_eq!(of_driver(10), of_driver(1000));
    })
    .run();
}
