//! Somebody who listens to spans, and remembers all of them.

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

/// To whom nobody sends anything. As long as there is one subscriber only, whether anybody listens to a kind of span is asked
/// on the thread that comes there first, and kept for all: on that of another test, to which nobody listens.
static OTHERS: LazyLock<[Dispatch; 2]> =
    LazyLock::new(|| [(); 2].map(|()| Dispatch::new(Registry::default())));

/// One listener, by whatever name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listener(Arc<Mutex<Heard>>);

/// What was heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// As they were opened.
    pub(crate) spans: Vec<Span>,
    /// What was said, and in which span.
    pub(crate) events: Vec<(String, Option<usize>)>,
    /// By what the registry calls them; a number is used again when a span is closed.
    open: HashMap<u64, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    pub(crate) level: Level,
    /// What it is in: by index in the same list.
    pub(crate) parent: Option<usize>,
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// Which threads entered it, each time.
    pub(crate) entered: Vec<ThreadId>,
    /// Which threads are in it.
    inside: Vec<ThreadId>,
    pub(crate) is_closed: bool,
}

impl Listener {
    /// Listens to this thread while it does something.
    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        self.through(|_, _| true, work)
    }

    /// The same, but for what is not let through by name and level.
    pub(crate) fn through<R>(
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

    pub(crate) fn heard(&self) -> Heard {
        self.0.lock().unwrap().clone()
    }

    /// How many know of it.
    pub(crate) fn n_copies(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    fn note(&self, id: &Id, note: impl FnOnce(&mut Span)) {
        let mut heard = self.0.lock().unwrap();
        if let Some(&idx) = heard.open.get(&id.into_u64()) {
            note(&mut heard.spans[idx]);
        }
    }
}

impl Heard {
    /// All spans of this name, each with its place in the list.
    pub(crate) fn all(&self, name: &str) -> Vec<(usize, &Span)> {
        let spans = self.spans.iter().enumerate();
        spans.filter(|(_, span)| span.name == name).collect()
    }

    /// The spans of the turns of a system.
    pub(crate) fn executions_of(&self, system: &str) -> Vec<&Span> {
        let spans = self.all("system").into_iter().map(|(_, span)| span);
        spans
            .filter(|span| span.fields["system"] == system)
            .collect()
    }

    /// What is true of everything that is over: who entered a span left it, and it was closed.
    pub(crate) fn check_all_over(&self) {
        for span in &self.spans {
            assert!(span.is_closed, "{span:?} is still open");
            assert!(span.inside.is_empty(), "somebody is in {span:?}");
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
        let mut heard = self.0.lock().unwrap();
        span.parent = parent.map(|parent| heard.open[&parent.into_u64()]);
        let idx = heard.spans.len();
        heard.open.insert(id.into_u64(), idx);
        heard.spans.push(span);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, _: Context<'_, S>) {
        self.note(id, |span| record.record(&mut Fields(&mut span.fields)));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        let id = context.event_span(event).map(|span| span.id().into_u64());
        let mut heard = self.0.lock().unwrap();
        let span = id.map(|id| heard.open[&id]);
        heard.events.push((fields["message"].clone(), span));
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

/// Writes fields down, as text.
struct Fields<'f>(&'f mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
