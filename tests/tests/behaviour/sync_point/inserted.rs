//! Orders include commands: sync points that are inserted between a system with commands and a system that uses the changes.

use schedule::condition::exists;
use schedule::param::Failures;
use schedule::prelude::*;
use schedule::{Builder, Condition, Executor, FailurePolicy};

use super::Level;
use crate::{Log, failures, take_log, with_log};

#[derive(Debug, Default, PartialEq, Resource)]
struct Wish(u32);

/// Inserts the wish of this run.
#[system]
fn decide(mut count: Local<u32>, mut commands: Commands<Inserts<Wish>>) {
    *count += 1;
    commands.insert(Wish(*count));
}

#[system]
fn act(wish: Option<&Wish>, log: &mut Log) {
    log.push(match wish {
        None => "no wish",
        Some(Wish(1)) => "first wish",
        Some(_) => "later wish",
    });
}

fn build(declare: impl FnOnce(&mut Builder)) -> Schedule {
    let mut builder = Schedule::builder();
    declare(&mut builder);
    builder.build().unwrap()
}

/// Runs a schedule once on each executor, and returns what it has logged.
fn logged(make: impl Fn() -> Schedule) -> Vec<&'static str> {
    let run = |executor| {
        let mut schedule = make();
        schedule.set_executor(executor);
        let mut resources = with_log();
        schedule.run(&mut resources).unwrap();
        take_log(&mut resources)
    };
    let serial = run(Executor::Serial);
    for executor in [Executor::Parallel, Executor::Auto] {
        assert_eq!(run(executor), serial);
    }
    serial
}

#[test]
fn order_includes_commands() {
    let make = || build(|builder| _ = builder.add::<decide>().add::<act>().after::<decide>());
    assert_eq!(logged(make), ["first wish"]);
    let schedule = make();
    let why = schedule.why("decide", "act").unwrap().to_string();
    assert!(
        why.ends_with(
            "`sync point before act` was inserted: `act` uses `Wish`, which the commands of `decide` may change"
        ),
        "{why}"
    );
    let lock = schedule.lock().to_string();
    let expected = "
order
  decide
  apply_commands sync point before act
  act

inserted
  sync point before act: decide -> act for Wish
";
    assert!(lock.contains(expected), "{lock}");
    let graph = schedule.graph();
    assert_eq!(graph.sync_points.len(), 1);
    graph.check().unwrap();
}

#[test]
fn listing_includes_commands() {
    schedule! { Frame { decide, act: after decide } }
    assert_eq!(logged(|| Frame::builder().build().unwrap()), ["first wish"]);
}

#[test]
fn order_without_commands_inserts_nothing() {
    let make = || {
        build(|builder| {
            builder.add::<decide>().add::<act>();
            builder.after_without_commands::<decide>();
        })
    };
    assert_eq!(logged(make), ["no wish"]);
    assert!(make().graph().sync_points.is_empty());
    // It also excludes the commands of every other order of the two.
    let make = || {
        build(|builder| {
            builder.add::<decide>().add::<act>().after::<decide>();
            builder.order_without_commands("decide", "act");
        })
    };
    assert_eq!(logged(make), ["no wish"]);
}

#[system(after_without_commands = decide)]
fn act_after(wish: Option<&Wish>, log: &mut Log) {
    log.push(if wish.is_none() { "no wish" } else { "wish" });
}

#[system(before_without_commands = act)]
fn decide_before(mut commands: Commands<Inserts<Wish>>) {
    commands.insert(Wish(1));
}

/// As clauses of attributes and of listings. The order holds, and its commands do not belong to it.
#[test]
fn clauses_without_commands_insert_nothing() {
    schedule! { After { act: after_without_commands decide, decide } }
    schedule! { Before { act, decide: before_without_commands act } }
    schedule! { AfterAttribute { act_after, decide } }
    schedule! { BeforeAttribute { act, decide_before } }
    // An order of the listing includes the commands, but not those that the clause excludes.
    schedule! { Both { act: after decide after_without_commands decide, decide } }
    let all = [
        After::builder,
        Before::builder,
        AfterAttribute::builder,
        BeforeAttribute::builder,
        Both::builder,
    ];
    for (nth, builder) in all.into_iter().enumerate() {
        let schedule = builder().build().unwrap();
        assert!(schedule.graph().sync_points.is_empty(), "{nth}");
        let order = schedule.lock().to_string();
        let at = |name| order.find(name).unwrap();
        assert!(
            at("  decide") < at("  act") || nth == 1 || nth == 3,
            "{nth}: {order}"
        );
        assert_eq!(logged(|| builder().build().unwrap()), ["no wish"], "{nth}");
    }
}

/// The names of the inserted sync points and the pairs that need them.
fn inserted(schedule: &Schedule) -> Vec<String> {
    let sync_points = schedule.report().sync_points.into_iter();
    let text = |(writer, user, change): (_, _, String)| format!("{writer} -> {user} for {change}");
    let sync_points = sync_points.map(|one| {
        let pairs: Vec<String> = one.pairs.into_iter().map(text).collect();
        format!("{}: {}", one.sync_point, pairs.join(", "))
    });
    sync_points.collect()
}

