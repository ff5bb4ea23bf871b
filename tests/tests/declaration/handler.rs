//! The forms of functions with `#[handler]`, and of events and records.
#![allow(
    clippy::needless_lifetimes,
    clippy::non_minimal_cfg,
    clippy::extra_unused_type_parameters,
    reason = "any way to write them is tried"
)]

use schedule::Identity;
use schedule::prelude::*;
use schedule_stream::Handler;
use schedule_stream::prelude::*;

#[derive(Debug, Default, PartialEq, Record)]
#[record(id = u16)]
struct Account(i64);

/// A generic record: each instance is a type of record.
#[derive(Debug, Default, PartialEq, Record)]
#[record(key = (u8, Vec<String>))]
struct Purse<T, const N: usize = 1>(T);

#[derive(Debug, Default, PartialEq, Resource)]
struct Total(i64);

type AccountMut<'a> = &'a mut Account;
type Maybe<'a, T = Account> = Option<&'a mut T>;
type Answer<E = String> = Result<i64, E>;
type All<'a> = RecordSetMut<'a, Account>;

struct Moved {
    by: i64,
    at: [u16; 2],
}

#[handler]
fn elided_in_an_alias(event: &Moved, #[key(event.at[0])] one: AccountMut) -> Answer {
    one.0 += event.by;
    Ok(one.0)
}

#[handler]
fn anonymous(
    event: &Moved,
    #[key(event.at[0])] one: Maybe<'_>,
    #[keys(event.at.iter().skip(1))] _: All<'_>,
) -> Answer<&'static str> {
    let one = one.ok_or("missing")?;
    one.0 += event.by;
    Ok(one.0)
}

#[handler]
fn written_out<'e, 'a: 'b, 'b>(
    event: &'e Moved,
    #[key(event.at[0])] one: &'a mut Account,
    #[key(event.at[1])] other: Maybe<'b>,
) -> i64 {
    one.0 += event.by + other.map_or(0, |other| other.0);
    one.0
}

/// The pattern binds fields of the event. Generated names do not collide with these.
#[handler]
fn taken_apart(
    &Moved {
        by: naming,
        at: [list, items],
    }: &Moved,
    #[key(list.min(items))] __schedule: &mut Account,
    #[keys([list, items].into_iter().max())] mut set: RecordSetMut<Account>,
) -> i64 {
    let _ = (list, items);
    __schedule.0 += naming;
    set.iter_mut().for_each(|(key, account)| {
        account.0 -= naming;
        assert_eq!(*key, 1);
    });
    naming
}

#[handler]
fn of_precedence(
    event: &Moved,
    #[key(event.at[0] + event.at[1] - 1)] one: &mut Account,
    #[key(if event.by > 0 { event.at[1] } else { 0 })] other: &Account,
) -> i64 {
    one.0 += event.by;
    other.0
}

#[handler]
fn some_are_configured_out(
    event: &Moved,
    #[cfg(any())] never: &Missing,
    #[key(event.at[0])]
    #[cfg(all())]
    one: &mut Account,
    #[key(event.missing)]
    #[cfg(any())]
    never: &mut Account,
    #[cfg(not(any()))] total: &mut Total,
) -> i64 {
    one.0 += event.by;
    total.0 += event.by;
    one.0
}

#[handler(type = r#Struct, name = "raw")]
fn r#struct(r#in: &Moved, #[key(r#in.at[0])] r#type: &mut Account) -> i64 {
    r#type.0 += r#in.by;
    r#type.0
}

#[handler]
extern "C" fn of_another_abi(event: &Moved, #[key(event.at[0])] one: &mut Account) -> i64 {
    one.0 += event.by;
    one.0
}

macro_rules! made {
    ($name:ident, $at:expr, $ty:ty) => {
        #[handler]
        fn $name(event: &Moved, #[key(event.at[$at])] one: &mut $ty) -> i64 {
            one.0 += event.by;
            one.0
        }
    };
}

made!(by_a_macro, 0, Account);

#[handler]
fn of_a_generic_record<'e, T, const N: usize>(
    event: &'e Moved,
    #[key((event.by as u8, vec!["x".to_string()]))] purse: &mut Purse<T, N>,
) -> i64
where
    T: std::ops::AddAssign<i64> + Send + Sync,
{
    purse.0 += event.by;
    N as i64
}

