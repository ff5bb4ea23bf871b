//! Generated code gives no warnings, of any group.

#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unnameable_types,
    unused,
    unused_qualifications,
    unused_lifetimes,
    unused_results,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    trivial_casts,
    trivial_numeric_casts,
    variant_size_differences,
    non_ascii_idents,
    let_underscore_drop,
    redundant_lifetimes,
    nonstandard_style,
    future_incompatible,
    rust_2018_idioms,
    keyword_idents,
    unstable_features
)]
#![forbid(unsafe_code)]

use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule::{Identity, evaluate_one};

/// A resource.
#[derive(Debug, Resource)]
#[resource(transparent)]
pub struct Health(i32);

/// A resource with parameters.
#[derive(Debug, Resource)]
pub struct Assets<T, const N: usize>(pub [T; N]);

/// Something with an identity.
#[derive(Debug, Identity)]
pub struct Mesh;

/// Parameters.
#[derive(Debug, Params)]
pub struct Body<'r, T: Send + Sync> {
    /// Written.
    pub health: &'r mut Health,
    /// Read.
    pub assets: Option<&'r Assets<T, 1>>,
}

/// A system.
#[system(after_if_present = clear, name = "venom")]
pub fn poison(body: Body<'_, Mesh>, mut n_runs: Local<'_, i32>) {
    **body.health -= *n_runs;
    *n_runs += 1;
}

/// A generic condition.
#[system(before = poison)]
pub fn is_there<'r, T, const N: usize>(assets: Option<&'r Assets<T, N>>, _: &'r Health) -> bool
where
    T: Send + Sync,
{
    assets.is_some()
}

/// The old way.
#[deprecated]
#[system]
pub fn clear(resources: &mut Resources) -> Result<(), String> {
    resources.remove::<Health>().map(drop).ok_or("gone".into())
}

/// Not looked at elsewhere.
#[system]
#[must_use]
pub fn is_dead(health: &Health) -> bool {
    health.0 <= 0
}

/// A record.
#[derive(Debug, Record)]
#[record(id = u32)]
pub struct Account(pub i32);

/// Another one, with a parameter.
#[derive(Debug, Record)]
#[record(key = String)]
pub struct Purse<T>(pub T);

/// Something that happens.
#[derive(Debug)]
pub struct Payment {
    /// From this one.
    pub from: u32,
    /// To these.
    pub to: Vec<u32>,
    /// By.
    pub by: String,
}

/// Looks at nothing but what it names.
#[handler(alias = first)]
pub fn pay(
    Payment { from, to, by }: &Payment,
    #[key(from)] payer: &mut Account,
    #[keys(to)] mut payees: RecordSetMut<'_, Account>,
    #[key(by)] purse: Option<&Purse<Mesh>>,
    health: &Health,
) -> Result<(), String> {
    payer.0 -= **health;
    payees.iter_mut().for_each(|(_, payee)| payee.0 += 1);
    purse.map(|_| ()).ok_or("gone".into())
}

/// A generic handler, of an event that it does not look at.
#[handler]
pub fn look<T: Send + Sync, const N: usize>(
    look: &Look,
    #[key(&look.0)] purse: &Purse<T>,
    _: Option<&Assets<T, N>>,
) {
    let _ = purse;
}

/// Something else that happens.
#[derive(Debug)]
pub struct Look(pub String);

/// Not looked at elsewhere.
#[derive(Debug, Event)]
pub enum Entry {
    /// One.
    #[event(pay)]
    Payment(Payment),
    /// Another.
    #[event(look::<Mesh, 2>)]
    Look(Look),
}

fn main() {
    let mut resources = Resources::new();
    drop(resources.insert(Health::from(0)));
    let mut schedule = Schedule::builder()
        .add::<poison>()
        .add::<is_there<Mesh, 2>>()
        .build()
        .unwrap();
    schedule.run(&mut resources).unwrap();
    assert!(evaluate_one::<is_dead>(&mut resources).unwrap());
    drop(resources.insert(Records::from_iter([(0, Account(3))])));
    drop(resources.insert(Records::<Purse<Mesh>>::new()));
    let mut stream = Stream::<Entry>::new();
    let look = Entry::from(Look(String::new()));
    let mut n_refused = 0;
    let tell = |outcome: Outcome<Entry>| n_refused += i32::from(outcome.result.is_err());
    stream.process(&mut resources, [look], tell).unwrap();
    assert_eq!(n_refused, 1);
}
