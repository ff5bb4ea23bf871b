//! The text of a resolved schedule, and the file that it is compared with.

mod reading;

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Condition};

#[derive(Group)]
struct Physics;

#[derive(Checkpoint)]
struct Noon;

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// A schedule with one declaration of every kind. `has_order`: whether it contains the order that a test removes.
fn frame(has_order: bool) -> Schedule {
    let mut builder = Schedule::builder();
    builder.name("frame");
    builder.policy_for_resource("Sound", Policy::InsertionOrder);
    builder.add_closure("is_won", || true);
    let is_won = builder.last().unwrap();
    builder.repeat_while_closure(
        "is_due",
        || false,
        |step| {
            step.add_dynamic(system("integrate").writes("Position"));
            step.add_dynamic(system("collide").writes("Position"));
            step.order("integrate", "collide")
        },
    );
    builder.in_group::<Physics>();
    builder.add_dynamic(system("hum").writes("Sound"));
    builder.add_dynamic(system("hum").writes("Sound"));
    builder.add_dynamic(system("draw").reads("Position"));
    builder.run_if(Condition::added(is_won)).after::<Noon>();
    builder.checkpoint::<Noon>().after::<Physics>();
    builder.add_dynamic(system("log").writes("Log"));
    builder.add_dynamic(system("trace").writes("Log"));
    builder.order_if_conflicting("trace", "log");
    builder.add_dynamic(system("count").writes("Sum"));
    builder.add_dynamic(system("add").writes("Sum"));
    builder.accept("count", "add", "sums\n  commute");
    builder.add_dynamic(system("show"));
    builder.add_dynamic(system("end"));
    builder.order("draw", "end");
    if has_order {
        builder.order("end", "show");
    }
    builder.build().unwrap()
}

/// Returns the path of a file with this name that does not exist.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn lock_contains_the_order_and_all_its_inputs() {
    let text = r#"# schedule `frame`, resolved; version 3

order
  is_won
  repeat while is_due
    integrate
    collide
  hum
  hum #2
  draw, if is_won
  trace
  log
  count
  add
  end
  show

groups
  Physics: is_due

edges
  Noon -> draw, declared
  Physics -> Noon, declared
  count -> add, accepted, for "Sum"
  draw -> end, declared
  end -> show, declared
  hum -> hum #2, insertion order, for "Sound"
  integrate -> collide, declared
  is_won -> draw, condition
  trace -> log, if they conflict

accepted
  count -> add, for "Sum": "sums\n  commute"

policies
  accepted, for add and count: "sums\n  commute"
  insertion order, for "Sound"
  reject, for all
"#;
    assert_eq!(frame(true).lock().to_string(), text);
}

#[test]
fn lock_lists_systems_that_never_both_run() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.add_closure("is_won", || true);
    let is_won = Condition::added(builder.last().unwrap());
    builder.add_dynamic(system("cheer").writes("Sound"));
    builder.run_if(is_won.clone());
    builder.add_dynamic(system("weep").writes("Sound"));
    builder.run_if(!is_won);
    let text = builder.build().unwrap().lock().to_string();
    assert!(
        text.contains("\n  cheer -> weep, never both run, by is_won\n"),
        "{text}"
    );
}

