//! Handlers: their parameters and return types, and events that they cannot handle.

mod naming;
mod returning;
mod taking;

use std::fmt::Debug;

use schedule::prelude::*;
use schedule_stream::prelude::*;

#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Clone, Debug, PartialEq, Record)]
#[record(key = String)]
struct Customer {
    n_orders: u32,
}

/// A resource that handlers write, to show that they ran.
#[derive(Debug, Default, PartialEq, Resource)]
struct Total(u64);

/// Returns the outcomes: position, handler and result.
fn outcomes<E: Event<Answer: Debug, Error: Debug>>(
    resources: &mut Resources,
    events: impl IntoIterator<Item = E>,
) -> Vec<(String, &'static str, String)> {
    let mut outcomes = Vec::new();
    let mut stream = Stream::<E>::new();
    let processed = stream.process(resources, events, |outcome| {
        let result = format!("{:?}", outcome.result);
        outcomes.push((outcome.position.to_string(), outcome.handler, result));
    });
    processed.unwrap();
    outcomes
}

/// Returns the results.
fn results<E: Event<Answer: Debug, Error: Debug>>(
    resources: &mut Resources,
    events: impl IntoIterator<Item = E>,
) -> Vec<String> {
    let outcomes = outcomes(resources, events).into_iter();
    outcomes.map(|(_, _, result)| result).collect()
}

fn with_accounts(balances: &[u64]) -> Resources {
    let mut resources = Resources::new();
    let accounts = balances.iter().map(|balance| Account(*balance));
    resources.insert(Records::from_iter((0..).zip(accounts)));
    resources.insert(Total(0));
    resources
}

/// Returns the existing accounts, by id.
fn balances(resources: &Resources) -> Vec<(u32, u64)> {
    let accounts = resources.get::<Records<Account>>().unwrap();
    let balance = |(id, account): (&u32, &Account)| (*id, account.0);
    accounts.iter().map(balance).collect()
}
