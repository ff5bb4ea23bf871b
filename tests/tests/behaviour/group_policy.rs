//! Policies and failure policies of groups.

use std::panic::Location;

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy, Target};

use crate::trace::{Trace, named, races};

#[derive(Group)]
struct Physics;

#[derive(Group)]
struct Inner;

#[derive(Group)]
struct Screen;

const FILE: &str = file!();

fn physics() -> Target {
    Target::of::<Physics>()
}

fn screen() -> Target {
    Target::of::<Screen>()
}

#[track_caller]
fn writer(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ()).writes("R")
}

/// Two ordered writers in `Physics`, and a third writer outside of it.
fn with_group() -> Builder {
    let mut builder = Schedule::builder();
    for name in ["integrate", "collide"] {
        builder.add_dynamic(writer(name)).in_group::<Physics>();
    }
    builder.order("integrate", "collide");
    builder.add_dynamic(writer("teleport"));
    builder
}

/// Sets a policy. Returns the line of the caller.
#[track_caller]
fn choose(builder: &mut Builder, one: Target, other: Target, policy: Policy) -> u32 {
    builder.policy_between(one, other, policy);
    Location::caller().line()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs.map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn races_with_all_members_of_a_group_are_accepted_together() {
    assert_eq!(races(&mut with_group()).len(), 2);
    let mut builder = with_group();
    builder.accept(physics(), "teleport", "either way");
    let schedule = builder.build().unwrap();
    let accepted = schedule.accepted().iter().map(|one| {
        let race = &one.race;
        let names = (race.first.name.as_str(), race.second.name.as_str());
        (names, one.reason.as_deref())
    });
    assert_eq!(
        accepted.collect::<Vec<_>>(),
        [
            (("integrate", "teleport"), Some("either way")),
            (("collide", "teleport"), Some("either way")),
        ]
    );
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["integrate", "collide", "teleport"]
    );
}

#[test]
fn policy_between_takes_a_group_on_either_side() {
    for is_swapped in [false, true] {
        let mut builder = with_group();
        if is_swapped {
            builder.policy_between("teleport", physics(), Policy::InsertionOrder)
        } else {
            builder.policy_between(physics(), "teleport", Policy::InsertionOrder)
        };
        assert_eq!(builder.build().unwrap().n_policy_orders(), 1);
    }
}

#[test]
fn policy_of_two_groups_applies_to_each_pair_across_them() {
    let mut builder = Schedule::builder();
    for (idx, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        builder.add_dynamic(writer(name));
        if idx < 2 {
            builder.in_group::<Physics>()
        } else {
            builder.in_group::<Screen>()
        };
    }
    builder.policy_between(physics(), screen(), Policy::InsertionOrder);
    assert_eq!(races(&mut builder), pairs(&[("a", "b"), ("c", "d")]));
}

#[test]
fn policy_of_a_group_with_itself_applies_to_each_pair_in_it() {
    let mut builder = with_group();
    builder.add_dynamic(writer("settle")).in_group::<Physics>();
    builder.policy_between(physics(), physics(), Policy::InsertionOrder);
    assert_eq!(
        races(&mut builder),
        pairs(&[
            ("integrate", "teleport"),
            ("collide", "teleport"),
            ("teleport", "settle")
        ])
    );
}

#[test]
fn policy_of_a_group_and_its_member_excludes_that_member() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(writer(name)).in_group::<Physics>();
    }
    builder.policy_between(physics(), "b", Policy::InsertionOrder);
    assert_eq!(races(&mut builder), pairs(&[("a", "c")]));
}

/// Systems in nested groups, and in a loop inside of the group, race with `outside`.
#[test]
fn group_in_a_policy_includes_nested_groups_and_the_bodies_of_loops() {
    let add = |builder: &mut Builder| {
        builder.policy_for_resource("S", Policy::InsertionOrder);
        builder.group::<Inner>().in_group::<Physics>();
        builder.add_dynamic(writer("nested")).in_group::<Inner>();
        builder
            .repeat_while_closure(
                "again",
                || false,
                |body| {
                    body.add_dynamic(writer("body"));
                    body.repeat_while_closure(
                        "deeper",
                        || false,
                        |body| body.add_dynamic(writer("deepest")),
                    )
                },
            )
            .in_group::<Inner>();
        builder.order("body", "deeper").order("nested", "again");
        builder.add_dynamic(writer("outside"));
    };
    let mut builder = Schedule::builder();
    add(&mut builder);
    assert_eq!(races(&mut builder).len(), 3);
    add(&mut builder);
    builder.policy_between(physics(), "outside", Policy::InsertionOrder);
    builder.build().unwrap();
}

