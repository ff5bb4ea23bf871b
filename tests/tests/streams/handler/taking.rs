//! Parameters of handlers.

use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::{Account, Customer, Total, balances, results, with_accounts};

#[derive(Event)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
    #[event(compare)]
    Compare(Compare),
    #[event(count_if_there)]
    Count(Count),
    #[event(clear_if_there)]
    Clear(Clear),
    #[event(open)]
    Open(Open),
    #[event(close)]
    Close { close: Close },
    #[event(share)]
    Share(Share),
    #[event(sum)]
    Sum(Sum),
    #[event(tick)]
    Tick(Tick),
}

struct Deposit(u32, u64);

#[handler]
fn deposit(&Deposit(to, amount): &Deposit, #[key(to)] account: &mut Account) {
    account.0 += amount;
}

struct Compare {
    one: u32,
    other: u32,
}

#[handler]
fn compare(
    Compare { one, other }: &Compare,
    #[key(one)] first: &Account,
    #[key(other)] second: &Account,
    total: &mut Total,
) {
    let _ = (one, other);
    total.0 += u64::from(first == second);
}

struct Count(u32);

#[handler]
fn count_if_there(event: &Count, #[key(event.0)] one: Option<&Account>, total: &mut Total) {
    total.0 += one.map_or(100, |account| account.0);
}

struct Clear(u32);

#[handler]
fn clear_if_there(event: &Clear, #[key(event.0)] one: Option<&mut Account>) {
    if let Some(account) = one {
        account.0 = 0;
    }
}

struct Open(u32);

#[handler]
fn open(event: &Open, #[key(event.0)] mut account: Slot<Account>) -> Result<(), &'static str> {
    match account.insert(Account(1)) {
        None => Ok(()),
        Some(before) => {
            account.insert(before);
            Err("open already")
        }
    }
}

struct Close(u32);

#[handler]
fn close(event: &Close, #[key(event.0)] mut account: Slot<Account>) -> Result<(), &'static str> {
    account.remove().map(drop).ok_or("closed already")
}

struct Share {
    with: Vec<u32>,
    each: u64,
}

#[handler]
fn share(Share { with, each }: &Share, #[keys(with)] mut accounts: RecordSetMut<Account>) {
    let all = accounts.iter_mut();
    all.for_each(|(_, account)| account.0 += each);
}

struct Sum(Vec<u32>);

#[handler]
fn sum(
    event: &Sum,
    #[keys(event.0.iter().map(|id| id + 1))] all: RecordSet<Account>,
    total: &mut Total,
) {
    total.0 += all.iter().map(|(_, account)| account.0).sum::<u64>() + all.len() as u64;
}

struct Tick;

#[handler]
fn tick(_: &Tick, total: &mut Total, bonus: Option<&Bonus>, mut rare: Option<&mut Rare>) {
    total.0 += bonus.map_or(1, |bonus| bonus.0);
    if let Some(rare) = &mut rare {
        rare.0 += 1;
    }
}

#[derive(Resource)]
struct Bonus(u64);

#[derive(Resource)]
struct Rare(u64);

fn total(resources: &Resources) -> u64 {
    resources.get::<Total>().unwrap().0
}

#[test]
fn record_is_read_and_written() {
    let mut resources = with_accounts(&[3, 5]);
    let events = [
        Compare { one: 0, other: 1 }.into(),
        Deposit(0, 2).into(),
        Compare { one: 0, other: 1 }.into(),
        Compare { one: 1, other: 1 }.into(),
    ];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(results, ["Ok(())"; 4]);
    assert_eq!(balances(&resources), [(0, 5), (1, 5)]);
    assert_eq!(total(&resources), 2, "one record may be read twice");
}

#[test]
fn event_that_names_a_missing_record_is_rejected() {
    let mut resources = with_accounts(&[3]);
    let events = [
        Deposit(1, 2).into(),
        Compare { one: 0, other: 7 }.into(),
        Deposit(0, 2).into(),
    ];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(
        results,
        [
            "Err(Missing(\"account\", `Account`))",
            "Err(Missing(\"second\", `Account`))",
            "Ok(())",
        ]
    );
    assert_eq!(balances(&resources), [(0, 5)], "nothing was made");
}

#[test]
fn optional_record_may_be_missing() {
    let mut resources = with_accounts(&[3]);
    let events = [
        Count(0).into(),
        Count(9).into(),
        Clear(9).into(),
        Clear(0).into(),
    ];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 4]);
    assert_eq!(total(&resources), 103);
    assert_eq!(balances(&resources), [(0, 0)]);
}

