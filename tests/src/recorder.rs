//! A recorder of metrics that keeps all values.

#![allow(missing_docs, reason = "only tests use it")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};

/// One recorder. Clones share the values.
#[derive(Clone, Debug, Default)]
pub struct TestRecorder(Arc<Mutex<RecordedMetrics>>);

/// The values of metrics. The name of a metric is `events{mode=inline,stream=bank}`, without the prefix of all names.
#[derive(Clone, Debug, Default)]
pub struct RecordedMetrics {
    pub counters: BTreeMap<String, u64>,
    /// All values that a gauge had.
    pub gauges: BTreeMap<String, Vec<f64>>,
    pub histograms: BTreeMap<String, Vec<f64>>,
    /// The units by name, without labels.
    pub units: BTreeMap<String, Unit>,
}

impl TestRecorder {
    pub fn recorded(&self) -> RecordedMetrics {
        self.0.lock().unwrap().clone()
    }

    fn describe(&self, name: &KeyName, unit: Option<Unit>, description: &SharedString) {
        assert!(description.len() > 5, "{name:?} has a description");
        let mut recorded = self.0.lock().unwrap();
        recorded
            .units
            .insert(short(name.as_str()), unit.expect("a unit"));
    }

    fn handle(&self, key: &Key) -> Arc<TestHandle> {
        let recorded = self.0.lock().unwrap();
        let name = short(key.name());
        assert!(recorded.units.contains_key(&name), "{name} is described");
        let mut labels: Vec<_> = key
            .labels()
            .map(|label| format!("{}={}", label.key(), label.value()))
            .collect();
        labels.sort();
        Arc::new(TestHandle {
            name: format!("{name}{{{}}}", labels.join(",")),
            recorded: Arc::clone(&self.0),
        })
    }
}

fn short(name: &str) -> String {
    let short = name
        .strip_prefix("schedule_stream_")
        .or_else(|| name.strip_prefix("schedule_"));
    short
        .expect("all metrics have one of these prefixes")
        .to_string()
}

impl RecordedMetrics {
    /// Returns the sum of all counters of this name, with any labels.
    pub fn sum(&self, name: &str) -> u64 {
        let is_of = |key: &str| key.split('{').next() == Some(name);
        let all = self.counters.iter().filter(|(key, _)| is_of(key));
        all.map(|(_, n)| n).sum()
    }

    /// Returns a counter, or 0.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// Returns the last value of a gauge.
    pub fn gauge(&self, name: &str) -> Option<f64> {
        self.gauges.get(name)?.last().copied()
    }

    /// Returns all values of a histogram.
    pub fn histogram(&self, name: &str) -> &[f64] {
        self.histograms.get(name).map_or(&[], Vec::as_slice)
    }
}

struct TestHandle {
    name: String,
    recorded: Arc<Mutex<RecordedMetrics>>,
}

impl TestHandle {
    fn change_gauge(&self, change: impl FnOnce(f64) -> f64) {
        let mut recorded = self.recorded.lock().unwrap();
        let values = recorded.gauges.entry(self.name.clone()).or_default();
        values.push(change(values.last().copied().unwrap_or(0.0)));
    }
}

impl CounterFn for TestHandle {
    fn increment(&self, value: u64) {
        let mut recorded = self.recorded.lock().unwrap();
        *recorded.counters.entry(self.name.clone()).or_default() += value;
    }

    fn absolute(&self, _: u64) {
        panic!("counters are incremented");
    }
}

impl GaugeFn for TestHandle {
    fn increment(&self, value: f64) {
        self.change_gauge(|before| before + value);
    }

    fn decrement(&self, value: f64) {
        self.change_gauge(|before| before - value);
    }

    fn set(&self, value: f64) {
        self.change_gauge(|_| value);
    }
}

impl HistogramFn for TestHandle {
    fn record(&self, value: f64) {
        let mut recorded = self.recorded.lock().unwrap();
        let values = recorded.histograms.entry(self.name.clone()).or_default();
        values.push(value);
    }
}

impl Recorder for TestRecorder {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, description: SharedString) {
        self.describe(&name, unit, &description);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, description: SharedString) {
        self.describe(&name, unit, &description);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, description: SharedString) {
        self.describe(&name, unit, &description);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.handle(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.handle(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.handle(key))
    }
}
