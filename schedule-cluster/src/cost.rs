//! What handlers cost, and which of them ship values.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// The mean costs of a handler.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HandlerCost {
    /// The time of a call in nanoseconds.
    pub(crate) nanos: f32,
    /// The size of a value that another process sends, in bytes.
    pub(crate) value_bytes: f32,
}

impl HandlerCost {
    /// Adds the time of a call.
    pub(crate) fn add_time(&mut self, nanos: f32) {
        add(&mut self.nanos, nanos);
    }

    /// Adds the mean size of the values of an event.
    pub(crate) fn add_value(&mut self, n_bytes: f32) {
        add(&mut self.value_bytes, n_bytes);
    }
}

/// Adds a measurement to a mean of the last ones. A measurement far above the mean counts less, because the thread was
/// probably interrupted.
fn add(mean: &mut f32, value: f32) {
    if *mean == 0.0 {
        *mean = value
    } else {
        *mean += (value.min(*mean * 4.0) - *mean) / 16.0
    }
}

/// Handlers that take less time in nanoseconds are measured only from time to time.
const ALWAYS_MEASURED_NANOS: f32 = 2_000.0;

/// Number of calls of short handlers of which one is measured.
const CALLS_PER_MEASUREMENT: u32 = 16;

/// Measures the calls of handlers.
#[derive(Debug, Default)]
pub(crate) struct HandlerMeter {
    n_calls: u32,
}

/// A call that is measured, or not.
pub(crate) struct MeasuredCall(Option<Instant>);

impl HandlerMeter {
    /// Begins a call of a handler with this mean cost.
    pub(crate) fn start(&mut self, cost: &HandlerCost) -> MeasuredCall {
        self.n_calls = self.n_calls.wrapping_add(1);
        let is_due = self.n_calls.is_multiple_of(CALLS_PER_MEASUREMENT);
        let is_measured = is_due || cost.nanos == 0.0 || cost.nanos > ALWAYS_MEASURED_NANOS;
        MeasuredCall(is_measured.then(Instant::now))
    }
}

impl MeasuredCall {
    pub(crate) fn end(self, cost: &mut HandlerCost) {
        if let Some(start) = self.0 {
            cost.add_time(start.elapsed().as_nanos() as f32);
        }
    }
}

/// The time that one more message between processes takes, in nanoseconds.
const MESSAGE_NANOS: f32 = 1_000.0;
/// The time that one byte of a value takes in a message, in nanoseconds.
const BYTE_NANOS: f32 = 1.0;

/// How the values of an event are exchanged, if its keys have several owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueExchange {
    /// The measured cost of the handler selects one of the other two.
    #[default]
    Measured,
    /// Each process that owns a written key gets all values, and runs the handler.
    Reads,
    /// One process gets all values, runs the handler, and sends the new values back.
    Ships,
}

impl ValueExchange {
    /// Selects the handlers whose values are shipped to one process, as bits, by case.
    ///
    /// Otherwise each process that owns a written key runs the handler. This takes the time of the handler once more, but no
    /// message with the new value.
    pub(crate) fn ships(self, costs: &[HandlerCost]) -> u64 {
        let is_long =
            |cost: &HandlerCost| cost.nanos > MESSAGE_NANOS + BYTE_NANOS * cost.value_bytes;
        let cases = (0..64).zip(costs);
        match self {
            Self::Measured => cases.fold(0, |bits, (case, cost)| {
                bits | u64::from(is_long(cost)) << case
            }),
            Self::Reads => 0,
            Self::Ships => u64::MAX,
        }
    }
}
