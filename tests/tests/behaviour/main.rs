//! What a schedule does when it runs.

mod checkpoint;
mod closure;
mod commands;
mod debug;
mod dynamic;
mod exclusive;
mod failure;
mod failure_policy;
mod flush;
mod group;
mod identity;
mod law;
mod levels;
mod local;
mod main_thread;
mod missing;
mod nested;
mod on;
mod one;
mod optional;
mod order;
mod parallel;
mod pattern;
mod policy;
mod problem;
mod random;
mod reuse;
mod scenario;
mod seed;
mod skip;
mod text;
mod trace;
mod try_order;

use schedule::prelude::*;
use schedule::{Builder, RunError};

/// What systems write to say that they ran.
#[derive(Debug, Default, PartialEq, Resource)]
#[resource(transparent)]
struct Log(Vec<&'static str>);

/// Resources with an empty [`Log`].
fn with_log() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Log::default());
    resources
}

/// What was logged since the last call.
fn take_log(resources: &mut Resources) -> Vec<&'static str> {
    std::mem::take(&mut **resources.get_mut::<Log>().unwrap())
}

/// The schedule of what `add` adds.
fn schedule_of(add: impl FnOnce(&mut Builder) -> &mut Builder) -> Schedule {
    add(&mut Schedule::builder()).build().unwrap()
}

/// The same, with those that conflict in the order of addition.
fn as_added(add: impl FnOnce(&mut Builder) -> &mut Builder) -> Schedule {
    schedule_of(|builder| add(builder.policy(Policy::AsAdded)))
}

/// Each failure as `system: cause`, without its place.
fn failures(result: Result<(), RunError>) -> Vec<String> {
    let error = result.expect_err("something fails");
    let failures = error.failures().iter();
    let texts = failures.map(|failure| format!("{}: {}", failure.system.name, failure.cause));
    texts.collect()
}
