//! Messages: the order of readers and writers, what each reader sees, bounds, and the world outside.

mod between;
mod order;
mod outside;
mod random;
mod scenarios;
mod systems;
mod unusual;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule::{Builder, RunError};
use schedule_tests::on::On;
use serde::{Deserialize, Serialize};

#[derive(Message, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "note")]
struct Note(u32);

/// The messages that each execution of a reader saw.
#[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "seen")]
struct Seen(Vec<Vec<u32>>);

fn numbers<K>(notes: MessageReader<Note, K>) -> Vec<u32> {
    notes.iter().map(|note| note.0).collect()
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Messages::<Note>::new());
    resources.insert_default::<Seen>();
    resources
}

fn seen(resources: &mut Resources) -> Vec<Vec<u32>> {
    core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0)
}

fn notes(resources: &mut Resources) -> &mut Messages<Note> {
    resources.get_mut().unwrap()
}

/// Returns the schedule of the declarations, once for each executor.
fn schedules(
    declare: impl Fn(&mut Builder) -> &mut Builder,
) -> impl Iterator<Item = (On, Schedule)> {
    On::ALL.iter().map(move |&on| {
        let mut schedule = declare(&mut Schedule::builder()).build().unwrap();
        on.set(&mut schedule);
        (on, schedule)
    })
}

#[system]
fn one(mut notes: MessageWriter<Note>) {
    notes.write(Note(1));
}

#[system]
fn two_and_three(mut notes: MessageWriter<Note>) {
    notes.extend([Note(2), Note(3)]);
}

#[system]
fn fail(mut notes: MessageWriter<Note>) -> Result<(), BoxError> {
    notes.write(Note(666));
    Err("failed".into())
}

#[system]
fn read(notes: MessageReader<Note>, seen: &mut Seen) {
    seen.0.push(numbers(notes));
}

fn failed(result: Result<(), RunError>) -> Vec<String> {
    let error = result.unwrap_err();
    let failures = error.failures().iter();
    failures.map(|failure| failure.cause.to_string()).collect()
}
