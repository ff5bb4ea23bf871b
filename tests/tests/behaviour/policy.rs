//! Policies for unordered pairs that conflict.

use schedule::Builder;
use schedule::access::ResourceId;
use schedule::error::Problem;
use schedule::prelude::*;

use crate::trace::{Trace, named, races};

#[derive(Default, Resource)]
struct Gold;

/// Returns the systems in order of execution, if the schedule can be built.
fn order_of(trace: &Trace, builder: &mut Builder) -> Vec<String> {
    let mut resources = named(&["R", "S"]);
    resources.insert(Gold);
    trace.of(&mut builder.build().unwrap(), &mut resources)
}

fn gold() -> ResourceId {
    ResourceId::of::<Gold>()
}

#[test]
fn default_policy_of_a_schedule_is_reject() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let add = |builder: &mut Builder| {
        builder
            .add_dynamic(trace.system("reader").reads("R"))
            .add_dynamic(trace.system("writer").writes("R"));
    };
    add(&mut builder);
    assert_eq!(
        races(&mut builder),
        [("reader".to_string(), "writer".to_string())]
    );
    add(&mut builder);
    builder.policy(Policy::WritersFirst);
    assert_eq!(order_of(&trace, &mut builder), ["writer", "reader"]);
    for policy in [Policy::InsertionOrder, Policy::Accepted] {
        add(&mut builder);
        builder.policy(policy);
        assert_eq!(order_of(&trace, &mut builder), ["reader", "writer"]);
    }
}

#[test]
fn insertion_order_keeps_the_order_of_addition_unless_orders_contradict() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    for name in ["a", "b", "c", "d"] {
        builder.add_dynamic(trace.system(name).writes("R"));
    }
    builder.order("c", "a");
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R"])),
        ["b", "c", "a", "d"]
    );
    assert_eq!(schedule.n_policy_orders(), 2);
}

#[test]
fn a_pair_has_the_strictest_policy_of_its_resources() {
    let trace = Trace::default();
    let all = [
        Policy::Reject,
        Policy::WritersFirst,
        Policy::InsertionOrder,
        Policy::Accepted,
        Policy::Optimize,
    ];
    for one in all {
        for other in all {
            let mut builder = Schedule::builder();
            builder
                .policy(Policy::Reject)
                .policy_for_resource("R", one)
                .policy_for::<Gold>(other)
                .add_dynamic(trace.system("reader").reads("R").reads(gold()))
                .add_dynamic(trace.system("writer").writes("R").writes(gold()));
            match one.min(other) {
                Policy::Reject => assert_eq!(races(&mut builder).len(), 1),
                Policy::WritersFirst => {
                    assert_eq!(order_of(&trace, &mut builder), ["writer", "reader"]);
                }
                Policy::InsertionOrder | Policy::Accepted => {
                    assert_eq!(order_of(&trace, &mut builder), ["reader", "writer"]);
                }
                Policy::Optimize => assert_eq!(order_of(&trace, &mut builder).len(), 2),
            }
        }
    }
}

