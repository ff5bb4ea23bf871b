//! Targets of the figures.

use std::collections::BTreeMap;

use bench_report::{Bar, Choice, Filter, Scalar};

use crate::contenders::{AUTO, BEVY_PAR, HECS_AUTO, HECS_SERIAL, SERIAL};

/// Targets of speed-ups over the plain loops, for `light`: name, contenders, entities, and speed-up.
const OF_LIGHT: [(&str, [&str; 2], u64, f64); 5] = [
    (
        "1,000,000 light entities, one thread",
        [SERIAL, HECS_SERIAL],
        1_000_000,
        1.35,
    ),
    (
        "1,000,000 light entities",
        [AUTO, HECS_AUTO],
        1_000_000,
        2.0,
    ),
    ("30,000 light entities", [AUTO, HECS_AUTO], 30_000, 1.55),
    ("1,000 light entities", [AUTO, HECS_AUTO], 1_000, 0.97),
    (
        "1,000 light entities, one thread",
        [SERIAL, HECS_SERIAL],
        1_000,
        0.97,
    ),
];

/// The target of the speed relative to [`BEVY_PAR`], for `light` with this many entities.
const OF_BEVY: ([u64; 3], f64) = ([30_000, 300_000, 1_000_000], 1.4);

/// The targets of results that contain all `light` workloads.
pub(crate) fn all() -> Vec<Bar> {
    let of_light = OF_LIGHT
        .iter()
        .map(|&(name, contenders, n_entities, wanted)| Bar {
            name: name.to_string(),
            filter: filter(&contenders, &[n_entities]),
            at_least: Some(wanted),
            at_most: None,
            part_of: None,
            kept: BTreeMap::new(),
        });
    let (n_entities, wanted) = OF_BEVY;
    let of_bevy = Bar {
        name: "light, 30,000 entities and more".to_string(),
        filter: filter(&[AUTO, HECS_AUTO], &n_entities),
        at_least: Some(wanted),
        at_most: None,
        part_of: Some(BEVY_PAR.to_string()),
        kept: BTreeMap::new(),
    };
    of_light.chain([of_bevy]).collect()
}

fn filter(contenders: &[&str], n_entities: &[u64]) -> Filter {
    let contenders = contenders.iter().map(|&name| Scalar::from(name));
    let n_entities = n_entities.iter().map(|&n| Scalar::from(n));
    let choices = [
        ("bench", Choice::from("sweeps")),
        ("unit", Choice::from("speed-up")),
        ("workload", Choice::from("light")),
        ("contender", Choice::Any(contenders.collect())),
        ("entities", Choice::Any(n_entities.collect())),
    ]
    .map(|(key, choice)| (key.to_string(), choice));
    Filter(choices.into_iter().collect())
}