#[test]
fn store_with_a_default_has_every_record() {
    let mut resources = with_accounts(&[]);
    resources.insert(Records::<Account>::or_default());
    let events = [
        Deposit(4, 2).into(),
        Deposit(4, 2).into(),
        Compare { one: 8, other: 9 }.into(),
        Count(8).into(),
    ];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 4]);
    assert_eq!(balances(&resources), [(4, 4)], "what is read is not kept");
    assert_eq!(
        total(&resources),
        101,
        "who asks whether it is there is reported"
    );
}

#[test]
fn slot_inserts_and_removes() {
    let mut resources = with_accounts(&[7]);
    let close = |id| Entry::Close { close: Close(id) };
    let events = [
        Open(0).into(),
        Open(5).into(),
        Deposit(5, 2).into(),
        close(0),
        close(0),
        Deposit(0, 1).into(),
        Open(0).into(),
        close(5),
        Count(5).into(),
    ];
    let results = results::<Entry>(&mut resources, events);
    assert_eq!(
        results,
        [
            "Err(Failed(\"open already\"))",
            "Ok(())",
            "Ok(())",
            "Ok(())",
            "Err(Failed(\"closed already\"))",
            "Err(Missing(\"account\", `Account`))",
            "Ok(())",
            "Ok(())",
            "Ok(())",
        ]
    );
    assert_eq!(balances(&resources), [(0, 1)]);
    assert_eq!(total(&resources), 100);
}

#[test]
fn set_has_each_existing_record_once() {
    let mut resources = with_accounts(&[1, 2, 3]);
    let events = [
        Share {
            with: vec![1, 1, 8, 0, 1],
            each: 10,
        }
        .into(),
        Sum(vec![0, 1, 0, 8]).into(),
        Sum(vec![]).into(),
    ];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"; 3]);
    assert_eq!(balances(&resources), [(0, 11), (1, 12), (2, 3)]);
    assert_eq!(total(&resources), 12 + 3 + 2);
}

#[test]
fn large_set_has_each_record_once() {
    let mut resources = with_accounts(&[0; 40]);
    let with = (0..80).map(|nth| nth % 50).collect();
    let events = [Share { with, each: 1 }.into()];
    assert_eq!(results::<Entry>(&mut resources, events), ["Ok(())"]);
    assert!(
        balances(&resources)
            .iter()
            .all(|(_, balance)| *balance == 1)
    );
}

#[test]
fn optional_resource_may_be_missing() {
    let mut resources = with_accounts(&[]);
    assert_eq!(results::<Entry>(&mut resources, [Tick.into()]), ["Ok(())"]);
    assert_eq!(total(&resources), 1);
    resources.insert(Bonus(9));
    resources.insert(Rare(0));
    assert_eq!(results::<Entry>(&mut resources, [Tick.into()]), ["Ok(())"]);
    assert_eq!(total(&resources), 10);
    assert_eq!(resources.get::<Rare>().unwrap().0, 1);
}

#[test]
fn missing_resources_are_reported_before_any_event() {
    let mut resources = Resources::new();
    let mut stream = Stream::<Entry>::new();
    let events = [Entry::from(Tick)];
    let error = stream.process(&mut resources, events, |_| panic!("nothing is handled"));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("`Records<Account>` is missing"), "{text}");
    assert!(text.contains("`Total` is missing"), "{text}");
    assert!(!text.contains("Bonus"), "{text}");
}

/// Two resources without size are different.
#[test]
fn resources_without_size_are_not_named_twice() {
    #[derive(Resource)]
    struct Printer;
    #[derive(Resource)]
    struct Screen;

    #[derive(Event)]
    #[event(show)]
    struct Show;

    #[handler]
    fn show(_: &Show, _: &mut Printer, _: &mut Screen, total: &mut Total) {
        total.0 += 1;
    }

    let mut resources = with_accounts(&[]);
    resources.insert(Printer);
    resources.insert(Screen);
    assert_eq!(results(&mut resources, [Show, Show]), ["Ok(())"; 2]);
    assert_eq!(total(&resources), 2);
}

