//! Return types of handlers, and handlers that panic.

use std::convert::Infallible;
use std::num::TryFromIntError;

use schedule::Identity;
use schedule::prelude::*;
use schedule_stream::EventError;
use schedule_stream::answers::Answer;
use schedule_stream::prelude::*;

use super::{Account, Total, balances, outcomes, results, with_accounts};

/// The answer of the stream, into which the answers of handlers convert.
#[derive(Debug, Default, PartialEq)]
enum ReportedOutcome {
    #[default]
    Nothing,
    Balance(u64),
    Receipt(Receipt),
}

impl From<u64> for ReportedOutcome {
    fn from(balance: u64) -> Self {
        ReportedOutcome::Balance(balance)
    }
}

#[derive(Debug, PartialEq)]
struct Receipt(&'static str);

impl Answer for Receipt {}

impl From<Receipt> for ReportedOutcome {
    fn from(receipt: Receipt) -> Self {
        ReportedOutcome::Receipt(receipt)
    }
}

#[derive(Debug, PartialEq)]
enum Fault {
    Number(TryFromIntError),
    Text(String),
}

impl From<TryFromIntError> for Fault {
    fn from(error: TryFromIntError) -> Self {
        Fault::Number(error)
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Fault::Text(text)
    }
}

#[derive(Event)]
#[event(answer = ReportedOutcome, error = Fault)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
    #[event(print)]
    Print(Print),
    #[event(withdraw)]
    Withdraw(Withdraw),
    #[event(narrow)]
    Narrow(Narrow),
    #[event(repeat)]
    Repeat(Repeat),
    #[event(explode)]
    Explode(Explode),
}

struct Deposit(u32, u64);

#[handler]
fn deposit(event: &Deposit, #[key(event.0)] account: &mut Account) {
    account.0 += event.1;
}

struct Print(u32);

#[handler]
fn print(event: &Print, #[key(event.0)] account: &Account) -> Receipt {
    Receipt(if account.0 > 9 { "many" } else { "few" })
}

struct Withdraw(u32, u64);

#[handler]
fn withdraw(event: &Withdraw, #[key(event.0)] account: &mut Account) -> Result<u64, String> {
    account.0 = match account.0.checked_sub(event.1) {
        Some(rest) => rest,
        None => return Err(format!("{} short", event.1 - account.0)),
    };
    Ok(account.0)
}

struct Narrow(u64);

#[handler]
fn narrow(event: &Narrow, total: &mut Total) -> Result<(), TryFromIntError> {
    total.0 += u64::from(u8::try_from(event.0)?);
    Ok(())
}

struct Repeat(u32, u32);

/// Deposits 1, and returns itself as a follow-up event.
#[handler]
fn repeat(
    event: &Repeat,
    #[key(event.0)] account: &mut Account,
) -> Result<FollowUps<Entry, u64>, String> {
    account.0 += 1;
    let more = event
        .1
        .checked_sub(1)
        .map(|left| Entry::from(Repeat(event.0, left)));
    Ok(FollowUps::events(more).answering(account.0))
}

struct Explode {
    at: u32,
    in_key: bool,
}

#[handler(name = "bang")]
fn explode(
    event: &Explode,
    #[key(if event.in_key { panic!("no key") } else { event.at })] account: &mut Account,
) {
    account.0 += 1;
    panic!("account {} is at {}", event.at, account.0);
}

#[test]
fn answers_and_errors_convert_into_those_of_the_stream() {
    let mut resources = with_accounts(&[10]);
    let events = [
        Deposit(0, 2).into(),
        Print(0).into(),
        Withdraw(0, 5).into(),
        Withdraw(0, 8).into(),
        Narrow(200).into(),
        Narrow(300).into(),
    ];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(
        results,
        [
            "Ok(Nothing)",
            "Ok(Receipt(Receipt(\"many\")))",
            "Ok(Balance(7))",
            "Err(Failed(Text(\"1 short\")))",
            "Ok(Nothing)",
            format!("Err(Failed(Number({:?})))", u8::try_from(300).unwrap_err()).as_str(),
        ]
    );
    assert_eq!(balances(&resources), [(0, 7)]);
    assert_eq!(resources.get(), Some(&Total(200)));
}

#[test]
fn follow_up_events_arrive_after_earlier_events() {
    let mut resources = with_accounts(&[0]);
    let events = [Repeat(0, 2).into(), Deposit(0, 10).into()];
    let outcomes = outcomes::<Entry>(&mut resources, events);
    let expected = [
        ("1:0", "repeat", "Ok(Balance(1))"),
        ("1:1", "deposit", "Ok(Nothing)"),
        ("2:0", "repeat", "Ok(Balance(12))"),
        ("3:0", "repeat", "Ok(Balance(13))"),
    ];
    assert_eq!(
        outcomes,
        expected.map(|(at, by, reported)| (at.to_string(), by, reported.to_string()))
    );
}

