//! Generated code brings no name of its own: it compiles without any prelude, and where every name is taken.

#![no_implicit_prelude]

use ::schedule::{
    Commands, Identity, Local, Params, Resource, Resources, Schedule, run_one, system,
};

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

fn main() {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    let mut schedule = Schedule::builder().add::<poison>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    run_one::<count<Mesh, 1>>(&mut resources).unwrap();
    ::core::assert_eq!(**resources.get::<Health>().unwrap(), 7);
}
