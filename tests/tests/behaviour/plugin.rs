//! Plugins of schedules. For random ones, see `levels`.

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Condition, FailurePolicy, Plugin, Policy, Target};

use crate::trace::{Trace, named, races};
use crate::{Log, schedule_of, take_log, with_log};

#[derive(Group)]
struct Physics;

#[derive(Resource)]
struct Position(i32);

#[system(in = Physics)]
fn accelerate(log: &mut Log) {
    log.push("accelerate");
}

#[system(in = Physics, after = accelerate)]
fn integrate(log: &mut Log) {
    log.push("integrate");
}

#[system(after = accelerate, before = integrate)]
fn between(log: &mut Log) {
    log.push("between");
}

#[system]
fn is_due(log: &mut Log) -> bool {
    log.push("is_due");
    true
}

#[system(if = is_due)]
fn strike(log: &mut Log) {
    log.push("strike");
}

#[system(if = is_due, after = strike)]
fn chime(log: &mut Log) {
    log.push("chime");
}

schedule! {
    /// A plugin with named entries, a loop and a policy.
    Clock {
        policy insertion order,
        accelerate as first,
        is_due as last: after first,
        strike: after last,
    }
}

fn physics(builder: &mut Builder) {
    builder.add::<integrate>().add::<accelerate>();
}

/// Adds this number of systems in a chain.
struct Chimes(usize);

impl Plugin for Chimes {
    fn declare(self, builder: &mut Builder) {
        let mut last = None;
        for _ in 0..self.0 {
            let this = builder.add::<chime>().named("chime").last();
            if let (Some(last), Some(this)) = (last, this) {
                builder.order(last, this);
            }
            last = this;
        }
        builder.add::<strike>();
    }
}

/// Adds two systems that write the same resource.
fn writers(builder: &mut Builder) {
    builder
        .add_dynamic(writer("a", "R"))
        .add_dynamic(writer("b", "R"));
}

fn writer(name: &str, resource: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ()).writes(resource)
}

fn names(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

fn pair(one: &str, other: &str) -> (String, String) {
    (one.to_string(), other.to_string())
}

#[test]
fn plugin_is_not_a_barrier() {
    let mut schedule = schedule_of(|builder| builder.add::<between>().include(physics));
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(
        take_log(&mut resources),
        ["accelerate", "between", "integrate"]
    );
}

#[test]
fn type_with_settings_is_a_plugin() {
    let schedule = schedule_of(|builder| builder.include(Chimes(3)));
    assert_eq!(
        names(&schedule),
        ["is_due", "strike", "chime", "chime", "chime"]
    );
}

#[test]
fn listed_schedule_is_a_plugin_with_its_names_and_policies() {
    let alone = Clock::new();
    assert_eq!(names(&alone), ["first", "last", "strike"]);
    let mut builder = Schedule::builder();
    builder
        .add_closure("shift", || ())
        .include(Clock::builder());
    let schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["shift", "first", "last", "strike"]);
    assert_eq!(schedule.name(), "schedule");
}

#[test]
fn node_numbers_of_a_plugin_refer_to_its_own_nodes() {
    let trace = Trace::default();
    let mut plugin = Schedule::builder();
    let on = plugin.add_closure("on", || true).last().unwrap();
    let off = plugin.add_closure("off", || false).last().unwrap();
    let second = plugin.add_dynamic(trace.system("second")).last().unwrap();
    plugin.run_if(Condition::added(on));
    plugin
        .add_dynamic(trace.system("never"))
        .run_if(Condition::added(off));
    let first = plugin.add_dynamic(trace.system("first")).last().unwrap();
    plugin.order(first, second);
    plugin.repeat_while_closure(
        "loop",
        || false,
        |body| {
            body.add_dynamic(trace.system("inside"))
                .in_group::<Physics>()
        },
    );
    plugin.failure_policy_for(second, FailurePolicy::Stop);
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("whole"))
        .include(plugin)
        .add_dynamic(trace.system("behind"));
    let text = "\
schedule `schedule`
  whole
  on
  off
  never, if off
  first
  second, if on
  repeat while `loop`
    inside
  behind";
    let mut schedule = builder.build().unwrap();
    assert_eq!(format!("{schedule:?}"), text);
    assert_eq!(
        trace.of(&mut schedule, &mut named(&[])),
        ["whole", "first", "second", "behind"]
    );
}

