//! The orders that resolve all races of a rejected schedule.

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::state::{Transition, transition};
use schedule::{BuildError, Condition, NextState, Target};

#[derive(Group)]
struct All;

#[derive(Resource)]
struct Health(i32);

#[derive(Resource)]
struct Score(u32);

/// Rejected: the two systems have no order.
mod rejected {
    use super::{Health, Score};
    use schedule::system;

    #[system]
    pub(super) fn poison(health: &mut Health) {
        health.0 -= 1;
    }

    #[system]
    pub(super) fn bullet(health: &mut Health, score: &mut Score) {
        health.0 -= 20;
        score.0 += 1;
    }

    #[system]
    pub(super) fn bury(health: &mut Health, score: &Score) {
        health.0 = health.0.max(score.0 as i32);
    }
}

/// The same systems, with the order that the error suggests.
mod mended {
    use super::{Health, Score};
    use schedule::system;

    #[system]
    pub(super) fn poison(health: &mut Health) {
        health.0 -= 1;
    }

    #[system(after = poison)]
    pub(super) fn bullet(health: &mut Health, score: &mut Score) {
        health.0 -= 20;
        score.0 += 1;
    }

    #[system(after = bullet)]
    pub(super) fn bury(health: &mut Health, score: &Score) {
        health.0 = health.0.max(score.0 as i32);
    }
}

fn rejected() -> BuildError {
    use rejected::{bullet, bury, poison};
    let mut builder = Schedule::builder();
    builder.name("frame");
    builder.add::<poison>().add::<bullet>().add::<bury>();
    builder.build().unwrap_err()
}

#[test]
fn schedule_builds_with_the_suggested_orders_pasted() {
    let error = rejected().to_string();
    let (_, help) = error.split_once("\n  help: ").unwrap();
    let lines: Vec<&str> = help.lines().collect();
    assert_eq!(
        lines[0],
        "2 orders end all races, and each of them is needed"
    );
    let source = include_str!("remedy.rs");
    let (_, mended) = source.split_once("mod mended").unwrap();
    for line in &lines[1..] {
        let (attribute, system) = line.trim().split_once(" on `").unwrap();
        let (system, _) = system.split_once('`').unwrap();
        let declaration = format!(
            "{}\n    pub(super) fn {system}(",
            attribute.trim_matches('`')
        );
        assert!(mended.contains(&declaration), "{line}");
    }
    assert_eq!(lines.len(), 3);

    use mended::{bullet, bury, poison};
    let mut builder = Schedule::builder();
    builder.add::<poison>().add::<bullet>().add::<bury>();
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Health(30));
    resources.insert(Score(0));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Health>().unwrap().0, 9);
}

#[test]
fn error_in_the_book_is_current() {
    let mut error = rejected().to_string();
    let places = [("poison", 10), ("bullet", 15), ("bury", 21)];
    for (name, line) in places {
        let from = error.find(&format!("`{name}` ({}:", file!())).unwrap();
        let to = from + error[from..].find(')').unwrap();
        let place = error[from..to].to_string();
        error = error.replace(&place, &format!("`{name}` (src/main.rs:{line}"));
    }
    let chapter = include_str!("../../../docs/book/src/explaining-and-testing.md");
    assert!(
        chapter.contains(&format!("```text\n{error}\n```\n")),
        "{error}"
    );
}

