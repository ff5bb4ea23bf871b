//! The parts of a report other than costs and runs: warnings, accepted races, and pairs that policies ordered.

use std::sync::Arc;
use std::time::Duration;

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::{Report, Warning};
use schedule::{Builder, Condition};

#[derive(Group)]
struct Empty;

#[derive(Group)]
struct All;

#[derive(Resource)]
struct Settings;

#[derive(Resource)]
struct Level;

const FILE: &str = file!();

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// Returns the warnings of a schedule with these declarations, as text.
fn warnings(declare: impl FnOnce(&mut Builder)) -> Vec<String> {
    let mut builder = Schedule::builder();
    declare(&mut builder);
    let report = builder.build().unwrap().report();
    report.warnings.iter().map(ToString::to_string).collect()
}

fn redundant(first: &str, then: &str, line: u32) -> String {
    format!(
        "the order `{first}` -> `{then}`, declared at {FILE}:{line}, is redundant, because other orders imply it: it can be removed"
    )
}

#[test]
fn an_empty_group_is_a_warning() {
    let warnings = warnings(|builder| {
        builder.group::<Empty>();
    });
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("the group `Empty` ("));
}

#[test]
fn order_implied_by_others_is_a_warning() {
    let mut lines = (0, 0);
    let found = warnings(|builder| {
        for name in ["a", "b", "c"] {
            builder.add_dynamic(system(name));
        }
        builder.order("a", "c");
        lines.0 = line!() - 1;
        builder.order("a", "b").order("b", "c");
        builder.order("a", "b");
        lines.1 = line!() - 1;
    });
    assert_eq!(
        found,
        [redundant("a", "c", lines.0), redundant("a", "b", lines.1)]
    );
}

#[test]
fn order_of_a_member_implied_by_its_group_is_a_warning() {
    let mut line = 0;
    let found = warnings(|builder| {
        builder.add_dynamic(system("a"));
        builder.add_dynamic(system("b")).in_group::<All>();
        builder.order("a", "b");
        line = line!() - 1;
        builder.order("a", schedule::Target::of::<All>());
    });
    assert_eq!(found, [redundant("a", "b", line)]);
}

#[test]
fn order_of_a_condition_and_its_guarded_system_is_a_warning() {
    let mut line = 0;
    let found = warnings(|builder| {
        builder.add_closure("is_open", || true);
        let is_open = builder.last().unwrap();
        builder.add_dynamic(system("enter"));
        builder.run_if(Condition::added(is_open));
        builder.order("is_open", "enter");
        line = line!() - 1;
    });
    assert_eq!(found, [redundant("is_open", "enter", line)]);
}

