//! Limits in JSON and in traces.

use serde_json::Value;

use super::*;
use crate::timeline::chart;

/// A run that begins 1 ms late: the deadline of the rate is missed, that of `send` is met, and `control` exceeds its budget.
pub(super) fn late(on: On) -> Timeline {
    let timer = SimulatedTimer::new().jitter(|_| MS);
    let mut resources = resources(&timer, TimeLimits::new());
    let rate = Rate::<Control>::every(10 * MS).starting_at(10 * MS);
    resources.insert(rate.deadline(3 * MS));
    resources.insert(Rate::<Telemetry>::every(20 * MS).starting_at(10 * MS));
    let mut schedule = controller(on);
    schedule
        .set_limits("control", TimeLimits::new().budget(MS + MS / 2))
        .unwrap();
    schedule
        .set_limits("send", TimeLimits::new().deadline(8 * MS))
        .unwrap();
    record(&mut Driver::with_timer(schedule, timer), &mut resources)
}

#[test]
fn limits_are_unchanged_after_a_json_round_trip() {
    let timeline = late(On::Serial);
    assert_eq!(timeline.limits.len(), 3);
    let text = serde_json::to_string(&timeline).unwrap();
    assert_eq!(serde_json::from_str::<Timeline>(&text).unwrap(), timeline);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        json["limits"][2],
        serde_json::json!({
            "of": "Rate<Control>",
            "kind": "Deadline",
            "limit": {"secs": 0, "nanos": 3_000_000},
            "took": {"secs": 0, "nanos": 5_000_000},
            "due": {"Before": {"secs": 0, "nanos": 1_000_000}},
            "executions": timeline.limits[2].executions,
        })
    );
}

#[test]
fn timeline_of_the_version_without_limits_cannot_be_read() {
    let mut json = serde_json::to_value(late(On::Serial)).unwrap();
    json.as_object_mut().unwrap().remove("limits");
    let read = |json: &Value| serde_json::from_value::<Timeline>(json.clone()).unwrap_err();
    assert_eq!(read(&json).to_string(), "missing field `limits`");
    json["version"] = 2.into();
    let expected = "version 2 of this data cannot be read, only version 3; save it again";
    assert_eq!(read(&json).to_string(), expected);
}

#[test]
fn executions_that_contradict_each_other_are_errors() {
    type Change = fn(&mut Vec<Execution>);
    let changes: [(Change, &str); 3] = [
        (
            |all| all[1].end = all[1].start - Duration::from_nanos(1),
            "execution 1 ends before its start",
        ),
        (
            |all| all[0].start = Duration::from_secs(1),
            "execution 0 ends before its start",
        ),
        (
            |all| all.rotate_left(1),
            "execution 5 starts before the previous execution in the list",
        ),
    ];
    let timeline = late(On::Serial);
    for (change, expected) in changes {
        let mut timeline = timeline.clone();
        change(&mut timeline.executions);
        assert_eq!(timeline.check().unwrap_err().to_string(), expected);
    }
}

#[test]
fn limits_that_contradict_the_executions_are_errors() {
    let not_ascending = "the executions of limit 1 are not ascending";
    let too_long = "the times of limit 1 do not fit in 64 bits of nanoseconds";
    let no_execution = "limit 1 refers to execution 9, but there are 6";
    type Change = fn(&mut AppliedLimit);
    let changes: [(Change, &str); 6] = [
        (|one| one.executions.push(9), no_execution),
        (|one| one.executions = vec![2, 1], not_ascending),
        (|one| one.executions = vec![2, 2], not_ascending),
        (|one| one.limit = Duration::MAX, too_long),
        (|one| one.took = Duration::MAX, too_long),
        (
            |one| one.due = RelativeTime::Before(Duration::MAX),
            too_long,
        ),
    ];
    let timeline = late(On::Serial);
    for (change, expected) in changes {
        let mut timeline = timeline.clone();
        change(&mut timeline.limits[1]);
        assert_eq!(timeline.check().unwrap_err().to_string(), expected);
    }
}

/// Also deadlines outside of the run, and several at the same time.
#[test]
fn marks_and_texts_in_a_chart_do_not_overlap() {
    let timeline = late(On::Serial);
    chart::check(&timeline);
    let makespan = timeline.makespan;
    let begin = RelativeTime::Before(MS);
    for shift in 0..12 {
        let mut timeline = timeline.clone();
        let one = timeline.limits[2].clone();
        for nth in 0..6_u32 {
            let mut other = one.clone();
            other.limit = (nth * shift % 7) * makespan / 4;
            other.due = begin.later_by(shift * MS / 2);
            timeline.limits.push(other);
        }
        timeline.check().unwrap();
        chart::check(&timeline);
    }
}

