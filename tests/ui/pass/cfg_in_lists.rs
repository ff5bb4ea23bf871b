//! `#[cfg(…)]` before an entry, a clause list's element or an option keeps or removes exactly that.

use schedule::prelude::*;
use schedule_stream::prelude::*;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

#[derive(Group)]
struct Outer;

#[derive(Group)]
#[allow(dead_code)]
struct Physics;

#[derive(Checkpoint)]
#[allow(dead_code)]
struct Ready;

#[derive(Branch, Clone, Copy)]
#[allow(dead_code)]
enum Gait {
    #[cfg(all())]
    Walk,
    #[cfg(any())]
    Fly,
    Run,
}

#[system]
fn gait() -> Gait {
    Gait::Walk
}

#[system]
fn links() {}

#[system]
fn yes() -> bool {
    true
}

#[system]
fn no() -> bool {
    false
}

#[system]
fn holds() -> bool {
    true
}

#[system]
fn a(log: &mut Log) {
    log.0.push("a");
}

#[system(
    after = (#[cfg(all())] a, #[cfg(any())] missing),
    if = (
        #[cfg(any())] missing,
        holds,
        #[cfg(all())] and(holds, #[cfg(false)] missing, #[cfg(true)] not(no)),
        #[cfg(any())] is(missing, Missing::Branch),
        or(no, #[cfg(all())] is(gait, Gait::Walk)),
        and(#[cfg(any())] missing),
    ),
    in = (#[cfg(any())] Missing),
    #[cfg(any())] before = missing,
    #[cfg(all())] before = c,
)]
fn b(log: &mut Log) {
    log.0.push("b");
}

#[system(#[cfg(any())] after = missing, after = (b, #[cfg(any())] missing,))]
fn c(log: &mut Log) {
    log.0.push("c");
}

#[system]
fn d(log: &mut Log) {
    log.0.push("d");
}

#[system]
fn e(log: &mut Log) {
    log.0.push("e");
}

#[system(#[cfg(all())] schedule = Collected, #[cfg(any())] schedule = Missing)]
fn collected(_: &mut Log) {}

#[system(schedule = (#[cfg(any())] Missing, Collected))]
fn collected_too(_: &Clockwork) {}

#[derive(Resource)]
struct Clockwork;

schedule! {
    open Collected {
        policy insertion order,
    }
}

#[system]
fn of_a_part(_: &Clockwork) {}

schedule! {
    Part {
        of_a_part: if (yes, #[cfg(any())] missing),
        #[cfg(any())] missing,
    }
}

schedule! {
    #[cfg(any())]
    Frame { missing }
}

schedule! {
    /// The attributes of a schedule are those of its type.
    #[cfg(all())]
    #[derive(Debug)]
    Frame {
        #[cfg(any())] missing,
        #[cfg(all())] a as first,
        #[cfg(any())] holds as first,
        b: after (first, #[cfg(any())] missing) if (#[cfg(any())] no) in (Outer, #[cfg(not(all()))] Missing),
        #[cfg(any())] group Missing { b, missing }
        #[cfg(all())] group Physics: in (#[cfg(any())] Missing) { c, #[cfg(any())] no }
        #[cfg(any())] group Missing {},
        #[cfg(not(any()))] include Part: after (c, #[cfg(any())] missing) if and(#[cfg(any())] missing),
        #[cfg(any())] include Missing,
        #[cfg(any())] policy optimize,
        #[cfg(any())] repeat while missing { missing }
        #[cfg(all())] repeat while no at most 3: after Physics {
            d: after (#[cfg(any())] c),
            #[cfg(any())] c,
        }
        #[cfg(all())] #[cfg(any())] missing,
        #[cfg(any())] #[cfg(all())] missing,
        (#[cfg(any())] missing) -> links as one -> (#[cfg(any())] missing) -> (links as two, #[cfg(any())] missing),
        #[cfg(any())] missing -> b,
        #[cfg(all())] checkpoint Ready,
        #[cfg(any())] apply_commands Missing,
        #[cfg(any())] on failure stop,
        #[cfg(any())] policy accepted "these do not exist" for (missing, b),
        e as last: after (c, #[cfg(all())] d),
    }
}

#[derive(Event)]
#[allow(dead_code)]
enum Entry {
    #[cfg(any())]
    #[event(missing)]
    Missing(Missing),
    #[cfg(all())]
    #[event(close)]
    Close(Close),
}

struct Close;

#[handler]
fn close(_: &Close, #[cfg(any())] _: Missing, #[cfg(all())] log: &mut Log) {
    log.0.push("closed");
}

#[derive(Params)]
struct Body<'r> {
    #[cfg(any())]
    missing: Missing,
    #[cfg(all())]
    log: &'r mut Log,
}

#[system]
fn look(body: Body, #[cfg(any())] _: Missing) {
    body.log.0.push("looked");
}

fn main() {
    let mut resources = Resources::new();
    drop(resources.insert(Log::default()));
    drop(resources.insert(Clockwork));
    Frame::new().run(&mut resources).unwrap();
    assert_eq!(resources.get::<Log>().unwrap().0, ["a", "b", "c", "e"]);
    let mut names: Vec<_> = Collected::new().unwrap().systems().map(str::to_string).collect();
    names.sort();
    assert_eq!(names, ["collected", "collected_too"]);
    schedule::run_one::<look>(&mut resources).unwrap();
    Stream::<Entry>::new()
        .process(&mut resources, [Entry::Close(Close)], |_| {})
        .unwrap();
    let log = &resources.get::<Log>().unwrap().0;
    assert_eq!(log[4..], ["looked", "closed"]);

    #[system]
    fn local(_: &Clockwork) {}

    schedule! {
        Local {
            #[cfg(any())] missing,
            #[cfg(all())] local,
        }
    }
    assert_eq!(Local::new().systems().count(), 1);
}