#[derive(Group)]
struct Morning;

#[derive(Checkpoint)]
struct Noon;

/// Inserts another resource.
#[system]
fn plan(mut commands: Commands<Inserts<Level>>) {
    commands.insert(Level(1));
}

#[system]
fn follow(level: Option<&Level>, log: &mut Log) {
    log.push(if level.is_some() { "level" } else { "no level" });
}

#[test]
fn several_pairs_share_a_sync_point() {
    let schedule = build(|builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add::<decide>().add::<act>().after::<decide>();
        builder.add::<plan>().add::<follow>().after::<plan>();
    });
    let expected = "sync point before act: decide -> act for Wish, plan -> follow for Level";
    assert_eq!(inserted(&schedule), [expected]);
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["decide", "plan", "act", "follow"]
    );
    assert!(schedule.report().to_string().contains(
        "inserted sync points\n  `sync point before act`: `decide` -> `act` for `Wish`, `plan` -> `follow` for `Level`"
    ));
}

#[test]
fn chain_of_pairs_needs_a_sync_point_for_each() {
    #[system]
    fn refine(wish: Option<&Wish>, mut commands: Commands<Inserts<Level>>) {
        commands.insert(Level(wish.map_or(0, |wish| wish.0)));
    }

    let schedule = build(|builder| {
        builder.chain::<(decide, refine, follow)>();
    });
    assert_eq!(
        inserted(&schedule),
        [
            "sync point before refine: decide -> refine for Wish",
            "sync point before follow: refine -> follow for Level",
        ]
    );
}

#[test]
fn orders_of_groups_checkpoints_and_conditions_include_commands() {
    let through_group = build(|builder| {
        builder.add::<decide>().in_group::<Morning>();
        builder.add::<act>().after::<Morning>();
    });
    let through_checkpoint = build(|builder| {
        builder
            .add::<decide>()
            .before::<Noon>()
            .checkpoint::<Noon>();
        builder.add::<act>().after::<Noon>();
    });
    let through_another = build(|builder| {
        builder.add::<decide>().add_closure("rest", || {});
        builder
            .add::<act>()
            .order("decide", "rest")
            .order("rest", "act");
    });
    let of_condition = build(|builder| {
        builder.add::<decide>().add_closure("rest", || {});
        builder.run_if(Condition::of::<exists<Wish>>());
        builder.add::<exists<Wish>>().after::<decide>();
    });
    let expected = ["sync point before act: decide -> act for Wish"];
    for schedule in [through_group, through_checkpoint, through_another] {
        assert_eq!(inserted(&schedule), expected);
    }
    assert_eq!(
        inserted(&of_condition),
        ["sync point before exists<Wish>: decide -> exists<Wish> for Wish"]
    );
}

#[test]
fn policies_and_weak_orders_include_no_commands() {
    #[system]
    fn decide_and_log(log: &mut Log, mut commands: Commands<Inserts<Wish>>) {
        log.push("decided");
        commands.insert(Wish(1));
    }

    let by_policy = build(|builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add::<decide_and_log>().add::<act>();
    });
    assert_eq!(inserted(&by_policy), [""; 0]);
    let weak = build(|builder| {
        builder.add::<decide_and_log>().add::<act>();
        builder.after_if_conflicting::<decide_and_log>();
    });
    assert_eq!(inserted(&weak), [""; 0]);
    // The system finds the change one run late, and the build says so.
    let warnings: Vec<String> = weak.warnings().iter().map(ToString::to_string).collect();
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    assert!(
        warning.contains("no declared order connects the two: the change appears one run late"),
        "{warning}"
    );
}

#[test]
fn declared_sync_point_serves_if_it_runs_whenever_the_user_does() {
    let served = build(|builder| {
        builder.add::<decide>().before::<Noon>();
        builder.apply_commands::<Noon>();
        builder.add::<act>().after::<Noon>();
    });
    assert_eq!(inserted(&served), [""; 0]);
    let guarded = |guards_user| {
        build(|builder| {
            let is_even = Condition::of::<is_even>();
            builder.policy(Policy::InsertionOrder);
            builder.add::<is_even>().add::<decide>().before::<Noon>();
            builder.apply_commands::<Noon>().run_if(is_even.clone());
            builder.add::<act>().after::<Noon>();
            if guards_user {
                builder.run_if(is_even);
            }
        })
    };
    assert_eq!(inserted(&guarded(true)), [""; 0]);
    let expected = ["sync point before act: decide -> act for Wish"];
    assert_eq!(inserted(&guarded(false)), expected);
}

#[system]
fn is_even(mut n_runs: Local<u32>) -> bool {
    *n_runs += 1;
    n_runs.is_multiple_of(2)
}

