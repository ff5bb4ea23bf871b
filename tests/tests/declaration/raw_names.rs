//! Raw identifiers, in each place of each macro that takes a name.
#![allow(non_camel_case_types, reason = "types have the names of keywords, too")]

use core::marker::PhantomData;

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule::{Identity, NonSendMut};
use schedule_hecs::prelude::*;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Resource)]
struct r#struct {
    r#type: i32,
}

#[derive(Resource)]
#[resource(transparent)]
struct r#return(i32);

#[derive(Identity)]
struct r#mod;

#[derive(Group)]
struct r#move;

#[derive(Checkpoint)]
struct r#final;

#[derive(Branch, Clone, Copy)]
enum r#enum {
    r#if,
    r#else,
}

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "virtual")]
struct r#virtual {
    r#type: i32,
}

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "yield")]
enum r#yield {
    r#in { r#type: i32 },
}

#[derive(Component)]
struct r#ref(i32);

/// Refers to an entity of a kind.
#[derive(Component)]
struct r#impl<T: 'static>(PhantomData<fn() -> T>);

#[derive(Columns)]
struct r#type {
    r#ref: r#ref,
    r#as: r#impl<Self>,
}

#[derive(Params)]
struct r#use<'r> {
    r#fn: &'r mut r#struct,
    r#loop: Local<'r, u8>,
}

#[system]
fn r#match<r#for: Identity + 'static>(r#in: r#use, r#while: NonSendMut<Vec<String>>) {
    let mut names = r#while;
    names.push(<r#for as Identity>::NAME.to_string());
    r#in.r#fn.r#type += 1 + i32::from(*r#in.r#loop);
}

#[system]
fn r#where() -> r#enum {
    r#enum::r#else
}

#[system(for_each = Columns<r#type>)]
fn r#let(r#dyn: &mut r#ref, #[resource] r#const: &r#return) {
    r#dyn.0 += **r#const;
}

#[system(for_each, with = r#ref)]
fn r#static(r#extern: &mut Position) {
    r#extern.0 += 1;
}

#[derive(Component)]
struct Position(i32);

#[system(in = r#move, after = r#final, if = is(r#where, r#enum::r#else), type = r#Trait)]
fn r#trait(r#mut: Query<&r#ref>) {
    let _ = r#mut;
}

#[system(spanning)]
fn r#async(r#do: &mut r#gen) {
    r#do.0 += 1;
}

#[derive(Clone, Resource)]
struct r#gen(i32);

schedule! {
    r#override {
        group r#move,
        checkpoint r#final: before r#Trait,
        r#match<r#mod> as r#try: before r#move,
        r#Trait,
        r#let,
        r#static,
        |r#priv: &mut r#return| { r#priv.0 += 1 } as r#box: after r#let,
    }
}

schedule! {
    open r#abstract {}
}

#[system(schedule = r#abstract)]
fn r#become(r#macro: &mut r#return) {
    r#macro.0 += 1;
}

#[derive(Record)]
#[record(id = u32)]
struct r#unsafe {
    r#type: i32,
}

#[handler]
fn r#pub(r#in: &r#crate_event, #[key(r#in.r#type)] r#as: &mut r#unsafe) -> i32 {
    r#as.r#type += 1;
    r#as.r#type
}

#[derive(Event)]
#[event(r#pub, answer = i32)]
struct r#crate_event {
    r#type: u32,
}

struct r#continue(u32);

#[handler]
fn r#break(r#in: &r#continue, #[key(r#in.0)] r#type: Option<&mut r#unsafe>) -> i32 {
    r#type.map_or(1, |_| 0)
}

#[derive(Event)]
#[event(answer = i32)]
enum r#typeof {
    #[event(r#break)]
    r#unsized { r#in: r#continue },
    #[event(r#pub)]
    r#virtual(r#crate_event),
}

#[test]
fn raw_names_are_printed_without_their_mark() {
    let names = [
        (<r#struct as Identity>::NAME, "struct"),
        (<r#return as Identity>::NAME, "return"),
        (<r#mod as Identity>::NAME, "mod"),
        (<r#move as Identity>::NAME, "move"),
        (<r#final as Identity>::NAME, "final"),
        (<r#ref as Identity>::NAME, "ref"),
        (<r#type as Identity>::NAME, "type"),
        (<r#unsafe as Identity>::NAME, "unsafe"),
        (<r#match<r#mod> as Identity>::NAME, "match<mod>"),
        (<r#where as Identity>::NAME, "where"),
        (<r#let as Identity>::NAME, "let"),
        (<r#Trait as Identity>::NAME, "trait"),
        (<r#async as Identity>::NAME, "async"),
        (<r#override as Identity>::NAME, "override"),
        (<r#abstract as Identity>::NAME, "abstract"),
    ];
    for (name, expected) in names {
        assert_eq!(name.to_string(), expected);
    }
    assert_eq!(r#enum::NAMES, ["if", "else"]);
    assert_eq!([r#enum::r#if, r#enum::r#else].map(Branch::index), [0, 1]);
}

#[test]
fn schedule_of_raw_names_runs() {
    let mut resources = Resources::new();
    resources.insert(r#struct { r#type: 1 });
    resources.insert(r#return(2));
    resources.insert(World::new());
    let mut columns = Columns::new();
    columns.spawn(r#type {
        r#ref: r#ref(5),
        r#as: r#impl(PhantomData),
    });
    resources.insert(columns);
    resources.main_thread().insert(Vec::<String>::new());
    let mut schedule = r#override::new();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<r#struct>().unwrap().r#type, 2);
    assert_eq!(**resources.get::<r#return>().unwrap(), 3);
    let columns = resources.get_mut::<Columns<r#type>>().unwrap();
    assert_eq!(columns.column::<r#ref>()[0].0, 7);
    let systems: Vec<String> = schedule.systems().map(|name| name.to_string()).collect();
    assert_eq!(systems, ["try", "where", "trait", "let", "static", "box"]);
    r#abstract::new().unwrap().run(&mut resources).unwrap();
    assert_eq!(**resources.get::<r#return>().unwrap(), 4);
}

#[test]
fn events_of_raw_names_are_handled() {
    fn answers<E: Event<Answer = i32>>(events: impl IntoIterator<Item = E>) -> Vec<i32> {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter([(3, r#unsafe { r#type: 1 })]));
        let mut answers = Vec::new();
        let done = Stream::new().process(&mut resources, events, |outcome| {
            answers.push(outcome.result.ok().unwrap());
        });
        done.unwrap();
        answers
    }

    let event = || r#crate_event { r#type: 3 };
    assert_eq!(answers([event()]), [2]);
    let r#in = r#continue(3);
    let events = [r#typeof::r#unsized { r#in }, r#typeof::r#virtual(event())];
    assert_eq!(answers(events), [0, 2]);
}

#[test]
fn saved_values_keep_their_names() {
    assert_eq!(<r#virtual as Snapshot>::NAME, "virtual");
    assert_eq!(<r#yield as Snapshot>::NAME, "yield");
    let _ = [r#yield::r#in { r#type: 1 }].map(|r#yield::r#in { r#type }| r#type);
    let _ = r#virtual { r#type: 1 }.r#type;
}
