//! The complete texts of build errors.

mod cycle;

use core::panic::Location;

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::order::Anchor;
use schedule::prelude::*;
use schedule::{Builder, Condition, FailurePolicy, Target};

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[derive(Group)]
struct Middle;

#[derive(Checkpoint)]
struct Noon;

#[derive(Resource)]
struct Health;

#[system]
fn poison(_: &mut Health) {}

const FILE: &str = file!();

/// Returns the line of the caller.
#[track_caller]
fn line() -> u32 {
    Location::caller().line()
}

/// Adds a system. Returns the line of the caller.
#[track_caller]
fn add(builder: &mut Builder, name: &str) -> u32 {
    add_with(builder, name, |system| system)
}

#[track_caller]
fn add_with(
    builder: &mut Builder,
    name: &str,
    declare: impl FnOnce(DynamicSystem) -> DynamicSystem,
) -> u32 {
    builder.add_dynamic(declare(DynamicSystem::new(name, |_| ())));
    line()
}

#[track_caller]
fn add_writer(builder: &mut Builder, name: &str) -> u32 {
    add_with(builder, name, |system| system.writes("R"))
}

#[track_caller]
fn order(builder: &mut Builder, first: impl Into<Target>, then: impl Into<Target>) -> u32 {
    builder.order(first, then);
    line()
}

#[track_caller]
fn after<A: Anchor>(builder: &mut Builder) -> u32 {
    builder.after::<A>();
    line()
}

#[track_caller]
fn in_group<G: schedule::Group>(builder: &mut Builder) -> u32 {
    builder.in_group::<G>();
    line()
}

fn text(builder: &mut Builder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn races_are_reported_by_resource() {
    let builder = &mut Schedule::builder();
    let a = add_with(builder, "a", |one| one.writes("R").reads("S"));
    let b = add_with(builder, "b", |one| one.reads("R").writes("S"));
    let c = add_with(builder, "c", |one| one.writes("S"));
    assert_eq!(
        text(builder),
        format!(
            "3 problems in schedule `schedule`\n  \
             race on `R`\n      \
             `a` ({FILE}:{a}) writes `R`, `b` ({FILE}:{b}) reads it; also on `S`\n  \
             race on `S`, 2 pairs\n      \
             `a` ({FILE}:{a}) reads `S`, `c` ({FILE}:{c}) writes it\n      \
             `b` ({FILE}:{b}) and `c` ({FILE}:{c}) both write `S`\n  \
             help: 2 orders end all races, and each of them is needed\n      \
             .order(\"a\", \"b\")\n      \
             .order(\"b\", \"c\")"
        )
    );
}

#[test]
fn race_with_an_exclusive_system() {
    let builder = &mut Schedule::builder();
    let a = add(builder, "a");
    let alone = add_with(builder, "alone", |one| one.exclusive());
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             race with an exclusive system\n      \
             `alone` ({FILE}:{alone}) is exclusive, and nothing orders it against `a` ({FILE}:{a})\n  \
             help: this order ends the race\n      \
             .order(\"a\", \"alone\")"
        )
    );
}

#[test]
fn race_of_two_systems_that_write_everything() {
    let builder = &mut Schedule::builder();
    let a = add_with(builder, "a", |one| one.writes_all_except([]));
    let b = add_with(builder, "b", |one| one.writes_all_except([]));
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             race on everything\n      \
             `a` ({FILE}:{a}) and `b` ({FILE}:{b}) both write everything\n  \
             help: this order ends the race\n      \
             .order(\"a\", \"b\")"
        )
    );
}