#[test]
fn policy_of_a_group_is_compatible_with_a_weak_order() {
    let mut builder = with_group();
    builder.add_dynamic(writer("draw"));
    builder.order_if_conflicting(physics(), "draw");
    builder.accept(physics(), "teleport", "either way");
    assert_eq!(races(&mut builder), pairs(&[("teleport", "draw")]));
}

#[test]
fn policy_of_two_nodes_overrides_that_of_a_group() {
    for is_first in [false, true] {
        let mut builder = with_group();
        if is_first {
            builder.policy_between("collide", "teleport", Policy::Reject);
        }
        builder.policy_between(physics(), "teleport", Policy::InsertionOrder);
        if !is_first {
            builder.policy_between("collide", "teleport", Policy::Reject);
        }
        assert_eq!(races(&mut builder), pairs(&[("collide", "teleport")]));
    }
}

#[test]
fn two_policies_for_a_pair_through_groups_are_an_error() {
    let mut builder = with_group();
    builder.group::<Physics>().in_group::<Screen>();
    let first = choose(
        &mut builder,
        physics(),
        "teleport".into(),
        Policy::InsertionOrder,
    );
    let second = choose(&mut builder, "teleport".into(), screen(), Policy::Reject);
    let error = builder.build().unwrap_err();
    let place = error.problems().iter().find_map(|problem| match problem {
        Problem::TwoPolicies { subject, .. } => Some(subject.clone()),
        _ => None,
    });
    let subject = place.expect("there are two policies");
    assert!(
        subject.starts_with(&format!("the pair of `teleport` ({FILE}:"))
            && subject.ends_with(") and `Screen`"),
        "{subject}"
    );
    let text = error.to_string();
    let wanted = format!(
        "{subject} has two policies: `insertion order` at {FILE}:{first} and `reject` at {FILE}:{second}"
    );
    assert!(text.contains(&wanted), "{text}");
}

#[test]
fn different_policies_of_groups_without_a_common_pair_are_allowed() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(writer("a")).in_group::<Physics>();
    builder
        .add_dynamic(writer("b"))
        .in_group::<Physics>()
        .in_group::<Screen>();
    // The only node in both groups is the other node of the pair.
    builder.policy_between(physics(), "b", Policy::InsertionOrder);
    builder.policy_between(screen(), "b", Policy::Reject);
    builder.build().unwrap();
}

#[test]
fn different_policies_of_groups_are_allowed_if_each_pair_has_its_own() {
    let mut builder = with_group();
    builder.group::<Physics>().in_group::<Screen>();
    builder.policy_between(physics(), "teleport", Policy::Reject);
    builder.policy_between(screen(), "teleport", Policy::WritersFirst);
    for name in ["integrate", "collide"] {
        builder.policy_between(name, "teleport", Policy::InsertionOrder);
    }
    builder.build().unwrap();
}

#[system]
fn heal(hp: &mut Hp) {
    hp.0 += 1;
}

#[system]
fn poison(hp: &mut Hp) {
    hp.0 -= 1;
}

#[system]
fn revive(hp: &mut Hp) {
    hp.0 = 1;
}

#[derive(Resource)]
struct Hp(i32);

schedule! {
    Fight {
        group Physics { heal, poison: after heal },
        revive,
        policy accepted "rarely both" for (Physics, revive),
    }
}

#[test]
fn listed_policy_takes_a_group() {
    let schedule = Fight::new();
    assert_eq!(schedule.accepted().len(), 2);
    let reasons = schedule.accepted().iter().map(|one| one.reason.as_deref());
    assert!(reasons.eq([Some("rarely both"); 2]));
}

#[test]
fn policy_of_a_builder_for_a_group_replaces_the_listed_one() {
    let mut builder = Fight::builder();
    builder.policy_between(physics(), Target::of::<revive>(), Policy::InsertionOrder);
    assert_eq!(builder.build().unwrap().accepted().len(), 0);
}

#[test]
fn large_groups_have_policies() {
    let mut builder = Schedule::builder();
    for idx in 0..300 {
        builder
            .add_dynamic(DynamicSystem::new(format!("p{idx}"), |_| ()).reads("R"))
            .in_group::<Physics>();
        builder
            .add_dynamic(DynamicSystem::new(format!("s{idx}"), |_| ()).writes("R"))
            .in_group::<Screen>();
    }
    builder.policy_between(physics(), screen(), Policy::InsertionOrder);
    builder.policy_between(screen(), screen(), Policy::InsertionOrder);
    assert_eq!(builder.build().unwrap().systems().count(), 600);
}

