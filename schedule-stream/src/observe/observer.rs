//! The observer of a stream: its name, its metrics, and the threshold of slow handlers.
//!
//! The dispatcher passes all measurements to it, on the thread that calls `process`. So callbacks and recorders need no other
//! thread, and slow handlers are reported in order of positions.

use core::time::Duration;
use std::sync::Arc;

use crate::base::position::Position;
use crate::observe::meter::StreamMeter;
use crate::observe::slow::{SlowHandler, SlowHandlers};
use crate::program::event::Event;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Observer {
    name: Option<Arc<str>>,
    pub(crate) slow: SlowHandlers,
    pub(crate) meter: StreamMeter,
    /// Whether the events are queries, which have no position.
    are_queries: bool,
}

impl Observer {
    pub(crate) fn set_name(&mut self, name: Arc<str>) {
        self.name = Some(name);
    }

    /// The name of a stream that has one.
    #[cfg(feature = "durable")]
    pub(crate) fn name(&self) -> Arc<str> {
        self.name.clone().unwrap_or_default()
    }

    /// The observer of the queries of a service: it reports slow handlers as this one, and has no metrics.
    #[cfg(feature = "durable")]
    pub(crate) fn for_queries(&self) -> Self {
        let mut meter = StreamMeter::default();
        meter.set_enabled(false);
        Self {
            name: self.name.clone(),
            slow: self.slow.clone(),
            meter,
            are_queries: true,
        }
    }

    /// Keeps the recorder of this thread for all calls.
    #[cfg(feature = "durable")]
    pub(crate) fn fix_recorder<E: Event>(&mut self) {
        self.meter.fix::<E>(self.name.as_ref(), E::HANDLERS);
    }

    /// Begins a call.
    #[inline]
    pub(crate) fn begin_call<E: Event>(&mut self) {
        self.meter.begin_call::<E>(self.name.as_ref(), E::HANDLERS);
    }

    /// Notes the time of a handler call.
    #[cold]
    pub(crate) fn note_handler<E: Event>(
        &mut self,
        case: u16,
        position: Position,
        duration: Duration,
    ) {
        let call = SlowHandler {
            handler: E::HANDLERS[usize::from(case)].name.base(),
            position: (!self.are_queries).then_some(position),
            duration,
        };
        let is_slow = self.slow.note(self.name.as_deref(), &call);
        self.meter.note_handler(case, duration, is_slow);
    }
}