#[test]
fn first_twenty_of_many_races_are_printed_and_all_are_counted() {
    let builder = &mut Schedule::builder();
    for name in ["a", "b", "c", "d", "e", "f"] {
        add_writer(builder, name);
    }
    for name in ["g", "h", "i", "j", "k"] {
        add_with(builder, name, |one| one.writes("S"));
    }
    for name in ["l", "m"] {
        add_with(builder, name, |one| one.writes("T"));
    }
    let error = builder.build().unwrap_err();
    let n_races = 15 + 10 + 1;
    assert_eq!(error.races().count(), n_races);
    assert_eq!(error.problems().len(), n_races);
    let text = error.to_string();
    assert!(text.starts_with("26 problems in schedule `schedule`\n  race on `R`, 15 pairs\n"));
    let printed = text.lines().filter(|line| line.contains(" both write "));
    assert_eq!(printed.count(), 20);
    assert!(text.contains("\n  race on `S`, 10 pairs\n"), "{text}");
    assert!(!text.contains("`T`"), "{text}");
    assert!(
        text.contains("\n  26 races in all, on 3 resources; the first 20 are shown\n"),
        "{text}"
    );
}

#[test]
fn twenty_races_are_printed_without_a_count() {
    let builder = &mut Schedule::builder();
    for name in ["a", "b", "c", "d", "e"] {
        add_with(builder, name, |one| one.writes("R"));
        add_with(builder, name, |one| one.writes("S"));
    }
    let text = text(builder);
    assert!(text.starts_with("20 problems"), "{text}");
    assert!(!text.contains("in all"), "{text}");
}

#[test]
fn reference_to_a_missing_node() {
    let builder = &mut Schedule::builder();
    add(builder, "integrate");
    let near = order(builder, "integrat", "integrate");
    let far = order(builder, "integrate", "zzz");
    let of_a_type = after::<poison>(builder);
    assert_eq!(
        text(builder),
        format!(
            "3 problems in schedule `schedule`\n  \
             `integrat` is not in this schedule, but {FILE}:{near} refers to it\n      \
             help: add it; or did you mean `integrate`?\n  \
             `zzz` is not in this schedule, but {FILE}:{far} refers to it\n      \
             help: add it, or use `after_if_present` or `before_if_present`\n  \
             `poison` is not in this schedule, but {FILE}:{of_a_type} refers to it\n      \
             help: add it, or use `after_if_present` or `before_if_present`"
        )
    );
}

#[test]
fn both_ends_of_an_order_may_be_missing() {
    let builder = &mut Schedule::builder();
    builder.order(Target::of::<Noon>(), Target::of::<Outer>());
    let at = line() - 1;
    assert_eq!(
        text(builder),
        format!(
            "2 problems in schedule `schedule`\n  \
             `Noon` is not in this schedule, but {FILE}:{at} refers to it\n      \
             help: add it, or use `after_if_present` or `before_if_present`\n  \
             `Outer` is not in this schedule, but {FILE}:{at} refers to it\n      \
             help: add it, or use `after_if_present` or `before_if_present`"
        )
    );
}

#[test]
fn ambiguous_reference() {
    let builder = &mut Schedule::builder();
    let first = add(builder, "a");
    let second = add(builder, "a");
    add(builder, "b");
    let at = order(builder, "a", "b");
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             `a`, used at {FILE}:{at}, matches several nodes of this schedule:\n      \
             `a` ({FILE}:{first})\n      `a` ({FILE}:{second})\n      \
             help: use the `NodeId` of one of them, in `Builder::order` or `Condition::added`: `Builder::last` returns it right after the node is added"
        )
    );
}

#[test]
fn a_group_in_itself() {
    let builder = &mut Schedule::builder();
    builder.group::<Outer>();
    let at = in_group::<Outer>(builder);
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             a group is a member of itself: `Outer` in `Outer`; the last membership is declared at {FILE}:{at}\n      \
             help: remove a membership of this path"
        )
    );
}

#[test]
fn a_group_in_itself_through_others() {
    let builder = &mut Schedule::builder();
    builder.group::<Outer>().group::<Inner>();
    in_group::<Middle>(builder);
    builder.group::<Middle>();
    in_group::<Outer>(builder);
    builder.group::<Outer>();
    let last = in_group::<Inner>(builder);
    let text = text(builder);
    assert!(
        text.starts_with(
            "1 problem in schedule `schedule`\n  \
             a group is a member of itself: `Outer` in `Inner` in `Middle` in `Outer`; the last membership is declared at "
        ),
        "{text}"
    );
    assert!(!text.contains(&format!(":{last}\n")), "{text}");
}