#[test]
fn panic_is_reported_with_its_position_and_handler() {
    let mut resources = with_accounts(&[0]);
    let explode = |in_key| Entry::from(Explode { at: 0, in_key });
    let events = [
        explode(false),
        Deposit(0, 10).into(),
        explode(true),
        explode(false),
        Withdraw(0, 1).into(),
    ];
    let outcomes = outcomes::<Entry>(&mut resources, events);
    let expected = [
        ("1:0", "bang", "Err(Panicked(\"account 0 is at 1\"))"),
        ("1:1", "deposit", "Ok(Nothing)"),
        ("1:2", "bang", "Err(PanickedBeforeCall(\"no key\"))"),
        ("1:3", "bang", "Err(Panicked(\"account 0 is at 12\"))"),
        ("1:4", "withdraw", "Ok(Balance(11))"),
    ];
    assert_eq!(
        outcomes,
        expected.map(|(at, by, reported)| (at.to_string(), by, reported.to_string()))
    );
}

#[test]
fn outcome_states_whether_the_handler_has_run() {
    let mut resources = with_accounts(&[0]);
    let explode = |in_key| Entry::from(Explode { at: 0, in_key });
    let events = [
        Deposit(0, 1).into(),
        Deposit(1, 1).into(),
        Withdraw(0, 9).into(),
        explode(false),
        explode(true),
    ];
    let mut stream = Stream::<Entry>::new();
    let mut reported = Vec::new();
    let report = |outcome: Outcome<Entry>| {
        let has_run = outcome.result.as_ref().err().map(EventError::has_run);
        reported.push((outcome.is_applied(), has_run));
    };
    stream.process(&mut resources, events, report).unwrap();
    assert_eq!(
        reported,
        [
            (true, None),
            (false, Some(false)),
            (false, Some(true)),
            (false, Some(true)),
            (false, Some(false)),
        ]
    );
}

/// An event with the default error type.
#[derive(Event)]
#[event(count)]
struct Count(u32);

#[handler]
fn count(event: &Count, #[key(event.0)] one: &Account) -> Result<(), String> {
    match one.0 {
        0 => Err("empty".to_string()),
        _ => Ok(()),
    }
}

#[test]
fn struct_may_be_an_event() {
    let mut resources = with_accounts(&[0, 1]);
    let outcomes = outcomes(&mut resources, [Count(0), Count(1)]);
    assert_eq!(outcomes[0].2, "Err(Failed(\"empty\"))");
    assert_eq!(outcomes[1].2, "Ok(())");
    assert_eq!(outcomes[0].1, "count");
}

/// An enum with one handler for all variants.
#[derive(Event)]
#[event(turn, error = Infallible, answer = bool)]
enum Switch {
    On,
    Off,
}

#[handler]
fn turn(event: &Switch, total: &mut Total) -> bool {
    let before = total.0;
    total.0 = match event {
        Switch::On => 1,
        Switch::Off => 0,
    };
    before != total.0
}

#[test]
fn enum_may_have_one_handler() {
    let mut resources = with_accounts(&[]);
    let events = [Switch::On, Switch::On, Switch::Off];
    let results = results(&mut resources, events);
    assert_eq!(results, ["Ok(true)", "Ok(false)", "Ok(true)"]);
}

/// Two variants with the same type: neither implements `From` for it.
#[derive(Event)]
enum Move {
    #[event(credit::<true>)]
    Up(Amount),
    #[event(credit<false>)]
    Down(Amount),
    #[event(set::<Total>)]
    Set(Set<Total>),
}

struct Amount(u64);

#[handler]
fn credit<const IS_MORE: bool>(event: &Amount, total: &mut Total) {
    total.0 = if IS_MORE {
        total.0 + event.0
    } else {
        total.0 - event.0
    };
}

struct Set<T>(T);

trait Put: Sized {
    fn put(&mut self, value: &Self);
}

impl Put for Total {
    fn put(&mut self, value: &Self) {
        self.0 = value.0;
    }
}

#[handler]
fn set<T: Resource + Put>(event: &Set<T>, to: &mut T) {
    to.put(&event.0);
}

#[test]
fn generic_handler_is_named_by_its_instance() {
    let mut resources = with_accounts(&[]);
    let events = [
        Move::Up(Amount(5)),
        Move::Down(Amount(2)),
        Set(Total(30)).into(),
        Move::Up(Amount(5)),
    ];
    assert_eq!(results(&mut resources, events), ["Ok(())"; 4]);
    assert_eq!(resources.get(), Some(&Total(35)));
    assert_eq!(set::<Total>::NAME.to_string(), "set<Total>");
    assert_eq!(credit::<true>::NAME.to_string(), "credit<1>");
}