#[test]
fn pair_of_groups_is_in_the_graph_data_and_in_the_lock() {
    let mut builder = with_group();
    builder.accept(physics(), "teleport", "either way");
    let schedule = builder.build().unwrap();
    let lock = schedule.lock().to_string();
    assert!(
        lock.contains("accepted, for Physics and teleport"),
        "{lock}"
    );
}

/// `fails` runs before `next`. Both are in `Physics`.
fn failing(trace: &Trace) -> Builder {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .in_group::<Physics>();
    builder
        .add_dynamic(trace.system("next"))
        .in_group::<Physics>();
    builder.order("fails", "next");
    builder
}

fn trace_of(trace: &Trace, builder: &mut Builder) -> Vec<String> {
    let mut schedule = builder.build().unwrap();
    trace.of_failure(&mut schedule, &mut named(&["R"])).0
}

#[test]
fn failure_policy_of_a_group_applies_to_each_member() {
    let trace = Trace::default();
    assert_eq!(trace_of(&trace, &mut failing(&trace)), ["fails"]);
    let mut builder = failing(&trace);
    builder.failure_policy_for(physics(), FailurePolicy::CarryOn);
    assert_eq!(trace_of(&trace, &mut builder), ["fails", "next"]);
}

#[test]
fn failure_policy_of_a_group_applies_to_the_bodies_of_its_loops() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let mut n_asked = 0;
    let again = move || {
        n_asked += 1;
        n_asked % 2 == 1
    };
    builder
        .repeat_while_closure("again", again, |body| {
            body.add_dynamic(trace.failing("fails"));
            body.add_dynamic(trace.system("next"));
            body.order("fails", "next")
        })
        .in_group::<Physics>();
    builder.failure_policy_for(physics(), FailurePolicy::CarryOn);
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(schedule::Executor::Serial);
    schedule.run(&mut Resources::new()).unwrap_err();
    assert_eq!(trace.take(), ["fails", "next"]);
}

#[test]
fn failure_policy_of_a_node_overrides_that_of_a_group() {
    let trace = Trace::default();
    let mut builder = failing(&trace);
    builder
        .failure_policy_for("fails", FailurePolicy::CarryOn)
        .failure_policy_for(physics(), FailurePolicy::SkipDependents);
    assert_eq!(trace_of(&trace, &mut builder), ["fails", "next"]);
}

#[test]
fn two_failure_policies_through_groups_are_an_error() {
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        builder.add_dynamic(writer(name)).in_group::<Physics>();
    }
    let a = line!() - 2;
    builder.order("a", "b");
    builder.group::<Physics>().in_group::<Screen>();
    builder.failure_policy_for(physics(), FailurePolicy::Stop);
    builder.failure_policy_for(screen(), FailurePolicy::CarryOn);
    let (first, second) = (line!() - 2, line!() - 1);
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        format!(
            "1 problem in schedule `schedule`\n  \
             the failure of `a` ({FILE}:{a}) has two policies: `stop` at {FILE}:{first} and `carry on` at {FILE}:{second}\n      \
             help: remove one of these policies"
        )
    );
}

/// The second and the third policy contradict the first one. All three are declared at the same location.
#[test]
fn each_failure_policy_that_contradicts_an_earlier_one_is_reported() {
    let mut builder = Schedule::builder();
    builder.group::<Inner>().in_group::<Screen>();
    builder.group::<Screen>().in_group::<Physics>();
    builder.add_dynamic(writer("work")).in_group::<Inner>();
    for (group, policy) in [
        (physics(), FailurePolicy::CarryOn),
        (Target::of::<Inner>(), FailurePolicy::Stop),
        (screen(), FailurePolicy::Stop),
    ] {
        builder.failure_policy_for(group, policy);
    }
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
}

#[test]
fn failure_policies_of_groups_may_differ_if_the_system_has_its_own() {
    for is_first in [false, true] {
        let mut builder = Schedule::builder();
        builder.group::<Inner>().in_group::<Physics>();
        builder.add_dynamic(writer("work")).in_group::<Inner>();
        if is_first {
            builder.failure_policy_for("work", FailurePolicy::CarryOn);
        }
        builder
            .failure_policy_for(physics(), FailurePolicy::CarryOn)
            .failure_policy_for(Target::of::<Inner>(), FailurePolicy::Stop);
        if !is_first {
            builder.failure_policy_for("work", FailurePolicy::CarryOn);
        }
        builder.build().unwrap();
    }
}

schedule! {
    Overridden {
        group Physics: on failure carry on,
        group Inner: in Physics on failure stop,
        heal: in Inner on failure carry on,
    }
}

#[test]
fn listed_failure_policies_of_groups_may_differ_if_the_system_has_its_own() {
    let mut resources = Resources::new();
    resources.insert(Hp(0));
    Overridden::new().run(&mut resources).unwrap();
}

