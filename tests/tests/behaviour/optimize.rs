//! The policy `Optimize`: a build chooses orders for a short run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use schedule::Builder;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::{Choices, Machine, Occurrence};

use crate::trace::{Trace, named, races};

/// Each uppercase letter in a name is a resource. The system writes the first one and reads the others.
fn builder_of(names: &[&str]) -> Builder {
    let mut builder = Schedule::builder();
    builder.policy(Policy::Optimize);
    for name in names {
        let mut system = DynamicSystem::new(*name, |_| ());
        let mut letters = name.chars().filter(|letter| letter.is_uppercase());
        if let Some(written) = letters.next() {
            system = system.writes(written.to_string().as_str());
        }
        for read in letters {
            system = system.reads(read.to_string().as_str());
        }
        builder.add_dynamic(system);
    }
    builder
}

fn order_of(schedule: &Schedule) -> Vec<String> {
    schedule.systems().map(str::to_string).collect()
}

/// Sixty systems, each of which writes one of five resources and reads another.
fn many() -> Builder {
    let names: Vec<String> = (0..60_u32)
        .map(|n| {
            let letter = |n: u32| char::from(b'A' + (n % 5) as u8);
            format!("{}{n}{}", letter(n * 7 + n / 5), letter(n * 3 + n / 7 + 1))
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut builder = builder_of(&names);
    for first in (0..50).step_by(3) {
        builder.order(names[first], names[first + 9]);
    }
    builder
}

/// Returns `1 + 3 × number` microseconds for a name that contains a number.
fn cost_of(name: &str) -> Duration {
    let number: String = name.chars().filter(char::is_ascii_digit).collect();
    Duration::from_micros(1 + 3 * number.parse::<u64>().unwrap_or(0))
}

fn makespan(schedule: &Schedule, n_workers: usize) -> Duration {
    schedule
        .simulate(Machine::new(n_workers), cost_of)
        .makespan()
}

#[test]
fn optimize_orders_every_race() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.policy(Policy::Optimize);
    for name in ["a", "b", "c"] {
        builder.add_dynamic(trace.system(name).writes("R"));
    }
    let mut schedule = builder.build().unwrap();
    let order = order_of(&schedule);
    for _ in 0..3 {
        assert_eq!(trace.of(&mut schedule, &mut named(&["R"])), order);
    }
    let choices = schedule.choices().to_string();
    let [a, b, c] = order.try_into().unwrap();
    let mut lines = [format!("{a} -> {b}"), format!("{b} -> {c}")];
    lines.sort();
    assert_eq!(choices.lines().collect::<Vec<_>>(), lines);
    assert_eq!(schedule.n_policy_orders(), 2);
}

#[test]
fn system_that_starts_a_long_path_runs_first() {
    // In insertion order, all others would wait for `A1`.
    let mut builder = builder_of(&["A1", "A2", "B3A", "B4"]);
    builder.order("B3A", "B4");
    let long_last = builder.costs(|system| Some(cost_of(&system.name))).build();
    assert_eq!(order_of(&long_last.unwrap())[0], "B3A");
}

#[test]
fn known_costs_improve_the_chosen_order() {
    let add = || {
        let mut builder = builder_of(&["A1", "A2B", "B50", "A40C", "C3"]);
        builder.order("A2B", "B50").order("A40C", "C3");
        builder
    };
    let insertion_order = add().policy(Policy::InsertionOrder).build().unwrap();
    let as_known = add()
        .costs(|system| Some(cost_of(&system.name)))
        .build()
        .unwrap();
    let (insertion_order, as_known) = (makespan(&insertion_order, 2), makespan(&as_known, 2));
    assert!(
        as_known < insertion_order,
        "{as_known:?} against {insertion_order:?}"
    );
}

#[test]
fn unknown_costs_default_to_the_median() {
    let add = |cost_of: fn(&Occurrence) -> Option<Duration>| {
        order_of(&many().costs(cost_of).build().unwrap())
    };
    let none = add(|_| None);
    assert_eq!(add(|_| Some(Duration::from_micros(7))), none);
    let some = |system: &Occurrence| {
        let is_known = system.name.starts_with('A');
        is_known.then_some(Duration::from_nanos(30))
    };
    assert_eq!(add(some), none);
}

#[test]
fn equal_declarations_and_costs_give_equal_choices() {
    let build = || many().costs(|system| Some(cost_of(&system.name))).build();
    let (one, other) = (build().unwrap(), build().unwrap());
    assert_eq!(one.choices(), other.choices());
    assert_eq!(order_of(&one), order_of(&other));
}

#[test]
fn optimized_runs_are_not_longer_than_insertion_order_on_2_to_8_workers() {
    let fits = many()
        .costs(|system| Some(cost_of(&system.name)))
        .build()
        .unwrap();
    let insertion_order = many().policy(Policy::InsertionOrder).build().unwrap();
    for n_workers in [2, 4, 8] {
        let (fits, insertion_order) = (
            makespan(&fits, n_workers),
            makespan(&insertion_order, n_workers),
        );
        assert!(
            fits <= insertion_order,
            "{n_workers}: {fits:?}, {insertion_order:?}"
        );
    }
}

#[test]
fn pinned_choices_keep_the_order_when_costs_change() {
    let before = many().build().unwrap();
    let file = before.choices().to_string();
    let by_cost = |system: &Occurrence| Some(cost_of(&system.name));
    let drifted = many().costs(by_cost).build().unwrap();
    assert_ne!(order_of(&drifted), order_of(&before));
    let pinned: Choices = file.parse().unwrap();
    let after = many().costs(by_cost).pin(pinned).build().unwrap();
    assert_eq!(order_of(&after), order_of(&before));
    assert_eq!(after.choices().to_string(), file);
    assert_eq!(
        after.warnings(),
        before.warnings(),
        "every pinned choice is followed"
    );
}

#[test]
fn unpinned_pairs_are_chosen_again() {
    let mut pinned: Choices = "A3 -> A1".parse().unwrap();
    pinned.extend("A2 -> B4A".parse::<Choices>().unwrap());
    let schedule = builder_of(&["A1", "A2", "A3", "B4A"])
        .pin(pinned)
        .build()
        .unwrap();
    let order = order_of(&schedule);
    let place = |name: &str| order.iter().position(|one| one == name);
    assert!(place("A3") < place("A1") && place("A2") < place("B4A"));
    assert_eq!(schedule.warnings().len(), 0);
    assert_eq!(schedule.choices().len(), 3);
}

#[test]
fn system_of_a_repeated_name_is_pinned_by_number() {
    let add = || builder_of(&["A", "A", "A"]);
    let pinned = "A #3 -> A #2\nA #2 -> A\n";
    let schedule = add().pin(pinned.parse().unwrap()).build().unwrap();
    assert_eq!(schedule.warnings().len(), 0);
    let mut lines: Vec<_> = pinned.lines().collect();
    lines.sort_unstable();
    let choices = schedule.choices();
    assert!(
        choices
            .iter()
            .all(|choice| lines.contains(&choice.to_string().as_str()))
    );
    assert_eq!(choices.len(), 2);
}

#[test]
fn impossible_choice_is_reported_and_ignored() {
    let mut builder = builder_of(&["A1", "A2", "A3", "B4", "B5"]);
    builder
        .order("A1", "A2")
        .policy_for_resource("B", Policy::InsertionOrder);
    let pinned = "A1 -> A2\nA2 -> A3\nA3 -> A1\nB5 -> B4\nB4 -> C\nA1 -> A2 #2";
    let schedule = builder.pin(pinned.parse().unwrap()).build().unwrap();
    assert_eq!(order_of(&schedule), ["A1", "A2", "A3", "B4", "B5"]);
    let warnings: Vec<String> = schedule
        .warnings()
        .iter()
        .map(ToString::to_string)
        .collect();
    let again = "; save the choices again";
    assert_eq!(
        warnings,
        [
            format!(
                "the pinned choice `A1 -> A2 #2` has no effect: system `A2 #2` is missing{again}"
            ),
            format!("the pinned choice `B4 -> C` has no effect: system `C` is missing{again}"),
            format!(
                "the pinned choice `A1 -> A2` has no effect: these systems have no race under `optimize`{again}"
            ),
            format!(
                "the pinned choice `A3 -> A1` has no effect: other orders contradict it{again}"
            ),
            format!(
                "the pinned choice `B5 -> B4` has no effect: these systems have no race under `optimize`{again}"
            ),
        ]
    );
}

#[test]
fn other_policy_of_a_shared_resource_applies() {
    let costs = |system: &Occurrence| Some(cost_of(&system.name));
    let add = |policy: Policy| {
        // Both access A and B, and the second starts the long path.
        let mut builder = builder_of(&["A1B", "B2A", "c90"]);
        builder.order("B2A", "c90").costs(costs);
        builder.policy_for_resource("A", policy);
        builder
    };
    assert_eq!(order_of(&add(Policy::Optimize).build().unwrap())[0], "B2A");
    for policy in [Policy::InsertionOrder, Policy::Accepted] {
        assert_eq!(order_of(&add(policy).build().unwrap())[0], "A1B");
    }
    assert_eq!(races(&mut add(Policy::Reject)).len(), 1);
}

#[test]
fn optimize_for_a_pair_overrides_the_policy_of_its_resource() {
    let costs = |system: &Occurrence| Some(cost_of(&system.name));
    let mut builder = builder_of(&["A1", "A2", "A3", "A4B", "B90"]);
    builder
        .policy(Policy::InsertionOrder)
        .policy_between("A3", "A4B", Policy::Optimize)
        .order("A4B", "B90")
        .costs(costs);
    let schedule = builder.build().unwrap();
    assert_eq!(order_of(&schedule), ["A1", "A2", "A4B", "A3", "B90"]);
    assert_eq!(schedule.choices().to_string(), "A4B -> A3\n");
}

#[test]
fn chosen_order_does_not_resolve_a_rejected_race() {
    // In either direction, a chosen order along A and B would put a path between the two ends.
    let mut builder = builder_of(&["A1", "B2A", "B3"]);
    builder.policy_between("A1", "B3", Policy::Reject);
    assert!(builder.build().is_ok(), "these do not conflict");
    let mut builder = builder_of(&["A1C", "B2A", "C3B"]);
    builder.policy_between("A1C", "C3B", Policy::Reject);
    assert_eq!(
        races(&mut builder),
        [("A1C".to_string(), "C3B".to_string())]
    );
}

/// A condition that is true in every second evaluation, starting with the first.
fn once_due(trace: &Trace) -> DynamicSystem {
    let (trace, was_true) = (trace.clone(), AtomicBool::new(false));
    DynamicSystem::new("due", move |_| {
        trace.push("due");
        // Relaxed: the evaluations are sequential.
        !was_true.fetch_xor(true, Ordering::Relaxed)
    })
}

#[test]
fn optimize_orders_a_loop_as_one_node_and_its_body_separately() {
    let trace = Trace::default();
    let add = |trace: &Trace| {
        let mut builder = Schedule::builder();
        builder
            .policy(Policy::Optimize)
            .add_dynamic(trace.system("a").writes("R"))
            .repeat_while_dynamic(once_due(trace).reads("S"), |body| {
                body.add_dynamic(trace.system("b").writes("R").writes("S"))
                    .add_dynamic(trace.system("c").writes("R"))
            })
            .add_dynamic(trace.system("d").writes("S"));
        builder
    };
    let mut resources = named(&["R", "S"]);
    for pinned in [
        "c -> b\ndue -> a\nd -> due\n",
        "b -> c\na -> due\ndue -> d\n",
    ] {
        let mut schedule = add(&trace).pin(pinned.parse().unwrap()).build().unwrap();
        assert_eq!(schedule.warnings().len(), 0);
        let ran = trace.of(&mut schedule, &mut resources);
        let place = |name: &str| ran.iter().position(|one| one == name).unwrap();
        let body = place("b").abs_diff(place("c"));
        assert_eq!(body, 1, "{ran:?}");
        for choice in pinned.parse::<Choices>().unwrap().iter() {
            let (first, then) = (place(&choice.first.name), place(&choice.then.name));
            assert!(first < then, "{choice} in {ran:?}");
        }
        let parsed: Choices = pinned.parse().unwrap();
        assert_eq!(schedule.choices(), parsed);
    }
}

#[test]
fn choices_after_a_change_equal_those_of_a_new_schedule() {
    let by_cost = |system: &Occurrence| Some(cost_of(&system.name));
    let all = || {
        let mut builder = many();
        builder.costs(by_cost);
        builder
    };
    let new = |builder: &mut Builder| {
        builder.add_dynamic(DynamicSystem::new("A90", |_| ()).writes("A"));
        builder.order("A90", "A41E");
    };
    let mut fresh = all();
    new(&mut fresh);
    let fresh = fresh.build().unwrap();
    let mut changed = all().build().unwrap();
    let changing = changed.change(|builder| {
        new(builder);
        builder
    });
    changing.unwrap();
    assert_eq!(order_of(&changed), order_of(&fresh));
    assert_eq!(changed.choices(), fresh.choices());
    assert_ne!(changed.choices(), many().build().unwrap().choices());
}

#[test]
fn pinned_choices_stay_pinned_after_a_change() {
    let pinned = "A3 -> A1\nA2 -> A3\n";
    let mut builder = builder_of(&["A1", "A2", "A3"]);
    let mut schedule = builder.pin(pinned.parse().unwrap()).build().unwrap();
    let change = schedule.change(|builder| builder.add_closure("b", || ()));
    change.unwrap();
    let order = order_of(&schedule);
    let written: Vec<_> = order.iter().filter(|one| *one != "b").collect();
    assert_eq!(written, ["A2", "A3", "A1"]);
    assert_eq!(schedule.warnings().len(), 0);
    schedule.change(|builder| builder.remove("A3")).unwrap();
    assert_eq!(schedule.warnings().len(), 2, "it pins what is gone");
}

/// A first system, a plugin with two systems, and a last system. All four write the same resource.
fn around_a_part(whole: Policy, of_part: Policy, pinned: &str) -> Schedule {
    let mut part = builder_of(&["A2", "A3"]);
    part.policy(of_part).pin(pinned.parse().unwrap());
    let mut builder = Schedule::builder();
    builder.policy(whole);
    builder.add_dynamic(DynamicSystem::new("A1", |_| ()).writes("A"));
    builder.include(part);
    builder.add_dynamic(DynamicSystem::new("A4", |_| ()).writes("A"));
    builder.build().unwrap()
}

#[test]
fn optimize_applies_inside_or_outside_of_a_plugin_only() {
    let (fits, insertion_order) = (Policy::Optimize, Policy::InsertionOrder);
    let inside = around_a_part(insertion_order, fits, "A3 -> A2\nA4 -> A1");
    assert_eq!(order_of(&inside), ["A1", "A3", "A2", "A4"]);
    assert_eq!(inside.choices().to_string(), "A3 -> A2\n");
    assert_eq!(inside.warnings().len(), 1, "{:?}", inside.warnings());

    let outside = around_a_part(fits, insertion_order, "A3 -> A2\nA4 -> A2\nA3 -> A1");
    assert_eq!(order_of(&outside), ["A4", "A2", "A3", "A1"]);
    assert_eq!(outside.choices().to_string(), "A3 -> A1\nA4 -> A2\n");
    assert_eq!(outside.warnings().len(), 1, "{:?}", outside.warnings());
}

#[test]
fn optimize_applies_between_plugins_with_other_policies() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::Optimize);
    for name in ["A1", "A2"] {
        let mut part = builder_of(&[name]);
        part.policy(Policy::InsertionOrder);
        builder.include(part);
    }
    let schedule = builder.pin("A2 -> A1".parse().unwrap()).build().unwrap();
    assert_eq!(order_of(&schedule), ["A2", "A1"]);
    assert_eq!(schedule.warnings().len(), 0);
}

#[test]
fn costs_of_a_plugin_apply_unless_the_schedule_has_its_own() {
    let by_cost = |system: &Occurrence| Some(cost_of(&system.name));
    let part = || {
        let mut part = many();
        part.costs(by_cost);
        part
    };
    let of_part = Schedule::builder().include(part()).build().unwrap();
    assert_eq!(order_of(&of_part), order_of(&part().build().unwrap()));
    let mut whole = Schedule::builder();
    let of_whole = whole.costs(|_| None).include(part()).build().unwrap();
    assert_eq!(order_of(&of_whole), order_of(&many().build().unwrap()));
}