#[handler]
#[allow(clippy::too_many_arguments, reason = "it is what is tried")]
fn many(
    event: &Moved,
    #[key(event.at[0])] _: &mut Account,
    #[key(2u16)] _: Option<&Account>,
    #[key(3)] _: Option<&Account>,
    #[key(4)] _: Option<&Account>,
    #[key(5)] _: Option<&Account>,
    #[key(6)] _: Option<&mut Account>,
    #[key(7)] _: Option<&Account>,
    #[key(8)] _: Option<&Account>,
    #[key(9)] _: Option<&Account>,
    #[key(10)] _: Option<&Account>,
    #[key(11)] _: Option<&Account>,
    #[key(12)] _: Option<&Account>,
    #[key(13)] _: Option<&Account>,
    total: &mut Total,
) -> i64 {
    total.0 += event.by;
    total.0
}

#[derive(Event)]
#[event(answer = i64)]
#[event(error = BoxError)]
enum Entry {
    #[event(elided_in_an_alias)]
    Elided(Moved),
    #[event(anonymous)]
    Anonymous(Moved),
    #[event(written_out)]
    WrittenOut(Moved),
    #[event(taken_apart)]
    TakenApart { event: Moved },
    #[event(of_precedence)]
    Precedence(Moved),
    #[event(some_are_configured_out)]
    NotThere(Moved),
    #[event(Struct)]
    Raw(Moved),
    #[event(of_another_abi)]
    Abi(Moved),
    #[event(self::by_a_macro)]
    Macro(Moved),
    #[event(of_a_generic_record::<i64, 7>)]
    Generic(Moved),
    #[event(crate::handler::many)]
    r#Many(Moved),
}

#[test]
fn handler_may_be_any_function() {
    let mut resources = Resources::new();
    let accounts = [(0, Account(10)), (1, Account(100))];
    resources.insert(Records::from_iter(accounts));
    let purse = ((5, vec!["x".to_string()]), Purse(0));
    resources.insert(Records::<Purse<i64, 7>>::from_iter([purse]));
    resources.insert(Total(0));
    let event = || Moved { by: 5, at: [0, 1] };
    let events = [
        Entry::Elided(event()),
        Entry::Anonymous(event()),
        Entry::WrittenOut(event()),
        Entry::TakenApart { event: event() },
        Entry::Precedence(Moved { by: 5, at: [1, 0] }),
        Entry::NotThere(event()),
        Entry::Raw(event()),
        Entry::Abi(event()),
        Entry::Macro(event()),
        Entry::Generic(event()),
        Entry::Many(event()),
    ];
    let mut answers = Vec::new();
    let mut stream = Stream::<Entry>::new();
    let processed = stream.process(&mut resources, events, |outcome| {
        let answer = outcome.result.map_err(|refusal| refusal.to_string());
        answers.push((outcome.handler, answer));
    });
    processed.unwrap();
    let refused = Err("`one` and `other` name the same `Account`, and one of them writes it: to allow this, set the option `alias` of \
         `#[handler]`"
            .to_string());
    assert_eq!(
        answers,
        [
            ("elided_in_an_alias", Ok(15)),
            ("anonymous", Ok(20)),
            ("written_out", Ok(125)),
            ("taken_apart", Ok(5)),
            ("of_precedence", refused),
            ("some_are_configured_out", Ok(135)),
            ("raw", Ok(140)),
            ("of_another_abi", Ok(145)),
            ("by_a_macro", Ok(150)),
            ("of_a_generic_record", Ok(7)),
            ("many", Ok(10)),
        ]
    );
    let purses = resources.get::<Records<Purse<i64, 7>>>().unwrap();
    assert_eq!(purses.iter().next().unwrap().1, &Purse(5));
}

#[test]
fn handler_is_named_by_its_type() {
    fn name<H: Handler<Event = Moved>>() -> String {
        H::NAME.to_string()
    }
    assert_eq!(name::<Struct>(), "raw");
    assert_eq!(
        name::<of_a_generic_record<i64, 2>>(),
        "of_a_generic_record<i64, 2>"
    );
    assert_ne!(
        of_a_generic_record::<i64, 2>::ID,
        of_a_generic_record::<i64, 3>::ID
    );
    assert_ne!(Records::<Purse<u8, 2>>::ID, Records::<Purse<u8, 3>>::ID);
}