#[test]
fn handler_is_a_plain_function() {
    let mut account = Account(1);
    deposit(&Deposit(0, 3), &mut account);
    assert_eq!(account, Account(4));

    let (mut one, mut other, keys) = (Account(1), Account(2), [0, 1]);
    let both = [(&keys[0], &mut one), (&keys[1], &mut other)];
    let event = Share {
        with: vec![0, 1],
        each: 5,
    };
    share(&event, both.into_iter().collect());
    assert_eq!((one, other), (Account(6), Account(7)));

    let mut place = None;
    assert_eq!(open(&Open(3), Slot::new(&mut place)), Ok(()));
    assert_eq!(place, Some(Account(1)));
}

struct Order {
    by: String,
    for_others: Vec<String>,
}

#[handler]
fn order(
    event: &Order,
    #[key(event.by)] by: &mut Customer,
    #[keys(&event.for_others)] mut others: RecordSetMut<Customer>,
) {
    by.n_orders += 1;
    others
        .iter_mut()
        .for_each(|(_, other)| other.n_orders += 10);
}

#[derive(Event)]
enum Orders {
    #[event(order)]
    Order(Order),
}

#[test]
fn key_may_be_a_field_of_the_event() {
    let mut resources = Resources::new();
    let customers = ["Ada", "Bob"].map(|name| (name.to_string(), Customer { n_orders: 0 }));
    resources.insert(Records::from_iter(customers));
    let order = |by: &str, others: &[&str]| Order {
        by: by.to_string(),
        for_others: others.iter().map(ToString::to_string).collect(),
    };
    let events = [
        order("Ada", &["Bob", "Cid"]).into(),
        order("Cid", &[]).into(),
        order("Bob", &["Ada", "Bob"]).into(),
    ];
    let results = results::<Orders>(&mut resources, events);
    assert_eq!(
        results,
        [
            "Ok(())",
            "Err(Missing(\"by\", `Customer`))",
            "Err(Alias(\"by\", \"others\", `Customer`))",
        ]
    );
    let customers = resources.get::<Records<Customer>>().unwrap();
    let orders = customers.iter().map(|(_, customer)| customer.n_orders);
    assert_eq!(orders.collect::<Vec<_>>(), [1, 10]);
}

struct Swap(u32, u32);

#[handler]
fn swap(
    event: &Swap,
    #[keys([event.0, event.1, 0])] mut accounts: RecordSetMut<Account>,
) -> Result<u64, &'static str> {
    let (one, other) = accounts.get_two_mut(event.0, event.1).ok_or("not two")?;
    std::mem::swap(one, other);
    accounts.get_mut(event.0).ok_or("not there")?.0 += 10;
    let is_there = |account: &u32| accounts.get(account).is_some();
    assert!([event.0, event.1, 0].iter().all(is_there) && !is_there(&9));
    Ok(accounts.len() as u64)
}

#[derive(Event)]
#[event(answer = u64)]
enum Swaps {
    #[event(swap)]
    Swap(Swap),
}

#[test]
fn two_records_of_a_set_are_borrowed_by_key() {
    let mut resources = with_accounts(&[1, 2, 3]);
    let events = [Swap(1, 2), Swap(0, 2), Swap(1, 1), Swap(1, 8)].map(Swaps::from);
    assert_eq!(
        results(&mut resources, events),
        [
            "Ok(3)",
            "Ok(2)",
            "Err(Failed(\"not two\"))",
            "Err(Failed(\"not two\"))"
        ]
    );
    assert_eq!(balances(&resources), [(0, 12), (1, 13), (2, 1)]);

    let (mut one, mut other, keys) = (Account(1), Account(2), [0, 1]);
    let both = [(&keys[0], &mut one), (&keys[1], &mut other)];
    assert_eq!(swap(&Swap(0, 1), both.into_iter().collect()), Ok(2));
    assert_eq!((one, other), (Account(12), Account(1)));
}

/// A key whose number is not unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ticket {
    seat: u32,
    year: u32,
}

impl schedule_stream::keys::Id for Ticket {
    fn number(&self) -> u32 {
        self.seat
    }
}

#[derive(Debug, PartialEq, Record)]
#[record(id = Ticket)]
struct Visitor(&'static str);

#[test]
fn reused_place_has_the_new_key() {
    let tickets = [2025, 2026].map(|year| Ticket { seat: 3, year });
    let mut visitors = Records::from_iter([(tickets[0], Visitor("Ada"))]);
    assert_eq!(visitors.remove(tickets[0]), Some(Visitor("Ada")));
    assert_eq!(visitors.iter().count(), 0);
    visitors.insert(tickets[1], Visitor("Bob"));
    let all: Vec<_> = visitors.iter().collect();
    assert_eq!(all, [(&tickets[1], &Visitor("Bob"))]);
}
