//! Streams as parameters of systems.

mod parallel;

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::{Identity, RunError, schedule};
use schedule_stream::prelude::*;
use schedule_stream::{Position, Processing};

use schedule_tests::on::On;
use schedule_tests::schedule_of;

#[derive(Record, Debug, PartialEq, Clone)]
#[record(id = u32)]
struct Account(i64);

#[derive(Record, Debug, PartialEq, Clone)]
#[record(key = String)]
struct Customer(u32);

#[derive(Resource, Debug, PartialEq, Default)]
struct Total(i64);

#[derive(Event, Identity, Clone)]
#[event(deposit)]
struct Deposit {
    to: u32,
    amount: i64,
}

#[handler]
fn deposit(
    event: &Deposit,
    #[key(event.to)] to: &mut Account,
    total: &mut Total,
) -> Result<(), &'static str> {
    if event.amount < 0 {
        return Err("less than nothing");
    }
    to.0 += event.amount;
    total.0 += event.amount;
    Ok(())
}

#[derive(Event, Identity)]
#[event(greet)]
struct Greet(String);

#[handler]
fn greet(event: &Greet, #[key(&event.0)] customer: &mut Customer) {
    customer.0 += 1;
}

#[derive(Resource, Debug, PartialEq, Default)]
struct Refused(Vec<(u64, u32)>);

#[system]
fn earn(inbox: &mut Inbox<Deposit>) {
    for to in 0..10 {
        let amount = if to == 3 { -1 } else { 5 };
        inbox.push(Deposit { to, amount });
    }
}

#[system(after = earn)]
fn settle(inbox: &mut Inbox<Deposit>, mut bank: Streaming<Deposit>, refused: &mut Refused) {
    bank.set_processing(Processing::Parallel);
    let processed = bank.process(inbox.drain(), |outcome| {
        if !outcome.is_applied() {
            let Position { batch, index } = outcome.position;
            refused.0.push((batch, index));
        }
    });
    processed.unwrap();
}

#[system]
fn welcome(mut customers: Streaming<Greet>) {
    let report = |outcome: Outcome<Greet>| assert!(outcome.is_applied());
    let processed = customers.process(["Ada".to_string()].map(Greet), report);
    processed.unwrap();
}

#[system(after = settle)]
fn audit(accounts: &Records<Account>, total: &Total) {
    let sum: i64 = accounts.iter().map(|(_, account)| account.0).sum();
    assert_eq!(sum, total.0);
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..10).map(|id| (id, Account(0)))));
    resources.insert(Records::from_iter([("Ada".to_string(), Customer(0))]));
    resources.insert_default::<Inbox<Deposit>>();
    resources.insert_default::<Total>();
    resources.insert_default::<Refused>();
    resources
}

#[test]
fn all_events_are_processed_before_the_system_ends() {
    for &on in On::ALL {
        let mut schedule = schedule_of(|all| {
            all.add::<earn>()
                .add::<settle>()
                .add::<welcome>()
                .add::<audit>()
        });
        on.set(&mut schedule);
        let mut resources = resources();
        for run in 1..=3 {
            on.run(&mut schedule, &mut resources).unwrap();
            assert_eq!(resources.get(), Some(&Total(45 * run)), "{on:?}");
        }
        // The stream is kept between runs, so positions continue.
        assert_eq!(
            resources.get(),
            Some(&Refused(vec![(1, 3), (2, 3), (3, 3)])),
            "{on:?}"
        );
        let customers = resources.get::<Records<Customer>>().unwrap();
        assert_eq!(customers.get("Ada".to_string()), Some(&Customer(3)));
    }
}

schedule! {
    Day {
        earn,
        settle: after earn,
        welcome,
        audit: after settle,
    }
}

#[test]
fn compiler_verifies_the_access_of_a_stream() {
    let mut resources = resources();
    Day::new().run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Total(45)));
}

#[test]
fn system_that_reads_a_store_races_with_a_stream_that_writes_records() {
    #[system]
    fn look(_: &Records<Account>) {}
    let error = Schedule::builder()
        .add::<settle>()
        .add::<earn>()
        .add::<look>()
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("`settle`"), "{error}");
    assert!(error.contains("`look`"), "{error}");
    assert!(error.contains("`Records<Account>`"), "{error}");
}

#[test]
fn missing_store_is_reported_before_any_system_runs() {
    let mut resources = resources();
    resources.remove::<Records<Account>>();
    let mut schedule = schedule_of(|all| all.add::<earn>().add::<settle>());
    let error = schedule.run(&mut resources).unwrap_err();
    let RunError::Missing(missing) = error else {
        panic!("{error}");
    };
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].resource, "Records<Account>");
    assert!(resources.get::<Inbox<Deposit>>().unwrap().is_empty());
}

#[test]
fn store_may_be_replaced_between_runs() {
    let mut resources = resources();
    let mut schedule = schedule_of(|all| all.add::<earn>().add::<settle>());
    schedule.run(&mut resources).unwrap();
    resources.remove::<Records<Account>>();
    resources.insert(Records::from_iter((0..5).map(|id| (id, Account(100)))));
    schedule.run(&mut resources).unwrap();
    let accounts = resources.get::<Records<Account>>().unwrap();
    assert_eq!(accounts.get(0), Some(&Account(105)));
    assert_eq!(accounts.len(), 5);
    let refused = resources.get::<Refused>().unwrap();
    let second = [3, 5, 6, 7, 8, 9].map(|index| (2, index));
    assert_eq!(refused.0, [&[(1, 3)], &second[..]].concat());
}

#[derive(Component, Clone)]
struct Size(u32);

#[derive(Columns)]
struct Stone {
    size: Size,
}

#[derive(Event, Identity)]
#[event(copy_stones)]
struct CopyStones;

#[handler]
fn copy_stones(_: &CopyStones, stones: &Columns<Stone>) {
    let _ = stones.clone();
}

#[system]
fn copy_in_handler(mut stream: Streaming<CopyStones>) {
    let mut reason = String::new();
    let processed = stream.process([CopyStones], |outcome| {
        reason = outcome.result.unwrap_err().to_string();
    });
    processed.unwrap();
    assert!(reason.contains("cannot copy the entities"), "{reason}");
}

#[system(for_each = Columns<Stone>)]
fn erode(size: &mut Size) {
    size.0 -= 1;
}

#[test]
fn handler_in_a_system_cannot_copy_a_store_that_other_systems_write() {
    let mut schedule = schedule_of(|all| all.add::<erode>().add::<copy_in_handler>());
    let mut resources = Resources::new();
    resources.insert(Columns::from_iter([Stone { size: Size(9) }]));
    schedule.run(&mut resources).unwrap();
    // Outside of a schedule, no system writes components meanwhile.
    let mut stream = Stream::new();
    let outcomes = |outcome: Outcome<CopyStones>| assert!(outcome.result.is_ok());
    stream
        .process(&mut resources, [CopyStones], outcomes)
        .unwrap();
    let copy = resources.get::<Columns<Stone>>().unwrap().clone();
    assert_eq!(copy.len(), 1);
}
