//! `main_thread`: systems that run on the thread that calls `run`, without a main-thread value.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use schedule::Builder;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;

use super::{N_RUNS, ON, POOL_SIZES};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

/// The systems that ran, and their threads.
#[derive(Debug, Default, Resource)]
struct Ran(Mutex<Vec<(&'static str, ThreadId)>>);

impl Ran {
    fn note(&self, name: &'static str) {
        let entry = (name, thread::current().id());
        self.0.lock().unwrap().push(entry);
    }
}

#[derive(Group)]
struct Drawing;

#[derive(Checkpoint)]
struct Drawn;

#[derive(Debug, Default, Resource)]
struct Iterations(u32);

#[derive(Debug, Resource)]
struct Other;

/// Not bound by its parameters.
#[system]
fn free(ran: &Ran) {
    ran.note("free");
}

#[system(main_thread)]
fn draw(ran: &Ran) {
    ran.note("draw");
}

#[system(main_thread)]
fn draw_all<T: Resource>(ran: &Ran, _: Option<&T>) {
    ran.note("draw_all");
}

/// Evaluated only by a guard.
#[system(main_thread)]
fn is_visible(ran: &Ran) -> bool {
    ran.note("is_visible");
    true
}

/// The condition of a loop. The schedule binds it.
#[system]
fn has_more(ran: &Ran, iterations: &mut Iterations) -> bool {
    ran.note("has_more");
    iterations.0 += 1;
    !iterations.0.is_multiple_of(3)
}

#[system]
fn listed(ran: &Ran) {
    ran.note("listed");
}

#[system(if = is_visible)]
fn seen(ran: &Ran) {
    ran.note("free");
}

schedule! {
    Listed {
        free,
        draw,
        free as second,
        draw_all<Other>,
        listed: main_thread,
        free as third,
        seen,
        repeat while has_more: main_thread { free as fourth }
    }
}

fn built() -> Builder {
    let mut all = Schedule::builder();
    all.add::<free>().add::<draw>().add::<free>();
    all.add::<draw_all<Other>>().add::<free>().add::<seen>();
    all.add_closure("closure", |ran: &Ran| ran.note("closure"));
    all.on_main_thread();
    let dynamic = DynamicSystem::new("dynamic", |view| {
        view.get::<Ran>().unwrap().note("dynamic");
    });
    all.add_dynamic(dynamic.reads(schedule::access::ResourceId::of::<Ran>()));
    all.on_main_thread();
    all.repeat_while::<has_more>(|body| body.add::<free>());
    all.on_main_thread();
    all
}

#[test]
fn a_bound_system_runs_on_the_thread_that_calls_run() {
    for &on in ON {
        for schedule in [Listed::new(), built().build().unwrap()] {
            let mut schedule = schedule;
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert_default::<Ran>();
            resources.insert_default::<Iterations>();
            for _ in 0..N_RUNS.min(20) {
                on.run(&mut schedule, &mut resources).unwrap();
            }
            let ran = resources.remove::<Ran>().unwrap().0.into_inner().unwrap();
            let mut bound: Vec<_> = ran.iter().filter(|(name, _)| *name != "free").collect();
            assert!(
                bound.iter().all(|(_, on)| *on == thread::current().id()),
                "{on:?}: {bound:?}"
            );
            bound.sort_unstable_by_key(|(name, _)| *name);
            bound.dedup_by_key(|(name, _)| *name);
            let n_names = if schedule.name() == "Listed" { 5 } else { 6 };
            assert_eq!(bound.len(), n_names, "{bound:?}");
        }
    }
}

/// A bound system is not exclusive: other systems run at the same time.
#[test]
fn bound_system_overlaps_with_others() {
    for &n_threads in POOL_SIZES {
        let meeting = Arc::new(Meeting::of(2));
        let mut all = Schedule::builder();
        let here = Arc::clone(&meeting);
        all.add_closure("bound", move || here.wait())
            .on_main_thread();
        all.add_closure("free", move || meeting.wait());
        let mut schedule = all.build().unwrap();
        schedule.set_executor(schedule::Executor::Parallel);
        schedule.set_pool(own_pool(n_threads));
        for _ in 0..N_RUNS.min(20) {
            schedule.run(&mut Resources::new()).unwrap();
        }
    }
}

#[test]
fn a_bound_system_sees_the_thread_locals_of_the_caller() {
    thread_local!(static FRAME: Cell<u32> = const { Cell::new(0) });

    #[system(main_thread)]
    fn read_frame(ran: &Ran) {
        assert_eq!(FRAME.get(), 7);
        ran.note("read_frame");
    }

    for &on in ON {
        let mut all = Schedule::builder();
        all.add::<free>().add::<free>().add::<read_frame>();
        all.add::<free>().add::<read_frame>();
        let mut schedule = all.build().unwrap();
        on.set(&mut schedule);
        let mut resources = Resources::new();
        resources.insert_default::<Ran>();
        FRAME.set(7);
        for _ in 0..N_RUNS.min(20) {
            on.run(&mut schedule, &mut resources).unwrap();
        }
        FRAME.set(0);
        assert!(on.run(&mut schedule, &mut resources).is_err());
    }
}

#[test]
fn graph_and_why_show_bound_systems() {
    for schedule in [Listed::new(), built().build().unwrap()] {
        let graph = schedule.graph();
        let bound = graph
            .nodes
            .iter()
            .filter(|node| node.touched.is_main_thread);
        let mut bound: Vec<&str> = bound.map(|node| node.name.as_str()).collect();
        bound.sort_unstable();
        let others: &[&str] = match schedule.name() {
            "Listed" => &[
                "draw",
                "draw_all<Other>",
                "has_more",
                "is_visible",
                "listed",
            ],
            _ => &[
                "closure",
                "draw",
                "draw_all<Other>",
                "dynamic",
                "has_more",
                "is_visible",
            ],
        };
        assert_eq!(bound, others);
        let why = schedule.why("draw", "has_more").unwrap().to_string();
        assert!(
            why.contains("both run on the thread that calls `run`"),
            "{why}"
        );
        let mermaid = graph.picture().to_mermaid();
        assert!(mermaid.contains("on the main thread"), "{mermaid}");
    }
}

#[test]
fn only_systems_can_be_bound() {
    let mut all = Schedule::builder();
    all.on_main_thread();
    all.checkpoint::<Drawn>().on_main_thread();
    all.group::<Drawing>().on_main_thread();
    let text = all.build().unwrap_err().to_string();
    for wanted in [
        "nothing was added",
        "`Drawn` cannot have `on_main_thread` at ",
        "`Drawing` cannot have `on_main_thread` at ",
        "call `.on_main_thread()` right after the call that adds or selects the item that must have it",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}
