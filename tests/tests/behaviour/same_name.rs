//! Systems of different modules with the same name, and how messages distinguish them.

use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Condition, Target};

use crate::{Log, failures, take_log, with_log};

mod ai {
    use schedule::prelude::*;

    use crate::Log;

    #[system]
    pub(super) fn update(log: &mut Log) {
        log.push("ai");
    }

    #[system]
    pub(super) fn is_ready() -> bool {
        true
    }

    #[system]
    pub(super) fn only_here(log: &mut Log) {
        log.push("only");
    }

    pub(super) mod deep {
        pub(in super::super) mod physics {
            use schedule::prelude::*;

            use crate::Log;

            #[system]
            pub(in super::super::super) fn update(log: &mut Log) {
                log.push("deep");
            }
        }
    }
}

mod physics {
    use schedule::prelude::*;

    use crate::Log;

    #[system]
    pub(super) fn update(log: &mut Log) -> Result<(), String> {
        log.push("physics");
        Err("it fails".to_string())
    }

    #[system]
    pub(super) fn is_ready() -> bool {
        false
    }
}

#[system]
fn update(log: &mut Log) {
    log.push("outer");
}

fn systems(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

#[test]
fn messages_show_the_fewest_distinguishing_modules() {
    let two = |builder: &mut schedule::Builder| {
        builder.add::<ai::update>().add::<physics::update>();
    };
    let mut builder = Schedule::builder();
    two(&mut builder);
    let text = format!("{builder:?}");
    assert!(
        text.contains(r#"["ai::update", "physics::update"]"#),
        "{text}"
    );
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("`ai::update` (tests/"), "{error}");
    assert!(
        error.contains("`#[system(after = ai::update)]` on `physics::update`"),
        "{error}"
    );
    assert!(!error.contains("`update`"), "{error}");

    let mut builder = Schedule::builder();
    two(&mut builder);
    builder.add::<ai::deep::physics::update>().add::<update>();
    builder.policy(Policy::InsertionOrder);
    let mut schedule = builder.build().unwrap();
    let found = systems(&schedule);
    let names = [
        "ai::update",
        "same_name::physics::update",
        "deep::physics::update",
        "same_name::update",
    ];
    assert_eq!(found, names);
    assert_eq!(
        format!("{schedule:?}")
            .lines()
            .skip(1)
            .map(str::trim)
            .collect::<Vec<_>>(),
        found
    );
    let failed = failures(schedule.run(&mut with_log()));
    assert!(
        failed[0].ends_with("physics::update: it fails"),
        "{failed:?}"
    );
}

#[test]
fn unique_name_is_shown_without_modules() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder
        .add::<ai::update>()
        .add::<ai::update>()
        .add::<ai::only_here>();
    assert_eq!(
        systems(&builder.build().unwrap()),
        ["update", "update", "only_here"]
    );
}

#[test]
fn explicit_name_is_unchanged() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder
        .add::<ai::update>()
        .named("first")
        .add::<physics::update>();
    builder.add_closure("update", || {});
    assert_eq!(
        systems(&builder.build().unwrap()),
        ["first", "update", "update"]
    );
}

#[test]
fn text_may_name_a_system_with_its_module() {
    let run = |first: &str, then: &str| {
        let mut builder = Schedule::builder();
        builder
            .add::<ai::update>()
            .add::<physics::update>()
            .add::<ai::only_here>();
        builder
            .order(first, then)
            .order("ai::only_here", "ai::update");
        builder.order("only_here", "same_name::physics::update");
        let mut resources = with_log();
        let mut schedule = builder.build().unwrap();
        schedule.run(&mut resources).unwrap_err();
        take_log(&mut resources)
    };
    assert_eq!(
        run("ai::update", "physics::update"),
        ["only", "ai", "physics"]
    );
    assert_eq!(
        run(
            "crate::same_name::physics::update",
            concat!(env!("CARGO_CRATE_NAME"), "::same_name::ai::update")
        ),
        ["only", "physics"]
    );
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.add::<ai::is_ready>().add::<physics::is_ready>();
    builder
        .add::<ai::only_here>()
        .run_if(Condition::added("physics::is_ready"));
    builder
        .add::<update>()
        .run_if(Condition::added("ai::is_ready"));
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["outer"]);
    let why = schedule.why("ai::is_ready", "update").unwrap().to_string();
    assert!(
        why.starts_with("`ai::is_ready` comes before `update`"),
        "{why}"
    );
    schedule.set_enabled("same_name::update", false).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), [""; 0]);
}