#[test]
fn order_implied_only_by_a_policy_is_not_a_warning() {
    let found = warnings(|builder| {
        builder.policy(Policy::InsertionOrder);
        for name in ["a", "b", "c"] {
            builder.add_dynamic(system(name).writes("R"));
        }
        builder.order("a", "c");
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn orders_of_two_nodes_of_a_loop_body_are_not_redundant() {
    let found = warnings(|builder| {
        builder.repeat_while_closure(
            "is_due",
            || false,
            |step| {
                step.add_dynamic(system("a"));
                step.add_dynamic(system("b"))
            },
        );
        builder.add_dynamic(system("c"));
        builder.order("a", "c").order("b", "c");
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn report_lists_resources_that_systems_only_read() {
    let only_read = |declare: &dyn Fn(&mut Builder)| -> Vec<String> {
        let mut builder = Schedule::builder();
        declare(&mut builder);
        let schedule = builder.build().unwrap();
        assert_eq!(schedule.warnings(), []);
        let only_read = schedule.report().only_read;
        only_read.iter().map(ToString::to_string).collect()
    };
    let read = |builder: &mut Builder| {
        builder.add_dynamic(system("reads").reads(ResourceId::of::<Settings>()));
        builder.add_closure("also", |_: &Settings| ());
    };
    assert_eq!(only_read(&read), ["`Settings`: read by `reads`, `also`"]);
    let twice = |builder: &mut Builder| {
        for name in ["one", "two", "three", "four"] {
            builder.add_closure(name, |_: (&Settings, &Settings)| ());
        }
    };
    assert_eq!(
        only_read(&twice),
        ["`Settings`: read by `one`, `two`, `three` and 1 more"]
    );

    let given = |give: &dyn Fn(&mut Builder)| {
        only_read(&|builder| {
            builder.policy(Policy::InsertionOrder);
            read(builder);
            give(builder);
        })
        .is_empty()
    };
    assert!(given(&|builder| {
        builder.add_closure("writes", |_: &mut Settings| ());
    }));
    assert!(given(&|builder| {
        builder.add_closure("inserts", |_: Commands<Inserts<Settings>>| ());
        builder.order("inserts", "reads").order("inserts", "also");
    }));
    assert!(given(&|builder| {
        builder.add_closure("everything", |_: &mut Resources| ());
    }));
    assert!(!given(&|builder| {
        builder.add_closure("something", |_: Commands| ());
    }));
    assert!(!given(&|builder| {
        builder.add_closure("another", |_: &mut Level| ());
    }));
    assert!(!given(&|builder| {
        let settings = ResourceId::of::<Settings>();
        builder.add_dynamic(system("but_it").writes_all_except([settings]));
    }));
}

#[test]
fn report_and_schedule_list_the_same_warnings() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(system(name));
    }
    builder.order("a", "b").order("b", "c").order("a", "c");
    builder.group::<Empty>();
    let schedule = builder.build().unwrap();
    let warnings = schedule.warnings();
    assert!(matches!(
        warnings[..],
        [Warning::EmptyGroup(_), Warning::RedundantOrder { .. }]
    ));
    assert_eq!(schedule.report().warnings, warnings);
    let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(schedule.graph().warnings, texts);
}

#[test]
fn systems_that_never_both_run_have_no_policy_order() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.add_closure("is_won", || true);
    let is_won = Condition::added(builder.last().unwrap());
    builder.add_dynamic(system("cheer").writes("Sound"));
    builder.run_if(is_won.clone());
    builder.add_dynamic(system("weep").writes("Sound"));
    builder.run_if(!is_won);
    let report = builder.build().unwrap().report();
    assert_eq!(report.policy_orders, []);
    assert_eq!(report.never_both.len(), 1);
    let text = report.to_string();
    assert!(
        text.ends_with("\nnever both run\n  `cheer` and `weep`, by the result of `is_won`"),
        "{text}"
    );
}

#[test]
fn report_expects_no_time_for_impossible_executors() {
    let mut builder = Schedule::builder();
    for name in ["one", "other"] {
        builder.add_closure(name, || std::thread::sleep(Duration::from_millis(1)));
    }
    builder.repeat_while_closure("is_due", || false, |step| step);
    let mut schedule = builder.build().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    schedule.set_pool(Arc::new(pool.unwrap()));
    // Runs until the schedule has a plan for several threads that fits the current costs. The duration of a sleep varies, so this can take
    // several runs.
    let is_planned = |report: &Report| {
        let mut expected = report.expected.iter();
        report.n_parallel_runs > 0 && expected.all(|expected| expected.timetabled.is_none())
    };
    let planned = (0..1000).find_map(|_| {
        schedule.run(&mut Resources::new()).unwrap();
        Some(schedule.report()).filter(is_planned)
    });
    let report = planned.expect("a plan that has no timetable, since it has a loop");
    assert!(report.n_parallel_runs > 0);
    assert_eq!(report.expected.len(), 2);
    for expected in &report.expected {
        assert!(expected.parallel < Some(Duration::from_secs(10)));
    }
    let text = report.to_string();
    assert_eq!(text.matches("timetabled").count(), 1, "{text}");
}

#[test]
fn report_text_has_a_section_for_each_kind() {
    let mut builder = Schedule::builder();
    builder.name("frame").group::<Empty>();
    let group = line!() - 1;
    builder.policy_for_resource("Sound", Policy::InsertionOrder);
    builder.policy_for_resource("Light", Policy::WritersFirst);
    for _ in 0..7 {
        builder.add_dynamic(system("hum").writes("Sound"));
    }
    builder.add_dynamic(system("see").reads("Light"));
    builder.add_dynamic(system("shine").writes("Light"));
    builder.add_dynamic(system("count").writes("Sum"));
    builder.add_dynamic(system("add").writes("Sum"));
    builder.accept("count", "add", "sums commute");
    let report = builder.build().unwrap().report();
    assert_eq!(report.accepted.len(), 1);
    assert_eq!(report.policy_orders.len(), 3);
    assert_eq!(report.policy_orders[0].orders.len(), 6);
    let text = report.to_string();
    let (runs, sections) = text.split_once("\nwarnings\n").unwrap();
    assert_eq!(
        runs,
        "schedule `frame`: 11 systems, executor Auto\n  \
         runs: 0 serial, 0 timetabled, 0 parallel"
    );
    let here = format!("({FILE}:27)");
    assert_eq!(
        sections.replace(&here, "(…)"),
        format!(
            "  the group `Empty` ({FILE}:{group}) has no members: add one, or remove the group
accepted races
  `count` (…) and `add` (…) both write `Sum`: sums commute
orders by policy
  Sound: 6 by `insertion order`: `hum -> hum #2`, `hum #2 -> hum #3`, `hum #3 -> hum #4`, `hum #4 -> hum #5`, \
             `hum #5 -> hum #6` and 1 more
  Light: 1 by `writers first`: `shine -> see`
  Sum: 1 by `accepted`: `count -> add`"
        )
    );
}
