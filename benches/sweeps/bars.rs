//! Targets of the figures.

use std::collections::BTreeMap;

use bench_report::{Bar, Choice, Filter, Scalar};

use crate::contenders::{AUTO, BEVY_PAR, BY_CHUNK, FUSED, HECS_AUTO, HECS_SERIAL, SERIAL};

const ONE_THREAD: [&str; 2] = [SERIAL, HECS_SERIAL];
const SEVERAL_THREADS: [&str; 2] = [AUTO, HECS_AUTO];
const MANY: &[u64] = &[30_000, 300_000, 1_000_000];

/// The targets of results that contain all workloads.
pub(crate) fn all() -> Vec<Bar> {
    let light = |name: &str, contenders, n_entities: &[u64], wanted| {
        bar(name, "light", contenders, n_entities, wanted)
    };
    let heavy = |name: &str, n_entities: &[u64], wanted| {
        bar(name, "heavy", SEVERAL_THREADS, n_entities, wanted)
    };
    vec![
        beside(
            FUSED,
            light(
                "light, one thread, beside fused loops",
                ONE_THREAD,
                MANY,
                0.97,
            ),
        ),
        beside(
            BY_CHUNK,
            light("light, beside rayon by chunk", SEVERAL_THREADS, MANY, 0.97),
        ),
        light("1,000,000 light entities", SEVERAL_THREADS, &MANY[2..], 2.0),
        light("1,000 light entities", SEVERAL_THREADS, &[1_000], 0.97),
        light(
            "1,000 light entities, one thread",
            ONE_THREAD,
            &[1_000],
            0.97,
        ),
        beside(
            BEVY_PAR,
            light("light, beside bevy_ecs", SEVERAL_THREADS, MANY, 1.4),
        ),
        heavy("heavy, 30,000 entities and more", MANY, 1.9),
        heavy("1,000 heavy entities", &[1_000], 1.2),
    ]
}

/// A target of speed-ups over the plain loops.
fn bar(
    name: &str,
    workload: &str,
    contenders: [&str; 2],
    n_entities: &[u64],
    at_least: f64,
) -> Bar {
    let contenders = contenders.map(Scalar::from).into();
    let n_entities = n_entities.iter().map(|&n| Scalar::from(n)).collect();
    let choices = [
        ("bench", Choice::from("sweeps")),
        ("unit", Choice::from("speed-up")),
        ("workload", Choice::from(workload)),
        ("contender", Choice::Any(contenders)),
        ("entities", Choice::Any(n_entities)),
    ];
    let choices = choices.map(|(key, choice)| (key.to_string(), choice));
    Bar {
        name: name.to_string(),
        filter: Filter(choices.into_iter().collect()),
        at_least: Some(at_least),
        at_most: None,
        part_of: None,
        kept: BTreeMap::new(),
    }
}

/// Makes the target a fraction of the speed-up of another contender.
fn beside(contender: &str, bar: Bar) -> Bar {
    Bar {
        part_of: Some(contender.to_string()),
        ..bar
    }
}
