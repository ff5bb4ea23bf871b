//! Dynamic systems: what they declare is what they get, and what they are verified by.

use schedule::prelude::*;
use schedule::{BoxError, DynamicSystem, Identity, Problem, ResourceId, RunError, run_one};

use crate::trace::{Trace, named, races};
use crate::{failures, schedule_of};

#[derive(Debug, Default, PartialEq, Resource)]
struct Gold(i64);

#[derive(Identity)]
struct Window;

#[system]
fn spend(gold: &mut Gold) {
    gold.0 -= 1;
}

#[system]
fn look(gold: &Gold) {
    let _ = gold;
}

#[system]
fn read_all(_: &Resources) {}

#[system]
fn draw(_: NonSend<Window>) {}

#[system]
fn idle() {}

/// A system that does nothing yet.
fn still(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

fn pair(first: &str, second: &str) -> Vec<(String, String)> {
    vec![(first.to_string(), second.to_string())]
}

#[test]
fn a_view_gives_what_was_declared_and_nothing_else() {
    let greedy = DynamicSystem::new("greedy", |view| {
        *view.get_named_mut::<i64>("written")? += *view.get_named::<i64>("read")?;
        let errors = [
            view.get_named_mut::<i64>("read").unwrap_err(),
            view.get_named::<i64>("other").unwrap_err(),
            view.get_mut::<Gold>().unwrap_err(),
            view.get_named::<u8>("read").unwrap_err(),
        ];
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "`greedy` declared that it reads `read`, and writes it; use `.writes(…)`",
                "`greedy` did not declare that it touches `other`; add `.reads(…)` or `.writes(…)`",
                "`greedy` did not declare that it touches `Gold`; add `.reads(…)` or `.writes(…)`",
                "resource `read` is of another type",
            ]
        );
        Ok::<(), BoxError>(())
    });
    let mut resources = named(&["read", "written", "other"]);
    resources.insert_named("read", 3_i64);
    resources.insert(Gold(0));
    let mut schedule = schedule_of(|all| all.add_dynamic(greedy.reads("read").writes("written")));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get_named::<i64>("written"), Some(&3));
}

#[test]
fn a_view_of_all_gives_all_but_the_exceptions() {
    let all = DynamicSystem::new("all", |view| {
        assert_eq!(view.get::<Gold>()?.0, 4);
        assert!(view.get_mut::<Gold>().is_err());
        assert!(view.get_named::<i64>("secret").is_err());
        assert_eq!(
            view.get_named::<i64>("absent").unwrap_err().to_string(),
            "resource `absent` is missing"
        );
        view.get_named_mut::<i64>("own")?;
        Ok::<(), BoxError>(())
    });
    let mut resources = named(&["secret", "own"]);
    resources.insert(Gold(4));
    let all = all
        .reads_all_except([ResourceId::named("secret"), ResourceId::named("own")])
        .writes("own");
    schedule_of(|builder| builder.add_dynamic(all))
        .run(&mut resources)
        .unwrap();
}

#[test]
fn a_view_that_refuses_fails_the_system() {
    let greedy = DynamicSystem::new("greedy", |view| {
        view.get_named_mut::<i64>("R")?;
        Ok::<(), BoxError>(())
    });
    let mut schedule = schedule_of(|all| all.add_dynamic(greedy.reads("R")));
    assert_eq!(
        failures(schedule.run(&mut named(&["R"]))),
        ["greedy: `greedy` declared that it reads `R`, and writes it; use `.writes(…)`"]
    );
}

