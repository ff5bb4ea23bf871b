//! Spans of the crate `tracing`, for those who listen: of runs and calls of streams, and of what is called in them.
//!
//! Without the feature `tracing` this is empty, and nobody else has to know whether it is.

pub use self::body::{Around, InsideSpan, WholeSpan};

/// All spans say that they come from here, so that one filter fits all of them.
#[cfg(feature = "tracing")]
mod body {
    use core::fmt::Debug;
    use std::sync::Arc;

    use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
    use tracing::span::{EnteredSpan, Id};
    use tracing::subscriber::DefaultGuard;
    use tracing::{Dispatch, Level, Span, debug_span, dispatcher, field, trace_span};

    use crate::record::thread;

    /// The span of a run, or of a call of a stream: there are few, and they take long. It ends when this is dropped.
    #[derive(Debug)]
    pub struct WholeSpan(EnteredSpan);

    impl WholeSpan {
        /// The span of a run of a schedule.
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

        /// The span of a call of a stream.
        #[inline]
        pub fn stream() -> Self {
            Self(debug_span!(target: "schedule", "stream", events = field::Empty).entered())
        }

        /// So many events arrived in it.
        #[inline]
        pub fn note_events(&self, n_events: u64) {
            self.0.record("events", n_events);
        }

        /// For what is called in it, on whatever thread; for nobody, if nobody listens to either.
        #[inline]
        pub fn around(&self) -> Around {
            // Whether any subscriber at all would look at those: one load for all of them.
            let are_heard =
                Level::TRACE <= STATIC_MAX_LEVEL && Level::TRACE <= LevelFilter::current();
            let is_wanted = are_heard || !self.0.is_disabled();
            Around(is_wanted.then(|| self.open()))
        }

        #[cold]
        fn open(&self) -> Arc<OpenSpan> {
            Arc::new(OpenSpan {
                span: match self.0.is_disabled() {
                    // Those who hear of what is in it alone hear it in what this would have been in.
                    true => Span::current(),
                    false => (*self.0).clone(),
                },
                subscriber: dispatcher::get_default(Dispatch::clone),
                thread: thread(),
            })
        }
    }

    /// What a span is in; nothing where no span is to be made.
    #[derive(Clone, Debug)]
    pub struct Around(Option<Arc<OpenSpan>>);

    /// A span that is open.
    #[derive(Debug)]
    struct OpenSpan {
        span: Span,
        /// Who listened to the thread that opened it.
        subscriber: Dispatch,
        thread: u32,
    }

    /// This thread is in a span until this is dropped.
    #[derive(Debug)]
    pub struct InsideSpan {
        _span: EnteredSpan,
        /// Last: the span is left before.
        _subscriber: Option<DefaultGuard>,
    }

    impl Around {
        /// No span is made in this.
        pub const NOTHING: Self = Self(None);

        /// Whether a span is to be made.
        #[inline]
        pub fn is_some(&self) -> bool {
            self.0.is_some()
        }

        /// The turn of a system.
        #[inline]
        pub fn system(&self, system: &str) -> Option<InsideSpan> {
            let open = self.0.as_ref()?;
            Some(open.enter(|id| trace_span!(target: "schedule", parent: id, "system", system)))
        }

        /// The call of a handler for the event at this position.
        #[inline]
        pub fn handler(
            &self,
            handler: impl FnOnce() -> &'static str,
            position: u64,
        ) -> Option<InsideSpan> {
            let open = self.0.as_ref()?;
            Some(open.enter(|id| {
                trace_span!(
                    target: "schedule",
                    parent: id,
                    "handler",
                    handler = handler(),
                    position
                )
            }))
        }
    }

    impl OpenSpan {
        /// Opens a span in this one, and enters it. On a thread that helps, whoever listens to the one that it helps listens
        /// to what is called, too, and hears it in this span if not in one of its own.
        #[cold]
        fn enter(&self, open: impl FnOnce(Option<Id>) -> Span) -> InsideSpan {
            let is_elsewhere = self.thread != thread();
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

    /// Nothing.
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
        pub fn around(&self) -> Around {
            Around
        }
    }

    /// Nothing.
    #[derive(Clone, Debug)]
    pub struct Around;

    /// Nothing.
    #[derive(Debug)]
    pub struct InsideSpan;

    impl Around {
        /// As all others.
        pub const NOTHING: Self = Self;

        /// Never.
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
        pub fn handler(&self, _: impl FnOnce() -> &'static str, _: u64) -> InsideSpan {
            InsideSpan
        }
    }
}
