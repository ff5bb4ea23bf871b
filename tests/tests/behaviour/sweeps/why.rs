//! Explanations of sweeps: `why`, reports, and graphs.

use core::time::Duration;

use schedule::prelude::*;
use schedule::report::{SweepOff, SweepRelation, SweepRule};
use schedule::{Builder, FailurePolicy};
use schedule_hecs::prelude::*;

use super::{Frozen, Position, Velocity, accelerate, bounce, integrate, sweeps};

/// Entities in another world.
#[derive(Identity)]
struct Ships;

#[derive(Resource)]
struct Total(i64);

impl Foldable for Total {
    type Partial = i64;

    fn join(&mut self, partial: i64) {
        self.0 += partial;
    }
}

#[system(for_each)]
fn decay(_: &mut Frozen) {}

fn built(add: impl FnOnce(&mut Builder)) -> Schedule {
    let mut builder = Schedule::builder();
    add(&mut builder);
    builder.build().unwrap()
}

/// The rule that keeps two systems apart, and its text in the explanation of the two.
#[track_caller]
fn rule(schedule: &Schedule, first: &str, second: &str) -> (SweepRule, String) {
    let why = schedule.why(first, second).unwrap();
    let Some(SweepRelation::Apart { rule, .. }) = why.sweep.clone() else {
        panic!("{why}");
    };
    let text = why.to_string();
    let last = text.lines().last().unwrap();
    let of_rule = last
        .strip_prefix("      they share no sweep: ")
        .expect(last);
    assert!(of_rule.starts_with(&rule.to_string()), "{of_rule}");
    (rule, of_rule.to_string())
}

#[test]
fn members_of_one_sweep_are_explained_by_their_components() {
    let schedule = built(|builder| {
        builder.chain::<(accelerate, integrate, bounce)>();
        builder.add::<decay>();
    });
    let why = schedule.why("accelerate", "integrate").unwrap();
    let text = why.to_string();
    assert!(
        text.ends_with(
            "\n      they run together, chunk by chunk, with `bounce`, `decay`; \
             they conflict only on `Velocity` of the same entity"
        ),
        "{text}"
    );
    assert!(text.starts_with("`accelerate` comes before `integrate`: "));
    let Some(SweepRelation::Shared { others, components }) = why.sweep else {
        panic!("{text}");
    };
    assert_eq!(others.len(), 2);
    assert_eq!(components, ["Velocity"]);
    let both = schedule.why("integrate", "bounce").unwrap().to_string();
    assert!(
        both.ends_with("; they conflict only on `Velocity`, `Position` of the same entity"),
        "{both}"
    );
    let free = schedule.why("decay", "bounce").unwrap().to_string();
    assert!(
        free.ends_with(", chunk by chunk, with `accelerate`, `integrate`"),
        "{free}"
    );
}

#[test]
fn other_pairs_have_no_explanation_of_sweeps() {
    let schedule = built(|builder| {
        builder.chain::<(accelerate, integrate)>();
        builder.add_closure("draw", || ());
        builder.in_group_named("Drawing");
    });
    for (first, second) in [
        ("accelerate", "draw"),
        ("accelerate", "accelerate"),
        ("accelerate", "Drawing"),
    ] {
        let why = schedule.why(first, second).unwrap();
        assert_eq!(why.sweep, None, "{why}");
        assert!(!why.to_string().contains("sweep"), "{why}");
    }
}

#[test]
fn stores_are_named() {
    #[system(for_each = World<Ships>)]
    fn sail(_: &mut Position) {}

    let schedule = built(|builder| {
        builder.add::<accelerate>().add::<sail>();
    });
    let (rule, text) = rule(&schedule, "accelerate", "sail");
    assert!(matches!(rule, SweepRule::Stores(..)));
    assert_eq!(text, "their entities are in `World` and in `World<Ships>`");
}

