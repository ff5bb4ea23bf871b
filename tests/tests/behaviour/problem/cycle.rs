//! Texts of cycles.

use super::*;

const FILE: &str = file!();

#[test]
fn a_cycle_of_declared_orders() {
    let builder = &mut Schedule::builder();
    builder.name("frame");
    add(builder, "input");
    add(builder, "movement");
    add(builder, "render");
    let one = order(builder, "input", "movement");
    let two = order(builder, "movement", "render");
    let three = order(builder, "render", "input");
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `frame`\n  \
             cycle: `input` -> `movement` -> `render` -> `input`\n      \
             `input` -> `movement`   declared at {FILE}:{one}\n      \
             `movement` -> `render`   declared at {FILE}:{two}\n      \
             `render` -> `input`   declared at {FILE}:{three}\n      \
             help: remove one of these orders"
        )
    );
}

#[test]
fn a_cycle_through_a_group_and_a_weak_order() {
    let builder = &mut Schedule::builder();
    add_writer(builder, "a");
    let member = in_group::<Outer>(builder);
    add_writer(builder, "b");
    let declared = after::<Outer>(builder);
    builder.order_if_conflicting("b", "a");
    let weak = line() - 1;
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             cycle: `Outer` -> `b` -> `a` -> `Outer`\n      \
             `Outer` -> `b`   declared at {FILE}:{declared}\n      \
             `b` -> `a`   declared at {FILE}:{weak} as a weak order, which applies because the two conflict\n      \
             `a` -> `Outer`   by membership, declared at {FILE}:{member}\n      \
             help: remove one of these orders"
        )
    );
}

#[test]
fn a_cycle_from_the_end_of_a_group_to_its_begin_names_it_once() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    let first = after::<Outer>(builder);
    let second = order(builder, "a", Target::of::<Outer>());
    builder.group::<Outer>();
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             cycle: `a` -> `Outer` -> `a`\n      \
             `a` -> `Outer`   declared at {FILE}:{second}\n      \
             `Outer` -> `a`   declared at {FILE}:{first}\n      \
             help: remove one of these orders"
        )
    );
}

#[test]
fn cycle_of_one_system() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    let declared = order(builder, "a", "a");
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             `a` is ordered after itself at {FILE}:{declared}\n      \
             help: remove this order"
        )
    );
}

#[test]
fn cycle_of_two_systems_of_one_name() {
    let builder = &mut Schedule::builder();
    add(builder, "a");
    let first = builder.last().unwrap();
    add(builder, "a");
    let second = builder.last().unwrap();
    let one = order(builder, first, second);
    let two = order(builder, second, first);
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             cycle: `a` -> `a` -> `a`\n      \
             `a` -> `a`   declared at {FILE}:{one}\n      \
             `a` -> `a`   declared at {FILE}:{two}\n      \
             help: remove one of these orders"
        )
    );
}

#[test]
fn each_component_is_reported_once_by_its_shortest_cycle() {
    let builder = &mut Schedule::builder();
    for name in ["a", "b", "c", "d", "e"] {
        add(builder, name);
    }
    for (first, then) in [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("b", "a"),
        ("d", "e"),
        ("e", "d"),
        ("c", "d"),
    ] {
        builder.order(first, then);
    }
    let error = builder.build().unwrap_err();
    let names: Vec<Vec<_>> = error
        .problems()
        .iter()
        .map(|problem| match problem {
            Problem::Cycle(cycle) => cycle.steps.iter().map(|step| &*step.from.name).collect(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(names, [["a", "b"], ["d", "e"]]);
}
