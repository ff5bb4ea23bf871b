//! Settings of metrics and warnings.

use core::time::Duration;
use std::sync::Arc;

use super::Stream;
use crate::observe::slow::SlowHandler;
use crate::program::event::Event;

impl<E: Event> Stream<E> {
    /// Sets the name of the stream in metrics and warnings. The default is the name of the event type; a durable stream has the
    /// name of its program.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.observer.set_name(Arc::from(name.into()));
    }

    /// Reports handler calls that take at least this time. The default, `None`, measures no handler.
    ///
    /// A slow handler is reported after it has returned or panicked, just before its outcome, on the thread that calls
    /// `process`, and in order of positions:
    ///
    /// - to the [callback](Self::set_slow_handler_callback),
    /// - with the feature `tracing`, as an event of level `WARN`,
    /// - with the feature `metrics`, in the counter `schedule_stream_slow_handlers_total`.
    ///
    /// Outcomes do not depend on it. With a threshold, the clock is read twice per event.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use std::time::Duration;
    ///
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Event)]
    /// #[event(sleep)]
    /// struct Sleep(u64);
    ///
    /// #[handler]
    /// fn sleep(event: &Sleep) {
    ///     std::thread::sleep(Duration::from_millis(event.0));
    /// }
    ///
    /// let slow = Arc::new(Mutex::new(Vec::new()));
    /// let reported = Arc::clone(&slow);
    /// let mut stream = Stream::new();
    /// stream.set_slow_handler_threshold(Duration::from_millis(40));
    /// stream.set_slow_handler_callback(move |call| reported.lock().unwrap().push(*call));
    /// stream.process(&mut Resources::new(), [Sleep(0), Sleep(40)], drop)?;
    ///
    /// let slow = slow.lock().unwrap();
    /// let last = slow.last().unwrap();
    /// assert_eq!((last.handler, last.position.unwrap().index), ("sleep", 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_slow_handler_threshold(&mut self, threshold: impl Into<Option<Duration>>) {
        self.observer.slow.threshold = threshold.into();
    }

    /// Sets the function that is called with each slow handler: see
    /// [`set_slow_handler_threshold`](Self::set_slow_handler_threshold). If it panics, the panic is ignored.
    pub fn set_slow_handler_callback(
        &mut self,
        callback: impl Fn(&SlowHandler) + Send + Sync + 'static,
    ) {
        self.observer.slow.callback = Some(Arc::new(callback));
    }
}
