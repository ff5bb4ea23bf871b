use super::declarations::edges;
use super::*;

use NodeKind::{Declared as Of, GroupBegin, GroupEnd, LoopEnd};

fn kinds(lowered: &Lowered<'_>) -> Vec<NodeKind> {
    let nodes = 0..lowered.n_nodes() as u32;
    nodes.map(|node| lowered.kind(node)).collect()
}

#[test]
fn groups_and_implied_conditions_precede_their_first_node() {
    let mut declarations = Declarations::systems(3);
    let of_last = declarations.group(&[node(2)]);
    let of_both = declarations.group(&[node(1), group(of_last)]);
    let empty = declarations.group(&[]);
    let implied = declarations.condition(&[]);
    declarations.guard(node(1), implied);
    let kinds = declarations.lower(1, |lowered, _| kinds(lowered)).unwrap();
    assert_eq!(
        kinds,
        [
            Of(0),
            Of(3),
            GroupBegin(of_both),
            GroupEnd(of_both),
            Of(1),
            GroupBegin(of_last),
            GroupEnd(of_last),
            Of(2),
            GroupBegin(empty),
            GroupEnd(empty),
        ]
    );
}

#[test]
fn removed_node_has_no_number() {
    let mut declarations = Declarations::systems(3);
    declarations.kinds[1] = Kind::Removed;
    declarations
        .lower(0, |lowered, _| {
            assert_eq!(kinds(lowered), [Of(0), Of(2)]);
            assert_eq!(lowered.nodes(), [0, NONE, 1]);
        })
        .unwrap();
}

#[test]
fn order_across_levels_applies_to_the_whole_loop() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = declarations.add(Kind::System, repeat);
    let outside = declarations.add(Kind::System, NONE);
    declarations.order(node(inside), node(outside), Strength::Strict);
    declarations
        .lower(0, |lowered, _| {
            let is_order = |origin| matches!(origin, EdgeOrigin::Order(_));
            assert_eq!(edges(lowered, is_order), [(LoopEnd(repeat), Of(outside))]);
            let is_loop = |origin| origin == EdgeOrigin::Loop;
            let around = [
                (Of(repeat), LoopEnd(repeat)),
                (Of(repeat), Of(inside)),
                (Of(inside), LoopEnd(repeat)),
            ];
            assert_eq!(edges(lowered, is_loop), around);
        })
        .unwrap();
}

#[test]
fn order_against_an_inner_node_is_an_error() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = declarations.add(Kind::System, repeat);
    let within = declarations.group(&[node(repeat)]);
    declarations.order(node(inside), node(repeat), Strength::Strict);
    declarations.order(group(within), node(inside), Strength::Weak);
    declarations
        .lower(0, |lowered, _| {
            let faults = (0..lowered.n_faults()).map(|nth| lowered.fault(nth));
            let of_loop = OrderFault::Loop {
                repeat: node(repeat),
                node: node(inside),
            };
            let of_group = OrderFault::Member {
                group: within,
                member: node(inside),
            };
            assert_eq!(faults.collect::<Vec<_>>(), [(0, of_loop), (1, of_group)]);
        })
        .unwrap();
}

#[test]
fn weak_order_of_groups_applies_only_to_their_nodes() {
    let mut declarations = Declarations::systems(4);
    let (first, then) = (
        declarations.group(&[node(0), node(1)]),
        declarations.group(&[node(2)]),
    );
    declarations.group(&[node(3)]);
    declarations.order(group(first), group(then), Strength::Weak);
    declarations.order(group(then), node(3), Strength::Weak);
    assert_eq!(declarations.clone().lower(2, |_, _| ()), Err(Full));
    declarations
        .lower(3, |lowered, _| {
            assert_eq!(lowered.n_nodes() - lowered.n_planned(), 4, "of two groups");
            let weak = lowered.weak().iter().enumerate().map(|(idx, edge)| {
                let ends = (lowered.kind(edge.from), lowered.kind(edge.to));
                (lowered.weak_origin(idx), ends)
            });
            let orders = weak.filter(|(origin, _)| *origin != EdgeOrigin::Inside);
            assert_eq!(
                orders.collect::<Vec<_>>(),
                [
                    (
                        EdgeOrigin::Weak(0),
                        (NodeKind::WeakEnd(first), NodeKind::WeakBegin(then))
                    ),
                    (EdgeOrigin::Weak(1), (NodeKind::WeakEnd(then), Of(3))),
                ]
            );
            assert_eq!(lowered.weak().len(), 2 + 2 * 3);
        })
        .unwrap();
}

#[test]
fn condition_used_only_by_a_guarded_group_inherits_its_guard() {
    let mut declarations = Declarations::systems(4);
    let guarded = declarations.group(&[node(2), node(3)]);
    let (of_group, of_node) = (declarations.condition(&[0]), declarations.condition(&[1]));
    declarations.guard(group(guarded), of_group);
    declarations.guard(node(2), of_node);
    let inherited = |declarations: Declarations| {
        declarations
            .lower(16, |lowered, _| {
                let guards = |idx: u32| {
                    let guards = lowered.guards();
                    let positions = guards.start(idx)..guards.end(idx);
                    positions.map(|at| guards.at(at)).collect::<Vec<_>>()
                };
                assert_eq!(guards(2), [1, 0], "its own, and that of its group");
                guards(1)
            })
            .unwrap()
    };
    assert_eq!(inherited(declarations.clone()), [0]);
    // The condition also guards an item outside the group.
    let other = declarations.add(Kind::System, NONE);
    declarations.guard(node(other), of_node);
    assert_eq!(inherited(declarations.clone()), Vec::<u32>::new());
    // The other item that it guards is a condition that inherits.
    declarations.guards.pop();
    let of_condition = declarations.condition(&[other]);
    declarations.guard(node(1), of_condition);
    let both = declarations.lower(16, |lowered, _| {
        [1, other].map(|idx| lowered.guards().end(idx) - lowered.guards().start(idx))
    });
    assert_eq!(both.unwrap(), [2, 1]);
}

#[test]
fn implied_condition_runs_between_a_sync_point_and_its_guarded_nodes() {
    let mut declarations = Declarations::systems(2);
    let sync_point = declarations.add(Kind::ApplyCommands, NONE);
    let implied = declarations.condition(&[]);
    declarations.guard(node(0), implied);
    declarations.guard(node(1), implied);
    declarations.order(node(sync_point), node(0), Strength::Strict);
    let applies_commands = |origin| origin == EdgeOrigin::ApplyCommands;
    let only_one = declarations
        .clone()
        .lower(2, |lowered, _| edges(lowered, applies_commands));
    assert_eq!(only_one.unwrap(), []);
    declarations.order(node(sync_point), node(1), Strength::Strict);
    let both = declarations.lower(2, |lowered, _| edges(lowered, applies_commands));
    assert_eq!(both.unwrap(), [(Of(sync_point), Of(3))]);
}