#[test]
fn policy_of_a_shared_resource_without_a_conflict_is_ignored() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy_for_resource("R", Policy::InsertionOrder)
        .policy_for_resource("S", Policy::Reject)
        .add_dynamic(trace.system("a").writes("R").reads("S"))
        .add_dynamic(trace.system("b").writes("R").reads("S"));
    assert_eq!(order_of(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn resource_without_a_policy_uses_that_of_the_schedule() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy_for_resource("R", Policy::Accepted)
        .add_dynamic(trace.system("a").writes("R").writes("S"))
        .add_dynamic(trace.system("b").writes("R").writes("S"));
    assert_eq!(races(&mut builder).len(), 1);
}

#[test]
fn policy_of_a_pair_overrides_all_others() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .policy_for_resource("R", Policy::InsertionOrder)
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .add_dynamic(trace.system("c").writes("R"))
        .policy_between("c", "a", Policy::Reject);
    assert_eq!(races(&mut builder), [("a".to_string(), "c".to_string())]);
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .accept("b", "a", "either will do");
    assert_eq!(order_of(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn accepted_resource_does_not_accept_races_on_others() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .accept_for::<Gold>("it is only counted")
        .add_dynamic(trace.system("a").writes(gold()))
        .add_dynamic(trace.system("b").writes(gold()).writes("R"))
        .add_dynamic(trace.system("c").writes("R"));
    assert_eq!(races(&mut builder), [("b".to_string(), "c".to_string())]);
}

#[test]
fn policy_of_a_resource_applies_to_systems_that_access_all() {
    let trace = Trace::default();
    let add = |builder: &mut Builder, except: Vec<ResourceId>| {
        builder
            .policy(Policy::InsertionOrder)
            .policy_for_resource("R", Policy::Reject)
            .add_dynamic(trace.system("a").writes_all_except(except))
            .add_dynamic(trace.system("b").reads_all_except([]));
    };
    let mut builder = Schedule::builder();
    add(&mut builder, Vec::new());
    assert_eq!(races(&mut builder), [("a".to_string(), "b".to_string())]);
    add(&mut builder, vec![ResourceId::named("R")]);
    assert_eq!(order_of(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn policies_without_a_conflict_change_nothing() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy_for_resource("nobody's", Policy::Reject)
        .policy_for_resource("nobody's", Policy::InsertionOrder)
        .add_dynamic(trace.system("a").reads("R"))
        .add_dynamic(trace.system("b").reads("R"))
        .policy_between("a", "b", Policy::Reject)
        .policy_between("a", "a", Policy::Reject);
    assert_eq!(order_of(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn repeated_equal_policy_counts_once() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .policy_between("a", "b", Policy::Accepted)
        .accept("b", "a", "the same, with a reason")
        .policy_for_resource("R", Policy::Reject)
        .policy_for_resource("R", Policy::Reject);
    assert_eq!(order_of(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn writers_first_accepts_a_declared_order_of_two_writers() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add_dynamic(trace.system("reader").reads("R"))
        .add_dynamic(trace.system("second").writes("R"))
        .add_dynamic(trace.system("first").writes("R"))
        .order("first", "second");
    assert_eq!(
        order_of(&trace, &mut builder),
        ["first", "second", "reader"]
    );
}

#[test]
fn writers_first_orders_only_unordered_pairs() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add_dynamic(trace.system("writer").writes("R"))
        .add_dynamic(trace.system("reader").reads("R"))
        .order("reader", "writer");
    assert_eq!(order_of(&trace, &mut builder), ["reader", "writer"]);
}

#[test]
fn writers_first_cycle_through_several_systems_is_an_error() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add_dynamic(trace.system("a").writes("R").reads("T"))
        .add_dynamic(trace.system("b").reads("R").writes("S"))
        .add_dynamic(trace.system("c").reads("S").writes("T"));
    let error = builder.build().unwrap_err();
    let [Problem::WritersFirst(cycle)] = error.problems() else {
        panic!("{error}");
    };
    let names: Vec<_> = cycle.steps.iter().map(|step| &step.from.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn policy_order_does_not_resolve_a_rejected_pair() {
    let trace = Trace::default();
    for policy in [
        Policy::WritersFirst,
        Policy::InsertionOrder,
        Policy::Accepted,
    ] {
        let mut builder = Schedule::builder();
        builder
            .policy_for_resource("R", policy)
            .add_dynamic(trace.system("a").writes("R").writes("S"))
            .add_dynamic(trace.system("b").reads("R"))
            .order("b", "c")
            .add_dynamic(trace.system("c").writes("S"));
        assert_eq!(
            races(&mut builder),
            [("a".to_string(), "c".to_string())],
            "{policy}"
        );
    }
}

#[test]
fn weak_order_resolves_only_races_of_its_own_pairs() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b"))
        .add_dynamic(trace.system("c").writes("R"))
        .order_if_conflicting("c", "b")
        .order("b", "a");
    assert_eq!(order_of(&trace, &mut builder), ["b", "c", "a"]);

    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.system("b"))
        .order_if_conflicting("b", "a");
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut Resources::new()),
        ["a", "b"],
        "they do not conflict"
    );
    assert_eq!(schedule.n_policy_orders(), 0);
}

#[test]
fn policies_apply_to_an_exclusive_system() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.system("alone").exclusive())
        .add_dynamic(trace.system("b"));
    assert_eq!(order_of(&trace, &mut builder), ["a", "alone", "b"]);
    builder
        .policy(Policy::WritersFirst)
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.system("alone").exclusive());
    assert_eq!(order_of(&trace, &mut builder), ["alone", "a"]);
}

#[test]
fn accepted_races_are_reported_with_their_reasons() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .add_dynamic(trace.system("c").reads(gold()))
        .add_dynamic(trace.system("d").writes(gold()))
        .accept("b", "a", "both add")
        .policy_between("a", "b", Policy::Accepted)
        .accept_for::<Gold>("it is only counted");
    let schedule = builder.build().unwrap();
    let accepted: Vec<_> = schedule
        .accepted()
        .iter()
        .map(|accepted| {
            let race = &accepted.race;
            let names = (race.first.name.as_str(), race.second.name.as_str());
            (names, accepted.reason.as_deref())
        })
        .collect();
    assert_eq!(
        accepted,
        [
            (("a", "b"), Some("both add")),
            (("c", "d"), Some("it is only counted")),
        ]
    );
}

#[test]
fn policy_for_an_unused_resource_is_a_warning() {
    let mut builder = Schedule::builder();
    builder.policy_for_resource("Halth", Policy::InsertionOrder);
    let line = line!() - 1;
    let schedule = builder.build().unwrap();
    assert_eq!(
        schedule.warnings()[0].to_string(),
        format!(
            "the policy of `Halth` at {}:{line} has no effect, because no system uses this resource: remove it",
            file!()
        )
    );
}
