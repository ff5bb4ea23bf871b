//! Clocks, rates and states in snapshots.

use std::time::Duration;

use proptest::prelude::*;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::snapshot::{Encoder, Snapshot, SnapshotReader, SnapshotWriter};
use schedule::state::transition;
use schedule::{Clock, Condition, NextState, Rate, State};
use serde::{Deserialize, Serialize};

use super::{restored, saved};

const MS: Duration = Duration::from_millis(1);

/// The marker of the rate.
#[derive(Group, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "control")]
struct Control;

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "phase")]
enum Phase {
    Day,
    Night,
    Over,
}

#[derive(Debug, Default, PartialEq, Resource)]
struct Log(Vec<String>);

#[test]
fn clock_continues_from_the_saved_time() {
    let mut clock = Clock::new();
    clock.advance(3600 * MS * 1000);
    let mut clock: Clock = restored(&saved(&clock)).unwrap();
    assert_eq!(clock.now(), 3600 * MS * 1000);
    clock.tick();
    let since = clock.now() - 3600 * MS * 1000;
    assert!(since < 600 * MS * 1000, "{since:?}");
}

/// Runs a schedule with the rate, each time after a pause. Returns whether it was due in each run.
fn run(resources: &mut Resources, pauses: &[u8], rate_is_enabled: bool) -> Vec<bool> {
    let mut schedule = Schedule::builder()
        .add_closure("work", |log: &mut Log| log.0.push("work".to_string()))
        .run_if(Condition::of::<is_due<Control>>())
        .build()
        .unwrap();
    if !rate_is_enabled {
        schedule.set_enabled("work", false).unwrap();
    }
    resources.insert_default::<Log>();
    let mut due = Vec::new();
    for pause in pauses {
        let clock = resources.get_mut::<Clock>().unwrap();
        clock.advance(u32::from(*pause) * MS);
        let n = resources.get::<Log>().unwrap().0.len();
        schedule.run(resources).unwrap();
        due.push(resources.get::<Log>().unwrap().0.len() > n);
    }
    due
}

proptest! {
    #[test]
    fn rate_continues_as_if_it_had_not_been_saved(
        before in prop::collection::vec(0..30_u8, 0..20),
        after in prop::collection::vec(0..30_u8, 0..20),
        catch_up in prop::option::of(1..4_u32),
        tolerance in prop::option::of(0..5_u32),
        is_enabled: bool,
        is_reset: bool,
        is_restarted: bool,
    ) {
        let mut rate = Rate::<Control>::every(10 * MS);
        if let Some(at_most) = catch_up {
            rate = rate.catch_up(at_most);
        }
        if let Some(tolerance) = tolerance {
            rate = rate.tolerance(tolerance * MS).deadline(tolerance * MS);
        }
        let mut resources = Resources::new();
        resources.insert(Clock::new());
        resources.insert(rate);
        run(&mut resources, &before, is_enabled);
        if is_reset {
            resources.get_mut::<Rate<Control>>().unwrap().reset();
        }
        if is_restarted {
            let clock = resources.get::<Clock>().unwrap().clone();
            resources.get_mut::<Rate<Control>>().unwrap().restart(&clock);
        }
        let save = |resources: &Resources| {
            let mut writer = SnapshotWriter::new();
            writer.section(resources.get::<Clock>().unwrap()).unwrap();
            writer.section(resources.get::<Rate<Control>>().unwrap()).unwrap();
            writer.finish()
        };
        let bytes = save(&resources);
        let reader = SnapshotReader::new(&bytes).unwrap();
        let mut other = Resources::new();
        other.insert(reader.restore::<Clock>().unwrap());
        other.insert(reader.restore::<Rate<Control>>().unwrap());
        prop_assert_eq!(&save(&other), &bytes);
        prop_assert_eq!(
            run(&mut resources, &after, true),
            run(&mut other, &after, true)
        );
        let counts = |resources: &Resources| resources.get::<Rate<Control>>().unwrap().counts();
        prop_assert_eq!(counts(&resources), counts(&other));
        prop_assert_eq!(save(&resources), save(&other));
    }
}

