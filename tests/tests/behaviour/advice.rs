//! Advice on shortening a run: small examples, comparisons with changed schedules, and measured times.

mod clock;
mod predicted;

use std::time::Duration;

use schedule::dynamic::DynamicSystem;
use schedule::prelude::{Commands, Group, Policy, Resources, Schedule};
use schedule::report::{Advice, Change, Restriction};
use schedule::{Builder, Condition, Target};

#[derive(Group)]
struct Late;

const FILE: &str = file!();

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// A name ends with its cost in milliseconds: `reap 4`.
fn cost_of(name: &str) -> Duration {
    let ms = name.rsplit(' ').next().unwrap();
    Duration::from_millis(ms.parse().unwrap_or(0))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn advice(n_workers: usize, declare: impl FnOnce(&mut Builder)) -> Advice {
    let mut builder = Schedule::builder();
    builder.name("frame");
    declare(&mut builder);
    builder.build().unwrap().advise_with(n_workers, cost_of)
}

/// Returns each change with the time that it saves, in milliseconds.
fn saved(advice: &Advice) -> Vec<(String, u128)> {
    let saved = |change: &Change| advice.saved(change).as_millis();
    let changes = advice.changes.iter();
    changes
        .map(|change| (change.without.to_string(), saved(change)))
        .collect()
}

fn find(advice: &Advice, text: &str) -> Change {
    let mut changes = advice.changes.iter();
    let found = changes.find(|change| change.without.to_string().starts_with(text));
    found
        .unwrap_or_else(|| panic!("{:?}", saved(advice)))
        .clone()
}

/// Three systems that write one resource, one after the other.
fn three(builder: &mut Builder) {
    builder.policy(Policy::InsertionOrder);
    for name in ["a 4", "b 3", "c 2"] {
        builder.add_dynamic(system(name).writes("R"));
    }
}

#[test]
fn critical_path_shows_its_costs() {
    let advice = advice(2, |builder| {
        three(builder);
        builder.add_dynamic(system("d 3"));
    });
    assert_eq!((advice.work, advice.span), (ms(12), ms(9)));
    assert_eq!(advice.parallelism(), 12.0 / 9.0);
    let path: Vec<_> = advice
        .critical_path
        .iter()
        .map(|one| (one.system.as_str(), one.cost))
        .collect();
    assert_eq!(path, [("a 4", ms(4)), ("b 3", ms(3)), ("c 2", ms(2))]);
}

#[test]
fn a_pair_that_does_not_conflict_still_waits_for_the_others() {
    let advice = advice(2, three);
    assert_eq!(
        saved(&advice),
        [
            // One worker runs `a`, and the other runs `b` and `c`.
            ("conflicts on `R` order 2 pairs of systems".to_string(), 4),
            // `a` and `b` both run before `c`.
            (
                "`a 4` and `b 3` are ordered only by `R`, which both write".to_string(),
                3
            ),
            // `b` and `c` both run after `a`.
            (
                "`b 3` and `c 2` are ordered only by `R`, which both write".to_string(),
                2
            ),
        ]
    );
    assert_eq!(advice.changes[1].span, ms(6));
}

#[test]
fn gains_are_reported_for_2_to_64_workers_and_the_requested_number() {
    let advice = advice(3, three);
    let n_workers: Vec<usize> = advice.makespans.iter().map(|one| one.n_workers).collect();
    assert_eq!(n_workers, [2, 3, 4, 8, 16, 32, 64]);
    let resource = find(&advice, "conflicts on `R`");
    let saved = n_workers.iter().map(|&n| advice.saved_on(&resource, n));
    assert_eq!(
        saved.collect::<Vec<_>>(),
        [ms(4), ms(5), ms(5), ms(5), ms(5), ms(5), ms(5)]
    );
    assert_eq!(advice.saved_on(&resource, 5), ms(0));
}

#[test]
fn advice_names_the_writer() {
    let text = |first: DynamicSystem, then: DynamicSystem| {
        let advice = advice(2, |builder| {
            builder.policy(Policy::InsertionOrder);
            builder.add_dynamic(first).add_dynamic(then);
        });
        advice.changes[0].without.to_string()
    };
    let (a, b) = (|| system("a 1"), || system("b 1"));
    assert_eq!(
        text(a().writes("R"), b().reads("R")),
        "`a 1` and `b 1` are ordered only by `R`, which `a 1` writes"
    );
    assert_eq!(
        text(
            a().reads("R").writes("S").writes("T"),
            b().writes("R").writes("S").reads("T")
        ),
        "`a 1` and `b 1` are ordered only by `R`, which `b 1` writes, `S`, which both write, and `T`, which `a 1` writes"
    );
}

#[test]
fn advice_distinguishes_systems_of_one_name() {
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add_dynamic(system("a 1").writes("R"));
        builder.add_dynamic(system("a 1").writes("R"));
    });
    find(&advice, "`a 1` and `a 1 #2` are ordered only by `R`");
}

