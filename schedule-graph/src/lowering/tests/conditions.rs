use super::*;

#[test]
fn guard_finds_conditions_at_its_own_and_outer_levels() {
    let mut declarations = Declarations::new();
    let outside = declarations.add(Kind::System, NONE);
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = declarations.add(Kind::System, repeat);
    let guarded = declarations.add(Kind::System, repeat);
    let near = declarations.condition(&[outside, inside]);
    let far = declarations.condition(&[outside]);
    declarations.guard(node(guarded), near);
    declarations.guard(node(guarded), far);
    let conditions = declarations.find(0).unwrap();
    let conditions = conditions.view();
    assert_eq!([0, 1].map(|leaf| conditions.node(leaf)), [inside, outside]);
    assert_eq!((conditions.n_faults(), conditions.n_implied()), (0, 0));
}

#[test]
fn each_fault_of_a_guard_is_reported_with_its_leaf() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = declarations.add(Kind::System, repeat);
    let twice = [
        declarations.add(Kind::System, NONE),
        declarations.add(Kind::System, NONE),
    ];
    let guarded = declarations.add(Kind::System, NONE);
    let deeper = declarations.condition(&[inside]);
    let ambiguous = declarations.condition(&twice);
    let itself = declarations.condition(&[guarded]);
    let is_loop = declarations.condition(&[repeat]);
    let missing = declarations.condition(&[]);
    declarations.conditions[missing as usize].may_be_implied = false;
    let fine = declarations.condition(&[twice[0]]);
    let leaves = [fine, deeper, ambiguous, itself, is_loop, missing];
    let tokens = leaves.map(Ok).into_iter().chain([Err(Token::All(6))]);
    let template = declarations.template(&tokens.collect::<Vec<_>>());
    declarations.guards.push((node(guarded), template));
    let conditions = declarations.find(0).unwrap();
    let conditions = conditions.view();
    let faults: Vec<_> = (0..conditions.n_faults())
        .map(|nth| conditions.fault(nth))
        .collect();
    assert_eq!(
        faults,
        [
            (0, 1, ConditionFault::Deeper(inside)),
            (0, 2, ConditionFault::Ambiguous(twice[0])),
            (0, 3, ConditionFault::Itself(guarded)),
            (0, 4, ConditionFault::Loop(repeat)),
            (0, 5, ConditionFault::Missing),
        ]
    );
    assert!(conditions.is_broken(0));
    assert_eq!((conditions.node(0), conditions.node(1)), (twice[0], NONE));
}

#[test]
fn implied_condition_is_added_once_for_each_level_with_its_own_guards() {
    let mut declarations = Declarations::new();
    let repeat = declarations.add(Kind::Loop, NONE);
    let inside = [
        declarations.add(Kind::System, repeat),
        declarations.add(Kind::System, repeat),
    ];
    let outside = declarations.add(Kind::System, NONE);
    let (implied, other) = (declarations.condition(&[]), declarations.condition(&[]));
    declarations.guard(node(outside), implied);
    declarations.guard(node(inside[1]), implied);
    declarations.guard(node(inside[0]), implied);
    let own = declarations.template(&[Ok(other)]);
    declarations.conditions[implied as usize].first_template = own;
    declarations.conditions[implied as usize].end_template = own + 1;
    assert_eq!(declarations.find(3).unwrap_err(), Full);
    let conditions = declarations.find(4).unwrap();
    let conditions = conditions.view();
    let all = (0..4).map(|nth| {
        (
            conditions.implied(nth),
            conditions.level_of_implied(nth),
            conditions.first_guarded(nth),
        )
    });
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            (implied, NONE, outside),
            // Of the two that it guards the one that was declared first.
            (implied, repeat, inside[0]),
            (other, NONE, 4),
            (other, repeat, 5),
        ]
    );
    assert_eq!(conditions.n_guards(), 5);
    assert_eq!(conditions.guarded(3), node(4));
    assert_eq!((conditions.guard_of(4), conditions.asker(3)), (4, 4));
}
