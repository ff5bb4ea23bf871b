//! A `tracing` subscriber receives a span for each run and each executed system, on every thread.

use std::thread;

use schedule::prelude::*;
use schedule::{Executor, RunError};
use tracing::Level;

use schedule_tests::listener::{Listener, Recorded, Span};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::{On, own_pool};

#[derive(Resource)]
struct Wheat(u32);

#[derive(Resource)]
struct Wool(u32);

#[derive(Resource)]
struct Days {
    left: u32,
}

#[derive(Resource)]
struct Here(Meeting);

#[system]
fn sow(wheat: &mut Wheat) {
    tracing::info!("sown");
    wheat.0 += 1;
}

#[system]
fn shear(wool: &mut Wool) {
    tracing::info!("shorn");
    wool.0 += 1;
}

#[system(after = sow)]
fn is_ripe(wheat: &Wheat) -> bool {
    wheat.0 > 3
}

#[system(if = is_ripe)]
fn reap(wheat: &mut Wheat) {
    wheat.0 = 0;
}

#[system]
fn burn(wheat: &mut Wheat) {
    wheat.0 = 0;
}

#[system]
fn is_left(days: &mut Days) -> bool {
    days.left = days.left.checked_sub(1).unwrap_or(3);
    days.left < 3
}

#[system]
fn spin(wool: &mut Wool) {
    wool.0 += 1;
}

/// A schedule in which two systems can run at the same time, one is skipped, one is switched off, and one runs three times in a loop.
fn year() -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .name("year")
        .policy(Policy::InsertionOrder)
        .add::<sow>()
        .add::<shear>()
        .add::<is_ripe>()
        .add::<reap>()
        .add::<burn>()
        .repeat_while::<is_left>(|day| day.add::<spin>());
    let mut year = builder.build().unwrap();
    year.set_enabled("burn", false).unwrap();
    year
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Wheat(0));
    resources.insert(Wool(0));
    resources.insert(Days { left: 3 });
    resources
}

fn runs(recorded: &Recorded) -> Vec<(usize, &Span)> {
    recorded.all("run")
}

#[test]
fn each_executed_system_has_one_span_in_that_of_its_run() {
    const N_RUNS: usize = 3;
    for &on in On::ALL {
        let (mut year, mut resources) = (year(), resources());
        on.set(&mut year);
        let listener = Listener::default();
        listener.during(|| {
            for _ in 0..N_RUNS {
                on.run(&mut year, &mut resources).unwrap();
            }
        });
        let recorded = listener.recorded();
        recorded.check_all_over();
        let runs = runs(&recorded);
        assert_eq!(runs.len(), N_RUNS);
        for (run, _) in runs {
            let is_in_it = |span: &&Span| span.parent == Some(run);
            let n_turns = |system| {
                recorded
                    .executions_of(system)
                    .into_iter()
                    .filter(is_in_it)
                    .count()
            };
            let turns = ["sow", "shear", "is_ripe", "is_left", "spin"].map(n_turns);
            assert_eq!(turns, [1, 1, 1, 4, 3], "by {on:?}");
            assert_eq!(
                [n_turns("reap"), n_turns("burn")],
                [0, 0],
                "they did not run"
            );
        }
        let in_none = recorded
            .all("system")
            .into_iter()
            .filter(|(_, span)| span.parent.is_none());
        assert_eq!(in_none.count(), 0);
        for (_, span) in recorded.all("system") {
            assert_eq!(
                (span.level, span.target, span.entered.len()),
                (Level::TRACE, "schedule", 1)
            );
        }
    }
}

#[test]
fn events_of_a_system_are_in_its_span_on_every_executor() {
    for &on in On::ALL {
        let (mut year, mut resources) = (year(), resources());
        on.set(&mut year);
        let listener = Listener::default();
        listener
            .during(|| on.run(&mut year, &mut resources))
            .unwrap();
        let recorded = listener.recorded();
        let mut messages = recorded.events.iter().map(|(message, span)| {
            let span = &recorded.spans[span.expect("in a span")];
            (&**message, &*span.fields["system"])
        });
        let mut messages: Vec<(&str, &str)> = messages.by_ref().collect();
        messages.sort_unstable();
        assert_eq!(messages, [("shorn", "shear"), ("sown", "sow")], "by {on:?}");
    }
}