#[test]
fn policy_may_replace_a_removed_order() {
    let mut line = 0;
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add_dynamic(system("a 1").writes("R"));
        builder.add_dynamic(system("b 1").writes("R"));
        builder.order("a 1", "b 1");
        line = line!() - 1;
    });
    let text = format!("the order `a 1` -> `b 1` is declared at {FILE}:{line}");
    assert_eq!(advice.saved(&find(&advice, &text)), ms(0));
}

#[test]
fn order_is_removed_together_with_the_conflict_that_needs_it() {
    let mut line = 0;
    let advice = advice(2, |builder| {
        builder.add_dynamic(system("a 4").writes("R"));
        builder.add_dynamic(system("b 3").reads("R"));
        builder.order("a 4", "b 3");
        line = line!() - 1;
    });
    let place = format!("{FILE}:{line}");
    let both =
        format!("`a 4` and `b 3` are ordered at {place}, and conflict on `R`, which `a 4` writes");
    // Restriction this order alone, the conflict would require the same order again.
    let order = format!("the order `a 4` -> `b 3` is declared at {place}");
    let line = format!("\n  {both}: removing both saves 3 of 7 ms on 2 workers");
    assert!(advice.to_string().ends_with(&line), "{advice}");
    assert_eq!(saved(&advice), [(both, 3), (order, 0)]);
    let instead = [("a 4".to_string(), "b 3".to_string())];
    assert_eq!(advice.changes[1].instead, instead);
}

#[test]
fn advice_states_that_no_change_saves_time() {
    let advice = advice(2, |builder| {
        builder.add_dynamic(system("a 1"));
        builder.add_dynamic(system("b 1"));
    });
    assert_eq!(advice.top().count(), 0);
    assert!(
        advice
            .to_string()
            .ends_with("\n  no order, conflict or resource alone delays a run on 2 workers")
    );
}

#[test]
fn race_left_by_a_removed_order_gets_a_replacement_order() {
    let advice = advice(2, |builder| {
        builder.add_dynamic(system("a 2").writes("R"));
        builder.add_dynamic(system("b 3"));
        builder.add_dynamic(system("c 2").writes("R"));
        builder.order("a 2", "b 3").order("b 3", "c 2");
    });
    assert_eq!(advice.makespan(), ms(7));
    let change = find(&advice, "the order `a 2` -> `b 3`");
    assert_eq!(change.instead, [("a 2".to_string(), "c 2".to_string())]);
    assert_eq!(advice.saved(&change), ms(2));
    let text = advice.to_string();
    assert!(
        text.contains(": replacing this order by `a 2` -> `c 2` saves 2 of 7 ms on 2 workers"),
        "{text}"
    );
}