#[test]
fn longest_times_that_are_valid_can_be_written() {
    let longest = Duration::from_nanos(u64::MAX);
    let mut timeline = late(On::Serial);
    for due in [RelativeTime::Before(longest), RelativeTime::After(longest)] {
        for limit in &mut timeline.limits {
            (limit.due, limit.limit, limit.took) = (due, longest, longest);
        }
        timeline.executions.last_mut().unwrap().end = longest;
        timeline.check().unwrap();
        serde_json::from_str::<Value>(&timeline.to_trace()).unwrap();
        chart::check(&timeline);
    }
}

/// If the variable `BLESS` is set, the trace is written.
#[test]
fn trace_has_due_times_deadlines_and_misses() {
    let trace = late(On::Serial).to_trace();
    serde_json::from_str::<Value>(&trace).unwrap();
    let dir = env!("CARGO_MANIFEST_DIR");
    let file = format!("{dir}/tests/behaviour/timeline/limits/late.trace.json");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &trace).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap();
    assert!(
        trace == kept,
        "the trace differs from the kept one: {trace}"
    );
}

#[test]
fn traces_of_all_executors_have_the_same_deadlines() {
    let deadlines = |on: On| -> Vec<Value> {
        let trace: Value = serde_json::from_str(&late(on).to_trace()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        let deadlines = events.filter(|event| event["cat"] == "deadline");
        // The number of a track depends on the number of workers.
        let without_track = deadlines.map(|event| {
            let mut event = event.clone();
            event.as_object_mut().unwrap().remove("tid");
            event
        });
        without_track.collect()
    };
    let serial = deadlines(On::Serial);
    assert_eq!(serial.len(), 4);
    for on in EXECUTORS {
        assert_eq!(deadlines(on), serial, "{on:?}");
    }
}

#[test]
fn trace_escapes_the_names_of_limits() {
    let mut timeline = late(On::Serial);
    timeline.limits[2].of = "a \"b\" \\ \n\u{202e}".to_string();
    let text = timeline.to_trace();
    assert!(!text.contains('\u{202e}'));
    let trace: Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut markers = events.iter().rev().filter(|event| event["ph"] == "i");
    let last = markers.next().unwrap()["name"].as_str().unwrap();
    let expected = "deadline of `a \"b\" \\ \n\u{202e}`, missed by 2.0ms";
    assert_eq!(last, expected);
}

/// The end of the last system was measured after the deadline, but recorded at the deadline.
#[test]
fn miss_is_never_zero() {
    let mut timeline = late(On::Serial);
    let last = *timeline.limits[2].executions.last().unwrap();
    timeline.executions[last].end = 2 * MS;
    let all = timeline.misses();
    let [(limit, by)] = all
        .of(last)
        .filter(|(limit, _)| limit.kind == LimitKind::Deadline)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{timeline:?}")
    };
    assert_eq!((&*limit.of, by), ("Rate<Control>", 2 * MS));
    assert!(
        timeline
            .to_trace()
            .contains("\"after the deadline of `Rate<Control>` by µs\":2000.000")
    );
    let svg = schedule_view::timeline_svg(&timeline);
    assert!(svg.contains("ended 2.0ms after the deadline of Rate&lt;Control&gt;"));
}

/// A loop in a loop of the same name.
#[test]
fn limits_of_the_same_name_are_one_argument_in_a_trace() {
    let mut timeline = late(On::Serial);
    let mut other = timeline.limits[0].clone();
    other.limit = MS;
    timeline.limits.push(other);
    let trace = timeline.to_trace();
    let by = "\"over the budget of `control` by µs\":[500.000,1000.000]";
    assert!(trace.contains(by), "{trace}");
    assert_eq!(trace.matches("over the budget").count(), 1);
}

#[test]
fn misses_of_many_executions_are_all_found() {
    let mut timeline = late(On::Serial);
    let first = timeline.executions[timeline.limits[2].executions[0]].clone();
    timeline.executions = vec![first; 200_000];
    let limit = &mut timeline.limits[2];
    limit.executions = (0..timeline.executions.len()).collect();
    timeline.limits.swap(0, 2);
    timeline.limits.truncate(1);
    let misses = timeline.misses();
    let n_missed = (0..timeline.executions.len()).map(|idx| misses.of(idx).count());
    assert_eq!(n_missed.sum::<usize>(), timeline.executions.len());
    assert!(timeline.to_trace().len() > timeline.executions.len());
}