#[test]
fn span_of_a_run_has_the_schedule_the_number_of_systems_and_the_executor() {
    let (mut year, mut resources) = (year(), resources());
    let listener = Listener::default();
    listener.during(|| {
        year.run(&mut resources).unwrap();
        year.set_executor(Executor::Serial);
        let (result, recording) = year.record(&mut resources);
        let timeline = recording.timeline();
        result.unwrap();
        assert_eq!(timeline.executions_of("spin").count(), 3);
    });
    let recorded = listener.recorded();
    let fields = runs(&recorded).into_iter().map(|(_, run)| {
        assert_eq!(
            (run.level, run.target, run.parent),
            (Level::DEBUG, "schedule", None)
        );
        ["schedule", "systems", "executor"].map(|field| &*run.fields[field])
    });
    let fields: Vec<[&str; 3]> = fields.collect();
    assert_eq!(fields, [["year", "6", "Auto"], ["year", "6", "Serial"]]);
    assert_eq!(
        recorded.executions_of("spin").len(),
        6,
        "one that is recorded has spans, too"
    );
}

#[system]
fn meet(here: &Here, _wheat: &Wheat) {
    tracing::info!("one");
    here.0.wait();
}

#[system]
fn greet(here: &Here, _wool: &Wool) {
    tracing::info!("other");
    here.0.wait();
}

/// Two systems that wait for each other, so that each has its own thread.
fn met() -> (Schedule, Resources) {
    let mut met = Schedule::builder()
        .add::<meet>()
        .add::<greet>()
        .build()
        .unwrap();
    met.set_executor(Executor::Parallel);
    met.set_pool(own_pool(2));
    let mut resources = resources();
    resources.insert(Here(Meeting::of(2)));
    (met, resources)
}

#[test]
fn helper_uses_the_subscriber_of_the_caller() {
    let (mut met, mut resources) = met();
    let listener = Listener::default();
    for _ in 0..20 {
        listener.during(|| met.run(&mut resources)).unwrap();
    }
    let recorded = listener.recorded();
    recorded.check_all_over();
    for (run, _) in runs(&recorded) {
        let systems = recorded.all("system").into_iter();
        let systems: Vec<_> = systems
            .filter(|(_, span)| span.parent == Some(run))
            .collect();
        let [(one_idx, one), (other_idx, other)] = systems[..] else {
            panic!("{systems:?}")
        };
        let threads = [one.entered[0], other.entered[0]];
        assert_ne!(threads[0], threads[1]);
        assert!(threads.contains(&thread::current().id()));
        for idx in [one_idx, other_idx] {
            let is_in_it = |(_, span): &&(String, Option<usize>)| *span == Some(idx);
            assert_eq!(recorded.events.iter().filter(is_in_it).count(), 1);
        }
    }
}

#[test]
fn former_subscriber_gets_no_events_and_is_dropped() {
    let (mut met, mut resources) = met();
    let listener = Listener::default();
    listener.during(|| met.run(&mut resources)).unwrap();
    assert_eq!(listener.n_copies(), 1, "the schedule keeps no subscriber");
    let n_recorded = listener.recorded().spans.len();
    for _ in 0..20 {
        met.run(&mut resources).unwrap();
    }
    assert_eq!(listener.recorded().spans.len(), n_recorded);
    assert_eq!(listener.recorded().events.len(), 2);
}

#[test]
fn run_with_a_missing_resource_has_no_system_spans() {
    let (mut year, mut resources) = (year(), resources());
    resources.remove::<Wool>();
    let listener = Listener::default();
    let result = listener.during(|| year.run(&mut resources));
    assert!(matches!(result, Err(RunError::Missing(_))));
    let recorded = listener.recorded();
    recorded.check_all_over();
    assert_eq!(
        (recorded.all("run").len(), recorded.all("system").len()),
        (1, 0)
    );
}

