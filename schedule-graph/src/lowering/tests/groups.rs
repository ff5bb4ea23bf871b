use super::*;

#[test]
fn a_group_begins_with_its_first_node_also_through_other_groups() {
    let mut declarations = Declarations::systems(4);
    let outer = declarations.group(&[group(1), node(3)]);
    let inner = declarations.group(&[node(2)]);
    declarations.with_groups(|groups| {
        assert_eq!(groups.first(outer), Some(2));
        assert_eq!(groups.first(inner), Some(2));
        assert!(!groups.is_tangled());
        assert!(groups.misplaced().is_empty());
    });
}

#[test]
fn group_without_nodes_is_at_the_level_of_a_group_around_it() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = declarations.add(Kind::System, repeat);
    let outer = declarations.group(&[node(inside), group(1)]);
    let empty = declarations.group(&[]);
    declarations.with_groups(|groups| {
        assert_eq!(groups.first(empty), None);
        assert_eq!(groups.level(group(empty)), repeat);
        assert_eq!(groups.level(group(outer)), repeat);
    });
}

#[test]
fn member_of_another_level_is_dropped_and_reported_once_for_each_group() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = [
        declarations.add(Kind::System, repeat),
        declarations.add(Kind::System, repeat),
    ];
    declarations.group(&[node(repeat), node(inside[0]), node(inside[1])]);
    declarations.with_groups(|groups| {
        assert_eq!(groups.misplaced(), [1]);
        assert_eq!(
            [0, 1, 2].map(|member| groups.is_kept(member)),
            [true, false, false]
        );
    });
}

#[test]
fn groups_that_contain_each_other_are_an_error() {
    let mut declarations = Declarations::systems(1);
    declarations.group(&[group(1), node(0)]);
    declarations.group(&[group(0)]);
    declarations.group(&[group(2)]);
    declarations.with_groups(|groups| {
        assert_eq!(groups.n_tangles(), 2);
        let members = (0..groups.n_in_tangle(0)).map(|nth| groups.in_tangle(0, nth));
        assert_eq!(members.collect::<Vec<_>>(), [2, 0]);
        assert_eq!((groups.n_in_tangle(1), groups.in_tangle(1, 0)), (1, 3));
    });
}

#[test]
fn deep_groups_are_found_in_one_pass() {
    // Each group contains the next one, and the last one contains the node.
    let n = 20_000;
    let mut declarations = Declarations::systems(1);
    for idx in 0..n {
        let next = match idx + 1 {
            next if next < n => group(next),
            _ => node(0),
        };
        declarations.group(&[next]);
    }
    declarations.with_groups(|groups| assert!((0..n).all(|group| groups.first(group) == Some(0))));
}