#[test]
fn plugin_in_a_loop_belongs_to_the_loop_body() {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure(
        "outer",
        || false,
        |body| body.include(writers_in_order).include(nested()),
    );
    let text = "\
schedule `schedule`
  repeat while `outer`
    a
    b
    repeat while `inner`
      deep";
    assert_eq!(format!("{:?}", builder.build().unwrap()), text);
}

fn writers_in_order(builder: &mut Builder) {
    writers(builder);
    builder.order("a", "b");
}

fn nested() -> Builder {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure("inner", || false, |body| body.add_closure("deep", || ()));
    builder
}

#[test]
fn policy_of_a_plugin_applies_only_to_pairs_inside_it() {
    fn insertion_order(builder: &mut Builder) {
        writers(builder);
        builder.policy(Policy::InsertionOrder);
    }
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.include(insertion_order)), []);
    let mut builder = Schedule::builder();
    builder
        .include(insertion_order)
        .add_dynamic(writer("c", "R"));
    assert_eq!(races(&mut builder), [pair("a", "c"), pair("b", "c")]);
    // The same with exchanged policies.
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .include(strict)
        .add_dynamic(writer("c", "R"));
    assert_eq!(races(&mut builder), [pair("a", "b")]);
}

fn strict(builder: &mut Builder) {
    writers(builder);
    builder.policy(Policy::Reject);
}

#[test]
fn plugin_without_policies_inherits_those_around_it() {
    fn inner(builder: &mut Builder) {
        builder.include(writers);
    }
    fn outer(builder: &mut Builder) {
        builder
            .policy_for_resource("R", Policy::InsertionOrder)
            .include(inner);
    }
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.include(outer)), []);
    // The innermost plugin with a policy for the resource.
    fn innermost(builder: &mut Builder) {
        builder
            .policy_for_resource("R", Policy::InsertionOrder)
            .include(|builder: &mut Builder| strict(builder));
    }
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.include(innermost)), [pair("a", "b")]);
}

#[test]
fn only_different_plugins_may_have_different_policies_for_a_resource() {
    fn accepting(builder: &mut Builder) {
        let system = |name| DynamicSystem::new(name, |_| ()).writes("R");
        builder
            .add_dynamic(system("c"))
            .add_dynamic(system("d"))
            .accept("c", "d", "they say so");
    }
    fn insertion_order(builder: &mut Builder) {
        writers(builder);
        builder.policy_for_resource("R", Policy::InsertionOrder);
    }
    let mut builder = Schedule::builder();
    builder
        .include(accepting)
        .include(insertion_order)
        .policy_for_resource("R", Policy::WritersFirst);
    let error = builder.build().unwrap_err().to_string();
    assert!(
        error.contains("policy `writers first` causes a cycle"),
        "{error}"
    );
    fn both(builder: &mut Builder) {
        insertion_order(builder);
        builder.policy_for_resource("R", Policy::Reject);
    }
    let error = Schedule::builder().include(both).build().unwrap_err();
    assert!(error.to_string().contains("has two policies"), "{error}");
}

