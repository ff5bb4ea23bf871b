//! Handles of metrics, which are registered when they are first used.

use core::any::type_name;
use std::sync::{Arc, LazyLock};

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, Recorder, SharedString,
    with_recorder,
};

use super::names::{EVENTS, Metric};

/// A key whose copies can be counted, and the part that its copies share.
static PROBE: LazyLock<(Key, Arc<str>)> = LazyLock::new(|| {
    let shared: Arc<str> = "".into();
    let stream = SharedString::from_shared(Arc::clone(&shared));
    let key = Key::from_parts(EVENTS.name, vec![Label::new("stream", stream)]);
    (key, shared)
});

/// Returns the address of the recorder of this thread. `None` if it is the one that does nothing.
pub(super) fn recorder_address() -> Option<usize> {
    with_recorder(|recorder| {
        let address = core::ptr::from_ref(recorder).cast::<()>().addr();
        let is_nothing = size_of_val(recorder) == 0 && does_nothing(recorder);
        (!is_nothing).then_some(address)
    })
}

/// Returns whether a recorder without a size does nothing: it keeps no copy of a key, not even in a handle. If another one has
/// kept a copy, it counts as one that does something, and metrics only cost more.
fn does_nothing(recorder: &dyn Recorder) -> bool {
    let (key, shared) = &*PROBE;
    let _handle = recorder.register_counter(key, &METADATA);
    // One in the probe itself, and one in its key.
    Arc::strong_count(shared) == 2
}

static METADATA: Metadata<'static> =
    Metadata::new("schedule_stream", Level::INFO, Some("schedule_stream"));

/// A handle of a metric.
pub(super) trait MetricHandle: Clone {
    fn register(recorder: &dyn Recorder, key: &Key, metadata: &Metadata<'_>) -> Self;

    fn describe(recorder: &dyn Recorder, metric: &Metric);
}

macro_rules! metric_handle {
    ($handle:ty, $register:ident, $describe:ident) => {
        impl MetricHandle for $handle {
            fn register(recorder: &dyn Recorder, key: &Key, metadata: &Metadata<'_>) -> Self {
                recorder.$register(key, metadata)
            }

            fn describe(recorder: &dyn Recorder, metric: &Metric) {
                recorder.$describe(
                    KeyName::from_const_str(metric.name),
                    Some(metric.unit),
                    SharedString::const_str(metric.description),
                );
            }
        }
    };
}

metric_handle!(Counter, register_counter, describe_counter);
metric_handle!(Gauge, register_gauge, describe_gauge);
metric_handle!(Histogram, register_histogram, describe_histogram);

/// Describes metrics to the recorder of this thread.
pub(super) fn describe<H: MetricHandle>(metrics: &[&Metric]) {
    with_recorder(|recorder| {
        for metric in metrics {
            H::describe(recorder, metric);
        }
    });
}

/// The handles of a metric: one for each value of its label, or one without a label.
#[derive(Clone, Debug)]
pub(super) struct Family<H> {
    metric: &'static Metric,
    /// By index of the value. `None` if it is not registered.
    handles: Vec<Option<H>>,
}

impl<H: MetricHandle> Family<H> {
    pub(super) fn new(metric: &'static Metric) -> Self {
        Self {
            metric,
            handles: Vec::new(),
        }
    }

    /// Forgets the handles, because the recorder may have changed.
    pub(super) fn clear(&mut self) {
        self.handles.clear();
    }

    /// Returns the handle of a metric without a label.
    pub(super) fn one(&mut self, stream: &Arc<str>) -> &H {
        self.of(stream, 0, "")
    }

    /// Returns the handle of value `nth`.
    pub(super) fn of(&mut self, stream: &Arc<str>, nth: usize, value: &'static str) -> &H {
        if self.handles.len() <= nth {
            self.handles.resize(nth + 1, None);
        }
        let metric = self.metric;
        self.handles[nth].get_or_insert_with(|| register(metric, stream, value))
    }
}

#[cold]
fn register<H: MetricHandle>(metric: &Metric, stream: &Arc<str>, value: &'static str) -> H {
    let stream = Label::new("stream", SharedString::from_shared(Arc::clone(stream)));
    let mut labels = vec![stream];
    if let Some(label) = metric.label {
        labels.push(Label::from_static_parts(label, value));
    }
    let key = Key::from_parts(metric.name, labels);
    with_recorder(|recorder| H::register(recorder, &key, &METADATA))
}

/// Returns the name of a stream without a name of its own: that of its event type, without the path.
pub(super) fn default_name<E>() -> Arc<str> {
    let name = type_name::<E>();
    // Generic arguments may have paths of their own.
    let end = name.find('<').unwrap_or(name.len());
    let start = name[..end].rfind("::").map_or(0, |at| at + 2);
    name[start..].into()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use metrics::{CounterFn, NoopRecorder, Unit};

    use super::*;

    /// A recorder without a size, as the one that does nothing.
    #[derive(Debug)]
    struct Printing;

    struct PrintingHandle(Key);

    impl CounterFn for PrintingHandle {
        fn increment(&self, value: u64) {
            println!("{} {value}", self.0);
        }

        fn absolute(&self, value: u64) {
            println!("{} {value}", self.0);
        }
    }

    impl Recorder for Printing {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(Arc::new(PrintingHandle(key.clone())))
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::noop()
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    #[test]
    fn recorder_that_does_nothing_is_recognised() {
        let of = |recorder: &dyn Recorder| metrics::with_local_recorder(recorder, recorder_address);
        let boxed: Box<dyn Recorder> = Box::new(Printing);
        for _ in 0..2 {
            assert_eq!(recorder_address(), None);
            assert_eq!(of(&NoopRecorder), None);
            assert!(of(&Printing).is_some());
            assert!(of(&*boxed).is_some());
            assert!(of(&boxed).is_some());
        }
    }

    #[test]
    fn default_name_is_that_of_the_type_without_paths() {
        assert_eq!(&*default_name::<Key>(), "Key");
        assert_eq!(&*default_name::<u32>(), "u32");
        let generic = default_name::<Option<Vec<u8>>>();
        assert_eq!(&*generic, "Option<alloc::vec::Vec<u8>>");
    }
}