/// Pairs of two loops are served between the loops, those of one loop in its body.
#[test]
fn sync_point_is_at_the_common_level() {
    #[system]
    fn again(mut n_asked: Local<u32>) -> bool {
        *n_asked += 1;
        !n_asked.is_multiple_of(3)
    }

    #[system]
    fn once(mut n_asked: Local<u32>) -> bool {
        *n_asked += 1;
        !n_asked.is_multiple_of(2)
    }

    let make = || {
        build(|builder| {
            builder.repeat_while::<again>(|body| body.chain::<(decide, act)>());
            builder.repeat_while::<once>(|body| body.add::<follow>());
            builder.add::<plan>().before::<again>();
            builder.order("again", "once");
        })
    };
    assert_eq!(logged(make), ["first wish", "later wish", "level"]);
    let lock = make().lock().to_string();
    let order = "
order
  plan
  apply_commands sync point before follow
  repeat while again
    decide
    apply_commands sync point before act
    act
  repeat while once
    follow
";
    assert!(lock.contains(order), "{lock}");
}

/// A system outside of the loop must not run while commands are applied.
#[test]
fn nothing_runs_beside_a_loop_with_a_sync_point() {
    #[system]
    fn again(mut n_asked: Local<u32>) -> bool {
        *n_asked += 1;
        !n_asked.is_multiple_of(3)
    }

    let schedule = build(|builder| {
        builder.add_closure("before", || {});
        builder.repeat_while::<again>(|outer| {
            outer.repeat_while_closure("inner", || false, |body| body.chain::<(decide, act)>())
        });
        builder.add_closure("after", |_: Option<&Level>| ());
    });
    let why = |one: &str, other: &str| schedule.why(one, other).unwrap().to_string();
    assert!(
        why("before", "again").starts_with("`before` comes before `again`: `before` -> `again`")
    );
    assert!(why("again", "after").starts_with("`again` comes before `after`: `again` -> `after`"));
}

/// A sync point passes on no failure, and applies the commands of the systems that succeeded.
#[test]
fn failure_does_not_pass_through_a_sync_point() {
    let make = || {
        build(|builder| {
            builder
                .add_closure("fail", || Err::<(), _>("no"))
                .add::<decide>();
            builder.add_closure("fail_too", |mut commands: Commands<Inserts<Wish>>| {
                commands.insert(Wish(9));
                Err::<(), _>("no")
            });
            builder.failure_policy_for("fail_too", FailurePolicy::CarryOn);
            builder.add::<act>();
            builder.order("decide", "act").order("fail_too", "act");
        })
    };
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let mut schedule = make();
        schedule.set_executor(executor);
        let mut resources = with_log();
        let error = schedule.run(&mut resources).unwrap_err();
        assert_eq!(error.failures().len(), 2);
        assert_eq!(error.skipped().len(), 0);
        assert_eq!(take_log(&mut resources), ["first wish"]);
    }
}

/// It was not added, so a user would not know its name.
#[test]
fn an_inserted_sync_point_of_a_skipped_loop_is_not_listed() {
    let make = || {
        build(|builder| {
            builder.add_closure("fail", || Err::<(), _>("no"));
            builder.repeat_while_closure("once", || true, |body| body.chain::<(decide, act)>());
            builder
                .order("fail", "once")
                .add_closure("tell", |failures: Failures<'_>, log: &mut Log| {
                    assert_eq!(failures.skipped().len(), 3);
                    log.push("told");
                })
                .always()
                .order("once", "tell");
        })
    };
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let mut schedule = make();
        assert_eq!(inserted(&schedule).len(), 1);
        schedule.set_executor(executor);
        let mut resources = with_log();
        let error = schedule.run(&mut resources).unwrap_err();
        let skipped: Vec<&str> = error.skipped().iter().map(|one| &*one.name).collect();
        assert_eq!(skipped, ["once", "decide", "act"]);
        assert_eq!(take_log(&mut resources), ["told"]);
    }
}

#[test]
fn undeclared_change_is_an_error_of_the_system() {
    let mut schedule = build(|builder| {
        builder.add_closure("insert", |mut commands: Commands<Inserts<Wish>>| {
            commands.insert(Wish(1)).insert(Level(1));
        });
        builder.add_closure("remove", |mut commands: Commands<Inserts<Wish>>| {
            commands.remove::<Level>();
        });
    });
    let failed = failures(schedule.run(&mut Resources::new()));
    let text = "commands change `Level`, but do not declare it: add `Inserts<Level>` to the type of the `Commands` parameter";
    assert_eq!(
        failed,
        ["insert", "remove"].map(|name| format!("{name}: panicked: {text}"))
    );
}

#[test]
fn change_keeps_or_removes_inserted_sync_points() {
    let mut schedule = build(|builder| {
        _ = builder
            .add::<decide>()
            .add::<act>()
            .after_if_present::<decide>()
    });
    assert_eq!(inserted(&schedule).len(), 1);
    schedule
        .change(|builder| builder.add::<plan>().add::<follow>().after::<plan>())
        .unwrap_err();
    schedule
        .change(|builder| {
            builder.policy(Policy::InsertionOrder);
            builder.add::<plan>().add::<follow>().after::<plan>()
        })
        .unwrap();
    assert_eq!(inserted(&schedule).len(), 1);
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["first wish", "level"]);
    schedule.change(|builder| builder.remove("decide")).unwrap();
    assert_eq!(
        inserted(&schedule),
        ["sync point before follow: plan -> follow for Level"]
    );
}