#[test]
fn what_a_dynamic_system_declares_and_is_missing_stops_the_run() {
    let trace = Trace::default();
    let mut schedule = schedule_of(|all| {
        all.add_dynamic(
            trace
                .system("a")
                .reads("R")
                .writes(ResourceId::of::<Gold>()),
        )
    });
    let RunError::Missing(missing) = schedule.run(&mut Resources::new()).unwrap_err() else {
        panic!("two resources are missing");
    };
    let names: Vec<_> = missing.iter().map(|one| one.resource.as_str()).collect();
    assert_eq!(names, ["R", "Gold"]);
    assert!(trace.take().is_empty());
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_type_declared_at_run_time_conflicts_with_the_parameter_of_that_type() {
    let gold = ResourceId::of::<Gold>;
    let mut builder = Schedule::builder();
    builder
        .add::<look>()
        .add_dynamic(still("writer").writes(gold()));
    assert_eq!(races(&mut builder), pair("look", "writer"));
    builder
        .add::<spend>()
        .add_dynamic(still("reader").reads(gold()));
    assert_eq!(races(&mut builder), pair("spend", "reader"));
    builder
        .add::<look>()
        .add_dynamic(still("reader").reads(gold()));
    assert_eq!(races(&mut builder), []);
    builder
        .add::<spend>()
        .add_dynamic(still("named").writes("Gold"));
    assert_eq!(races(&mut builder), [], "a name is no type");
}

/// The problems of a schedule of this system, without the place of it.
fn problems(system: DynamicSystem) -> Vec<String> {
    let place = format!("({}:{})", system_place().0, system_place().1);
    let mut builder = Schedule::builder();
    builder.add_dynamic(system);
    match builder.build() {
        Ok(_) => Vec::new(),
        Err(error) => {
            let problems = error.problems().iter();
            problems
                .map(|problem| problem.to_string().replace(&place, "(here)"))
                .collect()
        }
    }
}

/// Where [`still`] makes systems.
fn system_place() -> (&'static str, u32) {
    let mut builder = Schedule::builder();
    let both = still("both").reads("R").writes("R");
    let error = builder.add_dynamic(both).build().unwrap_err();
    let [Problem::ConflictingAccess { system, .. }] = error.problems() else {
        panic!("{error}");
    };
    (system.location.file(), system.location.line())
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_dynamic_system_that_declares_a_read_and_a_write_of_one_resource_is_refused() {
    let read_and_written = "`both` (here) declares that it reads `R` and that it writes it\n      \
        help: remove `.reads(\"R\")`: what a system writes it may read, too";
    let both = || still("both");
    assert_eq!(problems(both().reads("R").writes("R")), [read_and_written]);
    assert_eq!(problems(both().writes("R").reads("R")), [read_and_written]);
    assert_eq!(
        problems(
            both()
                .reads("S")
                .reads("R")
                .writes("T")
                .reads("R")
                .writes("R")
                .writes("R")
        ),
        [read_and_written],
        "each resource once"
    );
    let gold = ResourceId::of::<Gold>;
    assert_eq!(
        problems(both().reads(gold()).writes(gold()).reads("R").writes("R")),
        [
            "`both` (here) declares that it reads `Gold` and that it writes it\n      \
             help: remove `.reads(ResourceId::of::<Gold>())`: what a system writes it may read, too",
            read_and_written
        ]
    );
    assert_eq!(
        problems(both().writes("R").writes("R")),
        ["`both` (here) declares twice that it writes `R`\n      help: call `.writes(\"R\")` once"]
    );
    assert!(
        problems(both().reads("R").reads("R").writes("S")).is_empty(),
        "a read twice is one"
    );
    assert!(
        problems(both().reads("Gold").writes(gold())).is_empty(),
        "a name is no type"
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_dynamic_system_whose_access_to_all_conflicts_with_another_is_refused() {
    let both = || still("both");
    let except = |name: &str| [ResourceId::named(name)];
    let in_read = "`both` (here) declares that it reads every resource and that it writes `R`\n      \
        help: add `\"R\"` to the exceptions in `.reads_all_except(…)`: what a system writes it may read, too";
    assert_eq!(problems(both().writes("R").reads_all_except([])), [in_read]);
    assert_eq!(
        problems(both().reads_all_except(except("S")).writes("R")),
        [in_read]
    );
    assert!(problems(both().reads_all_except(except("R")).writes("R")).is_empty());
    assert!(problems(both().reads_all_except([]).reads("R")).is_empty());
    let in_written = |uses: &str| {
        format!(
            "`both` (here) declares that it writes every resource and that it {uses} `R`\n      \
             help: remove `.{uses}(\"R\")`, or add `\"R\"` to the exceptions in `.writes_all_except(…)`"
        )
    };
    assert_eq!(
        problems(both().reads("R").writes_all_except([])),
        [in_written("reads")]
    );
    assert_eq!(
        problems(both().writes_all_except([]).writes("R")),
        [in_written("writes")]
    );
    assert!(problems(both().writes_all_except(except("R")).reads("R")).is_empty());
    assert_eq!(
        problems(both().writes_all_except([]).reads_all_except([])),
        [
            "`both` (here) declares that it reads every resource and that it writes every resource\n      \
          help: remove `.reads_all_except(…)`: what a system writes it may read, too"
        ]
    );
    assert_eq!(
        problems(both().writes_all_except([]).writes_all_except(except("R"))),
        [
            "`both` (here) declares twice that it writes every resource\n      \
          help: call `.writes_all_except(…)` once"
        ]
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_loop_condition_that_declares_a_read_and_a_write_of_one_resource_is_refused() {
    let mut builder = Schedule::builder();
    let condition = DynamicSystem::new("is_due", |_| false)
        .reads("R")
        .writes("R");
    builder.repeat_while_dynamic(condition, |step| step);
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::ConflictingAccess { .. }]),
        "{error}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn all_read_twice_excepts_what_both_except() {
    let except = |names: [&str; 2]| names.map(ResourceId::named);
    let all = still("all")
        .reads_all_except(except(["R", "S"]))
        .reads_all_except(except(["S", "T"]));
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(all)
        .add_dynamic(still("writer").writes("R"));
    assert_eq!(races(&mut builder), pair("all", "writer"));
    let all = still("all")
        .reads_all_except(except(["R", "S"]))
        .reads_all_except(except(["S", "T"]));
    builder
        .add_dynamic(all)
        .add_dynamic(still("writer").writes("S"));
    assert_eq!(races(&mut builder), []);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn all_read_conflicts_with_writes_only() {
    let mut builder = Schedule::builder();
    builder
        .add::<read_all>()
        .add::<look>()
        .add::<idle>()
        .add_dynamic(still("other").reads_all_except([]));
    assert_eq!(races(&mut builder), []);
    builder.add::<read_all>().add::<spend>();
    assert_eq!(races(&mut builder), pair("read_all", "spend"));
    builder
        .add_dynamic(still("writer").writes("R"))
        .add_dynamic(still("all").reads_all_except([]));
    assert_eq!(races(&mut builder), pair("writer", "all"));
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn all_write_conflicts_with_every_access() {
    let all = || still("all").writes_all_except([]);
    let mut builder = Schedule::builder();
    builder.add_dynamic(all()).add::<look>();
    assert_eq!(races(&mut builder), pair("all", "look"));
    builder.add::<read_all>().add_dynamic(all());
    assert_eq!(races(&mut builder), pair("read_all", "all"));
    builder.add_dynamic(all()).add_dynamic(all());
    assert_eq!(races(&mut builder), pair("all", "all"));
    builder.add_dynamic(all()).add::<idle>();
    assert_eq!(races(&mut builder), [], "what touches nothing is free");
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn what_is_excepted_is_not_touched() {
    let except = |name| [ResourceId::of::<Gold>(), ResourceId::named(name)];
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(still("all").writes_all_except(except("R")))
        .add::<spend>()
        .add_dynamic(still("writer").writes("R"));
    assert_eq!(races(&mut builder), []);
    builder
        .add_dynamic(still("all").reads_all_except(except("R")))
        .add_dynamic(still("writer").writes("R").writes("S"));
    assert_eq!(races(&mut builder), pair("all", "writer"));
    builder
        .add_dynamic(still("one").reads_all_except(except("R")))
        .add_dynamic(still("other").writes_all_except(except("S")));
    assert_eq!(
        races(&mut builder),
        pair("one", "other"),
        "on what nobody names"
    );
    builder
        .add_dynamic(still("all").writes_all_except(except("R")).reads("R"))
        .add_dynamic(still("writer").writes("R"));
    assert_eq!(races(&mut builder), pair("all", "writer"));
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn all_means_no_main_thread_value() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(still("all").writes_all_except([]))
        .add::<draw>();
    assert_eq!(races(&mut builder), []);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_system_that_runs_alone_conflicts_with_one_that_touches_nothing() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(still("alone").exclusive())
        .add::<idle>();
    assert_eq!(races(&mut builder), pair("alone", "idle"));
    builder
        .add::<draw>()
        .add_dynamic(still("alone").exclusive());
    assert_eq!(races(&mut builder), pair("draw", "alone"));
    builder
        .add::<idle>()
        .add::<look>()
        .add_dynamic(still("alone").exclusive())
        .after::<idle>()
        .before::<look>();
    assert!(builder.build().is_ok());
}

#[test]
fn a_system_bound_to_the_main_thread_runs_there_and_conflicts_with_nothing() {
    let here = std::thread::current().id();
    let bound = move |name: &str| {
        let call = move |_: &mut schedule::View<'_>| {
            assert_eq!(std::thread::current().id(), here);
        };
        DynamicSystem::new(name, call).on_main_thread()
    };
    let mut schedule = schedule_of(|all| {
        all.add_dynamic(bound("one"))
            .add_dynamic(bound("other"))
            .add::<idle>()
    });
    for _ in 0..3 {
        schedule.run(&mut Resources::new()).unwrap();
    }
}

#[test]
fn a_dynamic_system_may_be_a_condition_and_have_state() {
    let mut n_calls = 0;
    let ask = DynamicSystem::new("ask", move |_| {
        n_calls += 1;
        if n_calls == 2 { Err("twice") } else { Ok(true) }
    });
    let mut schedule = schedule_of(|all| all.add_dynamic(ask));
    schedule.run(&mut Resources::new()).unwrap();
    let result = schedule.run(&mut Resources::new());
    assert_eq!(failures(result), ["ask: twice"]);
    schedule.run(&mut Resources::new()).unwrap();
}

#[test]
fn a_dynamic_system_in_a_loop_of_additions_is_ordered_by_its_number() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let mut last = None;
    for name in ["a", "b", "c", "d"] {
        builder.add_dynamic(trace.system(name).writes("R"));
        let this = builder.last().unwrap();
        if let Some(last) = last {
            builder.order(this, last);
        }
        last = Some(this);
    }
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R"])),
        ["d", "c", "b", "a"]
    );
    run_one::<idle>(&mut Resources::new()).unwrap();
}