#[test]
fn a_group_against_its_member() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    in_group::<Inner>(builder);
    let direct = after::<Inner>(builder);
    builder.group::<Inner>();
    in_group::<Outer>(builder);
    let through = order(builder, Target::of::<Outer>(), "a");
    let of_a_group = order(builder, Target::of::<Inner>(), Target::of::<Outer>());
    let help = "help: order it before or after other members, or remove this order";
    assert_eq!(
        text(builder),
        format!(
            "3 problems in schedule `schedule`\n  \
             `a` cannot run before or after the group `Inner`, as declared at {FILE}:{direct}, because it is a member of this group\n      {help}\n  \
             `a` cannot run before or after the group `Outer`, as declared at {FILE}:{through}, because it is a member of this group\n      {help}\n  \
             `Inner` cannot run before or after the group `Outer`, as declared at {FILE}:{of_a_group}, because it is a member of this group\n      {help}"
        )
    );
}

#[test]
fn a_group_weakly_against_its_member() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    in_group::<Inner>(builder);
    builder.after_if_conflicting::<Inner>();
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::GroupAgainstMember { .. }]),
        "{error}"
    );
}

#[test]
fn clause_before_any_addition() {
    let builder = &mut Schedule::builder();
    let first = after::<poison>(builder);
    let second = in_group::<Outer>(builder);
    let help = "help: call it right after the call that adds the system";
    assert_eq!(
        text(builder),
        format!(
            "2 problems in schedule `schedule`\n  \
             the call at {FILE}:{first} has no effect: nothing was added before it\n      {help}\n  \
             the call at {FILE}:{second} has no effect: nothing was added before it\n      {help}"
        )
    );
}

#[test]
fn two_policies_for_a_resource_and_for_a_pair() {
    let builder = &mut Schedule::builder();
    let a = add_writer(builder, "a");
    let b = add_writer(builder, "b");
    let at = line() + 1;
    builder.policy_for_resource("R", Policy::InsertionOrder);
    builder.policy_for_resource("R", Policy::WritersFirst);
    builder.policy_between("a", "b", Policy::InsertionOrder);
    builder.accept("b", "a", "for a reason");
    assert_eq!(
        text(builder),
        format!(
            "2 problems in schedule `schedule`\n  \
             resource `R` has two policies: `insertion order` at {FILE}:{at} and `writers first` at {FILE}:{}\n      \
             help: remove one of these policies\n  \
             the pair of `b` ({FILE}:{b}) and `a` ({FILE}:{a}) has two policies: `insertion order` at {FILE}:{} and \
             `accepted` at {FILE}:{}\n      \
             help: remove one of these policies",
            at + 1,
            at + 2,
            at + 3
        )
    );
}

#[test]
fn policy_between_missing_nodes() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.accept("a", "nobody", "why");
    let at = line() - 1;
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             `nobody` is not in this schedule, but {FILE}:{at} refers to it\n      \
             help: add it, or remove this policy"
        )
    );
}

/// Returns the help text of the last problem of the schedule.
#[track_caller]
fn help(builder: &mut Builder) -> String {
    let text = text(builder);
    let (_, help) = text.rsplit_once("help: ").expect("there is a help");
    help.to_string()
}

#[test]
fn help_for_a_missing_name_depends_on_the_call() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.order_if_conflicting("a", "nobody");
    assert_eq!(help(builder), "add it, or remove this order");

    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.run_if(Condition::added("nobody"));
    assert_eq!(
        help(builder),
        "add it, or use a condition by its type, as in `Condition::of::<is_alive>()`, which does not need to be added"
    );

    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.failure_policy_for("nobody", FailurePolicy::Stop);
    assert_eq!(help(builder), "add it, or remove this policy");

    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.remove("nobody");
    assert_eq!(help(builder), "add it");
}