#[system]
fn stumble(wheat: &mut Wheat) {
    wheat.0 += 1;
    panic!("a stone");
}

#[system(after = stumble)]
fn limp(_wheat: &Wheat) {}

#[system]
fn complain(_wool: &Wool) -> Result<(), String> {
    Err("too hot".to_string())
}

#[system]
fn falls(_days: &Days) -> bool {
    panic!("a branch");
}

#[test]
fn failures_close_their_spans_and_skipped_systems_have_none() {
    for &on in On::ALL {
        let mut builder = Schedule::builder();
        builder.add::<stumble>().add::<limp>().add::<complain>();
        builder.repeat_while::<falls>(|day| day.add::<spin>());
        let mut bad = builder.policy(Policy::InsertionOrder).build().unwrap();
        on.set(&mut bad);
        let (mut resources, listener) = (resources(), Listener::default());
        for n_runs in 1..4 {
            let result = listener.during(|| on.run(&mut bad, &mut resources));
            assert!(
                matches!(result, Err(RunError::Failed { failures, .. }) if failures.len() == 3)
            );
            let recorded = listener.recorded();
            recorded.check_all_over();
            for failed in ["stumble", "complain", "falls"] {
                assert_eq!(
                    recorded.executions_of(failed).len(),
                    n_runs,
                    "{failed} by {on:?}"
                );
            }
            assert_eq!(
                recorded.executions_of("limp").len() + recorded.executions_of("spin").len(),
                0
            );
        }
    }
}

/// Contains its own schedule.
#[derive(Default)]
struct Inner(Option<Schedule>);

#[system]
fn outer(resources: &mut Resources, mut inner: Local<Inner>) -> Result<(), RunError> {
    inner.0.get_or_insert_with(year).run(resources)
}

#[test]
fn nested_run_is_in_the_span_of_its_system() {
    let mut outermost = Schedule::builder().add::<outer>().build().unwrap();
    let (mut resources, listener) = (resources(), Listener::default());
    listener.during(|| outermost.run(&mut resources)).unwrap();
    let recorded = listener.recorded();
    recorded.check_all_over();
    let [(_, around), (_, inside)] = runs(&recorded)[..] else {
        panic!("{recorded:?}")
    };
    assert_eq!(around.parent, None);
    let system = &recorded.spans[inside.parent.unwrap()];
    assert_eq!(system.fields["system"], "outer");
}

#[test]
fn subscriber_of_run_spans_gets_system_events_in_the_run_span() {
    let (mut met, mut resources) = met();
    let listener = Listener::default();
    let result = listener.through(|_, level| level <= Level::DEBUG, || met.run(&mut resources));
    result.unwrap();
    let recorded = listener.recorded();
    recorded.check_all_over();
    assert_eq!((recorded.all("run").len(), recorded.spans.len()), (1, 1));
    let mut messages = recorded.events;
    messages.sort_unstable();
    let in_the_run = |message: &str| (message.to_string(), Some(0));
    assert_eq!(messages, [in_the_run("one"), in_the_run("other")]);
}

#[test]
fn subscriber_of_system_spans_gets_them_in_the_span_around_the_run() {
    let (mut met, mut resources) = met();
    let listener = Listener::default();
    let result = listener.through(
        |name, _| name != "run",
        || {
            let frame = tracing::info_span!("frame");
            let _entered = frame.enter();
            met.run(&mut resources)
        },
    );
    result.unwrap();
    let recorded = listener.recorded();
    recorded.check_all_over();
    let [(frame, _)] = recorded.all("frame")[..] else {
        panic!("{recorded:?}")
    };
    let systems = recorded.all("system");
    assert_eq!(systems.len(), 2);
    assert!(systems.iter().all(|(_, span)| span.parent == Some(frame)));
    assert!(recorded.all("run").is_empty());
}
