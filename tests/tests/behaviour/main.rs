//! The behaviour of schedules at run time.
//!
//! Miri skips the modules about plans, texts and times, because these contain only safe code and each test takes it about a second.

#[cfg(not(miri))]
mod advice;
#[cfg(not(miri))]
mod chained;
mod change;
mod changes;
#[cfg(not(miri))]
mod checkpoint;
mod closure;
mod columns;
mod commands;
mod component_changes;
#[cfg(not(miri))]
mod condition;
#[cfg(not(miri))]
mod debug;
mod driver;
mod dynamic;
#[cfg(not(miri))]
mod edit;
mod entities;
mod exclusive;
mod exclusive_guards;
#[cfg(not(miri))]
mod executor;
mod failure;
mod failure_policy;
mod folds;
mod gates;
#[cfg(not(miri))]
mod group;
#[cfg(not(miri))]
mod group_policy;
#[cfg(not(miri))]
mod hidden;
#[cfg(not(miri))]
mod identity;
#[cfg(not(miri))]
mod law;
mod levels;
#[cfg(not(miri))]
mod listed_plugin;
#[cfg(not(miri))]
mod listed_policy;
#[cfg(not(miri))]
mod listing;
mod local;
#[cfg(not(miri))]
mod lock;
mod main_thread;
mod messages;
mod missing;
#[cfg(not(miri))]
mod named_group;
mod nested;
#[cfg(not(miri))]
mod next_run;
mod numbered;
mod one;
#[cfg(not(miri))]
mod open;
#[cfg(not(miri))]
mod optimize;
mod optional;
#[cfg(not(miri))]
mod order;
mod parallel;
#[cfg(not(miri))]
mod pattern;
#[cfg(not(miri))]
mod period;
mod plugin;
#[cfg(not(miri))]
mod policy;
#[cfg(not(miri))]
mod problem;
#[cfg(not(miri))]
mod profile;
mod program;
mod random;
#[cfg(not(miri))]
mod rate;
#[cfg(not(miri))]
mod remedy;
mod repeat;
#[cfg(not(miri))]
mod replay;
#[cfg(not(miri))]
mod report;
mod reuse;
#[cfg(not(miri))]
mod same_name;
#[cfg(not(miri))]
mod saved_locals;
#[cfg(not(miri))]
mod scenario;
mod second_panic;
#[cfg(not(miri))]
mod seed;
mod skip;
#[cfg(not(miri))]
mod snapshot;
#[cfg(not(miri))]
mod span;
mod spanning;
#[cfg(not(miri))]
mod state;
mod strings;
mod sweeps;
mod switch;
mod sync_point;
#[cfg(not(miri))]
mod text;
#[cfg(not(miri))]
mod timeline;
mod trace;
mod transparent;
#[cfg(not(miri))]
mod try_order;
#[cfg(not(miri))]
mod view;
#[cfg(not(miri))]
mod why;

use schedule::prelude::*;
use schedule::{Builder, RunError};
use schedule_tests::schedule_of;

/// A resource to which systems append a text when they run.
#[derive(Debug, Default, PartialEq, Resource)]
#[resource(transparent)]
struct Log(Vec<&'static str>);

/// Resources with an empty [`Log`].
fn with_log() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Log::default());
    resources
}

/// Returns the log since the last call.
fn take_log(resources: &mut Resources) -> Vec<&'static str> {
    std::mem::take(&mut **resources.get_mut::<Log>().unwrap())
}

/// Like [`schedule_of`], with the policy `InsertionOrder`.
fn insertion_order(add: impl FnOnce(&mut Builder) -> &mut Builder) -> Schedule {
    schedule_of(|builder| add(builder.policy(Policy::InsertionOrder)))
}

/// Returns each failure as `system: cause`, without the location of the system.
fn failures(result: Result<(), RunError>) -> Vec<String> {
    let error = result.expect_err("something fails");
    let failures = error.failures().iter();
    let texts = failures.map(|failure| format!("{}: {}", failure.system.name, failure.cause));
    texts.collect()
}
