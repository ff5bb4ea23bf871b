//! The engine of a stream is compiled once per event type, not once per call of `process`.

use std::backtrace::Backtrace;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::sync::Mutex;

use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::By;

/// The functions on the stack of handler calls, by name without the hash.
#[derive(Debug, Default, Resource)]
struct Callers(Mutex<BTreeMap<String, BTreeSet<String>>>);

#[derive(Clone, Debug, Event)]
#[event(look_back)]
struct LookBack;

#[handler]
fn look_back(_: &LookBack, callers: &Callers) {
    let mut callers = callers.0.lock().unwrap();
    // The long format has the hashes of functions, which differ between instances of a generic function.
    for line in format!("{:#}", Backtrace::force_capture()).lines() {
        let Some((_, name)) = line.split_once(" - ") else {
            continue;
        };
        let base = name.rsplit_once("::h").map_or(name, |(base, _)| base);
        // Only the entry points are compiled for each call.
        let is_entry = ["process", "process_arrivals"]
            .iter()
            .any(|entry| base.ends_with(&format!("Stream<E>::{entry}")));
        if base.contains("schedule_stream::") && !is_entry {
            let names = callers.entry(base.to_string()).or_default();
            names.insert(name.to_string());
        }
    }
}

#[test]
fn engine_is_the_same_for_all_inputs_and_outcome_callbacks() {
    for &by in By::ALL {
        let mut resources = Resources::new();
        resources.insert(Callers::default());
        let mut stream = by.stream();
        let (mut n_first, mut n_applied) = (0, 0);
        let first = |_: Outcome<LookBack>| n_first += 1;
        let processed = stream.process(&mut resources, [LookBack], first);
        processed.unwrap();
        let second = |outcome: Outcome<LookBack>| n_applied += usize::from(outcome.is_applied());
        let processed = stream.process(&mut resources, vec![LookBack; 3], second);
        processed.unwrap();
        let events = iter::once(LookBack).chain([LookBack]);
        stream.process(&mut resources, events, drop).unwrap();

        let (producer, mut arrivals) = stream.arrivals(8);
        producer.push(LookBack).unwrap();
        drop(producer);
        let processed = stream.process_arrivals(&mut resources, &mut arrivals, drop);
        processed.unwrap();

        assert_eq!((n_first, n_applied), (1, 3), "{by:?}");
        let callers = resources
            .remove::<Callers>()
            .unwrap()
            .0
            .into_inner()
            .unwrap();
        assert!(!callers.is_empty(), "{by:?}: names of functions are known");
        for (base, names) in callers {
            assert_eq!(
                names.len(),
                1,
                "{by:?}: {base} has several instances: {names:#?}"
            );
        }
    }
}
