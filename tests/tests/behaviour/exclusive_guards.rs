//! Guards that cannot both be true: the systems need no order.

use schedule::prelude::*;
use schedule::{Builder, Condition};

use crate::trace::races;
use crate::{Log, take_log, with_log};
use schedule_tests::on::On;

/// The answers of the conditions, as bits.
#[derive(Debug, Resource)]
struct Answers(u32);

/// Answers with bit C.
#[system]
fn asks<const C: u32>(answers: &Answers) -> bool {
    answers.0 >> C & 1 == 1
}

fn c<const C: u32>() -> Condition {
    Condition::of::<asks<C>>()
}

fn declare(first: &[Condition], second: &[Condition]) -> Builder {
    let mut builder = Schedule::builder();
    builder.add_closure("first", |log: &mut Log| log.push("first"));
    for guard in first {
        builder.run_if(guard.clone());
    }
    builder.add_closure("second", |log: &mut Log| log.push("second"));
    for guard in second {
        builder.run_if(guard.clone());
    }
    builder
}

fn xor(a: Condition, b: Condition) -> Condition {
    (a.clone() & !b.clone()) | (!a & b)
}

#[test]
fn systems_whose_guards_cannot_both_be_true_need_no_order() {
    let three = c::<0>() & c::<1>() & c::<2>();
    let all = three.clone() & c::<3>() & c::<4>() & c::<5>();
    for (first, second) in [
        (vec![c::<0>(), !(c::<0>() & c::<1>())], vec![c::<1>()]),
        (vec![c::<0>(), c::<1>()], vec![!(c::<0>() & c::<1>())]),
        (
            vec![xor(c::<0>(), c::<1>())],
            vec![!xor(c::<0>(), c::<1>())],
        ),
        (vec![c::<0>() | c::<1>()], vec![!c::<0>(), !c::<1>()]),
        (vec![all.clone()], vec![!all]),
        // One of them never runs.
        (vec![c::<0>(), !c::<0>()], vec![]),
        (vec![], vec![three.clone(), !(three | c::<3>())]),
    ] {
        let mut schedule = declare(&first, &second).build().unwrap();
        for on in On::ALL {
            on.set(&mut schedule);
            let mut resources = with_log();
            for answers in 0..1 << 6 {
                resources.insert(Answers(answers));
                schedule.run(&mut resources).unwrap();
                assert!(take_log(&mut resources).len() <= 1);
            }
        }
    }
}

#[test]
fn systems_whose_guards_can_both_be_true_need_an_order() {
    for (first, second) in [
        (vec![c::<0>()], vec![c::<1>()]),
        (vec![c::<0>()], vec![!c::<1>()]),
        (vec![c::<0>() | c::<1>()], vec![!(c::<0>() & c::<1>())]),
        (
            vec![xor(c::<0>(), c::<1>())],
            vec![!xor(c::<0>(), c::<2>())],
        ),
        (vec![], vec![c::<0>() | !c::<0>()]),
    ] {
        assert_eq!(races(&mut declare(&first, &second)).len(), 1);
    }
}

/// The number of leaves limits the comparison, not the detection of one condition with two answers.
#[test]
fn guards_with_seven_leaves_exclude_each_other_by_one_condition() {
    let six = c::<1>() | c::<2>() | c::<3>() | c::<4>() | c::<5>() | c::<6>();
    let opposed = declare(&[c::<0>(), six.clone()], &[!c::<0>(), six.clone()]).build();
    assert!(opposed.is_ok());
    assert_eq!(
        races(&mut declare(
            &[c::<0>() & six.clone()],
            &[!(c::<0>() & six)]
        ))
        .len(),
        1
    );
}

#[test]
fn report_names_a_condition_of_guards_that_exclude_each_other() {
    let first = [xor(c::<0>(), c::<1>())];
    let second = [!xor(c::<0>(), c::<1>())];
    let schedule = declare(&first, &second).build().unwrap();
    let why = schedule.why("first", "second").unwrap().to_string();
    assert!(
        why.starts_with("at most one of `first` and `second` runs: `asks<0>`"),
        "{why}"
    );
}

#[system]
fn at_peace(answers: &Answers) -> bool {
    answers.0 == 0
}

#[system]
fn at_home(answers: &Answers) -> bool {
    answers.0 == 1
}

#[system]
fn farm(log: &mut Log) {
    log.push("farm");
}

schedule! {
    Listed {
        rest: if and(at_peace, at_home),
        march: if not(or(at_peace, at_home)),
        farm: if not(at_peace) if at_home,
        trade: if at_peace if not(and(at_peace, at_home)),
    }
}

#[system]
fn rest(log: &mut Log) {
    log.push("rest");
}

#[system]
fn march(log: &mut Log) {
    log.push("march");
}

#[system]
fn trade(log: &mut Log) {
    log.push("trade");
}

#[test]
fn compiler_accepts_guards_that_exclude_each_other() {
    let mut resources = with_log();
    resources.insert(Answers(7));
    Listed::new().run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["march"]);
}
