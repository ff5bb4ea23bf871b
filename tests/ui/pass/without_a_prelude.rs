//! Generated code brings no name of its own: it compiles without any prelude, and where every name is taken.

#![no_implicit_prelude]

use ::schedule::{
    Commands, Identity, Local, Params, Resource, Resources, Schedule, run_one, system,
};
use ::schedule_stream::{Records, Record, Event, RecordSetMut, Stream, handler};

mod core {}
mod std {}
mod alloc {}
#[allow(dead_code)]
struct Ok;
#[allow(dead_code)]
struct Some;
#[allow(dead_code)]
struct Option;
#[allow(dead_code)]
struct Result;
#[allow(dead_code)]
struct Send;
#[allow(dead_code)]
struct Vec;

#[derive(Resource)]
#[resource(transparent)]
struct Health(i32);

#[derive(Identity)]
struct Mesh;

#[derive(Resource)]
struct Assets<T, const N: usize>([T; N]);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
    age: Local<'r, i32>,
}

#[system]
fn poison(mut body: Body, mut commands: Commands) {
    **body.health -= 3;
    *body.age += 1;
    commands.insert(Assets([Mesh]));
}

#[system(after = poison)]
fn count<T: ::core::marker::Send + ::core::marker::Sync, const N: usize>(
    assets: &Assets<T, N>,
) -> ::core::result::Result<(), ::std::string::String> {
    if assets.0.len() == N {
        ::core::result::Result::Ok(())
    } else {
        ::core::result::Result::Err(::std::string::String::new())
    }
}

#[derive(Record)]
#[record(id = u32)]
struct Account<T>(u64, T);

struct Deposit {
    to: u32,
    and: [u32; 1],
}

#[handler(alias = first)]
fn deposit<T: Identity + ::core::marker::Send + ::core::marker::Sync + 'static>(
    event: &Deposit,
    #[key(event.to)] to: &mut Account<T>,
    #[keys(&event.and)] and: RecordSetMut<Account<T>>,
) -> ::core::result::Result<u64, ::std::string::String> {
    to.0 += 1;
    ::core::result::Result::Ok(and.len() as u64)
}

#[derive(Event)]
#[event(answer = u64)]
enum Entry {
    #[event(deposit<Mesh>)]
    Deposit(Deposit),
}

#[derive(Event)]
#[event(close)]
struct Close;

#[handler]
fn close(_: &Close) {}

fn main() {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    let mut schedule = Schedule::builder().add::<poison>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    run_one::<count<Mesh, 1>>(&mut resources).unwrap();
    ::core::assert_eq!(**resources.get::<Health>().unwrap(), 7);

    let mut accounts = Records::new();
    accounts.insert(3, Account(0, Mesh));
    resources.insert(accounts);
    let events = [Entry::Deposit(Deposit { to: 3, and: [3] })];
    let tell = |outcome: ::schedule_stream::Outcome<Entry>| ::core::assert_eq!(outcome.result.unwrap(), 0);
    Stream::<Entry>::new().process(&mut resources, events, tell).unwrap();
    let tell = |outcome: ::schedule_stream::Outcome<Close>| ::core::assert!(outcome.is_applied());
    Stream::<Close>::new().process(&mut resources, [Close], tell).unwrap();
}
