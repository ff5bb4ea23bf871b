//! Policies that `schedule!` lists, and later policies of a builder for the same subjects.

use schedule::prelude::*;
use schedule::{FailurePolicy, Target};

use crate::{Log, failures, take_log, with_log};

#[system]
fn heal(log: &mut Log) {
    log.push("heal");
}

#[system]
fn poison(log: &mut Log) {
    log.push("poison");
}

#[system]
fn fail(log: &mut Log) -> Result<(), String> {
    log.push("fail");
    Err("it fails".to_string())
}

schedule! { open Rejecting { policy reject, heal, poison } }
schedule! { ByResource { policy insertion order for Log, heal, poison } }
schedule! { ByPair { policy accepted "from the list" for (heal, poison), heal, poison } }
schedule! { Failing { on failure carry on, policy insertion order, fail: on failure stop, heal: after fail } }

#[track_caller]
fn assert_races(builder: &mut schedule::Builder) {
    let error = builder.build().unwrap_err();
    assert_eq!(error.races().count(), 1, "{error}");
    assert_eq!(error.problems().len(), 1, "{error}");
}

#[test]
fn builder_replaces_the_listed_policy_of_the_schedule() {
    assert_races(&mut Rejecting::builder());
    Rejecting::builder()
        .policy(Policy::InsertionOrder)
        .build()
        .unwrap();
}

#[test]
fn the_builder_replaces_the_listed_policy_of_a_resource() {
    assert_races(ByResource::builder().policy_for::<Log>(Policy::Reject));
    let schedule = ByResource::builder()
        .accept_for::<Log>("both only log")
        .build()
        .unwrap();
    let reasons = schedule.accepted().iter().map(|one| one.reason.as_deref());
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("both only log")]);
    let lock = schedule.lock().to_string();
    assert!(!lock.contains("insertion order for"), "{lock}");
}

/// A policy of a resource overrides the policy of the schedule, regardless of where each was set.
#[test]
fn listed_policy_of_a_resource_outlasts_a_new_schedule_policy() {
    ByResource::builder()
        .policy(Policy::Reject)
        .build()
        .unwrap();
}

#[test]
fn the_builder_replaces_the_listed_policy_of_a_pair() {
    let reason = |schedule: &Schedule| schedule.accepted()[0].reason.clone();
    assert_eq!(reason(&ByPair::new()).as_deref(), Some("from the list"));
    let schedule = ByPair::builder()
        .accept("heal", "poison", "said later")
        .build()
        .unwrap();
    assert_eq!(reason(&schedule).as_deref(), Some("said later"));
    let text = format!("{}{:?}", schedule.lock(), schedule.graph());
    assert!(
        text.contains("said later") && !text.contains("from the list"),
        "{text}"
    );
    let (heal, poison) = (Target::of::<heal>(), Target::of::<poison>());
    assert_races(ByPair::builder().policy_between(poison, heal, Policy::Reject));
}

#[test]
fn the_builder_replaces_listed_failure_policies() {
    let run = |builder: &mut schedule::Builder| {
        let mut schedule = builder.build().unwrap();
        let mut resources = with_log();
        assert_eq!(failures(schedule.run(&mut resources)), ["fail: it fails"]);
        take_log(&mut resources)
    };
    assert_eq!(run(&mut Failing::builder()), ["fail"]);
    let of_fail = Target::of::<fail>();
    let mut builder = Failing::builder();
    builder.failure_policy_for(of_fail, FailurePolicy::CarryOn);
    assert_eq!(run(&mut builder), ["fail", "heal"]);
    let mut builder = Failing::builder();
    builder.failure_policy(FailurePolicy::SkipDependents);
    assert_eq!(run(&mut builder), ["fail"], "that of the system stays");
}

#[test]
fn two_policies_of_the_builder_still_contradict_each_other() {
    let mut by_resource = ByResource::builder();
    by_resource
        .policy_for::<Log>(Policy::Reject)
        .policy_for::<Log>(Policy::WritersFirst);
    let mut by_pair = ByPair::builder();
    by_pair
        .policy_between("heal", "poison", Policy::InsertionOrder)
        .policy_between("heal", "poison", Policy::Reject);
    let mut failing = Failing::builder();
    failing
        .failure_policy_for("fail", FailurePolicy::CarryOn)
        .failure_policy_for("fail", FailurePolicy::SkipDependents);
    for builder in [&mut by_resource, &mut by_pair, &mut failing] {
        let error = builder.build().unwrap_err();
        let problems = error.problems();
        let is_contradiction = |one: &schedule::error::Problem| {
            matches!(one, schedule::error::Problem::TwoPolicies { .. })
        };
        assert!(problems.iter().any(is_contradiction), "{error}");
    }
}

#[test]
fn a_change_replaces_a_listed_policy() {
    let mut schedule = ByResource::new();
    let result = schedule.change(|all| all.policy_for::<Log>(Policy::Reject));
    assert!(result.unwrap_err().to_string().contains("race on `Log`"));
    schedule.run(&mut with_log()).unwrap();
}