/// Returns the text after `help: ` in the error of these declarations, without locations.
fn help(declare: impl FnOnce(&mut schedule::Builder)) -> String {
    let mut builder = Schedule::builder();
    declare(&mut builder);
    let error = builder.build().unwrap_err().to_string();
    let (_, help) = error.split_once("\n  help: ").unwrap();
    let lines = help.lines().map(|line| match line.rsplit_once(" (") {
        Some((line, place)) if place.contains(file!()) => line.trim(),
        _ => line.trim(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn writer(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ()).writes("R")
}

#[test]
fn orders_of_one_system_are_suggested_in_one_attribute() {
    #[system]
    fn a(_: &mut Health) {}
    #[system]
    fn b(_: &mut Score) {}
    #[system]
    fn c(_: &mut Health, _: &mut Score) {}
    assert_eq!(
        help(|builder| {
            builder.add::<a>().add::<b>().add::<c>();
        }),
        "2 orders end all races, and each of them is needed\n`#[system(after = (a, b))]` on `c`"
    );
}

#[test]
fn node_without_an_attribute_is_ordered_at_the_builder() {
    #[system]
    fn poison(_: &mut Health) {}
    let text = help(|builder| {
        builder
            .add::<poison>()
            .add_closure("he\"al", |_: &mut Health| ());
    });
    assert_eq!(
        text,
        "this order ends the race\n.order(\"poison\", \"he\\\"al\")"
    );
}

#[test]
fn sync_point_is_ordered_by_the_attribute_of_the_other_system() {
    #[derive(Checkpoint)]
    struct Loaded;
    #[system]
    fn load() {}
    #[system]
    fn play() {}
    let text = help(|builder| {
        builder
            .add::<load>()
            .apply_commands::<Loaded>()
            .add::<play>();
    });
    assert_eq!(
        text,
        "2 orders end all races, and each of them is needed\n\
         `#[system(before = Loaded)]` on `load`\n`#[system(after = Loaded)]` on `play`"
    );
}

#[test]
fn system_of_a_repeated_name_is_suggested_by_type_or_number() {
    #[derive(Checkpoint)]
    struct Noon;
    let text = help(|builder| {
        builder.apply_commands::<Noon>().add_dynamic(writer("a"));
        builder.add_closure("Noon", || ()).in_group::<All>();
        builder.order("a", Target::of::<All>());
    });
    assert_eq!(
        text,
        "this order ends all races\n.order(Target::of::<Noon>(), \"a\")"
    );

    let text = help(|builder| {
        builder.add_dynamic(writer("twin"));
        builder.add_dynamic(writer("twin"));
    });
    assert!(
        text.starts_with("this order ends the race\n`Builder::order` from `twin`"),
        "{text}"
    );
}

#[test]
fn error_with_a_cycle_asks_to_end_it_first() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(writer(name));
    }
    builder.order("a", "b").order("b", "a");
    let error = builder.build().unwrap_err();
    assert!(error.remedy().is_none());
    assert!(
        error.to_string().ends_with(
            "\n  help: fix the cycles first: the orders that end the races depend on them"
        ),
        "{error}"
    );
}

#[test]
fn error_without_a_race_has_no_remedy() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(writer("a")).order("a", "b");
    let error = builder.build().unwrap_err();
    assert!(error.remedy().is_none());
    assert!(!error.to_string().contains("race"), "{error}");
}

#[test]
fn twenty_of_many_orders_are_printed_and_all_are_returned() {
    let mut builder = Schedule::builder();
    for name in 0..30 {
        builder.add_dynamic(writer(&name.to_string()));
    }
    let error = builder.build().unwrap_err();
    assert_eq!(error.remedy().unwrap().orders().len(), 29);
    let text = error.to_string();
    assert_eq!(text.matches(".order(").count(), 20);
    assert!(
        text.ends_with("\n      and 9 more: see `BuildError::remedy`"),
        "{text}"
    );
}

#[test]
fn racing_bodies_of_two_loops_need_one_order() {
    let mut builder = Schedule::builder();
    for (name, body) in [("one", ["a", "b"]), ("other", ["c", "d"])] {
        builder.repeat_while_closure(
            name,
            || false,
            |step| {
                step.add_dynamic(
                    DynamicSystem::new(body[0], |_| ())
                        .writes(body[0])
                        .reads("R"),
                );
                step.add_dynamic(
                    DynamicSystem::new(body[1], |_| ())
                        .writes(body[1])
                        .writes("R"),
                )
            },
        );
        builder.order(body[0], body[1]);
    }
    let error = builder.build().unwrap_err();
    assert_eq!(error.races().count(), 3);
    let orders = error.remedy().unwrap().orders().iter();
    let orders: Vec<_> = orders
        .map(|order| (&*order.first.name, &*order.then.name))
        .collect();
    assert_eq!(orders, [("a", "d")]);
}

