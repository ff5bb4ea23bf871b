//! Spans of the crate `tracing`: for runs, for calls of streams, and for systems and handlers in them.
//!
//! Without the feature `tracing`, all functions do nothing, so other code does not depend on the feature.

pub use self::body::{InsideSpan, ParentSpan, WholeSpan};

/// All spans have the same target, so that one filter matches all of them.
#[cfg(feature = "tracing")]
mod body {
    use core::fmt::Debug;
    use std::sync::Arc;

    use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
    use tracing::span::{EnteredSpan, Id};
    use tracing::subscriber::DefaultGuard;
    use tracing::{Dispatch, Level, Span, debug_span, dispatcher, field, trace_span};

    use crate::base::thread::thread_number;

    /// The span of a run, or of a call of a stream. These are few and long. The span ends when this value is dropped.
    #[derive(Debug)]
    pub struct WholeSpan(EnteredSpan);

    impl WholeSpan {
        /// Opens the span of a run of a schedule.
        #[inline]
        pub fn run(
            schedule: &str,
            n_systems: impl FnOnce() -> usize,
            executor: &dyn Debug,
        ) -> Self {
            Self(
                debug_span!(
                    target: "schedule",
                    "run",
                    schedule,
                    systems = n_systems(),
                    ?executor
                )
                .entered(),
            )
        }

        /// Opens the span of a call of a stream.
        #[inline]
        pub fn stream() -> Self {
            Self(debug_span!(target: "schedule", "stream", events = field::Empty).entered())
        }

        /// Records the number of events that arrived.
        #[inline]
        pub fn note_events(&self, n_events: u64) {
            self.0.record("events", n_events);
        }

        /// Returns the parent for inner spans on any thread. Empty if no subscriber can be interested.
        #[inline]
        pub fn parent_span(&self) -> ParentSpan {
            // Whether any subscriber can be interested in the inner spans. This takes one load for all of them.
            let are_heard =
                Level::TRACE <= STATIC_MAX_LEVEL && Level::TRACE <= LevelFilter::current();
            let is_wanted = are_heard || !self.0.is_disabled();
            ParentSpan(is_wanted.then(|| self.open()))
        }

        #[cold]
        fn open(&self) -> Arc<OpenSpan> {
            Arc::new(OpenSpan {
                span: if self.0.is_disabled() {
                    // If the span of the run itself is disabled, the current span becomes the parent.
                    Span::current()
                } else {
                    (*self.0).clone()
                },
                subscriber: dispatcher::get_default(Dispatch::clone),
                thread: thread_number(),
            })
        }
    }

    /// The parent of spans, or nothing if no span is needed.
    #[derive(Clone, Debug)]
    pub struct ParentSpan(Option<Arc<OpenSpan>>);

    /// A span that is open.
    #[derive(Debug)]
    struct OpenSpan {
        span: Span,
        /// The subscriber of the thread that opened the span.
        subscriber: Dispatch,
        thread: u32,
    }

    /// The current thread is inside a span until this value is dropped.
    #[derive(Debug)]
    pub struct InsideSpan {
        _span: EnteredSpan,
        /// The last field, so that it is dropped after the thread has left the span.
        _subscriber: Option<DefaultGuard>,
    }

    impl InsideSpan {
        /// Leaves the span, if there is one. A drop does the same, but its code is not inlined.
        #[inline]
        pub fn leave(span: Option<Self>) {
            if let Some(span) = span {
                span.close();
            }
        }

        #[cold]
        fn close(self) {}
    }

    impl ParentSpan {
        /// No span is created in this.
        pub const NOTHING: Self = Self(None);

        /// Whether a span is needed.
        #[inline]
        pub fn is_some(&self) -> bool {
            self.0.is_some()
        }

        /// Opens the span of an execution of a system.
        #[inline]
        pub fn system(&self, system: &str) -> Option<InsideSpan> {
            let open = self.0.as_ref()?;
            Some(open.enter(|id| trace_span!(target: "schedule", parent: id, "system", system)))
        }

        /// Opens the span of a handler call for the event at this position.
        #[inline]
        pub fn handler(
            &self,
            handler: impl FnOnce() -> &'static str,
            batch: u64,
            index: u32,
        ) -> Option<InsideSpan> {
            let open = self.0.as_ref()?;
            Some(open.enter(|id| {
                trace_span!(
                    target: "schedule",
                    parent: id,
                    "handler",
                    handler = handler(),
                    batch,
                    index
                )
            }))
        }
    }

    impl OpenSpan {
        /// Opens a span with this parent, and enters it. Helper threads use the calling thread's subscriber. If it
        /// disables the new span, a helper thread enters this span instead.
        #[cold]
        fn enter(&self, open: impl FnOnce(Option<Id>) -> Span) -> InsideSpan {
            let is_elsewhere = self.thread != thread_number();
            let subscriber = is_elsewhere.then(|| dispatcher::set_default(&self.subscriber));
            let mut span = open(self.span.id());
            if is_elsewhere && span.is_disabled() {
                span = self.span.clone();
            }
            InsideSpan {
                _span: span.entered(),
                _subscriber: subscriber,
            }
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod body {
    use core::fmt::Debug;

    /// Does nothing.
    #[derive(Debug)]
    pub struct WholeSpan;

    impl WholeSpan {
        /// Does nothing.
        #[inline(always)]
        pub fn run(_: &str, _: impl FnOnce() -> usize, _: &dyn Debug) -> Self {
            Self
        }

        /// Does nothing.
        #[inline(always)]
        pub fn stream() -> Self {
            Self
        }

        /// Does nothing.
        #[inline(always)]
        pub fn note_events(&self, _: u64) {}

        /// Does nothing.
        #[inline(always)]
        pub fn parent_span(&self) -> ParentSpan {
            ParentSpan
        }
    }

    /// Does nothing.
    #[derive(Clone, Debug)]
    pub struct ParentSpan;

    /// Does nothing.
    #[derive(Debug)]
    pub struct InsideSpan;

    impl InsideSpan {
        /// Does nothing.
        #[inline(always)]
        pub fn leave(_: Self) {}
    }

    impl ParentSpan {
        /// The only value.
        pub const NOTHING: Self = Self;

        /// Returns `false`.
        #[inline(always)]
        pub fn is_some(&self) -> bool {
            false
        }

        /// Does nothing.
        #[inline(always)]
        pub fn system(&self, _: &str) -> InsideSpan {
            InsideSpan
        }

        /// Does nothing.
        #[inline(always)]
        pub fn handler(&self, _: impl FnOnce() -> &'static str, _: u64, _: u32) -> InsideSpan {
            InsideSpan
        }
    }
}
