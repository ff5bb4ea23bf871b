//! Traces conform to their format.

use std::collections::HashMap;

use schedule::Executor;
use serde_json::Value;

use super::{resources, set_way, year};

/// Converts microseconds in a trace to nanoseconds.
fn ns(value: &Value) -> u64 {
    (value.as_f64().unwrap() * 1000.0).round() as u64
}

#[test]
fn trace_has_a_slice_per_execution_and_arrows_between_slices() {
    let mut year = year();
    set_way(&mut year, (Executor::Parallel, 4));
    let mut resources = resources();
    for _ in 0..16 {
        let (_, recording) = year.record(&mut resources);
        let timeline = recording.timeline();
        let trace: Value = serde_json::from_str(&timeline.to_trace()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let of = |phase: &str| -> Vec<&Value> {
            let is = |event: &&Value| event["ph"] == phase;
            events.iter().filter(is).collect()
        };
        for event in events {
            assert!(event["pid"].is_u64() && event["tid"].is_u64());
            assert!(event["name"].is_string());
            assert!(event["ph"] == "M" || event["ts"].is_number());
        }
        let names: Vec<&Value> = of("M").iter().map(|one| &one["args"]["name"]).collect();
        assert_eq!(names[0], "schedule `year`");
        assert_eq!(names.len(), 1 + timeline.n_workers);
        let slices = of("X");
        assert_eq!(slices.len(), timeline.executions.len());
        for (slice, execution) in slices.iter().zip(&timeline.executions) {
            assert_eq!(slice["name"], execution.system.as_str());
            assert_eq!(slice["tid"], execution.worker);
            assert_eq!(u128::from(ns(&slice["ts"])), execution.start.as_nanos());
            let took = execution.end - execution.start;
            assert_eq!(u128::from(ns(&slice["dur"])), took.as_nanos());
        }
        let is_in_a_slice = |event: &Value| {
            slices.iter().any(|slice| {
                let (from, at) = (ns(&slice["ts"]), ns(&event["ts"]));
                slice["tid"] == event["tid"] && from <= at && at <= from + ns(&slice["dur"])
            })
        };
        let ends: HashMap<u64, &Value> = of("f")
            .into_iter()
            .map(|event| (event["id"].as_u64().unwrap(), event))
            .collect();
        assert_eq!(of("s").len(), ends.len());
        for begin in of("s") {
            let end = ends[&begin["id"].as_u64().unwrap()];
            assert!(ns(&begin["ts"]) <= ns(&end["ts"]));
            assert!(begin["tid"] != end["tid"]);
            assert!(is_in_a_slice(begin) && is_in_a_slice(end));
        }
    }
}

#[test]
fn trace_escapes_special_characters_for_json() {
    let mut timeline = year().record(&mut resources()).1.timeline();
    timeline.schedule = "a \"b\" \\ \n\u{1}".to_string();
    let trace: Value = serde_json::from_str(&timeline.to_trace()).unwrap();
    let name = &trace["traceEvents"][0]["args"]["name"];
    assert_eq!(name, "schedule `a \"b\" \\ \n\u{1}`");
}
