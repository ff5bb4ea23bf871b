//! A `tracing` subscriber that records all spans.

#![allow(missing_docs, reason = "only tests use it")]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::{self, ThreadId};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::{LookupSpan, Registry};

/// Subscribers that receive nothing. With a single subscriber, `tracing` caches its interest in a span for all threads. If the thread of
/// another test asks first, that thread has no subscriber. Additional subscribers prevent this cache.
static OTHERS: LazyLock<[Dispatch; 2]> =
    LazyLock::new(|| [(); 2].map(|()| Dispatch::new(Registry::default())));

/// One subscriber. Clones share the records.
#[derive(Clone, Debug, Default)]
pub struct Listener(Arc<Mutex<Recorded>>);

/// The recorded spans and events.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// In the order in which they were opened.
    pub spans: Vec<Span>,
    /// The text of each event, and the span around it.
    pub events: Vec<(String, Option<usize>)>,
    /// Keyed by the id of the registry, which is reused after a span is closed.
    open: HashMap<u64, usize>,
}

#[derive(Clone, Debug)]
pub struct Span {
    pub name: &'static str,
    pub target: &'static str,
    pub level: Level,
    /// The index of the parent span in the same list.
    pub parent: Option<usize>,
    pub fields: BTreeMap<&'static str, String>,
    /// The threads that entered the span, once for each entry.
    pub entered: Vec<ThreadId>,
    /// The threads that are currently inside.
    inside: Vec<ThreadId>,
    pub is_closed: bool,
}

impl Listener {
    /// Uses this subscriber on the current thread during `work`.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        self.through(|_, _| true, work)
    }

    /// Like [`during`](Self::during), but only for names and levels that `is_let` accepts.
    pub fn through<R>(
        &self,
        is_let: impl Fn(&str, Level) -> bool + Send + Sync + 'static,
        work: impl FnOnce() -> R,
    ) -> R {
        let filter = tracing_subscriber::filter::filter_fn(move |metadata| {
            is_let(metadata.name(), *metadata.level())
        });
        LazyLock::force(&OTHERS);
        let subscriber = Registry::default().with(filter).with(self.clone());
        tracing::subscriber::with_default(subscriber, work)
    }

    /// Returns the texts of the warnings on the current thread during `work`.
    pub fn warnings(work: impl FnOnce()) -> Vec<String> {
        let listener = Self::default();
        listener.through(|_, level| level <= Level::WARN, work);
        let events = listener.recorded().events;
        events.into_iter().map(|(text, _)| text).collect()
    }

    pub fn recorded(&self) -> Recorded {
        self.0.lock().unwrap().clone()
    }

    /// Returns the number of clones.
    pub fn n_copies(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    fn note(&self, id: &Id, note: impl FnOnce(&mut Span)) {
        let mut recorded = self.0.lock().unwrap();
        if let Some(&idx) = recorded.open.get(&id.into_u64()) {
            note(&mut recorded.spans[idx]);
        }
    }
}

impl Recorded {
    /// Returns all spans of this name, each with its index in the list.
    pub fn all(&self, name: &str) -> Vec<(usize, &Span)> {
        let spans = self.spans.iter().enumerate();
        spans.filter(|(_, span)| span.name == name).collect()
    }

    /// Returns the spans of the executions of a system.
    pub fn executions_of(&self, system: &str) -> Vec<&Span> {
        let spans = self.all("system").into_iter().map(|(_, span)| span);
        spans
            .filter(|span| span.fields["system"] == system)
            .collect()
    }

    /// Checks that all spans were exited by the threads that entered them, and were closed.
    pub fn check_all_over(&self) {
        for span in &self.spans {
            assert!(span.is_closed, "{span:?} is still open");
            assert!(span.inside.is_empty(), "a thread is in {span:?}");
        }
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Listener {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let metadata = attributes.metadata();
        let parent = context
            .span(id)
            .and_then(|span| span.parent())
            .map(|span| span.id());
        let mut span = Span {
            name: metadata.name(),
            target: metadata.target(),
            level: *metadata.level(),
            parent: None,
            fields: BTreeMap::new(),
            entered: Vec::new(),
            inside: Vec::new(),
            is_closed: false,
        };
        attributes.record(&mut Fields(&mut span.fields));
        let mut recorded = self.0.lock().unwrap();
        span.parent = parent.map(|parent| recorded.open[&parent.into_u64()]);
        let idx = recorded.spans.len();
        recorded.open.insert(id.into_u64(), idx);
        recorded.spans.push(span);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, _: Context<'_, S>) {
        self.note(id, |span| record.record(&mut Fields(&mut span.fields)));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        let id = context.event_span(event).map(|span| span.id().into_u64());
        let mut recorded = self.0.lock().unwrap();
        let span = id.map(|id| recorded.open[&id]);
        recorded.events.push((fields["message"].clone(), span));
    }

    fn on_enter(&self, id: &Id, _: Context<'_, S>) {
        let this = thread::current().id();
        self.note(id, |span| {
            span.entered.push(this);
            span.inside.push(this);
        });
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        let this = thread::current().id();
        self.note(id, |span| {
            let inside = span.inside.iter().position(|thread| *thread == this);
            span.inside
                .swap_remove(inside.expect("it entered it before"));
        });
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.note(&id, |span| span.is_closed = true);
        self.0.lock().unwrap().open.remove(&id.into_u64());
    }
}

/// Records fields as text.
struct Fields<'f>(&'f mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
