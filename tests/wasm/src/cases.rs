//! The cases. A case that panics traps, since this target cannot unwind.
#![expect(unsafe_code, reason = "exports functions to the host")]

use core::time::Duration;

use schedule::prelude::*;
use schedule::rate::{Tick, is_due, set_time_source};
use schedule::snapshot::Snapshot;
use schedule::{Clock, Executor, Rate};
use schedule_stream::durable::Durable;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::host;

const MS: Duration = Duration::from_millis(1);

#[derive(Resource, Default)]
struct Trace(Vec<&'static str>);

#[derive(Resource, Default)]
struct Health(u32);

#[derive(Resource, Default)]
struct Score(u32);

#[derive(Resource, Default)]
struct Night(bool);

#[derive(Group)]
struct Physics;

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn score(score: &mut Score) {
    score.0 += 2;
}

#[system]
fn is_night(night: &Night) -> bool {
    night.0
}

#[system(after = (heal, score), if = is_night)]
fn haunt(health: &mut Health, score: &Score) {
    health.0 -= score.0.min(1);
}

#[system(after = haunt)]
fn dawn(night: &mut Night, mut commands: Commands) {
    night.0 = !night.0;
    commands.push(|resources: &mut Resources| {
        resources.get_mut::<Trace>().unwrap().0.push("dawn");
    });
}

#[system(in = Physics, after = haunt)]
fn integrate(trace: &mut Trace) {
    trace.0.push("integrate");
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert_default::<Trace>();
    resources.insert_default::<Health>();
    resources.insert_default::<Score>();
    resources.insert_default::<Night>();
    resources.insert(Clock::new());
    resources.insert(Rate::<Physics>::every(10 * MS).catch_up(5));
    resources
}

fn frame() -> Schedule {
    Schedule::builder()
        .add::<heal>()
        .add::<score>()
        .add::<haunt>()
        .add::<dawn>()
        .repeat_while::<is_due<Physics>>(|step| step.add::<integrate>())
        .build()
        .unwrap()
}

/// Runs frames of 25 ms and looks at what came of them.
fn run_frames(frame: &mut Schedule, n_frames: u32) {
    let mut resources = resources();
    for _ in 0..n_frames {
        resources.get_mut::<Clock>().unwrap().advance(25 * MS);
        frame.run(&mut resources).unwrap();
    }
    assert_eq!(
        resources.get::<Health>().unwrap().0,
        n_frames - n_frames / 2
    );
    assert_eq!(resources.get::<Score>().unwrap().0, 2 * n_frames);
    let trace = &resources.get::<Trace>().unwrap().0;
    let n_of = |name| trace.iter().filter(|entry| **entry == name).count() as u32;
    // One at the start of the rate, and one for each period.
    assert_eq!(n_of("integrate"), 1 + n_frames * 25 / 10);
    assert_eq!(n_of("dawn"), n_frames);
    assert!(!frame.report().to_string().is_empty());
}

#[unsafe(no_mangle)]
extern "C" fn case_schedules_run_without_a_clock() {
    host::show_panics();
    run_frames(&mut frame(), 1_000);
    for executor in [Executor::Serial, Executor::Parallel] {
        let mut frame = frame();
        frame.set_executor(executor);
        run_frames(&mut frame, 100);
    }
}

#[unsafe(no_mangle)]
extern "C" fn case_schedules_run_with_the_clock_of_the_host() {
    host::show_panics();
    set_time_source(host::time);
    run_frames(&mut frame(), 1_000);
    let mut parallel = frame();
    parallel.set_executor(Executor::Parallel);
    run_frames(&mut parallel, 100);
}

/// The systems of a run that is recorded, and how long it took.
fn record(executor: Executor) -> (Vec<String>, Duration) {
    let (mut frame, mut resources) = (frame(), resources());
    frame.set_executor(executor);
    resources.get_mut::<Clock>().unwrap().advance(25 * MS);
    for _ in 0..20 {
        frame.run(&mut resources).unwrap();
    }
    resources.get_mut::<Clock>().unwrap().advance(25 * MS);
    resources.get_mut::<Night>().unwrap().0 = true;
    let (result, recording) = frame.record(&mut resources);
    result.unwrap();
    let timeline = recording.timeline();
    let executions = timeline
        .executions
        .iter()
        .map(|execution| execution.system.clone());
    (executions.collect(), timeline.makespan)
}

#[unsafe(no_mangle)]
extern "C" fn case_records_have_the_order_without_a_clock() {
    host::show_panics();
    for executor in [Executor::Auto, Executor::Serial, Executor::Parallel] {
        let (executions, makespan) = record(executor);
        assert_eq!(makespan, Duration::ZERO);
        for name in ["heal", "score", "haunt", "dawn", "integrate"] {
            assert!(
                executions.iter().any(|turn| turn == name),
                "{name}: {executions:?}"
            );
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn case_records_have_durations_with_the_clock_of_the_host() {
    host::show_panics();
    set_time_source(host::time);
    for executor in [Executor::Auto, Executor::Serial, Executor::Parallel] {
        let (executions, makespan) = record(executor);
        assert!(makespan > Duration::ZERO);
        let at = |name| executions.iter().position(|turn| turn == name).unwrap();
        assert!(
            at("heal") < at("haunt") && at("haunt") < at("dawn"),
            "{executions:?}"
        );
        assert!(at("haunt") < at("integrate"), "{executions:?}");
    }
}

fn ticking() -> (Schedule, Resources) {
    let frame = Schedule::builder()
        .add::<schedule::rate::tick>()
        .repeat_while::<is_due<Physics>>(|step| step.add::<integrate_alone>())
        .build();
    (frame.unwrap(), resources())
}

#[system(after_if_present = Tick)]
fn integrate_alone(trace: &mut Trace) {
    trace.0.push("integrate");
}

#[unsafe(no_mangle)]
extern "C" fn case_a_clock_stands_still_without_a_source_and_can_be_advanced() {
    host::show_panics();
    let (mut frame, mut resources) = ticking();
    frame.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Clock>().unwrap().now(), Duration::ZERO);
    resources.get_mut::<Clock>().unwrap().advance(20 * MS);
    frame.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Clock>().unwrap().now(), 20 * MS);
    // At 0, 10 and 20 ms.
    assert_eq!(resources.get::<Trace>().unwrap().0.len(), 3);
}

#[unsafe(no_mangle)]
extern "C" fn case_a_clock_ticks_with_the_clock_of_the_host() {
    host::show_panics();
    set_time_source(host::time);
    let (mut frame, mut resources) = ticking();
    let mut before = Duration::ZERO;
    for _ in 0..100 {
        frame.run(&mut resources).unwrap();
        let now = resources.get::<Clock>().unwrap().now();
        assert!(now > before);
        before = now;
    }
    assert!(!resources.get::<Trace>().unwrap().0.is_empty());
}

#[derive(Record, Debug, PartialEq, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "account")]
struct Account(u64);

#[derive(Clone, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(transfer, error = String)]
#[snapshot(name = "transfer")]
struct Transfer {
    from: u32,
    to: u32,
    n_following: u32,
}

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Result<FollowUps<Transfer>, String> {
    from.0 = from.0.checked_sub(1).ok_or("overdrawn")?;
    to.0 += 1;
    let next = event
        .n_following
        .checked_sub(1)
        .map(|n_following| Transfer {
            from: event.to,
            to: event.from,
            n_following,
        });
    Ok(FollowUps::events(next))
}

const N_ACCOUNTS: u32 = 50;

fn accounts() -> Resources {
    let mut resources = Resources::new();
    let all = (0..N_ACCOUNTS).map(|id| (id, Account(3)));
    resources.insert(Records::from_iter(all));
    resources
}

fn transfers(n: u32) -> impl Iterator<Item = Transfer> {
    (0..n).map(|nth| Transfer {
        from: nth * 7 % N_ACCOUNTS,
        to: (nth * 11 + 3) % N_ACCOUNTS,
        n_following: u32::from(nth % 10 == 0) * 2,
    })
}

/// The default, and all others.
const MODES: [Option<ProcessingMode>; 6] = [
    None,
    Some(ProcessingMode::Serial),
    Some(ProcessingMode::Parallel),
    Some(ProcessingMode::Lanes),
    Some(ProcessingMode::Queues),
    Some(ProcessingMode::Tickets),
];

fn program(processing: Option<ProcessingMode>) -> Durable<Transfer> {
    let durable = Durable::new("transfers", 1).state::<Records<Account>>();
    durable.set_up(move |stream| {
        if let Some(processing) = processing {
            set_mode(stream, processing);
        }
    })
}

fn content(resources: &Resources) -> Vec<(u32, u64)> {
    let accounts = resources.get::<Records<Account>>().unwrap();
    accounts
        .iter()
        .map(|(id, account)| (*id, account.0))
        .collect()
}

fn run_streams() {
    let mut expected = None;
    for processing in MODES {
        let mut reported = Vec::new();
        let report = |outcome: Outcome<Transfer>| {
            reported.push((
                outcome.position,
                outcome.result.map_err(|error| error.to_string()),
            ));
        };
        let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
        let recovered =
            program(processing).recover_from(Box::new(journal), Box::new(snapshots), accounts());
        let mut stream = recovered.unwrap();
        stream.process(transfers(5_000), report).unwrap();
        assert!(reported.len() > 5_000, "includes follow-up events");
        assert!(reported.iter().any(|(_, result)| result.is_err()));
        let found = (reported, content(stream.resources()));
        let sum: u64 = found.1.iter().map(|account| account.1).sum();
        assert_eq!(sum, u64::from(3 * N_ACCOUNTS));
        let (journal, snapshots) = stream.into_storage();
        let replayed = program(processing)
            .recover_from(journal, snapshots, accounts())
            .unwrap();
        assert!(replayed.recovery().n_replayed > 3);
        assert_eq!(content(replayed.resources()), found.1);
        let expected = expected.get_or_insert_with(|| found.clone());
        assert!(found == *expected, "{processing:?}");
    }
}

#[unsafe(no_mangle)]
extern "C" fn case_streams_run_without_a_clock() {
    host::show_panics();
    run_streams();
}

#[unsafe(no_mangle)]
extern "C" fn case_streams_run_with_the_clock_of_the_host() {
    host::show_panics();
    set_time_source(host::time);
    run_streams();
}

#[unsafe(no_mangle)]
extern "C" fn case_what_was_pushed_is_processed() {
    host::show_panics();
    let mut stream = Stream::new();
    let (producer, mut arrivals) = stream.arrivals(1_000);
    for (nth, event) in transfers(100).enumerate() {
        assert_eq!(producer.push(event).unwrap().index, nth as u32);
    }
    drop(producer);
    let mut n_reported = 0;
    stream
        .process_arrivals(&mut accounts(), &mut arrivals, |_| n_reported += 1)
        .unwrap();
    assert!(n_reported >= 100);
}

#[unsafe(no_mangle)]
extern "C" fn trap_process_arrivals_with_a_producer_left() {
    host::show_panics();
    let mut stream = Stream::new();
    let (producer, mut arrivals) = stream.arrivals(1_000);
    producer.push(transfers(1).next().unwrap()).unwrap();
    // The producer is in use, so nothing else can use it.
    drop(stream.process_arrivals(&mut accounts(), &mut arrivals, |_| ()));
    drop(producer);
}

schedule! {
    /// One that others add to.
    open Day {
        heal,
        score,
    }
}

/// Written elsewhere in a real program.
#[system(schedule = Day, after = heal)]
fn double(health: &mut Health) {
    health.0 *= 2;
}

#[unsafe(no_mangle)]
extern "C" fn case_an_open_schedule_collects_its_systems() {
    host::show_panics();
    let mut resources = resources();
    Day::new().unwrap().run(&mut resources).unwrap();
    assert_eq!(resources.get::<Health>().unwrap().0, 2);
}
