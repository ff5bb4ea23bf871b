//! The text of a resolved schedule, and the file that it is compared with.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use schedule::prelude::*;
use schedule::{Builder, Condition, DynamicSystem};

#[derive(Group)]
struct Physics;

#[derive(Checkpoint)]
struct Noon;

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// A schedule with one of everything; with the order that a test removes, or without it.
fn frame(has_order: bool) -> Schedule {
    let mut builder = Schedule::builder();
    builder.name("frame");
    builder.policy_for_resource("Sound", Policy::AsAdded);
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
    builder.guard(Condition::added(is_won)).after::<Noon>();
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

/// A file of this name, which is not there.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn the_text_has_the_order_and_everything_that_made_it() {
    let text = "\
# schedule `frame`, resolved; version 1

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
  count -> add, accepted, for Sum
  draw -> end, declared
  end -> show, declared
  hum -> hum #2, as added, for Sound
  integrate -> collide, declared
  is_won -> draw, condition
  trace -> log, if they conflict

accepted
  count -> add, for Sum: sums commute

policies
  accepted, for add and count: sums commute
  as added, for Sound
  reject, for all
";
    assert_eq!(frame(true).lock().to_string(), text);
}

#[test]
fn two_that_never_run_both_are_told_as_such() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::AsAdded);
    builder.add_closure("is_won", || true);
    let is_won = Condition::added(builder.last().unwrap());
    builder.add_dynamic(system("cheer").writes("Sound"));
    builder.guard(is_won.clone());
    builder.add_dynamic(system("weep").writes("Sound"));
    builder.guard(!is_won);
    let text = builder.build().unwrap().lock().to_string();
    assert!(
        text.contains("\n  cheer -> weep, never both, by is_won\n"),
        "{text}"
    );
}

#[test]
fn an_order_that_is_gone_is_a_readable_difference() {
    let path = path("changed.lock");
    frame(true).lock().write(&path).unwrap();
    frame(true).lock().check(&path).unwrap();
    let error = frame(false).lock().check(&path).unwrap_err();
    let text = format!(
        "schedule `frame` is not what `{}` says
  order
    add
+   show
    end
-   show
  edges
    draw -> end, declared
-   end -> show, declared
    hum -> hum #2, as added, for Sound
  help: if that is meant, run the test with `SCHEDULE_LOCK=overwrite`, and commit the file",
        path.display()
    );
    assert_eq!(error.to_string(), text);
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn the_difference_in_the_readme_is_this_one() {
    let path = path("readme.lock");
    let build = |has_order: bool| {
        let mut builder = Schedule::builder();
        builder.name("frame").policy(Policy::AsAdded);
        for name in ["heal", "poison", "bury"] {
            builder.add_dynamic(system(name).writes("Health"));
        }
        if has_order {
            builder.order("poison", "heal");
        }
        builder.build().unwrap().lock()
    };
    build(true).write(&path).unwrap();
    let text = build(false).check(&path).unwrap_err().to_string();
    let text = text.replace(&path.display().to_string(), "frame.lock");
    let readme = include_str!("../../../README.md");
    assert!(
        readme.contains(&format!("```text\n{text}\n```\n")),
        "{text}"
    );
}

#[test]
fn a_section_that_comes_or_goes_has_its_title_once() {
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
            "+   a -> b, accepted, for R",
            "  accepted",
            "+   a -> b, for R: why not",
            "  policies",
            "+   accepted, for a and b: why not",
            "    reject, for all",
        ]
    );
}

#[test]
fn a_file_that_is_missing_is_an_error_and_is_not_written() {
    let path = path("missing.lock");
    let error = frame(true).lock().check(&path).unwrap_err();
    assert!(!path.exists());
    assert_eq!(
        error.to_string(),
        format!(
            "there is no `{}` to compare schedule `frame` with\n  \
             help: run the test with `SCHEDULE_LOCK=overwrite`, and commit the file",
            path.display()
        )
    );
    let folder = path.with_file_name("no such folder").join("lock");
    let error = frame(true).lock().write(folder).unwrap_err();
    assert!(error.to_string().contains("cannot be read, or written: "));
}

#[test]
fn ends_of_lines_do_not_count() {
    let path = path("ends.lock");
    let text = frame(true).lock().to_string().replace('\n', "\r\n");
    fs::write(&path, text).unwrap();
    frame(true).lock().check(&path).unwrap();
}

/// For [`the_variable_overwrites`]: variables are of a whole process.
const CHILD: &str = "SCHEDULE_TEST_LOCK";

#[test]
fn the_variable_overwrites() {
    if let Some(path) = env::var_os(CHILD) {
        frame(true).lock().check(path).unwrap();
        return;
    }
    let path = path("overwritten.lock");
    fs::write(&path, "something else").unwrap();
    let run = |value: &str| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "lock::the_variable_overwrites"]);
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
fn what_does_not_change_the_schedule_does_not_change_the_text() {
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
fn a_policy_of_a_part_is_told_as_such() {
    fn writers(builder: &mut Builder) {
        builder.policy(Policy::AsAdded);
        builder.add_dynamic(system("a").writes("R"));
        builder.add_dynamic(system("b").writes("R"));
    }
    let schedule = Schedule::builder().part(writers).build().unwrap();
    let text = schedule.lock().to_string();
    assert!(
        text.contains("\n  as added, for all, in part 0\n"),
        "{text}"
    );
}
