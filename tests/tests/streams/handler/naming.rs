//! Aliases: events that name one record for two parameters.

use schedule_stream::prelude::*;

use super::{Account, Total, balances, results, with_accounts};

#[derive(Event)]
enum Entry {
    #[event(refuse)]
    Refuse(Refuse),
    #[event(skip)]
    Skip(Skip),
    #[event(first)]
    First(First),
    #[event(all_but)]
    AllBut(AllBut),
    #[event(sum)]
    Sum(Sum),
}

struct Refuse(u32, u32);

#[handler(alias = reject)]
fn refuse(
    event: &Refuse,
    #[key(event.0)] from: &mut Account,
    #[key(event.1)] to: Option<&mut Account>,
) {
    from.0 += 1;
    to.unwrap().0 += 2;
}

struct Skip(u32, u32);

#[handler(alias = skip)]
fn skip(event: &Skip, #[key(event.0)] from: &Account, #[key(event.1)] to: &mut Account) {
    to.0 += from.0;
}

struct First(u32, u32, u32);

#[handler(alias = first)]
fn first(
    event: &First,
    #[key(event.0)] from: &mut Account,
    #[key(event.1)] to: Option<&mut Account>,
    #[key(event.2)] fee: Option<&Account>,
    total: &mut Total,
) {
    from.0 += 1;
    match to {
        Some(to) => to.0 += 10,
        None => from.0 += 100,
    }
    total.0 += fee.map_or(1000, |fee| fee.0);
}

struct AllBut(u32, Vec<u32>);

#[handler(alias = first)]
fn all_but(
    event: &AllBut,
    #[key(event.0)] one: &mut Account,
    #[keys(&event.1)] mut others: RecordSetMut<Account>,
) {
    one.0 += others.len() as u64;
    others.iter_mut().for_each(|(_, other)| other.0 += 10);
}

struct Sum(u32, u32);

#[handler]
fn sum(
    event: &Sum,
    #[key(event.0)] one: &Account,
    #[key(event.1)] other: &Account,
    total: &mut Total,
) {
    total.0 += one.0 + other.0;
}

#[test]
fn alias_is_rejected_by_default() {
    let mut resources = with_accounts(&[0, 0]);
    let events = [Refuse(0, 1).into(), Refuse(1, 1).into()];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(
        results,
        ["Ok(())", "Err(Alias(\"from\", \"to\", `Account`))"]
    );
    assert_eq!(balances(&resources), [(0, 1), (1, 2)]);
}

#[test]
fn alias_is_skipped_with_alias_skip() {
    let mut resources = with_accounts(&[3, 0]);
    let events = [Skip(0, 1).into(), Skip(1, 1).into(), Skip(0, 1).into()];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(results, ["Ok(())", "Err(Skipped)", "Ok(())"]);
    assert_eq!(balances(&resources), [(0, 3), (1, 6)]);
}

#[test]
fn first_parameter_gets_the_record_with_alias_first() {
    let mut resources = with_accounts(&[0, 0, 7]);
    let events = [
        First(0, 1, 2).into(),
        First(0, 0, 2).into(),
        First(0, 0, 0).into(),
        First(0, 1, 1).into(),
    ];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 4]);
    assert_eq!(balances(&resources), [(0, 204), (1, 20), (2, 7)]);
    assert_eq!(resources.get(), Some(&Total(7 + 7 + 1000 + 1000)));
}

#[test]
fn set_lacks_the_record_of_an_earlier_parameter() {
    let mut resources = with_accounts(&[0, 0, 0]);
    let events = [AllBut(1, vec![0, 1, 2]).into(), AllBut(0, vec![0]).into()];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 2]);
    assert_eq!(balances(&resources), [(0, 10), (1, 2), (2, 10)]);
}

#[test]
fn large_set_lacks_the_record_of_an_earlier_parameter() {
    let mut resources = with_accounts(&[0; 36]);
    let events = [
        AllBut(20, (0..36).collect()).into(),
        AllBut(35, (3..36).chain(3..36).collect()).into(),
    ];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 2]);
    let wanted = |id: u32| match id {
        0..3 => 10,
        20 => 35 + 10,
        35 => 10 + 32,
        _ => 20,
    };
    let balances = balances(&resources);
    assert!(balances.iter().all(|(id, balance)| *balance == wanted(*id)));
}

#[test]
fn two_parameters_may_read_one_record() {
    let mut resources = with_accounts(&[4]);
    assert_eq!(
        results::<Entry>(&mut resources, [Sum(0, 0).into()]),
        ["Ok(())"]
    );
    assert_eq!(resources.get(), Some(&Total(8)));
}

#[derive(Event)]
#[event(exchange)]
struct Exchange(Vec<u32>, Vec<u32>);

#[handler]
fn exchange(
    event: &Exchange,
    #[keys(&event.0)] mut givers: RecordSetMut<Account>,
    #[keys(&event.1)] mut takers: RecordSetMut<Account>,
) {
    givers.iter_mut().for_each(|(_, giver)| giver.0 -= 1);
    takers.iter_mut().for_each(|(_, taker)| taker.0 += 1);
}