#[test]
fn a_loop_around_one_of_them_is_reported() {
    #[system]
    fn is_moving() -> bool {
        false
    }

    let schedule = built(|builder| {
        builder.add::<accelerate>();
        builder.repeat_while::<is_moving>(|body| body.add::<integrate>());
    });
    let (rule, text) = rule(&schedule, "integrate", "accelerate");
    assert_eq!(rule, SweepRule::Loop);
    assert_eq!(text, "a loop contains only one of them");
}

mod off {
    use super::*;

    fn why_off(schedule: &Schedule) -> (SweepOff, String) {
        let (rule, text) = rule(schedule, "accelerate", "integrate");
        let SweepRule::Off { system, by } = rule else {
            panic!("{rule}");
        };
        assert_eq!(system.name, "integrate");
        (by, text)
    }

    #[test]
    fn a_setting_of_the_system_is_reported() {
        let schedule = built(|builder| {
            builder
                .add::<accelerate>()
                .add::<integrate>()
                .without_sweeps();
        });
        let text = "`integrate` has `sweep = false`".to_string();
        assert_eq!(why_off(&schedule), (SweepOff::System, text));
    }

    #[test]
    fn a_setting_of_its_plugin_is_reported() {
        let plugin = |builder: &mut Builder| {
            builder.sweep(false).add::<integrate>();
        };
        let schedule = built(|builder| {
            builder.add::<accelerate>().include(plugin);
        });
        let text = "sweeps are turned off for the plugin of `integrate`".to_string();
        assert_eq!(why_off(&schedule), (SweepOff::Plugin, text));
    }

    #[test]
    fn a_setting_of_the_schedule_is_reported() {
        let schedule = built(|builder| {
            builder.sweep(false).add::<accelerate>().add::<integrate>();
        });
        let (rule, text) = rule(&schedule, "accelerate", "integrate");
        assert!(matches!(
            rule,
            SweepRule::Off {
                by: SweepOff::Schedule,
                ..
            }
        ));
        assert_eq!(text, "sweeps are turned off for the schedule");
    }

    #[test]
    fn a_failure_that_stops_the_run_is_reported() {
        let schedule = built(|builder| {
            builder.add::<accelerate>().add::<integrate>();
            builder.failure_policy_for("integrate", FailurePolicy::Stop);
        });
        let text = "a failure of `integrate` stops the run".to_string();
        assert_eq!(why_off(&schedule), (SweepOff::StopsRun, text));
    }

    #[test]
    fn a_system_that_always_runs_is_reported() {
        let schedule = built(|builder| {
            builder.add::<accelerate>().add::<integrate>().always();
        });
        let text = "`integrate` always runs".to_string();
        assert_eq!(why_off(&schedule), (SweepOff::Always, text));
    }

    #[test]
    fn the_main_thread_is_reported() {
        let schedule = built(|builder| {
            builder
                .add::<accelerate>()
                .add::<integrate>()
                .on_main_thread();
        });
        let (rule, text) = rule(&schedule, "accelerate", "integrate");
        assert!(matches!(
            rule,
            SweepRule::Off {
                by: SweepOff::MainThread,
                ..
            }
        ));
        assert_eq!(text, "`integrate` runs on the thread that calls `run`");
        let alone = built(|builder| {
            builder.add::<accelerate>().on_main_thread();
            builder.add::<integrate>().on_main_thread();
        });
        let why = alone.why("accelerate", "integrate").unwrap().to_string();
        assert!(
            why.ends_with("`accelerate` runs on the thread that calls `run`"),
            "{why}"
        );
    }
}

#[test]
fn a_query_of_a_component_is_reported() {
    #[system(for_each, after = integrate)]
    fn flock(velocity: &mut Velocity, others: Query<&Position>) {
        velocity.0 += others.len() as i64;
    }

    let schedule = built(|builder| {
        builder.add::<integrate>().add::<flock>();
    });
    let (rule, text) = rule(&schedule, "flock", "integrate");
    let SweepRule::Conflict {
        queried_by,
        resource,
        ..
    } = rule
    else {
        panic!("{rule}");
    };
    assert_eq!(queried_by.unwrap().name, "flock");
    assert_eq!(resource, "Position");
    assert_eq!(
        text,
        "`flock` and `integrate` conflict on `Position`, which `flock` also accesses of other entities"
    );
}