#[test]
fn order_of_a_group_and_weak_order_each_count_as_one_order() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a 4").writes("R"));
    for name in ["b 3", "c 3"] {
        builder
            .add_dynamic(system(name).reads("R"))
            .in_group::<Late>();
    }
    let mut weak = builder;
    weak.order_if_conflicting("a 4", Target::of::<Late>());
    let weak = weak.build().unwrap().advise_with(4, cost_of);
    let order = find(&weak, "the order `a 4` -> `Late`");
    let instead = [("a 4", "b 3"), ("a 4", "c 3")].map(|(a, b)| (a.to_string(), b.to_string()));
    assert_eq!(order.instead, instead);
    assert_eq!(weak.saved(&order), ms(0));
    let resource = find(&weak, "conflicts on `R` order 2 pairs of systems");
    assert_eq!(weak.saved(&resource), ms(3));

    let strong = advice(4, |builder| {
        builder.add_dynamic(system("a 4"));
        builder.add_dynamic(system("b 3")).in_group::<Late>();
        builder.order("a 4", Target::of::<Late>());
    });
    let order = find(&strong, "the order `a 4` -> `Late`");
    assert_eq!((strong.saved(&order), order.instead.len()), (ms(3), 0));
}

#[test]
fn exclusive_system_gets_no_advice_to_remove_a_conflict() {
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add_closure("all 2", |_: &mut Resources| ());
        builder.add_dynamic(system("a 2").writes("R"));
    });
    assert!(
        !advice
            .changes
            .iter()
            .any(|change| matches!(change.without, Restriction::Conflict { .. })),
        "{advice}"
    );
}

#[test]
fn loops_conditions_and_sync_points_get_advice() {
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        builder.add_dynamic(system("a 4").writes("R"));
        builder.repeat_while_closure(
            "is_due 1",
            || false,
            |step| {
                step.add_dynamic(system("b 3").writes("R"));
                step.add_dynamic(system("c 3").writes("S"));
                step.order("b 3", "c 3")
            },
        );
        builder.add_closure("d 1", |_: Commands| ());
        builder.order("is_due 1", "d 1");
    });
    assert_eq!(advice.makespan(), ms(12));
    // The loop and `a` run at the same time, followed by `d`.
    assert_eq!(advice.saved(&find(&advice, "conflicts on `R`")), ms(4));
    assert_eq!(
        advice.saved(&find(&advice, "the order `b 3` -> `c 3`")),
        ms(3)
    );
    assert_eq!(
        advice.saved(&find(&advice, "the order `is_due 1` -> `d 1`")),
        ms(1)
    );
}

#[test]
fn text_shows_five_changes_that_save_at_least_a_hundredth() {
    let advice = advice(64, |builder| {
        builder.policy(Policy::InsertionOrder);
        for i in 0..8 {
            let resource = format!("R{i}");
            builder.add_dynamic(system(&format!("a{i} 100")).writes(&*resource));
            builder.add_dynamic(system(&format!("b{i} {}", i + 1)).writes(&*resource));
        }
        builder.add_dynamic(system("c 1000").writes("C"));
        builder.add_dynamic(system("d 9").writes("C"));
        for i in 0..7 {
            builder.add_dynamic(system(&format!("e{i} 0")).writes("C"));
        }
    });
    // Only `c` and `d` are on the critical path. Restriction their shared resource, a run is 9 of 1009 ms shorter.
    assert_eq!(advice.saved(&advice.changes[0]), ms(9));
    assert_eq!(advice.top().count(), 0);

    // Each system conflicts with the previous one.
    let advice = self::advice(64, |builder| {
        builder.policy(Policy::InsertionOrder);
        for i in 0..8 {
            let (one, next) = (format!("R{i}"), format!("R{}", i + 1));
            builder.add_dynamic(system(&format!("s{i} 1")).writes(&*one).writes(&*next));
        }
    });
    assert_eq!(advice.changes.len(), 14);
    assert_eq!(advice.top().count(), 5);
    let text = advice.to_string();
    assert_eq!(text.matches(" ms on 64 workers").count(), 5, "{text}");
    assert!(text.ends_with("\n  each of these is for one change alone: savings do not add up"));
}

