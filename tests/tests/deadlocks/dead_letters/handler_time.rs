//! The limit of the processor time of a handler. It is measured on Linux only.
#![cfg(target_os = "linux")]

use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::processes::{Entry, Fragile, Pause, Poison, Processes, program, recover, report};
use schedule_stream::durable::Durable;

fn limited() -> Durable<Entry> {
    program().max_handler_time(Duration::from_millis(80))
}

/// Ends the process at the first warning, as a person does who has read it.
struct EndAtWarning;

struct PrintFields;

impl Visit for PrintFields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        println!("{} = {value:?}", field.name());
    }
}

impl Subscriber for EndAtWarning {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if *event.metadata().level() == tracing::Level::WARN {
            event.record(&mut PrintFields);
            std::process::abort();
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Normally there is only a warning. While events are applied one by one, the limit ends the process.
#[test]
fn endless_loop_becomes_a_dead_letter() {
    let mut of = Processes::new("endless");
    let warned = of.run(false, || {
        tracing::subscriber::set_global_default(EndAtWarning).unwrap();
        let mut stream = recover(limited()).unwrap();
        let batch = [Entry::Add(1), Entry::Poison(Poison::Endless)];
        stream.process_batch(batch, report).unwrap();
    });
    if let Some((output, is_over)) = warned {
        let is_named = output.contains("batch = 1\nindex = 1\n");
        assert!(
            !is_over && is_named && output.contains("processor time"),
            "{output}"
        );
    }
    for _ in 0..2 {
        if let Some((output, is_over)) = of.run(false, || drop(recover(limited()))) {
            let text = "the handler of the event at position 1:1 has used";
            assert!(!is_over && output.contains(text), "{output}");
        }
    }
    of.prints(&["new: 1", "outcome 1:1 poison None", "sum 1"], || {
        drop(recover(limited()));
    });
}

/// A handler that waits uses no processor time, and neither does a paused process.
#[test]
fn waiting_handler_is_no_death() {
    let mut of = Processes::new("waiting");
    of.dies_if_fragile(|| {
        let mut stream = recover(limited()).unwrap();
        let batch = [Entry::Fragile(Fragile), Entry::Pause(Pause)];
        stream.process_batch(batch, report).unwrap();
    });
    // The batch is applied one by one.
    of.prints(
        &["new: 0", "outcome 1:1 pause Some(110)", "sum 110"],
        || {
            drop(recover(limited()));
        },
    );
}