fn problem_of(named: impl Into<Target>, add: impl FnOnce(&mut schedule::Builder)) -> String {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.add_closure("last", || {});
    let last = builder.last().unwrap();
    builder.order(named, last);
    add(&mut builder);
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    error.problems()[0].to_string()
}

#[test]
fn error_for_an_ambiguous_text_lists_modules() {
    let text = problem_of("update", |all| {
        all.add::<ai::update>().add::<physics::update>();
    });
    assert!(
        text.contains("\n      `ai::update` (") && text.contains("\n      `physics::update` ("),
        "{text}"
    );
    assert!(
        text.ends_with("help: add the module to the name, as in `ai::update`"),
        "{text}"
    );
    let text = problem_of("ai::update", |all| {
        all.add::<ai::update>().add::<ai::update>();
    });
    assert!(text.contains("`Builder::last`"), "{text}");
}

#[test]
fn only_similar_and_unambiguous_names_are_suggested() {
    let of_one = |named: &str| {
        problem_of(named, |all| {
            all.add::<ai::only_here>();
        })
    };
    for near in ["only_hree", "only_her", "ai::only_hare"] {
        let text = of_one(near);
        assert!(text.ends_with("did you mean `only_here`?"), "{text}");
    }
    // At least half of the name differs, or the module is a different one.
    for far in ["only", "unlike_her", "only_there_too", "ia::only_hare"] {
        let text = of_one(far);
        assert!(!text.contains("did you mean"), "{text}");
    }
    let text = problem_of("updat", |all| {
        all.add::<ai::update>().add::<ai::update>();
    });
    assert!(!text.contains("did you mean"), "{text}");
    let text = problem_of("ai::updat", |all| {
        all.add::<ai::update>().add::<physics::update>();
    });
    assert!(text.ends_with("did you mean `ai::update`?"), "{text}");
}

#[test]
fn error_names_a_system_of_the_same_name_in_another_module() {
    for named in [
        Target::of::<physics::update>(),
        Target::from("physics::update"),
    ] {
        let text = problem_of(named, |all| {
            all.add::<ai::update>();
        });
        assert!(
            text.starts_with("`physics::update` is not in this schedule, but "),
            "{text}"
        );
        let help = "help: add it; `ai::update` has the same name in another module";
        assert!(text.ends_with(help), "{text}");
    }
}

#[test]
fn typo_in_the_module_of_a_path_is_corrected() {
    for named in [
        "phsics::update",
        "phsics::updat",
        "same_nmae::physics::update",
    ] {
        let text = problem_of(named, |all| {
            all.add::<physics::update>();
        });
        let path = match named.split("::").count() {
            2 => "physics::update",
            _ => "same_name::physics::update",
        };
        let help = format!("help: add it; or did you mean `{path}`?");
        assert!(text.ends_with(&help), "{text}");
    }
    let text = problem_of("phsics::update", |all| {
        all.add::<ai::update>().add::<physics::update>();
    });
    assert!(text.ends_with("did you mean `physics::update`?"), "{text}");
}