#[test]
fn similar_changes_are_shown_once() {
    let advice_of = |declare: &dyn Fn(&mut Builder)| -> Vec<String> {
        let advice = advice(2, |builder| {
            builder.policy(Policy::InsertionOrder);
            declare(builder);
        });
        let top = advice.top();
        top.map(|change| change.without.to_string()).collect()
    };
    // A resource is suggested instead of its pairs if these share nothing else.
    let of_resource = advice_of(&|builder| three(builder));
    assert_eq!(of_resource, ["conflicts on `R` order 2 pairs of systems"]);
    // A pair is suggested if it saves as much as all pairs of a resource.
    let of_pair = advice_of(&|builder| {
        builder.add_dynamic(system("a 4").writes("R"));
        builder.add_dynamic(system("b 4").writes("R").writes("S"));
        builder.add_dynamic(system("c 0").writes("R"));
    });
    assert_eq!(
        of_pair,
        ["`a 4` and `b 4` are ordered only by `R`, which both write"]
    );
    // An order is suggested if only a policy requires it, which would otherwise order the pair in reverse.
    let of_order = advice_of(&|builder| {
        builder.add_dynamic(system("b 1").writes("R"));
        builder.add_dynamic(system("a 1").writes("R"));
        builder.add_dynamic(system("x 4"));
        builder.order("a 1", "b 1").order("x 4", "a 1");
    });
    assert_eq!(of_order.len(), 2, "{of_order:?}");
    assert!(of_order[0].starts_with("the order `x 4` -> `a 1`"));
    assert!(of_order[1].starts_with("the order `a 1` -> `b 1`"));
}

#[test]
fn systems_that_never_both_run_get_no_advice() {
    let advice = advice(2, |builder| {
        builder.add_closure("is_day 0", || true);
        let is_day = Condition::added(builder.last().unwrap());
        builder.add_dynamic(system("a 4").writes("R"));
        builder.run_if(is_day.clone());
        builder.add_dynamic(system("b 3").writes("R"));
        builder.run_if(!is_day);
    });
    assert_eq!(saved(&advice), []);
}

#[test]
fn text_of_a_long_path_shows_its_longest_systems() {
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        for i in 0..12 {
            let cost = if i % 4 == 0 { 1 } else { 20 + i };
            builder.add_dynamic(system(&format!("s{i} {cost}")).writes("R"));
        }
    });
    let text = advice.to_string();
    let line = text.lines().nth(2).unwrap();
    assert!(
        line.starts_with("    `s0 1` 1.0ms, `s1 21` 21.0ms, `s2 22` 22.0ms"),
        "{line}"
    );
    assert!(
        line.ends_with("`s11 31` 31.0ms and 2 that take less"),
        "{line}"
    );
}

#[test]
fn advice_for_a_large_schedule_covers_the_longest_paths() {
    let n_systems = 1_000;
    let advice = advice(2, |builder| {
        builder.policy(Policy::InsertionOrder);
        for i in 0..n_systems {
            let resource = format!("R{}", i / 2);
            builder.add_dynamic(system(&format!("s{i} {}", i + 1)).writes(&*resource));
        }
    });
    // There are as many pairs as resources.
    assert_eq!(advice.changes.len() + advice.n_left_out, n_systems);
    assert_eq!(advice.changes.len(), 200);
    find(&advice, "`s998 999` and `s999 1000`");
    let mut changes = advice.changes.iter();
    assert!(!changes.any(|one| one.without.to_string().starts_with("`s0 1`")));
}

#[test]
fn advice_is_unchanged_after_a_json_round_trip() {
    let advice = advice(2, three);
    let text = serde_json::to_string(&advice).unwrap();
    assert_eq!(serde_json::from_str::<Advice>(&text).unwrap(), advice);
}
