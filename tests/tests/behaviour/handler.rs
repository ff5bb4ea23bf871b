//! Handlers: what they take, what they return, and what becomes of events that they cannot take.

use schedule::prelude::*;

#[derive(Debug, PartialEq, Entity)]
#[entity(id = u32)]
struct Account(u64);

#[derive(Debug)]
struct Transfer {
    from: u32,
    to: u32,
    amount: u64,
}

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Result<(), &'static str> {
    from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
    to.0 += event.amount;
    Ok(())
}

#[derive(Debug)]
struct Bonus {
    all: Vec<u32>,
    each: u64,
}

#[handler]
fn bonus(Bonus { all, each }: &Bonus, #[keys(all)] mut accounts: SeveralMut<Account>) {
    accounts
        .iter_mut()
        .for_each(|(_, account)| account.0 += each);
}

#[derive(Debug, Event)]
enum Entry {
    #[event(transfer)]
    Transfer(Transfer),
    #[event(bonus)]
    Bonus(Bonus),
}

/// The results of these events, told one by one.
fn results<E: Event<Answer: std::fmt::Debug, Error: std::fmt::Debug>>(
    resources: &mut Resources,
    events: impl IntoIterator<Item = E>,
) -> Vec<String> {
    let mut results = Vec::new();
    let tell = |outcome: Outcome<E>| results.push(format!("{:?}", outcome.result));
    let mut stream = Stream::<E>::new();
    stream.process(resources, events, tell).unwrap();
    results
}

fn accounts(balances: &[u64]) -> Resources {
    let mut resources = Resources::new();
    let balances = balances.iter().map(|balance| Account(*balance));
    resources.insert(Entities::from_iter((0..).zip(balances)));
    resources
}

fn balances(resources: &Resources) -> Vec<u64> {
    let accounts = resources.get::<Entities<Account>>().unwrap();
    accounts.iter().map(|(_, account)| account.0).collect()
}

#[test]
fn a_handler_gets_what_its_event_names() {
    let mut resources = accounts(&[10, 0]);
    let transfer = |from, to, amount| Entry::from(Transfer { from, to, amount });
    let results = results(
        &mut resources,
        [
            transfer(0, 1, 4),
            transfer(0, 1, 9),
            transfer(0, 0, 1),
            transfer(0, 5, 1),
            Entry::from(Bonus {
                all: vec![1, 1, 7, 0],
                each: 5,
            }),
        ],
    );
    assert_eq!(
        results,
        [
            "Ok(())",
            "Err(Failed(\"overdrawn\"))",
            "Err(Twice(\"from\", \"to\", `Account`))",
            "Err(NotThere(\"to\", `Account`))",
            "Ok(())",
        ]
    );
    assert_eq!(balances(&resources), [11, 9]);
}
