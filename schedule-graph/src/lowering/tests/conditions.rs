use super::*;

#[test]
fn guard_finds_conditions_at_its_own_and_outer_levels() {
    let mut said = Said::new();
    let outside = said.add(Kind::System, NONE);
    let repeat = said.add(Kind::Loop, NONE);
    let inside = said.add(Kind::System, repeat);
    let guarded = said.add(Kind::System, repeat);
    let near = said.condition(&[outside, inside]);
    let far = said.condition(&[outside]);
    said.guard(node(guarded), near);
    said.guard(node(guarded), far);
    let conditions = said.find(0).unwrap();
    let conditions = conditions.view();
    assert_eq!([0, 1].map(|leaf| conditions.node(leaf)), [inside, outside]);
    assert_eq!((conditions.n_faults(), conditions.n_implied()), (0, 0));
}

#[test]
fn each_fault_of_a_guard_is_reported_with_its_leaf() {
    let mut said = Said::new();
    let repeat = said.add(Kind::Loop, NONE);
    let inside = said.add(Kind::System, repeat);
    let twice = [said.add(Kind::System, NONE), said.add(Kind::System, NONE)];
    let guarded = said.add(Kind::System, NONE);
    let deeper = said.condition(&[inside]);
    let ambiguous = said.condition(&twice);
    let itself = said.condition(&[guarded]);
    let is_loop = said.condition(&[repeat]);
    let missing = said.condition(&[]);
    said.conditions[missing as usize].may_be_implied = false;
    let fine = said.condition(&[twice[0]]);
    let leaves = [fine, deeper, ambiguous, itself, is_loop, missing];
    let tokens = leaves.map(Ok).into_iter().chain([Err(Token::All(6))]);
    let template = said.template(&tokens.collect::<Vec<_>>());
    said.guards.push((node(guarded), template));
    let conditions = said.find(0).unwrap();
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
    let mut said = Said::new();
    let repeat = said.add(Kind::Loop, NONE);
    let inside = [
        said.add(Kind::System, repeat),
        said.add(Kind::System, repeat),
    ];
    let outside = said.add(Kind::System, NONE);
    let (implied, other) = (said.condition(&[]), said.condition(&[]));
    said.guard(node(outside), implied);
    said.guard(node(inside[1]), implied);
    said.guard(node(inside[0]), implied);
    let own = said.template(&[Ok(other)]);
    said.conditions[implied as usize].first_template = own;
    said.conditions[implied as usize].end_template = own + 1;
    assert_eq!(said.find(3).unwrap_err(), Full);
    let conditions = said.find(4).unwrap();
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