#[test]
fn help_for_a_removed_name_depends_on_the_call() {
    let with_removed = |builder: &mut Builder| {
        let removed = builder.add_closure("removed", || true).last().unwrap();
        builder.remove(removed);
        builder.add_closure("a", || {});
        removed
    };

    let builder = &mut Schedule::builder();
    let removed = with_removed(builder);
    builder.run_if(Condition::added(removed));
    assert_eq!(help(builder), "also remove this run condition");

    let builder = &mut Schedule::builder();
    let removed = with_removed(builder);
    builder.accept("a", removed, "why");
    assert_eq!(help(builder), "also remove this policy");

    let builder = &mut Schedule::builder();
    let removed = with_removed(builder);
    builder.order("a", removed);
    assert_eq!(
        help(builder),
        "also remove this order, replace it by `after_if_present` or `before_if_present`, or remove \
             the node with `remove_and_bridge`, which keeps the order of its neighbours"
    );
}

#[test]
fn two_writers_under_writers_first() {
    let builder = &mut Schedule::builder();
    builder.policy(Policy::WritersFirst);
    for name in ["poison", "bullet"] {
        add_with(builder, name, |one| one.writes(ResourceId::of::<Health>()));
    }
    assert_eq!(
        text(builder),
        "1 problem in schedule `schedule`\n  \
         policy `writers first` causes a cycle: `poison` -> `bullet` -> `poison`\n      \
         `poison` -> `bullet`   because `poison` writes `Health`\n      \
         `bullet` -> `poison`   because `bullet` writes `Health`\n      \
         help: declare an order between the writers, or use another policy"
    );
}

#[test]
fn a_writers_first_cycle_with_a_declared_step() {
    let builder = &mut Schedule::builder();
    builder.policy(Policy::WritersFirst);
    add_with(builder, "reads", |one| one.reads("R"));
    add(builder, "between");
    add_with(builder, "writes", |one| one.writes("R").reads("S"));
    add_with(builder, "other", |one| one.writes("S"));
    let one = order(builder, "reads", "between");
    let two = order(builder, "between", "other");
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             policy `writers first` causes a cycle: `reads` -> `between` -> `other` -> `writes` -> `reads`\n      \
             `reads` -> `between`   declared at {FILE}:{one}\n      \
             `between` -> `other`   declared at {FILE}:{two}\n      \
             `other` -> `writes`   because `other` writes `S`\n      \
             `writes` -> `reads`   because `writes` writes `R`\n      \
             help: declare an order between the writers, or use another policy"
        )
    );
}

#[test]
fn all_problems_are_reported_together() {
    let builder = &mut Schedule::builder();
    for name in ["a", "b", "c", "d"] {
        add_writer(builder, name);
    }
    builder.order("a", "b").order("b", "a").order("a", "x");
    builder.policy_between("c", "d", Policy::WritersFirst);
    let error = builder.build().unwrap_err();
    let kinds: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| match problem {
            Problem::Dangling { .. } => "dangling",
            Problem::Cycle(_) => "cycle",
            Problem::Race(_) => "race",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["dangling", "cycle", "race", "race", "race", "race"]);
}

#[test]
fn each_problem_has_its_own_text() {
    let builder = &mut Schedule::builder();
    add_writer(builder, "a");
    add_writer(builder, "b");
    builder.order("a", "x");
    let error = builder.build().unwrap_err();
    let texts: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    assert!(error.to_string().contains(&texts[0]));
    assert!(texts[1].starts_with("race: `a` ("), "{}", texts[1]);
    assert!(texts[1].ends_with(") both write `R`"), "{}", texts[1]);
}

#[test]
fn weak_order_to_a_missing_node_is_dangling() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    builder.order_if_conflicting("a", "b");
    assert!(text(builder).contains("`b` is not in this schedule, but "));
}

#[test]
fn debug_text_of_an_error_equals_its_display() {
    let builder = &mut Schedule::builder();
    add_writer(builder, "a");
    add_writer(builder, "b");
    let error = builder.build().unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}