#[test]
fn removed_order_gives_a_readable_difference() {
    let path = path("changed.lock");
    frame(true).lock().write(&path).unwrap();
    frame(true).lock().check(&path).unwrap();
    let error = frame(false).lock().check(&path).unwrap_err();
    let text = format!(
        "schedule `frame` differs from `{}`
  order
    add
+   show
    end
-   show
  edges
    draw -> end, declared
-   end -> show, declared
    hum -> hum #2, insertion order, for \"Sound\"
  help: if the change is intended, run the test with `SCHEDULE_LOCK=overwrite`, and commit the file",
        path.display()
    );
    assert_eq!(error.to_string(), text);
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn difference_in_the_book_is_current() {
    let path = path("book.lock");
    let build = |has_order: bool| {
        let mut builder = Schedule::builder();
        builder.name("frame").policy(Policy::InsertionOrder);
        for name in ["heal", "poison", "bury"] {
            builder.add_dynamic(system(name).writes("Health"));
        }
        if has_order {
            builder.order("poison", "heal");
        }
        builder.build().unwrap().lock()
    };
    build(true).write(&path).unwrap();
    let text = build(false)
        .check(&path)
        .unwrap_err()
        .to_string()
        .replace(&path.display().to_string(), "frame.lock");
    let chapter = include_str!("../../../docs/book/src/explaining-and-testing.md");
    assert!(
        chapter.contains(&format!("```text\n{text}\n```\n")),
        "{text}"
    );
}

#[test]
fn added_or_removed_section_shows_its_title_once() {
    let path = path("section.lock");
    let build = |accepts: bool| {
        let mut builder = Schedule::builder();
        for name in ["a", "b"] {
            builder.add_dynamic(system(name).writes("R"));
        }
        if accepts {
            builder.accept("a", "b", "why not");
        } else {
            builder.order("a", "b");
        }
        builder.build().unwrap().lock()
    };
    build(false).write(&path).unwrap();
    let text = build(true).check(&path).unwrap_err().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[1..lines.len() - 1],
        [
            "  edges",
            "-   a -> b, declared",
            "+   a -> b, accepted, for \"R\"",
            "  accepted",
            "+   a -> b, for \"R\": why not",
            "  policies",
            "+   accepted, for a and b: why not",
            "    reject, for all",
        ]
    );
}

#[test]
fn missing_file_is_an_error_and_is_not_created() {
    let path = path("missing.lock");
    let error = frame(true).lock().check(&path).unwrap_err();
    assert!(!path.exists());
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` is missing, so schedule `frame` cannot be compared with it\n  \
             help: run the test with `SCHEDULE_LOCK=overwrite`, and commit the file",
            path.display()
        )
    );
    let folder = path.with_file_name("no such folder").join("lock");
    let error = frame(true).lock().write(folder).unwrap_err();
    assert!(error.to_string().starts_with("cannot read or write `"));
}

#[test]
fn a_lock_of_another_version_is_an_error_that_names_both() {
    let path = path("version.lock");
    let text = frame(true)
        .lock()
        .to_string()
        .replace("; version 3\n", "; version 1\n");
    fs::write(&path, &text).unwrap();
    let error = frame(true).lock().check(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` has version 1 of the format, but this library writes version 3: they cannot be compared\n  \
             help: run the test with `SCHEDULE_LOCK=overwrite`, review the changes, and commit the file",
            path.display()
        )
    );
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text,
        "it is not written"
    );
}

#[test]
fn schedules_that_differ_in_quotes_and_line_breaks_have_different_locks() {
    let lock = |schedule: &str, resource: &str, reason: &str| {
        let mut builder = Schedule::builder();
        builder.name(schedule);
        builder.add_dynamic(system("a").writes(resource));
        builder.add_dynamic(system("b").writes(resource));
        builder.accept("a", "b", reason);
        builder.build().unwrap().lock().to_string()
    };
    let all = [
        lock("s", "R", "x"),
        lock("s`, resolved; version 3\n\n#", "R", "x"),
        lock("s", "R: x", "x"),
        lock("s", "R", "x: x"),
        lock("s", "R, S", "x"),
        lock("s", "R", " x"),
        lock("s", "R", "x\n  c -> d, for R: x"),
        lock("s", "R", "\"x\""),
        lock("s", "R", ""),
    ];
    for (nth, one) in all.iter().enumerate() {
        assert!(!all[..nth].contains(one), "{one}");
    }
}