#[test]
fn two_sets_have_no_common_record() {
    let mut resources = with_accounts(&[10; 70]);
    let twice = "Err(Alias(\"givers\", \"takers\", `Account`))";
    for n in [1, 33] {
        let numbers = |from: u32| (from..from + n).collect();
        let events = [
            Exchange(numbers(0), numbers(n)),
            Exchange(numbers(0), numbers(n - 1)),
            Exchange(numbers(n - 1), numbers(0)),
            Exchange(numbers(0), vec![]),
            Exchange(vec![], numbers(0)),
        ];
        let wanted = ["Ok(())", twice, twice, "Ok(())", "Ok(())"];
        assert_eq!(results(&mut resources, events), wanted, "{n}");
    }
    let wanted = |id: u32| match id {
        0 => 10 - 2,
        1 => 10 + 1 - 1,
        2..33 => 10 - 1,
        33..66 => 10 + 1,
        _ => 10,
    };
    assert!(
        balances(&resources)
            .iter()
            .all(|(id, balance)| *balance == wanted(*id))
    );
}

/// Every key has one, by default.
#[derive(Default, Record)]
#[record(key = String)]
struct Tally(u64);

#[derive(Event)]
enum Counted {
    #[event(read_and_write)]
    ReadAndWrite(ReadAndWrite),
    #[event(read_and_place)]
    ReadAndPlace(ReadAndPlace),
    #[event(all_and_one)]
    AllAndOne(AllAndOne),
    #[event(pay)]
    Pay(Pay),
    #[event(come_and_go)]
    ComeAndGo(ComeAndGo),
    #[event(open_and_close)]
    OpenAndClose(OpenAndClose),
}

struct ReadAndWrite(&'static str, &'static str);

#[handler]
fn read_and_write(
    event: &ReadAndWrite,
    #[key(event.0.to_string())] read: &Tally,
    #[key(event.1.to_string())] write: &mut Tally,
) {
    write.0 += read.0;
}

struct ReadAndPlace(u32, u32);

#[handler(alias = skip)]
fn read_and_place(
    event: &ReadAndPlace,
    #[key(event.0)] read: Option<&mut Account>,
    #[key(event.1)] mut place: Slot<Account>,
) {
    place.insert(Account(read.map_or(0, |read| read.0)));
}

struct AllAndOne(Vec<u32>, u32);

#[handler]
fn all_and_one(
    event: &AllAndOne,
    #[keys(&event.0)] all: RecordSet<Account>,
    #[key(event.1)] one: Option<&mut Account>,
) {
    assert!(all.is_empty() && one.is_none(), "no account exists");
}

struct Pay(u32, u32);

#[handler]
fn pay(event: &Pay, #[key(event.0)] from: &mut Account, #[key(event.1)] to: &mut Account) {
    core::mem::swap(from, to);
}

/// Inserts and removes a tally.
struct ComeAndGo(&'static str);

#[handler]
fn come_and_go(event: &ComeAndGo, #[key(event.0.to_string())] mut place: Slot<Tally>) {
    place.insert(Tally(1));
    place.remove();
}

/// Inserts and removes an account.
struct OpenAndClose(u32);

#[handler]
fn open_and_close(event: &OpenAndClose, #[key(event.0)] mut place: Slot<Account>) {
    place.insert(Account(1));
    place.remove();
}

#[test]
fn alias_of_a_missing_record_is_rejected() {
    let twice = |a: &str, b: &str, of: &str| format!("Err(Alias({a:?}, {b:?}, `{of}`))");
    // With and without places of earlier records.
    for was_there in [false, true] {
        let mut resources = with_accounts(&[4]);
        resources.insert(Records::<Tally>::or_default());
        if was_there {
            let events = [ComeAndGo("a").into(), OpenAndClose(7).into()];
            assert_eq!(results::<Counted>(&mut resources, events), ["Ok(())"; 2]);
        }
        let events = [
            ReadAndWrite("a", "a").into(),
            ReadAndPlace(7, 7).into(),
            AllAndOne(vec![6, 7], 7).into(),
            Pay(7, 7).into(),
            // If both are missing, the first parameter is reported.
            Pay(7, 6).into(),
            Pay(6, 7).into(),
            Pay(7, 0).into(),
            Pay(0, 7).into(),
            // No alias: these are handled.
            ReadAndWrite("b", "a").into(),
            ReadAndWrite("a", "b").into(),
            AllAndOne(vec![5, 6], 7).into(),
            ReadAndPlace(7, 8).into(),
        ];
        let not_there = |name: &str| format!("Err(Missing({name:?}, `Account`))");
        let mut wanted = vec![
            twice("read", "write", "Tally"),
            "Err(Skipped)".to_string(),
            twice("all", "one", "Account"),
            twice("from", "to", "Account"),
        ];
        wanted.extend(["from", "from", "from", "to"].map(not_there));
        wanted.extend(["Ok(())"; 4].map(str::to_string));
        assert_eq!(results::<Counted>(&mut resources, events), wanted);
        assert_eq!(balances(&resources), [(0, 4), (8, 0)]);
        let tallies = resources.get::<Records<Tally>>().unwrap();
        assert_eq!(tallies.len(), 2, "each was written");
    }
}