#[system]
fn give_up() -> Result<(), BoxError> {
    Err("no".into())
}

schedule! {
    Failing {
        group Physics: on failure carry on { give_up, heal: after give_up },
        group Screen: on failure stop { revive: after heal on failure skip dependents },
    }
}

#[test]
fn listed_failure_policy_of_a_group_applies_to_each_member() {
    let mut resources = Resources::new();
    resources.insert(Hp(0));
    Failing::new().run(&mut resources).unwrap_err();
    assert_eq!(resources.get::<Hp>().unwrap().0, 1);
}

/// Random numbers from a seed: a multiplicative congruential generator (Lehmer, with the factor of Steele and Vigna 2021).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0xd134_2543_de82_ef95) | 1;
        (self.0 >> 33) as usize % n
    }
}

/// A rule for two groups has the same effect as rules for all pairs of their members, except for implied edges.
#[test]
fn policy_of_groups_equals_policies_of_all_pairs_of_members() {
    const POLICIES: [Policy; 4] = [
        Policy::WritersFirst,
        Policy::InsertionOrder,
        Policy::Accepted,
        Policy::Optimize,
    ];
    let mut n_built = 0;
    for seed in 0..300 {
        let mut dice = Dice(2 * seed + 1);
        for _ in 0..8 {
            dice.below(2);
        }
        let nodes: Vec<(usize, usize, Vec<bool>)> = (0..7)
            .map(|_| {
                let is_in = (0..3).map(|_| dice.below(3) == 0).collect();
                (dice.below(3), dice.below(3), is_in)
            })
            .collect();
        let default = [Policy::Reject, Policy::InsertionOrder, Policy::Optimize][dice.below(3)];
        let rules: Vec<(usize, usize, Policy)> = (0..1 + dice.below(3))
            .map(|_| (dice.below(3), dice.below(3), POLICIES[dice.below(4)]))
            .collect();
        let start = || {
            let mut builder = Schedule::builder();
            builder.policy(default);
            for (idx, (r, s, is_in)) in nodes.iter().enumerate() {
                let mut system = DynamicSystem::new(format!("n{idx}"), |_| ());
                for (name, access) in [("R", r), ("S", s)] {
                    system = match access {
                        0 => system,
                        1 => system.reads(name),
                        _ => system.writes(name),
                    };
                }
                builder.add_dynamic(system);
                if is_in[0] {
                    builder.in_group::<Physics>();
                }
                if is_in[1] {
                    builder.in_group::<Inner>();
                }
                if is_in[2] {
                    builder.in_group::<Screen>();
                }
            }
            builder
                .group::<Physics>()
                .group::<Inner>()
                .group::<Screen>();
            builder
        };
        let groups = [physics(), Target::of::<Inner>(), screen()];
        let mut of_groups = start();
        let mut of_pairs = start();
        for &(one, other, policy) in &rules {
            of_groups.policy_between(groups[one].clone(), groups[other].clone(), policy);
            for (a, (.., is_in)) in nodes.iter().enumerate() {
                for (b, (.., other_is_in)) in nodes.iter().enumerate() {
                    if a != b && is_in[one] && other_is_in[other] {
                        of_pairs.policy_between(format!("n{a}"), format!("n{b}"), policy);
                    }
                }
            }
        }
        match (of_groups.build(), of_pairs.build()) {
            (Ok(one), Ok(other)) => {
                n_built += 1;
                assert!(one.systems().eq(other.systems()), "{seed}");
                assert_eq!(one.accepted().len(), other.accepted().len(), "{seed}");
                let orders = |schedule: &Schedule| -> Vec<_> {
                    let edges = schedule
                        .graph()
                        .edges
                        .into_iter()
                        .filter(|edge| !edge.is_implied);
                    edges.map(|edge| (edge.from, edge.to)).collect()
                };
                assert_eq!(orders(&one), orders(&other), "{seed}");
            }
            (Err(one), Err(other)) => {
                let contradict = |error: &schedule::BuildError| {
                    let mut problems = error.problems().iter();
                    problems.any(|problem| matches!(problem, Problem::TwoPolicies { .. }))
                };
                assert_eq!(
                    contradict(&one),
                    contradict(&other),
                    "{seed}:\n{one}\n{other}"
                );
                if !contradict(&one) {
                    assert!(one.races().eq(other.races()), "{seed}:\n{one}\n{other}");
                }
            }
            (one, other) => panic!("{seed}: {:?}\n{:?}", one.err(), other.err()),
        }
    }
    assert!(n_built > 50, "{n_built}");
}