#[test]
fn a_named_resource_and_a_type_of_one_name_have_different_locks() {
    #[derive(Resource)]
    struct R;

    let lock = |resource: ResourceId| {
        let mut builder = Schedule::builder();
        builder.add_dynamic(system("a").writes(resource.clone()));
        builder.policy_for_resource(resource, Policy::InsertionOrder);
        builder.build().unwrap().lock().to_string()
    };
    let of_type = lock(ResourceId::of::<R>());
    assert!(of_type.contains("  insertion order, for R\n"), "{of_type}");
    let named = lock(ResourceId::named("R"));
    assert!(named.contains("  insertion order, for \"R\"\n"), "{named}");
}

#[test]
fn guard_identifies_its_condition_among_those_of_one_name() {
    let lock = |nth: usize| {
        let mut builder = Schedule::builder();
        let conditions = [0, 1].map(|_| {
            builder.add_closure("is_due", || true);
            builder.last().unwrap()
        });
        builder.add_dynamic(system("a"));
        builder.run_if(Condition::added(conditions[nth]));
        builder.build().unwrap().lock().to_string()
    };
    assert!(lock(0).contains("\n  a, if is_due\n"));
    assert!(lock(1).contains("\n  a, if is_due #2\n"));
}

#[test]
fn lock_contains_the_limit_of_a_loop() {
    let mut builder = Schedule::builder();
    builder
        .repeat_while_closure("is_due", || false, |step| step)
        .at_most(8);
    let text = builder.build().unwrap().lock().to_string();
    assert!(
        text.contains("  repeat while is_due, at most 8 times\n"),
        "{text}"
    );
}

#[test]
fn line_endings_are_ignored() {
    let path = path("ends.lock");
    let text = frame(true).lock().to_string().replace('\n', "\r\n");
    fs::write(&path, text).unwrap();
    frame(true).lock().check(&path).unwrap();
}

/// For [`variable_overwrites_the_lock_file`], which needs its own process to set an environment variable.
const CHILD: &str = "SCHEDULE_TEST_LOCK";

#[test]
fn variable_overwrites_the_lock_file() {
    if let Some(path) = env::var_os(CHILD) {
        frame(true).lock().check(path).unwrap();
        return;
    }
    let path = path("overwritten.lock");
    fs::write(&path, "something else").unwrap();
    let run = |value: &str| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "lock::variable_overwrites_the_lock_file"]);
        let command = command.env(CHILD, &path).env("SCHEDULE_LOCK", value);
        command.output().unwrap().status.success()
    };
    assert!(!run(""), "only `overwrite` overwrites");
    assert_eq!(fs::read_to_string(&path).unwrap(), "something else");
    assert!(run("overwrite"));
    assert!(run(""));
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        frame(true).lock().to_string()
    );
}

#[test]
fn equal_schedules_have_equal_locks() {
    let lock = |orders: &[(&str, &str)]| {
        let mut builder = Schedule::builder();
        for name in ["a", "b", "c"] {
            builder.add_dynamic(system(name));
        }
        for (first, then) in orders {
            builder.order(*first, *then);
        }
        builder.build().unwrap().lock()
    };
    let one = lock(&[("a", "b"), ("b", "c")]);
    let other = lock(&[("b", "c"), ("a", "c"), ("a", "b"), ("a", "b")]);
    assert_eq!(one, other, "declared elsewhere, and two that are redundant");
    assert_ne!(one, lock(&[("a", "b"), ("a", "c")]));
}

#[test]
fn lock_shows_the_plugin_of_a_policy() {
    fn writers(builder: &mut Builder) {
        builder.policy(Policy::InsertionOrder);
        builder.add_dynamic(system("a").writes("R"));
        builder.add_dynamic(system("b").writes("R"));
    }
    let schedule = Schedule::builder().include(writers).build().unwrap();
    let text = schedule.lock().to_string();
    assert!(
        text.contains("\n  insertion order, for all, in plugin 0\n"),
        "{text}"
    );
}