#[test]
fn only_instance_of_a_generic_system_is_suggested() {
    #[system]
    fn spawn<T: Default + Identity + Send + 'static>(mut made: Local<T>) {
        *made = T::default();
    }
    let text = problem_of("spawn", |all| {
        all.add::<spawn<u32>>();
    });
    assert!(text.ends_with("did you mean `spawn<u32>`?"), "{text}");
    let text = problem_of("spawn", |all| {
        all.add::<spawn<u32>>().add::<spawn<u8>>();
    });
    assert!(!text.contains("did you mean"), "{text}");

    let mut schedule = Schedule::builder().add::<spawn<u32>>().build().unwrap();
    let text = schedule
        .set_enabled("spawn", false)
        .unwrap_err()
        .to_string();
    assert!(text.ends_with("did you mean `spawn<u32>`?"), "{text}");
}

#[test]
fn equally_similar_names_are_not_suggested() {
    let text = problem_of("eal", |all| {
        all.add_closure("heal", || {});
        all.add_closure("seal", || {});
    });
    assert!(!text.contains("did you mean"), "{text}");
}

#[test]
fn text_equal_to_a_name_and_another_path_is_ambiguous() {
    let two = || {
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        builder.add::<ai::update>().add_closure("ai::update", || {});
        builder
    };
    let mut builder = two();
    builder
        .add_closure("other", || {})
        .order("ai::update", "other");
    let error = builder.build().unwrap_err();
    let [Problem::Ambiguous { candidates, .. }] = error.problems() else {
        panic!("{error}");
    };
    let names: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names.len(), 2);
    assert!(
        names.contains(&"ai::update") && names.contains(&"update"),
        "{names:?}"
    );
    assert!(
        error
            .to_string()
            .contains("use the `NodeId` of one of them"),
        "{error}"
    );

    let mut builder = two();
    builder
        .add_closure("other", || {})
        .run_if(Condition::added("ai::update"));
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Ambiguous { .. }]),
        "{error}"
    );

    let mut schedule = two().build().unwrap();
    let error = schedule.set_enabled("ai::update", false).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::Ambiguous { .. }),
        "{error}"
    );
}

#[test]
fn modules_are_shown_for_names_that_are_ambiguous_after_a_change() {
    let mut schedule = Schedule::builder()
        .policy(Policy::InsertionOrder)
        .add::<ai::update>()
        .build()
        .unwrap();
    assert_eq!(systems(&schedule), ["update"]);
    schedule.change(|all| all.add::<physics::update>()).unwrap();
    assert_eq!(systems(&schedule), ["ai::update", "physics::update"]);
    schedule.change(|all| all.remove("ai::update")).unwrap();
    assert_eq!(systems(&schedule), ["update"]);
}

#[test]
fn try_order_shows_distinguishing_modules() {
    let mut builder = Schedule::builder();
    builder.add::<ai::update>().add::<physics::update>();
    builder.order("ai::update", "physics::update");
    let error = builder
        .try_order("physics::update", "ai::update")
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error.problem(), Problem::Cycle(_)), "{text}");
    assert!(
        text.contains("`ai::update` -> `physics::update` -> `ai::update`"),
        "{text}"
    );
}

#[test]
fn errors_of_calls_in_a_change_show_modules() {
    let mut schedule = Schedule::builder()
        .policy(Policy::InsertionOrder)
        .add::<ai::update>()
        .add::<physics::update>()
        .repeat_while::<ai::is_ready>(|step| step)
        .repeat_while::<physics::is_ready>(|step| step)
        .build()
        .unwrap();
    let error = schedule.change(|all| all.remove("update")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("\n      `ai::update` (") && text.contains("\n      `physics::update` ("),
        "{text}"
    );
    // A renamed node is shown with its new name.
    let error = schedule.change(|all| {
        all.extend_loop("ai::is_ready", |step| step).named("wait");
        all.add_closure("wait", || {}).remove("wait")
    });
    let text = error.unwrap_err().to_string();
    assert_eq!(text.matches("\n      `wait` (").count(), 2, "{text}");
    assert_eq!(systems(&schedule), ["ai::update", "physics::update"]);
}
