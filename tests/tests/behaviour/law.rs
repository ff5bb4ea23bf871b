//! Compares random schedules with a direct implementation of the rules that examines every path and every pair.
//!
//! Covers features that no other random test covers: resources excepted from `writes_all`, the remedy of races, `why` and `try_order`.

mod case;
mod interpreter;
mod subject;

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::error::{Step, StepOrigin};
use schedule::prelude::*;
use schedule::report::Relation;
use schedule_tests::n_cases;

use self::case::{N_GROUPS, RESOURCES, Thing, cases};
use self::interpreter::Law;
use self::subject::{Declared, order_of, target};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Applies to invalid groups, which one of the tests rejects.
        max_global_rejects: 10 * n_cases(1500),
        ..ProptestConfig::with_cases(n_cases(1500))
    })]

    #[test]
    fn random_schedule_builds_and_runs_like_the_reference_model(case in cases()) {
        let law = case.law();
        match Declared::new(&case, false).build() {
            Err(refusal) => prop_assert_eq!(refusal, law),
            Ok(mut schedule) => {
                let order = order_of(&schedule);
                prop_assert!(law.allows(&order), "{order:?} against {law:?}");
                for _ in 0..2 {
                    let mut resources = Resources::new();
                    for name in RESOURCES {
                        resources.insert_named(name, 1_u64);
                    }
                    schedule.run(&mut resources).unwrap();
                    let state = RESOURCES.map(|name| *resources.get_named::<u64>(name).unwrap());
                    prop_assert_eq!(state, case.state(&order));
                }
            }
        }
    }

    #[test]
    fn order_of_declarations_does_not_change_the_verdict(case in cases()) {
        let (one, other) = (
            Declared::new(&case, false).build(),
            Declared::new(&case, true).build(),
        );
        prop_assert_eq!(one.err(), other.err());
    }

    #[test]
    fn remedy_resolves_all_races_and_is_minimal(case in cases()) {
        let Err(error) = Declared::new(&case, false).builder.build() else {
            return Ok(());
        };
        let law = case.law();
        let Law::Refused { has_cycle: false, has_writers_first, races } = law else {
            return Ok(());
        };
        let orders = error.remedy().map_or(&[][..], |remedy| remedy.orders());
        prop_assert_eq!(orders.is_empty(), races.is_empty());
        let build_without = |left_out: Option<usize>| {
            let mut declared = Declared::new(&case, false);
            for (idx, order) in orders.iter().enumerate() {
                if Some(idx) != left_out {
                    declared.builder.order(order.first_node, order.then_node);
                }
            }
            declared.build()
        };
        match build_without(None) {
            Ok(_) => {}
            // Pairs of writers remain, because `WritersFirst` cannot order them.
            Err(Law::Refused { has_cycle, races, .. }) => {
                prop_assert!(has_writers_first && !has_cycle && races.is_empty());
            }
            Err(Law::Groups | Law::Order { .. }) => unreachable!("groups are as they were"),
        }
        for (left_out, order) in orders.iter().enumerate() {
            let refusal = build_without(Some(left_out)).err();
            let has_race =
                matches!(&refusal, Some(Law::Refused { races, .. }) if !races.is_empty());
            prop_assert!(has_race, "{order:?} can be left out: {refusal:?}");
        }
    }

    #[test]
    fn why_agrees_with_the_reference_model(case in cases()) {
        let mut declared = Declared::new(&case, false);
        let Ok(schedule) = declared.build() else {
            return Ok(());
        };
        let order = order_of(&schedule);
        let place = |system| order.iter().position(|&one| one == system);
        let (graph, conflicts) = (case.graph(false), case.conflicts());
        for b in 0..case.nodes.len() {
            for a in 0..b {
                let why = schedule.why(declared.nodes[a], declared.nodes[b]).unwrap();
                let (steps, ends) = match &why.relation {
                    Relation::Before(steps) => (steps.as_slice(), (a, b)),
                    Relation::After(steps) => (steps.as_slice(), (b, a)),
                    Relation::AtOnce { .. } => (&[][..], (a, b)),
                    other => panic!("{other:?}"),
                };
                let is_declared = |step: &Step| matches!(
                    step.origin,
                    StepOrigin::Declared(_) | StepOrigin::Group(_)
                );
                let has_path = graph.has_path(a, b) || graph.has_path(b, a);
                prop_assert_eq!(has_path, !steps.is_empty() && steps.iter().all(is_declared));
                let conflict = conflicts.contains(&(a, b));
                prop_assert_eq!(why.conflict.is_some(), conflict);
                prop_assert!(!(conflict && steps.is_empty()));
                let is_system = !case.nodes[a].is_checkpoint && !case.nodes[b].is_checkpoint;
                if !steps.is_empty() && is_system {
                    prop_assert!(place(ends.0) < place(ends.1));
                }
                for step in steps.windows(2) {
                    prop_assert_eq!(&step[0].to, &step[1].from);
                }
            }
        }
    }

    #[test]
    fn contradicting_order_is_rejected_and_changes_nothing(
        case in cases(),
        ends in any::<(Index, Index)>(),
    ) {
        prop_assume!(case.law() != Law::Groups);
        let thing = |idx: usize| match idx.checked_sub(case.nodes.len()) {
            None => Thing::Node(idx),
            Some(group) => Thing::Group(group),
        };
        let n_things = case.nodes.len() + N_GROUPS;
        let (first, then) = (thing(ends.0.index(n_things)), thing(ends.1.index(n_things)));
        let (from, to) = (case.last(first), case.first(then));
        let is_refused = case.is_against_member(first, then)
            || first == then
            || case.graph(true).has_path(to, from);
        let mut declared = Declared::new(&case, false);
        let [first_target, then_target] = [first, then].map(|one| target(&declared.nodes, one));
        let result = declared.builder.try_order(first_target, then_target);
        prop_assert_eq!(result.is_err(), is_refused, "{:?} before {:?}", first, then);
        let mut expected = case.clone();
        if !is_refused {
            expected.orders.push((first, then, false));
        }
        match declared.build() {
            Err(refusal) => prop_assert_eq!(refusal, expected.law()),
            Ok(schedule) => prop_assert!(expected.law().allows(&order_of(&schedule))),
        }
    }
}