#[test]
fn a_fold_and_a_read_of_it_are_reported() {
    #[system(for_each)]
    fn count(position: &Position, mut total: Fold<Total>) {
        *total += position.0;
    }

    #[system(for_each, after = count)]
    fn share(velocity: &mut Velocity, #[resource] total: &Total) {
        velocity.0 = total.0;
    }

    let schedule = built(|builder| {
        builder.add::<count>().add::<share>();
    });
    let (rule, text) = rule(&schedule, "count", "share");
    assert!(matches!(
        rule,
        SweepRule::Conflict {
            queried_by: None,
            ..
        }
    ));
    assert_eq!(
        text,
        "`count` and `share` conflict on `Total`, which is not a component"
    );
}

#[test]
fn a_node_between_two_systems_is_reported() {
    #[system(after = accelerate, before = integrate)]
    fn inspect(_: Query<&Velocity>) {}

    let schedule = built(|builder| {
        builder
            .add::<accelerate>()
            .add::<inspect>()
            .add::<integrate>();
    });
    let (rule, text) = rule(&schedule, "accelerate", "integrate");
    assert!(matches!(rule, SweepRule::Between { .. }));
    assert_eq!(
        text,
        "`inspect` runs after `accelerate` and before `integrate`"
    );
}

#[test]
fn a_failure_that_skips_another_member_is_reported() {
    #[system(for_each)]
    fn load(_: &mut Velocity) -> Result<(), &'static str> {
        Ok(())
    }

    let schedule = built(|builder| {
        builder.chain::<(load, integrate)>();
        builder.add::<decay>();
    });
    // `decay` joins the nearest sweep.
    assert_eq!(sweeps(&schedule), [["integrate", "decay"]]);
    let (rule, text) = rule(&schedule, "load", "integrate");
    assert!(matches!(rule, SweepRule::Failure { .. }));
    assert_eq!(
        text,
        "a failure of `load` skips `integrate`; `integrate` runs chunk by chunk with `decay`"
    );
}

#[test]
fn a_sweep_between_two_sweeps_is_reported() {
    #[system(for_each = World<Ships>, after = accelerate)]
    fn launch(_: &mut Position) {}

    #[system(for_each = World<Ships>, after = launch, before = decay)]
    fn sail(_: &mut Position) {}

    let schedule = built(|builder| {
        builder
            .add::<accelerate>()
            .add::<launch>()
            .add::<sail>()
            .add::<decay>();
    });
    assert_eq!(sweeps(&schedule), [["launch", "sail"]]);
    // The path leads through a node outside of the sweeps, which is a stronger reason.
    let (path, _) = rule(&schedule, "accelerate", "decay");
    assert!(matches!(path, SweepRule::Between { .. }));

    #[system(for_each = World<Ships>, after = accelerate)]
    fn land(_: &mut Velocity) {}

    #[system(for_each = World<Ships>, before = decay)]
    fn repair(_: &mut Position) {}

    let schedule = built(|builder| {
        builder
            .add::<accelerate>()
            .add::<land>()
            .add::<repair>()
            .add::<decay>();
    });
    assert_eq!(sweeps(&schedule), [["land", "repair"]]);
    let (cycle, text) = rule(&schedule, "accelerate", "decay");
    assert!(matches!(cycle, SweepRule::Cycle(_)));
    assert_eq!(
        text,
        "their sweep would have to run both before and after that of `land`, `repair`"
    );
}

#[test]
fn a_delay_by_the_model_is_reported() {
    #[system(after = accelerate)]
    fn render() {}

    let schedule = built(|builder| {
        builder.add::<accelerate>().add::<decay>().add::<render>();
        builder.costs(|system| {
            Some(Duration::from_millis(if system.name == "render" {
                20
            } else {
                2
            }))
        });
    });
    let (rule, text) = rule(&schedule, "accelerate", "decay");
    assert_eq!(rule, SweepRule::Delay);
    assert_eq!(
        text,
        "by the model of run times, a run would take longer, because other systems would wait"
    );
}