/// The fields of a saved rate, in their order.
type Fields<H = SavedHistogram> = (
    Duration,
    [Option<Duration>; 2],
    Option<u32>,
    (bool, Duration, [bool; 2], Duration, u32, bool, bool),
    Option<u32>,
    (Duration, Duration),
    [u64; 5],
    (
        [Option<Duration>; 2],
        H,
        [H; 2],
        [u64; 2],
        Option<Duration>,
        bool,
    ),
);

/// The numbers of buckets and their counts, and the maximum.
type SavedHistogram = (Vec<(u16, u64)>, Duration);

/// The counts of 32 buckets, and the maximum.
type HistogramOfVersion4 = ([u64; 32], Duration);

fn fields<H>(late: H, times: [H; 2]) -> Fields<H> {
    let zero = Duration::ZERO;
    (
        10 * MS,
        [None; 2],
        None,
        (false, zero, [true; 2], zero, 0, false, false),
        None,
        (zero, zero),
        [0; 5],
        ([None; 2], late, times, [0; 2], None, false),
    )
}

#[test]
fn rate_with_histograms_of_version_4_is_restored() {
    let mut counts = [0; 32];
    // 3 µs, and the last two buckets: 40 s and 100 s.
    (counts[6], counts[30], counts[31]) = (3, 4, 5);
    let empty: HistogramOfVersion4 = ([0; 32], Duration::ZERO);
    let mut encoder = Encoder::new();
    let late = (counts, Duration::from_secs(100));
    encoder.write(&fields(late, [empty; 2])).unwrap();
    let restore = |version| {
        let mut decoder = schedule::snapshot::Decoder::new(encoder.as_bytes());
        decoder.restore::<Rate<Control>>(version)
    };
    let rate = restore(4).unwrap();
    let late = rate.lateness_histogram();
    assert_eq!((late.n(), late.max()), (12, Duration::from_secs(100)));
    assert_eq!(late.quantile(0.25), Duration::from_nanos(4095));
    assert_eq!(late.quantile(0.3), Duration::from_secs(100));
    assert_eq!(rate.run_times().response.n(), 0);
    let text = restore(3).unwrap_err().to_string();
    let expected = "`rate<control>` was saved in version 3, but this program has version 5";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn rate_that_violates_its_rules_is_an_error() {
    let zero = Duration::ZERO;
    let empty: SavedHistogram = (Vec::new(), zero);
    let fields = fields(empty.clone(), [(); 2].map(|()| empty.clone()));
    // Variants are saved as their numbers: `Backlog::Skip` is 0, `Backlog::CatchUp` is 1, which an `Option` is, too.
    let restore = |fields: &Fields| {
        let mut encoder = Encoder::new();
        encoder.write(fields).unwrap();
        let mut decoder = schedule::snapshot::Decoder::new(encoder.as_bytes());
        let rate = decoder.restore::<Rate<Control>>(5);
        rate.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(restore(&fields), Ok(()));
    let mut period = fields.clone();
    period.0 = zero;
    assert_eq!(
        restore(&period).unwrap_err().split(", at").next(),
        Some("`rate<control>` cannot be restored: the period of a rate must be longer than 0")
    );
    let mut new_period = fields.clone();
    new_period.1[0] = Some(zero);
    assert!(
        restore(&new_period)
            .unwrap_err()
            .contains("must be longer than 0")
    );
    let mut limit = fields.clone();
    limit.2 = Some(0);
    assert!(
        restore(&limit)
            .unwrap_err()
            .contains("the limit of `catch_up`")
    );
    limit.2 = Some(1);
    assert_eq!(restore(&limit), Ok(()));
    // Buckets that are not ascending, that do not exist, or that are empty.
    for buckets in [&[(7, 1), (7, 1)][..], &[(528, 1)], &[(0, 0)]] {
        let mut histogram = fields.clone();
        histogram.7.1.0 = buckets.to_vec();
        assert!(restore(&histogram).is_err(), "{buckets:?}");
    }
    let mut ascending = fields.clone();
    ascending.7.1.0 = vec![(0, 1), (7, 1), (527, 1)];
    assert_eq!(restore(&ascending), Ok(()));
    let mut last = fields;
    last.4 = Some(1);
    assert!(
        restore(&last)
            .unwrap_err()
            .contains("the last due time must be counted")
    );
    last.6 = [0, 1, 0, 0, 0];
    assert_eq!(restore(&last), Ok(()));
}

/// A schedule that logs the states that are entered and left.
fn phases() -> Schedule {
    Schedule::builder()
        .add_closure("dawn", |log: &mut Log| log.0.push("day begins".to_string()))
        .on_enter(Phase::Day)
        .add_closure("dusk", |log: &mut Log| {
            log.0.push("night begins".to_string())
        })
        .on_enter(Phase::Night)
        .order("dawn", "dusk")
        .add::<transition<Phase>>()
        .build()
        .unwrap()
}

#[test]
fn state_and_its_request_continue() {
    let run = |resources: &mut Resources| {
        resources.insert_default::<Log>();
        phases().run(resources).unwrap();
        let state = resources.get::<State<Phase>>().unwrap().get();
        (state, resources.remove::<Log>().unwrap().0)
    };
    let reload = |resources: &Resources| {
        let mut writer = SnapshotWriter::new();
        writer
            .section(resources.get::<State<Phase>>().unwrap())
            .unwrap();
        writer
            .section(resources.get::<NextState<Phase>>().unwrap())
            .unwrap();
        let bytes = writer.finish();
        let reader = SnapshotReader::new(&bytes).unwrap();
        let mut other = Resources::new();
        other.insert(reader.restore::<State<Phase>>().unwrap());
        other.insert(reader.restore::<NextState<Phase>>().unwrap());
        assert_eq!(
            other.get::<NextState<Phase>>(),
            resources.get::<NextState<Phase>>()
        );
        other
    };
    let mut resources = Resources::new();
    resources.insert_state(Phase::Day);
    let mut resources = reload(&resources);
    assert_eq!(
        run(&mut resources),
        (Phase::Day, vec!["day begins".to_string()])
    );
    let mut resources = reload(&resources);
    assert_eq!(
        run(&mut resources),
        (Phase::Day, vec![]),
        "it was entered before"
    );
    let next = resources.get_mut::<NextState<Phase>>().unwrap();
    next.set_with_priority(Phase::Night, 1);
    next.set(Phase::Over);
    let mut resources = reload(&resources);
    assert_eq!(
        run(&mut resources),
        (Phase::Night, vec!["night begins".to_string()])
    );
    assert_eq!(
        resources.get::<NextState<Phase>>().unwrap().n_overruled(),
        1
    );
}

#[test]
fn rates_clocks_and_states_are_serialized_with_serde() {
    fn copy<T: Serialize + for<'de> Deserialize<'de>>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::every(10 * MS).catch_up(3));
    resources.insert_state(Phase::Night);
    run(&mut resources, &[25, 3], true);
    let mut others = Resources::new();
    others.insert(copy(resources.get::<Clock>().unwrap()));
    others.insert(copy(resources.get::<Rate<Control>>().unwrap()));
    let state = resources.get::<State<Phase>>().unwrap();
    let next = resources.get::<NextState<Phase>>().unwrap();
    assert_eq!((copy(state), copy(next)), (*state, *next));
    let clone = resources.get::<Rate<Control>>().unwrap().clone();
    assert_eq!(
        run(&mut resources, &[1, 9, 30], true),
        run(&mut others, &[1, 9, 30], true)
    );
    let rate = resources.get::<Rate<Control>>().unwrap();
    let other = others.get::<Rate<Control>>().unwrap();
    assert_eq!(format!("{rate:?}"), format!("{other:?}"));
    assert_ne!(format!("{rate:?}"), format!("{clone:?}"));
    let fault = r#"{"secs":0,"nanos":0}"#;
    let json =
        serde_json::to_string(&clone)
            .unwrap()
            .replacen(r#"{"secs":0,"nanos":10000000}"#, fault, 1);
    let error = serde_json::from_str::<Rate<Control>>(&json).unwrap_err();
    assert!(error.to_string().contains("must be longer than 0"));
}
