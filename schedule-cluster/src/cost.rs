//! What handlers cost, and which of them ship values.

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
    /// Adds a measurement to a mean.
    pub(crate) fn add(mean: &mut f32, value: f32) {
        match *mean == 0.0 {
            true => *mean = value,
            false => *mean += (value - *mean) / 16.0,
        }
    }
}

/// The time that one more message between processes takes, in nanoseconds.
const MESSAGE_NANOS: f32 = 1_000.0;
/// The time that one byte of a value takes in a message, in nanoseconds.
const BYTE_NANOS: f32 = 1.0;

/// Selects the handlers whose values are shipped to one process, as bits, by case.
///
/// Otherwise each process that owns a written key runs the handler. This takes the time of the handler once more, but no
/// message with the new value.
pub(crate) fn ships(costs: &[HandlerCost]) -> u64 {
    let is_long = |cost: &HandlerCost| cost.nanos > MESSAGE_NANOS + BYTE_NANOS * cost.value_bytes;
    let cases = (0..64).zip(costs);
    cases.fold(0, |bits, (case, cost)| {
        bits | u64::from(is_long(cost)) << case
    })
}
