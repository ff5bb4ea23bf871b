//! Dynamic systems: their declarations determine their accesses and are verified.

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::Warning;
use schedule::{BoxError, Identity, RunError, run_one};

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

/// A system that does nothing.
fn still(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

fn pair(first: &str, second: &str) -> Vec<(String, String)> {
    vec![(first.to_string(), second.to_string())]
}

#[test]
fn view_allows_only_declared_accesses() {
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
                "`greedy` writes `read`, but declares only a read; use `.writes(…)`",
                "`greedy` uses `other`, but does not declare it; add `.reads(…)` or `.writes(…)`",
                "`greedy` uses `Gold`, but does not declare it; add `.reads(…)` or `.writes(…)`",
                "resource `read` has another type",
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
fn view_of_all_allows_everything_except_the_exceptions() {
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
        .reads_all_except([ResourceId::named("secret")])
        .writes("own");
    schedule_of(|builder| builder.add_dynamic(all))
        .run(&mut resources)
        .unwrap();
}

#[test]
fn denied_access_through_a_view_fails_the_system() {
    let greedy = DynamicSystem::new("greedy", |view| {
        view.get_named_mut::<i64>("R")?;
        Ok::<(), BoxError>(())
    });
    let mut schedule = schedule_of(|all| all.add_dynamic(greedy.reads("R")));
    assert_eq!(
        failures(schedule.run(&mut named(&["R"]))),
        ["greedy: `greedy` writes `R`, but declares only a read; use `.writes(…)`"]
    );
}

#[test]
fn missing_resource_of_a_dynamic_system_prevents_the_run() {
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
    assert_eq!(races(&mut builder), [], "a name is not a type");
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_resource_declared_to_read_and_to_write_is_written() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(still("both").reads("R").writes("R").reads("R"))
        .add_dynamic(still("reader").reads("R"));
    assert_eq!(races(&mut builder), pair("both", "reader"));
}

/// Returns the warnings of a schedule of this system, with "here" for its location.
fn warnings(system: DynamicSystem) -> Vec<String> {
    let schedule = schedule_of(|builder| builder.add_dynamic(system));
    schedule.warnings().iter().map(without_place).collect()
}

fn without_place(warning: &Warning) -> String {
    let Warning::ReadOfWritten { system, .. } = warning else {
        panic!("{warning}");
    };
    let place = format!("({}:{})", system.location.file(), system.location.line());
    warning.to_string().replacen(&place, "(here)", 1)
}

/// The warning that `both` declares a read and a write of `R`.
const READ_OF_R: &str = "`both` (here) declares both a read and a write of `R`, and the write includes the read: \
    remove `.reads(\"R\")`";

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_of_a_written_resource_is_a_warning_in_every_order_of_declaration() {
    let both = || still("both");
    let uses: [fn(DynamicSystem) -> DynamicSystem; 3] = [
        |system| system.reads("R"),
        |system| system.writes("R"),
        |system| system.writes("S").reads("T"),
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let system = order.iter().fold(both(), |system, &nth| uses[nth](system));
        assert_eq!(warnings(system), [READ_OF_R], "{order:?}");
    }
    let often = both().reads("R").writes("R").reads("R").writes("R");
    assert_eq!(warnings(often), [READ_OF_R], "once for each resource");
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_of_a_written_type_is_a_warning_that_names_the_type() {
    let both = || still("both");
    let gold = ResourceId::of::<Gold>;
    let read_of_gold = "`both` (here) declares both a read and a write of `Gold`, and the write includes the read: \
        remove `.reads(ResourceId::of::<Gold>())`";
    assert_eq!(
        warnings(both().writes("R").reads(gold()).writes(gold()).reads("R")),
        [read_of_gold, READ_OF_R],
        "in the order of the reads"
    );
    let apart: [String; 0] = [];
    let named = both().reads("Gold").writes(gold());
    assert_eq!(warnings(named), apart, "a name is not a type");
    assert_eq!(warnings(both().writes("Gold").reads(gold())), apart);
    assert_eq!(
        warnings(both().reads("a\"b").writes("a\"b")),
        [READ_OF_R
            .replace("`R`", "`a\"b`")
            .replace("\"R\"", r#""a\"b""#)],
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_combined_with_a_write_of_all_is_a_warning_unless_excepted() {
    let both = || still("both");
    let except = |name: &str| [ResourceId::named(name)];
    let none: [String; 0] = [];
    let all = || both().writes_all_except(except("S"));
    assert_eq!(warnings(all().reads("R")), [READ_OF_R]);
    assert_eq!(
        warnings(both().reads("R").writes_all_except(except("S"))),
        [READ_OF_R]
    );
    assert_eq!(warnings(all().reads("S")), none);
    assert_eq!(
        warnings(all().reads("R").writes_all_except(except("R"))),
        [READ_OF_R],
        "all but what both lists except"
    );
    assert_eq!(
        warnings(all().reads("S").writes_all_except(except("S"))),
        none
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn other_accesses_that_overlap_are_merged_without_a_warning() {
    let both = || still("both");
    let except = |name: &str| [ResourceId::named(name)];
    for system in [
        both().writes("R").writes("R"),
        both().reads("R").reads("R").writes("S"),
        both().reads_all_except([]).writes("R"),
        both().writes("R").reads_all_except([]),
        both().reads_all_except([]).reads("R"),
        both().reads_all_except(except("R")).writes("R"),
        both().writes_all_except([]).writes("R"),
        both().writes_all_except([]).reads_all_except([]),
        both()
            .reads_all_except(except("R"))
            .reads_all_except(except("S")),
        both()
            .writes_all_except(except("R"))
            .writes_all_except(except("S")),
    ] {
        let text = format!("{system:?}");
        assert_eq!(warnings(system).len(), 0, "{text}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_of_a_written_resource_in_a_loop_condition_is_a_warning() {
    let condition = || DynamicSystem::new("both", |_| false);
    for condition in [
        condition().reads("R").writes("R"),
        condition().writes("R").reads("R"),
        condition().writes_all_except([]).reads("R"),
    ] {
        let schedule = schedule_of(|builder| builder.repeat_while_dynamic(condition, |step| step));
        let warnings: Vec<String> = schedule.warnings().iter().map(without_place).collect();
        assert_eq!(warnings, [READ_OF_R]);
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_of_a_written_resource_is_in_the_report_and_in_the_graph_until_the_system_is_removed() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_dynamic(still("both").reads("R").writes("R"))
            .named("renamed")
    });
    let warning = READ_OF_R.replace("`both`", "`renamed`");
    let all_warnings = |schedule: &Schedule| -> Vec<String> {
        schedule.warnings().iter().map(without_place).collect()
    };
    assert_eq!(all_warnings(&schedule), [warning.as_str()]);
    let text = schedule.warnings()[0].to_string();
    assert!(schedule.report().warnings.contains(&schedule.warnings()[0]));
    assert_eq!(schedule.graph().warnings, [text.as_str()]);
    assert!(schedule.report().to_string().contains(&text));
    schedule
        .change(|builder| builder.add_dynamic(still("other")))
        .unwrap();
    assert_eq!(all_warnings(&schedule), [warning.as_str()]);
    schedule
        .change(|builder| builder.remove("renamed"))
        .unwrap();
    assert_eq!(schedule.warnings().len(), 0);
}

#[test]
fn system_that_reads_all_and_writes_one_may_write_only_that_one() {
    let system = DynamicSystem::new("sum", |view| {
        assert!(view.get_named_mut::<i64>("R").is_err());
        let read = *view.get_named::<i64>("R")?;
        *view.get_named_mut::<i64>("own")? = read + 7;
        Ok::<(), BoxError>(())
    });
    let mut resources = named(&["R", "own"]);
    let system = system.reads_all_except([]).writes("own");
    let mut schedule = schedule_of(|builder| builder.add_dynamic(system));
    schedule.run(&mut resources).unwrap();
    let value = |name| *resources.get_named::<i64>(name).unwrap();
    assert_eq!(value("own"), value("R") + 7);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn repeated_access_to_all_excepts_only_common_exceptions() {
    let except = |names: [&str; 2]| names.map(ResourceId::named);
    let (one, other) = (except(["R", "S"]), except(["S", "T"]));
    let all: [DynamicSystem; 3] = [
        still("all")
            .reads_all_except(one.clone())
            .reads_all_except(other.clone()),
        still("all")
            .writes_all_except(one.clone())
            .writes_all_except(other.clone()),
        still("all").reads_all_except(one).writes_all_except(other),
    ];
    for all in all {
        let text = format!("{all:?}");
        let mut builder = Schedule::builder();
        builder
            .add_dynamic(all)
            .add_dynamic(still("R").writes("R"))
            .add_dynamic(still("S").writes("S"))
            .add_dynamic(still("T").writes("T"));
        let expected = [pair("all", "R"), pair("all", "T")].concat();
        assert_eq!(races(&mut builder), expected, "{text}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn read_of_all_conflicts_only_with_writes() {
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
fn write_of_all_conflicts_with_every_access() {
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
fn excepted_resources_do_not_conflict() {
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
        "on the unnamed rest"
    );
    builder
        .add_dynamic(still("all").writes_all_except(except("R")).reads("R"))
        .add_dynamic(still("writer").writes("R"));
    assert_eq!(races(&mut builder), pair("all", "writer"));
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn access_to_all_excludes_main_thread_values() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(still("all").writes_all_except([]))
        .add::<draw>();
    assert_eq!(races(&mut builder), []);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn exclusive_system_conflicts_with_a_system_without_accesses() {
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
        let call = move |_: &mut schedule::dynamic::View<'_>| {
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
fn dynamic_condition_of_a_loop_keeps_its_main_thread() {
    let condition = |name: &str| DynamicSystem::new(name, |_| false);
    let mut builder = Schedule::builder();
    builder
        .repeat_while_dynamic(condition("bound").on_main_thread(), |body| {
            body.add::<idle>()
        })
        .repeat_while_dynamic(condition("free"), |body| body.add::<idle>());
    let graph = builder.build().unwrap().graph();
    let bound = graph
        .nodes
        .iter()
        .filter(|node| node.touched.is_main_thread);
    assert_eq!(bound.map(|node| &*node.name).collect::<Vec<_>>(), ["bound"]);
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
fn dynamic_systems_added_in_a_loop_are_ordered_by_number() {
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
