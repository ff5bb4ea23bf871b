//! Executions of recorded runs in which no time passes.

use super::*;

/// A loop of two iterations. In the second one, `flag` is true and `x` runs.
#[test]
fn execution_is_in_its_iteration_if_no_time_passes() {
    for on in EXECUTORS {
        let mut builder = Schedule::builder();
        builder
            .add_closure("rate", || {})
            .run_if(Condition::of::<is_due<Control>>())
            .repeat_while_closure(
                "again",
                |mut nth: Local<u32>| {
                    *nth += 1;
                    *nth < 3
                },
                |body| {
                    body.add_closure("flag", |mut nth: Local<u32>| {
                        *nth += 1;
                        *nth == 2
                    })
                    .add_closure("x", || {})
                    .run_if(Condition::added("flag"))
                    .add_closure("y", || {})
                    .order("x", "y")
                },
            )
            .order("rate", "again");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        let timeline = record(&mut Driver::with_timer(schedule, timer), &mut resources);
        assert_eq!(timeline.makespan, Duration::ZERO);
        let places = |name: &str| -> Vec<usize> {
            let executions = timeline.executions.iter().enumerate();
            let places = executions.filter(|(_, one)| one.system == name);
            places.map(|(idx, _)| idx).collect()
        };
        let waited_for = |name: &str| -> Vec<Option<usize>> {
            let executions = timeline.executions_of(name);
            executions.map(|one| one.waited_for).collect()
        };
        let (again, flag, x) = (places("again"), places("flag"), places("x"));
        assert_eq!((again.len(), flag.len(), x.len()), (3, 2, 1), "{on:?}");
        assert_eq!(waited_for("x"), [Some(flag[1])], "{on:?}");
        assert_eq!(waited_for("flag"), [Some(again[0]), Some(again[1])]);
        assert_eq!(waited_for("y")[1], Some(x[0]), "{on:?}");
    }
}

/// Each reading of this timer takes 1 µs.
#[derive(Clone, Default)]
struct Slow(SimulatedTimer);

impl Timer for Slow {
    fn now(&self) -> Duration {
        self.0.advance(MS / 1000);
        self.0.now()
    }

    fn wait_until(&self, time: Duration, stop: &schedule::StopToken) {
        self.0.wait_until(time, stop);
    }
}

#[test]
fn recording_is_not_in_the_measured_times() {
    for on in EXECUTORS {
        let mut builder = Schedule::builder();
        let mut left = 0;
        builder
            .add_closure("system", || {})
            .run_if(Condition::of::<is_due<Control>>())
            .repeat_while_closure(
                "again",
                move || {
                    left = if left == 0 { 1 } else { left - 1 };
                    left > 0
                },
                |body| body.add_closure("body", || {}),
            )
            .order("system", "again");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let limits = TimeLimits::new().budget(Duration::ZERO);
        schedule.set_limits("system", limits).unwrap();
        schedule.set_limits("again", limits).unwrap();
        let mut resources = resources(&SimulatedTimer::new(), TimeLimits::new());
        let mut driver = Driver::with_timer(schedule, Slow::default());
        driver.run_if_due(&mut resources).unwrap();
        record(&mut driver, &mut resources);
        // Each execution reads the timer at its start and at its end.
        for system in driver.report(&resources).systems {
            let n_executions = if system.system == "again" { 3 } else { 1 };
            assert_eq!(system.times.n_over_budget, 2);
            let most = system.times.busy.max();
            assert_eq!(most, n_executions * MS / 1000, "{on:?}");
        }
    }
}
