//! Declarations of spanning systems.

use schedule::rate::{Clock, Rate};

use super::*;

#[derive(Group)]
struct Slow;

#[derive(Resource, Default, Clone)]
struct Count(u64);

#[system(spanning)]
fn slow(count: &mut Count) {
    count.0 += 1;
}

#[system]
fn fast(_count: &Count) {}

schedule! {
    Loop {
        results<slow>,
        fast: after results<slow>,
        group Slow: if schedule::rate::is_due<Slow> { slow: after fast },
    }
}

#[test]
fn rates_apply_to_the_start_only() {
    let mut schedule = Loop::new();
    let mut resources = Resources::new();
    resources.insert_default::<Count>();
    resources.insert(Clock::new());
    resources.insert(Rate::<Slow>::hertz(100.0).tolerance(Duration::from_micros(500)));
    resources.insert(Spanning::<slow>::new());
    for run in 0..40_u64 {
        schedule.run(&mut resources).unwrap();
        resources.get_mut::<Spanning<slow>>().unwrap().wait();
        // The results appear in the run after the start.
        assert_eq!(resources.get::<Count>().unwrap().0, run.div_ceil(10));
        let clock = resources.get_mut::<Clock>().unwrap();
        clock.advance(Duration::from_millis(1));
    }
}

/// The start reads what the function takes, and the results write what it writes.
#[test]
fn access_is_that_of_the_two_systems() {
    let mut builder = Schedule::builder();
    builder
        .add::<slow>()
        .add::<results<slow>>()
        .add::<fast>()
        .before::<slow>();
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("race on `Count`"), "{error}");
    assert!(error.contains("results<slow>"), "{error}");
    assert_eq!(error.matches("race on").count(), 1, "{error}");
}

#[test]
fn missing_results_are_reported() {
    let error = Schedule::builder()
        .add::<slow>()
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("results<slow>"), "{error}");
}

#[test]
fn results_are_before_the_start() {
    let mut builder = Schedule::builder();
    builder.add::<slow>().add::<results<slow>>();
    let schedule = builder.build().unwrap();
    assert!(schedule.systems().eq(["results<slow>", "slow"]));
}

#[derive(Resource, Clone, Default)]
struct Other;

#[system(spanning)]
fn generic<T: Resource + Clone + Identity>(_value: &mut T, #[cfg(any())] _off: &mut Missing) {}

#[test]
fn generic_system_spans_runs() {
    let mut builder = Schedule::builder();
    builder
        .add::<generic<Other>>()
        .add::<results<generic<Other>>>();
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Other>();
    resources.insert(Spanning::<generic<Other>>::new());
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
        resources
            .get_mut::<Spanning<generic<Other>>>()
            .unwrap()
            .wait();
    }
    let counts = resources
        .get::<Spanning<generic<Other>>>()
        .unwrap()
        .counts();
    assert_eq!(counts.appeared, 1);
}

/// More parameters than a tuple has.
#[system(spanning)]
#[allow(clippy::too_many_arguments, reason = "that is tested")]
fn wide(
    _a: &Count,
    _b: &Count,
    _c: &Count,
    _d: &Count,
    _e: &Count,
    _f: &Count,
    _g: &Count,
    _h: &Count,
    _i: &Count,
    _j: &Count,
    _k: &Count,
    _l: &Count,
    other: &mut Path,
) {
    other.0.push(1);
}

#[test]
fn number_of_parameters_is_not_limited() {
    let mut builder = Schedule::builder();
    builder.add::<wide>().add::<results<wide>>();
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Count>();
    resources.insert_default::<Path>();
    resources.insert(Spanning::<wide>::new());
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
        resources.get_mut::<Spanning<wide>>().unwrap().wait();
    }
    assert_eq!(resources.get::<Path>().unwrap().0, [1]);
}

#[derive(Resource, Clone, Default)]
struct Costs(u64);

#[system]
fn weigh(count: &Count, costs: &mut Costs) {
    costs.0 = count.0 + 1;
}

#[system]
fn search(costs: &Costs, path: &mut Path, mut n: Local<u64>) -> Result<(), &'static str> {
    *n += 1;
    path.0.push(costs.0 + *n);
    if *n == 2 { Err("too far") } else { Ok(()) }
}

schedule! {
    Planning { weigh, search: after weigh }
}

#[system(spanning = Planning)]
fn planning(count: &Count, costs: &mut Costs, path: &mut Path);

#[test]
fn group_spans_runs() {
    let mut builder = Schedule::builder();
    builder.add::<planning>().add::<results<planning>>();
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Count(4));
    resources.insert_default::<Costs>();
    resources.insert_default::<Path>();
    resources.insert(Spanning::<planning>::new());
    let mut finish = |resources: &mut Resources| {
        let result = schedule.run(resources);
        resources.get_mut::<Spanning<planning>>().unwrap().wait();
        result
    };
    finish(&mut resources).unwrap();
    finish(&mut resources).unwrap();
    assert_eq!(resources.get::<Costs>().unwrap().0, 5);
    assert_eq!(resources.get::<Path>().unwrap().0, [6]);
    // Nothing of a failed group appears.
    let error = finish(&mut resources).unwrap_err();
    assert_eq!(error.failures()[0].cause.to_string(), "too far");
    assert_eq!(resources.get::<Path>().unwrap().0, [6]);
}