/// Returns the error of these declarations. With the remedy of the error, they must build.
fn mended(declare: impl Fn(&mut schedule::Builder)) -> BuildError {
    let builder = || {
        let mut builder = Schedule::builder();
        declare(&mut builder);
        builder
    };
    let error = builder().build().unwrap_err();
    let mut builder = builder();
    for order in error.remedy().unwrap().orders() {
        builder.order(order.first_node, order.then_node);
    }
    if let Err(left) = builder.build() {
        panic!("{error}\nand then\n{left}");
    }
    error
}

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
}

#[derive(Checkpoint)]
struct Applied;

#[test]
fn one_order_of_a_sync_point_resolves_races_with_implied_conditions() {
    #[system]
    fn ask(next: &mut NextState<Phase>) {
        next.set(Phase::Night);
    }
    #[system]
    fn work() {}
    let error = mended(|builder| {
        builder.add::<ask>().before::<Applied>();
        builder.order(Target::of::<ask>(), Target::of::<Transition<Phase>>());
        builder
            .add::<transition<Phase>>()
            .apply_commands::<Applied>();
        builder.add::<work>().after::<Applied>();
        builder.on_enter(Phase::Day);
    });
    assert_eq!(error.problems().len(), 1, "{error}");
    let text = error.to_string();
    assert!(
        text.ends_with(
            "\n  help: this order ends the race\n      \
             .order(\"Applied\", \"transition<Phase>\")"
        ),
        "{text}"
    );
}

#[test]
fn orders_against_guarded_members_resolve_a_race_with_their_condition() {
    #[system]
    fn one() {}
    #[system]
    fn other() {}
    let error = mended(|builder| {
        builder.group::<All>().run_if(Condition::exists::<Score>());
        builder.apply_commands::<Applied>();
        builder.add::<one>().in_group::<All>();
        builder.add::<other>().in_group::<All>();
    });
    assert_eq!(error.races().count(), 2, "{error}");
}

#[test]
fn race_of_a_sync_point_with_a_condition_is_reported_if_no_other_resolves_it() {
    #[derive(Checkpoint)]
    struct Done;
    let error = mended(|builder| {
        builder.apply_commands::<Applied>().checkpoint::<Done>();
        builder.run_if(Condition::exists::<Score>());
    });
    assert_eq!(error.races().count(), 1, "{error}");
}

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn work() {}

#[test]
fn remedy_includes_a_condition_that_is_in_a_group() {
    #[system(in = All)]
    fn is_ready() -> bool {
        true
    }
    mended(|builder| {
        builder.apply_commands::<Applied>();
        builder.add::<work>().run_if(Condition::of::<is_ready>());
    });
}

#[test]
fn remedy_includes_the_condition_of_an_empty_group() {
    mended(|builder| {
        builder.group::<All>().run_if(Condition::of::<is_due>());
        builder.apply_commands::<Applied>();
        builder.add::<work>().run_if(!Condition::of::<is_due>());
    });
}

#[test]
fn remedy_includes_a_condition_with_a_weak_order_that_resolves_a_race() {
    mended(|builder| {
        builder.apply_commands::<Applied>();
        builder.add_dynamic(DynamicSystem::new("early", |_| ()));
        builder
            .repeat_while_closure(
                "outer",
                || false,
                |body| body.repeat_while_closure("inner", || false, |body| body),
            )
            .run_if(Condition::of::<is_due>());
        builder.order_if_conflicting("early", "inner");
    });
}

#[test]
fn weak_order_of_a_condition_before_a_sync_point_applies_after_the_remedy() {
    mended(|builder| {
        builder
            .apply_commands::<Applied>()
            .after_if_conflicting::<is_due>();
        builder.add::<work>().run_if(Condition::of::<is_due>());
    });
}
