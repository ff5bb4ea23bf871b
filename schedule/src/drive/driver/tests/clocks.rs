//! Clocks that a program replaces, sets, copies or ticks.

use super::*;

#[test]
fn driver_continues_with_another_clock_at_an_earlier_time() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    resources
        .get_mut::<Clock>()
        .unwrap()
        .advance_to(3_600_000 * MS);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    for end in [25, 50] {
        driver.set_stop_token(StopToken::new());
        driver.run_until(&timer, end * MS, &mut resources);
        resources.insert(Clock::new());
    }
    // The last run before was at 3,600,020 ms.
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast")[3..], [10, 20]);
}

#[test]
fn event_loop_continues_with_another_clock() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    resources.remove::<Rate<Slow>>();
    resources.insert(Rate::<Slow>::every(MS).starting_at(1_000_000 * MS));
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    let mut next = |resources: &mut Resources| {
        let left = driver.run_if_due(resources).unwrap().unwrap();
        timer.advance(left);
        left
    };
    assert_eq!([(); 3].map(|()| next(&mut resources)), [10 * MS; 3]);
    // Of another program, which was at 5 s.
    let mut later = Clock::new();
    later.advance(5_000 * MS);
    resources.insert(later);
    resources.insert(Rate::<Fast>::every(10 * MS).starting_at(5_003 * MS));
    assert_eq!(next(&mut resources), 3 * MS);
    assert_eq!(next(&mut resources), 10 * MS);
    // The last run was at 5,003 ms, and the next due time is 5,013 ms.
    resources.insert(Clock::new());
    assert_eq!(next(&mut resources), 10 * MS);
    assert_eq!(next(&mut resources), 10 * MS);
    // No run begins between these two clocks.
    for (time, left) in [(9_000, 7), (2_000, 4)] {
        let mut other = Clock::new();
        other.advance(time * MS);
        resources.insert(other);
        let start = (time + left) * MS;
        resources.insert(Rate::<Fast>::every(10 * MS).starting_at(start));
        assert_eq!(next(&mut resources), left * MS);
    }
    next(&mut resources);
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [0, 10, 20, 5003, 10, 2004]);
}

#[test]
fn clock_ticks_after_a_function_for_runs_has_panicked_and_in_a_copy() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("copy", |clock: &Clock, mut commands: Commands| {
            let mut copy = clock.clone();
            commands.push(move |_| {
                copy.tick();
                thread::sleep(2 * MS);
                copy.tick();
                assert!(copy.now() >= 2 * MS);
            });
        })
        .run_if(Condition::of::<is_due<Fast>>());
    let timer = SimulatedTimer::new().until(5 * MS);
    let mut resources = resources(&timer);
    let run = |schedule: &mut Schedule, resources: &mut Resources| {
        schedule.run(resources).unwrap();
        panic!("after the run")
    };
    let mut driver = Driver::with_timer(builder.build().unwrap(), timer).with_run(run);
    let payload = catch_unwind(AssertUnwindSafe(|| driver.run(&mut resources))).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"after the run"));
    let clock = resources.get_mut::<Clock>().unwrap();
    clock.tick();
    thread::sleep(2 * MS);
    clock.tick();
    assert!(clock.now() >= 2 * MS);
}

#[test]
fn ticks_change_nothing_in_a_run_by_a_driver() {
    let mut builder = Schedule::builder();
    builder
        .add::<crate::systems::rate::tick>()
        .add_closure("note", |clock: &Clock, times: &mut Times| {
            thread::sleep(2 * MS);
            times.0.push(("note", clock.now().as_micros()));
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .order("tick", "note");
    let timer = SimulatedTimer::new().until(3 * MS);
    let mut resources = resources(&timer);
    resources.insert(Rate::<Fast>::every(MS));
    let mut driver = Driver::with_timer(builder.build().unwrap(), timer);
    driver.run(&mut resources).unwrap();
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("note"), [0, 1_000, 2_000]);
}