#[test]
fn plugin_accepts_races_on_a_resource_only_for_its_own_pairs() {
    fn accepting(builder: &mut Builder) {
        builder
            .add_closure("a", |position: &mut Position| position.0 = 1)
            .add_closure("b", |position: &mut Position| position.0 = 2)
            .accept_for::<Position>("inside");
    }
    let schedule = schedule_of(|builder| {
        builder
            .include(accepting)
            .add_closure("c", |position: &mut Position| position.0 = 3)
            .accept_for::<Position>("outside")
    });
    let accepted = schedule.accepted().iter();
    let accepted: Vec<_> = accepted
        .map(|one| {
            let names = [&one.race.first.name, &one.race.second.name].map(String::as_str);
            (names, one.reason.as_deref().unwrap())
        })
        .collect();
    let expected = [
        (["a", "b"], "inside"),
        (["a", "c"], "outside"),
        (["b", "c"], "outside"),
    ];
    assert_eq!(accepted, expected);
}

#[test]
fn failure_policy_of_a_plugin_applies_to_its_own_systems() {
    let trace = Trace::default();
    let plugin = |name: &str, policy| {
        let mut plugin = Schedule::builder();
        let behind = format!("behind {name}");
        plugin
            .add_dynamic(trace.failing(name))
            .add_dynamic(trace.system(&behind))
            .order(name, behind.as_str());
        if let Some(policy) = policy {
            plugin.failure_policy(policy);
        }
        plugin
    };
    let mut schedule = schedule_of(|builder| {
        builder
            .include(plugin("a", Some(FailurePolicy::CarryOn)))
            .include(plugin("b", None))
    });
    let (ran, _) = trace.of_failure(&mut schedule, &mut named(&[]));
    assert_eq!(ran, ["a", "behind a", "b"]);
}

#[test]
fn condition_used_inside_and_outside_of_a_plugin_is_shared() {
    fn plugin(builder: &mut Builder) {
        builder.policy(Policy::InsertionOrder).add::<strike>();
    }
    let mut schedule = schedule_of(|builder| builder.add::<chime>().include(plugin));
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["is_due", "strike", "chime"]);

    // The condition writes the log, like `another`. Their pair belongs to the plugin only if no system outside of it uses the condition.
    fn with_another(builder: &mut Builder) {
        plugin(builder);
        builder.add_closure("another", |log: &mut Log| log.push("another"));
    }
    let mut builder = Schedule::builder();
    assert_eq!(races(builder.include(with_another)), []);
    let mut builder = Schedule::builder();
    builder
        .include(with_another)
        .add_closure("lamp", || ())
        .run_if(Condition::of::<is_due>());
    assert_eq!(races(&mut builder), [pair("is_due", "another")]);
}

#[test]
fn reference_matching_inside_and_outside_of_a_plugin_is_ambiguous() {
    let mut builder = Schedule::builder();
    let error = builder
        .add::<accelerate>()
        .include(physics)
        .build()
        .unwrap_err();
    assert!(
        error.to_string().contains("`accelerate`, used at "),
        "{error}"
    );
    assert!(error.to_string().contains("matches several"), "{error}");
}

#[test]
fn clause_after_an_included_plugin_has_no_target() {
    let mut builder = Schedule::builder();
    let error = builder
        .include(physics)
        .after::<between>()
        .build()
        .unwrap_err();
    assert!(
        error.to_string().contains("nothing was added before it"),
        "{error}"
    );
}

#[test]
fn plugin_is_added_and_its_group_removed_by_changes() {
    let mut schedule = schedule_of(|builder| builder.add_closure("stays", || ()));
    schedule.change(|builder| builder.include(physics)).unwrap();
    assert_eq!(names(&schedule), ["stays", "accelerate", "integrate"]);
    schedule
        .change(|builder| builder.remove(Target::of::<Physics>()))
        .unwrap();
    assert_eq!(names(&schedule), ["stays"]);
}

#[test]
fn builder_of_a_change_cannot_be_included() {
    let mut schedule = schedule_of(|builder| builder.add::<accelerate>());
    let mut taken = Schedule::builder();
    let result = schedule.change(|builder| {
        std::mem::swap(builder, &mut taken);
        builder
    });
    assert!(result.is_err());
    let error = Schedule::builder().include(taken).build().unwrap_err();
    assert!(error.to_string().contains("leave it in place"), "{error}");
}
